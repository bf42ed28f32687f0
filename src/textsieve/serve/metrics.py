"""What Prometheus is told: requests, how long they took, what was predicted, and which model it was."""

from __future__ import annotations

from collections import Counter as Tally
from functools import cache
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest

from ..prediction import Model, Predictions, as_written

BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Metrics:
    """Counts, in a registry of its own."""

    def __init__(self) -> None:
        self._registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        asked = ["path", "status"]
        self._requests = Counter("textsieve_requests", "Requests, by route and status.", asked, registry=registry)
        about = "Seconds from a request's head to its answer, by route."
        self._seconds = Histogram("textsieve_request_seconds", about, ["path"], buckets=BUCKETS, registry=registry)
        self._documents = Counter("textsieve_documents", "Documents that were predicted.", registry=registry)
        about = "Documents without a known term."
        self._unknown = Counter("textsieve_documents_unknown", about, registry=registry)
        about = "Labels that were predicted."
        self._labels = Counter("textsieve_predicted", about, ["label"], registry=registry)
        self._feedback = Counter("textsieve_corrections", "Corrections that were written.", registry=registry)
        about = "Looks at the model file: another model, the same, or one that can't be read."
        self._reloads = Counter("textsieve_reloads", about, ["outcome"], registry=registry)
        self._waiting = Gauge("textsieve_requests_waiting", "Requests that wait for a thread.", registry=registry)
        self._model = Gauge("textsieve_model_info", "The model that is used, as 1.", ["name", "id"], registry=registry)
        self._seconds_of, self._requests_of = cache(self._seconds.labels), cache(self._requests.labels)

    def request(self, path: str, status: int, seconds: float) -> None:
        """Note an answer."""
        self._requests_of(path, str(status)).inc()
        self._seconds_of(path).observe(seconds)

    def predicted(self, model: Model, found: Predictions) -> None:
        """Note predictions."""
        self._documents.inc(len(found.scores))
        if found.n_unknown:
            self._unknown.inc(found.n_unknown)
        tally = Tally(label for labels in model.label_sets(found.labels) for label in labels)
        for label, times in tally.items():
            self._labels.labels(as_written(label)).inc(times)

    def corrected(self) -> None:
        """Note a correction."""
        self._feedback.inc()

    def reloaded(self, outcome: str) -> None:
        """Note a look at the model file."""
        self._reloads.labels(outcome).inc()

    def text(self, name: str, model_id: str, waiting: int) -> bytes:
        """All of it, as Prometheus reads it."""
        self._waiting.set(waiting)
        self._model.clear()
        self._model.labels(name, model_id).set(1)
        found: Any = generate_latest(self._registry)
        return bytes(found)
