"""Digests of 16 bytes that identify documents which were already added to a model.

A file of corrections grows and is used for updates again and again. A text counts once with its labels, which are the
last ones in the file. Of a document that was added, a digest is kept: 12 bytes of its text and 4 of its labels. A
document with the same digest is not learned again. If the text is known with other labels, it is learned with these,
too; what was learned before can't be removed without the text.

The time of a correction is not part of the digest: the same text with the same labels says nothing new tomorrow.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from typing import Any

from ..prediction import as_written

TEXT_BYTES, LABEL_BYTES = 12, 4
DIGEST = TEXT_BYTES + LABEL_BYTES
"""Number of bytes of a digest: of the text, and of the labels."""


def digest(text: str, labels: Iterable[Any]) -> bytes:
    """Return the digest of a document that was added."""
    written = "\n".join(sorted(f"{len(label)} {label}" for label in map(as_written, labels)))
    text_part = blake2b(text.encode(errors="surrogatepass"), digest_size=TEXT_BYTES).digest()
    return text_part + blake2b(written.encode(errors="surrogatepass"), digest_size=LABEL_BYTES).digest()


def text_digest(digest: bytes) -> bytes:
    """Return the part of a digest that depends on the text only."""
    return digest[:TEXT_BYTES]
