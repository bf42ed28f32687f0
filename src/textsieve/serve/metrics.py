"""Metrics for Prometheus: requests, their durations, predictions, and the model in use.

With several worker processes, each counts in files of its own that the others can read (the multiprocess mode of the
Prometheus client). So every worker can show the totals of all. This takes 3 us more for a request than counting in
memory. A single process uses no files.
"""

from __future__ import annotations

import collections
import mmap
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import compress
from typing import Any, Literal, get_args

from prometheus_client import CollectorRegistry, Counter, Histogram, Metric, ProcessCollector, generate_latest, values
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.mmap_dict import MmapedDict
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from ..prediction import Abstention, Label, Model, Predictions, as_written

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Upper bounds of the histogram buckets, in seconds."""
DocumentPath = Literal["/v1/predict", "/v1/explain"]
"""Routes that predict documents.

They are counted apart: the page explains a text again after each pause in typing, and a document of a file when
somebody opens it, after `/v1/predict` has counted it.
"""


ReloadOutcome = Literal["loaded", "same", "failed"]
"""Outcomes of reading the model file again: another model, the model in use, or an error."""


class SharedValues:
    """Values that the parent and all worker processes of a service see; create it before the first fork.

    Each process has a number: 0 is the parent, and workers count from 1. A worker that replaces another one has the
    number of that one.

    The counters and histograms of each process are in files in `folder`, which the Prometheus client writes. A worker
    that replaces another one continues with its files, so no total ever falls.

    In shared memory are, by the number of the process, its process id (`pids`), how many requests wait in it
    (`n_waiting`) and how many connections it has (`n_connections`), and the processor time of all workers that have
    ended (`ended_microseconds`).
    """

    def __init__(self, folder: str, n_workers: int) -> None:
        self.folder, self.number = folder, 0
        self.pids, self.n_waiting = _shared_integers(n_workers + 1), _shared_integers(n_workers + 1)
        self.n_connections, self.ended_microseconds = _shared_integers(n_workers + 1), _shared_integers(1)
        self.use_number(0)
        # The Prometheus client creates a file empty, and a worker that reads it at this moment would fail. So all files
        # are created here.
        create_file: Any = MmapedDict
        for number in range(n_workers + 1):
            for path in self.files_of(number):
                create_file(path).close()
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = folder  # the Prometheus client has no other setting for the folder
        multi_process_value: Any = values.MultiProcessValue
        values.ValueClass = multi_process_value(lambda: self.number)

    def files_of(self, number: int) -> list[str]:
        """Return the paths of the files of the process with a number, as the Prometheus client names them."""
        return [os.path.join(self.folder, f"{kind}_{number}.db") for kind in ("counter", "histogram")]

    def use_number(self, number: int) -> None:
        """Give this process a number."""
        self.number = number
        self.pids[number], self.n_waiting[number], self.n_connections[number] = os.getpid(), 0, 0

    def share_connections(self, n: int) -> None:
        """Tell the other workers how many connections this one has."""
        self.n_connections[self.number] = n

    def fewest_connections(self) -> int | None:
        """Return the smallest number of connections of another worker, or None if no other worker runs."""
        others = (number for number, pid in enumerate(self.pids) if pid and number not in (0, self.number))
        return min((self.n_connections[number] for number in others), default=None)


def _shared_integers(n: int) -> memoryview:
    """Return `n` integers in memory that this process shares with the processes that it forks."""
    return memoryview(mmap.mmap(-1, 8 * n)).cast("q")


class _AllProcesses(Collector):
    """Collects the sums of what `ProcessCollector` collects for each process, and the earliest start.

    The sum of processor times includes workers that have ended, so that this counter never falls.
    """

    def __init__(self, pids: memoryview, ended_microseconds: memoryview) -> None:
        self._pids, self._pid = pids, 0
        self._ended_microseconds = ended_microseconds
        self._collector = ProcessCollector(pid=lambda: self._pid, registry=None)

    def collect(self) -> Iterable[Metric]:
        """Return the metrics of all processes."""
        totals: dict[str, Metric] = {}
        for pid in self._pids.tolist():
            if not pid:  # this worker has ended and is not replaced yet
                continue
            self._pid = pid
            for metric in self._collector.collect():
                total = totals.get(metric.name)
                if total is None:
                    totals[metric.name] = metric
                elif metric.name == "process_start_time_seconds":
                    _set_value(total, min(_value_of(total), _value_of(metric)))
                else:
                    _set_value(total, _value_of(total) + _value_of(metric))
        cpu = totals.get("process_cpu_seconds")
        if cpu is not None:  # there are no such metrics outside of Linux
            _set_value(cpu, _value_of(cpu) + self._ended_microseconds[0] / 1e6)
        return totals.values()


def _value_of(metric: Metric) -> float:
    """Return the value of a metric that has a single one."""
    return float(metric.samples[0].value)


def _set_value(metric: Metric, value: float) -> None:
    """Set the value of a metric that has a single one."""
    metric.samples = [metric.samples[0]._replace(value=value)]


class _CurrentState(Collector):
    """Collects the number of waiting requests and the model in use."""

    n_waiting = 0
    model: tuple[str, str] | None = None

    def collect(self) -> Iterable[Metric]:
        """Return the metrics of the requests and of the model."""
        yield GaugeMetricFamily("textsieve_requests_waiting", "Requests without a response.", self.n_waiting)
        model_info = GaugeMetricFamily("textsieve_model_info", "The model in use; always 1.", labels=["name", "id"])
        if self.model is not None:
            model_info.add_metric(self.model, 1)
        yield model_info


@contextmanager
def open_metrics(n_workers: int) -> Iterator[Metrics]:
    """Yield the metrics of a service; with several worker processes, their files are removed at the end."""
    if n_workers == 1:
        yield Metrics()
        return
    variable, value_class = "PROMETHEUS_MULTIPROC_DIR", values.ValueClass
    previous = os.environ.get(variable)
    try:
        with tempfile.TemporaryDirectory(prefix="textsieve-metrics-", ignore_cleanup_errors=True) as folder:
            yield Metrics(SharedValues(folder, n_workers))
    finally:  # later metrics of this process must not use the folder
        values.ValueClass = value_class
        os.environ.pop(variable, None)
        if previous is not None:
            os.environ[variable] = previous


class Metrics:
    """The metrics of a service, in a registry of its own; with `shared` values, those of all its processes."""

    def __init__(self, shared: SharedValues | None = None) -> None:
        self.shared = shared
        self._output = CollectorRegistry()  # what `text` returns
        if shared is None:
            registry = self._output
            ProcessCollector(registry=registry)
        else:
            registry = CollectorRegistry()  # has the values of this process only, so it is not part of the output
            self._output.register(_AllProcesses(shared.pids, shared.ended_microseconds))
            multi_process_collector: Any = MultiProcessCollector
            multi_process_collector(self._output, shared.folder)
        help_text = "Requests, by route and status."
        self._requests = Counter("textsieve_requests", help_text, ["path", "status"], registry=registry)
        help_text = "Seconds from the head of a request to its response, by route."
        self._seconds = Histogram("textsieve_request_seconds", help_text, ["path"], buckets=BUCKETS, registry=registry)
        # The functions that count a request and its seconds, by path and status.
        self._count_functions: dict[tuple[str, int], tuple[Callable[[], None], Callable[[float], None]]] = {}

        def document_counters(name: str, help_text: str) -> dict[str, Counter]:
            counter = Counter(name, help_text, ["path"], registry=registry)
            return {path: counter.labels(path) for path in get_args(DocumentPath)}  # shown before the first document

        self._documents = document_counters("textsieve_documents", "Predicted documents, by route.")
        help_text = "Predicted documents without a known term, by route."
        self._unknown = document_counters("textsieve_documents_unknown", help_text)
        help_text = "Predicted documents without a label, because the model was not sure, by route."
        self._abstained = document_counters("textsieve_documents_abstained", help_text)
        help_text = "Predicted labels, by route."
        self._labels = Counter("textsieve_predicted", help_text, ["path", "label"], registry=registry)
        self._corrections = Counter("textsieve_corrections", "Corrections written to the file.", registry=registry)
        help_text = "Reloads of the model file, by outcome: loaded (another model), same or failed."
        reloads = Counter("textsieve_reloads", help_text, ["outcome"], registry=registry)
        # All outcomes are shown from the start, so that an alert notices the first failure.
        self._reloads = {outcome: reloads.labels(outcome) for outcome in get_args(ReloadOutcome)}
        help_text = "Worker processes that ended unexpectedly and were replaced."
        self._replaced_workers = Counter("textsieve_workers_replaced", help_text, registry=registry)
        self._state = _CurrentState()
        self._output.register(self._state)

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

    def count_predictions(self, model: Model, predictions: Predictions, min_probability: float | None = None) -> None:
        """Count predicted documents and labels.

        A document has no label if the model is less sure of it than `min_probability`, or if it is unknown and there is
        a minimum.
        """
        label_sets, n_abstained = model.label_sets(predictions.labels), 0
        if (abstention := Abstention.of(model, min_probability, None)) is not None:
            abstains = abstention.applies(model, predictions)
            n_abstained = int(abstains.sum())
            label_sets = list(compress(label_sets, (~abstains).tolist()))
        self._count_documents("/v1/predict", len(predictions.scores), predictions.n_unknown, n_abstained, label_sets)

    def count_explanation(self, labels: Sequence[Label], *, is_unknown: bool, abstains: bool) -> None:
        """Count a document whose prediction is explained, and its labels; it has none if the model abstains."""
        self._count_documents("/v1/explain", 1, int(is_unknown), int(abstains), [] if abstains else [labels])

    def _count_documents(
        self,
        path: DocumentPath,
        n_documents: int,
        n_unknown: int,
        n_abstained: int,
        label_sets: Iterable[Sequence[Label]],
    ) -> None:
        """Count documents of a route, and the labels of those for which the model does not abstain."""
        self._documents[path].inc(n_documents)
        if n_unknown:
            self._unknown[path].inc(n_unknown)
        if n_abstained:
            self._abstained[path].inc(n_abstained)
        label_counts = collections.Counter(label for labels in label_sets for label in labels)
        for label, count in label_counts.items():
            self._labels.labels(path, as_written(label)).inc(count)

    def count_correction(self) -> None:
        """Count a correction."""
        self._corrections.inc()

    def count_reload(self, outcome: ReloadOutcome) -> None:
        """Count a reload of the model file, by its outcome."""
        self._reloads[outcome].inc()

    def text(self, model_name: str, model_id: str, n_waiting: int) -> bytes:
        """Return all metrics in the text format of Prometheus."""
        self.share_waiting(n_waiting)
        self._state.n_waiting = n_waiting if self.shared is None else sum(self.shared.n_waiting)
        self._state.model = model_name, model_id
        text: Any = generate_latest(self._output)
        return bytes(text)

    # -- several worker processes --------------------------------------------------------------------------------

    def use_worker(self, number: int) -> None:
        """Give this worker process its number, from 1, so that it counts in its own files."""
        assert self.shared is not None
        self.shared.use_number(number)

    def share_waiting(self, n_waiting: int) -> None:
        """Tell the other processes, if there are any, how many requests wait in this one."""
        if self.shared is not None:
            self.shared.n_waiting[self.shared.number] = n_waiting

    def add_ended_worker(self, number: int, cpu_seconds: float) -> None:
        """Keep the processor time of a worker that has ended."""
        assert self.shared is not None
        self.shared.pids[number] = 0
        self.shared.ended_microseconds[0] += round(cpu_seconds * 1e6)

    def count_replaced_worker(self) -> None:
        """Count a worker that replaces another one; only the parent does this."""
        self._replaced_workers.inc()

    def remove_files(self) -> None:
        """Remove the files of this worker, and the folder if no other worker has files in it.

        A worker does this if its parent, which otherwise removes the folder, was killed. Other workers may still need
        their files.
        """
        assert self.shared is not None
        with suppress(FileNotFoundError):  # somebody else may have removed the folder
            for path in self.shared.files_of(self.shared.number):
                os.unlink(path)
            files_of_parent = set(self.shared.files_of(0))
            files_of_workers = {entry.path for entry in os.scandir(self.shared.folder)} - files_of_parent
            if not files_of_workers:
                shutil.rmtree(self.shared.folder, ignore_errors=True)
