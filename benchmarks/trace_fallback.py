"""Documents that have none of the chosen terms: what the gain is if they get a label all the same.

Where documents have several labels, one without a chosen term has none in the other tables. The most frequent class is
mostly wrong for it; so with that, a weight whose terms are in fewer documents loses more.
"""

from __future__ import annotations

from typing import NamedTuple

from textsieve.selectors.trace_weight import auto_weight
from textsieve.training.counted_documents import CountedDocuments

from .trace_folds import SETTINGS
from .trace_tables import SIZES, with_error


class Filled(NamedTuple):
    """How far the automatic weight is ahead of 1 in each fold, in points: without such labels, and with them."""

    corpus: str
    setting: str
    ahead: list[float]
    ahead_filled: list[float]


def filled(corpus: str, documents: CountedDocuments) -> list[Filled]:
    """Both settings of a collection, if its documents have several labels."""
    if not documents.targets.multilabel:
        return []
    found = []
    for setting, folds in SETTINGS.items():
        ahead, ahead_filled = [], []
        for fold in folds(corpus, documents):
            sizes = [k for k in SIZES if k < fold.stats.n_terms]
            auto = [fold.score(fold.best(auto_weight(fold.between, fold.total, fold.stats, k), k)) for k in sizes]
            one = [fold.score(fold.best(1.0, k)) for k in sizes]
            pairs = list(zip(auto, one, strict=True))
            ahead.append(100 * sum(a.micro - o.micro for a, o in pairs) / len(pairs))
            ahead_filled.append(100 * sum(a.filled - o.filled for a, o in pairs) / len(pairs))
        found.append(Filled(corpus, setting, ahead, ahead_filled))
    return found


def table(all_filled: list[Filled]) -> str:
    """A line a collection and setting."""
    lines = [
        "| auto - λ = 1 | labels | such documents have no label | the most frequent class |",
        "|---|---|---:|---:|",
    ]
    for each in all_filled:
        cells = [f"{gain:+.2f} ± {error:.2f}" for gain, error in map(with_error, (each.ahead, each.ahead_filled))]
        lines.append(f"| {each.corpus} | {each.setting} | {' | '.join(cells)} |")
    return "\n".join(lines)
