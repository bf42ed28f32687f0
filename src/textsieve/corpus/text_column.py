"""Warn if the text column of a table has IDs, dates or numbers, and name a likelier column.

A user who names the wrong column as the text would get a model that learned from IDs. `warn_of_texts` looks at the
first texts. It only warns, because codes can be classified, too: there are data sets of such texts. So it does not warn
either if the user named the column and no other looks like texts. IDs are texts without white space that have a digit,
such as 1042, T-17 or 3f2a9c, and are nearly all different.

Documents that come from no table are not checked: nobody chose a wrong column for them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from ..errors import InputError, Setting, shown, warn
from .label_column import DATES_OR_TIMES, NEARLY_ALL, ValuesKind, is_date, is_number
from .source import is_conventional_as

if TYPE_CHECKING:
    from .corpus import Corpus

MIN_TEXTS, MAX_TEXTS = 10, 1_000
"""The smallest and the largest number of texts that are checked."""
MIN_DISTINCT = 0.9
"""The share of texts that must be different to be IDs; fewer different ones may be words of a small vocabulary."""
MAX_ID_LENGTH = 40
"""The number of characters of the longest ID; a UUID has 36."""
MIN_WORDS = 2
"""The average number of words of a column that may be the text."""
_ID = re.compile(r"(?=\D*\d)[\w.:#+-]+", re.ASCII)
_AMOUNT = re.compile(r"(?:[A-Z]{3}\s)?[-+]?\d[\d.,]*(?:\s?[^\W\d]{1,4}\.?)?")  # EUR 12, 12 EUR, 1,000 kg
_WIDE = "\u2e80-\U0010ffff"
"""The range of the characters of scripts without spaces between words, such as Chinese and Japanese ones."""
_WIDE_CHARACTER, _NARROW_WORD = re.compile(f"[{_WIDE}]"), re.compile(rf"[^\s{_WIDE}]+")


def _is_id(text: str) -> bool:
    """Return whether a text may be an ID: one word with a digit."""
    return len(text) <= MAX_ID_LENGTH and _ID.fullmatch(text) is not None


def texts_kind(texts: Sequence[str]) -> ValuesKind | None:
    """Return what nearly all texts are, if that is rarely the text of a document: dates, numbers or IDs; else None.

    >>> texts_kind([f"T-{number}" for number in range(1000, 1020)])
    ValuesKind(name='IDs', example='T-1000')
    """
    filled = [stripped for text in texts[:MAX_TEXTS] if (stripped := text.strip())]
    return None if len(filled) < MIN_TEXTS else _kind(filled)


def _kind(filled: Sequence[str]) -> ValuesKind | None:
    """Return the result of `texts_kind` for any number of texts, none of which is empty or begins with a space."""
    kinds: dict[str, Callable[[str], bool]] = {DATES_OR_TIMES: is_date, "numbers": is_number}
    if len(set(filled)) > MIN_DISTINCT * len(filled):
        kinds["IDs"] = _is_id
    for name, is_kind in kinds.items():
        of_kind = [text for text in filled if is_kind(text)]
        if len(of_kind) >= NEARLY_ALL * len(filled):
            return ValuesKind(name, of_kind[0])
    return None


def likely_text_columns(sample: Mapping[str, Sequence[object]]) -> list[str]:
    """Return the columns that look like texts, the likeliest first: by their names, and then those with the most words.

    `sample` has the values of the first rows of each column. A column looks like texts if it is filled in at least half
    of the rows, with strings of `MIN_WORDS` words on average, of which at least two are different, and which are not
    dates, numbers, amounts or IDs. Of columns with as many words, the one with the most different strings comes first.
    """
    ranks: dict[str, tuple[bool, float, int]] = {}
    for name, values in sample.items():
        texts = [stripped for value in values if isinstance(value, str) and (stripped := value.strip())]
        n_distinct = len(set(texts))
        if n_distinct < 2 or 2 * len(texts) < len(values) or _kind(texts) is not None or _are_amounts(texts):
            continue
        if (n_words := sum(map(_count_words, texts)) / len(texts)) >= MIN_WORDS:
            ranks[name] = not is_conventional_as("text", name), -n_words, -n_distinct
    return sorted(ranks, key=ranks.__getitem__)


def _are_amounts(texts: Sequence[str]) -> bool:
    """Return whether nearly all texts are numbers with a unit, such as "12 EUR"."""
    return sum(_AMOUNT.fullmatch(text) is not None for text in texts) >= NEARLY_ALL * len(texts)


def _count_words(text: str) -> float:
    """Return the number of words of a text; a character of a script without spaces counts as half a word."""
    return len(_NARROW_WORD.findall(text)) + len(_WIDE_CHARACTER.findall(text)) / 2


def warn_of_texts(corpus: Corpus, texts: Sequence[str]) -> None:
    """Warn if the first texts of a corpus that comes from a table look like IDs, dates or numbers.

    If the caller named the columns of the text, warn only if another one looks more like texts.
    """
    if corpus.sample_columns is None or (kind := texts_kind(texts)) is None:
        return
    columns = dict.fromkeys(name for table in corpus.tables for name in table.text)
    names = " and ".join(shown(name, 40) for name in columns)
    problem = f"the texts{names and f' in column {names}'} look like {kind.name}, such as {shown(kind.example)}."
    try:
        likely = likely_text_columns(corpus.sample_columns())
    except InputError:  # a column that is not read is damaged or too large: then there is no hint
        likely = []
    if not likely and any(table.is_text_given for table in corpus.tables):
        return
    other = ("If these are not the texts, name their column with ", Setting("text"), ".")
    hint = ("Did you mean ", Setting("text", likely[0]), "?") if likely else other
    warn((f"{corpus.name}: {problem} ", *hint))
