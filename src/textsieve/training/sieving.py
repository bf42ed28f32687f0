"""Train an SVM on all selected terms, then drop coefficients, as many as the settings `tolerance` and `max_size` say.

See `classifiers.sieve` for which coefficients are dropped. How many are kept is decided in two ways:

- `tolerance`: a step keeps half of the coefficients of the step before, and cross-validation scores the model after
  each step (`Tuning.sieve_curve`). The smallest model is chosen whose score is below the best by no more than the
  tolerance. If the tolerance is one standard error, it is that of the differences between the scores of the two models
  in each fold. This is smaller than the standard error of either score: most documents are right in both models or
  wrong in both.
- `max_size`: the number of coefficients that fit is found before any are trained again. Then two steps lead there: to
  twice as many, and to that number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.base import clone

from ..arrays import Floats, Ints
from ..categorizer_settings import ONE_STANDARD_ERROR
from ..classifiers.linear import LinearScorer
from ..classifiers.linear_form import Linear
from ..classifiers.sieve import CoefficientSieve, Sieved, multilabel_problems, one_label_problems
from ..classifiers.sparse_linear import SparseLinearScorer
from ..errors import InputError
from .fallback import docs_without_terms, fallback_class
from .stored_size import StoredSize
from .targets import Targets

if TYPE_CHECKING:
    from .plan import FittedClassifier, TrainingPlan

SHARES = tuple(0.5**step for step in range(13))
"""The shares of the coefficients that are left: all, and those after each step."""

MAX_TRIALS = 8
"""The largest number of trials to find the number of coefficients that fit."""

CLOSE_ENOUGH = 0.9
"""A number of coefficients is accepted if the model takes at least this part of the allowed size."""


MAX_COEFFICIENTS_PER_BYTE = 2
"""More coefficients hardly ever fit: one takes about 6 bits, and its term more."""

FIRST_CUT_FACTOR = 2
"""Before coefficients are cut to n, they are cut to this many times n and trained again.

That shows which of them matter together. Without it, macro-F1 was .2 points lower on 36 corpora; a third cut, to four
times n, changed nothing.
"""

ROUGH_TOLERANCE_FACTOR = 10.0
"""The tolerance of the SVM before the last cut, as a multiple of that of the settings."""


class SieveLimits(NamedTuple):
    """How many coefficients are kept."""

    share: float | None = None
    """The share of the coefficients of all selected terms; None: as many as fit into `max_bytes`."""
    max_bytes: int | None = None
    """The most bytes for coefficients, terms and idf in the model file."""
    must_fit: bool = True
    """Whether the size must be at most `max_bytes`. If not, it is estimated, not measured, which is much faster."""


def smallest_share(scores: Mapping[float, Sequence[float]], tolerance: float | str) -> float:
    """Return the smallest share whose score is within the tolerance of the best.

    `scores` has the scores of the folds, of which there are at least two, by share; the share 1 stands for all
    coefficients. `tolerance` is in percentage points, or `ONE_STANDARD_ERROR`.
    """
    # Of equally good shares, the smallest is the best.
    best = max(scores, key=lambda share: (float(np.mean(scores[share])), -share))

    def is_within_tolerance(share: float) -> bool:
        differences = np.subtract(scores[best], scores[share])
        error = float(np.std(differences, ddof=1) / np.sqrt(len(differences)))
        allowed = error if tolerance == ONE_STANDARD_ERROR else float(tolerance) / 100
        return float(np.mean(differences)) <= allowed + 1e-12  # for rounding

    return min(filter(is_within_tolerance, scores))  # never empty: the best share differs from itself by 0


class SieveTraining:
    """An SVM that is trained on the weights of the selected terms, and then loses coefficients step by step."""

    def __init__(
        self, plan: TrainingPlan, rows: csr_matrix, targets: Targets, idf: Floats, *, is_final: bool = True
    ) -> None:
        """Train the SVM on all selected terms.

        `is_final` says that all these coefficients may be kept as they are. If not, they are trained again after some
        are dropped, so that a rough tolerance of the solver is enough now.
        """
        from .plan import class_weight_by_number

        self._plan, self._rows, self._targets, self._idf = plan, rows, targets, idf
        rough_svm = clone(plan.classifier).set_params(tol=ROUGH_TOLERANCE_FACTOR * plan.classifier.tol)
        scorer = (plan if is_final else replace(plan, classifier=rough_svm)).fit_weights(rows, targets)
        assert isinstance(scorer, LinearScorer)  # `TrainingPlan.of` has checked that the classifier is an SVM
        used = np.flatnonzero(targets.usable if targets.weights is None else targets.usable & (targets.weights > 0))
        learned = targets.take(used)
        weight = class_weight_by_number(plan.class_weight, plan.classifier, learned.sizes)
        weight = plan.classifier.class_weight if weight is None else weight  # the SVM's option
        if learned.multilabel:
            problems = multilabel_problems(plan.classifier, learned.members, len(used), weight, learned.weights)
        else:
            n_classes = len(learned.classes)
            problems = one_label_problems(plan.classifier, learned.first_class, n_classes, weight, learned.weights)
        used_rows = rows if len(used) == rows.shape[0] else rows[used]  # a copy may take a lot of memory
        self._sieve = CoefficientSieve(plan.classifier, used_rows, plan.scheme.norm, problems, plan.n_jobs)
        self._start = self._sieve.start(Linear(scorer.coefficients.T.astype(np.float64), scorer.intercepts))

    @property
    def n_coefficients(self) -> int:
        """Return the number of coefficients of all selected terms."""
        return len(self._start.values)

    def steps(self) -> Iterator[tuple[float, Sieved]]:
        """Yield shares of the coefficients (`SHARES`) and the coefficients that are left: all, then half as many, ...

        The steps end after the last of `SHARES`, or earlier, before there are fewer coefficients than outputs.
        """
        sieved = self._start
        for share in SHARES:
            n_coefficients = self._number(share)
            if share < 1:
                if n_coefficients < len(sieved.intercepts):
                    return
                sieved = self._sieve.cut(sieved, n_coefficients)
            yield share, sieved

    def _number(self, share: float) -> int:
        """Return the number of coefficients of a share, rounded up."""
        return int(np.ceil(share * self.n_coefficients))

    def fitted(self, sieved: Sieved) -> FittedClassifier:
        """Return the classifier with the coefficients that are left, rounded to the type that the plan has."""
        from .plan import FittedClassifier

        columns, scorer = sieved.scorer(self._plan.sparse_dtype)
        return FittedClassifier(scorer, self._idf[columns], self._fallback(columns), columns=columns)

    def _fallback(self, columns: Ints) -> int:
        """Return the number of the fallback class, if the terms in some columns are left."""
        is_left = np.zeros(self._rows.shape[1], self._rows.dtype)
        is_left[columns] = 1
        # Weights are never negative, so the weights of the terms that are left are all 0 if their sum is 0.
        is_without_terms = self._rows @ is_left == 0
        return fallback_class(self._targets.class_docs, docs_without_terms(is_without_terms, self._targets))

    def fit_to(self, limits: SieveLimits, terms: Sequence[str]) -> FittedClassifier:
        """Return the classifier within the limits; `terms` are all selected terms.

        If the share of the limits is too large for their `max_bytes`, or if they have no share, as many coefficients
        are kept as fit. Raises `InputError` if not even the smallest model fits.
        """
        size = StoredSize(terms)
        if limits.share is not None:
            # The step of the tuned share, or the last step, if the steps end before that share.
            tuned_share = limits.share
            *_, (_, sieved) = takewhile(lambda step: step[0] >= tuned_share, self.steps())
            if limits.max_bytes is None or self._size_by(size.measure, sieved) <= limits.max_bytes:
                return self.fitted(sieved)
        assert limits.max_bytes is not None
        sieved = self._fit_to_size(limits.max_bytes, size, must_fit=limits.must_fit)
        return self.fitted(sieved)

    def _fit_to_size(self, max_bytes: int, size: StoredSize, *, must_fit: bool) -> Sieved:
        """Return about as many coefficients as fit, trained again.

        Their number is found before they are trained again, which changes the size by some percent. So if the model
        `must_fit`, the size is measured afterwards, and other numbers are tried, at most `MAX_TRIALS` in all: fewer if
        it is too large, more if it is less than `CLOSE_ENOUGH` times the limit. Raises `InputError` if no number that
        was tried fits.
        """
        n_outputs = len(self._start.intercepts)
        n_coefficients = self._number_that_fits(max_bytes, size)
        if must_fit:  # measure how wrong the estimate is, and estimate again
            sieved = self._start.largest(n_coefficients)
            ratio = self._size_by(size.measure, sieved) / self._size_by(size.estimate, sieved)
            n_coefficients = self._number_that_fits(int(max_bytes / ratio), size)
        n_coefficients = max(n_coefficients, n_outputs)
        sieved = self._start
        if FIRST_CUT_FACTOR * n_coefficients < self.n_coefficients:
            sieved = self._sieve.cut(sieved, FIRST_CUT_FACTOR * n_coefficients, ROUGH_TOLERANCE_FACTOR)
        best: Sieved | None = None
        for _ in range(MAX_TRIALS):
            trial = self._sieve.cut(sieved, n_coefficients)
            n_bytes = self._size_by(size.measure, trial) if must_fit else 0  # 0: accept any size
            if n_bytes <= max_bytes:
                best = trial
                has_all = n_coefficients >= np.count_nonzero(sieved.values)  # then there are no more to try
                if not must_fit or n_bytes >= CLOSE_ENOUGH * max_bytes or has_all:
                    break
            elif best is not None or n_coefficients <= n_outputs:  # a smaller number fits, or none does
                break
            # Size is about proportional to number; 0.98 aims a little below the limit.
            n_coefficients = max(int(0.98 * n_coefficients * max_bytes / n_bytes), n_outputs)
        if best is not None:
            return best
        raise InputError(
            f"only {max_bytes:,} bytes are left for coefficients and terms, too few for one of each class",
            setting="max_size",
            hint="allow a larger model",
        )

    def _number_that_fits(self, max_bytes: int, size: StoredSize) -> int:
        """Return about the largest number of coefficients that fit, as they are before they are trained again.

        Sizes are estimated. Each trial assumes that the size is proportional to number ** growth, where `growth` comes
        from the last two trials, and aims at the middle between `CLOSE_ENOUGH` and all of `max_bytes`. After
        `MAX_TRIALS` trials, the number need not fit.
        """
        candidates = self._start.largest(MAX_COEFFICIENTS_PER_BYTE * max_bytes)
        most = len(candidates.values)
        number = max(min(most, max_bytes // 2), 1)  # the first guess: two bytes for each coefficient
        growth = 1.0
        before: tuple[int, int] | None = None  # the number and the size of the last trial
        for _ in range(MAX_TRIALS):
            n_bytes = self._size_by(size.estimate, candidates.largest(number))
            if CLOSE_ENOUGH * max_bytes <= n_bytes <= max_bytes or (number == most and n_bytes <= max_bytes):
                break
            # Two trials with an equal number or size say nothing about the growth.
            if before is not None and before[0] != number and before[1] != n_bytes:
                growth = np.clip(np.log(n_bytes / before[1]) / np.log(number / before[0]), 0.2, 1.0)
            before = number, n_bytes
            aim = (1 + CLOSE_ENOUGH) / 2 * max_bytes
            number = max(min(int(number * (aim / n_bytes) ** (1 / growth)), most), 1)
        return number

    def _size_by(self, method: Callable[[Ints, SparseLinearScorer, Floats], int], sieved: Sieved) -> int:
        """Return the size of coefficients, terms and idf in a file, by a method of `StoredSize`."""
        columns, scorer = sieved.scorer(self._plan.sparse_dtype)
        return method(columns, scorer, self._idf[columns])
