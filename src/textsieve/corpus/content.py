"""Recognise files that are not text from their first bytes, and name their kind for error messages."""

from __future__ import annotations

from dataclasses import dataclass

from .text import encoding_of

MAGIC = (
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"%PDF-", "a PDF document"),
    (b"PK\x03\x04", "a ZIP archive (Word and Excel files are, too)"),
    (b"\xd0\xcf\x11\xe0", "an old Microsoft Office file"),
    (b"\x1f\x8b", "gzip in another compression"),
    (b"\x28\xb5\x2f\xfd", "zstandard in another compression"),
    (b"BZh", "a bzip2 file"),
    (b"\xfd7zXZ\x00", "an xz file"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"ARROW1", "an Arrow file"),
    (b"\x89HDF", "an HDF5 file"),
    (b"\x93NUMPY", "a NumPy array"),
    (b"\x7fELF", "a program"),
    (b"MZ\x90\x00", "a program"),
)
MARKUP = (
    ("<!doctype html", "HTML"),
    ("<html", "HTML"),
    ("<?xml", "XML"),
    ("<", "markup (HTML, XML or SGML)"),
)

_CONTROLS = bytes(set(range(32)) - set(b"\t\n\v\f\r\b\x1b")) + b"\x7f"
_MOST_CONTROLS = 0.05  # random bytes have 0.1, text in any single-byte encoding almost none
_MOST_NULS = 0.2  # UTF-16 has up to 0.5


def binary_kind(data: bytes) -> str | None:
    """Return the kind of file if the bytes are clearly not text, else None.

    Valid UTF-8 is text, whatever characters it holds: a page padded with NULs is still a page.
    """
    for magic, kind in MAGIC:
        if data.startswith(magic):
            return kind
    if data[257:262] == b"ustar":
        return "a tar archive (unpack it, and give the folder or a file in it)"
    if encoding_of(data[:4], "utf-8").startswith(("utf-16", "utf-32")) or not data:
        return None
    controls = len(data) - len(data.translate(None, _CONTROLS))
    if controls <= _MOST_CONTROLS * len(data) or _is_utf8(data):
        return None
    return f"binary data (it begins with {data[:8]!r})"


@dataclass(frozen=True, slots=True)
class ContentHead:
    """The beginning of a file, as bytes and as text."""

    data: bytes
    text: str
    complete: bool
    """Whether this is the whole file, so that the last line is complete."""

    def lines(self) -> list[str]:
        """Return the complete, nonblank lines; the first line is included even if it is cut."""
        lines = self.text.split("\n")
        if len(lines) > 1 and not self.complete:
            lines.pop()
        return [line.rstrip("\r") for line in lines if line.strip()]

    def not_text(self, encoding: str) -> str | None:
        """Return the kind of file if it cannot be read as text in this encoding, else None."""
        if encoding.lower().replace("_", "-").startswith(("utf-16", "utf-32")):
            return None
        if (kind := binary_kind(self.data)) is not None:
            return kind
        if self.data.count(0) > _MOST_NULS * len(self.data) and encoding_of(self.data[:4], "") == "":
            return "binary data, or text in UTF-16 (if so, give encoding='utf-16-le' or 'utf-16-be')"
        return None

    def markup(self) -> str | None:
        """Return the markup language that the file begins with, or None."""
        start = self.text[:100].lstrip().lower()
        return next((kind for begin, kind in MARKUP if start.startswith(begin)), None)


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        # The head of a file may end in the middle of a character.
        return error.start >= len(data) - 3 and error.reason == "unexpected end of data"
    return True
