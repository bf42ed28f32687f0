"""`Scorer`: the common interface of trained classifiers, which scores rows, explains scores and can be stored.

A score is a sum over the terms of a document, plus an intercept. So every scorer can say how much each term
contributed. Predicting few documents needs numpy alone; many documents go through a compiled kernel, with the same
result to the last bit.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from importlib import import_module
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from ..archive import ArraySpec
from ..arrays import Floats
from ..errors import InputError, shown
from ..text.csr import CSR

_UNITS = float(1 << 30)


def shared_votes(voters: NDArray[np.integer], amounts: Floats) -> Floats:
    """Split one vote of each voter in proportion to its amounts, which are above 0.

    Parts are integer multiples of 2^-30, and the rounding remainder goes to the first part of each voter. So the parts
    of a voter add up to exactly 1, and those of several voters to their number.
    """
    if not len(voters):
        return amounts
    totals = np.bincount(voters, amounts)
    units = np.rint(amounts / totals[voters] * _UNITS)
    known, firsts = np.unique(voters, return_index=True)
    units[firsts] += _UNITS - np.bincount(voters, units)[known]
    return np.asarray(units / _UNITS)


LARGEST = 1e150
"""The largest allowed intercept: products and differences of two such numbers are finite."""


class Scorer(Protocol):
    """Convert rows to scores: one output per class, or for two classes a single one, positive for the second."""

    kind: ClassVar[str]
    """The scorer's name in a model file."""

    @property
    def n_terms(self) -> int:
        """Return the number of terms, which are the columns of the rows to score."""

    @property
    def n_outputs(self) -> int:
        """Return the number of scores of each document."""

    @property
    def intercepts(self) -> Floats:
        """Return the scores of a document without any terms."""

    def scores(self, rows: CSR, n_jobs: int | None = 1) -> Floats:
        """Return the scores of each row (rows x outputs), the same for any number of threads and any batches."""

    def contributions(self, columns: NDArray[Any], values: Floats) -> Floats:
        """Return what each value of one row adds to the scores (values x outputs).

        Added up in order, followed by the intercepts, they give exactly the scores.
        """

    def term_strengths(self) -> NDArray[Any]:
        """Return how strongly each term indicates each class (terms x outputs)."""

    # A model file stores a scorer as settings and arrays. They are read in two steps, because a file is not trusted:
    # `check_declared` sees the types and shapes that the file declares, and `restore` gets the arrays.

    def stored_settings(self) -> dict[str, Any]:
        """Return the settings to store, as JSON values."""

    def stored_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays to store, by name; `modelfile.arrays.ARRAYS` has the names that are taken."""

    @classmethod
    def check_declared(cls, settings: Mapping[str, Any], specs: Mapping[str, ArraySpec], n_outputs: int) -> int:
        """Check stored settings, and the types and shapes of stored arrays, and return the number of terms.

        `specs` declares the arrays, which are not read yet: a file that claims to have huge arrays must fail here.
        Raises `InputError` unless `stored_settings` and `stored_arrays` of a scorer with `n_outputs` classes could have
        returned them; `require_parts`, `require_array` and `require_vector` help.
        """

    @classmethod
    def restore(
        cls, settings: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], n_terms: int, n_outputs: int
    ) -> Self:
        """Return the scorer from its stored settings and arrays; raise `InputError` for values that can't be.

        It calls `check_declared` first, with `specs_of(arrays)`, and then checks the values of the arrays: indices must
        be in range, because kernels don't check them, and the scores of every text must be finite (`require_finite`).
        """


SCORERS = {
    "linear": ("textsieve.classifiers.linear", "LinearScorer"),
    "tcfp": ("textsieve.classifiers.tcfp_scorer", "TCFPScorer"),
    "knnfp": ("textsieve.classifiers.knnfp_scorer", "KNNFPScorer"),
    "knn": ("textsieve.classifiers.neighbour_scorer", "NeighbourScorer"),
    "subspace": ("textsieve.ensembles.scorer", "SubspaceScorer"),
}
"""The module and class of each kind of scorer, by its name in a model file."""


def scorer_type(kind: object) -> type[Scorer]:
    """Return the class of a kind of scorer."""
    if not isinstance(kind, str) or kind not in SCORERS:
        raise InputError(f"its scorer is {shown(kind)}, which this release does not know")
    module, name = SCORERS[kind]
    loaded: type[Scorer] = getattr(import_module(module), name)
    return loaded


def require_parts(
    settings: Mapping[str, Any],
    arrays: Mapping[str, Any],
    setting_names: Collection[str],
    array_names: Collection[str],
) -> None:
    """Raise `InputError` if the names of a stored scorer's settings or arrays are not the expected ones."""
    for part, names, expected in (("settings", settings, setting_names), ("arrays", arrays, array_names)):
        if set(names) != set(expected):
            raise InputError(
                f"its scorer's {part} are {shown(sorted(names)[:20], 200)}, not {shown(sorted(expected), 200)}"
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
    if array.size and not (float(array.min()) >= -LARGEST and float(array.max()) <= LARGEST):  # also rejects NaN
        raise InputError(f"{name} are not all finite, or not within ±{LARGEST:g}")


def require_ascending(name: str, array: NDArray[Any], starts_name: str, starts: NDArray[Any], n: int) -> None:
    """Raise `InputError` if `starts` doesn't split the array into parts, or a part doesn't ascend within 0 to n - 1."""
    if starts[0] != 0 or starts[-1] != len(array) or (starts[1:] < starts[:-1]).any():
        raise InputError(f"{starts_name} does not go from 0 to the {len(array):,} {name}, ascending")
    if len(array) and (array.min() < 0 or array.max() >= n):
        raise InputError(f"{name} has numbers that are not from 0 to {n - 1}")
    ascends = np.ones(len(array) + 1, np.bool_)
    ascends[1:-1] = array[1:] > array[:-1]
    ascends[starts] = True
    if not ascends.all():
        raise InputError(f"{name} do not ascend")
