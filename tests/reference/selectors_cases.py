"""Selectors on statistics of any number of classes: the formulas hold for one class too, though reading refuses it."""

from typing import Any

from textsieve import ClassStats


def chosen(selector: Any, X: Any, y: Any) -> Any:
    """A selector with the choice that it makes, whether or not there are classes to tell apart."""
    selector.stats_ = ClassStats.from_matrix(X, y, unlabelled=selector._unlabelled_marker)
    selector.n_features_in_ = selector.stats_.n_terms
    return choose(selector)


def choose(selector: Any) -> Any:
    """Have a selector choose from the statistics that it has."""
    selector._selection = selector._rank_and_select()
    return selector
