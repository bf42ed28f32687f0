"""One size of ensemble, tried: how often it is right on held-out documents, beside one classifier of all terms.

The members' answers to each test document are kept too, for how much they differ is measured on them (`agreement`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .agreement import MeasuredDiversity, measured_diversity
from .base import member_classifier, refuse_averages_of_cosines
from .combining import Floats, Ints, Tally, for_each_class, require_combination
from .draws import size_of
from .held_out import Progress, Repetition, Split, checked_documents, random_splits, repetitions, teller

SILENT = -1
"""The answer of a member that knows no term of a document."""


class SubspaceTrial(NamedTuple):
    """What was measured, repetition by repetition."""

    n_terms: int
    n_estimators: int
    accuracy: Floats
    """Of the ensemble."""
    single: Floats
    """Of one classifier of all terms."""
    answers: list[Ints]
    """Members x test documents: the number of the class that each member chose, or `SILENT`."""
    true: list[Ints]
    """The number of each test document's class; `SILENT` for one that had no document to train on."""
    splits: tuple[Split, ...]

    @property
    def diversity(self) -> list[MeasuredDiversity]:
        """How much the members of each repetition differ, on test documents of classes that they were trained on."""
        found = []
        for answers, true in zip(self.answers, self.true, strict=True):
            known = true != SILENT
            if len(answers) > 1 and known.any():
                found.append(measured_diversity(answers[:, known].T, true[known]))
        return found

    @property
    def gain(self) -> tuple[float, float]:
        """By how much the ensemble is right more often, on average, and the standard error of that (NaN for one)."""
        gains = self.accuracy - self.single
        error = float(gains.std(ddof=1) / np.sqrt(len(gains))) if len(gains) > 1 else float("nan")
        return float(gains.mean()), error


def subspace_trial(
    X: Any,
    y: Any,
    *,
    n_terms: float,
    n_estimators: float,
    estimator: Any = None,
    combine: str = "vote",
    prepare: Any = None,
    test_share: float = 0.2,
    repeats: int = 5,
    random_state: Any = 0,
    n_jobs: int | None = -1,
    progress: Progress | None = None,
) -> SubspaceTrial:
    """Try an ensemble of so many members of so many terms; what is given means the same as for `subspace_grid`."""
    require_combination(combine)
    refuse_averages_of_cosines(member_classifier(estimator), combine)
    X, y = checked_documents(X, y)
    splits = random_splits(X.shape[0], test_share=test_share, repeats=repeats, random_state=random_state)
    found: list[tuple[float, float, Ints, Ints]] = []
    for each in repetitions(X, y, splits, estimator=estimator, prepare=prepare, n_jobs=n_jobs):
        if not found:
            size = size_of("n_terms", n_terms, each.n, each.n), size_of("n_estimators", n_estimators, each.n)
            tell = teller(progress, len(splits) * size[1])
        found.append(_tried(each, *size, combine, tell))
    accuracy, single, answers, true = zip(*found, strict=True)
    return SubspaceTrial(*size, np.array(accuracy), np.array(single), list(answers), list(true), tuple(splits))


def _tried(
    documents: Repetition, n_terms: int, n_members: int, combine: str, tell: Callable[[int], None]
) -> tuple[float, float, Ints, Ints]:
    tally = Tally(documents.n_tested, documents.class_docs)
    answers = np.full((n_members, documents.n_tested), SILENT)
    for number, (scores, is_silent) in enumerate(documents.said(n_terms, n_members)):
        tally.add(scores, is_silent)
        answers[number] = np.where(is_silent, SILENT, for_each_class(scores).argmax(axis=1))
        tell(1)
    ((alone, _),) = documents.said(documents.n, 1)
    right, single = (
        documents.is_right(each) for each in (tally.decisions(combine), for_each_class(alone).argmax(axis=1))
    )
    return float(right.mean()), float(single.mean()), answers, documents.true_numbers
