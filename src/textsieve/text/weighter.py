"""`TermWeighter`: turn counts into weights.

A weight is tf x idf, then the weights of each document are optionally scaled:

- tf: the count (`tf`), 1 (`binary`), 1 + ln of the count (`log`), or 1 + ln of that (`loglog`);
- idf: 1 (`none`), ln(N/df) (`plain`), or ln((1+N)/(1+df)) + 1 (`smooth`, scikit-learn's), where N is the number of
  fitted documents, and df the number of those that contain the term;
- norm: `l2` (the squares of a document's weights sum to 1), `l1` (their absolute values do) or `none`.

The weights called `ltc` (Pons-Porrata et al.; Ko and Seo) are log x plain x l2; scikit-learn's
`TfidfVectorizer(sublinear_tf=True)` is log x smooth x l2. Only stored values are weighed, so a sparse matrix stays
sparse. `plain` gives a term that occurs in every fitted document the weight 0; for a term that occurs in none, it is
computed with df = 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from ..arrays import CSR, Floats, Ints
from ..errors import InputError, Setting
from ..estimators import as_configured, growing
from .weights import INVERSE_FREQUENCIES, NORMS, TERM_FREQUENCIES, weigh

if TYPE_CHECKING:
    from sklearn.utils import Tags

LOGARITHMS = ("log", "loglog")
"""The values of `tf` that need counts of 0 or more."""


class TermWeighter(OneToOneFeatureMixin, TransformerMixin, BaseEstimator, auto_wrap_output_keys=None):
    """Weigh the counts of terms.

    Parameters
    ----------
    tf : {"tf", "binary", "log", "loglog"}
        The term frequency: the count, 1, 1 + ln(count), or 1 + ln(1 + ln(count)).
    idf : {"none", "plain", "smooth"}
        The inverse document frequency: 1, ln(N/df), or ln((1+N)/(1+df)) + 1, if df of N fitted documents contain the
        term.
    norm : {"l2", "l1", "none"}
        How the weights of each document are scaled: their squares ("l2") or absolute values ("l1") sum to 1, or they
        are not scaled ("none").

    Attributes
    ----------
    idf_ : array of shape (n_terms,)
        The factor of each term.
    doc_freq_ : array of shape (n_terms,)
        The number of fitted documents that contain each term.
    n_documents_ : int
        The number of fitted documents.

    Examples
    --------
    >>> from textsieve import TermCounter, TermWeighter
    >>> counts = TermCounter().fit_transform(["the goal, a goal", "the vote"])
    >>> TermWeighter(tf="log").fit_transform(counts).toarray().round(2)
    array([[0.92, 0.39, 0.  ],
           [0.  , 0.58, 0.81]])
    """

    idf_: Floats
    doc_freq_: Ints
    n_documents_: int

    def __init__(self, *, tf: str = "log", idf: str = "smooth", norm: str = "l2") -> None:
        self.tf = tf
        self.idf = idf
        self.norm = norm

    def fit(self, X: Any, y: object = None) -> Self:
        """Learn the document frequency of each term."""
        self._learn(X)
        return self

    def fit_transform(self, X: Any, y: object = None) -> csr_matrix:
        """Learn the document frequency of each term, and weigh the counts; faster than `fit` and `transform`."""
        return self._weigh(self._learn(X))

    def partial_fit(self, X: Any, y: object = None) -> Self:
        """Add more documents to the document frequencies; they may have more columns than the documents before."""
        if not hasattr(self, "doc_freq_"):
            return self.fit(X)
        with growing(self, X) as rows:
            counts = self._check_counts(rows)
        doc_freq = _doc_freq(counts)  # not shorter than before: `growing` raises if there are fewer columns
        doc_freq[: len(self.doc_freq_)] += self.doc_freq_
        self.doc_freq_ = doc_freq
        self.n_documents_ += counts.shape[0]
        self._set_idf()
        return self

    def transform(self, X: Any) -> csr_matrix:
        """Return the weights of counts as a new sparse matrix: float32 if the counts are float32, otherwise float64."""
        check_is_fitted(self, "idf_")
        return self._weigh(self._counts(X, reset=False))

    def _learn(self, X: Any) -> csr_matrix:
        """Check the settings and the counts X, set the fitted attributes, and return the counts as CSR."""
        self._validate()
        counts = self._counts(X, reset=True)
        self.doc_freq_ = _doc_freq(counts)
        self.n_documents_ = counts.shape[0]
        self._set_idf()
        return counts

    def _weigh(self, counts: csr_matrix) -> csr_matrix:
        """Return the weights of counts as a matrix that shares no array with the counts."""
        weights = weigh(CSR.of(counts), tf=self.tf, idf=None if self.idf == "none" else self.idf_, norm=self.norm)
        dtype = np.float32 if counts.dtype == np.float32 else np.float64
        copied = CSR(
            data=weights.data.astype(dtype, copy=False),
            indices=weights.indices.copy(),
            indptr=weights.indptr.copy(),
            n_columns=weights.n_columns,
        )
        return as_configured(copied.matrix())

    def _set_idf(self) -> None:
        """Compute `idf_` from the document frequencies."""
        self.idf_ = INVERSE_FREQUENCIES[self.idf](self.doc_freq_, self.n_documents_)

    def _validate(self) -> None:
        """Raise `InputError` for an invalid setting."""
        for name, allowed in (("tf", TERM_FREQUENCIES), ("idf", INVERSE_FREQUENCIES), ("norm", NORMS)):
            if getattr(self, name) not in allowed:
                raise InputError(setting=name, value=getattr(self, name), allowed=allowed)

    def _counts(self, X: Any, *, reset: bool) -> csr_matrix:
        """Return X as checked CSR counts."""
        return self._check_counts(validate_data(self, X, accept_sparse="csr", accept_large_sparse=True, reset=reset))

    def _check_counts(self, X: Any) -> csr_matrix:
        """Return X with one stored value per cell; raise `InputError` for values that `tf` can't weigh."""
        rows = csr_matrix(X)
        if not rows.has_canonical_format:  # the count of a cell is the sum of its stored values
            rows = rows.copy()
            rows.sum_duplicates()
        if self.tf in LOGARITHMS and rows.nnz and rows.data.min() < 0:
            raise InputError(
                f"Negative values in data passed to TermWeighter: {rows.data.min()}; {self.tf!r} needs counts",
                hint=("use ", Setting("tf", "tf"), " or ", Setting("tf", "binary"), " for other weights"),
            )
        # For a value between 0 and 1, 1 + ln(value) can be negative, and then has no logarithm.
        if self.tf == "loglog" and rows.dtype.kind == "f" and ((rows.data > 0) & (rows.data < 1)).any():
            raise InputError(
                "Values between 0 and 1 passed to TermWeighter; 'loglog' needs counts",
                hint=("use ", Setting("tf", "log")),
            )
        return rows

    def __sklearn_tags__(self) -> Tags:
        """Return the tags for scikit-learn: sparse matrices are accepted; logarithms need positive values."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = self.tf in LOGARITHMS
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _doc_freq(counts: csr_matrix) -> Ints:
    """Return the number of rows in which each column is not 0."""
    nonzero_columns = counts.indices if counts.data.all() else counts.indices[counts.data != 0]
    return np.bincount(nonzero_columns, minlength=counts.shape[1])
