"""Batches of documents, and the report of one pass over a corpus.

Batches are limited to a fixed number of documents and characters, so that nothing computed batch by batch depends on
the machine. A document is never split: one that is larger than a batch makes a larger batch.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import InputError, Setting, counted, shown

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Labels = tuple[str, ...]
"""The classes of one document; () means that it is unlabelled."""

KeptValues = dict[str, object]
"""The values that the option `keep` of `read` requests for one document, by name: other columns, or its file."""

Document = tuple[str, Labels]
KeptDocument = tuple[str, Labels, KeptValues]


class DocumentPlace(NamedTuple):
    """Where a document is, as text for messages, such as "line 3"."""

    name: str
    is_of_no_class: bool = False
    """Whether the document has an explicitly empty list of labels: it belongs to no class, and is not unlabelled."""


BATCH_DOCUMENTS = 1_000
BATCH_CHARACTERS = 4 * 2**20


@dataclass(frozen=True, slots=True)
class Batch:
    """Consecutive documents: their labels, and either their texts or their vectors (as in svmlight files)."""

    labels: list[Labels]
    texts: list[str] = field(default_factory=list)
    vectors: csr_array[Any] | None = None
    kept: list[KeptValues] | None = None
    """The values of the `keep` columns of each document; None if nothing is kept."""
    first_column: int = 0
    """The file's number for the first column of vectors: svmlight counts from 0 or 1."""

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self.labels)

    def count_empty(self) -> int:
        """Return the number of texts with nothing but white space, or of vectors without any entry."""
        if self.vectors is not None:
            indptr = self.vectors.indptr
            return int((indptr[1:] == indptr[:-1]).sum())
        return sum(1 for text in self.texts if not text or text.isspace())


SEPARATORS = ("|", ";")
"""Common separators between several labels in one cell, which seldom occur in a label."""


class JoinedLabels:
    """Detects table cells that hold several labels: more than half of the distinct cells contain a separator."""

    def __init__(self) -> None:
        self._n_distinct = 0
        self._n_with_separator = dict.fromkeys(SEPARATORS, 0)
        self._examples: dict[str, str] = {}  # the first label with each separator

    def add(self, label: str) -> None:
        """Count the content of a cell; the caller must add each distinct content only once."""
        self._n_distinct += 1
        for separator in SEPARATORS:
            if separator in label.strip(f"{separator} "):  # at an end of the cell, a separator separates nothing
                self._n_with_separator[separator] += 1
                self._examples.setdefault(separator, label)

    def hint(self) -> tuple[str | Setting, ...]:
        """Return a warning if the cells look like several labels each, as parts of a message; otherwise ()."""
        for separator, n_labels in self._n_with_separator.items():
            if 2 * n_labels > self._n_distinct:
                return (
                    f"{n_labels:,} of {self._n_distinct:,} different labels contain {separator!r}, such as "
                    f"{shown(self._examples[separator])}. If these are several labels in one, use ",
                    Setting("label_separator", separator),
                    ".",
                )
        return ()


class GuessedEncoding(NamedTuple):
    """The encoding that was guessed for a file, or for files in a folder."""

    source: str
    """The name of the file or folder."""
    encoding: str
    is_folder: bool = False


OUTSIDE_LINKS = "links that lead outside"
"""The key in `Report.skipped` for links that lead outside a folder of documents."""


MAX_COUNTED_LABELS = 100_000
"""Number of labels after which a report counts no more of them; so many labels are hardly classes."""


@dataclass(slots=True)
class Report:
    """Counts and problems from one complete pass over a corpus."""

    documents: int = 0
    unlabelled: int = 0
    empty: int = 0
    replaced_bytes: int = 0
    """Number of replacement characters inserted for bytes that are invalid in the encoding, or for lone surrogates."""
    guessed_encodings: Counter[GuessedEncoding] = field(default_factory=Counter, repr=False, compare=False)
    """Number of files that are not UTF-8 and were read in a guessed encoding."""
    label_counts: Counter[str] = field(default_factory=Counter, repr=False, compare=False)
    """Number of documents of each label; labels after the first `MAX_COUNTED_LABELS` may be missing."""
    multilabel: bool = False
    """Whether the corpus is multilabel, as far as the labels seen so far show."""
    joined: list[tuple[str, JoinedLabels]] = field(default_factory=list, repr=False, compare=False)
    """For each table in which cells with several labels are detected, the name of its file and what was detected."""
    places: list[DocumentPlace] | None = field(default=None, repr=False, compare=False)
    """Places of documents, appended by the reader and removed by `Corpus.placed_batches`; None if not requested."""
    unreadable: list[str] = field(default_factory=list, repr=False, compare=False)
    """The places of lines that can't be read, if these are skipped (`Source.lenient`)."""
    skipped: dict[str, int] = field(default_factory=dict)
    """Number of skipped items by kind, such as "hidden files" or "blank lines"."""

    def skip(self, kind: str, count: int = 1) -> None:
        """Count skipped items of this kind; a count of 0 or less adds nothing, not even the kind."""
        if count > 0:
            self.skipped[kind] = self.skipped.get(kind, 0) + count

    def hint_about_links(self) -> tuple[str | Setting, ...]:
        """Return a hint about skipped links that lead outside the folder, as parts of a message; () without any."""
        if not (n_links := self.skipped.get(OUTSIDE_LINKS)):
            return ()
        links = f"{counted(n_links, 'link')} that {'leads' if n_links == 1 else 'lead'}"
        return (f"skipped {links} outside the folder; ", Setting("follow_links", True), " reads them too.")

    def hints_about_encodings(self) -> Iterator[tuple[str | Setting, ...]]:
        """Yield a message about each guessed encoding."""
        for (source, encoding, is_folder), n_files in self.guessed_encodings.items():
            subject = f"{source}: {counted(n_files, 'file is', 'files are')}" if is_folder else f"{source} is"
            yield (f"{subject} not UTF-8; read as {encoding}; ", Setting("encoding"), " names another encoding.")

    def add(self, batch: Batch) -> None:
        """Count the documents of a batch."""
        self.documents += len(batch)
        self.unlabelled += sum(1 for labels in batch.labels if not labels)
        self.empty += batch.count_empty()
        if len(self.label_counts) < MAX_COUNTED_LABELS:
            self.label_counts.update(chain.from_iterable(batch.labels))

    def __str__(self) -> str:
        """Return a one-line summary that leaves out zero counts."""
        changes = [("wrong bytes", "replaced", self.replaced_bytes)]
        changes += [(kind, "skipped", n_skipped) for kind, n_skipped in self.skipped.items()]
        counts = {
            "unlabelled": self.unlabelled,
            "empty": self.empty,
            **{f"{_singular(kind) if n == 1 else kind} {change}": n for kind, change, n in changes},
        }
        return ", ".join([counted(self.documents, "document"), *(f"{n:,} {kind}" for kind, n in counts.items() if n)])


def _singular(kind: str) -> str:
    """Return the singular of the name of a kind of items: "blank line" for "blank lines".

    Only kinds of two words are changed; in longer ones, more than the last word depends on the number.
    """
    return kind.removesuffix("s") if kind.count(" ") == 1 else kind


def in_batches(documents: Iterable[Document | KeptDocument]) -> Iterator[Batch]:
    """Yield the documents in batches.

    A batch ends with the document with which it reaches `BATCH_DOCUMENTS` documents, or `BATCH_CHARACTERS` characters
    of texts and kept values. If the input raises `InputError`, the documents before the error are yielded first.
    """
    texts: list[str] = []
    labels: list[Labels] = []
    kept: list[KeptValues] = []
    n_characters = 0
    try:
        for document in documents:
            texts.append(document[0])
            labels.append(document[1])
            if len(document) == 3:
                kept.append(document[2])
                n_characters += sum(len(value) for value in document[2].values() if isinstance(value, str))
            n_characters += len(document[0])
            if len(texts) >= BATCH_DOCUMENTS or n_characters >= BATCH_CHARACTERS:
                yield Batch(labels, texts, kept=kept or None)
                texts, labels, kept, n_characters = [], [], [], 0
    except InputError:
        if texts:
            yield Batch(labels, texts, kept=kept or None)
        raise
    if texts:
        yield Batch(labels, texts, kept=kept or None)


def in_groups(batches: Iterable[Batch], n_characters: int) -> Iterator[Batch]:
    """Join consecutive batches of texts until they have `n_characters` or more, and yield these larger batches.

    Batches of vectors are yielded unchanged. The larger batch before them, the last one, and the one before an
    `InputError` of the input may have fewer characters.
    """
    waiting: list[Batch] = []
    size = 0
    try:
        for batch in batches:
            if batch.vectors is not None:
                if waiting:
                    yield _join(waiting)
                    waiting, size = [], 0
                yield batch
                continue
            waiting.append(batch)
            size += sum(map(len, batch.texts))
            if size >= n_characters:
                yield _join(waiting)
                waiting, size = [], 0
    except InputError:  # first yield the documents before the error
        if waiting:
            yield _join(waiting)
        raise
    if waiting:
        yield _join(waiting)


def _join(batches: list[Batch]) -> Batch:
    """Return the documents of several batches of texts as one."""
    if len(batches) == 1:
        return batches[0]
    has_kept = any(batch.kept is not None for batch in batches)
    # If only some batches have kept values, the documents of the others get empty dictionaries.
    kept = [values for batch in batches for values in batch.kept or [{} for _ in batch.labels]] if has_kept else None
    labels = [labels for batch in batches for labels in batch.labels]
    return Batch(labels, [text for batch in batches for text in batch.texts], kept=kept)
