"""DROP1 to DROP5: fewer training documents for neighbours to be found among (Wilson and Martinez 2000).

A document's associates are the documents that have it among their k nearest neighbours. It can go if, without it, at
least as many of its associates are judged right as with it; they then take their next neighbour. What differs is who is
dropped beforehand as noise, in which order the documents are visited, and whether documents that are gone still count
as associates: a row of `VARIANTS` each.

Near is what has a large cosine, as for `CosineKNN`: documents without a common term are no neighbours. The papers leave
open, and here is settled:

- of equally near documents the lower is the neighbour, and of documents that are equally far from their enemies, the
  lower is visited first;
- a document is judged by the majority of its k neighbours; of equally frequent classes, by the one that is met first
  from the nearest outwards. Without a neighbour it is judged wrong;
- noise is what is judged wrong while all documents are there. DROP3 drops all of it at once; DROP4 goes through it in
  the order given, and drops what can go by then;
- enemies are looked for, before each pass, among the documents still kept; one that shares no term with any enemy is
  farthest from it;
- "all documents" are those given, so what was dropped as noise goes on as an associate.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, OneToOneFeatureMixin
from sklearn.utils import InputTags, Tags, _safe_indexing
from sklearn.utils.validation import validate_data

from ..errors import InputError, shown
from ..kernels import drop as kernels
from ..neighbours import index_of, nearest, postings_of, rows_in
from ..settings import is_whole, n_threads
from ..stats.targets import pairs_of
from ..text.rows import Rows

if TYPE_CHECKING:
    from ..kernels.neighbours import Index

Ints = NDArray[np.int64]


class Rules(NamedTuple):
    """What makes a variant."""

    noise: str  # "stays", "goes", or "goes if it can"
    orders: tuple[str, ...]  # of the passes
    repeats: bool  # whether the last pass is repeated until nothing goes
    associates: str  # "kept" documents, or "all"


VARIANTS = {
    1: Rules("stays", ("as given",), repeats=False, associates="kept"),
    2: Rules("stays", ("farthest enemy first",), repeats=False, associates="all"),
    3: Rules("goes", ("farthest enemy first",), repeats=False, associates="all"),
    4: Rules("goes if it can", ("farthest enemy first",), repeats=False, associates="all"),
    5: Rules("stays", ("nearest enemy first", "farthest enemy first"), repeats=True, associates="all"),
}

_SPARE = 32
"""How many more neighbours are found beforehand than are needed at first."""


class Reduction:
    """A collection that loses documents."""

    def __init__(self, rows: Rows, labels: Ints, k: int, threads: int) -> None:
        self.index: Index = index_of(postings_of(rows))
        self.documents = rows_in(self.index)
        self.threads = threads
        n = rows.n_rows
        numbers = np.arange(n, dtype=np.int32)
        length = min(k + 1 + _SPARE, n)
        found = nearest(self.index, self.documents, length, threads=threads, groups=numbers, owns=numbers)
        ends = (found.documents >= 0).sum(axis=1).astype(np.int32)
        self.state = kernels.State(
            labels=labels.astype(np.int32),
            groups=numbers,
            lists=found.documents,
            ends=ends,
            complete=(ends < found.documents.shape[1]).astype(np.uint8),
            cursors=np.zeros(n, np.int32),
            near=np.full((n, k + 1), -1, np.int32),
            n_near=np.zeros(n, np.int32),
            heads=np.full(n, -1, np.int64),
            nexts=np.full(n * (k + 1), -1, np.int64),
            befores=np.full(n * (k + 1), -1, np.int64),
        )
        kernels.settle(self.index, self.state)

    @property
    def kept(self) -> Ints:
        """The documents that are still there."""
        return np.flatnonzero(self.state.groups >= 0)

    def noise(self) -> Ints:
        """The documents that their neighbours judge wrong."""
        return np.flatnonzero(kernels.misjudged(self.state))

    def order(self, name: str) -> Ints:
        """The documents that are still there, in the order of a pass."""
        kept = self.kept
        if name == "as given":
            return kept
        matrix = self.documents.matrix()[kept]
        queries = Rows(matrix.data, matrix.indices, matrix.indptr.astype(np.int64), self.documents.n_columns)
        labels = self.state.labels
        groups = np.where(self.state.groups >= 0, labels, np.int32(-1))
        found = nearest(self.index, queries, 1, threads=self.threads, groups=groups, owns=labels[kept])
        cosines = found.cosines[:, 0]
        return kept[np.argsort(cosines if name == "farthest enemy first" else -cosines, kind="stable")]

    def sweep(self, order: Ints, rules: Rules, *, unconditional: bool = False) -> int:
        """Visit the documents, and drop those that can go, or all of them; gives how many went."""
        return kernels.sweep(self.index, self.state, order, unconditional, rules.associates == "kept")


def reduced(rows: Rows, labels: Ints, rules: Rules, k: int, threads: int) -> Ints:
    """The documents that are kept, ascending."""
    collection = Reduction(rows, labels, k, threads)
    if rules.noise != "stays":
        collection.sweep(collection.noise(), rules, unconditional=rules.noise == "goes")
    for order in rules.orders:
        n_dropped = collection.sweep(collection.order(order), rules)
    while rules.repeats and n_dropped:
        n_dropped = collection.sweep(collection.order(rules.orders[-1]), rules)
    return collection.kept


@dataclass(slots=True)
class SamplerTags:
    """What imbalanced-learn should know of a sampler."""

    sample_indices: bool


@dataclass(slots=True)
class FrameInputTags(InputTags):
    """Input tags with the one that imbalanced-learn adds."""

    dataframe: bool = True


@dataclass(slots=True)
class TagsOfSampler(Tags):
    """Tags with those that imbalanced-learn adds."""

    sampler_tags: SamplerTags | None = None


def _as_sampler(tags: Tags) -> TagsOfSampler:
    """Return the tags of an estimator as a sampler's that takes data frames and says which rows it keeps."""
    of_input = FrameInputTags(**{each.name: getattr(tags.input_tags, each.name) for each in fields(tags.input_tags)})
    others = {each.name: getattr(tags, each.name) for each in fields(tags)}
    return TagsOfSampler(**{**others, "input_tags": of_input}, sampler_tags=SamplerTags(sample_indices=True))


class DROP(OneToOneFeatureMixin, BaseEstimator):
    """Keep the training documents that others are judged by; drop those that make no difference, and noise.

    Parameters
    ----------
    variant : 1 to 5
        Which of DROP1 to DROP5. 3 and 4 drop noise first, and keep the fewest documents; 4 is more careful with it.
    k : int
        How many neighbours judge a document. More than there are others: all of them, with a warning.
    n_jobs : int or None
        Threads for the search of neighbours; -1 is all cores. The result does not depend on it.

    Attributes
    ----------
    sample_indices_ : array of the kept documents' rows, ascending
    sampling_strategy_ : dict of the number of kept documents of each class, as imbalanced-learn's samplers have it
    """

    def __init__(self, *, variant: int = 3, k: int = 3, n_jobs: int | None = -1) -> None:
        self.variant = variant
        self.k = k
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> Self:
        """Find which documents, given as the rows of a (sparse) matrix with a label each, are kept."""
        return self._fit(X, y)

    def fit_resample(self, X: Any, y: Any) -> tuple[Any, Any]:
        """The kept documents and their labels, in the form that they were given in."""
        kept = self._fit(X, y).sample_indices_
        if hasattr(X, "tocsr"):  # not all sparse matrices can be indexed
            X = X.tocsr()
        return _safe_indexing(X, kept), _safe_indexing(y, kept)

    def _fit(self, X: Any, y: Any) -> Self:
        self._validate()
        rows = Rows.of(csr_matrix(validate_data(self, X, accept_sparse="csr", dtype=np.float64)))
        pairs = pairs_of(y, rows.n_rows, "DROP")
        labels = np.full(rows.n_rows, -1)
        labels[pairs.documents] = np.repeat(np.arange(len(pairs.classes)), np.diff(pairs.class_starts))
        labelled = np.flatnonzero(labels >= 0)
        if len(labelled) < len(pairs.documents):
            raise InputError("A document has several labels; DROP takes one label a document.")
        others = len(labelled) - 1
        if self.k > others:
            warnings.warn(
                f"k={self.k}, but a document has {others:,} others; all of them are neighbours.", stacklevel=3
            )
        labelled_rows = Rows.of(rows.matrix()[labelled])
        k, threads = min(int(self.k), others), n_threads(self.n_jobs)
        self.sample_indices_ = labelled[reduced(labelled_rows, labels[labelled], VARIANTS[self.variant], k, threads)]
        left = np.bincount(labels[self.sample_indices_], minlength=len(pairs.classes))
        self.sampling_strategy_ = dict(zip(pairs.classes, left.tolist(), strict=True))
        if not left.all():
            gone = [pairs.classes[number] for number in np.flatnonzero(left == 0)]
            warnings.warn(
                f"No document is kept of {len(gone)} of {len(left)} classes: {shown(gone)}. Near theirs are those of "
                "other classes, or none; give more documents of these classes, or leave them out.",
                stacklevel=3,
            )
        return self

    def _validate(self) -> None:
        if not (is_whole(self.variant) and self.variant in VARIANTS):
            raise InputError(f"variant={shown(self.variant)}; use one of {', '.join(map(str, VARIANTS))}.")
        if not (is_whole(self.k) and self.k >= 1):
            raise InputError(f"k={shown(self.k)}; use a number of neighbours from 1.")
        n_threads(self.n_jobs)

    def __sklearn_tags__(self) -> Tags:
        """What scikit-learn and imbalanced-learn should know: a sampler, for sparse matrices with labels."""
        tags = _as_sampler(super().__sklearn_tags__())
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags
