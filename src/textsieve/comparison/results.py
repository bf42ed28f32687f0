"""A results file, which a run can resume: a header, then a line for each ranking, each selection and each row.

`appending.py` writes and reads lines, and `schema.py` checks their content. The header contains what makes rows
comparable: documents (by their fingerprint), how they are read and split, settings, versions. A run resumes only a file
with the same header as its own. The header does not list the combinations: a file may hold more of them than a run
requests, and a run may add more.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import IO, Any

from ..errors import InputError, shown
from .appending import (
    append,
    appended,
    check_place,
    damaged_line,
    decode_line,
    drop_unfinished,
    first_difference,
    open_results,
    read_lines,
    require_lock,
)
from .plan import Condition
from .rankings import DESCRIBED_FOLD, Ranking
from .rows import Key, Row, Selection
from .schema import check_header, check_ranking, check_row, check_selection

FORMAT = 3
MAGIC = "textsieve_comparison"
BEGUN = "begun"
"""When the first run with the file began; rows of different times are comparable."""
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
"""Meanings of a difference in each part of the header; an error names the first that differs."""


class Results:
    """The results so far; with a file, those of earlier runs too."""

    def __init__(self, header: Mapping[str, Any], file: IO[bytes] | None = None) -> None:
        self.header = dict(header)
        self.rows: dict[Key, Row] = {}
        self.selections: dict[tuple[Any, ...], Selection] = {}
        self.rankings: dict[tuple[Any, ...], Ranking] = {}
        self._documents: dict[int, tuple[int, int]] = {}
        """The numbers of training and test documents of each fold."""
        self._file = file

    def add(self, row: Row, selection: Selection | None, ranking: Ranking | None = None) -> None:
        """Add a row, and its selected terms and their ranking if they are not stored yet."""
        if ranking is not None and not self._knows(ranking):
            self.rankings[ranking.key] = ranking
            self.write({"ranking": ranking.to_dict()})
        if selection is not None and selection.key not in self.selections:
            self.selections[selection.key] = selection
            self.write({"selection": selection.to_dict()})
        self.rows[row.key] = row
        self.write({"row": row.to_dict()})

    def _knows(self, ranking: Ranking) -> bool:
        """Return whether the same ranking is stored for at least as many terms."""
        return ranking.key in self.rankings and self.rankings[ranking.key].n_ranked >= ranking.n_ranked

    def write(self, record: Mapping[str, Any]) -> None:
        """Write a line to the file, if there is one."""
        if self._file is not None:
            append(self._file, record)

    def has(self, fold: int, condition: Condition) -> bool:
        """Return whether nothing is left to measure for a condition on a fold.

        A row alone is not enough: somebody may have removed a damaged line with the terms that belong to it.
        """
        row = self.rows.get((fold, *condition.key))
        if row is None or row.problem is not None:
            return row is not None
        selector, size, _ = condition.key
        has_ranking = any((fold, selector, n_terms) in self.rankings for n_terms in (None, size))
        needs_ranking = fold == DESCRIBED_FOLD and condition.selector.setting is not None
        return (fold, selector, size) in self.selections and (has_ranking or not needs_ranking)

    def read(self, lines: list[bytes], name: str) -> None:
        """Add the content of the lines after the header; raise `InputError` for a damaged one."""
        for number, line in enumerate(lines, 2):
            try:
                self._read_line(decode_line(line))
            except ValueError as problem:
                raise damaged_line(name, number, problem) from problem

    def _read_line(self, record: Mapping[str, Any]) -> None:
        """Add the content of a line; raise `ValueError` if it is not one that compare writes."""
        if len(record) != 1:
            raise ValueError(f"it has the fields {shown(sorted(record))}; it must have one of row, selection, ranking")
        ((kind, content),) = record.items()
        if kind == "row":
            check_row(content, self.header)
            row = Row.of_dict(content)
            self._check_fold(row)
            self.rows[row.key] = row
        elif kind == "selection":
            check_selection(content, self.header)
            selection = Selection.of_dict(content)
            self.selections[selection.key] = selection
        elif kind == "ranking":
            check_ranking(content, self.header)
            ranking = Ranking.of_dict(content)
            self.rankings[ranking.key] = ranking
        else:
            raise ValueError(f"it has the field {shown(kind)}; it must have one of row, selection, ranking")

    def _check_fold(self, row: Row) -> None:
        """Check that all rows of a fold have the same numbers of training and test documents."""
        own = (row.trained_on, row.documents)
        first = self._documents.setdefault(row.fold, own)
        if own != first:
            raise ValueError(f"trained_on and documents are {own}, and in other rows of the fold {first}")


def header_of(fingerprint: str, about: Mapping[str, Any]) -> dict[str, Any]:
    """Return the first line: what makes rows comparable."""
    header: dict[str, Any] = {MAGIC: FORMAT, **about, "fingerprint": fingerprint}
    as_read: dict[str, Any] = json.loads(json.dumps(header))
    return as_read


def check_results(path: str) -> None:
    """Raise `InputError` before any work is done if results could not be written, or would overwrite another file."""
    check_place(path)
    if os.path.exists(path):
        with open_results(path) as file:
            _require_own(file.read(len(_BEGINNING)), path)
            require_lock(file, path)


def holds_results(path: str) -> bool:
    """Return whether a file is a results file of compare."""
    if not os.path.isfile(path):
        return False
    with open(path, "rb") as file:
        return file.read(len(_BEGINNING)) == _BEGINNING


@contextmanager
def opened_results(path: str | None, header: Mapping[str, Any]) -> Iterator[Results]:
    """Open the results at a path to resume them; without a path, they are kept only in memory."""
    if path is None:
        yield Results(header)
        return
    check_results(path)
    with appended(path) as file:
        yield _resumed(file, path, header)


def read_results(path: str) -> Results:
    """Read a results file without resuming it."""
    lines, _ = read_lines(path)
    if not lines:
        raise InputError(f"{path}: has no results.")
    results = Results(_header_in(lines[0], path))
    results.read(lines[1:], path)
    return results


def _resumed(file: IO[bytes], path: str, header: Mapping[str, Any]) -> Results:
    lines, unfinished = read_lines(path)
    _require_own(lines[0] if lines else unfinished, path)
    results = Results(header, file)
    if lines:
        there = _header_in(lines[0], path)
        _require_same(there, header, path)
        results.header[BEGUN] = there[BEGUN]
        results.read(lines[1:], path)
    drop_unfinished(file, lines)
    if not lines:
        results.write(header)
    return results


def _header_in(line: bytes, path: str) -> dict[str, Any]:
    """Read the first line of a file."""
    _require_own(line, path)
    if not line.startswith(_BEGINNING + b"%d, " % FORMAT):
        raise InputError(
            f"{path}: has results of another format than the {FORMAT} of this release. Delete the file, or choose "
            "another, to measure them anew."
        )
    try:
        header = decode_line(line)
        check_header(header)
    except ValueError as problem:
        raise InputError(
            f"{path}, line 1 is damaged: {problem}. Without it the other lines have no meaning; delete the file, or "
            "choose another, to measure them anew."
        ) from problem
    return header


def _require_own(beginning: bytes, path: str) -> None:
    """Raise `InputError` if compare did not write the file; an unfinished header is accepted."""
    if beginning and not beginning.startswith(_BEGINNING):
        raise InputError(f"{path}: is there already, and holds no results of compare; choose another name for them.")


def _require_same(stored: Mapping[str, Any], header: Mapping[str, Any], path: str) -> None:
    for name, meaning in _MEANINGS.items():
        there, here = stored[name], header[name]
        if there != here:
            difference = f" ({first_difference(there, here)})" if isinstance(here, dict) else ""
            raise InputError(
                f"{path}: has results of {meaning}{difference}. Choose another file for new ones, or delete this one."
            )
