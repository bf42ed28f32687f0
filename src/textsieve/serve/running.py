"""The server: a socket, the application, signals, and a look at the model file now and then.

SIGHUP has the model file read again, SIGINT and SIGTERM let requests that have begun come to their end. `Hangup`, which
the caller makes before anything else, catches SIGHUP: the signal ends a process that does not.
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
from .guard import HERE, Door, Guard
from .hangup import Hangup
from .leanroute import LeanRoute
from .limits import Limits
from .protocol import bounded_protocol
from .service import Service

TOKEN = "TEXTSIEVE_TOKEN"
"""The variable of the environment that has the token, if one is needed."""
LOOK_SECONDS = 1.0
"""Between two looks at the model file."""
GRACE = 5
"""Seconds that requests have to come to their end, beyond those that they may take."""
BACKLOG = 2048
FILES = 64
"""Files that a service has open beside its connections, and some more."""
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


def possible_connections(most: int) -> int:
    """Raise the limit of open files to what so many connections need; return how many the limit allows, at most `most`.

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
    gc.freeze()  # what is loaded stays: sweeping through it now and then would hold up requests
    gc.set_threshold(GARBAGE)
    factory = config.get_loop_factory()
    with asyncio.Runner(loop_factory=factory) as runner:
        runner.run(_serve(server, listener, service, watch=watch, hangup=hangup, ready=ready))


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
    server: uvicorn.Server,
    listener: socket.socket,
    service: Service,
    *,
    watch: bool,
    hangup: Hangup,
    ready: Callable[[], None],
) -> None:
    loop = asyncio.get_running_loop()
    is_asked = asyncio.Event()

    async def reload() -> None:
        """Read the model file when a signal asks for it, or when it has changed; many signals at once ask once."""
        while True:
            with suppress(TimeoutError):
                await asyncio.wait_for(is_asked.wait(), LOOK_SECONDS if watch else None)
            if is_asked.is_set() or service.current.has_changed:
                is_asked.clear()
                await asyncio.to_thread(service.reload)

    reloading = loop.create_task(reload())
    hangup.send_to(lambda: loop.call_soon_threadsafe(is_asked.set))
    try:
        loop.call_soon(ready)
        await server.serve(sockets=[listener])
    finally:
        hangup.ignore()
        reloading.cancel()
        service.close()
