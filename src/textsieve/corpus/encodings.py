"""`FileEncoding`: the encoding of a file, guessed from its content if it is not UTF-8 and no encoding is given.

charset-normalizer rates how well the bytes decode in each encoding of `CANDIDATES`: `chaos` is the share of implausible
characters, and `coherence` how much the letters resemble a language. It is given only the bytes above 127 and the text
around them, because it rates samples, and in most files nearly all text is ASCII. Its best match is used, with three
changes:

- Windows-1252 is preferred if it is rated about as high, because in short texts it often can't be told from
  windows-1250.
- ISO-8859-2 is used instead of windows-1250, which it resembles, if both match and the text has none of the bytes that
  are letters only in windows-1250.
- A guess must be convincing: text that resembles no language, such as damaged bytes, gets none.

No file is read twice for the guess. Its text up to the first byte above 127 is passed on at once, because ASCII bytes
mean the same in UTF-8 and in all candidates. From that byte on, bytes are held back until they are valid UTF-8 or a
guess is convincing, but not more than `MAX_HELD`. So all passes over a file yield the same text.
"""

from __future__ import annotations

import re
from codecs import getincrementaldecoder
from typing import Any

CANDIDATES = {
    "cp1252": "windows-1252",
    "cp1250": "windows-1250",
    "iso8859_2": "iso-8859-2",
    "cp1251": "windows-1251",
    "koi8_r": "koi8-r",
    "cp1253": "windows-1253",
    "cp1254": "windows-1254",
    "cp1255": "windows-1255",
    "cp1256": "windows-1256",
    "mac_roman": "mac-roman",
    "cp932": "cp932",
    "euc_jp": "euc-jp",
    "gb18030": "gb18030",
    "big5": "big5",
    "euc_kr": "cp949",
}
"""The encodings that are tried, by charset-normalizer's names, and the names under which Python then decodes the file.

In all of them, ASCII bytes stand for themselves. For euc_kr, the file is decoded as cp949, which has rare syllables in
addition. cp949 is not tried itself, because then Japanese texts would often be taken for Korean ones.
"""
DEFAULT = "utf-8"
PREFERRED = "cp1252"
MULTIBYTE = ("cp932", "euc_jp", "gb18030", "big5", "euc_kr")
"""Encodings in which random bytes are seldom valid, so that their texts need not resemble a language."""
MAX_HELD = 2**20
"""Number of bytes after which a file without a convincing guess counts as UTF-8 with errors."""
MAX_SAMPLE = 2**14
"""About how many bytes are rated."""
FEW_BYTES = 10
"""If a text has fewer bytes above 127, it gets no other encoding than the preferred one."""
CONTEXT = 100
"""Number of ASCII bytes before and after each byte above 127 that are rated with it."""
SHORT_SAMPLE = 2**11
"""If fewer bytes are rated, as many bytes of the beginning of the file are added, to show its language."""
MAX_CHAOS = 0.1
MIN_COHERENCE = 0.1
MAX_MULTIBYTE_CHAOS = 0.05
"""The limits for a convincing guess, the last one for the encodings in `MULTIBYTE`."""
MORE_CHAOS, LESS_COHERENCE = 0.01, 0.1
"""How much worse than the best match the preferred encoding may be."""

_WINDOWS_LETTERS = re.compile(rb"[\x80-\x9f]")
"""Bytes that are frequent letters in windows-1250, and no letters in iso-8859-2, which it resembles otherwise."""
_OTHER_BYTES = re.compile(rb"[\x80-\xff]+[\x00-\x7f]{0,%d}" % CONTEXT)
"""Bytes above 127, and up to `CONTEXT` ASCII bytes after them."""


def guess_encoding(data: bytes) -> str | None:
    r"""Return the encoding of bytes that are not UTF-8; None if they are UTF-8 with errors, or no guess is convincing.

    >>> guess_encoding("Grüße aus Köln, und bis bald in München!".encode("cp1252"))
    'windows-1252'
    >>> guess_encoding(b"some bytes: \x81\x00\xff") is None
    True
    """
    if _is_damaged_utf8(data):
        return None
    from charset_normalizer import from_bytes

    matches = from_bytes(_sample(data), cp_isolation=list(CANDIDATES), steps=10, enable_fallback=False)
    match = matches.best()
    if match is None:
        return None
    encoding = match.encoding
    has_iso_match = any(_is_of("iso8859_2", other) for other in matches)
    if (preferred_match := _match_of_preferred(matches)) is not None:
        match, encoding = preferred_match, PREFERRED
    elif encoding == "cp1250" and has_iso_match and not _WINDOWS_LETTERS.search(data):
        encoding = "iso8859_2"
    if encoding != PREFERRED and _count_other_bytes(data) < FEW_BYTES:
        return None
    if encoding in MULTIBYTE:
        is_convincing = match.chaos <= MAX_MULTIBYTE_CHAOS
    else:
        is_convincing = match.chaos <= MAX_CHAOS and match.coherence >= MIN_COHERENCE
    return CANDIDATES[encoding] if is_convincing else None


def _match_of_preferred(matches: Any) -> Any:
    """Return charset-normalizer's match of the preferred encoding if it is about as good as the best; else None."""
    best = matches.best()
    for match in matches:
        is_close = match.chaos <= best.chaos + MORE_CHAOS and match.coherence >= best.coherence - LESS_COHERENCE
        if is_close and _is_of(PREFERRED, match):
            return match
    return None


def _is_of(encoding: str, match: Any) -> bool:
    """Return whether a match is of an encoding; one match is of all encodings in which the bytes are the same text."""
    return encoding in (match.encoding, *match.could_be_from_charset)


def _sample(data: bytes) -> bytes:
    """Return the bytes to rate: those above 127, and up to `CONTEXT` other bytes before and after each."""
    pieces: list[bytes] = []
    size = 0  # of all pieces
    end = 0  # of the last piece in `data`
    for match in _OTHER_BYTES.finditer(data):
        begin = max(end, match.start() - CONTEXT)
        if begin > end:  # something is left out between two pieces
            pieces.append(b"\n")
        end = match.end()
        pieces.append(data[begin:end])
        size += len(pieces[-1])
        if size >= MAX_SAMPLE:
            break
    if size < SHORT_SAMPLE:
        pieces += [b"\n", data[:SHORT_SAMPLE]]
    return b"".join(pieces)


def _count_other_bytes(data: bytes) -> int:
    """Return the number of bytes above 127."""
    return len(data) - len(data.translate(None, bytes(range(128, 256))))


def _is_damaged_utf8(data: bytes) -> bool:
    """Return whether the bytes are UTF-8 with some errors: most characters that are not ASCII are valid."""
    text = data.decode("utf-8", "replace")
    n_invalid = text.count("\ufffd")
    n_ascii = len(text.encode("ascii", "ignore"))
    n_valid = len(text) - n_ascii - n_invalid
    return n_valid > n_invalid


class FileEncoding:
    """The encoding of the file `source`: the given one, or UTF-8 until a guess replaces it."""

    def __init__(self, source: str = "", given: str | None = None) -> None:
        self.source = source
        self.name = given or DEFAULT
        self.is_guessed = False
        self.may_be_guessed = given is None
        """Whether the encoding is still open: none was given, and `decide` has not decided."""

    def decide(self, data: bytes, *, is_complete: bool) -> bool:
        """Decide about the encoding and return True; return False if that takes more bytes.

        `data` must have a byte that is not ASCII. After False, call it again with the same bytes and those that follow
        them. `is_complete` says that none follow. Call it only while `may_be_guessed` is true.

        Valid UTF-8 decides, and so does a convincing guess from `FEW_BYTES` bytes above 127 or more. When no more bytes
        may be held back, any guess decides, and without one the encoding is UTF-8 with errors.
        """
        must_decide = is_complete or len(data) >= MAX_HELD
        try:
            text = getincrementaldecoder(DEFAULT)().decode(data, final=is_complete)
        except UnicodeDecodeError:
            guess = guess_encoding(data)
            if not must_decide and (guess is None or _count_other_bytes(data) < FEW_BYTES):
                return False
            if guess is not None:
                self.name, self.is_guessed = guess, True
        else:
            if text.isascii() and not must_decide:  # the only other bytes are an incomplete character at the end
                return False
        self.may_be_guessed = False
        return True
