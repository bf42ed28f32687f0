"""A FastAPI route that reads, validates and answers a request without FastAPI's overhead for each call.

FastAPI still describes the request and the response in the OpenAPI document. But a prediction takes a twentieth of a
millisecond, and resolving dependencies, reading the body and serializing the response take several times as long. So
here pydantic validates the bytes of the body, the endpoint gets the resulting model, and the bytes that it returns are
sent to the client.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, get_type_hints

from fastapi.routing import APIRoute
from pydantic import ValidationError
from starlette.types import Receive, Scope, Send

from .api_errors import JSON_TYPE, ApiError, ApiResponse, invalid, no_such_name, send_answer
from .guard import DOCUMENTS
from .schemas import Asked

LARGE = 1 << 16
"""Bytes of a body from which on it is worth checking whether the client still waits for the response."""

Work = Callable[[Any], Coroutine[Any, Any, bytes]]


class LeanRoute(APIRoute):
    """Route for an endpoint that takes the pydantic model of the request and returns the response as JSON bytes."""

    def __init__(self, path: str, endpoint: Work, **settings: Any) -> None:
        super().__init__(path, endpoint, **settings)
        (request_model,) = (annotation for name, annotation in get_type_hints(endpoint).items() if name != "return")
        assert issubclass(request_model, Asked)
        self._validate = request_model.__pydantic_validator__.validate_json
        self._endpoint, self._status = endpoint, self.status_code or 200
        self.app = self._app

    async def _app(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send_answer(send, await self.answer(scope, receive))

    async def answer(self, scope: Scope, receive: Receive) -> ApiResponse:
        """Return the response to a request."""
        try:
            body = await _body(receive)
            request: Asked = self._validate(body)
            if request.model_extra:
                raise no_such_name(request.model_extra)
            scope[DOCUMENTS] = request.n_documents
            work = self._endpoint(request)
            response = await (work if len(body) < LARGE else _unless_gone(work, receive))
        except ValidationError as problem:
            return invalid(problem).answer
        except ApiError as problem:
            problem.__traceback__ = (
                None  # the traceback refers to this frame, which would keep the body in memory until garbage collection
            )
            return problem.answer
        return ApiResponse(self._status, [JSON_TYPE], response)


async def _unless_gone(work: Coroutine[Any, Any, bytes], receive: Receive) -> bytes:
    """Return the result of long work, or cancel it and raise `ApiError` if the client disconnects."""
    working, disconnecting = asyncio.ensure_future(work), asyncio.ensure_future(receive())
    try:
        await asyncio.wait({working, disconnecting}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise ApiError("gone", "Nobody waits for the answer any more.")
        return await working
    finally:
        working.cancel()
        disconnecting.cancel()


async def _body(receive: Receive) -> bytes:
    """Return the complete body; raise `ApiError` if the client disconnects before its end."""
    parts: list[bytes] = []
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ApiError("gone", "The request was not whole when its sender went away.")
        parts.append(message.get("body", b""))
        if not message.get("more_body", False):
            return parts[0] if len(parts) == 1 else b"".join(parts)
