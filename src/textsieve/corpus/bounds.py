"""Limits on what reading may take: the size of a document and of an unpacked file, and links that leave a folder.

Every reader goes through these checks, so that a small file can't fill the memory. Two limits are needed:

- A document is held in memory as a whole, so its size has a fixed limit: 100 MB, or 10 MB in the named corpora, where
  the largest file that is read as a whole has 1.7 MB (the sample of DMOZ, unpacked).
- A packed file is streamed, so its size alone does no harm: a corpus of many GB must pass. What gives a bomb away is
  the ratio. Text packs 3 to 20 times smaller, very repetitive logs about 100 times, while gzip reaches 1,000 and
  zstandard or Parquet far more with nothing but repetition. So a file may unpack to 200 times its own size, or to one
  document of the largest size if that is more. `max_unpacked` replaces this by a number of bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import InputError, shown

MAX_DOCUMENT = 100 * 10**6
MAX_DOCUMENT_OF_NAMED = 10 * 10**6
"""Of a corpus that has a name."""
MAX_RATIO = 200


@dataclass(frozen=True, slots=True)
class Bounds:
    """The limits of one corpus."""

    max_document: int = MAX_DOCUMENT
    """Largest document: bytes, or characters where a reader sees text."""
    max_unpacked: int | None = None
    """Largest unpacked file in bytes; None means `MAX_RATIO` times the packed size, but at least `max_document`."""
    follow_links: bool = False
    """Whether links may lead out of a folder of documents."""

    @classmethod
    def checked(
        cls,
        max_document: int | None = None,
        max_unpacked: int | None = None,
        follow_links: bool = False,
        *,
        is_named: bool = False,
        **others: Any,
    ) -> Bounds:
        """Build the limits from the options of `read`, of which all others are ignored."""
        for name, value in (("max_document", max_document), ("max_unpacked", max_unpacked)):
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
                raise InputError(f"{name}={shown(value)}: give a number of bytes, at least 1.")
        usual = MAX_DOCUMENT_OF_NAMED if is_named else MAX_DOCUMENT
        return cls(usual if max_document is None else max_document, max_unpacked, bool(follow_links))

    def largest_unpacked(self, packed: int) -> int:
        """Return to how many bytes a file of `packed` bytes may unpack."""
        return max(self.max_document, MAX_RATIO * packed) if self.max_unpacked is None else self.max_unpacked

    def check_document(self, size: int, place: str) -> None:
        """Raise `InputError` if a document is too large; `place` names the file and the line, row or member."""
        if size > self.max_document:
            raise InputError(
                f"{place}: one document has {size:,} bytes or more, and the limit is {self.max_document:,}. "
                f"{how_to_raise('max_document', size)}"
            )

    def check_unpacked(self, size: int, packed: int, path: Path | str) -> None:
        """Raise `InputError` if a file of `packed` bytes unpacks to too much; `size` is how much it is so far."""
        if size > (limit := self.largest_unpacked(packed)):
            raise InputError(
                f"{path}: {packed:,} bytes unpack to {size:,} or more, and the limit is {limit:,}. "
                f"{how_to_raise('max_unpacked', size)}"
            )


def how_to_raise(limit: str, size: int) -> str:
    """Return the sentence on raising a limit that `size` exceeds, with a power of ten that is enough for it."""
    return f"If the file is what it should be, raise the limit, for example with {limit}={10 ** len(str(size)):_}."


DEFAULT = Bounds()
NAMED = Bounds(MAX_DOCUMENT_OF_NAMED)
"""The limits of a corpus that has a name."""
