"""Ensembles of random subspaces on many splits, compared with one classifier on all terms of the same splits.

Splits of one collection share documents. The plain interval of a mean treats them as independent: it is about other
splits *of these documents*. For *other documents of the kind*, Nadeau and Bengio (2003) widen the variance from 1/J of
that of a split to 1/J + (tested / trained); with J = 20 and a fifth held out, the interval is 2.4 times as wide. Both
are given for the gains.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_matrix
from scipy.stats import t as student
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.naive_bayes import MultinomialNB
from sklearn.svm import SVC

from textsieve import Rocchio, TermCounter, read
from textsieve.classifiers import LinearSVM
from textsieve.comparison import half_width, holm
from textsieve.ensembles import SubspaceTrial, random_splits, subspace_trial

from ..documents import Ints
from ..random_splits import WEIGHTINGS, paper_selector

Floats = NDArray[np.float64]

N_TRAIN, N_TEST, N_OTHERS_TEST = 400, 100, 1_000
OTHERS_TERMS, OTHERS_MEMBERS = 0.4, 100
"""The size of ensembles on other collections; M is a share of all terms."""
ALPHA = 0.05


# -- documents ---------------------------------------------------------------------------------------------------------


class CountedCorpus(NamedTuple):
    """The counts of terms (documents x terms), and the class number of each document."""

    counts: csr_matrix
    numbers: Ints


@cache
def count_corpus(name: str, reading: str = "words") -> CountedCorpus:
    """Return the counts of a corpus with one label per document, read in one of the ways of `READINGS`."""
    texts, labels = read(name).load()
    number_of = {label: number for number, label in enumerate(sorted(set(map(str, labels))))}
    return CountedCorpus(csr_matrix(READINGS[reading](texts)), np.array([number_of[str(label)] for label in labels]))


def _count_marks(texts: list[str]) -> Any:
    """Count all tokens, also punctuation marks, each of which gets a name that is a word."""
    marks = sorted({token for text in texts for token in text.split() if not re.search(r"\w", token)})
    names = {mark: f"mark{number}" for number, mark in enumerate(marks)}
    spelled = [" ".join(names.get(token, token) for token in text.split()) for text in texts]
    return TermCounter(dtype=np.int32).fit_transform(spelled)


READINGS: dict[str, Callable[[Any], Any]] = {
    "words": lambda texts: TermCounter(dtype=np.int32).fit_transform(texts),
    "words in upper and lower case": lambda texts: TermCounter(dtype=np.int32, lowercase=False).fit_transform(texts),
    "words and punctuation marks": _count_marks,
    "words without stop words": lambda texts: TermCounter(dtype=np.int32, stop_words="english").fit_transform(texts),
}

OTHERS = {"20 Newsgroups": "newsgroups:train:subject-only", "WebKB": "webkb:stemmed:train"}
"""Other collections, and their names for `textsieve.read`."""


def pipeline(weighting: str) -> Any:
    """Return a new pipeline of the paper's selector and a weighting."""
    return WEIGHTINGS[weighting](paper_selector())


def effective_terms(corpus: CountedCorpus, weighting: str, seed: int) -> float:
    """Return the effective number of terms of a document: the mean over documents of (Σ w²)² / Σ w⁴.

    The sums are over the weights w of a document; a document with k equal weights has k effective terms.
    """
    (split,) = random_splits(len(corpus.numbers), test_share=N_TEST / (N_TRAIN + N_TEST), repeats=1, random_state=seed)
    rows = csr_matrix(pipeline(weighting).fit_transform(corpus.counts[split.train], corpus.numbers[split.train]))
    squares = rows.multiply(rows).tocsr()
    sums_of_squares, sums_of_fourths = (
        np.asarray(matrix.sum(axis=1), np.float64).ravel() for matrix in (squares, squares.multiply(squares))
    )
    has_terms = sums_of_squares > 0
    return float(np.mean(sums_of_squares[has_terms] ** 2 / sums_of_fourths[has_terms]))


# -- trials ------------------------------------------------------------------------------------------------------------


class PairwiseSVM(ClassifierMixin, BaseEstimator):
    """LIBSVM, which separates each pair of classes; other classifiers here separate each class from the rest.

    It is given the products of the documents, that is the linear kernel, which is faster than sparse rows.
    """

    def __init__(self, *, C: float = 1.0) -> None:
        self.C = C

    def fit(self, X: Any, y: Any) -> Self:
        """Train on sparse rows."""
        self._rows = X
        self._svm = SVC(kernel="precomputed", C=self.C, break_ties=True).fit((X @ X.T).toarray(), y)
        self.classes_ = self._svm.classes_
        return self

    def decision_function(self, X: Any) -> Any:
        """Return the number of pairs that each class wins, and a fraction that breaks ties."""
        return self._svm.decision_function((X @ self._rows.T).toarray())

    def predict(self, X: Any) -> Any:
        """Return the class of each document."""
        return self.classes_[self.decision_function(X).argmax(axis=1)]


BASES: dict[str, Callable[[], Any]] = {
    "SVM, C = 100": lambda: LinearSVM(C=100.0),
    "SVM, C = 1": lambda: LinearSVM(C=1.0),
    "SVM, C = 0.1": lambda: LinearSVM(C=0.1),
    "pairwise SVM, C = 100": lambda: PairwiseSVM(C=100.0),
    "naive Bayes": MultinomialNB,
    "Rocchio": Rocchio,
}
RULES = ("vote", "mean")


class Size(NamedTuple):
    """The terms of a member, and the number of members."""

    n_terms: int
    n_members: int

    def __str__(self) -> str:
        """Return the size in few words."""
        return f"M = {self.n_terms:,}, L = {self.n_members:,}"


def try_brown(
    weighting: str, base: str, size: Size, *, n_splits: int, seed: int, reading: str = "words"
) -> SubspaceTrial:
    """Return the trial of an ensemble on Brown, four fifths to train and a fifth to test."""
    return _try(count_corpus("brown", reading), weighting, base, size, N_TEST / (N_TRAIN + N_TEST), n_splits, seed)


def try_other(corpus: CountedCorpus, weighting: str, base: str, *, n_splits: int, seed: int) -> list[SubspaceTrial]:
    """Return trials on another collection, each on a random sample with as few training documents as Brown has."""
    n_sample, trials = N_TRAIN + N_OTHERS_TEST, []
    for number in range(n_splits):
        sample = np.random.default_rng([seed, number]).permutation(len(corpus.numbers))[:n_sample]
        part = CountedCorpus(corpus.counts[sample], corpus.numbers[sample])
        size = OTHERS_TERMS, OTHERS_MEMBERS
        trials.append(_try(part, weighting, base, size, N_OTHERS_TEST / n_sample, 1, seed + number))
    return trials


def _try(
    corpus: CountedCorpus,
    weighting: str,
    base: str,
    size: tuple[float, int],
    test_share: float,
    n_splits: int,
    seed: int,
) -> SubspaceTrial:
    """Return the trial of an ensemble of `size`, which is the terms of a member (number or share) and the members."""
    return subspace_trial(
        *corpus,
        n_terms=size[0],
        n_estimators=size[1],
        estimator=BASES[base](),
        prepare=pipeline(weighting),
        test_share=test_share,
        repeats=n_splits,
        random_state=seed,
    )


class Setting(NamedTuple):
    """A weighting and a base classifier, and the accuracies of one size of ensemble on each split."""

    weighting: str
    base: str
    size: Size
    by_rule: dict[str, Floats]
    single: Floats
    members: Floats
    """The mean accuracy of the ensemble's members on each split."""

    @classmethod
    def of(cls, weighting: str, base: str, size: Size, *trials: SubspaceTrial) -> Setting:
        """Return the setting of one or more trials, whose splits are put together."""
        by_rule = {rule: np.concatenate([trial.by_rule[rule] for trial in trials]) for rule in RULES}
        members = [  # `answers` has the predicted classes of all members
            float(np.mean(answers == true))
            for trial in trials
            for answers, true in zip(trial.answers, trial.true, strict=True)
        ]
        single = np.concatenate([trial.single for trial in trials])
        return cls(weighting, base, size, by_rule, single, np.array(members))

    def gain(self, rule: str) -> Interval:
        """Return the gain of the ensemble, with votes or means as `rule`, over the single classifier on all terms."""
        return interval(self.by_rule[rule] - self.single)


# -- statistics --------------------------------------------------------------------------------------------------------


class Interval(NamedTuple):
    """The mean over splits of an accuracy or a gain in accuracy, in percentage points, with two 95 % intervals.

    The narrow interval is about other splits of the same documents, the wide one about other documents of the kind (see
    the module). `p` is the p-value of the hypothesis that the mean is 0, with the variance of the narrow interval.
    """

    mean: float
    half: float
    """Half the width of the narrow interval."""
    wide: float
    """Half the width of the wide interval."""
    p: float

    def __str__(self) -> str:
        """Return the mean and the narrow interval as text, with a sign, for a difference: +1.20 ± 0.50."""
        return f"{self.mean:+.2f} ± {self.half:.2f}"

    def level(self) -> str:
        """Return the mean and the narrow interval as text, without a sign, for an accuracy: 81.20 ± 0.50."""
        return f"{self.mean:.2f} ± {self.half:.2f}"


def interval(shares: ArrayLike, test_per_train: float = N_TEST / N_TRAIN) -> Interval:
    """Return the mean and its intervals in percentage points, given an accuracy or a difference for each split.

    `test_per_train` is the number of test documents divided by that of training documents.
    """
    points = 100 * np.asarray(shares, np.float64)
    half, wide = (half_width(points.tolist(), ratio) or 0.0 for ratio in (0.0, test_per_train))
    error = float(points.std(ddof=1)) / np.sqrt(len(points))
    p = 2 * float(student.sf(abs(points.mean()) / error, len(points) - 1)) if error > 0 else float(points.mean() == 0)
    return Interval(float(points.mean()), half, wide, p)


def corrected(settings: list[Setting]) -> dict[tuple[int, str], float]:
    """Return the p-value of each gain after Holm's correction, by the position of the setting and the rule."""
    tests = [(position, rule) for position in range(len(settings)) for rule in RULES]
    values = holm([settings[position].gain(rule).p for position, rule in tests])
    return dict(zip(tests, values, strict=True))


def candidates(settings: list[Setting]) -> list[Setting]:
    """Return the settings with a significant gain before correction, by one of the rules, to check on fresh splits."""
    return [
        setting for setting in settings if any(gain.mean > 0 and gain.p < ALPHA for gain in map(setting.gain, RULES))
    ]
