"""Show the progress of long work: as a line in a terminal, or as a bar in a notebook.

Training and comparing report their progress by calling a function with the stage, the amount done, and the total if it
is known (`Progress`). This module makes such functions, depending on where the program runs:

- In a terminal, the function draws a line on standard error, which is redrawn once a second and erased at the end.
  Standard output may be a file or a pipe, and gets nothing.
- In a notebook, it updates one output of the cell, which is removed at the end; this needs no widgets.
- Elsewhere, for example if standard error is a log file, it does nothing.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import timedelta
from importlib import import_module
from typing import Any

Progress = Callable[[str, int, int | None], None]
"""A function that is called with the stage of the work, how much of it is done, and its total if that is known."""

REDRAWS_PER_SECOND = 1
"""A line of 80 characters each second is 5 kB a minute, little enough for remote or recorded terminals."""
NOTEBOOK_SECONDS = 0.5
"""The shortest time between two updates of a notebook."""
BAR_WIDTH = 20
"""The width of the bar in a terminal, in characters."""

_shown: ContextVar[Progress | None] = ContextVar("shown_progress", default=None)
"""The function that `show_progress` has set for the code in its `with` block."""


@contextmanager
def show_progress() -> Iterator[Progress]:
    """Show the progress of everything that is trained or compared inside this context, in a terminal or a notebook.

    Examples
    --------
    >>> from textsieve import show_progress
    >>> with show_progress():
    ...     pass  # for example Categorizer().fit(texts, labels)
    """
    with progress_display() as on_progress:
        token = _shown.set(on_progress)
        try:
            yield on_progress
        finally:
            _shown.reset(token)


def progress_or_shown(progress: Progress | None) -> Progress:
    """Return the given function, or else that of `show_progress`, or else one that does nothing."""
    return progress or _shown.get() or _ignore


def _ignore(*_: object) -> None:
    """Do nothing."""


@contextmanager
def progress_display(*, enabled: bool = True) -> Iterator[Progress]:
    """Yield a function that shows progress; it does nothing if it is not enabled, or without a terminal or notebook.

    Calling the function is cheap: a terminal is redrawn by a thread, and a notebook is updated only now and then.
    """
    if not enabled:
        yield _ignore
    elif _is_notebook():
        with _notebook_display() as on_progress:
            yield on_progress
    elif sys.stderr.isatty():
        with _terminal_display() as on_progress:
            yield on_progress
    else:
        yield _ignore


def _is_notebook() -> bool:
    """Return whether a notebook runs this code."""
    if "IPython" not in sys.modules:
        return False
    from rich.console import Console

    return Console().is_jupyter


@contextmanager
def _terminal_display() -> Iterator[Progress]:
    """Yield a function that draws a line on standard error, which is a terminal."""
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    state = _State()
    screen = Live(
        get_renderable=lambda: Text(state.line(time.monotonic()), no_wrap=True, overflow="crop"),
        console=Console(stderr=True, highlight=False),
        refresh_per_second=REDRAWS_PER_SECOND,
        redirect_stdout=False,
        transient=True,
    )

    def on_progress(stage: str, done: int, total: int | None) -> None:
        """Store the progress, which the screen shows at its next redraw; the first call makes the line appear."""
        state.update(stage, done, total, time.monotonic())
        if not screen.is_started:
            screen.start(refresh=True)

    try:
        yield on_progress
    finally:
        screen.stop()


@contextmanager
def _notebook_display() -> Iterator[Progress]:
    """Yield a function that updates a bar in the output of the running cell."""
    notebook: Any = import_module("IPython.display")  # which has no types
    state = _State()
    output: Any = None  # the displayed output, from the first call on
    next_update = 0.0

    def on_progress(stage: str, done: int, total: int | None) -> None:
        """Store the progress, and update the output if the last update is not too recent."""
        nonlocal output, next_update
        now = time.monotonic()
        state.update(stage, done, total, now)
        if now < next_update:
            return
        next_update = now + NOTEBOOK_SECONDS
        if output is None:
            output = notebook.display(notebook.HTML(state.html(now)), display_id=True)
        else:
            output.update(notebook.HTML(state.html(now)))

    try:
        yield on_progress
    finally:
        if output is not None:
            output.update(notebook.HTML(""))


class _State:
    """The current stage of the work, how much of it is done, and when it began; times are in seconds."""

    def __init__(self) -> None:
        self._stage, self._done, self._began, self._done_at_start = "", 0, 0.0, 0
        self._total: int | None = None

    def update(self, stage: str, done: int, total: int | None, now: float) -> None:
        """Store the progress at the time `now`; a new stage starts the clock again."""
        if stage != self._stage:
            self._began, self._done_at_start = now, done
        self._stage, self._done, self._total = stage, done, total

    def line(self, now: float) -> str:
        """Return the stage, a bar if the total is known, the count, the elapsed time and the remaining time."""
        bar = ""
        if self._total:
            filled = BAR_WIDTH * min(self._done, self._total) // self._total
            bar = f"[{'#' * filled:<{BAR_WIDTH}}]"
        return "  ".join(filter(None, [self._stage, bar, *self._numbers(now)]))

    def html(self, now: float) -> str:
        """Return the same as `line`, as HTML."""
        from .display import element, notebook_html

        known = {} if not self._total else {"value": min(self._done, self._total), "max": self._total}
        text = "  ".join(filter(None, [self._stage, *self._numbers(now)]))
        return notebook_html(element("progress", **known), text)

    def _numbers(self, now: float) -> list[str]:
        """Return the count, the elapsed time and the remaining time, as far as they are known."""
        elapsed = now - self._began
        elapsed_text = str(timedelta(seconds=int(elapsed)))
        if not self._total:
            return [f"{self._done:,}" if self._done else "", elapsed_text]
        return [f"{self._done:,} of {self._total:,}", elapsed_text, time_left(self._seconds_left(elapsed))]

    def _seconds_left(self, elapsed: float) -> float | None:
        """Return the remaining seconds of the stage, estimated from its mean speed, or None if that is not known yet.

        Work that was already done when the stage began does not count for the speed: `compare` may continue an earlier
        run.
        """
        done_now = self._done - self._done_at_start
        return None if done_now <= 0 or self._total is None else elapsed * (self._total - self._done) / done_now


def time_left(seconds: float | None) -> str:
    """Return the remaining time in words, or an empty string if it is unknown or zero."""
    if not seconds:
        return ""
    minutes, hours = seconds / 60, seconds / 3600
    if hours >= 1.5:
        return f"about {hours:.0f} hours left"
    return f"about {minutes:.0f} min left" if minutes >= 1.5 else f"about {seconds:.0f} s left"
