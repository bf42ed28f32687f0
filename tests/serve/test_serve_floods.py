"""Whatever a client without the token sends or does not read, memory stays bounded and others are served."""

from __future__ import annotations

import json
import random
import resource
import socket
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from unittest.mock import Mock

import pytest
from uvicorn import Config
from uvicorn.server import ServerState

from tests.serve.floods import FLOODS, GET, WHOLE, flood, forget_peak, honest_client, resident
from tests.serve.malformed import parsed
from tests.serve.servers import Server, ask, started_server
from textsieve.serve.limits import Limits
from textsieve.serve.protocol import MOST_HEADERS, bounded_protocol
from textsieve.serve.running import TOKEN, possible_connections

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
"""The others are sent by `make serve-malformed`."""


@pytest.fixture(scope="module")
def guarded(models: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with started_server(models["one"], tmp_path_factory.mktemp("guarded"), env={TOKEN: SECRET}) as server:
        yield server


@pytest.fixture(scope="module")
def unguarded(models: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with started_server(models["one"], tmp_path_factory.mktemp("open")) as server:
        yield server


@pytest.mark.parametrize("kind", IN_TESTS)
@pytest.mark.parametrize("server", ["guarded", "unguarded"])
def test_a_flood_fills_no_memory_and_shuts_nobody_out(server: str, kind: str, request: pytest.FixtureRequest) -> None:
    flooded: Server = request.getfixturevalue(server)
    forget_peak(flooded.pid)
    before = resident(flooded.pid)
    with honest_client(flooded.port, WHOLE.replace(b"\r\n\r\n", b"\r\nAuthorization: Bearer secret" + LAST)) as honest:
        flood(flooded.port, FLOODS[kind], SECONDS)
    assert resident(flooded.pid, "VmHWM") - before < GROWTH
    assert not honest.failures
    assert honest.waits
    assert "Traceback" not in flooded.log


def test_a_new_client_gets_in_where_others_hold_all_connections(guarded: Server) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    n_connections = Limits().connections + 50
    if soft < 2 * n_connections:
        resource.setrlimit(resource.RLIMIT_NOFILE, (2 * n_connections, hard))
    with ExitStack() as stack:
        address = ("127.0.0.1", guarded.port)
        idle = [stack.enter_context(socket.create_connection(address, timeout=60)) for _ in range(n_connections)]
        assert ask(guarded, "/v1/predict", {"texts": ["goal"]}, authorization=f"Bearer {SECRET}").status == 200
        with suppress(ConnectionResetError):
            assert idle[0].recv(1) == b""  # the first was cut off
        idle[-1].sendall(GET)
        assert idle[-1].recv(1 << 16).startswith(b"HTTP/1.1 200 OK")


def test_requests_in_a_row_are_answered_however_they_arrive(unguarded: Server) -> None:
    """One by one, each after the last, wherever the reads of the server are cut."""
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
        assert [answer.status for answer in parsed(got)] == [*(statuses[kind] for kind in row), 200]


def test_a_request_has_so_many_headers_at_most(unguarded: Server) -> None:
    for more, status in ((MOST_HEADERS - 2, 200), (MOST_HEADERS - 1, 431)):
        with socket.create_connection(("127.0.0.1", unguarded.port), timeout=60) as connection:
            connection.sendall(GET[:-2] + b"X: y\r\n" * more + LAST[2:])
            assert connection.recv(1 << 16).startswith(b"HTTP/1.1 %d " % status)


def test_a_connection_whose_response_is_still_read_is_not_closed_for_want_of_a_request() -> None:
    async def app(scope: object, receive: object, send: object) -> None: ...

    loop, transport = Mock(time=lambda: 0.0), Mock()
    transport.is_closing.return_value, transport.get_write_buffer_size.return_value = False, 1 << 20
    config = Config(app, lifespan="off", ws="none")
    protocol = bounded_protocol(30.0, 10)(config, ServerState(), {}, loop)
    protocol.connection_made(transport)
    protocol.pause_writing()
    protocol.timeout_keep_alive_handler()
    transport.close.assert_not_called()
    transport.abort.assert_not_called()
    transport.get_write_buffer_size.return_value = 0
    protocol.resume_writing()
    protocol.timeout_keep_alive_handler()
    transport.close.assert_called_once()


@pytest.mark.parametrize(
    ("soft", "hard", "raised", "most"),
    [(1024, 1 << 20, 2064, 1000), (1 << 20, 1 << 20, None, 1000), (256, 1024, 1024, 480), (256, 256, None, 96)],
)
def test_connections_need_open_files(
    monkeypatch: pytest.MonkeyPatch, soft: int, hard: int, raised: int | None, most: int
) -> None:
    changed: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: (soft, hard))
    monkeypatch.setattr(resource, "setrlimit", lambda _, limits: changed.append(limits))
    assert possible_connections(1000) == most
    assert changed == ([] if raised is None else [(raised, hard)])
