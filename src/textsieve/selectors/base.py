"""The base class of all selectors: it computes statistics, ranks terms, limits their number and breaks ties.

Most subclasses define only `score_terms`, which computes one score per term from `ClassStats`. The base class does the
rest: `fit` computes the statistics, `partial_fit` adds to them, and `fit_stats` takes existing ones. Terms are ranked
by score; of equal scores, the lower column comes first. The selector keeps the best `k` terms, or those with at least a
minimum score; if both limits are set, both apply. A method that needs more than the statistics overrides
`_read_documents`, where it can read the documents a second time, in batches, together with their labels.
"""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, csr_matrix
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from ..arrays import Floats, Ints
from ..errors import InputError, Setting, UnfitDocuments, counted, shown, warn
from ..estimators import growing, refuse_texts
from ..settings import is_whole
from ..stats import ClassStats
from ..stats.labels import label_pairs
from ..stats.matrix import sort_columns
from ..stats.weights import check_weights, drop_weightless

if TYPE_CHECKING:
    from sklearn.utils import Tags

ScoreForClass = Callable[[int], Floats]
"""A function from the number of a class to one score per term, above 0 if the term favours the class."""

ReadAgain = Callable[[], Iterable[csr_matrix]]
"""A function that starts a new pass over the documents of the statistics and returns them in batches of rows."""

Limit = int | float | str | None
"""The number of terms to select: a number, a fraction of all terms, "all", or None for the default."""

DEFAULT_K = 1000
"""The number of terms to select if no setting limits it."""


def without_duplicates(rows: csr_matrix) -> csr_matrix:
    """Return rows whose columns ascend without duplicates; duplicates are added up. The argument is not changed."""
    if rows.has_canonical_format:
        return rows
    rows = rows.copy()
    rows.sum_duplicates()
    return rows


def rank_by_score(scores: Floats) -> Ints:
    """Return the columns from the best score to the worst; of equal scores, the lower column comes first."""
    return np.argsort(-scores, kind="stable")


def resolve_k(k: Limit, n_terms: int) -> int | None:
    """Return the number of terms that the setting `k` means for `n_terms` terms, or None for no limit.

    A whole number is returned as it is, even above `n_terms`; a fraction of all terms is rounded, to at least 1. Raises
    `InputError` for anything else.
    """
    if k is None or k == "all":
        return None
    if is_whole(k) and k >= 1:
        return int(k)
    if isinstance(k, float | np.floating) and 0.0 < k <= 1.0:
        return max(1, round(float(k) * n_terms))
    raise InputError(
        setting="k", value=k, hint="use a number of terms from 1, a share above 0.0 and up to 1.0, or 'all'"
    )


class TermSelection(NamedTuple):
    """The scores of all columns, all columns from best to worst, and a mask of the selected columns."""

    scores: Floats
    ranking: Ints
    support: NDArray[np.bool_]


class TermSelector(SelectorMixin, BaseEstimator, metaclass=ABCMeta):
    """Base class of selectors, which keep the columns with the best scores.

    Attributes
    ----------
    scores_ : array of one score per term
    ranking_ : array of all columns, the best first
    classes_ : the classes, sorted
    stats_ : the `ClassStats` that the scores were computed from
    """

    k: Limit
    depends_on_k: ClassVar[bool] = False
    """True if `k` changes the ranking itself, and not only how much of it is selected."""
    chooses_own_k: ClassVar[bool] = False
    """True if the method itself determines the number of selected terms when no limit is given."""
    stats_: ClassStats
    _selection: TermSelection | None = None
    """None before fitting, and after `partial_fit` until an attribute is read."""

    # -- the method, which subclasses define ---------------------------------------------------------------------

    def _needs_labels(self) -> bool:
        """Return whether the method needs labels, of at least two classes."""
        return True

    def _missing_labels_hint(self) -> str:
        """Return text to append to error messages about missing labels; it begins with a space or is empty."""
        return ""

    @property
    def _unlabelled_marker(self) -> Any:
        """Return the label that marks documents as unlabelled, or None; only some selectors have this setting."""
        return getattr(self, "unlabelled", None)

    def check_settings(self) -> None:
        """Raise `InputError` for settings that are invalid for any documents, before documents are read.

        By default, do nothing: most settings are checked when they are used.
        """

    def _read_documents(self, documents: ReadAgain | None, sample_weight: Floats | None, labels: Any) -> None:
        """Read the documents a second time if the method needs more than `stats_`; by default, do nothing.

        `documents` and `labels` are None if they are not available; `label_pairs` converts the labels. `sample_weight`
        is None if each document counts once.
        """

    @abstractmethod
    def score_terms(self, stats: ClassStats) -> Floats:
        """Return one score per term."""

    def class_scorer(self, stats: ClassStats) -> ScoreForClass:
        """Return a function that scores the terms for a single class, given its number, for tables of the best terms.

        A score is above 0 if the term favours the class. By default, these are the terms that are in a larger share of
        the class's documents than of all documents. Their scores are those of `score_terms`; if some of these are
        negative, all are raised so that the lowest is 0. All other terms get 0. Override this for a method that scores
        each class.
        """
        scores = self.score_terms(stats)
        scores = scores - min(scores.min(initial=0.0), 0.0)  # without negative scores, subtracts 0
        return lambda number: np.where(stats.favours(number), scores, 0.0)

    def _rank_for_class(self, number: int, columns: Ints, scores: Floats) -> Ints:
        """Rank some columns for a class: return their positions in `columns`, from the best column to the worst.

        `number` is the number of the class, `columns` are ascending, and `scores` has the score of each of them for the
        class: for columns `[3, 5]` with the scores `[0.1, 0.9]`, return `[1, 0]`. Of equal scores, the lower column
        comes first. Subclasses that break ties in another way need `number` and `columns`.
        """
        return rank_by_score(scores)

    def _score_and_rank(self, stats: ClassStats) -> tuple[Floats, Ints]:
        """Return one score per term, and the columns from best to worst."""
        scores = self.score_terms(stats)
        return scores, rank_by_score(scores)

    def least_score(self, stats: ClassStats) -> float | None:
        """Return the minimum score of selected terms, or None for no minimum; raise `InputError` if it is invalid."""
        min_score = getattr(self, "min_score", None)  # not all selectors have this setting
        if min_score is not None and not (isinstance(min_score, float | int | np.number) and np.isfinite(min_score)):
            raise InputError(setting="min_score", value=min_score, hint="use a number")
        return None if min_score is None else float(min_score)

    def most_terms(self, scores: Floats, ranking: Ints) -> int | None:
        """Return the maximum number of selected terms, or None for no limit.

        It is the setting `k`, or `DEFAULT_K` if neither `k` nor another setting limits the terms. Subclasses whose
        limit depends on the best scores also use `ranking`, all columns from best to worst.
        """
        # Each selector has only some of these settings; a missing one is no limit.
        other_limits = (getattr(self, name, None) for name in ("min_score", "energy", "min_df"))
        if self.k is None and all(limit is None for limit in other_limits):
            return DEFAULT_K
        return resolve_k(self.k, len(scores))

    # -- fitting -------------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Score and select the columns of a (sparse) document-term matrix with its labels.

        A document with `sample_weight` 3 counts like three copies of it; one with weight 0 is ignored.
        """
        if y is None and self._needs_labels():
            raise InputError(
                f"{type(self).__name__} requires y to be passed, but the target y is None.{self._missing_labels_hint()}"
            )
        refuse_texts(X)
        rows = validate_data(self, X, accept_sparse="csr", accept_large_sparse=True)
        weights = check_weights(sample_weight, rows.shape[0])
        if weights is not None:
            # `sort_columns` raises an error for inconsistent CSR arrays, before rows are taken from them.
            rows, y, weights = drop_weightless(sort_columns(csr_array(rows)), y, weights)
        labels = label_pairs(y, rows.shape[0], self._unlabelled_marker)
        stats = ClassStats.from_matrix(rows, labels, sample_weight=weights)
        # All documents are one batch.
        return self._select(stats, documents=lambda: [csr_matrix(rows)], sample_weight=weights, labels=labels)

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Add documents to the statistics; their matrix may have more columns than before.

        Unlabelled documents count only in the statistics over all documents, not in those of classes. The first
        documents need not have labels, because the labels are only checked when scores or selected terms are read:
        then documents of at least two classes must have been added, unless the method needs no labels.
        """
        refuse_texts(X)
        with growing(self, X) as rows:
            if hasattr(self, "stats_"):
                self.stats_.update(rows, y, unlabelled=self._unlabelled_marker, sample_weight=sample_weight)
            else:
                self.stats_ = ClassStats.from_matrix(
                    rows, y, unlabelled=self._unlabelled_marker, sample_weight=sample_weight
                )
        self._selection = None  # `_fitted_selection` computes it when it is needed
        return self

    def fit_stats(
        self,
        stats: ClassStats,
        documents: ReadAgain | None = None,
        sample_weight: Any = None,
        labels: Any = None,
    ) -> Self:
        """Score and select from existing statistics.

        `documents` is a function that returns the documents of the statistics in batches of rows; some methods need to
        read them again. `sample_weight` has the weights of these documents if the statistics were computed with
        weights. `labels` has the labels of these documents, in any form that `fit` takes; `WeightSelection` needs them.
        """
        if not isinstance(stats, ClassStats):
            raise InputError(f"stats is {shown(stats)}", hint="give a ClassStats, or call fit with a matrix and labels")
        self.n_features_in_ = stats.n_terms
        marker = self._unlabelled_marker
        # A copy, because partial_fit changes the selector's statistics in place.
        own_stats = stats.copy() if marker is None else stats.without_class(marker)
        return self._select(own_stats, documents, sample_weight, labels)

    def _select(
        self, stats: ClassStats, documents: ReadAgain | None, sample_weight: Floats | None, labels: Any
    ) -> Self:
        """Store the statistics, let the method read the documents again if it needs to, and select terms."""
        self._require_documents(stats)
        self.stats_ = stats
        self._read_documents(documents, sample_weight, labels)
        self._selection = self._rank_and_select()
        return self

    def _require_documents(self, stats: ClassStats) -> None:
        """Raise `UnfitDocuments` if nothing can be selected from the statistics."""
        if stats.n_documents == 0:
            raise UnfitDocuments("There are no documents to select terms from.")
        if self._needs_labels():
            _require_classes(stats, self._missing_labels_hint())

    def _rank_and_select(self) -> TermSelection:
        """Score and rank all terms, and select the best within the limits of the settings."""
        stats = self.stats_
        scores, ranking = self._score_and_rank(stats)
        if is_whole(self.k) and self.k > len(scores):
            warn((Setting("k", self.k), f", but there are {len(scores):,} terms; all of them are kept."))
        selected = ranking[: self.most_terms(scores, ranking)]
        min_score = self.least_score(stats)
        if min_score is not None:
            selected = selected[scores[selected] >= min_score]
        support = np.zeros(len(scores), np.bool_)
        support[selected] = True
        return TermSelection(scores, ranking, support)

    def _ensure_selected(self) -> None:
        """Raise `NotFittedError` before fitting; select terms if that was not done since the last `partial_fit`."""
        self._fitted_selection()

    def _fitted_selection(self) -> TermSelection:
        """Return the scores, the ranking and the selected terms; they are computed on first use after `partial_fit`."""
        check_is_fitted(self, "stats_")
        if self._selection is None:
            self._require_documents(self.stats_)
            self._selection = self._rank_and_select()
        return self._selection

    # -- reading -------------------------------------------------------------------------------------------------

    @property
    def scores_(self) -> Floats:
        """Return the score of each column."""
        return self._fitted_selection().scores

    @property
    def ranking_(self) -> Ints:
        """Return all columns, the best first."""
        return self._fitted_selection().ranking

    @property
    def classes_(self) -> NDArray[Any]:
        """Return the classes, sorted."""
        check_is_fitted(self, "stats_")
        return np.array(self.stats_.classes)

    def best_by_class(self, n: int) -> Iterator[tuple[Ints, Floats]]:
        """Yield for each class the columns of the n terms that favour it most, and their scores, the best first.

        A term favours a class if its score for the class is above 0. If fewer than n terms do, only these are yielded.
        """
        check_is_fitted(self, "stats_")
        self._require_documents(self.stats_)
        scores_for = self.class_scorer(self.stats_)
        for number in range(len(self.stats_.classes)):
            scores = scores_for(number)
            favouring = np.flatnonzero(scores > 0)  # the columns of terms that favour the class
            best = favouring[self._rank_for_class(number, favouring, scores[favouring])[:n]]
            yield best, scores[best]

    def selected_columns(self) -> Ints:
        """Return the selected columns, the best first."""
        _, ranking, support = self._fitted_selection()
        return np.asarray(ranking[support[ranking]])

    def _get_support_mask(self) -> NDArray[np.bool_]:
        """Return a mask of the selected columns, for scikit-learn's `SelectorMixin`."""
        return self._fitted_selection().support

    def __sklearn_tags__(self) -> Tags:
        """Return the scikit-learn tags: sparse input, whether labels are required, and multilabel targets."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = self._needs_labels()
        tags.target_tags.two_d_labels = True
        return tags


def _require_classes(stats: ClassStats, hint: str) -> None:
    """Raise `UnfitDocuments` unless some document has a label and there are at least two classes.

    One of the classes may have no documents. `hint` is appended to the message.
    """
    if stats.n_pairs == 0:  # the columns of an indicator matrix of zeros are classes, but no document has a label
        raise UnfitDocuments(
            "No document has a label, so there are no classes to tell apart",
            hint=(
                "In a folder, sub-folders are the classes; in a table, name the column of the labels with ",
                Setting("label"),
                f".{hint}",
            ),
        )
    if len(stats.classes) == 1:
        n_without = stats.n_documents - stats.class_docs[0].item()
        of_unlabelled = f" ({counted(n_without, 'document has', 'documents have')} no label.)" if n_without else ""
        raise UnfitDocuments(
            f"Only one class, {stats.classes[0]!r}, so there is nothing to tell apart; give documents of at least "
            f"two classes.{of_unlabelled}{hint}"
        )
