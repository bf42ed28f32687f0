"""A comparison the slow way: a `Categorizer` fitted by hand for every condition and fold, and asked."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from textsieve import Categorizer
from textsieve.evaluation import folds

Label = Any
Documents = tuple[list[str], list[Label]]


class ByHand(NamedTuple):
    """What a condition came to on a fold."""

    micro_f1: float
    macro_f1: float
    accuracy: float
    n_selected: int
    model_bytes: int
    terms: list[str]
    mistakes: list[int]


def fold_places(labels: Sequence[Label], n_folds: int) -> list[list[int]]:
    """Which documents each fold tests: every n-th of a class."""
    first = [each if isinstance(each, str) else min(each) for each in labels]
    numbers = folds(first, n_folds).tolist()
    return [[place for place, number in enumerate(numbers) if number == fold] for fold in range(n_folds)]


def split_at(texts: Sequence[str], labels: Sequence[Label], tested: Sequence[int]) -> list[Documents]:
    """Texts and labels to learn from, and to test on."""
    others = [place for place in range(len(texts)) if place not in set(tested)]
    return [([texts[place] for place in part], [labels[place] for place in part]) for part in (others, tested)]


def by_hand(train: Documents, test: Documents, path: Path, **settings: Any) -> ByHand:
    """Fit, save, predict, count."""
    model = Categorizer(**settings).fit(*train)
    model.save(path)
    report = model.evaluate(*test)
    sets = [{each} if isinstance(each, str) else set(each) for each in test[1]]
    found = model.model_.label_sets(model.model_.predict(test[0], 1).labels)
    mistakes = [len(true ^ set(given)) for true, given in zip(sets, found, strict=True)]
    size = path.stat().st_size
    return ByHand(report.micro_f1, report.macro_f1, report.accuracy, len(model.terms_), size, model.terms_, mistakes)
