"""The documents of a comparison: counted once, training and test documents together, and divided into folds.

The matrix of counts has a column for every term that occurs in any document, including test documents. That leaks
nothing from test documents into training: a fold uses only the columns of the terms in its own training documents, in
alphabetical order, as if the other terms had never been counted.

The test documents are those that the caller gives for testing, the test part that the publisher of the corpus defines,
or those that `splits.py` draws from all documents.

Documents may also be vectors. Vectors of nonnegative integers are counts, and are weighted like the counts of texts.
Vectors with any other number are weights, which selectors and classifiers use unchanged unless another weighting is
requested (`plan.py`). Columns are named #0, #1, ..., as by `textsieve terms`. Some file formats number columns from 0,
others from 1, and the corpus reader detects this for each file. If the files of a corpus differ, `_stack_aligned` lines
up their columns.
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
from ..text.vocabulary import SpelledTerms, check_limits
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
"""The values that settings with the default "auto" have in a comparison. They are those of the literature, so that
results can be compared with published ones: terms are words, and all documents count the same.
"""

MAX_VALUES = 1 << 26
"""Maximum number of nonzero counts, which are all in memory: eight bytes each, and twelve more if they are weighted."""


def _count(
    corpus: Corpus, settings: dict[str, Any], n_jobs: int | None, progress: Progress
) -> tuple[CountedDocuments, Form]:
    """Return the counted documents of a corpus and their form.

    If the first batch has no vectors, all documents are texts.
    """
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
        """Yield the batches of both parts, and add up in `report` what the parts report about their reading."""
        for part in (train, test):
            yield from part.batches()
            if part.report is not None:
                report.multilabel |= part.report.multilabel
                report.replaced_bytes += part.report.replaced_bytes
                for kind, count in part.report.skipped.items():
                    report.skipped[kind] = report.skipped.get(kind, 0) + count

    declared = {train.multilabel, test.multilabel}
    multilabel: bool | None
    if True in declared:
        multilabel = True
    elif None in declared:  # one part does not say whether it is multilabel
        multilabel = None
    else:
        multilabel = False
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
        """Return the name of the training documents of a fold, for messages: "news, without fold 2"."""
        by = self.folds.about["by"]  # a key of `SPLITS`, such as "own" or "shuffled folds"
        fold_name = f"without fold {fold + 1}" if "folds" in by else f"split {fold + 1}"
        return f"{self.name}, {'the training part' if by in ('own', 'given') else fold_name}"

    def fingerprint(self) -> str:
        """Return a hash of the counts, the terms, the labels and the split.

        A run resumes stored results only if their fingerprint is the same. It changes if the documents change, or how
        they are read or split.
        """
        counts, targets = self.counted.counts, self.counted.targets
        digest = hashlib.sha256()
        for numbers in (counts.indptr, counts.indices, counts.data, *targets.members):
            # scipy may store the same integers as int32 or as int64; with a fixed type, equal counts hash equally.
            fixed_type = np.float64 if numbers.dtype.kind == "f" else np.int64
            digest.update(np.asarray(numbers, fixed_type).tobytes() + b"|")
        for words in (self.counted.terms, map(repr, targets.classes)):
            digest.update("\n".join(words).encode("utf-8", "surrogatepass") + b"|")
        for is_test, is_train in zip(self.folds.test, self.folds.train, strict=True):
            digest.update(np.packbits(is_test).tobytes() + np.packbits(is_train).tobytes())
        return digest.hexdigest()[:32]


def corpus_of(documents: Any, labels: Any, name: str) -> Corpus:
    """Return the corpus that a caller of `compare` gave in one of several forms.

    `documents` may be a corpus, a path or name that `read` accepts, texts or vectors whose labels are in `labels`, or a
    pair: texts or vectors, and their labels. Messages call texts and vectors by `name`, which is "texts" or "test".
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
        return Corpus.from_vectors(documents, labels, name="vectors" if name == "texts" else name)
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

    The test documents are those in `test`; without `test`, those of the split that `splitting` requests; without such a
    request, the publisher's test part; and if the corpus has no test part, those of five folds. Giving both `test` and
    a split raises `InputError`.
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
    """Return the vectors of all batches of a corpus in one matrix, as if they were counted texts.

    More than `most_values` nonzero values raise `InputError`.
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
    """Stack the rows of all blocks; columns with the same number in different files become the same column.

    A block is the number that its file gives to the first column, 0 or 1, and a CSR matrix. For example, if one file
    numbers its columns from 0 and another from 1, column 1 is `indices` 1 in the first and `indices` 0 in the second.
    So the columns of the second are shifted by one. If all files begin with the same number, nothing is shifted.
    """
    least_number = min(first_number for first_number, _ in blocks)
    shifts = [first_number - least_number for first_number, _ in blocks]
    matrices = [matrix for _, matrix in blocks]
    n_columns = max(shift + matrix.shape[1] for shift, matrix in zip(shifts, matrices, strict=True))
    shifted = [
        csr_matrix((matrix.data, matrix.indices + shift, matrix.indptr), shape=(matrix.shape[0], n_columns))
        for shift, matrix in zip(shifts, matrices, strict=True)
    ]
    stacked = csr_matrix(vstack(shifted, format="csr"))
    # A file may have a column twice in a row, or store a 0.
    stacked.sum_duplicates()
    stacked.eliminate_zeros()
    return stacked


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
