"""Clients without a token can neither fill the memory nor lock out others."""

from __future__ import annotations

import json
import random
import resource
import socket
from collections.abc import Callable, Coroutine, Iterator
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from typing import Any, cast
from unittest.mock import Mock

import pytest
from uvicorn import Config
from uvicorn.server import ServerState

from tests.serve.floods import FLOODS, GET, POST, WHOLE, flood, forget_peak, normal_client, resident
from tests.serve.malformed import parse_responses
from tests.serve.servers import Server, running_server, send
from textsieve.serve import protocol as protocol_module
from textsieve.serve.limits import Limits
from textsieve.serve.protocol import MAX_HEAD, MAX_HEADERS, SLOW_SECONDS, bounded_protocol
from textsieve.serve.server import TOKEN_VARIABLE, allowed_connections

SECRET = "secret"
SECONDS = 1.0
GROWTH = 50 << 20
LAST = b"\r\nConnection: close\r\n\r\n"
IN_TESTS = (
    "pipelined, read slowly",
    "pipelined, never read",
    "pipelined with bodies",
    "expectations",
    "tiny chunks",
    "endless heads",
)
"""`make serve-malformed` sends the others."""


@pytest.fixture(scope="module")
def guarded(models: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running_server(models["single"], tmp_path_factory.mktemp("guarded"), env={TOKEN_VARIABLE: SECRET}) as server:
        yield server


@pytest.fixture(scope="module")
def unguarded(models: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running_server(models["single"], tmp_path_factory.mktemp("open")) as server:
        yield server


@pytest.mark.slow
@pytest.mark.parametrize("kind", IN_TESTS)
@pytest.mark.parametrize("server", ["guarded", "unguarded"])
def test_a_flood_does_not_fill_memory_or_lock_out_others(
    server: str, kind: str, request: pytest.FixtureRequest
) -> None:
    flooded: Server = request.getfixturevalue(server)
    forget_peak(flooded.pid)
    before = resident(flooded.pid)
    with normal_client(flooded.port, WHOLE.replace(b"\r\n\r\n", b"\r\nAuthorization: Bearer secret" + LAST)) as normal:
        flood(flooded.port, FLOODS[kind], SECONDS)
    assert resident(flooded.pid, "VmHWM") - before < GROWTH
    assert not normal.failures
    assert normal.waits
    assert "Traceback" not in flooded.log


def test_a_new_client_can_connect_when_all_connections_are_idle(guarded: Server) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    n_connections = Limits().connections + 50
    if soft < 2 * n_connections:
        resource.setrlimit(resource.RLIMIT_NOFILE, (2 * n_connections, hard))
    with ExitStack() as stack:
        address = ("127.0.0.1", guarded.port)
        idle = [stack.enter_context(socket.create_connection(address, timeout=60)) for _ in range(n_connections)]
        assert send(guarded, "/v1/predict", {"texts": ["goal"]}, authorization=f"Bearer {SECRET}").status == 200
        with suppress(ConnectionResetError):
            assert idle[0].recv(1) == b""  # the first was cut off
        idle[-1].sendall(GET)
        assert idle[-1].recv(1 << 16).startswith(b"HTTP/1.1 200 OK")


def test_pipelined_requests_are_answered_however_they_are_split(unguarded: Server) -> None:
    """They are answered one after the other, wherever the input is split."""
    draw = random.Random(3)
    body = json.dumps({"texts": ["a\r\n\r\nb", "goal"]}).encode() + b"\r\n\r\n"
    post = b"POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    chunked = b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in (body[:5], body[5:])) + b"0\r\nX: y\r\n\r\n"
    kinds = [
        GET,
        GET.replace(b"GET /healthz", b"HEAD /"),
        GET.replace(b"/healthz", b"/nothing"),
        b"\r\n" + GET,
        post + b"Content-Length: %d\r\n\r\n%b" % (len(body), body),
        post + b"Transfer-Encoding: chunked\r\n\r\n" + chunked,
        post.replace(b"predict", b"nothing") + b"Content-Length: %d\r\n\r\n%b" % (len(body), body),
    ]
    statuses = [200, 200, 404, 200, 200, 200, 404]
    for _ in range(20):
        row = draw.choices(range(len(kinds)), k=30)
        sent = b"".join(kinds[kind] for kind in row) + GET.replace(b"\r\n\r\n", LAST)
        cuts = sorted(draw.sample(range(len(sent)), draw.choice([0, 5, 100])))
        got = b""
        with socket.create_connection(("127.0.0.1", unguarded.port), timeout=60) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for begin, end in zip([0, *cuts], [*cuts, len(sent)], strict=True):
                connection.sendall(sent[begin:end])
            while more := connection.recv(1 << 16):
                got += more
        assert [answer.status for answer in parse_responses(got)] == [*(statuses[kind] for kind in row), 200]


def test_too_many_headers_are_an_error(unguarded: Server) -> None:
    for more, status in ((MAX_HEADERS - 2, 200), (MAX_HEADERS - 1, 431)):
        with socket.create_connection(("127.0.0.1", unguarded.port), timeout=60) as connection:
            connection.sendall(GET[:-2] + b"X: y\r\n" * more + LAST[2:])
            assert connection.recv(1 << 16).startswith(b"HTTP/1.1 %d " % status)


class ManualLoop:
    """An event loop without sockets: the test runs scheduled calls and moves the clock."""

    def __init__(self) -> None:
        self.now = 0.0
        self.soon: list[Callable[[], object]] = []
        self.later: list[tuple[float, Mock, Callable[[], object]]] = []

    def time(self) -> float:
        return self.now

    def call_soon(self, call: Callable[..., object], *arguments: object) -> None:
        self.soon.append(partial(call, *arguments))

    def call_later(self, seconds: float, call: Callable[..., object], *arguments: object) -> Mock:
        handle = Mock()
        self.later.append((self.now + seconds, handle, partial(call, *arguments)))
        return handle

    def create_task(self, coroutine: Coroutine[object, object, object], **_: object) -> Mock:
        coroutine.close()  # the application never answers
        return Mock()

    def run_soon(self) -> None:
        while self.soon:
            self.soon.pop(0)()

    def pass_time(self, seconds: float) -> None:
        self.now += seconds
        due = [timer for timer in self.later if timer[0] <= self.now]
        self.later = [timer for timer in self.later if timer[0] > self.now]
        for _, handle, call in due:
            if not handle.cancel.called:
                call()


class Connections:
    """Connections of one server, whose clients are played by the test."""

    def __init__(self, n_connections: int, seconds: float = 30.0) -> None:
        async def app(scope: object, receive: object, send: object) -> None: ...

        self.loop, self.log, state = ManualLoop(), list[str](), ServerState()
        self.kind = bounded_protocol(seconds, 1000, self.log.append)
        self.protocols = [
            self.kind(Config(app, lifespan="off", ws="none"), state, {}, cast(Any, self.loop))
            for _ in range(n_connections)
        ]
        for protocol in self.protocols:
            transport = Mock()
            transport.is_closing.return_value, transport.get_write_buffer_size.return_value = False, 0
            protocol.connection_made(transport)

    def is_cut_off(self, number: int) -> bool:
        return bool(self.transport(number).abort.called)

    @property
    def n_cut_off(self) -> int:
        return sum(map(self.is_cut_off, range(len(self.protocols))))

    def transport(self, number: int) -> Mock:
        return cast(Any, self.protocols[number])._writer._transport  # type: ignore[no-any-return]

    def unread(self, number: int, size: int) -> None:
        self.transport(number).get_write_buffer_size.return_value = size


def head_of(n_bytes: int, body: bytes) -> bytes:
    """Return the head of a request with a body, or without one if it is empty, of exactly this many bytes."""
    start = b"POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\nX: " % len(body)
    if not body:
        start = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: "
    return start + b"x" * (n_bytes - len(start) - 4) + b"\r\n\r\n"


@pytest.mark.parametrize("n_more", [0, 1])
@pytest.mark.parametrize("body", [b"", b"{}", b"\r\n\r\n" * 9000], ids=["none", "short", "long"])
@pytest.mark.parametrize("size", [7, 1000, MAX_HEAD - 1, MAX_HEAD - 2, MAX_HEAD, MAX_HEAD + 1, 1 << 20])
def test_the_limit_of_a_head_is_exact(size: int, body: bytes, n_more: int) -> None:
    """It does not depend on the pieces in which the head arrives, nor on what follows in the same piece."""
    connections = Connections(1)
    (protocol,), transport = connections.protocols, connections.transport(0)
    transport.close.side_effect = lambda: setattr(transport.is_closing, "return_value", True)
    request = head_of(MAX_HEAD + n_more, body) + body
    for begin in range(0, len(request), size):
        if not transport.is_closing():
            protocol.data_received(request[begin : begin + size])
            connections.loop.run_soon()
    written = b"".join(call.args[0] for call in transport.write.call_args_list)
    assert written[:12] == (b"HTTP/1.1 431" if n_more else b"")
    assert (protocol.cycle is None) == bool(n_more), "the application gets the request"


def test_a_connection_stays_open_while_its_response_is_read() -> None:
    connections = Connections(1)
    (protocol,), transport = connections.protocols, connections.transport(0)
    connections.unread(0, 1 << 20)
    protocol.pause_writing()
    protocol.timeout_keep_alive_handler()
    transport.close.assert_not_called()
    transport.abort.assert_not_called()
    connections.unread(0, 0)
    protocol.resume_writing()
    protocol.timeout_keep_alive_handler()
    transport.close.assert_called_once()


def test_large_uploads_pause_other_connections_without_cutting_off_any(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol_module, "MAX_HELD", 1 << 20)
    connections = Connections(21)
    body = b" " * 200_000
    for protocol in connections.protocols[:20]:
        protocol.data_received(POST + b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
    idle = connections.protocols[20]
    assert idle.flow.read_paused
    connections.loop.run_soon()
    assert connections.n_cut_off == 0
    assert not any(protocol.cycle.more_body for protocol in connections.protocols[:20])
    assert [len(protocol.cycle.body) for protocol in connections.protocols[:20]] == [len(body)] * 20
    assert not idle.flow.read_paused


def test_input_behind_an_unanswered_request_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol_module, "MAX_HELD", 1 << 20)
    connections = Connections(20)
    connections.unread(3, 1000)
    connections.protocols[3].pause_writing()
    for protocol in connections.protocols:
        protocol.data_received(GET * (100_000 // len(GET)))
        connections.loop.run_soon()
    assert sum(len(protocol.unparsed) for protocol in connections.kind.held.waiting) <= 1 << 20
    assert 9 <= connections.n_cut_off <= 10
    assert connections.is_cut_off(3)
    assert "1,000 bytes of a response unread" in connections.log[0]  # this client did not read, so it was the first
    assert not connections.is_cut_off(19)


def test_clients_that_read_large_responses_steadily_are_not_cut_off() -> None:
    connections = Connections(6)
    size = 38 << 20
    for number, protocol in enumerate(connections.protocols):
        connections.unread(number, size)
        protocol.pause_writing()
    for second in range(1, 30):
        for number in range(6):
            connections.unread(number, size - (second << 20))
        connections.loop.pass_time(1.0)
    assert connections.n_cut_off == 0
    assert not connections.log


def test_slow_clients_are_cut_off_when_unread_responses_are_too_large() -> None:
    connections = Connections(4)
    for number, protocol in enumerate(connections.protocols):
        connections.unread(number, 20 << 20)
        protocol.pause_writing()
    connections.unread(2, 19 << 20)
    connections.loop.pass_time(SLOW_SECONDS)
    assert [connections.is_cut_off(number) for number in range(4)] == [True, True, False, True]
    assert len(connections.log) == 3
    assert "cut off with 20,971,520 bytes of a response unread" in connections.log[0]


def test_unread_responses_of_fast_clients_are_limited() -> None:
    connections = Connections(20)
    for number, protocol in enumerate(connections.protocols):
        connections.unread(number, 40 << 20)
        protocol.pause_writing()
    assert [connections.is_cut_off(number) for number in range(20)] == [True] * 8 + [False] * 12


def test_a_client_that_reads_nothing_is_cut_off_after_the_time_limit() -> None:
    connections = Connections(1)
    connections.unread(0, 1000)
    connections.protocols[0].pause_writing()
    for _ in range(5):
        connections.loop.pass_time(SLOW_SECONDS)
    assert connections.n_cut_off == 0
    connections.loop.pass_time(SLOW_SECONDS)
    assert connections.n_cut_off == 1
    assert "in 30 seconds" in connections.log[0]


@pytest.mark.parametrize(
    ("soft", "hard", "raised", "most"),
    [(1024, 1 << 20, 2064, 1000), (1 << 20, 1 << 20, None, 1000), (256, 1024, 1024, 480), (256, 256, None, 96)],
)
def test_the_limit_of_open_files_is_raised_for_connections(
    monkeypatch: pytest.MonkeyPatch, soft: int, hard: int, raised: int | None, most: int
) -> None:
    changed: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: (soft, hard))
    monkeypatch.setattr(resource, "setrlimit", lambda _, limits: changed.append(limits))
    assert allowed_connections(1000) == most
    assert changed == ([] if raised is None else [(raised, hard)])
