"""Collect corrections, which are labelled documents, from files that grow; each document is added to a model once.

Documents come in batches. `Corrections` keeps the labels and a digest of each document. For a model that can be
updated, it also counts the document: with `keeps_rows`, it keeps the weights of the model's terms, and with `counts`,
that object counts all terms. Documents without a text or without a label are left out, and their places are recorded. A
correction without a label says that none of the classes is right, and takes back earlier corrections of the same text.
A withdrawal, which the service writes when a reader undoes a correction, only takes back earlier corrections. A label
that is no class of the model is an error, unless a later document takes it back, `skip_unknown` leaves its document
out or `may_be_new` allows it. `require_valid_labels` raises that error once all documents are read.

There are two ways to use corrections. For a model with statistics, `Corrections.to_learn` returns the documents to add.
If several documents have the same text, only the last of them is learned, and not even that one if an earlier update
added it with the same labels. All other models are trained again, on `CorrectedDocuments`: the documents of the model's
sources and the corrections as one corpus, in which a correction replaces the labels of all documents with the same
text.

In a file of corrections for a multilabel model, an empty list of labels means that the document belongs to no class. A
model with statistics learns that; when a model is trained again, the document counts as unlabelled. A document whose
list of labels is missing is unlabelled, unless the model was trained with a label matrix: then it belongs to no class,
too.

**Digests.** A file of corrections grows, and each update reads all of it again. So a model with statistics keeps a
digest of each document that an update added: 12 bytes that are a hash of its text, and 4 that are a hash of its labels.
A document with a known digest is not learned again. If a text comes again with other labels, the model learns it with
these, too. What it learned from the earlier labels stays; only training again removes that. The time of a correction is
not part of the digest, so the same text with the same labels is learned only once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from typing import Any, NamedTuple

from ..arrays import CSR
from ..corpus import Batch, Corpus
from ..corpus.batch import DocumentPlace
from ..errors import DocumentError, InputError
from ..errors import Place as ErrorPlace
from ..prediction import Model, as_written, classes_by_text
from .full_statistics import TextCounts
from .updating import require_labels, stack_rows

NO_TEXT, NO_LABEL, UNKNOWN = "without a text", "without a label", "of no class of the model"
UNREADABLE, WITHDRAWN = "that can't be read", "with a withdrawn correction"
"""Why documents are left out, as the end of a phrase: "3 documents without a text"."""

INVALID = "with labels that the model can't learn"
"""The problem of documents that are an error, unless they are taken back."""

TEXT_BYTES, LABEL_BYTES = 12, 4
DIGEST = TEXT_BYTES + LABEL_BYTES
"""The number of bytes of a digest."""


def document_digest(text: str, labels: Iterable[Any]) -> bytes:
    """Return the digest of a document: a hash of its text and one of its labels, whose order does not matter."""
    # The length before each label makes the joined text unambiguous, whatever the labels contain.
    joined_labels = "\n".join(sorted(f"{len(label)} {label}" for label in map(as_written, labels)))
    return hash_text(text) + blake2b(joined_labels.encode(errors="surrogatepass"), digest_size=LABEL_BYTES).digest()


def hash_text(text: str) -> bytes:
    """Return the hash of a text: the first bytes of its documents' digests, whatever their labels."""
    return blake2b(text.encode(errors="surrogatepass"), digest_size=TEXT_BYTES).digest()


def text_hash_of(digest: bytes) -> bytes:
    """Return the hash of the text of a document, given the document's digest."""
    return digest[:TEXT_BYTES]


class DocumentsToLearn(NamedTuple):
    """The documents to learn, and how many documents were repeated, known or changed."""

    rows: CSR
    """The weights of the model's terms (documents x terms); empty without `Corrections.keeps_rows`."""
    positions: list[int]
    """The positions of the documents in `Corrections.collected`."""
    label_sets: list[tuple[Any, ...]]
    """The labels of each document."""
    digests: frozenset[bytes]
    n_repeated: int
    """The number of documents that are not learned because their text occurs again later, without withdrawn ones."""
    n_known: int
    """The number of documents that are not learned because an earlier update added them with the same labels."""
    n_changed: int
    """The number of documents to learn whose text an earlier update added with other labels."""
    n_withdrawn: int
    """The number of texts whose corrections are withdrawn now, but were added by an earlier update."""


class Correction(NamedTuple):
    """The right labels of a document."""

    number: int
    """The position of the document among all that were read, from 0, including those that were left out."""
    labels: tuple[Any, ...]
    digest: bytes


class Corrections:
    """Collects the corrections of a file, or of several files one after the other."""

    def __init__(
        self,
        model: Model,
        *,
        skip_unknown: bool = False,
        may_be_new: bool = False,
        keeps_rows: bool = True,
        counts: TextCounts | None = None,
        n_jobs: int | None = -1,
    ) -> None:
        """Start without documents.

        For `keeps_rows` and `counts`, and for `skip_unknown` and `may_be_new`, which decide about labels that are no
        classes of the model, see the beginning of this module.
        """
        self.n_read = 0
        """The number of documents so far, including those that were left out."""
        self.left_out: dict[str, list[str]] = {}
        """For each problem, such as `NO_TEXT`, the places of the documents that have it and can't be learned."""
        self.collected: list[Correction] = []
        """The corrections that can be learned."""
        self._model, self._n_jobs = model, n_jobs
        self._skip_unknown, self._may_be_new = skip_unknown, may_be_new
        self._keeps_rows, self._counts = keeps_rows and counts is None, counts
        self._classes = classes_by_text(model.classes)
        self._row_batches: list[CSR] = []
        # By the hash of a text: the number (a `Correction.number`) of its last withdrawal, and of its last document
        # without a label after that.
        self._last_withdrawal: dict[bytes, int] = {}
        self._last_unlabelled: dict[bytes, int] = {}
        # By the hash of a text: the labels and the place of its first `INVALID` document that was not taken back.
        self._invalid: dict[bytes, tuple[tuple[Any, ...], ErrorPlace]] = {}

    def add(
        self, name: str, texts: Sequence[str], labels: Iterable[Sequence[str]], places: Sequence[DocumentPlace]
    ) -> None:
        """Add a batch of documents of a file, given their labels as texts; `name` is the file's name in messages."""
        learnable_texts, learnable_places = [], []
        for text, label_texts, place in zip(texts, labels, places, strict=True):
            self.n_read += 1
            # Each label counts once. One that is no class stays text, and `_problem` reports it.
            classes = tuple(dict.fromkeys(self._classes.get(label, label) for label in label_texts))
            if (problem := self._problem(text, classes, place)) is not None:
                self._leave_out_document(problem, text, classes, ErrorPlace(name, place.name))
                continue
            learnable_texts.append(text)
            learnable_places.append(place)
            self.collected.append(Correction(self.n_read - 1, classes, document_digest(text, classes)))
        try:
            if self._counts is not None:
                self._counts.add(learnable_texts)
            elif self._keeps_rows:
                self._row_batches.append(self._model.rows(learnable_texts, self._n_jobs))
        except DocumentError as problem:
            raise problem.at(ErrorPlace(name, learnable_places[problem.number].name)) from problem

    def _leave_out_document(self, problem: str, text: str, labels: tuple[Any, ...], place: ErrorPlace) -> None:
        """Record the last document that was read, which can't be learned; it may take back earlier ones."""
        text_hash = hash_text(text)
        if problem == INVALID:
            self._invalid.setdefault(text_hash, (labels, place))
            return
        self.leave_out(problem, place.source, [place.part])
        if problem == NO_LABEL:
            self._last_unlabelled[text_hash] = self.n_read - 1
            self._invalid.pop(text_hash, None)
        elif problem == WITHDRAWN:
            self._last_withdrawal[text_hash] = self.n_read - 1
            self._last_unlabelled.pop(text_hash, None)
            self._invalid.pop(text_hash, None)

    def leave_out(self, problem: str, name: str, places: Iterable[str]) -> None:
        """Record documents of a file that can't be learned: the problem and their places."""
        for place in places:
            self.left_out.setdefault(problem, []).append(f"{name}: {place}")

    def _problem(self, text: str, labels: Sequence[Any], place: DocumentPlace) -> str | None:
        """Return why a document has to be left out, or None if it can be learned."""
        if not text.strip():
            return NO_TEXT
        if place.is_withdrawal:
            return WITHDRAWN
        if not labels and not self._may_be_of_no_class(place):
            return NO_LABEL
        if self._skip_unknown and any(label not in self._model.classes for label in labels):
            return UNKNOWN
        return None if self._can_learn(labels) else INVALID

    def _can_learn(self, labels: Sequence[Any]) -> bool:
        """Return whether `require_labels` accepts these labels."""
        has_valid_number = self._model.multilabel or len(labels) <= 1
        if has_valid_number and all(label in self._model.classes for label in labels):
            return True
        if not self._may_be_new:  # `require_labels` would look for similar classes, which takes time
            return False
        try:
            require_labels(self._model, labels, may_be_new=True)
        except InputError:
            return False
        return True

    def _may_be_of_no_class(self, place: DocumentPlace) -> bool:
        """Return whether a document without labels belongs to none of the classes, rather than being unlabelled.

        That is always so for models that learned from a label matrix, in which a row of zeros has this meaning. Other
        multilabel models need an empty list of labels in the file.
        """
        return self._model.has_label_matrix or (self._model.multilabel and place.is_of_no_class)

    def last(self) -> dict[bytes, int]:
        """Return the last correction of each text: its position in `collected`, by the hash of the text.

        A text that occurs once more after that, without a label or in a withdrawal, is left out: its corrections were
        taken back.
        """
        last = {text_hash_of(correction.digest): position for position, correction in enumerate(self.collected)}
        return {
            text_hash: position
            for text_hash, position in last.items()
            if self.collected[position].number
            > max(self._last_unlabelled.get(text_hash, -1), self._last_withdrawal.get(text_hash, -1))
        }

    def withdrawn(self) -> set[bytes]:
        """Return the hashes of the texts that have a withdrawal; later documents may have these texts, too."""
        return set(self._last_withdrawal)

    def count_by_text(self) -> Counter[bytes]:
        """Return the number of collected documents of each text, by its hash, without those that were withdrawn."""
        return Counter(
            text_hash
            for number, text_hash in ((item.number, text_hash_of(item.digest)) for item in self.collected)
            if number > self._last_withdrawal.get(text_hash, -1)
        )

    def invalid(self) -> dict[bytes, tuple[tuple[Any, ...], ErrorPlace]]:
        """Return the labels and the place of the first `INVALID` document of each text that was not taken back."""
        return dict(self._invalid)

    def require_labels(self, labels: Sequence[Any], place: ErrorPlace) -> None:
        """Raise `InputError` at this place if the model can't learn these labels."""
        try:
            require_labels(self._model, labels, may_be_new=self._may_be_new)
        except InputError as error:
            raise error.at(place) from error

    def of_no_class(self) -> set[bytes]:
        """Return the hashes of the texts whose last document has no label: none of the classes is right."""
        return self._last_unlabelled.keys() - self.last().keys()

    def taken_back(self) -> set[bytes]:
        """Return the hashes of the texts whose last document has no label or is a withdrawal."""
        return (self._last_unlabelled.keys() | self._last_withdrawal.keys()) - self.last().keys()

    def to_learn(self, added_digests: frozenset[bytes]) -> DocumentsToLearn:
        """Return the documents to learn: the last correction of each text, unless an earlier update added it.

        `added_digests` are the digests of the documents that earlier updates added.
        """
        last = self.last()
        positions = [
            position for position in sorted(last.values()) if self.collected[position].digest not in added_digests
        ]
        known_texts = set(map(text_hash_of, added_digests))
        rows = stack_rows(self._row_batches).matrix()[positions] if self._row_batches else None
        new = [self.collected[position] for position in positions]
        return DocumentsToLearn(
            CSR.of(rows) if rows is not None else self._model.rows([]),
            positions,
            [correction.labels for correction in new],
            frozenset(correction.digest for correction in new),
            n_repeated=self.count_by_text().total() - len(last),
            n_known=len(last) - len(new),
            n_changed=sum(text_hash_of(correction.digest) in known_texts for correction in new),
            n_withdrawn=len((self.withdrawn() - last.keys()) & known_texts),
        )


def require_valid_labels(files: Iterable[Corrections]) -> None:
    """Raise `InputError` for the first document whose labels can't be learned, unless a later one takes it back.

    `files` are in the order in which they were given, and were read to their ends.
    """
    invalid: dict[bytes, tuple[Corrections, tuple[Any, ...], ErrorPlace]] = {}
    for corrections in files:
        for text_hash in corrections.withdrawn() | corrections.taken_back():
            invalid.pop(text_hash, None)
        for text_hash, (labels, place) in corrections.invalid().items():
            invalid.setdefault(text_hash, (corrections, labels, place))
    for corrections, labels, place in invalid.values():
        corrections.require_labels(labels, place)


# -- documents to train on ---------------------------------------------------------------------------------------


class CorrectionFile(NamedTuple):
    """A file of corrections, which can be read again, and the corrections that were collected from it."""

    corpus: Corpus
    corrections: Corrections


def last_corrections(files: Iterable[CorrectionFile]) -> dict[bytes, tuple[CorrectionFile, Correction]]:
    """Return the correction that counts for each text, and its file, by the hash of the text.

    `files` are in the order in which they were given: a later one replaces or takes back what an earlier one says about
    the same text.
    """
    last: dict[bytes, tuple[CorrectionFile, Correction]] = {}
    for file in files:
        for text_hash in file.corrections.taken_back():
            last.pop(text_hash, None)
        collected = file.corrections.collected
        last |= {text_hash: (file, collected[position]) for text_hash, position in file.corrections.last().items()}
    return last


def count_repeated(files: Sequence[CorrectionFile]) -> int:
    """Return how many corrections don't count because their text occurs again later, without withdrawn ones.

    `files` are in the order in which they were given.
    """
    counts: Counter[bytes] = Counter()
    for file in files:
        for text_hash in file.corrections.withdrawn():
            del counts[text_hash]
        counts += file.corrections.count_by_text()
    return counts.total() - len(last_corrections(files))


class CorrectedDocuments:
    """The documents of a model's sources, with corrections.

    A correction replaces the labels of all documents of the sources with the same text. If it says that none of the
    classes is right, these documents become unlabelled. A correction whose text is not in the sources comes after all
    their documents, in the order of the files. If a text has several corrections, the last one counts.
    """

    def __init__(self, documents: Corpus, files: Sequence[CorrectionFile]) -> None:
        """Keep the documents of the sources, and the files of corrections in the order in which they were given."""
        self._reset_counts()
        self.corpus = documents.mapped(self._with_corrections)
        """The documents to train on."""
        self._last = last_corrections(files)
        of_no_class: set[bytes] = set()
        for file in files:  # a later file may correct the text again, or withdraw that it is of no class
            of_no_class -= file.corrections.taken_back()
            of_no_class |= file.corrections.of_no_class()
        self._of_no_class = of_no_class - self._last.keys()
        self._files = files

    def _reset_counts(self) -> None:
        """Start to count the documents of a pass over `corpus`."""
        self.n_relabelled = 0
        """The number of documents of the sources whose labels a correction replaced by others."""
        self.n_confirmed = 0
        """The number of documents of the sources whose labels are those of their correction."""
        self.n_withdrawn = 0
        """The number of documents of the sources that lost their labels, because none of the classes is right."""
        self.n_added = 0
        """The number of corrections whose texts are not in the sources."""

    @property
    def digests(self) -> frozenset[bytes]:
        """Return the digests of all corrections that count."""
        return frozenset(correction.digest for _, correction in self._last.values())

    def read_files(self, files: Sequence[CorrectionFile], *, without: Container[bytes] = ()) -> Iterator[Batch]:
        """Yield the documents of these files whose corrections count, in batches, with their right labels.

        `without` are the hashes of texts to leave out.
        """
        for file in files:
            wanted = {
                correction.number: correction
                for text_hash, (of_file, correction) in self._last.items()
                if of_file is file and text_hash not in without
            }
            yield from _read_corrected(file.corpus, wanted)

    def _with_corrections(self, batches: Iterator[Batch]) -> Iterator[Batch]:
        """Yield the documents of the sources, given in batches, with corrected labels; then the other corrections."""
        self._reset_counts()
        corrected_hashes = set()  # of the texts in the sources that have a correction
        for batch in batches:
            labels = list(batch.labels)
            for row, text_hash in enumerate(map(hash_text, batch.texts)):
                if text_hash in self._last:
                    corrected_hashes.add(text_hash)
                    _, correction = self._last[text_hash]
                    is_right = set(correction.labels) == set(labels[row])
                    self.n_confirmed += is_right
                    self.n_relabelled += not is_right
                    labels[row] = correction.labels
                elif text_hash in self._of_no_class and labels[row]:  # none of the classes is right
                    self.n_withdrawn += 1
                    labels[row] = ()
            yield replace(batch, labels=labels)
        for batch in self.read_files(self._files, without=corrected_hashes):
            self.n_added += len(batch)
            yield batch


def _read_corrected(corpus: Corpus, wanted: Mapping[int, Correction]) -> Iterator[Batch]:
    """Read a file of corrections again, and yield some of its documents in batches, with their right labels.

    `wanted` has the corrections of these documents by their numbers (`Correction.number`). The file may have grown
    since it was read first. Raises `InputError` if it has changed otherwise.
    """
    if not wanted:
        return
    n_read = n_yielded = 0
    for batch in corpus.batches():
        rows = [row for row in range(len(batch)) if n_read + row in wanted]
        corrections = [wanted[n_read + row] for row in rows]
        texts = [batch.texts[row] for row in rows]
        n_read += len(batch)
        n_yielded += len(rows)
        if list(map(hash_text, texts)) != [text_hash_of(correction.digest) for correction in corrections]:
            break
        if rows:
            yield Batch([correction.labels for correction in corrections], texts)
        if n_yielded == len(wanted):
            return
    raise InputError("was changed while it was read", place=corpus.name, hint="Try again")
