"""The state of a running service: model, limits, worker threads, metrics, feedback file and log.

Log lines are collected and written a few times a second, because a system call for each line would take as much time as
the request that it is about. The standard library's `QueueHandler` and `QueueListener` need 13 times the processor time
(17.8 us instead of 1.4 us for a line). With them, the throughput in `make serve-load` falls from 0.35 to 0.30 of that
of a bare uvicorn, below our aim of a third.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Iterator, Set
from contextlib import suppress
from functools import lru_cache
from typing import Any, Literal, TextIO

from starlette.types import Scope

from ..errors import counted
from ..prediction import Abstention, Label, Model
from ..settings import n_threads
from .api_errors import ApiError
from .feedback import Feedback
from .guard import DOCUMENTS
from .limits import Limits
from .metrics import Metrics
from .schemas import FeedbackRequest
from .served_model import ModelHolder, find_class
from .workers import IsWanted, PredictionWorkers

FLUSH_SECONDS = 0.2
"""The longest time until a log line is written."""
ATOMIC_BYTES = 4096
"""The largest write to a pipe that is atomic on Linux; larger ones could mix lines of several worker processes."""


class Log:
    """Writes log lines to a file, by default to standard error."""

    def __init__(self, file: TextIO | None = None) -> None:
        self._file = file
        self._lines: deque[str] = deque()
        self._lock = threading.Lock()
        self._will_flush = False

    def write_later(self, line: str) -> None:
        """Write a line within `FLUSH_SECONDS`, together with others; call this only within an event loop."""
        self._lines.append(with_time(line))
        if not self._will_flush:
            self._will_flush = True
            asyncio.get_running_loop().call_later(FLUSH_SECONDS, self.flush)

    def write(self, line: str) -> None:
        """Write a line at once, after those that wait; any thread may call this."""
        self._lines.append(with_time(line))
        self.flush()

    def flush(self) -> None:
        """Write the lines that wait."""
        with self._lock:
            self._will_flush = False
            lines = [self._lines.popleft() for _ in range(len(self._lines))]
            file = self._file or sys.stderr
            with suppress(OSError):  # there is no other place to report this, and requests go on without a log
                for part in _split_lines(lines):
                    file.write(part)
                    file.flush()


def _split_lines(lines: list[str]) -> Iterator[str]:
    """Yield lines joined to texts of at most `ATOMIC_BYTES`; a line that is longer is a text by itself."""
    part: list[str] = []
    n_bytes = 0
    for line in lines:
        n_line_bytes = len(line) if line.isascii() else 4 * len(line)  # at most 4 bytes for a character
        if part and n_bytes + n_line_bytes > ATOMIC_BYTES:
            yield "".join(part)
            part, n_bytes = [], 0
        part.append(line)
        n_bytes += n_line_bytes
    if part:
        yield "".join(part)


def with_time(line: str) -> str:
    """Return a log line that begins with the current time in UTC, to the millisecond."""
    milliseconds = time.time_ns() // 1_000_000
    return f"{_format_second(milliseconds // 1000)}.{milliseconds % 1000:03}Z {line}\n"


@lru_cache(2)
def _format_second(seconds: int) -> str:
    """Return a time in seconds since 1970 as text; many log lines have the same second, so results are cached."""
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
        min_probability: float | None = None,
        metrics: Metrics | None = None,
    ) -> None:
        self.limits = limits or Limits()
        self.metrics = metrics or Metrics()
        self.feedback = None if feedback is None else Feedback(feedback)
        self.holder = ModelHolder(path, self.metrics.count_predictions)
        self._min_probability = min_probability
        Abstention.of(self.holder.model.model, min_probability, None)  # raises `InputError` if the model can't abstain
        self.paths: Set[str] = frozenset()  # the paths of all routes, once these are added
        self.unlogged_paths: Set[str] = frozenset()  # those whose successful requests have no line in the log
        self._n_threads = n_threads(n_jobs)
        self._log, self._logs_requests = log, logs_requests
        self._workers: PredictionWorkers | None = None

    @property
    def workers(self) -> PredictionWorkers:
        """Return the worker threads; they belong to the event loop in which they are first used."""
        if self._workers is None:
            self._workers = PredictionWorkers(self.limits, self._n_threads)
        return self._workers

    def share_waiting(self) -> None:
        """Tell other worker processes, if there are any, how many requests wait in this one."""
        self.metrics.share_waiting(0 if self._workers is None else self._workers.n_waiting)

    def min_probability_for(self, model: Model) -> float | None:
        """Return the least probability of a label, or None if the service has none or the model can't abstain.

        `__init__` checks that the first model can abstain. A model that replaces it later is not checked.
        """
        can_abstain = not model.multilabel and (model.calibration is not None or self._min_probability == 0)
        return self._min_probability if can_abstain else None

    def close(self) -> None:
        """End the threads and write the waiting log lines."""
        if self._workers is not None:
            self._workers.close()
            self._workers = None
        if self._log is not None:
            self._log.flush()

    def reload(self) -> None:
        """Load the model file again; if it can't be read, log the reason and keep the current model."""
        try:
            is_other_model = self.holder.reload()
        except Exception as problem:
            self.metrics.count_reload("failed")
            self.log(f"Reload failed, the current model stays in use: {problem}")
        else:
            self.metrics.count_reload("loaded" if is_other_model else "same")
            served = self.holder.model
            self.log(f"{'Loaded' if is_other_model else 'Unchanged:'} {served.name} ({served.id})")

    # -- log -----------------------------------------------------------------------------------------------------

    def log(self, line: str) -> None:
        """Write a line to the log, if there is one."""
        if self._log is not None:
            self._log.write(line)

    def log_ending(self, number: int) -> None:
        """Log that a signal ends the service."""
        self.log(f"{signal.Signals(number).name}: ending, after the open requests")

    def log_exception(self, problem: BaseException) -> None:
        """Log the type of an exception and where it was raised, the innermost call first.

        Its message is not logged, because it may contain part of a document.
        """
        frames = traceback.extract_tb(problem.__traceback__)
        calls = [f"{frame.name} ({os.path.basename(frame.filename)}:{frame.lineno})" for frame in reversed(frames)]
        self.log(f"Internal error: {type(problem).__name__} in {' < '.join(calls)}")

    def record_request(self, scope: Scope, status: int, seconds: float) -> None:
        """Add a request to the metrics and the log: its route, but never its text."""
        path = scope["path"] if scope["path"] in self.paths else "other"
        self.metrics.count_request(path, status, seconds)
        if self._log is not None and self._logs_requests and (path not in self.unlogged_paths or status >= 400):
            client = (scope.get("client") or ["-"])[0]
            documents = f" {counted(scope[DOCUMENTS], 'document')}" if DOCUMENTS in scope else ""
            self._log.write_later(f"{client} {scope['method']} {path} {status}{documents} {1000 * seconds:.1f} ms")

    # -- requests ------------------------------------------------------------------------------------------------

    def check_lengths(self, field: Literal["text", "texts"], texts: list[str]) -> None:
        """Raise `ApiError` if a document is too long; `field` is the field of the request that has the texts.

        The schema of the request limits the number of documents.
        """
        for number, text in enumerate(texts):
            if len(text) > self.limits.length:
                size = f"{len(text):,} characters; at most {self.limits.length:,} are allowed"
                problem = f"Document {number} (counting from 0) has {size}."
                place = "text" if field == "text" else f"texts.{number}"
                raise ApiError("too_long", problem, setting=field, place=place)

    def correct(self, request: FeedbackRequest, is_wanted: IsWanted) -> None:
        """Write the right label or labels of a text to the feedback file; the label is null if no class is right.

        A withdrawal is a line with `"withdrawn": true` and null for the label.

        Raise `ApiError` for an invalid correction, or if the file can't be written. Raise `Abandoned` if `is_wanted`
        says that the client stopped waiting before the file could be locked.
        """
        assert self.feedback is not None
        served = self.holder.model
        multilabel = served.model.multilabel
        right_labels = _right_labels(request, served.model)
        text = request.text
        (predicted,) = served.model.label_sets(served.model.predict([text]).labels)
        record: dict[str, Any] = (
            {"labels": right_labels, "predicted": predicted}
            if multilabel
            else {"label": next(iter(right_labels), None), "predicted": predicted[0]}
        )
        if request.withdraw:
            record |= {"labels" if multilabel else "label": None, "withdrawn": True}
        try:
            self.feedback.write({"text": text, **record, "model": served.id}, is_wanted)
        except OSError as problem:
            self.log(f"A correction could not be written: {problem}")
            message = "The correction could not be written."
            raise ApiError("not_written", message, hint="Try again later.") from problem
        if not request.withdraw:
            self.metrics.count_correction()


def _right_labels(request: FeedbackRequest, model: Model) -> list[Label]:
    """Return the classes that a correction names, or [] if none is right; raise `ApiError` for an invalid correction.

    For a multilabel model, the correction must have `labels` and not `label`, otherwise `label` and not `labels`. A
    `label` may be null, but must not be left out. A withdrawal has neither.
    """
    if request.withdraw:
        field, expected = "withdraw", '"withdraw": true without a label: it withdraws all corrections of the text'
        is_valid = not {"label", "labels"} & request.model_fields_set
    elif model.multilabel:
        field = "labels"
        expected = '"labels", a list: a document of this model may have any number of labels'
        is_valid = request.labels is not None and request.label is None
    else:
        field = "label"
        expected = '"label": a document of this model has one label, or null if none of the classes is right'
        is_valid = "label" in request.model_fields_set and request.labels is None
    if not is_valid:
        raise ApiError("invalid", f"Send the correction as {expected}.", setting=field)
    if not request.text.strip():
        problem = "text: The text of a correction must not be empty."
        raise ApiError("invalid", problem, setting="text", value=request.text)
    given_labels = (request.labels or []) if request.label is None else [request.label]
    return [find_class(model, label, field) for label in given_labels]
