"""The slow twin of `compare`: it fits and evaluates a `Categorizer` for every condition and fold."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tests.reference.categorizer_cases import plain_categorizer
from textsieve.evaluation import folds

Label = Any
Documents = tuple[list[str], list[Label]]


class ByHand(NamedTuple):
    """The results of a condition on a fold."""

    micro_f1: float
    macro_f1: float
    accuracy: float
    n_selected: int
    model_bytes: int
    terms: list[str]
    mistakes: list[int]


def fold_places(labels: Sequence[Label], n_folds: int) -> list[list[int]]:
    """Return the test documents of each fold: every n-th document of a class."""
    first = [label if isinstance(label, str) else min(label) for label in labels]
    numbers = folds(first, n_folds).tolist()
    return [[place for place, number in enumerate(numbers) if number == fold] for fold in range(n_folds)]


def split_at(texts: Sequence[str], labels: Sequence[Label], tested: Sequence[int]) -> list[Documents]:
    """Return the texts and labels of the training documents, and those of the test documents."""
    others = [place for place in range(len(texts)) if place not in set(tested)]
    return [([texts[place] for place in part], [labels[place] for place in part]) for part in (others, tested)]


def by_hand(train: Documents, test: Documents, path: Path, **settings: Any) -> ByHand:
    """Fit and save a categorizer, and return its results on the test documents."""
    model = plain_categorizer(**settings, probabilities=None).fit(*train)
    model.save(path)
    report = model.evaluate(*test)
    sets = [{label} if isinstance(label, str) else set(label) for label in test[1]]
    predicted = model.model_.label_sets(model.model_.predict(test[0], 1).labels)
    mistakes = [len(true ^ set(given)) for true, given in zip(sets, predicted, strict=True)]
    size = path.stat().st_size
    return ByHand(report.micro_f1, report.macro_f1, report.accuracy, len(model.terms_), size, model.terms_, mistakes)
