"""What all selectors share: where scores come from, how many terms stay, and who wins a tie.

A method is a function from `ClassStats` to one score per term. The rest is here: `fit` makes the statistics,
`partial_fit` adds to them, `fit_stats` takes them ready-made. Terms are ranked by score, equal scores by the lower
column, and the best are kept: `k` of them, or those above a minimum score. A method to which statistics are not enough
may go through the documents once more (`_read`), batch by batch.
"""

from __future__ import annotations

import warnings
from abc import ABCMeta, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, csr_matrix
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from ..errors import InputError, UnfitDocuments, shown
from ..estimators import growing, refuse_texts
from ..settings import is_whole
from ..stats import ClassStats
from ..stats.sample_weights import check_weights, drop_weightless
from ..stats.soundness import in_order
from ..stats.sums import Floats, Ints

if TYPE_CHECKING:
    from sklearn.utils import Tags

ScoreForClass = Callable[[int], Floats]
"""The number of a class -> one score per term, above 0 where the term speaks for the class."""

Documents = Callable[[], Iterable[csr_matrix]]
"""Begins to go through the documents once more, in batches of rows: those that statistics were made of."""

Limit = int | float | str | None
"""How many terms to keep: a number, a share of all, "all", or None for the default."""

DEFAULT_K = 1000


def ranked(scores: Floats) -> Ints:
    """The columns from the best score to the worst; the lower column first where scores are equal."""
    return np.argsort(-scores, kind="stable")


def limit_of(k: Limit, n_terms: int) -> int | None:
    """How many terms `k` stands for; None is no limit."""
    if k is None or k == "all":
        return None
    if is_whole(k) and k >= 1:
        return int(k)
    if isinstance(k, float | np.floating) and 0.0 < k <= 1.0:
        return max(1, round(float(k) * n_terms))
    raise InputError(f"k={k!r}; use a number of terms from 1, a share above 0.0 and up to 1.0, or 'all'.")


class TermSelector(SelectorMixin, BaseEstimator, metaclass=ABCMeta):
    """Keeps the columns with the best scores.

    Attributes
    ----------
    scores_ : array of one score per term
    ranking_ : array of all columns, the best first
    classes_ : the classes, sorted
    stats_ : the `ClassStats` that the scores come from
    """

    k: Limit
    k_changes_the_method: ClassVar[bool] = False
    """Whether `k` decides what is chosen, and not only how much of it is kept."""
    says_how_many: ClassVar[bool] = False
    """Whether the method itself says how many terms there are, where nobody else does."""
    stats_: ClassStats
    _chosen: tuple[Floats, Ints, NDArray[np.bool_]] | None = None

    def _needs_labels(self) -> bool:
        return True

    def _without_labels(self) -> str:
        """What else to say of missing labels; it begins with a space."""
        return ""

    @property
    def _no_label(self) -> Any:
        """The label of documents that have none, if there is one."""
        return getattr(self, "unlabelled", None)

    def check_settings(self) -> None:  # most settings are checked where they are used
        """Refuse settings that mean nothing for any documents, so that nobody need read documents to find out."""

    def _read(self, documents: Documents | None, weights: Floats | None) -> None:
        """Look at the documents once more, once their statistics are there; None: they are not to be had.

        Most methods need no more than the statistics. `weights` says how many times each document counts; None: once.
        """

    @abstractmethod
    def _score(self, stats: ClassStats) -> Floats:
        """One score per term."""

    def _class_scorer(self, stats: ClassStats) -> ScoreForClass:
        """How terms are scored for one class alone; by a method that knows no classes, by its documents."""
        return lambda number: np.where(stats.favours(number), stats.class_doc_freq(number), 0.0)

    def _rank_for_class(self, number: int, columns: Ints, scores: Floats) -> Ints:
        """The places of some columns from the best to the worst for a class; the lower column first among equals."""
        return ranked(scores)

    def _score_and_rank(self, stats: ClassStats) -> tuple[Floats, Ints]:
        """One score per term, and the columns from the best to the worst."""
        scores = self._score(stats)
        return scores, ranked(scores)

    def _least_score(self, stats: ClassStats) -> float | None:
        """The score that a term needs to be kept."""
        least = getattr(self, "min_score", None)
        if least is not None and not (isinstance(least, float | int | np.number) and np.isfinite(least)):
            raise InputError(f"min_score={least!r}; use a number.")
        return None if least is None else float(least)

    def _most(self, scores: Floats, ranking: Ints) -> int | None:
        """How many terms are kept at the most."""
        others = (getattr(self, name, None) for name in ("min_score", "energy", "min_df"))
        if self.k is None and all(other is None for other in others):
            return DEFAULT_K
        return limit_of(self.k, len(scores))

    # -- fitting -------------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Score and select the columns of a (sparse) matrix of documents, with their labels.

        A document of `sample_weight` 3 counts as three copies of it, and one of weight 0 as if it were left out.
        """
        if y is None and self._needs_labels():
            raise InputError(
                f"{type(self).__name__} requires y to be passed, but the target y is None.{self._without_labels()}"
            )
        refuse_texts(X)
        rows = validate_data(self, X, accept_sparse="csr", accept_large_sparse=True)
        weights = check_weights(sample_weight, rows.shape[0])
        if weights is not None:
            rows, y, weights = drop_weightless(in_order(csr_array(rows)), y, weights)
        stats = ClassStats.from_matrix(rows, y, unlabelled=self._no_label, sample_weight=weights)
        return self._fit_own(stats, lambda: [csr_matrix(rows)], weights)

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Add more documents; those without a label count for the totals. More columns than before may come.

        Labels may come later too: that there are enough of them is asked when scores are read.
        """
        refuse_texts(X)
        with growing(self, X) as rows:
            if hasattr(self, "stats_"):
                self.stats_.update(rows, y, unlabelled=self._no_label, sample_weight=sample_weight)
            else:
                self.stats_ = ClassStats.from_matrix(rows, y, unlabelled=self._no_label, sample_weight=sample_weight)
        self._chosen = None
        return self

    def fit_stats(self, stats: ClassStats, documents: Documents | None = None, sample_weight: Any = None) -> Self:
        """Score and select from statistics that are there already.

        `documents`, called, goes through the rows that they were made of; for methods that must look at them again.
        `sample_weight` has the weights of these documents, if the statistics were made with weights.
        """
        if not isinstance(stats, ClassStats):
            raise InputError(f"stats is {shown(stats)}; give a ClassStats, or call fit with a matrix and labels.")
        self.n_features_in_ = stats.n_terms
        own = stats.copy() if self._no_label is None else stats.without_class(self._no_label)
        return self._fit_own(own, documents, sample_weight)

    def _fit_own(self, stats: ClassStats, documents: Documents | None, weights: Floats | None) -> Self:
        self._require_documents(stats)
        self.stats_ = stats
        self._read(documents, weights)
        self._chosen = self._choose()
        return self

    def _require_documents(self, stats: ClassStats) -> None:
        """Refuse statistics from which nothing can be chosen."""
        if stats.n_documents == 0:
            raise UnfitDocuments("There are no documents to select terms from.")
        if self._needs_labels():
            _require_classes(stats, self._without_labels())

    def _choose(self) -> tuple[Floats, Ints, NDArray[np.bool_]]:
        """Scores, ranking, and which columns are kept."""
        stats = self.stats_
        scores, ranking = self._score_and_rank(stats)
        if is_whole(self.k) and self.k > len(scores):
            message = f"k={self.k:,} terms were asked for, but there are {len(scores):,}: all are kept."
            warnings.warn(message, stacklevel=4)  # where fit was called, or an attribute read after partial_fit
        kept = ranking[: self._most(scores, ranking)]
        least = self._least_score(stats)
        if least is not None:
            kept = kept[scores[kept] >= least]
        support = np.zeros(len(scores), np.bool_)
        support[kept] = True
        return scores, ranking, support

    def _fitted(self) -> tuple[Floats, Ints, NDArray[np.bool_]]:
        check_is_fitted(self, "stats_")
        if self._chosen is None:
            self._require_documents(self.stats_)
            self._chosen = self._choose()
        return self._chosen

    # -- reading -------------------------------------------------------------------------------------------------

    @property
    def scores_(self) -> Floats:
        """The score of each column."""
        return self._fitted()[0]

    @property
    def ranking_(self) -> Ints:
        """All columns, the best first."""
        return self._fitted()[1]

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes, sorted."""
        check_is_fitted(self, "stats_")
        return np.array(self.stats_.classes)

    def best_by_class(self, n: int) -> Iterator[tuple[Ints, Floats]]:
        """For each class in turn, the columns of the n terms that speak most for it, and their scores; best first."""
        check_is_fitted(self, "stats_")
        self._require_documents(self.stats_)
        scores_for = self._class_scorer(self.stats_)
        for number in range(len(self.stats_.classes)):
            scores = scores_for(number)
            speaking = np.flatnonzero(scores > 0)
            best = speaking[self._rank_for_class(number, speaking, scores[speaking])[:n]]
            yield best, scores[best]

    def kept_columns(self) -> Ints:
        """The columns that are kept, the best first."""
        _, ranking, support = self._fitted()
        return np.asarray(ranking[support[ranking]])

    def _get_support_mask(self) -> NDArray[np.bool_]:
        return self._fitted()[2]

    def __sklearn_tags__(self) -> Tags:
        """What scikit-learn should know: sparse matrices in, labels needed or not, several labels or one."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = self._needs_labels()
        tags.target_tags.two_d_labels = True
        return tags


def _require_classes(stats: ClassStats, more: str) -> None:
    if stats.n_pairs == 0:  # though a matrix of 0 and 1 may have columns, and so classes
        raise UnfitDocuments(
            "No document has a label, so there are no classes to tell apart. In a folder, sub-folders are the classes; "
            "in a table, say which column has the labels: textsieve.read(path, label=...)." + more
        )
    if len(stats.classes) == 1:
        n_without = stats.n_documents - stats.class_docs[0].item()
        raise UnfitDocuments(
            f"Only one class, {stats.classes[0]!r}, so there is nothing to tell apart; give documents of at least "
            "two classes." + (f" ({n_without:,} documents have no label.)" if n_without else "") + more
        )
