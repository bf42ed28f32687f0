"""A classifier on the chosen terms of a fold, as `compare` trains it, or on the documents alone that DROP keeps.

Weights come from all documents to learn from; only then are documents dropped, as a user of `DROP` would do it.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from textsieve.comparison.folds import FoldCache
from textsieve.comparison.plan import Condition, Plan
from textsieve.reducers import DROP
from textsieve.training.counted_documents import narrowed, weighed, weighted
from textsieve.training.fallback import fallback_of
from textsieve.training.plan import Fitted, TrainingPlan
from textsieve.training.tuning import FoldSplit, assigned

from .choosing import chooser
from .documents import Settings


class Drop(NamedTuple):
    """Which of DROP1 to DROP5, and by how many neighbours a document is judged."""

    variant: int
    k: int = 3


class Learned(NamedTuple):
    """A classifier, what it was made with and for, and how many documents it knows."""

    training: TrainingPlan
    split: FoldSplit
    fitted: Fitted
    n_documents: int

    def weights(self) -> tuple[csr_matrix, csr_matrix]:
        """Of the documents to learn from, and of those that are tested."""
        scheme, dtype = self.training.scheme, self.training.dtype
        train, test = (weighted(part, scheme, self.fitted.idf, dtype) for part in (self.split.train, self.split.test))
        return train, test

    def predict(self) -> NDArray[np.bool_]:
        """From counts of the tested documents to labels (documents x classes)."""
        return assigned(self.training.scores(self.fitted, self.split.test), None)

    def micro_f1(self) -> float:
        """With one label a document, the share of right ones."""
        targets = self.split.test_targets
        right = self.predict().argmax(axis=1)
        names = [self.split.train_targets.classes[number] for number in right.tolist()]
        true = [targets.classes[number] for number in targets.first.tolist()]
        return float(np.mean([one == other for one, other in zip(names, true, strict=True)]))


class Learner:
    """What trains the classifiers of some measurements, which name collection, selector, n_terms, classifier, drop."""

    def __init__(self, wanted: Sequence[Any], settings: Settings, n_jobs: int | None) -> None:
        selectors, sizes = [each.selector for each in wanted], [each.n_terms for each in wanted]
        self._choose = chooser(selectors, sizes, settings, n_jobs)
        names = list(dict.fromkeys(each.classifier for each in wanted))
        plan = Plan.of("all", "all", names, dict(settings), n_jobs)
        (nothing,) = plan.selectors
        variants = zip(names, plan.classifiers, strict=True)
        self._trainings = {
            name: plan.training_plan_of(Condition(nothing, "all", variant)) for name, variant in variants
        }

    def learn(self, shared: FoldCache, each: Any) -> Learned:
        """Choose terms, drop documents, train."""
        split = shared.split(self._choose(shared, each.selector, each.n_terms))
        training = self._trainings[each.classifier]
        if each.drop is None:
            return Learned(training, split, training.fit_counts(split.train, split.train_targets), split.train.shape[0])
        return _learn_from_fewer(training, split, each.drop)


def _learn_from_fewer(training: TrainingPlan, split: FoldSplit, drop: Drop) -> Learned:
    targets = split.train_targets
    idf = training.idf_of(np.bincount(split.train.indices, minlength=split.train.shape[1]), targets.n_documents)
    weights = weighed(split.train, training.scheme, idf)
    rows = narrowed(weights, training.dtype)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "No document is kept of", UserWarning)
        kept = DROP(variant=drop.variant, k=drop.k, n_jobs=training.n_jobs).fit(rows, targets.first).sample_indices_
    scorer = training.fit_weights(rows[kept], targets.take(kept))
    return Learned(training, split, Fitted(scorer, idf, fallback_of(weights.is_zero, targets)), len(kept))
