"""Compare ways to weigh words, pairs of words and n-grams of characters in one SVM, by cross-validation.

    python -m benchmarks.package_corpora FOLDER              download the corpora
    python -m benchmarks.defaults_weights FOLDER [NAME ...]

prints a table for docs/research/defaults-terms.md, and stores each measurement in FOLDER/weights, so that an
interrupted run can be resumed. These are prototypes of possible defaults: the SVM is trained on all terms, and all
coefficients are kept. They are compared on the development documents of the corpora of `defaults_terms`, in three
folds. In means, corpora of a family count as one.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, diags, hstack
from sklearn.preprocessing import normalize

from textsieve import TermCounter, TermWeighter
from textsieve.classifiers.svm import LinearSVM
from textsieve.evaluation import folds
from textsieve.text.analysis import is_marked, unmark_ngram

from .defaults_terms import Score, corpus_names, file_name, mean_over_families, read_parts, score

MAX_DOCUMENTS = 1500
"""Larger corpora are cut to about this many documents, evenly over each class; most have two thirds for development."""
N_FOLDS = 3

Ints = NDArray[np.int64]


class Weights(NamedTuple):
    """The weights of training and test documents."""

    train: csr_matrix
    test: csr_matrix

    def times(self, factors: Any) -> Weights:
        """Return the weights times a number, or times a factor for each column."""
        scale = diags(np.broadcast_to(factors, self.train.shape[1:]))
        return Weights(csr_matrix(self.train @ scale), csr_matrix(self.test @ scale))

    def normalised(self) -> Weights:
        """Return the weights with rows of length 1."""
        return Weights(*(csr_matrix(normalize(rows)) for rows in self))


def together(*kinds: Weights) -> Weights:
    """Return the weights of several kinds of terms side by side, with rows of length 1."""
    parts = (csr_matrix(hstack(rows)) for rows in zip(*kinds, strict=True))
    return Weights(*parts).normalised()


class Fold(NamedTuple):
    """The weights of each kind of terms that occur in the training documents, and the classes of these documents."""

    words: Weights
    pairs: Weights
    characters: Weights
    """N-grams of 3 to 5 characters."""
    two_characters: Weights
    """N-grams of 2 characters."""
    numbers: Ints

    @property
    def default(self) -> Weights:
        """Return the weights of the kinds of terms that the default has for short texts."""
        return together(self.words, self.characters)


# -- ways to weigh and train -------------------------------------------------------------------------------------------


def class_factors(numbers: Ints, power: float) -> dict[int, float]:
    """Return factors of the classes that are proportional to n^-power for n documents, which then weigh n together."""
    present, sizes = np.unique(numbers, return_counts=True)
    factors = sizes.astype(np.float64) ** -power
    factors *= sizes.sum() / (factors * sizes).sum()
    return dict(zip(present.tolist(), factors.tolist(), strict=True))


def train_svm(fold: Fold, weights: Weights, *, C: float = 1.0, power: float = 0.5) -> Ints:
    """Return the classes that an SVM predicts; factors of classes are as in `class_factors`."""
    svm = LinearSVM(C=C, class_weight=class_factors(fold.numbers, power), n_jobs=1)
    predicted: Ints = svm.fit(weights.train, fold.numbers).predict(weights.test)
    return predicted


def train_by_naive_bayes(fold: Fold, weights: Weights) -> Ints:
    """Return the classes that SVMs predict which, for each class, weigh terms by naive Bayes (Wang and Manning, 2012).

    The factor of a term is |ln(p / q)|. p is its share of the term occurrences in the documents of the class, and q
    that in the other documents, both with add-one smoothing; an occurrence is counted once for each document.
    """
    occurs = csr_matrix(weights.train > 0, dtype=np.float64)
    factors = class_factors(fold.numbers, 0.5)
    scores = []
    for number, factor in factors.items():
        is_member = fold.numbers == number
        inside, outside = (1 + np.asarray(occurs[rows].sum(axis=0)).ravel() for rows in (is_member, ~is_member))
        ratios = np.abs(np.log(inside / inside.sum()) - np.log(outside / outside.sum()))
        scaled = weights.times(ratios).normalised()
        svm = LinearSVM(C=1.0, class_weight={False: 1.0, True: factor}, n_jobs=1).fit(scaled.train, is_member)
        scores.append(svm.decision_function(scaled.test))
    predicted: Ints = np.array(list(factors))[np.argmax(scores, axis=0)]
    return predicted


BASE = "words and 3 to 5 characters, as the default"
VARIANTS: dict[str, Callable[[Fold], Ints]] = {
    BASE: lambda fold: train_svm(fold, fold.default),
    "class weights by size to the power of -1/4": lambda fold: train_svm(fold, fold.default, power=0.25),
    "equal class weights": lambda fold: train_svm(fold, fold.default, power=0.0),
    "C = 2": lambda fold: train_svm(fold, fold.default, C=2.0),
    "C = 0.5": lambda fold: train_svm(fold, fold.default, C=0.5),
    "pairs of words, too": lambda fold: train_svm(fold, together(fold.words, fold.pairs, fold.characters)),
    "2 to 5 characters": lambda fold: train_svm(fold, together(fold.words, fold.characters, fold.two_characters)),
    "characters count half": lambda fold: train_svm(fold, together(fold.words, fold.characters.times(0.5))),
    "a norm for words, one for characters": lambda fold: train_svm(
        fold, together(fold.words.normalised(), fold.characters.normalised())
    ),
    "factors of naive Bayes": lambda fold: train_by_naive_bayes(fold, fold.default),
    "words only": lambda fold: train_svm(fold, fold.words.normalised()),
}
"""Functions that train on a fold and return the predicted classes of its test documents."""


# -- measuring ---------------------------------------------------------------------------------------------------------


def fold_of(counts: csr_matrix, kinds: Ints, is_test: NDArray[np.bool_], numbers: Ints) -> Fold:
    """Return a fold; `kinds` has the kind of each column, as a position among the fields of `Fold`."""

    def weights(kind: int) -> Weights:
        """Return the weights of a kind of terms."""
        columns = counts[:, np.flatnonzero(kinds == kind)]
        known = np.flatnonzero(columns[~is_test].getnnz(axis=0))
        train, test = (csr_matrix(columns[rows][:, known]) for rows in (~is_test, is_test))
        if not len(known):  # for example, Chinese texts have no pairs of words
            return Weights(train, test)
        weighter = TermWeighter(tf="log", idf="smooth", norm="none").fit(train)
        return Weights(csr_matrix(weighter.transform(train)), csr_matrix(weighter.transform(test)))

    return Fold(weights(0), weights(1), weights(2), weights(3), numbers[~is_test])


def kind_of(term: str) -> int:
    """Return the kind of a term as the position of its field in `Fold`."""
    if is_marked(term):
        return Fold._fields.index("two_characters" if len(unmark_ngram(term)) == 2 else "characters")
    return Fold._fields.index("pairs" if " " in term else "words")


def measure(texts: list[str], labels: list[str]) -> dict[str, list[Score]]:
    """Return the scores of each of `VARIANTS` on each fold."""
    counter = TermCounter(analyzer="text", ngram_range=(1, 2), char_ngram_range=(2, 5), n_jobs=1)
    counts = csr_matrix(counter.fit_transform(texts))
    kinds = np.array([kind_of(term) for term in counter.get_feature_names_out()])
    numbers = np.unique(np.array(labels, dtype=object).astype(str), return_inverse=True)[1].astype(np.int64)
    fold_numbers = np.asarray(folds(labels, N_FOLDS))
    scores: dict[str, list[Score]] = {}
    for number in range(N_FOLDS):
        is_test = fold_numbers == number
        fold = fold_of(counts, kinds, is_test, numbers)
        for name, predict in VARIANTS.items():
            scores.setdefault(name, []).append(score(numbers[is_test].tolist(), predict(fold).tolist()))
    return scores


def measured(folder: Path, names: list[str]) -> dict[str, dict[str, list[Score]]]:
    """Return the scores by corpus, measured now or in an earlier run."""
    results = folder / "weights"
    results.mkdir(exist_ok=True)
    by_corpus = {}
    for name in names:
        file = results / f"{file_name(name)}.json"
        if not file.exists():
            parts = read_parts(name, folder, max_documents=MAX_DOCUMENTS)
            file.write_text(json.dumps(measure(parts.texts, parts.labels)), encoding="utf-8")
            print(f"{name} done", file=sys.stderr, flush=True)
        stored = json.loads(file.read_text(encoding="utf-8"))
        by_corpus[name] = {variant: [Score(*values) for values in of_folds] for variant, of_folds in stored.items()}
    return by_corpus


def table(by_corpus: dict[str, dict[str, list[Score]]]) -> str:
    """Return a table of the variants: differences from `BASE` in points, best first, and numbers of corpora."""
    rows = []
    for variant in VARIANTS:
        gains = {
            name: 100 * (np.mean(scores[variant], axis=0) - np.mean(scores[BASE], axis=0))
            for name, scores in by_corpus.items()
        }
        accuracy, macro_f1 = (
            mean_over_families({name: float(gain[i]) for name, gain in gains.items()}) for i in (0, 1)
        )
        counts = [sum(bool(sign * gain[0] > 0) for gain in gains.values()) for sign in (1, -1)]
        rows.append((accuracy, f"| {variant} | {accuracy:+.2f} | {macro_f1:+.2f} | {counts[0]} | {counts[1]} |"))
    head = "| | accuracy | macro-F1 | corpora with better accuracy | worse |\n| --- | ---: | ---: | ---: | ---: |"
    return "\n".join([head, *(row for _, row in sorted(rows, reverse=True))])


def main() -> None:
    """Measure, and print the table."""
    folder, *names = sys.argv[1:]
    names = names or corpus_names(Path(folder))
    print(f"On {len(names)} corpora.\n")
    print(table(measured(Path(folder), names)))


if __name__ == "__main__":
    main()
