"""Chained selectors: each selects among the terms selected by the one before; all share one table of statistics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ..arrays import Floats, Ints
from ..errors import InputError
from ..stats import ClassStats
from .base import ReadAgain, ScoreForClass, TermSelector


class Cascade(TermSelector):
    """Chain selectors: `Cascade([DocumentFrequency(min_df=0.01), InformationGain(k=5000)])`.

    `scores_` are those of the last selector, and minus infinity for terms that did not reach it. `ranking_` starts with
    the ranking of the last selector, followed by the terms that earlier selectors dropped; terms that were dropped
    later rank higher.

    Parameters
    ----------
    selectors : list of selectors
        The selectors in the order in which they are applied.
    """

    k = "all"

    def __init__(self, selectors: Sequence[TermSelector]) -> None:
        self.selectors = selectors

    def _needs_labels(self) -> bool:
        return any(selector._needs_labels() for selector in self.valid_selectors())

    @property
    def _no_label(self) -> Any:
        """Return the label that means "no label" to any of the selectors.

        It applies to all of them, since they share statistics.
        """
        return next((selector._no_label for selector in self.valid_selectors() if selector._no_label is not None), None)

    def _without_labels(self) -> str:
        return next(
            (selector._without_labels() for selector in self.valid_selectors() if selector._no_label is not None), ""
        )

    def valid_selectors(self) -> list[TermSelector]:
        """Return the valid elements of `selectors`."""
        given = self.selectors if isinstance(self.selectors, Sequence) else []
        return [selector for selector in given if isinstance(selector, TermSelector)]

    _documents: ReadAgain | None = None
    _weights: Floats | None = None
    """The documents and their weights; set only during fitting."""

    def _fit_own(self, stats: ClassStats, documents: ReadAgain | None, weights: Floats | None) -> Self:
        if not self.valid_selectors() or len(self.valid_selectors()) < len(self.selectors):
            raise InputError(setting="selectors", value=self.selectors, hint="give a list of at least one selector")
        self._documents, self._weights = documents, weights
        try:
            return super()._fit_own(stats, documents, weights)
        finally:
            del self._documents, self._weights

    def _choose(self) -> tuple[Floats, Ints, NDArray[np.bool_]]:
        columns = np.arange(self.stats_.n_terms)
        dropped: list[Ints] = []
        self.selectors_ = []
        for selector in self.selectors:
            documents = _with_columns(self._documents, columns)
            stage = clone(selector).fit_stats(self.stats_.take(columns), documents, self._weights)
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
        return scores, np.concatenate([best_first, *reversed(dropped)]), support

    def _class_scorer(self, stats: ClassStats) -> ScoreForClass:
        """Return the scorer of the last selector, with 0 for terms that did not reach it."""
        reached = np.flatnonzero(np.isfinite(self.scores_))
        last = self.selectors_[-1]
        scores_of_reached = last._class_scorer(last.stats_)

        def scores_for(number: int) -> Floats:
            scores = np.zeros(stats.n_terms)
            scores[reached] = scores_of_reached(number)
            return scores

        return scores_for

    def _rank_for_class(self, number: int, columns: Ints, scores: Floats) -> Ints:
        """Rank as the last selector does, by the positions of the columns among the terms that reached it."""
        reached = np.flatnonzero(np.isfinite(self.scores_))
        return self.selectors_[-1]._rank_for_class(number, np.searchsorted(reached, columns), scores)

    def score_terms(self, stats: ClassStats) -> Floats:
        """Fail: `_choose` is overridden, so nothing calls this method."""
        raise AssertionError

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the settings.

        Settings of the selectors have their position in the list as a prefix, for example `1__k`.
        """
        params: dict[str, Any] = {"selectors": self.selectors}
        if deep:
            for place, selector in enumerate(self.selectors):
                params |= {f"{place}__{name}": value for name, value in selector.get_params().items()}
        return params

    def set_params(self, **params: Any) -> Self:
        """Change settings by the names that `get_params` returns."""
        if "selectors" in params:
            self.selectors = params.pop("selectors")
        for name, value in params.items():
            place, _, inner = name.partition("__")
            if not (place.isdigit() and int(place) < len(self.selectors) and inner):
                raise InputError(f"Cascade has no setting {name!r}; use 'selectors', or '0__k' and the like.")
            self.selectors[int(place)].set_params(**{inner: value})
        return self


def _with_columns(documents: ReadAgain | None, columns: Ints) -> ReadAgain | None:
    """Return the same documents with only the given columns."""
    return None if documents is None else lambda: (rows[:, columns] for rows in documents())
