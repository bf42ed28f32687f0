"""What flows out of a corpus: batches of documents, and a report of what was noticed on the way.

The size of a batch is fixed, by documents and by characters, so that nothing computed batch by batch can
depend on the machine. A document is never cut: one that is larger than a batch makes a larger batch.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import InputError, counted, shown

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Labels = tuple[str, ...]
"""The classes of one document; () means that it is unlabelled."""

Kept = dict[str, object]
"""What else was asked for of one document, by name: values of other columns, or the name of its file."""

Document = tuple[str, Labels]
KeptDocument = tuple[str, Labels, Kept]


class Place(NamedTuple):
    """Where a document is, in words, such as "line 3"."""

    name: str
    is_of_no_class: bool = False
    """Whether it has an empty list of labels, which says more than that it has none."""


BATCH_DOCUMENTS = 1_000
BATCH_CHARACTERS = 4 * 2**20


@dataclass(frozen=True, slots=True)
class Batch:
    """Some documents in their order: their labels, and either their texts or their vectors (svmlight)."""

    labels: list[Labels]
    texts: list[str] = field(default_factory=list)
    vectors: csr_array[Any] | None = None
    kept: list[Kept] | None = None
    """What `read` was told to keep of each of them; None if nothing."""
    first_column: int = 0
    """What the file calls the first column of vectors; svmlight counts from 0 or 1, which a file alone can't tell."""

    def __len__(self) -> int:
        """Number of documents."""
        return len(self.labels)

    def count_empty(self) -> int:
        """Documents with nothing in them but white space, or vectors without any entry."""
        if self.vectors is not None:
            indptr = self.vectors.indptr
            return int((indptr[1:] == indptr[:-1]).sum())
        return sum(1 for text in self.texts if not text or text.isspace())


SEPARATORS = ("|", ";")
"""What people put between several labels in one cell, and seldom into a label."""


class JoinedLabels:
    """Whether the labels of a table look like several in one cell: most of the different ones have a separator."""

    def __init__(self) -> None:
        self._n_different = 0
        self._n_with = dict.fromkeys(SEPARATORS, 0)
        self._examples: dict[str, str] = {}

    def add(self, label: str) -> None:
        """Note a label that was not seen before."""
        self._n_different += 1
        for separator in SEPARATORS:
            if separator in label.strip(f"{separator} "):
                self._n_with[separator] += 1
                self._examples.setdefault(separator, label)

    def hint(self) -> str | None:
        """What is to be said of it."""
        for separator, number in self._n_with.items():
            if 2 * number > self._n_different:
                return (
                    f"{number:,} of {self._n_different:,} different labels contain {separator!r}, such as "
                    f"{shown(self._examples[separator])}. If these are several labels in one, use "
                    f"label_separator={separator!r}."
                )
        return None


OUTSIDE = "links that lead outside"
"""How `Report.skipped` calls links in a folder of documents that lead to other folders."""


@dataclass(slots=True)
class Report:
    """What one complete pass over a corpus noticed."""

    documents: int = 0
    unlabelled: int = 0
    empty: int = 0
    replaced_bytes: int = 0
    """Replacement characters put where the bytes were wrong for the encoding."""
    several: bool = False
    """Whether labels were seen that allow a document to have several."""
    joined: JoinedLabels | None = field(default=None, repr=False, compare=False)
    """What tells whether single labels look like several in one."""
    places: list[Place] | None = field(default=None, repr=False, compare=False)
    """Where the documents are that were read and not yet handed out, if somebody asks."""
    unreadable: list[str] = field(default_factory=list, repr=False, compare=False)
    """Where lines are that can't be read, if these are left out (`Source.lenient`)."""
    skipped: dict[str, int] = field(default_factory=dict)
    """What was passed over, by kind, such as hidden files or blank lines."""

    def skip(self, kind: str) -> None:
        """Count one more thing of this kind that was passed over."""
        self.skipped[kind] = self.skipped.get(kind, 0) + 1

    def hint_about_links(self) -> str:
        """Return what to say about links that were skipped, or "" if there were none."""
        if not (number := self.skipped.get(OUTSIDE)):
            return ""
        leads = "leads" if number == 1 else "lead"
        links = counted(number, "link")
        return f"skipped {links} that {leads} outside the folder; follow_links=True reads them too."

    def add(self, batch: Batch) -> None:
        """Count a batch that was handed out."""
        self.documents += len(batch)
        self.unlabelled += sum(1 for labels in batch.labels if not labels)
        self.empty += batch.count_empty()

    def __str__(self) -> str:
        """One line for a person, without what did not occur."""
        counts = {
            "unlabelled": self.unlabelled,
            "empty": self.empty,
            "wrong bytes replaced": self.replaced_bytes,
            **{f"{kind} skipped": count for kind, count in self.skipped.items()},
        }
        return ", ".join([f"{self.documents:,} documents", *(f"{n:,} {what}" for what, n in counts.items() if n)])


def in_batches(documents: Iterable[Document | KeptDocument]) -> Iterator[Batch]:
    """Group documents into batches of fixed size. Those before a mistake are handed out before it is reported."""
    texts: list[str] = []
    labels: list[Labels] = []
    kept: list[Kept] = []
    characters = 0
    try:
        for document in documents:
            texts.append(document[0])
            labels.append(document[1])
            if len(document) == 3:
                kept.append(document[2])
                characters += sum(len(value) for value in document[2].values() if isinstance(value, str))
            characters += len(document[0])
            if len(texts) >= BATCH_DOCUMENTS or characters >= BATCH_CHARACTERS:
                yield Batch(labels, texts, kept=kept or None)
                texts, labels, kept, characters = [], [], [], 0
    except InputError:
        if texts:
            yield Batch(labels, texts, kept=kept or None)
        raise
    if texts:
        yield Batch(labels, texts, kept=kept or None)
