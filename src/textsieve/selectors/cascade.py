"""Chained selectors: each selects among the terms that the one before it selected, from one table of statistics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import clone

from ..arrays import Floats, Ints
from ..errors import InputError
from ..stats import ClassStats
from .base import ReadAgain, ScoreForClass, TermSelection, TermSelector


class Cascade(TermSelector):
    """Chain selectors: `Cascade([DocumentFrequency(min_df=0.01), InformationGain(k=5000)])`.

    `scores_` are those of the last selector, and minus infinity for terms that did not reach it. `ranking_` has first
    the terms that reached the last selector, as it ranks them, and then the terms that earlier selectors dropped: those
    that the second last dropped, and so on, down to those that the first dropped.

    Parameters
    ----------
    selectors : list of selectors
        The selectors in the order in which they are applied.

    Examples
    --------
    >>> from textsieve import Cascade, ChiSquare, ForwardSelection
    >>> X = [[2, 0, 1, 0], [1, 1, 0, 0], [0, 2, 1, 1], [0, 1, 0, 2]]  # counts: documents x terms
    >>> y = ["sport", "sport", "politics", "politics"]
    >>> Cascade([ChiSquare(k=3), ForwardSelection(k=2)]).fit(X, y).selected_columns()
    array([0, 3])
    """

    k = "all"
    """No limit: only the settings of the selectors limit the number of terms."""

    def __init__(self, selectors: Sequence[TermSelector]) -> None:
        self.selectors = selectors

    def _needs_labels(self) -> bool:
        """Return whether one of the selectors needs labels."""
        return any(selector._needs_labels() for selector in self.valid_selectors())

    @property
    def _unlabelled_marker(self) -> Any:
        """Return the label that marks documents as unlabelled: that of the first selector that has one, or None.

        All selectors share the same statistics, so this marker applies to all of them.
        """
        markers = (selector._unlabelled_marker for selector in self.valid_selectors())
        return next((marker for marker in markers if marker is not None), None)

    def _missing_labels_hint(self) -> str:
        """Return the hint of the selector whose marker for unlabelled documents is used."""
        with_marker = (selector for selector in self.valid_selectors() if selector._unlabelled_marker is not None)
        selector = next(with_marker, None)
        return "" if selector is None else selector._missing_labels_hint()

    def valid_selectors(self) -> list[TermSelector]:
        """Return the elements of the setting `selectors` that are selectors; an empty list if it is no sequence.

        Methods that are called before `_select` has checked the setting use this, because it may still be invalid.
        """
        elements = self.selectors if isinstance(self.selectors, Sequence) else []
        return [selector for selector in elements if isinstance(selector, TermSelector)]

    _documents: ReadAgain | None = None
    _sample_weight: Floats | None = None
    _labels: Any = None
    """The documents, their weights and their labels; set only during fitting, for selectors that read them again."""
    _reached: Ints
    """The columns that reached the last selector, ascending; set when the terms are ranked."""

    def _select(
        self, stats: ClassStats, documents: ReadAgain | None, sample_weight: Floats | None, labels: Any
    ) -> Self:
        """Check the list of selectors, and select terms; the documents are available only while this runs."""
        # The first condition also covers settings that are no sequence, so `len` is only called for sequences.
        if not self.valid_selectors() or len(self.valid_selectors()) < len(self.selectors):
            raise InputError(setting="selectors", value=self.selectors, hint="give a list of at least one selector")
        self._documents, self._sample_weight, self._labels = documents, sample_weight, labels
        try:
            return super()._select(stats, documents, sample_weight, labels)
        finally:
            del self._documents, self._sample_weight, self._labels  # so that they are None again, as in the class

    def _rank_and_select(self) -> TermSelection:
        """Fit the selectors one after the other; each sees only the columns that the one before it selected."""
        columns = np.arange(self.stats_.n_terms)  # the columns that reach the next selector
        dropped: list[Ints] = []  # for each selector the columns that it dropped, the best first
        self.selectors_ = []
        for selector in self.selectors:
            self._reached = columns  # after the loop: those that reached the last selector
            documents = _with_columns(self._documents, columns)
            stage = clone(selector).fit_stats(self.stats_.take(columns), documents, self._sample_weight, self._labels)
            # The stage sees only `columns`, so its mask and its ranking are about positions in `columns`.
            is_selected = stage.get_support()
            if not is_selected.any():
                raise InputError(f"{stage!r} keeps none of the {len(columns):,} terms that reached it.")
            scores = np.full(self.stats_.n_terms, -np.inf)
            scores[columns] = stage.scores_
            ranking = stage.ranking_
            dropped.append(columns[ranking[~is_selected[ranking]]])
            best_first = columns[ranking[is_selected[ranking]]]
            columns = columns[is_selected]
            self.selectors_.append(stage)
        support = np.zeros(self.stats_.n_terms, np.bool_)
        support[columns] = True
        # `scores` and `best_first` are now those of the last selector.
        return TermSelection(scores, np.concatenate([best_first, *reversed(dropped)]), support)

    def class_scorer(self, stats: ClassStats) -> ScoreForClass:
        """Return a function that gives the last selector's scores for a class; 0 for terms that did not reach it."""
        self._fitted_selection()  # sets `_reached` and `selectors_`, if documents were added since the last ranking
        reached, last = self._reached, self.selectors_[-1]
        scores_of_reached = last.class_scorer(last.stats_)

        def scores_for(number: int) -> Floats:
            """Return the score of each term for the class with this number."""
            scores = np.zeros(stats.n_terms)
            scores[reached] = scores_of_reached(number)
            return scores

        return scores_for

    def _rank_for_class(self, number: int, columns: Ints, scores: Floats) -> Ints:
        """Return the positions in `columns` in the order in which the last selector ranks these columns.

        The last selector numbers the columns that reached it from 0, so `columns` are converted to these numbers. All
        of `columns` reached it: `best_by_class` passes only columns with a score above 0, and columns that did not
        reach the last selector score 0.
        """
        return self.selectors_[-1]._rank_for_class(number, np.searchsorted(self._reached, columns), scores)

    def score_terms(self, stats: ClassStats) -> Floats:
        """Raise `AssertionError`: `_rank_and_select` is overridden, so nothing calls this method."""
        raise AssertionError

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the settings.

        Settings of the selectors have their position in the list as a prefix, for example `1__k`.
        """
        params: dict[str, Any] = {"selectors": self.selectors}
        if deep:
            for position, selector in enumerate(self.selectors):
                params |= {f"{position}__{name}": value for name, value in selector.get_params().items()}
        return params

    def set_params(self, **params: Any) -> Self:
        """Change settings by the names that `get_params` returns."""
        if "selectors" in params:  # first, because names such as `1__k` refer to the new list
            self.selectors = params.pop("selectors")
        for name, value in params.items():
            position, _, inner_name = name.partition("__")
            if not (position.isdigit() and int(position) < len(self.selectors) and inner_name):
                raise InputError(f"Cascade has no setting {name!r}", hint="use 'selectors', or '0__k' and the like")
            self.selectors[int(position)].set_params(**{inner_name: value})
        return self


def _with_columns(documents: ReadAgain | None, columns: Ints) -> ReadAgain | None:
    """Return a function that starts a pass over the same documents, with only the given columns; None for None."""
    return None if documents is None else lambda: (rows[:, columns] for rows in documents())
