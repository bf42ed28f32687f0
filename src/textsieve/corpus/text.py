"""Decode bytes to text, replacing *and counting* invalid bytes.

Python's own "replace" error handler does not count replacements. This one does; the count is thread-local and read
before and after each call of the decoder, so that concurrent passes do not mix.
"""

from __future__ import annotations

import codecs
import threading

from ..errors import InputError

COUNTED = "textsieve.counted"
"""The name of the error handler, for use as `errors=`."""

REPLACEMENT = "\ufffd"

BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark is a prefix of this one
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


class _Replacements(threading.local):
    count = 0


_replacements = _Replacements()


def _replace_and_count(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    _replacements.count += 1
    return REPLACEMENT, error.end


codecs.register_error(COUNTED, _replace_and_count)


def replaced_so_far() -> int:
    """Return the number of replacements made in this thread; only differences between two calls are meaningful."""
    return _replacements.count


def encoding_of(start: bytes, declared: str) -> str:
    """Return the encoding given by a byte order mark, else the declared one."""
    return next((encoding for mark, encoding in BYTE_ORDER_MARKS if start.startswith(mark)), declared)


def decode(data: bytes, encoding: str) -> tuple[str, int]:
    """Return the decoded text and the number of replacements in it."""
    before = _replacements.count
    text = data.decode(encoding_of(data[:4], encoding), COUNTED)
    return text, _replacements.count - before


def check_encoding(encoding: str) -> str:
    """Return the encoding, or raise `InputError` if Python has no such text encoding."""
    try:
        "".encode(encoding)
        b"".decode(encoding)
    except LookupError as error:
        raise InputError(
            f"{error}. Give one that Python knows, such as 'utf-8', 'latin-1' or 'cp1252'.",
            setting="encoding",
            value=encoding,
        ) from error
    return encoding


def without_surrogates(text: str) -> tuple[str, int]:
    """Return the text with lone surrogates replaced, and their number.

    JSON can spell half of a UTF-16 pair, and Python's strings can hold it, but no encoding can write it.
    """
    if text.isascii():
        return text, 0
    try:
        text.encode()
    except UnicodeEncodeError:
        # Encoding as UTF-16 joins two halves that belong together.
        return decode(text.encode("utf-16-le", "surrogatepass"), "utf-16-le")
    return text, 0
