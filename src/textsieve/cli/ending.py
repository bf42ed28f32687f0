"""How a run ends: with 0; with 1 and a sentence; or, if nobody listens any more, without a word.

Wrong usage ends with 2, which is click's own doing, or that of `usage`. 130 is the shell's number for Ctrl-C and 141
for a pipe that nobody reads on, as with `| head`.
"""

import io
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

import click

from ..errors import InputError, MissingPackage
from ..memory import check_room_for_imports
from .wording import as_options, on_one_line

FAILED, WRONG_USAGE, INTERRUPTED, NOBODY_READS = 1, 2, 130, 141

NO_MEMORY = "there is not enough memory for this."
NO_THREAD = "can't start new thread"
"""What Python says, in a plain `RuntimeError`, if there is no memory for the stack of a thread."""

SHOWN_WARNINGS = (UserWarning, RuntimeWarning)
"""Those that are about the input; others are for programmers."""


@contextmanager
def orderly() -> Iterator[None]:
    """Say what is wrong with the input in one paragraph, and end with the right exit code."""
    _replace_what_cannot_be_written()
    check_room_for_imports()
    try:
        with _warnings_as_lines():
            yield
            sys.stdout.flush()
    except BrokenPipeError as problem:
        _write_no_more()
        raise click.exceptions.Exit(NOBODY_READS) from problem
    except KeyboardInterrupt as problem:
        raise click.exceptions.Exit(INTERRUPTED) from problem
    except InputError as problem:
        _fail(as_options(str(problem)), problem)
    except OSError as problem:
        _fail(": ".join(str(part) for part in (problem.filename, problem.strerror or problem) if part), problem)
    except EOFError as problem:  # click would print "Aborted!", as if the user had stopped the run
        _fail(f"some input ended too early ({problem or 'end of file'}).", problem)
    except MemoryError as problem:
        _fail(NO_MEMORY, problem)
    except RuntimeError as problem:
        if str(problem) != NO_THREAD:
            raise
        _fail(NO_MEMORY, problem)


@contextmanager
def usage() -> Iterator[None]:
    """What is found wrong with the options alone, before any file is read, ends with 2, as what click finds does."""
    try:
        yield
    except MissingPackage:
        raise
    except InputError as problem:
        _fail(as_options(str(problem)), problem, WRONG_USAGE)


def say(kind: str, message: str) -> None:
    """Tell the user something that is no result, in one line."""
    click.echo(f"{kind}: {on_one_line(message)}", err=True)


def warn(message: str) -> None:
    """Tell the user what is doubtful."""
    say("warning", message)


def _fail(message: str, problem: BaseException, exit_code: int = FAILED) -> None:
    with suppress(OSError):  # nobody reads that either
        say("error", message)
    raise click.exceptions.Exit(exit_code) from problem


@contextmanager
def _warnings_as_lines() -> Iterator[None]:
    """Show the library's warnings as sentences, each once."""
    seen = set()

    def show(message: Warning | str, *_: object, **__: object) -> None:
        if str(message) not in seen:
            seen.add(str(message))
            warn(as_options(str(message)))

    with warnings.catch_warnings():
        warnings.showwarning = show
        if not sys.warnoptions:
            warnings.simplefilter("ignore")
            for category in SHOWN_WARNINGS:
                warnings.simplefilter("always", category)
        yield


def _replace_what_cannot_be_written() -> None:
    """A terminal that lacks a letter shows a question mark; it is no reason to stop."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _write_no_more() -> None:
    """Let what is still waiting to be written vanish, so that nobody stumbles over it at the very end."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            _empty(stream)


def _empty(stream: TextIO) -> None:
    try:
        stream.flush()
    except BrokenPipeError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
