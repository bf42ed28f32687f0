"""Compare selectors and classifier settings at 100 to 10,000 terms, for docs/research/forward-results.md.

    python -m benchmarks.package_corpora FOLDER                 download the corpora
    python -m benchmarks.defaults_few_terms FOLDER [NAME ...]   these variants, on development documents
    python -m benchmarks.defaults_few_terms FOLDER test [NAME ...]   on the test documents of 20 Newsgroups by date

prints two tables: the mean difference of each variant from the first one, in points of accuracy and of macro-F1, with
its standard error over the corpora. Terms are those of the analyzer "text". Measurements are stored in FOLDER/few, so
that an interrupted run can be resumed.

Only development documents are used. A part of them is held out: of the papers' corpora the first quarter of each class,
and of the others a third. The labelled documents of Reuters are those with one topic of at least three documents.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from statistics import mean, stdev
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, f1_score

from textsieve import OCFS, ForwardSelection, TermCounter, TermWeighter, WeightSelection
from textsieve.classifiers.svm import LinearSVM
from textsieve.evaluation import folds
from textsieve.text.choices import LTC, Scheme

from .defaults import table
from .defaults_corpora import CORPORA, Labelled
from .defaults_selectors import documents_of
from .newsgroups import newsgroups

NAMES = (
    *("20 Newsgroups", "its comp.* groups", "Reuters", "WebKB, stems", "WebKB, HTML", "Brown", "ODP sample"),
    *("docstrings", "bbc-headlines", "health-tweets", "wordnet", "drug-reviews", "debian-en", "rotten-tomatoes"),
    *("icd-en", "sms-spam", "fortunes-en", "recipes"),
)
SIZES = (100, 200, 500, 1000, 2000, 5000, 10_000)
MAX_SHARE = 0.75
"""A corpus takes part in the sizes that are at most this share of its terms."""
MAX_TERMS_OF_FORWARD = 2000
"""With more terms, forward selection is OCFS."""
LEAST_DOCUMENTS = 3
"""Topics of Reuters with fewer training documents are left out."""


class Variant(NamedTuple):
    """A selector and a classifier, with their settings; by default those of a `Categorizer` of 2,000 terms."""

    selector: str = "forward"
    selection: Scheme = LTC
    """The weights of the selector."""
    selection_C: float = 0.2
    """The C of the selector "weights"."""
    classifier: str = "svm"
    C: float = 0.5
    scheme: Scheme = Scheme("loglog", "smooth", "l2")
    """The weights of the classifier."""
    class_weight: str | None = "sqrt"


SVM_SCHEME = Variant().scheme
VARIANTS: dict[str, Variant] = {
    "forward, svm, C = 0.5": Variant(),
    "C = 0.2": Variant(C=0.2),
    "C = 0.3": Variant(C=0.3),
    "C = 1": Variant(C=1.0),
    "equal class weights": Variant(class_weight=None),
    "idf none": Variant(scheme=Scheme("loglog", "none", "l2")),
    "idf none, C = 0.3": Variant(scheme=Scheme("loglog", "none", "l2"), C=0.3),
    "tf log": Variant(scheme=Scheme("log", "smooth", "l2")),
    "logistic regression, C = 3": Variant(classifier="logistic", C=3.0, class_weight=None),
    "logistic regression, C = 10": Variant(classifier="logistic", C=10.0, class_weight=None),
    "forward on loglog x smooth": Variant(selection=SVM_SCHEME),
    "forward on binary x smooth": Variant(selection=Scheme("binary", "smooth", "l2")),
    "ocfs": Variant(selector="ocfs"),
    "weights": Variant(selector="weights", selection=SVM_SCHEME),
    "weights by C = 0.5": Variant(selector="weights", selection=SVM_SCHEME, selection_C=0.5),
    "weights by C = 0.5; tf log, C = 1": Variant(
        selector="weights", selection=SVM_SCHEME, selection_C=0.5, scheme=Scheme("log", "smooth", "l2"), C=1.0
    ),
}
MAX_TERMS_OF_LOGISTIC = 1000
"""With more terms, logistic regression takes too long."""


class Counted(NamedTuple):
    """The counts and the class numbers of training documents and held-out documents; -1 for unknown classes."""

    counts: csr_matrix
    numbers: Any
    test_counts: csr_matrix
    test_numbers: Any

    @classmethod
    def of(cls, texts: list[str], labels: list[str], test_texts: list[str], test_labels: list[str]) -> Counted:
        """Count the terms of the analyzer "text"."""
        counter = TermCounter(analyzer="text")
        number_of = {label: number for number, label in enumerate(sorted(set(labels)))}
        return cls(
            csr_matrix(counter.fit_transform(texts)),
            np.array([number_of[label] for label in labels]),
            csr_matrix(counter.transform(test_texts)),
            np.array([number_of.get(label, -1) for label in test_labels]),
        )


def split_development(name: str, folder: Path) -> tuple[list[str], list[str], list[str], list[str]]:
    """Return texts and labels of the development documents of a corpus: those to train on, and the held-out ones."""
    if name not in CORPORA:
        texts, labels, _ = documents_of(name, folder)
        is_test = np.asarray(folds(labels, 3)) == 0
        parts = np.flatnonzero(~is_test), np.flatnonzero(is_test)
    else:
        labelled = Labelled.of(name)
        texts, labels, parts = labelled.documents, labelled.labels, labelled.development_split()
        if labelled.multilabel:
            sizes = Counter(labels[position] for position in parts[0].tolist())
            is_usable = [len(of_one) == 1 and sizes[of_one] >= LEAST_DOCUMENTS for of_one in labels]
            labels = [of_one[0] if usable else None for of_one, usable in zip(labels, is_usable, strict=True)]
            parts = parts[0][np.array(is_usable)[parts[0]]], parts[1][np.array(is_usable)[parts[1]]]
    train, test = (
        ([texts[position] for position in part.tolist()], [str(labels[position]) for position in part.tolist()])
        for part in parts
    )
    return *train, *test


def rank(variant: Variant, counted: Counted) -> dict[int, Any]:
    """Return the columns that the selector of a variant selects at each size."""
    rows, numbers = TermWeighter(**variant.selection._asdict()).fit_transform(counted.counts), counted.numbers
    by_ocfs = OCFS(k="all").fit(rows, numbers).ranking_
    ranking = large_ranking = by_ocfs
    if variant.selector == "weights":
        ranking = large_ranking = WeightSelection(k="all", C=variant.selection_C).fit(rows, numbers).ranking_
    elif variant.selector == "forward":
        ranking = ForwardSelection(k=min(MAX_TERMS_OF_FORWARD, rows.shape[1])).fit(rows, numbers).ranking_
    return {size: (ranking if size <= MAX_TERMS_OF_FORWARD else large_ranking)[:size] for size in SIZES}


def score(variant: Variant, columns: Any, counted: Counted) -> tuple[float, float]:
    """Return the accuracy and the macro-F1 on the held-out documents with some terms.

    Documents without a term get the class of most such training documents, or the most frequent class.
    """
    columns, numbers = np.sort(columns), counted.numbers
    weighter = TermWeighter(**variant.scheme._asdict()).fit(counted.counts[:, columns])
    rows, test_rows = (
        csr_matrix(weighter.transform(counts[:, columns])) for counts in (counted.counts, counted.test_counts)
    )
    if variant.classifier == "svm":
        classifier: Any = LinearSVM(C=variant.C, class_weight=variant.class_weight)
    else:
        classifier = LogisticRegression(C=variant.C, max_iter=1000)
    predicted = classifier.fit(rows, numbers).predict(test_rows)
    is_empty = np.diff(rows.indptr) == 0
    sizes, empty_sizes = np.bincount(numbers), np.bincount(numbers[is_empty], minlength=numbers.max() + 1)
    predicted[np.diff(test_rows.indptr) == 0] = np.lexsort((sizes, empty_sizes))[-1]
    labels = np.unique(counted.test_numbers[counted.test_numbers >= 0])
    macro_f1: Any = f1_score  # its stub lacks `labels`
    return (
        float(accuracy_score(counted.test_numbers, predicted)),
        float(macro_f1(counted.test_numbers, predicted, labels=labels, average="macro", zero_division=0)),
    )


Scores = dict[str, dict[str, tuple[float, float]]]
"""Accuracy and macro-F1 by variant and size (as text, which JSON needs)."""


def measured(file: Path, variants: Iterable[str], load: Any) -> Scores:
    """Return the scores of some variants on one corpus, measured now or in an earlier run; `load` counts its terms."""
    scores: Scores = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    missing = [name for name in variants if name not in scores]
    if missing:
        counted: Counted = load()
        selected: dict[tuple[Any, ...], dict[int, Any]] = {}
        for name in missing:
            variant = VARIANTS[name]
            key = variant[:3]  # the settings of the selector
            if key not in selected:
                selected[key] = rank(variant, counted)
            scores[name] = {
                str(size): score(variant, columns, counted)
                for size, columns in selected[key].items()
                if size <= MAX_SHARE * counted.counts.shape[1]
                and (variant.classifier == "svm" or size <= MAX_TERMS_OF_LOGISTIC)
            }
            file.write_text(json.dumps(scores), encoding="utf-8")
    return scores


def difference_tables(results: Mapping[str, Scores], variants: Iterable[str]) -> str:
    """Return two tables: the difference of each variant from the first one, in points, and its standard error."""
    first, *others = variants
    tables = []
    for position, title in enumerate(("accuracy", "macro-F1")):
        names = {size: [name for name in results if str(size) in results[name][first]] for size in SIZES}
        head = [title, *(f"{size:,} ({len(names[size])})" for size in SIZES)]
        means = [mean(results[name][first][str(size)][position] for name in names[size]) for size in SIZES]
        rows = [[first, *(f"{value:.4f}"[1:] for value in means)]]
        for other in others:
            cells = []
            for size in SIZES:
                if not all(str(size) in results[name][other] for name in names[size]):
                    cells.append("")
                    continue
                pairs = [(results[name][other][str(size)], results[name][first][str(size)]) for name in names[size]]
                points = [100 * (of_other[position] - of_first[position]) for of_other, of_first in pairs]
                cells.append(f"{mean(points):+.2f} ± {stdev(points) / len(points) ** 0.5:.2f}")
            rows.append([other, *cells])
        tables.append(table(head, rows))
    return "\n\n".join(tables)


def main() -> None:
    """Measure and print tables."""
    folder, *names = sys.argv[1:]
    stored = Path(folder) / "few"
    stored.mkdir(exist_ok=True)
    if names[:1] == ["test"]:
        variants = names[1:] or list(VARIANTS)
        scores = measured(stored / "test.json", variants, lambda: Counted.of(*newsgroups("train"), *newsgroups("test")))
        cells = [[name, *(f"{scores[name].get(str(size), [1.0])[0]:.4f}"[1:] for size in SIZES)] for name in variants]
        print(table(["accuracy", *(f"{size:,}" for size in SIZES)], cells))
        return
    results = {}
    for name in names or NAMES:
        file = stored / f"{''.join(letter if letter.isalnum() else '-' for letter in name)}.json"
        results[name] = measured(file, VARIANTS, lambda name=name: Counted.of(*split_development(name, Path(folder))))
        print(f"{name} done", file=sys.stderr, flush=True)
    print(difference_tables(results, VARIANTS))


if __name__ == "__main__":
    main()
