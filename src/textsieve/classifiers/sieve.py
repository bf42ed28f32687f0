"""Drop most coefficients of a linear SVM, and train the rest again: the coefficient sieve.

An SVM has a coefficient for each term and class, and most of them decide nothing. `CoefficientSieve.cut` keeps those
with the largest |w|, drops terms that have none left, weighs the documents by the terms that remain, and trains each
class again on its own terms. Repeated cuts lead to models of any size.

**The criterion.** The loss of class j is ½|w|² + Σ C_i max(0, 1 - y_i w·x_i)². At its minimum, dropping one coefficient
w_t while the others stay raises it by ½ h_t w_t² to second order, where h_t = 1 + 2 Σ C_i x_it² over the documents
inside the margin (optimal brain damage; LeCun and others, 1990). In text, most terms are rare and rows have length 1,
so h_t is close to 1 for almost all terms and |w_t| gives the same order.

Other criteria were compared on 25 corpora with words, pairs and n-grams of characters (`benchmarks/model_sizes.py`). At
the same number of bytes, |w| and h_t w_t² lost least accuracy, and |w| is simpler. |w_t| times the root mean square of
x_t prefers frequent terms, so fewer terms are kept for the same number of coefficients. Dropping whole terms by the
norm of their coefficients lost about three times as much.

**Rounds.** If similar terms occur in the same documents, each of them has only a part of the coefficient that one of
them would need alone. When one is dropped, the coefficients of the others must grow, so the model is trained again.
Several small cuts, each followed by training, lose less accuracy than one large cut followed by training. Dropping
coefficients without training again loses most.

Coefficients are rounded at the end, by default to 8 bits (`SparseLinearScorer`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from ..arrays import CSR, Bools, Floats, Ints
from ..svm_solvers import SignsAndCosts, SVMProblem, take_terms
from ..text.weights import weigh
from .class_weights import class_factors, weight_against_rest
from .linear_form import CONSTANT_SCORE, Linear
from .sparse_linear import SparseLinearScorer
from .svm import LinearSVM, one_against_rest, second_against_first

_ROWS_AT_A_TIME = 1 << 14
"""The number of documents that are weighed at once, in 64 bits; the weights of all are kept in 32 bits."""


class BinaryProblems(NamedTuple):
    """The binary problems of an SVM, one for each output: to separate a class from the rest by a hyperplane."""

    signs_and_costs: SignsAndCosts
    """A function from the number of an output to the sign and the cost of each document; see `svm_solvers`."""
    can_be_learned: Bools
    """For each output, whether there are documents on both sides."""
    constant_scores: Floats
    """A score for each output; it is used only if the output can't be learned."""

    @property
    def n_outputs(self) -> int:
        """Return the number of outputs."""
        return len(self.can_be_learned)


def one_label_problems(
    svm: LinearSVM, numbers: Ints, n_classes: int, class_weight: object, sample_weight: Floats | None
) -> BinaryProblems:
    """Return the problems of documents with one label each: each class against the rest, or one for two classes.

    `numbers` has the class number of each document. A class without documents gets a score that can't win.
    """
    present, positions = np.unique(numbers, return_inverse=True)
    factors = class_factors(class_weight, present, positions, sample_weight)
    if n_classes == 2 and len(present) == 2:  # a single problem
        signs_and_costs, _ = one_against_rest(positions, factors, svm.C, sample_weight)
        return BinaryProblems(signs_and_costs, np.ones(1, np.bool_), np.zeros(1))
    # A problem for each class is needed here, but with two factors, `one_against_rest` would return a single problem.
    # So there are at least three factors; those of classes that do not exist are not used.
    all_factors = np.ones(max(n_classes, 3))
    all_factors[present] = factors
    signs_and_costs, _ = one_against_rest(numbers, all_factors, svm.C, sample_weight)
    can_be_learned = np.zeros(n_classes, np.bool_)
    can_be_learned[present] = len(present) > 1  # a single class has no documents on the other side
    return BinaryProblems(signs_and_costs, can_be_learned, np.full(n_classes, -CONSTANT_SCORE))


def multilabel_problems(
    svm: LinearSVM, members: tuple[Ints, ...], n_documents: int, class_weight: object, sample_weight: Floats | None
) -> BinaryProblems:
    """Return the problems of multilabel documents: each class against the rest.

    `members` has the documents of each class. A class with no document or with all gets a constant score.
    """

    def signs_and_costs(number: int) -> tuple[Floats, Floats]:
        """Return the signs and costs of all documents for one class against the rest."""
        is_member = np.zeros(n_documents, np.int64)
        is_member[members[number]] = 1
        weight = weight_against_rest(class_weight, number)
        factors = class_factors(weight, np.arange(2), is_member, sample_weight)  # of the rest (0) and of the class (1)
        return second_against_first(is_member, factors, svm.C, sample_weight)

    sizes = np.array([len(documents) for documents in members])
    constant_scores = np.where(sizes == 0, -CONSTANT_SCORE, CONSTANT_SCORE)
    return BinaryProblems(signs_and_costs, (sizes > 0) & (sizes < n_documents), constant_scores)


class Sieved(NamedTuple):
    """Some coefficients of an SVM, sorted by output and then by term."""

    columns: Ints
    """The column of each coefficient's term, in the rows that the sieve got."""
    outputs: Ints
    """The number of each coefficient's output, ascending."""
    values: Floats
    """The coefficients."""
    intercepts: Floats
    """The intercept of each output, also of outputs without coefficients."""
    alphas: NDArray[np.float32] | None = None
    """Dual variables (outputs x documents), from which the training after the next cut starts; None: from 0.

    There are none if no outputs were trained together.
    """

    @classmethod
    def of(cls, form: Linear) -> Sieved:
        """Return all coefficients of a linear form."""
        n_outputs, n_terms = form.coefficients.shape
        columns = np.tile(np.arange(n_terms), n_outputs)
        return cls(columns, np.repeat(np.arange(n_outputs), n_terms), form.coefficients.ravel(), form.intercepts)

    def largest(self, n: int) -> Sieved:
        """Return the `n` coefficients of largest absolute value; of equal ones, the first.

        Coefficients of 0 are left out, so there may be fewer.
        """
        sizes = np.abs(self.values)
        n = min(n, int(np.count_nonzero(sizes)))
        if n == 0:
            return self._take(np.zeros(0, np.int64))
        limit = np.partition(sizes, len(sizes) - n)[len(sizes) - n]  # the n-th largest absolute value
        is_kept = sizes > limit
        ties = np.flatnonzero(sizes == limit)
        is_kept[ties[: n - int(is_kept.sum())]] = True  # as many of the equal ones as are missing to n
        return self._take(np.flatnonzero(is_kept))

    def _take(self, positions: Ints) -> Sieved:
        """Return the coefficients at some positions, and all intercepts."""
        return self._replace(
            columns=self.columns[positions], outputs=self.outputs[positions], values=self.values[positions]
        )

    def scorer(self, dtype: type[np.generic] = np.int8) -> tuple[Ints, SparseLinearScorer]:
        """Return the columns of the terms that have a coefficient after rounding, ascending, and their scorer.

        Coefficients are rounded to `dtype`, one of `sparse_linear.DTYPES`.
        """
        n_columns = int(self.columns.max(initial=0)) + 1
        rounded = SparseLinearScorer.from_entries(
            self.columns, self.outputs, self.values, n_columns, self.intercepts, dtype
        )
        columns = np.flatnonzero(np.diff(rounded.indptr))
        return columns, rounded.take(columns)


class CoefficientSieve:
    """Drops coefficients of an SVM and trains the rest again, on documents given as rows of weights."""

    def __init__(self, svm: LinearSVM, rows: csr_matrix, norm: str, problems: BinaryProblems, n_jobs: int) -> None:
        self._svm, self._rows, self._norm, self._problems, self._n_jobs = svm, rows, norm, problems, n_jobs

    def cut(self, before: Sieved, n_coefficients: int, tolerance_factor: float = 1.0) -> Sieved:
        """Keep the `n_coefficients` largest coefficients, train them again, and return them.

        They are trained on the documents reduced to the terms that have a coefficient left. Outputs that can't be
        learned keep their coefficients and intercepts. The tolerance of the SVM is multiplied by `tolerance_factor`;
        larger ones make early cuts faster.
        """
        kept = before.largest(n_coefficients)
        terms = np.unique(kept.columns)
        documents = SVMProblem(self.weigh(terms))
        # Coefficients are sorted by output: output i has those from bounds[i] to bounds[i + 1].
        bounds = np.searchsorted(kept.outputs, np.arange(self._problems.n_outputs + 1)).tolist()
        positions = np.searchsorted(terms, kept.columns)  # of each coefficient's term in `terms`
        values, intercepts = kept.values.copy(), kept.intercepts.copy()

        trained = []
        for number in np.flatnonzero(self._problems.can_be_learned).tolist():
            if bounds[number] < bounds[number + 1]:
                trained.append(number)
            else:  # only an intercept is left: the mean sign is nearly optimal
                signs, costs = self._problems.signs_and_costs(number)
                intercepts[number] = np.average(signs, weights=costs)
        parts = [slice(bounds[number], bounds[number + 1]) for number in trained]
        hyperplanes, alphas = documents.solve_each(
            lambda position: self._problems.signs_and_costs(trained[position]),
            [positions[part] for part in parts],
            None if kept.alphas is None else kept.alphas[trained],  # a copy, which is overwritten
            tolerance=tolerance_factor * self._svm.tol,
            most_rounds=self._svm.max_iter,
            n_jobs=self._n_jobs,
        )
        for number, part, hyperplane in zip(trained, parts, hyperplanes, strict=True):
            values[part], intercepts[number] = hyperplane.coefficients[0], hyperplane.intercepts[0]
        if alphas is not None and len(trained) < len(intercepts):  # outputs that are no longer trained get zeros
            trained_alphas, alphas = alphas, np.zeros((len(intercepts), alphas.shape[1]), np.float32)
            alphas[trained] = trained_alphas
        return kept._replace(values=values, intercepts=intercepts, alphas=alphas)

    def weigh(self, terms: Ints) -> csr_matrix:
        """Return the rows with only the columns of some terms (ascending), each row divided by its new norm."""
        indptr, indices, data = take_terms(self._rows, terms)
        rows = CSR(data, indices, indptr, len(terms))
        for begin in range(0, rows.n_rows, _ROWS_AT_A_TIME):
            part = slice(begin, min(begin + _ROWS_AT_A_TIME, rows.n_rows))
            weights = weigh(rows.part(part), tf="tf", idf=None, norm=self._norm).data  # divides by the norm only
            data[indptr[part.start] : indptr[part.stop]] = weights  # `rows` shares `data`
        return rows.matrix()

    def start(self, form: Linear) -> Sieved:
        """Return all coefficients of a linear form, to begin the cuts with.

        Outputs that can't be learned get coefficients of 0 and their constant score as the intercept.
        """
        is_constant = ~self._problems.can_be_learned
        coefficients = np.where(is_constant[:, np.newaxis], 0.0, form.coefficients)
        intercepts = np.where(is_constant, self._problems.constant_scores, form.intercepts)
        return Sieved.of(Linear(coefficients, intercepts))
