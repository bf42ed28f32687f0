"""A service as its users have it: a process of its own, on a free port of this machine, gone at the end."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, NamedTuple

from tests.processes import Program


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


class Answer(NamedTuple):
    """What a service answered."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body as JSON, which has no infinite numbers."""
        return json.loads(self.body, parse_constant=_no_number)

    @property
    def code(self) -> str:
        """The word of an error."""
        assert self.json.keys() == {"error"}
        assert self.json["error"].keys() == {"code", "message"}
        return str(self.json["error"]["code"])


def _no_number(name: str) -> Any:
    raise AssertionError(f"{name} is no number in JSON")


def ask(server: Server, path: str, body: Any = None, method: str | None = None, **headers: str) -> Answer:
    """Ask for something: with a body by POST, as JSON unless it is bytes; names of headers have _ for -."""
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    if body is not None:
        sent = {"content-type": "application/json", **sent}
        body = body if isinstance(body, bytes) else json.dumps(body).encode()
    connection = HTTPConnection("127.0.0.1", server.port, timeout=60)
    try:
        connection.request(method or ("GET" if body is None else "POST"), path, body, sent)
        found = connection.getresponse()
        return Answer(found.status, {name.lower(): value for name, value in found.getheaders()}, found.read())
    finally:
        connection.close()
