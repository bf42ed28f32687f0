"""The server: the listening socket, the application, signals, and the check for a newer model file.

At SIGHUP, the service reads the model file again; at SIGINT and SIGTERM, it finishes the requests that have begun and
ends. While the service starts, `textsieve serve` ignores SIGHUP, which would otherwise end the process. To make up for
an ignored SIGHUP, a running service first checks whether its model file has changed since it was read.
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
from functools import partial
from ipaddress import ip_address
from types import FrameType
from typing import Any, cast

import uvicorn
from starlette.types import ASGIApp

from ..errors import InputError
from .acceptor import BalancedAcceptor
from .api import LeanRoute, build_routes, read_assets
from .guard import LOOPBACK_NAMES, AccessPolicy, Guard, checked_hosts
from .limits import Limits
from .protocol import bounded_protocol
from .service import Service

Handler = Callable[..., object] | signal.Handlers
"""Handler of a signal."""
TOKEN_VARIABLE = "TEXTSIEVE_TOKEN"
"""The environment variable with the token, if one is needed."""
CHECK_SECONDS = 1.0
"""Seconds between two checks whether the model file has changed."""
GRACE_SECONDS = 5
"""Seconds for open requests at shutdown, in addition to the time limit of a request."""
BACKLOG = 2048
"""Connections that the system may keep waiting until the service accepts them."""
OTHER_FILES = 64
"""Number of files that a service may have open beside its connections, with some reserve."""
GC_THRESHOLD = 20_000
"""Number of new container objects, less those that were freed, that starts a garbage collection.

With 200 clients, Python's default of 700 starts a collection every 40 requests. That takes 6 % of the processor time
and frees nothing, because requests create no reference cycles. With 20,000, this load starts no collection at all.
"""


def token_from_environment() -> str | None:
    """Return the token that clients have to send, or None if they need none; raise `InputError` for an invalid one."""
    token = os.environ.get(TOKEN_VARIABLE)
    if token is not None and not is_token(token):
        raise InputError(
            f"{TOKEN_VARIABLE} is set to an invalid token",
            hint="Use ASCII letters, digits and signs, without a space at the beginning or end; or unset it.",
        )
    return token


def is_token(text: str) -> bool:
    """Return whether clients can send a text as their token."""
    return text.isascii() and text.isprintable() and text.strip() == text != ""


def create_app(
    path: str,
    *,
    limits: Limits | None = None,
    feedback: str | None = None,
    hosts: Collection[str] | None = LOOPBACK_NAMES,
    token: str | None = None,
    n_jobs: int | None = None,
) -> ASGIApp:
    """Return the ASGI application, to run in a server of your own; `textsieve serve` is enough for most uses.

    `hosts` are the host names that requests may use, besides those of this machine, which health checks use; None
    allows any name. Clients have to send the `token`, unless it is None.
    """
    if token is not None and not is_token(token):
        # The message does not have the token, which is a secret.
        problem = "it is empty, begins or ends with a space, or has characters that are not printable ASCII"
        raise InputError(problem, setting="token", hint="use another token, or None")
    names = None if hosts is None else LOOPBACK_NAMES.union(checked_hosts(hosts))
    service = Service(path, limits=limits, feedback=feedback, n_jobs=n_jobs)
    return build_app(service, names, token, host_hint="Give create_app other names as hosts to allow them.")


def build_app(
    service: Service,
    hosts: Collection[str] | None,
    token: str | None,
    *,
    host_hint: str = "Use --allow-host to allow other names.",
) -> ASGIApp:
    """Return the application of a service: its routes behind its guard.

    `host_hint` is the sentence that says how to allow other hosts.
    """
    open_paths = {*read_assets(), "/healthz", "/openapi.json"}
    app = build_routes(service)
    direct_routes = {("POST", route.path): route for route in app.routes if isinstance(route, LeanRoute)}
    policy = AccessPolicy(hosts, token, open_paths, host_hint)
    return Guard(app, direct_routes, service.limits, policy, service.record_request, service.log_exception)


def is_loopback(listener: socket.socket) -> bool:
    """Return whether only this machine can reach a socket, whatever name was given for its address."""
    return ip_address(listener.getsockname()[0]).is_loopback


def open_listener(host: str, port: int) -> socket.socket:
    """Return a socket that listens on a host and port; raise `InputError` if that is impossible."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    except (OSError, OverflowError) as problem:  # `OverflowError`: the port is not from 0 to 65535
        reason = getattr(problem, "strerror", None) or problem
        hint = (
            "Use another port (--port), or 0 for any free port."
            if getattr(problem, "errno", None) in (errno.EADDRINUSE, errno.EACCES)
            else "Use an address of this machine (--host), such as 127.0.0.1."
        )
        raise InputError(f"Can't listen on {host}, port {port}: {reason}", hint=hint) from problem


def allowed_connections(max_connections: int) -> int:
    """Return how many connections the system allows, up to `max_connections`.

    The limit of open files of this process is raised as far as necessary and possible. Twice as many files as
    connections are needed, because new connections are accepted before old ones are closed.
    """
    try:
        import resource
    except ImportError:  # no such limit on this system
        return max_connections
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return max_connections
    n_needed = 2 * max_connections + OTHER_FILES
    n_files = n_needed if hard == resource.RLIM_INFINITY else min(n_needed, hard)
    if n_files > soft:
        resource.setrlimit(resource.RLIMIT_NOFILE, (n_files, hard))
    limit = max(soft, n_files)  # now: raised to `n_files`, or unchanged if it was higher
    return max(1, min(max_connections, (limit - OTHER_FILES) // 2))


def url_of(listener: socket.socket) -> str:
    """Return the URL at which this machine reaches the service."""
    host, port = listener.getsockname()[:2]
    if ip_address(host).is_unspecified:  # listens on all addresses; browsers can't open 0.0.0.0
        host = "::1" if listener.family == socket.AF_INET6 else "127.0.0.1"
    return _url(host, port)


def urls_for_others(listener: socket.socket, names: Collection[str] = ()) -> list[str]:
    """Return the URLs that other machines can open, beside `url_of`; empty if they can't connect.

    `names` are the host names that requests may use. If there are none, any is allowed, and a service that listens on
    all addresses of this machine has a URL for each of them.
    """
    host, port = listener.getsockname()[:2]
    if ip_address(host).is_loopback:
        return []
    hosts = [name for name in names if name not in LOOPBACK_NAMES]
    if not names and ip_address(host).is_unspecified:
        hosts = own_addresses(listener.family)
    return [_url(name, port) for name in hosts]


def _url(host: str, port: int) -> str:
    """Return the URL of a host name or an IP address; IPv6 addresses are in brackets."""
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


def own_addresses(family: socket.AddressFamily) -> list[str]:
    """Return the addresses at which others may reach this machine; the address in its usual network comes first."""
    addresses = [_outgoing_address(family)]
    with suppress(OSError):  # the name of this machine is unknown
        addresses += [str(entry[4][0]) for entry in socket.getaddrinfo(socket.gethostname(), None, family)]
    return [address for address in dict.fromkeys(addresses) if address and is_reachable(address)]


def is_reachable(address: str) -> bool:
    """Return whether other machines may reach an address; link-local ones work only with the name of an interface."""
    ip = ip_address(address.partition("%")[0])  # an IPv6 address may end with the name of its interface
    return not (ip.is_loopback or ip.is_link_local or ip.is_unspecified)


def _outgoing_address(family: socket.AddressFamily) -> str | None:
    """Return the address that this machine has in its usual network, or None if it has no network.

    Connecting a UDP socket sends nothing: the system only chooses a route to the other address, and with it the own
    address. The other addresses below are reserved for documentation, so they belong to the rest of the internet.
    """
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("2001:db8::1" if family == socket.AF_INET6 else "192.0.2.1", 9))
        except OSError:
            return None
        return str(probe.getsockname()[0])


def run(
    service: Service,
    listener: socket.socket,
    *,
    hosts: Collection[str] | None,
    token: str | None,
    watch: bool,
    ready: Callable[[], None],
    parent: int | None = None,
) -> None:
    """Serve until a signal ends it, and call `ready` when the server starts.

    `hosts` and `token` are those of an `AccessPolicy`. If `watch`, the service checks every `CHECK_SECONDS` whether
    there is a newer model file. In a worker process, `parent` is the read end of a pipe; the service ends when the
    other end, which only the parent process has, is closed. A worker reads the model file only at SIGHUP.
    """
    config = uvicorn.Config(
        build_app(service, hosts, token),
        http=bounded_protocol(
            service.limits.seconds,
            allowed_connections(service.limits.connections),
            service.log,
            service.record_request,
        ),
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        log_level="error",
        timeout_graceful_shutdown=math.ceil(service.limits.seconds) + GRACE_SECONDS,
    )
    server = (_Server if parent is None else _WorkerServer)(config, service)
    gc.collect()
    gc.freeze()  # modules and the first model are never garbage, so collections need not traverse them
    gc.set_threshold(GC_THRESHOLD)
    with asyncio.Runner(loop_factory=config.get_loop_factory()) as runner:
        runner.run(_serve(server, listener, service, watch=watch, ready=ready, parent=parent))


class _Server(uvicorn.Server):
    """A server that shuts down in order at a signal.

    uvicorn's own `capture_signals` raises the signal a second time when the server has ended, so that the code after it
    may not run.
    """

    def __init__(self, config: uvicorn.Config, service: Service) -> None:
        super().__init__(config)
        self._service = service
        self._signal: int | None = None

    @property
    def signal_handlers(self) -> dict[signal.Signals, Handler]:
        """Return the handlers of signals while the server runs."""
        return {signal.SIGINT: self.handle_exit, signal.SIGTERM: self.handle_exit}

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle signals while the server runs."""
        previous = {number: signal.signal(number, handler) for number, handler in self.signal_handlers.items()}
        try:
            yield
        finally:
            for number, handler in previous.items():
                signal.signal(number, handler)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Let the server end because of a signal."""
        self._signal = sig
        super().handle_exit(sig, frame)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Log which signal ends the server, outside of its handler, which must not wait for the lock of the log."""
        self._log_ending()
        await super().shutdown(sockets)

    def _log_ending(self) -> None:
        if self._signal is not None:
            self._service.log_ending(self._signal)


class _WorkerServer(_Server):
    """The server of a worker process, which its parent ends.

    Ctrl-C sends SIGINT to all processes of a terminal. A worker ignores it: the parent sends SIGTERM instead, and
    SIGUSR1 if a second Ctrl-C shall end the service at once.
    """

    _acceptor: BalancedAcceptor

    @property
    def signal_handlers(self) -> dict[signal.Signals, Handler]:
        """Return the handlers of signals while the server runs."""
        return {signal.SIGINT: signal.SIG_IGN, signal.SIGTERM: self.handle_exit, signal.SIGUSR1: self._end_at_once}

    def _end_at_once(self, *_: object) -> None:
        """Let uvicorn end without waiting for open requests."""
        self.should_exit = self.force_exit = True

    def _log_ending(self) -> None:
        """Log nothing, because the parent does."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to accept connections of the socket that all workers share."""
        await super().startup(sockets=[])
        counts = self._service.metrics.shared
        assert sockets is not None
        assert counts is not None
        (listener,) = sockets
        config, state = self.config, self.server_state
        create_protocol = partial(
            cast(Any, config.http_protocol_class), config=config, server_state=state, app_state=self.lifespan.state
        )
        self._acceptor = BalancedAcceptor(listener, create_protocol, lambda: len(state.connections), counts)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept no more connections, and end in order."""
        await self._acceptor.close()
        await super().shutdown(sockets)

    async def on_tick(self, counter: int) -> bool:
        """Share the numbers of requests and connections with other workers; uvicorn calls this ten times a second."""
        self._service.share_waiting()
        self._acceptor.share()
        return await super().on_tick(counter)


async def _serve(
    server: uvicorn.Server,
    listener: socket.socket,
    service: Service,
    *,
    watch: bool,
    ready: Callable[[], None],
    parent: int | None,
) -> None:
    """Run the server until it ends, and reload the model file when needed."""
    loop = asyncio.get_running_loop()
    reload_requested = asyncio.Event()

    async def reload_when_needed() -> None:
        """Read the model file again after each signal, and when it has changed.

        Changes are noticed at the start and, if `watch`, every `CHECK_SECONDS`; a worker process leaves this to its
        parent. Signals that arrive at the same time cause one reload.
        """
        while True:
            if reload_requested.is_set() or (parent is None and service.holder.has_changed):
                reload_requested.clear()
                await asyncio.to_thread(service.reload)
            with suppress(TimeoutError):
                await asyncio.wait_for(reload_requested.wait(), CHECK_SECONDS if watch else None)

    _handle_sighup(lambda *_: loop.call_soon_threadsafe(reload_requested.set))
    reloading = loop.create_task(reload_when_needed())
    if parent is not None:

        def end() -> None:
            loop.remove_reader(parent)
            server.should_exit = True

        loop.add_reader(parent, end)  # nothing is ever written to the pipe, so it becomes readable only when it closes
    try:
        loop.call_soon(ready)
        await server.serve(sockets=[listener])
    finally:
        _handle_sighup(signal.SIG_IGN)  # unlike a Python function, SIG_IGN stays set while Python exits
        reloading.cancel()
        service.close()


def _handle_sighup(handler: Handler) -> None:
    """Set the handler of SIGHUP, on systems that have this signal."""
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, handler)
