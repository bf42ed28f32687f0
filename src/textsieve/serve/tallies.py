"""Requests, counted by hand: two additions and a look into a short list for each, and Prometheus's classes only when
it asks. Its own counters take a lock for every number, which costs a tenth of a small request.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Upper ends, in seconds."""
NAMES = [*map(str, BUCKETS), "+Inf"]


class Tallies(Collector):
    """Counts requests by route and status, and their seconds by route; only one thread may add to it."""

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
        """What was counted, for Prometheus."""
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
    """Up to each end, all that is below it."""
    so_far, found = 0, []
    for name, count in zip(NAMES, counts, strict=True):
        so_far += count
        found.append((name, float(so_far)))
    return found
