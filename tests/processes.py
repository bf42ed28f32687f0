"""Programs that run beside the tests and are stopped after them, whatever happens.

Each program is the leader of its own process group and is stopped with that group; processes that it started in other
groups are searched among its descendants. `atexit` stops a program that still runs when this process ends; if this
process is killed, the kernel ends the program (`setpriv --pdeathsig`).
"""

from __future__ import annotations

import atexit
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, TypeVar

SECONDS = 90
"""Time limit for a program to print that it is ready; far more than it needs."""
GRACE = 10
"""Seconds that a program has to end by itself."""

Value = TypeVar("Value")


class Process(NamedTuple):
    """A process, and the time of its start: another process may have its number later."""

    pid: int
    began: int

    @property
    def is_there(self) -> bool:
        """Return whether it still runs."""
        return self in processes()

    def kill(self) -> None:
        """End it at once, and wait until it is gone: a killed process is still among the others for a moment."""
        os.kill(self.pid, signal.SIGKILL)
        wait_for(lambda: not self.is_there or None, lambda: f"the end of {self}")


class Program:
    """A running program whose output is kept in a file."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str], log: Path) -> None:
        dies_with_us = ["setpriv", "--pdeathsig", "TERM", "--"] if shutil.which("setpriv") else []
        self.log = log
        with log.open("wb") as out:
            self._process = subprocess.Popen(
                [*dies_with_us, *command],
                env=dict(env),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.pid = self._process.pid
        self._family: set[Process] = set()
        atexit.register(self.stop)

    def says(self, pattern: str) -> str:
        """Return the first group of a pattern, once it is in the output."""

        def search_output() -> str | None:
            match = re.search(pattern, self.log.read_text(errors="replace"))
            if match is None and self._process.poll() is not None:
                raise RuntimeError(f"The program ended before it said {pattern!r}:\n{self._end()}")
            return match and match[1]

        return wait_for(search_output, lambda: f"{pattern!r} in\n{self._end()}")

    def kill(self) -> None:
        """End it at once, but nothing that it started."""
        self._family |= descendants(self.pid)
        self._process.kill()
        self._process.wait()

    def ended(self) -> int:
        """Return its exit code, once it has ended by itself."""
        return self._process.wait(SECONDS)

    def stop(self) -> None:
        """Ask it and all processes that it started to end, and kill those that do not."""
        atexit.unregister(self.stop)
        self._family |= descendants(self.pid)
        self._signal(signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(GRACE)
        self._signal(signal.SIGKILL)
        self._process.wait()
        end(self._family)

    def _signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError):  # no process of the group is left
            os.killpg(self.pid, number)

    def _end(self) -> str:
        return self.log.read_text(errors="replace")[-2000:]


def wait_for(look: Callable[[], Value | None], what: Callable[[], str]) -> Value:
    """Return the result of `look`, as soon as it is true."""
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        if value := look():
            return value
        time.sleep(0.05)
    raise TimeoutError(f"Not there after {SECONDS} s: {what()}")


def end(those: Iterable[Process]) -> None:
    """Give processes some seconds to end, and kill those that do not."""
    deadline = time.monotonic() + GRACE
    those = set(those)
    while those & processes().keys():
        late = time.monotonic() > deadline
        for process in those & processes().keys() if late else ():
            with suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)
        time.sleep(0.05)


def descendants(pid: int) -> set[Process]:
    """Return the processes that a process started, directly or indirectly."""
    family: set[Process] = set()
    pids, all_of_them = {pid}, processes()
    while more := {process for process, parent in all_of_them.items() if parent in pids} - family:
        family |= more
        pids |= {process.pid for process in more}
    return family


def processes() -> dict[Process, int]:
    """Return all running processes of this machine, and the number of their parents."""
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(FileNotFoundError, ProcessLookupError):
            stat = (folder / "stat").read_text().rpartition(")")[2].split()  # names may hold blanks and brackets
            if stat[0] not in "ZX":  # zombies and dead processes
                parents[Process(int(folder.name), int(stat[19]))] = int(stat[1])
    return parents


def command_of(process: Process) -> list[str]:
    """Return the command line of a process."""
    with suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{process.pid}/cmdline").read_text().split("\0")
    return []
