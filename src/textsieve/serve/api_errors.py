"""Error responses: each has a status, a code for programs, and a message for people that says what to do."""

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
"""Headers of every JSON response: browsers must not run it, guess its type, or cache it."""

CLOSE = (b"connection", b"close")
"""Header of responses to requests whose body was not read to the end: the server does not wait for the rest."""

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
"""HTTP status of each error code."""

EXTRA_HEADERS: dict[str, Headers] = {
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
"""Additional headers of some error codes."""

SEE_DOCS = "See /docs for the format of requests."


class ApiResponse(NamedTuple):
    """A response: its status, headers and body."""

    status: int
    headers: Headers
    body: bytes


async def send_response(send: Send, response: ApiResponse) -> None:
    """Send a complete response, with the headers that every JSON response has."""
    headers = [*response.headers, (b"content-length", str(len(response.body)).encode()), *HEADERS]
    await send({"type": "http.response.start", "status": response.status, "headers": headers})
    await send({"type": "http.response.body", "body": response.body})


class ApiError(Exception):
    """An error response to a request."""

    def __init__(self, code: str, message: str, headers: Headers | None = None) -> None:
        super().__init__(message)
        self.code, self.message = code, message
        self.status = STATUS[code]
        self.headers = [JSON_TYPE, *EXTRA_HEADERS.get(code, []), *(headers or [])]

    @property
    def response(self) -> ApiResponse:
        """Return the error as a response."""
        return ApiResponse(self.status, self.headers, self.body)

    @property
    def body(self) -> bytes:
        """Return the body of the response, as JSON."""
        return to_json({"error": {"code": self.code, "message": self.message}})

    @property
    def http_bytes(self) -> bytes:
        """Return the bytes of the whole HTTP response, for errors on a connection that has no valid request."""
        headers = [*self.headers, (b"content-length", str(len(self.body)).encode()), *HEADERS]
        lines = [f"HTTP/1.1 {self.status} {HTTPStatus(self.status).phrase}".encode(), *map(b": ".join, headers)]
        return b"\r\n".join([*lines, b"", self.body])


def internal_error() -> ApiError:
    """Return the error for a failure of the service itself."""
    return ApiError("internal", "Internal error; the log of the service has the details.", [CLOSE])


def validation_error(problem: ValidationError) -> ApiError:
    """Return the error for JSON that does not match the schema: the first problem, and where it is."""
    first = problem.errors(include_url=False, include_input=False)[0]
    if first["type"] == "too_long" and first["loc"] == ("texts",):
        n_documents, most = first["ctx"]["actual_length"], first["ctx"]["max_length"]
        count = f"{n_documents:,} documents" if n_documents is not None else "too many documents"
        return ApiError("too_many", f"The request has {count}; at most {most:,} are allowed. Send several requests.")
    field = ".".join(map(str, first["loc"]))
    return ApiError("invalid", f"{field + ': ' if field else ''}{first['msg']}. {SEE_DOCS}")


def unknown_field_error(fields: Mapping[str, object]) -> ApiError:
    """Return the error for JSON with unknown fields, which names the first of them."""
    return ApiError("invalid", f"Unknown field {shown(next(iter(fields)), 100)}. {SEE_DOCS}")
