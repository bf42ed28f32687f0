"""Which documents were folded into a model before, by digests of 16 bytes.

A file of corrections grows, and is folded in again and again. A text counts once with the labels that it has: the last
ones that a file says. Of a document that was folded in stays a digest, 12 bytes of its text and 4 of its labels; a
document of the same digest is not learned again. If the text is known and the labels are others, it is learned with
these too: what was learned before can't be taken back without the text.

The time of a correction is no part of the digest: the same text with the same labels says nothing new tomorrow.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from typing import Any

from ..prediction import as_written

OF_TEXT, OF_LABELS = 12, 4
DIGEST = OF_TEXT + OF_LABELS


def digest(text: str, labels: Iterable[Any]) -> bytes:
    """What stays of a document that was folded in."""
    written = "\n".join(sorted(f"{len(label)} {label}" for label in map(as_written, labels)))
    of_text = blake2b(text.encode(errors="surrogatepass"), digest_size=OF_TEXT).digest()
    return of_text + blake2b(written.encode(errors="surrogatepass"), digest_size=OF_LABELS).digest()


def of_text(digest: bytes) -> bytes:
    """The part of a digest that is of the text alone."""
    return digest[:OF_TEXT]
