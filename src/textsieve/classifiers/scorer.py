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

from ..archive import ArraySpec, specs_of
from ..arrays import CSR, Floats, Ints
from ..errors import InputError, shown

_PARTS_OF_A_VOTE = float(1 << 30)
"""A vote is split into integer multiples of 1 / this number, which floats add up exactly."""


def split_votes(voters: NDArray[np.integer], amounts: Floats) -> Floats:
    """Split the vote of each voter among its amounts, in proportion to them; return the share that each amount gets.

    `voters` has the number of the voter of each amount; amounts are above 0: for `voters=[0, 0, 7]` and `amounts=[3.0,
    1.0, 5.0]`, the shares are `[0.75, 0.25, 1.0]`. Each share is rounded to a multiple of 2^-30, and the rounding
    remainder goes to the first share of the voter. So the shares of a voter add up to exactly 1.
    """
    if not len(voters):
        return amounts  # empty as well
    totals = np.bincount(voters, amounts)
    units = np.rint(amounts / totals[voters] * _PARTS_OF_A_VOTE)  # shares as multiples of 2^-30
    distinct_voters, first_positions = np.unique(voters, return_index=True)
    units[first_positions] += _PARTS_OF_A_VOTE - np.bincount(voters, units)[distinct_voters]
    return np.asarray(units / _PARTS_OF_A_VOTE)


def join_ranges(begins: NDArray[np.integer], sizes: NDArray[np.integer]) -> Ints:
    """Return the integers of several ranges, one range after the other.

    Range i has `sizes[i]` integers, from `begins[i]` on: `begins=[5, 0]` and `sizes=[2, 3]` give `[5, 6, 0, 1, 2]`.
    """
    positions = np.cumsum(sizes) - sizes  # where each range begins in the result
    shifts = begins - positions  # the same for all integers of a range
    return np.asarray(np.arange(sizes.sum()) + np.repeat(shifts, sizes), np.int64)


def require_columns(rows: CSR, n_terms: int) -> None:
    """Raise `InputError` if the rows have another number of columns than the scorer has terms."""
    if rows.n_columns != n_terms:
        raise InputError(f"The rows have {rows.n_columns:,} columns, but there are {n_terms:,} terms.")


LARGEST = 1e150
"""The largest stored coefficient or intercept: products and differences of two such numbers are finite."""


class Scorer(Protocol):
    """Compute the scores of rows: a number for each *output* of the scorer.

    There is an output for each class. For two classes, a linear scorer may have a single one, which is positive for the
    second class.
    """

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
        """Return the scores of each row (rows x outputs), the same for any number of threads and any batch size."""

    def contributions(self, columns: NDArray[Any], values: Floats) -> Floats:
        """Return what each value of one row adds to the scores (values x outputs).

        `columns` has the column of each value, that is, of its term. If the rows of the result are added up in order,
        and the intercepts last, the sum is exactly the scores.
        """

    def term_strengths(self) -> NDArray[Any]:
        """Return how strongly each term indicates each class (terms x outputs)."""

    # A model file stores a scorer as settings and arrays. They are read in two steps, because a file is not trusted:
    # `check_declared` sees the types and shapes that the file declares, and `restore` gets the arrays.

    def stored_settings(self) -> dict[str, Any]:
        """Return the settings to store, as JSON values."""

    def stored_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays to store, by name; no name may be one of `modelfile.arrays.ARRAYS`."""

    @classmethod
    def check_declared(cls, settings: Mapping[str, Any], specs: Mapping[str, ArraySpec], n_outputs: int) -> int:
        """Check stored settings, and the types and shapes of stored arrays, and return the number of terms.

        `specs` declares the arrays, which are not read yet: a file that claims to have huge arrays must fail here.
        Raises `InputError` unless a scorer for `n_outputs` classes could have stored such settings and arrays.
        Implementations can use `require_settings` and `check_layout`.
        """

    @classmethod
    def restore(
        cls, settings: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], n_terms: int, n_outputs: int
    ) -> Self:
        """Return the scorer from its stored settings and arrays; raise `InputError` for invalid values.

        Implementations call `check_stored` first, and then check the values of the arrays: indices must be in range,
        because kernels don't check them, and the scores of every text must be finite (`require_finite`).
        """


SCORERS = {
    "linear": ("textsieve.classifiers.linear", "LinearScorer"),
    "sparse_linear": ("textsieve.classifiers.sparse_linear", "SparseLinearScorer"),
    "tcfp": ("textsieve.classifiers.tcfp_scorer", "TCFPScorer"),
    "knnfp": ("textsieve.classifiers.knnfp_scorer", "KNNFPScorer"),
    "knn": ("textsieve.classifiers.cosine_knn_scorer", "CosineKNNScorer"),
    "subspace": ("textsieve.ensembles.scorer", "SubspaceScorer"),
}
"""The module and class of each kind of scorer, by its name in a model file."""


def scorer_type(kind: object) -> type[Scorer]:
    """Return the scorer class that has the name `kind` in a model file; raise `InputError` for an unknown name."""
    if not isinstance(kind, str) or kind not in SCORERS:
        raise InputError(f"its scorer is {shown(kind)}, which this release does not know")
    module, name = SCORERS[kind]
    scorer_class: type[Scorer] = getattr(import_module(module), name)
    return scorer_class


# -- checks of stored scorers -------------------------------------------------------------------------------------

Layout = Mapping[str, tuple[type[np.generic], tuple[str, ...]]]
"""The type and shape of each array of a stored scorer.

A shape is a tuple of names of sizes, such as ("terms", "outputs"). "terms+1" is one more than the size "terms"; the
boundaries between the entries of consecutive terms (`indptr`) have this size.
"""


def check_layout(specs: Mapping[str, ArraySpec], layout: Layout, **sizes: int) -> dict[str, int]:
    """Return the size that each name in a layout stands for, from the declared shapes of the arrays.

    Sizes that are known are given as `sizes`; the others are taken from the first array that has them. Raises
    `InputError` if the names or types of the arrays are not those of the layout, or if their shapes contradict each
    other or the known sizes.
    """
    _require_names("arrays", specs, layout)
    for name, (dtype, dimensions) in layout.items():
        shape = specs[name].shape
        fits = specs[name].dtype == dtype and len(shape) == len(dimensions)
        # `strict` is not needed: `fits` is already False if the numbers of dimensions differ.
        for dimension, length in zip(dimensions, shape, strict=False):
            n_more = 1 if dimension.endswith("+1") else 0
            # A length of 0 where it must be at least 1 gives the size 0, which does not fit in the next line.
            size = sizes.setdefault(dimension.removesuffix("+1"), max(length - n_more, 0))
            fits = fits and length == size + n_more
        if not fits:
            expected = f"{np.dtype(dtype)} of shape ({', '.join(dimensions)})"
            known_sizes = ", ".join(f"{size:,} {size_name}" for size_name, size in sizes.items())
            raise InputError(f"{name} is {specs[name].dtype} of shape {shape}, not {expected} [{known_sizes}]")
    return sizes


def require_settings(settings: Mapping[str, Any], *names: str) -> None:
    """Raise `InputError` if a stored scorer has other settings than those with the given names."""
    _require_names("scorer's settings", settings, names)


def _require_names(what: str, names: Collection[str], expected: Collection[str]) -> None:
    """Raise `InputError` if the names are not the expected ones; `what` says in the message what has these names."""
    if set(names) != set(expected):
        raise InputError(f"its {what} are {shown(sorted(names)[:20], 200)}, not {shown(sorted(expected), 200)}")


def check_stored(
    scorer_class: type[Scorer],
    settings: Mapping[str, Any],
    arrays: Mapping[str, NDArray[Any]],
    n_terms: int,
    n_outputs: int,
) -> None:
    """Raise `InputError` if settings and arrays in memory do not fit a scorer for so many terms and classes."""
    n_declared = scorer_class.check_declared(settings, specs_of(arrays), n_outputs)
    if n_declared != n_terms:
        raise InputError(f"its scorer's arrays are for {n_declared:,} terms, not for {n_terms:,}")


def require_finite(name: str, array: NDArray[Any]) -> None:
    """Raise `InputError` if an array has NaN, infinity or a number whose magnitude is above `LARGEST`.

    Why no score overflows: counts are below 2^63 and idf is at most `text.weights.MAX_IDF` = 64, so a weight is below
    1e21. Coefficients are stored as float32, so they are below 4e38, and their products are added as float64. A
    document has fewer than 2^33 selected terms, so the sum is below 1e70, and an intercept adds at most `LARGEST`.
    """
    if array.size and not (float(array.min()) >= -LARGEST and float(array.max()) <= LARGEST):  # also rejects NaN
        raise InputError(f"{name} are not all finite, or not within ±{LARGEST:g}")


def require_indptr(name: str, indptr: NDArray[Any], size: int) -> None:
    """Raise `InputError` if `indptr` doesn't divide an array of a given size into consecutive parts."""
    if indptr[0] != 0 or indptr[-1] != size or (indptr[1:] < indptr[:-1]).any():
        raise InputError(f"{name} does not go from 0 to {size:,}, ascending")


def require_range(name: str, numbers: NDArray[Any], n: int) -> None:
    """Raise `InputError` if a number is not from 0 to n - 1."""
    if len(numbers) and (numbers.min() < 0 or numbers.max() >= n):
        raise InputError(f"{name} has numbers that are not from 0 to {n - 1}")


def ascends_in_parts(indptr: NDArray[Any], *keys: NDArray[Any]) -> bool:
    """Return whether the entries of each part ascend strictly: by the first key, and if that is equal by the next.

    Part i has the entries from indptr[i] to before indptr[i + 1]; each key is an array with a number for every entry.
    """
    n_entries = len(keys[0])
    is_above = np.zeros(max(n_entries - 1, 0), np.bool_)  # compares each entry with the one before it
    for key in reversed(keys):  # the last key is compared first, so that the first key overrides it
        is_above = (key[1:] > key[:-1]) | ((key[1:] == key[:-1]) & is_above)
    begins_part = np.zeros(n_entries + 1, np.bool_)
    begins_part[indptr] = True
    return bool((is_above | begins_part[1:n_entries]).all())  # the first entry of a part may be anything
