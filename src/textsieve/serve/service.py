"""The state of a running service: model, limits, worker threads, metrics, feedback and log.

Log lines are collected and written a few times a second, because a system call for each would cost as much as its
request.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Set
from contextlib import suppress
from functools import lru_cache
from typing import TextIO

from starlette.types import Scope

from ..prediction import Label
from ..settings import n_threads
from .answers import class_named
from .api_errors import ApiError
from .feedback import Feedback
from .guard import DOCUMENTS
from .limits import Limits
from .loaded import ModelHolder
from .metrics import Metrics
from .workers import PredictionWorkers, Wanted

SECONDS = 0.2
"""The longest time until a line is written."""


class Log:
    """Writes log lines to a file, by default to standard error."""

    def __init__(self, file: TextIO | None = None) -> None:
        self._file = file
        self._lines: deque[str] = deque()
        self._lock = threading.Lock()
        self._will_flush = False

    def soon(self, line: str) -> None:
        """Write a line later, together with others; call this only within an event loop."""
        self._lines.append(stamped(line))
        if not self._will_flush:
            self._will_flush = True
            asyncio.get_running_loop().call_later(SECONDS, self.flush)

    def now(self, line: str) -> None:
        """Write a line at once, after those that wait; any thread may call this."""
        self._lines.append(stamped(line))
        self.flush()

    def flush(self) -> None:
        """Write the lines that wait."""
        with self._lock:
            self._will_flush = False
            lines = [self._lines.popleft() for _ in range(len(self._lines))]
            file = self._file or sys.stderr
            with suppress(OSError):  # there is no other place to report this, and requests go on without a log
                file.write("".join(lines))
                file.flush()


def stamped(line: str) -> str:
    """Return a log line with the current time, to the millisecond."""
    milliseconds = time.time_ns() // 1_000_000
    return f"{_second(milliseconds // 1000)}.{milliseconds % 1000:03}Z {line}\n"


@lru_cache(2)
def _second(seconds: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))


class Service:
    """A served model with its limits, worker threads, metrics, feedback file and log."""

    def __init__(
        self,
        path: str,
        *,
        limits: Limits | None = None,
        feedback: str | None = None,
        n_jobs: int | None = None,
        log: Log | None = None,
        logs_requests: bool = True,
    ) -> None:
        self.limits = limits or Limits()
        self.metrics = Metrics()
        self.feedback = None if feedback is None else Feedback(feedback)
        self.current = ModelHolder(path, self.metrics.predicted)
        self.paths: Set[str] = frozenset()  # the paths of all routes, once these are added
        self._n_threads = n_threads(n_jobs)
        self._log, self._logs_requests = log, logs_requests
        self._lanes: PredictionWorkers | None = None

    @property
    def lanes(self) -> PredictionWorkers:
        """Return the worker threads; they belong to the event loop in which they are first used."""
        if self._lanes is None:
            self._lanes = PredictionWorkers(self.limits, self._n_threads)
        return self._lanes

    def close(self) -> None:
        """End the threads and write the waiting log lines."""
        if self._lanes is not None:
            self._lanes.close()
            self._lanes = None
        if self._log is not None:
            self._log.flush()

    def reload(self) -> None:
        """Load a newer model; if it can't be read, log the reason and keep the current one."""
        try:
            is_another = self.current.swap()
        except Exception as problem:
            self.metrics.reloaded("failed")
            self.say(f"The model stays as it was: {problem}")
        else:
            self.metrics.reloaded("loaded" if is_another else "same")
            now = self.current.now
            self.say(f"{'Loaded' if is_another else 'Unchanged:'} {now.name} ({now.id})")

    def say(self, line: str) -> None:
        """Write a line to the log, if there is one."""
        if self._log is not None:
            self._log.now(line)

    def went_wrong(self, problem: Exception) -> None:
        """Log the type of an exception and where it was raised.

        Its message is not logged, because it may contain part of a document.
        """
        frames = traceback.extract_tb(problem.__traceback__)
        path = " < ".join(f"{frame.name} ({os.path.basename(frame.filename)}:{frame.lineno})" for frame in frames[::-1])
        self.say(f"Wrong: {type(problem).__name__} in {path}")

    def note(self, scope: Scope, status: int, seconds: float) -> None:
        """Add a request to the metrics and the log: its route, but never its text."""
        path = scope["path"] if scope["path"] in self.paths else "other"
        self.metrics.request(path, status, seconds)
        if self._log is not None and self._logs_requests:
            client = (scope.get("client") or ["-"])[0]
            documents = f" {scope[DOCUMENTS]} documents" if DOCUMENTS in scope else ""
            self._log.soon(f"{client} {scope['method']} {path} {status}{documents} {1000 * seconds:.1f} ms")

    # -- requests ------------------------------------------------------------------------------------------------

    def check(self, texts: list[str]) -> None:
        """Raise `ApiError` if a document is too long. The number of documents has been checked already."""
        for number, text in enumerate(texts):
            if len(text) > self.limits.length:
                about = f"Document {number} (from 0) has {len(text):,} characters; {self.limits.length:,} are allowed."
                raise ApiError("too_long", about)

    # -- corrections ---------------------------------------------------------------------------------------------

    def correct(self, text: str, label: Label | None, labels: list[Label] | None, is_wanted: Wanted) -> None:
        """Write the right label or labels of a text to the feedback file, while the client waits for it."""
        assert self.feedback is not None
        loaded = self.current.now
        is_single_label = loaded.model.labels == "one"
        if (label is None) == is_single_label or (labels is None) != is_single_label:
            how = (
                '"label": ..., because a document has one'
                if is_single_label
                else '"labels": [...], because it may have several'
            )
            raise ApiError("invalid", f"Say what is right by {how}.")
        if not text.strip():
            raise ApiError("invalid", "text: a correction of nothing; there must be something in it to learn from.")
        labels_given = [label] if label is not None else labels or []
        right_labels = [class_named(loaded.model, given) for given in labels_given]
        (predicted,) = loaded.model.label_sets(loaded.model.predict([text]).labels)
        record = (
            {"label": right_labels[0], "predicted": predicted[0]}
            if is_single_label
            else {"labels": right_labels, "predicted": predicted}
        )
        try:
            self.feedback.write({"text": text, **record, "model": loaded.id}, is_wanted)
        except OSError as problem:
            self.say(f"A correction could not be written: {problem}")
            raise ApiError("not_written", "The correction could not be written; try again later.") from problem
        self.metrics.corrected()
