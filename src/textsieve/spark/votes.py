"""Compute TCFP's votes from documents that are distributed over many machines.

A document votes for a term if the term's weight in it is at least the mean, and the mean is known only when all
documents are. So the weights of each term are brought together: the number of documents of each class with each weight,
which is an integer and adds up exactly (`classifiers.vote_table`). The worker that has all entries of a term computes
the shares of its votes, with the same kernel as on one machine, and only these come to the driver.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import functions as F

from ..arrays import Floats, Ints
from ..classifiers.vote_table import VoteTable, require_weights, vote_shares, vote_table
from ..errors import InputError
from ..kernels.feature_projections import Entries
from ..stats.labels import label_pairs
from ..text.csr import CSR
from ..training.targets import ClassSizes
from .chosen import NO_TERM, ChosenTerms, Seen
from .table import whole_groups
from .worker import mapped

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from .worker import Batches

_ENTRIES = "place int, weight double, class int, documents long"
_VOTES = "place int, shares binary, class int, documents long"


@dataclass(frozen=True)
class _Project:
    """Task that counts how often each term has each weight in the documents of a chunk."""

    chosen: ChosenTerms

    def __call__(self, batches: Batches) -> Batches:
        seen = Seen(len(self.chosen.classes))
        for rows, members in self.chosen.labelled_weights(batches, seen):
            require_weights(rows.data, "TCFP")
            entries = vote_table(CSR.of(rows), label_pairs(members, rows.shape[0]), 1).entries
            places = np.repeat(np.arange(rows.shape[1]), np.diff(entries.starts))
            yield _entries(places, entries.weights, entries.classes, entries.counts)
        classes, documents = seen.rows()
        yield _entries(np.full(len(classes), NO_TERM), np.zeros(len(classes)), classes, documents)


def _entries(places: Ints, weights: Floats, classes: NDArray[np.integer], documents: Ints) -> pa.RecordBatch:
    columns = [places.astype(np.int32), weights, classes.astype(np.int32), documents]
    return pa.record_batch([pa.array(column) for column in columns], names=["place", "weight", "class", "documents"])


@dataclass(frozen=True)
class _Share:
    """Task that computes the votes of terms from sorted entries, and passes on the rows about whole documents."""

    n_classes: int
    factors: Floats

    def __call__(self, batches: Batches) -> Batches:
        for table in whole_groups(batches, "place"):
            place, weight, number, documents = (table[name].to_numpy() for name in table.schema.names)
            is_term = place != NO_TERM
            if not is_term.all():
                document_rows = np.flatnonzero(~is_term)
                yield _votes(
                    place[document_rows], [None] * len(document_rows), number[document_rows], documents[document_rows]
                )
            terms, starts = np.unique(place[is_term], return_index=True)
            entries = Entries(np.append(starts, is_term.sum()), weight[is_term], number[is_term], documents[is_term])
            votes = VoteTable(tuple(range(self.n_classes)), np.zeros(0, np.int64), False, entries)
            shares = vote_shares(votes, self.factors, 1)
            nothing = np.zeros(len(terms), np.int64)
            yield _votes(terms, [row.tobytes() for row in shares], nothing, nothing)


def _votes(places: Ints, shares: list[bytes] | list[None], classes: Ints, documents: Ints) -> pa.RecordBatch:
    numbers = [pa.array(values.astype(np.int32)) for values in (places, classes)]
    columns = [numbers[0], pa.array(shares, pa.binary()), numbers[1], pa.array(documents)]
    return pa.record_batch(columns, names=["place", "shares", "class", "documents"])


def votes_of(
    documents: DataFrame, chosen: ChosenTerms, sizes: ClassSizes, factors: Floats
) -> tuple[NDArray[np.float32], Seen]:
    """Return the shares of the votes of each selected term (terms x classes), and the numbers of this pass."""
    n_classes = len(sizes.classes)
    entries = mapped(documents, _Project(chosen), _ENTRIES).repartition("place")
    added = entries.groupBy("place", "weight", "class").agg(F.sum("documents").alias("documents"))
    shared = mapped(added.sortWithinPartitions("place", "weight", "class"), _Share(n_classes, factors), _VOTES)
    votes = np.zeros((len(chosen.terms), n_classes), np.float32)
    rows = shared.toArrow()
    is_term = rows["place"].to_numpy() != NO_TERM
    for place, shares in zip(rows["place"].to_pylist(), rows["shares"].to_pylist(), strict=True):
        if place != NO_TERM:
            votes[place] = np.frombuffer(shares, np.float32)
    if len(np.unique(rows["place"].to_numpy()[is_term])) < is_term.sum():
        raise InputError(
            "The weights of a term are not all on one machine, so that its votes can't be shared out. Is "
            "spark.sql.requireAllClusterKeysForDistribution set? Train without it."
        )
    classes, numbers = (rows[name].to_numpy()[~is_term] for name in ("class", "documents"))
    return votes, Seen.of_rows(classes, numbers, n_classes)
