"""One pass over generated matrices of the sizes of RCV1 and ODP: the time of statistics and scores, and the memory.

The frequency of a term falls with its rank as (rank + q)^-s, the law of Zipf and Mandelbrot; columns are in random
order. A fifth of a document's terms comes from the 2,000 terms of its topic. Counts of terms are geometric (0.7), the
lengths of documents log-normal (0.6), and the frequency of a topic is proportional to 1 / (rank + 3).

RCV1's topics are a tree. A document has all topics above its own, and about a third of the documents have a second
topic of their own; that makes 3.4 topics on average. As an easier job, each document has a single topic.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from textsieve import OCFS, TOFA, ChiSquare, ClassStats, DocumentFrequency, InformationGain
from textsieve.selectors import TermSelector

from .harness import Result, peak, versus

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

SCORES: dict[str, Callable[[], TermSelector]] = {
    "DF": DocumentFrequency,
    "IG": InformationGain,
    "CHI": ChiSquare,
    "OCFS": OCFS,
    "TOFA": lambda: TOFA(weight=0.5),
}
N_TOPIC_TERMS = 2000
"""The size of a topic's own vocabulary."""
ODP_LIMIT = 4 * 10**9
"""The aim for the peak memory, in bytes."""


class Shape(NamedTuple):
    """The size of a collection, and the distribution of its terms."""

    n_documents: int
    n_terms: int
    n_classes: int
    length: float
    """The mean number of terms that are drawn for a document; some are drawn repeatedly."""
    q: float
    s: float


RCV1 = Shape(804_414, 47_236, 103, length=85, q=100, s=1.6)
ODP = Shape(1_733_500, 7_655_415, 13, length=65, q=300, s=1.0)


class Generator:
    """Generates documents of a shape, in batches."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self._random = np.random.default_rng(0)
        self._columns = self._random.permutation(shape.n_terms).astype(np.int32)
        """The column of each term, by its rank."""
        uniform = self._random.random((shape.n_classes, N_TOPIC_TERMS))
        self._topic_columns = self._columns[_draw_ranks(uniform, shape.n_terms, shape.q, shape.s)]
        frequencies = self._random.permutation(1.0 / (np.arange(shape.n_classes) + 3.0))
        self.topic_shares: Floats = np.asarray(frequencies / frequencies.sum(), np.float64)

    def batch(self, n: int) -> tuple[sparse.csr_array, Ints]:
        """Return the counts of n documents, and the topic of each."""
        generator, shape = self._random, self.shape
        topics = generator.choice(shape.n_classes, n, p=self.topic_shares)
        # A log-normal distribution with sigma 0.6 has its mean at exp(mu + 0.18).
        lengths = np.clip(generator.lognormal(np.log(shape.length) - 0.18, 0.6, n), 8, 2000).astype(np.int64)
        ends = np.cumsum(lengths)
        columns = self._columns[_draw_ranks(generator.random(ends[-1]), shape.n_terms, shape.q, shape.s)]
        # A fifth of the terms is replaced by terms of the document's topic.
        replaced = np.flatnonzero(generator.random(ends[-1], dtype=np.float32) < 0.2)
        replaced_topics = np.repeat(topics, lengths)[replaced]
        topic_ranks = _draw_ranks(generator.random(len(replaced)), N_TOPIC_TERMS, 10.0, 1.2)
        columns[replaced] = self._topic_columns[replaced_topics, topic_ranks]
        counts = generator.geometric(0.7, ends[-1])
        indptr = np.concatenate([[0], ends]).astype(np.int32)
        rows = sparse.csr_array((counts, columns, indptr), shape=(n, shape.n_terms))
        rows.sum_duplicates()
        return rows, topics

    def batches(self, size: int) -> Iterator[tuple[sparse.csr_array, Ints]]:
        """Yield all documents of the shape, in batches of this size."""
        for begin in range(0, self.shape.n_documents, size):
            yield self.batch(min(size, self.shape.n_documents - begin))


def _draw_ranks(uniform: Floats, n: int, q: float, s: float) -> Ints:
    """Turn uniform random numbers into ranks below n whose probabilities fall as (rank + q)^-s.

    This inverts the integral of (x + q)^-s from 0 to the rank, as a share of that from 0 to n.
    """
    if s == 1.0:
        return np.asarray(q * np.exp(uniform * np.log((n + q) / q)) - q, np.int64).clip(0, n - 1)
    first, last = q ** (1 - s), (n + q) ** (1 - s)
    return np.asarray((first + uniform * (last - first)) ** (1 / (1 - s)) - q, np.int64).clip(0, n - 1)


def rcv1() -> tuple[sparse.csr_array, Ints, sparse.csr_array]:
    """Return a matrix of RCV1's shape, a single topic for each document, and an indicator matrix of all its topics."""
    generator = Generator(RCV1)
    rows, topics = zip(*generator.batches(50_000), strict=True)
    single_topics = np.concatenate(topics)
    return sparse.vstack(rows, format="csr"), single_topics, _add_topics(single_topics, generator.topic_shares)


def _add_topics(single_topics: Ints, topic_shares: Floats) -> sparse.csr_array:
    """Return an indicator matrix: the single topic, a second for a third of the documents, and all topics above them.

    The topics are a tree of three levels: 4, 36, and the others.
    """
    generator = np.random.default_rng(1)
    parents = np.full(RCV1.n_classes, -1)
    parents[4:40] = generator.integers(0, 4, 36)
    parents[40:] = generator.integers(4, 40, RCV1.n_classes - 40)
    labels = np.zeros((len(single_topics), RCV1.n_classes), np.int8)
    with_second = np.flatnonzero(generator.random(len(single_topics)) < 0.35)
    for documents, topics in (
        (np.arange(len(single_topics)), single_topics),
        (with_second, generator.choice(RCV1.n_classes, len(with_second), p=topic_shares)),
    ):
        while len(documents):  # one level of the tree after the other, upwards
            labels[documents, topics] = 1
            has_parent = np.flatnonzero(parents[topics] >= 0)
            documents, topics = documents[has_parent], parents[topics[has_parent]]
    return sparse.csr_array(labels)


# -- RCV1: time ------------------------------------------------------------------------------------------------------


def results() -> list[Result]:
    """Time the pass beside reading the matrix's arrays, and the scores beside the pass and beside each other."""
    counts, single_topics, all_topics = rcv1()
    int32_counts = sparse.csr_array((counts.data.astype(np.int32), counts.indices, counts.indptr), shape=counts.shape)
    rows = [_time_pass("one topic a document, 32-bit counts", int32_counts, single_topics, times_reading=3)]
    del int32_counts
    mean_topics = all_topics.nnz / len(single_topics)
    for name, labels, times_reading in (
        ("one topic a document", single_topics, 3),
        (f"{mean_topics:.1f} topics", all_topics, 4),
    ):
        rows += [_time_pass(name, counts, labels, times_reading), *_time_scores(name, counts, labels)]
    return rows


def _time_pass(name: str, counts: sparse.csr_array, labels: Any, times_reading: int) -> Result:
    return versus(
        f"RCV1's shape, {name}: `ClassStats.from_matrix`; aim: at most {times_reading} times reading",
        lambda: ClassStats.from_matrix(counts, labels),
        lambda: counts.data.sum() + counts.indices.sum(),
        "adding up the matrix's arrays",
        target=1 / times_reading,
        their_repeats=7,
        why="each value is read once, packed once, and added once for each group of its document",
    )


def _time_scores(name: str, counts: sparse.csr_array, labels: Any) -> list[Result]:
    stats = ClassStats.from_matrix(counts, labels)
    jobs = {score: partial(_score, make, stats) for score, make in SCORES.items()}

    def compute_all() -> None:
        for job in jobs.values():
            job()

    return [
        versus(
            f"{name}: scores of {', '.join(jobs)} together",
            compute_all,
            lambda: ClassStats.from_matrix(counts, labels),
            "the pass",
            target=10,
            why=f"{len(stats.cells.terms) / 1e6:.1f} million filled cells are read again for each of them",
        ),
        versus(f"{name}: OCFS", jobs["OCFS"], jobs["IG"], "our IG", target=2, repeats=15, their_repeats=15),
        versus(f"{name}: TOFA", jobs["TOFA"], jobs["IG"], "our IG", target=1, repeats=15, their_repeats=15),
    ]


def _score(make: Callable[[], TermSelector], stats: ClassStats) -> Floats:
    return make().score_terms(stats)


# -- ODP: memory -----------------------------------------------------------------------------------------------------


def stream() -> None:
    """Add all documents to one table and score its terms; print the peak memory, seconds, cells and terms."""
    stats, seconds = ClassStats.zero(), 0.0
    for counts, topic in Generator(ODP).batches(50_000):
        begin = time.perf_counter()
        stats.update(counts, topic)
        seconds += time.perf_counter() - begin
    begin = time.perf_counter()
    cells = stats.cells
    seconds += time.perf_counter() - begin
    for make in SCORES.values():
        _score(make, stats)
    print(peak(), seconds, len(cells.terms), np.count_nonzero(stats.doc_freq))


def memory() -> str:
    """Return a paragraph on the peak memory of a process that adds up a generated stream of ODP's shape."""
    command = [sys.executable, "-c", "from benchmarks.one_pass import stream; stream()"]
    process = subprocess.run(command, check=True, capture_output=True, text=True)
    peak_bytes, seconds, n_cells, n_terms = map(float, process.stdout.split())
    verdict = "met" if peak_bytes < ODP_LIMIT else "**missed**"
    return (
        f"A stream of ODP's shape, generated and added up in one process: {ODP.n_documents:,} documents in batches of "
        f"50,000, {ODP.n_terms:,} columns of which {n_terms:,.0f} occur, {ODP.n_classes} classes, {n_cells / 1e6:.0f} "
        f"million filled cells: {peak_bytes / 1e9:.2f} GB at the peak, all scores included, {seconds:.0f} s for "
        f"`update`; aim: under {ODP_LIMIT / 1e9:.0f} GB, {verdict}."
    )
