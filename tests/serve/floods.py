"""Hostile clients that need no token: many connections, pipelined requests, responses that nobody reads.

A flood is limited in time and in connections, and goes only to this machine.
"""

from __future__ import annotations

import select
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from threading import Event, Thread
from typing import NamedTuple

HOST = b"Host: 127.0.0.1\r\n"
GET = b"GET /healthz HTTP/1.1\r\n" + HOST + b"\r\n"
POST = b"POST /v1/predict HTTP/1.1\r\n" + HOST + b"Content-Type: application/json\r\n"
BODY = b'{"texts": ["a striker scored"]}'
WHOLE = POST + b"Content-Length: %d\r\n\r\n%b" % (len(BODY), BODY)


class Flood(NamedTuple):
    """Connections that each send `first` once and `again` repeatedly, and read some bytes at a time (0: nothing)."""

    connections: int
    first: bytes = b""
    again: bytes = b""
    reads: int = 0


FLOODS = {
    "pipelined, read slowly": Flood(1, again=GET * 2000, reads=100),
    "pipelined, never read": Flood(40, again=GET * 500),
    "pipelined, all read": Flood(10, again=GET * 500, reads=1 << 20),
    "pipelined with bodies": Flood(20, again=WHOLE * 500),
    "pages, never read": Flood(40, again=GET.replace(b"/healthz", b"/") * 500),
    "errors": Flood(20, again=GET.replace(b"/healthz", b"/nothing") * 500, reads=1 << 16),
    "expectations": Flood(20, again=WHOLE.replace(b"\r\n\r\n", b"\r\nExpect: 100-continue\r\n\r\n") * 200),
    "tiny chunks": Flood(20, POST + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n" * 5000),
    "trailers": Flood(20, POST + b"Transfer-Encoding: chunked\r\n\r\n0\r\n", b"X: y\r\n" * 5000),
    "endless heads": Flood(20, b"GET /healthz HTTP/1.1\r\n", b"X: y\r\n" * 5000),
    "an endless path": Flood(20, b"GET /", b"a" * 50_000),
    "many headers": Flood(100, again=GET[:-2] + b"X: y\r\n" * 90 + b"\r\n", reads=1 << 16),
    "half bodies": Flood(200, POST + b"Content-Length: 9000000\r\n\r\n" + b" " * 200_000),
    "half heads": Flood(500, GET[:30]),
    "idle": Flood(1500),
    "line ends": Flood(20, again=b"\r\n" * 20_000),
    "discarded bodies": Flood(
        20, POST.replace(b"predict", b"nothing") + b"Content-Length: 9000000\r\n\r\n", b" " * 9999
    ),
}


def flood(port: int, kind: Flood, seconds: float) -> tuple[int, int]:
    """Flood a server for some seconds, and return the number of bytes sent and of connections opened.

    A new connection replaces each one that the server closes.
    """
    end, n_bytes, n_opened = time.monotonic() + seconds, 0, 0
    left: dict[socket.socket, bytes] = {}
    try:
        while time.monotonic() < end:
            while len(left) < kind.connections and time.monotonic() < end:
                connection = socket.create_connection(("127.0.0.1", port), timeout=20)
                connection.setblocking(False)
                left[connection] = kind.first or kind.again
                n_opened += 1
            can_send = [connection for connection in left if left[connection]]
            poll = select.poll()
            for connection, unsent in left.items():
                poll.register(connection, (select.POLLOUT if unsent else 0) | (select.POLLIN if kind.reads else 0))
            ready = dict(poll.poll(100))
            for connection in list(left):
                events = ready.get(connection.fileno(), 0)
                try:
                    if events & select.POLLIN and not connection.recv(kind.reads):
                        raise ConnectionResetError
                    if events & (select.POLLOUT | select.POLLERR | select.POLLHUP) and connection in can_send:
                        sent = connection.send(left[connection])
                        n_bytes += sent
                        left[connection] = left[connection][sent:] or kind.again
                except BlockingIOError:
                    continue
                except OSError:
                    del left[connection]
                    connection.close()
    finally:
        for connection in left:
            connection.close()
    return n_bytes, n_opened


class ClientReport(NamedTuple):
    """What a normal client saw during a flood: the seconds until each response, and all failures."""

    waits: list[float]
    failures: list[str]


@contextmanager
def normal_client(port: int, request: bytes) -> Iterator[ClientReport]:
    """Send a request repeatedly, each time on a new connection, until the end of the block."""
    report, is_over = ClientReport([], []), Event()

    def send_requests() -> None:
        for _ in count():
            begin, got = time.monotonic(), b""
            try:
                with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
                    connection.sendall(request)
                    while more := connection.recv(1 << 16):
                        got += more
            except OSError as problem:
                report.failures.append(repr(problem))
            if not got.startswith(b"HTTP/1.1 200 "):
                report.failures.append(got[:200].decode("latin-1"))
            report.waits.append(time.monotonic() - begin)
            if is_over.wait(0.05):
                return

    thread = Thread(target=send_requests)
    thread.start()
    try:
        yield report
    finally:
        is_over.set()
        thread.join()


def resident(pid: int, what: str = "VmRSS") -> int:
    """Return the number of bytes that a process has in memory, or its peak (`VmHWM`)."""
    with open(f"/proc/{pid}/status") as status:
        (kilobytes,) = (line.split()[1] for line in status if line.startswith(f"{what}:"))
    return int(kilobytes) << 10


def forget_peak(pid: int) -> None:
    """Reset the peak memory of a process to its current memory."""
    with suppress(PermissionError), open(f"/proc/{pid}/clear_refs", "w") as file:
        file.write("5")
