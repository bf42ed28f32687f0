"""The terms of a counter in the order of their columns, and the limits that select them.

A `Vocabulary` has its terms in three representations: a list of strings, a dictionary from terms to columns, and a term
table for the kernels. Each is built when it is first needed: a model that predicts one document never needs the table,
and a stream that adds millions of terms never needs the list. Only the list is pickled.

Documents can have millions of terms, of which a model keeps a few thousand. So training handles `Terms`, from which it
takes the strings of only the columns that it needs.

When a counter learns its terms, limits on the document frequency and on the number of terms drop some of them
(`terms_within_limits`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ..arrays import Ints
from ..errors import InputError, Setting, counted, shown
from ..settings import is_whole
from .reading import Reading

if TYPE_CHECKING:
    from .term_table import CountingTable


def columns_of(numbers: Ints, size: int) -> Ints:
    """Return the column of each of `size` term numbers (-1: none); `numbers` has the term number of each column, or -1.

    If columns 0 to 2 have the numbers 3, -1 and 0, the columns of the numbers 0 to 3 are 2, -1, -1 and 0.
    """
    columns = np.full(size, -1, np.int64)
    has_number = numbers >= 0
    columns[numbers[has_number]] = np.flatnonzero(has_number)
    return columns


def vocabulary_terms(vocabulary: Mapping[str, int] | Iterable[str]) -> list[str]:
    """Return the terms of a given vocabulary in the order of their columns; a set is sorted alphabetically."""
    if isinstance(vocabulary, Mapping):
        terms = sorted(vocabulary, key=vocabulary.__getitem__)
        if [vocabulary[term] for term in terms] != list(range(len(terms))):
            raise InputError("vocabulary must number its terms 0, 1, 2, ... without gaps or repetitions.")
    else:
        terms = unique_terms(sorted(vocabulary) if isinstance(vocabulary, set | frozenset) else vocabulary)
    if not terms:
        raise InputError("vocabulary is empty", hint="give at least one term, or leave it out to learn them")
    return terms


def unique_terms(terms: Iterable[str]) -> list[str]:
    """Return the terms as a list; raise `InputError` if one occurs twice or is not a string."""
    if isinstance(terms, str):
        raise InputError(f"vocabulary is the string {shown(terms)}", hint="give a list of terms")
    term_list = list(terms)
    for term, times in Counter(term_list).items():
        if not isinstance(term, str) or times > 1:
            problem = "twice" if isinstance(term, str) else "which is no text"
            raise InputError(f"vocabulary has the term {shown(term)} {problem}.")
    return term_list


class VocabularyTable(NamedTuple):
    """A term table with the terms of a vocabulary, and the mapping between its term numbers and the columns."""

    table: CountingTable
    numbers: Ints  # (n_columns,) the number of each column; -1: the term can't occur in texts
    columns: Ints  # (table.size,) the column of each number; -1: none
    reading: Reading  # how the documents are read for which the table was built


class Vocabulary:
    """Terms and their columns. New terms can be added at the end: as strings, or by a table that has learned them.

    Threads may read it concurrently: each representation is complete before it becomes visible.
    """

    def __init__(
        self, terms: Sequence[str], ngram_range: tuple[int, int], stop_words: frozenset[str], *, pruned: bool = False
    ) -> None:
        self.ngram_range = ngram_range
        self.stop_words = stop_words
        self.pruned = pruned  # whether limits dropped terms of the documents
        self._terms = list(terms)
        self._size = len(self._terms)
        self._columns: dict[str, int] | None = None
        self._table: VocabularyTable | None = None

    @classmethod
    def of_table(cls, table: VocabularyTable, ngram_range: tuple[int, int], stop_words: frozenset[str]) -> Vocabulary:
        """Return the vocabulary of a table that has all its terms; they become strings when they are asked for."""
        vocabulary = cls([], ngram_range, stop_words)
        vocabulary._table = table
        vocabulary._size = len(table.numbers)
        return vocabulary

    def __len__(self) -> int:
        """Return the number of terms."""
        return self._size

    def __getstate__(self) -> dict[str, Any]:
        """Return the pickled state: the terms and the settings, by the names of the constructor's arguments."""
        return {name: getattr(self, name) for name in ("terms", "ngram_range", "stop_words", "pruned")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore a pickled state."""
        self.__dict__.update(Vocabulary(**state).__dict__)

    @property
    def terms(self) -> list[str]:
        """Return the terms in the order of their columns."""
        terms, known = self._terms, self._table
        if len(terms) < self._size and known is not None:  # only the table has the terms that were added last
            terms = self._terms = terms + known.table.spell(known.numbers[len(terms) :])
        return terms

    def terms_at(self, columns: Ints) -> list[str]:
        """Return the terms of some columns, without making strings of all terms."""
        known = self._table
        # If there are no strings yet, all terms come from texts, so each has a number in the table.
        if known is not None and not self._terms:
            return known.table.spell(known.numbers[columns])
        terms = self.terms
        return [terms[column] for column in columns.tolist()]

    def alphabetical(self) -> Ints:
        """Return the columns in the alphabetical order of their terms."""
        known = self._table
        if known is not None and not self._terms:  # as in `terms_at`
            return known.columns[known.table.sort_numbers(known.numbers)]
        terms = self.terms
        return np.array(sorted(range(len(terms)), key=terms.__getitem__), np.int64)

    @property
    def columns(self) -> dict[str, int]:
        """Return the column of each term."""
        columns = self._columns
        if columns is None or len(columns) < self._size:
            columns = self._columns = dict(zip(self.terms, range(self._size), strict=True))
        return columns

    @property
    def has_table(self) -> bool:
        """Return whether the table for the kernels exists already."""
        return self._table is not None

    def table_for(self, reading: Reading) -> VocabularyTable:
        """Return the table for the kernels, for documents that are read as `reading` says.

        It is built if there is none, or only one for another reading, which it then replaces.
        """
        known = self._table
        if known is None or known.reading != reading:
            from .combined_table import table_for

            table = table_for(reading, self.ngram_range, self.stop_words)
            numbers = table.add_terms(self.terms)
            known = self._table = VocabularyTable(table, numbers, columns_of(numbers, table.size), reading)
        return known

    def drop_table(self) -> None:
        """Discard the table for the kernels, including learned words that `grow_with_table` has not added yet."""
        self._terms = self.terms  # a complete list, including terms that only the table has
        self._table = None

    def grow(self, terms: Sequence[str]) -> None:
        """Add new terms at the end."""
        self.drop_table()  # it lacks the new terms
        self._terms = self._terms + list(terms)
        self._size = len(self._terms)

    def grow_with_table(self, known: VocabularyTable) -> Ints:
        """Add the terms that the table has learned since `table_for` returned `known`.

        Returns the column of each term number of the table, -1: none.
        """
        n_known = len(known.columns)  # the size of the table when `known` was created
        is_term = known.table.is_term(n_known)  # for each number that was added since
        # The first new term gets the column `_size`, the next one `_size` + 1, and so on.
        new_columns = np.where(is_term, self._size - 1 + np.cumsum(is_term), -1)
        columns = np.concatenate([known.columns, new_columns])
        numbers = np.concatenate([known.numbers, np.flatnonzero(is_term) + n_known])
        self._table = known._replace(numbers=numbers, columns=columns)
        self._size = len(numbers)
        return columns


# -- the terms of some columns ------------------------------------------------------------------------------------


class Terms(Protocol):
    """The interface of terms in the order of their columns; they need not be strings yet."""

    def __len__(self) -> int:
        """Return the number of terms."""

    def __iter__(self) -> Iterator[str]:
        """Return an iterator over all terms as strings."""

    def take(self, columns: Ints) -> list[str]:
        """Return the terms of some columns as strings, in the order of `columns`."""

    def subset(self, columns: Ints) -> Terms:
        """Return the terms of some columns, in the order of `columns`; these need not become strings now."""


class VocabularyTerms:
    """The terms of a vocabulary, or of some of its columns, which become strings when they are asked for."""

    def __init__(self, vocabulary: Vocabulary, columns: Ints | None = None) -> None:
        self._vocabulary = vocabulary
        self._columns = columns

    def __len__(self) -> int:
        """Return the number of terms."""
        return len(self._vocabulary) if self._columns is None else len(self._columns)

    def __iter__(self) -> Iterator[str]:
        """Return an iterator over all terms as strings."""
        return iter(self._vocabulary.terms if self._columns is None else self._vocabulary.terms_at(self._columns))

    def take(self, columns: Ints) -> list[str]:
        """Return the terms of some columns as strings, in the order of `columns`."""
        return self._vocabulary.terms_at(columns if self._columns is None else self._columns[columns])

    def subset(self, columns: Ints) -> VocabularyTerms:
        """Return the terms of some columns, in the order of `columns`."""
        return VocabularyTerms(self._vocabulary, columns if self._columns is None else self._columns[columns])


class SpelledTerms(list[str]):
    """Terms that are strings already."""

    def take(self, columns: Ints) -> list[str]:
        """Return the terms of some columns, in the order of `columns`."""
        return [self[column] for column in columns.tolist()]

    def subset(self, columns: Ints) -> SpelledTerms:
        """Return the terms of some columns, in the order of `columns`."""
        return SpelledTerms(self.take(columns))


def check_limits(min_df: float, max_df: float, max_features: int | None = None) -> None:
    """Raise `InputError` for invalid limits."""
    for name, value in (("min_df", min_df), ("max_df", max_df)):
        if not ((is_whole(value) and value >= 1) or (isinstance(value, float) and 0.0 <= value <= 1.0)):
            raise InputError(setting=name, value=value, hint="use a whole number from 1, or a share from 0.0 to 1.0")
    if max_features is not None and not (is_whole(max_features) and max_features >= 1):
        raise InputError(setting="max_features", value=max_features, hint="use a whole number from 1, or None")


def df_bounds(n_documents: float, min_df: float, max_df: float) -> tuple[float, float]:
    """Return the smallest and the largest document frequency of the terms to keep.

    An integer limit is a number of documents, a float limit a share of them. Raises `InputError` if no document
    frequency can be within the limits.
    """
    least = min_df if is_whole(min_df) else min_df * n_documents
    most = max_df if is_whole(max_df) else max_df * n_documents
    if least > n_documents:
        raise InputError(
            f"there are only {counted(n_documents, 'document')}, so no term is in {least:g} of them",
            setting="min_df",
            value=min_df,
            hint=("lower ", Setting("min_df")),
        )
    if most < least:
        raise InputError(
            (
                Setting("max_df", max_df),
                " is fewer documents than ",
                Setting("min_df", min_df),
                f": at most {most:g} and at least {least:g} of {round(n_documents, 2):,} documents",
            ),
            hint=("lower ", Setting("min_df"), " or raise ", Setting("max_df")),
        )
    return least, most


def no_documents() -> InputError:
    """Return the error for a collection without documents."""
    return InputError("There are no documents", hint="Give an iterable of at least one text")


def no_terms(n_documents: float, reason: tuple[str | Setting, ...] = ()) -> InputError:
    """Return the error for documents without any term; `reason` says why (see `Reading.no_terms_reason`)."""
    problem = f"None of the {round(n_documents, 2):,} documents has a term"
    return InputError((f"{problem}: ", *reason, ".") if reason else f"{problem}.")


def none_within(n_documents: float, min_df: float, max_df: float) -> InputError:
    """Return the error if no term is within the limits."""
    least, most = df_bounds(n_documents, min_df, max_df)
    return InputError(
        (
            f"No term is in {least:g} to {most:g} of the {round(n_documents, 2):,} documents (",
            Setting("min_df", min_df),
            ", ",
            Setting("max_df", max_df),
            ")",
        ),
        hint=("lower ", Setting("min_df"), " or raise ", Setting("max_df")),
    )


def terms_within_limits(
    numbers: Ints,
    n_documents: float,
    totals: Callable[[], tuple[NDArray[Any], NDArray[Any]]],
    *,
    min_df: float,
    max_df: float,
    max_features: int | None = None,
    binary: bool = False,
    no_terms_reason: tuple[str | Setting, ...] = (),
) -> Ints:
    """Return the positions in `numbers`, ascending, of the terms that are within the limits.

    `numbers` has the term numbers in alphabetical order of the terms. `totals` returns two arrays indexed by term
    number, the document frequency and the number of occurrences; it is called only if a limit needs them.
    `max_features` keeps the terms with most occurrences (with `binary`, with the highest document frequency), and of
    equally frequent terms the alphabetically first. `no_terms_reason` is for the error if there are no terms at all.
    """
    if n_documents == 0:
        raise no_documents()
    if len(numbers) == 0:
        raise no_terms(n_documents, no_terms_reason)
    least, most = df_bounds(n_documents, min_df, max_df)
    if least <= 1 and most >= n_documents and max_features is None:  # every term is within the limits
        return np.arange(len(numbers))
    doc_freq, occurrences = (total[numbers] for total in totals())
    selected = np.flatnonzero((doc_freq >= least) & (doc_freq <= most))
    if len(selected) == 0:
        raise none_within(n_documents, min_df, max_df)
    if max_features is not None and len(selected) > max_features:
        frequencies = (doc_freq if binary else occurrences)[selected]
        most_frequent = np.argsort(-frequencies, kind="stable")[:max_features]
        selected = np.sort(selected[most_frequent])
    return selected
