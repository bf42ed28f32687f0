"""A digest of all documents of a corpus, by which `textsieve update` notices that a source has changed.

It is computed while the documents are read, so it needs no other pass over them, and works for files, folders and named
corpora alike. It depends on the texts and labels, in their order. It does not depend on how a file is compressed or on
columns that are not read, because these change nothing in training.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import blake2b

from .batch import Batch, Labels

DIGEST_BYTES = 16


class CorpusDigest:
    """The digest and the number of the documents in the last complete pass over a corpus.

    It is the `transform` of `Corpus.mapped`. The digest is a text of hexadecimal digits, or None before the first pass.
    """

    def __init__(self) -> None:
        self.digest: str | None = None
        self.documents = 0

    def __call__(self, batches: Iterable[Batch]) -> Iterator[Batch]:
        """Yield the batches of a pass, and compute its digest."""
        hasher = blake2b(digest_size=DIGEST_BYTES)
        n_documents = 0
        for batch in batches:
            hasher.update("".join(_fields_of(batch)).encode(errors="surrogatepass"))
            n_documents += len(batch)
            yield batch
        self.digest, self.documents = hasher.hexdigest(), n_documents


def _fields_of(batch: Batch) -> Iterator[str]:
    """Yield texts and labels, each after its length, so that no other documents give the same sequence."""
    label_fields: dict[Labels, str] = {}
    for text, labels in zip(batch.texts, batch.labels, strict=False):  # vectors have no texts
        if labels not in label_fields:
            label_fields[labels] = f"{len(labels)}:" + "".join(f"{len(label)}:{label}" for label in labels)
        yield f"{len(text)}:{text}{label_fields[labels]}"
