"""Limits of a single request, and of all requests that are processed at once.

A request above a limit gets a response that names the limit, before any work is done: a body with a `Content-Length`
is refused by that, and one without as soon as it is too long.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from ..errors import InputError, shown
from ..settings import is_whole

BODIES_AT_ONCE = 8
"""All bodies in memory together may have this many times the bytes of the largest allowed body."""


@dataclass(frozen=True)
class Limits:
    """Limits of one request and of the whole service.

    A request may have so many bytes in its `body`, so many `documents`, so many characters in a document (`length`),
    and take so many `seconds`. The service takes so many `requests` and `connections` at a time.
    """

    body: int = 10 << 20
    documents: int = 1_000
    length: int = 1_000_000
    seconds: float = 30.0
    requests: int = 1_000
    connections: int = 1_000

    def __post_init__(self) -> None:
        for limit in fields(self):
            value = getattr(self, limit.name)
            is_time = limit.name == "seconds"
            fits = isinstance(value, float | int) and not isinstance(value, bool) if is_time else is_whole(value)
            if not (fits and 0 < value < math.inf):
                raise InputError(f"{limit.name}={shown(value)}; use a number above 0.")

    @property
    def bodies(self) -> int:
        """Return the limit of all bodies together, in bytes."""
        return BODIES_AT_ONCE * self.body
