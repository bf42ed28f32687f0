"""Error responses: each has a status, a code for programs, and a message for people that says what to do.

Where they apply, a response also has the fields of an `InputError`, so that programs need not read the message:
`setting`, `value`, `allowed`, `hint` and `place`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic_core import to_json

from ..errors import UNSET, InputError, render, shown

if TYPE_CHECKING:
    from pydantic_core import ValidationError
    from starlette.types import Send


Headers = list[tuple[bytes, bytes]]

JSON_TYPE = (b"content-type", b"application/json")
JSON_HEADERS: Headers = [
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"x-content-type-options", b"nosniff"),
    (b"cache-control", b"no-store"),
]
"""Headers of every JSON response: browsers must not run it, guess its type, or cache it."""

CLOSE = (b"connection", b"close")
"""Header of responses to requests whose body was not read to the end: the server does not wait for the rest."""


class ErrorCode(NamedTuple):
    """An error code: its HTTP status, when it occurs, and what to do; the reference of the HTTP API shows all three."""

    status: int
    when: str
    what_to_do: str


ERROR_CODES = {
    "malformed": ErrorCode(
        400,
        "The request is not valid HTTP/1.1, repeats a header that may occur once, or asks for an unknown "
        "`Transfer-Encoding` or an upgrade.",
        "Correct the client or the proxy.",
    ),
    "unauthorized": ErrorCode(
        401,
        "The service needs a token, and the request has none or another one.",
        "Send the header `Authorization: Bearer TOKEN`, with the value of `TEXTSIEVE_TOKEN`.",
    ),
    "forbidden": ErrorCode(
        403,
        "The header `Host` names no allowed host, or a page of another site made the request (`Origin`).",
        "Start the service with `--allow-host NAME`; call it from a program, or from its own page. A proxy must pass "
        "on the header `Host` with its port.",
    ),
    "not_found": ErrorCode(
        404,
        "There is no such path; or it is `/v1/feedback`, and the service runs without `--feedback`.",
        "Check the path, or start the service with `--feedback`.",
    ),
    "method_not_allowed": ErrorCode(405, "The path has another method.", "Use a method of the header `Allow`."),
    "too_slow": ErrorCode(
        408, "The request was not complete within `--timeout`.", "Send it without pauses, or in several requests."
    ),
    "too_large": ErrorCode(413, "The body has more than `--max-body` bytes.", "Send fewer documents in one request."),
    "not_json": ErrorCode(
        415,
        "The body is not plain JSON by its headers `Content-Type` and `Content-Encoding`.",
        "Send `Content-Type: application/json`, and no compressed body.",
    ),
    "invalid": ErrorCode(
        422,
        "The body is not JSON, or a field or parameter has a wrong value, is missing or unknown, or asks for what this "
        "model can't do.",
        "Read `message`; `setting` and `place` name the field.",
    ),
    "too_many": ErrorCode(422, "The request has more than `--max-documents` documents.", "Send several requests."),
    "too_long": ErrorCode(
        422, "A document has more than `--max-length` characters.", "Shorten the document that `place` names."
    ),
    "unknown_label": ErrorCode(
        422,
        "The model has no such class, perhaps because the service has loaded another model.",
        "Use one of the classes in `/v1/model`.",
    ),
    "head_too_long": ErrorCode(
        431, "The request line and headers are too long, or the headers too many.", "Send fewer or shorter headers."
    ),
    "gone": ErrorCode(
        499,
        "The client disconnected before it had a response. This code is only in the log and in `/metrics`.",
        "Let the client wait for at least `--timeout`.",
    ),
    "internal": ErrorCode(500, "The service failed.", "Look into its log, and report the error."),
    "busy": ErrorCode(503, "Too many requests or connections are open, or too many bytes are in memory.", "Try again."),
    "timeout": ErrorCode(
        503, "There was no response within `--timeout`.", "Try again, or send fewer or shorter documents."
    ),
    "not_written": ErrorCode(
        503,
        "A correction could not be written: for example, the disk is full, or the file belongs to somebody else.",
        "Look for the reason in the log, and try again.",
    ),
    "ending": ErrorCode(503, "The service is shutting down.", "Try again."),
}
"""All error codes."""

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

MAX_ALLOWED = 100
"""A list of more allowed values is left out of the response."""
MAX_VALUE = 200
"""A longer value is shortened, so that no response repeats a whole request."""
MAX_EXACT = 1 << 53
"""Up to this absolute value, every JSON reader represents integers exactly."""


class ApiResponse(NamedTuple):
    """A response: its status, headers and body."""

    status: int
    headers: Headers
    body: bytes


async def send_response(send: Send, response: ApiResponse) -> None:
    """Send a complete response, with the headers that every JSON response has."""
    headers = [*response.headers, (b"content-length", str(len(response.body)).encode()), *JSON_HEADERS]
    await send({"type": "http.response.start", "status": response.status, "headers": headers})
    await send({"type": "http.response.body", "body": response.body})


class ApiError(Exception):
    """An error response to a request.

    `problem` and `hint` are sentences, which form the message for people. The other fields are for programs:

    - `setting`: the field, query parameter or header of the request that has the problem.
    - `value`, `allowed`: its value, and the values that it may have.
    - `place`: where in the request the problem is, such as `texts.3`.
    """

    def __init__(
        self,
        code: str,
        problem: str,
        headers: Headers | None = None,
        *,
        setting: str | None = None,
        value: object = UNSET,
        allowed: Iterable[object] = (),
        hint: str = "",
        place: str = "",
    ) -> None:
        self.code = code
        self.message = f"{problem} {hint}" if hint else problem
        super().__init__(self.message)
        self.status = ERROR_CODES[code].status
        self.headers = [JSON_TYPE, *EXTRA_HEADERS.get(code, []), *(headers or [])]
        self.fields = _json_fields(setting, value, tuple(allowed), hint, place)

    @classmethod
    def of_input_error(cls, error: InputError) -> ApiError:
        """Return the response to a request that causes an `InputError`, with the message and fields of that error."""
        api_error = cls("invalid", error.render())
        place = "" if error.place is None else str(error.place)
        api_error.fields = _json_fields(error.setting, error.value, error.allowed, render(error.hint), place)
        return api_error

    @property
    def response(self) -> ApiResponse:
        """Return the error as a response."""
        return ApiResponse(self.status, self.headers, self.body)

    @property
    def body(self) -> bytes:
        """Return the body of the response, as JSON."""
        return to_json({"error": {"code": self.code, "message": self.message, **self.fields}})

    @property
    def http_bytes(self) -> bytes:
        """Return the bytes of the whole HTTP response, for errors on a connection that has no valid request."""
        headers = [*self.headers, (b"content-length", str(len(self.body)).encode()), *JSON_HEADERS]
        lines = [f"HTTP/1.1 {self.status} {HTTPStatus(self.status).phrase}".encode(), *map(b": ".join, headers)]
        return b"\r\n".join([*lines, b"", self.body])


def _json_fields(
    setting: str | None, value: object, allowed: tuple[object, ...], hint: str, place: str
) -> dict[str, Any]:
    """Return the fields of an error that are given, with values that JSON can represent."""
    fields: dict[str, Any] = {}
    if setting is not None:
        fields["setting"] = _json_value(setting)
    if value is not UNSET:
        fields["value"] = _json_value(value)
    if 0 < len(allowed) <= MAX_ALLOWED:
        fields["allowed"] = [_json_value(item) for item in allowed]
    if hint:
        fields["hint"] = hint
    if place:
        fields["place"] = place
    return fields


def _json_value(value: object) -> object:
    """Return a value as it is if it is short and JSON can represent it; otherwise return its shortened `repr`."""
    is_short_text = isinstance(value, str) and len(value) <= MAX_VALUE
    is_exact_number = isinstance(value, int | float) and abs(value) <= MAX_EXACT  # False for NaN and infinity
    return value if value is None or is_short_text or is_exact_number else shown(value, MAX_VALUE)


def internal_error() -> ApiError:
    """Return the error for a failure of the service itself."""
    return ApiError("internal", "Internal error; the log of the service has the details.", [CLOSE])


def validation_error(validation: ValidationError, body: bytes) -> ApiError:
    """Return the error for a body that is not JSON or does not match the schema: the first problem, and where it is."""
    first = validation.errors(include_url=False, include_input=False)[0]
    if first["type"] == "json_invalid" and "unicode code point" in first["msg"] and not is_utf8(body):
        return ApiError("invalid", "The body is not UTF-8.", hint="Encode the JSON as UTF-8.")
    if first["type"] == "too_long" and first["loc"] == ("texts",):
        n_documents, most = first["ctx"]["actual_length"], first["ctx"]["max_length"]
        # None if pydantic stopped before the end of the list.
        count = f"{n_documents:,} documents" if n_documents is not None else "too many documents"
        problem = f"The request has {count}; at most {most:,} are allowed."
        return ApiError("too_many", problem, setting="texts", hint="Send several requests.")
    return invalid_field_error(first["loc"], first["msg"])


def is_utf8(data: bytes) -> bool:
    """Return whether some bytes are text in UTF-8."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def invalid_field_error(location: tuple[int | str, ...], problem: str, value: object = UNSET) -> ApiError:
    """Return the error for a part of a request: `location` is a field, possibly followed by positions inside of it."""
    if not location:  # the body is not JSON, or not an object
        return ApiError("invalid", f"{problem}.", hint=SEE_DOCS)
    place = ".".join(map(str, location))
    return ApiError(
        "invalid", f"{place}: {problem}.", setting=str(location[0]), value=value, hint=SEE_DOCS, place=place
    )


def unknown_field_error(fields: Mapping[str, object]) -> ApiError:
    """Return the error for JSON with unknown fields, which names the first of them."""
    name = next(iter(fields))
    return ApiError("invalid", f"Unknown field {shown(name, 100)}.", setting=name, hint=SEE_DOCS)
