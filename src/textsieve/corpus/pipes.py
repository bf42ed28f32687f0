"""Read documents from a pipe, which can be read only once and may deliver them slowly.

If the caller wants it, the texts of JSON lines are yielded as they arrive, so that a program that writes slowly gets
predictions while it is still writing. Everything else is first copied to a temporary file, because detecting the
format, the first pass and any further pass all read the input from its beginning.
"""

from __future__ import annotations

import codecs
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, Protocol

from ..errors import InputError, InputWarning
from ..files import temporary_folder, write_temporary
from .batch import Batch, Report
from .corpus import Corpus, with_source
from .encodings import DEFAULT
from .read_documents import read
from .read_limits import ReadLimits
from .readers import jsonl
from .source import Source, check_keep, check_text_columns, default_fields
from .streams import CHUNK, HEAD, check_encoding, lines_of_chunks

MIN_START = 4
"""Number of bytes, not counting white space, needed to detect JSON lines and a byte order mark."""


class Pipe(Protocol):
    """A binary stream to read from, such as `sys.stdin.buffer`."""

    def read1(self, size: int, /) -> bytes:
        """Return the bytes available now, at most `size`; wait if there are none yet; return b"" at the end."""


@contextmanager
def read_pipe(pipe: Pipe, name: str, *, stream: bool = False, **options: Any) -> Iterator[Corpus]:
    """Yield the documents of a pipe as a `Corpus`, to be read inside the `with` block; the options are those of `read`.

    `name` is the name of the corpus, also in errors and warnings. With `stream`, if the pipe has JSON lines, the corpus
    yields their texts as they arrive, without labels, and can be read only once.
    """
    chunks = iter(lambda: pipe.read1(CHUNK), b"")
    start = _read_start(chunks)
    chunks = chain([start], chunks)
    if stream and options.get("format") in (None, "jsonl") and _is_json_lines(start):
        yield _read_as_it_arrives(chunks, name, options)
        return
    with temporary_folder() as folder:
        path = Path(folder, "input.txt")  # .txt: if no other format is detected, each line is a document
        write_temporary(str(path), chunks, what=name)
        with _renamed(str(path), name):
            corpus = read(path, **options)
        yield corpus.with_name(name)


@contextmanager
def _renamed(path: str, name: str) -> Iterator[None]:
    """Write `name` instead of the path of the temporary file in the errors and warnings of this block."""
    caught: list[warnings.WarningMessage] = []
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", InputWarning)
            yield
    except InputError as problem:
        raise with_source(problem, path, name) from problem
    finally:
        for warning in caught:
            message = warning.message
            if isinstance(message, InputWarning):
                message = message.with_source(path, name)
            warnings.warn_explicit(message, warning.category, warning.filename, warning.lineno)


def _read_start(chunks: Iterator[bytes]) -> bytes:
    """Return the first chunks of the pipe, joined: as few as are needed to detect JSON lines.

    These are chunks up to `MIN_START` bytes that are not white space, or `HEAD` bytes in all, or the end of the pipe.
    """
    start = b""
    while len(_without_space(start)) < MIN_START and len(start) < HEAD:
        chunk = next(chunks, b"")
        if not chunk:
            break
        start += chunk
    return start


def _without_space(data: bytes) -> bytes:
    """Return the bytes without white space."""
    return b"".join(data.split())


def _is_json_lines(start: bytes) -> bool:
    """Return whether the input begins with a JSON object; an array of objects is not JSON lines."""
    return _without_space(start.removeprefix(codecs.BOM_UTF8)[:200]).startswith((b'{"', b"{}"))


def _read_as_it_arrives(chunks: Iterator[bytes], name: str, options: dict[str, Any]) -> Corpus:
    """Return the texts of JSON lines as a corpus that can be read once, while the chunks arrive."""
    # The encoding is not guessed, because the guess would depend on how many bytes arrive at once.
    encoding = check_encoding(options.get("encoding") or DEFAULT)
    source = Source(
        path=Path(name),
        text=check_text_columns(options.get("text")),
        label=options.get("label"),
        texts_only=True,
        keep=check_keep(options.get("keep", ())),
        limits=ReadLimits.from_options(**options),
        **default_fields(options.get("usual")),
    )
    has_started = False

    def start(report: Report) -> Iterator[Batch]:
        """Start the only pass; a second call raises `InputError`."""
        nonlocal has_started
        if has_started:
            raise InputError("is a pipe, which can be read only once", place=name, hint="Save it to a file first")
        has_started = True
        lines = lines_of_chunks(chunks, encoding, report, name=name, limits=source.limits)
        return jsonl.batches_of(lines, source, report, corpus.tables)

    corpus = Corpus(name, start, multilabel=False)  # no labels are read
    return corpus
