"""`fit`: train on documents that are distributed over many machines.

1. Find the classes, and count the documents of each.
2. Compute the statistics of all terms, and leave out terms in too few or too many documents. If the selector reads
   counts, one pass over the documents is enough. If it reads weights, a pass before it counts the document frequencies
   of all terms, from which the idf follows.
3. Tune what needs held-out documents on a sample, as on one machine (`sampling.py`).
4. Select terms (`selection.py`).
5. Train the classifier on the selected terms (`learning.py`).

Most steps bring only few rows to the driver: classes and selected terms. More comes to the driver for the sample of
step 3, for selectors whose choice depends on other terms or on documents (step 4), and for classifiers that learn from
documents (step 5). The result is the model that `Categorizer.fit` trains on the same documents in the same order, to
the last bit.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F

from ..categorizer import Categorizer
from ..categorizer_settings import Settings
from ..corpus.label_column import HINT_AFTER_KIND, distinct_labels_problem, kind_problem
from ..errors import InputError, Setting, shown, warn
from ..modelfile import encode
from ..prediction import Model
from ..selectors import Cascade
from ..settings import is_whole
from ..text.vocabulary import check_limits, df_bounds, no_terms, none_within
from ..training import counted_documents
from ..training.counted_documents import Progress
from ..training.plan import TrainingPlan
from ..training.ranking import with_every_label
from ..training.targets import ClassSizes
from ..training.train import Training, TuningResult, are_short, require_classes
from .columns import TextColumns, count_characters, count_classes, select_documents
from .counting import CELL_SCHEMA, FREQUENCY_SCHEMA, ChunkReader, CountClasses, CountTerms
from .frequencies import VocabularySize, measure_vocabulary, with_frequencies
from .learning import MAX_VALUES, fit_classifier, require_sums
from .ranking import Ranking, read_weights
from .sampling import sample_documents
from .selection import require_selectable, select_terms
from .statistics import CorpusTotals, add_up_rows
from .tasks import map_batches, persisted, reraise_own_errors, settings_for_training

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def fit(
    df: DataFrame,
    text: TextColumns = "text",
    label: str = "label",
    categorizer: Categorizer | None = None,
    *,
    most_values: int = MAX_VALUES,
    progress: Progress | None = None,
) -> Categorizer:
    """Train a `Categorizer` on the documents of a DataFrame, with the same result as its `fit` on one machine.

    Settings that are tuned on held-out documents (thresholds, `n_terms="auto"`, probabilities, `held_out`) are tuned on
    a sample with about eight million counts, as for a `Corpus` that does not fit into memory. The sample comes to the
    driver.

    Parameters
    ----------
    df : DataFrame
        The documents. It is read several times; if computing it takes long, or does not give the same rows in the same
        order each time, write it to a table first.
    text, label : str
        Names of the columns. `text` may be a list of columns, such as ["title", "description"], which are joined as
        `textsieve.read` does. A text that is null counts as empty; one that is not UTF-8 raises `InputError`. A
        document is unlabelled if its label is null, an empty text or an empty array. For multilabel documents, use
        arrays.
    categorizer : Categorizer or None
        The settings; it is not changed. None: the defaults.
    most_values : int
        The most counts of selected terms that may come to the driver, for classifiers that learn from documents. Each
        takes eight bytes, and as much again during training.
    progress : function or None
        Called with the name of each stage, 0 and None; Spark itself shows how much of a stage is done.

    Examples
    --------
    >>> from pyspark.sql import SparkSession
    >>> from textsieve import Categorizer
    >>> from textsieve.spark import fit
    >>> spark = SparkSession.builder.getOrCreate()
    >>> rows = [("the striker", "sport"), ("a late goal", "sport"), ("the vote failed", "law"), ("a new law", "law")]
    >>> df = spark.createDataFrame(rows, ["text", "label"])
    >>> model = fit(df, categorizer=Categorizer(analyzer="word", probabilities=None, n_terms=5))
    >>> model.predict(["a goal by the striker"])
    array(['sport'], dtype='<U5')
    """
    settings = Categorizer() if categorizer is None else categorizer
    if not isinstance(settings, Categorizer):
        problem = f"categorizer is {shown(settings)}"
        raise InputError(problem, hint="give a Categorizer, with the settings that you want")
    if not (is_whole(most_values) and most_values > 0):
        raise InputError(setting="most_values", value=most_values, hint="use a number of counts from 1")
    trained = Categorizer(**settings.get_params(deep=False))
    run = _Fit(trained.settings(), select_documents(df, text, label), most_values, progress or (lambda *_: None))
    with reraise_own_errors(), settings_for_training(df.sparkSession):
        trained.model_ = run.train()
    trained.seconds_, trained._statistics_ = run.training.seconds, run.training.statistics
    return trained


def check_label_column(sizes: ClassSizes) -> None:
    """Raise `InputError` if nearly all labels are different, and warn if they look like dates or decimal numbers.

    On one machine, the column of labels of a table is checked in the same way.
    """
    n_labelled = sizes.n_documents - sizes.n_unlabelled
    if not sizes.multilabel and (problem := distinct_labels_problem(len(sizes.classes), n_labelled)):
        raise InputError(problem, hint=("Name the column of the classes with ", Setting("label")))
    counts = dict(zip(map(str, sizes.classes), sizes.class_docs.tolist(), strict=True))
    if problem := kind_problem(counts):
        warn((f"{problem[0].upper()}{problem[1:]} ", *HINT_AFTER_KIND))


class _Fit:
    """One training run."""

    def __init__(self, settings: Settings, documents: DataFrame, most_values: int, progress: Progress) -> None:
        self.training = Training(settings, progress, size_of=lambda model: len(encode(model)))
        self._settings, self._documents, self._most_values = settings, documents, most_values
        require_selectable(self.training.plan.selector)
        if settings.keeps_all_terms:
            raise InputError(
                "with Spark, the statistics of terms that are not selected stay on the workers",
                setting="keep_stats",
                value="all",
                hint=("use ", Setting("keep_stats", True), ", or train on one machine"),
            )
        if settings.keep_stats:
            require_sums(self.training.plan)  # TCFP's statistics, the votes, can't be kept: they stay on the workers
        # These three are set at the start of `train`.
        self._sizes: ClassSizes
        self._plan: TrainingPlan
        self._reader: ChunkReader

    def train(self) -> Model:
        """Return the trained model."""
        check_limits(**self.training.limits)
        with self.training.clock("counting"):
            self._sizes = count_classes(self._documents, self._settings.multilabel)
            if not self._sizes.n_documents:
                raise InputError("There are no documents: the DataFrame has no rows.")
            require_classes(self._sizes)
            check_label_column(self._sizes)
            if self._settings.short_texts_get_ngrams and are_short(*count_characters(self._documents)):
                self.training.resolve_settings(texts_are_short=True)
        self._plan = self.training.plan
        params = self.training.counter().get_params()
        self._reader = ChunkReader({name: value for name, value in params.items() if name not in ("n_jobs", "dtype")})
        return self._from_counts() if self._plan.reads_counts else self._from_weights()

    # -- statistics ----------------------------------------------------------------------------------------------

    def _from_counts(self) -> Model:
        """Return the model of a selector that reads counts: one pass computes the statistics of all terms."""
        statistics = add_up_rows(map_batches(self._documents, self._weighing, CELL_SCHEMA))
        with persisted(self._within_limits(statistics)) as table:
            with self.training.clock("counting"):
                size = measure_vocabulary(table)
            return self._from_table(size, table, self._documents)

    def _from_weights(self) -> Model:
        """Return the model of a selector that reads weights, which need the document frequencies of all terms first."""
        frequency_rows = map_batches(self._documents, CountTerms(self._reader), FREQUENCY_SCHEMA)
        added_frequencies = frequency_rows.groupBy("term").agg(F.sum("documents").alias("documents"))
        with persisted(self._within_limits(added_frequencies)) as frequencies:
            with self.training.clock("counting"):  # compute them before the broadcast, which has a short timeout
                size = measure_vocabulary(frequencies)
            documents = with_frequencies(self._documents, frequencies, size)
            with persisted(add_up_rows(map_batches(documents, self._weighing, CELL_SCHEMA))) as table:
                return self._from_table(size, table, documents)

    def _within_limits(self, terms: DataFrame) -> DataFrame:
        """Return the rows of the terms whose document frequency is from `min_df` to `max_df`."""
        min_documents, max_documents = df_bounds(self._sizes.n_documents, **self.training.limits)
        return terms.filter(F.col("documents").between(min_documents, max_documents))

    @property
    def _is_limited(self) -> bool:
        """Return whether `min_df` or `max_df` may exclude a term."""
        return df_bounds(self._sizes.n_documents, **self.training.limits) != (1, self._sizes.n_documents)

    @property
    def _weighing(self) -> CountClasses:
        """Return the task that computes the statistics of the counts or weights that the selector reads."""
        classes = list(self._sizes.classes)
        return CountClasses(self._reader, classes, self._plan.selection_scheme, self._sizes.n_documents)

    # -- steps ---------------------------------------------------------------------------------------------------

    def _from_table(self, size: VocabularySize, table: DataFrame, documents: DataFrame) -> Model:
        """Select terms, train, and return the model, given the size of the vocabulary and the table of its statistics.

        If the selector reads weights, `documents` must come with the frequencies of terms (`with_frequencies`).
        """
        clock, n_terms = self.training.clock, size.n_terms
        self._require_terms(n_terms)
        self.training.warn_of_fewer_terms(n_terms)
        tuned, about = self._tune(size)
        with clock("selecting"):
            weights_reader = partial(read_weights, documents, self._weighing)
            ranking = Ranking(table, CorpusTotals.of(self._sizes), n_terms, weights_reader)
            selector, candidates = select_terms(ranking, with_every_label(self._plan.selector), tuned.max_terms)
            best = self._plan.terms_of(selector, tuned.max_terms)
            terms = [candidates.terms[column] for column in best.columns.tolist()]
        with clock("training"):
            doc_freq = candidates.doc_freq[best.columns]
            fitted = fit_classifier(
                self._documents,
                self._reader,
                self._plan,
                self._sizes,
                terms,
                doc_freq,
                self._most_values,
                keep_stats=bool(self._settings.keep_stats),
                sieve=tuned.sieve,
            )
        self.training.statistics = fitted.statistics
        self.training.warn_of_no_probabilities()
        # A model stores nothing that a cascade has learned.
        learned_settings = {} if isinstance(self._plan.selector, Cascade) else best.details
        return self.training.assemble(self._sizes, terms, fitted, tuned, about | learned_settings)

    def _require_terms(self, n_terms: int) -> None:
        """Raise an error if there are no terms, which says whether `min_df` and `max_df` may be the reason."""
        if n_terms:
            return
        limits, n_documents = self.training.limits, self._sizes.n_documents
        if self._is_limited:
            raise none_within(n_documents, **limits)
        raise no_terms(n_documents, self.training.no_terms_reason)

    def _tune(self, size: VocabularySize) -> tuple[TuningResult, dict[str, Any]]:
        """Tune settings, on a sample if they need held-out documents; return them, and what the model stores about it.

        The model stores the number of terms, the number of documents of the sample, and the measured quality.
        """
        training, n_terms, measured, n_tuned_on = self.training, size.n_terms, None, None
        if training.needs_held_out_documents(self._sizes):
            with training.clock("sampling"):
                # The number of counts in all documents. It is unknown if `min_df` or `max_df` may exclude terms: then
                # `size` does not include their counts, but the sample does.
                n_values = None if self._is_limited else size.n_values
                sample = sample_documents(
                    self._documents,
                    self._reader,
                    self._sizes,
                    training.limits,
                    counted_documents.MAX_VALUES,
                    n_values,
                )
            n_sampled = sample.targets.n_documents
            n_tuned_on = None if n_sampled == self._sizes.n_documents else n_sampled  # None: on all documents
            measured = training.measure(sample)
            tuned = training.tune(sample, n_terms)
        else:
            tuned = training.tune_without_documents(self._sizes, n_terms)
        about = {"n_terms_seen": n_terms, "n_tuned_on": n_tuned_on, "held_out": measured}
        return training.with_room(tuned, self._sizes, about), about
