"""Show progress on standard error if that is a terminal: one line, redrawn once a second and erased at the end.

Nothing is written to standard output, which may be a file or a pipe and must get only the results.
"""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

from ..corpus import Batch, Corpus, Report

ProgressCallback = Callable[[str, int, int | None], None]
"""A function that is called with the stage of the work, how much of it is done, and its total if that is known."""

REDRAWS_PER_SECOND = 1
"""Redrawing a line of 80 characters once a second is 5 kB a minute, little enough for remote or recorded terminals."""
BAR_WIDTH = 20


@contextmanager
def progress(*, enabled: bool = True) -> Iterator[ProgressCallback]:
    """Yield a progress callback, which does nothing if standard error is no terminal or progress is not enabled.

    Calling the callback is cheap, because a thread redraws the line.
    """
    if not (enabled and sys.stderr.isatty()):
        yield lambda *_: None
        return
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
        state.update(stage, done, total, time.monotonic())
        if not screen.is_started:
            screen.start(refresh=True)

    try:
        yield on_progress
    finally:
        screen.stop()


class _State:
    """The current stage, how much of it is done, and when it began."""

    def __init__(self) -> None:
        self._stage, self._done, self._began, self._done_at_start = "", 0, 0.0, 0
        self._total: int | None = None

    def update(self, stage: str, done: int, total: int | None, now: float) -> None:
        """Store the progress at the time `now`, in seconds; a new stage starts the clock again."""
        if stage != self._stage:
            self._began, self._done_at_start = now, done
        self._stage, self._done, self._total = stage, done, total

    def line(self, now: float) -> str:
        """Return the stage, a bar if the total is known, the count, the elapsed time and the remaining time."""
        elapsed = now - self._began
        elapsed_text = str(timedelta(seconds=int(elapsed)))
        if self._total:
            filled = BAR_WIDTH * min(self._done, self._total) // self._total
            bar, count = f"[{'#' * filled:<{BAR_WIDTH}}]", f"{self._done:,} of {self._total:,}"
            fields = [self._stage, bar, count, elapsed_text, time_left(self._seconds_left(elapsed))]
        else:
            fields = [self._stage, f"{self._done:,}" if self._done else "", elapsed_text]
        return "  ".join(filter(None, fields))

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


def with_progress(corpus: Corpus, stage: str, on_progress: ProgressCallback) -> Corpus:
    """Return a corpus of the same documents that calls `on_progress` after each batch, in every pass.

    A pass also fills the report of `corpus`, from which callers print warnings; only that report has skipped items and
    replaced bytes.
    """

    def start(report: Report) -> Iterator[Batch]:
        done = 0
        for batch in corpus.batches(places=report.places):
            yield batch
            done += len(batch)
            on_progress(stage, done, None)

    return Corpus(corpus.name, start, multilabel=corpus.multilabel, sample_columns=corpus.sample_columns)
