"""The server: a socket, the application, signals, and a look at the model file now and then.

SIGHUP has the model file read again, SIGINT and SIGTERM let requests that have begun come to their end.
"""

from __future__ import annotations

import asyncio
import errno
import gc
import math
import os
import signal
import socket
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from ipaddress import ip_address

import uvicorn
from starlette.types import ASGIApp

from ..errors import InputError
from .api import routes
from .assets import assets
from .guard import HERE, Door, Guard
from .leanroute import LeanRoute
from .limits import Limits
from .protocol import patient_for
from .service import Service

TOKEN = "TEXTSIEVE_TOKEN"
"""The variable of the environment that has the token, if one is needed."""
LOOK_SECONDS = 1.0
"""Between two looks at the model file."""
GRACE = 5
"""Seconds that requests have to come to their end, beyond those that they may take."""
BACKLOG = 2048
GARBAGE = 20_000
"""New objects after which it is looked for garbage; a request leaves hardly any, and the usual 700 are its own."""


def token_from_environment() -> str | None:
    """The token that callers have to send; None: none."""
    token = os.environ.get(TOKEN)
    if token is not None and not (token.isascii() and token.isprintable() and token.strip() == token and token):
        raise InputError(f"{TOKEN} is set, but is no token: use visible ASCII characters, or unset it.")
    return token


def create_app(
    path: str,
    *,
    limits: Limits | None = None,
    feedback: str | None = None,
    hosts: Collection[str] | None = HERE,
    token: str | None = None,
    n_jobs: int | None = None,
) -> ASGIApp:
    """The application, for a server of one's own; `run` is all that most need."""
    service = Service(path, limits=limits, feedback=feedback, n_jobs=n_jobs)
    return guarded(service, hosts, token)


def guarded(service: Service, hosts: Collection[str] | None, token: str | None) -> ASGIApp:
    """The routes of a service behind its guard."""
    open_paths = {*assets(), "/healthz", "/openapi.json"}
    app = routes(service)
    direct = {("POST", route.path): route for route in app.routes if isinstance(route, LeanRoute)}
    return Guard(app, direct, service.limits, Door(hosts, token, open_paths), service.note, service.went_wrong)


def is_loopback(listener: socket.socket) -> bool:
    """Whether nobody but this machine reaches a socket; whatever its address was called."""
    return ip_address(listener.getsockname()[0]).is_loopback


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens there."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    except (OSError, OverflowError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        way_out = (
            "Use another port (--port), or 0 for any that is free."
            if getattr(problem, "errno", None) in (errno.EADDRINUSE, errno.EACCES)
            else "Use an address of this machine (--host), such as 127.0.0.1."
        )
        raise InputError(f"Can't listen on {host}, port {port}: {reason}. {way_out}") from problem


def address_of(listener: socket.socket) -> str:
    """What a browser calls it."""
    host, port = listener.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


def run(
    service: Service,
    listener: socket.socket,
    *,
    hosts: Collection[str] | None,
    token: str | None,
    watch: bool,
    ready: Callable[[], None],
) -> None:
    """Serve until a signal ends it."""
    config = uvicorn.Config(
        guarded(service, hosts, token),
        http=patient_for(service.limits.seconds),
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        log_level="error",
        timeout_graceful_shutdown=math.ceil(service.limits.seconds) + GRACE,
    )
    server = _Server(config)
    gc.collect()
    gc.freeze()  # what is loaded stays: sweeping through it now and then would hold up requests
    gc.set_threshold(GARBAGE)
    factory = config.get_loop_factory()
    with asyncio.Runner(loop_factory=factory) as runner:
        runner.run(_serve(server, listener, service, watch=watch, ready=ready))


class _Server(uvicorn.Server):
    """Ends in an orderly way at a signal; uvicorn would send itself the signal again, and leave the rest undone."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Listen to the signals that end it, as long as it runs."""
        before = {each: signal.signal(each, self.handle_exit) for each in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)


async def _serve(
    server: uvicorn.Server, listener: socket.socket, service: Service, *, watch: bool, ready: Callable[[], None]
) -> None:
    loop = asyncio.get_running_loop()
    reloading = asyncio.Lock()
    tasks: set[asyncio.Task[None]] = set()

    async def reload() -> None:
        async with reloading:
            await asyncio.to_thread(service.reload)

    def begin_reload() -> None:
        task = loop.create_task(reload())
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    async def look() -> None:
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            if service.current.has_changed:
                await reload()

    if hasattr(signal, "SIGHUP"):
        loop.add_signal_handler(signal.SIGHUP, begin_reload)
    if watch:
        tasks.add(loop.create_task(look()))
    try:
        loop.call_soon(ready)
        await server.serve(sockets=[listener])
    finally:
        for task in list(tasks):
            task.cancel()
        service.close()
