"""`fit`: the steps of training, with the documents on many machines.

1. Which classes there are, and how many documents each has.
2. In how many documents each term is; terms in too few or too many are left out.
3. What is decided on held-out documents is decided on a sample, as on one machine.
4. The statistics of the counts, or, if the selector reads weights, of the weights, now that the idf is known.
5. The selector chooses (`ranking.py`).
6. The classifier learns from the chosen terms (`learning.py`).

Every step ends with few rows on the driver: classes, chosen terms. The result is the model that `Categorizer.fit` trains
on the same documents in the same order, to the last bit.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from pyspark.sql import functions as F
from pyspark.storagelevel import StorageLevel
from scipy.sparse import csr_matrix

from ..categorizer import Categorizer
from ..classifiers.linear import LinearScorer
from ..classifiers.tcfp import TCFP, balance_factors
from ..errors import InputError, shown
from ..prediction import Model
from ..settings import is_whole
from ..stats.sums import Ints
from ..text.pruning import check_limits, df_bounds, no_terms, none_within
from ..training.documents import MOST_VALUES as MOST_IN_SAMPLE
from ..training.documents import Progress
from ..training.ranking import with_every_label
from ..training.recipe import Fitted
from ..training.train import Choices, Training, require_classes
from . import learning
from .columns import documents_of, labels_of
from .counting import FREQUENCIES, ROWS, CountClasses, CountTerms, Reading
from .frequencies import with_frequencies
from .ranking import Ranking
from .rows import weights_of
from .sampling import sample_of
from .table import Whole, added_up
from .votes import votes_of
from .worker import plainly, task

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame


def fit(
    df: DataFrame,
    text: str = "text",
    label: str = "label",
    categorizer: Categorizer | None = None,
    *,
    most_values: int = learning.MOST_VALUES,
    progress: Progress | None = None,
) -> Categorizer:
    """Train a `Categorizer` on the documents of a DataFrame: the one that its `fit` trains on one machine.

    Parameters
    ----------
    df : DataFrame
        It is read several times; if making it takes long, or does not give the same rows each time, write it to a
        table first.
    text, label : str
        The columns. A text that is null is empty; a label that is null, or an empty text or array, is none. An array
        has the labels of a document that may have several.
    categorizer : Categorizer or None
        The settings; it is left as it is. None: the usual ones.
    most_values : int
        How many counts of chosen terms may come to the driver, for classifiers that learn from documents: eight
        bytes each, and as much again while they are learned from.
    progress : function or None
        Told the stage, and 0 and None: how much of a stage is done, Spark says.
    """
    settings = Categorizer() if categorizer is None else categorizer
    if not isinstance(settings, Categorizer):
        raise InputError(f"categorizer is {shown(settings)}; give a Categorizer, with the settings that you want.")
    if not (is_whole(most_values) and most_values > 0):
        raise InputError(f"most_values={shown(most_values)}; use a number of counts from 1.")
    trained = Categorizer(**settings.get_params(deep=False))
    trained._require_own_settings()
    job = _Fit(trained.get_params(deep=False), documents_of(df, text, label), most_values, progress or (lambda *_: None))
    with plainly():
        trained.model_ = job.run()
    trained.seconds_ = job.training.seconds
    return trained


@contextmanager
def kept(df: DataFrame) -> Iterator[DataFrame]:
    """A DataFrame that is kept on the machines as long as it is needed."""
    stored = df.persist(StorageLevel.MEMORY_AND_DISK)
    try:
        yield stored
    finally:
        stored.unpersist()


class _Fit:
    def __init__(self, settings: dict[str, Any], documents: DataFrame, most_values: int, progress: Progress) -> None:
        self.training = Training(settings, progress)
        self._settings, self._documents, self._most_values = settings, documents, most_values
        self.recipe = self.training.recipe
        counter = self.training.counter().get_params()
        self._reading = Reading({name: value for name, value in counter.items() if name not in ("n_jobs", "dtype")})

    def run(self) -> Model:
        check_limits(**self.training.limits)
        clock = self.training.clock
        with clock("counting"):
            self.sizes = labels_of(self._documents, self._settings["multilabel"]).sizes
            require_classes(self.sizes)
        if self.recipe.reads_counts:
            counted = self._documents.mapInArrow(task(CountClasses(self._reading, list(self.sizes.classes))), ROWS)
            with kept(self._within_limits(added_up(counted))) as table:
                return self._run(table, table)
        counted = self._documents.mapInArrow(task(CountTerms(self._reading)), FREQUENCIES)
        added = counted.groupBy("term").agg(F.sum("documents").alias("documents"))
        with kept(self._within_limits(added)) as frequencies:
            with clock("counting"):
                frequencies.count()  # a broadcast has little patience; so they are made before
            rows = self._weighing(frequencies).mapInArrow(task(self._weighed), ROWS)
            with kept(added_up(rows)) as table:
                return self._run(frequencies, table)

    def _within_limits(self, terms: DataFrame) -> DataFrame:
        least, most = df_bounds(self.sizes.n_documents, **self.training.limits)
        within = F.col("documents").between(least, most)
        return terms.filter(within) if least > 1 or most < self.sizes.n_documents else terms

    @property
    def _weighed(self) -> CountClasses:
        return CountClasses(
            self._reading, list(self.sizes.classes), self.recipe.selection, self.sizes.n_documents
        )

    def _weighing(self, frequencies: DataFrame) -> DataFrame:
        return with_frequencies(self._documents, frequencies)

    def _run(self, frequencies: DataFrame, table: DataFrame) -> Model:
        training, sizes = self.training, self.sizes
        with training.clock("counting"):
            n_seen = frequencies.count()
            if not n_seen:
                limited = df_bounds(sizes.n_documents, **training.limits) != (1, sizes.n_documents)
                raise none_within(sizes.n_documents, **training.limits) if limited else no_terms(sizes.n_documents)
        training.warn_of_fewer_terms(n_seen, depth=6)
        choices, seen = self._decided(n_seen)
        whole = Whole.of(sizes)
        with training.clock("selecting"):
            ranking = Ranking(table, whole, n_seen, partial(weights_of, self._weighing(frequencies) if not self.recipe.reads_counts else self._documents, self._weighed))
            selector = with_every_label(self.recipe.selector)
            fitted, candidates = ranking.chosen_by(selector, choices.most)
            best = self.recipe.kept_by(fitted, choices.most)
            terms = [candidates.terms[column] for column in best.columns.tolist()]
            doc_freq = candidates.doc_freq[best.columns]
        with training.clock("training"):
            learned = self._learned(terms, doc_freq)
        return training.model(sizes, terms, learned, choices, seen, best.found)

    def _decided(self, n_seen: int) -> tuple[Choices, dict[str, Any]]:
        """What is decided before terms are chosen, and what a model remembers of it."""
        training, measured, n_tuned_on = self.training, None, None
        if training.needs_documents(self.sizes):
            with training.clock("sampling"):
                sample, is_all = sample_of(
                    self._documents, self._reading, self.sizes, training.limits, MOST_IN_SAMPLE
                )
            n_tuned_on = None if is_all else sample.targets.n_documents
            measured = training.measure(sample)
            choices = training.choose(sample, n_seen)
        else:
            choices = training.choose_without(self.sizes, n_seen)
        return choices, {"n_terms_seen": n_seen, "n_tuned_on": n_tuned_on, "held_out": measured}

    def _learned(self, terms: list[str], doc_freq: Ints) -> Fitted:
        recipe, sizes = self.recipe, self.sizes
        idf = recipe.idf_of(doc_freq, sizes.n_documents)
        chosen = learning.ChosenTerms(
            self._reading, terms, idf, recipe.scheme, recipe.dtype, list(sizes.classes)
        )
        classifier = recipe.classifier
        if recipe.learns_in_slices:
            stats, without = learning.class_sums(self._documents, chosen, sizes)
            return Fitted(recipe.fit_class_stats(stats, sizes), idf)
        if isinstance(classifier, TCFP) and classifier.context is None and recipe.class_weight is None:
            classifier._validate()
            factors = balance_factors(sizes.class_docs) if classifier.balance else np.ones(len(sizes.classes))
            votes, without = votes_of(self._documents, chosen, sizes, factors)
            return Fitted(LinearScorer(votes, np.zeros(votes.shape[1])), idf)
        learning.require_room(int(doc_freq.sum()), self._most_values, classifier)
        counts, targets = learning.counts_of(self._documents, chosen, sizes)
        return recipe.fit_counts(counts, targets)
