"""Calibrated probabilities: for each class a curve from score to probability, fitted to held-out documents.

*Sigmoid* (Platt 1999): p = 1 / (1 + exp(-(a s + b))) for a score s, with the a and b of largest likelihood. The targets
of the fit are (n+ + 1)/(n+ + 2) instead of 1 for documents in the class, and 1/(n- + 2) instead of 0 for the others,
where n+ and n- are the numbers of documents in the class and of others. So a and b stay finite even if the scores
separate the class perfectly. The method works with few documents.

*Isotonic*: the increasing curve with the smallest squared error at the held-out scores, with straight lines in between.
The method needs thousands of documents.

With one label per document, the probabilities of a document are divided by their sum.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from ..archive import ArraySpec, specs_of
from ..arrays import Bools, Floats
from ..errors import InputError, shown
from .names import CALIBRATIONS

if TYPE_CHECKING:
    from .scores import HeldOutScores


METHODS = tuple(CALIBRATIONS)

LARGEST = 1e150
"""The largest absolute value of a knot or value in a model file, so that its product with a score is finite."""


def sigmoid(values: Floats) -> Floats:
    """Return 1 / (1 + exp(-v)) for each value v, without overflow."""
    exponential = np.exp(-np.abs(values))
    return np.asarray(np.where(values >= 0, 1.0, exponential) / (1.0 + exponential))


def fit_sigmoid(scores: Floats, is_member: Bools, weights: Floats | None = None) -> tuple[float, float]:
    """Return slope and offset of the most likely sigmoid, by Newton's method with step halving (Lin, Lin, Weng 2007).

    For each document, `scores` has its score, `is_member` whether it belongs to the class, and `weights` its sample
    weight.
    """
    sample_weights = np.ones(len(scores)) if weights is None else weights
    n_members = float(sample_weights[is_member].sum())
    n_others = float(sample_weights[~is_member].sum())
    targets = np.where(is_member, (n_members + 1.0) / (n_members + 2.0), 1.0 / (n_others + 2.0))
    scale = float(np.abs(scores).max(initial=0.0)) or 1.0  # scores up to 1 make the Hessian well-conditioned
    features = np.stack([scores / scale, np.ones(len(scores))])
    parameters = np.array([0.0, np.log((n_members + 1.0) / (n_others + 1.0))])  # slope x scale, and offset

    def negative_log_likelihood(parameters: Floats) -> float:
        z = parameters @ features
        return float(np.sum(sample_weights * (np.logaddexp(0.0, z) - targets * z)))

    cost = negative_log_likelihood(parameters)
    for _ in range(100):
        p = sigmoid(parameters @ features)
        gradient = features @ (sample_weights * (p - targets))
        if np.abs(gradient).max() < 1e-9 * (n_members + n_others or 1.0):
            break
        curvature = (features * (sample_weights * p * (1.0 - p))) @ features.T
        hessian = curvature + 1e-12 * np.eye(2)  # never singular, even if all scores are equal
        step = np.linalg.solve(hessian, gradient)
        size = 1.0
        while size > 1e-10:  # halve the step until it lowers the cost enough
            if negative_log_likelihood(parameters - size * step) <= cost - 1e-4 * size * float(gradient @ step):
                break
            size *= 0.5
        if size <= 1e-10:  # no step lowers the cost any more
            break
        parameters = parameters - size * step
        cost = negative_log_likelihood(parameters)
    return float(parameters[0] / scale), float(parameters[1])


def fit_isotonic(scores: Floats, is_member: Bools, weights: Floats | None = None) -> tuple[Floats, Floats]:
    """Return the knots of the best increasing curve, and its values there."""
    from sklearn.isotonic import IsotonicRegression

    curve: Any = IsotonicRegression(out_of_bounds="clip")
    fitted = curve.fit(scores, is_member.astype(np.float64), sample_weight=weights)
    return np.asarray(fitted.X_thresholds_, np.float64), np.asarray(fitted.y_thresholds_, np.float64)


@dataclass(frozen=True, eq=False)
class Calibration:
    """A curve from score to probability for each class.

    The curve of class j has the knots `knots[indptr[j]:indptr[j + 1]]`, ascending scores, and the probabilities
    `values` there. For the method "sigmoid", each class has one knot, which is the slope, and one value, the offset.
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
        from .scores import HeldOutScores

        return cls.fit_held_out(method, HeldOutScores.of(scores, is_member, weights))

    @classmethod
    def fit_held_out(cls, method: str, held_out: HeldOutScores) -> Self:
        """Fit curves to scores and labels that need not be in memory at once."""
        if method not in METHODS:
            raise InputError(setting="probabilities", value=method, allowed=(*METHODS, None))
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
        if sum_to_one:  # if all are 0, each class gets the same probability
            totals = probabilities.sum(axis=1, keepdims=True)
            divided = probabilities / np.where(totals > 0, totals, 1.0)
            probabilities = np.where(totals > 0, divided, 1.0 / self.n_classes)
        return probabilities

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


def _fit_curve(method: str, scores: Floats, is_member: Bools, weights: Floats | None) -> tuple[Floats, Floats]:
    """Return the knots and values of one class; without scores, a constant curve."""
    if method == "sigmoid":
        slope, offset = fit_sigmoid(scores, is_member, weights)
        return np.array([slope]), np.array([offset])
    if not len(scores):
        return np.zeros(1), np.zeros(1)
    return fit_isotonic(scores, is_member, weights)


def _ascends(numbers: Floats, indptr: NDArray[np.int64], least: float = 0.0) -> bool:
    """Return whether numbers ascend within each curve, in steps of 0 or of more than `least`."""
    steps = np.diff(numbers)
    is_inside = np.ones(len(steps), np.bool_)
    is_inside[indptr[1:-1] - 1] = False  # steps from the last number of a curve to the first of the next
    return bool(((steps[is_inside] == 0) | (steps[is_inside] > least)).all())


def _are_shares(numbers: Floats) -> bool:
    """Return whether all numbers are from 0 to 1."""
    return bool(((numbers >= 0) & (numbers <= 1)).all())
