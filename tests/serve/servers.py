"""Run `textsieve serve` as a process on a free port of this machine, and send requests to it."""

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
    """A running service."""

    url: str
    program: Program

    @property
    def pid(self) -> int:
        """Return the id of its process."""
        return self.program.pid

    @property
    def port(self) -> int:
        """Return the port that it listens on."""
        match = re.search(r":(\d+)/$", self.url)
        assert match is not None
        return int(match[1])

    @property
    def log(self) -> str:
        """Return its output so far."""
        return self.program.log.read_text()


@contextmanager
def running_server(model: Path, folder: Path, *options: str, env: Mapping[str, str] | None = None) -> Iterator[Server]:
    """Run `textsieve serve` with a model; its output goes to a file in the folder."""
    command = [sys.executable, "-m", "textsieve", "serve", str(model), "--port", "0", *options]
    program = Program(command, {**os.environ, **(env or {})}, folder / "serve.log")
    try:
        yield Server(program.says(r"(http://\S+/)"), program)
    finally:
        program.stop()


ERROR_FIELDS = {"code", "message", "setting", "value", "allowed", "hint", "place"}
"""The fields that an error may have; the first two are always there."""


class Response(NamedTuple):
    """A response of the service."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """Return the body as JSON, which has no infinite numbers."""
        return json.loads(self.body, parse_constant=_no_number)

    @property
    def code(self) -> str:
        """Return the code of an error."""
        assert self.json.keys() == {"error"}
        assert {"code", "message"} <= self.json["error"].keys() <= ERROR_FIELDS
        return str(self.json["error"]["code"])


def _no_number(name: str) -> Any:
    raise AssertionError(f"{name} is not a number in JSON")


def send(server: Server, path: str, body: Any = None, method: str | None = None, **headers: str) -> Response:
    """Send a request: a POST if there is a body, which is JSON unless it is bytes; names of headers have _ for -."""
    all_headers = {name.replace("_", "-"): value for name, value in headers.items()}
    if body is not None:
        all_headers = {"content-type": "application/json", **all_headers}
        body = body if isinstance(body, bytes) else json.dumps(body).encode()
    connection = HTTPConnection("127.0.0.1", server.port, timeout=60)
    try:
        connection.request(method or ("GET" if body is None else "POST"), path, body, all_headers)
        response = connection.getresponse()
        response_headers = {name.lower(): value for name, value in response.getheaders()}
        return Response(response.status, response_headers, response.read())
    finally:
        connection.close()


# -- the state of a service ------------------------------------------------------------------------------------------


def model_id(server: Server) -> str:
    """Return the id of the model in use."""
    return str(send(server, "/v1/model").json["id"])


def metric(server: Server, name: str) -> float:
    """Return the value of a metric, or 0 if there is none."""
    values = re.findall(rf"^{re.escape(name)} (\S+)$", send(server, "/metrics").body.decode(), re.M)
    return float(values[0]) if values else 0.0


def n_waiting(server: Server) -> float:
    """Return the number of requests without a response."""
    return metric(server, "textsieve_requests_waiting")


def n_predicted(server: Server) -> float:
    """Return the number of successful requests for predictions."""
    return metric(server, 'textsieve_requests_total{path="/v1/predict",status="200"}')


def reload_counts(server: Server) -> dict[str, float]:
    """Return the number of reloads by outcome, without outcomes that did not occur."""
    counts = re.findall(
        r'^textsieve_reloads_total{outcome="(\w+)"} (\S+)$', send(server, "/metrics").body.decode(), re.M
    )
    return {outcome: float(count) for outcome, count in counts if float(count)}


def replace_file(path: Path, data: bytes) -> None:
    """Replace a file at once, so that no half-written file is ever seen."""
    other = path.with_suffix(".part")
    other.write_bytes(data)
    os.replace(other, path)
