"""Check every request before it is processed, and record it when it is finished.

*Access.* A page of another site can make a browser send requests to this service. So:

- If a browser sends an `Origin`, it must be this service.
- Documents must be sent as JSON. Browsers don't let pages of other sites send JSON without permission.
- The `Host` must be one of the service's own names. If only this machine can reach the service, these are the names of
  this machine.
- The headers that these checks depend on may not be repeated, because a proxy in front may use the other one.
- A token, if one is set, is compared in a time that does not depend on what was sent.

*Size.* A body with a `Content-Length` above the limit is rejected before a byte of it is read; a body without one is
rejected as soon as it is too long. All bodies together have a limit, too. It counts received bytes, not announced ones:
otherwise, clients that announce much and send nothing could lock out all others.

*Routing.* A request with the exact method and path of a direct route is passed to that route at once. All others go to
the application, which searches its routes and handles their exceptions; that takes several times as long as a
prediction.

*Recording.* The log gets the time, the client, the route, the status, the number of documents and the milliseconds,
but never any text.
"""

from __future__ import annotations

import asyncio
import hmac
import re
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from typing import Any, Protocol

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .api_errors import CLOSE, ApiError, ApiResponse, Headers, internal_error, send_response
from .limits import Limits

CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS: Headers = [
    (b"content-security-policy", CONTENT_POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
]
"""Default headers of pages and all other responses that the application sends."""

LOOPBACK_NAMES = frozenset({"127.0.0.1", "localhost", "::1"})
"""Names of the local machine."""

UNREPEATABLE = frozenset({b"host", b"origin", b"authorization", b"content-type", b"content-length"})
"""Headers that a request may have only once."""

DOCUMENTS = "textsieve.documents"
"""Key in the ASGI scope of a request: its number of documents."""

SMALL_BODY = 1 << 14
"""Up to this many bytes, a body counts as received when it is announced."""

RecordRequest = Callable[[Scope, int, float], None]
"""Function that records a request, the status of its response, and the seconds that it took."""


@dataclass(frozen=True)
class AccessPolicy:
    """Decides which requests are allowed.

    `hosts` are the names of the service (None: any), `token` is the required token (None: no token), and `open_paths`
    are the paths that need no token.
    """

    hosts: Collection[str] | None = LOOPBACK_NAMES
    token: str | None = field(default=None, repr=False)
    open_paths: Collection[str] = ()

    def check(self, scope: Scope, headers: dict[bytes, bytes]) -> None:
        """Raise `ApiError` if a request is not allowed."""
        if len(headers) < len(scope["headers"]):
            _check_repeated(scope["headers"])
        host = headers.get(b"host", b"")
        if self.hosts is not None and host_name(host) not in self.hosts:
            names = ", ".join(sorted(self.hosts))
            raise ApiError(
                "forbidden", f"The header Host must be one of {names}. Use --allow-host to allow other names."
            )
        origin = headers.get(b"origin")
        if origin is not None and origin not in (b"http://" + host, b"https://" + host):  # https if a proxy handles TLS
            raise ApiError("forbidden", "Requests from pages of other sites are not allowed.")
        if scope["method"] == "POST":
            kind = headers.get(b"content-type", b"")
            if kind != b"application/json" and kind.partition(b";")[0].strip().lower() != b"application/json":
                raise ApiError("not_json", "Send JSON with the header Content-Type: application/json.", [CLOSE])
            if headers.get(b"content-encoding", b"identity") != b"identity":
                raise ApiError("not_json", "Send plain JSON without the header Content-Encoding.", [CLOSE])
        if self.token is not None and scope["path"] not in self.open_paths:
            self._check_token(headers.get(b"authorization", b""))

    def _check_token(self, given: bytes) -> None:
        assert self.token is not None
        scheme, _, token = given.partition(b" ")
        # All digests have the same length, so the time does not even reveal the length of the token.
        same = hmac.compare_digest(sha256(token.strip()).digest(), sha256(self.token.encode()).digest())
        if not (same and scheme.lower() == b"bearer"):
            message = "Send the token of this service in the header Authorization: Bearer TOKEN."
            raise ApiError("unauthorized", message, [CLOSE])


def _check_repeated(headers: Headers) -> None:
    """Raise `ApiError` if a request repeats a header that it may have only once."""
    names = [name for name, _ in headers if name in UNREPEATABLE]
    for name in names:
        if names.count(name) > 1:
            raise ApiError("malformed", f"The header {name.decode()} is repeated; send it once.")


HOST = re.compile(r"(?:\[([0-9a-f:.]+)\]|([^\[\]:]*))(?::\d*)?", re.IGNORECASE)


@lru_cache(100)
def host_name(address: bytes) -> str:
    """Return the lowercase host without its port, or an empty string if the header is not valid."""
    match = HOST.fullmatch(address.decode("latin-1"))
    return (match[1] or match[2] or "").lower() if match else ""


class DirectRoute(Protocol):
    """A route whose response the guard sends."""

    async def respond(self, scope: Scope, receive: Receive) -> ApiResponse:
        """Return the response to a request."""
        ...


class Guard:
    """ASGI application that checks requests and passes them to another application."""

    def __init__(
        self,
        app: ASGIApp,
        direct: Mapping[tuple[str, str], DirectRoute],
        limits: Limits,
        policy: AccessPolicy,
        record_request: RecordRequest,
        log_exception: Callable[[Exception], None],
    ) -> None:
        self._app, self._direct, self._limits = app, direct, limits
        self._policy, self._record_request, self._log_exception = policy, record_request, log_exception
        self._bytes = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request.

        Its body is no longer counted while the response is sent, since a slow client may take long to read it.
        """
        if scope["type"] != "http":
            raise RuntimeError(f"The service supports only HTTP, not {scope['type']}.")
        begin, status = time.perf_counter(), 500
        try:
            try:
                response = await self._check_and_call(scope, receive, send)
            except ApiError as problem:
                response = problem.response
            except asyncio.CancelledError:  # the service is shutting down, and has waited long enough
                response = ApiError("ending", "The service is shutting down; try again in a moment.").response
            if isinstance(response, int):
                status = response
            else:
                status = response.status
                await send_response(send, response)
        finally:
            self._record_request(scope, status, time.perf_counter() - begin)

    async def _check_and_call(self, scope: Scope, receive: Receive, send: Send) -> ApiResponse | int:
        """Check a request and return its response, or the status of a response that the application has sent."""
        headers: dict[bytes, bytes] = dict(scope["headers"])
        announced = headers.get(b"content-length")
        if announced is None:
            coding = headers.get(b"transfer-encoding")
            if coding is None:
                self._policy.check(scope, headers)
                return await self._call(scope, receive, send)
            if coding.lower() != b"chunked":
                raise ApiError("malformed", "The only supported Transfer-Encoding is chunked.")
        body = BodyCounter(self, self._limits.body)
        try:
            receive = body.announced(int(announced), receive) if announced is not None else body.counted(receive)
            self._policy.check(scope, headers)
            return await self._call(scope, receive, send)
        finally:
            self._bytes -= body.size

    async def _call(self, scope: Scope, receive: Receive, send: Send) -> ApiResponse | int:
        if (route := self._direct.get((scope["method"], scope["path"]))) is not None:
            try:
                return await route.respond(scope, receive)
            except ApiError:
                raise
            except Exception as problem:
                self._log_exception(problem)
                return internal_error().response
        status = 500

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], *_missing_headers(message["headers"])]
            await send(message)

        try:
            await self._app(scope, receive, send_with_headers)
        except ApiError:
            raise
        except Exception as problem:  # the application has sent an error response already
            self._log_exception(problem)
        return status

    def take(self, size: int) -> None:
        """Count more bytes of a body, or raise `ApiError` if all bodies together are too large."""
        if self._bytes + size > self._limits.bodies:
            raise ApiError("busy", "Too many large requests at once; try again in a second.", [CLOSE])
        self._bytes += size


class BodyCounter:
    """Counts the bytes of a body that were announced or received."""

    def __init__(self, guard: Guard, most: int) -> None:
        self._guard, self._most = guard, most
        self.size = 0

    def announced(self, size: int, receive: Receive) -> Receive:
        """Raise `ApiError` if an announced body is too long; otherwise return the `receive` function to read it with.

        A small body is counted at once, so that its messages need not be counted.
        """
        if size <= SMALL_BODY:
            self.take(size)
            return receive
        self._check(size)
        return self.counted(receive)

    def take(self, size: int) -> None:
        """Count more bytes, or raise `ApiError`."""
        self._check(self.size + size)
        self._guard.take(size)
        self.size += size

    def _check(self, size: int) -> None:
        if size > self._most:
            about = f"The body of a request may have at most {self._most:,} bytes; send fewer documents per request."
            raise ApiError("too_large", about)

    def counted(self, receive: Receive) -> Receive:
        """Return a `receive` function that counts the bytes of each message."""

        async def counting() -> Message:
            message = await receive()
            self.take(len(message.get("body", b"")))
            return message

        return counting


def _missing_headers(headers: list[Any]) -> Headers:
    """Return the default headers that a response does not set itself."""
    own = {bytes(name).lower() for name, _ in headers}
    return [(name, value) for name, value in HEADERS if name not in own]
