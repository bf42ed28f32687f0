"""Show the progress of a Connect server's job on one line of a terminal: finished tasks, of all known tasks.

(For a session with a Java process of its own, Spark shows such a bar itself.)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TextIO

from pyspark.sql.connect.shell.progress import ProgressHandler, StageInfo

WIDTH = 40


def bar_of(done: int, total: int, running: int) -> str:
    """Return a progress bar with its numbers, as text."""
    filled = WIDTH * done // max(total, 1)
    return f"[{'=' * filled}{' ' * (WIDTH - filled)}] {done:,} of {total:,} tasks, {running:,} running"


class TaskBar(ProgressHandler):
    """Progress handler that draws a bar over the previous one, and removes it when a job is done."""

    def __init__(self, out: TextIO) -> None:
        self._out, self._drawn = out, 0

    def __call__(
        self, stages: Iterable[StageInfo] | None, inflight_tasks: int, operation_id: str | None, done: bool, **_: Any
    ) -> None:
        """Draw the bar."""
        known = list(stages or ())
        line = ""
        if known and not done:
            completed = sum(stage.num_completed_tasks for stage in known)
            line = bar_of(completed, sum(stage.num_tasks for stage in known), inflight_tasks)
        self._out.write(f"\r{line:<{self._drawn}}\r")
        self._out.flush()
        self._drawn = len(line)
