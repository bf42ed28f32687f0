"""Measure `textsieve serve` under load: many clients, long batches beside them, model reloads, an hour's requests.

`python -m benchmarks.serve_load` starts the service with its defaults and its log in a file, and a bare uvicorn server
that returns "hello". The same clients use both in turns, so that other load on the machine affects both. Server and
clients share the processor cores. Every response is compared with the model's prediction, byte for byte.

A service with two worker processes (`--workers 2`) is measured in turns with one of a single process.

    python -m benchmarks.serve_load                  measure everything, and write SERVE.md
    python -m benchmarks.serve_load --scale 0.1      in a tenth of the time; print the page, but don't write it
    python -m benchmarks.serve_load --folder FOLDER  keep the outcome of each part, so that a run can be resumed
    python -m benchmarks.serve_load --part workers   measure a single part, one of PARTS
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cached_property, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tests.processes import Program
from tests.serve.expected import Request, get, mixed_requests, predict_request
from tests.serve.load_clients import Clients, MeasuredServer, measured_server, replacing_model, run_clients

from textsieve.modelfile import read
from textsieve.settings import n_threads

from .harness import seconds as written
from .serve_texts import LENGTH, LONG, N_LONG, N_TERMS, N_TEXTS, corpora, long_texts, short_texts, train
from .stored import StoredOutcomes

UVICORN = ("--loop", "uvloop", "--http", "httptools", "--no-access-log", "--host", "127.0.0.1", "--port", "0")
N_CLIENTS = 200
SECONDS, HELLO_SECONDS, RELOAD_SECONDS = 15.0, 5.0, 15.0
ROUNDS = 3
MAX_P99, MIN_RATIO = 0.25, 1 / 3
N_WORKERS = 2
WORKERS_SECONDS, WORKERS_ROUNDS = 5.0, 4
WORKERS_MAX_P99, WORKERS_MIN_RATIO = 0.05, 1.6
AN_HOUR = 360_000
"""Requests in an hour, at a hundred per second."""
HOUR_PARTS = 6
"""Parts of the hour; the memory is measured after each."""

Outcome = dict[str, Any]
Outcomes = dict[str, Any]
"""Outcomes by the name of their row in the table."""


@contextmanager
def hello_server() -> Iterator[MeasuredServer]:
    """Run a bare uvicorn server that returns hello."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "uvicorn", "benchmarks.serve_hello:app", *UVICORN]
        program = Program(command, os.environ, Path(folder) / "hello.log")
        try:
            yield MeasuredServer(program.pid, int(program.says(r"running on http://127\.0\.0\.1:(\d+)")))
        finally:
            program.stop()


def add_up(runs: Sequence[Outcome]) -> Outcome:
    """Return several runs as one: counts are added, and of each percentile the worst is kept."""
    counts = ("responses", "wrong", "lost", "seconds", "worked", "server")
    total = {name: sum(run[name] for run in runs) for name in counts}
    worst = {name: max(run[name] for run in runs) for name in ("p50", "p99", "p999")}
    first = next((run["first_wrong"] for run in runs if run["first_wrong"]), "")
    return {**total, **worst, "per_second": total["responses"] / total["seconds"], "first_wrong": first}


def throughput(server: MeasuredServer, requests: Sequence[Request], scale: float) -> tuple[Outcome, Outcome]:
    """Return the outcomes of the service and of the bare server, measured in turns."""
    ours, theirs = [], []
    hello: list[Request] = [(get("/"), 200, ["hello"])]
    with hello_server() as other:
        for _ in range(ROUNDS):
            theirs.append(run_clients(other, N_CLIENTS, scale * HELLO_SECONDS, hello))
            ours.append(run_clients(server, N_CLIENTS, scale * SECONDS, requests))
            theirs.append(run_clients(other, N_CLIENTS, scale * HELLO_SECONDS, hello))
    return add_up(ours), add_up(theirs)


def compare_workers(model: Path, requests: Sequence[Request], scale: float) -> tuple[Outcome, Outcome]:
    """Return the outcomes of a service with one worker and of one with `N_WORKERS`, measured in turns."""
    ones, several = [], []
    with measured_server(model) as one, measured_server(model, "--workers", str(N_WORKERS)) as other:
        for _ in range(WORKERS_ROUNDS):
            ones.append(run_clients(one, N_CLIENTS, scale * WORKERS_SECONDS, requests))
            several.append(run_clients(other, N_CLIENTS, scale * WORKERS_SECONDS, requests))
    return add_up(ones), add_up(several)


def with_batches(
    server: MeasuredServer, requests: Sequence[Request], batch: Request, scale: float
) -> tuple[Outcome, Outcome]:
    """Return the outcomes of short requests and of a client that sends long batches at the same time."""
    long = Clients(server, 1, scale * SECONDS, [batch])
    short = run_clients(server, N_CLIENTS, scale * SECONDS, requests)
    return short, long.outcome()


def with_reloads(
    server: MeasuredServer, model: Path, files: Sequence[Path], requests: Sequence[Request], scale: float
) -> tuple[Outcome, int]:
    """Return the outcome of requests while the model is replaced every second, and the number of replacements."""
    with replacing_model(server.pid, model, files) as count:
        outcome = run_clients(server, N_CLIENTS, scale * RELOAD_SECONDS, requests)
    return outcome, count[0]


def hour_of_requests(
    server: MeasuredServer, requests: Sequence[Request], scale: float
) -> tuple[Outcome, list[tuple[int, int]]]:
    """Return the outcome of an hour's requests, sent as fast as possible, and the memory after each part."""
    run_clients(server, N_CLIENTS, max(1.0, 5 * scale), requests)
    memory, n_responses = [(0, server.memory)], 0
    runs: list[Outcome] = []
    while n_responses < scale * AN_HOUR:
        begin, pace = n_responses, runs[-1]["per_second"] if runs else 1_000.0
        runs.append(run_clients(server, N_CLIENTS, max(1.0, scale * AN_HOUR / HOUR_PARTS / pace), requests))
        n_responses = begin + runs[-1]["responses"]
        memory.append((n_responses, server.memory))
    return add_up(runs), memory


# -- the page --------------------------------------------------------------------------------------------------------


def table(rows: Sequence[tuple[str, Outcome]]) -> str:
    """Return a Markdown table of outcomes."""
    heads = "responses | wrong | lost | per second | p50 | p99 | p99.9 | server time per request | client time"
    lines = [f"| | {heads} |", "|---|" + "---:|" * 9]
    for name, run in rows:
        times = " | ".join(written(run[percentile]) for percentile in ("p50", "p99", "p999"))
        work = f"{written(run['server'] / run['responses'])} | {written(run['worked'] / run['responses'])}"
        counts = f"{run['responses']:,} | {run['wrong']:,} | {run['lost']:,} | {run['per_second']:,.0f}"
        lines.append(f"| {name} | {counts} | {times} | {work} |")
    return "\n".join(lines)


def verdict(is_met: bool) -> str:
    """Return whether an aim was met, as text."""
    return "met" if is_met else "**missed**"


def aims_table(rows: Sequence[tuple[str, str, bool]]) -> str:
    """Return a Markdown table of aims, results, and whether they are met."""
    lines = [f"| {aim} | {result} | {verdict(is_met)} |" for aim, result, is_met in rows]
    return "\n".join(["| aim | result | |", "|---|---:|---|", *lines])


def aims(ours: Outcome, theirs: Outcome, others: Sequence[Outcome]) -> str:
    """Return a Markdown table of the aims and results."""
    wrong, lost = (sum(run[name] for run in (ours, *others)) for name in ("wrong", "lost"))
    ratio = ours["per_second"] / theirs["per_second"]
    work = theirs["server"] / theirs["responses"] / (ours["server"] / ours["responses"])
    rows = [
        ("no wrong response and no lost request, in all runs", f"{wrong:,} and {lost:,}", wrong == lost == 0),
        (f"p99 under {written(MAX_P99)}", written(ours["p99"]), ours["p99"] < MAX_P99),
        ("at least a third of the responses per second of the bare server", f"{ratio:.2f}", ratio >= MIN_RATIO),
        ("at least a third by processor time of the servers", f"{work:.2f}", work >= MIN_RATIO),
    ]
    return aims_table(rows)


def workers_part(one: Outcome, several: Outcome, scale: float) -> str:
    """Return the part of the page that compares a service with one worker and one with `N_WORKERS`."""
    ratio = several["per_second"] / one["per_second"]
    wrong, lost = (one[name] + several[name] for name in ("wrong", "lost"))
    rows = [
        ("no wrong response and no lost request", f"{wrong:,} and {lost:,}", wrong == lost == 0),
        (f"p99 under {written(WORKERS_MAX_P99)}", written(several["p99"]), several["p99"] < WORKERS_MAX_P99),
        (
            f"at least {WORKERS_MIN_RATIO:g} times the responses per second of one worker",
            f"{ratio:.2f}",
            ratio >= WORKERS_MIN_RATIO,
        ),
    ]
    bound = n_threads(-1) / ((several["server"] + several["worked"]) / several["responses"])
    bound_by_one = n_threads(-1) * one["server"] / (one["server"] + one["worked"])
    return "\n\n".join(
        [
            f"## {N_WORKERS} workers",
            f"The same requests to a service with `--workers {N_WORKERS}` and to one with a single process, in turns: "
            f"{WORKERS_ROUNDS} runs of {scale * WORKERS_SECONDS:g} s for each, with {N_CLIENTS} clients.",
            aims_table(rows),
            table([("1 worker", one), (f"{N_WORKERS} workers", several)]),
            f"The clients share the {n_threads(-1)} cores with the workers. With the processor time of a request in "
            f"the last row, server and client together, all cores can do at most {bound:,.0f} requests per second: "
            f"{bound / one['per_second']:.2f} times those of one worker. If a request took several workers the time "
            f"that it takes one, and one worker used a whole core, the bound would be {bound_by_one:.2f} times.",
        ]
    )


def hour_table(memory: Sequence[tuple[int, int]]) -> str:
    """Return a Markdown table of the memory by the number of responses so far."""
    lines = ["| responses | memory |", "|---:|---:|"]
    return "\n".join([*lines, *(f"| {n_responses:,} | {n_bytes / 2**20:.1f} MiB |" for n_responses, n_bytes in memory)])


def machine_load(load: float) -> str:
    """Return a sentence on the machine and its load."""
    others = "" if load <= 1 else " **Other programs used the machine**, so the times are long."
    return (
        f"{n_threads(-1)} cores, shared by the server and the clients; the load average of the minute before was "
        f"{load:.1f}.{others}"
    )


class LoadTest:
    """The parts of the load test, with their models and requests, which are made when they are first needed."""

    def __init__(self, folder: Path, scale: float) -> None:
        self._folder, self._scale = folder, scale
        self.trained, self.tested = corpora()

    @cached_property
    def files(self) -> list[Path]:
        """Return the files of two models."""
        files = [self._folder / "one.sieve", self._folder / "other.sieve"]
        for file, selector in zip(files, ("forward", "chi"), strict=True):
            train(self.trained, file, selector)
        return files

    @cached_property
    def texts(self) -> list[str]:
        """Return the texts of the requests."""
        return short_texts(self.tested)

    def requests(self, *files: Path) -> list[Request]:
        """Return a request for each text, with the responses of the models of some files."""
        models = list(map(read, files))
        return [predict_request([text], *models) for text in self.texts]

    @property
    def current(self) -> Path:
        """Return a copy of the first model, which may be replaced."""
        return Path(shutil.copyfile(self.files[0], self._folder / "current.sieve"))

    def throughput(self) -> Outcomes:
        """Return the outcomes of the service and of the bare server."""
        with measured_server(self.files[0]) as server:
            ours, theirs = throughput(server, self.requests(self.files[0]), self._scale)
        return {"textsieve serve": ours, "bare server": theirs}

    def batches(self) -> Outcomes:
        """Return the outcomes of short requests beside long batches, and of these batches."""
        batch = predict_request(long_texts(self.tested), read(self.files[0]))
        with measured_server(self.files[0]) as server:
            short, long = with_batches(server, self.requests(self.files[0]), batch, self._scale)
        return {"with batches": short, "the batches": long}

    def reloads(self) -> Outcomes:
        """Return the outcome of requests while the model is replaced."""
        current, requests = self.current, self.requests(*self.files)
        with measured_server(current) as server:
            outcome, count = with_reloads(server, current, self.files, requests, self._scale)
        return {f"{count} reloads": outcome}

    def hour(self) -> dict[str, Any]:
        """Return the outcome of an hour's requests, and the memory meanwhile."""
        with measured_server(self.files[0]) as server:
            outcome, memory = hour_of_requests(server, mixed_requests(self.files[0], self.texts), self._scale)
        return {"an hour's requests": outcome, "memory": memory}

    def workers(self) -> Outcomes:
        """Return the outcomes of services with one worker and with several."""
        one, several = compare_workers(self.files[0], self.requests(self.files[0]), self._scale)
        return {"one": one, "several": several}


PARTS: dict[str, Callable[[LoadTest], dict[str, Any]]] = {
    "throughput": LoadTest.throughput,
    "batches": LoadTest.batches,
    "reloads": LoadTest.reloads,
    "hour": LoadTest.hour,
    "workers": LoadTest.workers,
}
"""The parts of the load test."""


def page(test: LoadTest, outcomes: Mapping[str, dict[str, Any]], load: float, scale: float) -> str:
    """Return the page of results, given the outcomes of all parts."""
    hour = dict(outcomes["hour"])
    memory = hour.pop("memory")
    rows = {**outcomes["throughput"], **outcomes["batches"], **outcomes["reloads"], **hour}
    ours, theirs, *others = rows.values()
    workers = outcomes["workers"]
    others += [workers["one"], workers["several"]]
    first = next((run["first_wrong"] for run in (ours, *others) if run["first_wrong"]), "")
    used = ", ".join(f"{name} {version(name)}" for name in ("textsieve", "fastapi", "uvicorn", "uvloop", "httptools"))
    return "\n\n".join(
        [
            "# Results of the last `make serve-load`",
            f"{datetime.now(UTC):%Y-%m-%d}, {used}; {machine_load(load)}",
            f"A linear model (svm) with {N_TERMS:,} terms of {test.trained}. {N_CLIENTS} clients send {N_TEXTS:,} "
            f"different lines of about {LENGTH} characters of {test.tested}, each client as soon as it has its last "
            "response. Every response is compared with the model's prediction, byte for byte. "
            f"{ROUNDS} runs of {scale * SECONDS:g} s, between runs of {scale * HELLO_SECONDS:g} s in which the same "
            "clients use a bare uvicorn server; percentiles are those of the worst run.",
            aims(ours, theirs, others),
            table(list(rows.items())),
            f"*With batches*: another client sends batches of {N_LONG:,} documents of {LONG:,} characters; the "
            "processor time of the server is for both. *Reloads*: the model file is replaced every second, and each "
            "response comes from one of the two models. "
            f"*An hour's requests*: {AN_HOUR:,} requests, a hundred per second, sent as fast as possible; 70 % "
            "predict, 20 % explain, 9 % search terms and 1 % are invalid.",
            "## Memory during an hour's requests",
            hour_table(memory),
            workers_part(workers["one"], workers["several"], scale),
            *([f"The first wrong response:\n\n```\n{first}\n```"] if first else []),
        ]
    )


def main() -> None:
    """Measure all parts and print the page, which is written to SERVE.md unless times are scaled; or one part."""
    parser = ArgumentParser(prog="python -m benchmarks.serve_load")
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--part", choices=PARTS)
    arguments = parser.parse_args()
    if arguments.folder is not None:
        arguments.folder.mkdir(parents=True, exist_ok=True)
    stored = StoredOutcomes(arguments.folder and arguments.folder / f"serve-load-{arguments.scale:g}.json")
    # The load before the first part; later, it is that of the test itself.
    load = stored.get("load", lambda: os.getloadavg()[0])
    with tempfile.TemporaryDirectory() as folder:
        test = LoadTest(Path(folder), arguments.scale)
        names = [arguments.part] if arguments.part else list(PARTS)
        outcomes = {name: stored.get(name, partial(PARTS[name], test)) for name in names}
        if arguments.part:
            print(json.dumps(outcomes, indent=1))
            return
        text = page(test, outcomes, load, arguments.scale)
    print(text)
    if arguments.scale == 1:
        Path(__file__).with_name("SERVE.md").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
