"""The simplest ASGI application, for comparison in `serve_load.py`: no framework, no body, no log."""

from collections.abc import Awaitable, Callable
from typing import Any

HEAD = {
    "type": "http.response.start",
    "status": 200,
    "headers": [(b"content-type", b"text/plain"), (b"content-length", b"5")],
}
BODY = {"type": "http.response.body", "body": b"hello"}


async def app(scope: dict[str, Any], receive: object, send: Callable[[dict[str, Any]], Awaitable[None]]) -> None:
    """Respond with hello."""
    await send(HEAD)
    await send(BODY)
