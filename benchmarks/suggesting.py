"""How many labels `textsieve suggest` saves against choosing documents at random.

`python -m benchmarks.suggesting` writes docs/research/suggest-results.md. It needs 20 Newsgroups, Reuters, WebKB and
the ODP sample in the folder that `TEXTSIEVE_DATA` names, and takes some minutes.

Each run starts with the same few random documents for all strategies, and adds batches of documents that a strategy
chooses from the pool. After each batch, a model is trained on all labelled documents, and its accuracy on test
documents is measured. The strategies in the tables of development were compared on other seeds and on training
documents only. The page says what was tried before, and which test documents that involved.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from textsieve import Categorizer, read, suggest_documents
from textsieve.arrays import CSR
from textsieve.evaluation import folds
from textsieve.suggesting import CANDIDATES_PER_SUGGESTION, cover, uncertainty_of

Floats = NDArray[np.float64]
Documents = list[tuple[str, str]]
Strategy = Callable[[Categorizer, Sequence[str], int, np.random.Generator], list[int]]
"""A function from a model, the texts of a pool and a number of documents to the positions of the chosen ones."""

PAGE = Path(__file__).parents[1] / "docs" / "research" / "suggest-results.md"
CORPORA: dict[str, tuple[str, ...]] = {
    "20 Newsgroups": ("newsgroups:train:no-headers", "newsgroups:test:no-headers"),
    "Reuters": ("reuters:train", "reuters:test"),
    "WebKB": ("webkb:stemmed:train", "webkb:stemmed:test"),
    "ODP sample": ("odp:sample",),
    "docstrings": ("docstrings",),
}
"""Names for `read` by title: the training and the test part, or the whole corpus."""
SETTINGS: dict[str, Any] = {"analyzer": "word", "max_size": None, "probabilities": None, "n_jobs": 1}
"""Words and all their coefficients, without probabilities: a model that is trained in a tenth of a second."""
N_START, N_BATCH, N_BATCHES = 100, 50, 10
N_POOL, N_TEST = 3_000, 1_500
DEVELOPMENT_SEEDS, TEST_SEEDS = range(5), range(100, 110)
N_RESAMPLES = 2_000
N_LABELS = [N_START + N_BATCH * number for number in range(N_BATCHES + 1)]


# -- documents -------------------------------------------------------------------------------------------------------


class Parts(NamedTuple):
    """Labelled documents to choose from, and documents to measure the accuracy on."""

    train: Documents
    test: Documents

    @classmethod
    def of(cls, names: Sequence[str], *, only_training: bool) -> Parts:
        """Read a corpus: the publisher's parts, or else every third document of a class for the test.

        With `only_training`, both parts come from the training documents. Documents with several labels are left out.
        """
        train, *rest = [
            [(text, labels[0]) for text, labels in read(name) if len(labels) == 1 and text.strip()] for name in names
        ]
        parts = cls(train, rest[0]) if rest else cls._divide(train)
        return cls._divide(parts.train) if only_training else parts

    @classmethod
    def _divide(cls, documents: Documents) -> Parts:
        is_test = np.asarray(folds([label for _, label in documents], 3)) == 0
        return cls(
            [documents[number] for number in np.flatnonzero(~is_test).tolist()],
            [documents[number] for number in np.flatnonzero(is_test).tolist()],
        )

    def sample(self, draw: np.random.Generator) -> Parts:
        """Return random documents of both parts."""
        return Parts(
            *(
                [part[number] for number in draw.permutation(len(part))[:size].tolist()]
                for part, size in zip(self, (N_POOL, N_TEST), strict=True)
            )
        )


# -- strategies ------------------------------------------------------------------------------------------------------


def at_random(_: Categorizer, texts: Sequence[str], n: int, draw: np.random.Generator) -> list[int]:
    """Return random documents."""
    return [int(position) for position in draw.permutation(len(texts))[:n]]


def _ranked(model: Categorizer, texts: Sequence[str], n: int) -> tuple[list[int], CSR]:
    """Return the n most uncertain documents, and their rows."""
    rows = model.model_.rows(texts)
    margins = uncertainty_of(model.model_, model.model_.predict_rows(rows)).margins
    chosen = np.argsort(margins, kind="stable")[:n]
    return chosen.tolist(), CSR.of(rows.matrix()[chosen])


def most_uncertain(model: Categorizer, texts: Sequence[str], n: int, _: np.random.Generator) -> list[int]:
    """Return the documents of smallest margin."""
    return _ranked(model, texts, n)[0]


def uncertain_and_apart(model: Categorizer, texts: Sequence[str], n: int, _: np.random.Generator) -> list[int]:
    """Return, of the most uncertain documents, those that are farthest from each other, one after the other."""
    candidates, rows = _ranked(model, texts, CANDIDATES_PER_SUGGESTION * n)
    matrix = rows.matrix()
    chosen = [0]
    nearest = np.asarray((matrix @ matrix[0].T).todense()).ravel()
    while len(chosen) < n:
        nearest[chosen[-1]] = np.inf
        chosen.append(int(nearest.argmin()))
        nearest = np.maximum(nearest, np.asarray((matrix @ matrix[chosen[-1]].T).todense()).ravel())
    return [candidates[number] for number in chosen]


def uncertain_and_covering(model: Categorizer, texts: Sequence[str], n: int, _: np.random.Generator) -> list[int]:
    """Return, of the most uncertain documents, those that cover the others, without weights for classes."""
    candidates, rows = _ranked(model, texts, CANDIDATES_PER_SUGGESTION * n)
    ones = np.ones(len(candidates))
    return [candidates[number] for number in cover(rows, n, ones, ones.astype(np.int64)).chosen.tolist()]


def suggested(model: Categorizer, texts: Sequence[str], n: int, _: np.random.Generator) -> list[int]:
    """Return the documents that `suggest_documents` suggests."""
    return [suggestion.number - 1 for suggestion in suggest_documents(model, texts, n, n_jobs=1)]


RANDOM, SUGGEST = "random", "`suggest`"
TESTED: dict[str, Strategy] = {RANDOM: at_random, "most uncertain": most_uncertain, SUGGEST: suggested}
DEVELOPED: dict[str, Strategy] = {
    RANDOM: at_random,
    "most uncertain": most_uncertain,
    "uncertain, apart": uncertain_and_apart,
    "uncertain, covering": uncertain_and_covering,
    SUGGEST: suggested,
}


# -- measurements ----------------------------------------------------------------------------------------------------


class Curves(NamedTuple):
    """Accuracy and macro-F1 after each batch (seeds x batches)."""

    accuracy: Floats
    macro_f1: Floats


def measure(parts: Parts, strategy: Strategy, seed: int) -> list[tuple[float, float]]:
    """Return accuracy and macro-F1 with the first documents, and after each batch."""
    draw = np.random.default_rng(seed)
    train, test = parts.sample(draw)
    labelled, pool = train[:N_START], train[N_START:]
    test_texts, test_labels = [text for text, _ in test], [label for _, label in test]
    figures = []
    for number in range(N_BATCHES + 1):
        model = Categorizer(**SETTINGS).fit([text for text, _ in labelled], [label for _, label in labelled])
        report = model.evaluate(test_texts, test_labels)
        figures.append((report.micro_f1, report.macro_f1))
        if number < N_BATCHES:
            chosen = set(strategy(model, [text for text, _ in pool], N_BATCH, draw))
            labelled = labelled + [pool[position] for position in sorted(chosen)]
            pool = [document for position, document in enumerate(pool) if position not in chosen]
    return figures


def measure_all(strategies: dict[str, Strategy], seeds: range, *, only_training: bool) -> Results:
    """Return the curves of each corpus and strategy."""
    results: Results = {}
    for corpus, names in CORPORA.items():
        parts = Parts.of(names, only_training=only_training)
        for name, strategy in strategies.items():
            figures = np.array([measure(parts, strategy, seed) for seed in seeds])
            results.setdefault(corpus, {})[name] = Curves(figures[:, :, 0], figures[:, :, 1])
            print(corpus, name, figures.mean(axis=(0, 1)), file=sys.stderr, flush=True)
    return results


def labels_needed(curve: Floats, target: float) -> float | None:
    """Return the number of labels at which a curve first reaches the target, interpolated; None if it never does."""
    reached = np.flatnonzero(curve >= target)
    if not len(reached):
        return None
    last = int(reached[0])
    if last == 0:
        return float(N_LABELS[0])
    share = (target - curve[last - 1]) / (curve[last] - curve[last - 1])
    return float(N_LABELS[last - 1] + share * N_BATCH)


def labels_saved(random: Floats, other: Floats) -> float:
    """Return how many labels fewer another strategy needs for the accuracy that random choice reaches in the end.

    Both are accuracies (seeds x batches), and means over seeds are compared. 0 if the other does not reach it.
    """
    needed = labels_needed(other.mean(axis=0), float(random[:, -1].mean()))
    return 0.0 if needed is None else N_LABELS[-1] - needed


def interval(statistic: Callable[[NDArray[np.int64]], float], n_seeds: int) -> tuple[float, float, float]:
    """Return a statistic of all seeds, and its 95% interval by bootstrap over the seeds."""
    draw = np.random.default_rng(0)
    values = [statistic(draw.integers(n_seeds, size=n_seeds)) for _ in range(N_RESAMPLES)]
    low, high = np.quantile(values, [0.025, 0.975])
    return statistic(np.arange(n_seeds)), float(low), float(high)


# -- the page --------------------------------------------------------------------------------------------------------

Results = dict[str, dict[str, Curves]]
"""The curves by corpus and strategy."""


def saved_interval(curves: dict[str, Curves]) -> tuple[float, float, float]:
    """Return how many labels `suggest` saves on a corpus, and the interval."""
    random, other = curves[RANDOM].accuracy, curves[SUGGEST].accuracy
    return interval(lambda seeds: labels_saved(random[seeds], other[seeds]), len(random))


def difference_interval(curves: dict[str, Curves], name: str) -> tuple[float, float, float]:
    """Return how much the final accuracy of a strategy exceeds that of random choice, and the interval."""
    differences = curves[name].accuracy[:, -1] - curves[RANDOM].accuracy[:, -1]
    return interval(lambda seeds: float(differences[seeds].mean()), len(differences))


def saved_table(results: Results) -> str:
    """Return a table of the labels that are saved at the final accuracy of random choice."""
    accuracy = f"accuracy of random with {N_LABELS[-1]} labels"
    rows = [
        f"| corpus | {accuracy} | labels that `suggest` needs for it | saved | 95% interval |",
        "|---|---:|---:|---:|---|",
    ]
    for corpus, curves in results.items():
        saved, low, high = saved_interval(curves)
        target = curves[RANDOM].accuracy[:, -1].mean()
        needed = f"{N_LABELS[-1] - saved:.0f}" if saved > 0 else "not reached"
        rows.append(f"| {corpus} | {target:.3f} | {needed} | {_share(saved)} | {_share(low)} to {_share(high)} |")
    return "\n".join(rows)


def _share(n_labels: float) -> str:
    return f"{n_labels / N_LABELS[-1]:.0%}"


def final_table(results: Results) -> str:
    """Return a table of the accuracy with half of the labels and with all, and the difference to random choice."""
    half = N_BATCHES // 2
    rows = [
        f"| corpus | strategy | accuracy, {N_LABELS[half]} labels | accuracy, {N_LABELS[-1]} labels | "
        "difference to random, 95% interval | macro-F1 |",
        "|---|---|---:|---:|---|---:|",
    ]
    for corpus, curves in results.items():
        for name, (accuracy, macro_f1) in curves.items():
            mean, low, high = difference_interval(curves, name)
            difference = "" if name == RANDOM else f"{mean:+.3f} ({low:+.3f} to {high:+.3f})"
            rows.append(
                f"| {corpus} | {name} | {accuracy[:, half].mean():.3f} | {accuracy[:, -1].mean():.3f} | {difference} | "
                f"{macro_f1[:, -1].mean():.3f} |"
            )
    return "\n".join(rows)


def development_table(results: Results, figure: Callable[[Curves], float]) -> str:
    """Return a table of a figure for each strategy and corpus, and of its mean over the corpora."""
    rows = [f"| strategy | {' | '.join(results)} | mean |", "|---|" + "---:|" * (len(results) + 1)]
    for name in DEVELOPED:
        figures = [figure(curves[name]) for curves in results.values()]
        cells = " | ".join(f"{value:.3f}" for value in [*figures, float(np.mean(figures))])
        rows.append(f"| {name} | {cells} |")
    return "\n".join(rows)


def summary(results: Results) -> str:
    """Return a sentence about the corpora on which labels are saved, and one about the others."""
    saved: list[str] = []
    not_saved: list[str] = []
    for corpus, curves in results.items():
        value, low, _ = saved_interval(curves)
        (saved if low > 0 else not_saved).append(f"{corpus} ({_share(value)})")
    sentences = [f"`suggest` saves labels on {', '.join(saved)}."] if saved else []
    if not_saved:
        sentences.append(f"It saves nothing that is certain on {', '.join(not_saved)}: the interval includes 0.")
    return " ".join(sentences)


def page() -> str:
    """Measure everything, and return the page."""
    developed = measure_all(DEVELOPED, DEVELOPMENT_SEEDS, only_training=True)
    tested = measure_all(TESTED, TEST_SEEDS, only_training=False)
    return f"""# How many labels `suggest` saves

Written by `python -m benchmarks.suggesting`. {summary(tested)}

{saved_table(tested)}

A run begins with {N_START} random documents and adds {N_BATCHES} batches of {N_BATCH}, from a pool of at most
{N_POOL:,} training documents. All strategies begin with the same documents. There are {len(TEST_SEEDS)} runs. Of
Reuters, only the documents with a single topic are used. The model is a plain SVM on words, without probabilities,
because it has to be trained {N_BATCHES + 1} times in each run. It is measured on at most {N_TEST:,} test documents: the
publisher's, or every third document of a class.

The target is the accuracy that random choice reaches in the end, with {N_LABELS[-1]} labels. `suggest` is measured
after each batch, and interpolated between batches. Both are means over the runs. All intervals are 95% intervals by
bootstrap over the runs.

## Accuracy

"Most uncertain" takes the documents of smallest margin, whatever they resemble.

{final_table(tested)}

## How the rule was chosen

These strategies were compared on training documents only, in {len(DEVELOPMENT_SEEDS)} runs with other seeds. Of the
{CANDIDATES_PER_SUGGESTION} x {N_BATCH} most uncertain documents, "apart" takes those that are farthest from each other,
and "covering" those that resemble most of the others. `suggest` is the latter with weights that make it fair over
classes: it was chosen for its macro-F1, in which all classes count the same, although the weights cost some accuracy.

Before, a prototype with scikit-learn's SVM compared 34 variants on the same corpora, with two or four seeds each:
margins alone, distances, clusters, density, turns of the predicted classes, 3 to 60 candidates for each suggestion, and
several weights. The number of candidates and the square root come from there. For 20 Newsgroups, Reuters and WebKB, the
prototype used training documents only. The ODP sample and docstrings have no publisher's split, and the prototype used
all of their documents, including those that are test documents above. So the figures of these two corpora may be too
good. The square root was kept after the test figures were known; no other weights were measured on them.

Accuracy, mean over all batches:

{development_table(developed, lambda curves: float(curves.accuracy[:, 1:].mean()))}

Macro-F1 with {N_LABELS[-1]} labels:

{development_table(developed, lambda curves: float(curves.macro_f1[:, -1].mean()))}
"""


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    PAGE.write_text(page(), encoding="utf-8")
