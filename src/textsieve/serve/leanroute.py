"""A route of FastAPI whose body is read, checked and answered without what FastAPI does around every call.

What a function asks for and answers stays FastAPI's to describe. But a prediction takes a twentieth of a millisecond,
and resolving dependencies, reading the body and serializing the answer several times as long: here the body's bytes go
to pydantic, what it makes of them to the function, and the bytes that this returns to the caller.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, get_type_hints

from fastapi.routing import APIRoute
from pydantic import ValidationError
from starlette.types import ASGIApp, Receive, Scope, Send

from .guard import DOCUMENTS
from .refusals import JSON_TYPE, Refused, answer, invalid
from .shapes import Asked

BODY_SECONDS = 30.0
"""In which a body has to come."""

Answer = Callable[[Any], Awaitable[bytes]]


class LeanRoute(APIRoute):
    """For functions of one argument, a model of what is asked, that return the JSON of the answer as bytes."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **settings: Any) -> None:
        super().__init__(path, endpoint, **settings)
        (asked,) = (kind for name, kind in get_type_hints(endpoint).items() if name != "return")
        assert issubclass(asked, Asked)
        self.app = _lean(endpoint, asked, self.status_code or 200)


def _lean(endpoint: Answer, asked: type[Asked], status: int) -> ASGIApp:
    validate = asked.__pydantic_validator__.validate_json

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        try:
            question = validate(await _body(receive))
            scope[DOCUMENTS] = question.n_documents
            found = await endpoint(question)
        except ValidationError as problem:
            refused = invalid(problem)
        except Refused as problem:
            refused = problem
        else:
            await answer(send, status, [JSON_TYPE], found)
            return
        await answer(send, refused.status, refused.headers, refused.body)

    return app


async def _body(receive: Receive) -> bytes:
    try:
        async with asyncio.timeout(BODY_SECONDS):
            message = await receive()
            if not message.get("more_body", False):
                return bytes(message.get("body", b""))
            parts = [message["body"]]
            while message.get("more_body", False):
                message = await receive()
                parts.append(message.get("body", b""))
    except TimeoutError as problem:
        late = f"The body of the request was not there after {BODY_SECONDS:g} seconds; send it at once."
        raise Refused("too_slow", late) from problem
    return b"".join(parts)
