"""Count documents for training: in memory if the counts fit, otherwise a sample of them and totals of all.

One pass over a corpus counts its terms. As long as the counts of all documents fit into memory, which is far longer
than their texts would, they are kept, and no second pass is needed. Beyond that only a sample is kept for tuning on
held-out documents: a half, a quarter, ... of the documents (limits on the number of documents with a term shrink
accordingly). Of all documents there are then the vocabulary, the document frequencies and, if the selector reads
counts, `ClassStats`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.base import clone

from ..arrays import Counts, Floats, Ints
from ..categorizer_settings import Limits
from ..corpus import Batch, Corpus, Labels
from ..errors import InputError
from ..memory import give_back
from ..selectors.base import ReadAgain
from ..settings import is_whole
from ..stats import ClassStats
from ..text.counter import TermCounter
from ..text.csr import CSR
from ..text.pruning import check_limits, terms_within_limits
from ..text.schemes import COUNTS, Scheme
from ..text.weights import INVERSE_FREQUENCIES, weigh
from .targets import Targets, weighted_texts

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
"""What is behind the point in the golden ratio, as a share of 2^64."""


class Sample:
    """The counts of all documents, or of a half, a quarter, ... of them, spread evenly whatever their order.

    Document i has the position i x φ modulo 1 (φ is the golden ratio): consecutive documents, and also every second or
    every tenth document, are spread evenly over the interval from 0 to 1. Those below 1/2, 1/4, ... are kept. Keeping
    every second document would be worse: these could be all documents of a class.
    """

    def __init__(self) -> None:
        self.n_values = 0
        self._halvings = 0
        self._parts: list[tuple[Ints, csr_matrix]] = []

    @property
    def has_all(self) -> bool:
        """Return whether no document was dropped."""
        return self._halvings == 0

    @property
    def documents(self) -> Ints:
        """Return the numbers of the documents in the sample."""
        return np.concatenate([documents for documents, _ in self._parts])

    @property
    def n_documents(self) -> int:
        """Return the number of documents in the sample."""
        return sum(len(documents) for documents, _ in self._parts)

    def add(self, counts: csr_matrix, first: int) -> None:
        """Add a batch whose first document has the number `first`."""
        self._keep(np.arange(first, first + counts.shape[0]), counts)

    def thin(self) -> None:
        """Drop about every second document; the very first always stays."""
        self._halvings += 1
        parts, self._parts, self.n_values = self._parts, [], 0
        for documents, counts in parts:
            self._keep(documents, counts)

    def _keep(self, documents: Ints, counts: csr_matrix) -> None:
        if self._halvings:
            stay = np.flatnonzero(levels_of(documents) >= self._halvings)
            documents, counts = documents[stay], counts[stay]
        self._parts.append((documents, counts))
        self.n_values += counts.nnz

    def matrix(self, n_columns: int) -> csr_matrix:
        """Return the counts of the sample as one matrix."""
        return _stacked([counts for _, counts in self._parts], n_columns)


def levels_of(documents: Ints) -> Ints:
    """Return how many halvings each document, given by its number, survives."""
    place = documents.astype(np.uint64) * _GOLDEN  # as a share of 2^64, beyond which it begins anew
    levels = np.full(len(documents), 64, np.int64)
    for bits in range(63, -1, -1):
        levels[place >> np.uint64(63 - bits) != 0] = bits
    return levels


def _stacked(parts: list[csr_matrix], n_columns: int) -> csr_matrix:
    """Return the rows of all parts as one matrix."""
    n_rows = sum(part.shape[0] for part in parts)
    starts = np.concatenate([[0], *(np.diff(part.indptr) for part in parts)]).cumsum()
    data = np.concatenate([part.data for part in parts])
    indices = np.concatenate([part.indices for part in parts])
    return csr_matrix((data, indices, starts), shape=(n_rows, n_columns))


Progress = Callable[[str, int, int | None], None]
"""Told the stage, what is done of it, and how much it is in all, if that is known."""

MOST_VALUES = 1 << 23
"""How many counts of a corpus are kept in memory; eight bytes each."""


def limits_of_sample(limits: Limits, share: float) -> Limits:
    """Return the limits for a sample of this share of the documents: numbers of documents shrink with it, shares
    don't.
    """

    def shrunk(limit: float) -> float:
        return max(round(limit * share), 1) if is_whole(limit) else limit

    return {"min_df": shrunk(limits["min_df"]), "max_df": shrunk(limits["max_df"])}


class SelectionData(NamedTuple):
    """What a selector reads of documents."""

    stats: ClassStats
    """The statistics of counts or weights, with the names of the classes."""
    weights: ReadAgain
    """Returns the counts or weights of all documents, for selectors that read them again."""
    sample_weight: Floats | None
    columns: Ints
    """The column in the documents of each column in the statistics."""


class SelectedDocuments(NamedTuple):
    """Documents reduced to the selected terms, best first."""

    terms: list[str]
    doc_freq: Counts
    targets: Targets
    weigh: Callable[[Scheme, Floats], Iterator[CSR]]
    """Returns the weights of all documents, batch by batch; for streamed documents this is another pass."""
    are_in_memory: bool

    @classmethod
    def of_counts(cls, counts: csr_matrix, targets: Targets, terms: list[str] | None = None) -> SelectedDocuments:
        """Return documents whose counts of the selected terms are in memory."""
        return cls(
            terms or [],
            doc_freq_of(counts, targets),
            targets,
            lambda scheme, idf: iter([weighed(counts, scheme, idf)]),
            are_in_memory=True,
        )

    def stack(self, batches: Iterator[csr_matrix]) -> csr_matrix:
        """Return the batches as one matrix; memory for all is allocated first, so they are never there twice."""
        if self.are_in_memory:
            (rows,) = batches
            return rows
        size = int(self.doc_freq.sum())
        index_type: Any = np.int32 if size <= np.iinfo(np.int32).max else np.int64
        indices, starts = np.empty(size, index_type), [np.zeros(1, np.int64)]
        data: Any = None
        end = 0
        for rows in batches:
            if data is None:
                data = np.empty(size, rows.dtype)
            data[end : end + rows.nnz], indices[end : end + rows.nnz] = rows.data, rows.indices
            starts.append(end + rows.indptr[1:].astype(np.int64))
            end += rows.nnz
        indptr = np.concatenate(starts).astype(index_type)
        return csr_matrix((data, indices, indptr), shape=(len(indptr) - 1, len(self.terms)))


@dataclass(frozen=True)
class CountedDocuments:
    """Counts of documents in memory, columns in alphabetical order, with their labels."""

    counts: csr_matrix
    terms: list[str]
    targets: Targets
    limits: Limits
    """Not kept to yet: they are numbers and shares of documents, and `take` gives fewer."""

    def take(self, documents: Ints) -> CountedDocuments:
        """Return some of the documents, in ascending order."""
        return CountedDocuments(self.counts[documents], self.terms, self.targets.take(documents), self.limits)

    @cached_property
    def columns_within_limits(self) -> Ints:
        """Return the columns of the terms whose document frequency is within the limits."""
        doc_freq, limits, n_documents = self.doc_freq, self.limits, self.targets.n_counted
        present = np.flatnonzero(doc_freq)
        if isinstance(n_documents, float) and limits["min_df"] == 1:  # which leaves out no term, whatever its weight
            limits = {**limits, "min_df": 0.0}
        return present[terms_within_limits(present, n_documents, lambda: (doc_freq, doc_freq), **limits)]

    @cached_property
    def within_limits(self) -> CountedDocuments:
        """Return the same documents with the terms within the limits only."""
        columns = self.columns_within_limits
        if len(columns) == len(self.terms):
            return self
        terms = [self.terms[column] for column in columns.tolist()]
        return CountedDocuments(columns_in_order(self.counts, columns), terms, self.targets, self.limits)

    def weights(self, scheme: Scheme) -> csr_matrix:
        """Return the weights of the counts, with the idf of these documents."""
        if scheme == COUNTS:
            return self.counts
        return weighted(self.counts, scheme, INVERSE_FREQUENCIES[scheme.idf](self.doc_freq, self.targets.n_counted))

    @property
    def doc_freq(self) -> Counts:
        """Return the document frequency of each term."""
        return doc_freq_of(self.counts, self.targets)

    # -- as documents to train on, like `StreamedDocuments` ------------------------------------------------------

    @property
    def sample(self) -> CountedDocuments:
        """Return the documents to tune on: all of them."""
        return self

    @property
    def n_terms(self) -> int:
        """Return the number of terms within the limits."""
        return len(self.columns_within_limits)

    @property
    def n_tuned_on(self) -> int | None:
        """Return the size of the sample, or None if it has all documents."""
        return None

    def selection_data(self, scheme: Scheme) -> SelectionData:
        """Return what a selector reads: the statistics of the weights of these documents, and the weights."""
        weights, targets = self.within_limits.weights(scheme), self.targets
        stats = ClassStats.from_matrix(weights, targets.for_stats(), sample_weight=targets.weights)
        named = stats.renamed(map(targets.name, stats.classes))
        return SelectionData(named, lambda: [weights], targets.weights, self.columns_within_limits)

    def select(self, columns: Ints) -> SelectedDocuments:
        """Return the documents with the selected terms only."""
        terms = [self.terms[column] for column in columns.tolist()]
        return SelectedDocuments.of_counts(columns_in_order(self.counts, columns), self.targets, terms)


@dataclass
class StreamedDocuments:
    """A corpus whose counts don't fit into memory: totals of all documents, and a sample of them.

    Columns are in alphabetical order. Anything else that is needed of the documents takes another pass over the corpus.
    """

    corpus: Corpus
    counter: TermCounter
    sample: CountedDocuments
    terms: list[str]
    """The terms within the limits."""
    doc_freq: Ints
    targets: Targets
    stats: ClassStats | None
    """The statistics of the counts of all documents, with the names of the classes, if they were asked for."""
    progress: Progress

    @property
    def n_terms(self) -> int:
        """Return the number of terms within the limits."""
        return len(self.terms)

    @property
    def n_tuned_on(self) -> int | None:
        """Return the number of documents in the sample."""
        return self.sample.targets.n_documents

    def selection_data(self, scheme: Scheme) -> SelectionData:
        """Return what a selector reads; for weights this is a second pass, now that the idf is known."""
        stats = self.stats
        if stats is None or scheme != COUNTS:
            stats = ClassStats.zero(len(self.terms))
            for batch, rows in self._weigh_all(scheme):
                stats.update(rows, batch.labels)
        return SelectionData(
            stats, lambda: (rows for _, rows in self._weigh_all(scheme)), None, np.arange(len(self.terms))
        )

    def _weigh_all(self, scheme: Scheme) -> Iterator[tuple[Batch, csr_matrix]]:
        """Yield the weights of all terms in all documents: another pass."""
        idf = INVERSE_FREQUENCIES[scheme.idf](self.doc_freq, self.targets.n_documents)
        done = 0
        for batch, counts in self._count_again(self.terms):
            yield batch, weighted(counts, scheme, idf)
            done += len(batch)
            self.progress("selecting", done, self.targets.n_documents)

    def select(self, columns: Ints) -> SelectedDocuments:
        """Return the documents with the selected terms only; the rest, which is large, is freed."""
        terms, doc_freq = [self.terms[column] for column in columns.tolist()], self.doc_freq[columns]
        del self.sample, self.terms, self.doc_freq, self.stats
        give_back()
        return SelectedDocuments(
            terms, doc_freq, self.targets, partial(self._weigh_selected, terms, doc_freq), are_in_memory=False
        )

    def _weigh_selected(self, terms: list[str], doc_freq: Ints, scheme: Scheme, idf: Floats) -> Iterator[CSR]:
        """Yield the weights of the selected terms in all documents: the last pass, whose size is known beforehand."""
        size, n_documents = int(doc_freq.sum()), self.targets.n_documents
        n_values = done = 0
        for batch, counts in self._count_again(terms):
            n_values += counts.nnz
            done += len(batch)
            if n_values > size or done > n_documents:
                raise _changed(self.corpus)
            yield weighed(counts, scheme, idf)
            self.progress("training", done, n_documents)
        if n_values != size or done != n_documents:
            raise _changed(self.corpus)

    def _count_again(self, terms: list[str]) -> Iterator[tuple[Batch, csr_matrix]]:
        counter: TermCounter = clone(self.counter).set_params(vocabulary=terms)
        for batch in self.corpus.batches():
            yield batch, csr_matrix(counter.transform(batch.texts))


def count_texts(
    texts: Iterable[str | bytes],
    labels: Any,
    counter: TermCounter,
    limits: Limits,
    *,
    multilabel: bool | None,
    sample_weight: Any = None,
) -> CountedDocuments:
    """Count documents that are in memory; those of weight 0 are left out."""
    check_limits(**limits)
    times: list[float] | None = None
    if sample_weight is not None:
        texts, labels, times = weighted_texts(texts, labels, sample_weight)
    counts = csr_matrix(counter.fit_transform(texts))
    if labels is None:
        raise InputError("No labels were given; fit(texts, labels) needs one for each text.")
    targets = Targets.of(labels, counts.shape[0], multilabel).weighted(times)
    return CountedDocuments(counts, counter.get_feature_names_out().tolist(), targets, limits)


def count_corpus(
    corpus: Corpus,
    counter: TermCounter,
    limits: Limits,
    *,
    multilabel: bool | None,
    want_stats: bool,
    progress: Progress,
    most_values: int | None = None,
    whole: bool = False,
) -> CountedDocuments | StreamedDocuments:
    """Count the documents of a corpus in one pass; of more than `most_values` counts (`MOST_VALUES`), keep a sample.

    With `whole`, raise `InputError` as soon as there are more.
    """
    check_limits(**limits)
    most = MOST_VALUES if most_values is None else most_values
    kept = Sample()
    labels: list[Labels] = []
    doc_freq = np.zeros(0, np.int64)
    stats: ClassStats | None = None
    for batch in corpus.batches():
        _require_texts(corpus, batch)
        counts = csr_matrix(counter.partial_fit_transform(batch.texts))
        doc_freq = _added(doc_freq, _doc_freq(counts))
        kept.add(counts, len(labels))
        if whole and kept.n_values > most:
            raise too_many(corpus, most)
        labels += batch.labels
        if stats is not None:
            stats.update(counts, batch.labels)
        elif want_stats and kept.n_values > most:  # up to here all documents are there
            stats = ClassStats.from_matrix(kept.matrix(counts.shape[1]), labels)
        while kept.n_values > most and kept.n_documents > 1:
            kept.thin()
        progress("counting", len(labels), None)
    terms = counter.get_feature_names_out().tolist()
    by_alphabet = np.array(sorted(range(len(terms)), key=terms.__getitem__), np.int64)
    multilabel = corpus.multilabel if multilabel is None else multilabel
    targets = Targets.of(labels, len(labels), bool(multilabel))
    sample = CountedDocuments(
        columns_in_order(kept.matrix(len(terms)), by_alphabet),
        [terms[column] for column in by_alphabet.tolist()],
        targets.take(kept.documents),
        limits_of_sample(limits, kept.n_documents / max(len(labels), 1)),
    )
    if kept.has_all:
        return sample
    columns = by_alphabet[terms_within_limits(by_alphabet, len(labels), lambda: (doc_freq, doc_freq), **limits)]
    return StreamedDocuments(
        corpus=corpus,
        counter=counter,
        sample=sample,
        terms=[terms[column] for column in columns.tolist()],
        doc_freq=doc_freq[columns],
        targets=targets,
        stats=None if stats is None else stats.take(columns),
        progress=progress,
    )


def too_many(corpus: Corpus, most: int) -> InputError:
    """Return the error for a corpus with too many counts, where all of them are needed."""
    return InputError(
        f"has more than {most:,} counts, and all of them are to be kept in memory",
        place=corpus.name,
        hint="give a part of the documents",
    )


def _changed(corpus: Corpus) -> InputError:
    return InputError(
        "is not the same when it is read again", place=corpus.name, hint="don't change it while a model is trained"
    )


def weighted(counts: csr_matrix, scheme: Scheme, idf: Floats, dtype: type[np.floating] = np.float32) -> csr_matrix:
    """Return the weights of counts as a matrix; 32 bits are enough, since sums are computed with 64."""
    return narrowed(weighed(counts, scheme, idf), dtype)


def weighed(counts: csr_matrix, scheme: Scheme, idf: Floats) -> CSR:
    """Return the weights of counts as a model computes them."""
    return weigh(CSR.of(counts), tf=scheme.tf, idf=None if scheme.idf == "none" else idf, norm=scheme.norm)


def narrowed(rows: CSR, dtype: type[np.floating]) -> csr_matrix:
    """Return weights as a matrix of another type."""
    return rows._replace(data=rows.data.astype(dtype, copy=False)).matrix()


def columns_in_order(counts: csr_matrix, columns: Ints) -> csr_matrix:
    """Return some columns in the given order. Converting to CSC and back sorts each row faster than sorting row by
    row.
    """
    return counts[:, columns].tocsc().tocsr()


def _doc_freq(counts: csr_matrix) -> Ints:
    """Return the document frequency of each term; only nonzero counts are stored."""
    return np.bincount(counts.indices, minlength=counts.shape[1])


def doc_freq_of(counts: csr_matrix, targets: Targets) -> Counts:
    """Return in how many documents each term is, as their weights say."""
    if targets.weights is None:
        return _doc_freq(counts)
    weights = np.repeat(targets.weights, np.diff(counts.indptr))
    return np.bincount(counts.indices, weights, counts.shape[1]).astype(targets.count_type)


def _added(one: Ints, other: Ints) -> Ints:
    added = np.zeros(max(len(one), len(other)), np.int64)
    added[: len(one)] += one
    added[: len(other)] += other
    return added


def _require_texts(corpus: Corpus, batch: Batch) -> None:
    if batch.vectors is not None:
        raise InputError(
            "holds vectors, not texts, and a categorizer reads texts. For vectors put a selector and a "
            "classifier into scikit-learn's Pipeline.",
            place=corpus.name,
        )
