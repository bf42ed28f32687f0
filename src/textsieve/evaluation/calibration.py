"""Calibrated probabilities: curves from score to probability, fitted to held-out documents.

**One label per document.** All classes share one sigmoid curve, σ(z) = 1 / (1 + exp(-z)), and the values of a document
are divided by their sum: p_j = σ(a s_j + b) / Σ_i σ(a s_i + b) for the scores s_1, ..., s_K. The curve rises, so the
class with the best score, which is the label, is also the most probable one. Two numbers, a > 0 and b, are fitted
jointly to all classes, by maximum likelihood. If b is far below 0, σ(z) is nearly exp(z), and the probabilities are
softmax(a s), that is temperature scaling (Guo et al. 2017) with the temperature 1/a. With a larger b, the curve is
flatter for good scores. That suits an SVM, where two classes with scores far above 0 are about equally likely. On the
corpora of `docs/research/calibration-results.md`, the shared curve has a smaller log loss than temperature scaling, and
than one sigmoid for each class, with which the most probable class may differ from the label.

The fit uses label smoothing: the target of a document is the probability 1 - ε for its own class, plus ε / K for each
of the K classes, where ε = 1 / (n + 1) for n documents. This is as if one document had a random label. Without it, the
slope a would grow without bound if the model predicts the label of every held-out document correctly.

All documents without a selected term have the same scores, which say nothing about the class. So the probability of a
class is its share of such documents among the held-out ones, mixed with its share of the training documents, which
counts as much as one document: class j has (z_j + n_j / n) / (Σ_i z_i + 1), where z_j is the number of held-out
documents of the class without a selected term, n_j that of its training documents, and n is the sum of the n_j. The
label of such documents is the fallback class, so it must be the most probable one. If another class has the largest
share, the two classes swap their shares.

**Multilabel**: one curve for each class.

*Sigmoid* (Platt 1999): p = σ(a s + b) with the a and b of largest likelihood. The targets of the fit are
(n+ + 1)/(n+ + 2) instead of 1 for documents in the class, and 1/(n- + 2) instead of 0 for the others, where n+ and n-
are the numbers of documents in the class and of others. So a and b stay finite even if the scores separate the class
perfectly. The method works with few documents.

*Isotonic*: the increasing curve with the smallest squared error at the held-out scores, with straight lines in between.
The method needs thousands of documents.

Earlier versions fitted such curves with one label per document, too, and divided the probabilities by their sum. Their
models are still read (`Calibration`), but the most probable class may differ from the label.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ..archive import ArraySpec, specs_of
from ..arrays import Bools, Floats, Ints
from ..errors import InputError, shown
from .scores import HeldOutScores, blocks

METHODS = ("sigmoid", "isotonic")
"""The methods of a `Calibration`, with a curve for each class."""

JOINT = "joint"
"""The method of a `JointCalibration` in a model file."""

LARGEST = 1e150
"""The largest absolute value of a knot or value in a model file, so that its product with a score is finite."""

_CHUNK_CELLS = 1 << 16
"""The number of scores that become probabilities at once; they and the intermediate results fit into the CPU cache."""


def sigmoid(values: Floats) -> Floats:
    """Return 1 / (1 + exp(-v)) for each value v, without overflow."""
    exponential = np.exp(-np.abs(values))
    return np.asarray(np.where(values >= 0, 1.0, exponential) / (1.0 + exponential))


def fit_sigmoid(scores: Floats, is_member: Bools, weights: Floats | None = None) -> tuple[float, float]:
    """Return slope and offset of the most likely sigmoid, by Newton's method with step halving (Lin, Lin, Weng 2007).

    For each document, `scores` has its score, `is_member` whether it belongs to the class, and `weights` its sample
    weight. The targets are Platt's (see above). Without documents, both numbers are 0.
    """
    sample_weights = np.ones(len(scores)) if weights is None else weights
    n_members = float(sample_weights[is_member].sum())
    n_others = float(sample_weights[~is_member].sum())
    targets = np.where(is_member, (n_members + 1.0) / (n_members + 2.0), 1.0 / (n_others + 2.0))
    scale = float(np.abs(scores).max(initial=0.0)) or 1.0  # scores up to 1 make the Hessian well-conditioned
    features = np.stack([scores / scale, np.ones(len(scores))])
    parameters = np.array([0.0, np.log((n_members + 1.0) / (n_others + 1.0))])  # slope x scale, and offset

    def negative_log_likelihood(parameters: Floats) -> float:
        """Return the cost that the most likely curve minimises."""
        z = parameters @ features
        return float(np.sum(sample_weights * (np.logaddexp(0.0, z) - targets * z)))

    cost = negative_log_likelihood(parameters)
    for _ in range(100):
        p = sigmoid(parameters @ features)
        gradient = features @ (sample_weights * (p - targets))
        if np.abs(gradient).max() < 1e-9 * (n_members + n_others or 1.0):  # `or 1.0`: there may be no documents
            break
        curvature = (features * (sample_weights * p * (1.0 - p))) @ features.T
        hessian = curvature + 1e-12 * np.eye(2)  # never singular, even if all scores are equal
        step = np.linalg.solve(hessian, gradient)
        expected_decrease = float(gradient @ step)
        size = 1.0
        while size > 1e-10:  # halve the step until it lowers the cost enough (Armijo's condition)
            if negative_log_likelihood(parameters - size * step) <= cost - 1e-4 * size * expected_decrease:
                break
            size *= 0.5
        if size <= 1e-10:  # no step lowers the cost any more
            break
        parameters = parameters - size * step
        cost = negative_log_likelihood(parameters)
    return float(parameters[0] / scale), float(parameters[1])


def fit_isotonic(scores: Floats, is_member: Bools, weights: Floats | None = None) -> tuple[Floats, Floats]:
    """Return the knots of the increasing curve with the smallest squared error, and its values there.

    The parameters are those of `fit_sigmoid`.
    """
    from sklearn.isotonic import IsotonicRegression

    curve: Any = IsotonicRegression(out_of_bounds="clip")
    fitted = curve.fit(scores, is_member.astype(np.float64), sample_weight=weights)
    return np.asarray(fitted.X_thresholds_, np.float64), np.asarray(fitted.y_thresholds_, np.float64)


@dataclass(frozen=True, eq=False)
class Calibration:
    """A curve from score to probability for each class.

    Class j has `knots[indptr[j]:indptr[j + 1]]` and as many `values`. For the method "isotonic", knots are ascending
    scores, and values the probabilities there. For the method "sigmoid", there is one knot, which is the slope, and one
    value, which is the offset.

    Examples
    --------
    >>> from textsieve.evaluation import Calibration
    >>> import numpy as np
    >>> scores = np.array([[0.9, -0.2], [0.1, 0.3], [-0.5, 0.8], [0.4, 0.2]])  # held-out documents x classes
    >>> true = np.array([[1, 0], [0, 1], [0, 1], [1, 1]], dtype=bool)
    >>> calibration = Calibration.fit("sigmoid", scores, true)
    >>> calibration.probabilities(np.array([[2.0, -2.0]]), sum_to_one=False).round(2)
    array([[0.97, 0.01]])
    """

    method: str
    indptr: NDArray[np.int64]
    knots: Floats
    values: Floats

    @classmethod
    def fit(cls, method: str, scores: Floats, is_member: Bools, weights: Floats | None = None) -> Self:
        """Fit curves to held-out scores and labels (documents x classes).

        A document is left out for the classes for which its score is NaN. `weights` has the sample weight of each
        document.
        """
        return cls.fit_held_out(method, HeldOutScores.of(scores, is_member, weights))

    @classmethod
    def fit_held_out(cls, method: str, held_out: HeldOutScores) -> Self:
        """Fit curves to scores and labels that need not be in memory at once."""
        if method not in METHODS:
            raise InputError(setting="probabilities", value=method, allowed=METHODS)
        curves = [_fit_curve(method, scores, is_member, weights) for scores, is_member, weights in held_out.by_class()]
        indptr = np.concatenate([[0], np.cumsum([len(knots) for knots, _ in curves])]).astype(np.int64)
        knots, values = map(np.concatenate, zip(*curves, strict=True))
        return cls(method, indptr, knots, values)

    @property
    def n_classes(self) -> int:
        """Return the number of classes."""
        return len(self.indptr) - 1

    def probabilities(self, scores: Floats, *, sum_to_one: bool) -> Floats:
        """Return the probability of each class for each document (documents x classes), given the scores.

        With `sum_to_one`, for models with one label per document, the probabilities of a document sum to 1.
        """
        probabilities = np.empty(scores.shape)
        for number, (begin, end) in enumerate(pairwise(self.indptr.tolist())):
            knots, values = self.knots[begin:end], self.values[begin:end]
            if self.method == "sigmoid":
                probabilities[:, number] = sigmoid(knots[0] * scores[:, number] + values[0])
            else:
                probabilities[:, number] = np.interp(scores[:, number], knots, values)
        if sum_to_one:
            totals = probabilities.sum(axis=1, keepdims=True)
            divided = probabilities / np.where(totals > 0, totals, 1.0)
            # If all probabilities of a document are 0, its classes are equally probable.
            probabilities = np.where(totals > 0, divided, 1.0 / self.n_classes)
        return probabilities

    def take(self, numbers: Sequence[int]) -> Calibration:
        """Return a calibration with the curves of some classes, given by their numbers."""
        slices = [slice(*self.indptr[number : number + 2].tolist()) for number in numbers]
        indptr = np.cumsum([0, *(part.stop - part.start for part in slices)]).astype(np.int64)
        knots = np.concatenate([self.knots[part] for part in slices])
        values = np.concatenate([self.values[part] for part in slices])
        return Calibration(self.method, indptr, knots, values)

    def stored_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays for a model file."""
        return {"calibration_indptr": self.indptr, "calibration_knots": self.knots, "calibration_values": self.values}

    @staticmethod
    def check_declared(method: Any, specs: Mapping[str, ArraySpec], n_classes: int) -> None:
        """Raise `InputError` if the method, or the types or shapes of stored arrays, are not a calibration's."""
        indptr, knots, values = (specs.get(f"calibration_{name}") for name in ("indptr", "knots", "values"))
        if not isinstance(method, str) or method not in METHODS or indptr is None or knots is None or values is None:
            raise InputError(f"its calibration is {shown(method)}, or parts of it are missing")
        if not (
            indptr.dtype == np.int64
            and knots.dtype == values.dtype == np.float64
            and indptr.shape == (n_classes + 1,)
            and len(knots.shape) == 1
            and knots.shape == values.shape
        ):
            raise InputError("the parts of its calibration do not fit together")
        if method == "sigmoid" and knots.shape != (n_classes,):
            raise InputError("its calibration has not two numbers for each class")

    @classmethod
    def restore(cls, method: Any, arrays: Mapping[str, NDArray[Any]], n_classes: int) -> Self:
        """Return the calibration that was stored; raise `InputError` for anything that doesn't fit."""
        cls.check_declared(method, specs_of(arrays), n_classes)
        indptr, knots, values = (arrays[f"calibration_{name}"] for name in ("indptr", "knots", "values"))
        if not (indptr[0] == 0 and indptr[-1] == len(knots) and (indptr[1:] > indptr[:-1]).all()):
            raise InputError("the parts of its calibration do not fit together")
        if not (np.abs(knots).max() <= LARGEST and np.abs(values).max() <= LARGEST):  # also rejects NaN
            raise InputError(f"the numbers of its calibration are not all finite, or not within ±{LARGEST:g}")
        # Knots that differ must not be closer than 1 / LARGEST, so that the slopes between them are finite.
        ascends = _ascends(knots, indptr, least=1 / LARGEST) and _ascends(values, indptr)
        if method == "isotonic" and not (ascends and _are_shares(values)):
            raise InputError("a curve of its calibration does not rise from 0 to 1")
        return cls(method, indptr, knots, values)


@dataclass(frozen=True, eq=False)
class JointCalibration:
    """One sigmoid curve for all classes, for models with one label per document.

    The curve turns the score s of a class into sigmoid(slope * s + offset). These numbers are divided by their sum, so
    the class with the best score is also the most probable one.

    Examples
    --------
    >>> from textsieve.evaluation import JointCalibration
    >>> import numpy as np
    >>> calibration = JointCalibration(slope=3.0, offset=0.0, unknown_docs=np.zeros(2))
    >>> calibration.curve(np.array([[0.5, -0.5], [0.1, 0.0]])).round(2)
    array([[0.82, 0.18],
           [0.53, 0.47]])
    """

    slope: float
    offset: float
    unknown_docs: Floats
    """For each class, the number of its held-out documents without a selected term."""

    method: ClassVar[str] = JOINT

    @classmethod
    def fit_held_out(cls, held_out: HeldOutScores) -> Self:
        """Fit the curve to held-out documents.

        Documents without a selected term only count for `unknown_docs`.
        """
        slope, offset = fit_joint(held_out)
        unknown = np.flatnonzero(held_out.is_unknown)
        weights = held_out.weights_of(unknown)
        true = held_out.true[unknown]  # an indicator matrix (documents x classes)
        unknown_docs = true.sum(axis=0) if weights is None else weights @ true
        return cls(slope, offset, np.asarray(unknown_docs, np.float64).ravel())

    def probabilities(self, scores: Floats, is_unknown: Bools, fallback: int, class_docs: Sequence[float]) -> Floats:
        """Return the probability of each class for each document (documents x classes), given the scores.

        `is_unknown` says which documents have no selected term, `fallback` is the class that these get, and
        `class_docs` has the number of training documents of each class.
        """
        probabilities = self.curve(scores)
        probabilities[is_unknown] = self._shares(fallback, class_docs)
        best = np.where(is_unknown, fallback, scores.argmax(axis=1))
        # Different scores may be rounded to the same probability, so that `argmax` finds another class than the label.
        # Then the label gets the next larger float, so that it is the only most probable class.
        tied = np.flatnonzero(probabilities.argmax(axis=1) != best)
        probabilities[tied, best[tied]] = np.nextafter(probabilities[tied].max(axis=1), 1.0)
        return probabilities

    def curve(self, scores: Floats) -> Floats:
        """Return the probabilities of documents with a selected term, given the scores (both documents x classes).

        A score of minus infinity gives the probability 0.
        """
        probabilities = np.empty(scores.shape)
        n_rows = max(_CHUNK_CELLS // scores.shape[1], 1)
        for first in range(0, len(scores), n_rows):
            logs = _log_sigmoid(self.slope * scores[first : first + n_rows] + self.offset)
            # All values of a row are divided by the largest, which cancels below. Otherwise all could be rounded to 0.
            values = np.exp(logs - logs.max(axis=1, keepdims=True))
            np.divide(values, values.sum(axis=1, keepdims=True), out=probabilities[first : first + n_rows])
        return probabilities

    def _shares(self, fallback: int, class_docs: Sequence[float]) -> Floats:
        """Return the probability of each class for documents without a selected term (see the module's docstring).

        The fallback class and the class with the largest share swap their shares.
        """
        n_docs = np.asarray(class_docs, np.float64)
        shares: Floats = (self.unknown_docs + n_docs / n_docs.sum()) / (self.unknown_docs.sum() + 1.0)
        largest = int(shares.argmax())
        shares[[fallback, largest]] = shares[[largest, fallback]]
        return shares

    def stored_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays for a model file."""
        return {"calibration_knots": np.array([self.slope, self.offset]), "calibration_values": self.unknown_docs}

    @staticmethod
    def check_declared(specs: Mapping[str, ArraySpec], n_classes: int) -> None:
        """Raise `InputError` if the types or shapes of stored arrays are not those of a joint calibration."""
        shapes = {name: spec.shape for name, spec in specs.items() if spec.dtype == np.float64}
        if len(shapes) != len(specs) or shapes != {"calibration_knots": (2,), "calibration_values": (n_classes,)}:
            raise InputError("the parts of its calibration do not fit together")

    @classmethod
    def restore(cls, arrays: Mapping[str, NDArray[Any]], n_classes: int) -> Self:
        """Return the calibration that was stored; raise `InputError` for anything that doesn't fit."""
        cls.check_declared(specs_of(arrays), n_classes)
        slope, offset = arrays["calibration_knots"].tolist()
        unknown_docs = arrays["calibration_values"]
        if not (0 < slope <= LARGEST and abs(offset) <= LARGEST):  # also rejects NaN
            raise InputError(f"the slope of its calibration is not above 0, or its numbers are not within ±{LARGEST:g}")
        if not ((unknown_docs >= 0) & (unknown_docs <= LARGEST)).all():
            raise InputError("its calibration has a number of documents that is below 0 or not finite")
        return cls(slope, offset, unknown_docs)


def check_declared(method: Any, specs: Mapping[str, ArraySpec], n_classes: int) -> None:
    """Raise `InputError` if the method, or the types or shapes of stored arrays, are not those of a calibration."""
    if method == JOINT:
        JointCalibration.check_declared(specs, n_classes)
    else:
        Calibration.check_declared(method, specs, n_classes)


def restore(method: Any, arrays: Mapping[str, NDArray[Any]], n_classes: int) -> Calibration | JointCalibration:
    """Return the calibration that was stored; raise `InputError` for anything that doesn't fit."""
    if method == JOINT:
        return JointCalibration.restore(arrays, n_classes)
    return Calibration.restore(method, arrays, n_classes)


def fit_joint(held_out: HeldOutScores) -> tuple[float, float]:
    """Return the slope a and the offset b of the most likely curve that all classes share.

    Documents that have no score for their class, or no selected term, are left out. A class for which a document has no
    score has the probability 0. Without documents, a is 1 and b is 0.

    The curve is fitted to scores that are shifted and scaled to -1 to 0, and the parameters are log a, so that a stays
    above 0, and b. The first values are near temperature scaling: b = -3, and an a with which the scores of the best
    class are 3 above those of the second on average.
    """
    parts = [_calibration_documents(held_out, *block) for block in held_out.by_document()]
    scores, is_true, weights = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    if not len(scores):
        return 1.0, 0.0
    largest, smallest = float(np.nanmax(scores)), float(np.nanmin(scores))
    scale = largest - smallest or 1.0  # 1 if all scores are equal
    scores = (scores - largest) / scale
    total = float(weights.sum())
    targets = _smooth_targets(is_true, np.isnan(scores), smoothing=1.0 / (total + 1.0))
    # Blocks limit the memory that a step needs for its intermediate results.
    documents = [_FitDocuments.of(scores[part], targets[part], weights[part]) for part in blocks(*scores.shape)]
    start = np.array([np.log(3.0 / (_mean_lead(scores) or 1.0)), -3.0])
    log_a, b = _most_likely(documents, total, start).tolist()
    # The curve was fitted to (s - largest) / scale; this is its slope and offset for the score s itself.
    slope = float(np.exp(log_a) / scale)
    return slope, b - slope * largest


_BOUNDS = np.array([[-12.0, -40.0], [12.0, 40.0]])
"""The least and the largest values of log a and b, for scores from -1 to 0. At b = -40, the curve is an exponential."""


def _most_likely(documents: Sequence[_FitDocuments], total_weight: float, start: Floats) -> Floats:
    """Return the log a and b of the most likely curve; `start` are the first values to try.

    `documents` are blocks of documents, and `total_weight` is the sum of the weights of all documents.

    This is Newton's method, with a limit on the change of a parameter in a step. The limit grows after a step that
    raises the likelihood. A step that does not raise it is undone, and tried again with a lower limit.
    """
    parameters: Floats = np.clip(start, *_BOUNDS)
    max_change = 2.0
    likelihood, gradient, information = _likelihood(documents, total_weight, parameters)
    for _ in range(200):
        ridge = 1e-9 * np.diag(np.diag(information) + 1e-9)  # so that the sum is not singular
        step = np.linalg.solve(information + ridge, gradient)
        step *= min(max_change / (float(np.abs(step).max()) or 1.0), 1.0)
        trial = np.clip(parameters + step, *_BOUNDS)
        result = _likelihood(documents, total_weight, trial)
        gain = result.likelihood - likelihood
        if gain > 0:
            parameters, (likelihood, gradient, information) = trial, result
            max_change = min(2.0 * max_change, 8.0)
            if gain < 1e-10:  # converged
                break
        else:
            max_change = float(np.abs(step).max()) / 4.0
            if max_change < 1e-7:  # no step raises the likelihood any more
                break
    return parameters


class _Likelihood(NamedTuple):
    """The mean log-likelihood of documents, and the two factors of a step of Newton's method.

    The step is the inverse of `information` times `gradient`.
    """

    likelihood: float
    gradient: Floats
    """By log a and b."""
    information: Floats
    """A positive definite matrix (2 x 2): minus the Hessian, or the Fisher information."""


def _likelihood(documents: Sequence[_FitDocuments], total_weight: float, parameters: Floats) -> _Likelihood:
    """Return the mean log-likelihood of all documents, and its derivatives.

    Newton's method needs a negative definite Hessian. If it is not, the Fisher information is used (Fisher scoring), so
    that every step that is short enough goes uphill.
    """
    of_documents = np.concatenate([_likelihood_by_document(block, parameters) for block in documents], axis=1)
    means = of_documents.sum(axis=1) / total_weight
    # `_likelihood_by_document` explains the rows: fisher + rest is minus the Hessian.
    fisher, rest = _symmetric(*means[3:6]), _symmetric(*means[6:9])
    information = fisher + rest if _is_positive_definite(fisher + rest) else fisher
    return _Likelihood(float(means[0]), means[1:3], information)


def _calibration_documents(
    held_out: HeldOutScores, numbers: Ints, scores: Floats, is_true: Bools
) -> tuple[Floats, Bools, Floats]:
    """Return scores, true labels and weights of those documents of a block to which a joint curve is fitted.

    These are the documents with a label, a score for this class, and a selected term. `numbers`, `scores` and `is_true`
    are a block of `HeldOutScores.by_document`.
    """
    lacks_score = np.isnan(np.where(is_true, scores, 0.0)).any(axis=1)
    rows = np.flatnonzero(is_true.any(axis=1) & ~lacks_score & ~held_out.is_unknown[numbers])
    weights = held_out.weights_of(numbers[rows])
    return scores[rows], is_true[rows], np.ones(len(rows)) if weights is None else weights


def _smooth_targets(is_true: Bools, is_missing: Bools, smoothing: float) -> Floats:
    """Return the smoothed target of each document and class: 1 - ε for the true class, plus ε / K for all K classes.

    Classes for which a document has no score are not counted among its K classes, and have the target 0.
    """
    n_classes = (~is_missing).sum(axis=1, keepdims=True)
    return np.where(is_true, 1.0 - smoothing, 0.0) + np.where(is_missing, 0.0, smoothing / n_classes)


def _mean_lead(scores: Floats) -> float:
    """Return the mean lead of the best class over the second; 0 if no document has scores for two classes."""
    known = np.where(np.isnan(scores), -np.inf, scores)
    best = known.max(axis=1)
    known[np.arange(len(known)), known.argmax(axis=1)] = -np.inf
    leads = best - known.max(axis=1)
    has_second = np.isfinite(leads)
    return float(leads[has_second].mean()) if has_second.any() else 0.0


class _FitDocuments(NamedTuple):
    """Documents to which a joint curve is fitted; in arrays of classes x documents, sums over classes are faster."""

    scores: Floats
    """Classes x documents, from -1 to 0; 0 for a class that has no score."""
    is_missing: Bools | None
    """Which scores are missing; None if there are all."""
    targets: Floats
    """Classes x documents."""
    weights: Floats

    @classmethod
    def of(cls, scores: Floats, targets: Floats, weights: Floats) -> Self:
        """Return documents, given by arrays of documents x classes, with NaN for a missing score."""
        is_missing = np.isnan(scores.T)
        known = np.ascontiguousarray(np.where(is_missing, 0.0, scores.T))
        return cls(known, is_missing if is_missing.any() else None, np.ascontiguousarray(targets.T), weights)


def _likelihood_by_document(documents: _FitDocuments, parameters: Floats) -> Floats:
    """Return the log-likelihood of each document and its derivatives, times the document's weight (9 x documents).

    Row 0 is the log-likelihood. Rows 1 and 2 are its gradient by log a and by b. Rows 3 to 5 are the entries (log a,
    log a), (log a, b) and (b, b) of the Fisher information. Added to rows 6 to 8, they are the same entries of minus
    the Hessian. `parameters` are log a and b.

    Let g_j = log σ(a s_j + b), so that class j has the probability p_j = exp(g_j) / Σ_i exp(g_i), and let t_j be the
    smoothed targets of the document, which sum to 1. The log-likelihood of the document is
    Σ_j t_j log p_j = Σ_j t_j g_j - log Σ_j exp(g_j). Its gradient is Σ_j (t_j - p_j) ∂g_j. Its Hessian is
    Σ_j (t_j - p_j) ∂²g_j minus the Fisher information, which is the covariance of ∂g under the probabilities p.
    """
    scores, is_missing, targets, weights = documents
    products = np.exp(parameters[0]) * scores
    z = products + parameters[1]
    exponential = np.exp(-np.abs(z))
    divisor = 1.0 + exponential
    g = np.minimum(z, 0.0) - np.log(divisor)  # log σ(z), without overflow
    if is_missing is not None:
        g[is_missing] = -np.inf
    g -= g.max(axis=0)  # cancels in p; without it, all exp(g) of a document could be rounded to 0
    p = np.exp(g)
    sums = p.sum(axis=0)
    p /= sums
    log_p = g - np.log(sums)
    if is_missing is not None:
        log_p[is_missing] = 0.0
    by_offset = np.where(z >= 0, exponential, 1.0) / divisor  # σ(-z), the derivative of g by b
    by_slope = by_offset * products  # the derivative of g by log a
    difference = targets - p
    slope_gradient, offset_gradient = difference * by_slope, difference * by_offset
    p_slope, p_offset = p * by_slope, p * by_offset
    mean_slope, mean_offset = p_slope.sum(axis=0), p_offset.sum(axis=0)
    # Minus the second derivative of g by b is c = σ(-z) (1 - σ(-z)); by log a and b, it is c times `products`; by log a
    # twice, it is c times the square of `products`, minus `by_slope`. `bend` is c times `difference`.
    bend = offset_gradient * (1.0 - by_offset)
    bend_by_products = bend * products
    rows = [
        (targets * log_p).sum(axis=0),
        slope_gradient.sum(axis=0),
        offset_gradient.sum(axis=0),
        (p_slope * by_slope).sum(axis=0) - mean_slope**2,
        (p_slope * by_offset).sum(axis=0) - mean_slope * mean_offset,
        (p_offset * by_offset).sum(axis=0) - mean_offset**2,
        (bend_by_products * products - slope_gradient).sum(axis=0),
        bend_by_products.sum(axis=0),
        bend.sum(axis=0),
    ]
    return np.stack(rows) * weights


def _symmetric(first: float, mixed: float, second: float) -> Floats:
    """Return the matrix [[first, mixed], [mixed, second]]."""
    return np.array([[first, mixed], [mixed, second]])


def _is_positive_definite(matrix: Floats) -> bool:
    """Return whether a symmetric matrix with two rows is positive definite, and far from being singular."""
    (first, mixed), (_, second) = matrix
    return bool(first > 0 and first * second - mixed * mixed > 1e-9 * first * second)


def _log_sigmoid(values: Floats) -> Floats:
    """Return log(1 / (1 + exp(-v))) for each value v, without overflow."""
    return np.minimum(values, 0.0) - np.log1p(np.exp(-np.abs(values)))


def _fit_curve(method: str, scores: Floats, is_member: Bools, weights: Floats | None) -> tuple[Floats, Floats]:
    """Return the knots and values of the curve of one class, as `Calibration` stores them.

    Without scores, the curve is constant: 0.5 for a sigmoid (slope and offset are 0), and 0 for an isotonic curve.
    """
    if method == "sigmoid":
        slope, offset = fit_sigmoid(scores, is_member, weights)
        return np.array([slope]), np.array([offset])
    if not len(scores):
        return np.zeros(1), np.zeros(1)
    return fit_isotonic(scores, is_member, weights)


def _ascends(numbers: Floats, indptr: NDArray[np.int64], least: float = 0.0) -> bool:
    """Return whether numbers ascend within each curve, in steps of 0 or of more than `least`.

    `numbers` are knots or values of a `Calibration`, and `indptr` shows where those of each class begin.
    """
    steps = np.diff(numbers)
    is_within_curve = np.ones(len(steps), np.bool_)
    is_within_curve[indptr[1:-1] - 1] = False  # from the last number of a curve to the first of the next
    steps = steps[is_within_curve]
    return bool(((steps == 0) | (steps > least)).all())


def _are_shares(numbers: Floats) -> bool:
    """Return whether all numbers are from 0 to 1."""
    return bool(((numbers >= 0) & (numbers <= 1)).all())
