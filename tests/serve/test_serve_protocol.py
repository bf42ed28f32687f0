"""Incomplete requests end after the time limit, and a response is sent in one piece."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.processes import wait_for
from tests.serve.servers import Server, metric, running_server, send

GET = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
LAST = GET.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
POST = b"POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 13\r\n\r\n"


@pytest.fixture(scope="module")
def hasty(models: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A service with a time limit of one second."""
    with running_server(models["single"], tmp_path_factory.mktemp("hasty"), "--timeout", "1") as server:
        yield server


def conversation(server: Server, *parts: bytes) -> bytes:
    """Send parts one after the other, and return everything that the server sends until it closes the connection."""
    received = b""
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
        for part in parts:
            connection.sendall(part)
            time.sleep(0.05)
        while more := connection.recv(1 << 16):
            received += more
    return received


@pytest.mark.slow
def test_a_request_may_arrive_in_parts(hasty: Server) -> None:
    received = conversation(
        hasty,
        GET[:10],
        GET[10:],
        POST[:50],
        POST[50:],
        b'{"texts"',
        b":[]}\n",
        GET.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"),
    )
    assert received.count(b"HTTP/1.1 200 OK") == 3
    assert received.count(b'{"status":"ok"}') == 2
    assert received.count(b'{"predictions":[]}') == 1


SLOW = {"nothing": b"", "half a head": GET[:20], "half a body": POST + b'{"tex', "line ends": b"\r\n\r\n"}


@pytest.mark.slow
@pytest.mark.parametrize("kind", list(SLOW))
def test_an_incomplete_request_ends_after_the_time_limit(hasty: Server, kind: str) -> None:
    for before in (b"", GET):
        if kind == "nothing" and before:
            continue  # an idle connection may wait for its next request
        received = conversation(hasty, before, SLOW[kind])
        assert received.count(b"HTTP/1.1 200 OK") == bool(before)
        assert received[received.rindex(b"HTTP/1.1") :].startswith(b"HTTP/1.1 408 Request Timeout")
        assert b"The request was not complete after 1 seconds. Send it without pauses." in received


def test_an_endless_head_is_an_error(hasty: Server) -> None:
    with socket.create_connection(("127.0.0.1", hasty.port), timeout=60) as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n")
        sent = 0
        try:
            while sent < 50 << 20:
                connection.sendall(b"X-More: " + b"x" * 8000 + b"\r\n")
                sent += 8010
        except OSError:
            pass
    assert 64 << 10 < sent < 20 << 20  # only what the buffers hold
    assert conversation(hasty, LAST).startswith(b"HTTP/1.1 200 OK")


def test_a_response_is_sent_in_one_piece(hasty: Server) -> None:
    with socket.create_connection(("127.0.0.1", hasty.port), timeout=60) as connection:
        for _ in range(20):
            connection.sendall(POST + b'{"texts":[] }')
            head, _, body = connection.recv(1 << 16).partition(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 200 OK")
            assert body == b'{"predictions":[]}'


def test_a_client_that_does_not_read_is_cut_off(hasty: Server) -> None:
    pages = GET.replace(b"/healthz", b"/") * 2000  # far more than what fits between two sockets
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 12)
        connection.settimeout(60)
        connection.connect(("127.0.0.1", hasty.port))
        connection.sendall(pages)
        client_port = connection.getsockname()[1]
        wait_for(lambda: client_port in connected(hasty) or None, lambda: "a connection")
        wait_for(lambda: client_port not in connected(hasty) or None, lambda: "its end")
    assert send(hasty, "/healthz").status == 200


def connected(server: Server) -> set[int]:
    """Return the ports of the clients that are connected to the service."""
    lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    ends = [(line[1].split(":")[1], line[2].split(":")[1], line[9]) for line in lines]
    of_process = {os.readlink(link) for link in Path(f"/proc/{server.pid}/fd").iterdir() if os.path.lexists(link)}
    return {
        int(other, 16)
        for local_port, other, inode in ends
        if int(local_port, 16) == server.port and f"socket:[{inode}]" in of_process
    }


REFUSED = {
    "no HTTP": (b"GARBAGE\r\n\r\n", 400),
    "two lengths": (GET.replace(b"\r\n\r\n", b"\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"), 400),
    "a long head": (GET.replace(b"\r\n\r\n", b"\r\nX: " + b"x" * 70_000 + b"\r\n\r\n"), 431),
    "many headers": (GET.replace(b"\r\n\r\n", b"\r\n" + b"X: 1\r\n" * 150 + b"\r\n"), 431),
}


@pytest.mark.parametrize("kind", list(REFUSED))
def test_requests_that_the_application_never_gets_are_recorded(hasty: Server, kind: str) -> None:
    request, status = REFUSED[kind]
    name = f'textsieve_requests_total{{path="other",status="{status}"}}'
    n_before, n_lines = metric(hasty, name), hasty.log.count(f" - other {status} ")
    assert conversation(hasty, request).startswith(b"HTTP/1.1 %d" % status)
    wait_for(lambda: hasty.log.count(f" - other {status} ") == n_lines + 1, lambda: hasty.log)
    assert metric(hasty, name) == n_before + 1


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "path"), [("half a head", "other"), ("half a body", "/v1/predict")])
def test_a_slow_request_is_recorded_with_the_status_that_its_client_gets(hasty: Server, kind: str, path: str) -> None:
    name = f'textsieve_requests_total{{path="{path}",status="408"}}'
    n_before, log = metric(hasty, name), hasty.log
    assert b"HTTP/1.1 408" in conversation(hasty, SLOW[kind])
    wait_for(lambda: f" {path} 408 10" in hasty.log[len(log) :], lambda: hasty.log)
    assert metric(hasty, name) == n_before + 1
    assert " 499 " not in hasty.log[len(log) :]


@pytest.mark.slow
def test_a_connection_without_a_request_is_not_recorded(hasty: Server) -> None:
    name = 'textsieve_requests_total{path="other",status="408"}'
    n_before = metric(hasty, name)
    assert b"HTTP/1.1 408" in conversation(hasty, SLOW["nothing"])
    assert metric(hasty, name) == n_before
