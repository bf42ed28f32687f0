r"""Define what a word is: as a regular expression, and as the tables that the kernels read.

A word is a run of two or more word characters (letters, digits and the underscore of any script), which is what
scikit-learn's `CountVectorizer` matches by default with `\b\w\w+\b`. The text is lowercased first, then accents are
stripped if asked for, both with Python's own functions, so that results agree for every code point. The kernels
lowercase ASCII themselves; only documents with other characters go through `str.lower`.
"""

import re
import unicodedata
from collections.abc import Callable, Collection, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, Setting, shown

WORD = re.compile(r"\b\w\w+\b")
JOINER = "\x1f"
"""The character between the words of a name that counts as one word (see `names`): a letter that becomes a space in
terms.
"""

DOTTED_I = "I\u0307"
"""The Turkish uppercase `İ` written as two characters: `I` and a combining dot."""

WORD_WITH_NAMES = re.compile(rf"[\w{JOINER}]{{2,}}")
"""Words in a text whose names are joined."""
_END, _WIDE = 255, 128  # the same as in `kernels.words`, which is not imported here because that takes long

LONG_TEXT = 1 << 16
"""Texts with more characters than this are lowercased in pieces."""

Accents = str | Callable[[str], str] | None
"""The values of `strip_accents`: the name of a function in `ACCENTS`, a function, or None."""

Forms = Callable[[Sequence[str]], list[str]]
"""A function from words to their normal forms."""


def fold_to_ascii(text: str) -> str:
    """Return the ASCII characters that remain when all characters are decomposed."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii")


def drop_marks(text: str) -> str:
    """Return the decomposed text without combining marks."""
    if text.isascii():
        return text
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(character for character in decomposed if not unicodedata.combining(character))


ACCENTS: dict[str, Callable[[str], str]] = {"ascii": fold_to_ascii, "unicode": drop_marks}
"""The ways to strip accents, by name."""


def accent_stripper(strip_accents: Accents) -> Callable[[str], str] | None:
    """Return the function for a value of `strip_accents`, or None."""
    if strip_accents is None or callable(strip_accents):
        return strip_accents
    if strip_accents not in ACCENTS:
        allowed = ", ".join(map(repr, ACCENTS))
        raise InputError(
            setting="strip_accents", value=strip_accents, hint=f"use one of {allowed}, a function, or None"
        )
    return ACCENTS[strip_accents]


def lower_case(text: str) -> str:
    """Return `text.lower()`, computed in pieces, since Python needs twelve bytes per character for it.

    Only the lowercase of `Σ` depends on its neighbours, so a text with one is not split.
    """
    if len(text) <= LONG_TEXT or text.isascii() or "Σ" in text:
        return text.lower()
    return "".join(text[begin : begin + LONG_TEXT].lower() for begin in range(0, len(text), LONG_TEXT))


def lowercase_turkish_i(text: str) -> str:
    """Return the text with `i` for `İ` and `ı` for `I`, their lowercase in Turkish; other letters stay."""
    if not text.isascii():
        text = text.replace(DOTTED_I, "i").replace("İ", "i")
    return text.replace("I", "ı")


def stop_words_of(
    setting: str | Collection[str] | None, strip_accents: Accents = None, *, lowercase: bool = True
) -> frozenset[str]:
    """Return the words for a value of `stop_words`.

    The stop words of a language are spelled as in texts that have been read: without accents if these are stripped, and
    also capitalised if texts are not lowercased.
    """
    if setting is None:
        return frozenset()
    if isinstance(setting, str):
        from .languages import stop_words_in_language

        return stop_words_in_language(setting, strip_accents, lowercase=lowercase)
    if not isinstance(setting, Collection):
        raise InputError(
            setting="stop_words", value=setting, hint="use a language such as 'english', a list of words, or None"
        )
    for word in setting:
        if not isinstance(word, str):
            raise InputError(
                (Setting("stop_words"), f" has {shown(word)} ({type(word).__name__}), which is no word"),
                hint="give strings",
            )
    return frozenset(setting)


def word_pattern(*, joins_names: bool) -> re.Pattern[str]:
    """Return the regular expression for the words of a prepared text."""
    return WORD_WITH_NAMES if joins_names else WORD


def words_to_count(words: list[str], forms: Forms | None, *, joins_names: bool) -> list[str]:
    """Return the words of a text as they are counted: names with spaces, and words as their normal forms."""
    if joins_names:
        words = [word.replace(JOINER, " ") for word in words]
    return words if forms is None else forms(words)


def terms_of(
    text: str, ngram_range: tuple[int, int], stop_words: frozenset[str], forms: Forms | None, *, joins_names: bool
) -> list[str]:
    """Return the terms of a prepared text in the order of their first words, short ones before long ones."""
    words: list[str] = word_pattern(joins_names=joins_names).findall(text)
    if stop_words:
        words = [word for word in words if word not in stop_words]
    words = words_to_count(words, forms, joins_names=joins_names)
    min_n, max_n = ngram_range
    if (min_n, max_n) == (1, 1):
        return words
    return [
        " ".join(words[first:end])
        for first in range(len(words))
        for end in range(first + min_n, min(first + max_n, len(words)) + 1)
    ]


@cache
def byte_classes(lowercase: bool, joins_names: bool = False) -> NDArray[np.uint8]:
    """Return the class of each byte of UTF-8 for the kernels (see `kernels.words`); `lowercase` lowercases ASCII."""
    classes = np.full(256, _WIDE, np.uint8)
    for code in range(128):
        character = chr(code)
        is_word = character.isalnum() or character == "_"
        classes[code] = ord(character.lower() if lowercase else character) if is_word else 0
    if joins_names:
        classes[ord(JOINER)] = ord(" ")
    classes[_END] = _END
    classes.flags.writeable = False
    return classes


@cache
def wide_words() -> NDArray[np.uint8]:
    """Return a bitmap of the code points that are word characters, computed from the regular expression itself."""
    points = np.arange(0x110000, dtype="<u4").tobytes().decode("utf-32-le", "surrogatepass")
    is_word = np.zeros(len(points), np.bool_)
    for run in re.finditer(r"\w+", points):
        is_word[run.start() : run.end()] = True
    bitmap = np.packbits(is_word, bitorder="little")
    bitmap.flags.writeable = False
    return bitmap
