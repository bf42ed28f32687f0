"""What Prometheus is told: requests, how long they took, what was predicted, and which model it was."""

from __future__ import annotations

from collections import Counter as Tally
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, ProcessCollector, generate_latest

from ..prediction import Model, Predictions, as_written
from .tallies import Tallies

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Metrics:
    """Counts, in a registry of its own."""

    def __init__(self) -> None:
        self._registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        tallies = Tallies()
        registry.register(tallies)
        self.request = tallies.add
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
