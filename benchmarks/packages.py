"""Compare whole packages on 20 Newsgroups by date: training, prediction, size of the file, and accuracy.

    TEXTSIEVE_DATA=FOLDER python -m benchmarks.packages

writes PACKAGES.md beside this file. It needs fastText (`pip install fasttext-numpy2-wheel`).

Each model runs in a fresh process with one thread. Time is processor time, which other programs on the machine change
much less than the time of the clock; kernels are compiled and imports done before the clock starts.
"""

from __future__ import annotations

import multiprocessing
import platform
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from textsieve import Categorizer, load

from .newsgroups import newsgroups, shuffled

RUNS = 2
ONE_BY_ONE = 200
"""The number of documents that are predicted one by one."""


class Measured(NamedTuple):
    """The seconds to train, to predict all test documents, and to predict one document; bytes and accuracy."""

    training: float
    predicting: float
    one: float
    n_bytes: int
    accuracy: float


class Trained(NamedTuple):
    """A trained model: a function that predicts, and one that saves it."""

    predict: Callable[[list[str]], Sequence[str]]
    save: Callable[[Path], None]


Train = Callable[[list[str], list[str], Path], Trained]


def train_textsieve(texts: list[str], labels: list[str], _folder: Path, **settings: Any) -> Trained:
    """Train a `Categorizer`."""
    model = Categorizer(n_jobs=1, **settings).fit(texts, labels)
    return Trained(model.predict, model.save)


def train_without_probabilities(texts: list[str], labels: list[str], folder: Path) -> Trained:
    """Train the default model, but fit no probabilities, which the other models don't have either."""
    return train_textsieve(texts, labels, folder, probabilities=None)


def train_words(texts: list[str], labels: list[str], folder: Path) -> Trained:
    """Train a model of 10,000 words that keeps all coefficients."""
    return train_textsieve(texts, labels, folder, probabilities=None, n_terms=10_000)


def train_scikit_learn(texts: list[str], labels: list[str], _folder: Path, **settings: Any) -> Trained:
    """Train scikit-learn's pipeline."""
    pipeline = make_pipeline(TfidfVectorizer(**settings), LinearSVC()).fit(texts, labels)
    return Trained(pipeline.predict, lambda path: import_module("joblib").dump(pipeline, path))


def train_fasttext(texts: list[str], labels: list[str], folder: Path) -> Trained:
    """Train fastText with the settings of docs/explanation/small-models.md.

    It reads documents in the order of the file, so they must not be sorted by class: `measure` shuffles them.
    """
    file = folder / "train.txt"
    pairs = zip(labels, texts, strict=True)
    file.write_text("\n".join(f"__label__{label} {' '.join(text.split())}" for label, text in pairs), encoding="utf-8")
    model = import_module("fasttext").train_supervised(str(file), epoch=25, wordNgrams=2, lr=0.5, thread=1, verbose=0)

    def predict(documents: list[str]) -> list[str]:
        best, _ = model.predict([" ".join(text.split()) for text in documents])
        return [labels[0].removeprefix("__label__") if labels else "" for labels in best]

    return Trained(predict, lambda path: model.save_model(str(path)))


MODELS: dict[str, Train] = {
    "textsieve, default": train_textsieve,
    "textsieve, default without probabilities": train_without_probabilities,
    "textsieve, 10,000 terms, all coefficients": train_words,
    "scikit-learn, TfidfVectorizer + LinearSVC": train_scikit_learn,
    "fastText, 25 epochs, pairs of words": train_fasttext,
}


def measure(name: str) -> Measured:
    """Train a model and predict the test documents."""
    warnings.simplefilter("ignore")
    texts, labels = shuffled(*newsgroups("train"))
    test_texts, test_labels = newsgroups("test")
    train = MODELS[name]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        warm = train(texts[::20], labels[::20], folder)  # compiles kernels before the clock starts
        warm.predict(test_texts[:10])
        begin = time.process_time()
        model = train(texts, labels, folder)
        trained = time.process_time()
        predicted = model.predict(test_texts)
        done = time.process_time()
        for text in test_texts[:ONE_BY_ONE]:
            model.predict([text])
        one = (time.process_time() - done) / ONE_BY_ONE
        model.save(folder / "model")
        if train is train_textsieve:
            assert np.array_equal(load(folder / "model").predict(test_texts), predicted)
        size = (folder / "model").stat().st_size
    accuracy = float(np.mean(np.asarray(predicted) == np.asarray(test_labels)))
    return Measured(trained - begin, done - trained, one, size, accuracy)


def table(results: dict[str, list[Measured]]) -> str:
    """Return a table of the means."""
    rows = ["| model | train | predict 7,532 | predict one | file | accuracy |", "|---|---:|---:|---:|---:|---:|"]
    for name, runs in results.items():
        training, predicting, one, n_bytes, accuracy = (fmean(values) for values in zip(*runs, strict=True))
        size = f"{n_bytes / 1e6:,.2f} MB"
        rows.append(
            f"| {name} | {training:.1f} s | {predicting:.2f} s | {1000 * one:.2f} ms | {size} | {accuracy:.4f} |"
        )
    return "\n".join(rows)


def main() -> None:
    """Measure all models in turns, and write PACKAGES.md."""
    results: dict[str, list[Measured]] = {name: [] for name in MODELS}
    context = multiprocessing.get_context("spawn")
    for _ in range(RUNS):
        for name in MODELS:
            with context.Pool(1) as pool:
                results[name].append(pool.apply(measure, (name,)))
            print(name, results[name][-1], file=sys.stderr, flush=True)
    versions = f"textsieve {version('textsieve')}, scikit-learn {version('scikit-learn')}, "
    versions += f"fasttext-numpy2-wheel {version('fasttext-numpy2-wheel')}"
    sizes = [f"{len(newsgroups(part)[0]):,}" for part in ("train", "test")]
    text = f"""# Whole packages, side by side

{datetime.now(UTC):%Y-%m-%d}, Python {platform.python_version()}, {versions}. By `python -m benchmarks.packages`: 20
Newsgroups by date, {sizes[0]} training and {sizes[1]} test documents. Times are processor seconds of one thread,
means of {RUNS} runs in fresh processes, taken in turns. Accuracy is that on the test documents. scikit-learn runs
with its defaults, and its file is joblib's (a pickle).

{table(results)}
"""
    (Path(__file__).parent / "PACKAGES.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
