"""`RandomSubspace` and `LinearSVM` beside scikit-learn's `BaggingClassifier` and `LinearSVC`, on Brown."""

from __future__ import annotations

import os
import warnings
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.ensemble import BaggingClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from textsieve import Cascade, DocumentFrequency, InformationGain, RandomSubspace, TermCounter, TermWeighter
from textsieve.classifiers import LinearSVM
from textsieve.ensembles import subspace_grid

from .harness import Result, timed, versus
from .newsgroups import labelled

N_TERMS, N_MEMBERS, N_SELECTED = 2_000, 400, 5_000
SPLITS = 5
MAX_SECONDS = 600.0


class Split(NamedTuple):
    """Training and test documents, as weights of the selected terms."""

    rows: csr_matrix
    labels: Any
    test_rows: csr_matrix
    test_labels: Any


@cache
def counts() -> tuple[csr_matrix, Any]:
    """Return the counts of Brown, and the genre of each text."""
    texts, genres = labelled("brown")
    return TermCounter().fit_transform(texts), np.array(genres)


@cache
def split(number: int) -> Split:
    """Return a random split, four fifths for training, with the terms that the paper selects and ltc weights."""
    X, y = counts()
    order = np.random.default_rng(number).permutation(len(y))
    train, test = order[: len(y) * 4 // 5], order[len(y) * 4 // 5 :]
    selector = Cascade([DocumentFrequency(min_df=0.01), InformationGain(k=N_SELECTED)]).fit(X[train], y[train])
    weighter = TermWeighter(tf="log", idf="plain", norm="l2")
    rows = weighter.fit_transform(selector.transform(X[train]))
    return Split(csr_matrix(rows), y[train], csr_matrix(weighter.transform(selector.transform(X[test]))), y[test])


def ours(n_jobs: int, **settings: Any) -> RandomSubspace:
    """Return textsieve's ensemble."""
    return RandomSubspace(n_estimators=N_MEMBERS, n_terms=N_TERMS, n_jobs=n_jobs, **settings)


def theirs(n_jobs: int) -> Any:
    """Return scikit-learn's ensemble."""
    base = LinearSVC(C=100)
    return BaggingClassifier(
        base, n_estimators=N_MEMBERS, max_features=N_TERMS, bootstrap=False, n_jobs=n_jobs, random_state=0
    )


def results() -> list[Result]:
    """Time ensembles, single SVMs, and the grid of the paper."""
    os.environ["PYTHONWARNINGS"] = "ignore"  # for processes that scikit-learn starts
    warnings.simplefilter("ignore", ConvergenceWarning)
    rows, labels, _, _ = split(0)
    data = rows, labels
    few_terms = csr_matrix(rows[:, np.arange(0, N_SELECTED, N_SELECTED // 50)])
    sizes = f"L = {N_MEMBERS}, M = {N_TERMS:,} of {N_SELECTED:,}"
    bagging = "BaggingClassifier(LinearSVC(C=100))"
    results = [
        versus(
            *(f"RandomSubspace, {sizes}, two jobs: fit", lambda: ours(2).fit(*data), lambda: theirs(2).fit(*data)),
            *(bagging,),
            target=8,
            repeats=3,
            their_repeats=2,
        ),
        versus(
            *(f"RandomSubspace, {sizes}, one job: fit", lambda: ours(1).fit(*data), lambda: theirs(1).fit(*data)),
            *(bagging,),
            target=8,
            repeats=3,
            their_repeats=1,
        ),
        versus(
            *("the same, combine='mean', two jobs: fit", lambda: ours(2, combine="mean").fit(*data)),
            *(lambda: theirs(2).fit(*data), bagging),
            repeats=3,
            their_repeats=1,
        ),
        versus(
            *("LinearSVM(C=100), 400 documents, 5,000 terms: fit", lambda: LinearSVM(C=100, n_jobs=1).fit(*data)),
            *(lambda: LinearSVC(C=100).fit(*data), "LinearSVC(C=100)"),
        ),
        versus(
            *(
                "LinearSVM(C=100), 400 documents, 50 terms: fit",
                lambda: LinearSVM(C=100, n_jobs=1).fit(few_terms, labels),
            ),
            *(lambda: LinearSVC(C=100).fit(few_terms, labels), "LinearSVC(C=100), which stops before the end"),
        ),
    ]
    n_terms, n_estimators = [1, *range(500, 5_001, 500)], [1, *range(100, 1_001, 100)]
    selector = Cascade([DocumentFrequency(min_df=0.01), InformationGain(k=N_SELECTED)])
    prepare = make_pipeline(selector, TermWeighter(tf="log", idf="plain", norm="l2"))
    axes: dict[str, Any] = {"n_terms": n_terms, "n_estimators": n_estimators}
    seconds = timed(lambda: subspace_grid(*counts(), **axes, prepare=prepare, repeats=5))
    job = "the paper's grid, 11 M x 11 L, 5 repetitions: 50,005 members"
    return [*results, Result(job, seconds, limit=MAX_SECONDS)]


def quality() -> str:
    """Return a paragraph on the accuracy of the ensembles."""
    warnings.simplefilter("ignore", ConvergenceWarning)
    accuracies: dict[str, list[float]] = {"vote": [], "mean": [], "theirs": []}
    for number in range(SPLITS):
        rows, labels, test_rows, test_labels = split(number)
        ensembles = {"vote": ours(-1), "mean": ours(-1, combine="mean"), "theirs": theirs(2)}
        for name, ensemble in ensembles.items():
            accuracies[name].append(float(np.mean(ensemble.fit(rows, labels).predict(test_rows) == test_labels)))
    means = {name: f"{np.mean(values):.3f}" for name, values in accuracies.items()}
    error = np.std(np.subtract(accuracies["vote"], accuracies["theirs"]), ddof=1) / np.sqrt(SPLITS)
    return (
        f"Accuracy on {len(split(0).test_labels)} test documents, mean of {SPLITS} splits: RandomSubspace by vote "
        f"{means['vote']}, by mean {means['mean']}, scikit-learn's bagging, which votes, {means['theirs']} (standard "
        f"error of the difference between the first and the last: {error:.3f})."
    )
