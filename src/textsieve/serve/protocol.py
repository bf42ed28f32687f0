"""uvicorn's HTTP/1.1 protocol with limits on the time and the memory that a connection can take.

uvicorn waits for a request without a deadline, accepts a head (request line and headers) of any length, queues any
number of pipelined requests, and keeps a response until the client reads it. A client can do all of that without a
token, so here:

- A request has a time limit: the first one from the opening of the connection, later ones from their first byte until
  they are complete.
- The head of a request has a limit in bytes and in headers.
- A connection has one request at a time, and at most one more that waits for it (see `_parse_unparsed`). While a
  request is answered, or while the client has not read a response, further input is not parsed: the data of one more
  read, 256 kB at most, stays unparsed, and nothing else is read.
- A client that stops reading a response is cut off.
- The number of connections has a limit. Above it, the connections that have waited longest for their client are cut
  off, so that a new client gets in. If none of them waits for its client, the new client gets status 503.
- The bytes that all connections together hold in memory have a limit for each kind; see `HeldBytes`.

uvicorn also sends the head of a response before its body, which takes two system calls and wakes the client twice. Here
the head waits for the body, which follows immediately, and both are sent together.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from typing import Any, cast

import httptools
from starlette.types import Scope
from uvicorn.protocols.http.flow_control import HIGH_WATER_LIMIT, FlowControl
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from .api_errors import CLOSE, ApiError
from .guard import SENT_STATUS, RecordRequest

HEAD_END = b"\r\n\r\n"
BODY_HEADERS = frozenset({b"content-length", b"transfer-encoding"})
"""A request with one of these headers has a body."""
MIN_HEAD = len(b"GET / HTTP/1.1")
"""Bytes before the end of any valid head, so the search for its end can skip them."""
MAX_HEAD = 64 << 10
"""Limit of the overhead of a request, in bytes.

That is its head, from the request line to the empty line, and the headers of the chunks of its body, of which some are
free (`on_body`).
"""
PARSE_BYTES = 16 << 10
"""Bytes that are parsed before other connections get a turn; that takes milliseconds, even in chunks of one byte."""
MAX_HEADERS = 100
MAX_HELD = 32 << 20
"""Limit of the bytes that all connections together hold, for each kind in `HeldBytes`."""
MAX_UNREAD = 512 << 20
"""Limit of the bytes in unread responses of all connections, however fast their clients read."""
MIN_READ = 64 << 10
"""Bytes of a response that a client must read within the time limit of a request, if the response has as many."""
SLOW_SECONDS = 5.0
"""A client that reads less than `MIN_READ` in this time is slow.

Sockets pass on megabytes at a time, so at a shorter interval a client that reads steadily can look slow.
"""


class OneWriteTransport:
    """A transport that holds back the head of a response until its body follows."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._head = b""

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the wrapped transport."""
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Send data, or hold it back if it is the head of a response; drop it if the connection is closing."""
        if self._transport.is_closing():
            return
        if self._head:
            data, self._head = self._head + data, b""
        # "100 Continue" has no body, and the client waits for it.
        elif data.startswith(b"HTTP/1.1 ") and data.endswith(HEAD_END) and not data.startswith(b"HTTP/1.1 100"):
            self._head = data
            return
        self._transport.write(data)

    def flush(self) -> None:
        """Send a head that no body followed, as in a response to HEAD."""
        if self._head:
            self.write(b"")

    def close(self) -> None:
        """Send a head that was held back, and close."""
        self.flush()
        self._transport.close()


class HoldingFlow(FlowControl):
    """Flow control that does not resume reading from the client while the connection holds unparsed input."""

    is_held = False
    """True between `hold` and `release`."""

    def hold(self) -> None:
        """Stop reading until `release`, even if uvicorn asks to resume."""
        self.is_held = True
        self.pause_reading()

    def release(self) -> None:
        """Allow `resume_reading` again; this alone does not resume."""
        self.is_held = False

    def resume_reading(self) -> None:
        """Resume reading, unless held."""
        if not self.is_held:
            super().resume_reading()


class HeldBytes:
    """Bytes that the connections of one server hold, by kind; in each kind, the oldest entry comes first.

    - `parsing`: input whose turn to be parsed comes soon. Above `MAX_HELD`, no connection is read until at most half of
      `MAX_HELD` is left. No client is cut off, because parsing takes only milliseconds, and then the guard limits the
      bodies.
    - `waiting`: input that follows a request without a response, or that arrived before the client has read a response.
      Above `MAX_HELD`, connections are cut off, first those whose client does not read.
    - `unread`: responses. Above `MAX_HELD`, connections with slow clients are cut off; above `MAX_UNREAD`, any
      connections. A single response may be larger than both limits.
    """

    def __init__(self) -> None:
        self.parsing: dict[BoundedProtocol, int] = {}
        self.waiting: dict[BoundedProtocol, int] = {}
        self.unread: dict[BoundedProtocol, int] = {}
        self._is_paused = False
        self._paused: set[BoundedProtocol] = set()

    def count(self, connection: BoundedProtocol) -> None:
        """Update how many bytes a connection holds, and enforce the limits."""
        n_unparsed = len(connection.unparsed)
        next_request_must_wait = connection.next_request_must_wait
        _set_or_remove(self.parsing, connection, 0 if next_request_must_wait else n_unparsed)
        _set_or_remove(self.waiting, connection, n_unparsed if next_request_must_wait else 0)
        _set_or_remove(self.unread, connection, connection.n_unread)
        self._pause_reading(cast("set[BoundedProtocol]", connection.connections))
        self._resume_reading()
        while sum(self.waiting.values()) > MAX_HELD:
            # Cut off the oldest connection whose client does not read, or the oldest of all if every client reads;
            # `min` returns the first of equals. `cut_off` removes the connection from `self.waiting`.
            worst = min(self.waiting, key=lambda other: 0 if other.flow.write_paused else 1)
            worst.cut_off(f"all connections hold more than {MAX_HELD:,} bytes of pipelined requests")
        if sum(self.unread.values()) > MAX_HELD:
            self._limit_unread()

    def forget(self, connection: BoundedProtocol) -> None:
        """Remove a connection that is closed or being closed."""
        for sizes in (self.parsing, self.waiting, self.unread):
            sizes.pop(connection, None)
        self._resume_reading()

    def may_read(self, connection: BoundedProtocol) -> bool:
        """Return whether a connection may be read now; if not, its `update_reading` is called later."""
        if self._is_paused:
            self._paused.add(connection)
        return not self._is_paused

    def _pause_reading(self, connections: set[BoundedProtocol]) -> None:
        """Stop reading from all connections of the server if too much input waits to be parsed."""
        if not self._is_paused and sum(self.parsing.values()) > MAX_HELD:
            self._is_paused = True
            for connection in connections:
                connection.update_reading()  # stops, because `may_read` is False now

    def _resume_reading(self) -> None:
        """Read again from all paused connections once at most half of the limit is left to parse."""
        if self._is_paused and sum(self.parsing.values()) <= MAX_HELD // 2:
            self._is_paused = False
            paused, self._paused = self._paused, set()
            for connection in paused:
                connection.update_reading()

    def _limit_unread(self) -> None:
        """Cut off connections with unread responses, the oldest first, until the limits are met or one is left.

        Above `MAX_HELD` bytes in all, slow connections are cut off, and above `MAX_UNREAD`, which is larger, any.
        """
        for connection in self.unread:  # clients have read some bytes since these were counted
            self.unread[connection] = connection.n_unread
        total = sum(self.unread.values())
        for connection in list(self.unread):
            if total <= MAX_HELD or len(self.unread) == 1:
                return
            if connection.is_slow or total > MAX_UNREAD:
                total -= self.unread[connection]
                limit = MAX_HELD if connection.is_slow else MAX_UNREAD
                # This also removes the connection from `self.unread`.
                connection.cut_off(f"all connections hold more than {limit:,} bytes of unread responses")


def _set_or_remove(sizes: dict[BoundedProtocol, int], connection: BoundedProtocol, size: int) -> None:
    """Set the size of a connection, or remove the connection if it is 0; a connection keeps its place in the order."""
    if size:
        sizes[connection] = size
    else:
        sizes.pop(connection, None)


def bounded_protocol(
    seconds: float,
    max_connections: int,
    log: Callable[[str], None] | None = None,
    record_request: RecordRequest | None = None,
) -> type[BoundedProtocol]:
    """Return the protocol class of one server, whose connections share the limits and the count of bytes held.

    `log` writes a line to the log, and `record_request` records a request that the application never gets.
    """
    settings = {
        "seconds": seconds,
        "max_connections": max_connections,
        "held": HeldBytes(),
        "log": staticmethod(log or (lambda _: None)),
        "record_request": staticmethod(record_request or (lambda *_: None)),
    }
    return type("BoundedProtocol", (BoundedProtocol,), settings)


class BoundedProtocol(HttpToolsProtocol):
    """One connection, with a limit on the time and the memory that it can take."""

    seconds: float
    """Time limit for a complete request, and for a client to read `MIN_READ` bytes of a response."""
    max_connections: int
    held: HeldBytes
    log: Callable[[str], None]
    record_request: RecordRequest

    unparsed = b""
    """Input that was read while a request was answered, or that is parsed in several turns."""
    is_slow = False
    """True if the client read less than `MIN_READ` of a response in `SLOW_SECONDS`."""

    _n_parsed = 0  # bytes of `unparsed` that are parsed by now
    _overhead = 0  # bytes of the request that count for `MAX_HEAD`; see `on_body`
    _piece = b""  # the bytes that the parser has been given and is parsing
    _n_body_bytes = 0  # bytes of bodies that the parser has found in `_piece` so far
    _last_bytes = b""  # the last bytes of the piece before, which may be the first bytes of a `HEAD_END`
    _awaits_request = True  # whether the connection waits for a request, or for the rest of one
    _idle_since = 0.0  # when the connection was opened, or its last response was complete
    _request_timer: asyncio.TimerHandle | None = None  # ends a connection whose request is not complete in time
    _timer_started = 0.0
    _unread_timer: asyncio.TimerHandle | None = None  # checks whether the client reads the response
    _read_deadline = 0.0  # when the client must have read `MIN_READ` bytes
    _unread_before_deadline = 0  # how many bytes were unread when the deadline was set
    _error: ApiError | None = None  # why a callback stopped the parser; `send_400_response` sends it

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Wait for the first request; make room if there are too many connections."""
        # uvloop's transports have the methods of asyncio.Transport, but are of another class.
        self._writer = writer = OneWriteTransport(cast(asyncio.Transport, transport))
        writer.set_write_buffer_limits(high=0)  # `pause_writing` is called as soon as the client leaves a byte unread
        super().connection_made(cast(Any, writer))
        self.flow: HoldingFlow = HoldingFlow(cast(Any, writer))
        self._idle_since = self.loop.time()
        self._start_request_timer()
        if len(self.connections) > self.max_connections:
            self._make_room()

    def _make_room(self) -> None:
        """Cut off the connections that have waited longest for their client, up to a tenth of all.

        Cutting off many at once saves a search for each new connection. If no connection waits for its client, send an
        error to this new one, and close it.
        """
        others = cast("set[BoundedProtocol]", self.connections - {self})
        waiting = sorted((other for other in others if other._waits_for_client), key=lambda other: other._idle_since)
        for other in waiting[: math.ceil(self.max_connections / 10)]:
            # Forget it now, because the event loop may accept more connections before it closes any.
            self.connections.discard(other)
            other._writer.abort()
        if not waiting:
            problem = f"The service has {self.max_connections:,} connections already."
            self._end(ApiError("busy", problem, [CLOSE], hint="Try again in a second."))

    @property
    def _waits_for_client(self) -> bool:
        """Return whether the client has to read a response or send a request, and the service has nothing to do."""
        return self.flow.write_paused or not self._is_answering

    @property
    def _is_answering(self) -> bool:
        """Return whether a complete request has no complete response yet, or another request is queued.

        uvicorn's `cycle` is the request that was begun last, with its response, and `pipeline` is the queue.
        """
        cycle = self.cycle
        return bool(self.pipeline) or (cycle is not None and not (cycle.more_body or cycle.response_complete))

    @property
    def next_request_must_wait(self) -> bool:
        """Return whether the next request must wait until another one is answered, or until its response is read."""
        return self._is_answering or self.flow.write_paused

    @property
    def n_unread(self) -> int:
        """Return the number of bytes of a response that the client has not read."""
        return self._writer.get_write_buffer_size() if self.flow.write_paused else 0

    def cut_off(self, why: str) -> None:
        """Abort the connection, and log why."""
        self.held.forget(self)
        client = self.client[0] if self.client else "-"
        self.log(f"{client} cut off with {self.n_unread:,} bytes of a response unread: {why}")
        self._writer.abort()

    def update_reading(self) -> None:
        """Resume reading from the client, or stop if all connections together hold too much (`HeldBytes.may_read`).

        Do nothing while this connection holds unparsed input, since reading resumes when that is parsed. Don't resume
        while more than `HIGH_WATER_LIMIT` bytes of the body wait for the application; uvicorn resumes when it asks for
        them.
        """
        if self.unparsed or self.transport.is_closing():
            return
        if not self.held.may_read(self):
            self.flow.hold()
            return
        self.flow.release()
        if self.cycle is None or len(self.cycle.body) <= HIGH_WATER_LIMIT:
            self.flow.resume_reading()

    # -- requests --------------------------------------------------------------------------------------------------

    def data_received(self, data: bytes) -> None:
        """Parse one request, or a part of one; keep the rest until that request is answered."""
        if self.unparsed:  # reading was stopped, but the transport had read this data already
            self.unparsed += data
        elif self.next_request_must_wait or not _has_at_most_one_head(data):  # a second request must wait for the first
            self.unparsed = data
        else:  # nearly always
            self._parse(data)
            return
        self._parse_unparsed()

    def _parse_unparsed(self) -> None:
        """Parse about `PARSE_BYTES`, or up to the end of a request; resume reading once nothing is left.

        The parser gets one piece after another, until a request is complete. If a piece contains the end of a head, it
        ends there. So a piece completes at most two requests: the first by the end of its body, or of a head that began
        in an earlier piece, and the second by a head at its end. uvicorn queues the second, so at most one request
        waits in its queue while another is answered.
        """
        data = self.unparsed
        turn_end = min(self._n_parsed + PARSE_BYTES, len(data))
        while self._n_parsed < turn_end and not (self.next_request_must_wait or self.transport.is_closing()):
            begin = self._n_parsed
            head_end = data.find(HEAD_END, begin + MIN_HEAD, begin + PARSE_BYTES)
            # Without the end of a head, `_n_parsed` may be beyond the end of the data.
            self._n_parsed = begin + PARSE_BYTES if head_end < 0 else head_end + len(HEAD_END)
            self._parse(data[begin : self._n_parsed])
        if self.transport.is_closing():
            return
        if self._n_parsed < len(data):
            self.flow.hold()
            if self.next_request_must_wait:  # `on_response_complete` or `resume_writing` will continue
                self._stop_request_timer()  # the rest of the request may be in `unparsed`, so the client is not late
            else:
                self.loop.call_soon(self._parse_unparsed)  # after a turn of the other connections
        else:
            self.unparsed, self._n_parsed = b"", 0
            self.update_reading()
        self.held.count(self)

    def _parse(self, data: bytes) -> None:
        """Parse bytes with one head at most; if they don't complete a request, limit its time and its overhead."""
        self._piece, self._n_body_bytes = data, 0
        self._overhead += len(data)
        super().data_received(data)
        self._piece, self._last_bytes = b"", data[1 - len(HEAD_END) :]
        has_completed_request = not self._awaits_request and not self._is_idle
        if has_completed_request:  # nearly always
            return
        # A part of a request has arrived; or, if the connection is still idle, line ends that may precede one.
        self._awaits_request = True
        self._start_request_timer()
        if self._overhead > MAX_HEAD:
            self._end(_head_too_long())

    @property
    def _is_idle(self) -> bool:
        """Return whether the last request is answered and the head of no other request is complete.

        A new connection, which has had no request, is not idle.
        """
        return self.cycle is not None and self.cycle.response_complete

    def on_message_begin(self) -> None:
        """Note that a request has begun: wait for the rest of it, and count its overhead.

        The piece may begin with the end of an earlier request's body, which does not count for the new request. Only
        the few bytes around the last chunk of that body do count, because the parser does not report them.
        """
        super().on_message_begin()
        self._awaits_request, self._overhead = True, len(self._piece) - self._n_body_bytes

    def on_header(self, name: bytes, value: bytes) -> None:
        """Add a header, or raise `ApiError` (which ends the parsing) if there are too many."""
        if len(self.headers) == MAX_HEADERS:
            self._error = ApiError("head_too_long", f"A request may have at most {MAX_HEADERS} headers.")
            raise self._error
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Start to answer the request, or raise `ApiError` (which ends the parsing) if its head is not acceptable."""
        # `_overhead` includes the whole piece. The bytes after the head are left out, but only if that matters.
        if self._overhead > MAX_HEAD and self._overhead - self._n_bytes_after_head() > MAX_HEAD:
            self._error = _head_too_long()
            raise self._error
        if not self.url.startswith(b"/"):
            self._take_host_of_target()
        if self.parser.should_upgrade() and any(name in BODY_HEADERS for name, _ in self.headers):
            # The parser would treat the body of such a request as data after the upgrade.
            problem = "A request with a body can't ask for an upgrade."
            self._error = ApiError("malformed", problem, setting="Upgrade", hint="Use plain HTTP/1.1.")
            raise self._error
        super().on_headers_complete()
        # The scope of the request keeps the old list, so headers after the body (trailers) are not added to it.
        self.headers = []

    def _n_bytes_after_head(self) -> int:
        """Return how many bytes of the piece follow a head that ends in it and has begun in an earlier piece."""
        return len((self._last_bytes + self._piece).partition(HEAD_END)[2])

    def _take_host_of_target(self) -> None:
        """Replace the header `Host` by the host of an absolute request URI, as RFC 9112 requires.

        A target that is neither a path nor an http(s) URL, or a URL with a user name, gets status 400. If `Host` is
        repeated, the headers stay as they are, so that the guard rejects them.
        """
        target = httptools.parse_url(self.url)
        if (target.schema or b"").lower() not in (b"http", b"https") or not target.host or target.userinfo is not None:
            self._error = ApiError("malformed", "The target of a request must be a path or an http URL.")
            raise self._error
        host = b"[%b]" % target.host if b":" in target.host else target.host
        host_header = (b"host", host if target.port is None else b"%b:%d" % (host, target.port))
        other_headers = [header for header in self.headers if header[0] != b"host"]
        if len(self.headers) - len(other_headers) < 2:
            self.headers[:] = [*other_headers, host_header]  # in place: the ASGI scope refers to this list

    def on_body(self, body: bytes) -> None:
        """Receive a part of the body.

        `_parse` has counted all received bytes as overhead, so the bytes of the body are subtracted here. To allow for
        the headers of chunks, a quarter of their number is subtracted in addition. A long body in chunks of a few bytes
        needs more than that, so `_parse` ends such a request with an error.
        """
        self._n_body_bytes += len(body)
        # At least 0, so that a long body does not allow more overhead after it.
        self._overhead = max(0, self._overhead - len(body) * 5 // 4)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Stop waiting: the request is complete."""
        self._stop_waiting()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Send the head that is still held back if the response has no body, and continue with unparsed input."""
        self._writer.flush()
        super().on_response_complete()
        self._idle_since = self.loop.time()
        if self.unparsed:
            self.loop.call_soon(self._parse_unparsed)

    def send_400_response(self, msg: str) -> None:
        """Answer invalid HTTP with a JSON error, like those of the API, and close the connection.

        uvicorn calls this if the parser finds an error, or if a callback raises one, which is then in `_error`.
        """
        error, self._error = self._error, None
        self._end(error or ApiError("malformed", "This is not a valid HTTP/1.1 request."))

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop all timers and drop the held input."""
        self._stop_waiting()
        self._stop_unread_timer()
        self.unparsed, self._n_parsed = b"", 0
        self.held.forget(self)
        super().connection_lost(exc)

    # -- unread responses -------------------------------------------------------------------------------

    def pause_writing(self) -> None:
        """Start to check from time to time whether the client reads, since it has left a part of a response unread."""
        super().pause_writing()
        if self._unread_timer is None:
            n_unread = self.n_unread
            self._set_read_deadline(n_unread)
            self._start_unread_timer(n_unread)
            self.held.count(self)

    def resume_writing(self) -> None:
        """Continue with unparsed input, since the client has read the response."""
        super().resume_writing()
        self._stop_unread_timer()
        self.held.count(self)
        if self.unparsed:
            self.loop.call_soon(self._parse_unparsed)

    def timeout_keep_alive_handler(self) -> None:
        """Close a connection that sends no further request, but not before its last response was read."""
        if self.flow.write_paused:
            self.timeout_keep_alive_task = self.loop.call_later(
                self.timeout_keep_alive, self.timeout_keep_alive_handler
            )
        else:
            super().timeout_keep_alive_handler()

    def _set_read_deadline(self, n_unread: int) -> None:
        """Give the client `seconds` from now to read `MIN_READ` of the unread bytes."""
        self._read_deadline, self._unread_before_deadline = self.loop.time() + self.seconds, n_unread

    def _start_unread_timer(self, n_unread: int) -> None:
        """Schedule the next `_check_unread`, with the number of bytes that are unread now."""
        seconds = min(SLOW_SECONDS, self.seconds)
        self._unread_timer = self.loop.call_later(seconds, self._check_unread, n_unread)

    def _check_unread(self, n_unread_before: int) -> None:
        """Mark the client as slow if it has read less than `MIN_READ` since the last check, and not as slow otherwise.

        At the deadline, cut it off if it has read less than `MIN_READ` since the deadline was set. `n_unread_before` is
        the number of unread bytes at the last check.
        """
        self._unread_timer = None
        n_unread = self.n_unread
        if not n_unread:
            return
        self.is_slow = n_unread_before - n_unread < MIN_READ
        if self.loop.time() >= self._read_deadline:
            if self._unread_before_deadline - n_unread < MIN_READ:
                self.cut_off(f"the client read less than {MIN_READ:,} bytes in {self.seconds:g} seconds")
                return
            self._set_read_deadline(n_unread)
        self._start_unread_timer(n_unread)
        self.held.count(self)

    def _stop_unread_timer(self) -> None:
        self.is_slow = False
        if self._unread_timer is not None:
            self._unread_timer.cancel()
            self._unread_timer = None

    # -- incomplete requests ---------------------------------------------------------------------------------

    def _start_request_timer(self) -> None:
        """Start the time limit of a request, unless it runs already."""
        if self._request_timer is None and not self.transport.is_closing():
            self._timer_started = self.loop.time()
            self._request_timer = self.loop.call_later(self.seconds, self._end_too_slow)

    def _stop_waiting(self) -> None:
        self._awaits_request = False
        self._stop_request_timer()

    def _stop_request_timer(self) -> None:
        if self._request_timer is not None:
            self._request_timer.cancel()
            self._request_timer = None

    def _end_too_slow(self) -> None:
        problem = f"The request was not complete after {self.seconds:g} seconds."
        self._end(ApiError("too_slow", problem, hint="Send it without pauses."))

    def _end(self, error: ApiError) -> None:
        """Send an error, unless the response to a request is partly sent, and close the connection."""
        seconds = 0.0 if self._request_timer is None else self.loop.time() - self._timer_started
        self._stop_waiting()
        if self.transport.is_closing():
            return
        self._record(error, seconds)
        if self.cycle is None or not self.cycle.response_started or self.cycle.response_complete:
            self.transport.write(error.http_bytes)
        self.transport.close()

    def _record(self, error: ApiError, seconds: float) -> None:
        """Record the request that an error ends.

        If the application is waiting for the rest of the body, it records the request itself, with the status of the
        error. A connection on which no byte has arrived, as browsers open them in advance, has no request to record;
        but an error that tells the client to come back later is recorded.
        """
        cycle = self.cycle
        if cycle is None or not cycle.more_body:  # there is no complete head, so the application has no request
            if self._overhead or error.code != "too_slow":
                self.record_request({"method": "-", "path": "", "client": self.client}, error.status, seconds)
        elif any(queued is cycle for queued, _ in self.pipeline):  # the application never gets it
            self.record_request(cast("Scope", cycle.scope), error.status, seconds)
        elif not cycle.response_started:
            cast("Scope", cycle.scope)[SENT_STATUS] = error.status


def _head_too_long() -> ApiError:
    return ApiError("head_too_long", f"The head of a request may have at most {MAX_HEAD:,} bytes.")


def _has_at_most_one_head(data: bytes) -> bool:
    """Return whether the data has the end of at most one head and is short enough to be parsed at once."""
    if len(data) > PARSE_BYTES:
        return False
    head_end = data.find(HEAD_END)
    return head_end < 0 or data.find(HEAD_END, head_end + len(HEAD_END)) < 0
