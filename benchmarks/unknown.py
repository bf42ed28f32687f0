"""Documents without a chosen term: three answers, and how good predictions are with each.

Models of the training parts of 20 Newsgroups and of Reuters give test documents that have none of their terms the most
frequent class, or the class of most training documents without a term, which is what a model does, or what the scores
say, which are intercepts alone. All other documents get what the scores say.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from textsieve import Categorizer, read
from textsieve.arrays import Bools
from textsieve.evaluation.scores import DocumentScores
from textsieve.evaluation.thresholds import ThresholdRule, count_labels, f1_of_counts

TWO = ("rec.sport.hockey", "sci.space")
SELECTORS = ("forward", "ig")
Documents = tuple[list[str], list[tuple[str, ...]]]


class Case(NamedTuple):
    """A corpus, of which `{}` is the part, some of its classes, or none for all, and numbers of terms."""

    title: str
    corpus: str
    classes: tuple[str, ...]
    sizes: tuple[int, ...]

    def documents(self, part: str) -> Documents:
        """Texts and labels."""
        kept = [(text, labels) for text, labels in read(self.corpus.format(part)) if self._wants(labels)]
        return [text for text, _ in kept], [labels for _, labels in kept]

    def _wants(self, labels: tuple[str, ...]) -> bool:
        return not self.classes or labels[0] in self.classes


CASES = (
    Case("hockey, space", "newsgroups:{}", TWO, (2, 10, 100)),
    Case("the same without headers", "newsgroups:{}:no-headers", TWO, (2, 10, 100)),
    Case("20 groups", "newsgroups:{}", (), (10, 100)),
    Case("Reuters, 90 topics", "reuters:{}", (), (10, 100)),
)


class Found(NamedTuple):
    """The share of test documents without a term, and micro-F1 by each of the answers."""

    unknown: float
    most_frequent: float
    of_its_kind: float
    scores: float


def measured(train: Documents, test: Documents, selector: str, n_terms: int) -> Found:
    """Train once, and answer in three ways."""
    multilabel = any(len(labels) > 1 for labels in train[1])
    labels = train[1] if multilabel else [label for (label,) in train[1]]
    model = Categorizer(selector=selector, n_terms=n_terms).fit(train[0], labels).model_
    is_unknown, scores = model.rows(test[0], -1).is_zero, model.scores(test[0], -1)
    true = np.array([[label in labels for label in model.classes] for labels in test[1]])
    cut = ThresholdRule(model.thresholds, model.ranks) if multilabel else None
    most_frequent = int(np.argmax(model.class_docs))
    answers = [
        DocumentScores(scores, is_unknown, most_frequent),
        DocumentScores(scores, is_unknown, model.fallback_class),
        DocumentScores(scores, np.zeros_like(is_unknown), most_frequent),
    ]
    return Found(float(is_unknown.mean()), *(_micro_f1(answer.labels(cut), true) for answer in answers))


def _micro_f1(predicted: Bools, true: Bools) -> float:
    return f1_of_counts(*(count_labels(is_label, None) for is_label in (predicted & true, predicted, true)))


def lines(case: Case) -> Iterator[str]:
    """A line a model."""
    train, test = case.documents("train"), case.documents("test")
    for selector in SELECTORS:
        for n_terms in case.sizes:
            cells = " | ".join(f"{each:.3f}" for each in measured(train, test, selector, n_terms))
            yield f"| {case.title} | {n_terms} of `{selector}` | {cells} |"


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print("| documents | terms | without a term | the most frequent class | the class of most such | what scores say |")
    print("|---|---|---:|---:|---:|---:|")
    for each in CASES:
        print("\n".join(lines(each)), flush=True)
