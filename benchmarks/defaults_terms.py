"""Compare kinds of terms, and textsieve with pipelines of other packages, on texts of many kinds and languages.

    python -m benchmarks.package_corpora FOLDER                          download the corpora
    python -m benchmarks.defaults_terms FOLDER [NAME ...]                the first two tables
    python -m benchmarks.defaults_terms FOLDER cross-validate [NAME ...] the table of differences

prints tables of docs/research/defaults-terms.md, and stores each measurement in FOLDER/terms, so that an
interrupted run can be resumed; of a corpus, only what its file lacks is measured. Corpora are those with one label a
document of `package_corpora`, up to two of a family, and the papers' (TEXTSIEVE_DATA). Of each, every third document of
a class is a final test document. Kinds of terms are compared on the others: models are trained on two thirds of them
and predict the rest. The pipelines are trained on all of them, and compared on the final test documents, once. In
means, corpora of a family count as one.

A small test part says little about a difference of half a point, and the best of six pipelines on it is partly the
luckiest. So `cross-validate` repeats a stratified cross-validation of the pipelines with all documents of a corpus. No
decision is based on it. It compares the default with the pipeline that has the best mean, fold by fold.

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
from importlib.util import find_spec
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.feature_selection import SelectKBest, chi2
from sklearn.metrics import accuracy_score, f1_score
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.naive_bayes import ComplementNB
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from textsieve import Categorizer
from textsieve.comparison import half_width
from textsieve.evaluation import folds

from .defaults_corpora import CORPORA, MULTILABEL, Labelled
from .newsgroups import shuffled
from .package_corpora import CORPORA as PACKAGED
from .package_corpora import load
from .package_corpora.download import locate

MAX_DOCUMENTS = 3000
"""Larger corpora are cut to about this many documents, evenly over each class."""
MAX_OF_FAMILY = 2
N_FOLDS, N_REPEATS = 5, 3
"""The folds of a cross-validation, and how often it is repeated with other folds."""
ALLOWED_LAG = 0.005
"""How far the default may be behind the best pipeline on a corpus, by the aim of issue 21: half a point."""

TEXT: dict[str, Any] = {"analyzer": "text"}
PAIRS = {**TEXT, "ngram_range": (1, 2)}
SMALL_C: dict[str, Any] = {"classifier_options": {"C": 0.5}, "tf": "loglog"}
CHARACTERS: dict[str, Any] = {"char_ngram_range": (3, 5)}
NO_CHARACTERS: dict[str, Any] = {"char_ngram_range": None}
KINDS: dict[str, dict[str, Any]] = {
    "words, 10,000 terms": {"analyzer": "word", "n_terms": 10_000, "class_weight": None},
    "text": NO_CHARACTERS,
    "text, pairs": {**PAIRS, **NO_CHARACTERS},
    "text, 3 to 5 characters": CHARACTERS,
    "text, pairs, 3 to 5 characters": {**PAIRS, **CHARACTERS},
    "text, C = 0.5, loglog tf": {**NO_CHARACTERS, **SMALL_C},
    "text, 3 to 5 characters, C = 0.5, loglog tf": {**CHARACTERS, **SMALL_C},
    "text, 3 to 5 characters, equal class weights": {**CHARACTERS, "class_weight": None},
    "**default**": {},
}
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
        predicted: Sequence[str] = Categorizer(**settings, probabilities=None).fit(texts, labels).predict(others)
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
        pairs = zip(*shuffled(texts, labels), strict=True)
        lines = (f"__label__{numbers[label]} {' '.join(text.split())}" for text, label in pairs)
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
if find_spec("fasttext") is not None:
    PEERS["fastText"] = predict_by_fasttext

DEFAULT = "**textsieve, default**"
PIPELINES: dict[str, Predictor] = {DEFAULT: predict_by_textsieve, **PEERS}
"""The default and the pipelines of other packages, which are compared on final test documents."""


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
    families: dict[str, list[str]] = {}
    for name in packaged + papers:
        families.setdefault(family_of(name), []).append(name)
    return [name for of_family in families.values() for name in of_family[:MAX_OF_FAMILY]]


def family_of(name: str) -> str:
    """Return the name under which a corpus counts in means."""
    return PACKAGED[name].family if name in PACKAGED else name


def read_parts(name: str, folder: Path, max_documents: int = MAX_DOCUMENTS) -> Parts:
    """Return the documents of a corpus, cut to about `max_documents`."""
    if name in PACKAGED:
        texts, labels = load(name, folder)
        is_test = np.asarray(folds(labels, 3)) == 0
        development, test = np.flatnonzero(~is_test), np.flatnonzero(is_test)
    else:
        labelled = Labelled.of(name)
        texts, labels = labelled.documents, labelled.labels
        development, test = labelled.development, labelled.final_test
    step = -(-len(texts) // max_documents)

    def part(positions: Any) -> tuple[list[str], list[str]]:
        by_class = sorted(positions.tolist(), key=lambda position: str(labels[position]))[::step]
        kept = sorted(by_class)
        return [texts[position] for position in kept], [str(labels[position]) for position in kept]

    return Parts(*part(development), *part(test))


# -- measuring ---------------------------------------------------------------------------------------------------------


def score(true: Sequence[str], predicted: Sequence[str]) -> Score:
    return Score(
        float(accuracy_score(true, predicted)), float(f1_score(true, predicted, average="macro", zero_division=0))
    )


def measure_kinds(parts: Parts, kinds: Iterable[str]) -> dict[str, Score]:
    """Return the scores of some kinds of terms on a third of the development documents."""
    texts, labels = np.array(parts.texts, dtype=object), np.array(parts.labels, dtype=object)
    is_test = np.asarray(folds(parts.labels, 3)) == 0
    train = texts[~is_test].tolist(), labels[~is_test].tolist()
    return {
        kind: score(labels[is_test].tolist(), predict_by_textsieve(*train, texts[is_test].tolist(), **KINDS[kind]))
        for kind in kinds
    }


def measure_pipelines(parts: Parts, names: Iterable[str]) -> dict[str, Score]:
    """Return the scores of some of `PIPELINES` on the final test documents."""
    return {
        name: score(parts.test_labels, PIPELINES[name](parts.texts, parts.labels, parts.test_texts)) for name in names
    }


def measured(folder: Path, names: Iterable[str], what: str) -> dict[str, dict[str, Score]]:
    """Return the scores by corpus, measured now or in an earlier run; `what` is "kinds" or "pipelines"."""
    measure, variants = {"kinds": (measure_kinds, list(KINDS)), "pipelines": (measure_pipelines, list(PIPELINES))}[what]
    results = _results_folder(folder)
    scores = {}
    for name in names:
        file = _results_file(results, what, name)
        stored = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
        missing = [variant for variant in variants if variant not in stored]
        if missing:
            stored |= measure(read_parts(name, folder), missing)
            file.write_text(json.dumps(stored), encoding="utf-8")
            print(f"{what}: {name} done", file=sys.stderr, flush=True)
        scores[name] = {variant: Score(*values) for variant, values in stored.items()}
    return scores


def _results_folder(folder: Path) -> Path:
    results = folder / "terms"
    results.mkdir(exist_ok=True)
    return results


def _results_file(results: Path, what: str, name: str) -> Path:
    return results / f"{what}-{file_name(name)}.json"


def file_name(corpus: str) -> str:
    """Return the name of a corpus with letters, digits and hyphens only."""
    return "".join(letter if letter.isalnum() else "-" for letter in corpus)


# -- cross-validation --------------------------------------------------------------------------------------------------


class CrossValidated(NamedTuple):
    """The scores of pipelines on the folds of a corpus; all pipelines have the same folds in the same order."""

    n_documents: int
    scores: dict[str, list[Score]]


class Difference(NamedTuple):
    """The mean of default minus pipeline over the folds, and half the width of its 95 % interval."""

    mean: float
    half_width: float

    @property
    def verdict(self) -> str:
        """Return whether the default is behind by more than the aim allows, if the interval excludes one of both."""
        if self.mean + self.half_width < -ALLOWED_LAG:
            return "behind"
        return "not behind" if self.mean - self.half_width >= -ALLOWED_LAG else "open"


def cross_validate(texts: Texts, labels: Sequence[str], predict: Predictor) -> list[Score]:
    """Return the scores of a pipeline on each fold of `N_REPEATS` stratified cross-validations."""
    splitter = RepeatedStratifiedKFold(n_splits=N_FOLDS, n_repeats=N_REPEATS, random_state=0)
    scores = []
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class")  # some folds don't test such a class
        splits = list(splitter.split(np.zeros(len(labels)), labels))
    for train, test in splits:
        train_texts, test_texts = ([texts[position] for position in positions] for positions in (train, test))
        train_labels, test_labels = ([labels[position] for position in positions] for positions in (train, test))
        scores.append(score(test_labels, predict(train_texts, train_labels, test_texts)))
    return scores


def cross_validated(folder: Path, names: Iterable[str]) -> dict[str, CrossValidated]:
    """Return the scores of `PIPELINES` by corpus, measured now or in an earlier run."""
    results = _results_folder(folder)
    by_corpus = {}
    for name in names:
        file = _results_file(results, "folds", name)
        parts = read_parts(name, folder)
        texts, labels = parts.texts + parts.test_texts, parts.labels + parts.test_labels
        stored = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
        for pipeline, predict in PIPELINES.items():
            if pipeline not in stored:
                stored[pipeline] = cross_validate(texts, labels, predict)
                file.write_text(json.dumps(stored), encoding="utf-8")
                print(f"folds: {name}, {pipeline} done", file=sys.stderr, flush=True)
        scores = {pipeline: [Score(*values) for values in of_folds] for pipeline, of_folds in stored.items()}
        by_corpus[name] = CrossValidated(len(texts), scores)
    return by_corpus


def best_pipeline(validated: CrossValidated, measure: str) -> str:
    """Return the pipeline of another package with the best mean; `measure` is a field of `Score`."""
    return max(
        (pipeline for pipeline in validated.scores if pipeline != DEFAULT),
        key=lambda pipeline: mean(getattr(score, measure) for score in validated.scores[pipeline]),
    )


def difference(validated: CrossValidated, pipeline: str, measure: str) -> Difference:
    """Return the default's lead over a pipeline; `measure` is a field of `Score`."""
    pairs = zip(validated.scores[DEFAULT], validated.scores[pipeline], strict=True)
    leads = [getattr(own, measure) - getattr(other, measure) for own, other in pairs]
    half = half_width(leads, tested_to_trained=1 / (N_FOLDS - 1))
    assert half is not None  # there are several folds
    return Difference(mean(leads), half)


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


def n_folds_behind(validated: CrossValidated) -> int:
    """Return on how many folds the default is behind the best pipeline of that fold by more than the aim allows.

    This is what a single test part as large as a fold would have shown.
    """
    others = [scores for pipeline, scores in validated.scores.items() if pipeline != DEFAULT]
    best_of_folds = [max(score.accuracy for score in of_fold) for of_fold in zip(*others, strict=True)]
    own = [score.accuracy for score in validated.scores[DEFAULT]]
    return sum(score < best - ALLOWED_LAG for score, best in zip(own, best_of_folds, strict=True))


def difference_table(by_corpus: dict[str, CrossValidated]) -> str:
    """Return a table of the corpora, with the default's leads over the best pipeline of each, and a summary."""
    rows, verdicts, n_behind, n_folds = [], [], 0, 0
    for name, validated in by_corpus.items():
        pipeline = best_pipeline(validated, "accuracy")
        accuracy = difference(validated, pipeline, "accuracy")
        macro_f1 = difference(validated, best_pipeline(validated, "macro_f1"), "macro_f1")
        own = validated.scores[DEFAULT]
        leads = [f"{100 * lead.mean:+.1f} ± {100 * lead.half_width:.1f}" for lead in (accuracy, macro_f1)]
        folds_behind = n_folds_behind(validated)
        cells = [name, f"{validated.n_documents:,}", f"{mean(score.accuracy for score in own):.3f}", pipeline, *leads]
        rows.append((accuracy.mean, f"| {' | '.join(cells)} | {accuracy.verdict} | {folds_behind} of {len(own)} |"))
        verdicts.append(accuracy.verdict)
        n_behind, n_folds = n_behind + folds_behind, n_folds + len(own)
    columns = ("corpus", "documents", "accuracy", "best of the others", "lead", "lead in macro-F1", "verdict", "folds")
    n_lagging = sum(lead < -ALLOWED_LAG for lead, _ in rows)
    summary = (
        f"Of {len(rows)} corpora, the mean is more than half a point behind on {n_lagging}; by the intervals, the "
        f"default is behind on {verdicts.count('behind')}, not on {verdicts.count('not behind')}, and "
        f"{verdicts.count('open')} are open. On {n_behind} of {n_folds} single folds, it is more than half a point "
        "behind the best pipeline of the fold."
    )
    layout = "| --- | ---: | ---: | --- | ---: | ---: | --- | ---: |"
    return "\n".join([f"| {' | '.join(columns)} |", layout, *(row for _, row in sorted(rows)), "", summary])


def main() -> None:
    """Measure, and print the tables."""
    folder, *names = sys.argv[1:]
    is_repeated = names[:1] == ["cross-validate"]
    names = names[is_repeated:] or corpus_names(Path(folder))
    print(f"On {len(names)} corpora.\n")
    if is_repeated:
        print(difference_table(cross_validated(Path(folder), names)))
        return
    print(score_table(measured(Path(folder), names, "kinds")) + "\n")
    print(score_table(measured(Path(folder), names, "pipelines")))


if __name__ == "__main__":
    main()
