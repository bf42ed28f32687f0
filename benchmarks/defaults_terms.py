"""Compare kinds of terms, and textsieve with pipelines of other packages, on texts of many kinds and languages.

    python -m benchmarks.package_corpora FOLDER          download the corpora
    python -m benchmarks.defaults_terms FOLDER [NAME ...]

prints the tables, and stores each measurement in FOLDER/terms, so that an interrupted run can be resumed. Corpora are
those with one label a document of `package_corpora`, and the papers' (TEXTSIEVE_DATA). Of each, every third document of
a class is a final test document. Kinds of terms are compared by cross-validation on the others. The pipelines are
compared on the final test documents, once. In means, corpora with the same items count as one.

fastText takes part if it can be imported (`pip install fasttext-numpy2-wheel`).
"""

from __future__ import annotations

import json
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.feature_selection import SelectKBest, chi2
from sklearn.metrics import accuracy_score, f1_score
from sklearn.naive_bayes import ComplementNB
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from textsieve import Categorizer
from textsieve.evaluation import folds
from textsieve.extras import is_installed

from .defaults_corpora import CORPORA, MULTILABEL, Labelled
from .package_corpora import CORPORA as PACKAGED
from .package_corpora import load
from .package_corpora.download import locate

MAX_DOCUMENTS = 6000
"""Larger corpora are cut to about this many documents, evenly over each class."""
N_FOLDS = 3

TEXT = {"analyzer": "text"}
PAIRS = {**TEXT, "ngram_range": (1, 2)}
SQRT: dict[str, Any] = {"class_weight": "sqrt", "classifier_options": {"C": 1.0}, "tf": "log"}
KINDS: dict[str, dict[str, Any]] = {
    "words": {},
    "text": TEXT,
    "text, pairs": PAIRS,
    "3 to 5 characters": {"analyzer": "char_wb", "ngram_range": (3, 5)},
    "text, 3 to 5 characters": {**TEXT, "char_ngram_range": (3, 5)},
    "text, pairs, 3 to 5 characters": {**PAIRS, "char_ngram_range": (3, 5)},
    "text, sqrt": {**TEXT, **SQRT},
    "text, pairs, 2 to 5 characters, sqrt": {**PAIRS, "char_ngram_range": (2, 5), **SQRT},
    "the same, 50,000 terms by ocfs": {
        **PAIRS, "char_ngram_range": (2, 5), **SQRT, "selector": "ocfs", "n_terms": 50_000,
    },
}  # fmt: skip
"""The settings of a `Categorizer` that are compared on development documents."""

Texts = Sequence[str]
Predictor = Callable[[Texts, Sequence[str], Texts], Sequence[str]]
"""A function that trains on texts and labels, and predicts the labels of other texts."""


class Score(NamedTuple):
    """The accuracy and the macro-F1 of predictions."""

    accuracy: float
    macro_f1: float


# -- pipelines ---------------------------------------------------------------------------------------------------------


def predict_by_textsieve(texts: Texts, labels: Sequence[str], others: Texts, **settings: Any) -> Sequence[str]:
    """Return the labels that a `Categorizer` predicts."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # fewer terms than asked for, documents without a selected term
        predicted: Sequence[str] = Categorizer(**settings).fit(texts, labels).predict(others)
    return predicted


def predict_by_scikit_learn(steps: Callable[[], list[Any]], texts: Texts, labels: Any, others: Texts) -> Sequence[str]:
    """Return the labels that a pipeline of scikit-learn predicts."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # `SelectKBest` keeps all terms if there are fewer than k
        predicted: Sequence[str] = make_pipeline(*steps()).fit(texts, labels).predict(others)
    return predicted


def predict_by_fasttext(texts: Texts, labels: Sequence[str], others: Texts) -> Sequence[str]:
    """Return the labels that fastText predicts; it reads a text file with one document a line."""
    fasttext = import_module("fasttext")
    classes = sorted(set(labels))
    numbers = {label: number for number, label in enumerate(classes)}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "train.txt"
        lines = (
            f"__label__{numbers[label]} {' '.join(text.split())}" for text, label in zip(texts, labels, strict=True)
        )
        file.write_text("\n".join(lines), encoding="utf-8")
        model = fasttext.train_supervised(str(file), epoch=25, wordNgrams=2, lr=0.5, thread=1, verbose=0)
    # Documents without a known word have no prediction; they get the most frequent class.
    frequent = max(classes, key=list(labels).count)
    predicted, _ = model.predict([" ".join(text.split()) for text in others])
    return [classes[int(best[0].removeprefix("__label__"))] if best else frequent for best in predicted]


PEERS: dict[str, Predictor] = {
    name: partial(predict_by_scikit_learn, steps)
    for name, steps in {
        "LinearSVC, words": lambda: [TfidfVectorizer(), LinearSVC()],
        "LinearSVC, words and pairs": lambda: [TfidfVectorizer(ngram_range=(1, 2)), LinearSVC()],
        "LinearSVC, char_wb 3-5": lambda: [TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5)), LinearSVC()],
        "LinearSVC, chi2 10,000": lambda: [TfidfVectorizer(), SelectKBest(chi2, k=10_000), LinearSVC()],
        "ComplementNB": lambda: [TfidfVectorizer(), ComplementNB()],
    }.items()
}
if is_installed("fasttext"):
    PEERS["fastText"] = predict_by_fasttext


# -- corpora -----------------------------------------------------------------------------------------------------------


class Parts(NamedTuple):
    """The development and the final test documents of a corpus."""

    texts: list[str]
    labels: list[str]
    test_texts: list[str]
    test_labels: list[str]


def corpus_names(folder: Path) -> list[str]:
    """Return the names of the corpora that are here."""
    packaged = [
        name
        for name, corpus in PACKAGED.items()
        if not corpus.is_multilabel and locate(corpus.package, folder) is not None
    ]
    papers = [name for name, parts in CORPORA.items() if not parts[0].startswith(MULTILABEL)]
    return packaged + papers


def family_of(name: str) -> str:
    """Return the name under which a corpus counts in means."""
    return PACKAGED[name].family if name in PACKAGED else name


def read_parts(name: str, folder: Path) -> Parts:
    """Return the documents of a corpus, cut to `MAX_DOCUMENTS`."""
    if name in PACKAGED:
        texts, labels = load(name, folder)
        is_test = np.asarray(folds(labels, 3)) == 0
        development, test = np.flatnonzero(~is_test), np.flatnonzero(is_test)
    else:
        labelled = Labelled.of(name)
        texts, labels = labelled.documents, labelled.labels
        development, test = labelled.development, labelled.final_test
    step = -(-len(texts) // MAX_DOCUMENTS)

    def part(positions: Any) -> tuple[list[str], list[str]]:
        by_class = sorted(positions.tolist(), key=lambda position: str(labels[position]))[::step]
        kept = sorted(by_class)
        return [texts[position] for position in kept], [str(labels[position]) for position in kept]

    return Parts(*part(development), *part(test))


# -- measuring ---------------------------------------------------------------------------------------------------------


def _score(true: Sequence[str], predicted: Sequence[str]) -> Score:
    return Score(
        float(accuracy_score(true, predicted)), float(f1_score(true, predicted, average="macro", zero_division=0))
    )


def measure_kinds(parts: Parts) -> dict[str, Score]:
    """Return the cross-validated scores of all kinds of terms on the development documents."""
    texts, labels = np.array(parts.texts, dtype=object), np.array(parts.labels, dtype=object)
    fold_numbers = np.asarray(folds(parts.labels, N_FOLDS))
    scores = {}
    for kind, settings in KINDS.items():
        predicted = np.empty(len(labels), dtype=object)
        for number in range(N_FOLDS):
            train, test = fold_numbers != number, fold_numbers == number
            predicted[test] = predict_by_textsieve(texts[train], labels[train], texts[test], **settings)
        scores[kind] = _score(labels.tolist(), predicted.tolist())
    return scores


def measure_pipelines(parts: Parts) -> dict[str, Score]:
    """Return the scores of the default and of all peers on the final test documents."""
    predictors: dict[str, Predictor] = {"textsieve": predict_by_textsieve, **PEERS}
    return {
        name: _score(parts.test_labels, predict(parts.texts, parts.labels, parts.test_texts))
        for name, predict in predictors.items()
    }


def measured(folder: Path, names: Iterable[str], what: str) -> dict[str, dict[str, Score]]:
    """Return the scores by corpus, measured now or in an earlier run; `what` is "kinds" or "pipelines"."""
    measure = {"kinds": measure_kinds, "pipelines": measure_pipelines}[what]
    results = folder / "terms"
    results.mkdir(exist_ok=True)
    scores = {}
    for name in names:
        file = results / f"{what}-{''.join(letter if letter.isalnum() else '-' for letter in name)}.json"
        if not file.exists():
            file.write_text(json.dumps(measure(read_parts(name, folder))), encoding="utf-8")
            print(f"{what}: {name} done", file=sys.stderr, flush=True)
        stored = json.loads(file.read_text(encoding="utf-8"))
        scores[name] = {variant: Score(*values) for variant, values in stored.items()}
    return scores


# -- tables ------------------------------------------------------------------------------------------------------------


def mean_over_families(values: dict[str, float]) -> float:
    """Return the mean over families of the means over their corpora."""
    families: dict[str, list[float]] = {}
    for name, value in values.items():
        families.setdefault(family_of(name), []).append(value)
    return mean(map(mean, families.values()))


def score_table(scores: dict[str, dict[str, Score]]) -> str:
    """Return a table of the variants, best first: means, and corpora on which each is behind the best by .5 points."""
    variants = list(dict.fromkeys(variant for of_corpus in scores.values() for variant in of_corpus))
    best = {name: max(score.accuracy for score in of_corpus.values()) for name, of_corpus in scores.items()}
    rows = []
    for variant in variants:
        present = {name: of_corpus[variant] for name, of_corpus in scores.items() if variant in of_corpus}
        accuracy = mean_over_families({name: score.accuracy for name, score in present.items()})
        macro_f1 = mean_over_families({name: score.macro_f1 for name, score in present.items()})
        n_behind = sum(score.accuracy < best[name] - 0.005 for name, score in present.items())
        rows.append((accuracy, f"| {variant} | {accuracy:.4f} | {macro_f1:.4f} | {n_behind} of {len(present)} |"))
    head = "| | accuracy | macro-F1 | behind the best by more than half a point |\n| --- | ---: | ---: | ---: |"
    return "\n".join([head, *(row for _, row in sorted(rows, reverse=True))])


def main() -> None:
    """Measure, and print both tables."""
    folder, *names = sys.argv[1:]
    names = names or corpus_names(Path(folder))
    print(f"On {len(names)} corpora.\n")
    print(score_table(measured(Path(folder), names, "kinds")) + "\n")
    print(score_table(measured(Path(folder), names, "pipelines")))


if __name__ == "__main__":
    main()
