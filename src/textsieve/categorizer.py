"""`Categorizer`: text in, labels out.

It counts the terms of labelled documents, selects the few that matter, trains a classifier on them (by default a linear
SVM), and can explain every prediction by the contributions of the document's terms. Once trained, it holds a `Model`,
which a model file stores. The code of training is in the package `training`, which is imported when it is needed, so
that loading a model and predicting starts fast.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from itertools import compress
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from . import modelfile
from .categorizer_settings import (
    AUTO,
    ObjectDescription,
    Settings,
    restore_settings,
    with_settings_documented,
)
from .classifiers.linear import LinearScorer
from .classifiers.sparse_linear import SparseLinearScorer
from .corpus import Corpus
from .corpus.label_column import LabelColumn
from .errors import InputError, NotAvailable, Setting, shown, warn
from .estimators import Parameters, available_if
from .modelfile.sources import OTHER, TrainingSource, with_another_source, with_moved_file
from .prediction import Abstention, Explanation, Model, Predictions, Span, classes_by_text, unknown_documents_warning
from .presentation import PRESENTATION
from .registry import list_linear_classifiers, list_updatable_classifiers
from .settings import is_whole
from .text.choices import WORD_PATTERN

if TYPE_CHECKING:
    from datetime import datetime

    from .evaluation import CurvePoint, Report
    from .modelfile.reading import ModelFile
    from .training.forgetting import Forgetting
    from .training.full_statistics import FullStatistics
    from .training.plan import TrainingPlan
    from .training.statistics import Statistics

Documents = Iterable[str | bytes] | Corpus


def _require_probabilities(categorizer: Categorizer) -> None:
    """Raise `NotAvailable` unless the model has probabilities or, before `fit`, will have them."""
    missing = "predict_proba and predict_log_proba are missing: this model was trained without probabilities"
    if hasattr(categorizer, "model_"):
        if categorizer.model_.calibration is None:
            raise NotAvailable(missing, hint=categorizer.model_.probabilities_hint)
    elif categorizer.probabilities is None:
        raise NotAvailable(missing, hint=("train it with ", Setting("probabilities", "auto")))


@with_settings_documented
class Categorizer(Parameters):
    """Classify texts by the few terms that matter.

    Parameters
    ----------
    {settings}

    Attributes
    ----------
    classes_ : array of the classes, sorted
    terms_ : list of the selected terms, the best first
    coef_, intercept_ : arrays of the coefficients, classes x terms, and intercepts, if the model is linear
    thresholds_ : array of the threshold of each class, if the model is multilabel and does not assign labels by rank
    curve_ : the cross-validated scores by number of terms, if `n_terms` was "auto"
    held_out_ : dict of the scores on held-out documents, if there are any
    model_ : the `Model`
    seconds_ : dict of the duration of each stage of `fit`; not stored in a model file

    Examples
    --------
    >>> import textsieve
    >>> texts = ["the striker scored", "a late goal", "the vote failed", "a new law"]
    >>> labels = ["sport", "sport", "politics", "politics"]
    >>> model = textsieve.Categorizer(analyzer="word", probabilities=None).fit(texts, labels)
    >>> model.predict(["a goal by the striker"])
    array(['sport'], dtype='<U8')
    >>> model.terms_[:3]
    ['failed', 'scored', 'striker']
    """

    model_: Model
    seconds_: dict[str, float]
    _statistics_: Statistics | FullStatistics | None = None
    _file_: ModelFile | None = None  # the file from which the model was loaded
    _not_metadata = Parameters._not_metadata | {"progress", "when"}

    def __init__(
        self,
        *,
        selector: Any = AUTO,
        selector_options: Mapping[str, Any] | None = None,
        n_terms: int | float | str | None = None,
        max_size: int | str | None = AUTO,
        tolerance: float | str | None = None,
        coefficient_dtype: str = AUTO,
        projection: Any = None,
        projection_options: Mapping[str, Any] | None = None,
        classifier: Any = "svm",
        classifier_options: Mapping[str, Any] | None = None,
        class_weight: Mapping[Any, float] | str | None = AUTO,
        analyzer: str | Callable[[Any], Any] = AUTO,
        token_pattern: str | None = WORD_PATTERN,
        tokenizer: Callable[[Any], Any] | None = None,
        preprocessor: Callable[[Any], Any] | None = None,
        lowercase: bool = True,
        strip_accents: str | Callable[[str], str] | None = None,
        stop_words: str | Collection[str] | None = None,
        tags: str = "keep",
        names: bool = False,
        normalise: str | None = None,
        language: str | None = None,
        ngram_range: tuple[int, int] = (1, 1),
        char_ngram_range: tuple[int, int] | str | None = AUTO,
        min_df: float = 1,
        max_df: float = 1.0,
        tf: str | None = None,
        idf: str | None = None,
        norm: str | None = None,
        multilabel: bool | None = None,
        cut: str = "pcut",
        cut_options: Mapping[str, Any] | None = None,
        probabilities: str | None = "auto",
        held_out: float | None = None,
        folds: int = 5,
        keep_stats: bool | str = False,
        title: str | None = None,
        description: str | None = None,
        examples: Sequence[str] | None = None,
        n_jobs: int | None = -1,
    ) -> None:
        self.selector = selector
        self.selector_options = selector_options
        self.n_terms = n_terms
        self.max_size = max_size
        self.tolerance = tolerance
        self.coefficient_dtype = coefficient_dtype
        self.projection = projection
        self.projection_options = projection_options
        self.classifier = classifier
        self.classifier_options = classifier_options
        self.class_weight = class_weight
        self.analyzer = analyzer
        self.token_pattern = token_pattern
        self.tokenizer = tokenizer
        self.preprocessor = preprocessor
        self.lowercase = lowercase
        self.strip_accents = strip_accents
        self.stop_words = stop_words
        self.tags = tags
        self.names = names
        self.normalise = normalise
        self.language = language
        self.ngram_range = ngram_range
        self.char_ngram_range = char_ngram_range
        self.min_df = min_df
        self.max_df = max_df
        self.tf = tf
        self.idf = idf
        self.norm = norm
        self.multilabel = multilabel
        self.cut = cut
        self.cut_options = cut_options
        self.probabilities = probabilities
        self.held_out = held_out
        self.folds = folds
        self.keep_stats = keep_stats
        self.title = title
        self.description = description
        self.examples = examples
        self.n_jobs = n_jobs

    # -- training ------------------------------------------------------------------------------------------------

    def fit(
        self,
        X: Documents,
        y: Any = None,
        *,
        sample_weight: Any = None,
        progress: Callable[[str, int, int | None], None] | None = None,
        when: Any = None,
    ) -> Self:
        """Learn from texts X and their labels y, or from a `Corpus`, which has its own labels and may exceed memory.

        A label is text or a number, or a list of them; or y is a matrix of 0 and 1. The label of an unlabelled document
        is None. `progress` is called with the stage, the amount done, and the total amount, if known; inside
        `textsieve.show_progress()`, a bar shows them.

        `sample_weight` has a number of 0 or more for each text in memory. A text of weight 3 counts as three copies,
        and one of weight 0 is ignored: in `min_df` and `max_df`, in the idf, in the selection of terms, in the
        classifier, and in the fallback class of documents without a known term. Settings tuned on held-out documents
        (`n_terms="auto"`, thresholds, probabilities, `held_out`) use the weights too, but a document is in one fold,
        while copies of it would be in several. Sample weights work with svm, logistic, nb, cnb, rocchio, subspace, and
        classifiers whose `fit` takes `sample_weight`, but not with a projection. See `docs/how-to/sample-weights.md`.

        With `keep_stats="all"`, `when` is the time of the documents, by default now; see `update`.
        """
        from .progress import progress_or_shown
        from .training import train

        trained = train(
            *(self.settings(), X, y, progress_or_shown(progress), sample_weight),
            size_of=lambda model: len(modelfile.encode(model)),
            when=when,
        )
        self.model_, self.seconds_, self._statistics_ = trained
        self._file_ = None  # the new model was not loaded from a file
        return self

    def update(
        self,
        X: Documents,
        y: Any = None,
        *,
        fit_thresholds: bool = False,
        sample_weight: Any = None,
        half_life: Any = None,
        window: int | None = None,
        when: Any = None,
    ) -> Self:
        """Add more documents, in the form that `fit` takes, to a model with `keep_stats`; see `docs/how-to/update.md`.

        With `keep_stats=True`, terms, idf, thresholds and the calibration of probabilities stay unchanged. The result
        is the same as training on all documents at once with these terms and this idf, whatever the batches and their
        order. Labels must be classes of the model. With `keep_stats="all"`, terms are selected anew, labels may be new
        classes, and the result is the same as training on all documents. What was tuned on held-out documents stays.

        Every document counts, even if it was added before. Settings are those that the model was trained with, even if
        they were changed since. `save` writes the updated model.

        With `fit_thresholds`, the thresholds (or ranks) of a multilabel model are fitted anew on these documents. Then
        the documents must be a representative sample of future documents, which corrections are not. `sample_weight`
        has an integer for each text in memory.

        With `keep_stats="all"`, a model can forget. With a `half_life`, the weight of earlier documents is halved each
        time that this time ("90d"; units s, m, h, d and w) or so many new documents ("5000docs") have passed. With a
        `window`, only the documents of the last updates count, so many of them, including this one and `fit`. `when` is
        the time of this update, a datetime or a text such as "2026-01-31"; by default, it is now.
        """
        from .training.full_statistics import FullStatistics

        statistics = self._kept_statistics()
        if isinstance(statistics, FullStatistics):
            from .training.forgetting import Forgetting

            forgetting = Forgetting.of(half_life, window)
            moment = statistics.moment_of_update(when, forgetting)
            self._update_all_terms(X, y, statistics, forgetting, moment, sample_weight, fit_thresholds=fit_thresholds)
            return self
        for name, value in (("half_life", half_life), ("window", window), ("when", when)):
            if value is not None:
                raise InputError(
                    "only a model with the statistics of all terms can forget",
                    setting=name,
                    value=value,
                    hint=("leave it out, or train the model with ", Setting("keep_stats", "all")),
                )
        self._update_selected_terms(X, y, statistics, sample_weight, fit_thresholds=fit_thresholds)
        return self

    def _update_selected_terms(
        self, documents: Documents, labels: Any, statistics: Statistics, sample_weight: Any, *, fit_thresholds: bool
    ) -> None:
        """Add documents to the statistics of the selected terms, train, and set the new model (`keep_stats=True`)."""
        from .settings import n_threads
        from .training.updating import (
            encode_label_sets,
            encode_labels,
            held_out_scores,
            plan_for_update,
            refit_thresholds,
            stack_rows,
            update_model,
        )

        model = self._fitted()
        settings = Settings.of_stored(model.settings)
        plan = plan_for_update(settings, n_threads(self.n_jobs))
        documents, labels, weights = self._drop_weightless(documents, labels, sample_weight, plan)
        row_batches: list[Any] = []
        label_sets = self._read_new(documents, labels, lambda texts: row_batches.append(model.rows(texts, self.n_jobs)))
        rows = stack_rows(row_batches)
        if label_sets is None:
            targets = encode_labels(model, labels, rows.n_rows).with_weights(weights)
        else:
            targets = encode_label_sets(model, label_sets)
        new_model, new_statistics = update_model(model, statistics, plan, rows, targets)
        if fit_thresholds:
            # `statistics` are those before the update, to which `held_out_scores` adds all but a part of the documents.
            new_model = refit_thresholds(
                *(new_model, settings, targets),
                lambda: held_out_scores(new_model, statistics, plan, rows, targets, settings.folds),
            )
        self._set_updated(new_model, new_statistics, rows.n_rows)

    def _update_all_terms(
        self,
        documents: Documents,
        labels: Any,
        statistics: FullStatistics,
        forgetting: Forgetting,
        when: datetime,
        sample_weight: Any,
        *,
        fit_thresholds: bool,
    ) -> None:
        """Add documents to the statistics of all terms, select terms anew, train, and set the new model."""
        from .training.adapting import Adaptation, new_target_sets, new_targets
        from .training.statistics import require_integer_counts

        model = self._fitted()
        adaptation = Adaptation(model, statistics, forgetting, when, self.n_jobs)
        documents, labels, weights = self._drop_weightless(documents, labels, sample_weight, adaptation.training.plan)
        counts = adaptation.start_counting()
        label_sets = self._read_new(documents, labels, counts.add)
        counted = counts.take()
        n_documents = counted.counts.shape[0]
        if label_sets is None:
            targets = new_targets(model, labels, n_documents).with_weights(weights)
        else:
            targets = new_target_sets(model, label_sets)
        require_integer_counts(targets)
        new_model, new_statistics = adaptation.run(counted, targets, fit_thresholds=fit_thresholds)
        self._set_updated(new_model, new_statistics, n_documents)

    @staticmethod
    def _drop_weightless(
        documents: Documents, labels: Any, sample_weight: Any, plan: TrainingPlan
    ) -> tuple[Documents, Any, list[float] | None]:
        """Return documents, labels and sample weights without the documents of weight 0.

        If there are no weights, nothing changes. If the classifier of the plan can't use weights, raise `InputError`.
        """
        if sample_weight is None:
            return documents, labels, None
        from .training.targets import weighted_texts

        plan.require_weights()
        return weighted_texts(documents, labels, sample_weight)

    def _read_new(
        self, documents: Documents, labels: Any, read: Callable[[Sequence[str | bytes]], None]
    ) -> list[tuple[Any, ...]] | None:
        """Pass the texts of new documents to `read`, batch by batch, and return the labels of each if it is a corpus.

        Return None for texts in memory, whose labels the caller has.
        """
        if not isinstance(documents, Corpus):
            if labels is None:
                raise InputError("No labels were given", hint="give update(texts, labels) one for each text")
            read(self._texts_in_memory(documents))
            return None
        label_sets: list[tuple[Any, ...]] = []
        for batch_texts, batch_label_sets, _ in self._labelled_batches(documents, labels):
            with documents.naming_documents(n_before=len(label_sets)):
                read(batch_texts)
            label_sets += list(batch_label_sets)
        return label_sets

    def _set_updated(self, model: Model, statistics: Statistics | FullStatistics, n_documents: int) -> None:
        """Set the model and its statistics after an update with so many documents."""
        # These documents can't be read again, so the model can no longer be trained again from its sources alone. A
        # source of the kind `OTHER` says so.
        source = TrainingSource(OTHER, "Python", n_documents)
        self.model_, self._statistics_ = with_another_source(model, source), statistics

    def _kept_statistics(self) -> Statistics | FullStatistics:
        """Return the statistics to which `update` adds documents: those of `fit`, or those in the model's file."""
        model = self._fitted()
        if self._statistics_ is not None:
            return self._statistics_
        if self._file_ is None or not self._file_.has_statistics:
            raise InputError(
                "This model has no statistics that documents could be added to",
                hint=(
                    "train it with ",
                    Setting("keep_stats", True),
                    f" (for {list_updatable_classifiers()}), and load it from its file. Or fit again, with all "
                    "documents",
                ),
            )
        from .modelfile.statistics import read_statistics

        return read_statistics(model, self._file_)

    def hashes_of_updates(self) -> list[bytes]:
        """Return the hash of each text that `textsieve update` added; empty for a model that keeps no statistics."""
        if self._statistics_ is None:
            if self._file_ is None or not self._file_.has_statistics:
                return []
            if self._file_.has_statistics_file:
                from .modelfile.writing import statistics_path

                if not os.path.exists(statistics_path(self._file_.path)):  # somebody passed the model on without it
                    return []
        from .training.corrections import text_hash_of

        return [text_hash_of(digest) for digest in self._kept_statistics().added_digests]

    def settings(self) -> Settings:
        """Return the settings, checked; raise `InputError` for one that the file of a loaded model could not store."""
        settings = Settings(**self.get_params(deep=False))
        for name, value in settings.as_dict().items():
            if isinstance(value, ObjectDescription):
                with_article = {"stop_words": "stop words", "analyzer": "an analyzer"}.get(name, f"a {name}")
                raise InputError(
                    f"this model was trained with {with_article} of your own, which a model file does not keep",
                    setting=name,
                    value=value,
                    hint=("set ", Setting(name), " before you fit again"),
                )
        return settings

    # -- predicting ----------------------------------------------------------------------------------------------

    def predict(self, X: Documents, *, min_probability: float | None = None, abstain_label: Any = None) -> Any:
        """Return the label of each document: an array; or if multilabel, a list of tuples or a matrix, as in `fit`.

        X is texts or a `Corpus`, here and below. A document without any selected term gets the fallback class, and a
        warning is emitted. The fallback class is the class of most training documents without selected terms; if there
        were no such documents, it is the most frequent class.

        With `min_probability` or `abstain_label`, a document without any selected term gets `abstain_label` instead, by
        default None, and so does a document whose label would be less probable than `min_probability`.
        """
        model = self._fitted()
        abstention = Abstention.of(model, min_probability, abstain_label)
        if abstention is not None:
            return abstention.labels(model, model.predict(self._texts(X), self.n_jobs))
        labels, is_unknown = model.predict_labels(self._texts(X), self.n_jobs)
        self._warn_of_unknown(is_unknown)
        return labels

    def predict_scores(self, X: Documents) -> Predictions:
        """Return the labels and scores (documents x classes), and which documents have none of the selected terms."""
        predictions = self._fitted().predict(self._texts(X), self.n_jobs)
        self._warn_of_unknown(predictions.is_unknown)
        return predictions

    def _warn_of_unknown(self, is_unknown: NDArray[np.bool_]) -> None:
        """Warn about documents without a known term, at the line that called the prediction method."""
        if is_unknown.any():
            warn(unknown_documents_warning(self._fitted(), int(is_unknown.sum()), len(is_unknown)))

    def decision_function(self, X: Documents) -> NDArray[np.float64]:
        """Return the score of each class (documents x classes).

        For two classes, unless the model is multilabel, return one number per document: the second score minus the
        first.
        """
        return self._fitted().decision(self._texts(X), self.n_jobs)

    @available_if(_require_probabilities)
    def predict_proba(self, X: Documents) -> NDArray[np.float64]:
        """Return the probability of each class (documents x classes).

        The probabilities of a document sum to 1, and its label is the most probable class, unless the model is
        multilabel. This method is missing if the model was trained without `probabilities`, or on too few documents to
        hold some out.
        """
        return self._probabilities(X)

    @available_if(_require_probabilities)
    def predict_log_proba(self, X: Documents) -> NDArray[np.float64]:
        """Return the logarithms of `predict_proba`; like that method, only with `probabilities`."""
        with np.errstate(divide="ignore"):  # the logarithm of 0 is -inf
            return np.log(self._probabilities(X))

    def _probabilities(self, documents: Documents) -> NDArray[np.float64]:
        """Return the probability of each class (documents x classes)."""
        model = self._fitted()
        rows = model.rows(self._texts(documents), self.n_jobs)
        predictions = model.predict_rows(rows, self.n_jobs)
        return model.probabilities(predictions.scores, predictions.is_unknown)

    def explain(self, text: str | bytes) -> Explanation:
        """Return which terms of a text speak for which class, and how much.

        The contributions and the intercept sum up to the score. In the order of `terms_` (`ClassExplanation.in_order`),
        with the intercept last, the sum is exact to the last bit; in any other order, up to rounding.
        """
        return self._fitted().explain(text)

    def spans(self, text: str | bytes) -> list[Span]:
        """Return the positions of the selected terms in a text: `(start, end, term)`, sorted by start, then end.

        `text[start:end]` is the term as a reader sees it, with its uppercase letters, accents and tags in between. Each
        term has as many spans as `explain` counts it; spans of n-grams overlap with those of their words.
        """
        return self._fitted().spans(text)

    def class_terms(self, n: int = 10) -> dict[Any, list[tuple[str, float]]]:
        """Return the terms that speak most for each class, and how much."""
        return self._fitted().class_terms(n)

    def evaluate(self, X: Documents, y: Any = None, sample_weight: Any = None, *, n_examples: int = 3) -> Report:
        """Return a report on the predictions, class by class, for texts X and their labels y, or for a `Corpus`.

        A text of `sample_weight` 3 counts as three copies, and one of weight 0 is ignored; a corpus has no weights.
        `Report.confusions` has at most `n_examples` documents for each pair of confused classes: their places in the
        corpus (or their positions in X, from 0), and the beginnings of their texts.
        """
        from .evaluation import Confidence, ConfusionExamples, Report, compare_labels
        from .evaluation.confusions import NO_EXAMPLES

        model = self._fitted()
        if not (is_whole(n_examples) and n_examples >= 0):
            raise InputError(setting="n_examples", value=n_examples, hint="use a number of documents, or 0 for none")
        multilabel = model.multilabel
        report = Report(model.classes, multilabel)
        weights: list[float] | None = None
        if sample_weight is not None:
            from .training.targets import weighted_texts

            X, y, weights = weighted_texts(X, y, sample_weight)
        for texts, true_label_sets, places in self._labelled_batches(X, y):
            if weights is not None:  # number the texts as in X, where those of weight 0 are not dropped
                places = [f"texts[{number}]" for number, weight in enumerate(sample_weight) if weight]
            true = list(true_label_sets)
            n_before = report.documents + report.unlabelled
            with X.naming_documents(n_before) if isinstance(X, Corpus) else nullcontext():
                labels, is_unknown, probabilities = model.predict_with_probabilities(texts, self.n_jobs)
            # Only texts in memory have weights, and these are a single batch, so `weights` belong to this batch.
            n_unknown = int(is_unknown.sum()) if weights is None else sum(compress(weights, is_unknown))
            predicted = model.label_sets(labels)
            confidence: Confidence | None = None
            examples = NO_EXAMPLES
            if probabilities is not None:
                confidence = Confidence.of_labels(probabilities, is_unknown, true, predicted, weights)
            if n_examples and not multilabel:
                examples = ConfusionExamples.of_batch(n_examples, texts, places, true, predicted, probabilities)
            report += compare_labels(
                *(model.classes, true, predicted),
                multilabel=multilabel,
                no_label_is_valid=model.has_label_matrix,
                n_unknown=n_unknown,
                weights=weights,
                confidence=confidence,
                examples=examples,
            )
        return report

    def score(self, X: Documents, y: Any = None, sample_weight: Any = None) -> float:
        """Return micro-F1, which with one label per document is the accuracy; see `evaluate`."""
        return self.evaluate(X, y, sample_weight, n_examples=0).micro_f1

    def _labelled_batches(
        self, documents: Documents, labels: Any
    ) -> Iterator[tuple[Sequence[str | bytes], Iterable[tuple[Any, ...]], Sequence[str]]]:
        """Yield batches of texts, and the labels and the place of each text; texts in memory are one batch.

        The labels of a corpus are text. If a class of the model is a number, such as 1, the label "1" becomes 1.
        """
        if isinstance(documents, Corpus):
            if labels is not None:
                raise InputError("A corpus has its own labels", hint="leave labels out")
            class_by_text = classes_by_text(self._fitted().classes)
            label_column = LabelColumn(documents, multilabel=self._fitted().multilabel, classes=class_by_text)
            batches = label_column.check_beginning(documents.placed_batches(), lambda placed: placed[0])
            for batch, document_places in batches:
                yield (
                    batch.texts,
                    [
                        tuple(class_by_text.get(label, label) for label in document_labels)
                        for document_labels in batch.labels
                    ],
                    [place.name for place in document_places],
                )
        else:
            from .training.targets import Targets

            if labels is None:
                raise InputError("No labels were given, so there is nothing to compare the predictions with.")
            texts = self._texts_in_memory(documents)
            places = [f"texts[{number}]" for number in range(len(texts))]
            yield texts, Targets.of(labels, len(texts)).label_sets(), places

    @staticmethod
    def _texts_in_memory(documents: Iterable[str | bytes]) -> list[str | bytes]:
        """Return documents as a list; raise `InputError` for a single text or no iterable."""
        if isinstance(documents, str | bytes) or not isinstance(documents, Iterable):
            raise InputError(f"documents is {shown(documents)}", hint="give an iterable of texts, for example [text]")
        return list(documents)

    def _texts(self, documents: Documents) -> Iterable[str | bytes]:
        """Return the texts of a corpus, and other documents unchanged: they are texts already."""
        return documents.texts() if isinstance(documents, Corpus) else documents

    # -- fitted attributes ---------------------------------------------------------------------------------------

    @property
    def classes_(self) -> NDArray[Any]:
        """Return the classes, sorted."""
        return self._attribute("classes_").label_array.copy()

    @property
    def terms_(self) -> list[str]:
        """Return the selected terms, the best first."""
        return list(self._attribute("terms_").terms)

    @property
    def coef_(self) -> NDArray[np.float64]:
        """Return the coefficients of a linear model: classes x `terms_`, or one row for two classes unless multilabel.

        A row of weights times `coef_.T`, plus `intercept_`, is its `decision_function`. Models whose classifier is not
        linear, such as neighbours or votes, don't have these attributes.
        """
        return self._linear_form("coef_")[0]

    @property
    def intercept_(self) -> NDArray[np.float64]:
        """Return the intercepts of a linear model: one number for each row of `coef_`."""
        return self._linear_form("intercept_")[1]

    def _linear_form(self, name: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return coefficients and intercepts, for `coef_` and `intercept_`.

        If the model is not linear, raise `NotAvailable`, which says that the attribute `name` is missing.
        """
        model = self._attribute(name)
        if not isinstance(model.scorer, LinearScorer | SparseLinearScorer):
            raise NotAvailable(
                f"{name} is missing: a model of the classifier {shown(self.classifier)} is not linear",
                hint=f"use {list_linear_classifiers()}, or get the contributions of terms by explain",
            )
        coefficients, intercepts = model.scorer.coefficients.T.astype(np.float64), model.scorer.intercepts.copy()
        if not model.multilabel and len(intercepts) == 2:  # one row, as in scikit-learn: second class minus first
            return np.diff(coefficients, axis=0), np.diff(intercepts)
        return coefficients, intercepts

    @property
    def thresholds_(self) -> NDArray[np.float64] | None:
        """Return the threshold of each class; None with one label per document, or if labels are assigned by rank."""
        return self._attribute("thresholds_").thresholds

    @property
    def curve_(self) -> list[CurvePoint] | None:
        """Return the score and standard error by number of terms; None unless `n_terms` was "auto"."""
        from .evaluation import CurvePoint

        curve = self._attribute("curve_").about.get("curve")
        return None if curve is None else [CurvePoint(*point) for point in curve]

    @property
    def held_out_(self) -> dict[str, Any] | None:
        """Return the quality on held-out documents of a model that was trained on the others.

        None unless the setting `held_out` was given.
        """
        held_out: dict[str, Any] | None = self._attribute("held_out_").about.get("held_out")
        return held_out

    def __sklearn_is_fitted__(self) -> bool:
        """Return whether there is a model."""
        return hasattr(self, "model_")

    def _attribute(self, name: str) -> Model:
        """Return the model, from which the fitted attribute `name` is read.

        Before `fit`, raises `AttributeError`, so that `hasattr(categorizer, name)` returns False.
        """
        if not hasattr(self, "model_"):
            raise AttributeError(f"{name} is there after fit")
        return self.model_

    def _fitted(self) -> Model:
        """Return the model, for methods; before `fit`, raise scikit-learn's `NotFittedError`."""
        if not hasattr(self, "model_"):
            from sklearn.exceptions import NotFittedError

            raise NotFittedError("This Categorizer is not fitted yet; call fit, or load a model.")
        return self.model_

    def _repr_html_(self) -> str:
        """Return HTML for notebooks: the model's classes, terms, quality and size.

        Before `fit`, it is the diagram of settings that scikit-learn shows for its estimators.
        """
        if not hasattr(self, "model_"):
            from sklearn.utils import estimator_html_repr

            return estimator_html_repr(self)
        from .prediction.notebook_cards import model_html

        try:
            n_bytes = len(modelfile.encode(self.model_))
        except InputError:  # a model with a user's function has no file, and so no size
            n_bytes = None
        return model_html(self.model_, n_bytes)

    # -- files ---------------------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str], *, keep_stats: bool = True) -> None:
        """Write the model to a file; an old file is replaced only when the new one is complete.

        A model that was trained with `keep_stats` is written with the statistics for `update`, unless `keep_stats` is
        False here: then the file is as small as possible, and the model in it can't be updated. The statistics of a
        loaded model stay in its file until `update` or `save` reads them. If that file has changed meanwhile, the model
        is written without statistics, with a warning. The statistics of all terms (`keep_stats="all"`) are written to a
        file of their own, with .stats after the name of the model.

        The attributes `title`, `description` and `examples` are written as they are now, so they can be changed without
        training again. If `textsieve train` has stored the sources of the model, the file has them, too. `save` does
        not open them.
        """
        model = self._fitted().presented({name: getattr(self, name) for name in PRESENTATION})
        statistics = self._statistics_to_save() if keep_stats else None
        from .modelfile.writing import locked, may_be_updated

        name = os.fspath(path)
        if self._file_ is not None:
            model = with_moved_file(model, self._file_.path, name)
        # Another process may be updating the model in this file, if that has statistics or sources: then `locked` waits
        # a little, and raises `InputError`.
        with locked(name) if statistics is not None or may_be_updated(name) else nullcontext():
            modelfile.write(model, name, statistics)

    def _statistics_to_save(self) -> Statistics | FullStatistics | None:
        """Return the statistics of the model: those in memory, or those in the file from which it was loaded.

        Return None if there are none. If they can't be read from the file any more, warn and return None.
        """
        if self._statistics_ is not None or self._file_ is None or not self._file_.has_statistics:
            return self._statistics_
        from .modelfile.statistics import read_statistics

        try:
            return read_statistics(self._fitted(), self._file_)
        except InputError as problem:
            warn(f"The statistics can't be read, so the model is saved without them, and can't be updated. {problem}")
            return None

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a model from a file. This never runs code from the file."""
        from .modelfile.reading import read_stored

        model, file = read_stored(path)
        categorizer = cls.of_model(model)
        categorizer._file_ = file._replace(path=os.path.abspath(path))  # the working directory may change
        return categorizer

    @classmethod
    def of_model(cls, model: Model) -> Self:
        """Return a categorizer with this model and the settings it was trained with, except the number of threads."""
        categorizer = cls(**restore_settings(model.settings))
        categorizer.model_ = model
        return categorizer


def load(path: str | os.PathLike[str]) -> Categorizer:
    """Read a trained `Categorizer` from a file that its `save` wrote.

    Examples
    --------
    >>> import tempfile
    >>> import textsieve
    >>> from pathlib import Path
    >>> texts = ["the striker scored", "a late goal", "the vote failed", "a new law"]
    >>> labels = ["sport", "sport", "politics", "politics"]
    >>> path = Path(tempfile.mkdtemp()) / "news.sieve"
    >>> textsieve.Categorizer(analyzer="word", probabilities=None).fit(texts, labels).save(path)
    >>> textsieve.load(path).predict(["a goal by the striker"])
    array(['sport'], dtype='<U8')
    """
    return Categorizer.load(path)
