"""What every request has to pass before anything is done for it, and what is noted of it at the end.

*Who may ask.* A page of another site can make a browser send requests here. So what a browser sends must say that it is
from a page of ours (`Origin`), documents come as JSON, which a page of another site must not send unasked, and the name
by which the service is called (`Host`) is one of its own: where only this machine can reach it, no other name can be
right. None of the headers that this depends on may be repeated, because a proxy in front may go by the other one. A
token, if there is one, is compared in a time that does not depend on what was sent.

*How much.* A body that announces more than is allowed is refused before a byte of it is read; one that announces
nothing, when it has become too long. All bodies together have a limit too: what has come of them, because many who
announce much and send nothing would shut out all others.

*Where to.* A route that is asked for by its exact method and path is called at once; all else goes to the application,
which looks through its routes, catches what they raise, and takes several times as long as a prediction for it.

*What is noted.* The time, the caller, the route, the status, the number of documents and the milliseconds: no text.
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

from .limits import Limits
from .refusals import CLOSE, Answer, Headers, Refused, internal, send_answer

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS: Headers = [
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
]
"""Of every page, and of all else that is not answered directly."""

HERE = frozenset({"127.0.0.1", "localhost", "::1"})
"""What a machine calls itself."""

ONCE = frozenset({b"host", b"origin", b"authorization", b"content-type", b"content-length"})
"""Headers that a request may have once."""

DOCUMENTS = "textsieve.documents"
"""In the scope of a request: how many documents it has."""

SMALL = 1 << 14
"""Bytes of a body that counts as if it were there when it is announced."""

Note = Callable[[Scope, int, float], None]
"""A request, the status of its answer, and the seconds that it took."""


@dataclass(frozen=True)
class Door:
    """Who is let in: names of the service (None: any), a token (None: none is needed), and paths without one."""

    hosts: Collection[str] | None = HERE
    token: str | None = field(default=None, repr=False)
    open_paths: Collection[str] = ()

    def check(self, scope: Scope, headers: dict[bytes, bytes]) -> None:
        """Raise `Refused` if a request may not be made."""
        if len(headers) < len(scope["headers"]):
            _check_repeated(scope["headers"])
        host = headers.get(b"host", b"")
        if self.hosts is not None and host_name(host) not in self.hosts:
            names = ", ".join(sorted(self.hosts))
            raise Refused("forbidden", f"This service is called {names}; if it has other names, use --allow-host.")
        origin = headers.get(b"origin")
        if origin is not None and origin not in (b"http://" + host, b"https://" + host):  # with TLS: behind a proxy
            raise Refused("forbidden", "Pages of other sites may not ask.")
        if scope["method"] == "POST":
            kind = headers.get(b"content-type", b"")
            if kind != b"application/json" and kind.partition(b";")[0].strip().lower() != b"application/json":
                raise Refused("not_json", "Send JSON, with the header Content-Type: application/json.", [CLOSE])
            if headers.get(b"content-encoding", b"identity") != b"identity":
                raise Refused("not_json", "Send JSON as it is, without the header Content-Encoding.", [CLOSE])
        if self.token is not None and scope["path"] not in self.open_paths:
            self._check_token(headers.get(b"authorization", b""))

    def _check_token(self, given: bytes) -> None:
        assert self.token is not None
        scheme, _, token = given.partition(b" ")
        # Digests have one length, so that not even that of the token is told by the time.
        same = hmac.compare_digest(sha256(token.strip()).digest(), sha256(self.token.encode()).digest())
        if not (same and scheme.lower() == b"bearer"):
            raise Refused("unauthorized", "Send the token of this service, as Authorization: Bearer ...", [CLOSE])


def _check_repeated(headers: Headers) -> None:
    """Raise `Refused` if a header that may stand once stands twice."""
    names = [name for name, _ in headers if name in ONCE]
    for name in names:
        if names.count(name) > 1:
            raise Refused("malformed", f"The header {name.decode()} may stand once; send one.")


HOST = re.compile(r"(?:\[([0-9a-f:.]+)\]|([^\[\]:]*))(?::\d*)?", re.IGNORECASE)


@lru_cache(100)
def host_name(address: bytes) -> str:
    """A host without its port; nothing if it is none."""
    found = HOST.fullmatch(address.decode("latin-1"))
    return (found[1] or found[2] or "").lower() if found else ""


class Direct(Protocol):
    """A route whose answer is sent by the guard."""

    async def answer(self, scope: Scope, receive: Receive) -> Answer:
        """The answer to a request."""
        ...


class Guard:
    """Lets requests pass to an application."""

    def __init__(
        self,
        app: ASGIApp,
        direct: Mapping[tuple[str, str], Direct],
        limits: Limits,
        door: Door,
        note: Note,
        wrong: Callable[[Exception], None],
    ) -> None:
        self._app, self._direct, self._limits = app, direct, limits
        self._door, self._note, self._wrong = door, note, wrong
        self._bytes = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; its body is forgotten before the answer is sent, which may take as long as it takes."""
        if scope["type"] != "http":
            raise RuntimeError(f"Only HTTP is spoken here, not {scope['type']}.")
        begin, status = time.perf_counter(), 500
        try:
            try:
                found = await self._pass(scope, receive, send)
            except Refused as problem:
                found = problem.answer
            except asyncio.CancelledError:  # the service ends, and has waited long enough
                found = Refused("ending", "The service is being ended; try again in a moment.").answer
            if isinstance(found, int):
                status = found
            else:
                status = found.status
                await send_answer(send, found)
        finally:
            self._note(scope, status, time.perf_counter() - begin)

    async def _pass(self, scope: Scope, receive: Receive, send: Send) -> Answer | int:
        """The answer, or the status of one that the application has sent."""
        headers: dict[bytes, bytes] = dict(scope["headers"])
        announced = headers.get(b"content-length")
        if announced is None:
            coding = headers.get(b"transfer-encoding")
            if coding is None:
                self._door.check(scope, headers)
                return await self._call(scope, receive, send)
            if coding.lower() != b"chunked":
                raise Refused("malformed", "The only transfer encoding that is read is chunked.")
        body = Body(self, self._limits.body)
        try:
            receive = body.announced(int(announced), receive) if announced is not None else body.counted(receive)
            self._door.check(scope, headers)
            return await self._call(scope, receive, send)
        finally:
            self._bytes -= body.size

    async def _call(self, scope: Scope, receive: Receive, send: Send) -> Answer | int:
        if (route := self._direct.get((scope["method"], scope["path"]))) is not None:
            try:
                return await route.answer(scope, receive)
            except Refused:
                raise
            except Exception as problem:
                self._wrong(problem)
                return internal().answer
        status = 500

        async def send_safely(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], *_missing(message["headers"])]
            await send(message)

        try:
            await self._app(scope, receive, send_safely)
        except Refused:
            raise
        except Exception as problem:  # the application has said so already
            self._wrong(problem)
        return status

    def take(self, size: int) -> None:
        """Note that more bytes are on their way, or refuse them."""
        if self._bytes + size > self._limits.bodies:
            raise Refused("busy", "Too many large requests at once; try again in a second.", [CLOSE])
        self._bytes += size


class Body:
    """How much of a body has been announced, or has come."""

    def __init__(self, guard: Guard, most: int) -> None:
        self._guard, self._most = guard, most
        self.size = 0

    def announced(self, size: int, receive: Receive) -> Receive:
        """Refuse what will be too long; a small body is noted at once, so that its messages need no counting."""
        if size <= SMALL:
            self.take(size)
            return receive
        self._check(size)
        return self.counted(receive)

    def take(self, size: int) -> None:
        """Note more of it, or refuse."""
        self._check(self.size + size)
        self._guard.take(size)
        self.size += size

    def _check(self, size: int) -> None:
        if size > self._most:
            about = f"The body of a request may have {self._most:,} bytes; send fewer documents at a time."
            raise Refused("too_large", about)

    def counted(self, receive: Receive) -> Receive:
        """The same messages, counted as they come."""

        async def counting() -> Message:
            message = await receive()
            self.take(len(message.get("body", b"")))
            return message

        return counting


def _missing(headers: list[Any]) -> Headers:
    """Of the headers that every answer has, those that an answer does not say itself."""
    own = {bytes(name).lower() for name, _ in headers}
    return [(name, value) for name, value in HEADERS if name not in own]
