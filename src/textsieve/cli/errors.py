"""Exit codes: 0 for success, 1 with an error message, or the code of a signal, without a message.

Wrong usage exits with 2, raised by click or by `exit_as_usage_error`. The other codes are those of a shell for signals:
130 for Ctrl-C, 129 and 143 for SIGHUP and SIGTERM, and 141 for a pipe whose reader has gone, as with `| head`.
"""

import io
import os
import signal
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import TextIO

import click

from ..errors import InputError, MissingPackage
from ..files import OUT_OF_SPACE
from ..memory import check_room_for_imports
from .messages import error_text, say, warn, warning_text

FAILED, WRONG_USAGE, INTERRUPTED, NOBODY_READS = 1, 2, 130, 141
OF_A_SIGNAL = 128
"""The exit code of a run that was ended by a signal is this plus the number of the signal."""
ENDING_SIGNALS = [number for name in ("SIGTERM", "SIGHUP") if (number := getattr(signal, name, None)) is not None]

NO_MEMORY = "there is not enough memory for this."
NO_THREAD = "can't start new thread"
"""The message of the `RuntimeError` that Python raises if there is no memory for the stack of a thread."""

SHOWN_WARNINGS = (UserWarning, RuntimeWarning)
"""Warnings about the input, which are printed; others are for programmers."""


@contextmanager
def handle_errors() -> Iterator[None]:
    """Print errors in the input as one line, and exit with the right code."""
    _open_closed_streams()
    _replace_what_cannot_be_written()
    check_room_for_imports()
    try:
        with _ended_by_signals(), _warnings_as_lines():
            yield
            sys.stdout.flush()
    except BrokenPipeError as problem:
        _discard_unwritten()
        raise click.exceptions.Exit(NOBODY_READS) from problem
    except _Signalled as problem:
        raise click.exceptions.Exit(OF_A_SIGNAL + problem.number) from problem
    except KeyboardInterrupt as problem:
        raise click.exceptions.Exit(INTERRUPTED) from problem
    except InputError as problem:
        _fail(error_text(problem), problem)
    except OSError as problem:
        _discard_unwritten()
        _fail(_os_error_text(problem), problem)
    except EOFError as problem:  # click would print "Aborted!", as if the user had stopped the run
        _fail(f"some input ended too early ({problem or 'end of file'}).", problem)
    except MemoryError as problem:
        _fail(f"{NO_MEMORY} {problem}." if str(problem) else NO_MEMORY, problem)
    except RuntimeError as problem:
        if str(problem) != NO_THREAD:
            raise
        _fail(NO_MEMORY, problem)


@contextmanager
def exit_as_usage_error() -> Iterator[None]:
    """Exit with code 2, as click does, for an `InputError` about the options alone, before any file is read."""
    try:
        yield
    except MissingPackage:
        raise
    except InputError as problem:
        _fail(error_text(problem), problem, WRONG_USAGE)


def _os_error_text(problem: OSError) -> str:
    reason = str(problem.strerror or problem)
    if problem.errno in OUT_OF_SPACE:  # errors of files have a file name, so without one it is standard output
        return f"{problem.filename or 'standard output'}: {reason}; free some space, or choose another place."
    return f"{problem.filename}: {reason}" if problem.filename else reason


def _fail(message: str, problem: BaseException | None, exit_code: int = FAILED) -> None:
    with suppress(OSError):  # standard error can't be written either
        say("error", message)
    raise click.exceptions.Exit(exit_code) from problem


@contextmanager
def _warnings_as_lines() -> Iterator[None]:
    """Print the library's warnings as single lines, each once."""
    seen = set()

    def show(message: Warning | str, *_: object, **__: object) -> None:
        text = warning_text(message)
        if text not in seen:
            seen.add(text)
            warn(text)

    with warnings.catch_warnings():
        warnings.showwarning = show
        if not sys.warnoptions:
            warnings.simplefilter("ignore")
            for category in SHOWN_WARNINGS:
                warnings.simplefilter("always", category)
        yield


class _Signalled(BaseException):
    """Raised when a signal ends the run, so that `finally` and `with` remove temporary files."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Turn SIGTERM and SIGHUP into an exception, unless they are already handled or ignored, as under `nohup`."""
    if threading.current_thread() is not threading.main_thread():  # only the main thread can handle signals
        yield
        return
    numbers = [number for number in ENDING_SIGNALS if signal.getsignal(number) is signal.SIG_DFL]

    def end(number: int, _: FrameType | None) -> None:
        signal.signal(number, signal.SIG_DFL)  # a second signal ends the run at once
        raise _Signalled(number)

    for number in numbers:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in numbers:
            if signal.getsignal(number) is end:  # the service ignores SIGHUP until its process has ended
                signal.signal(number, signal.SIG_DFL)


def _open_closed_streams() -> None:
    """Fail if standard output is closed; occupy the descriptors of other closed streams.

    Otherwise the next file that is opened, such as a model, would get the descriptor of standard error, and messages
    would be written into it.
    """
    for descriptor, stream in enumerate((sys.stdin, sys.stdout, sys.stderr)):
        if stream is None and not _is_open(descriptor):
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free descriptor
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, stays open until the run ends
    if sys.stdout is None:
        sys.stdout = sys.stderr
        _fail(f"standard output is closed; redirect it to a file or to {os.devnull}.", None)


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


def _replace_what_cannot_be_written() -> None:
    """Print a question mark for each character that the terminal's encoding lacks, instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _discard_unwritten() -> None:
    """Drop buffered output that can't be written; otherwise Python would fail on it at exit."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            _flush_somewhere(stream)


def _flush_somewhere(stream: TextIO) -> None:
    try:
        stream.flush()
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
