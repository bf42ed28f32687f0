"""Digests of 16 bytes that identify documents which were already added to a model.

A file of corrections grows, and each update reads all of it again. So the model keeps a digest of each document that
an update added (a hash of its text in 12 bytes, and one of its labels in 4), and a document with a known digest is not
learned again. If a text comes again with other labels, the model learns it with these, too. What it learned from the
earlier labels stays; only training again removes that.

The time of a correction is not part of the digest, so the same text with the same labels is learned only once.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from typing import Any

from ..prediction import as_written

TEXT_BYTES, LABEL_BYTES = 12, 4
DIGEST = TEXT_BYTES + LABEL_BYTES
"""The number of bytes of a digest."""


def digest(text: str, labels: Iterable[Any]) -> bytes:
    """Return the digest of a document; the order of its labels does not matter."""
    # The length before each label makes the joined text unambiguous, whatever the labels contain.
    joined_labels = "\n".join(sorted(f"{len(label)} {label}" for label in map(as_written, labels)))
    return hash_text(text) + blake2b(joined_labels.encode(errors="surrogatepass"), digest_size=LABEL_BYTES).digest()


def hash_text(text: str) -> bytes:
    """Return the part of a digest that depends on the text only, given the text."""
    return blake2b(text.encode(errors="surrogatepass"), digest_size=TEXT_BYTES).digest()


def text_digest(digest: bytes) -> bytes:
    """Return the part of a digest that depends on the text only, given the digest."""
    return digest[:TEXT_BYTES]
