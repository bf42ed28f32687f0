"""How much a request may ask for, and how much all of them may wait for at once.

A limit that is passed gets an answer that names it, before the work is done: a body is refused by the length that it
announces, and one that announces none as soon as it is too long.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from ..errors import InputError, shown
from ..settings import is_whole

BODIES_AT_ONCE = 8
"""The bodies that are being read and answered have no more bytes in all than so many of the largest."""


@dataclass(frozen=True)
class Limits:
    """Limits of one request (bytes of its body, documents, characters of a document, seconds) and of all at a time."""

    body: int = 10 << 20
    documents: int = 1_000
    length: int = 1_000_000
    seconds: float = 30.0
    requests: int = 1_000
    connections: int = 1_000

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            is_time = each.name == "seconds"
            fits = isinstance(value, float | int) and not isinstance(value, bool) if is_time else is_whole(value)
            if not (fits and 0 < value < math.inf):
                raise InputError(f"{each.name}={shown(value)}; use a number above 0.")

    @property
    def bodies(self) -> int:
        """Bytes of all bodies that are being read and answered."""
        return BODIES_AT_ONCE * self.body
