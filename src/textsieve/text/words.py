r"""Define what a word is: as a regular expression, and as the tables that the kernels read.

A word is a run of two or more word characters (letters, digits and the underscore of any script), which is what
scikit-learn's `CountVectorizer` matches by default with `\b\w\w+\b`. The text is lowercased first, then accents are
stripped if asked for, both with Python's own functions, so that words are those of `CountVectorizer` for every code
point. The kernels lowercase ASCII themselves; only documents with other characters go through `str.lower`.
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
    """Return the stop words for a value of the setting `stop_words`.

    The stop words of a language are spelled as in prepared texts: without accents if these are stripped. If texts are
    not lowercased, capitalised spellings are added. A list of words is not changed.
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
    """Return the words of a prepared text as they are counted: names with spaces; words as normal forms if given."""
    if joins_names:
        words = [word.replace(JOINER, " ") for word in words]
    return words if forms is None else forms(words)


def terms_of(
    text: str, ngram_range: tuple[int, int], stop_words: frozenset[str], forms: Forms | None, *, joins_names: bool
) -> list[str]:
    """Return the terms of a prepared text in the order of their first words, and there from short to long."""
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
    """Return the class of each byte of UTF-8, which tells `kernels.words.count_words` what to do with the byte.

    - A letter, digit or underscore in ASCII belongs to a word. Its class is the byte that is counted: the lowercase
      letter with `lowercase`, otherwise the byte itself. With `joins_names`, `JOINER` is counted as a space in a word.
    - Any other ASCII character separates words: class 0.
    - A byte from 128 on is part of a character that the kernel must decode: class `_WIDE`.
    - 0xFF does not occur in UTF-8 and ends each document: class `_END`.
    """
    classes = np.full(256, _WIDE, np.uint8)
    for code in range(128):
        character = chr(code)
        is_word = character.isalnum() or character == "_"
        classes[code] = ord(character.lower() if lowercase else character) if is_word else 0
    if joins_names:
        classes[ord(JOINER)] = ord(" ")
    classes[0xFF] = _END
    classes.flags.writeable = False
    return classes


@cache
def wide_words() -> NDArray[np.uint8]:
    r"""Return a bitmap of the code points that are word characters, as the regular expression `\w` defines them.

    Bit i % 8 of byte i // 8, counted from the lowest bit, belongs to code point i.
    """
    all_characters = np.arange(0x110000, dtype="<u4").tobytes().decode("utf-32-le", "surrogatepass")
    is_word = np.zeros(len(all_characters), np.bool_)
    for match in re.finditer(r"\w+", all_characters):
        is_word[match.start() : match.end()] = True
    bitmap = np.packbits(is_word, bitorder="little")
    bitmap.flags.writeable = False
    return bitmap
