"""Many clients of a web server at once, by the program wrk, which takes far less processor time than Python clients.

Server and clients share the cores of one machine. If the clients take much of them, a server with several processes
can't be much faster than one with a single process, however good it is. wrk (Debian's package `wrk`) compares no
bodies: it counts responses with a status from 400 as wrong, and connections that fail as lost.
"""

from __future__ import annotations

import json
import resource
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.serve.expected import Request
from tests.serve.load_clients import MeasuredServer

SCRIPT = Path(__file__).with_suffix(".lua")


def has_wrk() -> bool:
    """Return whether wrk is installed."""
    return shutil.which("wrk") is not None


def run_wrk(server: MeasuredServer, n: int, seconds: float, requests: Sequence[Request]) -> dict[str, Any]:
    """Run `n` clients in one thread for some seconds, and return their outcome, as `run_clients` does."""
    with tempfile.NamedTemporaryFile("wb") as file:
        file.write(b"\0".join(request.encode("latin-1") for request, _, _ in requests))
        file.flush()
        url = f"http://127.0.0.1:{server.port}/"
        duration = f"{max(1, round(seconds))}s"
        command = ["wrk", "--threads", "1", "--connections", str(n), "--duration", duration, "--script", str(SCRIPT)]
        server_before, own_before = server.processor_seconds, _seconds_of_children()
        process = subprocess.run([*command, url, "--", file.name], check=True, capture_output=True, text=True)
        worked, served = _seconds_of_children() - own_before, server.processor_seconds - server_before
    measured = json.loads(process.stdout.strip().splitlines()[-1])
    per_second = measured["responses"] / measured["seconds"]
    return {**measured, "per_second": per_second, "worked": worked, "server": served, "first_wrong": ""}


def _seconds_of_children() -> float:
    """Return the processor time of all child processes that have ended; the servers are still running."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
