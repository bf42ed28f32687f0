"""HTTP as uvicorn speaks it, with an end to the patience for the head of a request.

uvicorn waits for a head as long as it takes, and takes as much of it as comes. Here a connection is closed that has not
sent a whole head some seconds after it was opened, or after the first byte of a later request, or whose head grows too
long.
"""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_SECONDS = 20.0
MOST_HEAD = 64 << 10
"""Bytes of a head; a little more if they come at once."""


class PatientProtocol(HttpToolsProtocol):
    """One connection."""

    _head_bytes = 0
    _in_head = True
    _alarm: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """Wait for the first head."""
        super().connection_made(transport)
        self._await_head()

    def on_message_begin(self) -> None:
        """Wait for the rest of a head."""
        super().on_message_begin()
        if self._alarm is None:
            self._await_head()

    def on_headers_complete(self) -> None:
        """The head is there."""
        self._stop_waiting()
        super().on_headers_complete()

    def data_received(self, data: bytes) -> None:
        """Take what comes, unless it is a head without an end."""
        super().data_received(data)
        if self._in_head and self._alarm is not None:
            self._head_bytes += len(data)
            if self._head_bytes > MOST_HEAD:
                self._end()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing is waited for any more."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _await_head(self) -> None:
        self._in_head, self._head_bytes = True, 0
        self._alarm = self.loop.call_later(HEAD_SECONDS, self._end)

    def _stop_waiting(self) -> None:
        self._in_head = False
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    def _end(self) -> None:
        self._stop_waiting()
        if not self.transport.is_closing():
            self.send_400_response("The head of the request is too long, or did not come in time.")
