"""HTTP as uvicorn speaks it, with an end to the patience for a request, and with answers in one piece.

uvicorn waits for a request as long as it takes, and takes as much of its head as comes. Here a connection is closed
that has not sent a whole request some seconds after it was opened, or after the first byte of a later request, or whose
head grows too long.

uvicorn also sends the head of an answer before its body, and a small answer then takes two calls to the system, and the
caller is woken twice. Here the head waits for the body, which comes at once.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

REQUEST_SECONDS = 30.0
MOST_HEAD = 64 << 10
"""Bytes of a head; a little more if they come at once."""


class InOnePiece:
    """A transport that keeps the head of an answer until its body comes."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._head = b""

    def __getattr__(self, name: str) -> Any:
        """All else is as it is."""
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Send, or keep for a moment."""
        if self._head:
            data, self._head = self._head + data, b""
        elif data.startswith(b"HTTP/1.1 ") and data.endswith(b"\r\n\r\n") and not data.startswith(b"HTTP/1.1 100"):
            self._head = data
            return
        self._transport.write(data)

    def close(self) -> None:
        """Send what was kept, and end."""
        if self._head:
            self.write(b"")
        self._transport.close()


class PatientProtocol(HttpToolsProtocol):
    """One connection."""

    _head_bytes = 0
    _in_head = True
    _alarm: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Wait for the first request."""
        whole: Any = InOnePiece(transport)  # type: ignore[arg-type]
        super().connection_made(whole)
        self._await_request()

    def on_message_begin(self) -> None:
        """Wait for the rest of a request."""
        super().on_message_begin()
        if self._alarm is None:
            self._await_request()

    def on_headers_complete(self) -> None:
        """The head is there."""
        self._in_head = False
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """All of it is there."""
        self._stop_waiting()
        super().on_message_complete()

    def data_received(self, data: bytes) -> None:
        """Take what comes, unless it is a head without an end."""
        super().data_received(data)
        if self._in_head and self._alarm is not None:
            self._head_bytes += len(data)
            if self._head_bytes > MOST_HEAD:
                self._end("431 Request Header Fields Too Large", "The head of the request is too long.")

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing is waited for any more."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _await_request(self) -> None:
        self._in_head, self._head_bytes = True, 0
        self._alarm = self.loop.call_later(REQUEST_SECONDS, self._too_late)

    def _stop_waiting(self) -> None:
        self._in_head = False
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    def _too_late(self) -> None:
        about = f"The request was not whole after {REQUEST_SECONDS:g} seconds; send it at once."
        self._end("408 Request Timeout", about)

    def _end(self, status: str, about: str) -> None:
        """Say why, unless an answer has begun, and close."""
        self._stop_waiting()
        if self.transport.is_closing():
            return
        if self.cycle is None or not self.cycle.response_started or self.cycle.response_complete:
            body = about.encode()
            head = f"HTTP/1.1 {status}\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: {len(body)}\r\n"
            self.transport.write(f"{head}connection: close\r\n\r\n".encode() + body)
        self.transport.close()
