"""Many clients of a service at once, in a process of their own, and the memory and processor time of the service."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.processes import descendants
from tests.serve.expected import Request
from tests.serve.servers import running_server

ROOT = Path(__file__).parents[2]


class MeasuredServer:
    """A server, known by its process and port; its memory and time include those of its worker processes."""

    def __init__(self, pid: int, port: int) -> None:
        self.pid, self.port = pid, port

    @property
    def memory(self) -> int:
        """Return the number of bytes that it has in memory."""
        statuses = [Path(f"/proc/{pid}/status").read_text().splitlines() for pid in self._pids]
        sizes = [next(line for line in lines if line.startswith("VmRSS")) for lines in statuses]
        return sum(int(size.split()[1]) for size in sizes) * 1024

    @property
    def processor_seconds(self) -> float:
        """Return the processor time that it has used so far."""
        stats = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in self._pids]
        return sum(int(stat[11]) + int(stat[12]) for stat in stats) / os.sysconf("SC_CLK_TCK")

    @property
    def _pids(self) -> list[int]:
        return [self.pid, *(process.pid for process in descendants(self.pid))]


@contextmanager
def measured_server(model: Path, *options: str) -> Iterator[MeasuredServer]:
    """Run `textsieve serve` with its defaults on a free port, with its log in a file."""
    with tempfile.TemporaryDirectory() as folder, running_server(model, Path(folder), *options) as server:
        yield MeasuredServer(server.pid, server.port)


class Clients:
    """Clients that send requests to a server for some seconds, in a process of their own."""

    def __init__(self, server: MeasuredServer, n: int, seconds: float, requests: Sequence[Request]) -> None:
        self._server, self._before = server, server.processor_seconds
        command = [sys.executable, "-m", "benchmarks.serve_clients", "127.0.0.1", *map(str, (server.port, n, seconds))]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, cwd=ROOT)
        assert self._process.stdin is not None
        json.dump(requests, self._process.stdin)
        self._process.stdin.close()

    def outcome(self) -> dict[str, Any]:
        """Wait for the clients, and return what they counted and the processor time of the server."""
        assert self._process.stdout is not None
        with self._process.stdout as stdout:
            output = stdout.read()
        if self._process.wait() != 0:
            raise RuntimeError("The process of the clients failed.")
        counts: dict[str, Any] = json.loads(output)
        return {**counts, "server": self._server.processor_seconds - self._before}


def run_clients(server: MeasuredServer, n: int, seconds: float, requests: Sequence[Request]) -> dict[str, Any]:
    """Run `n` clients for some seconds, and return their outcome."""
    return Clients(server, n, seconds, requests).outcome()


@contextmanager
def replacing_model(pid: int, model: Path, files: Sequence[Path]) -> Iterator[list[int]]:
    """Replace the model file by one of the files and send SIGHUP, every second; yield a list with the count so far."""
    is_over, count = threading.Event(), [0]

    def replace() -> None:
        while not is_over.wait(1.0):
            new = model.with_suffix(".new")
            shutil.copyfile(files[count[0] % len(files)], new)
            os.replace(new, model)
            os.kill(pid, signal.SIGHUP)
            count[0] += 1

    thread = threading.Thread(target=replace)
    thread.start()
    try:
        yield count
    finally:
        is_over.set()
        thread.join()
