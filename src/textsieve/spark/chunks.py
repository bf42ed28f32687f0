"""Gather the documents of a partition into chunks that are counted at once.

Spark provides batches with a fixed number of rows, however long they are. They are gathered until there is enough text
to count it efficiently, but never more than that and one batch, so that memory does not grow with the partition.
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
"""About how many characters are counted at once: enough that most terms occur several times in a chunk."""


class Chunk(NamedTuple):
    """Some documents of a partition."""

    texts: list[str]
    labels: pa.Array | None

    def members(self, classes: pa.Array) -> sparse.csr_array:
        """Return the indicator matrix (documents x classes): 1 if a document is in a class."""
        if self.labels is None:
            documents, numbers = np.zeros(0, np.int64), np.zeros(0, np.int64)
        else:
            documents, numbers = _pairs(self.labels, classes)
        ones, shape = np.ones(len(numbers), np.int8), (len(self.texts), len(classes))
        indicators = sparse.csr_array((ones, (documents, numbers)), shape=shape)
        indicators.data.fill(1)  # a label that a document has twice was added up to 2
        return indicators


def chunks_of(batches: Batches, decoding: Decoding = UTF_8, characters: int = CHARACTERS) -> Iterator[Chunk]:
    """Gather batches into chunks."""
    texts: list[str] = []
    labels: list[Any] = []
    size = n_before = 0
    for batch in batches:
        batch_texts = texts_of(batch.column(batch.schema.get_field_index(TEXT)), n_before, decoding)
        n_before += len(batch_texts)
        label_position = batch.schema.get_field_index(LABEL)
        texts += batch_texts
        if label_position >= 0:
            labels.append(batch.column(label_position))
        size += sum(map(len, batch_texts))
        if size >= characters:
            yield Chunk(texts, pa.concat_arrays(labels) if labels else None)
            texts, labels, size = [], [], 0
    if texts:
        yield Chunk(texts, pa.concat_arrays(labels) if labels else None)


def _pairs(labels: pa.Array, classes: pa.Array) -> tuple[Any, Any]:
    """Return pairs of document and class from labels or lists of labels.

    Labels that are not classes (null, an empty text) are left out.
    """
    if pa.types.is_list(labels.type) or pa.types.is_large_list(labels.type):
        documents = pc.list_parent_indices(labels).to_numpy(zero_copy_only=False)
        labels = pc.list_flatten(labels)
    else:
        documents = np.arange(len(labels))
    numbers = pc.index_in(_plain(labels.cast(classes.type)), value_set=classes)
    is_known = pc.is_valid(numbers).to_numpy(zero_copy_only=False)
    return documents[is_known], numbers.drop_null().to_numpy(zero_copy_only=False)


def _plain(labels: pa.Array) -> pa.Array:
    """Return the labels as Spark groups them: it does not distinguish 0.0 and -0.0."""
    return pc.add(labels, 0.0) if pa.types.is_floating(labels.type) else labels
