"""A body of a gigabyte is refused without being read: by what it announces, or where it announces nothing at the limit.

What a client can send before it is told is what fits into the buffers of the two sockets, some megabytes.
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

from tests.serve.malformed import GOOD, PREDICT, answers_to, complaint, parsed, posted
from tests.serve.servers import Server, started_server
from textsieve.serve import Limits, create_app
from textsieve.serve.api_errors import ApiError
from textsieve.serve.schemas import PredictRequest

GIGABYTE = 1 << 30
LIMIT = 1 << 20
BUFFERS = 16 << 20
"""More than the kernel keeps for two sockets."""
GROWTH = 32 << 20
"""Bytes by which the memory of the process may be larger than before."""


@pytest.fixture(scope="module")
def server(models: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with started_server(models["one"], tmp_path_factory.mktemp("large"), "--max-body", str(LIMIT)) as found:
        assert answers_to(found.port, posted(b"/v1/predict", GOOD))[0].status == 200
        yield found


def resident(pid: int) -> int:
    """Bytes that a process has in memory."""
    line = next(line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) * 1024


def sent_until_told(port: int, head: bytes, part: bytes, most: int) -> tuple[int, bytes]:
    """How many bytes of a body a client gets rid of until there is an answer, and that answer."""
    sent = 0
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(head)
        with suppress(ConnectionResetError, BrokenPipeError):
            while sent < most and not select.select([connection], [], [], 0)[0]:
                sent += connection.send(part)
        got = b""
        with suppress(ConnectionResetError):  # it did not wait for the rest
            while data := connection.recv(1 << 16):
                got += data
    return sent, got


@pytest.mark.slow
@pytest.mark.parametrize("more", [b"", b"Expect: 100-continue\r\n"], ids=["at once", "asks first"])
def test_a_gigabyte_that_is_announced_is_not_read(server: Server, more: bytes) -> None:
    before = resident(server.pid)
    head = PREDICT + more + b"Content-Length: %d\r\n\r\n" % GIGABYTE
    sent, got = sent_until_told(server.port, head, b" " * 65_536, GIGABYTE)
    (answer,) = parsed(got)
    assert answer.status == 413
    assert complaint(answer) is None
    assert f"{LIMIT:,} bytes" in answer.body.decode()
    assert sent < BUFFERS
    assert resident(server.pid) - before < GROWTH


@pytest.mark.slow
def test_a_body_without_an_announced_length_is_refused_at_the_limit(server: Server) -> None:
    before = resident(server.pid)
    part = b"10000\r\n" + b" " * 65_536 + b"\r\n"
    sent, got = sent_until_told(server.port, PREDICT + b"Transfer-Encoding: chunked\r\n\r\n", part, GIGABYTE)
    (answer,) = parsed(got)
    assert answer.status == 413
    assert complaint(answer) is None
    assert LIMIT <= sent < LIMIT + BUFFERS
    assert resident(server.pid) - before < GROWTH


def test_who_asks_first_is_told_to_go_on_if_the_body_is_not_too_long(server: Server) -> None:
    head = PREDICT + b"Expect: 100-continue\r\nContent-Length: %d\r\n\r\n" % len(GOOD)
    assert [each.status for each in answers_to(server.port, head)] == [100]
    assert [each.status for each in answers_to(server.port, head + GOOD)] == [100, 200]


@pytest.mark.parametrize("path", [b"/v1/model", b"/nowhere", b"/", b"/v1/predict"])
@pytest.mark.parametrize("method", [b"GET", b"PUT", b"POST", b"DELETE"])
def test_no_route_takes_it(server: Server, method: bytes, path: bytes) -> None:
    head = PREDICT.replace(b"POST /v1/predict", method + b" " + path) + b"Content-Length: %d\r\n\r\n" % GIGABYTE
    assert [each.status for each in answers_to(server.port, head)] == [413]


def test_those_who_announce_much_and_send_nothing_do_not_shut_others_out(server: Server) -> None:
    head = PREDICT + b"Content-Length: %d\r\n\r\n{" % LIMIT
    waiting = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(40)]
    for connection in waiting:
        connection.sendall(head)
    found = answers_to(server.port, posted(b"/v1/predict", GOOD))
    for connection in waiting:
        connection.close()
    assert [each.status for each in found] == [200]


@pytest.mark.slow
@pytest.mark.parametrize("length", [LIMIT // 100, LIMIT // 2], ids=["short", "long"])
def test_what_is_refused_is_not_kept(models: dict[str, Path], length: int) -> None:
    """Not even until garbage is collected, which goes by the number of objects and not by their size."""
    app = create_app(str(models["one"]), limits=Limits(length=length - 1))
    body = json.dumps({"texts": ["a" * length]}).encode()
    gc.collect()
    gc.disable()
    try:
        before = those_there()  # other tests may have some in their hands
        statuses = [asyncio.run(status_of(app, body)) for _ in range(3)]
        kept = those_there()
    finally:
        gc.enable()
    assert statuses == [422] * 3
    assert kept == before


def those_there() -> list[int]:
    """Which refusals and questions are in memory; by `type`, since some objects of others object to being asked."""
    return sorted(id(each) for each in gc.get_objects() if issubclass(type(each), ApiError | PredictRequest))


async def status_of(app: ASGIApp, body: bytes) -> int:
    """The status with which an application answers."""
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
