"""Nearest neighbours, and fewer documents to find them among."""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.neighbors import KNeighborsClassifier

from textsieve.classifiers.cosine_knn import CosineKNN
from textsieve.reducers import DROP
from textsieve.reducers.drop import VARIANTS

from .harness import Result, peak_growth, seconds, timed, versus
from .held_out import N_HELD_OUT, held_out

K = 30
MOST_SECONDS = 300
MOST_BYTES = 2 << 30


def theirs(weights: Any = "uniform") -> KNeighborsClassifier:
    """scikit-learn's, which calculates every cosine."""
    data = held_out()
    return KNeighborsClassifier(K, metric="cosine", algorithm="brute", weights=weights).fit(data.rows, data.groups)


def ours(votes: str = "plain", k: Any = K) -> CosineKNN:
    """Ours, learned."""
    return CosineKNN(k=k, votes=votes).fit(*held_out()[:2])


def results() -> list[Result]:
    """Predicting held-out documents; choosing k; DROP4."""
    data = held_out()
    fast, slow, weighted, slow_weighted = ours(), theirs(), ours("weighted"), theirs(lambda distances: 1 - distances)
    n_documents = len(data.groups)
    return [
        versus(
            f"CosineKNN: predict {N_HELD_OUT:,} documents by {n_documents:,}, {K} neighbours, plain votes",
            lambda: fast.predict(data.test_rows),
            lambda: slow.predict(data.test_rows),
            'KNeighborsClassifier(metric="cosine")',
            target=5,
        ),
        versus(
            "the same, weighted votes",
            lambda: weighted.predict(data.test_rows),
            lambda: slow_weighted.predict(data.test_rows),
            "the same, weights=1 - distance",
            target=5,
        ),
        Result(f'CosineKNN: the best k of 1 to 100 for {n_documents:,} documents, `k="auto"`', _fitting_time("auto")),
        Result(f"DROP4 on {n_documents:,} documents", _time_of(lambda: _reduced(4)), limit=MOST_SECONDS),
    ]


def _time_of(job: Callable[[], object]) -> float:
    job()
    return timed(job)


def _fitting_time(k: Any) -> float:
    return _time_of(lambda: ours("weighted", k))


def _reduced(variant: int) -> DROP:
    return DROP(variant=variant).fit(*held_out()[:2])


def prepared_drop() -> Callable[[], object]:
    """DROP4, with all loaded and compiled."""
    rows = held_out().rows[:300]
    DROP(variant=4).fit(rows, held_out().groups[:300])
    return lambda: _reduced(4)


def memory() -> str:
    """What DROP4 takes."""
    growth = peak_growth(prepared_drop)
    verdict = "met" if growth < MOST_BYTES else "**missed**"
    return f"DROP4 takes {growth / 1e6:,.0f} MB more than its documents ({verdict}: aim under 2 GB)."


def agreement() -> str:
    """Whether the answers are the same."""
    data = held_out()
    different = int((ours().predict(data.test_rows) != theirs().predict(data.test_rows)).sum())
    _, found = ours().kneighbors(data.test_rows)
    _, right = theirs().kneighbors(data.test_rows)
    same = int((np.sort(found) == np.sort(right)).all(axis=1).sum())
    return (
        f"Of {N_HELD_OUT:,} predictions by plain votes {different} differ from scikit-learn's; {same:,} documents have "
        "the very same neighbours (equally near ones are taken in their order here, and in no order there)."
    )


def quality() -> str:
    """What is lost when documents are dropped."""
    data = held_out()
    lines = ["| neighbours among | documents | | time | accuracy |", "|---|---:|---:|---:|---:|"]

    def row(name: str, kept: Any, spent: str) -> str:
        right = CosineKNN(k=K).fit(data.rows[kept], data.groups[kept]).predict(data.test_rows) == data.test_groups
        return f"| {name} | {len(kept):,} | {len(kept) / len(data.groups):.0%} | {spent} | {np.mean(right):.4f} |"

    lines.append(row("all", np.arange(len(data.groups)), ""))
    for variant in VARIANTS:
        spent = seconds(_time_of(lambda variant=variant: _reduced(variant)))  # type: ignore[misc]
        lines.append(row(f"DROP{variant}", _reduced(variant).sample_indices_, spent))
    best = ours("weighted", "auto")
    right = np.mean(best.predict(data.test_rows) == data.test_groups)
    lines.append(f'| all, `k="auto"` (k = {best.k_}) | {len(data.groups):,} | 100% | | {right:.4f} |')
    return "\n".join(lines)
