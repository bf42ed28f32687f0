"""Catch SIGHUP from the start: it asks the service to read the model file again, but ends a process without a handler.

This is a module of its own because a service takes half a second to import the others and to read its model.
"""

from __future__ import annotations

import signal
from collections.abc import Callable


class Hangup:
    """Catches SIGHUP from now on, and remembers it until there is a function to call.

    It must be created in the main thread.
    """

    def __init__(self) -> None:
        self._has_come = False
        self._tell: Callable[[], object] | None = None
        if hasattr(signal, "SIGHUP"):
            signal.signal(signal.SIGHUP, lambda *_: self._come())

    def send_to(self, tell: Callable[[], object]) -> None:
        """Call `tell` for each signal from now on, and once now if a signal came before."""
        self._tell = tell
        if self._has_come:
            tell()

    def ignore(self) -> None:
        """Ignore the signal from now on, even when Python removes its handlers before it exits."""
        if hasattr(signal, "SIGHUP"):
            signal.signal(signal.SIGHUP, signal.SIG_IGN)

    def _come(self) -> None:
        if self._tell is None:
            self._has_come = True
        else:
            self._tell()
