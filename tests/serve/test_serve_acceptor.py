"""How the connections of a listening socket are divided among the workers that share it."""

from __future__ import annotations

import asyncio
import errno
import socket
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from textsieve.serve import acceptor
from textsieve.serve.acceptor import AT_ONCE, BalancedAcceptor


class Counts:
    """The numbers of connections of all workers, as one of them sees them."""

    def __init__(self, numbers: list[int], own: int) -> None:
        self._numbers, self._own = numbers, own

    def share_connections(self, n: int) -> None:
        self._numbers[self._own] = n

    def fewest_connections(self) -> int | None:
        others = [n for number, n in enumerate(self._numbers) if number != self._own]
        return min(others, default=None)


class Worker:
    """A worker in this process, and the connections that it has accepted."""

    def __init__(self, listener: socket.socket, numbers: list[int], own: int) -> None:
        self.open: set[Greeting] = set()
        self.acceptor = BalancedAcceptor(
            listener.dup(), lambda: Greeting(self), lambda: len(self.open), Counts(numbers, own)
        )


class Greeting(asyncio.Protocol):
    """A connection on which the server says hello."""

    def __init__(self, worker: Worker) -> None:
        self._worker = worker

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        assert transport.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        self._worker.open.add(self)
        transport.write(b"hello")

    def connection_lost(self, problem: Exception | None) -> None:
        self._worker.open.discard(self)


def run(test: Callable[[socket.socket], Coroutine[Any, Any, None]]) -> None:
    async def with_listener() -> None:
        with socket.create_server(("127.0.0.1", 0), backlog=200) as listener:
            await test(listener)

    asyncio.run(with_listener())


async def greeted(listener: socket.socket) -> asyncio.StreamWriter:
    """Return a connection on which the server has said hello."""
    reader, writer = await asyncio.open_connection(*listener.getsockname())
    assert await asyncio.wait_for(reader.readexactly(5), 60) == b"hello"
    return writer


async def close(*writers: asyncio.StreamWriter) -> None:
    for writer in writers:
        writer.close()
        await writer.wait_closed()


@pytest.mark.parametrize("has_other", [True, False])
def test_a_worker_lets_another_one_with_fewer_connections_be_first(
    monkeypatch: pytest.MonkeyPatch, has_other: bool
) -> None:
    monkeypatch.setattr(acceptor, "PAUSE", 3600.0)

    async def test(listener: socket.socket) -> None:
        numbers = [0, 0] if has_other else [0]
        worker = Worker(listener, numbers, 0)
        connections = [await greeted(listener)]
        if has_other:
            reader, waiting = await asyncio.open_connection(*listener.getsockname())
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(reader.read(5), 0.2)
            assert numbers == [1, 0]
            other = Worker(listener, numbers, 1)
            assert await asyncio.wait_for(reader.readexactly(5), 60) == b"hello"
            assert [len(worker.open), len(other.open)] == [1, 1]
            connections.append(waiting)
            await other.acceptor.close()
        else:
            connections.append(await greeted(listener))
            assert len(worker.open) == 2
        await close(*connections)
        await worker.acceptor.close()

    run(test)


def test_workers_share_their_numbers_of_connections() -> None:
    async def test(listener: socket.socket) -> None:
        numbers = [0, 0]
        workers = [Worker(listener, numbers, own) for own in (0, 1)]
        connections = await asyncio.gather(*(greeted(listener) for _ in range(20)))
        for worker in workers:
            worker.acceptor.share()
        assert numbers == [len(worker.open) for worker in workers]
        assert sum(numbers) == 20
        await close(*connections)
        for worker in workers:
            await worker.acceptor.close()

    run(test)


def test_a_worker_accepts_although_another_one_has_fewer_connections_and_is_stopped() -> None:
    async def test(listener: socket.socket) -> None:
        worker = Worker(listener, [0, 0], 0)  # the other one has no connection, and accepts none
        connections = [await greeted(listener) for _ in range(3 * AT_ONCE)]
        assert len(worker.open) == 3 * AT_ONCE
        await close(*connections)
        await worker.acceptor.close()

    run(test)


def test_the_only_worker_needs_no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(acceptor, "PAUSE", 3600.0)

    async def test(listener: socket.socket) -> None:
        worker = Worker(listener, [0], 0)
        await close(*[await greeted(listener) for _ in range(3 * AT_ONCE)])
        await worker.acceptor.close()

    run(test)


class ResetConnection(socket.socket):
    """An accepted connection whose first option can't be set, as on macOS after the client has reset it."""

    n_failures = 0

    def setsockopt(self, *values: Any) -> None:
        if self.n_failures == 0:
            self.n_failures = 1
            raise OSError(errno.EINVAL, "failed")
        super().setsockopt(*values)


class ResettingListener:
    """A socket of which every connection is a `ResetConnection`."""

    def __init__(self, listener: socket.socket) -> None:
        self._listener = listener

    def accept(self) -> Any:
        connection, address = self._listener.accept()
        return ResetConnection(fileno=connection.detach()), address

    def __getattr__(self, name: str) -> Any:
        return getattr(self._listener, name)


def test_a_connection_whose_option_can_not_be_set_stops_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    async def test(listener: socket.socket) -> None:
        worker = Worker(listener, [0], 0)
        monkeypatch.setattr(worker.acceptor, "_listener", ResettingListener(worker.acceptor._listener))
        await close(await greeted(listener))
        await worker.acceptor.close()

    run(test)


class FullListener:
    """A socket that can't accept the first connections, because too many files are open."""

    def __init__(self, listener: socket.socket, problem: int) -> None:
        self._listener, self._problem, self.n_failures = listener, problem, 0

    def accept(self) -> Any:
        if self.n_failures < 3:
            self.n_failures += 1
            raise OSError(self._problem, "failed")
        return self._listener.accept()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._listener, name)


@pytest.mark.parametrize("problem", [errno.EMFILE, errno.ENFILE, errno.ECONNABORTED, errno.EAGAIN])
def test_a_worker_tries_again_if_a_connection_can_not_be_accepted(
    monkeypatch: pytest.MonkeyPatch, problem: int
) -> None:
    monkeypatch.setattr(acceptor, "FULL_PAUSE", 0.01)

    async def test(listener: socket.socket) -> None:
        worker = Worker(listener, [0], 0)
        full = FullListener(worker.acceptor._listener, problem)
        monkeypatch.setattr(worker.acceptor, "_listener", full)
        await close(await greeted(listener))
        assert full.n_failures == 3
        await worker.acceptor.close()

    run(test)


def test_a_closed_acceptor_accepts_nothing() -> None:
    async def test(listener: socket.socket) -> None:
        worker = Worker(listener, [1, 0], 0)
        connection = await greeted(listener)
        await worker.acceptor.close()
        reader, other = await asyncio.open_connection(*listener.getsockname())  # waits in the system's queue
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(reader.read(1), 0.1)
        await close(connection, other)

    run(test)
