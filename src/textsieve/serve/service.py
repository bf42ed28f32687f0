"""A model and what is around it while it is served: limits, threads, counts, feedback, and the log."""

from __future__ import annotations

import os
import traceback
from collections.abc import Set

from starlette.types import Scope

from ..prediction import Label
from ..settings import n_threads
from .answers import class_named
from .feedback import Feedback
from .guard import DOCUMENTS
from .lanes import Lanes, Wanted
from .limits import Limits
from .loaded import Current
from .log import Log
from .metrics import Metrics
from .refusals import Refused


class Service:
    """A model and what is around it while it is served."""

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
        self.current = Current(path, self.metrics.predicted)
        self.paths: Set[str] = frozenset()  # those that there are, once there are routes
        self._n_threads = n_threads(n_jobs)
        self._log, self._logs_requests = log, logs_requests
        self._lanes: Lanes | None = None

    @property
    def lanes(self) -> Lanes:
        """The threads; they belong to the loop that first asks for them."""
        if self._lanes is None:
            self._lanes = Lanes(self.limits, self._n_threads)
        return self._lanes

    def close(self) -> None:
        """End the threads, and write what is to be logged."""
        if self._lanes is not None:
            self._lanes.close()
            self._lanes = None
        if self._log is not None:
            self._log.flush()

    def reload(self) -> None:
        """Look for a newer model; what is wrong with it is said, and the old one stays."""
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
        """Write to the log, if there is one."""
        if self._log is not None:
            self._log.now(line)

    def went_wrong(self, problem: Exception) -> None:
        """Write to the log where in the code it was, but not what it said: that may be a part of a document."""
        places = traceback.extract_tb(problem.__traceback__)
        path = " < ".join(f"{place.name} ({os.path.basename(place.filename)}:{place.lineno})" for place in places[::-1])
        self.say(f"Wrong: {type(problem).__name__} in {path}")

    def note(self, scope: Scope, status: int, seconds: float) -> None:
        """Note a request: by its route, never by its text."""
        path = scope["path"] if scope["path"] in self.paths else "other"
        self.metrics.request(path, status, seconds)
        if self._log is not None and self._logs_requests:
            client = (scope.get("client") or ["-"])[0]
            documents = f" {scope[DOCUMENTS]} documents" if DOCUMENTS in scope else ""
            self._log.soon(f"{client} {scope['method']} {path} {status}{documents} {1000 * seconds:.1f} ms")

    # -- what is asked -------------------------------------------------------------------------------------------

    def check(self, texts: list[str]) -> None:
        """Refuse documents that are too long; too many there can't be."""
        for number, text in enumerate(texts):
            if len(text) > self.limits.length:
                about = f"Document {number} (from 0) has {len(text):,} characters; {self.limits.length:,} are allowed."
                raise Refused("too_long", about)

    # -- corrections ---------------------------------------------------------------------------------------------

    def correct(self, text: str, label: Label | None, labels: list[Label] | None, is_wanted: Wanted) -> None:
        """Write the right label or labels of a text to the file of corrections, while the client waits for it."""
        assert self.feedback is not None
        loaded = self.current.now
        one = loaded.model.labels == "one"
        if (label is None) == one or (labels is None) != one:
            how = '"label": ..., because a document has one' if one else '"labels": [...], because it may have several'
            raise Refused("invalid", f"Say what is right by {how}.")
        if not text.strip():
            raise Refused("invalid", "text: a correction of nothing; there must be something in it to learn from.")
        given = [label] if label is not None else labels or []
        right = [class_named(loaded.model, each) for each in given]
        (predicted,) = loaded.model.label_sets(loaded.model.predict([text]).labels)
        found = {"label": right[0], "predicted": predicted[0]} if one else {"labels": right, "predicted": predicted}
        try:
            self.feedback.write({"text": text, **found, "model": loaded.id}, is_wanted)
        except OSError as problem:
            self.say(f"A correction could not be written: {problem}")
            raise Refused("not_written", "The correction could not be written; try again later.") from problem
        self.metrics.corrected()
