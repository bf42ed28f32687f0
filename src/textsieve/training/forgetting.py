"""How an update forgets: by a half-life, or by a window of updates.

With a half-life h, the weight of everything that was learned before is multiplied by 2^(-t / h) before the new
documents are added. If h is a time, t is the time from the last update to this one. If h is a number of documents, t is
the number of new documents. So a document of age a, which is the sum of these t, counts as one of sample weight
2^(-a / h).

With a window of N, only the documents of the last N updates count, this one included; training counts as an update.
"""

from __future__ import annotations

import math
import re
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, NamedTuple

from ..errors import InputError, Setting
from ..settings import is_whole
from .provenance import now

SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
"""The seconds of each unit of time."""

DOCUMENTS = "docs"
"""The unit of a half-life in documents."""

_HALF_LIFE = re.compile(rf"(\d{{1,12}}(?:\.\d{{1,12}})?)\s*({'|'.join(SECONDS)}|{DOCUMENTS})")


class Forgetting(NamedTuple):
    """What an update forgets; by default nothing."""

    half_life: float | None = None
    """In seconds, or in documents."""
    is_in_documents: bool = False
    window: int | None = None

    @classmethod
    def of(cls, half_life: Any = None, window: Any = None) -> Forgetting:
        """Return what these settings of an update mean; raise `InputError` if they are invalid."""
        if half_life is not None and window is not None:
            raise InputError(
                (Setting("half_life", half_life), " with ", Setting("window", window)), hint="use one of the two"
            )
        if window is not None and not (is_whole(window) and window >= 1):
            raise InputError(setting="window", value=window, hint="use a number of updates from 1")
        amount, is_in_documents = (None, False) if half_life is None else _parse_half_life(half_life)
        return cls(amount, is_in_documents, None if window is None else int(window))

    @property
    def needs_time(self) -> bool:
        """Return whether the weight of earlier documents depends on the time of an update."""
        return self.half_life is not None and not self.is_in_documents

    def factor(self, seconds: float, n_documents: float) -> float:
        """Return the factor by which the weights of earlier documents are multiplied.

        `seconds` is the time since the last update, and `n_documents` the number of new documents. The factor is 0 if
        it would be smaller than any float.
        """
        if self.half_life is None:
            return 1.0
        n_half_lives = (n_documents if self.is_in_documents else seconds) / self.half_life
        return math.exp2(-min(n_half_lives, 1e6))  # for infinitely many, as for 1e6, the factor is 0


def _parse_half_life(value: Any) -> tuple[float, bool]:
    """Return a half-life in seconds or documents, and whether it is in documents."""
    if isinstance(value, timedelta):
        amount, unit = value.total_seconds(), "s"
    else:
        match = _HALF_LIFE.fullmatch(value.strip()) if isinstance(value, str) else None
        amount, unit = (float(match[1]), match[2]) if match else (0.0, "s")
    if not amount > 0:
        raise InputError(
            setting="half_life",
            value=value,
            hint="use a time above 0 such as 90d (s, m, h, d or w), or a number of documents such as 5000docs",
        )
    return (amount, True) if unit == DOCUMENTS else (amount * SECONDS[unit], False)


def moment_of(when: Any = None) -> datetime:
    """Return the time of an update as a datetime in UTC; `when` without a time zone is in UTC.

    `when` is a datetime, a date, a text such as "2026-01-31", or None for now.
    """
    if when is None:
        when = now()
    if isinstance(when, str):
        try:
            when = datetime.fromisoformat(when)
        except ValueError as problem:
            raise _invalid_time(when) from problem
    elif isinstance(when, date) and not isinstance(when, datetime):
        when = datetime.combine(when, time())
    if not isinstance(when, datetime):
        raise _invalid_time(when)
    try:
        return when.replace(tzinfo=UTC) if when.tzinfo is None else when.astimezone(UTC)
    except OverflowError as problem:  # within a day of the first or the last date
        raise _invalid_time(when) from problem


def _invalid_time(when: Any) -> InputError:
    """Return the error for a value that is no time."""
    return InputError(
        setting="when", value=when, hint="use a date such as 2026-01-31, or a date and time such as 2026-01-31T12:00"
    )
