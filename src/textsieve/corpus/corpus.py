"""`Corpus`: documents and labels as a stream of batches that starts anew each time it is read.

A corpus may be larger than memory, and training needs no list of all texts. So a `Corpus` does not hold the documents
of its files: it has a function that starts a pass over them. Only `load` reads all documents into memory.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from ..errors import DocumentError, InputError, Place, counted, shown, warn
from ..threads import read_ahead
from .batch import BATCH_DOCUMENTS, Batch, Document, DocumentPlace, KeptValues, Labels, Report, in_batches
from .labels import LabelFolder, LabelReader, hint_about_spellings, is_missing, spellings_by_key
from .source import UsedColumns
from .streams import without_surrogates

if TYPE_CHECKING:
    from scipy.sparse import csr_array

StartPass = Callable[[Report], Iterator[Batch]]
"""A function that starts one pass, and yields its batches.

It adds to the report what only the reader of the file knows, such as replaced bytes and skipped files. `Corpus` counts
the documents.
"""

Split = Callable[[], "tuple[Corpus, Corpus]"]
"""A function that opens the training part and the test part."""
SampleColumns = Callable[[], Mapping[str, Sequence[object]]]
"""A function that returns the first values of the unused columns of a table, by the columns' names.

From these, `label_column.py` and `text_column.py` guess which column the user may have meant as the label or the text.
Columns that can't be a label are left out. A long value may be cut off, with its hash added so that only equal values
stay equal.
"""
SAMPLED_ROWS, SAMPLED_CHARACTERS = 1_000, 200
"""About how many rows, and characters of a value, are sampled; of JSON objects with much text, it may be fewer rows."""


class Corpus:
    """Documents and their labels, which can be read any number of times.

    `name` is used in messages. `report` is the `Report` of the last complete pass, or None before the first.
    `multilabel` is None if only a complete pass can show whether documents have several labels. `tables` has the names
    of the columns that are read; if a pipe is read as it arrives, they are known only after the first document. If
    `reports_spellings` is true, a complete pass warns of labels that differ only in case.

    Examples
    --------
    >>> from textsieve import Corpus
    >>> corpus = Corpus.from_texts(["the striker scored", "a new law"], ["sport", "politics"])
    >>> for batch in corpus.batches():
    ...     print(batch.texts, batch.labels)
    ['the striker scored', 'a new law'] [('sport',), ('politics',)]
    """

    def __init__(
        self,
        name: str,
        start: StartPass,
        *,
        multilabel: bool | None = None,
        split: Split | None = None,
        sample_columns: SampleColumns | None = None,
        tables: Iterable[UsedColumns] = (),
    ) -> None:
        self.name = name
        self.report: Report | None = None
        self._start = start
        self._declared_multilabel = multilabel
        self._split = split
        self.sample_columns = sample_columns
        self.tables = list(tables)
        self.reports_spellings = False

    @classmethod
    def from_texts(cls, texts: Iterable[str], labels: Iterable[object] | None = None, *, name: str = "texts") -> Corpus:
        """Return a corpus of texts that are already in memory.

        A label is a string, a number, a truth value, None or NaN (unlabelled), or a list, tuple or set of labels.
        """
        documents, n_replaced = _check_texts(texts, name)
        label_report = Report(replaced_bytes=n_replaced)  # `_label_sets` adds what it replaces, and sets `multilabel`
        label_sets = _label_sets(labels, len(documents), "text", name, label_report)
        if not documents:
            raise InputError("no documents", place=name, hint="Give at least one text")

        def start(report: Report) -> Iterator[Batch]:
            report.replaced_bytes += label_report.replaced_bytes
            return in_batches(zip(documents, label_sets, strict=True))

        return cls(name, start, multilabel=label_report.multilabel)

    @classmethod
    def from_vectors(cls, vectors: Any, labels: Iterable[object] | None = None, *, name: str = "vectors") -> Corpus:
        """Return a corpus of vectors that are already in memory.

        `vectors` is a dense or sparse matrix with a row per document; labels are as in `from_texts`.
        """
        from scipy.sparse import csr_array

        rows, label_report = csr_array(vectors), Report()  # `_label_sets` sets `label_report.multilabel`
        if rows.dtype.kind not in "biuf" or not rows.shape[0]:  # truth values, integers and floats
            raise InputError(f"{shown(vectors)} has no rows of numbers", place=name, hint="Give at least one")
        label_sets = _label_sets(labels, rows.shape[0], "vector", name, label_report)

        def start(report: Report) -> Iterator[Batch]:
            for begin in range(0, len(label_sets), BATCH_DOCUMENTS):
                batch = slice(begin, begin + BATCH_DOCUMENTS)
                yield Batch(label_sets[batch], vectors=rows[batch])

        return cls(name, start, multilabel=label_report.multilabel)

    @classmethod
    def chained(cls, parts: Sequence[Corpus]) -> Corpus:
        """Return a corpus with the documents of several corpora, one after the other.

        A pass fills one report for all parts; the `report` of each part stays as it is.
        """

        def start(report: Report) -> Iterator[Batch]:
            for part in parts:
                yield from part._start(report)

        declared = [part.multilabel for part in parts]
        # One multilabel part makes the whole multilabel. Otherwise, one unknown part makes the whole unknown (None).
        multilabel = True if True in declared else None if None in declared else False
        # The columns of the first part stand for those of all parts.
        sample_columns = parts[0].sample_columns if parts else None
        name = ", ".join(part.name for part in parts)
        tables = [table for part in parts for table in part.tables]
        chain = cls(name, start, multilabel=multilabel, sample_columns=sample_columns, tables=tables)
        chain.reports_spellings = any(part.reports_spellings for part in parts)
        return chain

    @property
    def multilabel(self) -> bool | None:
        """Return whether a document may have several labels; None if that is known only after a complete pass."""
        if self._declared_multilabel is None and self.report is not None:
            return self.report.multilabel
        return self._declared_multilabel

    def split(self) -> tuple[Corpus, Corpus] | None:
        """Return the training and test parts if the publisher of the documents defines them, else None."""
        return self._split() if self._split else None

    def batches(self, *, ahead: bool = False, places: list[DocumentPlace] | None = None) -> Iterator[Batch]:
        """Yield all documents from the first, a batch at a time; with `ahead`, a thread reads the next batches.

        With `places`, the reader of the file appends the place of each document to this list, if it reports places at
        all (see `placed_batches`).
        """
        return self._pass(Report(places=places), ahead=ahead)

    def placed_batches(self) -> Iterator[tuple[Batch, list[DocumentPlace]]]:
        """Yield each batch and the place of each document, such as "line 3".

        In a folder that is read with `keep=["file"]`, the place is the name of the document's file. If the reader does
        not report places, they are "document 1" and so on. Vectors raise `InputError`.
        """
        reported: list[DocumentPlace] = []  # the reader appends the places, perhaps of more than the next batch
        n_yielded = 0
        for batch in self.batches(places=reported):
            self._require_texts(batch)
            places = self._file_places(batch) or reported[: len(batch)]
            if len(places) != len(batch):  # the reader does not report places
                places = [DocumentPlace(f"document {n_yielded + number}") for number in range(1, len(batch) + 1)]
            yield batch, places
            del reported[: len(batch)]
            n_yielded += len(batch)

    def _file_places(self, batch: Batch) -> list[DocumentPlace]:
        """Return the names of the documents' files as places; [] if the files are not kept with the documents."""
        if self.tables or batch.kept is None:  # in a table, a kept value "file" is that of a column with this name
            return []
        return [DocumentPlace(str(values["file"])) for values in batch.kept if "file" in values]

    def _pass(self, report: Report, *, ahead: bool = False) -> Iterator[Batch]:
        """Yield all batches, and count them in the report.

        At the end of the pass, store the report in `self.report`, and warn about likely mistakes; raise `InputError`
        if there were no documents. If all lines were unreadable and skipped, that is no error: the report lists them.
        """
        for batch in read_ahead(self._start(report)) if ahead else self._start(report):
            report.add(batch)
            yield batch
        if not report.documents and not report.unreadable:
            raise InputError(
                "no documents", place=self.name, hint=report.hint_about_links() or "at least one is needed"
            )
        self.report = report
        self._warn_of_likely_mistakes(report)

    def _warn_of_likely_mistakes(self, report: Report) -> None:
        """Warn about skipped links, guessed encodings, spellings of labels, and cells with several labels in a pass."""
        if links := report.hint_about_links():
            warn((f"{self.name}: ", *links))
        for hint in report.hints_about_encodings():
            warn(hint)
        if self.reports_spellings and (hint := hint_about_spellings(report.label_counts)):
            warn((f"{self.name}: ", *hint))
        for file, joined_labels in report.joined:
            if not report.multilabel and (hint := joined_labels.hint()):
                # `self.name` is the better name for a single file: `file` may be a temporary copy of a pipe's content.
                name = self.name if len(report.joined) == 1 else file
                warn((f"{name}: ", *hint))

    def text_batches(self) -> Iterator[Batch]:
        """Yield all documents, a batch at a time; vectors raise `InputError`."""
        for batch in self.batches():
            self._require_texts(batch)
            yield batch

    def _require_texts(self, batch: Batch) -> None:
        """Raise `InputError` if a batch has vectors."""
        if batch.vectors is not None:
            raise InputError(
                "holds vectors, not texts. A categorizer reads texts",
                place=self.name,
                hint="for vectors put a selector and a classifier into scikit-learn's Pipeline, and take them with "
                "batches() or load()",
            )

    def __iter__(self) -> Iterator[Document]:
        """Yield all documents, as pairs of a text and its labels."""
        for batch in self.text_batches():
            yield from zip(batch.texts, batch.labels, strict=True)

    def texts(self) -> Iterator[str]:
        """Yield the texts."""
        return (text for text, _ in self)

    def labels(self) -> Iterator[Labels]:
        """Yield the labels of each document."""
        return (labels for batch in self.batches() for labels in batch.labels)

    def load(self) -> tuple[list[str] | csr_array[Any], list[str | None] | list[Labels]]:
        """Return the texts (or one matrix of vectors) and the labels of all documents, in memory.

        The labels are a list of strings, with None for unlabelled documents, or of tuples if `multilabel` is true.
        """
        texts: list[str] = []
        vectors: list[csr_array[Any]] = []
        labels: list[Labels] = []
        for batch in self.batches():
            texts += batch.texts
            labels += batch.labels
            if batch.vectors is not None:
                vectors.append(batch.vectors)
        documents: list[str] | csr_array[Any] = texts
        if vectors:
            from scipy.sparse import csr_array, vstack

            documents = csr_array(vstack(vectors, format="csr"))
        if self.multilabel:
            return documents, labels
        return documents, [document_labels[0] if document_labels else None for document_labels in labels]

    @contextmanager
    def naming(self, only: type[InputError] = InputError) -> Iterator[None]:
        """Give errors raised inside this context the name of the corpus as their place, unless they have a place.

        Use it around code whose errors can only be about documents or labels. Errors that are not of type `only` are
        left unchanged.
        """
        try:
            yield
        except only as problem:
            if problem.place is not None:
                raise
            raise problem.at(self.name) from problem

    @contextmanager
    def naming_documents(self, n_before: int, kept: Sequence[KeptValues] | None = None) -> Iterator[None]:
        """Give a `DocumentError` raised inside this context the document's place in the corpus.

        The place is the document's number in the corpus, from 1, or the name of its file if `kept` has it. `kept` are
        the kept values of the batch's documents (`Batch.kept`), and `n_before` is the number of documents before the
        batch.
        """
        try:
            yield
        except DocumentError as problem:
            number = problem.number  # in the batch, from 0
            file = kept[number].get("file") if kept else None
            part = f"document {n_before + number + 1:,}" if file is None else str(file)
            raise problem.at(Place(self.name, part)) from problem

    def spellings(self) -> list[str]:
        """Return the labels of the corpus, each in one spelling, which takes a pass over the documents.

        Of spellings that differ only in case or space, such as "Utils" and "utils", that is the most frequent one; of
        equally frequent ones, the one that sorts first.
        """
        counts = Counter(label for batch in self._start(Report()) for labels in batch.labels for label in labels)
        return [spellings[0] for spellings in spellings_by_key(counts).values()]

    def with_folded_labels(self, spellings: Iterable[str] | None = None) -> Corpus:
        """Return the same documents, with labels merged that differ only in case or in the white space around them.

        `spellings` lists the spellings to use. A label that is not like any of them gets the spelling in which it comes
        first. If `spellings` is None, the most frequent spelling is used; then the labels are counted in a pass of
        their own before the first pass.
        """
        given_spellings = None if spellings is None else list(spellings)

        @cache
        def spellings_to_use() -> list[str]:
            """Return the given spellings, or the most frequent ones, which the first call counts."""
            return self.spellings() if given_spellings is None else given_spellings

        def start(report: Report) -> Iterator[Batch]:
            """Start a pass over the documents with merged labels."""
            fold = LabelFolder(spellings_to_use())
            for batch in self._start(report):
                yield replace(batch, labels=list(map(fold, batch.labels)))

        def split() -> tuple[Corpus, Corpus]:
            """Return both parts; each label has the same spelling in both."""
            assert self._split is not None  # otherwise this function is not used
            train, test = self._split()
            return train.with_folded_labels(spellings_to_use()), test.with_folded_labels(spellings_to_use())

        folded = copy(self)
        folded.report, folded._start, folded._split = None, start, None if self._split is None else split
        return folded

    def with_name(self, name: str) -> Corpus:
        """Return the same documents under another name, which replaces the old one as the place of errors."""

        def start(report: Report) -> Iterator[Batch]:
            """Start a pass in which errors and the report have the new name instead of the old one."""
            try:
                yield from self._start(report)
            except InputError as problem:
                raise with_source(problem, self.name, name) from problem
            # The report names the source of each guessed encoding, and `_pass` warns of it under the new name.
            for guess in [guess for guess in report.guessed_encodings if guess.source == self.name]:
                report.guessed_encodings[guess._replace(source=name)] = report.guessed_encodings.pop(guess)

        renamed = copy(self)
        renamed.name, renamed.report, renamed._start = name, None, start
        renamed.tables = [table._replace(source=name) for table in self.tables]
        return renamed

    def mapped(self, transform: Callable[[Iterator[Batch]], Iterator[Batch]]) -> Corpus:
        """Return a corpus with the batches that the function `transform` makes of the batches of each pass.

        A pass over the new corpus does not change the `report` of this one.
        """
        mapped = copy(self)
        mapped.report, mapped._split = None, None
        mapped._start = lambda report: transform(self._start(report))
        return mapped

    def __repr__(self) -> str:
        """Return the name and the report of the last pass."""
        return f"<Corpus {self.name}: {self.report or 'not read through yet'}>"


def with_source(problem: InputError, old: str, new: str) -> InputError:
    """Return the error with `new` as the name of the file or corpus if that is `old`; else return it unchanged."""
    if problem.place is None or problem.place.source != old:
        return problem
    return problem.at(Place(new, problem.place.part))


def _label_sets(
    labels: Iterable[object] | None, n_documents: int, kind: str, name: str, report: Report
) -> list[Labels]:
    """Return the labels of each document from labels in memory; raise `InputError` if their number is wrong.

    `labels` has one value for each document, or is None if all are unlabelled. `kind` is "text" or "vector", for
    messages. In `report`, replaced characters are added to `replaced_bytes`, and `multilabel` is set if a document has
    a list of labels.
    """
    if labels is None:
        return [()] * n_documents
    read_labels = LabelReader(name, "labels[{}]", report=report, as_given=True)
    label_sets = [read_labels(label, position) for position, label in enumerate(labels)]
    if len(label_sets) != n_documents:
        raise InputError(
            f"{counted(n_documents, kind)} but {counted(len(label_sets), 'label')}",
            place=name,
            hint=f"Give one label for each {kind}; None means unlabelled",
        )
    return label_sets


def _check_texts(texts: Iterable[str], name: str) -> tuple[list[str], int]:
    """Return the texts as a list, with lone surrogates replaced, and the number of replacements.

    Raise `InputError` if `texts` is a single text, or if one of the texts is not a string.
    """
    if isinstance(texts, str | bytes):
        raise InputError(f"is one {type(texts).__name__}", place=name, hint="Give a list of texts, such as [text]")
    if hasattr(texts, "columns"):  # its iterator yields the names of its columns
        raise InputError("is a data frame", place=name, hint='Give its column of texts, such as frame["text"]')
    checked = []
    n_all_replaced = 0
    for position, text in enumerate(texts):
        if not isinstance(text, str):
            raise InputError(
                f"{shown(text)} is a {type(text).__name__}, not a text",
                place=f"{name}[{position}]",
                hint="Replace missing texts by empty ones" if is_missing(text) else "Convert it to str first",
            )
        clean_text, n_replaced = without_surrogates(text)
        checked.append(clean_text)
        n_all_replaced += n_replaced
    return checked, n_all_replaced
