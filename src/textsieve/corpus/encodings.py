"""`FileEncoding`: the encoding of a file, guessed from its content if it is not UTF-8 and no encoding is given.

charset-normalizer rates how well the bytes decode in each encoding of `CANDIDATES`: `chaos` is the share of implausible
characters, and `coherence` how much the letters resemble a language. It is given only the bytes above 127 and the text
around them, because it rates samples, and in most files nearly all text is ASCII. Its best match is used, with two
changes.
Windows-1252 is preferred if it is rated about as high, because in short texts it often can't be told from windows-1250.
And a guess must be convincing: text that resembles no language, such as damaged bytes, gets none.

The guess uses only bytes that are read anyway. ASCII bytes mean the same in UTF-8 and in all candidates, so the text
before the first other byte can be read before the encoding is known, and every pass reads the same text. From the first
other byte on, bytes are held back until they are valid UTF-8 or a guess is convincing, but not more than `MAX_HELD`.
"""

from __future__ import annotations

import re
from codecs import getincrementaldecoder

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
"""The encodings that are tried, by the names that charset-normalizer has for them, and the encodings that are used.

In all of them, ASCII bytes stand for themselves. cp949 adds rare syllables to euc_kr; if it were tried itself, Japanese
texts would often be taken for Korean ones.
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
SHORT_SAMPLE = 2**11
"""If fewer bytes are rated, as many bytes of the beginning of the file are added, to show its language."""
MAX_CHAOS = 0.1
MIN_COHERENCE = 0.1
MAX_MULTIBYTE_CHAOS = 0.05
MORE_CHAOS, LESS_COHERENCE = 0.01, 0.1
"""How much worse than the best match the preferred encoding may be."""

_WINDOWS_LETTERS = re.compile(rb"[\x80-\x9f]")
"""Bytes that are frequent letters in windows-1250, and no letters in iso-8859-2, which it resembles otherwise."""
_OTHER_BYTES = re.compile(rb"[\x80-\xff]+[\x00-\x7f]{0,%d}" % CONTEXT)


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
    has_iso_match = any("iso8859_2" in (match.encoding, *match.could_be_from_charset) for match in matches)
    if name == "cp1250" and has_iso_match and not _WINDOWS_LETTERS.search(data):
        name = "iso8859_2"
    if name != PREFERRED and _count_other_bytes(data) < FEW_BYTES:
        return None
    if name in MULTIBYTE:
        is_convincing = best.chaos <= MAX_MULTIBYTE_CHAOS
    else:
        is_convincing = best.chaos <= MAX_CHAOS and best.coherence >= MIN_COHERENCE
    return CANDIDATES[name] if is_convincing else None


def _sample(data: bytes) -> bytes:
    """Return the bytes to rate: those above 127, and up to `CONTEXT` other bytes before and after each."""
    pieces: list[bytes] = []
    size = end = 0
    for match in _OTHER_BYTES.finditer(data):
        begin = max(end, match.start() - CONTEXT)
        if begin > end:
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

    def decide(self, data: bytes, *, is_complete: bool) -> bool:
        """Decide about the encoding from bytes that are not all ASCII; return False if more bytes are needed.

        `is_complete` says that no more bytes follow. Call it only if `may_be_guessed`.
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
