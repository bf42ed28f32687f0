"""Collect corrections, which are labelled documents, from files that grow; each document is added to a model once.

Documents come in batches. Of each document, `Corrections` keeps the weights of its terms, the labels and the digest
(`document_digests`). At the end, `Corrections.to_learn` returns the documents to learn. If several documents have the
same text, only the last of them is learned, and not even that one if an earlier update added it with the same labels.
Documents without a text or without a label are left out, and their places are recorded. A correction without a label
says that none of the classes is right; it also takes back earlier ones of the same text. A label that is no class of
the model raises an error, or with `skip_unknown` its document is left out, too.

In a file of corrections for a multilabel model, an empty list of labels means that the document belongs to no class,
and the model learns that. A document whose list of labels is missing is unlabelled, unless the model was trained with a
label matrix: then it belongs to no class, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from ..corpus.batch import DocumentPlace
from ..errors import DocumentError, InputError
from ..errors import Place as ErrorPlace
from ..prediction import Model, classes_by_text
from ..text.csr import CSR
from .document_digests import digest, text_digest
from .updating import require_labels, stack_rows

NO_TEXT, NO_LABEL, UNKNOWN = "without a text", "without a label", "of no class of the model"
UNREADABLE = "that can't be read"


class DocumentsToLearn(NamedTuple):
    """The documents to learn, and how many documents were repeated, known or changed."""

    rows: CSR
    """The weights of the model's terms (documents x terms)."""
    label_sets: list[tuple[Any, ...]]
    digests: frozenset[bytes]
    n_repeated: int
    """The number of documents that are not learned because their text occurs again later."""
    n_known: int
    """The number of documents that are not learned because an earlier update added them with the same labels."""
    n_changed: int
    """The number of documents to learn whose text an earlier update added with other labels."""


class Corrections:
    """Collects corrections from files."""

    def __init__(self, model: Model, *, skip_unknown: bool = False, n_jobs: int | None = -1) -> None:
        self.n_read = 0
        self.left_out: dict[str, list[str]] = {}
        """For each problem, such as `NO_TEXT`, the places of the documents that have it and can't be learned."""
        self._model, self._skip_unknown, self._n_jobs = model, skip_unknown, n_jobs
        self._classes = classes_by_text(model.classes)
        self._row_batches: list[CSR] = []
        self._label_sets: list[tuple[Any, ...]] = []
        self._digests: list[bytes] = []
        self._n_before_unlabelled: dict[bytes, int] = {}  # for each text without a label, the documents before the last

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
                    self._n_before_unlabelled[text_digest(digest(text, ()))] = len(self._digests)
                continue
            learnable_texts.append(text)
            learnable_places.append(place)
            self._label_sets.append(classes)
            self._digests.append(digest(text, classes))
        try:
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
            require_labels(self._model, labels)
        except InputError as error:
            raise error.at(ErrorPlace(name, place.name)) from error
        return None

    def _may_be_of_no_class(self, place: DocumentPlace) -> bool:
        """Return whether a document without labels belongs to none of the classes, rather than being unlabelled.

        That is always so for models that learned from a label matrix, in which a row of zeros has this meaning. Other
        multilabel models need an empty list of labels in the file.
        """
        return self._model.has_label_matrix or (self._model.multilabel and place.is_of_no_class)

    def to_learn(self, added_digests: frozenset[bytes]) -> DocumentsToLearn:
        """Return the documents to learn, given the digests of documents that updates added before."""
        # Of documents with the same text, the last one overwrites the positions of the others. If it has no label, none
        # of them is learned.
        last_occurrence = {text_digest(document): position for position, document in enumerate(self._digests)}
        last_positions = sorted(
            position for text, position in last_occurrence.items() if position >= self._n_before_unlabelled.get(text, 0)
        )
        new_positions = [position for position in last_positions if self._digests[position] not in added_digests]
        known_texts = set(map(text_digest, added_digests))
        rows = stack_rows(self._row_batches).matrix()[new_positions] if self._row_batches else None
        return DocumentsToLearn(
            CSR.of(rows) if rows is not None else self._model.rows([]),
            [self._label_sets[position] for position in new_positions],
            frozenset(self._digests[position] for position in new_positions),
            n_repeated=len(self._digests) - len(last_positions),
            n_known=len(last_positions) - len(new_positions),
            n_changed=sum(text_digest(self._digests[position]) in known_texts for position in new_positions),
        )
