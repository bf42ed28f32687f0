"""Run several worker processes that accept connections from one socket (`textsieve serve --workers N`).

The parent reads the model, opens the socket and forks the workers; each runs the server of `server.py`. The parent
itself answers no requests. It passes signals on, checks whether the model file has changed, and replaces a worker that
ends unexpectedly.

*Fork, not spawn.* A forked worker shares the memory of the model with its parent, needs no time to import and read, and
inherits the socket, the settings and the model that is in use at that moment. A process with threads must not be
forked, because a lock that another thread holds stays locked for ever in the new process. The parent has no event loop
and starts no thread. On Linux, numpy uses OpenBLAS, which starts threads when it is imported, but ends them before a
fork, and starts them again when a process needs them. Neither reading a model nor a short prediction loads compiled
kernels.

*Signals.* At SIGHUP, the parent and all workers read the model file again, so a worker that is forked later has the
same model as the others. SIGINT and SIGTERM end the workers, and then the parent. Signals stay blocked in a new worker
until it has its own handlers, so none is lost.

*The end of the parent.* All workers have the read end of a pipe, and only the parent has the write end. When the parent
ends, even by SIGKILL, the system closes the pipe. The workers notice this, finish their open requests, and end.
"""

from __future__ import annotations

import gc
import os
import select
import signal
import socket
import sys
import time
from collections import deque
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import NoReturn

from ..errors import counted
from .server import CHECK_SECONDS, Handler, run
from .service import Service

EARLY_SECONDS = 5.0
"""A worker that ends within this time after its start has ended early."""
MAX_EARLY_ENDS, EARLY_ENDS_SECONDS = 5, 60.0
"""If this many workers end early within this many seconds, the service ends with an error."""


@dataclass(frozen=True)
class WorkerProcess:
    """A running worker: its number from 1, and the time of its start."""

    number: int
    started: float


def run_workers(
    n_workers: int,
    service: Service,
    listener: socket.socket,
    *,
    hosts: Collection[str] | None,
    token: str | None,
    watch: bool,
    ready: Callable[[], None],
) -> None:
    """Serve with several worker processes until a signal ends them; the other parameters are those of `server.run`.

    Raise `ChildProcessError` if workers end again and again shortly after their start.
    """
    supervisor = Supervisor(service, listener, partial(run, service, listener, hosts=hosts, token=token, watch=False))
    try:
        supervisor.run(n_workers, watch, ready)
    finally:
        supervisor.close()


class Supervisor:
    """The parent of the worker processes; `run_server` runs the server in a worker."""

    def __init__(self, service: Service, listener: socket.socket, run_server: Callable[..., None]) -> None:
        self._service, self._listener, self._run_server = service, listener, run_server
        self._workers: dict[int, WorkerProcess] = {}  # by process id
        self._missing: list[int] = []  # numbers of workers that have ended and are not replaced yet
        self._early_ends: deque[float] = deque(maxlen=MAX_EARLY_ENDS)
        self._is_ending = self._has_failed = False
        self._pid = os.getpid()
        self._worker_end, self._parent_end = os.pipe()
        self._signals = SignalQueue()

    def run(self, n_workers: int, watch: bool, ready: Callable[[], None]) -> None:
        """Start the workers, call `ready`, and supervise the workers until all have ended."""
        if self._service.holder.has_changed:  # since it was read; a SIGHUP in this time was ignored
            self._service.reload()
        gc.collect()
        gc.freeze()  # a collection in a worker then does not write to the memory of the first model, which they share
        for number in range(1, n_workers + 1):
            self._start_worker(number)
        with suppress(OSError):  # if nobody reads the address any more, the service goes on, as with one worker
            ready()
        while self._workers or (self._missing and not self._is_ending):
            numbers = self._signals.wait(CHECK_SECONDS if watch or self._missing else None)
            for number in numbers:
                if number in (signal.SIGINT, signal.SIGTERM):
                    self._end_workers(number)
            # Many SIGHUPs that have arrived at the same time cause one reload.
            if not self._is_ending and (signal.SIGHUP in numbers or (watch and self._service.holder.has_changed)):
                self._reload()
            self._collect_ended_workers()
            self._start_missing_workers()
        if self._has_failed:
            workers = counted(MAX_EARLY_ENDS, "worker process", "worker processes")
            problem = f"{workers} ended within {EARLY_SECONDS:g} seconds of their start; the lines above say how."
            raise ChildProcessError(problem)

    def close(self) -> None:
        """Stop handling signals, and wait for workers that are left after an error; closing the pipe ends them."""
        os.close(self._parent_end)
        for pid in self._workers:
            os.waitpid(pid, 0)
        os.close(self._worker_end)
        self._signals.close()

    def _reload(self) -> None:
        """Let all workers and this process read the model file again."""
        self._send(signal.SIGHUP)
        try:
            self._service.holder.reload()
        except Exception as problem:  # a reload must not end the service, whatever is wrong with the file
            self._service.log(f"Reload failed in the parent; new workers get the model that it has: {problem}")

    def _end_workers(self, number: int) -> None:
        """End the workers at SIGINT or SIGTERM: in order, or at once if they are ending already and this is SIGINT."""
        if self._is_ending and number == signal.SIGINT:
            self._send(signal.SIGUSR1)
        else:
            if not self._is_ending:
                self._service.log_ending(number)
            self._is_ending = True
            self._listener.close()  # new clients get no connection as soon as the workers have closed it, too
            self._send(signal.SIGTERM)

    def _send(self, number: signal.Signals) -> None:
        """Send a signal to all workers."""
        for pid in self._workers:
            os.kill(pid, number)

    def _collect_ended_workers(self) -> None:
        """Remove workers that have ended; those that ended unexpectedly are logged, and missing from now on."""
        for pid in list(self._workers):
            ended_pid, status, usage = os.wait4(pid, os.WNOHANG)
            if not ended_pid:
                continue
            worker, exit_code = self._workers.pop(pid), os.waitstatus_to_exitcode(status)
            self._service.metrics.add_ended_worker(worker.number, usage.ru_utime + usage.ru_stime)
            if not self._is_ending:
                self._missing.append(worker.number)
                self._service.log(f"Worker process {pid} ended unexpectedly ({_reason(exit_code)}).")
                self._count_early_end(worker)

    def _start_missing_workers(self) -> None:
        """Start a worker for each missing one; if the system has no room for a process, `run` tries again later."""
        while self._missing and not self._is_ending:
            try:
                pid = self._start_worker(self._missing[0])
            except OSError as problem:
                self._service.log(f"No worker process can be started: {problem.strerror or problem}.")
                return
            self._missing.pop(0)
            self._service.metrics.count_replaced_worker()
            self._service.log(f"Worker process {pid} replaces one that ended.")

    def _count_early_end(self, worker: WorkerProcess) -> None:
        """Count a worker that has ended, if that was early; end all workers if too many ended early.

        `_early_ends` holds the times of the last `MAX_EARLY_ENDS` early ends.
        """
        now = time.monotonic()
        if now - worker.started < EARLY_SECONDS:
            self._early_ends.append(now)
            if len(self._early_ends) == MAX_EARLY_ENDS and now - self._early_ends[0] < EARLY_ENDS_SECONDS:
                self._has_failed = True
                self._end_workers(signal.SIGTERM)

    def _start_worker(self, number: int) -> int:
        """Fork a worker process and return its id; signals that it gets are blocked until its server handles them."""
        with suppress(OSError):  # nobody may read it any more
            sys.stdout.flush()  # otherwise, the worker would have the same text in its buffer
        blocked = {*SIGNALS, signal.SIGUSR1}
        signal.pthread_sigmask(signal.SIG_BLOCK, blocked)
        try:
            pid = os.fork()
            if pid == 0:
                self._run_worker(number, partial(signal.pthread_sigmask, signal.SIG_UNBLOCK, blocked))
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, blocked)
        self._workers[pid] = WorkerProcess(number, time.monotonic())
        return pid

    def _run_worker(self, number: int, ready: Callable[[], object]) -> NoReturn:
        """Run the server in this new process, and end the process; nothing of the parent's stack must be unwound."""
        exit_code = 1
        try:
            os.close(self._parent_end)
            self._signals.detach()
            # Like the signals of the parent, this one is ignored before and after its handler in the server exists.
            signal.signal(signal.SIGUSR1, _ignore)
            self._service.metrics.use_worker(number)
            self._run_server(ready=ready, parent=self._worker_end)
            exit_code = 0
        except BaseException as problem:
            self._service.log_exception(problem)
        finally:
            try:
                if os.getppid() != self._pid:  # the parent was killed, so it can't remove the files
                    self._service.metrics.remove_files()
            finally:
                os._exit(exit_code)


def _reason(exit_code: int) -> str:
    """Return how a process ended; a negative exit code is that of a signal, and some signals have no name."""
    if exit_code >= 0:
        return f"exit code {exit_code}"
    return next((number.name for number in signal.Signals if number == -exit_code), f"signal {-exit_code}")


# -- signals of the parent -------------------------------------------------------------------------------------------

SIGNALS = [
    number
    for name in ("SIGHUP", "SIGINT", "SIGTERM", "SIGCHLD")
    if (number := getattr(signal, name, None)) is not None  # Windows, which has no os.fork either, lacks some
]


class SignalQueue:
    """Collects the signals of this process while it exists, in the order of their arrival."""

    def __init__(self) -> None:
        self._read_end, self._write_end = os.pipe()
        os.set_blocking(self._write_end, False)
        self._previous: dict[int, Handler | int | None] = {number: signal.signal(number, _ignore) for number in SIGNALS}
        # Python writes the number of each signal to the pipe, whichever thread of the process gets it.
        signal.set_wakeup_fd(self._write_end, warn_on_full_buffer=False)

    def wait(self, seconds: float | None) -> bytes:
        """Return the numbers of the signals that have arrived, each as a byte.

        Wait for the first one, but at most this many seconds; None: as long as it takes.
        """
        readable, _, _ = select.select([self._read_end], [], [], seconds)
        return os.read(self._read_end, 1 << 16) if readable else b""

    def detach(self) -> None:
        """Close the pipe, which a forked process must not share; its signals are ignored until it handles them."""
        signal.set_wakeup_fd(-1)
        os.close(self._read_end)
        os.close(self._write_end)

    def close(self) -> None:
        """Close the pipe, and restore the previous handlers; only SIGHUP stays ignored while the process ends."""
        self.detach()
        for number, handler in self._previous.items():
            signal.signal(number, signal.SIG_IGN if number == signal.SIGHUP else handler)


def _ignore(*_: object) -> None:
    """Handle a signal by doing nothing."""
