"""The pages and their scripts, styles and images: files of this package that are read once.

No file path comes from a request.
"""

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
"""Media types of the served files, by file name extension."""

PAGES = {"page.html": "/", "docs.html": "/docs"}
"""URL paths of the files whose path is not their name."""


@cache
def assets() -> dict[str, tuple[bytes, str]]:
    """Return the content and the media type of each file, by its URL path."""
    contents = {}
    for file in files(__package__).joinpath("assets").iterdir():
        media_type = TYPES.get(file.name.rpartition(".")[2])
        if media_type is not None:
            contents[PAGES.get(file.name, f"/{file.name}")] = file.read_bytes(), media_type
    return contents


def routes() -> list[BaseRoute]:
    """Return a route for each file."""
    return [
        Route(path, _serve(data, media_type), methods=["GET", "HEAD"], include_in_schema=False)
        for path, (data, media_type) in assets().items()
    ]


def _serve(data: bytes, media_type: str) -> Callable[[Request], Awaitable[Response]]:
    tag = f'"{sha256(data).hexdigest()[:32]}"'
    headers = {"etag": tag, "cache-control": "no-cache", "content-type": media_type}

    async def endpoint(request: Request) -> Response:
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers=headers)
        return Response(data, headers=headers)

    return endpoint
