"""Metrics for Prometheus: requests, durations, predictions, and the model in use."""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest

from ..prediction import Model, Predictions, as_written

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Upper bounds of the histogram buckets, in seconds."""


class Metrics:
    """The metrics of a service, in a registry of its own."""

    def __init__(self) -> None:
        self._registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        help_text = "Requests, by route and status."
        self._requests = Counter("textsieve_requests", help_text, ["path", "status"], registry=registry)
        help_text = "Seconds from the head of a request to its response, by route."
        self._seconds = Histogram("textsieve_request_seconds", help_text, ["path"], buckets=BUCKETS, registry=registry)
        # The functions that count a request and its seconds, by path and status.
        self._count_functions: dict[tuple[str, int], tuple[Callable[[], None], Callable[[float], None]]] = {}
        self._documents = Counter("textsieve_documents", "Predicted documents.", registry=registry)
        help_text = "Predicted documents without a known term."
        self._unknown = Counter("textsieve_documents_unknown", help_text, registry=registry)
        self._labels = Counter("textsieve_predicted", "Predicted labels.", ["label"], registry=registry)
        self._corrections = Counter("textsieve_corrections", "Corrections written to the file.", registry=registry)
        help_text = "Reloads of the model file, by outcome: loaded (another model), same or failed."
        self._reloads = Counter("textsieve_reloads", help_text, ["outcome"], registry=registry)
        self._waiting = Gauge("textsieve_requests_waiting", "Requests without a response.", registry=registry)
        self._model = Gauge("textsieve_model_info", "The model in use; always 1.", ["name", "id"], registry=registry)

    def count_request(self, path: str, status: int, seconds: float) -> None:
        """Count a request and its duration.

        The counters of each path and status are looked up once, because `labels` takes longer than counting.
        """
        functions = self._count_functions.get((path, status))
        if functions is None:
            functions = self._requests.labels(path, str(status)).inc, self._seconds.labels(path).observe
            self._count_functions[path, status] = functions
        increment, observe = functions
        increment()
        observe(seconds)

    def count_predictions(self, model: Model, predictions: Predictions) -> None:
        """Count predicted documents and labels."""
        self._documents.inc(len(predictions.scores))
        if predictions.n_unknown:
            self._unknown.inc(predictions.n_unknown)
        label_counts = collections.Counter(label for labels in model.label_sets(predictions.labels) for label in labels)
        for label, count in label_counts.items():
            self._labels.labels(as_written(label)).inc(count)

    def count_correction(self) -> None:
        """Count a correction."""
        self._corrections.inc()

    def count_reload(self, outcome: str) -> None:
        """Count a reload of the model file, by its outcome."""
        self._reloads.labels(outcome).inc()

    def text(self, model_name: str, model_id: str, n_waiting: int) -> bytes:
        """Return all metrics in the text format of Prometheus."""
        self._waiting.set(n_waiting)
        self._model.clear()
        self._model.labels(model_name, model_id).set(1)
        text: Any = generate_latest(self._registry)
        return bytes(text)
