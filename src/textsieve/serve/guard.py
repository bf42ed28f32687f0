"""Check every request before it is processed, and record it when it is finished.

*Access.* A page of another site can make a browser send requests to this service. So:

- If a request has the header `Origin`, as those of browsers may, it must name this service.
- Documents must be sent as JSON. A browser lets a page of another site send JSON only if the service permits it (CORS),
  which this one never does.
- The header `Host` must be one of the service's own names. In `textsieve serve`, these are the names of this machine if
  only this machine can connect; otherwise any name is allowed. If `--allow-host` gives names, these and the names of
  this machine are allowed.
- The headers that these checks depend on may not be repeated: of two values, a proxy in front of the service may use
  one, and the service the other.
- A token, if one is set, is compared in a time that does not reveal how much of the sent token is right.

*Size.* A body with a `Content-Length` above the limit is rejected before a byte of it is read; a body without one is
rejected as soon as it is too long. All bodies together have a limit, too. For this limit, bytes count when they are
received, not when they are announced; otherwise, clients that announce much and send nothing could lock out all others.
Only a body of at most `SMALL_BODY` bytes counts when it is announced.

*Routing.* A request with the exact method and path of a direct route (see `api.LeanRoute`) is passed to that route at
once. All other requests go to the FastAPI application, which searches its routes and handles their exceptions; that
takes several times as long as a prediction.

*Recording.* The log gets the time, the client, the route, the status, the number of documents and the milliseconds,
but never any text. Requests that never get here, because they are not valid HTTP, are recorded by `protocol.py`.
"""

from __future__ import annotations

import asyncio
import hmac
import re
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from ipaddress import IPv6Address
from typing import Any, Protocol

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..errors import InputError
from .api_errors import CLOSE, ApiError, ApiResponse, Headers, internal_error, send_response
from .limits import Limits

CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
DEFAULT_HEADERS: Headers = [
    (b"content-security-policy", CONTENT_POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
]
"""Headers of pages and all other responses that the application sends, unless a response sets them itself."""

LOOPBACK_NAMES = frozenset({"127.0.0.1", "localhost", "::1"})
"""Names of the local machine."""


def allowed_hosts(own_names: Iterable[str], names: Collection[str], *, is_loopback: bool) -> frozenset[str] | None:
    """Return the host names that requests may use, or None for any name.

    `own_names` are the name and the address on which the service listens, and `names` are those of --allow-host, as
    `checked_hosts` returns them. The names of this machine are always among them, because health checks use them, and a
    page of another site can't.
    """
    if not (is_loopback or names):
        return None
    return frozenset(name.lower() for name in own_names).union(names, LOOPBACK_NAMES)


def checked_hosts(hosts: Iterable[str]) -> list[str]:
    """Return host names and IP addresses in the spelling to which `host_name` converts those of requests.

    Raise `InputError` for a host that no request can match, such as a URL, a name with a port, or a wildcard. A port is
    not ignored, because whoever gives one may expect that other ports are forbidden.
    """
    if isinstance(hosts, str):  # its letters would be allowed
        raise InputError(setting="hosts", value=hosts, hint=f"use a list of host names: [{hosts!r}]")
    return [_checked_host(host) for host in hosts]


HOST_LABEL = "[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?"
HOST_NAME = re.compile(rf"{HOST_LABEL}(?:\.{HOST_LABEL})*", re.IGNORECASE)


def _checked_host(name: str) -> str:
    """Return a host name or IP address in the spelling of `host_name`; raise `InputError` for anything else."""
    if (host := _valid_host(name)) is None:
        raise InputError(setting="hosts", value=name, hint=_host_hint(name))
    return host


def _valid_host(name: str) -> str | None:
    """Return a host name or IP address in the spelling of `host_name`, or None if it is neither."""
    if ":" in name:
        return _ipv6(name[1:-1] if name.startswith("[") and name.endswith("]") else name)
    return name.lower() if HOST_NAME.fullmatch(name) else None


def _ipv6(address: str) -> str | None:
    """Return an IPv6 address in its usual spelling, or None if it is none, or has the name of an interface."""
    try:
        return None if "%" in address else str(IPv6Address(address))
    except ValueError:
        return None


def _host_hint(name: str) -> str:
    """Return what to write instead of a name that is neither a host name nor an IP address."""
    if "*" in name:
        return "wildcards are not supported; give each host by its full name, such as news.example.org"
    if len(re.split(r"[\s,]+", name.strip())) > 1:
        return "give each host name by itself"
    if not name.isascii():
        return "write the host name in ASCII as browsers send it; it begins with xn--"
    authority = re.split("[/?#]", name.strip().rpartition("://")[2])[0]
    if host := _valid_host(host_name(authority.encode()).removesuffix(".")):
        return f"write {host}, without a scheme, port or path, or a dot at the end; it is allowed with any port"
    return "use a host name such as news.example.org, or an IP address"


UNREPEATABLE = frozenset({b"host", b"origin", b"authorization", b"content-type", b"content-length"})
"""Headers that a request may have only once."""

DOCUMENTS = "textsieve.documents"
"""Key in the ASGI scope of a request: its number of documents."""

SENT_STATUS = "textsieve.status"
"""Key in the ASGI scope of a request that the protocol has ended itself: the status that it has sent."""

SMALL_BODY = 1 << 14
"""Up to this many bytes, a body counts as received when it is announced."""

RecordRequest = Callable[[Scope, int, float], None]
"""Function that records a request, the status of its response, and the seconds that it took."""


@dataclass(frozen=True)
class AccessPolicy:
    """Decides which requests are allowed.

    `hosts` are the names of the service (None: any), `token` is the required token (None: no token), `open_paths`
    are the paths that need no token, and `host_hint` says how to allow other hosts.
    """

    hosts: Collection[str] | None = LOOPBACK_NAMES
    token: str | None = field(default=None, repr=False)
    open_paths: Collection[str] = ()
    host_hint: str = ""

    def check(self, scope: Scope, headers: dict[bytes, bytes]) -> None:
        """Raise `ApiError` if a request is not allowed; `headers` are those of the scope, by their names."""
        if len(headers) < len(scope["headers"]):  # a header is repeated, and the dictionary has it only once
            _check_repeated(scope["headers"])
        host = headers.get(b"host", b"")
        if self.hosts is not None and host_name(host) not in self.hosts:
            names = sorted(self.hosts)
            problem = f"The header Host must be one of {', '.join(names)}."
            raise ApiError("forbidden", problem, setting="Host", allowed=names, hint=self.host_hint)
        origin = headers.get(b"origin")
        if origin is not None and origin not in (b"http://" + host, b"https://" + host):  # https if a proxy handles TLS
            hint = "If this is the page of the service, its proxy must pass on the header Host with the port."
            raise ApiError(
                "forbidden", "Requests from pages of other sites are not allowed.", setting="Origin", hint=hint
            )
        if scope["method"] == "POST":
            _check_content_type(headers)
        if self.token is not None and scope["path"] not in self.open_paths:
            _check_token(headers.get(b"authorization", b""), self.token)


def _check_content_type(headers: dict[bytes, bytes]) -> None:
    """Raise `ApiError` if the body of a request is not plain JSON."""
    media_type = headers.get(b"content-type", b"")
    is_json = media_type == b"application/json"  # nearly always, and faster to check
    if not is_json and media_type.partition(b";")[0].strip().lower() != b"application/json":
        problem = "Send JSON with the header Content-Type: application/json."
        raise ApiError("not_json", problem, [CLOSE], setting="Content-Type", allowed=["application/json"])
    if headers.get(b"content-encoding", b"identity") != b"identity":
        problem = "Send plain JSON without the header Content-Encoding."
        raise ApiError("not_json", problem, [CLOSE], setting="Content-Encoding", allowed=["identity"])


def _check_token(authorization: bytes, expected_token: str) -> None:
    """Raise `ApiError` if the header `Authorization` does not have the expected token."""
    scheme, _, token = authorization.partition(b" ")
    # All digests have the same length, so the time does not even reveal the length of the token.
    is_same = hmac.compare_digest(sha256(token.strip()).digest(), sha256(expected_token.encode()).digest())
    if not (is_same and scheme.lower() == b"bearer"):
        problem = "Send the token of this service in the header Authorization: Bearer TOKEN."
        raise ApiError("unauthorized", problem, [CLOSE], setting="Authorization")


def _check_repeated(headers: Headers) -> None:
    """Raise `ApiError` if a request repeats a header that it may have only once."""
    names = [name for name, _ in headers if name in UNREPEATABLE]
    for name in names:
        if names.count(name) > 1:
            problem = f"The header {name.decode()} is repeated."
            raise ApiError("malformed", problem, setting=name.decode(), hint="Send it once.")


HOST = re.compile(r"(?:\[([0-9a-f:.]+)\]|([^\[\]:]*))(?::\d*)?", re.IGNORECASE)


@lru_cache(100)
def host_name(address: bytes) -> str:
    """Return the lowercase host of a header `Host` without its port, or an empty string if it is not valid."""
    match = HOST.fullmatch(address.decode("latin-1"))
    if match is None:
        return ""
    return match[2].lower() if match[1] is None else _ipv6(match[1]) or ""


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
        direct_routes: Mapping[tuple[str, str], DirectRoute],
        limits: Limits,
        policy: AccessPolicy,
        record_request: RecordRequest,
        log_exception: Callable[[Exception], None],
    ) -> None:
        self._app, self._direct_routes, self._limits = app, direct_routes, limits
        self._policy, self._record_request, self._log_exception = policy, record_request, log_exception
        self._body_bytes = 0  # of all bodies that are in memory

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request.

        The body of the request is no longer counted while `send_response` sends the response, which a slow client may
        take long to read.
        """
        if scope["type"] != "http":
            raise RuntimeError(f"The service supports only HTTP, not {scope['type']}.")
        begin, status = time.perf_counter(), 500  # 500 is recorded if an unexpected exception ends the call below
        try:
            try:
                response = await self._check_and_call(scope, receive, send)
            except ApiError as problem:
                response = problem.response
            except asyncio.CancelledError:  # the service is shutting down, and has waited long enough
                problem_text = "The service is shutting down."
                response = ApiError("ending", problem_text, hint="Try again in a moment.").response
            if isinstance(response, int):  # the application has sent the response
                status = response
            else:
                status = response.status
                await send_response(send, response)
        finally:
            self._record_request(scope, scope.get(SENT_STATUS, status), time.perf_counter() - begin)

    async def _check_and_call(self, scope: Scope, receive: Receive, send: Send) -> ApiResponse | int:
        """Check a request and return its response, or the status of a response that the application has sent."""
        headers: dict[bytes, bytes] = dict(scope["headers"])
        content_length = headers.get(b"content-length")
        if content_length is None:
            coding = headers.get(b"transfer-encoding")
            if coding is None:  # the request has no body
                self._policy.check(scope, headers)
                return await self._call(scope, receive, send)
            if coding.lower() != b"chunked":
                problem = "The only supported Transfer-Encoding is chunked."
                raise ApiError("malformed", problem, setting="Transfer-Encoding", allowed=["chunked"])
        body = BodyCounter(self, self._limits.body)
        try:
            receive = body.counting(receive, None if content_length is None else int(content_length))
            self._policy.check(scope, headers)
            return await self._call(scope, receive, send)
        finally:
            self._body_bytes -= body.n_bytes

    async def _call(self, scope: Scope, receive: Receive, send: Send) -> ApiResponse | int:
        """Return the response of a direct route, or let the application respond, and return the status it sent."""
        if (route := self._direct_routes.get((scope["method"], scope["path"]))) is not None:
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

    def count_body_bytes(self, n_bytes: int) -> None:
        """Count more bytes of a body, or raise `ApiError` if all bodies together are too large."""
        if self._body_bytes + n_bytes > self._limits.bodies:
            raise ApiError("busy", "Too many large requests at once.", [CLOSE], hint="Try again in a second.")
        self._body_bytes += n_bytes


class BodyCounter:
    """Counts the bytes of one body, for the limit of a single body and for the guard's limit of all bodies together."""

    def __init__(self, guard: Guard, max_bytes: int) -> None:
        self._guard, self._max_bytes = guard, max_bytes
        self.n_bytes = 0

    def counting(self, receive: Receive, content_length: int | None) -> Receive:
        """Return the function by which the application receives the body, given that of the server.

        It counts the bytes of each message, and raises `ApiError` above a limit. There are two exceptions for bodies
        that announce their length: one with too large a `Content-Length` raises `ApiError` here, and a small one is
        counted here, so that `receive` is returned as it is.
        """
        if content_length is not None:
            if content_length <= SMALL_BODY:
                self._count(content_length)
                return receive
            self._check(content_length)

        async def receive_and_count() -> Message:
            message = await receive()
            self._count(len(message.get("body", b"")))
            return message

        return receive_and_count

    def _count(self, n_bytes: int) -> None:
        """Count more bytes, or raise `ApiError`."""
        self._check(self.n_bytes + n_bytes)
        self._guard.count_body_bytes(n_bytes)
        self.n_bytes += n_bytes

    def _check(self, n_bytes: int) -> None:
        """Raise `ApiError` if a body may not have this many bytes."""
        if n_bytes > self._max_bytes:
            problem = f"The body of a request may have at most {self._max_bytes:,} bytes."
            raise ApiError("too_large", problem, hint="Send fewer documents per request.")


def _missing_headers(headers: list[Any]) -> Headers:
    """Return the default headers that a response does not set itself."""
    names = {bytes(name).lower() for name, _ in headers}
    return [(name, value) for name, value in DEFAULT_HEADERS if name not in names]
