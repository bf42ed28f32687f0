"""How much `textsieve serve` stands: many clients at once, a long batch beside them, a swap of the model every second,
and as many requests as an hour brings.

`python -m benchmarks.serve_load` starts the service as it is by default, with its log in a file, and a bare uvicorn
that says hello, and lets the same clients ask both in turns, so that whatever else the machine does hits both. Server
and clients share the cores. Every answer is compared, byte for byte, with what the model says. A number as argument
makes all of it shorter, and then nothing is written: `python -m benchmarks.serve_load 0.1`.
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
SECONDS, HELLO_SECONDS, SWAP_SECONDS = 60.0, 20.0, 60.0
ROUNDS = 2
MOST_P99, LEAST_RATIO = 0.25, 1 / 3
AN_HOUR = 360_000
"""Requests, if a hundred come a second."""
PARTS = 6
"""Parts of the hour, after each of which the memory is looked at."""

Outcome = dict[str, Any]


@contextmanager
def saying_hello() -> Iterator[MeasuredServer]:
    """A bare uvicorn."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "uvicorn", "benchmarks.serve_hello:app", *UVICORN]
        program = Program(command, os.environ, Path(folder) / "hello.log")
        try:
            yield MeasuredServer(program.pid, int(program.says(r"running on http://127\.0\.0\.1:(\d+)")))
        finally:
            program.stop()


def summed(runs: Sequence[Outcome]) -> Outcome:
    """Runs as one: what can be counted is summed, of the rest the worst is taken."""
    counts = ("answers", "wrong", "lost", "seconds", "worked", "server")
    total = {name: sum(run[name] for run in runs) for name in counts}
    worst = {name: max(run[name] for run in runs) for name in ("p50", "p99", "p999")}
    first = next((run["first_wrong"] for run in runs if run["first_wrong"]), "")
    return {**total, **worst, "per_second": total["answers"] / total["seconds"], "first_wrong": first}


def throughput(server: MeasuredServer, requests: Sequence[Request], scale: float) -> tuple[Outcome, Outcome]:
    """What clients saw of the service, and of hello, in turns."""
    ours, theirs = [], []
    hello: list[Request] = [(get("/"), 200, ["hello"])]
    with saying_hello() as other:
        for _ in range(ROUNDS):
            theirs.append(run_clients(other, N_CLIENTS, scale * HELLO_SECONDS, hello))
            ours.append(run_clients(server, N_CLIENTS, scale * SECONDS, requests))
            theirs.append(run_clients(other, N_CLIENTS, scale * HELLO_SECONDS, hello))
    return summed(ours), summed(theirs)


def beside_a_batch(
    server: MeasuredServer, requests: Sequence[Request], batch: Request, scale: float
) -> tuple[Outcome, Outcome]:
    """What clients saw while another sent long batches, one after the other; and what that one saw."""
    long = Clients(server, 1, scale * SECONDS, [batch])
    short = run_clients(server, N_CLIENTS, scale * SECONDS, requests)
    return short, long.outcome()


def while_swapped(
    server: MeasuredServer, model: Path, files: Sequence[Path], requests: Sequence[Request], scale: float
) -> tuple[Outcome, int]:
    """What clients saw while the model was another every second, and how often it was."""
    with replacing_model(server.pid, model, files) as times:
        found = run_clients(server, N_CLIENTS, scale * SWAP_SECONDS, requests)
    return found, times[0]


def an_hour(server: MeasuredServer, requests: Sequence[Request], scale: float) -> tuple[Outcome, list[tuple[int, int]]]:
    """An hour's worth of requests, as fast as they are answered; and the memory by the answers so far."""
    run_clients(server, N_CLIENTS, max(1.0, 5 * scale), requests)
    memory, so_far = [(0, server.memory)], 0
    runs: list[Outcome] = []
    while so_far < scale * AN_HOUR:
        begin, pace = so_far, runs[-1]["per_second"] if runs else 1_000.0
        runs.append(run_clients(server, N_CLIENTS, max(1.0, scale * AN_HOUR / PARTS / pace), requests))
        so_far = begin + runs[-1]["answers"]
        memory.append((so_far, server.memory))
    return summed(runs), memory


# -- the page --------------------------------------------------------------------------------------------------------


def table(rows: Sequence[tuple[str, Outcome]]) -> str:
    """Outcomes side by side."""
    heads = "answers | wrong | lost | per second | p50 | p99 | p99.9 | server's processor time a request | clients'"
    lines = [f"| | {heads} |", "|---|" + "---:|" * 9]
    for name, run in rows:
        times = " | ".join(written(run[each]) for each in ("p50", "p99", "p999"))
        work = f"{written(run['server'] / run['answers'])} | {written(run['worked'] / run['answers'])}"
        counts = f"{run['answers']:,} | {run['wrong']:,} | {run['lost']:,} | {run['per_second']:,.0f}"
        lines.append(f"| {name} | {counts} | {times} | {work} |")
    return "\n".join(lines)


def verdict(is_met: bool) -> str:
    """Whether an aim was met."""
    return "met" if is_met else "**missed**"


def aims(ours: Outcome, theirs: Outcome, others: Sequence[Outcome]) -> str:
    """What was aimed at, and what came out."""
    wrong, lost = (sum(run[name] for run in (ours, *others)) for name in ("wrong", "lost"))
    ratio = ours["per_second"] / theirs["per_second"]
    work = theirs["server"] / theirs["answers"] / (ours["server"] / ours["answers"])
    rows = [
        ("no wrong answer and no lost request, in all runs", f"{wrong:,} and {lost:,}", wrong == lost == 0),
        (f"p99 under {written(MOST_P99)}", written(ours["p99"]), ours["p99"] < MOST_P99),
        ("at least a third of hello's answers a second", f"{ratio:.2f}", ratio >= LEAST_RATIO),
        ("the same by processor time of the servers", f"{work:.2f}", work >= LEAST_RATIO),
    ]
    lines = [f"| {aim} | {found} | {verdict(is_met)} |" for aim, found, is_met in rows]
    return "\n".join(["| aim | found | |", "|---|---:|---|", *lines])


def hour_table(memory: Sequence[tuple[int, int]]) -> str:
    """The memory by the answers so far."""
    lines = ["| answers | resident |", "|---:|---:|"]
    return "\n".join([*lines, *(f"| {answers:,} | {resident / 2**20:.1f} MiB |" for answers, resident in memory)])


def idleness(load: float) -> str:
    """What is to be said of the machine."""
    others = "" if load <= 1 else " **Others used the machine, too**, so the times are long."
    return (
        f"{n_threads(-1)} cores, which the server and the clients share, and for which {load:.1f} processes asked on "
        f"average in the minute before.{others}"
    )


def page(scale: float) -> str:
    """Run all of it."""
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
            short, long = beside_a_batch(server, requests, predict_request(long_texts(tested), model), scale)
            swapped, times = while_swapped(server, current, files, of_both, scale)
        shutil.copyfile(files[0], current)
        with measured_server(current) as server:
            hour, memory = an_hour(server, mixed_requests(current, texts), scale)
    used = ", ".join(f"{each} {version(each)}" for each in ("textsieve", "fastapi", "uvicorn", "uvloop", "httptools"))
    runs = [("textsieve serve", ours), ("hello", theirs), ("beside a batch", short), ("the batch itself", long)]
    first = next((run["first_wrong"] for run in (ours, short, long, swapped, hour) if run["first_wrong"]), "")
    return "\n\n".join(
        [
            "# Results of the last `make serve-load`",
            f"{datetime.now(UTC):%Y-%m-%d}, {used}; {idleness(load)}",
            f"A linear model (svm) of {N_TERMS:,} terms of {trained}, asked by {N_CLIENTS} clients, each as soon as it "
            f"has its answer, for {len(texts):,} different lines of about {LENGTH} characters of {tested}. Every "
            f"answer is compared with the model's, byte for byte. {ROUNDS} times {scale * SECONDS:g} s, between "
            f"{scale * HELLO_SECONDS:g} s of a bare uvicorn that says hello, which is asked by the same clients; of "
            "the runs the worst percentile counts.",
            aims(ours, theirs, [short, long, swapped, hour]),
            table([*runs, (f"{times} swaps of the model", swapped), ("an hour's worth", hour)]),
            f"*Beside a batch*: another client sends {N_LONG:,} documents of {LONG:,} characters over and over; the "
            "server's processor time is that for both. *Swaps*: the model file is replaced every second, and each "
            f"answer is that of one of the two models. *An hour's worth*: {AN_HOUR:,} requests, a hundred a second, "
            "but as fast as they are answered; of a hundred, 70 predict, 20 explain, 9 look at terms and one is bad.",
            "## Memory over an hour's worth of requests",
            hour_table(memory),
            *([f"The first wrong answer:\n\n```\n{first}\n```"] if first else []),
        ]
    )


def main(scale: float) -> None:
    """Print the page, and keep it if nothing was cut short."""
    found = page(scale)
    print(found)
    if scale == 1:
        Path(__file__).with_name("SERVE.md").write_text(found + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 1.0)
