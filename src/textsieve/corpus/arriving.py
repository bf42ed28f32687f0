"""Documents that come through a pipe: they can be read only once, and some come later than others.

JSON lines of which only the texts are wanted are handed out as they come, so that whoever writes them slowly gets the
answers while still writing. Anything else is first written to a temporary file: telling a format, and a second pass,
take all of it.
"""

from __future__ import annotations

import codecs
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, Protocol

from ..errors import InputError
from ..files import write_temporary
from .batch import Batch, Report
from .bounds import Bounds
from .corpus import Corpus
from .readers import jsonl
from .reading import read
from .source import Source
from .streams import CHUNK, HEAD, lines_of_chunks
from .text import check_encoding

ENOUGH = 4
"""Bytes, not counting spaces, that it takes to tell JSON lines and a byte order mark."""


class Pipe(Protocol):
    """What bytes come from."""

    def read1(self, size: int, /) -> bytes:
        """What is there already, at most so much; waits if there is nothing; empty at the end."""


@contextmanager
def arriving(pipe: Pipe, name: str, **options: Any) -> Iterator[Corpus]:
    """What comes through a pipe, as a `Corpus`; the options are those of `read`."""
    chunks = iter(lambda: pipe.read1(CHUNK), b"")
    start = _beginning(chunks)
    chunks = chain([start], chunks)
    wants_lines = options.get("texts_only") and options.get("format") in (None, "jsonl")
    if wants_lines and _is_json_lines(start):
        yield _as_they_come(chunks, name, options)
        return
    with tempfile.TemporaryDirectory(prefix="textsieve-") as folder:
        path = Path(folder, "arrived.txt")  # what is nothing else is lines of text
        write_temporary(str(path), chunks, what=name)
        try:
            corpus = read(path, **options)
        except InputError as problem:
            raise InputError(str(problem).replace(str(path), name)) from problem
        yield corpus.renamed(name)


def _beginning(chunks: Iterator[bytes]) -> bytes:
    """As many bytes as it takes to tell what it is."""
    start = b""
    while len(start) < HEAD and len(b"".join(start.split())) < ENOUGH and (chunk := next(chunks, b"")):
        start += chunk
    return start


def _is_json_lines(start: bytes) -> bool:
    """Whether this begins as an object does; a list of objects is not a line each."""
    return b"".join(start.removeprefix(codecs.BOM_UTF8)[:200].split()).startswith((b'{"', b"{}"))


def _as_they_come(chunks: Iterator[bytes], name: str, options: dict[str, Any]) -> Corpus:
    encoding = check_encoding(options.get("encoding", "utf-8"))
    usual = {f"usual_{each}": value for each, value in (options.get("usual") or {}).items()}
    source = Source(
        *(Path(name), encoding, options.get("text"), options.get("label")),
        texts_only=True,
        keep=tuple(options.get("keep", ())),
        **usual,
        bounds=Bounds.checked(**options),
    )
    passes: list[Report] = []

    def start(report: Report) -> Iterator[Batch]:
        if passes:
            raise InputError(f"{name}: is a pipe, which can be read only once. Save it to a file first.")
        passes.append(report)
        lines = lines_of_chunks(chunks, encoding, report, name=name, bounds=source.bounds)
        return jsonl.batches_of(lines, source, report)

    return Corpus(name, start, multilabel=False)
