"""A body of a gigabyte is not read: it is rejected by its announced length, or at the limit if it has none.

A client can send only a few megabytes before it gets the response, as much as the buffers of both sockets take.
"""

from __future__ import annotations

import asyncio
import gc
import json
import select
import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from starlette.types import ASGIApp, Message

from tests.serve.malformed import GOOD, PREDICT, parse_responses, post, problem_with, responses_to
from tests.serve.servers import Server, running_server
from textsieve.serve import Limits, create_app
from textsieve.serve.api_errors import ApiError
from textsieve.serve.schemas import PredictRequest

GIGABYTE = 1 << 30
LIMIT = 1 << 20
BUFFERS = 16 << 20
"""More bytes than the kernel buffers for two sockets."""
GROWTH = 32 << 20
"""Bytes by which the memory of the process may grow."""


@pytest.fixture(scope="module")
def server(models: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running_server(models["single"], tmp_path_factory.mktemp("large"), "--max-body", str(LIMIT)) as server:
        assert responses_to(server.port, post(b"/v1/predict", GOOD))[0].status == 200
        yield server


def resident(pid: int) -> int:
    """Return the number of bytes that a process has in memory."""
    line = next(line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) * 1024


def send_until_response(port: int, head: bytes, part: bytes, most: int) -> tuple[int, bytes]:
    """Send parts of a body until there is a response; return the number of bytes sent, and the response."""
    sent = 0
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(head)
        with suppress(ConnectionResetError, BrokenPipeError):
            while sent < most and not select.select([connection], [], [], 0)[0]:
                sent += connection.send(part)
        got = b""
        with suppress(ConnectionResetError):  # the server does not wait for the rest
            while data := connection.recv(1 << 16):
                got += data
    return sent, got


@pytest.mark.slow
@pytest.mark.parametrize("more", [b"", b"Expect: 100-continue\r\n"], ids=["at once", "asks first"])
def test_an_announced_gigabyte_is_not_read(server: Server, more: bytes) -> None:
    before = resident(server.pid)
    head = PREDICT + more + b"Content-Length: %d\r\n\r\n" % GIGABYTE
    sent, got = send_until_response(server.port, head, b" " * 65_536, GIGABYTE)
    (response,) = parse_responses(got)
    assert response.status == 413
    assert problem_with(response) is None
    assert f"{LIMIT:,} bytes" in response.body.decode()
    assert sent < BUFFERS
    assert resident(server.pid) - before < GROWTH


@pytest.mark.slow
def test_a_chunked_gigabyte_is_rejected_at_the_limit(server: Server) -> None:
    before = resident(server.pid)
    part = b"10000\r\n" + b" " * 65_536 + b"\r\n"
    sent, got = send_until_response(server.port, PREDICT + b"Transfer-Encoding: chunked\r\n\r\n", part, GIGABYTE)
    (response,) = parse_responses(got)
    assert response.status == 413
    assert problem_with(response) is None
    assert LIMIT <= sent < LIMIT + BUFFERS
    assert resident(server.pid) - before < GROWTH


def test_expect_100_continue_is_answered_for_bodies_within_the_limit(server: Server) -> None:
    head = PREDICT + b"Expect: 100-continue\r\nContent-Length: %d\r\n\r\n" % len(GOOD)
    assert [response.status for response in responses_to(server.port, head)] == [100]
    assert [response.status for response in responses_to(server.port, head + GOOD)] == [100, 200]


@pytest.mark.parametrize("path", [b"/v1/model", b"/nowhere", b"/", b"/v1/predict"])
@pytest.mark.parametrize("method", [b"GET", b"PUT", b"POST", b"DELETE"])
def test_every_route_rejects_a_gigabyte(server: Server, method: bytes, path: bytes) -> None:
    head = PREDICT.replace(b"POST /v1/predict", method + b" " + path) + b"Content-Length: %d\r\n\r\n" % GIGABYTE
    assert [response.status for response in responses_to(server.port, head)] == [413]


def test_announced_but_unsent_bodies_do_not_lock_out_others(server: Server) -> None:
    head = PREDICT + b"Content-Length: %d\r\n\r\n{" % LIMIT
    waiting = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(40)]
    for connection in waiting:
        connection.sendall(head)
    responses = responses_to(server.port, post(b"/v1/predict", GOOD))
    for connection in waiting:
        connection.close()
    assert [response.status for response in responses] == [200]


@pytest.mark.slow
@pytest.mark.parametrize("length", [LIMIT // 100, LIMIT // 2], ids=["short", "long"])
def test_rejected_requests_are_freed_at_once(models: dict[str, Path], length: int) -> None:
    """They do not wait for a garbage collection, which depends on the number of objects and not on their size."""
    app = create_app(str(models["single"]), limits=Limits(length=length - 1))
    body = json.dumps({"texts": ["a" * length]}).encode()
    gc.collect()
    gc.disable()
    try:
        before = live_objects()  # other tests may hold some
        statuses = [asyncio.run(status_of(app, body)) for _ in range(3)]
        after = live_objects()
    finally:
        gc.enable()
    assert statuses == [422] * 3
    assert after == before


def live_objects() -> list[int]:
    """Return the ids of all errors and requests in memory; `isinstance` would fail for some other objects."""
    return sorted(id(item) for item in gc.get_objects() if issubclass(type(item), ApiError | PredictRequest))


async def status_of(app: ASGIApp, body: bytes) -> int:
    """Return the status with which an application responds."""
    sent: list[Message] = []
    gone = asyncio.Event()
    messages = [{"type": "http.request", "body": body}]

    async def receive() -> Message:
        if not messages:
            await gone.wait()
        return messages.pop()

    async def send(message: Message) -> None:
        sent.append(message)

    headers = [(b"host", b"localhost"), (b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    await app({"type": "http", "method": "POST", "path": "/v1/predict", "headers": headers}, receive, send)
    return int(sent[0]["status"])
