"""The quality of predictions: counts for each class, which can be added over batches, and measures from these counts.

For each class there are three counts of documents: those that belong to it (true), those for which it was predicted
(predicted), and those where both hold (hits). Precision is hits / predicted, recall is hits / true, and F1 = 2 hits /
(predicted + true) is their harmonic mean. *Micro* measures divide the sums of the counts over all classes; with one
label per document, each of them is the accuracy. *Macro* measures are means over the classes that occur among the true
or the predicted labels. 0/0 counts as 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from typing import Any, NamedTuple

from ..errors import counted
from .confidence import Confidence, ProbabilityBand, share_of
from .confusions import NO_EXAMPLES, ConfusedClasses, ConfusionExamples, list_confusions

MAX_LINES = 50
"""The largest number of classes that a printed report lists."""


class ClassRow(NamedTuple):
    """The quality of the predictions of one class.

    Examples
    --------
    >>> from textsieve.evaluation import compare_labels
    >>> true = [["sport"], ["sport"], ["politics"]]
    >>> predicted = [["sport"], ["politics"], ["politics"]]
    >>> report = compare_labels(["politics", "sport"], true, predicted, multilabel=False)
    >>> report.rows()[0]
    ClassRow(label='politics', precision=0.5, recall=1.0, f1=0.6666666666666666, documents=1, predicted=2)
    """

    label: Any
    precision: float
    recall: float
    f1: float
    documents: int  # that belong to the class
    predicted: int  # for which the class was predicted


@dataclass(frozen=True)
class Report:
    """The quality of predictions. Reports of batches can be added.

    Examples
    --------
    >>> from textsieve.evaluation import compare_labels
    >>> true = [["sport"], ["sport"], ["politics"]]
    >>> predicted = [["sport"], ["politics"], ["politics"]]
    >>> report = compare_labels(["politics", "sport"], true, predicted, multilabel=False)
    >>> round(report.micro_f1, 2)
    0.67
    >>> report.rows()[1].recall
    0.5
    """

    classes: tuple[Any, ...]
    multilabel: bool = False
    documents: int = 0
    unlabelled: int = 0
    """The number of documents that were skipped because they have no true label."""
    unknown: int = 0
    """The number of documents without a term of the model."""
    right: int = 0
    """The number of documents whose predicted labels are exactly the true ones."""
    hits: Counter[Any] = field(default_factory=Counter)
    """For each class, the number of documents that belong to it and for which it was predicted."""
    predicted: Counter[Any] = field(default_factory=Counter)
    """For each class, the number of documents for which it was predicted."""
    true: Counter[Any] = field(default_factory=Counter)
    """For each class, the number of documents that belong to it."""
    pairs: Counter[tuple[Any, Any]] = field(default_factory=Counter)
    """The number of documents for each (true, predicted) pair of labels; empty for multilabel models."""
    confidence: Confidence | None = None
    """How many labels reach a minimum probability, and how many of these are right; None without probabilities."""
    examples: ConfusionExamples = field(default=NO_EXAMPLES, compare=False)
    """The beginnings of some documents with a wrong label; they do not count when reports are compared with `==`."""

    def __repr__(self) -> str:
        """Return the overall figures."""
        return f"<Report of {self._figures()}>"

    def __str__(self) -> str:
        """Return the overall figures and a line for each class, as text."""
        rows = self.rows()
        titles = ("class", "docs", "predicted", "precision", "recall", "F1")
        table = [titles] + [
            (str(row.label), f"{row.documents:,}", f"{row.predicted:,}", *(f"{share:.3f}" for share in row[1:4]))
            for row in rows[:MAX_LINES]
        ]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        lines = [
            "  ".join([name.ljust(widths[0]), *map(str.rjust, numbers, widths[1:])]).rstrip()
            for name, *numbers in table
        ]
        if len(rows) > MAX_LINES:
            lines.append(f"and {len(rows) - MAX_LINES:,} more, in rows()")
        return "\n".join([self._figures(), *lines])

    def _repr_html_(self) -> str:
        """Return the overall figures, the classes and the confused classes, for notebooks."""
        from ..display import notebook_html
        from .report_html import report_card

        return notebook_html(report_card(self))

    def _figures(self) -> str:
        """Return the overall figures as text."""
        accuracy = "" if self.multilabel else f", accuracy {self.accuracy:.3f}"
        figures = f"micro-F1 {self.micro_f1:.3f}, macro-F1 {self.macro_f1:.3f}{accuracy}"
        return f"{counted(self.documents, 'document')}: {figures}"

    def __add__(self, other: Report) -> Report:
        """Return a report on the documents of both reports, which are about the same classes."""
        counters = {name: getattr(self, name) + getattr(other, name) for name in ("hits", "predicted", "true", "pairs")}
        numbers = {
            name: getattr(self, name) + getattr(other, name) for name in ("documents", "unlabelled", "unknown", "right")
        }
        if self.confidence is None or other.confidence is None:
            confidence = self.confidence or other.confidence  # the only one, or None
        else:
            confidence = self.confidence + other.confidence
        examples = (self.examples + other.examples).of_most_frequent(counters["pairs"])
        multilabel = self.multilabel or other.multilabel
        return Report(self.classes, multilabel, **numbers, **counters, confidence=confidence, examples=examples)

    @property
    def labels(self) -> list[Any]:
        """Return the model's classes, followed by the true labels that are no classes of the model, sorted as text."""
        return [*self.classes, *sorted(set(self.true) - set(self.classes), key=str)]

    @property
    def accuracy(self) -> float:
        """Return the share of documents whose predicted labels are exactly the true ones."""
        return share_of(self.right, self.documents)

    @property
    def micro_f1(self) -> float:
        """Return F1 of the counts of all classes added up."""
        return share_of(2 * self.hits.total(), self.predicted.total() + self.true.total())

    @property
    def micro_precision(self) -> float:
        """Return the share of all predicted labels that are right."""
        return share_of(self.hits.total(), self.predicted.total())

    @property
    def micro_recall(self) -> float:
        """Return the share of all true labels that were predicted."""
        return share_of(self.hits.total(), self.true.total())

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

    def _mean(self, measure: str) -> float:
        """Return the mean of a field of `ClassRow` over the classes that occur among the true or predicted labels."""
        rows = [row for row in self.rows() if row.documents or row.predicted]
        return share_of(sum(getattr(row, measure) for row in rows), len(rows))

    def rows(self) -> list[ClassRow]:
        """Return a row for each class, in the order of `labels`."""
        return [
            ClassRow(
                label,
                share_of(self.hits[label], self.predicted[label]),
                share_of(self.hits[label], self.true[label]),
                share_of(2 * self.hits[label], self.predicted[label] + self.true[label]),
                self.true[label],
                self.predicted[label],
            )
            for label in self.labels
        ]

    def confusion(self) -> list[list[int]]:
        """Return the confusion matrix: true labels x predicted labels, in the order of `labels`.

        Multilabel models have none, so all numbers are 0.
        """
        return [[self.pairs[true, predicted] for predicted in self.labels] for true in self.labels]

    @property
    def confusions(self) -> list[ConfusedClasses]:
        """Return the pairs of classes that are confused most, with example documents; empty for multilabel models."""
        return list_confusions(self.pairs, self.true, self.examples.by_pair)

    @property
    def bands(self) -> list[ProbabilityBand]:
        """Return how many labels are right by the probability of the label; empty if there are no probabilities."""
        return [] if self.confidence is None else self.confidence.bands()

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
        if self.confidence is not None:
            everything["confidence"] = self.confidence.to_dict()
            everything["bands"] = [band._asdict() for band in self.bands]
        if not self.multilabel:
            everything |= {"labels": self.labels, "confusion": self.confusion()}
            everything["confusions"] = [pair.to_dict() for pair in self.confusions]
        return everything


def compare_labels(
    classes: Sequence[Any],
    true: Iterable[Iterable[Any]],
    predicted: Iterable[Iterable[Any]],
    *,
    multilabel: bool,
    no_label_is_valid: bool = False,
    n_unknown: Any = 0,
    weights: Iterable[Any] | None = None,
    confidence: Confidence | None = None,
    examples: ConfusionExamples = NO_EXAMPLES,
) -> Report:
    """Compare the predicted labels of some documents with their true labels.

    Documents without a true label are counted as unlabelled and skipped, unless `no_label_is_valid` says that they
    belong to no class. `n_unknown` is the number of documents without a known term. `weights` are sample weights;
    counts are integers if all weights are. `confidence` and `examples` are passed on to the report.

    Examples
    --------
    >>> from textsieve.evaluation import compare_labels
    >>> true = [["sport"], ["sport"], ["politics"]]
    >>> predicted = [["sport"], ["politics"], ["politics"]]
    >>> report = compare_labels(["politics", "sport"], true, predicted, multilabel=False)
    >>> round(report.accuracy, 2)
    0.67
    """
    n_documents: Any = 0
    n_unlabelled: Any = 0
    n_right: Any = 0
    hits: Counter[Any] = Counter()
    n_predicted: Counter[Any] = Counter()
    n_true: Counter[Any] = Counter()
    pairs: Counter[tuple[Any, Any]] = Counter()
    # Labels become the keys of a dictionary: each label once, in their order, because `pairs` gets the first.
    label_pairs = zip(map(dict.fromkeys, true), map(dict.fromkeys, predicted), strict=True)
    document_weights = repeat(1) if weights is None else weights  # `repeat` never ends, so `zip` can't be strict
    for (true_labels, predicted_labels), weight in zip(label_pairs, document_weights, strict=weights is not None):
        if not (true_labels or no_label_is_valid):
            n_unlabelled += weight
            continue
        n_documents += weight
        n_right += weight * (true_labels.keys() == predicted_labels.keys())
        for label in true_labels:
            n_true[label] += weight
        for label in predicted_labels:
            n_predicted[label] += weight
        for label in true_labels.keys() & predicted_labels.keys():
            hits[label] += weight
        if not multilabel:  # both have a label: `no_label_is_valid` is for multilabel models only
            pairs[next(iter(true_labels)), next(iter(predicted_labels))] += weight
    return Report(
        tuple(classes),
        multilabel,
        documents=n_documents,
        unlabelled=n_unlabelled,
        unknown=n_unknown,
        right=n_right,
        hits=hits,
        predicted=n_predicted,
        true=n_true,
        pairs=pairs,
        confidence=confidence,
        examples=examples,
    )
