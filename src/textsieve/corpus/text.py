"""Bytes -> text, where wrong bytes are replaced *and counted*.

Python's own "replace" does not say how often it had to. This handler does; the count is thread-local and read
before and after each call into the decoder, so that passes that run at the same time do not mix.
"""

from __future__ import annotations

import codecs
import threading

from ..errors import InputError

COUNTED = "textsieve.counted"
"""The name of the error handler, for whatever takes `errors=`."""

REPLACEMENT = "\ufffd"

BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark is its beginning
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


class _Seen(threading.local):
    count = 0


_seen = _Seen()


def _replace_and_count(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    _seen.count += 1
    return REPLACEMENT, error.end


codecs.register_error(COUNTED, _replace_and_count)


def replaced_so_far() -> int:
    """Replacements made in this thread; only differences of it mean anything."""
    return _seen.count


def encoding_of(start: bytes, declared: str) -> str:
    """The encoding that a byte order mark names, else the declared one."""
    return next((encoding for mark, encoding in BYTE_ORDER_MARKS if start.startswith(mark)), declared)


def decode(data: bytes, encoding: str) -> tuple[str, int]:
    """The text, and how many replacements it contains."""
    before = _seen.count
    text = data.decode(encoding_of(data[:4], encoding), COUNTED)
    return text, _seen.count - before


def check_encoding(encoding: str) -> str:
    """The encoding, if it is one of text that Python knows."""
    try:
        "".encode(encoding)
        b"".decode(encoding)
    except LookupError as error:
        raise InputError(
            f"encoding={encoding!r}: {error}. Give one that Python knows, such as 'utf-8', 'latin-1' or 'cp1252'."
        ) from error
    return encoding


def without_surrogates(text: str) -> tuple[str, int]:
    """The text with half characters replaced, and their number.

    JSON can spell half of a UTF-16 pair, and Python's strings can hold it, but no encoding can write it.
    """
    if text.isascii():
        return text, 0
    try:
        text.encode()
    except UnicodeEncodeError:
        # Through UTF-16, where two halves that belong together find each other again.
        return decode(text.encode("utf-16-le", "surrogatepass"), "utf-16-le")
    return text, 0
