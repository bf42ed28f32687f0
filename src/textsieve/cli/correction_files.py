"""Files of corrections for `textsieve update`: open them, collect their documents, and print what happened to these."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ..corpus import Corpus
from ..corpus.batch import CorpusDigest
from ..errors import InputError, counted
from ..modelfile.sources import TrainingSource
from ..prediction import Model
from ..progress import Progress
from ..training.corrections import UNREADABLE, Corrections, require_valid_labels
from ..training.updating import UnknownLabel, similar_class
from .description import file_line
from .messages import warn
from .opening import (
    columns_lines,
    given_options,
    is_empty_file,
    is_from_service,
    open_corpus,
    warn_of_replaced_bytes,
)
from .output import Column, Page, label_text, number_columns
from .sources import source_at

MAX_PLACES = 3
"""The maximum number of documents whose places are printed."""


# -- reading -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OpenedCorrections:
    """A file or folder of corrections, or standard input, that is open for reading."""

    path: str
    model_path: str
    read_options: Mapping[str, Any]
    usual: Mapping[str, Any]
    """The defaults for options that are not given."""
    digest: CorpusDigest
    """The digest of the documents, once they are read."""
    corpus: Corpus | None
    """None for an empty file."""

    def source(self) -> TrainingSource:
        """Return the file as a source of the model; call this after its documents were read."""
        reading = given_options(self.read_options)
        return source_at(
            self.path, self.model_path, self.digest, reading=reading, usual=dict(self.usual), corrections=True
        )

    def columns(self) -> list[str]:
        """Return a line for each table whose columns had to be chosen: which were read, and which were not.

        Corrections that the service wrote have no line, because they are always read by their keys.
        """
        if self.corpus is None or all(map(is_from_service, self.corpus.tables)):
            return []
        return columns_lines(self.corpus, only_choices=True, names_file=True)


@contextmanager
def open_corrections(
    path: str,
    read_options: Mapping[str, Any],
    usual: Mapping[str, Any],
    model_path: str,
    spellings: list[str] | None,
) -> Iterator[OpenedCorrections]:
    """Open a file of corrections for the model at `model_path`; lines of JSON that can't be read are left out.

    Each label becomes the first of the `spellings` that differs from it only in case and white space; with None, labels
    stay as they are. The columns in `read_options` and `usual` are for documents in other files: a correction that the
    service wrote has its text and label under the keys "text" and "label" (or "labels"), and is always read by these.
    """
    digest = CorpusDigest()
    if is_empty_file(path):  # it has no corrections yet
        yield OpenedCorrections(path, model_path, read_options, usual, digest, None)
        return
    extra = {"keep": ("file",)} if os.path.isdir(path) else {}  # file names are the places in messages
    defaults = {**usual, "fixed_over_given": True}  # read corrections of the service by their keys
    with open_corpus(path, {**read_options, "fold_labels": False}, usual=defaults, lenient=True, **extra) as corpus:
        watched = corpus.mapped(digest)
        if spellings is not None:
            watched = watched.with_folded_labels(spellings)
        yield OpenedCorrections(path, model_path, read_options, usual, digest, watched)
        warn_of_replaced_bytes(watched)


def collect_corrections(corrections: Corrections, corpus: Corpus | None, on_progress: Progress) -> None:
    """Read the documents of a file into `corrections`, with the places of unreadable lines; do nothing for None."""
    if corpus is None:
        return
    for batch, places in corpus.placed_batches():
        with _note_that_nothing_changed():
            corrections.add(corpus.name, batch.texts, batch.labels, places)
        on_progress("reading", corrections.n_read, None)
    if corpus.report is not None:
        corrections.leave_out(UNREADABLE, corpus.name, corpus.report.unreadable)


def check_labels(files: Iterable[Corrections]) -> None:
    """Raise `InputError` for labels in these files, read in this order, that the model can't learn."""
    with _note_that_nothing_changed():
        require_valid_labels(files)


@contextmanager
def _note_that_nothing_changed() -> Iterator[None]:
    """Add a note to an `InputError` of this block: the model is unchanged, and an option skips unknown labels."""
    try:
        yield
    except InputError as problem:
        hint = "; --skip-unknown-labels leaves such documents out" if isinstance(problem, UnknownLabel) else ""
        problem.add_note(f"Nothing was changed{hint}.")
        raise


# -- the outcome -------------------------------------------------------------------------------------------------

LabelSets = Sequence[tuple[Any, ...]]
"""The labels of each document."""


def count_right(true: LabelSets, predicted: LabelSets) -> int:
    """Return how many documents were predicted with exactly their labels."""
    return sum(set(labels) == set(predicted_labels) for labels, predicted_labels in zip(true, predicted, strict=True))


def rows_by_class(name: str, true: LabelSets, before: LabelSets, after: LabelSets) -> list[dict[str, Any]]:
    """Return a JSON object for each class, on the documents with this true label.

    Under the key `name` is their number, under "right_before" and "right_after" the number of those for which the model
    predicted this label before and after the update. `true`, `before` and `after` have the labels of each document.
    """
    classes: dict[Any, dict[str, Any]] = {}
    for labels, labels_before, labels_after in zip(true, before, after, strict=True):
        for label in labels:
            row = classes.setdefault(label, {"label": label, name: 0, "right_before": 0, "right_after": 0})
            row[name] += 1
            row["right_before"] += label in labels_before
            row["right_after"] += label in labels_after
    return sorted(classes.values(), key=lambda row: row["label"])


def left_out_as_dict(files: Iterable[Corrections]) -> dict[str, Any]:
    """Return the number and the places of the documents of some files that were left out, by the reason."""
    places_by_reason: dict[str, list[str]] = {}
    for corrections in files:
        for reason, places in corrections.left_out.items():
            places_by_reason.setdefault(reason, []).extend(places)
    return {reason: {"documents": len(places), "places": places} for reason, places in places_by_reason.items()}


def new_classes_as_dicts(old: Model, new: Model) -> list[dict[str, Any]]:
    """Return a JSON object for each class that only the new model has.

    Under "documents" is its number of documents, and under "similar_class" the class of the old model that may be meant
    if the new one is a typing error, or None.
    """
    return [
        {"label": label, "documents": documents, "similar_class": similar_class(label, old)}
        for label, documents in zip(new.classes, new.class_docs, strict=True)
        if label not in old.classes
    ]


def warn_of_similar_class(new: Any, old: Any, remedy: str) -> None:
    """Print a warning that a new class may be a typing error for an old one; `remedy` says what to do then."""
    warn(f"{label_text(new)} is a new class. Did you mean {label_text(old)}? Then {remedy}.")


def show_left_out(page: Page, facts: Mapping[str, Any]) -> None:
    """Print how many documents were left out, for each reason, and how many because their text is repeated."""
    for reason, documents in facts["left_out"].items():
        n = documents["documents"]
        page.line(f"{counted(n, 'document')} {reason} left out: {listed_places(documents['places'])}")
    if n := facts["repeated"]:
        repeated = counted(n, "document is", "documents are")
        page.line(f"{repeated} skipped, because the same text occurs again later: the last one counts.")


def listed_places(places: Sequence[str]) -> str:
    """Return the first `MAX_PLACES` places, with commas between them, and "..." if there are more."""
    return ", ".join(places[:MAX_PLACES]) + (", ..." if len(places) > MAX_PLACES else "")


def show_classes_of_corrections(page: Page, facts: Mapping[str, Any], name: str, what: str) -> None:
    """Print a row for each class, as `rows_by_class` returns it, and a line with the sums.

    `name` is the key of the number of documents, and `what` the word for one of them, such as "correction".
    """
    columns = [Column("class"), *number_columns(name, "right before", "right after")]
    names = (name, "right_before", "right_after")
    page.table(columns, [[label_text(row["label"]), *(f"{row[name]:,}" for name in names)] for row in facts["classes"]])
    page.line(
        f"Of {counted(facts[name], what)}, the model got {facts['right_before']:,} right before, "
        f"and gets {facts['right_after']:,} right now."
    )


def show_written(page: Page, facts: Mapping[str, Any]) -> None:
    """Print the name and size of the file to which the model was written, or that it was not, because of --dry-run."""
    page.line(f"Written to {file_line(facts['file'])}" if facts["written"] else "Nothing was written: --dry-run.")
