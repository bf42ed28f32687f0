"""A route of FastAPI whose body is read, checked and answered without what FastAPI does around every call.

What a function asks for and answers stays FastAPI's to describe. But a prediction takes a twentieth of a millisecond,
and resolving dependencies, reading the body and serializing the answer several times as long: here the body's bytes go
to pydantic, what it makes of them to the function, and the bytes that this returns to the caller.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, get_type_hints

from fastapi.routing import APIRoute
from pydantic import ValidationError
from starlette.types import Receive, Scope, Send

from .guard import DOCUMENTS
from .refusals import JSON_TYPE, Answer, Refused, invalid, no_such_name, send_answer
from .shapes import Asked

LARGE = 1 << 16
"""Bytes of a body from which on it is worth looking whether anybody still waits for the answer."""

Work = Callable[[Any], Coroutine[Any, Any, bytes]]


class LeanRoute(APIRoute):
    """For functions of one argument, a model of what is asked, that return the JSON of the answer as bytes."""

    def __init__(self, path: str, endpoint: Work, **settings: Any) -> None:
        super().__init__(path, endpoint, **settings)
        (asked,) = (kind for name, kind in get_type_hints(endpoint).items() if name != "return")
        assert issubclass(asked, Asked)
        self._validate = asked.__pydantic_validator__.validate_json
        self._endpoint, self._status = endpoint, self.status_code or 200
        self.app = self._app

    async def _app(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send_answer(send, await self.answer(scope, receive))

    async def answer(self, scope: Scope, receive: Receive) -> Answer:
        """The answer to a request."""
        try:
            body = await _body(receive)
            asked: Asked = self._validate(body)
            if asked.model_extra:
                raise no_such_name(asked.model_extra)
            scope[DOCUMENTS] = asked.n_documents
            work = self._endpoint(asked)
            found = await (work if len(body) < LARGE else _unless_gone(work, receive))
        except ValidationError as problem:
            return invalid(problem).answer
        except Refused as problem:
            problem.__traceback__ = None  # it has this frame, and that the body, until garbage is collected
            return problem.answer
        return Answer(self._status, [JSON_TYPE], found)


async def _unless_gone(work: Coroutine[Any, Any, bytes], receive: Receive) -> bytes:
    """What comes out of long work, which is given up if the caller goes away."""
    working, leaving = asyncio.ensure_future(work), asyncio.ensure_future(receive())
    try:
        await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise Refused("gone", "Nobody waits for the answer any more.")
        return await working
    finally:
        working.cancel()
        leaving.cancel()


async def _body(receive: Receive) -> bytes:
    """All of the body; what is there of one whose sender went away is not all that was meant."""
    parts: list[bytes] = []
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Refused("gone", "The request was not whole when its sender went away.")
        parts.append(message.get("body", b""))
        if not message.get("more_body", False):
            return parts[0] if len(parts) == 1 else b"".join(parts)
