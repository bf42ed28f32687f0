"""SIGHUP, caught from the beginning: it asks for the model file to be read again, and ends a process that ignores it.

This module is apart because a service takes half a second to import the rest and to read its model.
"""

from __future__ import annotations

import signal
from collections.abc import Callable


class Hangup:
    """Catches SIGHUP from now on, and keeps it until there is somebody to tell; make it in the main thread."""

    def __init__(self) -> None:
        self._has_come = False
        self._tell: Callable[[], object] | None = None
        if hasattr(signal, "SIGHUP"):
            signal.signal(signal.SIGHUP, lambda *_: self._come())

    def send_to(self, tell: Callable[[], object]) -> None:
        """Call `tell` for each signal from now on, and once if there was one before."""
        self._tell = tell
        if self._has_come:
            tell()

    def ignore(self) -> None:
        """Ignore the signal from now on, also when Python takes its handlers away before it exits."""
        if hasattr(signal, "SIGHUP"):
            signal.signal(signal.SIGHUP, signal.SIG_IGN)

    def _come(self) -> None:
        if self._tell is None:
            self._has_come = True
        else:
            self._tell()
