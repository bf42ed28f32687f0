"""Fit selectors to statistics of any number of classes, also of one, which `fit` does not allow."""

from typing import Any

from textsieve import ClassStats


def fit_any(selector: Any, X: Any, y: Any) -> Any:
    """Fit a selector, without the check that there are at least two classes."""
    selector.stats_ = ClassStats.from_matrix(X, y, unlabelled=selector._unlabelled_marker)
    selector.n_features_in_ = selector.stats_.n_terms
    return select_from_stats(selector)


def select_from_stats(selector: Any) -> Any:
    """Let a selector select from the statistics that it has."""
    selector._selection = selector._rank_and_select()
    return selector
