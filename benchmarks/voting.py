"""TCFP and k-NNFP (votes on feature projections) beside scikit-learn's nearest neighbours and naive Bayes.

They predict one of five folds of the original 20 Newsgroups: 4,000 documents of 63 terms on average, 20 classes.
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
    """Training and test documents, as weights of the selected terms."""

    rows: csr_matrix
    labels: Any
    test_rows: csr_matrix
    test_labels: Any


@cache
def data() -> Fold:
    """Return the documents, with the first fold for testing; terms and idf come from the other folds."""
    texts, groups = labelled("newsgroups:original:subject-only")
    is_test, labels = folds(groups, N_FOLDS) == 0, np.array(groups)
    train, test = np.flatnonzero(~is_test), np.flatnonzero(is_test)
    counter = TermCounter(stop_words="english", min_df=2)
    selector = ChiSquare(k=N_TERMS)
    counts = selector.fit_transform(counter.fit_transform(texts[position] for position in train), labels[train])
    weighter = TermWeighter(tf="log", idf="plain", norm="l2")
    rows = csr_matrix(weighter.fit_transform(counts))
    test_counts = selector.transform(counter.transform(texts[position] for position in test))
    test_rows = csr_matrix(weighter.transform(test_counts))
    return Fold(rows, labels[train], test_rows, labels[test])


def fit(classifier: Any) -> Any:
    """Fit a classifier to the training documents, and return it."""
    return classifier.fit(data().rows, data().labels)


def prediction_job(classifier: Any) -> Callable[[], object]:
    """Return a job that predicts the test documents, without the warning that a few have no selected term."""

    def job() -> object:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            return classifier.predict(data().test_rows)

    return job


def results() -> list[Result]:
    """Time prediction and fitting."""
    n_test = len(data().test_labels)
    tcfp, tcfp_best, tcfp_mean = (prediction_job(fit(TCFP(context=context))) for context in (None, "best", "mean"))
    knnfp = prediction_job(fit(KNNFP()))
    naive_bayes = prediction_job(fit(MultinomialNB()))
    neighbours = prediction_job(fit(KNeighborsClassifier(30, metric="cosine", algorithm="brute")))
    versus_often = partial(versus, repeats=31, their_repeats=31)
    return [
        versus(f"TCFP: predict {n_test:,} documents", tcfp, neighbours, NEIGHBOURS, target=500, repeats=31),
        versus_often("the same", tcfp, naive_bayes, "MultinomialNB", target=1),
        versus_often('TCFP, `context="best"`: predict', tcfp_best, tcfp, "our TCFP without", target=0.1),
        versus_often('TCFP, `context="mean"`: predict', tcfp_mean, tcfp, "our TCFP without"),
        versus("KNNFP: predict", knnfp, neighbours, NEIGHBOURS),
        versus("TCFP: fit", lambda: fit(TCFP()), lambda: fit(MultinomialNB()), "MultinomialNB"),
        *(
            versus(
                f'TCFP, `context="{context}"`: fit',
                partial(_fit_with_context, context),
                lambda: fit(TCFP()),
                "our TCFP without",
                their_repeats=7,
            )
            for context in ("best", "mean")
        ),
    ]


def _fit_with_context(context: str) -> object:
    return fit(TCFP(context=context))


def prepare_fit() -> Callable[[], object]:
    """Load all data and kernels, and return a job that fits TCFP with context."""
    rows, labels = data().rows, data().labels
    TCFP(context="best").fit(rows[::50], labels[::50])
    return lambda: TCFP(context="best").fit(rows, labels)


def prepare_predict() -> Callable[[], object]:
    """Load all data and kernels, and return a job that predicts with context."""
    small = TCFP(context="best").fit(data().rows[::50], data().labels[::50])
    small.predict(vstack([data().test_rows] * 4))
    return prediction_job(fit(TCFP(context="best")))


def memory() -> str:
    """Return a paragraph on the size of models with context, and on the memory to fit and use them."""
    rows = data().rows
    megabytes = [
        sum(array.nbytes for array in fit(classifier).to_scorer().stored_arrays().values()) / 1e6
        for classifier in (TCFP(context="best"), TCFP(context="best", min_co=2), TCFP(context="mean"))
    ]
    return (
        f"TCFP with context, {rows.shape[1]:,} terms and {rows.shape[0]:,} documents: the model has {megabytes[0]:.0f} "
        f'MB (with `min_co=2` {megabytes[1]:.0f} MB, with `context="mean"` {megabytes[2]:.0f} MB); learning takes '
        f"{peak_growth(prepare_fit) / 1e6:.0f} MB more than the documents, predicting many documents "
        f"{peak_growth(prepare_predict) / 1e6:.0f} MB more than the model."
    )
