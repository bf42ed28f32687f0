"""TCFP: text categorization using feature projections (Ko and Seo 2004). Each term votes, and its vote is shared.

The training documents are projected on each term t: all that is known of a document is its weight w(t, d). Of the
documents that have t, those vote whose weight is at least the mean, I_t, for a term that is more important than usual
in a document says most about it. The vote of t is shared among the classes by their weights in I_t,

    r(c, t) = sum of w(t, d) over d in I_t and c / sum of w(t, d) over d in I_t,

and a document's class is that with the most votes: vote[c] = sum over the terms of the document of w(t, d) r(c, t).
This is linear, so a trained `TCFP` is a `LinearScorer` with r as its coefficients: it learns from sums as naive Bayes
does, and predicts as fast.

Terms that vote one by one know nothing of each other. With `context` the weight in the document is w(t, d) (1 + f)
instead, where f = f(t, u) is a factor for another term u of the document (formula 7; see `context`): the largest one,
or the mean over all u; the paper does not say which. Where no term of the document ever occurred with t, f is 0.

A class with many documents has many votes. With `balance` vote[c] is multiplied by (size of the largest class / size of
c) (formula 9).

Weights of 0 are as good as absent. A term that training documents did not have has no vote.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from ..errors import InputError, shown
from ..estimators import growing
from ..settings import is_whole, n_threads
from ..stats.labels import label_pairs
from ..stats.targets import checked_labels, pairs_of
from .context import partners_of
from .linear import LinearScorer
from .projections import Floats, Ints
from .scorer import Scorer
from .tcfp_scorer import CONTEXTS, Partners, TCFPScorer
from .vote_table import VoteTable, merge, vote_shares, vote_table
from .voting import VotingEstimator, training_rows

if TYPE_CHECKING:
    from sklearn.utils import Tags


def balance_factors(class_docs: Ints) -> Floats:
    """Size of the largest class / size of each class; 1 for a class without documents, which gets no votes anyway."""
    return np.asarray(class_docs.max(initial=1) / np.maximum(class_docs, 1))


def _is_plain(estimator: TCFP) -> bool:
    """Whether documents can be added later: which terms occur together is not known from the weights that are kept."""
    if estimator.context is not None:
        raise InputError(
            f"context={estimator.context!r}: partial_fit and merge are for context=None; fit all documents at once."
        )
    return True


class TCFP(VotingEstimator):
    """Classify by votes of the terms, each shared among the classes by the weights that the term had in training.

    Weights are 0 or more, such as those of `TermWeighter` (log x plain x l2 in the paper). Labels may be one or several
    a document; a document then counts once in each of its classes, and once for the mean weight of a term. Documents
    without a label are left out.

    Parameters
    ----------
    context : None, "best" or "mean"
        Whether a term counts more beside terms that it occurred with in training: no; by the largest factor of any
        other term of the document; by the mean factor of all of them.
    balance : bool
        Whether the votes for a class are multiplied by (size of the largest class / size of the class).
    min_co : int
        For `context`: from how many common documents, in some class, two terms have a factor. 1 is the paper's; 2 makes
        a model about half as large.
    n_jobs : int or None
        Threads; -1 is all cores. The result does not depend on it.

    Attributes
    ----------
    classes_ : the classes, sorted
    class_docs_ : how many documents each class has
    term_votes_ : array, terms x classes: how a vote of each term is shared, times the factor of the class if `balance`
    table_ : what later documents can be added to; see `vote_table` for its size
    """

    table_: VoteTable
    feature_names_in_: NDArray[Any]
    _scorer: Scorer | None = None

    def __init__(
        self,
        *,
        context: str | None = None,
        balance: bool = False,
        min_co: int = 1,
        n_jobs: int | None = -1,
    ) -> None:
        self.context = context
        self.balance = balance
        self.min_co = min_co
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from documents given as the rows of a (sparse) matrix, with their labels."""
        threads = self._validate()
        rows = training_rows(validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32]), "TCFP")
        pairs = pairs_of(y, rows.n_rows, "TCFP")
        table = vote_table(rows, pairs, threads)
        partners = None if self.context is None else partners_of(rows, pairs, self.context, self.min_co, threads)
        self.table_ = table
        self._set_scorer(partners)
        return self

    @available_if(_is_plain)
    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Add more documents; the result is that of `fit` on all of them, to the last bit. Not with `context`.

        More columns and classes than before may come; `classes` need not be given.
        """
        threads = self._validate()
        with growing(self, X) as matrix:
            rows = training_rows(matrix, "TCFP")
            table = vote_table(rows, label_pairs(checked_labels(y), rows.n_rows), threads)
            self.table_ = merge(self.table_, table) if hasattr(self, "table_") else table
        self._scorer = None
        return self

    @available_if(_is_plain)
    def merge(self, other: TCFP) -> TCFP:
        """What `fit` on the documents of both gives, to the last bit. Not with `context`."""
        if not isinstance(other, TCFP):
            raise InputError(f"other is {shown(other)}; give a TCFP.")
        for each in (self, other):
            check_is_fitted(each, "table_")
        _is_plain(other)
        if self.balance != other.balance:
            raise InputError(f"balance is {self.balance!r} here and {other.balance!r} there; set both alike.")
        both = clone(self)
        both.table_ = merge(self.table_, other.table_)
        both.n_features_in_ = both.table_.n_terms
        names = [getattr(each, "feature_names_in_", np.array([])).tolist() for each in (self, other)]
        if names[0] == names[1] != []:
            both.feature_names_in_ = np.array(names[0], object)
        return both

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes, sorted."""
        check_is_fitted(self, "table_")
        return np.array(self.table_.classes)

    @property
    def class_docs_(self) -> Ints:
        """How many documents each class has."""
        check_is_fitted(self, "table_")
        return self.table_.class_docs

    @property
    def several_(self) -> bool:
        """Whether a training document had several labels."""
        check_is_fitted(self, "table_")
        return self.table_.several

    @property
    def term_votes_(self) -> NDArray[np.float32]:
        """How a vote of each term is shared (terms x classes), times the factor of the class if `balance`."""
        return np.asarray(self.to_scorer().term_strengths())

    def to_scorer(self) -> Scorer:
        """What is kept of it once it is trained: linear, unless there is a context."""
        check_is_fitted(self, "table_")
        return self._scorer or self._set_scorer(None)

    def factors(self, class_docs: Ints) -> Floats:
        """What the votes for each class are multiplied by."""
        self._validate()
        return balance_factors(class_docs) if self.balance else np.ones(len(class_docs))

    def _set_scorer(self, partners: Partners | None) -> Scorer:
        shares = vote_shares(self.table_, self.factors(self.table_.class_docs), n_threads(self.n_jobs))
        if partners is None or self.context is None:
            self._scorer = LinearScorer(shares, np.zeros(shares.shape[1]))
        else:
            self._scorer = TCFPScorer(shares, partners, self.context)
        return self._scorer

    def __sklearn_tags__(self) -> Tags:
        """What scikit-learn should know: it is for text, and does poorly on the few dense columns of its checks."""
        tags = super().__sklearn_tags__()
        assert tags.classifier_tags is not None
        tags.classifier_tags.poor_score = True
        return tags

    def _validate(self) -> int:
        if self.context is not None and self.context not in CONTEXTS:
            raise InputError(f"context={shown(self.context)}; use None or one of {', '.join(CONTEXTS)}.")
        if not isinstance(self.balance, bool | np.bool_):
            raise InputError(f"balance={shown(self.balance)}; use True or False.")
        if not (is_whole(self.min_co) and self.min_co >= 1):
            raise InputError(f"min_co={shown(self.min_co)}; use a number of documents from 1.")
        return n_threads(self.n_jobs)
