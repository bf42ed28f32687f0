"""How many planted wrong labels `textsieve check` finds; writes docs/research/check-results.md.

`python -m benchmarks.checking` needs the named corpora. In each corpus, 1, 5 or 10 % of the labels are replaced: by any
other class (uniform), or by the class with the most similar mean document (neighbouring). The same cross-validated
probabilities are given to cleanlab, if it is installed. Each corpus is divided in two halves at random. Cut-offs were
chosen on the first half (`python -m benchmarks.checking development`), and the page has the results of the second.

A corpus has wrong labels of its own, which count as false alarms here. So the true precision is higher.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.metrics import average_precision_score
from sklearn.preprocessing import normalize

import textsieve
from textsieve.arrays import CSR, Bools, Floats, Ints
from textsieve.checking.checker import learnable_documents
from textsieve.checking.cross_validation import (
    MIN_ODDS,
    CombinedProbabilities,
    group_folds,
)
from textsieve.evaluation.scores import HeldOutScores
from textsieve.reducers import Reduction
from textsieve.text import TermCounter, TermWeighter
from textsieve.training.counted_documents import CountedDocuments, count_texts
from textsieve.training.targets import Targets

CORPORA = {
    "20 Newsgroups": "newsgroups:train:no-headers",
    "Reuters, one topic": "reuters:train",
    "WebKB": "webkb:stemmed:train",
    "ODP sample": "odp:sample",
    "docstrings": "docstrings",
}
MAX_DOCUMENTS = 4_000
"""The largest number of documents in a half of a corpus."""
MIN_CLASS = 20
"""The smallest number of documents of a class."""
RATES = (0.01, 0.05, 0.10)
ODDS = (5, 10, MIN_ODDS, 50, 100)
"""How many times as probable as the label another class must be."""
KINDS = ("uniform", "neighbouring")
SEEDS = range(3)
PAGE = Path(__file__).parent.parent / "docs" / "research" / "check-results.md"


class Noisy(NamedTuple):
    """Documents with planted wrong labels."""

    documents: CountedDocuments
    is_planted: Bools


class Measured(NamedTuple):
    """How a method did on one corpus with one kind of noise."""

    corpus: str
    kind: str
    rate: float
    method: str
    precision: float
    """NaN if the method flags nothing."""
    recall: float
    flagged: float
    """The share of all documents that the method flags."""


# -- documents ---------------------------------------------------------------------------------------------------


def read_half(name: str, half: int) -> tuple[list[str], list[str]]:
    """Return texts and labels of the documents with one label in a half of a corpus, without small classes."""
    pairs = [(text, labels[0]) for text, labels in textsieve.read(name) if len(labels) == 1]
    order = np.random.default_rng(7).permutation(len(pairs))[half::2][:MAX_DOCUMENTS]
    chosen = [pairs[number] for number in sorted(order.tolist())]
    sizes = {label: 0 for _, label in chosen}
    for _, label in chosen:
        sizes[label] += 1
    chosen = [(text, label) for text, label in chosen if sizes[label] >= MIN_CLASS]
    return [text for text, _ in chosen], [label for _, label in chosen]


def plant(documents: CountedDocuments, kind: str, rate: float, seed: int) -> Noisy:
    """Replace a share of the labels by wrong ones."""
    random, labels = np.random.default_rng(seed), documents.targets.first_class.copy()
    n_classes = len(documents.targets.classes)
    planted = random.choice(len(labels), max(1, round(rate * len(labels))), replace=False)
    if kind == "uniform":
        labels[planted] = (labels[planted] + random.integers(1, n_classes, len(planted))) % n_classes
    else:
        labels[planted] = most_similar_classes(documents)[labels[planted]]
    names = [documents.targets.classes[number] for number in labels.tolist()]
    is_planted = np.zeros(len(labels), np.bool_)
    is_planted[planted] = True
    targets = Targets.of(names, len(names), False)
    return Noisy(CountedDocuments(documents.counts, documents.terms, targets, documents.limits), is_planted)


def most_similar_classes(documents: CountedDocuments) -> Ints:
    """Return for each class the other class whose mean document has the largest cosine with its own."""
    rows = csr_matrix(TermWeighter(tf="log", idf="smooth", norm="l2").fit_transform(documents.counts))
    means = normalize(csr_matrix(documents.targets.indicator().T @ rows))
    similarities = (means @ means.T).toarray()  # classes x classes
    np.fill_diagonal(similarities, -1.0)
    return np.asarray(similarities.argmax(axis=1))


# -- methods -----------------------------------------------------------------------------------------------------


def flag(noisy: Noisy) -> Iterator[tuple[str, Bools | Floats]]:
    """Yield the methods and what they flag: a mask, or suspicion scores, of which the average precision is measured."""
    labels = noisy.documents.targets.first_class
    rows = np.arange(len(labels))
    fold_of = group_folds(labels, rows)
    combined = CombinedProbabilities.of(noisy.documents, fold_of, lambda *_: None)
    p = full_matrix((numbers, block) for numbers, block, _ in combined.blocks())
    p_label = p[rows, labels]
    others = p.copy()
    others[rows, labels] = -1.0
    p_other = others.max(axis=1)
    for odds in ODDS:
        yield f"check, odds of {odds:g}" + (" (default)" if odds == MIN_ODDS else ""), p_other >= odds * p_label
    yield "ranking: check", p_other / p_label
    for name, scores, curve in zip(("SVM", "naive Bayes"), combined.scores, combined.curves, strict=True):
        alone = probabilities(scores, curve.curve)
        yield f"ranking: {name} alone", -alone[rows, labels]
        if name == "SVM":
            others = alone.copy()
            others[rows, labels] = -1.0
            yield "SVM alone, other above 0.8", others.max(axis=1) > 0.8
    yield "DROP's noise filter, k = 3", drop_noise(noisy.documents, labels)
    if find_spec("cleanlab"):
        from cleanlab.filter import find_label_issues
        from cleanlab.rank import get_normalized_margin_for_each_label

        for rule in ("prune_by_noise_rate", "prune_by_class", "confident_learning"):
            yield f"cleanlab, {rule}", np.asarray(find_label_issues(labels, p, filter_by=rule, n_jobs=1), np.bool_)
        yield "ranking: cleanlab, normalized margin", -np.asarray(get_normalized_margin_for_each_label(labels, p))


def probabilities(scores: HeldOutScores, curve: Any) -> Floats:
    """Return the probabilities by one model alone."""
    p = full_matrix((numbers, curve(block)) for numbers, block, _ in scores.by_document())
    return np.asarray(p / p.sum(axis=1, keepdims=True))


def full_matrix(blocks: Iterator[tuple[Ints, Floats]]) -> Floats:
    """Return the blocks as one matrix (documents x classes)."""
    numbers, parts = zip(*blocks, strict=True)
    matrix = np.empty((sum(map(len, parts)), parts[0].shape[1]))
    matrix[np.concatenate(numbers)] = np.concatenate(parts)
    return matrix


def drop_noise(documents: CountedDocuments, labels: Ints) -> Bools:
    """Return which documents the noise filter of DROP3 drops: those that their nearest neighbours misclassify."""
    rows = csr_matrix(TermWeighter(tf="log", idf="smooth", norm="l2").fit_transform(documents.counts))
    is_noise = np.zeros(len(labels), np.bool_)
    is_noise[Reduction(CSR.of(rows), labels, 3, 2).noise()] = True
    return is_noise


def measure(noisy: Noisy, flagged: NDArray[Any]) -> tuple[float, float, float]:
    """Return precision, recall and the share of flagged documents; for scores, the average precision thrice."""
    if flagged.dtype != np.bool_:
        value = float(average_precision_score(noisy.is_planted, flagged))
        return value, value, value
    hits, n = int((flagged & noisy.is_planted).sum()), int(flagged.sum())
    return (hits / n if n else float("nan")), hits / int(noisy.is_planted.sum()), n / len(flagged)


def run(half: int) -> list[Measured]:
    """Measure all methods on all corpora with all kinds of noise."""
    results = []
    for title, name in CORPORA.items():
        texts, labels = read_half(name, half)
        counter = TermCounter(analyzer="text", dtype=np.int32)
        limits: Any = {"min_df": 1, "max_df": 1.0}
        counted = count_texts(texts, labels, counter, limits, multilabel=False)
        _, documents = learnable_documents(counted, np.ones(len(counted.targets.classes), np.bool_))
        for kind in KINDS:
            for rate in RATES:
                for seed in SEEDS:
                    start = time.perf_counter()
                    noisy = plant(documents, kind, rate, seed)
                    for method, flagged in flag(noisy):
                        results.append(Measured(title, kind, rate, method, *measure(noisy, flagged)))
                    spent = time.perf_counter() - start
                    print(title, len(texts), kind, rate, seed, f"{spent:.1f} s", file=sys.stderr, flush=True)
    return results


# -- the page ------------------------------------------------------------------------------------------------------


def page(results: list[Measured], seconds: float) -> str:
    """Return the page with all tables."""
    methods = list(dict.fromkeys(row.method for row in results))
    rankings = [method for method in methods if method.startswith("ranking: ")]
    rules = [method for method in methods if method not in rankings]
    settings = [(kind, rate) for kind in KINDS for rate in RATES]
    titles = [f"{kind} {rate:.0%}" for kind, rate in settings]

    def mean(method: str, field: str, **where: object) -> float:
        """Return the mean of a field over the results of a method that have these values."""
        chosen = [row for row in results if row.method == method and row._asdict().items() >= where.items()]
        return float(np.nanmean([getattr(row, field) for row in chosen]))

    def both(method: str, **where: object) -> str:
        precision, recall = (mean(method, field, **where) for field in ("precision", "recall"))
        return f"{precision:.2f} / {recall:.2f}"

    def f1(method: str) -> float:
        pairs = [
            tuple(mean(method, field, kind=kind, rate=rate) for field in ("precision", "recall"))
            for kind, rate in settings
        ]
        return float(np.mean([2 * precision * recall / (precision + recall) for precision, recall in pairs]))

    default = next(method for method in rules if method.endswith("(default)"))
    best_peer = max((method for method in rules if not method.startswith("check")), key=f1)
    lines = [
        "# How many wrong labels `textsieve check` finds",
        "",
        f"On {len(CORPORA)} corpora with planted wrong labels, the labels that `textsieve check` reports have a mean "
        f"F1 of {f1(default):.2f} over all rows below; the best other rule, {best_peer}, has {f1(best_peer):.2f}.",
        "",
        f"Each corpus has at most {MAX_DOCUMENTS:,} documents, with at least {MIN_CLASS} of each class. Of the labels, "
        "1, 5 or 10 % were replaced: by any other class (uniform), or by the class with the most similar mean document "
        f"(neighbouring), {len(SEEDS)} times each. `check` reports a label if another class is at least {MIN_ODDS:g} "
        "times as probable. This number, and the way to combine two models, were chosen on other documents of the same "
        "corpora. cleanlab got the same probabilities. The corpora have wrong labels of their own, which count as "
        "false alarms here, so the true precision is higher, above all at 1 %.",
        "",
        f"`python -m benchmarks.checking` made this page in {seconds / 60:.0f} minutes.",
        "",
        "## Precision and recall of the reported labels",
        "",
        *_markdown(
            ["rule", *titles, "mean F1"],
            [
                [method, *(both(method, kind=kind, rate=rate) for kind, rate in settings), f"{f1(method):.2f}"]
                for method in rules
            ],
        ),
        "",
        "Means over the corpora. DROP's noise filter reports documents that their 3 nearest neighbours misclassify.",
        "",
        "## Order of the documents",
        "",
        "Average precision of planted labels when documents are ordered by suspicion:",
        "",
        *_markdown(
            ["order by", *titles],
            [
                [
                    method.removeprefix("ranking: "),
                    *(f"{mean(method, 'precision', kind=kind, rate=rate):.2f}" for kind, rate in settings),
                ]
                for method in rankings
            ],
        ),
        "",
        "## Precision and recall of `check` on each corpus",
        "",
        *_markdown(
            ["corpus", *titles],
            [
                [corpus, *(both(default, kind=kind, rate=rate, corpus=corpus) for kind, rate in settings)]
                for corpus in CORPORA
            ],
        ),
        "",
    ]
    return "\n".join(lines)


def _markdown(titles: list[str], rows: list[list[str]]) -> list[str]:
    """Return a table; all columns but the first are aligned to the right."""
    return [
        f"| {' | '.join(titles)} |",
        f"|---|{'---:|' * (len(titles) - 1)}",
        *(f"| {' | '.join(row)} |" for row in rows),
    ]


def main() -> None:
    """Measure, and write the page; or print the tables of the first halves, for development."""
    is_development = sys.argv[1:] == ["development"]
    start = time.perf_counter()
    results = run(0 if is_development else 1)
    text = page(results, time.perf_counter() - start)
    if is_development:
        print(text)
    else:
        PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
