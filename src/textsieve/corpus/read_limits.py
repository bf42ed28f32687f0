"""`ReadLimits`: the largest document, the largest unpacked file, and whether links may lead out of a folder.

Every reader calls the checks of this class, so that a small file can't fill the memory. Two limits of size are needed:

- A document is held in memory as a whole, so its size has a fixed limit: 100 MB, or 10 MB in the named corpora, where
  the largest file that is read as a whole has 1.7 MB (the sample of DMOZ, unpacked).
- A compressed file is streamed, so its size alone does no harm: a corpus of many GB must be accepted. A decompression
  bomb is recognised by its ratio of unpacked to packed size. The ratio of text is 3 to 20, and that of very repetitive
  logs about 100; but for data that consists of nothing but repetition, gzip reaches 1,000, and zstandard or Parquet far
  more. So a file may unpack to 200 times its own size, or to `max_document` if that is more. `max_unpacked` replaces
  this limit by a number of bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import InputError, Place, Setting

MAX_DOCUMENT = 100 * 10**6
MAX_DOCUMENT_OF_NAMED = 10 * 10**6
"""The default of `max_document` for named corpora."""
MAX_RATIO = 200


@dataclass(frozen=True, slots=True)
class ReadLimits:
    """The limits for reading one corpus."""

    max_document: int = MAX_DOCUMENT
    """Largest document: bytes, or characters where a reader sees text."""
    max_unpacked: int | None = None
    """Largest unpacked file in bytes; None means `MAX_RATIO` times the packed size, but at least `max_document`."""
    follow_links: bool = False
    """Whether to follow links that lead out of a folder of documents."""

    @classmethod
    def from_options(
        cls,
        max_document: int | None = None,
        max_unpacked: int | None = None,
        follow_links: bool = False,
        *,
        is_named: bool = False,
        **others: Any,
    ) -> ReadLimits:
        """Return the limits for options of `read`; other options are ignored.

        `is_named` says that the corpus is a named one, for which `max_document` has a lower default.
        """
        for name, value in (("max_document", max_document), ("max_unpacked", max_unpacked)):
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
                raise InputError(setting=name, value=value, hint="give a number of bytes, at least 1")
        default = MAX_DOCUMENT_OF_NAMED if is_named else MAX_DOCUMENT
        return cls(default if max_document is None else max_document, max_unpacked, bool(follow_links))

    def largest_unpacked(self, packed: int) -> int:
        """Return the number of bytes that a file of `packed` bytes may unpack to."""
        return max(self.max_document, MAX_RATIO * packed) if self.max_unpacked is None else self.max_unpacked

    def check_document(self, size: int, place: Place) -> None:
        """Raise `InputError` if a document is too large; `place` names the file and the line, row or member.

        `size` is the size of the document, or of the part of it that was read so far.
        """
        if size > self.max_document:
            raise InputError(
                f"one document has {size:,} bytes or more, and the limit is {self.max_document:,}",
                place=place,
                hint=hint_to_raise_limit("max_document", size),
            )

    def check_unpacked(self, size: int, packed: int, path: Path | str) -> None:
        """Raise `InputError` if a file of `packed` bytes unpacks to too much; `size` is its unpacked size so far."""
        if size > (limit := self.largest_unpacked(packed)):
            raise InputError(
                f"{packed:,} bytes unpack to {size:,} or more, and the limit is {limit:,}",
                place=str(path),
                hint=hint_to_raise_limit("max_unpacked", size),
            )


def hint_to_raise_limit(limit: str, size: int) -> tuple[str | Setting, ...]:
    """Return the hint to raise the option `limit`, which `size` exceeds, to the next power of ten."""
    sufficient_limit = Setting(limit, 10 ** len(str(size)))
    return ("If the file is what it should be, raise the limit, for example with ", sufficient_limit)


DEFAULT_LIMITS = ReadLimits()
NAMED_LIMITS = ReadLimits(MAX_DOCUMENT_OF_NAMED)
"""The default limits for named corpora."""
