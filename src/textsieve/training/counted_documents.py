"""Count documents for training: in memory if the counts fit, otherwise a sample of them and totals of all.

One pass over a corpus counts its terms. If the counts of all documents fit into memory, they are kept
(`CountedDocuments`). Counts are much smaller than texts.

If they don't fit (`StreamedDocuments`), they are written to a temporary file (`SpilledCounts`), which later passes read
in place of the texts. In memory, only the counts of a sample (a half, a quarter, ... of the documents) are kept, for
tuning on held-out documents. If `min_df` and `max_df` are numbers of documents, and not shares, they are multiplied by
the share of the documents that the sample has. The same pass gives, for all documents, the vocabulary, the document
frequencies and, if the selector reads counts, `ClassStats`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from ..arrays import CSR, Counts, Floats, Ints
from ..categorizer_settings import Limits
from ..corpus import Batch, Corpus, Labels
from ..corpus.batch import in_groups
from ..corpus.label_column import LabelColumn
from ..corpus.text_column import warn_of_texts
from ..errors import InputError
from ..memory import give_back
from ..progress import Progress as Progress
from ..selectors.base import ReadAgain
from ..settings import is_whole
from ..stats import ClassStats
from ..stats.labels import LabelPairs
from ..text.choices import COUNTS, Scheme
from ..text.counter import TermCounter
from ..text.tokens import ScriptSample
from ..text.vocabulary import Terms, check_limits, no_terms, terms_within_limits
from ..text.weights import INVERSE_FREQUENCIES, weigh
from .spilled_counts import SpilledCounts
from .targets import Targets, weighted_texts

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
"""The fractional part of the golden ratio, 0.618..., times 2^64."""


class Sample:
    """The counts of all documents, or of a half, a quarter, ... of them, spread evenly over the corpus.

    Document i has the position i x φ modulo 1 (φ is the golden ratio). The positions of consecutive documents, and also
    of every second or every tenth document, are spread evenly between 0 and 1. After one halving, the sample has the
    documents with a position below 1/2, after two those below 1/4, and so on. Taking every second document instead
    could drop a whole class, if classes alternate.
    """

    def __init__(self) -> None:
        """Start without documents."""
        self.n_values = 0  # the number of counts (document, term) in the sample
        self._halvings = 0
        self._parts: list[tuple[Ints, csr_matrix]] = []  # of each batch: the sampled document numbers, and their counts

    @property
    def documents(self) -> Ints:
        """Return the numbers of the documents in the sample."""
        return np.concatenate([documents for documents, _ in self._parts])

    @property
    def n_documents(self) -> int:
        """Return the number of documents in the sample."""
        return sum(len(documents) for documents, _ in self._parts)

    def add(self, counts: csr_matrix, first: int) -> None:
        """Add a batch without the documents that earlier halvings drop; `first` is the number of its first document."""
        self._add_sampled(np.arange(first, first + counts.shape[0]), counts)

    def halve(self) -> None:
        """Drop about half of the documents; document 0 always stays."""
        self._halvings += 1
        parts, self._parts, self.n_values = self._parts, [], 0
        for documents, counts in parts:
            self._add_sampled(documents, counts)

    def _add_sampled(self, documents: Ints, counts: csr_matrix) -> None:
        """Add the documents that survive all halvings so far; `documents` has the number of each row of `counts`."""
        if self._halvings:
            rows = np.flatnonzero(halvings_survived(documents) >= self._halvings)
            documents, counts = documents[rows], counts[rows]
        self._parts.append((documents, counts))
        self.n_values += counts.nnz

    def spill(self) -> SpilledCounts:
        """Write the counts to a temporary file; before the first `halve`, these are the counts of all documents."""
        spilled = SpilledCounts()
        for _, counts in self._parts:
            spilled.append(counts)
        return spilled

    def matrix(self, n_columns: int) -> csr_matrix:
        """Return the counts of the sample as one matrix (documents x terms) with `n_columns` columns."""
        return stack_counts([counts for _, counts in self._parts], n_columns)


def halvings_survived(documents: Ints) -> Ints:
    """Return how many halvings of a `Sample` each document, given by its number, survives.

    Each document has a position from 0 to 1, which its number determines, and a halving keeps the lower half of the
    positions. So a document survives h halvings if its position is below 1/2^h. A position is stored as a 64-bit
    integer, in units of 2^-64, so the number of its leading zero bits is the number of halvings that it survives.
    """
    position = documents.astype(np.uint64) * _GOLDEN  # in units of 2^-64; the overflow takes it modulo 1
    halvings = np.full(len(documents), 64, np.int64)  # 64: all bits are zero
    for n_zeros in range(63, -1, -1):
        has_at_most = position >> np.uint64(63 - n_zeros) != 0  # one of the first `n_zeros` + 1 bits is set
        # Numbers descend, so the last one that is assigned to a document is its exact number of leading zeros.
        halvings[has_at_most] = n_zeros
    return halvings


def stack_counts(parts: list[csr_matrix], n_columns: int) -> csr_matrix:
    """Return the rows of all parts as one matrix with `n_columns`; earlier parts may have fewer columns."""
    n_rows = sum(part.shape[0] for part in parts)
    indptr = np.concatenate([[0], *(np.diff(part.indptr) for part in parts)]).cumsum()
    data = np.concatenate([part.data for part in parts])
    indices = np.concatenate([part.indices for part in parts])
    return csr_matrix((data, indices, indptr), shape=(n_rows, n_columns))


GROUP_CHARACTERS = 1 << 23
"""About how many characters of texts are counted at once: enough to give all threads work.

The counts of their words take about 10 MB, and those of n-grams of 3 to 5 characters up to 200 MB.
"""

MAX_VALUES = 1 << 23
"""The largest number of counts (one for each term of a document) that are kept in memory; each takes eight bytes."""


def limits_of_sample(limits: Limits, share: float) -> Limits:
    """Return the limits for a sample of this share of the documents.

    Limits that are numbers of documents are multiplied by the share, and are at least 1; limits that are shares
    themselves stay.
    """

    def scale(limit: float) -> float:
        """Return a limit for the sample."""
        return max(round(limit * share), 1) if is_whole(limit) else limit

    return {"min_df": scale(limits["min_df"]), "max_df": scale(limits["max_df"])}


def columns_within_limits(doc_freq: Counts, n_documents: float, limits: Limits) -> Ints:
    """Return the columns of the terms whose document frequency is within the limits, and not 0."""
    present = np.flatnonzero(doc_freq)
    is_one_document = is_whole(limits["min_df"]) and limits["min_df"] == 1  # 1.0 is a share: all documents
    if is_one_document and isinstance(n_documents, float):
        # The number is a float if sample weights are not integers (`Targets.count_type`). Then the frequency of a term
        # is a sum of weights, which may be below 1. The default `min_df=1` must not exclude such a term.
        limits = {**limits, "min_df": 0.0}
    # The second array would be the numbers of occurrences, which `min_df` and `max_df` don't use.
    return present[terms_within_limits(present, n_documents, lambda: (doc_freq, doc_freq), **limits)]


class SelectionData(NamedTuple):
    """The input of a selector."""

    stats: ClassStats
    """The statistics of counts or weights, with the names of the classes."""
    weights: ReadAgain
    """Returns the counts or weights of all documents, for selectors that need a second pass over them."""
    sample_weight: Floats | None
    """The sample weight of each document; None: each counts once."""
    labels: LabelPairs
    """The labels of all documents, with the names of the classes."""
    columns: Ints
    """For each column of `stats` and `weights`, the column of the same term in the documents."""


class SelectedDocuments(NamedTuple):
    """Documents with the counts of the selected terms only, best term first."""

    terms: list[str]
    doc_freq: Counts
    targets: Targets
    weigh: Callable[[Scheme, Floats], Iterator[CSR]]
    """Returns the weights of all documents (documents x terms) in batches, given a scheme and the idf."""
    are_in_memory: bool
    """Whether all documents are in memory, and so in a single batch."""

    @classmethod
    def of_counts(cls, counts: csr_matrix, targets: Targets, terms: list[str] | None = None) -> SelectedDocuments:
        """Return documents, given the counts of the selected terms; only dropping coefficients needs their `terms`."""
        return cls(
            terms or [],
            doc_freq_of(counts, targets),
            targets,
            lambda scheme, idf: iter([weigh_counts(counts, scheme, idf)]),
            are_in_memory=True,
        )

    def stack(self, batches: Iterator[csr_matrix]) -> csr_matrix:
        """Return the batches that `weigh` yields as one matrix (documents x terms).

        The arrays of the matrix are allocated once, and each batch is copied into them, so that all batches are never
        in memory beside the matrix. This is possible because the number of values is known: the sum of the document
        frequencies. (Streamed documents have no sample weights, which would change these, and weights of 0 are stored.)
        """
        if self.are_in_memory:
            (rows,) = batches
            return rows
        n_values = int(self.doc_freq.sum())
        index_type: Any = np.int32 if n_values <= np.iinfo(np.int32).max else np.int64
        indices, indptr_parts = np.empty(n_values, index_type), [np.zeros(1, np.int64)]
        data: Any = None
        end = 0
        for rows in batches:
            if data is None:  # the type of the weights is known from the first batch on
                data = np.empty(n_values, rows.dtype)
            data[end : end + rows.nnz], indices[end : end + rows.nnz] = rows.data, rows.indices
            indptr_parts.append(end + rows.indptr[1:].astype(np.int64))
            end += rows.nnz
        indptr = np.concatenate(indptr_parts).astype(index_type)
        return csr_matrix((data, indices, indptr), shape=(len(indptr) - 1, len(self.terms)))


@dataclass(frozen=True)
class CountedDocuments:
    """Counts of documents in memory, and their labels.

    For training, `StreamedDocuments` has the same methods.
    """

    counts: csr_matrix
    """Documents x terms, terms in alphabetical order; all terms, also those outside the limits."""
    terms: Terms
    targets: Targets
    limits: Limits
    """`min_df` and `max_df`, which are not yet applied to the columns.

    A share stands for fewer documents after `take`, so other terms may be within the limits then.
    """

    def take(self, documents: Ints) -> CountedDocuments:
        """Return some of the documents, given by ascending numbers."""
        return CountedDocuments(self.counts[documents], self.terms, self.targets.take(documents), self.limits)

    @cached_property
    def columns_within_limits(self) -> Ints:
        """Return the columns of the terms whose document frequency is within the limits."""
        return columns_within_limits(self.doc_freq, self.targets.n_counted, self.limits)

    @cached_property
    def within_limits(self) -> CountedDocuments:
        """Return the same documents with the terms within the limits only."""
        columns = self.columns_within_limits
        if len(columns) == len(self.terms):
            return self
        terms = self.terms.subset(columns)
        return CountedDocuments(take_columns(self.counts, columns), terms, self.targets, self.limits)

    def weights(self, scheme: Scheme) -> csr_matrix:
        """Return the weights of all terms (documents x terms), with the idf of these documents."""
        if scheme == COUNTS:
            return self.counts
        idf = INVERSE_FREQUENCIES[scheme.idf](self.doc_freq, self.targets.n_counted)
        return weigh_to_matrix(self.counts, scheme, idf)

    @property
    def doc_freq(self) -> Counts:
        """Return the document frequency of each term."""
        return doc_freq_of(self.counts, self.targets)

    # -- the methods that `StreamedDocuments` also has -----------------------------------------------------------

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
        """Return None: settings are tuned on all documents, and not on a sample."""
        return None

    def read_all_terms(self) -> Iterator[csr_matrix]:
        """Yield the counts of all terms, also those outside the limits, in batches of documents."""
        yield self.counts

    def selection_data(self, scheme: Scheme) -> SelectionData:
        """Return the input of a selector that reads weights of this scheme."""
        weights, targets = self.within_limits.weights(scheme), self.targets
        labels = targets.pairs_for_stats()
        stats = ClassStats.from_matrix(weights, labels, sample_weight=targets.weights)
        return SelectionData(stats, lambda: [weights], targets.weights, labels, self.columns_within_limits)

    def select(self, columns: Ints) -> SelectedDocuments:
        """Return the documents with the selected terms only, given their columns."""
        terms = self.terms.take(columns)
        return SelectedDocuments.of_counts(take_columns(self.counts, columns), self.targets, terms)


@dataclass
class StreamedDocuments:
    """A corpus whose counts don't fit into memory: totals of all documents, a sample of them, and a file of all counts.

    Terms are in alphabetical order. In the file, they are in the order in which they were first counted.
    """

    spilled: SpilledCounts
    """The counts of all documents."""
    columns: Ints
    """The column of each of `terms` in `spilled`."""
    all_columns: Ints
    """The column of each term in `spilled`, also of terms outside the limits; terms are in alphabetical order."""
    sample: CountedDocuments
    """The documents to tune on, with all terms."""
    terms: Terms
    """The terms within the limits."""
    doc_freq: Ints
    """For each of `terms`, the number of all documents with it."""
    targets: Targets
    """The labels of all documents."""
    stats: ClassStats | None
    """The statistics of the counts of all documents, with the names of the classes; None if no selector needs them."""
    progress: Progress

    @property
    def n_terms(self) -> int:
        """Return the number of terms within the limits."""
        return len(self.terms)

    @property
    def n_tuned_on(self) -> int | None:
        """Return the number of documents in the sample, on which settings are tuned."""
        return self.sample.targets.n_documents

    def read_all_terms(self) -> Iterator[csr_matrix]:
        """Yield the counts of all terms, also those outside the limits, in batches of documents."""
        return self._read(self.all_columns, "counting")

    def selection_data(self, scheme: Scheme) -> SelectionData:
        """Return the input of a selector that reads weights of this scheme.

        Statistics of weights need a second pass over the counts, because the idf is only known after the first. A
        streamed corpus has no sample weights.
        """
        stats = self.stats
        if stats is None or scheme != COUNTS:
            stats, labels = ClassStats.zero(len(self.terms)), self.targets.for_stats()
            done = 0
            for rows in self._weigh_all(scheme):
                stats.update(rows, labels[done : done + rows.shape[0]])
                done += rows.shape[0]
            stats = stats.renamed(map(self.targets.label_of, stats.classes))  # from class numbers to labels
        return SelectionData(
            stats,
            weights=lambda: self._weigh_all(scheme),
            sample_weight=None,
            labels=self.targets.pairs_for_stats(),
            columns=np.arange(len(self.terms)),
        )

    def _weigh_all(self, scheme: Scheme) -> Iterator[csr_matrix]:
        """Yield the weights of all terms within the limits, in batches of documents."""
        idf = INVERSE_FREQUENCIES[scheme.idf](self.doc_freq, self.targets.n_documents)
        for counts in self._read(self.columns, "selecting"):
            yield weigh_to_matrix(counts, scheme, idf)

    def select(self, columns: Ints) -> SelectedDocuments:
        """Return the documents with the selected terms only, given their columns; free the memory of everything else.

        This deletes the fields that only selection needs, so terms can be selected only once.
        """
        terms, doc_freq, spilled_columns = self.terms.take(columns), self.doc_freq[columns], self.columns[columns]
        del self.sample, self.terms, self.doc_freq, self.stats, self.columns, self.all_columns
        give_back()
        weigh_batches = partial(self._weigh, spilled_columns)
        return SelectedDocuments(terms, doc_freq, self.targets, weigh_batches, are_in_memory=False)

    def _weigh(self, columns: Ints, scheme: Scheme, idf: Floats) -> Iterator[CSR]:
        """Return an iterator over the weights of the terms in some columns of `spilled`, in batches."""
        return (weigh_counts(counts, scheme, idf) for counts in self._read(columns, "training"))

    def _read(self, columns: Ints, stage: str) -> Iterator[csr_matrix]:
        """Yield the counts of the terms in some columns of `spilled`, in batches; report progress after each."""
        done = 0
        for counts in self.spilled.read(columns):
            yield counts
            done += counts.shape[0]
            self.progress(stage, done, self.targets.n_documents)


def count_texts(
    texts: Iterable[str | bytes],
    labels: Any,
    counter: TermCounter,
    limits: Limits,
    *,
    multilabel: bool | None,
    sample_weight: Any = None,
) -> CountedDocuments:
    """Count texts that are in memory; those of sample weight 0 are left out."""
    check_limits(**limits)
    weights: list[float] | None = None
    if sample_weight is not None:
        texts, labels, weights = weighted_texts(texts, labels, sample_weight)
    counts = csr_matrix(counter.fit_transform(texts))
    if labels is None:
        raise InputError("No labels were given", hint="give fit(texts, labels) one for each text")
    targets = Targets.of(labels, counts.shape[0], multilabel).with_weights(weights)
    return CountedDocuments(counts, counter.terms(), targets, limits)


class _CountedSoFar:
    """The batches of a corpus that are counted so far: all counts in memory, or a sample and a file of all counts."""

    def __init__(self, *, want_stats: bool) -> None:
        """Start without documents; `want_stats` says whether `stats` will be needed."""
        self.labels: list[Labels] = []
        self.doc_freq = np.zeros(0, np.int64)
        self.sample = Sample()
        """All documents until `shrink` is called."""
        self.spilled: SpilledCounts | None = None
        """The file of all counts; None until `shrink` is called."""
        self.stats: ClassStats | None = None
        """The statistics of all documents, if they are wanted; None until `shrink` is called."""
        self._want_stats = want_stats

    def add(self, counts: csr_matrix, labels: Sequence[Labels]) -> None:
        """Add a batch of documents: their counts and their labels."""
        self.doc_freq = _add_padded(self.doc_freq, _doc_freq(counts))
        self.sample.add(counts, first=len(self.labels))
        self.labels += labels
        if self.spilled is not None:
            self.spilled.append(counts)
        if self.stats is not None:
            self.stats.update(counts, labels)

    def shrink(self, most_values: int) -> None:
        """Halve the sample until it has at most `most_values` counts; before the first time, write all to a file."""
        if self.spilled is None:  # the sample still has all documents
            self.spilled = self.sample.spill()
            if self._want_stats:
                self.stats = ClassStats.from_matrix(self.sample.matrix(len(self.doc_freq)), self.labels)
        while self.sample.n_values > most_values and self.sample.n_documents > 1:  # document 0 always stays
            self.sample.halve()


def count_corpus(
    corpus: Corpus,
    counter: TermCounter,
    limits: Limits,
    *,
    multilabel: bool | None,
    want_stats: bool,
    progress: Progress,
    most_values: int | None = None,
    require_all: bool = False,
    script_sample: ScriptSample | None = None,
    first_pass: Iterable[Batch] | None = None,
) -> CountedDocuments | StreamedDocuments:
    """Count the documents of a corpus in one pass.

    If there are more than `most_values` counts (default: `MAX_VALUES`), write all counts to a temporary file, and keep
    those of a sample of the documents, and with `want_stats` the `ClassStats` of all documents. With `require_all`,
    raise `InputError` instead.

    `first_pass` has the batches of the corpus, if the caller has already begun to read them. `script_sample` gets the
    texts, of which it examines the first ones.
    """
    check_limits(**limits)
    most_values = MAX_VALUES if most_values is None else most_values
    so_far = _CountedSoFar(want_stats=want_stats)
    batches = corpus.batches(ahead=True) if first_pass is None else iter(first_pass)
    label_column = LabelColumn(corpus, multilabel=multilabel)
    for batch in in_groups(label_column.check_beginning(batches, lambda batch: batch), GROUP_CHARACTERS):
        _require_texts(corpus, batch)
        if not so_far.labels:
            warn_of_texts(corpus, batch.texts)
        if script_sample is not None:
            script_sample.add(batch.texts)
        with corpus.naming_documents(len(so_far.labels), batch.kept):
            counts = csr_matrix(counter.partial_fit_transform(batch.texts))
        so_far.add(counts, batch.labels)
        if so_far.sample.n_values > most_values:
            if require_all:
                raise too_many(corpus, most_values)
            so_far.shrink(most_values)
        progress("counting", len(so_far.labels), None)
    n_documents, doc_freq = len(so_far.labels), so_far.doc_freq
    if n_documents and not doc_freq.size:
        reading = counter.validated_reading()
        reason = reading.no_terms_reason(has_stop_words=counter.stop_words is not None)
        raise no_terms(n_documents, reason).at(corpus.name)
    multilabel = corpus.multilabel if multilabel is None else multilabel
    targets = Targets.of(so_far.labels, n_documents, bool(multilabel))
    label_column.check_whole(dict(zip(map(str, targets.classes), map(len, targets.members), strict=True)))
    # While the vocabulary grew, new terms got the next columns; the result has the terms in alphabetical order.
    terms, alphabetical = counter.terms(), counter.alphabetical()
    sample = CountedDocuments(
        take_columns(so_far.sample.matrix(len(terms)), alphabetical),
        terms.subset(alphabetical),
        targets.take(so_far.sample.documents),
        limits_of_sample(limits, so_far.sample.n_documents / max(n_documents, 1)),
    )
    if so_far.spilled is None:
        return sample  # it has all documents
    # The second array would be the numbers of occurrences, which `min_df` and `max_df` don't use.
    columns = alphabetical[terms_within_limits(alphabetical, n_documents, lambda: (doc_freq, doc_freq), **limits)]
    return StreamedDocuments(
        spilled=so_far.spilled,
        columns=columns,
        all_columns=alphabetical,
        sample=sample,
        terms=terms.subset(columns),
        doc_freq=doc_freq[columns],
        targets=targets,
        stats=None if so_far.stats is None else so_far.stats.take(columns),
        progress=progress,
    )


def too_many(corpus: Corpus, most_values: int) -> InputError:
    """Return the error for a corpus with more counts than fit into memory, where all of them are needed at once."""
    return InputError(
        f"has more than {most_values:,} counts, which is the limit for keeping all of them in memory",
        place=corpus.name,
        hint="give a part of the documents",
    )


def weigh_to_matrix(
    counts: csr_matrix, scheme: Scheme, idf: Floats, dtype: type[np.floating] = np.float32
) -> csr_matrix:
    """Return the weights of counts as a SciPy matrix; 32 bits are enough, since sums are computed with 64."""
    return as_matrix(weigh_counts(counts, scheme, idf), dtype)


def weigh_counts(counts: csr_matrix, scheme: Scheme, idf: Floats) -> CSR:
    """Return the weights of counts (documents x terms), to the bit as a model computes them for prediction."""
    return weigh(CSR.of(counts), tf=scheme.tf, idf=None if scheme.idf == "none" else idf, norm=scheme.norm)


def as_matrix(rows: CSR, dtype: type[np.floating]) -> csr_matrix:
    """Return rows of weights as a SciPy matrix of this type."""
    return rows._replace(data=rows.data.astype(dtype, copy=False)).matrix()


def take_columns(counts: csr_matrix, columns: Ints) -> csr_matrix:
    """Return some columns of counts in the given order; the column indices of each row are sorted."""
    # Converting to CSC and back sorts all rows in linear time, faster than `sort_indices`.
    return counts[:, columns].tocsc().tocsr()


def _doc_freq(counts: csr_matrix) -> Ints:
    """Return the number of documents with each term; no count of 0 is stored, so each stored count is a document."""
    return np.bincount(counts.indices, minlength=counts.shape[1])


def doc_freq_of(counts: csr_matrix, targets: Targets) -> Counts:
    """Return the document frequency of each term; with sample weights, the sum of its documents' weights."""
    if targets.weights is None:
        return _doc_freq(counts)
    weights = np.repeat(targets.weights, np.diff(counts.indptr))
    return np.bincount(counts.indices, weights, counts.shape[1]).astype(targets.count_type)


def _add_padded(first: Ints, second: Ints) -> Ints:
    """Return the sum of two arrays, of which the shorter one is padded with zeros."""
    total = np.zeros(max(len(first), len(second)), np.int64)
    total[: len(first)] += first
    total[: len(second)] += second
    return total


def _require_texts(corpus: Corpus, batch: Batch) -> None:
    """Raise `InputError` for a corpus of vectors."""
    if batch.vectors is not None:
        raise InputError(
            "holds vectors, not texts, and a categorizer reads texts",
            place=corpus.name,
            hint="For vectors, put a selector and a classifier into scikit-learn's Pipeline",
        )
