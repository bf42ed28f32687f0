"""Requests that are not answered as asked: a status, a word for programs, a sentence for people with the way out."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, NamedTuple

from pydantic_core import to_json

from ..errors import shown

if TYPE_CHECKING:
    from pydantic_core import ValidationError
    from starlette.types import Send

Headers = list[tuple[bytes, bytes]]

JSON_TYPE = (b"content-type", b"application/json")
HEADERS: Headers = [
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"x-content-type-options", b"nosniff"),
    (b"cache-control", b"no-store"),
]
"""Of every answer that is JSON: nothing in it is to be run, guessed at or kept."""

CLOSE = (b"connection", b"close")
"""Of answers to requests whose body was not read: what is left of it is not waited for."""

STATUS = {
    "malformed": 400,
    "unauthorized": 401,
    "forbidden": 403,
    "not_found": 404,
    "method_not_allowed": 405,
    "too_slow": 408,
    "too_large": 413,
    "not_json": 415,
    "invalid": 422,
    "too_many": 422,
    "too_long": 422,
    "unknown_label": 422,
    "head_too_long": 431,
    "gone": 499,
    "internal": 500,
    "busy": 503,
    "timeout": 503,
    "not_written": 503,
    "ending": 503,
}
"""What can be answered, by its word."""

MORE: dict[str, Headers] = {
    "unauthorized": [(b"www-authenticate", b"Bearer")],
    "malformed": [CLOSE],
    "head_too_long": [CLOSE],
    "too_slow": [CLOSE],
    "too_large": [CLOSE],
    "busy": [(b"retry-after", b"1")],
    "timeout": [(b"retry-after", b"1")],
    "ending": [(b"retry-after", b"5"), CLOSE],
    "not_written": [(b"retry-after", b"5")],
}
"""Headers that belong to some of them."""


class Refused(Exception):
    """A request that is not answered as asked."""

    def __init__(self, code: str, message: str, headers: Headers | None = None) -> None:
        super().__init__(message)
        self.code, self.message = code, message
        self.status = STATUS[code]
        self.headers = [JSON_TYPE, *MORE.get(code, []), *(headers or [])]

    @property
    def answer(self) -> Answer:
        """What is answered."""
        return Answer(self.status, self.headers, self.body)

    @property
    def body(self) -> bytes:
        """The same as JSON."""
        return to_json({"error": {"code": self.code, "message": self.message}})

    @property
    def whole(self) -> bytes:
        """The answer as it is sent where there is no request that it could be an answer to."""
        headers = [*self.headers, (b"content-length", str(len(self.body)).encode()), *HEADERS]
        lines = [f"HTTP/1.1 {self.status} {HTTPStatus(self.status).phrase}".encode(), *map(b": ".join, headers)]
        return b"\r\n".join([*lines, b"", self.body])


def internal() -> Refused:
    """What is said where we are to blame."""
    return Refused("internal", "Something went wrong here; the log of the service says what.", [CLOSE])


def invalid(problem: ValidationError) -> Refused:
    """What is said of JSON that is not what was asked for: the first thing that is wrong, and where."""
    first = problem.errors(include_url=False, include_input=False)[0]
    if first["type"] == "too_long" and first["loc"] == ("texts",):
        found, most = first["ctx"]["actual_length"], first["ctx"]["max_length"]
        about = f"{found:,} documents; a request" if found is not None else "A request"
        return Refused("too_many", f"{about} may have {most:,}. Send them in parts.")
    where = ".".join(map(str, first["loc"]))
    return Refused("invalid", f"{where + ': ' if where else ''}{first['msg']}. /docs says what is asked for.")


def no_such_name(names: Mapping[str, object]) -> Refused:
    """What is said of JSON that has more than was asked for."""
    first = shown(next(iter(names)), 100)
    return Refused("invalid", f"{first} is not asked for; /docs says what is.")


class Answer(NamedTuple):
    """What is answered."""

    status: int
    headers: Headers
    body: bytes


async def send_answer(send: Send, answer: Answer) -> None:
    """Send an answer whole, with the headers that every answer has."""
    headers = [*answer.headers, (b"content-length", str(len(answer.body)).encode()), *HEADERS]
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    await send({"type": "http.response.body", "body": answer.body})
