"""Warn if the text column of a table has IDs, dates or numbers, and name a likelier column.

A user who names the wrong column as the text would get a model that learned from IDs. `warn_of_texts` looks at the
first texts. It only warns, because codes can be classified, too: there are data sets of such texts. IDs are texts
without white space that have a digit, such as 1042, T-17 or 3f2a9c, and are nearly all different.

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


def _is_id(text: str) -> bool:
    """Return whether a text may be an ID: one word with a digit."""
    return len(text) <= MAX_ID_LENGTH and _ID.fullmatch(text) is not None


def texts_kind(texts: Sequence[str]) -> ValuesKind | None:
    """Return what nearly all texts are, if that is rarely the text of a document: dates, numbers or IDs; else None.

    >>> texts_kind([f"T-{number}" for number in range(1000, 1020)])
    ValuesKind(name='IDs', example='T-1000')
    """
    filled = [stripped for text in texts[:MAX_TEXTS] if (stripped := text.strip())]
    if len(filled) < MIN_TEXTS:
        return None
    kinds: dict[str, Callable[[str], bool]] = {DATES_OR_TIMES: is_date, "numbers": is_number}
    if len(set(filled)) > MIN_DISTINCT * len(filled):
        kinds["IDs"] = _is_id
    for name, is_kind in kinds.items():
        of_kind = [text for text in filled if is_kind(text)]
        if len(of_kind) >= NEARLY_ALL * len(filled):
            return ValuesKind(name, of_kind[0])
    return None


def likely_text_columns(sample: Mapping[str, Sequence[object]]) -> list[str]:
    """Return the columns that look like texts, the likeliest first: by their names, and then the longest.

    `sample` has the values of the first rows of each column. A column looks like texts if it is filled in at least half
    of the rows, with strings of `MIN_WORDS` words on average.
    """
    lengths: dict[str, float] = {}
    for name, values in sample.items():
        texts = [value for value in values if isinstance(value, str) and value.strip()]
        n_words = sum(len(text.split()) for text in texts)
        if texts and 2 * len(texts) >= len(values) and n_words >= MIN_WORDS * len(texts):
            lengths[name] = sum(map(len, texts)) / len(texts)
    return sorted(lengths, key=lambda name: (not is_conventional_as("text", name), -lengths[name]))


def warn_of_texts(corpus: Corpus, texts: Sequence[str]) -> None:
    """Warn if the first texts of a corpus that comes from a table look like IDs, dates or numbers."""
    if corpus.sample_columns is None or (kind := texts_kind(texts)) is None:
        return
    columns = dict.fromkeys(name for table in corpus.tables for name in table.text)
    names = " and ".join(shown(name, 40) for name in columns)
    problem = f"the texts{names and f' in column {names}'} look like {kind.name}, such as {shown(kind.example)}."
    try:
        likely = likely_text_columns(corpus.sample_columns())
    except InputError:  # a column that is not read is damaged or too large: then there is no hint
        likely = []
    other = ("If these are not the texts, name their column with ", Setting("text"), ".")
    hint = ("Did you mean ", Setting("text", likely[0]), "?") if likely else other
    warn((f"{corpus.name}: {problem} ", *hint))
