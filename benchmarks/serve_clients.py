"""Many clients of a web server at once, in one process: each sends a request when it has its last response.

A client is a connection that stays open. Unexpected responses are counted, and so are connections that end before their
response. `python -m benchmarks.serve_clients HOST PORT CLIENTS SECONDS < REQUESTS` runs in a process of its own, beside
the server's, and prints its outcome as JSON. The requests are JSON as well: a list of [request, status, bodies], where
`bodies` are the accepted ones (null: any); all decoded as Latin-1.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from array import array
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple, cast

import numpy as np
import uvloop


class ExpectedResponse(NamedTuple):
    """A request, the expected status, and the accepted bodies (None: any)."""

    request: bytes
    status: bytes
    bodies: frozenset[bytes] | None


@dataclass
class Outcome:
    """Latencies and failures of all clients."""

    latencies: array[float] = field(default_factory=lambda: array("d"))
    wrong: int = 0
    lost: int = 0
    first_wrong: str = ""
    is_ending: bool = False

    def to_dict(self, seconds: float) -> dict[str, Any]:
        """Return the counts, percentiles and processor time."""
        latencies = np.frombuffer(self.latencies)
        values = np.percentile(latencies, [50, 99, 99.9]).tolist() if len(latencies) else [None] * 3
        percentiles = dict(zip(("p50", "p99", "p999"), values, strict=True))
        n_responses = len(latencies)
        counts = {"responses": n_responses, "wrong": self.wrong, "lost": self.lost, "first_wrong": self.first_wrong}
        worked = time.process_time()
        times = {"seconds": seconds, "per_second": n_responses / seconds, "worked": worked}
        return {**counts, **times, **percentiles}


class Client(asyncio.Protocol):
    """One connection."""

    def __init__(self, requests: list[ExpectedResponse], first: int, outcome: Outcome) -> None:
        self._requests, self._index, self._outcome = requests, first, outcome
        self._received = b""
        self._sent_at = 0.0
        self._waits = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Send the first request."""
        self._transport = cast(asyncio.Transport, transport)  # uvloop has its own class
        self._send()

    def _send(self) -> None:
        if self._outcome.is_ending:
            self._transport.close()
            return
        self._index = (self._index + 1) % len(self._requests)
        self._received, self._waits, self._sent_at = b"", True, time.perf_counter()
        self._transport.write(self._requests[self._index].request)

    def data_received(self, data: bytes) -> None:
        """Receive a response or a part of it, and send the next request."""
        self._received += data
        head, separator, body = self._received.partition(b"\r\n\r\n")
        if not separator:
            return
        length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
        if len(body) < length:
            return
        self._outcome.latencies.append(time.perf_counter() - self._sent_at)
        _, status, bodies = self._requests[self._index]
        if head[9:12] != status or (bodies is not None and body not in bodies):
            self._outcome.wrong += 1
            self._outcome.first_wrong = self._outcome.first_wrong or self._received[:2000].decode("latin-1")
        self._waits = False
        self._send()

    def connection_lost(self, problem: Exception | None) -> None:
        """Count a request without a response, or a connection that the server closed."""
        self._outcome.lost += self._waits or not self._outcome.is_ending


async def run(host: str, port: int, clients: int, seconds: float, requests: list[ExpectedResponse]) -> Outcome:
    """Run the clients for some seconds, then wait for their last responses."""
    loop, outcome = asyncio.get_running_loop(), Outcome()
    connections = [
        await loop.create_connection(partial(Client, requests, number * 7, outcome), host, port)
        for number in range(clients)
    ]
    await asyncio.sleep(seconds)
    outcome.is_ending = True
    for _ in range(100):
        if all(transport.is_closing() for transport, _ in connections):
            break
        await asyncio.sleep(0.1)
    for transport, _ in connections:
        transport.abort()
    await asyncio.sleep(0.1)
    return outcome


def _expected(request: str, status: int, bodies: list[str] | None) -> ExpectedResponse:
    accepted = None if bodies is None else frozenset(body.encode("latin-1") for body in bodies)
    return ExpectedResponse(request.encode("latin-1"), str(status).encode(), accepted)


def main(host: str, port: str, clients: str, seconds: str) -> None:
    """Read the requests, run the clients, and print the outcome."""
    requests = [_expected(*row) for row in json.load(sys.stdin)]
    begin = time.perf_counter()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        outcome = runner.run(run(host, int(port), int(clients), float(seconds), requests))
    print(json.dumps(outcome.to_dict(time.perf_counter() - begin)))


if __name__ == "__main__":
    main(*sys.argv[1:])
