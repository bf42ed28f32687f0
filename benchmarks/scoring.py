"""Selectors from a matrix of counts to scores, beside scikit-learn's score functions."""

from collections.abc import Callable
from functools import partial
from statistics import median

from scipy.sparse import csr_matrix
from sklearn.feature_selection import SelectFromModel, chi2, mutual_info_classif
from sklearn.svm import LinearSVC

from textsieve import (
    OCFS,
    ChiSquare,
    ClassStats,
    DocumentFrequency,
    InformationGain,
    MutualInformation,
    TermCounter,
    TermWeighter,
    TypicalTestors,
    WeightSelection,
)
from textsieve.selectors import TermSelector
from textsieve.selectors.information import information_gain
from textsieve.selectors.trace import between_class_scatter

from .harness import Result, figure, seconds, timed, versus
from .newsgroups import newsgroups

SELECTORS: dict[str, Callable[[], TermSelector]] = {
    "DocumentFrequency": DocumentFrequency,
    "InformationGain": InformationGain,
    "InformationGain, max": lambda: InformationGain(pooling="max"),
    "InformationGain, round-robin": lambda: InformationGain(pooling="round-robin"),
    "ChiSquare": ChiSquare,
    "ChiSquare, max": lambda: ChiSquare(pooling="max"),
    "ChiSquare, round-robin": lambda: ChiSquare(pooling="round-robin"),
    "MutualInformation": MutualInformation,
    "OCFS": OCFS,
    "TypicalTestors": lambda: TypicalTestors(epsilon=0.05, delta=0.02),  # small, for bare counts
}


def _fit(make: Callable[[], TermSelector], counts: csr_matrix, groups: list[str]) -> TermSelector:
    return make().fit(counts, groups)


def _why_ocfs_is_bounded(counts: csr_matrix, groups: list[str], stats: ClassStats) -> str:
    """Return how much faster than information gain a selector can be at most, if its scores take no time at all."""
    fit, scores = (
        median(timed(job) for _ in range(15))
        for job in (lambda: InformationGain().fit(counts, groups), lambda: information_gain(stats))
    )
    if fit <= scores:  # medians of a noisy machine, or of few documents
        return (
            f"the times of this run give no bound: InformationGain's `fit` took {seconds(fit)}, and its scores alone "
            f"{seconds(scores)}"
        )
    return (
        f"no selector can be more than {figure(fit / (fit - scores))} times as fast, even if its scores take no time: "
        f"of the {seconds(fit)} of InformationGain's `fit`, its scores take {seconds(scores)}, and the rest, the pass "
        "over the matrix and the ranking, is the same for both"
    )


def results() -> list[Result]:
    """Time selectors on 20 Newsgroups by date: all terms, 20 classes."""
    texts, groups = newsgroups()
    counts = TermCounter().fit_transform(texts)
    stats = ClassStats.from_matrix(counts, groups)
    weights = TermWeighter(tf="loglog").fit_transform(counts)
    few_terms = InformationGain(k=2000).fit(counts, groups).transform(counts).tocsr()
    rows = [
        versus(
            f"{name}: `fit` from a counted matrix",
            partial(_fit, make, counts, groups),
            lambda: chi2(counts, groups),
            "chi2",
            target=1,
        )
        for name, make in SELECTORS.items()
    ]
    rows += [
        versus(
            "InformationGain of 2,000 terms",
            lambda: InformationGain(k="all").fit(few_terms, groups),
            lambda: mutual_info_classif(few_terms, groups, discrete_features=True),
            "mutual_info_classif",
            target=1000,
            their_repeats=1,
        ),
        versus(
            "OCFS scores from the statistics",
            lambda: between_class_scatter(stats),
            lambda: information_gain(stats),
            "our InformationGain",
            target=2,
            repeats=21,
            their_repeats=21,
        ),
        versus(
            "OCFS `fit` from a counted matrix",
            lambda: OCFS().fit(counts, groups),
            lambda: InformationGain().fit(counts, groups),
            "our InformationGain",
            target=2,
            repeats=15,
            their_repeats=15,
            why=_why_ocfs_is_bounded(counts, groups, stats),
        ),
        versus(
            "WeightSelection `fit` from weighted documents",
            lambda: WeightSelection().fit(weights, groups),
            lambda: SelectFromModel(LinearSVC(), max_features=1000).fit(weights, groups),
            "SelectFromModel(LinearSVC)",
            target=2,
            their_repeats=1,
        ),
        versus(
            "`ClassStats.from_matrix`",
            lambda: ClassStats.from_matrix(counts, groups),
            lambda: counts.data.sum() + counts.indices.sum(),
            "adding up the matrix's arrays",
        ),
    ]
    return rows
