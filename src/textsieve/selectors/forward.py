"""Forward selection: a term is worth what it adds to the terms that were chosen before it.

OCFS, like chi-square or information gain, scores each term as if there were no others. Of two words that stand in the
same documents the second then scores as high as the first, and tells nothing new. To see that, ask how well the chosen
terms S together tell the classes: fit to each class j the linear function of their weights with the least squared
error, Σ_i (y_ij - p_j - w·(x_i - m))² + λ|w|², where y_ij is 1 if document i is in the class, and p_j the share of
these. With

    N = Σ_i (x_i - m)(x_i - m)'  over all documents,      b_j = Σ_{i in j} (x_i - m) = n_j (m_j - m),

the best w is (N_S + λI)^-1 b_j, and the error is smaller than without terms by b_j' (N_S + λI)^-1 b_j. The sum over all
classes,

    F(S) = Σ_j c_j b_j' (N_S + λI)^-1 b_j = tr((N_S + λI)^-1 B_S),      B = Σ_j c_j b_j b_j',

is a trace again: with c_j = 1/n_j, B is n times OCFS's S_b, and F Fisher's criterion; if no two terms had to do with
one another, it would be a sum of one score per term. The factors c_j say how much a class counts. 1 leaves a class of
few documents without terms, 1/n_j gives it as many as a large one; here it is 1/√n_j, between the two.

The S of k terms with the largest F can't be found by trying, but term by term: each time, take the one that makes F
grow most. Let LL' = N_S + λI (Cholesky), a row for each chosen term. For a term t that is not chosen yet, let l_t be
what is left of its N_tt + λ, and r_jt what is left of √c_j b_jt, once their parts along the chosen terms are taken
off. Then F grows by Σ_j r_jt² / l_t, exactly. Choosing a term adds a row to L and changes all l and r by it; k choices
among m candidates take about k m²/2 multiplications, as products of matrices.

N has a cell for each two terms, so it is made for the m best terms of OCFS alone, from one more pass over the
documents; the means and b come from `ClassStats`. Like these it is a sum over documents, and needs no labels. It takes
8m² bytes, 128 MB for the usual 4,000, whatever the number of documents. Who wants as many terms as there are
candidates, or more, gets those of OCFS in OCFS's order: there would be nothing left to choose.

λ says how many documents a weight must be backed by. It keeps rare terms from being taken for exact ones; 1 was as good
as any from 0.3 to 3.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import dsyrk
from scipy.sparse import csr_matrix

from ..errors import InputError, shown
from ..kernels.together import add_term_products, centre, choose_some
from ..settings import as_number, is_whole
from ..stats import ClassStats
from ..stats.sample_weights import check_weights
from ..stats.sums import Floats, Ints
from .base import Documents, Limit, ScoreForClass, TermSelector, ranked
from .trace import between_class_scatter, scatter_of_class

CANDIDATES = 4000
"""How many terms are chosen from, unless told otherwise."""

_POWER_OF_SIZE = 0.75
"""√c_j b_j = n_j^0.75 (m_j - m)."""


_AT_A_TIME = 64
"""So many rows of the factor stay in the processor's cache."""


class Chosen(NamedTuple):
    """Columns in the order in which they were chosen, and by how much each made the criterion grow."""

    columns: Ints
    gains: Floats


def pulls_of(stats: ClassStats, columns: Ints) -> Floats:
    """√c_j b_jt of some terms and all classes that have documents (terms x classes)."""
    some = stats.take(columns)
    means = some.sums.value / stats.n_documents
    numbers = np.flatnonzero(stats.class_docs)
    pulls = np.empty((len(columns), len(numbers)))
    for place, number in enumerate(numbers.tolist()):
        size = stats.class_docs[number].item()
        pulls[:, place] = (some.class_sums(number) / size - means) * size**_POWER_OF_SIZE
    return pulls


def products_of(batches: Iterable[csr_matrix], columns: Ints, n_terms: int, weights: Floats | None = None) -> Floats:
    """Return Σ_i x_i x_i' over the documents, each as often as its weight says, for some columns, ascending.

    Only the half right of the diagonal is filled.
    """
    place = np.full(n_terms, -1, np.int64)
    place[columns] = np.arange(len(columns))
    products = np.zeros((len(columns), len(columns)))
    n_documents = 0
    for batch in batches:
        rows = batch if batch.has_canonical_format else batch.copy()
        rows.sum_duplicates()
        values = rows.data if rows.dtype in (np.float32, np.float64) else rows.data.astype(np.float64)
        own = np.ones(0) if weights is None else weights[n_documents : n_documents + rows.shape[0]]
        n_documents += rows.shape[0]
        if weights is None or len(own) == rows.shape[0]:
            add_term_products(rows.indptr, rows.indices, values, place, own, products)
    if weights is not None:
        check_weights(weights, n_documents)
    return products


def chosen_forward(
    stats: ClassStats,
    batches: Iterable[csr_matrix],
    candidates: Ints,
    k: int,
    ridge: float = 1.0,
    weights: Floats | None = None,
) -> Chosen:
    """The k terms that are chosen one by one among candidates (columns, ascending); of equal terms the first."""
    products = products_of(batches, candidates, stats.n_terms, weights)
    centre(products, stats.take(candidates).sums.value / stats.n_documents, stats.n_documents, ridge)
    pulls, left = pulls_of(stats, candidates), np.diag(products).copy()
    places, gains = np.empty(k, np.int64), np.empty(k)
    for begin in range(0, k, _AT_A_TIME):
        part = slice(begin, min(begin + _AT_A_TIME, k))
        factor = np.empty((part.stop - begin, len(candidates)))
        choose_some(products, factor, pulls, left, ridge, places[part], gains[part])
        if part.stop < k:  # products - factor' factor, in place
            dsyrk(-1.0, factor.T, beta=1.0, c=products.T, lower=1, overwrite_c=1)
    return Chosen(candidates[places], gains)


class ForwardSelection(TermSelector):
    """Select terms one by one, each by what it adds to those before it: terms that tell the same are not taken twice.

    It looks at weights, so it is at its best after `TermWeighter`. Candidates are the best terms of `OCFS`, whose
    scores are its `scores_`; `ranking_` has the chosen terms first, and then the others by their scores. It needs the
    documents and not only their statistics: `fit_stats(stats, documents)` goes through them once more. Documents
    without a label say which terms occur together, too.

    Parameters
    ----------
    k : int, float, "all" or None
        How many terms: a number, a share of all, or all. None is 1,000.
    candidates : int
        Among how many terms is chosen. From as many on, `k` terms are those of `OCFS`. Memory grows with the square:
        4,000 take 128 MB.
    ridge : float
        What a weight costs, in documents of length 1; the larger, the less it matters which terms occur together, and
        the more that they are frequent.

    Attributes
    ----------
    gains_ : array, for each chosen term in their order, what it added
    """

    k_changes_the_method = True
    _first: Chosen

    def __init__(self, *, k: Limit = None, candidates: int = CANDIDATES, ridge: float = 1.0) -> None:
        self.k = k
        self.candidates = candidates
        self.ridge = ridge

    def check_settings(self) -> None:
        """Refuse settings that mean nothing for any documents."""
        if not (is_whole(self.candidates) and self.candidates >= 1):
            raise InputError(f"candidates={shown(self.candidates)}; use a number of terms from 1.")
        if not 0.0 < as_number(self.ridge) < np.inf:
            raise InputError(f"ridge={shown(self.ridge)}; use a number above 0, for example 1.0.")

    # -- the method ----------------------------------------------------------------------------------------------

    def _score(self, stats: ClassStats) -> Floats:
        return between_class_scatter(stats)

    def _class_scorer(self, stats: ClassStats) -> ScoreForClass:
        return lambda number: scatter_of_class(stats, number)

    def _read(self, documents: Documents | None, weights: Floats | None) -> None:
        self.check_settings()
        by_score = ranked(self._score(self.stats_))
        most = self._most(np.empty(len(by_score)), by_score)
        if most is None or most >= min(self.candidates, len(by_score)):
            self._first = Chosen(by_score[:0], np.zeros(0))
            return
        if documents is None:
            raise InputError(
                f"{self!r} must know which terms occur together, and statistics do not say that; give fit_stats the "
                "documents too, or call fit with their matrix. OCFS is content with statistics."
            )
        candidates = np.sort(by_score[: self.candidates])
        self._first = chosen_forward(self.stats_, documents(), candidates, most, float(self.ridge), weights)

    def _score_and_rank(self, stats: ClassStats) -> tuple[Floats, Ints]:
        scores, by_score = super()._score_and_rank(stats)
        is_chosen = np.zeros(len(scores), np.bool_)
        is_chosen[self._first.columns] = True
        return scores, np.concatenate([self._first.columns, by_score[~is_chosen[by_score]]])

    # -- reading -------------------------------------------------------------------------------------------------

    @property
    def gains_(self) -> NDArray[np.float64]:
        """What each chosen term added to the criterion when it was chosen, in the order of `ranking_`."""
        self._fitted()
        return self._first.gains

    @property
    def partial_fit(self) -> Any:
        """Not there: which terms are candidates is known only when all documents are."""
        raise AttributeError(
            "ForwardSelection has no partial_fit: which terms occur together is counted for the candidates alone, and "
            "they are known only when all documents are there. Use OCFS, or call fit with all documents."
        )
