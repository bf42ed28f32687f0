"""Collect corrections, which are labelled documents, from files that grow; each document is added to a model once.

Documents come in batches. Of each document, `Corrections` keeps the labels, the digest (`document_digests`), and with
`keeps_rows` the weights of its terms; if `counts` are given, these get all its terms instead. Documents without a text
or without a label are left out, and their places are recorded. A correction without a label says that none of the
classes is right; it also takes back earlier ones of the same text. A label that is no class of the model raises an
error, unless `skip_unknown` leaves its document out or `may_be_new` allows it.

There are two ways to use corrections. For a model with statistics, `Corrections.to_learn` returns the documents to add.
If several documents have the same text, only the last of them is learned, and not even that one if an earlier update
added it with the same labels. For all other models, `CorrectedDocuments` returns the documents of the model's sources
and the corrections as one corpus, to train on: a correction replaces the labels of all documents with the same text.

In a file of corrections for a multilabel model, an empty list of labels means that the document belongs to no class. A
model with statistics learns that; when a model is trained again, the document counts as unlabelled. A document whose
list of labels is missing is unlabelled, unless the model was trained with a label matrix: then it belongs to no class,
too.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ..corpus import Batch, Corpus
from ..corpus.batch import DocumentPlace
from ..errors import DocumentError, InputError
from ..errors import Place as ErrorPlace
from ..prediction import Model, classes_by_text
from ..text.csr import CSR
from .document_digests import digest, hash_text, text_digest
from .full_statistics import TextCounts
from .updating import require_labels, stack_rows

NO_TEXT, NO_LABEL, UNKNOWN = "without a text", "without a label", "of no class of the model"
UNREADABLE = "that can't be read"


class DocumentsToLearn(NamedTuple):
    """The documents to learn, and how many documents were repeated, known or changed."""

    rows: CSR
    """The weights of the model's terms (documents x terms); empty without `Corrections.keeps_rows`."""
    positions: list[int]
    """The positions of the documents among all that can be learned."""
    label_sets: list[tuple[Any, ...]]
    digests: frozenset[bytes]
    n_repeated: int
    """The number of documents that are not learned because their text occurs again later."""
    n_known: int
    """The number of documents that are not learned because an earlier update added them with the same labels."""
    n_changed: int
    """The number of documents to learn whose text an earlier update added with other labels."""


class Correction(NamedTuple):
    """A document with its right labels; `number` is its place among all documents that were read, from 0."""

    number: int
    labels: tuple[Any, ...]
    digest: bytes


class Corrections:
    """Collects corrections from files."""

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
        self.n_read = 0
        self.left_out: dict[str, list[str]] = {}
        """For each problem, such as `NO_TEXT`, the places of the documents that have it and can't be learned."""
        self.collected: list[Correction] = []
        self._model, self._n_jobs = model, n_jobs
        self._skip_unknown, self._may_be_new = skip_unknown, may_be_new
        self._keeps_rows, self._counts = keeps_rows and counts is None, counts
        self._classes = classes_by_text(model.classes)
        self._row_batches: list[CSR] = []
        self._last_unlabelled: dict[bytes, int] = {}  # for each text, the number of its last document without a label

    def add(
        self, name: str, texts: Sequence[str], labels: Iterable[Sequence[str]], places: Sequence[DocumentPlace]
    ) -> None:
        """Add documents of a file, given their labels as texts; `name` is the file's name in messages."""
        learnable_texts, learnable_places = [], []
        for text, label_texts, place in zip(texts, labels, places, strict=True):
            self.n_read += 1
            # Each label counts once. One that is no class stays text, and `_problem` reports it.
            classes = tuple(dict.fromkeys(self._classes.get(label, label) for label in label_texts))
            if (problem := self._problem(text, classes, name, place)) is not None:
                self.leave_out(problem, name, [place.name])
                if problem == NO_LABEL:
                    self._last_unlabelled[hash_text(text)] = self.n_read - 1
                continue
            learnable_texts.append(text)
            learnable_places.append(place)
            self.collected.append(Correction(self.n_read - 1, classes, digest(text, classes)))
        try:
            if self._counts is not None:
                self._counts.add(learnable_texts)
            elif self._keeps_rows:
                self._row_batches.append(self._model.rows(learnable_texts, self._n_jobs))
        except DocumentError as problem:
            raise problem.at(ErrorPlace(name, learnable_places[problem.number].name)) from problem

    def leave_out(self, problem: str, name: str, places: Iterable[str]) -> None:
        """Record the places in a file of documents that can't be learned."""
        for place in places:
            self.left_out.setdefault(problem, []).append(f"{name}: {place}")

    def _problem(self, text: str, labels: Sequence[Any], name: str, place: DocumentPlace) -> str | None:
        """Return why a document has to be left out, or None if it can be learned.

        Raises `InputError` for labels that the model could not predict, unless `skip_unknown` leaves the document out.
        """
        if not text.strip():
            return NO_TEXT
        if not labels and not self._may_be_of_no_class(place):
            return NO_LABEL
        if self._skip_unknown and any(label not in self._model.classes for label in labels):
            return UNKNOWN
        try:
            require_labels(self._model, labels, may_be_new=self._may_be_new)
        except InputError as error:
            raise error.at(ErrorPlace(name, place.name)) from error
        return None

    def _may_be_of_no_class(self, place: DocumentPlace) -> bool:
        """Return whether a document without labels belongs to none of the classes, rather than being unlabelled.

        That is always so for models that learned from a label matrix, in which a row of zeros has this meaning. Other
        multilabel models need an empty list of labels in the file.
        """
        return self._model.has_label_matrix or (self._model.multilabel and place.is_of_no_class)

    def last(self) -> dict[bytes, int]:
        """Return the position in `collected` of the last correction of each text, by the digest of the text.

        Texts that occur once more after it, without a label, are left out.
        """
        last = {text_digest(correction.digest): position for position, correction in enumerate(self.collected)}
        return {
            text: position
            for text, position in last.items()
            if self.collected[position].number > self._last_unlabelled.get(text, -1)
        }

    def withdrawn(self) -> set[bytes]:
        """Return the digests of the texts that occur last without a label."""
        return self._last_unlabelled.keys() - self.last().keys()

    def to_learn(self, added_digests: frozenset[bytes]) -> DocumentsToLearn:
        """Return the documents to learn, given the digests of documents that updates added before."""
        last = self.last()
        positions = [
            position for position in sorted(last.values()) if self.collected[position].digest not in added_digests
        ]
        known_texts = set(map(text_digest, added_digests))
        rows = stack_rows(self._row_batches).matrix()[positions] if self._row_batches else None
        new = [self.collected[position] for position in positions]
        return DocumentsToLearn(
            CSR.of(rows) if rows is not None else self._model.rows([]),
            positions,
            [correction.labels for correction in new],
            frozenset(correction.digest for correction in new),
            n_repeated=len(self.collected) - len(last),
            n_known=len(last) - len(new),
            n_changed=sum(text_digest(correction.digest) in known_texts for correction in new),
        )


# -- documents to train on ---------------------------------------------------------------------------------------


class CorrectionFile(NamedTuple):
    """A file of corrections, which can be read again, and the corrections that were collected from it."""

    corpus: Corpus
    corrections: Corrections


def last_corrections(files: Iterable[CorrectionFile]) -> dict[bytes, tuple[CorrectionFile, Correction]]:
    """Return the correction that counts for each text, by the digest of the text, with its file.

    Files are in order: a later one replaces or withdraws what an earlier one says about the same text.
    """
    last: dict[bytes, tuple[CorrectionFile, Correction]] = {}
    for file in files:
        for text in file.corrections.withdrawn():
            last.pop(text, None)
        collected = file.corrections.collected
        last |= {text: (file, collected[position]) for text, position in file.corrections.last().items()}
    return last


class CorrectedDocuments:
    """The documents of a model's sources, with corrections.

    A correction replaces the labels of all documents with the same text, and one to none of the classes makes them
    unlabelled. If there is none, its document comes after all others, in the order of the files. If a text has several
    corrections, the last one counts. The counts are those of the last pass over `corpus`.
    """

    def __init__(self, documents: Corpus, files: Sequence[CorrectionFile]) -> None:
        self.n_relabelled = self.n_confirmed = self.n_withdrawn = self.n_added = 0
        """Documents of the sources with replaced labels, right labels, or without labels now; and added documents."""
        self.corpus = documents.mapped(self._corrected)
        self._last = last_corrections(files)
        self._withdrawn = {text for file in files for text in file.corrections.withdrawn()} - self._last.keys()
        self._files = files

    @property
    def digests(self) -> frozenset[bytes]:
        """Return the digests of all corrections that count."""
        return frozenset(correction.digest for _, correction in self._last.values())

    def of(self, files: Sequence[CorrectionFile], *, without: Container[bytes] = ()) -> Iterator[Batch]:
        """Yield the corrections that count in these files, except for those of some texts, given by their digests."""
        for file in files:
            wanted = {
                correction.number: correction
                for text, (of_file, correction) in self._last.items()
                if of_file is file and text not in without
            }
            yield from _pick(file.corpus, wanted)

    def _corrected(self, batches: Iterator[Batch]) -> Iterator[Batch]:
        """Yield the documents of the sources with right labels, and then the other corrections."""
        self.n_relabelled = self.n_confirmed = self.n_withdrawn = self.n_added = 0
        texts_in_sources = set()
        for batch in batches:
            labels = list(batch.labels)
            for row, text in enumerate(map(hash_text, batch.texts)):
                if text in self._last:
                    texts_in_sources.add(text)
                    right_labels = self._last[text][1].labels
                    is_right = set(right_labels) == set(labels[row])
                    self.n_confirmed += is_right
                    self.n_relabelled += not is_right
                    labels[row] = right_labels
                elif text in self._withdrawn and labels[row]:  # none of the classes is right
                    self.n_withdrawn += 1
                    labels[row] = ()
            yield replace(batch, labels=labels)
        for batch in self.of(self._files, without=texts_in_sources):
            self.n_added += len(batch)
            yield batch


def _pick(corpus: Corpus, wanted: Mapping[int, Correction]) -> Iterator[Batch]:
    """Yield the documents with the wanted numbers, with their right labels.

    A file of corrections may grow meanwhile. Raises `InputError` if it changes otherwise.
    """
    n_read = n_picked = 0
    batches = corpus.batches() if wanted else iter(())
    for batch in batches:
        rows = [row for row in range(len(batch)) if n_read + row in wanted]
        picked = [wanted[n_read + row] for row in rows]
        texts = [batch.texts[row] for row in rows]
        n_read += len(batch)
        n_picked += len(rows)
        if any(hash_text(text) != text_digest(item.digest) for text, item in zip(texts, picked, strict=True)):
            break
        if rows:
            yield Batch([correction.labels for correction in picked], texts)
        if n_picked == len(wanted):
            return
    if wanted:
        raise InputError("was changed while it was read", place=corpus.name, hint="Try again")
