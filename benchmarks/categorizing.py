"""The `Categorizer`, from texts to labels, beside a pipeline of scikit-learn; and the size of a model file."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.feature_selection import SelectKBest, chi2
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from textsieve import Categorizer

from .harness import Result, timed, versus
from .newsgroups import newsgroups

N_TERMS = 10_000

OURS: dict[str, dict[str, Any]] = {
    "linear SVM": {"classifier": "svm"},
    "linear SVM, idf by cross-validation": {"classifier": "svm", "idf": "plain"},
    "naive Bayes": {"classifier": "nb"},
    "Rocchio": {"classifier": "rocchio"},
}
"""The settings of a `Categorizer` by name: defaults, and the SVM with the idf that cross-validation on the training
documents prefers (docs/research/defaults.md, 20 Newsgroups)."""

TARGETS = {"linear SVM": 12.0, "linear SVM, idf by cross-validation": 12.0, "naive Bayes": 20.0, "Rocchio": 10.0}


def train(name: str, **more: Any) -> Categorizer:
    """Return a `Categorizer` with some settings of `OURS` and more of them, fitted to the training documents."""
    settings: dict[str, Any] = {"analyzer": "word", "n_terms": N_TERMS, "class_weight": None, "probabilities": None}
    return Categorizer(**settings, **OURS[name], **more).fit(*newsgroups("train"))


def predict_theirs(classifier: Callable[[], Any]) -> Any:
    """Train scikit-learn's pipeline, and return its labels of the test documents."""
    pipeline = make_pipeline(TfidfVectorizer(sublinear_tf=True), SelectKBest(chi2, k=N_TERMS), classifier())
    return pipeline.fit(*newsgroups("train")).predict(newsgroups("test")[0])


def results() -> list[Result]:
    """Time training and predicting together, and prediction in a fresh process."""
    test_texts = newsgroups("test")[0]
    rows = [
        versus(
            f"train and predict, {N_TERMS:,} terms, {name}",
            lambda name=name: train(name).predict(test_texts),  # type: ignore[misc]
            lambda: predict_theirs(LinearSVC),
            "TfidfVectorizer + SelectKBest + LinearSVC",
            target=TARGETS[name],
        )
        for name in OURS
    ]
    rows.append(
        versus(
            f"the same, {N_TERMS:,} terms, naive Bayes",
            lambda: train("naive Bayes").predict(test_texts),
            lambda: predict_theirs(MultinomialNB),
            "TfidfVectorizer + SelectKBest + MultinomialNB",
        )
    )
    rows.append(Result("load a model and predict one document, in a fresh process", time_fresh_process(), limit=0.5))
    return rows


@cache
def model_file() -> Path:
    """Train the SVM once, and return the path of its file."""
    path = Path(tempfile.mkdtemp()) / "news.sieve"
    train("linear SVM").save(path)
    return path


def time_fresh_process(repeats: int = 9) -> float:
    """Return the median seconds from starting Python until it has printed the label of one document and ended."""
    code = "import sys, textsieve; print(textsieve.load(sys.argv[1]).predict([sys.argv[2]])[0])"
    text = newsgroups("test")[0][0][:2000]

    def run() -> None:
        subprocess.run([sys.executable, "-c", code, str(model_file()), text], check=True, stdout=subprocess.DEVNULL)

    run()
    return median(timed(run) for _ in range(repeats))


def quality() -> str:
    """Return a table of the accuracy on the test documents."""
    texts, groups = newsgroups("test")
    true = np.array(groups)
    lines = ["| accuracy on the test documents | |", "|---|---:|"]
    lines += [f"| textsieve, {name} | {np.mean(train(name).predict(texts) == true):.4f} |" for name in OURS]
    for classifier in (LinearSVC, MultinomialNB):
        name = f"scikit-learn, TfidfVectorizer + SelectKBest + {classifier.__name__}"
        lines.append(f"| {name} | {np.mean(predict_theirs(classifier) == true):.4f} |")
    return "\n".join(lines)


def size() -> str:
    """Return a paragraph on the size of a model file, and on predictions that 32-bit coefficients change."""
    n_bytes = model_file().stat().st_size
    texts = newsgroups("test")[0]
    model, exact = train("linear SVM"), train("linear SVM", coefficient_dtype="float64")
    n_changed = int((model.predict(texts) != exact.predict(texts)).sum())
    return (
        f"Model file of {N_TERMS:,} terms and 20 classes, linear SVM: {n_bytes / 1e6:.2f} MB "
        f"({'met' if n_bytes < 2e6 else '**missed**'}: aim under 2 MB). Coefficients are stored with 32 bits; with "
        f"64 bits {n_changed} of the {len(texts):,} predictions would differ."
    )
