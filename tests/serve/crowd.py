"""Many clients of a service at once, in a process of their own, and what the service takes of memory and processors."""

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

from tests.serve.asking import Request
from tests.serve.servers import started_server

ROOT = Path(__file__).parents[2]


class Running:
    """A server, by its process and port."""

    def __init__(self, pid: int, port: int) -> None:
        self.pid, self.port = pid, port

    @property
    def resident(self) -> int:
        """Bytes that it has in memory."""
        lines = Path(f"/proc/{self.pid}/status").read_text().splitlines()
        return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) * 1024

    @property
    def worked(self) -> float:
        """Seconds of processors that it had so far."""
        stat = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def serving(model: Path, *options: str) -> Iterator[Running]:
    """`textsieve serve` as it is by default, but for a free port; its log goes to a file."""
    with tempfile.TemporaryDirectory() as folder, started_server(model, Path(folder), *options) as server:
        yield Running(server.pid, server.port)


class Clients:
    """Some that ask a server for some seconds, in a process of their own."""

    def __init__(self, server: Running, n: int, seconds: float, requests: Sequence[Request]) -> None:
        self._server, self._before = server, server.worked
        command = [sys.executable, "-m", "benchmarks.serve_clients", "127.0.0.1", *map(str, (server.port, n, seconds))]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, cwd=ROOT)
        assert self._process.stdin is not None
        json.dump(requests, self._process.stdin)
        self._process.stdin.close()

    def outcome(self) -> dict[str, Any]:
        """What they saw, and what the server took of processors meanwhile."""
        assert self._process.stdout is not None
        with self._process.stdout as out:
            said = out.read()
        if self._process.wait() != 0:
            raise RuntimeError("The clients broke.")
        found: dict[str, Any] = json.loads(said)
        return {**found, "server": self._server.worked - self._before}


def asked(server: Running, n: int, seconds: float, requests: Sequence[Request]) -> dict[str, Any]:
    """What so many clients saw for so long."""
    return Clients(server, n, seconds, requests).outcome()


@contextmanager
def swapping(pid: int, model: Path, files: Sequence[Path]) -> Iterator[list[int]]:
    """Put one of the files in the place of the model, and tell the service, every second; gives how often so far."""
    is_over, times = threading.Event(), [0]

    def swap() -> None:
        while not is_over.wait(1.0):
            new = model.with_suffix(".new")
            shutil.copyfile(files[times[0] % len(files)], new)
            os.replace(new, model)
            os.kill(pid, signal.SIGHUP)
            times[0] += 1

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        yield times
    finally:
        is_over.set()
        thread.join()
