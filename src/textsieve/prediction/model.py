"""`Model`: a trained categorizer, and all that predicting takes: the terms, their weights, and a scorer.

It is what `Categorizer` holds after training and what a model file stores. Nothing on the way from a text to its label
needs more than numpy, so that one document is predicted in a fraction of a second in a fresh process.

A document that has none of the selected terms, or only such of weight 0 (with a plain idf, terms that all documents
have), gets the class that most training documents of that kind had (`fallback`, see `training.unknown`); if training
found the most frequent class for them, or nothing is known of it, as in files of old, the most frequent one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..classifiers.scorer import Scorer
from ..errors import InputError, shown
from ..evaluation.calibration import Calibration
from ..evaluation.cuts import Rule
from ..evaluation.scores import blocks
from ..extras import require_package
from ..settings import is_whole
from ..text.counting import count_known
from ..text.documents import Reading
from ..text.languages import WAYS
from ..text.preparation import AS_IT_IS, Preparation
from ..text.rows import Rows
from ..text.spans import Span, TermFinder
from ..text.vocabulary import Vocabulary
from ..text.weights import weigh
from ..text.words import Accents, stop_words_of
from .explanations import ClassExplanation, Explanation, Spoken
from .labels import Label, Labels

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Predictions(NamedTuple):
    """What was predicted for some documents."""

    labels: Any  # an array of labels, a list of tuples of labels, or a matrix of 0 and 1
    scores: Floats  # documents x classes
    is_unknown: NDArray[np.bool_]  # for each document, whether it has no selected term that has a weight

    @property
    def n_unknown(self) -> int:
        """How many documents have no selected term that has a weight."""
        return int(self.is_unknown.sum())


def sentence_on_unknown(model: Model, n_unknown: int, n_documents: int) -> str:
    """What is to be said of documents that have none of the selected terms."""
    return (
        f"{n_unknown:,} of {n_documents:,} documents are empty or have none of the selected terms; they get "
        f"{model.why_unknown}, {model.classes[model.class_of_unknown]!r}."
    )


def _one_text(text: str | bytes) -> str | bytes:
    """What is given as a text, if it is one."""
    if not isinstance(text, str | bytes):
        raise InputError(f"text is {shown(text)} ({type(text).__name__}); give one text.")
    return text


@dataclass(frozen=True, eq=False)
class Model:
    """A trained model. `labels` says what is predicted: one label, a tuple of several, or the row of a 0/1 matrix."""

    terms: tuple[str, ...]  # best first; a term's place is its column
    classes: tuple[Label, ...]  # sorted
    class_docs: tuple[int, ...]  # training documents of each class
    labels: Labels
    lowercase: bool
    strip_accents: Accents
    stop_words: frozenset[str] | Literal["english"]
    ngram_range: tuple[int, int]
    tf: str
    norm: str
    idf: Floats | None
    scorer: Scorer
    thresholds: Floats | None  # of each class, if labels are cut by them
    settings: dict[str, Any]
    about: dict[str, Any]
    ranks: int | None = None  # how many of the best classes a document gets, if labels are cut by rank
    calibration: Calibration | None = None
    preparation: Preparation = AS_IT_IS
    fallback: int | None = None  # number of the class without a selected term; None: of the most frequent class

    # -- text to rows to scores ----------------------------------------------------------------------------------

    @cached_property
    def _vocabulary(self) -> Vocabulary:
        """The terms, and how to find them in a text: no longer runs of words than there are among them."""
        shortest, longest = self.ngram_range
        longest = max(shortest, min(longest, max((term.count(" ") + 1 for term in self.terms), default=1)))
        are_needed = longest > 1 or self.preparation.normalise is not None
        stop_words = stop_words_of(self.stop_words) if are_needed else frozenset()
        return Vocabulary(self.terms, (shortest, longest), stop_words)

    @cached_property
    def _reading(self) -> Reading:
        if self.preparation.normalise is not None:
            service, _ = WAYS[self.preparation.normalise]
            what = f"This model was trained with {service.what}, so predicting with it"
            require_package(service.package, extra="words", what=what)
        return Reading(self.lowercase, self.strip_accents, "utf-8", "strict", self.preparation)

    @property
    def needs_stop_words(self) -> bool:
        """Whether stop words matter to what is predicted.

        A selected word is none itself, so they only matter for what stands beside what; and where a word that is no
        stop word has the form of one that is.
        """
        return self.ngram_range[1] > 1 or self.preparation.normalise is not None

    def counts(self, documents: Iterable[str | bytes], n_jobs: int | None = 1) -> Rows:
        """How often each selected term is in each document."""
        return count_known(documents, self._vocabulary, self._reading, n_jobs=n_jobs)

    def weights(self, counts: Rows) -> Rows:
        """The weights of counted terms."""
        return weigh(counts, tf=self.tf, idf=self.idf, norm=self.norm)

    def rows(self, documents: Iterable[str | bytes], n_jobs: int | None = 1) -> Rows:
        """The weights of the selected terms in each document."""
        return self.weights(self.counts(documents, n_jobs))

    def scores(self, documents: Iterable[str | bytes], n_jobs: int | None = 1) -> Floats:
        """The score of each class for each document (documents x classes)."""
        return self._by_class(self.scorer.scores(self.rows(documents, n_jobs), n_jobs))

    def decision(self, documents: Iterable[str | bytes], n_jobs: int | None = 1) -> Floats:
        """The scores as scikit-learn has them: of two classes for one label, how much the second is ahead."""
        outputs = self.scorer.scores(self.rows(documents, n_jobs), n_jobs)
        if self.labels != "one" or len(self.classes) != 2:
            return self._by_class(outputs)
        return outputs[:, 0] if self._one_for_two else outputs[:, 1] - outputs[:, 0]

    @property
    def _one_for_two(self) -> bool:
        """Whether one output speaks for two classes: for the second if it is positive, or else for the first."""
        return self.scorer.n_outputs == 1 and len(self.classes) == 2

    def _by_class(self, outputs: NDArray[Any]) -> NDArray[Any]:
        """A column for each class, given one for each output."""
        return np.hstack([-outputs, outputs]) if self._one_for_two else outputs

    # -- labels --------------------------------------------------------------------------------------------------

    def predict(self, documents: Iterable[str | bytes], n_jobs: int | None = 1) -> Predictions:
        """The label or labels of each document, and the scores."""
        return self.predict_rows(self.rows(documents, n_jobs), n_jobs)

    def predict_labels(self, documents: Iterable[str | bytes], n_jobs: int | None = 1) -> tuple[Any, NDArray[np.bool_]]:
        """Return the label or labels of each document, and which have no known term, without keeping the scores."""
        rows = self.rows(documents, n_jobs)
        parts = blocks(rows.n_rows, len(self.classes))
        labels = [self.predict_rows(rows.part(part), n_jobs).labels for part in parts]
        if self.labels == "several":
            return [label_set for block in labels for label_set in block], rows.is_zero
        return np.concatenate(labels), rows.is_zero

    def predict_rows(self, rows: Rows, n_jobs: int | None = 1) -> Predictions:
        """The same for documents that are weighed already."""
        scores = self._by_class(self.scorer.scores(rows, n_jobs))
        unknown = rows.is_zero
        labels: Any
        if self.labels == "one":
            labels = self.label_array[self._best(scores, unknown)]
        else:
            assigned = self._assigned(scores, unknown)
            labels = assigned.astype(np.int64) if self.labels == "matrix" else list(map(self._names, assigned))
        return Predictions(labels, scores, unknown)

    def _best(self, scores: Floats, unknown: NDArray[np.bool_]) -> Ints:
        """The class of each document, where it has one."""
        numbers: Ints = np.argmax(scores, axis=1)
        numbers[unknown] = self.class_of_unknown
        return numbers

    def _assigned(self, scores: Floats, unknown: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which classes each document has, where it may have several."""
        assigned = self._cut(scores)
        assigned[unknown] = np.arange(len(self.classes)) == self.class_of_unknown
        return assigned

    def _names(self, assigned: NDArray[np.bool_]) -> tuple[Label, ...]:
        return tuple(self.classes[number] for number in np.flatnonzero(assigned))

    @property
    def _cut(self) -> Rule:
        """How several labels are cut from the scores."""
        if self.thresholds is None and self.ranks is None:
            raise InputError(f"labels={self.labels!r} needs thresholds, one for each class, or a number of ranks.")
        return Rule(self.thresholds, self.ranks)

    def probabilities(self, scores: Floats) -> Floats:
        """The probability of each class, given the scores (documents x classes); with one label they sum to 1."""
        if self.calibration is None:
            raise InputError(
                "This model was trained without probabilities; train it with probabilities='sigmoid' or 'isotonic'."
            )
        return self.calibration.probabilities(scores, sum_to_one=self.labels == "one")

    @property
    def class_of_unknown(self) -> int:
        """The number of the class that a document without a selected term gets; of several most frequent, the first."""
        return int(np.argmax(self.class_docs)) if self.fallback is None else self.fallback

    @property
    def why_unknown(self) -> str:
        """Which class that is, in words."""
        if self.fallback is None:
            return "the most frequent class"
        return "the class of most training documents without such terms"

    @cached_property
    def label_array(self) -> NDArray[Any]:
        """The classes as an array, of a type of numpy if they come out of it as they were.

        It drops a NUL at the end of a text, and makes floats of small whole numbers and one from 2^63.
        """
        array = np.array(self.classes)
        same = [(type(label), label) for label in array.tolist()] == [(type(label), label) for label in self.classes]
        return array if same else np.array(self.classes, dtype=object)

    def label_sets(self, labels: Any) -> list[tuple[Label, ...]]:
        """Predicted labels, in whichever form, as a tuple for each document."""
        if self.labels == "one":
            return [(label,) for label in labels.tolist()]
        if self.labels == "several":
            return list(labels)
        return [tuple(self.classes[number] for number in np.flatnonzero(row)) for row in labels]

    # -- reasons -------------------------------------------------------------------------------------------------

    def explain(self, text: str | bytes) -> Explanation:
        """Which terms of a text spoke for which class, and how much."""
        counts = self.counts([_one_text(text)])
        weights = self.weights(counts)
        scores = self._by_class(self.scorer.scores(weights))[0]
        products = self._by_class(self.scorer.contributions(weights.columns, weights.values))
        intercepts = self._by_class(self.scorer.intercepts[np.newaxis])[0]
        found = [self.terms[column] for column in weights.columns.tolist()]
        spoken = Spoken(found, counts.values.tolist(), weights.values.tolist(), products)

        def of_class(number: int) -> ClassExplanation:
            threshold = None if self.thresholds is None else float(self.thresholds[number])
            in_all = float(scores[number]), float(intercepts[number])
            return ClassExplanation.later(self.classes[number], *in_all, threshold, spoken, number)

        best_first = np.argsort(-scores, kind="stable").tolist()
        is_unknown = weights.is_zero
        one_row = scores[np.newaxis], is_unknown
        predicted = (
            self.classes[self._best(*one_row)[0]] if self.labels == "one" else self._names(self._assigned(*one_row)[0])
        )
        what = "has a weight in" if found else "is known to"
        unknown = f"No term of the text {what} the model, so {self.why_unknown} is taken" if is_unknown[0] else None
        return Explanation(predicted, tuple(map(of_class, best_first)), unknown)

    @cached_property
    def _finder(self) -> TermFinder:
        return TermFinder(self._vocabulary, self._reading)

    def spans(self, text: str | bytes) -> list[Span]:
        """Where the selected terms stand in a text, each as often as it is counted, in the order of start, then end.

        Offsets are in characters (code points) of the text as it is given, or of bytes when they are decoded. A run of
        words reaches from the first to the last, with stop words between them; so spans may overlap.
        """
        return self._finder.spans(self._reading.text_of(_one_text(text)))

    def strengths(self) -> Floats:
        """How much each term speaks for each class (terms x classes): the model's coefficients.

        Where all of them have one sign, as logarithms of probabilities do, they say how frequent a term is, and only
        their distance from the mean over the classes says which class it speaks for: then it is that.
        """
        coefficients = self._by_class(self.scorer.term_strengths()).astype(np.float64)
        return coefficients - coefficients.mean(axis=1, keepdims=True) if self.needs_comparing else coefficients

    @cached_property
    def needs_comparing(self) -> bool:
        """Whether all that terms add to the classes has one sign, so that only comparing classes says what it means."""
        coefficients = self.scorer.term_strengths()
        has_one_sign = coefficients.size > 0 and (coefficients.min() >= 0 or coefficients.max() <= 0)
        return bool(has_one_sign) and self.scorer.n_outputs > 1

    def class_terms(self, n: int = 10) -> dict[Label, list[tuple[str, float]]]:
        """The terms that speak most for each class, and how much (see `strengths`)."""
        if not is_whole(n) or n < 0:
            raise InputError(f"n={n!r}; use a number of terms.")
        best: dict[Label, list[tuple[str, float]]] = {}
        for label, values in zip(self.classes, self.strengths().T, strict=True):
            order = np.argsort(-values, kind="stable")[:n]
            best[label] = [(self.terms[at], float(values[at])) for at in order.tolist() if values[at] > 0]
        return best
