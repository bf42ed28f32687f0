"""Detect the format of a file from its content.

`FORMATS` has one row for each format; it drives detection, the error messages and the documentation. The content takes
precedence over the file extension, because files are renamed more often than they are rewritten. The rows are in the
order in which they are tried: formats with an unmistakable beginning come first. `MAGIC` and `MARKUP` recognise other
kinds of files, such as images and HTML, so that the error can say what the file is.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ..errors import InputError, Setting
from .batch import Report
from .source import Source, is_conventional
from .streams import COMPRESSIONS, HEAD, decode, encoding_of, read_head

MAGIC = (
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"%PDF-", "a PDF document"),
    (b"PK\x03\x04", "a ZIP archive (Word files are, too)"),
    (b"\xd0\xcf\x11\xe0", "a Microsoft Office file that is old (such as .xls) or has a password"),
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
"""The first bytes of files that are not text, and what such a file is.

The bytes of a file are unpacked before they are compared, so gzip or zstandard here means that it was packed twice.
"""
_OPEN_DOCUMENT_SPREADSHEET = b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet"
"""The name and the content of the first member of a ZIP archive that is such a file; they follow 30 bytes."""
MARKUP = (
    ("<!doctype html", "HTML"),
    ("<html", "HTML"),
    ("<?xml", "XML"),
    ("<", "markup (HTML, XML or SGML)"),
)
"""The beginnings of files in markup languages, in lowercase."""

_CONTROLS = bytes(set(range(32)) - set(b"\t\n\v\f\r\b\x1b")) + b"\x7f"
_MAX_CONTROLS = 0.05  # largest share in text; random bytes have 0.1, text in any single-byte encoding almost none
_MAX_NULS = 0.2  # largest share in text, except in UTF-16, which has up to 0.5


def binary_kind(data: bytes) -> str | None:
    """Return the kind of file if the bytes are clearly not text, such as "a PDF document"; else None.

    If the bytes do not begin like a file in `MAGIC`, they are text if they begin with a byte order mark of UTF-16 or
    UTF-32, if they have few control characters, or if they are valid UTF-8, such as a page that is padded with NULs.
    """
    if (kind := _kind_by_signature(data)) is not None:
        return kind
    if encoding_of(data[:4], "utf-8").startswith(("utf-16", "utf-32")) or not data:
        return None
    controls = len(data) - len(data.translate(None, _CONTROLS))
    if controls <= _MAX_CONTROLS * len(data) or _is_utf8(data):
        return None
    return f"binary data (it begins with {data[:8]!r})"


def _kind_by_signature(data: bytes) -> str | None:
    """Return the kind of file that begins with these bytes: one in `MAGIC`, or another one that is known; else None."""
    if data[257:262] == b"ustar":  # in the first header of a tar
        return "a tar archive (unpack it, and give the folder or a file in it)"
    if data.startswith(b"PK\x03\x04") and data[30:].startswith(_OPEN_DOCUMENT_SPREADSHEET):
        return "an OpenDocument spreadsheet (save it as .xlsx or .csv)"
    return next((kind for magic, kind in MAGIC if data.startswith(magic)), None)


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
            lines.pop()  # the last line may be cut
        return [line.rstrip("\r") for line in lines if line.strip()]

    def kind_if_not_text(self, encoding: str) -> str | None:
        """Return the kind of file if it cannot be read as text in this encoding, else None.

        Unlike the function `binary_kind`, this also rejects UTF-16 without a byte order mark, because it would be read
        in the wrong encoding.
        """
        if encoding.lower().replace("_", "-").startswith(("utf-16", "utf-32")):
            return None  # text in these encodings has NULs and other control bytes
        if (kind := _kind_by_signature(self.data)) is not None:
            return kind
        if encoding_of(self.data[:4], "") != "":  # it has a byte order mark
            return None
        # In UTF-16, Latin letters have a NUL as every second byte. `binary_kind` would take them for UTF-8 with NULs.
        n_nuls = self.data.count(0)
        if n_nuls > _MAX_NULS * len(self.data):
            n_nuls_at_even = self.data[::2].count(0)  # where big-endian UTF-16 has them
            name = "utf-16-be" if 2 * n_nuls_at_even > n_nuls else "utf-16-le"
            return f"binary data, or text in UTF-16 (if so, name the encoding: {name})"
        return binary_kind(self.data)

    def markup(self) -> str | None:
        """Return the markup language that the file begins with, or None."""
        start = self.text[:100].lstrip().lower()
        return next((language for begin, language in MARKUP if start.startswith(begin)), None)


def _is_utf8(data: bytes) -> bool:
    """Return whether the head of a file is valid UTF-8; it may end in the middle of a character."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        # The head may end within a character. A character has up to four bytes, so an incomplete one has up to three.
        return error.start >= len(data) - 3 and error.reason == "unexpected end of data"
    return True


# Nearly all quantifiers are possessive (`++`, `*+`, `?+`), so that there is hardly any backtracking: a long line that
# does not match costs no more than one that does. Group 1 of `_SVMLIGHT` has the features of a line.
_NUMBER = r"[+-]?+(?:\d++(?:\.\d*+)?+|\.\d++)(?:[eE][+-]?+\d++)?+"
_LABELS = rf"{_NUMBER}(?:,{_NUMBER})*+(?=\s|$)"
_SVMLIGHT = re.compile(rf"(?:{_LABELS})?(?:\s++qid:\d++)?+((?:(?:^|\s++)\d++:{_NUMBER})*+)\s*+(?:#.*)?+")


_EXCEL_MEMBER = re.compile(rb"xl/(?:workbook|worksheets|_rels|styles|sharedStrings|theme)")


@dataclass(frozen=True, slots=True)
class Format:
    """A file format: how it is detected, and which module reads it."""

    name: str
    reader: str
    """The name of the module in `readers` that reads it."""
    endings: tuple[str, ...]
    looks_like: str
    """A description for people, with an example."""
    matches: Callable[[ContentHead, Source], bool]
    """Returns whether the beginning of a file is in this format."""
    has_columns: bool = False
    is_text: bool = True
    keeps: tuple[str, ...] = ()
    """Names that `keep` accepts in a format without columns."""
    package: str | None = None
    """The package that its reader needs, in the extra with the name of the format; None if none is needed."""


def _is_parquet(head: ContentHead, source: Source) -> bool:
    return head.data.startswith(b"PAR1")


def _is_excel(head: ContentHead, source: Source) -> bool:
    """Return whether the first members of a ZIP archive are those of an Excel file, or its extension says so."""
    if not head.data.startswith(b"PK\x03\x04"):
        return False
    expected = by_ending(source.path)
    return bool(_EXCEL_MEMBER.search(head.data)) or (expected is not None and expected.name == "excel")


def _is_json(head: ContentHead, source: Source) -> bool:
    """Return whether the text begins with a JSON object, an array of objects or an empty array."""
    start = re.sub(r"\s+", "", head.text[:200])
    return start.startswith(('{"', "{}", '[{"', "[{}", "[]"))


def _is_fasttext(head: ContentHead, source: Source) -> bool:
    """Return whether the first line that is not blank begins with a label of fastText."""
    return any(line.startswith("__label__") for line in head.lines()[:1])


def _is_svmlight(head: ContentHead, source: Source) -> bool:
    """Return whether the first 20 lines, except comments, are svmlight, and at least one of them has a feature."""
    lines = [line for line in head.lines()[:20] if not line.lstrip().startswith("#")]
    if len(head.text) >= HEAD and len(lines) == 1:
        lines[0] = lines[0].rpartition(" ")[0]  # the only line may be cut in the middle of a number
    matches = [_SVMLIGHT.fullmatch(line.strip()) for line in lines]
    return bool(matches) and all(matches) and any(match and match[1] for match in matches)


def _is_tsv(head: ContentHead, source: Source) -> bool:
    """Return whether the first line has a tab, and either names a known column or all lines have equally many tabs.

    Lines with quotes are not counted, because quoted fields may contain tabs.
    """
    lines = head.lines()
    if not lines or "\t" not in lines[0]:
        return False
    tabs_per_line = {line.count("\t") for line in lines if '"' not in line}
    is_regular = len(tabs_per_line) == 1 and 0 not in tabs_per_line
    return is_regular or _is_header(lines[0], "\t", source)


def _is_csv(head: ContentHead, source: Source) -> bool:
    """Return whether the first line that is not blank is a header, with one of the usual separators."""
    return any(_is_header(line, separator, source) for line in head.lines()[:1] for separator in ",;|")


def _is_header(line: str, separator: str, source: Source) -> bool:
    """Return whether a field of a line is a given or default column name (`Source.names`), or a conventional one."""
    names = [name.strip('" ') for name in line.split(separator)]
    return any(is_conventional(name) or name in source.names for name in names)


def _never(head: ContentHead, source: Source) -> bool:
    """Return False, for formats that are not detected from the content of a file."""
    return False


FORMATS = (
    Format(
        name="parquet",
        reader="parquet",
        endings=(".parquet", ".pq"),
        looks_like="a Parquet table",
        matches=_is_parquet,
        has_columns=True,
        is_text=False,
        package="pyarrow",
    ),
    Format(
        name="excel",
        reader="excel",
        endings=(".xlsx", ".xlsm"),
        looks_like="an Excel sheet (.xlsx) with a header",
        matches=_is_excel,
        has_columns=True,
        is_text=False,
        package="python-calamine",
    ),
    Format(
        name="jsonl",
        reader="jsonl",
        endings=(".jsonl", ".ndjson", ".json"),
        looks_like='JSON lines, one {"text": ..., "label": ...} a line',
        matches=_is_json,
        has_columns=True,
    ),
    Format(
        name="fasttext",
        reader="lines",
        endings=(".fasttext", ".ft"),
        looks_like="fastText lines, __label__a words",
        matches=_is_fasttext,
    ),
    Format(
        name="svmlight",
        reader="svmlight",
        endings=(".svmlight", ".svm", ".libsvm"),
        looks_like="svmlight lines, 1 3:0.5 7:1",
        matches=_is_svmlight,
    ),
    Format(
        name="tsv",
        reader="delimited",
        endings=(".tsv", ".tab"),
        looks_like="tab-separated columns with a header, or label<TAB>text without one",
        matches=_is_tsv,
        has_columns=True,
    ),
    Format(
        name="csv",
        reader="delimited",
        endings=(".csv",),
        looks_like="comma-separated columns with a header",
        matches=_is_csv,
        has_columns=True,
    ),
    Format(
        name="lines",
        reader="lines",
        endings=(".txt",),
        looks_like="plain text, a document a line, without labels",
        matches=_never,
    ),
    Format(
        name="folder",
        reader="folder",
        endings=(),
        looks_like="a folder for each class, a file for each document",
        matches=_never,
        keeps=("file",),
    ),
)

BY_NAME = {row.name: row for row in FORMATS}


def detect(source: Source, name: str | None) -> Format:
    """Return the format of a source: the requested one (`name`), else by its content, else by its extension.

    Raise `InputError` if `name` is unknown or the source can't have that format, or if no format is detected.
    """
    if name is not None and name not in BY_NAME:
        raise InputError(setting="format", value=name, allowed=BY_NAME)
    if source.path.is_dir():
        if name not in (None, "folder"):
            raise InputError(
                "it is a folder",
                place=str(source.path),
                setting="format",
                value=name,
                hint="give one of the files in it",
            )
        return BY_NAME["folder"]
    if name == "folder":
        raise InputError(
            "it is a file",
            place=str(source.path),
            setting="format",
            value=name,
            hint="leave it out to have it detected",
        )
    return _detect_file(source, name)


def _detect_file(source: Source, name: str | None) -> Format:
    """Return the format of a file: `name` if it is given, else by its content, else by its extension.

    Raise `InputError` if the file is empty, can't have the given format, or has no known format.
    """
    head = _read_content_head(source)
    if not head.data.strip():
        raise InputError("no documents, the file is empty.", place=str(source.path))
    if name is not None:
        _check_given(BY_NAME[name], head, source)
        return BY_NAME[name]
    detected = _match_content(head, source)
    if detected is not None and not detected.is_text:
        return detected
    expected = by_ending(source.path)
    if (kind := head.kind_if_not_text(source.encoding.name)) is not None:
        raise _mismatch_error(source, expected, kind)
    if detected is not None:
        return detected
    # Any text may be in these formats, so the extension decides. If the source is lenient, JSON is one of them, because
    # its first line may be damaged.
    trusted_extensions = ("csv", "tsv", "lines", *(("jsonl",) if source.lenient else ()))
    if expected and expected.name in trusted_extensions and not head.markup():
        return expected
    raise _mismatch_error(source, expected, head.markup() or f"text that begins with {head.text[:40]!r}")


def _check_given(given: Format, head: ContentHead, source: Source) -> None:
    """Raise `InputError` if a file clearly is of another kind than the format that the caller named.

    That is so if it begins like a file of another kind, or if it is binary and the format is text. In all other cases,
    the reader of the format checks the content.
    """
    if not given.is_text:
        kind = None if given.matches(head, source) else _kind_by_signature(head.data)
    elif (kind := head.kind_if_not_text(source.encoding.name)) is not None:
        detected = _match_content(head, source)
        if detected is not None and not detected.is_text:
            kind = detected.looks_like  # "a Parquet table" says more than "binary data"
    if kind is not None:
        raise _mismatch_error(source, given, kind, is_given=True)


def _read_content_head(source: Source) -> ContentHead:
    """Return the beginning of a file, as text in a guessed encoding if it is text but not UTF-8."""
    data = read_head(source.path)
    text, n_replaced = decode(data, source.encoding.name)
    if n_replaced and source.encoding.may_be_guessed and binary_kind(data) is None:
        text = next(source.text_pieces(Report()), "")[: len(text)]
    return ContentHead(data, text, complete=len(data) < HEAD)


def detect_by_content(source: Source) -> Format | None:
    """Return the format that the content of a file shows, or None."""
    return _match_content(_read_content_head(source), source)


def _match_content(head: ContentHead, source: Source) -> Format | None:
    """Return the first of `FORMATS` in which the beginning of a file is, or None."""
    return next((row for row in FORMATS if row.matches(head, source)), None)


def by_ending(path: Path) -> Format | None:
    """Return the format of a file by its extension, ignoring one such as .gz after it; None if it is unknown."""
    name = path.name.lower()
    for compression in COMPRESSIONS:
        name = name.removesuffix(compression.ending)
    return next((row for row in FORMATS if row.endings and name.endswith(row.endings)), None)


def _mismatch_error(source: Source, expected: Format | None, content: str, *, is_given: bool = False) -> InputError:
    """Return the error for a file that is not in the expected format, or in no known one; `content` says what it is.

    `is_given` says that the caller named the expected format.
    """
    if expected:
        expectation = f"expected {expected.looks_like} ({expected.name})"
    else:
        known = "; ".join(f"{row.name}: {row.looks_like}" for row in FORMATS)
        expectation = f"this is none of the known formats ({known})"
    correction = "correct " if is_given else "name its format with "
    return InputError(
        f"found {content}; {expectation}",
        place=str(source.path),
        hint=("Convert the file, or ", correction, Setting("format")),
    )
