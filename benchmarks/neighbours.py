"""Nearest neighbours by cosine beside scikit-learn's, and DROP, which removes training documents.

The data are those of the paper on feature projections: 20 Newsgroups, body and subject, 10,000 terms by chi-square, ltc
weights, 4,000 documents held out.
"""

from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.neighbors import KNeighborsClassifier

from textsieve import ChiSquare, TermCounter, TermWeighter
from textsieve.classifiers.cosine_knn import CosineKNN
from textsieve.reducers import DROP, VARIANTS

from .harness import Result, peak_growth, seconds, timed, versus
from .newsgroups import newsgroups

PARTS = ("train:subject-only", "test:subject-only")
N_TERMS = 10_000
N_HELD_OUT = 4_000
K = 30
MAX_SECONDS = 300
MAX_BYTES = 2 << 30


class Split(NamedTuple):
    """Weights and groups of the training documents and of the held-out documents."""

    rows: csr_matrix
    groups: Any
    test_rows: csr_matrix
    test_groups: Any


@cache
def held_out() -> Split:
    """Return the shuffled documents of both parts of the corpus; terms and idf come from training documents alone."""
    (texts, groups), (more_texts, more_groups) = map(newsgroups, PARTS)
    counts = TermCounter().fit_transform(texts + more_texts).tocsr()
    labels = np.array(groups + more_groups)
    order = np.random.default_rng(0).permutation(len(labels))
    test, train = order[:N_HELD_OUT], order[N_HELD_OUT:]
    selector = ChiSquare(k=N_TERMS).fit(counts[train], labels[train])
    weighter = TermWeighter(tf="log", idf="plain", norm="l2").fit(selector.transform(counts[train]))
    rows, test_rows = (csr_matrix(weighter.transform(selector.transform(counts[part]))) for part in (train, test))
    return Split(rows, labels[train], test_rows, labels[test])


def fit_theirs(weights: Any = "uniform") -> KNeighborsClassifier:
    """Return scikit-learn's classifier, fitted; it computes every cosine."""
    data = held_out()
    return KNeighborsClassifier(K, metric="cosine", algorithm="brute", weights=weights).fit(data.rows, data.groups)


def fit_ours(votes: str = "plain", k: Any = K) -> CosineKNN:
    """Return textsieve's classifier, fitted."""
    data = held_out()
    return CosineKNN(k=k, votes=votes).fit(data.rows, data.groups)


def fit_drop(variant: int) -> DROP:
    """Return DROP1 to DROP5, fitted."""
    data = held_out()
    return DROP(variant=variant).fit(data.rows, data.groups)


def results() -> list[Result]:
    """Time the prediction of held-out documents, the search for the best k, and DROP4."""
    data = held_out()
    ours, theirs = fit_ours(), fit_theirs()
    ours_weighted, theirs_weighted = fit_ours("weighted"), fit_theirs(lambda distances: 1 - distances)
    n_documents = len(data.groups)
    return [
        versus(
            f"CosineKNN: predict {N_HELD_OUT:,} documents by {n_documents:,}, {K} neighbours, plain votes",
            lambda: ours.predict(data.test_rows),
            lambda: theirs.predict(data.test_rows),
            'KNeighborsClassifier(metric="cosine")',
            target=5,
        ),
        versus(
            "the same, weighted votes",
            lambda: ours_weighted.predict(data.test_rows),
            lambda: theirs_weighted.predict(data.test_rows),
            "the same, weights=1 - distance",
            target=5,
        ),
        Result(
            f'CosineKNN: the best k of 1 to 100 for {n_documents:,} documents, `k="auto"`',
            _time_second_run(partial(fit_ours, "weighted", "auto")),
        ),
        Result(f"DROP4 on {n_documents:,} documents", _time_second_run(partial(fit_drop, 4)), limit=MAX_SECONDS),
    ]


def _time_second_run(job: Callable[[], object]) -> float:
    """Return the seconds of the second run of a job; the first compiles its kernels."""
    job()
    return timed(job)


def prepare_drop() -> Callable[[], object]:
    """Load all data and kernels, and return a job that fits DROP4."""
    DROP(variant=4).fit(held_out().rows[:300], held_out().groups[:300])
    return partial(fit_drop, 4)


def memory() -> str:
    """Return a sentence on the memory that DROP4 needs."""
    growth = peak_growth(prepare_drop)
    verdict = "met" if growth < MAX_BYTES else "**missed**"
    return f"DROP4 takes {growth / 1e6:,.0f} MB more than its documents ({verdict}: aim under 2 GB)."


def agreement() -> str:
    """Return a sentence on how many predictions and neighbours equal scikit-learn's."""
    data = held_out()
    ours, theirs = fit_ours(), fit_theirs()
    n_different = int((ours.predict(data.test_rows) != theirs.predict(data.test_rows)).sum())
    our_neighbours, their_neighbours = (model.kneighbors(data.test_rows)[1] for model in (ours, theirs))
    n_same = int((np.sort(our_neighbours) == np.sort(their_neighbours)).all(axis=1).sum())
    return (
        f"Of {N_HELD_OUT:,} predictions by plain votes {n_different} differ from scikit-learn's; {n_same:,} documents "
        "have the same neighbours (of equally near ones, textsieve takes the first; scikit-learn has no rule)."
    )


def quality() -> str:
    """Return a table of the accuracy with all training documents, and with those that DROP1 to DROP5 leave."""
    data = held_out()
    lines = ["| neighbours among | documents | | time | accuracy |", "|---|---:|---:|---:|---:|"]

    def row(name: str, positions: Any, drop_time: str) -> str:
        model = CosineKNN(k=K).fit(data.rows[positions], data.groups[positions])
        accuracy = np.mean(model.predict(data.test_rows) == data.test_groups)
        share = len(positions) / len(data.groups)
        return f"| {name} | {len(positions):,} | {share:.0%} | {drop_time} | {accuracy:.4f} |"

    lines.append(row("all", np.arange(len(data.groups)), ""))
    for variant in VARIANTS:
        drop_time = seconds(_time_second_run(partial(fit_drop, variant)))
        lines.append(row(f"DROP{variant}", fit_drop(variant).sample_indices_, drop_time))
    best = fit_ours("weighted", "auto")
    accuracy = np.mean(best.predict(data.test_rows) == data.test_groups)
    lines.append(f'| all, `k="auto"` (k = {best.k_}) | {len(data.groups):,} | 100% | | {accuracy:.4f} |')
    return "\n".join(lines)
