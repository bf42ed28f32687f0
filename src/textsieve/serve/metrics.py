"""Metrics for Prometheus: requests, durations, predictions, and which model is served.

Requests are counted with plain additions, and the classes of the Prometheus client are used only when metrics are read:
its counters take a lock for each increment, which costs a tenth of a small request.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter as Tally
from collections.abc import Iterator
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from ..prediction import Model, Predictions, as_written

BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Upper bounds of the histogram buckets, in seconds."""
NAMES = [*map(str, BUCKETS), "+Inf"]


class Tallies(Collector):
    """Counts requests by route and status, and their durations by route; only one thread may add to it."""

    def __init__(self) -> None:
        self._requests: dict[tuple[str, int], int] = {}
        self._seconds: dict[str, list[int]] = {}
        self._sums: dict[str, float] = {}

    def add(self, path: str, status: int, seconds: float) -> None:
        """Count a request."""
        key = path, status
        self._requests[key] = self._requests.get(key, 0) + 1
        if path not in self._seconds:
            self._seconds[path], self._sums[path] = [0] * len(NAMES), 0.0
        self._seconds[path][bisect_left(BUCKETS, seconds)] += 1
        self._sums[path] += seconds

    def collect(self) -> Iterator[Metric]:
        """Yield the counts as Prometheus metrics."""
        requests = CounterMetricFamily(
            "textsieve_requests", "Requests, by route and status.", labels=["path", "status"]
        )
        for (path, status), times in list(self._requests.items()):
            requests.add_metric([path, str(status)], times)
        yield requests
        about = "Seconds from a request's head to its answer, by route."
        seconds = HistogramMetricFamily("textsieve_request_seconds", about, labels=["path"])
        for path, counts in list(self._seconds.items()):
            seconds.add_metric([path], _cumulated(counts), self._sums[path])
        yield seconds


def _cumulated(counts: list[int]) -> list[tuple[str, float]]:
    """Return the cumulative count of each histogram bucket, by the name of its upper bound."""
    so_far, cumulative = 0, []
    for name, count in zip(NAMES, counts, strict=True):
        so_far += count
        cumulative.append((name, float(so_far)))
    return cumulative


CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Metrics:
    """The metrics of a service, in a registry of its own."""

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
        """Count predictions."""
        self._documents.inc(len(found.scores))
        if found.n_unknown:
            self._unknown.inc(found.n_unknown)
        tally = Tally(label for labels in model.label_sets(found.labels) for label in labels)
        for label, times in tally.items():
            self._labels.labels(as_written(label)).inc(times)

    def corrected(self) -> None:
        """Count a correction."""
        self._feedback.inc()

    def reloaded(self, outcome: str) -> None:
        """Count a reload of the model file, by its outcome."""
        self._reloads.labels(outcome).inc()

    def text(self, name: str, model_id: str, waiting: int) -> bytes:
        """Return all metrics in the text format of Prometheus."""
        self._waiting.set(waiting)
        self._model.clear()
        self._model.labels(name, model_id).set(1)
        text: Any = generate_latest(self._registry)
        return bytes(text)
