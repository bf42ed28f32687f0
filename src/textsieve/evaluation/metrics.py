"""How good predictions are: counts per class that add up over batches, and the figures that are read off them.

For each class: documents that are in it and were put there (hits), that were put there, and that are in it. Precision
is hits / put, recall hits / in, F1 = 2 hits / (put + in), which is their harmonic mean. *Micro* adds the counts of all
classes up before it divides; with one label a document that is the accuracy. *Macro* is the mean of the classes' F1,
over the classes that occur among the true or the predicted labels. 0/0 counts as 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from typing import Any, NamedTuple

from ..errors import counted

MOST_LINES = 50
"""Of the classes of a report, when it is printed."""


class ClassRow(NamedTuple):
    """The quality of the predictions of one class."""

    label: Any
    precision: float
    recall: float
    f1: float
    documents: int  # that are in the class
    predicted: int  # that were put there


@dataclass(frozen=True)
class Report:
    """Counts of right and wrong predictions by label. Reports of batches can be added."""

    classes: tuple[Any, ...]
    multilabel: bool = False
    documents: int = 0
    unlabelled: int = 0
    unknown: int = 0
    """Documents that had no term of the model."""
    right: int = 0
    """Documents all of whose labels, and no other, were predicted."""
    hits: Counter[Any] = field(default_factory=Counter)
    put: Counter[Any] = field(default_factory=Counter)
    true: Counter[Any] = field(default_factory=Counter)
    pairs: Counter[tuple[Any, Any]] = field(default_factory=Counter)
    """With one label a document: how often each (true, predicted) pair occurred."""

    def __repr__(self) -> str:
        """Return the overall figures."""
        return f"<Report of {self._figures()}>"

    def __str__(self) -> str:
        """Return the overall figures and a line for each class, as text."""
        rows = self.rows()
        titles = ("class", "docs", "predicted", "precision", "recall", "F1")
        table = [titles] + [
            (str(row.label), f"{row.documents:,}", f"{row.predicted:,}", *(f"{share:.3f}" for share in row[1:4]))
            for row in rows[:MOST_LINES]
        ]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        lines = [
            "  ".join([name.ljust(widths[0]), *map(str.rjust, numbers, widths[1:])]).rstrip()
            for name, *numbers in table
        ]
        if len(rows) > MOST_LINES:
            lines.append(f"and {len(rows) - MOST_LINES:,} more, in rows()")
        return "\n".join([self._figures(), *lines])

    def _figures(self) -> str:
        all_right = "" if self.multilabel else f", accuracy {self.accuracy:.3f}"
        figures = f"micro-F1 {self.micro_f1:.3f}, macro-F1 {self.macro_f1:.3f}{all_right}"
        return f"{counted(self.documents, 'document')}: {figures}"

    def __add__(self, other: Report) -> Report:
        """Return the report of the documents of both."""
        counters = {name: getattr(self, name) + getattr(other, name) for name in ("hits", "put", "true", "pairs")}
        numbers = {
            name: getattr(self, name) + getattr(other, name) for name in ("documents", "unlabelled", "unknown", "right")
        }
        return Report(self.classes, self.multilabel or other.multilabel, **numbers, **counters)

    @property
    def labels(self) -> list[Any]:
        """Return the model's classes, followed by other labels of the documents."""
        return [*self.classes, *sorted(set(self.true) - set(self.classes), key=str)]

    @property
    def accuracy(self) -> float:
        """Return the share of documents whose labels are all right."""
        return _share(self.right, self.documents)

    @property
    def micro_f1(self) -> float:
        """Return F1 of the counts of all classes added up."""
        return _share(2 * self.hits.total(), self.put.total() + self.true.total())

    @property
    def micro_precision(self) -> float:
        """Return the share of all predicted labels that are right."""
        return _share(self.hits.total(), self.put.total())

    @property
    def micro_recall(self) -> float:
        """Return the share of all true labels that were predicted."""
        return _share(self.hits.total(), self.true.total())

    @property
    def macro_precision(self) -> float:
        """Return the mean precision of the classes."""
        return self._mean("precision")

    @property
    def macro_recall(self) -> float:
        """Return the mean recall of the classes."""
        return self._mean("recall")

    @property
    def macro_f1(self) -> float:
        """Return the mean F1 of the classes."""
        return self._mean("f1")

    def _mean(self, name: str) -> float:
        """Return the mean over the classes that occur among the true or predicted labels."""
        rows = [row for row in self.rows() if row.documents or row.predicted]
        return _share(sum(getattr(row, name) for row in rows), len(rows))

    def rows(self) -> list[ClassRow]:
        """Return a row for each class."""
        return [
            ClassRow(
                label,
                _share(self.hits[label], self.put[label]),
                _share(self.hits[label], self.true[label]),
                _share(2 * self.hits[label], self.put[label] + self.true[label]),
                self.true[label],
                self.put[label],
            )
            for label in self.labels
        ]

    def confusion(self) -> list[list[int]]:
        """Return the documents by true (row) and predicted (column) label, in the order of `labels`; not for
        multilabel models.
        """
        return [[self.pairs[true, predicted] for predicted in self.labels] for true in self.labels]

    def summary(self) -> dict[str, Any]:
        """Return the overall figures as JSON values."""
        return {
            "documents": self.documents,
            "accuracy": self.accuracy,
            "micro_f1": self.micro_f1,
            "macro_f1": self.macro_f1,
        }

    def by_class(self) -> dict[str, Any]:
        """Return the overall figures and those of each class as JSON values."""
        return self.summary() | {
            "unlabelled": self.unlabelled,
            "without_known_terms": self.unknown,
            "classes": [row._asdict() for row in self.rows()],
        }

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON values, including the confusion matrix unless the model is multilabel."""
        everything = self.by_class()
        return everything if self.multilabel else everything | {"labels": self.labels, "confusion": self.confusion()}


def compare_labels(
    classes: Sequence[Any],
    true: Iterable[Iterable[Any]],
    predicted: Iterable[Iterable[Any]],
    *,
    multilabel: bool,
    none_is_right: bool = False,
    unknown: Any = 0,
    times: Iterable[Any] | None = None,
) -> Report:
    """Compare the predicted labels of some documents with their true labels.

    Documents without a true label are skipped as unlabelled, unless no label is a valid answer (`none_is_right`).
    `times` says how many times each document counts.
    """
    report = Report(tuple(classes), multilabel)
    documents: Any = 0
    unlabelled: Any = 0
    right: Any = 0
    sets = zip(map(dict.fromkeys, true), map(dict.fromkeys, predicted), strict=True)
    for (own, given), count in zip(sets, repeat(1) if times is None else times, strict=times is not None):
        if not (own or none_is_right):
            unlabelled += count
            continue
        documents += count
        right += count * (own.keys() == given.keys())
        hits = own.keys() & given.keys()
        for counter, labels in ((report.true, own.keys()), (report.put, given.keys()), (report.hits, hits)):
            for label in labels:
                counter[label] += count
        if not multilabel:
            report.pairs[next(iter(own)), next(iter(given))] += count
    return Report(
        *(report.classes, multilabel, documents, unlabelled, unknown, right),
        *(report.hits, report.put, report.true, report.pairs),
    )


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
