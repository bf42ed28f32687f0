"""The documents of a comparison: counted once, training and test documents together, and divided into folds.

The counts have a column for each term of any document. That leaks nothing from test documents into training: a fold
uses only the columns of the terms in its own training documents, in alphabetical order, as if the other terms had never
been counted.

The test documents are the publisher's test part, documents given for testing, or what `splits.py` determines.

Documents may also be vectors. Nonnegative integers are counts, and are weighted like the counts of texts. Other numbers
are weights, which selectors and classifiers use unchanged unless another weighting is requested (`plan.py`). Columns
are named as by `textsieve terms`: #0, #1, ... Readers detect for each file whether its columns are numbered from 0 or
from 1. If the files of a corpus differ, all columns are numbered from 0 (`_stack_aligned`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal

import numpy as np
from scipy.sparse import csr_matrix, issparse, vstack

from ..arrays import Bools
from ..categorizer_settings import READING_SETTINGS, SETTINGS, Limits
from ..corpus import Batch, Corpus, Labels, read
from ..corpus import Report as ReadingReport
from ..errors import InputError, Setting
from ..settings import n_threads
from ..text.counter import TermCounter
from ..text.pruning import check_limits
from ..text.vocabulary import SpelledTerms
from ..training.counted_documents import CountedDocuments, Progress, count_corpus, too_many
from ..training.targets import Targets
from .splits import FoldMasks, Splitting, single_split

Form = Literal["texts", "counts", "weights"]
"""The form of the documents: texts, or vectors of counts or of weights."""

COMPARISON_DEFAULTS: dict[str, Any] = {
    "analyzer": "word",
    "char_ngram_range": None,
    "class_weight": None,
    "max_size": None,
}
"""The values of settings whose default is "auto". They are those of the literature, so that results are comparable:
terms are words, and all documents count the same.
"""

MAX_VALUES = 1 << 26
"""Maximum number of counts kept in memory: eight bytes each, and twelve more when they are weighted."""


def _count(
    corpus: Corpus, settings: dict[str, Any], n_jobs: int | None, progress: Progress
) -> tuple[CountedDocuments, Form]:
    """Return the counted documents of a corpus and their form; the first batch shows whether they are texts."""
    limits: Limits = {"min_df": settings["min_df"], "max_df": settings["max_df"]}
    options: Any = {"multilabel": settings["multilabel"], "most_values": MAX_VALUES, "progress": progress}
    remaining_batches = corpus.batches(ahead=True)
    first_batch = next(remaining_batches)
    batches = chain([first_batch], remaining_batches)  # one pass, so that no file is opened twice
    if first_batch.vectors is None:
        reading = {name: settings[name] for name in READING_SETTINGS}
        counter = TermCounter(**reading, dtype=np.int32, n_jobs=n_threads(n_jobs))
        documents = count_corpus(
            corpus, counter, limits, want_stats=False, require_all=True, first_pass=batches, **options
        )
        assert isinstance(documents, CountedDocuments)  # `require_all` raises an error if they don't fit into memory
        return documents, "texts"
    _refuse_text_settings(settings, corpus.name)
    vectors = _collect_vectors(corpus, batches, limits, **options)
    return vectors, "counts" if vectors.counts.dtype.kind == "i" else "weights"


def _join(name: str, train: Corpus, test: Corpus) -> Corpus:
    """Return a corpus of the training documents followed by the test documents."""

    def start(report: ReadingReport) -> Iterator[Batch]:
        for part in (train, test):
            yield from part.batches()
            if part.report is not None:
                report.multilabel |= part.report.multilabel
                report.replaced_bytes += part.report.replaced_bytes
                for kind, count in part.report.skipped.items():
                    report.skipped[kind] = report.skipped.get(kind, 0) + count

    # None means unknown: the documents are multilabel if one part is, and single-label only if both are known to be.
    declared = {train.multilabel, test.multilabel}
    multilabel = True if True in declared else None if None in declared else False
    return Corpus(name, start, multilabel=multilabel, sample_columns=train.sample_columns, tables=train.tables)


@dataclass(frozen=True)
class ComparisonDocuments:
    """Counted documents, and which of them are used for training and testing in each fold."""

    name: str
    counted: CountedDocuments
    form: Form
    folds: FoldMasks
    sources: tuple[Corpus, ...] = ()
    """The corpora with the documents, one after the other: one, or the training part and the test part."""

    def training_name(self, fold: int) -> str:
        """Return the name of the training documents of a fold, for messages."""
        by = self.folds.about["by"]  # a key of `SPLITS`, such as "own" or "shuffled folds"
        fold_name = f"without fold {fold + 1}" if "folds" in by else f"split {fold + 1}"
        return f"{self.name}, {'the training part' if by in ('own', 'given') else fold_name}"

    def fingerprint(self) -> str:
        """Return a hash of the counts, the labels and the split.

        It changes with the documents and with how they are read.
        """
        counts, targets = self.counted.counts, self.counted.targets
        digest = hashlib.sha256()
        for numbers in (counts.indptr, counts.indices, counts.data, *targets.members):
            is_float = numbers.dtype.kind == "f"  # the same types on all machines, so that equal counts hash equally
            digest.update(np.asarray(numbers, np.float64 if is_float else np.int64).tobytes() + b"|")
        for words in (self.counted.terms, map(repr, targets.classes)):
            digest.update("\n".join(words).encode("utf-8", "surrogatepass") + b"|")
        for is_test, is_train in zip(self.folds.test, self.folds.train, strict=True):
            digest.update(np.packbits(is_test).tobytes() + np.packbits(is_train).tobytes())
        return digest.hexdigest()[:32]


def corpus_of(documents: Any, labels: Any, name: str) -> Corpus:
    """Return a corpus from a corpus, from a path or name that `read` accepts, or from texts or vectors with labels.

    Labels may also be the second element of `documents`, a pair. `name` is the name of documents that have none, for
    messages: "texts" or "test".
    """
    if isinstance(documents, Corpus):
        if labels is not None:
            raise InputError("A corpus has its own labels; leave labels out.")
        return documents
    if labels is None:
        if isinstance(documents, tuple) and len(documents) == 2:
            return corpus_of(*documents, name)
        if isinstance(documents, str) or hasattr(documents, "__fspath__"):
            return read(documents)
        raise InputError("there are no labels", place=name, hint="give a corpus, the name of one, or texts and labels")
    if issparse(documents) or (isinstance(documents, np.ndarray) and documents.ndim == 2):
        vectors_name = "vectors" if name == "texts" else name  # the default name would be wrong
        return Corpus.from_vectors(documents, labels, name=vectors_name)
    return Corpus.from_texts(documents, labels, name=name)


def count_documents(
    corpus: Corpus,
    test: Corpus | None,
    splitting: Splitting,
    settings: dict[str, Any],
    n_jobs: int | None,
    progress: Progress,
) -> ComparisonDocuments:
    """Count all documents, and determine the training and test documents of each fold.

    Test documents are those in `test`, or else those that the publisher defines, unless `splitting` requests another
    split. Without any of these, `splitting` gives five folds. If both `test` and a split are given, raise `InputError`.
    """
    if test is not None and splitting.is_requested:
        name, value = splitting.first_option
        raise InputError(
            "test documents are given, so there is nothing to split", setting=name, value=value, hint="leave out one"
        )
    if test is not None:
        parts: tuple[Corpus, Corpus] | None = (corpus, test)
    else:
        parts = None if splitting.is_requested else corpus.split()  # the publisher's parts, if there are any
    whole_corpus = corpus if parts is None else _join(corpus.name, *parts)
    counted, form = _count(whole_corpus, settings, n_jobs, progress)
    with whole_corpus.naming():
        if parts is None:
            return ComparisonDocuments(corpus.name, counted, form, splitting.fold_masks(counted.targets), (corpus,))
        train_part, test_part = parts
        assert train_part.report is not None
        # In the joined corpus, the test documents come after the training documents.
        is_test = np.arange(counted.targets.n_documents) >= train_part.report.documents
        folds = single_split(is_test, counted.targets.usable, "own" if test is None else "given")
        _require_test_documents(folds.test[0], test_part.name)
    return ComparisonDocuments(corpus.name, counted, form, folds, parts)


def _require_test_documents(is_test: Bools, name: str) -> None:
    """Raise `InputError` if no document can be tested; `name` is that of the test documents."""
    if not is_test.any():
        raise InputError(
            "no document has a label, so there is nothing to test on",
            place=name,
            hint=("In a table, name the label column with ", Setting("label"), "."),
        )


# -- vectors -----------------------------------------------------------------------------------------------------


def _collect_vectors(
    corpus: Corpus,
    batches: Iterable[Batch],
    limits: Limits,
    *,
    multilabel: bool | None,
    most_values: int,
    progress: Progress,
) -> CountedDocuments:
    """Return the vectors of a corpus, given by all its batches, in one matrix, as if they were counted texts.

    More than `most_values` values raise `InputError`.
    """
    check_limits(**limits)
    blocks: list[tuple[int, Any]] = []
    labels: list[Labels] = []
    n_values = 0
    for batch in batches:
        if batch.vectors is None:
            raise InputError("holds vectors and texts", place=corpus.name, hint="give only vectors, or only texts")
        blocks.append((batch.first_column, batch.vectors))
        labels += batch.labels
        n_values += batch.vectors.nnz
        if n_values > most_values:
            raise too_many(corpus, most_values)
        progress("counting", len(labels), None)
    values = _as_numbers(_stack_aligned(blocks), corpus.name)
    multilabel = corpus.multilabel if multilabel is None else multilabel
    names = SpelledTerms(f"#{column}" for column in range(values.shape[1]))
    return CountedDocuments(values, names, Targets.of(labels, len(labels), bool(multilabel)), limits)


def _stack_aligned(blocks: list[tuple[int, Any]]) -> csr_matrix:
    """Stack blocks of rows; columns with the same number in different files become the same column.

    A block is the number of its first column, 0 or 1, and a CSR matrix. If the blocks differ in the first number, those
    that begin with column 1 are shifted by one column, because the result begins with column 0.
    """
    first = min(first_column for first_column, _ in blocks)
    n_columns = max(first_column - first + rows.shape[1] for first_column, rows in blocks)
    shifted = [
        csr_matrix((rows.data, rows.indices + (first_column - first), rows.indptr), shape=(rows.shape[0], n_columns))
        for first_column, rows in blocks
    ]
    matrix = csr_matrix(vstack(shifted, format="csr"))
    # In case a row has a column twice, or stores a 0:
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    return matrix


def _as_numbers(matrix: csr_matrix, name: str) -> csr_matrix:
    """Convert counts (nonnegative integers) to int32, and a matrix with any other value to float64.

    Raise `InputError` if there is no nonzero value, or if a value is not finite.
    """
    values = matrix.data
    if not len(values):
        raise InputError("all vectors are empty, so there is nothing to learn from", place=name, hint="give others")
    if not np.isfinite(values).all():
        raise InputError("a value is not a finite number", place=name, hint="leave it out")
    are_counts = values.min() >= 0 and values.max() <= np.iinfo(np.int32).max and (values == np.rint(values)).all()
    return matrix.astype(np.int32 if are_counts else np.float64)


def _refuse_text_settings(settings: Mapping[str, Any], corpus: str) -> None:
    """Raise `InputError` for settings that apply only to texts."""
    defaults = {name: COMPARISON_DEFAULTS.get(name, SETTINGS[name].default) for name in READING_SETTINGS}
    changed = [name for name in READING_SETTINGS if not _is_default(settings[name], defaults[name])]
    if changed:
        listed = [piece for name in changed for piece in (", ", Setting(name, settings[name]))]
        raise InputError(
            "holds vectors, not texts, and their columns are fixed",
            place=corpus,
            hint=("leave out ", *listed[1:]),  # without the first comma
        )


def _is_default(value: Any, default: Any) -> bool:
    """Return whether a setting has its default value; a list equals a tuple of the same elements."""
    if isinstance(value, list | tuple) and default:  # the default may be None, which is no tuple
        return tuple(value) == tuple(default)
    return bool(value == default)
