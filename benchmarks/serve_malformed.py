"""Send more than ten thousand malformed requests to a service, and check that nothing breaks.

`python -m benchmarks.serve_malformed` starts a service of a small model of each kind and sends the tables of
`tests/serve/malformed.py`, random bytes and pieces of HTTP, and valid and invalid requests that schemathesis generates
from the service's OpenAPI document. It fails at a status 500, an error in another format, a traceback in the log, a good
request with another response than before, or growth of the memory. It needs schemathesis, which no extra installs.

`python -m benchmarks.serve_malformed rough` needs no schemathesis. It runs the floods of `tests/serve/floods.py` with and
without a token, drops connections after every few bytes of a request, sends variants of the token, and sends signals and
damaged models under load. Meanwhile a normal client must get its responses in time.
"""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from itertools import islice
from pathlib import Path

from tests.serve.floods import FLOODS, GET, WHOLE, flood, forget_peak, normal_client, resident
from tests.serve.load_clients import MeasuredServer
from tests.serve.malformed import GOOD, listed_requests, post, problem_with, random_requests, responses_to
from tests.serve.model_kinds import KINDS, TEXTS
from tests.serve.servers import Server, running_server

from textsieve import Categorizer
from textsieve.serve.server import TOKEN_VARIABLE

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
        for request, answers in zip(requests, pool.map(partial(responses_to, port), requests), strict=True):
            found.update([str(each.status) for each in answers] or ["no answer"])
            for said in filter(None, map(problem_with, answers)):
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
    if "Traceback" in server.log or "Internal error:" in server.log:
        yield f"the log has a traceback: {server.log[-2000:]}"
    grown = MeasuredServer(server.pid, server.port).memory - before
    print(f"memory: {before / 2**20:.1f} MiB before, {grown / 2**20:+.1f} MiB after")
    if grown > GROWTH:
        yield f"the memory has grown by {grown:,} bytes"


def attacked(kind: str, folder: Path, seed: int) -> int:
    """All of it on a model of one kind; gives how many requests it was."""
    settings, labels = KINDS[kind]
    model = folder / "model.sieve"
    Categorizer(n_terms="all", **settings).fit(TEXTS, labels).save(model)
    with running_server(model, folder, "--feedback", str(folder / "corrections.jsonl")) as server:
        good = post(b"/v1/predict", GOOD)
        right = responses_to(server.port, good)
        raw(server.port, [*listed_requests(), *islice(random_requests(seed), 1_000)])
        before = MeasuredServer(server.pid, server.port).memory
        requests = [*listed_requests(), *islice(random_requests(seed + 1), N_DRAWN)]
        counts = raw(server.port, requests)
        n = from_schema(server.url, folder, N_EXAMPLES)
        if responses_to(server.port, good) != right or right[0].status != 200:
            raise RuntimeError("A good request has another answer than before.")
        for problem in trouble(server, before):
            raise RuntimeError(problem)
    print(f"{kind}: {len(requests):,} as bytes, {n:,} by schemathesis; {dict(sorted(counts.items()))}", flush=True)
    return len(requests) + n


# -- rough on a connection or on the process -------------------------------------------------------------------------

SECRET = "a secret"
FLOOD_SECONDS, MOST_GROWTH, MOST_WAIT = 2.0, 50 << 20, 2.0
STEP = 5
N_SIGNALS = 300
GOOD_REQUEST = WHOLE.replace(b"\r\n\r\n", b"\r\nAuthorization: Bearer a secret\r\nConnection: close\r\n\r\n")
TOKENS = (
    *("", "Bearer", "Bearer ", "bearer a", "Bearer a secre", "Bearer a secretx", "Bearer A SECRET", "Basic a secret"),
    *("a secret", "Bearera secret", "Bearer a\tsecret", "Bearer a secret,Bearer a secret", 'Bearer "a secret"'),
    *(
        "Bearer a secret\x00",
        "Bearer a s\u00e9cret",
        "Bearer Bearer a secret",
        "Bearer a%20secret",
        "Bearer " + "a" * 9999,
    ),
)


class Beside:
    """A service that is attacked, and a client of good faith beside that; counts what failed."""

    def __init__(self) -> None:
        self.cases, self.failures = 0, list[str]()

    @contextmanager
    def check(self, name: str, server: Server, n_cases: int = 1) -> Iterator[None]:
        """Attack in the block; note what a client, the memory and the log show."""
        forget_peak(server.pid)
        before = resident(server.pid)
        with normal_client(server.port, GOOD_REQUEST) as honest:
            yield
        grown, worst = resident(server.pid, "VmHWM") - before, max(honest.waits)
        wrong = [f"an honest client got {honest.failures[0]!r}"] if honest.failures else []
        wrong += [f"memory grew by {grown / 2**20:.0f} MiB"] if grown > MOST_GROWTH else []
        wrong += [f"an honest client waited {worst:.1f} s"] if worst > MOST_WAIT else []
        wrong += ["the log has a traceback"] if "Traceback" in server.log or "Internal error:" in server.log else []
        self.cases += n_cases
        self.failures += [f"{name}: {each}" for each in wrong]
        told = "; ".join(wrong) or "ok"
        print(f"{name}: {n_cases:,} cases, +{grown / 2**20:.0f} MiB, worst wait {worst:.2f} s: {told}", flush=True)


def drop(port: int, request: bytes, *, resets: bool) -> None:
    """Open a connection, send the beginning of a request, and drop it, with a reset or an end."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        if resets:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.sendall(request)


def drop_everywhere(port: int) -> int:
    """Drop connections after each few bytes of some requests; give how many."""
    whole = [GET, WHOLE, post(b"/v1/explain", b'{"text": "' + b"goal " * 2000 + b'"}'), GET * 3 + WHOLE]
    cases = [(request[:end], resets) for request in whole for end in range(0, len(request), STEP) for resets in (0, 1)]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(lambda case: drop(port, case[0], resets=bool(case[1])), cases))
    return len(cases)


def send_signals(server: Server, model: Path) -> None:
    """Have a good, a damaged and an empty file, and none, read again and again while clients ask."""
    good = model.read_bytes()
    damaged = good[: len(good) // 2] + bytes([good[len(good) // 2] ^ 1]) + good[len(good) // 2 + 1 :]
    for at in range(N_SIGNALS):
        data = (good, damaged, b"", None)[at % 4]
        if data is None:
            model.unlink(missing_ok=True)
        else:
            model.with_suffix(".part").write_bytes(data)
            os.replace(model.with_suffix(".part"), model)
        os.kill(server.pid, signal.SIGHUP)
        time.sleep(0.01)


def rough() -> None:
    """Attack a service with a token and one without; end with 1 if anything failed."""
    sys.setswitchinterval(0.0005)  # so that the client of good faith does not wait for the others in this process
    beside = Beside()
    for env in ({TOKEN_VARIABLE: SECRET}, {}):
        with tempfile.TemporaryDirectory() as name:
            folder, model = Path(name), Path(name) / "model.sieve"
            settings, labels = KINDS["one"]
            Categorizer(n_terms="all", **settings).fit(TEXTS, labels).save(model)
            with running_server(model, folder, env=env) as server:
                raw(server.port, [GOOD_REQUEST, *islice(random_requests(0), 200)])
                long = json.dumps({"text": "goal " * 20_000}).encode()  # the first one loads compiled code
                responses_to(
                    server.port, post(b"/v1/explain", long, b"Authorization: Bearer a secret\r\n"), patience=30
                )
                for kind, each in FLOODS.items():
                    with beside.check(f"{kind}{', token set' if env else ''}", server):
                        flood(server.port, each, FLOOD_SECONDS)
                with beside.check("dropped", server, n_cases=drop_everywhere(server.port)):
                    drop_everywhere(server.port)
                requests = [*listed_requests(), *islice(random_requests(7), 500)]
                with beside.check("malformed", server, n_cases=len(requests)):
                    raw(server.port, requests)
                with beside.check("signals and damaged models", server, n_cases=N_SIGNALS):
                    send_signals(server, model)
                if env:
                    head = GET.replace(b"/healthz", b"/v1/model")[:-2]
                    forms = [head + f"Authorization: {form}\r\n\r\n".encode("latin-1") for form in TOKENS]
                    answers = [responses_to(server.port, form)[0].status for form in forms]
                    beside.cases += len(forms)
                    wrong = [form for form, status in zip(TOKENS, answers, strict=True) if status not in (400, 401)]
                    beside.failures += [f"a token in the form {form!r} was let in" for form in wrong]
    print(f"{beside.cases:,} cases, {len(beside.failures)} failures", *beside.failures, sep="\n")
    if beside.failures:
        raise SystemExit(1)


def main() -> None:
    """Attack a service of each kind of model."""
    if sys.argv[1:] == ["rough"]:
        rough()
        return
    total = 0
    for seed, kind in enumerate(KINDS):
        with tempfile.TemporaryDirectory() as folder:
            total += attacked(kind, Path(folder), 10 * seed)
    print(f"{total:,} requests, no 500, no traceback")


if __name__ == "__main__":
    main()
