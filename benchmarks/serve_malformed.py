"""Send more than ten thousand malformed requests to a service, and check that nothing breaks.

`python -m benchmarks.serve_malformed` starts a service of a small model of each kind and sends the tables of
`tests/serve/malformed.py`, random bytes and pieces of HTTP, and valid and invalid requests that schemathesis generates
from the service's OpenAPI document. It fails at a status 500, an error in another format, a traceback in the log, a
good request with another response than before, or growth of the memory. It needs schemathesis, which no extra installs.

`python -m benchmarks.serve_malformed rough` needs no schemathesis. It runs the floods of `tests/serve/floods.py` with
and without a token, drops connections after every few bytes of a request, sends variants of the token, and sends
signals and damaged models under load. Meanwhile a normal client must get its responses in time.
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
EXCLUDED_CHECKS = "positive_data_acceptance,unsupported_method"
"""The schema does not contain the labels of the model, and the media type is checked before the method."""
CHECKS = (
    "--checks",
    "all",
    "--exclude-checks",
    EXCLUDED_CHECKS,
    "--mode",
    "all",
    "--phases",
    "examples,coverage,fuzzing",
)


def send_all(port: int, requests: list[bytes]) -> Counter[str]:
    """Send requests, and return how often each status occurred; raise `RuntimeError` for an invalid response."""
    statuses: Counter[str] = Counter()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for request, responses in zip(requests, pool.map(partial(responses_to, port), requests), strict=True):
            statuses.update([str(response.status) for response in responses] or ["no response"])
            for problem in filter(None, map(problem_with, responses)):
                raise RuntimeError(f"{problem} was the response to {request[:1000]!r}")
    return statuses


def send_generated(url: str, folder: Path, n: int) -> int:
    """Send requests that schemathesis generates from the OpenAPI document, and return their number."""
    command = [sys.executable, "-m", "schemathesis.cli", "run", f"{url}openapi.json", *CHECKS]
    options = ["--max-examples", str(n), "--continue-on-failure", "--no-shrink", "--seed", "1", "--no-color"]
    done = subprocess.run([*command, *options], capture_output=True, text=True, cwd=folder)
    generated = re.search(r"([\d,]+) generated", done.stdout)
    if done.returncode != 0 or generated is None:
        raise RuntimeError(done.stdout + done.stderr)
    return int(generated[1].replace(",", ""))


def find_problems(server: Server, before: int) -> Iterator[str]:
    """Yield the problems of a process at the end: tracebacks in its log, and growth of its memory."""
    if "Traceback" in server.log or "Internal error:" in server.log:
        yield f"the log has a traceback: {server.log[-2000:]}"
    growth = MeasuredServer(server.pid, server.port).memory - before
    print(f"memory: {before / 2**20:.1f} MiB before, {growth / 2**20:+.1f} MiB after")
    if growth > GROWTH:
        yield f"the memory has grown by {growth:,} bytes"


def attack(kind: str, folder: Path, seed: int) -> int:
    """Send all malformed requests to a service of one kind of model, and return their number."""
    settings, labels = KINDS[kind]
    model = folder / "model.sieve"
    Categorizer(n_terms="all", **settings).fit(TEXTS, labels).save(model)
    with running_server(model, folder, "--feedback", str(folder / "corrections.jsonl")) as server:
        good = post(b"/v1/predict", GOOD)
        expected = responses_to(server.port, good)
        send_all(server.port, [*listed_requests(), *islice(random_requests(seed), 1_000)])
        before = MeasuredServer(server.pid, server.port).memory
        requests = [*listed_requests(), *islice(random_requests(seed + 1), N_DRAWN)]
        counts = send_all(server.port, requests)
        n_generated = send_generated(server.url, folder, N_EXAMPLES)
        if responses_to(server.port, good) != expected or expected[0].status != 200:
            raise RuntimeError("A good request has another response than before.")
        for problem in find_problems(server, before):
            raise RuntimeError(problem)
    print(
        f"{kind}: {len(requests):,} as bytes, {n_generated:,} by schemathesis; {dict(sorted(counts.items()))}",
        flush=True,
    )
    return len(requests) + n_generated


# -- floods, dropped connections and signals -------------------------------------------------------------------------

SECRET = "a secret"
FLOOD_SECONDS, MAX_GROWTH, MAX_WAIT = 2.0, 50 << 20, 2.0
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


class AttackLog:
    """Counts attacks on a service, and their failures: what a normal client, the memory and the log show."""

    def __init__(self) -> None:
        self.cases, self.failures = 0, list[str]()

    @contextmanager
    def check(self, name: str, server: Server, n_cases: int = 1) -> Iterator[None]:
        """Run an attack in the block, and record its failures."""
        forget_peak(server.pid)
        before = resident(server.pid)
        with normal_client(server.port, GOOD_REQUEST) as client:
            yield
        growth, worst = resident(server.pid, "VmHWM") - before, max(client.waits)
        wrong = [f"a normal client got {client.failures[0]!r}"] if client.failures else []
        wrong += [f"memory grew by {growth / 2**20:.0f} MiB"] if growth > MAX_GROWTH else []
        wrong += [f"a normal client waited {worst:.1f} s"] if worst > MAX_WAIT else []
        wrong += ["the log has a traceback"] if "Traceback" in server.log or "Internal error:" in server.log else []
        self.cases += n_cases
        self.failures += [f"{name}: {failure}" for failure in wrong]
        result = "; ".join(wrong) or "ok"
        print(f"{name}: {n_cases:,} cases, +{growth / 2**20:.0f} MiB, worst wait {worst:.2f} s: {result}", flush=True)


def drop(port: int, request: bytes, *, resets: bool) -> None:
    """Send the beginning of a request and drop the connection, with or without a reset."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        if resets:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.sendall(request)


def drop_everywhere(port: int) -> int:
    """Drop connections after every few bytes of some requests, and return their number."""
    whole = [GET, WHOLE, post(b"/v1/explain", b'{"text": "' + b"goal " * 2000 + b'"}'), GET * 3 + WHOLE]
    cases = [(request[:end], resets) for request in whole for end in range(0, len(request), STEP) for resets in (0, 1)]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(lambda case: drop(port, case[0], resets=bool(case[1])), cases))
    return len(cases)


def send_signals(server: Server, model: Path) -> None:
    """Replace the model by a damaged file, an empty one, none, and a good one, with a SIGHUP after each."""
    good = model.read_bytes()
    damaged = good[: len(good) // 2] + bytes([good[len(good) // 2] ^ 1]) + good[len(good) // 2 + 1 :]
    for number in range(N_SIGNALS):
        data = (good, damaged, b"", None)[number % 4]
        if data is None:
            model.unlink(missing_ok=True)
        else:
            model.with_suffix(".part").write_bytes(data)
            os.replace(model.with_suffix(".part"), model)
        os.kill(server.pid, signal.SIGHUP)
        time.sleep(0.01)


def rough() -> None:
    """Attack a service with a token and one without; exit with code 1 if anything failed."""
    sys.setswitchinterval(0.0005)  # so that the normal client does not wait for other threads of this process
    log = AttackLog()
    for env in ({TOKEN_VARIABLE: SECRET}, {}):
        with tempfile.TemporaryDirectory() as name:
            folder, model = Path(name), Path(name) / "model.sieve"
            settings, labels = KINDS["single"]
            Categorizer(n_terms="all", **settings).fit(TEXTS, labels).save(model)
            with running_server(model, folder, env=env) as server:
                send_all(server.port, [GOOD_REQUEST, *islice(random_requests(0), 200)])
                long = json.dumps({"text": "goal " * 20_000}).encode()  # the first one loads compiled code
                responses_to(
                    server.port, post(b"/v1/explain", long, b"Authorization: Bearer a secret\r\n"), patience=30
                )
                for kind, kind_of_flood in FLOODS.items():
                    with log.check(f"{kind}{', token set' if env else ''}", server):
                        flood(server.port, kind_of_flood, FLOOD_SECONDS)
                with log.check("dropped", server, n_cases=drop_everywhere(server.port)):
                    drop_everywhere(server.port)
                requests = [*listed_requests(), *islice(random_requests(7), 500)]
                with log.check("malformed", server, n_cases=len(requests)):
                    send_all(server.port, requests)
                with log.check("signals and damaged models", server, n_cases=N_SIGNALS):
                    send_signals(server, model)
                if env:
                    head = GET.replace(b"/healthz", b"/v1/model")[:-2]
                    forms = [head + f"Authorization: {form}\r\n\r\n".encode("latin-1") for form in TOKENS]
                    statuses = [responses_to(server.port, form)[0].status for form in forms]
                    log.cases += len(forms)
                    wrong = [form for form, status in zip(TOKENS, statuses, strict=True) if status not in (400, 401)]
                    log.failures += [f"the token {form!r} was accepted" for form in wrong]
    print(f"{log.cases:,} cases, {len(log.failures)} failures", *log.failures, sep="\n")
    if log.failures:
        raise SystemExit(1)


def main() -> None:
    """Attack a service of each kind of model."""
    if sys.argv[1:] == ["rough"]:
        rough()
        return
    total = 0
    for seed, kind in enumerate(KINDS):
        with tempfile.TemporaryDirectory() as folder:
            total += attack(kind, Path(folder), 10 * seed)
    print(f"{total:,} requests, no 500, no traceback")


if __name__ == "__main__":
    main()
