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
"""What is between the words of a name that counts as one word (see `names`): a letter, which is written as a space."""

DOTTED_I = "I\u0307"
"""The Turkish capital with its dot as a character of its own."""

WORD_WITH_NAMES = re.compile(rf"[\w{JOINER}]{{2,}}")
_END, _WIDE = 255, 128

LONG_TEXT = 1 << 16
"""From this many characters on a text is lower-cased in pieces."""

Accents = str | Callable[[str], str] | None

Forms = Callable[[Sequence[str]], list[str]]
"""Words to what they are counted as."""


def fold_to_ascii(text: str) -> str:
    """Return the ASCII letters that remain when all characters are decomposed."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii")


def drop_marks(text: str) -> str:
    """Return the text without combining marks."""
    if text.isascii():
        return text
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(c for c in decomposed if not unicodedata.combining(c))


ACCENTS: dict[str, Callable[[str], str]] = {"ascii": fold_to_ascii, "unicode": drop_marks}
"""The ways to strip accents, by name."""


def accent_stripper(strip_accents: Accents) -> Callable[[str], str] | None:
    """Return the function for a setting of `strip_accents`."""
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

    Only the sigma depends on its neighbours, so a text with one is not split.
    """
    if len(text) <= LONG_TEXT or text.isascii() or "Σ" in text:
        return text.lower()
    return "".join(text[at : at + LONG_TEXT].lower() for at in range(0, len(text), LONG_TEXT))


def without_dotted_i(text: str) -> str:
    """Replace `İ` by `i` and `I` by `ı`, their lowercase in Turkish; other letters stay."""
    if not text.isascii():
        text = text.replace(DOTTED_I, "i").replace("İ", "i")
    return text.replace("I", "ı")


def stop_words_of(
    setting: str | Collection[str] | None, strip_accents: Accents = None, *, lowercase: bool = True
) -> frozenset[str]:
    """Return the words for a setting of `stop_words`.

    The stop words of a language are as texts have them: without accents if these are stripped, and also capitalised if
    texts keep capitals.
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


def as_counted(words: list[str], forms: Forms | None, *, joins_names: bool) -> list[str]:
    """Return what each word of a text counts as."""
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
    words = as_counted(words, forms, joins_names=joins_names)
    shortest, longest = ngram_range
    if (shortest, longest) == (1, 1):
        return words
    return [
        " ".join(words[first:end])
        for first in range(len(words))
        for end in range(first + shortest, min(first + longest, len(words)) + 1)
    ]


@cache
def byte_classes(lowercase: bool, joins_names: bool = False) -> NDArray[np.uint8]:
    """Return what each byte of UTF-8 is to the kernels (see `kernels.words`), lowercasing ASCII or not."""
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
