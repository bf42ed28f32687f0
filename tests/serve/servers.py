"""A service as its users have it: a process of its own, on a free port of this machine, gone at the end."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.processes import Program

ROOT = Path(__file__).parents[2]


class Server(NamedTuple):
    """A service that runs."""

    url: str
    program: Program

    @property
    def pid(self) -> int:
        """Of its process."""
        return self.program.pid

    @property
    def port(self) -> int:
        """Where it listens."""
        found = re.search(r":(\d+)/$", self.url)
        assert found is not None
        return int(found[1])

    @property
    def log(self) -> str:
        """What it has said so far."""
        return self.program.log.read_text()


@contextmanager
def started_server(model: Path, folder: Path, *options: str, env: Mapping[str, str] | None = None) -> Iterator[Server]:
    """`textsieve serve` with a model; what it says is in a file in the folder."""
    command = [sys.executable, "-m", "textsieve", "serve", str(model), "--port", "0", *options]
    program = Program(command, {**os.environ, **(env or {})}, folder / "serve.log")
    try:
        yield Server(program.says(r"(http://\S+/)"), program)
    finally:
        program.stop()
