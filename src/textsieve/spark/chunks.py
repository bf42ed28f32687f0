"""The documents of a partition, in chunks that are counted at once.

Spark hands over batches of a number of rows, whatever their length. They are gathered until there is enough text for
counting to be worth while, and never more than that and one batch, so that what is in memory does not grow with the
partition.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy import sparse

from .columns import LABEL, TEXT
from .texts import UTF_8, Decoding, texts_of

if TYPE_CHECKING:
    from .worker import Batches

CHARACTERS = 1 << 25
"""About how much text is counted at once: enough that most terms of a chunk are there several times."""


class Chunk(NamedTuple):
    """Some documents of a partition."""

    texts: list[str]
    labels: pa.Array | None

    def members(self, classes: pa.Array) -> sparse.csr_array:
        """Documents x classes, 1 where a document is in a class."""
        if self.labels is None:
            documents, numbers = np.zeros(0, np.int64), np.zeros(0, np.int64)
        else:
            documents, numbers = _pairs(self.labels, classes)
        ones, shape = np.ones(len(numbers), np.int8), (len(self.texts), len(classes))
        found = sparse.csr_array((ones, (documents, numbers)), shape=shape)
        found.data.fill(1)  # a label that a document has twice was added up
        return found


def chunks_of(batches: Batches, decoding: Decoding = UTF_8, characters: int = CHARACTERS) -> Iterator[Chunk]:
    """Gather batches into chunks."""
    texts: list[str] = []
    labels: list[Any] = []
    size = seen = 0
    for batch in batches:
        new = texts_of(batch.column(batch.schema.get_field_index(TEXT)), seen, decoding)
        seen += len(new)
        at = batch.schema.get_field_index(LABEL)
        texts += new
        if at >= 0:
            labels.append(batch.column(at))
        size += sum(map(len, new))
        if size >= characters:
            yield Chunk(texts, pa.concat_arrays(labels) if labels else None)
            texts, labels, size = [], [], 0
    if texts:
        yield Chunk(texts, pa.concat_arrays(labels) if labels else None)


def _pairs(labels: pa.Array, classes: pa.Array) -> tuple[Any, Any]:
    """Pairs of document and class, from labels or lists of them; what is no class (null, an empty text) is left out."""
    if pa.types.is_list(labels.type) or pa.types.is_large_list(labels.type):
        documents = pc.list_parent_indices(labels).to_numpy(zero_copy_only=False)
        labels = pc.list_flatten(labels)
    else:
        documents = np.arange(len(labels))
    numbers = pc.index_in(_plain(labels.cast(classes.type)), value_set=classes)
    is_known = pc.is_valid(numbers).to_numpy(zero_copy_only=False)
    return documents[is_known], numbers.drop_null().to_numpy(zero_copy_only=False)


def _plain(labels: pa.Array) -> pa.Array:
    """Labels as Spark groups them, for which 0.0 and -0.0 are the same."""
    return pc.add(labels, 0.0) if pa.types.is_floating(labels.type) else labels
