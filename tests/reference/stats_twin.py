"""The slow twin of `ClassStats`: loops over a dense matrix, in exact fractions."""

from collections.abc import Hashable, Iterable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from textsieve import ClassStats


class Twin(NamedTuple):
    """The expected content of a `ClassStats`, in integers and fractions."""

    classes: tuple[Any, ...]
    n_documents: int
    class_docs: list[int]
    doc_freq: list[int]
    sums: list[Fraction]
    squares: list[Fraction]
    class_doc_freq: list[list[int]]
    class_sums: list[list[Fraction]]


def twin(rows: Sequence[Sequence[float]], label_sets: Sequence[Iterable[Hashable]], n_terms: int) -> Twin:
    """Return the statistics of dense rows; the collection of labels of an unlabelled document is empty."""
    sets = [set(labels) for labels in label_sets]
    classes = tuple(sorted(set().union(*sets)))  # type: ignore[type-var]
    exact = [[Fraction(value) for value in row] for row in rows]
    terms = range(n_terms)
    members = [[row for row, labels in zip(exact, sets, strict=True) if label in labels] for label in classes]
    return Twin(
        classes,
        len(exact),
        [len(class_rows) for class_rows in members],
        [sum(row[term] != 0 for row in exact) for term in terms],
        [sum((row[term] for row in exact), Fraction(0)) for term in terms],
        [sum((row[term] ** 2 for row in exact), Fraction(0)) for term in terms],
        [[sum(row[term] != 0 for row in class_rows) for term in terms] for class_rows in members],
        [[sum((row[term] for row in class_rows), Fraction(0)) for term in terms] for class_rows in members],
    )


def contingency_twin(rows: Sequence[Sequence[float]], label_sets: Sequence[Iterable[Hashable]]) -> list[list[Any]]:
    """Return for each class and term the counts A, B, C, D, counting one (document, label) pair after the other."""
    pairs = [(row, label) for row, labels in zip(rows, label_sets, strict=True) for label in set(labels)]
    classes = sorted({label for _, label in pairs})  # type: ignore[type-var]
    table = []
    for class_label in classes:
        class_counts = []
        for term in range(len(rows[0])):
            counts = {(inside, has): 0 for inside in (True, False) for has in (True, False)}
            for row, label in pairs:
                counts[label == class_label, row[term] != 0] += 1
            class_counts.append((counts[True, True], counts[False, True], counts[True, False], counts[False, False]))
        table.append(class_counts)
    return table


def contingency(stats: ClassStats, number: int) -> tuple[Any, Any, Any, Any]:
    """Return the counts A, B, C, D of one class for each term, computed from the table."""
    with_term = stats.class_doc_freq(number)
    elsewhere = stats.pair_doc_freq - with_term
    size = stats.class_docs[number]
    return with_term, elsewhere, size - with_term, stats.n_pairs - size - elsewhere


def exact_sums(sums: Any) -> list[Fraction]:
    """Return value + rest of each sum as an exact fraction."""
    return [Fraction(value) + Fraction(rest) for value, rest in zip(*(part.tolist() for part in sums), strict=True)]


def assert_is_twin(stats: ClassStats, expected: Twin, *, relative: float = 0.0) -> None:
    """Assert that a table equals its twin: counts exactly, and sums up to a relative error."""
    assert stats.classes == expected.classes
    assert [type(label) for label in stats.classes] == [type(label) for label in expected.classes]
    assert stats.n_documents == expected.n_documents
    assert stats.n_terms == len(expected.doc_freq)
    assert stats.n_pairs == sum(expected.class_docs)
    assert stats.class_docs.tolist() == expected.class_docs
    assert stats.doc_freq.tolist() == expected.doc_freq
    assert stats.pair_doc_freq.tolist() == [
        sum(column) for column in zip(*expected.class_doc_freq, strict=True)
    ] or not (expected.classes)
    for number, (doc_freq, sums) in enumerate(zip(expected.class_doc_freq, expected.class_sums, strict=True)):
        assert stats.class_doc_freq(number).tolist() == doc_freq
        _assert_close(stats.class_sums(number).tolist(), sums, max(relative, 2.0**-53))
    _assert_close(exact_sums(stats.precise_sums), expected.sums, relative)
    _assert_close(exact_sums(stats.precise_squares), expected.squares, relative)
    starts, terms = stats.cells.class_starts, stats.cells.terms
    for number in range(len(stats.classes)):
        class_terms = terms[starts[number] : starts[number + 1]]
        assert class_terms.tolist() == np.flatnonzero(expected.class_doc_freq[number]).tolist()


def _assert_close(actual: Sequence[float | Fraction], expected: Sequence[Fraction], relative: float) -> None:
    assert len(actual) == len(expected)
    for value, exact in zip(actual, expected, strict=True):
        assert abs(Fraction(value) - exact) <= Fraction(relative) * abs(exact), (value, exact)
