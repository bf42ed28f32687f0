"""Count the documents of a comparison once: training and test documents together, or vectors as they are.

The counts have a column for each term of any document. That leaks nothing: a fold uses the columns of the terms in its
own training documents, in alphabetical order, as if the others had never been counted.

The test documents are the publisher's test part, documents given for testing, or what `splits.py` determines.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import issparse

from ..arrays import Bools
from ..categorizer_settings import Limits
from ..corpus import Batch, Corpus, read
from ..corpus import Report as Noticed
from ..errors import InputError, shown
from ..settings import n_threads
from ..text.counter import TermCounter
from ..text.preparation import SETTINGS
from ..training.counted_documents import CountedDocuments, Progress, count_corpus
from .splits import Parts, Splitting, one_split
from .vectors import Form, count_vectors, form_of, refuse_settings_of_texts

MOST_VALUES = 1 << 26
"""Maximum number of counts kept in memory: eight bytes each, plus twelve for weights."""


def counted_once(
    corpus: Corpus, settings: dict[str, Any], n_jobs: int | None, tell: Progress
) -> tuple[CountedDocuments, Form]:
    """Count the texts or vectors of a corpus; the first batch shows which they are."""
    limits: Limits = {"min_df": settings["min_df"], "max_df": settings["max_df"]}
    options: Any = {"multilabel": settings["multilabel"], "most_values": MOST_VALUES, "progress": tell}
    batches = corpus.batches()
    first = next(batches)
    whole_corpus = _begun(corpus, first, batches)
    if first.vectors is None:
        names = ("lowercase", "strip_accents", "stop_words", "ngram_range", *SETTINGS)
        counter = TermCounter(**{name: settings[name] for name in names}, dtype=np.int32, n_jobs=n_threads(n_jobs))
        documents = count_corpus(whole_corpus, counter, limits, want_stats=False, whole=True, **options)
        assert isinstance(documents, CountedDocuments)
        return documents, "texts"
    refuse_settings_of_texts(settings, corpus.name)
    vectors = count_vectors(whole_corpus, limits, **options)
    return vectors, form_of(vectors.counts)


def _begun(corpus: Corpus, first: Batch, others: Iterator[Batch]) -> Corpus:
    """Return a corpus that continues a pass whose first batch was already read."""

    def start(report: Noticed) -> Iterator[Batch]:
        yield first
        yield from others
        if corpus.report is not None:
            report.several = corpus.report.several

    return Corpus(corpus.name, start, multilabel=corpus.multilabel)


def joined(name: str, train: Corpus, test: Corpus) -> Corpus:
    """Return a corpus of the training documents followed by the test documents."""

    def start(report: Noticed) -> Iterator[Batch]:
        for part in (train, test):
            yield from part.batches()
            if part.report is not None:
                report.several |= part.report.several
                report.replaced_bytes += part.report.replaced_bytes
                for kind, count in part.report.skipped.items():
                    report.skipped[kind] = report.skipped.get(kind, 0) + count

    declared = {train.multilabel, test.multilabel}
    return Corpus(name, start, multilabel=True if True in declared else None if None in declared else False)


@dataclass(frozen=True)
class ComparisonDocuments:
    """Counted documents, and which of them are used for training and testing in each fold."""

    name: str
    counted: CountedDocuments
    form: Form
    parts: Parts

    @property
    def trained(self) -> tuple[Bools, ...]:
        """Return the mask of training documents of each fold."""
        return self.parts.trained

    @property
    def tested(self) -> tuple[Bools, ...]:
        """Return the mask of test documents of each fold."""
        return self.parts.tested

    def name_of(self, fold: int) -> str:
        """Return the name of the training documents of a fold, for messages."""
        by = self.parts.about["by"]
        named = f"without fold {fold + 1}" if "folds" in by else f"split {fold + 1}"
        return f"{self.name}, {'the part to learn from' if by in ('own', 'given') else named}"

    def fingerprint(self) -> str:
        """Return a hash of the counts, the labels and the split.

        It changes with the documents and with how they are read.
        """
        counts, targets = self.counted.counts, self.counted.targets
        digest = hashlib.sha256()
        for numbers in (counts.indptr, counts.indices, counts.data, *targets.members):
            is_float = numbers.dtype.kind == "f"
            digest.update(np.asarray(numbers, np.float64 if is_float else np.int64).tobytes() + b"|")
        for words in (self.counted.terms, map(repr, targets.classes)):
            digest.update("\n".join(words).encode("utf-8", "surrogatepass") + b"|")
        for is_test, is_train in zip(self.tested, self.trained, strict=True):
            digest.update(np.packbits(is_test).tobytes() + np.packbits(is_train).tobytes())
        return digest.hexdigest()[:32]


def corpus_of(documents: Any, labels: Any, name: str) -> Corpus:
    """Return a corpus from a corpus, from a path or name that `read` accepts, or from texts or vectors with labels."""
    if isinstance(documents, Corpus):
        if labels is not None:
            raise InputError("A corpus brings its own labels; leave labels out.")
        return documents
    if labels is None:
        if isinstance(documents, tuple) and len(documents) == 2:
            return corpus_of(*documents, name)
        if isinstance(documents, str) or hasattr(documents, "__fspath__"):
            return read(documents)
        raise InputError(f"{name}: there are no labels; give a corpus, the name of one, or texts and labels.")
    if issparse(documents) or (isinstance(documents, np.ndarray) and documents.ndim == 2):
        return Corpus.from_vectors(documents, labels, name="vectors" if name == "texts" else name)
    return Corpus.from_texts(documents, labels, name=name)


def count_documents(
    corpus: Corpus,
    test: Corpus | None,
    splitting: Splitting,
    settings: dict[str, Any],
    n_jobs: int | None,
    tell: Progress,
) -> ComparisonDocuments:
    """Count all documents, and determine which are tested."""
    if test is not None and splitting.is_asked_for:
        raise InputError(
            f"{_named(splitting)}: documents to test on are given, so there is nothing to split; leave out one."
        )
    parts = (corpus, test) if test is not None else None if splitting.is_asked_for else corpus.split()
    whole = corpus if parts is None else joined(corpus.name, *parts)
    counted, form = counted_once(whole, settings, n_jobs, tell)
    with whole.naming():
        if parts is None:
            return ComparisonDocuments(corpus.name, counted, form, splitting.parts(counted.targets))
        assert parts[0].report is not None
        is_test = np.arange(counted.targets.n_documents) >= parts[0].report.documents
        split = one_split(is_test, counted.targets.usable, "own" if test is None else "given")
        _require_tested(split.tested[0], parts[1].name)
    return ComparisonDocuments(corpus.name, counted, form, split)


def _named(splitting: Splitting) -> str:
    """Return the first option of the splitting that was given, as text."""
    return next(f"{name}={shown(value)}" for name, value in vars(splitting).items() if value is not None)


def _require_tested(is_test: Bools, name: str) -> None:
    if not is_test.any():
        raise InputError(
            f"{name}: no document has a label, so there is nothing to test on. In a table, name the column of the "
            "labels with label=."
        )
