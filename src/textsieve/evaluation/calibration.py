"""Scores to probabilities: for each class a curve, fitted to documents that were held out, from score to probability.

*Sigmoid* (Platt 1999): p = 1 / (1 + exp(-(a s + b))), with a and b of the largest likelihood. The labels are pulled in
a little, to (n+ + 1)/(n+ + 2) and 1/(n- + 2), so that a class that the scores separate perfectly still gets finite
numbers. Two numbers a class; good with few documents.

*Isotonic*: the rising step curve with the smallest squared error, joined by lines; good with thousands of documents.

With one label a document the probabilities of a document are divided by their sum.
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
"""The largest number of a curve, so that its product with a score is finite."""


def sigmoid(values: Floats) -> Floats:
    """Return 1 / (1 + exp(-v)) without overflow."""
    small = np.exp(-np.abs(values))
    return np.asarray(np.where(values >= 0, 1.0, small) / (1.0 + small))


def fit_sigmoid(scores: Floats, is_member: Bools, weights: Floats | None = None) -> tuple[float, float]:
    """Return slope and offset of the most likely sigmoid, by Newton's method with step halving (Lin, Lin, Weng 2007).

    `weights` says how many times each document counts.
    """
    times = np.ones(len(scores)) if weights is None else weights
    n_in = float(times[is_member].sum())
    n_out = float(times[~is_member].sum())
    targets = np.where(is_member, (n_in + 1.0) / (n_in + 2.0), 1.0 / (n_out + 2.0))
    spread = float(np.abs(scores).max(initial=0.0)) or 1.0
    points = np.stack([scores / spread, np.ones(len(scores))])
    found = np.array([0.0, np.log((n_in + 1.0) / (n_out + 1.0))])

    def cost(parameters: Floats) -> float:
        z = parameters @ points
        return float(np.sum(times * (np.logaddexp(0.0, z) - targets * z)))

    value = cost(found)
    for _ in range(100):
        p = sigmoid(found @ points)
        gradient = points @ (times * (p - targets))
        if np.abs(gradient).max() < 1e-9 * (n_in + n_out or 1.0):
            break
        curvature = (points * (times * p * (1.0 - p))) @ points.T + 1e-12 * np.eye(2)
        step = np.linalg.solve(curvature, gradient)
        size = 1.0
        while size > 1e-10 and cost(found - size * step) > value - 1e-4 * size * float(gradient @ step):
            size *= 0.5
        if size <= 1e-10:
            break
        found = found - size * step
        value = cost(found)
    return float(found[0] / spread), float(found[1])


def fit_isotonic(scores: Floats, is_member: Bools, weights: Floats | None = None) -> tuple[Floats, Floats]:
    """Return the knots of the best monotonic curve, and its values there."""
    from sklearn.isotonic import IsotonicRegression

    curve: Any = IsotonicRegression(out_of_bounds="clip")
    fitted = curve.fit(scores, is_member.astype(np.float64), sample_weight=weights)
    return np.asarray(fitted.X_thresholds_, np.float64), np.asarray(fitted.y_thresholds_, np.float64)


@dataclass(frozen=True, eq=False)
class Calibration:
    """A curve for each class: the knots of class j are `starts[j]` to `starts[j + 1]`.

    For the sigmoid, a class's two numbers are its slope (`knots`) and its offset (`values`).
    """

    method: str
    starts: NDArray[np.int64]
    knots: Floats
    values: Floats

    @classmethod
    def fit(cls, method: str, scores: Floats, is_member: Bools, weights: Floats | None = None) -> Self:
        """Learn from held-out scores and labels (documents x classes); NaN is no score.

        `weights` says how many times each document counts.
        """
        from .scores import HeldOutScores

        return cls.fit_held_out(method, HeldOutScores.of(scores, is_member, weights))

    @classmethod
    def fit_held_out(cls, method: str, held_out: HeldOutScores) -> Self:
        """Learn from scores and labels that need not be in memory at once."""
        if method not in METHODS:
            raise InputError(setting="probabilities", value=method, allowed=(*METHODS, None))
        curves = [_curve(method, *judged) for judged in held_out.by_class()]
        starts = np.concatenate([[0], np.cumsum([len(knots) for knots, _ in curves])]).astype(np.int64)
        knots, values = (np.concatenate([curve[part] for curve in curves]) for part in (0, 1))
        return cls(method, starts, knots, values)

    @property
    def n_classes(self) -> int:
        """Return the number of classes."""
        return len(self.starts) - 1

    def probabilities(self, scores: Floats, *, sum_to_one: bool) -> Floats:
        """Return the probability of each class for each document."""
        found = np.empty(scores.shape)
        for number, (begin, end) in enumerate(pairwise(self.starts.tolist())):
            knots, values = self.knots[begin:end], self.values[begin:end]
            if self.method == "sigmoid":
                found[:, number] = sigmoid(knots[0] * scores[:, number] + values[0])
            else:
                found[:, number] = np.interp(scores[:, number], knots, values)
        if sum_to_one:
            totals = found.sum(axis=1, keepdims=True)
            found = np.where(totals > 0, found / np.where(totals > 0, totals, 1.0), 1.0 / self.n_classes)
        return found

    def stored_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays of all curves."""
        return {"calibration_indptr": self.starts, "calibration_knots": self.knots, "calibration_values": self.values}

    @staticmethod
    def check_declared(method: Any, specs: Mapping[str, ArraySpec], n_classes: int) -> None:
        """Raise `InputError` if the method, or the types or shapes of stored arrays, are not a calibration's."""
        starts, knots, values = (specs.get(f"calibration_{name}") for name in ("indptr", "knots", "values"))
        if not isinstance(method, str) or method not in METHODS or starts is None or knots is None or values is None:
            raise InputError(f"its calibration is {shown(method)}, or parts of it are missing")
        if not (
            starts.dtype == np.int64
            and knots.dtype == values.dtype == np.float64
            and starts.shape == (n_classes + 1,)
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
        starts, knots, values = (arrays[f"calibration_{name}"] for name in ("indptr", "knots", "values"))
        if not (starts[0] == 0 and starts[-1] == len(knots) and (starts[1:] > starts[:-1]).all()):
            raise InputError("the parts of its calibration do not fit together")
        if not (np.abs(knots).max() <= LARGEST and np.abs(values).max() <= LARGEST):  # NaN is not
            raise InputError(f"the numbers of its calibration are not all finite, or not within ±{LARGEST:g}")
        rises = _rises(knots, starts, least=1 / LARGEST) and _rises(values, starts)  # so slopes are finite
        if method == "isotonic" and not (rises and _within_one(values)):
            raise InputError("a curve of its calibration does not rise from 0 to 1")
        return cls(method, starts, knots, values)


def _curve(method: str, scores: Floats, is_member: Bools, weights: Floats | None) -> tuple[Floats, Floats]:
    if method == "sigmoid":
        slope, offset = fit_sigmoid(scores, is_member, weights)
        return np.array([slope]), np.array([offset])
    if not len(scores):
        return np.zeros(1), np.zeros(1)
    return fit_isotonic(scores, is_member, weights)


def _rises(numbers: Floats, starts: NDArray[np.int64], least: float = 0.0) -> bool:
    """Return whether numbers ascend within each curve, in steps of 0 or of more than `least`."""
    steps = np.diff(numbers)
    inside = np.ones(len(steps), np.bool_)
    inside[starts[1:-1] - 1] = False
    return bool(((steps[inside] == 0) | (steps[inside] > least)).all())


def _within_one(numbers: Floats) -> bool:
    return bool(((numbers >= 0) & (numbers <= 1)).all())
