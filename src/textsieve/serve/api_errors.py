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
        self.status = STATUS[code]
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


def validation_error(validation: ValidationError) -> ApiError:
    """Return the error for JSON that does not match the schema: the first problem, and where it is."""
    first = validation.errors(include_url=False, include_input=False)[0]
    if first["type"] == "too_long" and first["loc"] == ("texts",):
        n_documents, most = first["ctx"]["actual_length"], first["ctx"]["max_length"]
        # None if pydantic stopped before the end of the list.
        count = f"{n_documents:,} documents" if n_documents is not None else "too many documents"
        problem = f"The request has {count}; at most {most:,} are allowed."
        return ApiError("too_many", problem, setting="texts", hint="Send several requests.")
    return invalid_field_error(first["loc"], first["msg"])


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
