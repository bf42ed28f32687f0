"""The documents of a comparison, counted once: those to learn from and those to test on, together.

Counts of all of them have a column for each term of any of them. That gives nothing away: a fold takes the columns of
the terms that its own documents have, in the order of the alphabet, as if the others had never been counted.

What is tested: the part that the publisher cut off for it, or documents given for it, or what `splits.py` says.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import issparse

from ..corpus import Corpus, read
from ..errors import InputError, shown
from ..training.documents import Counted, Progress
from .counting import counted_once, joined
from .splits import Bools, Parts, Splitting, one_split
from .vectors import Form


@dataclass(frozen=True)
class Documents:
    """Documents of which some are tested, once or in turn."""

    name: str
    counted: Counted
    form: Form
    parts: Parts

    @property
    def trained(self) -> tuple[Bools, ...]:
        """For each fold, which documents are learned from."""
        return self.parts.trained

    @property
    def tested(self) -> tuple[Bools, ...]:
        """For each fold, which documents are tested."""
        return self.parts.tested

    def name_of(self, fold: int) -> str:
        """What is learned from in a fold, for messages."""
        by = self.parts.about["by"]
        named = f"without fold {fold + 1}" if "folds" in by else f"split {fold + 1}"
        return f"{self.name}, {'the part to learn from' if by in ('own', 'given') else named}"

    def fingerprint(self) -> str:
        """Of the counts, the labels and who is tested: other documents, or the same read otherwise, have another."""
        counts, targets = self.counted.counts, self.counted.targets
        found = hashlib.sha256()
        for numbers in (counts.indptr, counts.indices, counts.data, *targets.members):
            is_float = numbers.dtype.kind == "f"
            found.update(np.asarray(numbers, np.float64 if is_float else np.int64).tobytes() + b"|")
        for words in (self.counted.terms, map(repr, targets.classes)):
            found.update("\n".join(words).encode("utf-8", "surrogatepass") + b"|")
        for is_test, is_train in zip(self.tested, self.trained, strict=True):
            found.update(np.packbits(is_test).tobytes() + np.packbits(is_train).tobytes())
        return found.hexdigest()[:32]


def corpus_of(documents: Any, labels: Any, name: str) -> Corpus:
    """A corpus, what `read` makes of a path or a name, or texts or vectors and labels."""
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
) -> Documents:
    """Count all documents, and settle which are tested."""
    if test is not None and splitting.is_asked_for:
        raise InputError(
            f"{_named(splitting)}: documents to test on are given, so there is nothing to split; leave out one."
        )
    parts = (corpus, test) if test is not None else None if splitting.is_asked_for else corpus.split()
    whole = corpus if parts is None else joined(corpus.name, *parts)
    counted, form = counted_once(whole, settings, n_jobs, tell)
    with whole.naming():
        if parts is None:
            return Documents(corpus.name, counted, form, splitting.parts(counted.targets))
        assert parts[0].report is not None
        is_test = np.arange(counted.targets.n_documents) >= parts[0].report.documents
        settled = one_split(is_test, counted.targets.usable, "own" if test is None else "given")
        _require_tested(settled.tested[0], parts[1].name)
    return Documents(corpus.name, counted, form, settled)


def _named(splitting: Splitting) -> str:
    """What was asked for first."""
    return next(f"{name}={shown(value)}" for name, value in vars(splitting).items() if value is not None)


def _require_tested(is_test: Bools, name: str) -> None:
    if not is_test.any():
        raise InputError(
            f"{name}: no document has a label, so there is nothing to test on. In a table, name the column of the "
            "labels with label=."
        )
