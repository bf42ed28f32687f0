"""The documents of a comparison, counted once: those to learn from and those to test on, together.

Counts of all of them have a column for each term of any of them. That gives nothing away: a fold takes the columns of
the terms that its own documents have, in the order of the alphabet, as if the others had never been counted.

What is tested: the part that the publisher cut off for it, or documents given for it, or each fold in turn. Folds are
taken class by class, every n-th document, so that the same documents always fall together; documents without a label
are never tested, and are there to learn from.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..corpus import Batch, Corpus, read
from ..corpus import Report as Noticed
from ..errors import InputError, shown
from ..evaluation import folds as folds_of
from ..settings import is_whole, n_threads
from ..text.counter import TermCounter
from ..text.preparation import SETTINGS
from ..training.documents import Counted, Limits, Progress, count_corpus

Bools = NDArray[np.bool_]

MOST_VALUES = 1 << 26
"""How many counts are kept in memory, for all folds to take theirs from: eight bytes each."""
USUAL_FOLDS = 5


@dataclass(frozen=True)
class Documents:
    """Documents of which some are tested, once or in turn."""

    name: str
    counted: Counted
    tested: tuple[Bools, ...]
    """For each fold, which documents are tested; all others that are there to learn from are learned from."""
    trained: tuple[Bools, ...]
    split: str
    """How that was settled: "own", "given" or "folds"."""

    def fingerprint(self) -> str:
        """Of the counts, the labels and who is tested: other documents, or the same read otherwise, have another."""
        counts, targets = self.counted.counts, self.counted.targets
        found = hashlib.sha256()
        for numbers in (counts.indptr, counts.indices, counts.data, *targets.members):
            found.update(np.asarray(numbers, np.int64).tobytes() + b"|")
        for words in (self.counted.terms, map(repr, targets.classes)):
            found.update("\n".join(words).encode("utf-8", "surrogatepass") + b"|")
        for is_test, is_train in zip(self.tested, self.trained, strict=True):
            found.update(np.packbits(is_test).tobytes() + np.packbits(is_train).tobytes())
        return found.hexdigest()[:32]


def corpus_of(documents: Any, labels: Any, name: str) -> Corpus:
    """A corpus, what `read` makes of a path or a name, or texts and labels."""
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
    return Corpus.from_texts(documents, labels, name=name)


def count_documents(
    corpus: Corpus, test: Corpus | None, folds: int | None, settings: dict[str, Any], n_jobs: int | None, tell: Progress
) -> Documents:
    """Count all documents, and settle which are tested."""
    _check_folds(folds, test)
    parts = (corpus, test) if test is not None else corpus.split() if folds is None else None
    whole = corpus if parts is None else _joined(corpus.name, *parts)
    counted = _counted(whole, settings, n_jobs, tell)
    with whole.naming():
        if parts is None:
            tested = _folds(counted, folds or USUAL_FOLDS)
            trained = tuple(~is_test for is_test in tested)
        else:
            assert parts[0].report is not None
            is_test = np.arange(counted.targets.n_documents) >= parts[0].report.documents
            trained, tested = (~is_test,), (is_test & counted.targets.usable,)
            _require_tested(tested[0], parts[1].name)
    split = "folds" if parts is None else "own" if test is None else "given"
    return Documents(corpus.name, counted, tested, trained, split)


def _counted(corpus: Corpus, settings: dict[str, Any], n_jobs: int | None, tell: Progress) -> Counted:
    names = ("lowercase", "strip_accents", "stop_words", "ngram_range", *SETTINGS)
    counter = TermCounter(**{name: settings[name] for name in names}, dtype=np.int32, n_jobs=n_threads(n_jobs))
    limits: Limits = {"min_df": settings["min_df"], "max_df": settings["max_df"]}
    found = count_corpus(
        *(corpus, counter, limits),
        multilabel=settings["multilabel"],
        want_stats=False,
        progress=tell,
        most_values=MOST_VALUES,
    )
    if not isinstance(found, Counted):
        raise InputError(
            f"{corpus.name}: has more than {MOST_VALUES:,} counts, and a comparison keeps all of them in memory; "
            "give a part of the documents."
        )
    return found


def _joined(name: str, train: Corpus, test: Corpus) -> Corpus:
    """The documents of both, one after the other."""

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


def _check_folds(folds: int | None, test: Corpus | None) -> None:
    if folds is None:
        return
    if not (is_whole(folds) and folds >= 2):
        raise InputError(f"folds={shown(folds)}; use a number from 2, or leave it out for the corpus's own split.")
    if test is not None:
        raise InputError(f"folds={folds}: documents to test on are given, so there is nothing to fold; leave out one.")


def _folds(counted: Counted, n_folds: int) -> tuple[Bools, ...]:
    targets = counted.targets
    labelled = np.flatnonzero(targets.usable)
    if len(labelled) < n_folds:
        raise InputError(
            f"{len(labelled):,} documents with a label are too few for {n_folds} folds; give more documents, or "
            "fewer folds."
        )
    fold_of = np.full(targets.n_documents, -1, np.int64)
    fold_of[labelled] = folds_of(targets.first[labelled].tolist(), n_folds)
    return tuple(fold_of == fold for fold in range(n_folds))


def _require_tested(is_test: Bools, name: str) -> None:
    if not is_test.any():
        raise InputError(
            f"{name}: no document has a label, so there is nothing to test on. In a table, name the column of the "
            "labels with label=."
        )
