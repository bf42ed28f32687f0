"""What is kept of documents so that others can be learned later, as if all had been there from the start.

Terms, idf and thresholds are settled once. What is learned then is a function of statistics that add up, in any order
and in any parts, to the last bit:

- *naive Bayes and Rocchio*: `ClassStats` of the weights of the chosen terms (`classifiers.from_stats`);
- *TCFP without context*: which weights each term has, in how many documents of each class (`classifiers.vote_table`);
- *the class of documents without a chosen term*: z_j, how many such documents each class has (`unknown`).

So a model that is updated part by part is the model of all parts, for the terms and the idf that it has. All else
learns from the documents themselves, of which nothing is kept, and is trained again.

Of documents that were folded in later, a digest stays (`folded`): who folds in a growing file every day does not learn
the same from it twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, csr_matrix, vstack
from sklearn.base import clone

from ..classifiers.from_stats import stats_of
from ..classifiers.projections import require_weights
from ..classifiers.scorer import Scorer
from ..classifiers.tcfp import TCFP
from ..classifiers.vote_table import VoteTable, merge, vote_table
from ..errors import InputError, shown
from ..settings import n_threads
from ..stats import ClassStats
from ..stats.labels import label_pairs
from ..stats.sample_weights import MOST_DOCUMENTS
from ..text.rows import Rows
from .keeping import storable
from .targets import Form, Sizes, Targets

if TYPE_CHECKING:
    from .recipe import Recipe

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

INCREMENTAL = ("nb", "cnb", "rocchio", "tcfp")
"""The classifiers whose statistics can be kept."""


AnyTable = TypeVar("AnyTable", ClassStats, VoteTable)


@dataclass(frozen=True)
class _Tabled(Generic[AnyTable]):
    """What is learned from is one table."""

    table: AnyTable

    @property
    def class_docs(self) -> Ints:
        """How many documents each class has."""
        return self.table.class_docs

    @property
    def n_terms(self) -> int:
        """How many terms there are."""
        return self.table.n_terms


@dataclass(frozen=True)
class Sums(_Tabled[ClassStats]):
    """What naive Bayes and Rocchio learn from; classes by number."""

    @classmethod
    def of(
        cls, recipe: Recipe, batches: Iterable[csr_matrix], is_member: csr_array, weights: Floats | None = None
    ) -> Sums:
        """Of rows that come batch by batch, and how many times each of them counts."""
        return cls(stats_of(recipe.classifier, batches, is_member, weights))

    def merged(self, other: Sums | Votes) -> Sums:
        """Of the documents of both."""
        if not isinstance(other, Sums):
            raise TypeError("statistics of different classifiers do not add up")
        return Sums(self.table + other.table)

    def scorer(self, recipe: Recipe, sizes: Sizes) -> Scorer:
        """Train on them."""
        return recipe.fit_class_stats(self.table, sizes)


@dataclass(frozen=True)
class Votes(_Tabled[VoteTable]):
    """What TCFP without context learns from; classes by number."""

    @classmethod
    def of(
        cls, recipe: Recipe, batches: Iterable[csr_matrix], is_member: csr_array, weights: Floats | None = None
    ) -> Votes:
        """Of rows that come batch by batch; as the table is about as large as they are, they are put together."""
        if weights is not None:
            raise TypeError("documents that vote have no weights")
        rows = Rows.of(csr_matrix(vstack(list(batches), "csr")))
        require_weights(rows.values, "TCFP")
        return cls(vote_table(rows, label_pairs(is_member, rows.n_rows), n_threads(recipe.n_jobs)))

    def merged(self, other: Sums | Votes) -> Votes:
        """Of the documents of both."""
        if not isinstance(other, Votes):
            raise TypeError("statistics of different classifiers do not add up")
        return Votes(merge(self.table, other.table))

    def scorer(self, recipe: Recipe, sizes: Sizes) -> Scorer:
        """Share out the votes."""
        voting: TCFP = clone(recipe.classifier)
        voting.table_ = self.table
        return voting.to_scorer()


def way_to_learn(recipe: Recipe) -> type[Sums] | type[Votes] | None:
    """What is kept for a classifier; None if it learns from the documents themselves."""
    if recipe.learns_from_stats:
        return Sums
    plain = isinstance(recipe.classifier, TCFP) and recipe.classifier.context is None
    return Votes if plain and recipe.projection is None and recipe.class_weight is None else None


def require_incremental(settings: Mapping[str, Any], recipe: Recipe) -> None:
    """Refuse to keep statistics for what can't be learned from them, or could not be set up again for an update."""
    keep, name = settings["keep_stats"], settings["classifier"]
    if not isinstance(keep, bool | np.bool_):
        raise InputError(f"keep_stats={shown(keep)}; use True or False.")
    if not keep:
        return
    if isinstance(name, str) and way_to_learn(recipe) is None and way_to_learn(replace(recipe, class_weight=None)):
        raise InputError(
            f"keep_stats=True with class_weight={shown(settings['class_weight'])}: the classifier {shown(name)} has no "
            "class weights; use nb or cnb, or leave the weights out."
        )
    if not isinstance(name, str) or way_to_learn(recipe) is None:
        options = f" with {shown(settings['classifier_options'])}" if name == "tcfp" else ""
        on = "" if recipe.projection is None else f" on the projection {shown(settings['projection'])}"
        raise InputError(
            f"keep_stats=True: the classifier {shown(name)}{options}{on} learns from the documents themselves, so "
            f"others can't be added to what it has learned; use one of {', '.join(INCREMENTAL)}, by name, or leave "
            "keep_stats out and train again when there are new documents."
        )
    given, stored = settings["classifier_options"] or {}, storable(settings)["classifier_options"] or {}
    for option, value in given.items():
        if isinstance(stored[option], str) and not isinstance(value, str):
            raise InputError(
                f"keep_stats=True: {option}={shown(value)} of the classifier is nothing that a model file keeps, and "
                "an update needs it again; use a number, a text or a list."
            )


def require_integer_counts(targets: Targets) -> None:
    """Raise `InputError` if sample weights give counts of documents that statistics can't keep as integers."""
    if targets.count_type is np.int64:
        return
    assert targets.weights is not None
    if (targets.weights == np.floor(targets.weights)).all():
        raise InputError(
            f"sample_weight has the sum {targets.weights.sum():g}; with keep_stats=True the sum is at most "
            f"{MOST_DOCUMENTS:,}. Divide the weights by a common factor, or leave keep_stats out."
        )
    raise InputError(
        "sample_weight with keep_stats=True: the statistics that are kept count documents; use whole numbers as "
        "weights, or leave keep_stats out."
    )


@dataclass(frozen=True, eq=False)
class Statistics:
    """Of the weights of the chosen terms in all documents that a model has learned from."""

    learned: Sums | Votes
    without: Ints
    """How many documents of each class are without a chosen term."""
    n_documents: int
    n_unlabelled: int
    """Documents that nothing could be learned from."""
    folded: frozenset[bytes] = frozenset()
    """Digests of the documents that were folded in later and are not to be learned again; see `folding`."""

    @classmethod
    def of(
        cls, recipe: Recipe, batches: Iterable[csr_matrix], targets: Targets, without: Callable[[], Ints]
    ) -> Statistics:
        """Of the rows of documents that can be learned from; asked after them, how many of each class have no term."""
        way = way_to_learn(recipe)
        if way is None:
            raise TypeError(f"{type(recipe.classifier).__name__} learns from documents")
        require_integer_counts(targets)
        usable = targets.take(np.flatnonzero(targets.usable))
        sizes = targets.sizes
        learned = way.of(recipe, batches, usable.indicator(), usable.weights)
        return cls(learned, without(), int(sizes.n_documents), int(sizes.n_unlabelled))

    @property
    def class_docs(self) -> Ints:
        """How many documents each class has."""
        return self.learned.class_docs

    def sizes(self, classes: tuple[Any, ...], form: Form) -> Sizes:
        """The same of the labels alone."""
        return Sizes(classes, self.class_docs, self.n_documents, self.n_unlabelled, form)

    def merged(self, other: Statistics) -> Statistics:
        """Return the statistics of the documents of both; raises `InputError` if these are too many to count."""
        n_documents = self.n_documents + other.n_documents
        if n_documents > MOST_DOCUMENTS:
            raise InputError(
                f"The statistics count {self.n_documents:,} documents, and {other.n_documents:,} more would be above "
                f"the limit of {MOST_DOCUMENTS:,}; use smaller sample weights, or train again without keep_stats."
            )
        return Statistics(
            *(self.learned.merged(other.learned), self.without + other.without),
            *(n_documents, self.n_unlabelled + other.n_unlabelled),
            self.folded | other.folded,
        )
