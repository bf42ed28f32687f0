"""The server: the listening socket, the application, signals, and the check for a newer model file.

At SIGHUP, the service reads the model file again; at SIGINT and SIGTERM, it finishes the requests that have begun and
ends. The caller creates `Hangup`, which catches SIGHUP, before anything else, because the signal ends a process without
a handler.
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
from contextlib import contextmanager, suppress
from ipaddress import ip_address

import uvicorn
from starlette.types import ASGIApp

from ..errors import InputError
from .api import routes
from .assets import assets
from .guard import HERE, AccessPolicy, Guard
from .hangup import Hangup
from .leanroute import LeanRoute
from .limits import Limits
from .protocol import bounded_protocol
from .service import Service

TOKEN = "TEXTSIEVE_TOKEN"
"""The environment variable with the token, if one is needed."""
LOOK_SECONDS = 1.0
"""Seconds between two checks whether the model file has changed."""
GRACE = 5
"""Seconds for open requests at shutdown, in addition to the time limit of a request."""
BACKLOG = 2048
FILES = 64
"""Number of files that a service may have open beside its connections, with some reserve."""
GARBAGE = 20_000
"""New objects that start a garbage collection: a request leaves hardly any garbage, but makes the default of 700."""


def token_from_environment() -> str | None:
    """Return the token that clients have to send, or None if they need none; raise `InputError` for an invalid one."""
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
    """Return the ASGI application, to run in a server of your own; `textsieve serve` is enough for most uses."""
    service = Service(path, limits=limits, feedback=feedback, n_jobs=n_jobs)
    return guarded(service, hosts, token)


def guarded(service: Service, hosts: Collection[str] | None, token: str | None) -> ASGIApp:
    """Return the routes of a service behind its guard."""
    open_paths = {*assets(), "/healthz", "/openapi.json"}
    app = routes(service)
    direct = {("POST", route.path): route for route in app.routes if isinstance(route, LeanRoute)}
    return Guard(app, direct, service.limits, AccessPolicy(hosts, token, open_paths), service.note, service.went_wrong)


def is_loopback(listener: socket.socket) -> bool:
    """Return whether only this machine can reach a socket, whatever name was given for its address."""
    return ip_address(listener.getsockname()[0]).is_loopback


def listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens on a host and port; raise `InputError` if that is impossible."""
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


def possible_connections(most: int) -> int:
    """Raise the limit of open files for `most` connections, and return how many of them it allows.

    Twice as many files are needed, because new connections are accepted before old ones are closed.
    """
    try:
        import resource
    except ImportError:  # no such limit on this system
        return most
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return most
    wanted = 2 * most + FILES
    allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if allowed > soft:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
    return max(1, min(most, (max(soft, allowed) - FILES) // 2))


def address_of(listener: socket.socket) -> str:
    """Return the URL of the service."""
    host, port = listener.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


def run(
    service: Service,
    listener: socket.socket,
    *,
    hosts: Collection[str] | None,
    token: str | None,
    watch: bool,
    hangup: Hangup,
    ready: Callable[[], None],
) -> None:
    """Serve until a signal ends it."""
    config = uvicorn.Config(
        guarded(service, hosts, token),
        http=bounded_protocol(service.limits.seconds, possible_connections(service.limits.connections), service.say),
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
    gc.freeze()  # loaded objects stay: traversing them in each garbage collection would delay requests
    gc.set_threshold(GARBAGE)
    factory = config.get_loop_factory()
    with asyncio.Runner(loop_factory=factory) as runner:
        runner.run(_serve(server, listener, service, watch=watch, hangup=hangup, ready=ready))


class _Server(uvicorn.Server):
    """A server that shuts down in order at a signal.

    uvicorn would send itself the signal again, and skip the code that follows.
    """

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle SIGINT and SIGTERM while the server runs."""
        previous = {number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in previous.items():
                signal.signal(number, handler)


async def _serve(
    server: uvicorn.Server,
    listener: socket.socket,
    service: Service,
    *,
    watch: bool,
    hangup: Hangup,
    ready: Callable[[], None],
) -> None:
    loop = asyncio.get_running_loop()
    reload_requested = asyncio.Event()

    async def reload() -> None:
        """Read the model file again after a signal, or when it has changed; signals at the same time cause one
        reload.
        """
        while True:
            with suppress(TimeoutError):
                await asyncio.wait_for(reload_requested.wait(), LOOK_SECONDS if watch else None)
            if reload_requested.is_set() or service.current.has_changed:
                reload_requested.clear()
                await asyncio.to_thread(service.reload)

    reloading = loop.create_task(reload())
    hangup.send_to(lambda: loop.call_soon_threadsafe(reload_requested.set))
    try:
        loop.call_soon(ready)
        await server.serve(sockets=[listener])
    finally:
        hangup.ignore()
        reloading.cancel()
        service.close()
