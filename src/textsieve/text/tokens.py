"""Split texts of any script into words, symbols and n-grams of characters: the analyzer "text".

- A *word* is a run of letters and digits of any length, with the combining marks and joiners that belong to them.
  (`re` ends a word before most marks, so that the default analyzer cuts words of Hindi or Tamil into pieces.)
- A *symbol* is a punctuation mark, an emoji or another symbol. Each is a token of its own.
- Some scripts don't separate words: Han, Hiragana, Katakana, Thai, Lao, Khmer and Myanmar. A run of their characters is
  split into *grams*, which are overlapping n-grams of characters, as search engines do. A character and its marks count
  as one, a *unit*. A run of fewer units than the shortest gram counts as a whole.
- Korean separates words by spaces but appends particles to them. So a Hangul word counts as a word, and its bigrams of
  syllables are grams, too.
- All other characters (white space, control characters, marks without a letter) are dropped.

N-grams of words consist of words and symbols that follow each other, in one *sequence*. A sequence ends at each run of
characters of the scripts above, and a new one begins after it. The grams of a document come after its words.

Each character is of one of six kinds. Plain Python replaces each character of a text by a letter for its kind, and
finds tokens by regular expressions for these letters. The kernels read the kinds from a table.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .words import JOINER, wide_characters

OTHER, WORD, EXTENDER, SYMBOL, UNIT, SYLLABLE = range(6)
"""The kinds of characters. EXTENDER: a combining mark or a joiner, which belongs to the character before it; UNIT: a
letter or digit of a script without spaces; SYLLABLE: of Hangul; WORD: any other letter, digit or underscore; SYMBOL: a
symbol; OTHER: dropped."""

SPACE_MARK = "\N{LOWER ONE EIGHTH BLOCK}"
"""Stands for a space in the spelling of n-grams of characters. In texts it is dropped, so it is never a token."""

GRAM_LENGTHS = (1, 2)
"""The smallest and the largest number of units in a gram."""

_SOUTHEAST_ASIAN = (
    *((0x0E00, 0x0E7F), (0x0E80, 0x0EFF)),  # Thai, Lao
    *((0x1000, 0x109F), (0xA9E0, 0xA9FF), (0xAA60, 0xAA7F)),  # Myanmar
    (0x1780, 0x17FF),  # Khmer
)
_EAST_ASIAN = (
    *((0x3005, 0x3007), (0x3021, 0x3029), (0x3031, 0x3035), (0x3038, 0x303B)),  # marks and numbers of Han and kana
    *((0x3041, 0x30FF), (0x31F0, 0x31FF), (0xFF66, 0xFF9F), (0x1AFF0, 0x1B16F)),  # Hiragana, Katakana
    *((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x323AF)),  # Han
)
_UNSPACED = (*_SOUTHEAST_ASIAN, *_EAST_ASIAN)
_FIRST_HANGUL, _LAST_HANGUL = "\uac00", "\ud7a3"
_JOINERS = "\u200c\u200d"  # zero-width, within words of Persian and of scripts of India
_KINDS_BY_CATEGORY = {"M": EXTENDER, "P": SYMBOL, "S": SYMBOL}  # Unicode: marks, punctuation, symbols
_ABOVE_SYMBOLS = 0x20000  # from this code point on, there are no symbols, and all marks are variation selectors
_VARIATION_SELECTORS = (0xE0100, 0xE01EF)


def kind_of(character: str) -> int:
    """Return the kind of a character."""
    if character.isalnum() or character == "_":  # the word characters of `re`
        if _FIRST_HANGUL <= character <= _LAST_HANGUL:
            return SYLLABLE
        code = ord(character)
        return UNIT if any(first <= code <= last for first, last in _UNSPACED) else WORD
    if character in _JOINERS:
        return EXTENDER
    if character == SPACE_MARK:
        return OTHER
    return _KINDS_BY_CATEGORY.get(unicodedata.category(character)[0], OTHER)


@cache
def character_kinds(joins_names: bool = False) -> NDArray[np.uint8]:
    """Return the kind of each code point; with `joins_names`, `JOINER` is a part of words.

    The kinds are those of `kind_of`, but computed for all characters at once, which is much faster.
    """
    is_word = np.unpackbits(wide_characters(), bitorder="little").astype(np.bool_)
    kinds = is_word * np.uint8(WORD)  # all others are 0, which is OTHER
    # A category such as "Mn" has two letters, of which the first one decides. `[::2]` takes the first letters.
    categories = "".join(map(unicodedata.category, map(chr, range(_ABOVE_SYMBOLS)))).encode()
    first_letters = np.frombuffer(categories, np.uint8)[::2]
    kind_by_letter = np.full(128, OTHER, np.uint8)
    for letter, kind in _KINDS_BY_CATEGORY.items():
        kind_by_letter[ord(letter)] = kind
    no_words = np.flatnonzero(~is_word[:_ABOVE_SYMBOLS])
    kinds[no_words] = kind_by_letter[first_letters[no_words]]
    for first, last in _UNSPACED:
        kinds[first : last + 1][is_word[first : last + 1]] = UNIT
    kinds[ord(_FIRST_HANGUL) : ord(_LAST_HANGUL) + 1] = SYLLABLE
    first, last = _VARIATION_SELECTORS
    kinds[first : last + 1] = EXTENDER
    kinds[list(map(ord, _JOINERS))] = EXTENDER
    kinds[ord(SPACE_MARK)] = OTHER
    kinds[:128] = ascii_kinds(joins_names)
    kinds.flags.writeable = False
    return kinds


@cache
def ascii_kinds(joins_names: bool = False) -> NDArray[np.uint8]:
    """Return the first 128 of `character_kinds`, without computing the others."""
    kinds = np.array([kind_of(chr(code)) for code in range(128)], np.uint8)
    if joins_names:
        kinds[ord(JOINER)] = WORD
    kinds.flags.writeable = False
    return kinds


class _KindLetters(dict[int, str]):
    """Maps code points to the letters of their kinds, for `str.translate`; each letter is computed at its first use."""

    LETTERS = " wesuh"  # in the order of the kinds: OTHER, WORD, EXTENDER, SYMBOL, UNIT, SYLLABLE

    def __missing__(self, code: int) -> str:
        """Return the letter of a code point that is not in the dictionary yet, and add it."""
        letter = self[code] = self.LETTERS[kind_of(chr(code))]
        return letter


_KIND_LETTERS = _KindLetters()
_KIND_LETTERS_WITH_NAMES = _KindLetters({ord(JOINER): "w"})
_TOKEN = re.compile("[wuh][wuhe]*|s")  # a word, which may contain runs without spaces, or a symbol
_UNSPACED_RUN = re.compile("u[ue]*")
_HANGUL_RUN = re.compile("(?:he*){2,}")
_UNIT = re.compile("[uh]e*")

_ASCII_TOKEN = re.compile(r"\w+|[!-/:-@\[-^`{-~]")
_ASCII_TOKEN_WITH_NAMES = re.compile(rf"[\w{JOINER}]+|[!-/:-@\[-^`{{-~]")


def _character_class(ranges: Iterable[tuple[int, int]]) -> str:
    """Return a regular expression for a character of these ranges of code points."""
    return f"[{''.join(f'{chr(first)}-{chr(last)}' for first, last in ranges)}]"


# In scripts without spaces, few words have so many characters, so most such runs consist of several words.
_LONG_RUN = re.compile(f"{_character_class(_EAST_ASIAN)}{{5,}}|{_character_class(_SOUTHEAST_ASIAN)}{{12,}}")


class ScriptSample:
    """A sample of the first documents of a collection, which shows whether words are separated by spaces.

    If they are not, most characters are in long runs of scripts without spaces: on corpora of Chinese, Japanese and
    Thai sentences, 47% to 83% of all characters but white space. In texts of other scripts, or with a space after each
    word, it is 0%.
    """

    MAX_DOCUMENTS, MAX_CHARACTERS = 1000, 200
    """The largest number of documents, and of characters of each, that are looked at."""
    MIN_SHARE = 0.3
    """The smallest share of characters in long runs of a text in which words are not separated."""

    def __init__(self) -> None:
        self._n_documents = self._n_characters = self._n_in_long_runs = 0

    def add(self, texts: Iterable[object]) -> None:
        """Look at more documents; those that are no strings are ignored."""
        for text in islice(texts, self.MAX_DOCUMENTS - self._n_documents):
            self._n_documents += 1
            if isinstance(text, str):
                begin = text[: self.MAX_CHARACTERS]
                self._n_characters += sum(map(len, begin.split()))
                self._n_in_long_runs += 0 if begin.isascii() else sum(map(len, _LONG_RUN.findall(begin)))

    @property
    def has_unseparated_words(self) -> bool:
        """Return whether words are written without spaces between them; False if no documents were added."""
        return self._n_in_long_runs > self.MIN_SHARE * self._n_characters


Place = tuple[int, int]
"""Where a token begins and ends in a prepared text."""


class TokenPlaces(NamedTuple):
    """Where the tokens of a text are: its words and symbols in sequences, and its grams."""

    sequences: list[list[Place]]
    grams: list[Place]


class Tokens(NamedTuple):
    """The tokens of a text: its words and symbols in sequences, and its grams."""

    sequences: list[list[str]]
    grams: list[str]


def split_text(text: str, *, joins_names: bool = False) -> Tokens:
    """Return the tokens of a prepared text; with `joins_names`, words can be names (see `names`)."""
    if text.isascii():  # the same tokens, faster
        return Tokens([(_ASCII_TOKEN_WITH_NAMES if joins_names else _ASCII_TOKEN).findall(text)], [])
    places = token_places(text, joins_names=joins_names)
    return Tokens(
        [[text[begin:end] for begin, end in sequence] for sequence in places.sequences],
        [text[begin:end] for begin, end in places.grams],
    )


def token_places(text: str, *, joins_names: bool = False) -> TokenPlaces:
    """Return where the tokens of a prepared text are."""
    kinds = text.translate(_KIND_LETTERS_WITH_NAMES if joins_names else _KIND_LETTERS)
    if "u" not in kinds and "h" not in kinds:
        return TokenPlaces([[match.span() for match in _TOKEN.finditer(kinds)]], [])
    sequences: list[list[Place]] = [[]]
    grams: list[Place] = []

    def add_word(begin: int, end: int) -> None:
        """Add a word or symbol, and the bigrams of its Hangul syllables; a word that is a bigram is added only once."""
        sequences[-1].append((begin, end))
        for run in _HANGUL_RUN.finditer(kinds, begin, end):
            bigrams = _grams(kinds, *run.span(), shortest=2, longest=2)
            grams.extend(place for place in bigrams if place != (begin, end))

    # Runs without spaces cut a token into words, and a new sequence begins after each run. The rest of the token, which
    # is not split yet, begins at `begin`.
    for match in _TOKEN.finditer(kinds):
        begin, end = match.span()
        for run in _UNSPACED_RUN.finditer(kinds, begin, end):
            if begin < run.start():
                add_word(begin, run.start())
            sequences.append([])
            grams += _grams(kinds, *run.span(), *GRAM_LENGTHS)
            begin = run.end()
        if begin < end:
            add_word(begin, end)
    return TokenPlaces(sequences, grams)


def _grams(kinds: str, begin: int, end: int, shortest: int, longest: int) -> Iterator[Place]:
    """Yield the places of the grams of the run from `begin` to `end`, by where they begin, shorter ones first.

    `kinds` has a letter for the kind of each character of the text. A gram has `shortest` to `longest` units.
    """
    units = [unit.span() for unit in _UNIT.finditer(kinds, begin, end)]
    shortest = min(shortest, len(units))  # a run of fewer units counts as a whole
    for first in range(len(units)):
        for last in range(first + shortest - 1, min(first + longest, len(units))):
            yield units[first][0], units[last][1]
