"""How good voting on feature projections is: the comparison of paper 003; writes docs/tcfp-results.md.

Five folds of the original 20 Newsgroups, body and subject only, and of the four classes of WebKB; stop words and words
of a single document removed, 10,000 terms by chi-square, ltc weights. What is learned, is learned from the other folds.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from statistics import mean, stdev
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.naive_bayes import MultinomialNB

from textsieve import KNNFP, TCFP, ChiSquare, CosineKNN, Rocchio, TermCounter, TermWeighter
from textsieve.classifiers import LinearSVM
from textsieve.evaluation import compare_labels, folds

from .newsgroups import labelled

N_FOLDS = 5
N_TERMS = 10_000
SIZES = (500, 1_000, 2_000, 5_000)
"""Other numbers of terms, for WebKB: the paper printed the best of several."""


Corpus = Callable[[], tuple[list[str], list[str]]]


class Fold(NamedTuple):
    """Documents to learn from and to predict, as counts and as weights of the selected terms."""

    counts: csr_matrix
    rows: csr_matrix
    labels: Any
    test_counts: csr_matrix
    test_rows: csr_matrix
    test_labels: Any


class Method(NamedTuple):
    """A classifier, what it was in the paper, and whether it takes counts."""

    name: str
    make: Callable[[], Any]
    newsgroups: str = ""  # the paper's micro-F1
    webkb: str = ""
    counts: bool = False


METHODS = (
    Method("TCFP", TCFP, ".8514"),
    Method('TCFP, context="best"', lambda: TCFP(context="best"), ".8541"),
    Method('TCFP, context="mean"', lambda: TCFP(context="mean")),
    Method("TCFP, balance", lambda: TCFP(balance=True)),
    Method('TCFP, context="best", balance', lambda: TCFP(context="best", balance=True), "", ".8660"),
    Method("k-NNFP, k = 20", KNNFP, ".8193", ".8278"),
    Method("kNN, k = 30", CosineKNN, ".8515", ".8483"),
    Method("multinomial naive Bayes, counts", MultinomialNB, ".8251", ".8522", counts=True),
    Method("multinomial naive Bayes, ltc", MultinomialNB),
    Method("Rocchio", Rocchio, ".8168", ".8598"),
    Method("linear SVM", LinearSVM),
)


@cache
def newsgroups() -> tuple[list[str], list[str]]:
    """The original collection."""
    return labelled("newsgroups:original:subject-only")


@cache
def webkb() -> tuple[list[str], list[str]]:
    """Both stemmed parts."""
    return labelled("webkb:stemmed")


def fold_of(texts: list[str], labels: Any, number: Any, fold: int, n_terms: int = N_TERMS) -> Fold:
    """One fold held out; the terms, their choice and idf come from the others."""
    train, test = np.flatnonzero(number != fold), np.flatnonzero(number == fold)
    counter = TermCounter(stop_words="english", min_df=2)
    all_terms = counter.fit_transform(texts[at] for at in train)
    selector = ChiSquare(k=min(n_terms, all_terms.shape[1])).fit(all_terms, labels[train])
    counts = csr_matrix(selector.transform(all_terms))
    test_counts = csr_matrix(selector.transform(counter.transform(texts[at] for at in test)))
    weighter = TermWeighter(tf="log", idf="plain", norm="l2").fit(counts)
    rows, test_rows = (csr_matrix(weighter.transform(each)) for each in (counts, test_counts))
    return Fold(counts, rows, labels[train], test_counts, test_rows, labels[test])


def folds_of(corpus: Corpus, n_terms: int) -> Iterator[Fold]:
    """All folds of a collection, each class spread over them in turn."""
    texts, groups = corpus()
    number = folds(groups, N_FOLDS)
    for fold in range(N_FOLDS):
        yield fold_of(texts, np.array(groups), number, fold, n_terms)


class Score(NamedTuple):
    """How good the predictions of a fold are."""

    micro: float
    macro: float


def score(method: Method, fold: Fold) -> Score:
    """Train and predict."""
    train, test = (fold.counts, fold.test_counts) if method.counts else (fold.rows, fold.test_rows)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*most frequent class")  # a few documents have no selected term
        predicted = method.make().fit(train, fold.labels).predict(test)
    classes = sorted(set(fold.labels))
    report = compare_labels(classes, ([true] for true in fold.test_labels), ([one] for one in predicted), several=False)
    return Score(report.micro_f1, report.macro_f1)


Scores = dict[str, list[Score]]
"""Of each method, by its name, in each fold."""


def measured(corpus: Corpus, n_terms: int = N_TERMS) -> Scores:
    """The scores of all methods in all folds."""
    scores: Scores = {method.name: [] for method in METHODS}
    for fold in folds_of(corpus, n_terms):
        for method in METHODS:
            scores[method.name].append(score(method, fold))
    print(f"{corpus.__name__}, {n_terms:,} terms: done", flush=True)
    return scores


def micro(found: list[Score]) -> float:
    """The mean micro-F1."""
    return mean(each.micro for each in found)


def table(title: str, scores: Scores, printed: Callable[[Method], str]) -> str:
    """One collection's scores beside the paper's."""
    lines = [f"| {title} | micro-F1 | ± | macro-F1 | paper |", "|---|---:|---:|---:|---:|"]
    for method in METHODS:
        found = scores[method.name]
        spread = stdev(each.micro for each in found)
        macro = mean(each.macro for each in found)
        lines.append(f"| {method.name} | {micro(found):.4f} | {spread:.4f} | {macro:.4f} | {printed(method)} |")
    return "\n".join(lines)


def by_size(scores: dict[str, Scores]) -> str:
    """The micro-F1 of each method for several numbers of terms."""
    lines = [f"| micro-F1, terms | {' | '.join(scores)} |", f"|---|{'---:|' * len(scores)}"]
    for name in (method.name for method in METHODS):
        cells = [f"{micro(each[name]):.4f}" for each in scores.values()]
        lines.append(f"| {' | '.join([name, *cells])} |")
    return "\n".join(lines)


def gain(scores: Scores, name: str, base: str) -> str:
    """By how many points one method is ahead of another, and in how many folds."""
    pairs = list(zip(scores[name], scores[base], strict=True))
    ahead = [100 * (one.micro - other.micro) for one, other in pairs]
    macro = mean(100 * (one.macro - other.macro) for one, other in pairs)
    better = sum(each > 0 for each in ahead)
    return (
        f"- {name} against {base}: {mean(ahead):+.2f} points of micro-F1 (better in {better} of {N_FOLDS} folds), "
        f"{macro:+.2f} of macro-F1"
    )


KNN, BAYES, ROCCHIO = "kNN, k = 30", "multinomial naive Bayes, counts", "Rocchio"
BEST, MEAN, BALANCED = 'TCFP, context="best"', 'TCFP, context="mean"', "TCFP, balance"
BOTH = 'TCFP, context="best", balance'


def main() -> None:
    """Measure, and write the page."""
    news, pages = measured(newsgroups), measured(webkb)
    sizes = {f"{size:,}": measured(webkb, size) for size in SIZES} | {"all": pages}
    class_sizes = sorted(Counter(webkb()[1]).values())
    parts = [
        "# TCFP and k-NNFP, measured",
        "Written by `benchmarks/voting_quality.py`. Means of five folds, ± is the standard deviation between folds; "
        "the last column is what Ko and Seo printed, the best over several numbers of terms. Stop words and words of "
        "a single document are removed, terms are chosen by chi-square, weights are ltc; terms and idf come from the "
        "other folds alone.",
        f"## 20 Newsgroups: {len(newsgroups()[0]):,} documents, body and subject only, {N_TERMS:,} terms",
        table("20 Newsgroups", news, lambda method: method.newsgroups),
        "\n".join(gain(news, "TCFP", other) for other in (KNN, BAYES, ROCCHIO)),
        "\n".join(gain(news, name, "TCFP") for name in (BEST, MEAN)),
        f"## WebKB: {len(webkb()[0]):,} pages, stemmed, four classes of {class_sizes[0]:,} to {class_sizes[-1]:,}, all "
        "terms",
        table("WebKB", pages, lambda method: method.webkb),
        "\n".join(gain(pages, *each) for each in ((BALANCED, "TCFP"), (BOTH, BEST), (BEST, "TCFP"), (BOTH, KNN))),
        by_size(sizes),
    ]
    page = Path(__file__).parents[1] / "docs" / "tcfp-results.md"
    page.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
