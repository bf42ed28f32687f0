"""`LinearScorer`: the form of every trained linear classifier, with a coefficient for each term and output.

Each score of a document is the sum over its terms of weight x coefficient, plus the intercept. The products are added
strictly in the order of the columns, starting from the first, and the intercept last. So a document has the same scores
to the last bit whether numpy adds them up (few documents) or a kernel on threads (many documents), and however the
documents are split into batches. Coefficients are float32 or float64; calculations use float64.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ..archive import ArraySpec
from ..arrays import CSR, Floats
from ..settings import n_threads
from .scorer import Layout, check_layout, check_stored, require_columns, require_finite, require_settings

FEW_PRODUCTS = 1 << 21
"""The largest number of products that is calculated with numpy; more load the compiled kernels."""

_ROWS_PER_TASK = 1 << 12
"""The largest number of rows that a thread gets at a time."""

_LAYOUTS: dict[type[np.floating], Layout] = {
    dtype: {"intercepts": (np.float64, ("outputs",)), "coefficients": (dtype, ("terms", "outputs"))}
    for dtype in (np.float32, np.float64)
}
"""The layout for each type of coefficients."""


@dataclass(frozen=True, eq=False)
class LinearScorer:
    """Coefficients (terms x outputs) and an intercept for each output."""

    kind: ClassVar[str] = "linear"

    coefficients: NDArray[np.floating]
    intercepts: Floats

    @property
    def n_terms(self) -> int:
        """Return the number of terms, which are the columns of the rows to score."""
        return len(self.coefficients)

    @property
    def n_outputs(self) -> int:
        """Return the number of scores of each document."""
        return len(self.intercepts)

    def scores(self, rows: CSR, n_jobs: int | None = 1) -> Floats:
        """Return the scores of each row (rows x outputs), the same for any number of threads."""
        require_columns(rows, self.n_terms)
        if len(rows.data) * self.n_outputs > FEW_PRODUCTS:
            return self._scores_of_many(rows, n_threads(n_jobs))
        return self._scores_of_few(rows)

    def contributions(self, columns: NDArray[np.integer], values: Floats) -> Floats:
        """Return what each value adds to the scores (values x outputs); values may come from several rows."""
        return np.asarray(values[:, np.newaxis] * self.coefficients[columns].astype(np.float64))

    def coefficients_of(self, columns: NDArray[np.integer], outputs: NDArray[np.integer]) -> Floats:
        """Return the coefficients of some pairs of term and output."""
        return np.asarray(self.coefficients[columns, outputs], np.float64)

    def term_strengths(self) -> NDArray[np.floating]:
        """Return the coefficients: how strongly each term indicates each class."""
        return self.coefficients

    def stored_settings(self) -> dict[str, Any]:
        """Return an empty dictionary: a linear scorer has no settings, only arrays."""
        return {}

    def stored_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the coefficients and intercepts."""
        return {"coefficients": self.coefficients, "intercepts": self.intercepts}

    @classmethod
    def check_declared(cls, settings: Mapping[str, Any], specs: Mapping[str, ArraySpec], n_outputs: int) -> int:
        """Return the number of terms of a stored scorer, after checking the types and shapes of its arrays."""
        require_settings(settings)
        # For two classes, a single output (positive for the second class) is as valid as two.
        has_one_output = n_outputs == 2 and "intercepts" in specs and specs["intercepts"].shape == (1,)
        is_double = "coefficients" in specs and specs["coefficients"].dtype == np.float64
        layout = _LAYOUTS[np.float64 if is_double else np.float32]
        return check_layout(specs, layout, outputs=1 if has_one_output else n_outputs)["terms"]

    @classmethod
    def restore(
        cls, settings: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], n_terms: int, n_outputs: int
    ) -> Self:
        """Return the stored scorer; for two classes it may have one output."""
        check_stored(cls, settings, arrays, n_terms, n_outputs)
        for name, array in arrays.items():
            require_finite(name, array)
        return cls(arrays["coefficients"], arrays["intercepts"])

    def _scores_of_few(self, rows: CSR) -> Floats:
        """Return the scores, calculated with numpy.

        Products (weight x coefficient) are added one by one in column order, as in the kernel, but for all rows at a
        time: first the first product of every row, then the second of every row that has one, and so on. That takes as
        many steps as the longest row has products. If there are fewer rows than that, it is faster to go row by row.
        """
        lengths = rows.sizes
        if lengths.max(initial=0) > rows.n_rows:
            return self._scores_row_by_row(rows)
        products = self.contributions(rows.indices, rows.data)
        longest_first = np.argsort(-lengths, kind="stable")  # the rows with a product at a position come first
        starts, lengths = rows.indptr[longest_first], lengths[longest_first]
        sorted_scores = np.empty((rows.n_rows, self.n_outputs))  # in the order `longest_first`
        for position in range(lengths.max(initial=0)):
            n_long_enough = np.searchsorted(-lengths, -position)  # the number of rows longer than `position`
            if position == 0:  # the array is not initialised, so the first products are assigned
                sorted_scores[:n_long_enough] = products[starts[:n_long_enough]]
            else:
                sorted_scores[:n_long_enough] += products[starts[:n_long_enough] + position]
        sorted_scores[lengths > 0] += self.intercepts
        sorted_scores[lengths == 0] = self.intercepts
        scores = np.empty_like(sorted_scores)
        scores[longest_first] = sorted_scores
        return scores

    def _scores_row_by_row(self, rows: CSR) -> Floats:
        """Return the scores, calculated with numpy for one row after the other."""
        scores = np.empty((rows.n_rows, self.n_outputs))
        for row in range(rows.n_rows):
            in_row = slice(rows.indptr[row], rows.indptr[row + 1])
            products = self.contributions(rows.indices[in_row], rows.data[in_row])
            # cumsum adds one by one, in order; sum does not
            scores[row] = products.cumsum(axis=0)[-1] + self.intercepts if len(products) else self.intercepts
        return scores

    def _scores_of_many(self, rows: CSR, threads: int) -> Floats:
        """Return the scores, calculated by the kernel on several threads."""
        from ..kernels.csr import score_rows
        from ..threads import parallel_ranges

        scores = np.empty((rows.n_rows, self.n_outputs))

        def score(first: int, last: int) -> None:
            """Write the scores of the rows from `first` to before `last` to `scores`."""
            indptr = rows.indptr[first : last + 1]
            score_rows(rows.data, rows.indices, indptr, self.coefficients, self.intercepts, scores[first:last])

        rows_per_thread = -(-rows.n_rows // threads)  # rounded up; few rows are spread over all threads
        parallel_ranges(score, rows.n_rows, max(min(_ROWS_PER_TASK, rows_per_thread), 1), threads)
        return scores
