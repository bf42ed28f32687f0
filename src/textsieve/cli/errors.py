"""Turn errors, signals, closed streams and full disks into an exit code and at most one line on standard error.

| exit code | reason |
|---|---|
| 0 | success |
| 1 | an error, with a message |
| 2 | wrong usage, found by click or by `exit_as_usage_error` |
| 128 + n | signal n, without a message: 130 Ctrl-C, 129 SIGHUP, 143 SIGTERM, 141 an unread pipe, as with `| head` |
"""

import io
import os
import re
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
from .messages import error_text, print_message, warn, warning_text

FAILED, WRONG_USAGE, INTERRUPTED, BROKEN_PIPE = 1, 2, 130, 141
SIGNAL_EXIT_BASE = 128
"""A run that a signal has ended exits with this number plus the number of the signal, as in a shell."""
ENDING_SIGNALS = [number for name in ("SIGTERM", "SIGHUP") if (number := getattr(signal, name, None)) is not None]

NO_MEMORY = "there is not enough memory for this."
NO_THREAD = "can't start new thread"
"""The message of the error that Python raises if there is no memory for the stack of a thread.

The error is a plain `RuntimeError` without an errno, so only its message distinguishes it from other errors.
"""

SHOWN_WARNINGS = (UserWarning, RuntimeWarning)
"""Warnings about the input, which are printed; other categories, such as deprecations, are for programmers."""


@contextmanager
def handle_errors() -> Iterator[None]:
    """Run the block, which runs a command; on an expected error or a signal, print a line and raise click's `Exit`.

    Any other exception is a bug, so it is not caught, and Python prints its traceback.
    """
    _occupy_closed_streams()
    _replace_unencodable_characters()
    check_room_for_imports()
    try:
        with _raise_on_signals(), _print_warnings():
            yield
            sys.stdout.flush()  # here, so that a closed pipe or a full disk is handled below
    except BrokenPipeError as problem:
        _discard_buffered_output()
        raise click.exceptions.Exit(BROKEN_PIPE) from problem
    except _SignalReceived as problem:
        raise click.exceptions.Exit(SIGNAL_EXIT_BASE + problem.number) from problem
    except KeyboardInterrupt as problem:
        raise click.exceptions.Exit(INTERRUPTED) from problem
    except InputError as problem:
        _fail(error_text(problem), problem)
    except click.ClickException as problem:
        _show_click_error(problem)
        raise click.exceptions.Exit(problem.exit_code) from problem
    except OSError as problem:
        _discard_buffered_output()
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
    """Exit with code 2, as click does, on an `InputError`; for checks of the options before any file is read.

    A missing package is no wrong usage: a `MissingPackage` is raised again, and ends the run with code 1.
    """
    try:
        yield
    except MissingPackage:
        raise
    except InputError as problem:
        _fail(error_text(problem), problem, WRONG_USAGE)


def _os_error_text(problem: OSError) -> str:
    """Return the file and the reason of a system error, and for a full disk, what to do."""
    reason = str(problem.strerror or problem)
    if problem.errno in OUT_OF_SPACE:  # an error without a file name comes from standard output
        return f"{problem.filename or 'standard output'}: {reason}; free some space, or choose another place."
    return f"{problem.filename}: {reason}" if problem.filename else reason


def _fail(message: str, problem: BaseException | None, exit_code: int = FAILED) -> None:
    """Print an error, and raise click's `Exit` with the exit code, from `problem`."""
    with suppress(OSError):  # standard error may be on the full disk as well
        print_message("error", message)
    raise click.exceptions.Exit(exit_code) from problem


def _show_click_error(problem: click.ClickException) -> None:
    """Print an error that click found, as click does, with the usage of the command, but with "error: " in lowercase.

    All other messages begin in lowercase, too: "error: ", "warning: ", "note: ".
    """
    text = io.StringIO()
    problem.show(text)
    with suppress(OSError):  # standard error may be closed, or on a full disk
        click.echo(re.sub(r"^Error: ", "error: ", text.getvalue(), count=1, flags=re.MULTILINE), err=True, nl=False)


@contextmanager
def _print_warnings() -> Iterator[None]:
    """Print the library's warnings as single lines on standard error, each text once."""
    printed = set()

    def show(message: Warning | str, *_: object, **__: object) -> None:  # instead of `warnings.showwarning`
        text = warning_text(message)
        if text not in printed:
            printed.add(text)
            warn(text)

    with warnings.catch_warnings():
        warnings.showwarning = show
        if not sys.warnoptions:  # python -W and PYTHONWARNINGS take precedence
            warnings.simplefilter("ignore")
            for category in SHOWN_WARNINGS:
                warnings.simplefilter("always", category)
        yield


class _SignalReceived(BaseException):
    """Raised when a signal arrives, so that `finally` and `with` blocks remove temporary files before the run ends.

    It is no `Exception`, so that no `except Exception` catches it.
    """

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@contextmanager
def _raise_on_signals() -> Iterator[None]:
    """Raise `_SignalReceived` on SIGTERM and SIGHUP while the block runs.

    A signal that is ignored, as under `nohup`, or that has another handler is left alone.
    """
    if threading.current_thread() is not threading.main_thread():  # only the main thread can handle signals
        yield
        return
    numbers = [number for number in ENDING_SIGNALS if signal.getsignal(number) is signal.SIG_DFL]

    def raise_received(number: int, _: FrameType | None) -> None:
        signal.signal(number, signal.SIG_DFL)  # a second signal ends the run at once
        raise _SignalReceived(number)

    for number in numbers:
        signal.signal(number, raise_received)
    try:
        yield
    finally:
        for number in numbers:
            # `serve` installs its own handler for SIGHUP, which must stay.
            if signal.getsignal(number) is raise_received:
                signal.signal(number, signal.SIG_DFL)


def _occupy_closed_streams() -> None:
    """Open the null device for each closed standard stream; then fail if standard output was closed.

    Otherwise the next file that is opened, such as a model, could get the descriptor of standard error, and messages
    would be written into that file.
    """
    for descriptor, stream in enumerate((sys.stdin, sys.stdout, sys.stderr)):
        if stream is None and not _is_open(descriptor):
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free descriptor, which is this one
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, stays open until the run ends
    if sys.stdout is None:
        sys.stdout = sys.stderr
        _fail(f"standard output is closed; redirect it to a file or to {os.devnull}.", None)


def _is_open(descriptor: int) -> bool:
    """Return whether a file descriptor is open."""
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


def _replace_unencodable_characters() -> None:
    """Make standard output and error print a question mark for a character that their encoding doesn't have."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _discard_buffered_output() -> None:
    """Flush standard output and error, and discard what can't be written: Python would try again at exit, and fail."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # ValueError: the stream is closed, or has no descriptor
            _flush_or_discard(stream)


def _flush_or_discard(stream: TextIO) -> None:
    """Flush a stream; if that fails, send the rest of its output to the null device."""
    try:
        stream.flush()
    except OSError:  # let the descriptor point to the null device, so that the flush at exit succeeds
        null_device = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null_device, stream.fileno())
        os.close(null_device)
