"""Batches of documents, and what one pass over a corpus finds out about them: a `Report` and a `CorpusDigest`.

Batches are limited to a fixed number of documents and characters, so that nothing computed batch by batch depends on
the machine. A document is never split: one that is larger than a batch makes a larger batch.

`CorpusDigest` tells `textsieve update` whether a source has changed. It is computed while the documents are read, so it
needs no other pass over them, and works for files, folders and named corpora alike. It depends on the texts and labels,
in their order. It does not depend on how a file is compressed or on columns that are not read, because these change
nothing in training.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import InputError, Setting, counted

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from .labels import JoinedLabels

Labels = tuple[str, ...]
"""The classes of one document; () means that it is unlabelled."""

KeptValues = dict[str, object]
"""The values that the option `keep` of `read` requests for one document, by name: other columns, or its file."""

Document = tuple[str, Labels]
KeptDocument = tuple[str, Labels, KeptValues]


class DocumentPlace(NamedTuple):
    """Where a document is, and what its `Labels` don't show."""

    name: str
    """The place as text for messages, such as "line 3"."""
    is_of_no_class: bool = False
    """Whether the label is an empty list, as in `{"text": "...", "label": []}`: the document belongs to no class.

    Its labels are (), like those of an unlabelled document, of which the classes are not known.
    """
    is_withdrawal: bool = False
    """Whether it is a line of the service that withdraws the corrections of this text before it."""


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
    """The number that the file has for column 0 of `vectors`: svmlight files count their columns from 0 or from 1."""

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self.labels)

    def count_empty(self) -> int:
        """Return the number of texts with nothing but white space, or of vectors without any entry."""
        if self.vectors is not None:
            row_ends = self.vectors.indptr  # a row without entries ends where the row before ends
            return int((row_ends[1:] == row_ends[:-1]).sum())
        return sum(1 for text in self.texts if not text or text.isspace())


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
    """For each table that is checked for cells with several labels, the name of its file and what was found."""
    places: list[DocumentPlace] | None = field(default=None, repr=False, compare=False)
    """Places of documents, appended by the reader and removed by `Corpus.placed_batches`; None if not requested."""
    unreadable: list[str] = field(default_factory=list, repr=False, compare=False)
    """The places of lines that can't be read, if these are skipped (`Source.lenient`)."""
    withdrawals: int = field(default=0, repr=False, compare=False)
    """Number of lines of the service that withdraw corrections; see `DocumentPlace.is_withdrawal`."""
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
        """Return a summary in one line, such as "7 documents, 1 empty, 2 blank lines skipped"; it shows no zeros."""
        parts = [counted(self.documents, "document")]
        parts += [f"{n:,} {kind}" for n, kind in ((self.unlabelled, "unlabelled"), (self.empty, "empty")) if n]
        if self.replaced_bytes:
            parts.append(f"{_counted_items(self.replaced_bytes, 'wrong bytes')} replaced")
        parts += [f"{_counted_items(n, kind)} skipped" for kind, n in self.skipped.items() if n]
        return ", ".join(parts)


def _counted_items(n_items: int, kind: str) -> str:
    """Return a number of items as text: "2 blank lines", or "1 blank line".

    `kind` is a plural. It gets a singular only if it has two words: in a longer one, such as "links that lead outside",
    more words than the last would change.
    """
    has_singular = n_items == 1 and kind.count(" ") == 1
    return f"{n_items:,} {kind.removesuffix('s') if has_singular else kind}"


def in_batches(documents: Iterable[Document | KeptDocument]) -> Iterator[Batch]:
    """Yield the documents in batches.

    A batch ends as soon as it has `BATCH_DOCUMENTS` documents, or its texts and kept values have `BATCH_CHARACTERS`
    characters. If the input raises `InputError`, the documents before the error are yielded first.
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
    """Return the documents of several batches of texts as one batch."""
    if len(batches) == 1:
        return batches[0]
    kept: list[KeptValues] | None = None
    if any(batch.kept is not None for batch in batches):
        # The documents of a batch without kept values get empty dictionaries.
        kept = [values for batch in batches for values in batch.kept or [{} for _ in batch.labels]]
    labels = [labels for batch in batches for labels in batch.labels]
    return Batch(labels, [text for batch in batches for text in batch.texts], kept=kept)


DIGEST_BYTES = 16


class CorpusDigest:
    """Computes a digest of all documents of a corpus, and counts them, while they are read.

    Pass it to `Corpus.mapped`. It leaves the batches as they are.
    """

    def __init__(self) -> None:
        self.digest: str | None = None
        """The digest from the last complete pass, in hexadecimal digits; None before the first."""
        self.documents = 0
        """Number of documents in that pass."""

    def __call__(self, batches: Iterable[Batch]) -> Iterator[Batch]:
        """Yield the batches of a pass, and at its end set `digest` and `documents`."""
        hasher = blake2b(digest_size=DIGEST_BYTES)
        n_documents = 0
        for batch in batches:
            hasher.update("".join(_fields_of(batch)).encode(errors="surrogatepass"))
            n_documents += len(batch)
            yield batch
        self.digest, self.documents = hasher.hexdigest(), n_documents


def _fields_of(batch: Batch) -> Iterator[str]:
    """Yield each document as text, such as `8:a strike1:5:sport` for "a strike" with the label "sport".

    Each text and label follows its length, and the labels follow their number, so that no other documents give the same
    sequence of characters.
    """
    label_fields: dict[Labels, str] = {}  # the text for each tuple of labels, since many documents have the same
    for text, labels in zip(batch.texts, batch.labels, strict=False):  # vectors have no texts
        if labels not in label_fields:
            label_fields[labels] = f"{len(labels)}:" + "".join(f"{len(label)}:{label}" for label in labels)
        yield f"{len(text)}:{text}{label_fields[labels]}"
