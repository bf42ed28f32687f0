"""`FileEncoding`: the encoding of a file, guessed from its content if it is not UTF-8 and no encoding is given.

charset-normalizer rates how well the bytes decode in each encoding of `CANDIDATES`: `chaos` is the share of implausible
characters, and `coherence` how much the letters resemble a language. It is given only the lines that have bytes above
127, because it rates samples, and in most files nearly all lines are ASCII. Its best match is used, with two changes.
Windows-1252 is preferred if it is rated about as high, because in short texts it often can't be told from windows-1250.
And a guess must be convincing: text that resembles no language, such as damaged bytes, gets none.

The guess uses only bytes that are read anyway: the first chunk of a file with invalid bytes, if all bytes before it are
ASCII. These bytes mean the same in UTF-8 and in all candidates, so the text that was read before stays valid, and every
pass reads the same text. A file that has valid characters of UTF-8 before its first invalid byte is UTF-8 with errors.
"""

from __future__ import annotations

import re

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
    "cp949": "cp949",
}
"""The encodings that are tried, by the names that charset-normalizer has for them, with the names for messages.

In all of them, ASCII bytes stand for themselves, so the ASCII text before the first other byte reads the same.
"""
DEFAULT = "utf-8"
PREFERRED = "cp1252"
MULTIBYTE = ("cp932", "euc_jp", "gb18030", "big5", "cp949")
"""Encodings in which random bytes are seldom valid, so that their texts need not resemble a language."""
MAX_SAMPLE = 2**14
"""Number of bytes that are rated."""
SHORT_SAMPLE = 2**11
"""If fewer bytes are rated, as many bytes of the beginning of the file are added, to show its language."""
MAX_CHAOS = 0.1
MIN_COHERENCE = 0.1
MAX_MULTIBYTE_CHAOS = 0.05
MORE_CHAOS, LESS_COHERENCE = 0.01, 0.1
"""How much worse than the best match the preferred encoding may be."""

_LINE_WITH_OTHER_BYTES = re.compile(rb"[^\n\r]*[\x80-\xff][^\n\r]*[\n\r]*")


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

    sample = b"".join(_LINE_WITH_OTHER_BYTES.findall(data))[:MAX_SAMPLE]
    if len(sample) < SHORT_SAMPLE:
        sample += b"\n" + data[:SHORT_SAMPLE]
    matches = from_bytes(sample, cp_isolation=list(CANDIDATES), steps=10, enable_fallback=False)
    best = matches.best()
    if best is None:
        return None
    name = best.encoding
    for match in matches:
        is_preferred = PREFERRED in (match.encoding, *match.could_be_from_charset)
        is_close = match.chaos <= best.chaos + MORE_CHAOS and match.coherence >= best.coherence - LESS_COHERENCE
        if is_preferred and is_close:
            best, name = match, PREFERRED
            break
    if name in MULTIBYTE:
        is_convincing = best.chaos <= MAX_MULTIBYTE_CHAOS
    else:
        is_convincing = best.chaos <= MAX_CHAOS and best.coherence >= MIN_COHERENCE
    return CANDIDATES[name] if is_convincing else None


def _is_damaged_utf8(data: bytes) -> bool:
    """Return whether most bytes above 127 form valid characters in UTF-8, so that the others are mere errors."""
    text = data.decode("utf-8", "replace")
    n_invalid = text.count("\ufffd")
    n_valid = len(text) - len(text.encode("ascii", "ignore")) - n_invalid
    return n_valid > n_invalid


class FileEncoding:
    """The encoding of the file `source`: the given one, or UTF-8 until a guess replaces it."""

    def __init__(self, source: str = "", given: str | None = None) -> None:
        self.source = source
        self.name = given or DEFAULT
        self.is_guessed = False
        self.may_be_guessed = given is None
        """Whether the encoding is not given, and no bytes were seen so far that decide about it."""

    def settle(self, data: bytes, *, is_valid: bool) -> bool:
        """Decide about the encoding from the first bytes that are not all ASCII; return whether it was guessed now.

        `is_valid` says that the bytes are valid UTF-8. Call it only if `may_be_guessed`.
        """
        self.may_be_guessed = False
        guess = None if is_valid else guess_encoding(data)
        if guess is None:
            return False
        self.name, self.is_guessed = guess, True
        return True
