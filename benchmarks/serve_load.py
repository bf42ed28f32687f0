"""Measure `textsieve serve` under load: many clients, long batches beside them, model reloads, an hour's requests.

`python -m benchmarks.serve_load` starts the service with its defaults and its log in a file, and a bare uvicorn server
that returns "hello". The same clients use both in turns, so that other load on the machine affects both. Server and
clients share the processor cores. Every response is compared with the model's prediction, byte for byte. A service with
two worker processes (`--workers 2`) is measured in turns with one of a single process. A number as argument scales all
times, and then no file is written: `python -m benchmarks.serve_load 0.1`. With `workers` as another argument, only the
comparison of workers is run: `python -m benchmarks.serve_load 0.1 workers`.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tests.processes import Program
from tests.serve.expected import Request, get, mixed_requests, predict_request
from tests.serve.load_clients import Clients, MeasuredServer, measured_server, replacing_model, run_clients

from textsieve.settings import n_threads

from .harness import seconds as written
from .serve_texts import LENGTH, LONG, N_LONG, N_TERMS, corpora, long_texts, short_texts, train

UVICORN = ("--loop", "uvloop", "--http", "httptools", "--no-access-log", "--host", "127.0.0.1", "--port", "0")
N_CLIENTS = 200
SECONDS, HELLO_SECONDS, RELOAD_SECONDS = 60.0, 20.0, 60.0
ROUNDS = 2
MAX_P99, MIN_RATIO = 0.25, 1 / 3
N_WORKERS = 2
WORKERS_SECONDS, WORKERS_ROUNDS = 20.0, 4
WORKERS_MAX_P99, WORKERS_MIN_RATIO = 0.05, 1.6
AN_HOUR = 360_000
"""Requests in an hour, at a hundred per second."""
PARTS = 6
"""Parts of the hour; the memory is measured after each."""

Outcome = dict[str, Any]


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
        runs.append(run_clients(server, N_CLIENTS, max(1.0, scale * AN_HOUR / PARTS / pace), requests))
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
    return "\n\n".join(
        [
            f"## {N_WORKERS} workers",
            f"The same requests to a service with `--workers {N_WORKERS}` and to one with a single process, in turns: "
            f"{WORKERS_ROUNDS} runs of {scale * WORKERS_SECONDS:g} s for each, with {N_CLIENTS} clients.",
            aims_table(rows),
            table([("1 worker", one), (f"{N_WORKERS} workers", several)]),
            f"The clients share the cores with the workers. With the processor time of a request in the last row, "
            f"server and client together, all cores of this machine can do at most {bound:,.0f} requests per second: "
            f"{bound / one['per_second']:.2f} times those of one worker.",
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


def page(scale: float) -> str:
    """Run all measurements, and return the page of results."""
    load, (trained, tested) = os.getloadavg()[0], corpora()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = [folder / "one.sieve", folder / "other.sieve"]
        model, other = train(trained, files[0]), train(trained, files[1], selector="chi")
        current = folder / "current.sieve"
        shutil.copyfile(files[0], current)
        texts = short_texts(tested)
        requests = [predict_request([text], model) for text in texts]
        of_both = [predict_request([text], model, other) for text in texts]
        with measured_server(current) as server:
            ours, theirs = throughput(server, requests, scale)
            short, long = with_batches(server, requests, predict_request(long_texts(tested), model), scale)
            reloaded, count = with_reloads(server, current, files, of_both, scale)
        shutil.copyfile(files[0], current)
        with measured_server(current) as server:
            hour, memory = hour_of_requests(server, mixed_requests(current, texts), scale)
        one, several = compare_workers(files[0], requests, scale)
    used = ", ".join(f"{name} {version(name)}" for name in ("textsieve", "fastapi", "uvicorn", "uvloop", "httptools"))
    runs = [("textsieve serve", ours), ("bare server", theirs), ("with batches", short), ("the batches", long)]
    others = [short, long, reloaded, hour, one, several]
    first = next((run["first_wrong"] for run in (ours, *others) if run["first_wrong"]), "")
    return "\n\n".join(
        [
            "# Results of the last `make serve-load`",
            f"{datetime.now(UTC):%Y-%m-%d}, {used}; {machine_load(load)}",
            f"A linear model (svm) with {N_TERMS:,} terms of {trained}. {N_CLIENTS} clients send {len(texts):,} "
            f"different lines of about {LENGTH} characters of {tested}, each client as soon as it has its last "
            "response. Every response is compared with the model's prediction, byte for byte. "
            f"{ROUNDS} runs of {scale * SECONDS:g} s, between runs of {scale * HELLO_SECONDS:g} s in which the same "
            "clients use a bare uvicorn server; percentiles are those of the worst run.",
            aims(ours, theirs, others),
            table([*runs, (f"{count} reloads", reloaded), ("an hour's requests", hour)]),
            f"*With batches*: another client sends batches of {N_LONG:,} documents of {LONG:,} characters; the "
            "processor time of the server is for both. *Reloads*: the model file is replaced every second, and each "
            "response comes from one of the two models. "
            f"*An hour's requests*: {AN_HOUR:,} requests, a hundred per second, sent as fast as possible; 70 % "
            "predict, 20 % explain, 9 % search terms and 1 % are invalid.",
            "## Memory during an hour's requests",
            hour_table(memory),
            workers_part(one, several, scale),
            *([f"The first wrong response:\n\n```\n{first}\n```"] if first else []),
        ]
    )


def workers_page(scale: float) -> str:
    """Run the comparison of workers alone, and return its results."""
    load, (trained, tested) = os.getloadavg()[0], corpora()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "one.sieve"
        model = train(trained, path)
        one, several = compare_workers(path, [predict_request([text], model) for text in short_texts(tested)], scale)
    return f"{machine_load(load)}\n\n{workers_part(one, several, scale)}"


def main(scale: float, part: str = "all") -> None:
    """Print the results, and write them to SERVE.md unless the times are scaled or it is only a part of them."""
    if part == "workers":
        print(workers_page(scale))
        return
    text = page(scale)
    print(text)
    if scale == 1:
        Path(__file__).with_name("SERVE.md").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 1.0, *sys.argv[2:3])
