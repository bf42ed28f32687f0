"""Train an SVM on all selected terms, then drop coefficients, as many as the settings `tolerance` and `max_size` say.

`classifiers.sieve` decides which coefficients are dropped, and trains the others again. How many are kept is decided
here, in two ways:

- `tolerance`: each step keeps half of the coefficients of the step before, and cross-validation scores the model after
  each step (`Tuning.sieve_curve`). Of the models whose score is below the best score by no more than the tolerance, the
  smallest is chosen. The tolerance may be one standard error: that of the differences, fold by fold, between the scores
  of a model and the best one. Most documents are right in both models or wrong in both, so this error is smaller than
  the standard error of either score.
- `max_size`: first, the number of coefficients that fit into the file is found (`StoredSize`). Then coefficients are
  dropped in two steps, each followed by training the others again: down to twice that number, and down to that number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.base import clone

from ..archive import compressed_size
from ..arrays import Floats, Ints
from ..categorizer_settings import ONE_STANDARD_ERROR
from ..classifiers.linear import LinearScorer
from ..classifiers.linear_form import Linear
from ..classifiers.sieve import CoefficientSieve, Sieved, multilabel_problems, one_label_problems
from ..classifiers.sparse_linear import LARGEST_INTEGER, SparseLinearScorer
from ..errors import InputError
from ..text.front_coding import join_terms, shared_prefixes
from ..text.weights import IDF_STEPS
from .fallback import docs_without_terms, fallback_class
from .targets import Targets

if TYPE_CHECKING:
    from .plan import FittedClassifier, TrainingPlan

SHARES = tuple(0.5**step for step in range(13))
"""The shares of the coefficients that are left at the start and after each step: 1, 1/2, 1/4, ..., 1/4096."""

MAX_TRIALS = 8
"""The largest number of trials to find the number of coefficients that fit."""

CLOSE_ENOUGH = 0.9
"""A number of coefficients is accepted if the model takes at least this part of the allowed size."""

MAX_COEFFICIENTS_PER_BYTE = 2
"""The most coefficients that are tried for each byte of the allowed size.

More hardly ever fit: a coefficient takes about 6 bits, and its term more.
"""

FIRST_CUT_FACTOR = 2
"""Before all but n coefficients are dropped, all but this many times n are dropped, and these are trained again.

Their new values show better which n to keep, because they no longer rely on the dropped ones. Without this step,
macro-F1 was .2 points lower on 36 corpora; one more step, with four times n, changed nothing.
"""

ROUGH_TOLERANCE_FACTOR = 10.0
"""The tolerance of the SVM before the last cut, as a multiple of that of the settings."""


class SieveLimits(NamedTuple):
    """The limits on how many coefficients are kept."""

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
        """Return whether the mean score of a share is at most the tolerance below that of the best share."""
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
        """Train the SVM on the weights of all selected terms (documents x terms).

        `is_final` says that these coefficients may be kept as they are. If it is false, some are dropped and the others
        trained again in any case, so that a rough tolerance of the solver is enough now.
        """
        from .plan import class_weight_by_number

        self._plan, self._rows, self._targets, self._idf = plan, rows, targets, idf
        first_plan = plan
        if not is_final:
            rough_svm = clone(plan.classifier).set_params(tol=ROUGH_TOLERANCE_FACTOR * plan.classifier.tol)
            first_plan = replace(plan, classifier=rough_svm)
        scorer = first_plan.fit_weights(rows, targets)
        assert isinstance(scorer, LinearScorer)  # `TrainingPlan.of` has checked that the classifier is an SVM
        # What follows prepares `CoefficientSieve`, which trains on the same documents again after each step.
        used = np.flatnonzero(targets.usable if targets.weights is None else targets.usable & (targets.weights > 0))
        learned = targets.take(used)
        weight = class_weight_by_number(plan.class_weight, plan.classifier, learned.sizes)
        if weight is None:  # an SVM that was given as an object may have class weights of its own
            weight = plan.classifier.class_weight
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
        """Yield each of `SHARES` with the coefficients that are left: all of them, then half as many, and so on.

        An output is a column of scores: one for each class, or one in all for two classes with one label per document.
        The steps end early if the next one would leave fewer coefficients than outputs.
        """
        sieved = self._start
        for share in SHARES:
            n_coefficients = self._n_coefficients_of(share)
            if share < 1:
                if n_coefficients < len(sieved.intercepts):
                    return
                sieved = self._sieve.cut(sieved, n_coefficients)
            yield share, sieved

    def _n_coefficients_of(self, share: float) -> int:
        """Return the number of coefficients of a share, rounded up."""
        return int(np.ceil(share * self.n_coefficients))

    def fitted(self, sieved: Sieved) -> FittedClassifier:
        """Return the classifier with the coefficients that are left, rounded to the plan's `sparse_dtype`."""
        from .plan import FittedClassifier

        columns, scorer = sieved.scorer(self._plan.sparse_dtype)
        return FittedClassifier(scorer, self._idf[columns], self._fallback(columns), columns=columns)

    def _fallback(self, columns: Ints) -> int:
        """Return the number of the fallback class if only the terms in these columns are left."""
        is_left = np.zeros(self._rows.shape[1], self._rows.dtype)
        is_left[columns] = 1
        # Weights are never negative, so the weights of the terms that are left are all 0 if their sum is 0.
        is_without_terms = self._rows @ is_left == 0
        return fallback_class(self._targets.class_docs, docs_without_terms(is_without_terms, self._targets))

    def fit_to(self, limits: SieveLimits, terms: Sequence[str]) -> FittedClassifier:
        """Return the classifier after dropping coefficients to meet the limits; `terms` are all selected terms.

        If `limits.share` is None, or if that share of the coefficients takes more than `limits.max_bytes`, as many are
        kept as fit. Raises `InputError` if not even the smallest model fits.
        """
        size = StoredSize(terms)
        if limits.share is not None:
            for share, sieved in self.steps():  # noqa: B007, the steps may end before they reach the tuned share
                if 0.5 * share < limits.share:
                    break
            if limits.max_bytes is None or self._size_by(size.measure, sieved) <= limits.max_bytes:
                return self.fitted(sieved)
        assert limits.max_bytes is not None
        return self.fitted(self._fit_to_size(limits.max_bytes, size, must_fit=limits.must_fit))

    def _fit_to_size(self, max_bytes: int, size: StoredSize, *, must_fit: bool) -> Sieved:
        """Drop all but about as many coefficients as fit into `max_bytes`, train these again, and return them.

        Their number is estimated before they are trained again, which changes the size by some percent. So with
        `must_fit`, the size is measured afterwards. If it is too large, fewer are tried; if it is less than
        `CLOSE_ENOUGH` times the limit, more are tried. There are at most `MAX_TRIALS` trials. Raises `InputError` if
        none of them fits. Without `must_fit`, the first trial is accepted.
        """
        n_outputs = len(self._start.intercepts)
        n_coefficients = self._number_that_fits(max_bytes, size)
        if must_fit:  # measure by which factor the estimate is too small or too large, and estimate again
            largest = self._start.largest(n_coefficients)
            error_factor = self._size_by(size.measure, largest) / self._size_by(size.estimate, largest)
            n_coefficients = self._number_that_fits(int(max_bytes / error_factor), size)
        n_coefficients = max(n_coefficients, n_outputs)
        after_first_cut = self._start
        if FIRST_CUT_FACTOR * n_coefficients < self.n_coefficients:
            after_first_cut = self._sieve.cut(
                after_first_cut, FIRST_CUT_FACTOR * n_coefficients, ROUGH_TOLERANCE_FACTOR
            )
        best: Sieved | None = None
        for _ in range(MAX_TRIALS):
            trial = self._sieve.cut(after_first_cut, n_coefficients)
            if not must_fit:
                return trial
            n_bytes = self._size_by(size.measure, trial)
            if n_bytes <= max_bytes:
                best = trial
                has_all = n_coefficients >= np.count_nonzero(after_first_cut.values)  # then there are no more to try
                if n_bytes >= CLOSE_ENOUGH * max_bytes or has_all:
                    break
            elif best is not None or n_coefficients <= n_outputs:
                break  # this number is too large: a smaller one fits, or there is no smaller one
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
        """Return about the largest number of coefficients that fit into `max_bytes`, by their estimated size.

        These are the coefficients of the start, before any are trained again. Numbers are tried until the size is
        between `CLOSE_ENOUGH` times `max_bytes` and `max_bytes`. To choose the next number, the size is assumed to be
        proportional to number ** growth, where `growth` comes from the last two trials; the aim is the middle of that
        range. The search also ends if all coefficients fit. After `MAX_TRIALS` trials, the number may be one that
        does not fit.
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
        """Return the size of coefficients, terms and idf in a file, by `StoredSize.measure` or `.estimate`."""
        columns, scorer = sieved.scorer(self._plan.sparse_dtype)
        return method(columns, scorer, self._idf[columns])


# -- the size in the model file ------------------------------------------------------------------------------


class StoredSize:
    """Measures the bytes that terms take in a model file with their coefficients and idf, or estimates them.

    An estimate takes a hundredth of the time.
    """

    def __init__(self, terms: Sequence[str]) -> None:
        """Keep all selected terms; `measure` and `estimate` get the columns of those that are left."""
        self._terms = terms

    def measure(self, columns: Ints, scorer: SparseLinearScorer, idf: Floats) -> int:
        """Return the number of bytes of the terms in some columns, with their coefficients and idf.

        `columns` are positions in the `terms` of the constructor. `scorer` and `idf` have the same terms, in the same
        order.
        """
        ranks = self._ranks[columns]
        alphabetical = np.argsort(ranks)
        prefixes, terms = join_terms([self._encoded[rank] for rank in ranks[alphabetical].tolist()])
        arrays = scorer.take(alphabetical).stored_arrays()
        arrays |= {"terms": np.frombuffer(terms, np.uint8), "idf": _idf_steps(idf[alphabetical])}
        return compressed_size(arrays if prefixes is None else arrays | {"prefixes": prefixes})

    def estimate(self, columns: Ints, scorer: SparseLinearScorer, idf: Floats) -> int:
        """Return about the result of `measure`, from the entropy of what is stored.

        For each output of the scorer (a class), the file stores which of the n terms have a coefficient. If these are a
        random subset, with the share p of the terms, that takes -n (p log2 p + (1 - p) log2 (1 - p)) bits.
        """
        n_terms = len(columns)
        counts = np.bincount(scorer.outputs, minlength=scorer.n_outputs)  # the number of coefficients of each output
        # An output with a coefficient for no term or for all terms takes 0 bits; the formula would have log 0.
        shares = counts[(counts > 0) & (counts < n_terms)] / max(n_terms, 1)
        bits_of_columns = -n_terms * float((shares * np.log2(shares) + (1 - shares) * np.log2(1 - shares)).sum())
        ranks = np.sort(self._ranks[columns])
        prefixes = self._prefixes_of(ranks)
        n_suffix_bytes = int((self._lengths[ranks] - prefixes).sum()) + n_terms  # and a separator after each term
        if scorer.numbers.dtype == np.int8:
            bits_of_coefficients = _entropy(scorer.numbers.astype(np.int64) + LARGEST_INTEGER)  # shifted to be >= 0
        else:  # floats are hardly ever equal, so compression does not help
            bits_of_coefficients = 8.0 * scorer.numbers.nbytes
        bits = (
            bits_of_columns
            + bits_of_coefficients
            + _entropy(prefixes)
            + _entropy(_idf_steps(idf))
            + self._bits_per_suffix_byte * n_suffix_bytes
        )
        return int((bits + _entropy(counts)) / 8) + scorer.intercepts.nbytes + scorer.scales.nbytes

    @cached_property
    def _alphabetical(self) -> Ints:
        """Return the columns of all terms in alphabetical order."""
        return np.array(sorted(range(len(self._terms)), key=self._terms.__getitem__), np.int64)

    @cached_property
    def _ranks(self) -> Ints:
        """Return the alphabetical position of each term."""
        ranks = np.empty(len(self._terms), np.int64)
        ranks[self._alphabetical] = np.arange(len(self._terms))
        return ranks

    @cached_property
    def _encoded(self) -> list[bytes]:
        """Return all terms as UTF-8, in alphabetical order.

        A lone surrogate raises an error when the model is saved, but not here ("surrogatepass").
        """
        return [self._terms[column].encode("utf-8", "surrogatepass") for column in self._alphabetical.tolist()]

    @cached_property
    def _lengths(self) -> Ints:
        """Return the number of bytes of each term, in alphabetical order."""
        return np.array([len(term) for term in self._encoded], np.int64)

    @cached_property
    def _prefixes(self) -> NDArray[np.uint8]:
        """Return how many bytes each term shares with the one before, in alphabetical order."""
        return shared_prefixes(self._encoded)

    @cached_property
    def _bits_per_suffix_byte(self) -> float:
        """Return how many bits a byte takes if the suffixes of all terms, left by front coding, are compressed."""
        from zstandard import ZstdCompressor

        suffixes = [term[length:] for term, length in zip(self._encoded, self._prefixes.tolist(), strict=True)]
        text = b"\n".join(suffixes)
        return 8 * len(ZstdCompressor().compress(text)) / max(len(text), 1)

    def _prefixes_of(self, ranks: Ints) -> Ints:
        """Return, for some of the terms, how many bytes each shares with the one before it among these (first: 0).

        `ranks` are the alphabetical positions of these terms among all terms, ascending. `_prefixes` has the number of
        bytes that each of all terms shares with the one before it. Two terms at the positions i < j share the minimum
        of `_prefixes[i + 1]` to `_prefixes[j]`.
        """
        prefixes = np.zeros(len(ranks), np.int64)
        if len(ranks) > 1:
            # `reduceat` returns the minimum of each section; a section goes from one of the given starts to the next.
            prefixes[1:] = np.minimum.reduceat(self._prefixes[: ranks[-1] + 1], ranks[:-1] + 1)
        return prefixes


def _idf_steps(idf: Floats) -> NDArray[np.uint8]:
    """Return idf as the file of a sieved model stores it: as integers, in units of 1 / `IDF_STEPS`."""
    return (idf * IDF_STEPS).astype(np.uint8)


def _entropy(numbers: NDArray[np.integer]) -> float:
    """Return how many bits an ideal code takes for all of these numbers, which are 0 or larger: their entropy."""
    counts = np.bincount(numbers)
    counts = counts[counts > 0]
    return float((counts * np.log2(counts.sum() / counts)).sum()) if len(counts) else 0.0
