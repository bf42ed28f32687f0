"""Documents to counts that stay in memory; and if they are too many, a sample of them and the totals of all.

A pass over a corpus counts its terms. As long as the counts of all documents fit into memory, which is far longer than
their texts would, they are kept and no second pass is needed. Beyond that only a sample stays, a half, a quarter, ...
of the documents, for what is tuned on held-out documents (if a term must be in some number of documents, it must be in
a half, a quarter, ... of that number there); of all documents there are then the vocabulary, in how many documents each
term is, and, if the selector reads counts, their `ClassStats`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypedDict

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from ..corpus import Batch, Corpus, Labels
from ..errors import InputError
from ..settings import is_whole
from ..stats import ClassStats
from ..stats.sums import Counts
from ..text.counter import TermCounter
from ..text.pruning import check_limits, kept_terms
from ..text.rows import Rows
from ..text.schemes import COUNTS, Scheme
from ..text.weights import INVERSE_FREQUENCIES, weigh
from .sample import Sample
from .targets import Targets, weighted_texts

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Progress = Callable[[str, int, int | None], None]
"""Told the stage, what is done of it, and how much it is in all, if that is known."""

MOST_VALUES = 1 << 23
"""How many counts of a corpus are kept in memory; eight bytes each."""


class Limits(TypedDict):
    """Of the documents that a term may be in; see `TermCounter`."""

    min_df: float
    max_df: float


def limits_of_sample(limits: Limits, share: float) -> Limits:
    """Limits for a sample that is this share of the documents: numbers of documents shrink with it, shares don't."""

    def shrunk(limit: float) -> float:
        return max(round(limit * share), 1) if is_whole(limit) else limit

    return {"min_df": shrunk(limits["min_df"]), "max_df": shrunk(limits["max_df"])}


@dataclass(frozen=True)
class Counted:
    """Counts of documents, columns in the order of the alphabet, with their labels."""

    counts: csr_matrix
    terms: list[str]
    targets: Targets
    limits: Limits
    """Not kept to yet: they are numbers and shares of documents, and `take` gives fewer."""

    def take(self, documents: Ints) -> Counted:
        """Some of the documents, in ascending order."""
        return Counted(self.counts[documents], self.terms, self.targets.take(documents), self.limits)

    @cached_property
    def columns_within_limits(self) -> Ints:
        """The columns of the terms that these documents have, in neither too few nor too many of them."""
        doc_freq, limits, n_documents = self.doc_freq, self.limits, self.targets.n_counted
        present = np.flatnonzero(doc_freq)
        if isinstance(n_documents, float) and limits["min_df"] == 1:  # which leaves out no term, whatever its weight
            limits = {**limits, "min_df": 0.0}
        return present[kept_terms(present, n_documents, lambda: (doc_freq, doc_freq), **limits)]

    @cached_property
    def within_limits(self) -> Counted:
        """The same documents with these terms alone."""
        columns = self.columns_within_limits
        if len(columns) == len(self.terms):
            return self
        terms = [self.terms[column] for column in columns.tolist()]
        return Counted(columns_in_order(self.counts, columns), terms, self.targets, self.limits)

    def weights(self, scheme: Scheme) -> csr_matrix:
        """The counts, weighted as these documents alone say."""
        if scheme == COUNTS:
            return self.counts
        return weighted(self.counts, scheme, INVERSE_FREQUENCIES[scheme.idf](self.doc_freq, self.targets.n_counted))

    @property
    def doc_freq(self) -> Counts:
        """In how many documents each term is."""
        return doc_freq_of(self.counts, self.targets)


@dataclass
class Streamed:
    """What is known of documents whose counts do not fit into memory; columns in the order of the alphabet."""

    sample: Counted
    terms: list[str]  # within the limits
    doc_freq: Ints
    targets: Targets
    stats: ClassStats | None
    """Of the counts of all documents, classes by name, if they were asked for."""

    def reduced(self, columns: Ints) -> Chosen:
        """What is still wanted once the terms are chosen. The rest, which is large, is forgotten."""
        terms = [self.terms[column] for column in columns.tolist()]
        chosen = Chosen(terms, self.doc_freq[columns], self.targets.n_documents)
        del self.sample, self.terms, self.doc_freq, self.stats
        return chosen


class Chosen(NamedTuple):
    """The terms that were chosen, the best first, and in how many of all documents each is."""

    terms: list[str]
    doc_freq: Ints
    n_documents: int


def count_texts(
    texts: Iterable[str | bytes],
    labels: Any,
    counter: TermCounter,
    limits: Limits,
    *,
    multilabel: bool | None,
    sample_weight: Any = None,
) -> Counted:
    """Count documents that are in memory already; those of weight 0 are left out."""
    check_limits(**limits)
    times: list[float] | None = None
    if sample_weight is not None:
        texts, labels, times = weighted_texts(texts, labels, sample_weight)
    counts = csr_matrix(counter.fit_transform(texts))
    if labels is None:
        raise InputError("No labels were given; fit(texts, labels) needs one for each text.")
    targets = Targets.of(labels, counts.shape[0], multilabel).weighted(times)
    return Counted(counts, counter.get_feature_names_out().tolist(), targets, limits)


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
) -> Counted | Streamed:
    """Count the documents of a corpus in one pass; of more than `most_values` counts (`MOST_VALUES`) a sample stays.

    If they are wanted `whole`, more are refused, as soon as they are there.
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
    several = corpus.multilabel if multilabel is None else multilabel
    targets = Targets.of(labels, len(labels), bool(several))
    sample = Counted(
        columns_in_order(kept.matrix(len(terms)), by_alphabet),
        [terms[column] for column in by_alphabet.tolist()],
        targets.take(kept.documents),
        limits_of_sample(limits, kept.n_documents / max(len(labels), 1)),
    )
    if kept.has_all:
        return sample
    columns = by_alphabet[kept_terms(by_alphabet, len(labels), lambda: (doc_freq, doc_freq), **limits)]
    chosen = [terms[column] for column in columns.tolist()]
    return Streamed(sample, chosen, doc_freq[columns], targets, None if stats is None else stats.take(columns))


def weighted_stats(
    corpus: Corpus, streamed: Streamed, counter: TermCounter, scheme: Scheme, progress: Progress
) -> ClassStats:
    """The `ClassStats` of the weights of all documents: a second pass, now that the idf is known."""
    stats = ClassStats.zero(len(streamed.terms))
    for batch, rows in _weighted_anew(corpus, streamed, counter, scheme, progress):
        stats.update(rows, batch.labels)
    return stats


def weighted_documents(
    corpus: Corpus, streamed: Streamed, counter: TermCounter, scheme: Scheme, progress: Progress
) -> Iterator[csr_matrix]:
    """The weights of all documents, batch by batch: one more pass, for a selector that statistics do not do for."""
    return (rows for _, rows in _weighted_anew(corpus, streamed, counter, scheme, progress))


def _weighted_anew(
    corpus: Corpus, streamed: Streamed, counter: TermCounter, scheme: Scheme, progress: Progress
) -> Iterator[tuple[Batch, csr_matrix]]:
    idf = INVERSE_FREQUENCIES[scheme.idf](streamed.doc_freq, streamed.targets.n_documents)
    done = 0
    for batch in corpus.batches():
        yield batch, weighted(csr_matrix(counter.transform(batch.texts)), scheme, idf)
        done += len(batch)
        progress("selecting", done, streamed.targets.n_documents)


def weighted_batches(
    corpus: Corpus,
    counter: TermCounter,
    scheme: Scheme,
    idf: Floats,
    chosen: Chosen,
    dtype: type[np.floating],
    progress: Progress,
) -> Iterator[csr_matrix]:
    """The weights of the chosen terms in all documents: the last pass. How many there are is known before."""
    size, n_documents = int(chosen.doc_freq.sum()), chosen.n_documents
    at = done = 0
    for batch in corpus.batches():
        rows = weighted(csr_matrix(counter.transform(batch.texts)), scheme, idf, dtype)
        at += rows.nnz
        done += len(batch)
        if at > size or done > n_documents:
            raise _changed(corpus)
        yield rows
        progress("training", done, n_documents)
    if at != size or done != n_documents:
        raise _changed(corpus)


def stacked(batches: Iterable[csr_matrix], chosen: Chosen) -> csr_matrix:
    """Batches of weights as one matrix; room for all is made before, so that they are never there twice."""
    size = int(chosen.doc_freq.sum())
    index_type: Any = np.int32 if size <= np.iinfo(np.int32).max else np.int64
    columns, starts = np.empty(size, index_type), [np.zeros(1, np.int64)]
    values: Any = None
    at = 0
    for rows in batches:
        if values is None:
            values = np.empty(size, rows.dtype)
        values[at : at + rows.nnz], columns[at : at + rows.nnz] = rows.data, rows.indices
        starts.append(at + rows.indptr[1:].astype(np.int64))
        at += rows.nnz
    indptr = np.concatenate(starts).astype(index_type)
    return csr_matrix((values, columns, indptr), shape=(len(indptr) - 1, len(chosen.terms)))


def too_many(corpus: Corpus, most: int) -> InputError:
    """What is said if all counts of a corpus are wanted, and they are too many."""
    return InputError(
        f"{corpus.name}: has more than {most:,} counts, and all of them are to be kept in memory; give a part of the "
        "documents."
    )


def _changed(corpus: Corpus) -> InputError:
    return InputError(
        f"{corpus.name}: is not the same when it is read again; don't change it while a model is trained."
    )


def weighted(counts: csr_matrix, scheme: Scheme, idf: Floats, dtype: type[np.floating] = np.float32) -> csr_matrix:
    """Counts to weights; 32 bits are enough for what is added up, which is done with 64."""
    return narrowed(weighed(counts, scheme, idf), dtype)


def weighed(counts: csr_matrix, scheme: Scheme, idf: Floats) -> Rows:
    """Counts to weights as a model has them."""
    return weigh(Rows.of(counts), tf=scheme.tf, idf=None if scheme.idf == "none" else idf, norm=scheme.norm)


def narrowed(rows: Rows, dtype: type[np.floating]) -> csr_matrix:
    """Weights as a matrix of another type."""
    return rows._replace(values=rows.values.astype(dtype, copy=False)).matrix()


def columns_in_order(counts: csr_matrix, columns: Ints) -> csr_matrix:
    """Some columns, in the given order. To columns and back sorts each row, faster than sorting row by row."""
    return counts[:, columns].tocsc().tocsr()


def _doc_freq(counts: csr_matrix) -> Ints:
    """In how many documents each term is; a count is stored only where there is one."""
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
            f"{corpus.name}: holds vectors, not texts, and a categorizer reads texts. For vectors put a selector and a "
            "classifier into scikit-learn's Pipeline."
        )
