"""Collect labelled documents from files that grow, so that each is added to a model once.

Documents come batch by batch and are weighed at once. Of each, only its weights, its labels, its place and its digest
(`document_digests`) are kept. At the end, `Corrections.to_learn` returns those to learn: of a text that occurs several
times the last one, unless an update added it before with the same labels. Documents without a text or without a label
are left out, and their places are noted. A label that is no class of the model raises an error, or its document is
left out, too.

An empty list of labels, in a correction of a multilabel document, means that the document belongs to no class, and that
is learned. A missing list of labels means nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from ..corpus.batch import DocumentPlace
from ..errors import InputError
from ..errors import Place as ErrorPlace
from ..prediction import Model, by_writing
from ..text.csr import CSR
from .document_digests import digest, text_digest
from .updating import require_labels, stacked

NO_TEXT, NO_LABEL, UNKNOWN = "without a text", "without a label", "of no class of the model"
UNREADABLE = "that can't be read"


class DocumentsToLearn(NamedTuple):
    """The documents to learn, and how many are left out and why."""

    rows: CSR
    label_sets: list[tuple[Any, ...]]
    digests: frozenset[bytes]
    n_repeated: int
    """Number of documents whose text occurs again later; the last one counts."""
    n_known: int
    """Number of documents that an update added before, with the same labels."""
    n_changed: int
    """Number of documents to learn that an update added before with other labels."""


class Corrections:
    """Collects corrections from files."""

    def __init__(self, model: Model, *, skip_unknown: bool = False, n_jobs: int | None = -1) -> None:
        self.n_read = 0
        self.left_out: dict[str, list[str]] = {}
        """The places of documents that can't be learned, by what is wrong with them."""
        self._model, self._skip_unknown, self._n_jobs = model, skip_unknown, n_jobs
        self._classes = by_writing(model.classes)
        self._parts: list[CSR] = []
        self._label_sets: list[tuple[Any, ...]] = []
        self._digests: list[bytes] = []

    def add(
        self, name: str, texts: Sequence[str], labels: Iterable[Sequence[str]], places: Sequence[DocumentPlace]
    ) -> None:
        """Add documents of a file, whose name is for messages."""
        kept = []
        for text, written, place in zip(texts, labels, places, strict=True):
            self.n_read += 1
            own = tuple(dict.fromkeys(self._classes.get(label, label) for label in written))
            if (fault := self._fault(text, own, name, place)) is not None:
                self.leave_out(fault, name, [place.name])
                continue
            kept.append(text)
            self._label_sets.append(own)
            self._digests.append(digest(text, own))
        self._parts.append(self._model.rows(kept, self._n_jobs))

    def leave_out(self, fault: str, name: str, places: Iterable[str]) -> None:
        """Record a document that can't be learned, and where in a file it is."""
        for place in places:
            self.left_out.setdefault(fault, []).append(f"{name}: {place}")

    def _fault(self, text: str, labels: Sequence[Any], name: str, place: DocumentPlace) -> str | None:
        """Return why a document can't be learned, or None; raise the error if the user must decide first."""
        if not text.strip():
            return NO_TEXT
        if not labels and not self._may_be_of_no_class(place):
            return NO_LABEL
        if self._skip_unknown and any(label not in self._model.classes for label in labels):
            return UNKNOWN
        try:
            require_labels(self._model, labels)
        except InputError as problem:
            raise problem.at(ErrorPlace(name, place.name)) from problem
        return None

    def _may_be_of_no_class(self, place: DocumentPlace) -> bool:
        """Return whether a document without labels belongs to none of the classes, rather than being unlabelled."""
        return self._model.label_matrix or (self._model.multilabel and place.is_of_no_class)

    def to_learn(self, added_digests: frozenset[bytes]) -> DocumentsToLearn:
        """Return the documents to learn, given the digests of documents that updates added before."""
        last_position = {text_digest(document): position for position, document in enumerate(self._digests)}
        last = sorted(last_position.values())
        new = [position for position in last if self._digests[position] not in added_digests]
        known_texts = set(map(text_digest, added_digests))
        rows = stacked(self._parts).matrix()[new] if self._parts else None
        return DocumentsToLearn(
            CSR.of(rows) if rows is not None else self._model.rows([]),
            [self._label_sets[position] for position in new],
            frozenset(self._digests[position] for position in new),
            n_repeated=len(self._digests) - len(last),
            n_known=len(last) - len(new),
            n_changed=sum(text_digest(self._digests[position]) in known_texts for position in new),
        )
