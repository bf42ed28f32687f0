"""`Model`: a trained categorizer with everything that predicting needs: the terms, their weights, and a scorer.

It is what `Categorizer` holds after training and what a model file stores. Getting from a text to its label needs
nothing but numpy, so that one document is predicted in a fraction of a second in a fresh process.

A document that contains no selected term, or only terms of weight 0 (with a plain idf, terms that all documents
contain), gets the fallback class: the class that most training documents of that kind had (`fallback`, see
`training.fallback`). If that is the most frequent class, or is not known, as in old model files, `fallback` is None and
the document gets the most frequent class.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats
from ..classifiers.scorer import Scorer
from ..errors import InputError, Setting, shown
from ..evaluation.calibration import Calibration
from ..evaluation.scores import DocumentScores, blocks
from ..evaluation.thresholds import ThresholdRule
from ..extras import require_package
from ..settings import is_whole
from ..text.counting import count_known
from ..text.csr import CSR
from ..text.languages import NORMALISERS
from ..text.places import Span, TermFinder
from ..text.preparation import NO_PREPARATION, Preparation
from ..text.reading import Reading
from ..text.vocabulary import Vocabulary
from ..text.weights import weigh
from ..text.words import Accents, stop_words_of
from .explanations import ClassExplanation, Explanation, TermContributions
from .labels import Label


class Predictions(NamedTuple):
    """The predictions for some documents."""

    labels: Any  # an array of labels, a list of tuples of labels, or a matrix of 0 and 1
    scores: Floats  # documents x classes
    is_unknown: NDArray[np.bool_]  # for each document, whether all its weights are 0

    @property
    def n_unknown(self) -> int:
        """Return the number of documents without a selected term of nonzero weight."""
        return int(self.is_unknown.sum())


def sentence_on_unknown(model: Model, n_unknown: int, n_documents: int) -> str:
    """Return a warning about documents without any selected term, and the class they get."""
    return (
        f"{n_unknown:,} of {n_documents:,} documents are empty or have none of the selected terms; they get "
        f"{model.why_unknown}, {model.classes[model.class_of_unknown]!r}."
    )


def _one_text(text: str | bytes) -> str | bytes:
    """Return the text; raise `InputError` if it is not a single text."""
    if not isinstance(text, str | bytes):
        raise InputError(f"text is {shown(text)} ({type(text).__name__}); give one text.")
    return text


@dataclass(frozen=True, eq=False)
class Model:
    """A trained model.

    For each document it predicts one label, or a tuple of labels if it is `multilabel`, or a row of an indicator matrix
    (documents x classes) if also `label_matrix`.
    """

    terms: tuple[str, ...]  # best first; the position of a term is its column
    classes: tuple[Label, ...]  # sorted
    class_docs: tuple[int, ...]  # training documents of each class
    multilabel: bool
    lowercase: bool
    strip_accents: Accents
    stop_words: frozenset[str] | Literal["english"]
    ngram_range: tuple[int, int]
    tf: str
    norm: str
    idf: Floats | None
    scorer: Scorer
    thresholds: Floats | None  # of each class, for multilabel models that use thresholds
    settings: dict[str, Any]
    about: dict[str, Any]
    ranks: int | None = None  # number of best classes that each document gets, for multilabel models that use ranks
    calibration: Calibration | None = None
    preparation: Preparation = NO_PREPARATION
    fallback: int | None = None  # class number for documents without selected terms; None: the most frequent
    label_matrix: bool = False  # whether labels were given, and are predicted, as an indicator matrix

    # -- text to rows to scores ----------------------------------------------------------------------------------

    @cached_property
    def _vocabulary(self) -> Vocabulary:
        """Return the vocabulary that finds the terms in texts, with n-grams no longer than the longest term."""
        shortest, longest = self.ngram_range
        longest = max(shortest, min(longest, max((term.count(" ") + 1 for term in self.terms), default=1)))
        are_needed = longest > 1 or self.preparation.normalise is not None
        stop_words = stop_words_of(self.stop_words) if are_needed else frozenset()
        return Vocabulary(self.terms, (shortest, longest), stop_words)

    @cached_property
    def _reading(self) -> Reading:
        if self.preparation.normalise is not None:
            support, _ = NORMALISERS[self.preparation.normalise]
            purpose = f"This model was trained with {support.what}, so predicting with it"
            require_package(support.package, extra="words", what=purpose)
        return Reading(self.lowercase, self.strip_accents, "utf-8", "strict", self.preparation)

    @property
    def needs_stop_words(self) -> bool:
        """Return whether stop words affect predictions.

        A selected word is never a stop word, so they only matter for n-grams (which words are adjacent), and for
        normalised words, because a word that is no stop word may have the same normal form as a stop word.
        """
        return self.ngram_range[1] > 1 or self.preparation.normalise is not None

    def counts(self, documents: Iterable[str | bytes], n_jobs: int | None = 1) -> CSR:
        """Return the count of each selected term in each document."""
        return count_known(documents, self._vocabulary, self._reading, n_jobs=n_jobs)

    def weights(self, counts: CSR) -> CSR:
        """Return the weights of counted terms."""
        return weigh(counts, tf=self.tf, idf=self.idf, norm=self.norm)

    def rows(self, documents: Iterable[str | bytes], n_jobs: int | None = 1) -> CSR:
        """Return the weights of the selected terms in each document."""
        return self.weights(self.counts(documents, n_jobs))

    def scores(self, documents: Iterable[str | bytes], n_jobs: int | None = 1) -> Floats:
        """Return the score of each class for each document (documents x classes)."""
        return self._by_class(self.scorer.scores(self.rows(documents, n_jobs), n_jobs))

    def decision(self, documents: Iterable[str | bytes], n_jobs: int | None = 1) -> Floats:
        """Return the scores in scikit-learn's form: for two classes and one label, second minus first."""
        outputs = self.scorer.scores(self.rows(documents, n_jobs), n_jobs)
        if self.multilabel or len(self.classes) != 2:
            return self._by_class(outputs)
        return outputs[:, 0] if self._one_for_two else outputs[:, 1] - outputs[:, 0]

    @property
    def _one_for_two(self) -> bool:
        """Return whether a single output stands for two classes: positive for the second, otherwise for the first."""
        return self.scorer.n_outputs == 1 and len(self.classes) == 2

    def _by_class(self, outputs: NDArray[Any]) -> NDArray[Any]:
        """Return a column for each class, given one for each output."""
        return np.hstack([-outputs, outputs]) if self._one_for_two else outputs

    # -- labels --------------------------------------------------------------------------------------------------

    def predict(self, documents: Iterable[str | bytes], n_jobs: int | None = 1) -> Predictions:
        """Return the label or labels of each document, and the scores."""
        return self.predict_rows(self.rows(documents, n_jobs), n_jobs)

    def predict_labels(self, documents: Iterable[str | bytes], n_jobs: int | None = 1) -> tuple[Any, NDArray[np.bool_]]:
        """Return the labels of each document, and which have no known term, without storing all scores."""
        rows = self.rows(documents, n_jobs)
        parts = blocks(rows.n_rows, len(self.classes))
        labels = [self.predict_rows(rows.part(part), n_jobs).labels for part in parts]
        if self.multilabel and not self.label_matrix:
            return [label_set for block in labels for label_set in block], rows.is_zero
        return np.concatenate(labels), rows.is_zero

    def predict_rows(self, rows: CSR, n_jobs: int | None = 1) -> Predictions:
        """Return the predictions for documents given as rows of weights."""
        scores = self._by_class(self.scorer.scores(rows, n_jobs))
        unknown = rows.is_zero
        labels: Any
        scored = DocumentScores(scores, unknown, self.class_of_unknown)
        if not self.multilabel:
            labels = self.label_array[scored.best()]
        else:
            is_label = scored.labels(self._cut)
            labels = is_label.astype(np.int64) if self.label_matrix else list(map(self._names, is_label))
        return Predictions(labels, scores, unknown)

    def _names(self, is_label: NDArray[np.bool_]) -> tuple[Label, ...]:
        """Return the labels of a document."""
        return tuple(self.classes[number] for number in np.flatnonzero(is_label))

    @property
    def _cut(self) -> ThresholdRule:
        """Return the rule that assigns several labels by scores."""
        if self.thresholds is None and self.ranks is None:
            raise InputError("A multilabel model needs a threshold for each class, or a number of ranks.")
        return ThresholdRule(self.thresholds, self.ranks)

    def probabilities(self, scores: Floats) -> Floats:
        """Return the probability of each class, given scores (documents x classes); with one label they sum to 1."""
        if self.calibration is None:
            raise InputError(
                "This model was trained without probabilities",
                hint=("train it with ", Setting("probabilities", "sigmoid"), " or 'isotonic'"),
            )
        return self.calibration.probabilities(scores, sum_to_one=not self.multilabel)

    @property
    def class_of_unknown(self) -> int:
        """Return the number of the fallback class; of several most frequent classes, the first."""
        return int(np.argmax(self.class_docs)) if self.fallback is None else self.fallback

    @property
    def why_unknown(self) -> str:
        """Return a description of the fallback class, for messages."""
        if self.fallback is None:
            return "the most frequent class"
        return "the class of most training documents without such terms"

    @cached_property
    def label_array(self) -> NDArray[Any]:
        """Return the classes as an array, with a native numpy type if that preserves them exactly.

        A numpy type may not: it drops a NUL at the end of a text, and mixing small integers with one from 2^63 gives
        floats.
        """
        array = np.array(self.classes)
        same = [(type(label), label) for label in array.tolist()] == [(type(label), label) for label in self.classes]
        return array if same else np.array(self.classes, dtype=object)

    def label_sets(self, labels: Any) -> list[tuple[Label, ...]]:
        """Return predicted labels, in any of their forms, as a tuple for each document."""
        if not self.multilabel:
            return [(label,) for label in labels.tolist()]
        return list(map(self._names, labels)) if self.label_matrix else list(labels)

    # -- reasons -------------------------------------------------------------------------------------------------

    def explain(self, text: str | bytes) -> Explanation:
        """Return which terms of a text speak for which class, and how much."""
        counts = self.counts([_one_text(text)])
        weights = self.weights(counts)
        scores = self._by_class(self.scorer.scores(weights))[0]
        products = self._by_class(self.scorer.contributions(weights.indices, weights.data))
        intercepts = self._by_class(self.scorer.intercepts[np.newaxis])[0]
        terms = [self.terms[column] for column in weights.indices.tolist()]
        of_terms = TermContributions(terms, counts.data.tolist(), weights.data.tolist(), products)

        def of_class(number: int) -> ClassExplanation:
            threshold = None if self.thresholds is None else float(self.thresholds[number])
            in_all = float(scores[number]), float(intercepts[number])
            return ClassExplanation(self.classes[number], *in_all, threshold, of_terms, number)

        best_first = np.argsort(-scores, kind="stable").tolist()
        is_unknown = weights.is_zero
        scored = DocumentScores(scores[np.newaxis], is_unknown, self.class_of_unknown)
        predicted = self._names(scored.labels(self._cut)[0]) if self.multilabel else self.classes[scored.best()[0]]
        verb_phrase = "has a weight in" if terms else "is known to"
        unknown = (
            f"No term of the text {verb_phrase} the model, so {self.why_unknown} is taken" if is_unknown[0] else None
        )
        return Explanation(predicted, tuple(map(of_class, best_first)), unknown)

    @cached_property
    def _finder(self) -> TermFinder:
        return TermFinder(self._vocabulary, self._reading)

    def spans(self, text: str | bytes) -> list[Span]:
        """Return the positions of the selected terms in a text, one span per counted occurrence.

        Spans are sorted by start, then end. Offsets are in characters (code points) of the given text, or of the
        decoded text for bytes. An n-gram reaches from its first word to its last, with stop words between them, so
        spans may overlap.
        """
        return self._finder.spans(self._reading.text_of(_one_text(text)))

    def strengths(self) -> Floats:
        """Return how strongly each term speaks for each class (terms x classes): the model's coefficients.

        Where all coefficients have the same sign, as log-probabilities do, they show how frequent a term is. Only the
        difference from the mean over the classes shows which class it speaks for, so that difference is returned.
        """
        coefficients = self._by_class(self.scorer.term_strengths()).astype(np.float64)
        return coefficients - coefficients.mean(axis=1, keepdims=True) if self.needs_comparing else coefficients

    @cached_property
    def needs_comparing(self) -> bool:
        """Return whether all coefficients have the same sign, so that only differences between classes matter."""
        coefficients = self.scorer.term_strengths()
        has_one_sign = coefficients.size > 0 and (coefficients.min() >= 0 or coefficients.max() <= 0)
        return bool(has_one_sign) and self.scorer.n_outputs > 1

    def class_terms(self, n: int = 10) -> dict[Label, list[tuple[str, float]]]:
        """Return the terms that speak most for each class, with their strengths (see `strengths`)."""
        if not is_whole(n) or n < 0:
            raise InputError(setting="n", value=n, hint="use a number of terms")
        best: dict[Label, list[tuple[str, float]]] = {}
        for label, values in zip(self.classes, self.strengths().T, strict=True):
            order = np.argsort(-values, kind="stable")[:n]
            best[label] = [
                (self.terms[column], float(values[column])) for column in order.tolist() if values[column] > 0
            ]
        return best
