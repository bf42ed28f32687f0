"""`LinearScorer`: the form of every trained linear classifier, with a coefficient for each term and output.

The score of a document is the sum over its terms of weight x coefficient, plus the intercept. The products are added
strictly in the order of the columns, starting from the first, and the intercept last. So the score is the same to the
last bit for few documents, which numpy adds up, for many, which a kernel adds up on threads, and for any batches.
Coefficients are stored as float32; calculations use float64.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ..archive import ArraySpec, specs_of
from ..arrays import Floats
from ..errors import InputError
from ..settings import n_threads
from ..text.csr import CSR
from .scorer import require_array, require_finite, require_parts

FEW_PRODUCTS = 1 << 21
"""The largest number of products that is calculated with numpy; more load the compiled kernels."""

_SLICE = 1 << 12


@dataclass(frozen=True, eq=False)
class LinearScorer:
    """Coefficients (terms x outputs) and an intercept for each output."""

    kind: ClassVar[str] = "linear"

    coefficients: NDArray[np.float32]
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
        if rows.n_columns != len(self.coefficients):
            raise InputError(
                f"The rows have {rows.n_columns:,} columns, but there are {len(self.coefficients):,} terms."
            )
        if len(rows.data) * self.n_outputs > FEW_PRODUCTS:
            return self._scores_of_many(rows, n_threads(n_jobs))
        return self._scores_of_few(rows)

    def contributions(self, columns: NDArray[np.integer], values: Floats) -> Floats:
        """Return what each value adds to the scores (values x outputs)."""
        return np.asarray(values[:, np.newaxis] * self.coefficients[columns].astype(np.float64))

    def term_strengths(self) -> NDArray[np.float32]:
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
        require_parts(settings, specs, (), ("coefficients", "intercepts"))
        intercepts, coefficients = specs["intercepts"], specs["coefficients"]
        outputs = (1, 2) if n_outputs == 2 else (n_outputs,)
        require_array("intercepts", intercepts, np.float64, *((n,) for n in outputs))
        n_terms = (*coefficients.shape, 0)[0]
        require_array("coefficients", coefficients, np.float32, (n_terms, *intercepts.shape))
        return n_terms

    @classmethod
    def restore(
        cls, settings: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], n_terms: int, n_outputs: int
    ) -> Self:
        """Return the stored scorer; for two classes it may have one output."""
        cls.check_declared(settings, specs_of(arrays), n_outputs)
        intercepts, coefficients = arrays["intercepts"], arrays["coefficients"]
        require_array("coefficients", coefficients, np.float32, (n_terms, len(intercepts)))
        require_finite("intercepts", intercepts)
        require_finite("coefficients", coefficients)
        return cls(coefficients, intercepts)

    def _scores_of_few(self, rows: CSR) -> Floats:
        """Return scores calculated with numpy. Products are added one by one in column order, as in the kernel."""
        lengths = np.diff(rows.indptr)
        if lengths.max(initial=0) > rows.n_rows:
            return self._scores_row_by_row(rows)
        products = self.contributions(rows.indices, rows.data)
        longest_first = np.argsort(-lengths, kind="stable")
        starts, lengths = rows.indptr[longest_first], lengths[longest_first]
        scores = np.empty((rows.n_rows, self.n_outputs))
        for place in range(lengths.max(initial=0)):  # the next product of every row that is long enough
            n_longer = np.searchsorted(-lengths, -place)
            if place == 0:
                scores[:n_longer] = products[starts[:n_longer]]
            else:
                scores[:n_longer] += products[starts[:n_longer] + place]
        scores[lengths > 0] += self.intercepts
        scores[lengths == 0] = self.intercepts
        in_order = np.empty_like(scores)
        in_order[longest_first] = scores
        return in_order

    def _scores_row_by_row(self, rows: CSR) -> Floats:
        scores = np.empty((rows.n_rows, self.n_outputs))
        for row in range(rows.n_rows):
            place = slice(rows.indptr[row], rows.indptr[row + 1])
            products = self.contributions(rows.indices[place], rows.data[place])
            # cumsum adds one by one, in order; sum does not
            scores[row] = products.cumsum(axis=0)[-1] + self.intercepts if len(products) else self.intercepts
        return scores

    def _scores_of_many(self, rows: CSR, threads: int) -> Floats:
        from ..kernels.csr import score_rows
        from ..threads import parallel_map

        scores = np.empty((rows.n_rows, self.n_outputs))
        size = max(min(_SLICE, -(-rows.n_rows // threads)), 1)

        def score(number: int) -> None:
            first, last = number * size, min((number + 1) * size, rows.n_rows)
            starts = rows.indptr[first : last + 1]
            score_rows(rows.data, rows.indices, starts, self.coefficients, self.intercepts, scores[first:last])

        parallel_map(score, -(-rows.n_rows // size), threads)
        return scores
