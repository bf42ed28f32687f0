"""Ten thousand requests, and more, that no client of good faith sends: none may be answered by a 500 or break anything.

`python -m benchmarks.serve_malformed` starts a service of a small model of each kind of label and sends what is in the
tables of `tests/serve/malformed.py`, what is drawn at random from bytes and pieces of HTTP, and what schemathesis makes
of the service's own OpenAPI, right and wrong. It ends with an error if anything was answered by a 500, if something
wrong was not answered in the one shape of errors, if the log has a traceback, if a good request has another answer
afterwards than before, or if the memory of the process has grown. It needs schemathesis, which no extra brings.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import islice
from pathlib import Path

from tests.serve.crowd import Running
from tests.serve.kinds import KINDS, TEXTS
from tests.serve.malformed import GOOD, answers_to, complaint, drawn, listed, posted
from tests.serve.servers import Server, started_server

from textsieve import Categorizer

N_DRAWN = 5_000
N_EXAMPLES = 250
AT_ONCE = 8
GROWTH = 32 << 20
UNFIT = "positive_data_acceptance,unsupported_method"
"""Checks that do not fit: which labels there are is no part of the schema, and what is no JSON is refused first."""
CHECKS = ("--checks", "all", "--exclude-checks", UNFIT, "--mode", "all", "--phases", "examples,coverage,fuzzing")


def raw(port: int, requests: list[bytes]) -> Counter[str]:
    """Send bytes; gives how often each status was answered."""
    found: Counter[str] = Counter()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for request, answers in zip(requests, pool.map(partial(answers_to, port), requests), strict=True):
            found.update([str(each.status) for each in answers] or ["no answer"])
            for said in filter(None, map(complaint, answers)):
                raise RuntimeError(f"{said} was answered to {request[:1000]!r}")
    return found


def from_schema(url: str, folder: Path, n: int) -> int:
    """Send what schemathesis makes of the OpenAPI; gives how many requests that were."""
    command = [sys.executable, "-m", "schemathesis.cli", "run", f"{url}openapi.json", *CHECKS]
    more = ["--max-examples", str(n), "--continue-on-failure", "--no-shrink", "--seed", "1", "--no-color"]
    done = subprocess.run([*command, *more], capture_output=True, text=True, cwd=folder)
    generated = re.search(r"([\d,]+) generated", done.stdout)
    if done.returncode != 0 or generated is None:
        raise RuntimeError(done.stdout + done.stderr)
    return int(generated[1].replace(",", ""))


def trouble(server: Server, before: int) -> Iterator[str]:
    """What can be seen of the process at the end."""
    if "Traceback" in server.log or "Wrong:" in server.log:
        yield f"the log has a traceback: {server.log[-2000:]}"
    grown = Running(server.pid, server.port).resident - before
    print(f"memory: {before / 2**20:.1f} MiB before, {grown / 2**20:+.1f} MiB after")
    if grown > GROWTH:
        yield f"the memory has grown by {grown:,} bytes"


def attacked(kind: str, folder: Path, seed: int) -> int:
    """All of it on a model of one kind; gives how many requests it was."""
    settings, labels = KINDS[kind]
    model = folder / "model.sieve"
    Categorizer(n_terms="all", **settings).fit(TEXTS, labels).save(model)
    with started_server(model, folder, "--feedback", str(folder / "corrections.jsonl")) as server:
        good = posted(b"/v1/predict", GOOD)
        right = answers_to(server.port, good)
        raw(server.port, [*listed(), *islice(drawn(seed), 1_000)])
        before = Running(server.pid, server.port).resident
        requests = [*listed(), *islice(drawn(seed + 1), N_DRAWN)]
        counts = raw(server.port, requests)
        n = from_schema(server.url, folder, N_EXAMPLES)
        if answers_to(server.port, good) != right or right[0].status != 200:
            raise RuntimeError("A good request has another answer than before.")
        for problem in trouble(server, before):
            raise RuntimeError(problem)
    print(f"{kind}: {len(requests):,} as bytes, {n:,} by schemathesis; {dict(sorted(counts.items()))}", flush=True)
    return len(requests) + n


def main() -> None:
    """Attack a service of each kind of model."""
    total = 0
    for seed, kind in enumerate(KINDS):
        with tempfile.TemporaryDirectory() as folder:
            total += attacked(kind, Path(folder), 10 * seed)
    print(f"{total:,} requests, no 500, no traceback")


if __name__ == "__main__":
    main()
