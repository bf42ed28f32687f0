"""What is kept of a trained classifier, whatever it is: something that scores rows, says why, and can be stored.

A score is a sum over the terms of a document and an intercept. So every scorer can say what each term added. Predicting
needs numpy alone as long as documents are few; many go through a kernel, with the same result to the last bit.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from importlib import import_module
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from ..archive import ArraySpec
from ..errors import InputError, shown
from ..text.rows import Rows

Floats = NDArray[np.float64]

LARGEST = 1e150
"""The largest intercept: the product of two such numbers, and their difference, are finite."""


class Scorer(Protocol):
    """Rows to scores, an output for each class; or a single one for two classes, which speaks for the second."""

    kind: ClassVar[str]
    """Its name in a model file."""

    @property
    def n_terms(self) -> int:
        """How many columns rows have."""

    @property
    def n_outputs(self) -> int:
        """How many scores a document gets."""

    @property
    def intercepts(self) -> Floats:
        """What each score is without any term."""

    def scores(self, rows: Rows, n_jobs: int | None = 1) -> Floats:
        """The scores of each row (rows x outputs), the same for any number of threads and any batches."""

    def contributions(self, columns: NDArray[Any], values: Floats) -> Floats:
        """What each value of one row adds (values x outputs): added up in order, then the intercepts: the score."""

    def term_strengths(self) -> NDArray[Any]:
        """How much each term speaks for each class (terms x outputs)."""

    def header(self) -> dict[str, Any]:
        """The settings that predicting takes, as JSON can hold them."""

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The numbers that predicting takes."""

    @classmethod
    def declared_terms(cls, header: Mapping[str, Any], specs: Mapping[str, ArraySpec], n_outputs: int) -> int:
        """Return the number of terms of a stored scorer, from its settings and the types and shapes of its arrays.

        Raises `InputError` for settings, arrays, types or shapes that are not a scorer's of this kind. A model file is
        checked this way before its arrays are read.
        """

    @classmethod
    def restore(
        cls, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], n_terms: int, n_outputs: int
    ) -> Self:
        """Return the scorer that `header` and `arrays` describe; raise `InputError` for anything that doesn't fit.

        Scores of a restored scorer are finite for every text: see `require_finite`.
        """


SCORERS = {
    "linear": ("textsieve.classifiers.linear", "LinearScorer"),
    "tcfp": ("textsieve.classifiers.tcfp_scorer", "TCFPScorer"),
    "knnfp": ("textsieve.classifiers.knnfp_scorer", "KNNFPScorer"),
    "knn": ("textsieve.classifiers.neighbour_scorer", "NeighbourScorer"),
    "subspace": ("textsieve.ensembles.scorer", "SubspaceScorer"),
}
"""The kinds of scorers: where each is, by its name in a model file."""


def scorer_type(kind: object) -> type[Scorer]:
    """The class of a kind of scorers."""
    if not isinstance(kind, str) or kind not in SCORERS:
        raise InputError(f"its scorer is {shown(kind)}, which this release does not know")
    module, name = SCORERS[kind]
    loaded: type[Scorer] = getattr(import_module(module), name)
    return loaded


def require_parts(
    header: Mapping[str, Any], arrays: Mapping[str, Any], settings: Collection[str], names: Collection[str]
) -> None:
    """Refuse a stored scorer that has other parts than these."""
    for what, found, wanted in (("settings", header, settings), ("arrays", arrays, names)):
        if set(found) != set(wanted):
            raise InputError(
                f"its scorer's {what} are {shown(sorted(found)[:20], 200)}, not {shown(sorted(wanted), 200)}"
            )


def require_array(
    name: str, array: NDArray[Any] | ArraySpec, dtype: type[np.generic], *shapes: tuple[int, ...]
) -> None:
    """Raise `InputError` for an array of another type or shape."""
    if array.shape not in shapes or array.dtype != dtype:
        allowed = " or ".join(map(str, shapes))
        raise InputError(f"{name} is {array.dtype} of shape {array.shape}, not {np.dtype(dtype)} of {allowed}")


def require_vector(name: str, array: NDArray[Any] | ArraySpec, dtype: type[np.generic], *, least: int = 0) -> int:
    """Return the length of an array; raise `InputError` if it has another type or dimension, or is shorter."""
    require_array(name, array, dtype, (max(array.size, least),))
    return array.size


def require_finite(name: str, array: NDArray[Any]) -> None:
    """Raise `InputError` if an array has NaN, infinity or a number above `LARGEST`.

    Why no score overflows: counts are below 2^63 and idf is at most `text.weights.MOST_IDF` = 64, so a weight is below
    1e21. Coefficients are stored as float32, so they are below 4e38, and their products are added as float64. A
    document has fewer than 2^33 selected terms, so the sum is below 1e70, and an intercept adds at most `LARGEST`.
    """
    if array.size and not (float(array.min()) >= -LARGEST and float(array.max()) <= LARGEST):  # NaN is neither
        raise InputError(f"{name} are not all finite, or not within ±{LARGEST:g}")


def require_ascending(name: str, array: NDArray[Any], starts_name: str, starts: NDArray[Any], n: int) -> None:
    """Refuse parts of an array that do not begin and end within it, or whose numbers do not ascend from 0 to n - 1."""
    if starts[0] != 0 or starts[-1] != len(array) or (starts[1:] < starts[:-1]).any():
        raise InputError(f"{starts_name} does not go from 0 to the {len(array):,} {name}, ascending")
    if len(array) and (array.min() < 0 or array.max() >= n):
        raise InputError(f"{name} has numbers that are not from 0 to {n - 1}")
    ascends = np.ones(len(array) + 1, np.bool_)
    ascends[1:-1] = array[1:] > array[:-1]
    ascends[starts] = True
    if not ascends.all():
        raise InputError(f"{name} do not ascend")
