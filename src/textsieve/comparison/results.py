"""The results of a comparison, and the file in which a run can resume them.

A `Row` has the figures of one condition on one fold, and a `Selection` the terms that a selector selected in a fold.
The file has a header, then a line for each ranking, each selection and each row, in the order in which they are
measured, and a line with example documents of the best combination. `json_lines.py` writes and reads lines, and
`schema.py` checks their content before it is converted.

The header describes what must be the same for rows to be comparable: documents (by their fingerprint), how they are
read and split, settings and versions. A run resumes a file only if these fields, which `_MEANINGS` lists, are the same
as in its own header; the name of the corpus and the time may differ. The header does not list combinations: a file may
have more of them than a run requests, and a run may add more.
"""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import IO, Any, Self

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, Place, shown
from ..evaluation.confidence import Confidence
from .examples import CombinationExamples, PairPositions
from .json_lines import (
    append,
    check_results_path,
    damaged_line,
    decode_line,
    drop_unfinished,
    first_difference,
    open_results,
    open_to_append,
    read_lines,
    require_lock,
)
from .plan import Condition, Size
from .rankings import DESCRIBED_FOLD, FoldRanking
from .schema import check_examples, check_header, check_ranking, check_row, check_selection

FORMAT = 6
MAGIC = "textsieve_comparison"
STARTED = "started"
"""The field of the header with the time at which the first run with the file started."""
_KINDS = ("row", "selection", "ranking", "examples")
"""The kinds of lines after the header."""
_BEGINNING = f'{{"{MAGIC}": '.encode()

_MEANINGS = {
    MAGIC: "another format",
    "versions": "other versions",
    "split": "another split of the documents",
    "settings": "other settings",
    "multilabel": "another number of labels per document, one or several",
    "classes": "another corpus",
    "fingerprint": "another corpus, or documents that have changed",
}
"""For each field of the header that must be the same in the file and the run, what an error says if it differs.

The first field that differs is reported, so the more specific fields come first: another split or other settings change
the fingerprint, too.
"""


RowKey = tuple[int, str, Size, str]
"""Fold, selector, requested number of terms, classifier."""
Mistakes = NDArray[np.uint8]
"""The number of mistakes on each test document."""


@dataclass(frozen=True, eq=False)
class Row:
    """One condition on one fold, and its figures; these are None if it could not be measured, as `problem` explains.

    Examples
    --------
    >>> from textsieve.comparison import compare
    >>> texts = ["the striker scored", "a late goal", "the vote failed", "a new law"]
    >>> labels = ["sport", "sport", "politics", "politics"]
    >>> comparison = compare(texts * 5, labels * 5, selectors=["ig", "chi"], n_terms=[3], classifiers=["nb"])
    >>> row = comparison.rows[0]
    >>> row.selector, row.n_terms, row.micro_f1
    ('ig', 3, 0.75)
    """

    fold: int
    selector: str
    n_terms: Size
    """The requested number of terms."""
    classifier: str
    n_seen: int
    """Number of terms to select from."""
    trained_on: int
    documents: int
    """Number of test documents."""
    missing_classes: tuple[Any, ...] = ()
    """Classes of test documents that no training document has."""
    problem: str | None = None
    threads: int | None = None
    """Number of threads; times with another number, or on another machine, are not comparable."""
    cores: int | None = None
    """Number of cores of the machine."""
    n_selected: int | None = None
    micro_f1: float | None = None
    macro_f1: float | None = None
    accuracy: float | None = None
    unknown: int | None = None
    """Number of documents without any selected term."""
    selection_seconds: float | None = None
    """Time for statistics and ranking, which other rows of the selector share."""
    training_seconds: float | None = None
    prediction_seconds: float | None = None
    """Time from counts to labels."""
    model_bytes: int | None = None
    """Size of the file that a `Categorizer` would write."""
    by_class: tuple[tuple[int, int, int], ...] | None = None
    """For each class of the header: number of correctly predicted, predicted and true documents."""
    confusion: tuple[tuple[int, int, int], ...] | None = None
    """True class, predicted class and count of each pair that occurs; None if multilabel."""
    mistakes: Mistakes | None = None
    """For each test document: number of labels too many or too few."""
    examples: tuple[PairPositions, ...] | None = None
    """Some documents of the most frequent pairs of confused classes; None if multilabel."""
    confidence: Confidence | None = None
    """How certain and how right the labels are; None if multilabel, or if there are too few test documents."""

    @classmethod
    def about(cls, fold: int, condition: Condition, **more: Any) -> Self:
        """Return the row of a condition on a fold; `more` has the other fields of the row."""
        selector, n_terms, classifier = condition.key
        return cls(fold, selector, n_terms, classifier, **more)

    @property
    def key(self) -> RowKey:
        """Return the key of the row: fold, selector, number of terms and classifier."""
        return self.fold, self.selector, self.n_terms, self.classifier

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON values."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        if self.mistakes is not None:
            values["mistakes"] = base64.b64encode(self.mistakes.tobytes()).decode()
        if self.confidence is not None:
            values["confidence"] = self.confidence.pairs()
        return values

    @classmethod
    def of_dict(cls, stored: Mapping[str, Any]) -> Self:
        """Return the row of a checked JSON object.

        Raise `ValueError` if `mistakes` can't be decoded, or does not have one number for each test document.
        """
        values = dict(stored)
        if values["mistakes"] is not None:
            values["mistakes"] = np.frombuffer(base64.b64decode(values["mistakes"], validate=True), np.uint8)
            if len(values["mistakes"]) != values["documents"]:
                raise ValueError(
                    f"mistakes has {len(values['mistakes']):,} documents, and {values['documents']:,} were tested"
                )
        for name in ("by_class", "confusion"):
            if values[name] is not None:
                values[name] = tuple(map(tuple, values[name]))
        if values["examples"] is not None:
            values["examples"] = tuple((*pair, tuple(positions)) for *pair, positions in values["examples"])
        if values["confidence"] is not None:
            values["confidence"] = Confidence.of_pairs(values["confidence"])
        return cls(**{**values, "missing_classes": tuple(values["missing_classes"])})


@dataclass(frozen=True)
class Selection:
    """The terms that a selector selected in a fold.

    Examples
    --------
    >>> from textsieve.comparison import compare
    >>> texts = ["the striker scored", "a late goal", "the vote failed", "a new law"]
    >>> labels = ["sport", "sport", "politics", "politics"]
    >>> comparison = compare(texts * 5, labels * 5, selectors=["ig", "chi"], n_terms=[3], classifiers=["nb"])
    >>> comparison.selections[0].terms
    ('failed', 'goal', 'late')
    """

    fold: int
    selector: str
    n_terms: Size
    """The requested number of terms."""
    n_seen: int
    """Number of terms to select from."""
    terms: tuple[str, ...] | None
    """The selected terms, the best first; None if all terms are used."""

    @property
    def n_selected(self) -> int:
        """Return the number of selected terms."""
        return self.n_seen if self.terms is None else len(self.terms)

    @property
    def key(self) -> tuple[int, str, Size]:
        """Return the key of the selection: fold, selector and number of terms."""
        return self.fold, self.selector, self.n_terms

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON values."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @classmethod
    def of_dict(cls, stored: Mapping[str, Any]) -> Self:
        """Return the selection of a checked JSON object."""
        return cls(**{**stored, "terms": None if stored["terms"] is None else tuple(stored["terms"])})


class Results:
    """The results so far; with a file, those of earlier runs too."""

    def __init__(self, header: Mapping[str, Any], file: IO[bytes] | None = None) -> None:
        self.header = dict(header)
        self.rows: dict[RowKey, Row] = {}
        self.selections: dict[tuple[Any, ...], Selection] = {}
        self.rankings: dict[tuple[Any, ...], FoldRanking] = {}
        self.examples: dict[tuple[Any, ...], CombinationExamples] = {}
        self._documents: dict[int, tuple[int, int]] = {}
        """The numbers of training and test documents of each fold."""
        self._file = file

    def add(self, row: Row, selection: Selection | None, ranking: FoldRanking | None = None) -> None:
        """Add a row, and its selected terms and their ranking if they are not stored yet.

        A ranking of more terms replaces a stored one.
        """
        if ranking is not None and not self._has_ranking(ranking):
            self.rankings[ranking.key] = ranking
            self.write({"ranking": ranking.to_dict()})
        if selection is not None and selection.key not in self.selections:
            self.selections[selection.key] = selection
            self.write({"selection": selection.to_dict()})
        self.rows[row.key] = row
        self.write({"row": row.to_dict()})

    def add_examples(self, examples: CombinationExamples) -> None:
        """Add the example documents of a combination; they replace older ones."""
        self.examples[examples.key] = examples
        self.write({"examples": examples.to_dict()})

    def _has_ranking(self, ranking: FoldRanking) -> bool:
        """Return whether the same ranking is stored for at least as many terms."""
        return ranking.key in self.rankings and self.rankings[ranking.key].n_ranked >= ranking.n_ranked

    def write(self, record: Mapping[str, Any]) -> None:
        """Write a line to the file, if there is one."""
        if self._file is not None:
            append(self._file, record)

    def has(self, fold: int, condition: Condition) -> bool:
        """Return whether nothing is left to measure for a condition on a fold.

        The row alone is not enough. Its selection or ranking is missing if the user has removed a damaged line from the
        file, as the error for such a line recommends.
        """
        row = self.rows.get((fold, *condition.key))
        if row is None:
            return False
        if row.problem is not None:
            return True  # such a row has no terms
        selector, size, _ = condition.key
        # A ranking that is the same for all numbers of terms is stored with None.
        has_ranking = any((fold, selector, n_terms) in self.rankings for n_terms in (None, size))
        needs_ranking = fold == DESCRIBED_FOLD and condition.selector.setting is not None
        return (fold, selector, size) in self.selections and (has_ranking or not needs_ranking)

    def read(self, lines: list[bytes], name: str) -> None:
        """Add the content of the lines after the header; raise `InputError` for a damaged one."""
        for number, line in enumerate(lines, 2):  # line 1 is the header
            try:
                self._read_line(decode_line(line))
            except ValueError as problem:
                raise damaged_line(name, number, problem) from problem

    def _read_line(self, record: Mapping[str, Any]) -> None:
        """Add the content of a line; raise `ValueError` if it is not one that compare writes."""
        if len(record) != 1:
            raise ValueError(f"it has the fields {shown(sorted(record))}; it must have one of {', '.join(_KINDS)}")
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
            ranking = FoldRanking.of_dict(content)
            self.rankings[ranking.key] = ranking
        elif kind == "examples":
            check_examples(content, self.header)
            examples = CombinationExamples.of_dict(content)
            self.examples[examples.key] = examples
        else:
            raise ValueError(f"it has the field {shown(kind)}; it must have one of {', '.join(_KINDS)}")

    def _check_fold(self, row: Row) -> None:
        """Raise `ValueError` if a row has other numbers of training and test documents than the first row of its fold.

        The first row that is read of a fold sets these numbers.
        """
        counts = (row.trained_on, row.documents)
        first_counts = self._documents.setdefault(row.fold, counts)
        if counts != first_counts:
            raise ValueError(f"trained_on and documents are {counts}, and in other rows of the fold {first_counts}")


def header_of(fingerprint: str, about: Mapping[str, Any]) -> dict[str, Any]:
    """Return the header of a results file; `about` has its fields except for the format and the fingerprint."""
    # As JSON values, because it is compared with headers from files: JSON turns tuples into lists.
    header: dict[str, Any] = json.loads(json.dumps({MAGIC: FORMAT, **about, "fingerprint": fingerprint}))
    return header


def check_results(path: str) -> None:
    """Raise `InputError`, before any work is done, if results can't be appended to the file at this path.

    It may not be writable, be no results file, or be in use by another run.
    """
    check_results_path(path)
    if os.path.exists(path):
        with open_results(path) as file:
            _require_own(file.read(len(_BEGINNING)), path)
            require_lock(file, path)  # raises an error if another run has the lock; closing the file releases it


def is_results_file(path: str) -> bool:
    """Return whether the file at this path exists and begins like a results file of compare."""
    if not os.path.isfile(path):
        return False
    with open(path, "rb") as file:
        return file.read(len(_BEGINNING)) == _BEGINNING


@contextmanager
def open_or_resume(path: str | None, header: Mapping[str, Any]) -> Iterator[Results]:
    """Provide results to which a run adds: those of the file at this path, which is created if it does not exist.

    Without a path, the results are empty, and kept only in memory.
    """
    if path is None:
        yield Results(header)
        return
    check_results(path)
    with open_to_append(path) as file:
        yield _resume(file, path, header)


def read_results(path: str) -> Results:
    """Read a results file without resuming it; an unfinished line at its end is ignored."""
    lines, _unfinished_line = read_lines(path)
    if not lines:
        raise InputError("has no results.", place=path)
    results = Results(_read_header(lines[0], path))
    results.read(lines[1:], path)
    return results


def _resume(file: IO[bytes], path: str, header: Mapping[str, Any]) -> Results:
    """Return the results of earlier runs from a file that is open to append; if it is new, write the header to it."""
    lines, unfinished = read_lines(path)
    _require_own(lines[0] if lines else unfinished, path)
    results = Results(header, file)
    if lines:
        stored_header = _read_header(lines[0], path)
        _require_same(stored_header, header, path)
        results.header[STARTED] = stored_header[STARTED]  # the time of the first run
        results.read(lines[1:], path)
    drop_unfinished(file, lines)
    if not lines:
        results.write(header)
    return results


def _read_header(line: bytes, path: str) -> dict[str, Any]:
    """Return the header from the first line of a file; raise `InputError` if it is damaged or of another format."""
    _require_own(line, path)
    # The number of the format is checked first, because a header of another format may have other fields.
    if not line.startswith(_BEGINNING + b"%d, " % FORMAT):
        raise InputError(
            f"its results have another format than the {FORMAT} of this release",
            place=path,
            hint="Delete the file, or choose another, to measure them again.",
        )
    try:
        header = decode_line(line)
        check_header(header)
    except ValueError as problem:
        raise InputError(
            f"damaged: {problem}. Without it the other lines have no meaning",
            place=Place(path, "line 1"),
            hint="delete the file, or choose another, to measure them again",
        ) from problem
    return header


def _require_own(beginning: bytes, path: str) -> None:
    """Raise `InputError` if compare did not write the file that begins with these bytes; an empty file is accepted."""
    if beginning and not beginning.startswith(_BEGINNING):
        raise InputError(
            "exists already, and has no results of compare", place=path, hint="choose another name for them"
        )


def _require_same(stored: Mapping[str, Any], header: Mapping[str, Any], path: str) -> None:
    """Raise `InputError` if the stored header differs from `header`, that of this run, in a field of `_MEANINGS`."""
    for name, meaning in _MEANINGS.items():
        there, here = stored[name], header[name]
        if there != here:
            difference = f" ({first_difference(there, here)})" if isinstance(here, dict) else ""
            raise InputError(
                f"has results of {meaning}{difference}",
                place=path,
                hint="Choose another file for new results, or delete this one.",
            )
