"""Voting on feature projections, beside scikit-learn's nearest neighbours and naive Bayes.

One of five folds of the original 20 Newsgroups is predicted: 4,000 documents of 63 terms on average, 20 classes.
"""

import warnings
from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix, vstack
from sklearn.naive_bayes import MultinomialNB
from sklearn.neighbors import KNeighborsClassifier

from textsieve import KNNFP, TCFP, ChiSquare, TermCounter, TermWeighter
from textsieve.evaluation import folds

from .harness import Result, peak_growth, versus
from .newsgroups import labelled

N_FOLDS = 5
N_TERMS = 10_000
NEIGHBOURS = 'KNeighborsClassifier(30, metric="cosine")'


class Fold(NamedTuple):
    """Documents to learn from and to predict, as weights of the selected terms."""

    rows: csr_matrix
    labels: Any
    test_rows: csr_matrix
    test_labels: Any


@cache
def data() -> Fold:
    """The first fold held out; the terms, their choice and idf come from the others."""
    texts, groups = labelled("newsgroups:original:subject-only")
    is_test, labels = folds(groups, N_FOLDS) == 0, np.array(groups)
    train, test = np.flatnonzero(~is_test), np.flatnonzero(is_test)
    counter = TermCounter(stop_words="english", min_df=2)
    selector = ChiSquare(k=N_TERMS)
    counts = selector.fit_transform(counter.fit_transform(texts[at] for at in train), labels[train])
    weighter = TermWeighter(tf="log", idf="plain", norm="l2")
    rows = csr_matrix(weighter.fit_transform(counts))
    test_rows = csr_matrix(weighter.transform(selector.transform(counter.transform(texts[at] for at in test))))
    return Fold(rows, labels[train], test_rows, labels[test])


def fitted(classifier: Any) -> Any:
    """A classifier that has learned."""
    return classifier.fit(data().rows, data().labels)


def predicting(classifier: Any) -> Callable[[], object]:
    """Its predictions; that a few documents have no selected term need not be said each time."""

    def job() -> object:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            return classifier.predict(data().test_rows)

    return job


def results() -> list[Result]:
    """Predicting, and learning."""
    rows, labels, tests = data().rows, data().labels, len(data().test_labels)
    plain, best, mean = (predicting(fitted(TCFP(context=context))) for context in (None, "best", "mean"))
    near = predicting(fitted(KNNFP()))
    bayes = predicting(fitted(MultinomialNB()))
    brute = predicting(fitted(KNeighborsClassifier(30, metric="cosine", algorithm="brute")))
    turns = partial(versus, repeats=31, their_repeats=31)
    return [
        versus(f"TCFP: predict {tests:,} documents", plain, brute, NEIGHBOURS, target=500, repeats=31),
        turns("the same", plain, bayes, "MultinomialNB", target=1),
        turns('TCFP, `context="best"`: predict', best, plain, "our TCFP without", target=0.1),
        turns('TCFP, `context="mean"`: predict', mean, plain, "our TCFP without"),
        versus("KNNFP: predict", near, brute, NEIGHBOURS),
        versus("TCFP: fit", lambda: fitted(TCFP()), lambda: fitted(MultinomialNB()), "MultinomialNB"),
        *(
            versus(
                f'TCFP, `context="{context}"`: fit',
                lambda context=context: TCFP(context=context).fit(rows, labels),  # type: ignore[misc]
                lambda: fitted(TCFP()),
                "our TCFP without",
                their_repeats=7,
            )
            for context in ("best", "mean")
        ),
    ]


def prepared_fit() -> Callable[[], object]:
    """Learning with context, with all loaded and compiled."""
    rows, labels = data().rows, data().labels
    TCFP(context="best").fit(rows[::50], labels[::50])
    return lambda: TCFP(context="best").fit(rows, labels)


def prepared_predict() -> Callable[[], object]:
    """Predicting with context, with all loaded and compiled."""
    small = TCFP(context="best").fit(data().rows[::50], data().labels[::50])
    small.predict(vstack([data().test_rows] * 4))
    return predicting(fitted(TCFP(context="best")))


def memory() -> str:
    """What the context takes."""
    rows = data().rows
    megabytes = [
        sum(array.nbytes for array in fitted(classifier).to_scorer().stored_arrays().values()) / 1e6
        for classifier in (TCFP(context="best"), TCFP(context="best", min_co=2), TCFP(context="mean"))
    ]
    return (
        f"TCFP with context, {rows.shape[1]:,} terms and {rows.shape[0]:,} documents: the model has {megabytes[0]:.0f} "
        f'MB (with `min_co=2` {megabytes[1]:.0f} MB, with `context="mean"` {megabytes[2]:.0f} MB); learning takes '
        f"{peak_growth(prepared_fit) / 1e6:.0f} MB more than the documents, predicting many documents "
        f"{peak_growth(prepared_predict) / 1e6:.0f} MB more than the model."
    )
