"""Lines of a log, written together a few times a second: a call to the system for each would cost as much as its
request.
"""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from collections import deque
from contextlib import suppress
from functools import lru_cache
from typing import TextIO

SECONDS = 0.2
"""After which a line is written at the latest."""


class Log:
    """Writes to standard error, or wherever it is told."""

    def __init__(self, file: TextIO | None = None) -> None:
        self._file = file
        self._lines: deque[str] = deque()
        self._lock = threading.Lock()
        self._will_flush = False

    def soon(self, line: str) -> None:
        """Write a line with others; only from within an event loop."""
        self._lines.append(stamped(line))
        if not self._will_flush:
            self._will_flush = True
            asyncio.get_running_loop().call_later(SECONDS, self.flush)

    def now(self, line: str) -> None:
        """Write a line at once, after those that wait; from anywhere."""
        self._lines.append(stamped(line))
        self.flush()

    def flush(self) -> None:
        """Write what waits."""
        with self._lock:
            self._will_flush = False
            lines = [self._lines.popleft() for _ in range(len(self._lines))]
            file = self._file or sys.stderr
            with suppress(OSError):  # nobody can be told that the log can't be written, and requests go on without it
                file.write("".join(lines))
                file.flush()


def stamped(line: str) -> str:
    """A line with its time, to the millisecond."""
    milliseconds = time.time_ns() // 1_000_000
    return f"{_second(milliseconds // 1000)}.{milliseconds % 1000:03}Z {line}\n"


@lru_cache(2)
def _second(seconds: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))
