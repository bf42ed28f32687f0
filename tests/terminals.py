"""Run the command line in a pseudo-terminal, cheaply.

Starting Python and importing what a verb needs takes seconds, and there are sixty pairs of verb and standard output.
So one process imports everything once, and forks for each run. A forked run gets the descriptors, the environment and
the folder that it would get from a shell, and streams as Python makes them of the descriptors at its start.
"""

from __future__ import annotations

import array
import fcntl
import io
import json
import os
import pty
import re
import select
import signal
import socket
import subprocess
import sys
import termios
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, NoReturn

ROOT = Path(__file__).parents[1]
SECONDS = 120
"""Seconds after which a run counts as hanging."""
COLUMNS = 120
ENVIRONMENT = {"TERM": "xterm", "COLUMNS": str(COLUMNS)}
Kind = Literal["terminal", "file", "pipe", "closed", "unread"]
"""What a stream is connected to; nobody reads from a pipe that is "unread"."""


@dataclass(frozen=True)
class Outcome:
    """The result of a run: its exit code, its standard output, and the output of its terminal or standard error."""

    code: int
    printed: bytes
    told: bytes


# -- the side of the tests -------------------------------------------------------------------------------------------


class Runner:
    """Runs verbs, one after the other."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection

    def run(
        self,
        *arguments: object,
        folder: Path,
        stdout: Kind = "pipe",
        stderr: Kind = "terminal",
        stdin: Literal["closed", "empty"] = "empty",
        merged: bool = False,
        until: bytes | None = None,
        **environment: str | None,
    ) -> Outcome:
        """Run a verb; with `until`, end it by SIGINT once it has printed that.

        If `merged`, standard error goes where standard output goes, in the order of the lines.
        """
        (folder / "printed").unlink(missing_ok=True)
        ends = {name: _opened(kind, folder / name) for name, kind in (("printed", stdout), ("told", stderr))}
        if stdout == stderr == "terminal":
            ends["printed"] = (None, os.dup(_not_none(ends["told"][1])))
        if merged:
            os.close(_not_none(ends["told"][0]))
            os.close(_not_none(ends["told"][1]))
            ends["told"] = (None, os.dup(_not_none(ends["printed"][1])))
        given = [None if stdin == "closed" else os.open(os.devnull, os.O_RDONLY), ends["printed"][1], ends["told"][1]]
        request = {
            "arguments": [str(argument) for argument in arguments],
            "environment": ENVIRONMENT | environment,
            "folder": str(folder),
            "is_open": [descriptor is not None for descriptor in given],
        }
        handles = [descriptor for descriptor in given if descriptor is not None]
        socket.send_fds(self._connection, [json.dumps(request).encode() + b"\n"], handles)
        for handle in handles:
            os.close(handle)
        got = self._watch({name: end[0] for name, end in ends.items() if end[0] is not None}, folder, until)
        printed = (folder / "printed").read_bytes() if stdout == "file" else got.get("printed", b"")
        return Outcome(got["code"], printed, got.get("told", b""))

    def _watch(self, readable: dict[str, int], folder: Path, until: bytes | None) -> dict[str, Any]:
        """Read all output until the run has ended; the run would block on a terminal that nobody reads."""
        lines, got = self._connection.makefile("rb"), dict.fromkeys(readable, b"")
        pid, deadline = int(lines.readline()), time.monotonic() + SECONDS
        names = {descriptor: name for name, descriptor in readable.items()}
        while names:
            if time.monotonic() > deadline:
                os.kill(pid, signal.SIGKILL)
                raise TimeoutError(f"Still running after {SECONDS} s; it said {got}")
            for ready in select.select(list(names), [], [], 0.05)[0]:
                piece = b""
                with suppress(OSError):  # the other end of a terminal is closed
                    piece = os.read(ready, 1 << 16)
                got[names[ready]] += piece
                if not piece:
                    os.close(ready)
                    del names[ready]
            written = (folder / "printed").read_bytes() if (folder / "printed").exists() else b""
            if until and until in b"".join([written, *got.values()]):
                os.kill(pid, signal.SIGINT)
                until = None
        return got | {"code": int(lines.readline())}


def _opened(kind: Kind, path: Path) -> tuple[int | None, int | None]:
    """Return the end to read from and the end to give to the run."""
    if kind == "closed":
        return None, None
    if kind == "file":
        return None, os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    if kind == "pipe":
        return os.pipe()
    if kind == "unread":
        unread, writable = os.pipe()
        os.close(unread)
        return None, writable
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, array.array("H", [50, COLUMNS, 0, 0]))
    return ours, theirs


def _not_none(descriptor: int | None) -> int:
    assert descriptor is not None
    return descriptor


@contextmanager
def running() -> Iterator[Runner]:
    """Start the process that forks."""
    ours, theirs = socket.socketpair()
    command = [sys.executable, "-m", "tests.terminals", str(theirs.fileno())]
    with ours, subprocess.Popen(command, cwd=ROOT, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL) as server:
        theirs.close()
        try:
            yield Runner(ours)
        finally:
            ours.close()  # this ends the server
            server.wait(SECONDS)


CONTROL = re.compile(r"\x1b\[(\??)(\d*(?:;\d+)*)([A-Za-z])|(\r|\n)|([^\x1b\r\n]+)|(.)", re.DOTALL)


def screen_of(seen: bytes) -> str:
    """Return what a terminal shows in the end: without what was overwritten or erased, and without colours."""
    lines, row, column = [""], 0, 0
    for private, number, command, end, text, other in CONTROL.findall(seen.decode()):
        if end == "\r":
            column = 0
        elif end == "\n":
            row, column = row + 1, 0
            lines += [""] * (row + 1 - len(lines))
        elif text:
            line = lines[row].ljust(column)
            lines[row] = line[:column] + text + line[column + len(text) :]
            column += len(text)
        elif command == "A":
            row -= int(number or 1)
        elif command == "K":
            lines[row] = "" if number == "2" else lines[row][:column]
        elif not (command == "m" or (private and command in "hl")):
            raise ValueError(f"A terminal would do something unknown at {(private, number, command, other)}")
    return "\n".join(lines)


# -- the side of the runs --------------------------------------------------------------------------------------------


def _serve(connection: socket.socket) -> None:
    while True:
        message, handles, _, _ = socket.recv_fds(connection, 1 << 16, 3)
        if not message:
            return
        request = json.loads(message)
        pid = os.fork()
        if pid == 0:
            connection.close()
            _run(request, handles)
        for handle in handles:
            os.close(handle)
        connection.sendall(b"%d\n" % pid)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        connection.sendall(b"%d\n" % code)


def _run(request: Mapping[str, Any], handles: Sequence[int]) -> NoReturn:
    code: Any = 1
    try:
        given = iter(handles)
        for descriptor, is_open in enumerate(request["is_open"]):
            os.dup2(next(given), descriptor) if is_open else os.close(descriptor)
        for handle in handles:
            os.close(handle)
        for name, value in request["environment"].items():
            os.environ.pop(name, None) if value is None else os.environ.update({name: value})
        os.chdir(request["folder"])
        sys.stdin, sys.stdout, sys.stderr = _stream(0, "r"), _stream(1, "w"), _stream(2, "w")
        sys.argv = ["textsieve", *request["arguments"]]
        code = _exit_code(import_module("textsieve.cli").main)
    finally:
        os._exit(code)


def _stream(descriptor: int, mode: str) -> Any:
    """Return a standard stream as Python makes it at its start: None if the descriptor is closed."""
    try:
        os.fstat(descriptor)
    except OSError:
        return None
    encoding, _, errors = os.environ.get("PYTHONIOENCODING", "utf-8").partition(":")
    stream = open(descriptor, mode, encoding=encoding, errors=errors or None, closefd=False)  # noqa: SIM115
    assert isinstance(stream, io.TextIOWrapper)
    stream.reconfigure(line_buffering=stream.isatty() or descriptor == 2 or _are_merged())
    return stream


def _are_merged() -> bool:
    """Return whether standard output and standard error go to the same place."""
    try:
        return os.path.sameopenfile(1, 2)
    except OSError:
        return False


def _exit_code(main: Callable[[], None]) -> int:
    """Return the code with which Python would end."""
    code: Any = 0
    try:
        main()
    except SystemExit as end:
        code = end.code or 0
    except BaseException:
        traceback.print_exc()
        code = 1
    for stream in filter(None, (sys.stdout, sys.stderr)):
        try:
            stream.flush()
        except OSError:
            code = 120
    return int(code)


if __name__ == "__main__":
    from textsieve.cli.program import VERBS

    for verb in VERBS:
        import_module(f"textsieve.cli.{verb}")
    for name in (
        "categorizer",
        "comparison",
        "training.ranking",
        "ensembles.trial",
        "serve.server",
        "corpus.named_corpora",
    ):
        import_module(f"textsieve.{name}")
    _serve(socket.socket(fileno=int(sys.argv[1])))
