"""DROP1 to DROP5: reduce the training documents of nearest-neighbour classifiers (Wilson and Martinez 2000).

The *associates* of a document are the documents that have it among their k nearest neighbours. A document can be
dropped if at least as many of its associates are classified correctly without it as with it. In its place, each
associate then gets its next nearest neighbour. The five variants are rows of `VARIANTS`. They differ in which documents
are dropped beforehand as noise, in the order in which documents are visited, and in whether dropped documents still
count as associates.

Nearness is cosine similarity, as for `CosineKNN`: documents without a common term are not neighbours. The papers leave
some points open; this module decides them as follows:

- Of equally near documents, the one with the lower number is the neighbour.
- An *enemy* of a document is a document of another class. Of documents that are equally far from their nearest enemies,
  the one with the lower number is visited first.
- A document is classified by the majority of its k neighbours; of equally frequent classes, by the one that comes first
  from the nearest neighbour outwards. A document without neighbours is misclassified.
- A document is noise if it is misclassified while all documents are present. DROP3 drops all noise; DROP4 visits the
  noise in the given order and drops each document that can be dropped at that point.
- Before each pass, enemies are searched among the documents still kept. A document that shares no term with any enemy
  counts as farthest.
- In the variants where dropped documents still count as associates (all but DROP1), this includes documents that were
  dropped as noise.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, OneToOneFeatureMixin
from sklearn.utils import InputTags, Tags, _safe_indexing
from sklearn.utils.validation import validate_data

from .arrays import CSR, Ints
from .errors import InputError, InputWarning, Setting, shown, warn
from .kernels import drop as kernels
from .neighbours import index_of, nearest, postings_of, rows_in
from .settings import is_whole, n_threads
from .stats.labels import validate_label_pairs

if TYPE_CHECKING:
    from .kernels.neighbours import Index


class Rules(NamedTuple):
    """The rules that define a variant."""

    noise: str  # "stays" (none is dropped beforehand), "goes" (all is), or "goes if it can" (what can be dropped is)
    orders: tuple[str, ...]  # the order in which each pass visits the documents
    repeats: bool  # whether the last pass is repeated until it drops nothing
    associates: str  # which documents count as associates: "all", or "kept" (only those that have not been dropped)


VARIANTS = {
    1: Rules("stays", ("as given",), repeats=False, associates="kept"),
    2: Rules("stays", ("farthest enemy first",), repeats=False, associates="all"),
    3: Rules("goes", ("farthest enemy first",), repeats=False, associates="all"),
    4: Rules("goes if it can", ("farthest enemy first",), repeats=False, associates="all"),
    5: Rules("stays", ("nearest enemy first", "farthest enemy first"), repeats=True, associates="all"),
}
"""The rules of DROP1 to DROP5."""

_SPARE = 32
"""The number of further neighbours of each document that are searched in advance, to replace dropped ones."""


class Reduction:
    """The documents while some of them are dropped: who is whose neighbour, and which documents are left.

    `kernels/drop.py` describes the arrays of `state`.
    """

    def __init__(self, rows: CSR, labels: Ints, k: int, threads: int) -> None:
        """Find the k + 1 nearest neighbours of each document, and for each document those that have it as a neighbour.

        k neighbours classify a document. One more is needed to see how the document is classified if one of them is
        dropped. `_SPARE` more are searched in advance, to replace neighbours that are dropped.
        """
        self.index: Index = index_of(postings_of(rows))
        self.documents = rows_in(self.index)
        self.threads = threads
        n = rows.n_rows
        all_documents = np.arange(n, dtype=np.int32)
        # At most n: there are n - 1 other documents, so a search for n finds fewer, which shows that it found all.
        n_searched = min(k + 1 + _SPARE, n)
        # A search skips the documents of the query's own group. Here each document is a group of its own, so it is not
        # its own neighbour.
        neighbours = nearest(
            self.index, self.documents, n_searched, threads=threads, groups=all_documents, own_groups=all_documents
        )
        n_neighbours = (neighbours.documents >= 0).sum(axis=1).astype(np.int32)
        self.state = kernels.State(
            labels=labels.astype(np.int32),
            groups=all_documents,
            waiting=neighbours.documents,
            n_waiting=n_neighbours,
            # If the search found fewer than it could return, no other document has a cosine above 0.
            complete=(n_neighbours < neighbours.documents.shape[1]).astype(np.uint8),
            cursors=np.zeros(n, np.int32),
            near=np.full((n, k + 1), -1, np.int32),
            n_near=np.zeros(n, np.int32),
            # Doubly linked lists of the documents that have a document as a neighbour:
            heads=np.full(n, -1, np.int64),
            nexts=np.full(n * (k + 1), -1, np.int64),
            previous=np.full(n * (k + 1), -1, np.int64),
        )
        kernels.add_first_neighbours(self.index, self.state)

    @property
    def remaining(self) -> Ints:
        """Return the numbers of the documents that have not been dropped, ascending."""
        return np.flatnonzero(self.state.groups >= 0)

    def noise(self) -> Ints:
        """Return the numbers of the documents that their neighbours misclassify, or that have no neighbours."""
        return np.flatnonzero(kernels.misclassified(self.state))

    def visiting_order(self, name: str) -> Ints:
        """Return the documents that have not been dropped, in the named order.

        An enemy of a document is a document of another class; "farthest enemy first" and "nearest enemy first" order
        the documents by the cosine with their nearest enemy.
        """
        remaining = self.remaining
        if name == "as given":
            return remaining
        matrix = self.documents.matrix()[remaining]
        queries = CSR(matrix.data, matrix.indices, matrix.indptr.astype(np.int64), self.documents.n_columns)
        labels = self.state.labels
        # With classes as groups, the nearest document of another group is the nearest enemy. Group -1 excludes the
        # dropped documents from the search.
        groups = np.where(self.state.groups >= 0, labels, np.int32(-1))
        enemies = nearest(self.index, queries, k=1, threads=self.threads, groups=groups, own_groups=labels[remaining])
        cosines = enemies.cosines[:, 0]  # 0, which is farthest, if no enemy shares a term with the document
        return remaining[np.argsort(cosines if name == "farthest enemy first" else -cosines, kind="stable")]

    def sweep(self, order: Ints, rules: Rules, *, unconditional: bool = False) -> int:
        """Visit the documents listed in `order` and drop those that can be dropped; return how many were dropped.

        A document can be dropped if at least as many of its associates, the documents that have it as a neighbour, are
        classified correctly without it as with it. With `unconditional`, every document in `order` is dropped.
        """
        # By the rule "kept", a dropped document stops being an associate.
        leaves_associates = rules.associates == "kept"
        return kernels.sweep(self.index, self.state, order, unconditional, leaves_associates)


def documents_to_keep(rows: CSR, labels: Ints, rules: Rules, k: int, threads: int) -> Ints:
    """Return the numbers of the documents that a variant of DROP keeps, ascending."""
    collection = Reduction(rows, labels, k, threads)
    if rules.noise != "stays":
        collection.sweep(collection.noise(), rules, unconditional=rules.noise == "goes")
    for order_name in rules.orders:  # one pass for each
        n_dropped = collection.sweep(collection.visiting_order(order_name), rules)
    while rules.repeats and n_dropped:  # repeat the last pass until it drops nothing
        n_dropped = collection.sweep(collection.visiting_order(rules.orders[-1]), rules)
    return collection.remaining


@dataclass(slots=True)
class SamplerTags:
    """Sampler tags for imbalanced-learn."""

    sample_indices: bool


@dataclass(slots=True)
class FrameInputTags(InputTags):
    """Input tags, including the one that imbalanced-learn adds."""

    dataframe: bool = True


@dataclass(slots=True)
class TagsOfSampler(Tags):
    """Estimator tags, including those that imbalanced-learn adds."""

    sampler_tags: SamplerTags | None = None


def _as_sampler(tags: Tags) -> TagsOfSampler:
    """Return the tags of an estimator, with those that imbalanced-learn expects of a sampler.

    They say that it accepts data frames and has the rows that it keeps in `sample_indices_`.
    """
    input_tags = FrameInputTags(
        **{field.name: getattr(tags.input_tags, field.name) for field in fields(tags.input_tags)}
    )
    estimator_tags = {field.name: getattr(tags, field.name) for field in fields(tags)}
    return TagsOfSampler(**{**estimator_tags, "input_tags": input_tags}, sampler_tags=SamplerTags(sample_indices=True))


class LostClasses(InputWarning):
    """Warns that no document is kept of some classes."""


class DROP(OneToOneFeatureMixin, BaseEstimator):
    """Keep the training documents that classify others; drop noise and documents that make no difference.

    Parameters
    ----------
    variant : 1 to 5
        Which of DROP1 to DROP5 to use. 3 and 4 drop noise first; 4 drops a noisy document only if the documents that
        have it as a neighbour are classified no worse without it.
    k : int
        The number of neighbours that classify a document. If there are fewer other documents, all of them with a cosine
        above 0 are used, with a warning.
    n_jobs : int or None
        Number of threads for the search of neighbours; -1 uses all cores. The result does not depend on it.

    Attributes
    ----------
    sample_indices_ : array of the kept documents' rows, ascending
    sampling_strategy_ : dict of the number of kept documents of each class, as in imbalanced-learn's samplers

    Examples
    --------
    >>> from textsieve import DROP
    >>> X = [[5, 1], [4, 1], [5, 2], [1, 5], [1, 4], [2, 5]]
    >>> y = ["sport"] * 3 + ["politics"] * 3
    >>> reduced, labels = DROP(k=1).fit_resample(X, y)
    >>> len(labels)
    4
    """

    def __init__(self, *, variant: int = 3, k: int = 3, n_jobs: int | None = -1) -> None:
        self.variant = variant
        self.k = k
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> Self:
        """Find the documents to keep, of the rows of a (sparse) matrix with one label each; see `sample_indices_`.

        Unlabelled documents are dropped. Warns about classes that lose all documents.
        """
        self._validate()
        rows = CSR.of(csr_matrix(validate_data(self, X, accept_sparse="csr", dtype=np.float64)))
        pairs = validate_label_pairs(y, rows.n_rows, "DROP")
        labels = np.full(rows.n_rows, -1)  # the number of the document's class; -1 without a label
        labels[pairs.documents] = np.repeat(np.arange(len(pairs.classes)), np.diff(pairs.class_starts))
        labelled = np.flatnonzero(labels >= 0)
        # A multilabel document has several pairs, so there are more pairs than labelled documents.
        if len(labelled) < len(pairs.documents):
            raise InputError("a document has several labels, but DROP needs one label for each document.")
        n_others = len(labelled) - 1
        if self.k > n_others:
            warn((Setting("k", self.k), f", but a document has {n_others:,} others; all of them are neighbours."))
        labelled_rows = CSR.of(rows.matrix()[labelled])
        k, threads = min(int(self.k), n_others), n_threads(self.n_jobs)
        self.sample_indices_ = labelled[
            documents_to_keep(labelled_rows, labels[labelled], VARIANTS[self.variant], k, threads)
        ]
        n_kept = np.bincount(labels[self.sample_indices_], minlength=len(pairs.classes))  # of each class
        self.sampling_strategy_ = dict(zip(pairs.classes, n_kept.tolist(), strict=True))
        if not n_kept.all():
            lost_classes = [pairs.classes[number] for number in np.flatnonzero(n_kept == 0)]
            warn(
                f"No document is kept of {len(lost_classes)} of {len(n_kept)} classes: {shown(lost_classes)}. Their "
                "documents are near documents of other classes, or near none; give more documents of these classes, or "
                "leave them out.",
                LostClasses,
            )
        return self

    def fit_resample(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Return the kept documents and their labels, in the types they were given in."""
        kept_rows = self.fit(X, y).sample_indices_
        if hasattr(X, "tocsr"):  # not all sparse formats support indexing
            X = X.tocsr()
        return _safe_indexing(X, kept_rows), _safe_indexing(y, kept_rows)

    def _validate(self) -> None:
        """Raise `InputError` for invalid settings."""
        if not (is_whole(self.variant) and self.variant in VARIANTS):
            raise InputError(setting="variant", value=self.variant, allowed=VARIANTS)
        if not (is_whole(self.k) and self.k >= 1):
            raise InputError(setting="k", value=self.k, hint="use a number of neighbours from 1")
        n_threads(self.n_jobs)  # raises if it is invalid

    def __sklearn_tags__(self) -> Tags:
        """Return the tags for scikit-learn and imbalanced-learn: a sampler for sparse matrices that requires labels."""
        tags = _as_sampler(super().__sklearn_tags__())
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags
