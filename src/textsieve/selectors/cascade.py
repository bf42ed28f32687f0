"""Selectors one after the other, each on the terms that the one before has kept, from one table of statistics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ..errors import InputError, shown
from ..stats import ClassStats
from ..stats.sums import Floats, Ints
from .base import Documents, ScoreForClass, TermSelector


class Cascade(TermSelector):
    """Chain selectors: `Cascade([DocumentFrequency(min_df=0.01), InformationGain(k=5000)])`.

    `scores_` are the last selector's, and minus infinity for terms that did not reach it; `ranking_` has its terms
    first, and then what the selectors before it had dropped, the later the better.

    Parameters
    ----------
    selectors : list of selectors
        In the order in which they are applied.
    """

    k = "all"

    def __init__(self, selectors: Sequence[TermSelector]) -> None:
        self.selectors = selectors

    def _needs_labels(self) -> bool:
        return any(selector._needs_labels() for selector in self._sound())

    @property
    def _no_label(self) -> Any:
        """What means "no label" to one of the selectors means it to all: they read one table."""
        return next((each._no_label for each in self._sound() if each._no_label is not None), None)

    def _without_labels(self) -> str:
        return next((each._without_labels() for each in self._sound() if each._no_label is not None), "")

    def _sound(self) -> list[TermSelector]:
        """The selectors, as far as they are selectors."""
        given = self.selectors if isinstance(self.selectors, Sequence) else []
        return [selector for selector in given if isinstance(selector, TermSelector)]

    _documents: Documents | None = None
    _weights: Floats | None = None
    """While it is fitted."""

    def _fit_own(self, stats: ClassStats, documents: Documents | None, weights: Floats | None) -> Self:
        if not self._sound() or len(self._sound()) < len(self.selectors):
            raise InputError(f"selectors={shown(self.selectors)}; give a list of at least one selector.")
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
            kept = stage.get_support()
            if not kept.any():
                raise InputError(f"{stage!r} keeps none of the {len(columns):,} terms that reached it.")
            scores = np.full(self.stats_.n_terms, -np.inf)
            scores[columns] = stage.scores_
            ranking = stage.ranking_
            dropped.append(columns[ranking[~kept[ranking]]])
            last_first = columns[ranking[kept[ranking]]]
            columns = columns[kept]
            self.selectors_.append(stage)
        support = np.zeros(self.stats_.n_terms, np.bool_)
        support[columns] = True
        return scores, np.concatenate([last_first, *reversed(dropped)]), support

    def _class_scorer(self, stats: ClassStats) -> ScoreForClass:
        """The last selector's, which knows the terms that reached it and no others."""
        reached = np.flatnonzero(np.isfinite(self.scores_))
        last = self.selectors_[-1]
        scores_of_reached = last._class_scorer(last.stats_)

        def scores_for(number: int) -> Floats:
            scores = np.zeros(stats.n_terms)
            scores[reached] = scores_of_reached(number)
            return scores

        return scores_for

    def _rank_for_class(self, number: int, columns: Ints, scores: Floats) -> Ints:
        """As the last selector ranks them, by their places among the terms that reached it."""
        reached = np.flatnonzero(np.isfinite(self.scores_))
        return self.selectors_[-1]._rank_for_class(number, np.searchsorted(reached, columns), scores)

    def _score(self, stats: ClassStats) -> Floats:
        """Not asked for: the chain chooses as a whole."""
        raise AssertionError

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The settings; those of the selectors under their place in the list, for example `1__k`."""
        params: dict[str, Any] = {"selectors": self.selectors}
        if deep:
            for place, selector in enumerate(self.selectors):
                params |= {f"{place}__{name}": value for name, value in selector.get_params().items()}
        return params

    def set_params(self, **params: Any) -> Self:
        """Change settings by the names that `get_params` gives."""
        if "selectors" in params:
            self.selectors = params.pop("selectors")
        for name, value in params.items():
            place, _, inner = name.partition("__")
            if not (place.isdigit() and int(place) < len(self.selectors) and inner):
                raise InputError(f"Cascade has no setting {name!r}; use 'selectors', or '0__k' and the like.")
            self.selectors[int(place)].set_params(**{inner: value})
        return self


def _with_columns(documents: Documents | None, columns: Ints) -> Documents | None:
    """The same documents, with some of their terms."""
    return None if documents is None else lambda: (rows[:, columns] for rows in documents())
