"""`Model`: a trained categorizer with all that predicting needs: how to read texts, the terms, their idf and a scorer.

A `Categorizer` holds it after training, and a model file stores it. Predicting imports only numpy, so that a fresh
process predicts a document in a fraction of a second.

A document is called unknown if it contains no selected term, or only terms of weight 0 (with a plain idf, terms that
all training documents contain). It gets the fallback class: the class of most training documents without a selected
term (see `training.fallback`). The field `fallback` is the number of this class, or None if it is also the most
frequent class; messages then call it "the most frequent class".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import CSR, Floats
from ..classifiers.scorer import Scorer
from ..classifiers.sparse_linear import SparseLinearScorer
from ..errors import DocumentError, InputError, Message, Setting, counted, shown
from ..evaluation.calibration import Calibration, JointCalibration
from ..evaluation.scores import DocumentScores, blocks
from ..evaluation.thresholds import ThresholdRule
from ..extras import require_package
from ..presentation import check_presentation
from ..settings import is_whole
from ..text.analysis import WORDS, Analysis, Function, SlowPattern, group_parts, is_marked, unmark_ngram
from ..text.counting import count_known
from ..text.languages import NORMALISERS
from ..text.places import Span, TermFinder
from ..text.preparation import NO_PREPARATION, Preparation
from ..text.reading import Reading
from ..text.stop_words import stop_words_of
from ..text.vocabulary import Vocabulary
from ..text.weights import weigh
from ..text.words import Accents
from .explanations import ClassExplanation, Explanation, TermContributions
from .labels import Label, exact_array

GROUPED_CLASS_TERMS = 120
"""How many of the strongest terms of a class are grouped for lists of terms; see `Model.grouped_class_terms`."""


class Predictions(NamedTuple):
    """The predictions for some documents."""

    labels: Any  # an array of labels; if multilabel, a list of tuples of labels or an indicator matrix
    scores: Floats  # documents x classes
    is_unknown: NDArray[np.bool_]  # for each document, whether all its weights are 0

    @property
    def n_unknown(self) -> int:
        """Return the number of documents without a selected term of nonzero weight."""
        return int(self.is_unknown.sum())


def unknown_documents_warning(model: Model, n_unknown: int, n_documents: int) -> str:
    """Return a warning about documents without any selected term, and the class they get."""
    is_empty, get = ("is empty or has", "it gets") if n_unknown == 1 else ("are empty or have", "they get")
    return (
        f"{n_unknown:,} of {counted(n_documents, 'document')} {is_empty} none of the selected terms; {get} "
        f"{model.fallback_description}, {model.classes[model.fallback_class]!r}."
    )


def _require_text(text: str | bytes) -> str | bytes:
    """Return the text; raise `InputError` if it is not a single text."""
    if not isinstance(text, str | bytes):
        raise InputError(f"text is {shown(text)} ({type(text).__name__})", hint="give one text")
    return text


@contextmanager
def _without_number() -> Iterator[None]:
    """Leave the number of the document out of errors inside this context, in which there is only one document."""
    try:
        yield
    except DocumentError as problem:
        raise problem.with_fields(place=None) from problem


def _trim(ngram_range: tuple[int, int], lengths: Iterable[int]) -> tuple[int, int]:
    """Return an n-gram range that ends at the longest of these lengths: (1, 5) with lengths 2 and 3 becomes (1, 3).

    The shortest length stays in the range, because a word that is shorter counts as a whole (see `text.analysis`).
    """
    shortest, longest = ngram_range
    return shortest, max(shortest, min(longest, max(lengths, default=1)))


@dataclass(frozen=True, eq=False)
class Model:
    """A trained model.

    For each document it predicts one label, or a tuple of labels if it is `multilabel`, or a row of an indicator matrix
    (documents x classes) if `has_label_matrix` is true, too.
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
    idf: Floats | None  # of each term; None if the weighting has no idf
    scorer: Scorer
    thresholds: Floats | None  # of each class, for multilabel models that use thresholds
    settings: dict[str, Any]  # the settings of training, as JSON values
    about: dict[str, Any]  # facts about the training, see `training.provenance`
    ranks: int | None = None  # number of best classes that each document gets, for multilabel models that use ranks
    calibration: Calibration | JointCalibration | None = None
    preparation: Preparation = NO_PREPARATION
    fallback: int | None = None  # class number for documents without selected terms; None: the most frequent
    has_label_matrix: bool = False  # whether labels were given, and are predicted, as an indicator matrix
    analysis: Analysis = WORDS
    preprocessor: Function | None = None

    def presented(self, presentation: Mapping[str, Any]) -> Model:
        """Return the same model with another title, description or examples; raise `InputError` for invalid ones."""
        check_presentation(presentation)
        texts = {name: list(value) if name == "examples" and value else value for name, value in presentation.items()}
        changed = {name: value for name, value in texts.items() if value != self.settings.get(name)}
        return replace(self, settings={**self.settings, **changed}) if changed else self

    # -- text to rows to scores ----------------------------------------------------------------------------------

    @cached_property
    def _vocabulary(self) -> Vocabulary:
        """Return the vocabulary that finds the terms in texts.

        Its n-grams are no longer than the longest selected term, which may be shorter than `ngram_range` allows. If all
        selected terms are single words as written, or no terms are words, stop words make no difference (see
        `needs_stop_words`), and the vocabulary has none.
        """
        # The length of an n-gram of words is the number of its words. Words may contain spaces themselves, so counting
        # spaces may give too large a number, which is harmless.
        length = len if self.analysis.counts_only_characters else lambda term: term.count(" ") + 1
        shortest, longest = _trim(self.ngram_range, map(length, self.terms))
        are_words_as_written = longest == 1 and self.preparation.normalise is None
        needs_no_stop_words = are_words_as_written or not self.analysis.has_words
        stop_words = frozenset() if needs_no_stop_words else stop_words_of(self.stop_words)
        return Vocabulary(self.terms, (shortest, longest), stop_words)

    @cached_property
    def _reading(self) -> Reading:
        """Return how texts are read; raise `MissingPackage` if the package for stems or lemmas is not installed."""
        if self.preparation.normalise is not None:
            support, _ = NORMALISERS[self.preparation.normalise]
            purpose = f"This model was trained with {support.what}, so predicting with it"
            require_package(support.package, extra="words", what=purpose)
        return Reading(
            self.lowercase,
            self.strip_accents,
            encoding="utf-8",
            decode_error="strict",
            preparation=self.preparation,
            analysis=self._analysis_of_terms,
            preprocessor=self.preprocessor,
        )

    @property
    def _analysis_of_terms(self) -> Analysis:
        """Return the analysis without n-grams of characters that are longer than all selected ones.

        If no n-gram of characters inside words (`char_ngram_range`) is selected, none are counted.
        """
        if self.analysis.char_ngram_range is None:
            return self.analysis
        lengths = [len(unmark_ngram(term)) for term in self.terms if is_marked(term)]
        lengths_to_count = _trim(self.analysis.char_ngram_range, lengths) if lengths else None
        return replace(self.analysis, char_ngram_range=lengths_to_count)

    @property
    def needs_stop_words(self) -> bool:
        """Return whether stop words affect predictions.

        A selected word is never a stop word, so stop words have no effect on single words as written. They matter for
        n-grams of words, because leaving them out changes which words are adjacent; and for normalised words, because a
        stop word may have the same normal form as a selected word.
        """
        return self.analysis.has_words and (self.ngram_range[1] > 1 or self.preparation.normalise is not None)

    def counts(self, documents: Iterable[str | bytes], n_jobs: int | None = 1) -> CSR:
        """Return the count of each selected term in each document."""
        with self._naming_pattern():
            return count_known(documents, self._vocabulary, self._reading, n_jobs=n_jobs)

    @contextmanager
    def _naming_pattern(self) -> Iterator[None]:
        """Rewrite errors about a slow token pattern: they name a setting, and no setting changes a model's pattern."""
        try:
            yield
        except SlowPattern as problem:
            raise problem.with_fields(
                setting=None,
                problem=f"the token pattern of the model, {shown(problem.value)}: {problem.problem}",
                hint="leave the document out, or train the model with a pattern without nested repetitions such as "
                "(a+)+",
            ) from problem

    def weights(self, counts: CSR) -> CSR:
        """Return the weights for the counts of the selected terms (both documents x terms)."""
        return weigh(counts, tf=self.tf, idf=self.idf, norm=self.norm)

    def rows(self, documents: Iterable[str | bytes], n_jobs: int | None = 1) -> CSR:
        """Return the weights of the selected terms in each document."""
        return self.weights(self.counts(documents, n_jobs))

    def scores(self, documents: Iterable[str | bytes], n_jobs: int | None = 1) -> Floats:
        """Return the score of each class for each document (documents x classes)."""
        return self._by_class(self.scorer.scores(self.rows(documents, n_jobs), n_jobs))

    def decision(self, documents: Iterable[str | bytes], n_jobs: int | None = 1) -> Floats:
        """Return the scores as scikit-learn's `decision_function` does.

        With two classes, and if not multilabel, this is one number per document: the second score minus the first.
        """
        outputs = self.scorer.scores(self.rows(documents, n_jobs), n_jobs)
        if self.multilabel or len(self.classes) != 2:
            return self._by_class(outputs)
        return outputs[:, 0] if self.has_single_output else outputs[:, 1] - outputs[:, 0]

    @property
    def has_single_output(self) -> bool:
        """Return whether the scorer has one output for two classes: positive for the second, negative for the first."""
        return self.scorer.n_outputs == 1 and len(self.classes) == 2

    def _by_class(self, outputs: NDArray[Any]) -> NDArray[Any]:
        """Return a column for each class, given a column for each output of the scorer."""
        return np.hstack([-outputs, outputs]) if self.has_single_output else outputs

    # -- labels --------------------------------------------------------------------------------------------------

    def predict(self, documents: Iterable[str | bytes], n_jobs: int | None = 1) -> Predictions:
        """Return the label or labels of each document, and the scores."""
        return self.predict_rows(self.rows(documents, n_jobs), n_jobs)

    def predict_labels(self, documents: Iterable[str | bytes], n_jobs: int | None = 1) -> tuple[Any, NDArray[np.bool_]]:
        """Return the labels of each document, and which documents are unknown.

        Documents are scored in blocks, so that all scores need not be in memory together.
        """
        rows = self.rows(documents, n_jobs)
        parts = blocks(rows.n_rows, len(self.classes))
        labels = [self.predict_rows(rows.part(part), n_jobs).labels for part in parts]
        if self.multilabel and not self.has_label_matrix:  # lists of tuples; otherwise, arrays
            return [label_set for block in labels for label_set in block], rows.is_zero
        return np.concatenate(labels), rows.is_zero

    def predict_with_probabilities(
        self, documents: Iterable[str | bytes], n_jobs: int | None = 1
    ) -> tuple[Any, NDArray[np.bool_], Floats | None]:
        """Return the labels of each document, which documents are unknown, and the probability of each label.

        The probabilities are None for a multilabel model, and for a model without probabilities.
        """
        if self.multilabel or self.calibration is None:
            return *self.predict_labels(documents, n_jobs), None
        rows = self.rows(documents, n_jobs)
        labels, probabilities = [], []
        for part in blocks(rows.n_rows, len(self.classes)):
            predictions = self.predict_rows(rows.part(part), n_jobs)
            labels.append(predictions.labels)
            probabilities.append(self.label_probabilities(predictions))
        return np.concatenate(labels), rows.is_zero, np.concatenate(probabilities)

    def predict_rows(self, rows: CSR, n_jobs: int | None = 1) -> Predictions:
        """Return the predictions for documents given as rows of weights (see `rows`)."""
        scores = self._by_class(self.scorer.scores(rows, n_jobs))
        is_unknown = rows.is_zero
        labels: Any
        document_scores = DocumentScores(scores, is_unknown, self.fallback_class)
        if not self.multilabel:
            labels = self.label_array[document_scores.best()]
        else:
            is_label = document_scores.labels(self._threshold_rule)
            labels = is_label.astype(np.int64) if self.has_label_matrix else list(map(self._label_set, is_label))
        return Predictions(labels, scores, is_unknown)

    def _label_set(self, is_label: NDArray[np.bool_]) -> tuple[Label, ...]:
        """Return the labels of a document, given for each class whether the document has it."""
        return tuple(self.classes[number] for number in np.flatnonzero(is_label))

    @property
    def _threshold_rule(self) -> ThresholdRule:
        """Return the rule by which scores become labels, for a multilabel model."""
        if self.thresholds is None and self.ranks is None:
            raise InputError("A multilabel model needs a threshold for each class, or a number of ranks.")
        return ThresholdRule(self.thresholds, self.ranks)

    def probabilities(self, scores: Floats, is_unknown: NDArray[np.bool_]) -> Floats:
        """Return the probability of each class, given scores (documents x classes) and which documents are unknown.

        Unless the model is multilabel, the probabilities of a document sum to 1, and its label is the most probable
        class. Only models of earlier versions, with a curve for each class, may have another label.
        """
        if self.calibration is None:
            raise InputError("This model was trained without probabilities", hint=self.probabilities_hint)
        if isinstance(self.calibration, JointCalibration):
            return self.calibration.probabilities(scores, is_unknown, self.fallback_class, self.class_docs)
        return self.calibration.probabilities(scores, sum_to_one=not self.multilabel)

    def label_probabilities(self, predictions: Predictions) -> Floats:
        """Return the probability of each document's label, for a model with one label per document."""
        scores, is_unknown = predictions.scores, predictions.is_unknown
        best = DocumentScores(scores, is_unknown, self.fallback_class).best()
        probabilities: Floats = self.probabilities(scores, is_unknown)[np.arange(len(best)), best]
        return probabilities

    @property
    def probabilities_hint(self) -> Message:
        """Return what to do to get a model with probabilities."""
        if self.multilabel:
            return ("train it with ", Setting("probabilities", "sigmoid"), " or 'isotonic'")
        if self.settings.get("probabilities") is None:
            return ("train it with ", Setting("probabilities", "auto"))
        return "train it on more documents: no model could be trained without some of them"

    def best_first(self, scores: Floats, is_unknown: bool) -> list[int]:
        """Return the class numbers of a document, the best first, given its scores.

        With one label per document, the first is the label, unless the document is unknown and the model has no
        probabilities, or those of an earlier version.
        """
        if is_unknown and isinstance(self.calibration, JointCalibration):
            ranked = self.probabilities(scores[np.newaxis], np.ones(1, np.bool_))[0]
        else:
            ranked = scores
        numbers: list[int] = np.argsort(-ranked, kind="stable").tolist()
        return numbers

    @property
    def fallback_class(self) -> int:
        """Return the number of the class that unknown documents get."""
        return int(np.argmax(self.class_docs)) if self.fallback is None else self.fallback

    @property
    def fallback_description(self) -> str:
        """Return a description of the fallback class, to end a message about documents without selected terms."""
        if self.fallback is None:
            return "the most frequent class"
        return "the class of most training documents without such terms"

    @cached_property
    def label_array(self) -> NDArray[Any]:
        """Return the classes as an array, to which class numbers are indices."""
        return exact_array(self.classes)

    def label_sets(self, labels: Any) -> list[tuple[Label, ...]]:
        """Return predicted labels as a tuple for each document.

        `labels` are in the form that `predict` returns: an array, a list of tuples, or an indicator matrix.
        """
        if not self.multilabel:
            return [(label,) for label in labels.tolist()]
        return list(map(self._label_set, labels)) if self.has_label_matrix else list(labels)

    # -- reasons -------------------------------------------------------------------------------------------------

    def explain(self, text: str | bytes) -> Explanation:
        """Return which terms of a text speak for which class, and how much."""
        with _without_number():
            counts = self.counts([_require_text(text)])
        weights = self.weights(counts)
        predictions = self.predict_rows(weights)
        scores, is_unknown = predictions.scores[0], bool(predictions.is_unknown[0])
        (labels,) = self.label_sets(predictions.labels)
        terms = [self.terms[column] for column in weights.indices.tolist()]
        products = self._by_class(self.scorer.contributions(weights.indices, weights.data))
        analyzer = self.analysis.analyzer
        contributions = TermContributions(terms, counts.data.tolist(), weights.data.tolist(), products, analyzer)
        no_values = [None] * len(self.classes)
        intercepts = self._by_class(self.scorer.intercepts[np.newaxis])[0].tolist()
        thresholds = no_values if self.thresholds is None else self.thresholds.tolist()
        probabilities = (
            no_values
            if self.calibration is None
            else self.probabilities(predictions.scores, predictions.is_unknown)[0].tolist()
        )
        classes = [
            ClassExplanation(
                label=self.classes[number],
                score=float(scores[number]),
                intercept=intercepts[number],
                threshold=thresholds[number],
                term_contributions=contributions,
                column=number,
                probability=probabilities[number],
            )
            for number in self.best_first(scores, is_unknown)
        ]
        return Explanation(
            predicted=labels if self.multilabel else labels[0],
            classes=tuple(classes),
            unknown=self._unknown_text(has_terms=bool(terms)) if is_unknown else None,
            text=text,
            model=self,
        )

    def _unknown_text(self, *, has_terms: bool) -> str:
        """Return why a text is unknown, and its class; `has_terms` is true if it has terms, but all of weight 0."""
        verb_phrase = "has a weight in" if has_terms else "is known to"
        return f"No term of the text {verb_phrase} the model, so {self.fallback_description} is taken"

    @cached_property
    def _finder(self) -> TermFinder:
        """Return the finder of the selected terms' positions in a text."""
        return TermFinder(self._vocabulary, self._reading)

    def spans(self, text: str | bytes, max_spans: int | None = None) -> list[Span]:
        """Return the positions of the selected terms in a text, one span per counted occurrence.

        Spans are sorted by start, then end. Offsets are in characters (code points) of the given text, or of the
        decoded text for bytes. The span of an n-gram reaches from its first word to its last, including stop words
        between them, so spans may overlap. With `max_spans`, only this many are returned, those that start first.
        """
        with _without_number(), self._naming_pattern():
            return self._finder.spans(self._reading.text_of(_require_text(text)), max_spans)

    def strengths(self) -> Floats:
        """Return how strongly each term speaks for each class (terms x classes): the model's coefficients.

        If all coefficients have the same sign, as log-probabilities do, they mostly show how frequent a term is. Then
        the differences from the mean over the classes are returned, which show for which classes a term speaks.
        """
        coefficients = self._by_class(self.scorer.term_strengths()).astype(np.float64)
        return coefficients - coefficients.mean(axis=1, keepdims=True) if self.needs_comparing else coefficients

    @cached_property
    def needs_comparing(self) -> bool:
        """Return whether all coefficients have the same sign, so that only differences between classes matter.

        A single output for two classes is such a difference itself, and needs no comparing. Neither does an SVM from
        which coefficients were dropped (`SparseLinearScorer`), where most pairs of term and class have none.
        """
        if isinstance(self.scorer, SparseLinearScorer):
            return False
        coefficients = self.scorer.term_strengths()
        has_one_sign = coefficients.size > 0 and (coefficients.min() >= 0 or coefficients.max() <= 0)
        return bool(has_one_sign) and self.scorer.n_outputs > 1

    @property
    def explains_words(self) -> bool:
        """Return whether explanations for people list words instead of terms.

        They do if the terms include n-grams of characters, which are hard to read. But if contributions have to be
        compared with those to other classes (`needs_comparing`), explanations list terms all the same.
        """
        return self.analysis.char_ngram_range is not None and not self.needs_comparing

    def class_terms(self, n: int = 10) -> dict[Label, list[tuple[str, float]]]:
        """Return at most n terms that speak most for each class, with their strengths (see `strengths`).

        Terms whose strength is not positive speak against the class or not at all, and are left out.
        """
        if not is_whole(n) or n < 0:
            raise InputError(setting="n", value=n, hint="use a number of terms")
        best: dict[Label, list[tuple[str, float]]] = {}
        for label, values in zip(self.classes, self.strengths().T, strict=True):
            order = np.argsort(-values, kind="stable")[:n]
            best[label] = [
                (self.terms[column], float(values[column])) for column in order.tolist() if values[column] > 0
            ]
        return best

    def grouped_class_terms(self, n: int) -> dict[Label, list[str]]:
        """Return at most n terms that speak most for each class, for people: with n-grams of characters in their words.

        The strength of an n-gram counts for the word that contains it (`group_parts`). The number of terms that are
        grouped does not depend on n, so that a shorter list is the beginning of a longer one.
        """
        terms = self.class_terms(GROUPED_CLASS_TERMS)
        return {label: [term for term, _ in group_parts(terms[label])[:n]] for label in self.classes}
