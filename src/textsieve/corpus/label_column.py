"""Check that the label column of a table has classes, and name a likelier column if it does not.

A user who names a column of IDs as the label would get a class for each document. So there are two rules:

- **Whole corpus**: a table with `MIN_LABELLED` labelled documents or more raises `InputError` if more than
  `MAX_DISTINCT` of the labels are different. But that is known only at the end, after hours of counting texts.
- **Beginning**: before any text is counted, `LabelColumn.check_beginning` looks at the labels of the first
  `BEGINNING_DOCUMENTS` documents, or of the first ones with `BEGINNING_CHARACTERS` characters. As soon as 1 % of these
  labels are repeated, as in the first batch of almost any corpus, it stops looking. If it reaches its limit instead, it
  raises `InputError` if there are `MIN_LABELLED_IN_BEGINNING` labelled documents or more, and more than
  `MAX_DISTINCT_IN_BEGINNING` of their labels are different. If the corpus ends first, the rule for the whole corpus
  decides.

The second rule refuses hardly any corpus in which each class has several documents. It depends on the order of rows:

- If the rows are in random order, the first 20,000 have less than 1 % repeated labels only if there are about a million
  classes or more. If texts are so long that 1,000 rows have 32 million characters, it takes 50,000 classes.
- If the rows are sorted by label, equal labels follow each other, so labels repeat at once.
- If the rows take turns, one of each class and then the next of each, a corpus with more than 19,800 classes is refused
  (990 with such long texts). The error says how to get it read: shuffle its rows.

Dates, decimal numbers and long texts may repeat, and may be classes, so they only lead to a warning (`values_kind`).
Integers lead to none: 0 and 1, or 1 to 5 stars, are usual classes.

Documents that come from no table are not checked: nobody chose a wrong column for them.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from ..errors import InputError, Setting, shown, warn
from .source import is_conventional_as

if TYPE_CHECKING:
    from .batch import Batch
    from .corpus import Corpus

Item = TypeVar("Item")

MIN_LABELLED, MAX_DISTINCT = 50, 0.9
"""A corpus with at least so many labelled documents may have at most this share of different labels."""
BEGINNING_DOCUMENTS, BEGINNING_CHARACTERS = 20_000, 1 << 25
"""The most documents, and about the most characters of their texts, that are held back while labels are checked."""
MIN_LABELLED_IN_BEGINNING, MAX_DISTINCT_IN_BEGINNING = 1_000, 0.99
"""The same limits as `MIN_LABELLED` and `MAX_DISTINCT`, for the beginning of a corpus."""

NEARLY_ALL = 0.9
"""The share of labelled documents whose labels must be of one kind, such as dates, for a warning."""
LONG_LABEL = 100
"""A label with more characters is hardly the name of a class."""
MIN_FRACTIONS = 11
"""The fewest different numbers with a fraction for a warning; ratings from 0 to 10 in steps of 0.5 have ten."""

HINT_AFTER_KIND = ("If these are not classes, name the column of the classes with ", Setting("label"), ".")
"""The end of a warning about labels of one kind, if no likelier column is known."""

_YEAR, _MONTH, _DAY = r"(?:19|20)\d\d", r"(?:0?[1-9]|1[0-2])", r"(?:0?[1-9]|[12]\d|3[01])"
_TIME = r"\d{1,2}:[0-5]\d(?::[0-5]\d(?:[.,]\d+)?)?(?:\s?[ap]m)?(?:\s?(?:z|utc|gmt|[+-]\d\d:?\d\d))?"
_MONTH_NAME = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_DATES = (
    rf"{_YEAR}([-/.]){_MONTH}\1{_DAY}",  # 2024-05-31
    rf"{_YEAR}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])",  # 20240531
    rf"{_DAY}([-/.]){_DAY}\2{_YEAR}",  # 31.05.2024, 5/31/2024
    rf"{_DAY}/{_DAY}/\d\d",  # 5/31/24
    r"(?:0[1-9]|[12]\d|3[01])([-.])(?:0[1-9]|1[0-2])\3\d\d",  # 31.05.24, but not the version 3.11.2
    rf"{_DAY}(?:\.|st|nd|rd|th)?[\s-][^\W\d]{{3,9}}\.?,?[\s-]{_YEAR}",  # 31 May 2024, 31. Mai 2024, 31-May-2024
    rf"{_MONTH_NAME}\s{_DAY}(?:st|nd|rd|th)?,?\s{_YEAR}",  # May 31, 2024
    rf"{_MONTH_NAME}\s+{_DAY}\s{_TIME}(?:\s[a-z]{{3,4}})?\s{_YEAR}",  # Fri May 31 14:30:00 2024
)
_DATE = re.compile(
    rf"(?:[a-z]{{3,9}},?\s)?(?:{'|'.join(_DATES)})(?:(?:t|,?\s+){_TIME})?|{_TIME}",  # a weekday, a date and a time
    re.IGNORECASE,
)
_NUMBER = re.compile(r"[$€£]?\s?[-+]?(?P<whole>\d*)(?:[.,](?P<fraction>\d+))?(?P<exponent>e[-+]?\d+)?\s?[€%]?", re.I)
_THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2}(?:,\d{3})+")


def _is_long(value: str) -> bool:
    """Return whether a value is too long for the name of a class."""
    return len(value) > LONG_LABEL


def is_date(value: str) -> bool:
    """Return whether a value is a date or a time, in one of the usual forms."""
    return not _is_long(value) and _DATE.fullmatch(value) is not None


def is_number(value: str) -> bool:
    """Return whether a value is a number, which may have a fraction, an exponent, and a unit such as % or €."""
    match = None if _is_long(value) else _NUMBER.fullmatch(value)
    return match is not None and bool(match["whole"] or match["fraction"])


def _has_fraction(value: str) -> bool:
    """Return whether a number is not a whole one: 1.5, but not 1, 1.0 or 1,000."""
    match = None if _is_long(value) else _NUMBER.fullmatch(value)
    if match is None or _THOUSANDS.fullmatch(value):
        return False
    return bool((match["fraction"] or "").strip("0") or match["exponent"])


DATES_OR_TIMES = "dates or times"


class ValuesKind(NamedTuple):
    """What nearly all values of a column are, and one of these values."""

    name: str
    example: str


def values_kind(counts: Mapping[str, int]) -> ValuesKind | None:
    """Return what nearly all values of a column are, if that is rarely a class: dates, for example; else None.

    `counts` has the number of rows of each value. Numbers count as decimal if at least half of the rows have one with a
    fraction, and if `MIN_FRACTIONS` of these are different: fewer, such as 0.5 and 1.5, may be ratings.
    """
    n_rows = sum(counts.values())
    if not n_rows:
        return None

    def share(is_kind: Callable[[str], bool]) -> float:
        """Return the share of rows whose value is of a kind."""
        return sum(count for value, count in counts.items() if is_kind(value)) / n_rows

    def first(is_kind: Callable[[str], bool]) -> str:
        return next(filter(is_kind, counts))

    if share(is_date) >= NEARLY_ALL:
        return ValuesKind(DATES_OR_TIMES, first(is_date))
    n_fractions = sum(map(_has_fraction, counts))  # different ones
    if n_fractions >= MIN_FRACTIONS and share(_has_fraction) >= 0.5 and share(is_number) >= NEARLY_ALL:
        return ValuesKind("decimal numbers", first(_has_fraction))
    if share(_is_long) >= NEARLY_ALL:
        return ValuesKind(f"texts of more than {LONG_LABEL} characters", first(_is_long))
    return None


def distinct_labels_problem(n_distinct: int, n_labelled: int, *, is_whole: bool = True) -> str:
    """Return the problem with labels that are nearly all different, as text for an error; "" if they are not.

    `is_whole` says that these are the labels of the whole corpus, and not of its beginning.
    """
    min_labelled, max_distinct = MIN_LABELLED, MAX_DISTINCT
    if not is_whole:
        min_labelled, max_distinct = MIN_LABELLED_IN_BEGINNING, MAX_DISTINCT_IN_BEGINNING
    if n_labelled < min_labelled or n_distinct <= max_distinct * n_labelled:
        return ""
    documents = f"{'' if is_whole else 'the first '}{n_labelled:,} labelled documents"
    return f"{n_distinct:,} different labels of {documents}; a class needs several documents"


def kind_problem(counts: Mapping[str, int], columns: Iterable[str] = ()) -> str:
    """Return the problem with labels that look like dates, for example, as a sentence for a warning; "" if they don't.

    `counts` has the number of documents of each label, and `columns` the names of the label columns.
    """
    kind = values_kind(counts)
    if kind is None:
        return ""
    names = " and ".join(shown(name, 40) for name in dict.fromkeys(columns))
    example = shown(kind.example)
    end = "" if example.endswith("...") else "."  # a long example is cut off
    return f"the labels{names and f' in column {names}'} look like {kind.name}, such as {example}{end}"


def likely_label_columns(sample: Mapping[str, Sequence[object]]) -> list[str]:
    """Return the columns that look like labels, the likeliest first.

    `sample` has the values of the first rows of each column. A column looks like labels if it is filled in at least
    half of the rows, its filled rows have at least two different values, but at most one for every five of them, and
    these are not dates, decimal numbers or long texts. Columns with a conventional name come first, and then those with
    the fewest different values.
    """
    n_distinct: dict[str, int] = {}
    for name, values in sample.items():
        counts = Counter(text for value in values if value is not None and (text := str(value).strip()))
        n_filled = counts.total()
        if 2 * n_filled >= len(values) and 2 <= len(counts) <= n_filled / 5 and not values_kind(counts):
            n_distinct[name] = len(counts)
    return sorted(n_distinct, key=lambda name: (not is_conventional_as("label", name), n_distinct[name]))


class LabelColumn:
    """Checks the label column of a corpus that comes from a table, in one pass over its documents.

    `multilabel` is the setting of the caller: if it is true, or documents have several labels, any number of labels may
    be different. `classes` are those of a model that already exists: if one of the labels is among them, the column is
    the right one, and nothing is checked.
    """

    def __init__(self, corpus: Corpus, *, multilabel: bool | None = None, classes: Collection[object] = ()) -> None:
        self._corpus, self._multilabel, self._classes = corpus, multilabel, classes
        self._is_table = corpus.sample_columns is not None
        self._has_warned = False

    def check_beginning(self, items: Iterator[Item], batch_of: Callable[[Item], Batch]) -> Iterator[Item]:
        """Yield the items of a pass, but before the first one, check the labels of the beginning of the corpus.

        An item is a batch, or something from which `batch_of` returns the batch. The items that are checked are held
        back meanwhile. The docstring of the module has the rule.
        """
        if self._is_table:
            held_back, counts, is_whole = self._read_beginning(items, batch_of)
            self._check(counts, is_whole=is_whole)
            while held_back:  # `popleft`, so that no item stays in memory after it is yielded
                yield held_back.popleft()
        yield from items

    def _read_beginning(
        self, items: Iterator[Item], batch_of: Callable[[Item], Batch]
    ) -> tuple[deque[Item], Counter[str], bool]:
        """Return the first items of a pass, their number of documents of each label, and whether no items follow.

        Stop as soon as enough labels are repeated, or it turns out that documents may have several labels.
        """
        held_back: deque[Item] = deque()
        counts: Counter[str] = Counter()
        n_documents = n_characters = 0
        while n_documents < BEGINNING_DOCUMENTS and n_characters < BEGINNING_CHARACTERS:
            item = next(items, None)
            if item is None:
                return held_back, counts, True
            held_back.append(item)
            batch = batch_of(item)
            n_documents += len(batch)
            n_characters += sum(map(len, batch.texts))
            counts.update(chain.from_iterable(batch.labels))
            if self._multilabel is None and any(len(labels) > 1 for labels in batch.labels):
                self._multilabel = True
            if self._multilabel or len(counts) < MAX_DISTINCT_IN_BEGINNING * counts.total():
                break
        return held_back, counts, False

    def check_whole(self, counts: Mapping[str, int]) -> None:
        """Check the labels of all documents, given the number of documents of each label."""
        self._check(counts, is_whole=True)

    def _check(self, counts: Mapping[str, int], *, is_whole: bool) -> None:
        """Raise `InputError` if nearly all labels are different; warn, once, if they look like dates, for example.

        `counts` has the number of documents of each label, and `is_whole` says that it is of the whole corpus.
        """
        if not self._is_table or any(label in self._classes for label in counts):
            return
        name, n_labels = self._corpus.name, sum(counts.values())
        multilabel = self._corpus.multilabel if self._multilabel is None else self._multilabel
        if not multilabel and (problem := distinct_labels_problem(len(counts), n_labels, is_whole=is_whole)):
            hint = self._hint() or ("In a table, name the column of the classes with ", Setting("label"), ".")
            if not is_whole:
                hint = (*hint, " If these are classes, shuffle the rows.")
            raise InputError(problem, place=name, hint=hint)
        if self._has_warned or not (is_whole or n_labels >= MIN_LABELLED):
            return
        columns = [table.label for table in self._corpus.tables if table.label is not None]
        if problem := kind_problem(counts, columns):
            self._has_warned = True
            warn((f"{name}: {problem} ", *(self._hint() or HINT_AFTER_KIND)))

    def _hint(self) -> tuple[str | Setting, ...]:
        """Return a question that names a likelier column, as parts of a message; () if there is none."""
        if self._corpus.sample_columns is None:
            return ()
        try:
            likely = likely_label_columns(self._corpus.sample_columns())
        except InputError:  # a column that training does not read is damaged or too large: then there is no hint
            return ()
        return ("Did you mean ", Setting("label", likely[0]), "?") if likely else ()
