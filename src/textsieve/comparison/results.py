"""A file of results that a run goes on with: a header, then a line of JSON for each selection and each row.

A line is on the disk before the next condition begins, and is written in one go; so whatever ends a run leaves whole
lines and at most one that is torn, which is dropped. The header says what the rows are comparable by: documents (by
their fingerprint), how they are read and split, settings, versions. A run goes on only with a file whose header is its
own. Which conditions are asked for is not in the header: a file may hold more than a run wants, and get more from it.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import IO, Any

from ..errors import InputError, shown
from .appending import append, appended, check_place, drop_torn, lock, split_lines
from .rankings import Ranking
from .rows import Key, Row, Selection
from .splits import split_in_words

FORMAT = 2
"""Version 1 is of models that gave a document without a chosen term the most frequent class; it is only read."""
_READ = (1, FORMAT)
MAGIC = "textsieve_comparison"
BEGUN = "begun"
"""When the first run with the file began; no part of what rows are comparable by."""
_BEGINNING = f'{{"{MAGIC}": '.encode()

_MEANINGS = {
    MAGIC: "another format",
    "versions": "other versions",
    "split": "another split of the documents",
    "settings": "other settings",
    "several_labels": "labels of another form, one a document or several",
    "classes": "another corpus",
    "fingerprint": "another corpus, or documents that have changed",
}
"""What differs, if these parts of the header do; the first that does is told."""


_SHOWN = {
    "corpus": str,
    "documents": int,
    "several_labels": bool,
    "fingerprint": str,
    "settings": dict,
    "versions": dict,
}
"""What whoever only looks is told of a file."""


class Results:
    """What was measured so far; with a file, what was measured in earlier runs too."""

    def __init__(self, header: Mapping[str, Any], file: IO[bytes] | None = None) -> None:
        self.header = dict(header)
        self.rows: dict[Key, Row] = {}
        self.selections: dict[tuple[Any, ...], Selection] = {}
        self.rankings: dict[tuple[Any, ...], Ranking] = {}
        self._file = file

    def add(self, row: Row, selection: Selection | None, ranking: Ranking | None = None) -> None:
        """Note a row, and the terms that it is of if they are not known yet, and how they were ranked."""
        if ranking is not None and not self._knows(ranking):
            self.rankings[ranking.key] = ranking
            self.write({"ranking": ranking.to_dict()})
        if selection is not None and selection.key not in self.selections:
            self.selections[selection.key] = selection
            self.write({"selection": selection.to_dict()})
        self.rows[row.key] = row
        self.write({"row": row.to_dict()})

    def _knows(self, ranking: Ranking) -> bool:
        """Whether the same ranking is there, of at least as many terms."""
        return ranking.key in self.rankings and self.rankings[ranking.key].n_ranked >= ranking.n_ranked

    def write(self, record: Mapping[str, Any]) -> None:
        """Have a line on the disk."""
        if self._file is not None:
            append(self._file, record)

    def read(self, lines: list[bytes], name: str) -> None:
        """Take over what is in a file."""
        for number, line in enumerate(lines, 2):
            try:
                record = json.loads(line)
                if "row" in record:
                    row = Row.of_dict(record["row"])
                    self.rows[row.key] = row
                elif "ranking" in record:
                    ranking = Ranking.of_dict(record["ranking"])
                    self.rankings[ranking.key] = ranking
                else:
                    selection = Selection.of_dict(record["selection"])
                    self.selections[selection.key] = selection
            except (ValueError, TypeError, KeyError, zlib.error) as problem:
                raise InputError(
                    f"{name}, line {number}: is no result of compare ({shown(str(problem))}). The file is damaged; "
                    "delete that line, or the file, or choose another."
                ) from problem


def header_of(fingerprint: str, about: Mapping[str, Any]) -> dict[str, Any]:
    """The first line: what the rows are comparable by."""
    header: dict[str, Any] = {MAGIC: FORMAT, **about, "fingerprint": fingerprint}
    as_read: dict[str, Any] = json.loads(json.dumps(header))
    return as_read


def check_results(path: str) -> None:
    """Stop before any work is done if results could not be written, or something else would be lost."""
    check_place(path)
    if os.path.exists(path):
        with open(path, "rb") as file:
            _require_own(file.read(len(_BEGINNING)), path)
            lock(file, path)


def holds_results(path: str) -> bool:
    """Whether a file is one that compare wrote."""
    if not os.path.isfile(path):
        return False
    with open(path, "rb") as file:
        return file.read(len(_BEGINNING)) == _BEGINNING


@contextmanager
def opened_results(path: str | None, header: Mapping[str, Any]) -> Iterator[Results]:
    """The results at a path, to go on with; without one, they are kept in memory alone."""
    if path is None:
        yield Results(header)
        return
    check_results(path)
    with appended(path) as file:
        yield _resumed(file, path, header)


def read_results(path: str) -> Results:
    """What is in a file, for whoever only looks."""
    try:
        with open(path, "rb") as file:
            *lines, _ = file.read().split(b"\n")
    except OSError as problem:
        raise InputError(f"{path}: cannot be read ({problem.strerror}). Check that it is there.") from problem
    if not lines:
        raise InputError(f"{path}: has no results.")
    header = _header_in(lines[0], path)
    if header[MAGIC] not in _READ:
        raise InputError(
            f"{path}: has results of another format ({shown(header[MAGIC])}); use the version that wrote it."
        )
    _require_whole(header, path)
    results = Results(header)
    results.read(lines[1:], path)
    return results


def _resumed(file: IO[bytes], path: str, header: Mapping[str, Any]) -> Results:
    lines, torn = split_lines(file)
    _require_own(lines[0] if lines else torn, path)
    if torn:
        drop_torn(file, lines)
    results = Results(header, file)
    if lines:
        there = _header_in(lines[0], path)
        _require_same(there, header, path)
        results.header[BEGUN] = there.get(BEGUN)
        results.read(lines[1:], path)
    else:
        results.write(header)
    return results


def _header_in(line: bytes, path: str) -> dict[str, Any]:
    _require_own(line, path)
    try:
        header: dict[str, Any] = json.loads(line)
        if not (isinstance(header["split"]["folds"], int) and isinstance(header["classes"], list)):
            raise ValueError("there are no folds or classes")
    except (ValueError, TypeError, KeyError) as problem:
        raise InputError(f"{path}: its first line is damaged; delete the file, or choose another.") from problem
    return header


def _require_whole(header: Mapping[str, Any], path: str) -> None:
    """Refuse a header without what is shown of it; a run that goes on compares it with its own instead."""
    try:
        wrong = next((name for name, kind in _SHOWN.items() if not isinstance(header[name], kind)), None)
        if wrong is not None:
            raise ValueError(f"{wrong} is {shown(header[wrong])}")
        split_in_words(header["split"])
    except (ValueError, TypeError, KeyError, ZeroDivisionError) as problem:
        raise InputError(
            f"{path}: its first line is damaged ({problem}); delete the file, or choose another."
        ) from problem


def _require_own(beginning: bytes, path: str) -> None:
    """Refuse to write to what compare did not write; a header may be torn, too, but has begun."""
    if beginning and not beginning.startswith(_BEGINNING):
        raise InputError(f"{path}: is there already, and holds no results of compare; choose another name for them.")


def _require_same(found: Mapping[str, Any], header: Mapping[str, Any], path: str) -> None:
    for name, meaning in _MEANINGS.items():
        if found.get(name) != header.get(name):
            which = f"{meaning}{_difference(found.get(name), header.get(name))}"
            raise InputError(f"{path}: has results of {which}. Choose another file for new ones, or delete this one.")


def _difference(found: Any, wanted: Any) -> str:
    """What it is in the file and what it would be now, if that can be said in a few words."""
    if isinstance(found, dict) and isinstance(wanted, dict):
        name = next(each for each in (*wanted, *found) if found.get(each) != wanted.get(each))
        return f" ({name}: {shown(found.get(name))} there, {shown(wanted.get(name))} here)"
    return ""
