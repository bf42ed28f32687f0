"""The pages and what they are made of: files of this package, read once; no path comes from a request."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import cache
from hashlib import sha256
from importlib.resources import files

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

TYPES = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
}
"""What is served, by the end of its name."""

PAGES = {"page.html": "/", "docs.html": "/docs"}
"""Files that have another path than their name."""


@cache
def assets() -> dict[str, tuple[bytes, str]]:
    """What is in each file, and its type, by its path."""
    found = {}
    for file in files(__package__).joinpath("assets").iterdir():
        kind = TYPES.get(file.name.rpartition(".")[2])
        if kind is not None:
            found[PAGES.get(file.name, f"/{file.name}")] = file.read_bytes(), kind
    return found


def routes() -> list[BaseRoute]:
    """A route for each file."""
    return [
        Route(path, _serve(data, kind), methods=["GET", "HEAD"], include_in_schema=False)
        for path, (data, kind) in assets().items()
    ]


def _serve(data: bytes, kind: str) -> Callable[[Request], Awaitable[Response]]:
    tag = f'"{sha256(data).hexdigest()[:32]}"'
    headers = {"etag": tag, "cache-control": "no-cache", "content-type": kind}

    async def endpoint(request: Request) -> Response:
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers=headers)
        return Response(data, headers=headers)

    return endpoint
