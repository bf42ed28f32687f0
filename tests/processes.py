"""Programs that run beside the tests and are gone after them, whatever happens.

Each is started as the leader of a process group of its own and is stopped by that group; what it started and put into
groups of its own is found among its descendants. A program that is still there when this process ends is stopped by
`atexit`; and where this process is killed, the kernel ends the program (`setpriv --pdeathsig`).
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
"""That a program has to say that it is ready; far more than it takes."""
GRACE = 10
"""Seconds that it has to end on its own."""

Found = TypeVar("Found")


class Process(NamedTuple):
    """A process, and when it began: another one may have its number later."""

    pid: int
    began: int

    @property
    def is_there(self) -> bool:
        """Whether it runs, or is not yet buried by who started it."""
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
        """What the first group of a pattern is in the output, once it is there."""

        def found() -> str | None:
            match = re.search(pattern, self.log.read_text(errors="replace"))
            if match is None and self._process.poll() is not None:
                raise RuntimeError(f"The program ended before it said {pattern!r}:\n{self._end()}")
            return match and match[1]

        return wait_for(found, lambda: f"{pattern!r} in\n{self._end()}")

    def kill(self) -> None:
        """End it at once, and nothing that it started."""
        self._family |= descendants(self.pid)
        self._process.kill()
        self._process.wait()

    def ended(self) -> int:
        """Its exit code, once it has ended by itself."""
        return self._process.wait(SECONDS)

    def stop(self) -> None:
        """Ask it and all that it started to end, and see to it that they do."""
        atexit.unregister(self.stop)
        self._family |= descendants(self.pid)
        self._signal(signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(GRACE)
        self._signal(signal.SIGKILL)
        self._process.wait()
        end(self._family)

    def _signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError):  # nobody of the group is left
            os.killpg(self.pid, number)

    def _end(self) -> str:
        return self.log.read_text(errors="replace")[-2000:]


def wait_for(look: Callable[[], Found | None], what: Callable[[], str]) -> Found:
    """What `look` finds, as soon as it is something."""
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        if found := look():
            return found
        time.sleep(0.05)
    raise TimeoutError(f"Not there after {SECONDS} s: {what()}")


def end(those: Iterable[Process]) -> None:
    """Give processes a moment to end, and end those that do not."""
    deadline = time.monotonic() + GRACE
    those = set(those)
    while those & processes().keys():
        late = time.monotonic() > deadline
        for process in those & processes().keys() if late else ():
            with suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)
        time.sleep(0.05)


def descendants(pid: int) -> set[Process]:
    """What a process started, what that started, and so on."""
    found: set[Process] = set()
    pids, all_of_them = {pid}, processes()
    while more := {each for each, parent in all_of_them.items() if parent in pids} - found:
        found |= more
        pids |= {each.pid for each in more}
    return found


def processes() -> dict[Process, int]:
    """All processes of this machine that run, and the number of who started each."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(FileNotFoundError, ProcessLookupError):
            stat = (folder / "stat").read_text().rpartition(")")[2].split()  # names may hold blanks and brackets
            if stat[0] not in "ZX":  # what has ended and waits to be asked how
                found[Process(int(folder.name), int(stat[19]))] = int(stat[1])
    return found


def command_of(process: Process) -> list[str]:
    """What it was started as."""
    with suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{process.pid}/cmdline").read_text().split("\0")
    return []
