"""Forward selection: score a term by what it adds to the terms selected before it.

OCFS, chi-square and information gain score each term as if there were no others. If two words occur in the same
documents, the second then scores as high as the first although it adds no information. Forward selection instead asks
how well the selected terms S together predict the classes. For each class j, fit the linear function of the term
weights with the least squared error Σ_i (y_ij - p_j - w·(x_i - m))² + λ|w|², where y_ij is 1 if document i is in the
class, p_j is the share of such documents, and m is the mean document. With

    N = Σ_i (x_i - m)(x_i - m)'  over all documents,      b_j = Σ_{i in j} (x_i - m) = n_j (m_j - m),

where m_j is the mean of the n_j documents of class j, and with N_S and b_j restricted to the terms S, the best w is
(N_S + λI)^-1 b_j. It reduces the error, compared with no terms, by b_j' (N_S + λI)^-1 b_j. The weighted sum over all
classes,

    F(S) = Σ_j c_j b_j' (N_S + λI)^-1 b_j = tr((N_S + λI)^-1 B_S),      B = Σ_j c_j b_j b_j',

is a trace again: with c_j = 1/n_j, B is n times the S_b of OCFS, and F is Fisher's criterion. If all terms were
uncorrelated, F would be a sum of one score per term. The factors c_j weight the classes. With c_j = 1 a class of few
documents gets no terms; with 1/n_j it gets as many as a large one. This module uses 1/√n_j, which is between the two.

There are too many sets of k terms to find the one with the largest F, so S is built greedily: each step adds the term
that increases F most. Let LL' = N_S + λI be the Cholesky decomposition, in which L has one row for each selected term.
The code keeps two numbers for each term t that is not selected yet: the *residual* l_t, which begins as N_tt + λ, and
for each class j the *pull* r_jt, which begins as √c_j b_jt. From both, the part that the selected terms explain is
subtracted. Then adding t increases F by exactly Σ_j r_jt² / l_t. Selecting a term adds a row to L and updates all l and
r with it. k selections among q candidates take about k q²/2 multiplications, most of them in matrix products.

N has a cell for each pair of terms, so it is computed only for q candidates, the best terms of OCFS, in one more pass
over the documents; the means and b come from `ClassStats`. Like these, N is a sum over documents; it needs no labels.
It takes 8q² bytes, which is 128 MB for the default of 4,000 candidates, regardless of the number of documents. If k is
at least the number of candidates, the result is the ranking of OCFS, because there is nothing left to choose. With
`candidates_by="weights"`, the candidates are those to which a linear SVM gives the largest weights (`svm_weights`), and
the result for many terms is the ranking by these weights.

λ, the setting `ridge`, is added to N_tt, the sum of the squared deviations of term t from its mean. That makes hardly
any difference for a term of many documents. But a term of one or two documents would otherwise count as an exact
predictor of their class. λ = 1 was as good as any value from 0.3 to 3.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import dsyrk
from scipy.sparse import csr_matrix

from ..arrays import Floats, Ints
from ..errors import InputError
from ..kernels.term_products import add_term_products, centre, select_terms
from ..settings import as_number, is_whole
from ..stats import ClassStats
from ..stats.weights import check_weights
from .base import Limit, ReadAgain, ScoreForClass, TermSelector, rank_by_score, without_duplicates
from .svm_weights import WeightSelection
from .trace import between_class_scatter, scatter_of_class

CANDIDATES = 4000
"""The default number of candidates."""

_POWER_OF_SIZE = 0.75
"""The exponent in √c_j b_j = n_j^0.75 (m_j - m), since √c_j = n_j^-0.25 and b_j = n_j (m_j - m)."""

_BLOCK_SIZE = 64
"""The number of terms selected between two updates of the products; their rows of L fit into the processor's cache."""


class ForwardSteps(NamedTuple):
    """The columns in the order in which they were selected, and by how much each increased the criterion."""

    columns: Ints
    gains: Floats


def class_pulls(stats: ClassStats, columns: Ints) -> Floats:
    """Return the pulls before any term is selected: √c_j b_jt (terms x classes).

    The terms t are the given columns, and the classes j all those with documents. b_jt = n_j (m_jt - m_t) is how far
    the mean of the class is from the overall mean, times the size n_j of the class; c_j = 1/√n_j is the weight of the
    class.
    """
    column_stats = stats.take(columns)
    means = column_stats.sums / stats.n_documents
    class_numbers = np.flatnonzero(stats.class_docs).tolist()
    pulls = np.empty((len(columns), len(class_numbers)))
    for position, number in enumerate(class_numbers):
        size = stats.class_docs[number].item()
        pulls[:, position] = (column_stats.class_sums(number) / size - means) * size**_POWER_OF_SIZE
    return pulls


def term_products(batches: Iterable[csr_matrix], columns: Ints, n_terms: int, weights: Floats | None = None) -> Floats:
    """Return Σ_i x_i x_i' over the documents x_i, for the given columns, which must be ascending.

    Entry (s, t) is the sum over the documents of the weight of term s times that of term t. As it equals entry (t, s),
    only the diagonal and the upper triangle are filled.

    `weights` has the sample weight of each document, or is None; another number of weights raises `InputError`.
    """
    position_of = np.full(n_terms, -1, np.int64)  # the position of each term in `columns`; -1 for other terms
    position_of[columns] = np.arange(len(columns))
    products = np.zeros((len(columns), len(columns)))
    n_documents = 0
    for batch in batches:
        rows = without_duplicates(batch)
        values = rows.data if rows.dtype in (np.float32, np.float64) else rows.data.astype(np.float64)
        # For the kernel, an empty array means that each document counts once.
        batch_weights = np.ones(0) if weights is None else weights[n_documents : n_documents + rows.shape[0]]
        n_documents += rows.shape[0]
        # If there are too few weights, skip the batch and go on counting documents for the error that is raised below.
        if weights is None or len(batch_weights) == rows.shape[0]:
            add_term_products(rows.indptr, rows.indices, values, position_of, batch_weights, products)
    if weights is not None:
        check_weights(weights, n_documents)
    return products


def select_forward(
    stats: ClassStats,
    batches: Iterable[csr_matrix],
    candidates: Ints,
    k: int,
    ridge: float = 1.0,
    weights: Floats | None = None,
) -> ForwardSteps:
    """Select k of the candidates (ascending columns) one by one; of equal terms, the first is selected.

    `k` is at most the number of candidates. `batches` are the documents, in rows, and `weights` their sample weights.
    `ridge` is the λ of the criterion.
    """
    products = term_products(batches, candidates, stats.n_terms, weights)
    means = stats.take(candidates).sums / stats.n_documents
    centre(products, means, stats.n_documents, ridge)  # in place: `products` is now N + λI
    # Both arrays have an entry for each candidate. The kernel updates them with each selected term.
    pulls, residuals = class_pulls(stats, candidates), np.diag(products).copy()
    # For each selected term, its position in `candidates` and its gain. The kernel fills both block by block.
    positions, gains = np.empty(k, np.int64), np.empty(k)
    for begin in range(0, k, _BLOCK_SIZE):
        block = slice(begin, min(begin + _BLOCK_SIZE, k))
        factor = np.empty((block.stop - begin, len(candidates)))  # the new rows of L'
        select_terms(products, factor, pulls, residuals, ridge, positions[block], gains[block])
        if block.stop < k:  # the products are needed again
            # Subtract what the new terms explain, factor' factor, from the upper triangle of the products, in place.
            # BLAS stores matrices by column, so it gets the transpose, in which this is the lower triangle.
            dsyrk(-1.0, factor.T, beta=1.0, c=products.T, lower=1, overwrite_c=1)
    return ForwardSteps(candidates[positions], gains)


class ForwardSelection(TermSelector):
    """Select terms one by one, each by what it adds to those before it; skips terms that add nothing new.

    It uses term weights, so it works best after `TermWeighter`. The candidates are the best terms of `OCFS` or of
    `WeightSelection`. In both cases, `scores_` are the scores of `OCFS`. `ranking_` starts with the selected terms,
    followed by the others as `OCFS` or `WeightSelection` ranks them. The selector needs the documents as well as their
    statistics: `fit_stats(stats, documents)` makes one more pass over the documents. Unlabelled documents also
    contribute to which terms occur together.

    Parameters
    ----------
    k : int, float, "all" or None
        How many terms to select: a number, a fraction of all terms, or "all". None is 1,000.
    candidates : int
        The number of candidates. If `k` is at least this number, the selected terms are those of `OCFS` or
        `WeightSelection`. Memory grows with the square: 4,000 candidates take 128 MB.
    candidates_by : {"ocfs", "weights"}
        The method that ranks the candidates: "ocfs" needs statistics only, "weights" trains a linear SVM.
    ridge : float
        The regularisation strength λ. It is added to the sum of the squared deviations of a term's weights from their
        mean, to which a document of length 1 adds at most 1. The larger it is, the less it matters which terms occur
        together, and the more their frequency matters.

    Attributes
    ----------
    gains_ : array, by how much each selected term increased the criterion, in order of selection

    Examples
    --------
    >>> from textsieve import ForwardSelection
    >>> X = [[2, 0, 1, 0], [1, 1, 0, 0], [0, 2, 1, 1], [0, 1, 0, 2]]  # counts: documents x terms
    >>> y = ["sport", "sport", "politics", "politics"]
    >>> selector = ForwardSelection(k=2).fit(X, y)
    >>> selector.scores_.round(3)
    array([0.562, 0.25 , 0.   , 0.562])
    >>> selector.ranking_
    array([0, 3, 1, 2])
    """

    depends_on_k = True
    _steps: ForwardSteps
    """The selected terms; empty if all candidates are selected, because then terms are not selected one by one."""
    _by_score: Ints
    """All columns in the order in which they become candidates."""

    def __init__(
        self,
        *,
        k: Limit = None,
        candidates: int = CANDIDATES,
        candidates_by: Literal["ocfs", "weights"] = "ocfs",
        ridge: float = 1.0,
    ) -> None:
        self.k = k
        self.candidates = candidates
        self.candidates_by = candidates_by
        self.ridge = ridge

    def check_settings(self) -> None:
        """Raise `InputError` for settings that are invalid for any documents."""
        if not (is_whole(self.candidates) and self.candidates >= 1):
            raise InputError(setting="candidates", value=self.candidates, hint="use a number of terms from 1")
        if self.candidates_by not in ("ocfs", "weights"):
            raise InputError(setting="candidates_by", value=self.candidates_by, hint="use 'ocfs' or 'weights'")
        if not 0.0 < as_number(self.ridge) < np.inf:
            raise InputError(setting="ridge", value=self.ridge, hint="use a number above 0, for example 1.0")

    # -- the method ----------------------------------------------------------------------------------------------

    def score_terms(self, stats: ClassStats) -> Floats:
        """Return the scores of OCFS; the best terms by them are the candidates, unless `candidates_by` is "weights"."""
        return between_class_scatter(stats)

    def class_scorer(self, stats: ClassStats) -> ScoreForClass:
        """Return a function that gives what a class adds to the OCFS score of each term.

        The number is negative for terms with a lower mean in the class than overall.
        """
        return lambda number: scatter_of_class(stats, number)

    def _read_documents(self, documents: ReadAgain | None, sample_weight: Floats | None, labels: Any) -> None:
        """Select the terms in another pass over the documents, unless all candidates are selected anyway.

        Sets `_by_score`, the order in which columns become candidates, and `_steps`, the selected terms.
        """
        self.check_settings()
        by_score = self._columns_by_score(documents, sample_weight, labels)
        self._by_score = by_score
        max_terms = self.most_terms(self.score_terms(self.stats_), by_score)
        if max_terms is None or max_terms >= min(self.candidates, len(by_score)):
            self._steps = ForwardSteps(columns=by_score[:0], gains=np.zeros(0))  # no steps
            return
        if documents is None:
            raise InputError(
                f"{self!r} must know which terms occur together, and statistics do not say that",
                hint="give fit_stats the documents too, or call fit with their matrix. OCFS is content with statistics",
            )
        candidates = np.sort(by_score[: self.candidates])
        self._steps = select_forward(self.stats_, documents(), candidates, max_terms, float(self.ridge), sample_weight)

    def _columns_by_score(self, documents: ReadAgain | None, sample_weight: Floats | None, labels: Any) -> Ints:
        """Return all columns in the order in which they become candidates: by their scores in the first ranking."""
        if self.candidates_by == "ocfs":
            return rank_by_score(self.score_terms(self.stats_))
        selector = WeightSelection(k="all", n_jobs=None)  # only its ranking is used; n_jobs=None is one thread
        return selector.fit_stats(self.stats_, documents, sample_weight, labels).ranking_

    def _score_and_rank(self, stats: ClassStats) -> tuple[Floats, Ints]:
        """Return the scores of OCFS, and the selected terms followed by the others, the best candidates first."""
        scores, by_score = self.score_terms(stats), self._by_score
        is_selected = np.zeros(len(scores), np.bool_)
        is_selected[self._steps.columns] = True
        return scores, np.concatenate([self._steps.columns, by_score[~is_selected[by_score]]])

    # -- reading -------------------------------------------------------------------------------------------------

    @property
    def gains_(self) -> NDArray[np.float64]:
        """Return by how much each selected term increased the criterion F, in the order of `ranking_`.

        F measures how well the selected terms together predict the classes. The array is empty if `k` is at least the
        number of candidates, because then terms are not selected one by one.
        """
        self._ensure_selected()
        return self._steps.gains

    @property
    def partial_fit(self) -> Any:
        """Raise `AttributeError`: the candidates are known only when all documents are."""
        raise AttributeError(
            "ForwardSelection has no partial_fit: which terms occur together is counted for the candidates alone, and "
            "they are known only when all documents are there. Use OCFS, or call fit with all documents."
        )
