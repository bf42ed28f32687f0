"""HTTP as uvicorn speaks it, with an end to the patience for a request, and with answers in one piece.

uvicorn waits for a request as long as it takes, and takes as much of its head as comes. Here a connection is closed
that has not sent a whole request some seconds after it was opened, or after the first byte of a later request, or whose
head grows too long.

It also waits without end for a caller who does not take an answer, which it keeps as long. Here a connection of which
nothing is taken for as many seconds is cut.

uvicorn also sends the head of an answer before its body, and a small answer then takes two calls to the system, and the
caller is woken twice. Here the head waits for the body, which comes at once.
"""

from __future__ import annotations

import asyncio
from typing import Any, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from .refusals import Refused

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
        """Send, or keep for a moment; an answer that nobody can take any more is dropped."""
        if self._transport.is_closing():
            return
        if self._head:
            data, self._head = self._head + data, b""
        elif data.startswith(b"HTTP/1.1 ") and data.endswith(b"\r\n\r\n") and not data.startswith(b"HTTP/1.1 100"):
            self._head = data
            return
        self._transport.write(data)

    def flush(self) -> None:
        """Send what was kept: no body came, because nobody asked for one (HEAD)."""
        if self._head:
            self.write(b"")

    def close(self) -> None:
        """Send what was kept, and end."""
        self.flush()
        self._transport.close()


def patient_for(seconds: float) -> type[PatientProtocol]:
    """The protocol that waits so long for a request."""
    return type("PatientProtocol", (PatientProtocol,), {"seconds": seconds})


class PatientProtocol(HttpToolsProtocol):
    """One connection."""

    seconds = 30.0
    """In which a request has to be whole."""

    _unused = 0  # bytes since the request began, or since the last that were of its body
    _waits = True  # for a request, or for the rest of one
    _alarm: asyncio.TimerHandle | None = None
    _untaken: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Wait for the first request."""
        self._whole = whole = InOnePiece(cast(asyncio.Transport, transport))  # uvloop has a class of its own
        super().connection_made(cast(Any, whole))
        self._set_alarm()

    def on_message_begin(self) -> None:
        """Wait for the rest of a request."""
        super().on_message_begin()
        self._waits, self._unused = True, 0

    def on_message_complete(self) -> None:
        """All of it is there."""
        self._stop_waiting()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """The answer is whole, also one without a body."""
        self._whole.flush()
        super().on_response_complete()

    def on_body(self, body: bytes) -> None:
        """A part of the body is there, so what comes next may be long again."""
        self._unused = 0
        super().on_body(body)

    def data_received(self, data: bytes) -> None:
        """Take what comes, unless it is a head without an end, or whatever else is no body."""
        self._unused += len(data)
        super().data_received(data)
        if not self._waits and not self._is_idle:  # nearly all requests come whole, and need no alarm
            return
        self._waits = True
        self._set_alarm()
        if self._unused > MOST_HEAD:
            self._end(Refused("head_too_long", f"The head of a request may have {MOST_HEAD:,} bytes; send less."))

    @property
    def _is_idle(self) -> bool:
        """Whether all that was asked is answered, so that what has come is a beginning, or nothing but line ends."""
        return self.cycle is not None and self.cycle.response_complete

    def send_400_response(self, msg: str) -> None:
        """What is no HTTP is answered as all else that is wrong."""
        self._end(Refused("malformed", "This is no request of HTTP/1.1 as the standard has it."))

    # -- a caller who does not take the answer ---------------------------------------------------------------------

    def pause_writing(self) -> None:
        """More waits to be taken than is good: look from time to time whether it gets less."""
        super().pause_writing()
        if self._untaken is None:
            self._look_at_untaken(None)

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing is waited for any more."""
        self._stop_waiting()
        if self._untaken is not None:
            self._untaken.cancel()
        super().connection_lost(exc)

    def timeout_keep_alive_handler(self) -> None:
        """Nothing was asked for a while: end, even if the last answer was not taken."""
        if self._whole.get_write_buffer_size():
            self._whole.abort()
        else:
            super().timeout_keep_alive_handler()

    def _look_at_untaken(self, before: int | None) -> None:
        left: int = self._whole.get_write_buffer_size()
        self._untaken = None
        if left and left == before:
            self._whole.abort()
        elif left:
            self._untaken = self.loop.call_later(self.seconds, self._look_at_untaken, left)

    # -- a request that does not come ------------------------------------------------------------------------------

    def _set_alarm(self) -> None:
        if self._alarm is None and not self.transport.is_closing():
            self._alarm = self.loop.call_later(self.seconds, self._too_late)

    def _stop_waiting(self) -> None:
        self._waits = False
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    def _too_late(self) -> None:
        about = f"The request was not whole after {self.seconds:g} seconds; send it at once."
        self._end(Refused("too_slow", about))

    def _end(self, refused: Refused) -> None:
        """Say why, unless an answer has begun, and close."""
        self._stop_waiting()
        if self.transport.is_closing():
            return
        if self.cycle is None or not self.cycle.response_started or self.cycle.response_complete:
            self.transport.write(refused.whole)
        self.transport.close()
