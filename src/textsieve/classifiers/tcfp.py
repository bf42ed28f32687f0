"""TCFP: text categorization using feature projections (Ko and Seo 2004). The vote of each term is split among classes.

The training documents are projected on each term t, so that a document d is represented by its weight w(t, d) alone.
Let I_t be the documents whose w(t, d) is at least the mean of w(t, d) over all documents that contain t. Only these
documents count for t, because they are the ones in which t is more important than usual. The vote of t is split among
the classes by their weights in I_t,

    r(c, t) = (sum of w(t, d) over the d in I_t that are in c) / (sum of w(t, d) over all d in I_t),

and a new document d gets the class c with the most votes: vote[c] = sum over the terms t of d of w(t, d) r(c, t). This
is linear, so a `TCFP` that was trained without context (see below) is a `LinearScorer` with r as its coefficients. It
can be updated with more documents, as naive Bayes can, and predicts as fast.

A class with many documents has many votes. With `balance`, vote[c] is multiplied by (size of the largest class / size
of c) (formula 9).

**Context.** Terms that vote one by one ignore each other. With `context`, a term counts more in a document with terms
that it also occurred with in training: w(t, d) in vote[c] becomes w(t, d) (1 + f). Here f combines the factors f(t, u)
of t with the other terms u of the document: it is the largest of them ("best"), or their mean ("mean"); the paper does
not say which. If t has no factor with any of them, f is 0.

A pair of terms t and u has a factor if some training document contains both. Let co(t, u) be the largest number of
documents of any single class that contain both, cf the number of classes that have a document with both, and max_co the
largest co of all pairs. Then (formula 7)

    f(t, u) = 1 / (1 + ln cf) x (1 + ln co(t, u)) / (1 + ln max_co).

The factor is at most 1. It is large for terms that often occur together, and in few classes. It is symmetric: f(t, u) =
f(u, t). A multilabel document counts in each of its classes.

A weight of 0 means that the term is absent. A term that no training document contains has no vote.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from ..arrays import CSR, Floats, Int32s, Ints
from ..errors import InputError, Setting, shown
from ..estimators import growing
from ..kernels import cooccurrence as kernels
from ..settings import is_whole, n_threads
from ..stats.labels import LabelPairs, label_pairs, validate_label_pairs, validate_labels
from ..threads import parallel_ranges
from .linear import LinearScorer
from .scorer import Scorer
from .tcfp_scorer import CONTEXTS, Partners, TCFPScorer, partner_type
from .vote_table import VoteTable, group_by_term, merge, vote_shares, vote_table
from .voting import VotingEstimator, training_rows

if TYPE_CHECKING:
    from sklearn.utils import Tags


def balance_factors(class_docs: Ints) -> Floats:
    """Return the size of the largest class divided by that of each class.

    An empty class counts as size 1, to avoid a division by zero; it has no votes, so its factor has no effect.
    """
    return np.asarray(class_docs.max(initial=1) / np.maximum(class_docs, 1))


# -- context factors -----------------------------------------------------------------------------------------------

MAX_CODES = 1 << 31
"""The largest number of possible codes. A code is the pair (co, cf) as one integer, and arrays are indexed by code."""

_TERMS_PER_TASK = 1 << 6
"""The number of terms that a thread gets at a time."""


def context_factors(co: Ints, cf: Ints, max_co: int) -> Floats:
    """Return the context factor f of each pair of terms (formula 7 of the paper); all numbers are at least 1.

    Both terms occur in `cf` classes together, and in `co` documents of one class at most; `max_co` is the largest `co`.
    """
    return np.asarray((1.0 + np.log(co)) / ((1.0 + np.log(cf)) * (1.0 + np.log(max_co))))


def find_partners(rows: CSR, pairs: LabelPairs, context: str, min_co: int, threads: int) -> Partners:
    """Return the list of partners of each term: the terms with which it has a factor, the largest factor first.

    The lists have the format of `TCFPScorer`, in which partners of equal factor form a *run*. Pairs of terms that occur
    together in fewer than `min_co` documents of every class are left out. The factor of a pair depends only on its
    *code*, which is (co, cf) of `context_factors` as one integer.

    Pairs are counted twice, to save memory: the first pass finds the lengths of the lists and the codes that occur, and
    the second writes the lists. Raises `InputError` if there could be more than `MAX_CODES` codes.
    """
    n_terms, class_docs = rows.n_columns, np.diff(pairs.class_starts)
    stride = int(class_docs.max(initial=0)) + 1  # above each possible co; a code is cf * stride + co
    n_codes = stride * (len(class_docs) + 1)  # cf is at most the number of classes
    if n_codes > MAX_CODES:
        raise InputError(
            f"{len(class_docs):,} classes, the largest of {stride - 1:,} documents, are too many for context",
            hint=("use ", Setting("context", None)),
        )
    documents = _document_pairs(rows, pairs)
    # For "mean", a pair is listed for only one of its terms (`once`); see the docstring of `tcfp_scorer`.
    rule = kernels.PartnerRule(once=context == "mean", min_co=min_co, stride=stride)
    n_partners, code_occurs = np.zeros(n_terms, np.int64), np.zeros(n_codes, np.uint8)

    def count(first: int, last: int) -> None:
        """Write the numbers of partners of some terms to `n_partners`, and mark their codes in `code_occurs`."""
        kernels.measure_partners(first, last, documents, rule, code_occurs, n_partners)

    parallel_ranges(count, n_terms, _TERMS_PER_TASK, threads)
    # Rank 0 is the largest factor.
    factor_of_rank, rank_of_code = _rank_factors(np.flatnonzero(code_occurs), stride, n_codes)
    indptr = np.concatenate([[0], np.cumsum(n_partners)])
    partners = np.empty(indptr[-1], partner_type(n_terms))
    n_runs = np.zeros(n_terms, np.int64)
    # For each task, by its first term: the ends and the ranks of the runs of its terms.
    runs: dict[int, tuple[Int32s, Int32s]] = {}

    def write(first: int, last: int) -> None:
        """Write the partners of some terms to `partners`, the numbers of their runs to `n_runs`, and add to `runs`."""
        # A run has at least one partner, and the runs of a term have different factors.
        most_runs = int(np.minimum(n_partners[first:last], len(factor_of_rank)).sum())
        ends, ranks = np.empty(most_runs, np.int32), np.empty(most_runs, np.int32)
        size = kernels.write_partners(
            *(first, last, documents, rule, rank_of_code, len(factor_of_rank)), *(indptr, partners, n_runs, ends, ranks)
        )
        runs[first] = ends[:size].copy(), ranks[:size].copy()

    parallel_ranges(write, n_terms, _TERMS_PER_TASK, threads)
    run_ends = np.concatenate([runs[first][0] for first in sorted(runs)])
    run_ranks = np.concatenate([runs[first][1] for first in sorted(runs)])
    run_indptr = np.concatenate([[0], np.cumsum(n_runs)])
    return Partners(indptr, partners, run_indptr, run_ends, factor_of_rank[run_ranks])


def _rank_factors(codes: Ints, stride: int, n_codes: int) -> tuple[NDArray[np.float32], Int32s]:
    """Return the distinct factors of some codes, the largest first, and the rank of each code's factor among them.

    `codes` are those that occur. The array of ranks has an element for each of `n_codes` possible codes, so that it can
    be indexed by code; codes that do not occur have 0.
    """
    cf, co = codes // stride, codes % stride
    factors = context_factors(co, cf, int(co.max(initial=1))).astype(np.float32)
    ascending, position = np.unique(factors, return_inverse=True)
    rank_of_code = np.zeros(n_codes, np.int32)
    rank_of_code[codes] = len(ascending) - 1 - position  # counted from the largest factor
    return ascending[::-1], rank_of_code


def _document_pairs(rows: CSR, pairs: LabelPairs) -> kernels.DocumentPairs:
    """Return the (document, class) pairs in the format of the kernels; terms are ranked by descending frequency."""
    projections = group_by_term(rows, pairs.documents)
    term_of_freq_rank = np.argsort(-np.diff(projections.indptr), kind="stable").astype(np.int32)
    freq_rank_of_term = np.empty(rows.n_columns, np.int32)
    freq_rank_of_term[term_of_freq_rank] = np.arange(rows.n_columns)
    return kernels.DocumentPairs(
        term_starts=projections.indptr,
        pairs=projections.positions,
        classes=np.repeat(np.arange(len(pairs.classes), dtype=np.int32), np.diff(pairs.class_starts)),
        documents=pairs.documents,
        indptr=rows.indptr.astype(np.int64, copy=False),
        freq_ranks=freq_rank_of_term[rows.indices],
        data=rows.data,
        term_of_freq_rank=term_of_freq_rank,
        freq_rank_of_term=freq_rank_of_term,
    )


# -- the classifier ------------------------------------------------------------------------------------------------


def _can_add_documents(estimator: TCFP) -> bool:
    """Return True if documents can be added later, or raise `InputError`.

    With context they can't: the table stores the weights of each term, but not which terms occur together.
    `available_if` turns the error into an `AttributeError`, so that `hasattr` is False for methods that add documents.
    """
    if estimator.context is not None:
        raise InputError(
            "partial_fit and merge are for context=None",
            setting="context",
            value=estimator.context,
            hint="fit all documents at once",
        )
    return True


class TCFP(VotingEstimator):
    """Classify by votes of the terms, each split among the classes by the term's weights in training.

    Weights must be 0 or more, such as those of `TermWeighter` (log x plain x l2 in the paper). Documents may have one
    label or several; a multilabel document counts once in each of its classes, and once for the mean weight of a term.
    Unlabelled documents are left out.

    Parameters
    ----------
    context : None, "best" or "mean"
        Whether a term counts more in a document with terms that it occurred with in training. None: no. "best": by its
        largest factor with another term of the document. "mean": by the mean of these factors.
    balance : bool
        Whether the votes for a class are multiplied by (size of the largest class / size of the class).
    min_co : int
        For `context`: two terms have a factor if at least this many documents of some class contain both. The paper
        uses 1; 2 makes a model about half as large.
    n_jobs : int or None
        Number of threads; -1 uses all cores. The result does not depend on it.

    Attributes
    ----------
    classes_ : the classes, sorted
    class_docs_ : the number of documents of each class
    term_votes_ : array, terms x classes: how each term's vote is split, times the factor of the class if `balance`
    table_ : the table to which `partial_fit` adds documents; see `vote_table` for its size

    Examples
    --------
    >>> from textsieve import TCFP
    >>> X = [[2, 0, 1, 0], [1, 1, 0, 0], [0, 2, 1, 1], [0, 1, 0, 2]]  # counts: documents x terms
    >>> y = ["sport", "sport", "politics", "politics"]
    >>> TCFP().fit(X, y).predict([[1, 0, 0, 0], [0, 0, 0, 1]])
    array(['sport', 'politics'], dtype='<U8')
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
        pairs = validate_label_pairs(y, rows.n_rows, "TCFP")
        table = vote_table(rows, pairs, threads)
        partners = None if self.context is None else find_partners(rows, pairs, self.context, self.min_co, threads)
        self.table_ = table
        self._set_scorer(partners)
        return self

    @available_if(_can_add_documents)
    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Add more documents; the result is that of `fit` on all of them, to the last bit. Not with `context`.

        New columns and classes may appear; `classes` is not needed.
        """
        threads = self._validate()
        with growing(self, X) as matrix:
            rows = training_rows(matrix, "TCFP")
            table = vote_table(rows, label_pairs(validate_labels(y), rows.n_rows), threads)
            self.table_ = merge(self.table_, table) if hasattr(self, "table_") else table
        self._scorer = None  # `to_scorer` computes it when it is needed
        return self

    @available_if(_can_add_documents)
    def merge(self, other: TCFP) -> TCFP:
        """Return the estimator that `fit` gives for the documents of `self` and `other`, to the last bit.

        Not with `context`.
        """
        if not isinstance(other, TCFP):
            raise InputError(f"other is {shown(other)}", hint="give a TCFP")
        for estimator in (self, other):
            check_is_fitted(estimator, "table_")
        _can_add_documents(other)  # for `self`, `available_if` has checked it
        if self.balance != other.balance:
            raise InputError(
                f"balance is {self.balance!r} here and {other.balance!r} in the other", hint="use the same for both"
            )
        names, other_names = (
            getattr(estimator, "feature_names_in_", np.array([])).tolist() for estimator in (self, other)
        )
        for number, (name, other_name) in enumerate(zip(names, other_names, strict=False)):
            if name != other_name:
                raise InputError(
                    f"Column {number} is {shown(name)} here and {shown(other_name)} in the other",
                    hint="fit both to the same columns",
                )
        both = clone(self)
        both.table_ = merge(self.table_, other.table_)
        both.n_features_in_ = both.table_.n_terms
        if names and names == other_names:  # otherwise the names of some columns are unknown
            both.feature_names_in_ = np.array(names, object)
        return both

    @property
    def classes_(self) -> NDArray[Any]:
        """Return the classes, sorted."""
        check_is_fitted(self, "table_")
        return np.array(self.table_.classes)

    @property
    def class_docs_(self) -> Ints:
        """Return the number of documents of each class."""
        check_is_fitted(self, "table_")
        return self.table_.class_docs

    @property
    def multilabel_(self) -> bool:
        """Return whether a training document had several labels."""
        check_is_fitted(self, "table_")
        return self.table_.multilabel

    @property
    def term_votes_(self) -> NDArray[np.float32]:
        """Return how each term's vote is split (terms x classes), times the factor of the class if `balance`."""
        return np.asarray(self.to_scorer().term_strengths())

    def to_scorer(self) -> Scorer:
        """Return the scorer that a model stores: linear, unless there is a context."""
        check_is_fitted(self, "table_")
        # With context, `fit` has set the scorer. Without, `partial_fit` and `merge` leave it to be computed here.
        return self._scorer or self._set_scorer(partners=None)

    def factors(self, class_docs: Ints) -> Floats:
        """Return the factor by which the votes for each class are multiplied; 1 without `balance`."""
        self._validate()  # raises InputError for invalid settings
        return balance_factors(class_docs) if self.balance else np.ones(len(class_docs))

    def _set_scorer(self, partners: Partners | None) -> Scorer:
        """Compute the votes of the terms from the table; store and return the scorer, linear if `partners` is None."""
        shares = vote_shares(self.table_, self.factors(self.table_.class_docs), n_threads(self.n_jobs))
        if partners is None or self.context is None:  # there are partners only if there is a context
            self._scorer = LinearScorer(shares, np.zeros(shares.shape[1]))
        else:
            self._scorer = TCFPScorer(shares, partners, self.context)
        return self._scorer

    def __sklearn_tags__(self) -> Tags:
        """Tell scikit-learn's checks to expect poor scores: TCFP is for text, and their data has few, dense columns."""
        tags = super().__sklearn_tags__()
        assert tags.classifier_tags is not None
        tags.classifier_tags.poor_score = True
        return tags

    def _validate(self) -> int:
        """Return the number of threads; raise `InputError` for invalid settings."""
        if self.context is not None and self.context not in CONTEXTS:
            raise InputError(setting="context", value=self.context, hint=f"use None or one of {', '.join(CONTEXTS)}")
        if not isinstance(self.balance, bool | np.bool_):
            raise InputError(setting="balance", value=self.balance, hint="use True or False")
        if not (is_whole(self.min_co) and self.min_co >= 1):
            raise InputError(setting="min_co", value=self.min_co, hint="use a number of documents from 1")
        return n_threads(self.n_jobs)
