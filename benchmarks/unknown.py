"""Three ways to label documents that contain none of the selected terms, and the micro-F1 with each.

Models are trained on the training parts of 20 Newsgroups and of Reuters. A test document without any of their terms
gets

- the most frequent class, or
- the fallback class, that of most training documents without a term, as textsieve's models do, or
- the class with the highest score; without terms, scores are intercepts alone.

All other documents get labels by their scores.
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

TWO_GROUPS = ("rec.sport.hockey", "sci.space")
SELECTORS = ("forward", "ig")
Documents = tuple[list[str], list[tuple[str, ...]]]


class Case(NamedTuple):
    """A corpus, some of its classes, and numbers of terms to try."""

    title: str
    corpus: str
    """The name of the corpus, in which {} stands for "train" or "test"."""
    classes: tuple[str, ...]
    """The classes whose documents are used; empty: all."""
    sizes: tuple[int, ...]

    def documents(self, part: str) -> Documents:
        """Return the texts and labels of the training or test part."""
        pairs = [
            (text, labels)
            for text, labels in read(self.corpus.format(part))
            if not self.classes or labels[0] in self.classes
        ]
        return [text for text, _ in pairs], [labels for _, labels in pairs]


CASES = (
    Case("hockey, space", "newsgroups:{}", TWO_GROUPS, (2, 10, 100)),
    Case("the same without headers", "newsgroups:{}:no-headers", TWO_GROUPS, (2, 10, 100)),
    Case("20 groups", "newsgroups:{}", (), (10, 100)),
    Case("Reuters, 90 topics", "reuters:{}", (), (10, 100)),
)


class Measurement(NamedTuple):
    """The share of test documents without a term, and micro-F1 with each of the three ways."""

    share_unknown: float
    most_frequent: float
    fallback_class: float
    scores: float


def measure(train: Documents, test: Documents, selector: str, n_terms: int) -> Measurement:
    """Train a model once, and label the test documents in three ways."""
    multilabel = any(len(labels) > 1 for labels in train[1])
    labels = train[1] if multilabel else [label for (label,) in train[1]]
    model = (
        Categorizer(analyzer="word", class_weight=None, selector=selector, n_terms=n_terms).fit(train[0], labels).model_
    )
    is_unknown, scores = model.rows(test[0], -1).is_zero, model.scores(test[0], -1)
    true = np.array([[label in labels for label in model.classes] for labels in test[1]])
    cut = ThresholdRule(model.thresholds, model.ranks) if multilabel else None
    most_frequent = int(np.argmax(model.class_docs))
    ways = [
        DocumentScores(scores, is_unknown, most_frequent),
        DocumentScores(scores, is_unknown, model.fallback_class),
        DocumentScores(scores, np.zeros_like(is_unknown), most_frequent),
    ]
    return Measurement(float(is_unknown.mean()), *(_micro_f1(way.labels(cut), true) for way in ways))


def _micro_f1(predicted: Bools, true: Bools) -> float:
    return f1_of_counts(*(count_labels(is_label, None) for is_label in (predicted & true, predicted, true)))


def table_lines(case: Case) -> Iterator[str]:
    """Yield a line of the table for each model."""
    train, test = case.documents("train"), case.documents("test")
    for selector in SELECTORS:
        for n_terms in case.sizes:
            cells = " | ".join(f"{figure:.3f}" for figure in measure(train, test, selector, n_terms))
            yield f"| {case.title} | {n_terms} of `{selector}` | {cells} |"


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print("| documents | terms | without a term | the most frequent class | the class of most such | what scores say |")
    print("|---|---|---:|---:|---:|---:|")
    for case in CASES:
        print("\n".join(table_lines(case)), flush=True)
