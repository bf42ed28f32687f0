"""Accept connections in several worker processes, so that each has about as many as the others.

All workers wait at one listening socket. By itself, the system gives most connections to whichever worker asks first:
of 200 connections that 200 clients keep open, one of two workers got 153 to 200. So each worker shares its number of
open connections with the others, and one that has more than another waits for `PAUSE` seconds before it accepts, to let
the other one be first. After this time it accepts all the same, because the other worker may be busy or stopped.
"""

from __future__ import annotations

import asyncio
import errno
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

AT_ONCE = 8
"""Connections that are accepted before the event loop has a turn, or after a pause."""
PAUSE = 0.001
"""Seconds for which a worker with more connections than another one lets that one be first."""
FULL_PAUSE = 1.0
"""Seconds until the next attempt if this process or the system has too many open files."""
FULL = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
"""Errors of a process or a system that has no room for another connection."""


class ConnectionCounts(Protocol):
    """The numbers of open connections of all workers."""

    def share_connections(self, n: int) -> None:
        """Tell the other workers how many connections this one has."""

    def fewest_connections(self) -> int | None:
        """Return the smallest number of connections of another worker, or None if no other worker runs."""


class BalancedAcceptor:
    """Accepts connections of a listening socket in the running event loop, until it is closed.

    `create_protocol` returns the protocol of a new connection, and `n_open` the number of connections that have one.
    """

    def __init__(
        self,
        listener: socket.socket,
        create_protocol: Callable[[], asyncio.Protocol],
        n_open: Callable[[], int],
        counts: ConnectionCounts,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._listener, self._create_protocol, self._n_open, self._counts = listener, create_protocol, n_open, counts
        self._connecting: set[asyncio.Task[object]] = set()  # accepted connections that have no protocol yet
        self._pause: asyncio.TimerHandle | None = None
        listener.setblocking(False)
        self._loop.add_reader(listener, self._accept)

    def share(self) -> None:
        """Tell the other workers how many connections this one has."""
        self._counts.share_connections(self._n_connections)

    async def close(self) -> None:
        """Accept no more connections, and wait until those that are accepted have their protocols."""
        if self._pause is None:
            self._loop.remove_reader(self._listener)
        else:
            self._pause.cancel()
        self._listener.close()
        if self._connecting:
            await asyncio.wait(self._connecting)

    @property
    def _n_connections(self) -> int:
        return self._n_open() + len(self._connecting)

    def _accept(self) -> None:
        """Accept some connections, one after the other, until another worker has fewer."""
        for _ in range(AT_ONCE):
            self.share()
            fewest = self._counts.fewest_connections()
            if fewest is not None and self._n_connections > fewest:
                self._wait(PAUSE)
                return
            if not self._accept_one():
                return

    def _accept_after_pause(self) -> None:
        """Accept some connections, if no other worker has done it, and listen again."""
        self._pause = None
        self._loop.add_reader(self._listener, self._accept)
        for _ in range(AT_ONCE):
            if not self._accept_one():
                break
        self.share()

    def _accept_one(self) -> bool:
        """Accept a connection and return True; return False if there is none, or no room for one."""
        try:
            connection, _ = self._listener.accept()
        except (BlockingIOError, ConnectionAbortedError):  # another worker accepted it, or the client has left
            return False
        except OSError as problem:
            if problem.errno not in FULL:
                raise
            self._wait(FULL_PAUSE)
            return False
        with suppress(OSError):  # the client has left: macOS then raises an error
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # send small responses at once
        task = self._loop.create_task(self._loop.connect_accepted_socket(self._create_protocol, connection))
        self._connecting.add(task)
        task.add_done_callback(self._connecting.discard)
        return True

    def _wait(self, seconds: float) -> None:
        """Accept no connection for some seconds."""
        self._loop.remove_reader(self._listener)
        self._pause = self._loop.call_later(seconds, self._accept_after_pause)
