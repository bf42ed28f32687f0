r"""Define what a word is: as a regular expression, and as the tables that the kernels read.

By default, a word is a run of two or more word characters (letters and digits of any script, and the underscore), which
is what scikit-learn's `CountVectorizer` matches with `\b\w\w+\b`; `token_rule` has the other token patterns that the
kernels know. The text is lowercased first, then accents are stripped if that is set, both with Python's own functions,
so that words are those of `CountVectorizer` for every code point. The kernels lowercase ASCII themselves; only
documents with other characters go through `str.lower`.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError

JOINER = "\x1f"
"""The character that `names` writes between the words of a proper name, so that the name counts as one word.

It counts as a letter in a prepared text, and becomes a space in terms.
"""

DOTTED_I = "I\u0307"
"""The Turkish uppercase `İ` written as two characters: `I` and a combining dot."""

WORD_WITH_NAMES = re.compile(rf"[\w{JOINER}]{{2,}}")
"""Matches the words of a text in which names were joined by `JOINER`."""

_END, _WIDE = 255, 128  # classes of bytes: END and WIDE of `kernels.words`, not imported because loading numba is slow

LONG_TEXT = 1 << 16
"""Texts with more characters than this are lowercased in pieces."""

Accents = str | Callable[[str], str] | None
"""The values of `strip_accents`: the name of a function in `ACCENTS`, a function, or None."""

Forms = Callable[[Sequence[str]], list[str]]
"""A function from a list of words to the list of their normal forms, which are stems or lemmas."""


def fold_to_ascii(text: str) -> str:
    """Decompose the characters of a text (NFKD), and return those that are ASCII: `é` becomes `e`, `ł` is dropped."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii")


def drop_marks(text: str) -> str:
    """Decompose the characters of a text (NFKD), and return it without combining marks: `é` becomes `e`."""
    if text.isascii():
        return text
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(character for character in decomposed if not unicodedata.combining(character))


ACCENTS: dict[str, Callable[[str], str]] = {"ascii": fold_to_ascii, "unicode": drop_marks}
"""The ways to strip accents, by name."""


def accent_stripper(strip_accents: Accents) -> Callable[[str], str] | None:
    """Return the function that strips accents for a value of the setting `strip_accents`; None stays None."""
    if strip_accents is None or callable(strip_accents):
        return strip_accents
    if strip_accents not in ACCENTS:
        allowed = ", ".join(map(repr, ACCENTS))
        raise InputError(
            setting="strip_accents", value=strip_accents, hint=f"use one of {allowed}, a function, or None"
        )
    return ACCENTS[strip_accents]


def lower_case(text: str) -> str:
    """Return `text.lower()`, computed in pieces to save memory, since Python needs twelve bytes for each character.

    Only the lowercase of `Σ` depends on its neighbours, so a text with one is not split into pieces.
    """
    if len(text) <= LONG_TEXT or text.isascii() or "Σ" in text:
        return text.lower()
    return "".join(text[begin : begin + LONG_TEXT].lower() for begin in range(0, len(text), LONG_TEXT))


def lowercase_turkish_i(text: str) -> str:
    """Return the text with `i` for `İ` and `ı` for `I`, their lowercase in Turkish; other letters stay."""
    if not text.isascii():
        # `İ` can be one character, or `I` and a combining dot.
        text = text.replace(DOTTED_I, "i").replace("İ", "i")
    return text.replace("I", "ı")


def words_to_count(words: list[str], forms: Forms | None, *, joins_names: bool) -> list[str]:
    """Return the words of a prepared text as they are counted: names with spaces; words as normal forms if given."""
    if joins_names:
        words = [word.replace(JOINER, " ") for word in words]
    return words if forms is None else forms(words)


class TokenRule(NamedTuple):
    """How kernels find tokens: as runs of the characters that a regular expression for one character matches."""

    characters: str = r"\w"
    min_length: int = 2
    has_joiners: bool = False
    """Whether `characters` includes joiners, such as hyphens, which belong to a token only between word characters."""
    splits_scripts: bool = False
    """Whether texts are first rewritten with spaces between the tokens of the analyzer "text" (`tokens`)."""


NOT_SPACE = r"\S"
"""The characters of tokens that are separated by white space only."""

TEXT_RULE = TokenRule(NOT_SPACE, min_length=1, splits_scripts=True)
"""The rule for the tokens of the analyzer "text"."""

_RULES = {
    TokenRule(r"\w", min_length=2): (r"\b\w\w+\b", r"\w\w+", r"\b\w{2,}\b", r"\w{2,}"),
    TokenRule(r"\w", min_length=1): (r"\b\w+\b", r"\w+"),
    TokenRule(NOT_SPACE, min_length=1): (r"\S+",),
}
# Matches the token patterns for words with joiners, such as \b\w[\w'-]*\b and \b\w[\w'-]*\w\b. Group 1 is the regular
# expression for their characters, [\w'-]; group 2 is the second \w, with which a word has at least two characters.
_JOINED = re.compile(r"\\b\\w(\[\\w(?:'|’|'’|’')?-?\])\*(\\w)?\\b")


def token_rule(pattern: str) -> TokenRule | None:
    r"""Return the rule by which kernels find the tokens of a pattern, or None for a pattern that only `re` can match.

    The usual patterns have a rule, with or without `(?u)`: words of two or more characters (`\b\w\w+\b`), or of one or
    more (`\b\w+\b`), both also without `\b`; words with hyphens and apostrophes inside (`\b\w[\w'-]*\b`, or
    `\b\w[\w'-]*\w\b` for two or more characters; with any of `'`, `’` and `-`); everything but white space (`\S+`).
    """
    pattern = pattern.removeprefix("(?u)")
    for rule, spellings in _RULES.items():
        if pattern in spellings:
            return rule
    joined = _JOINED.fullmatch(pattern)
    if joined is None:
        return None
    return TokenRule(joined[1], min_length=1 if joined[2] is None else 2, has_joiners=True)


@cache
def byte_classes(lowercase: bool, joins_names: bool = False, characters: str = r"\w") -> NDArray[np.uint8]:
    """Return the class of each byte of UTF-8, which tells `kernels.words.count_words` what to do with the byte.

    - An ASCII character that belongs to words, because it matches `characters`: its class is the byte that is counted,
      the lowercase letter with `lowercase`, otherwise the byte itself. With `joins_names`, `JOINER` is counted as a
      space in a word.
    - Any other ASCII character separates words: class 0. (If NUL belongs to words, texts have `word_table.NUL_BYTES` in
      its place, so the class of the byte 0 has no effect.)
    - A byte from 128 on is part of a character that the kernel must decode: class `_WIDE`.
    - 0xFF does not occur in UTF-8 and ends each document: class `_END`.
    """
    classes = np.full(256, _WIDE, np.uint8)
    for code in range(128):
        character = chr(code)
        is_word = re.match(characters, character) is not None
        classes[code] = ord(character.lower() if lowercase else character) if is_word else 0
    if joins_names:
        classes[ord(JOINER)] = ord(" ")
    classes[0xFF] = _END
    classes.flags.writeable = False
    return classes


@cache
def wide_characters(characters: str = r"\w") -> NDArray[np.uint8]:
    """Return a bitmap of the code points that a regular expression for one character matches.

    Bit i % 8 of byte i // 8, counted from the lowest bit, belongs to code point i.
    """
    all_characters = np.arange(0x110000, dtype="<u4").tobytes().decode("utf-32-le", "surrogatepass")
    is_matched = np.zeros(len(all_characters), np.bool_)
    for match in re.finditer(f"{characters}+", all_characters):
        is_matched[match.start() : match.end()] = True
    bitmap = np.packbits(is_matched, bitorder="little")
    bitmap.flags.writeable = False
    return bitmap
