"""Many clients of a web server at once, in one process: each sends a request when the last is answered.

A client is a connection that stays open. An answer that is not the expected one, and a connection that ends before its
answer is there, are counted. `python -m benchmarks.serve_clients HOST PORT CLIENTS SECONDS < REQUESTS` runs in a
process of its own, beside the server's, and prints what came out as JSON; the requests are JSON too: a list of
[request, status, bodies], where bodies are those that are right (None: any); all in Latin 1.
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


class Row(NamedTuple):
    """A request, and what is right to answer."""

    request: bytes
    status: bytes
    bodies: frozenset[bytes] | None


@dataclass
class Outcome:
    """What the clients saw."""

    latencies: array[float] = field(default_factory=lambda: array("d"))
    wrong: int = 0
    lost: int = 0
    first_wrong: str = ""
    ending: bool = False

    def to_dict(self, seconds: float) -> dict[str, Any]:
        """The same in numbers."""
        spent = np.frombuffer(self.latencies)
        cuts = np.percentile(spent, [50, 99, 99.9]).tolist() if len(spent) else [None] * 3
        shares = dict(zip(("p50", "p99", "p999"), cuts, strict=True))
        about = {"answers": len(spent), "wrong": self.wrong, "lost": self.lost, "first_wrong": self.first_wrong}
        worked = time.process_time()
        return {**about, "seconds": seconds, "per_second": len(spent) / seconds, "worked": worked, **shares}


class Client(asyncio.Protocol):
    """One connection."""

    def __init__(self, requests: list[Row], first: int, outcome: Outcome) -> None:
        self._requests, self._at, self._outcome = requests, first, outcome
        self._got = b""
        self._sent = 0.0
        self._waits = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        self._transport = cast(asyncio.Transport, transport)  # uvloop has a class of its own
        self._send()

    def _send(self) -> None:
        if self._outcome.ending:
            self._transport.close()
            return
        self._at = (self._at + 1) % len(self._requests)
        self._got, self._waits, self._sent = b"", True, time.perf_counter()
        self._transport.write(self._requests[self._at].request)

    def data_received(self, data: bytes) -> None:
        """Take the answer, or a part of it."""
        self._got += data
        head, found, body = self._got.partition(b"\r\n\r\n")
        if not found:
            return
        length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
        if len(body) < length:
            return
        self._outcome.latencies.append(time.perf_counter() - self._sent)
        _, status, bodies = self._requests[self._at]
        if head[9:12] != status or (bodies is not None and body not in bodies):
            self._outcome.wrong += 1
            self._outcome.first_wrong = self._outcome.first_wrong or self._got[:2000].decode("latin-1")
        self._waits = False
        self._send()

    def connection_lost(self, problem: Exception | None) -> None:
        """Count what was not answered, and connections that ended for no reason."""
        self._outcome.lost += self._waits or not self._outcome.ending


async def run(host: str, port: int, clients: int, seconds: float, requests: list[Row]) -> Outcome:
    """Let the clients work for so long; each then waits for its last answer."""
    loop, outcome = asyncio.get_running_loop(), Outcome()
    connections = [
        await loop.create_connection(partial(Client, requests, at * 7, outcome), host, port) for at in range(clients)
    ]
    await asyncio.sleep(seconds)
    outcome.ending = True
    for _ in range(100):
        if all(transport.is_closing() for transport, _ in connections):
            break
        await asyncio.sleep(0.1)
    for transport, _ in connections:
        transport.abort()
    await asyncio.sleep(0.1)
    return outcome


def _row(request: str, status: int, bodies: list[str] | None) -> Row:
    right = None if bodies is None else frozenset(body.encode("latin-1") for body in bodies)
    return Row(request.encode("latin-1"), str(status).encode(), right)


def main(host: str, port: str, clients: str, seconds: str) -> None:
    """Read the requests, run, and print what came out."""
    requests = [_row(*each) for each in json.load(sys.stdin)]
    begin = time.perf_counter()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        outcome = runner.run(run(host, int(port), int(clients), float(seconds), requests))
    print(json.dumps(outcome.to_dict(time.perf_counter() - begin)))


if __name__ == "__main__":
    main(*sys.argv[1:])
