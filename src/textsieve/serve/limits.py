"""Limits of a single request, and of all requests that are processed at once.

A request with too large a body, too many documents or too long a document gets an error response that names the limit,
before any document is processed. A body whose `Content-Length` is above the limit is never read; one without a
`Content-Length` is read up to the limit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from ..errors import InputError
from ..settings import is_whole

BODIES_AT_ONCE = 8
"""All bodies in memory together may have this many times as many bytes as one body (`Limits.body`)."""


@dataclass(frozen=True)
class Limits:
    """Limits of one request and of the whole service; with several worker processes, of each of them.

    - `body`: bytes in the body of a request.
    - `documents`: documents in a request.
    - `length`: characters in a document.
    - `seconds`: time to receive a request, and time to process it.
    - `requests`, `connections`: requests without a response, and open connections, at a time.
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
            is_valid_type = is_whole(value) or (limit.name == "seconds" and isinstance(value, float))
            if not (is_valid_type and 0 < value < math.inf):
                raise InputError(setting=limit.name, value=value, hint="use a number above 0")

    @property
    def bodies(self) -> int:
        """Return the limit of all bodies together, in bytes."""
        return BODIES_AT_ONCE * self.body
