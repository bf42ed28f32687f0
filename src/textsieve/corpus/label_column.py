"""Check that the label column of a table has classes, and name a likelier column if it does not.

Nobody wants a class for each ID. So a table with `MIN_LABELLED` labelled documents or more raises `InputError` if more
than `MAX_DISTINCT` of the labels are different. That is known for certain only at the end of the corpus, after its
texts are counted. So `LabelColumn.check_beginning` first looks at the labels of the first `BEGINNING_DOCUMENTS`
documents or `BEGINNING_CHARACTERS` characters, and nothing is counted before. As soon as 1 % of these labels are
repeated, as in the first batch of almost any corpus, it stops looking. If the corpus ends before that, the rule for the
whole corpus holds. Otherwise, a column is refused if there are `MIN_LABELLED_IN_BEGINNING` labelled documents or more,
and more than `MAX_DISTINCT_IN_BEGINNING` of their labels are different.

This refuses hardly any corpus in which each class has several documents. If the rows are in random order, the first
20,000 have less than 1 % repeated labels only if there are about a million classes or more, and the first 1,000, if
these have 32 million characters, only from 50,000 classes on. If the rows are sorted by label, equal labels follow each
other. If the rows take turns, one of each class and then the next of each, a corpus with more than 19,800 classes is
refused (990 with such long texts). The error says how to get it read: shuffle its rows.

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

from ..errors import InputError, Setting, shown
from ..warning import warn
from .source import is_conventional_as

if TYPE_CHECKING:
    from .batch import Batch
    from .corpus import Corpus

Item = TypeVar("Item")

MIN_LABELLED, MAX_DISTINCT = 50, 0.9
"""A corpus with at least so many labelled documents may have at most this share of different labels."""
BEGINNING_DOCUMENTS, BEGINNING_CHARACTERS = 20_000, 1 << 25
"""The most documents, and characters of their texts, that are held back while their labels are checked."""
MIN_LABELLED_IN_BEGINNING, MAX_DISTINCT_IN_BEGINNING = 1_000, 0.99
"""The limits for the beginning of a corpus that goes on."""

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


def _is_date(value: str) -> bool:
    """Return whether a value is a date or a time, in one of the usual forms."""
    return not _is_long(value) and _DATE.fullmatch(value) is not None


def _is_number(value: str) -> bool:
    """Return whether a value is a number, which may have a fraction, an exponent, and a unit such as % or €."""
    match = None if _is_long(value) else _NUMBER.fullmatch(value)
    return match is not None and bool(match["whole"] or match["fraction"])


def _has_fraction(value: str) -> bool:
    """Return whether a number is not a whole one: 1.5, but not 1, 1.0 or 1,000."""
    match = None if _is_long(value) else _NUMBER.fullmatch(value)
    if match is None or _THOUSANDS.fullmatch(value):
        return False
    return bool((match["fraction"] or "").strip("0") or match["exponent"])


class ValuesKind(NamedTuple):
    """What nearly all values of a column are, and one of these values."""

    name: str
    example: str


def values_kind(counts: Mapping[str, int]) -> ValuesKind | None:
    """Return what nearly all values of a column are, if that is rarely a class: dates, for example; else None.

    `counts` has the number of rows of each value. Numbers count as decimal if at least half of them have a fraction.
    """
    n_rows = sum(counts.values())

    def are_at_least(share: float, is_kind: Callable[[str], bool]) -> bool:
        return sum(count for value, count in counts.items() if is_kind(value)) >= share * n_rows > 0

    def first(is_kind: Callable[[str], bool]) -> str:
        return next(filter(is_kind, counts))

    if are_at_least(NEARLY_ALL, _is_date):
        return ValuesKind("dates or times", first(_is_date))
    if are_at_least(NEARLY_ALL, _is_number) and are_at_least(0.5, _has_fraction):
        if sum(map(_has_fraction, counts)) >= MIN_FRACTIONS:
            return ValuesKind("decimal numbers", first(_has_fraction))
    elif are_at_least(NEARLY_ALL, _is_long):
        return ValuesKind(f"texts of more than {LONG_LABEL} characters", first(_is_long))
    return None


def distinct_labels_problem(n_distinct: int, n_labelled: int, *, is_whole: bool = True) -> str:
    """Return the problem with labels that are nearly all different, as text for an error; "" if they are not.

    `is_whole` says that these are the labels of all documents, and not of the first ones only.
    """
    n_least, max_share = MIN_LABELLED, MAX_DISTINCT
    if not is_whole:
        n_least, max_share = MIN_LABELLED_IN_BEGINNING, MAX_DISTINCT_IN_BEGINNING
    if n_labelled < n_least or n_distinct <= max_share * n_labelled:
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
    """Return the columns that look like labels, the likeliest first, from values of the first rows of a table.

    Labels repeat: a column of labels has at least two different values, at most one for every five rows, and is filled
    in at least half of the rows. Its values are not dates, decimal numbers or long texts. Conventional names come
    first, and then columns with few different values.
    """
    n_distinct: dict[str, int] = {}
    for name, values in sample.items():
        counts = Counter(text for value in values if value is not None and (text := str(value).strip()))
        n_filled = counts.total()
        if 2 * n_filled >= len(values) and 2 <= len(counts) <= n_filled / 5 and not values_kind(counts):
            n_distinct[name] = len(counts)
    return sorted(n_distinct, key=lambda name: (not is_conventional_as("label", name), n_distinct[name]))


class LabelColumn:
    """The label column of a corpus that comes from a table, to be checked in one pass over its labels.

    `multilabel` is the setting of the caller: if it is true, or documents have several labels, any number of labels may
    be different. If one of the labels is in `classes`, which a model knows already, nothing is checked.
    """

    def __init__(self, corpus: Corpus, *, multilabel: bool | None = None, classes: Collection[object] = ()) -> None:
        self._corpus, self._multilabel, self._classes = corpus, multilabel, classes
        self._is_table = corpus.sample_columns is not None
        self._has_warned = False

    def check_beginning(self, items: Iterator[Item], batch_of: Callable[[Item], Batch]) -> Iterator[Item]:
        """Yield the items of a pass, but first check the labels of the first ones; `batch_of` returns an item's batch.

        Items are held back as long as nearly all labels are different; the docstring of the module has the rule.
        """
        held: deque[Item] = deque()
        counts: Counter[str] = Counter()
        n_documents = n_characters = 0
        is_whole = False
        while self._is_table and n_documents < BEGINNING_DOCUMENTS and n_characters < BEGINNING_CHARACTERS:
            item = next(items, None)
            if item is None:
                is_whole = True
                break
            held.append(item)
            batch = batch_of(item)
            n_documents += len(batch)
            n_characters += sum(map(len, batch.texts))
            counts.update(chain.from_iterable(batch.labels))
            if self._multilabel is None and any(len(labels) > 1 for labels in batch.labels):
                self._multilabel = True
            if self._multilabel or len(counts) < MAX_DISTINCT_IN_BEGINNING * counts.total():
                break
        self._check(counts, is_whole=is_whole)
        while held:  # without keeping them in memory
            yield held.popleft()
        yield from items

    def check_whole(self, counts: Mapping[str, int]) -> None:
        """Check the labels of all documents, given the number of documents of each label."""
        self._check(counts, is_whole=True)

    def _check(self, counts: Mapping[str, int], *, is_whole: bool) -> None:
        """Raise `InputError` if nearly all labels are different, or warn if they look like dates, for example."""
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
