"""Texts to counts, or vectors as they are: once, and all in memory, for all folds to take theirs from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..corpus import Batch, Corpus
from ..corpus import Report as Noticed
from ..settings import n_threads
from ..text.counter import TermCounter
from ..text.preparation import SETTINGS
from ..training.documents import Counted, Limits, Progress, count_corpus
from .vectors import Form, count_vectors, form_of, refuse_settings_of_texts

MOST_VALUES = 1 << 26
"""How many counts are kept in memory: eight bytes each, and twelve of weights."""


def counted_once(corpus: Corpus, settings: dict[str, Any], n_jobs: int | None, tell: Progress) -> tuple[Counted, Form]:
    """Count texts or vectors, whichever there are; the first batch tells."""
    limits: Limits = {"min_df": settings["min_df"], "max_df": settings["max_df"]}
    asked: Any = {"multilabel": settings["multilabel"], "most_values": MOST_VALUES, "progress": tell}
    batches = corpus.batches()
    first = next(batches)
    begun = _begun(corpus, first, batches)
    if first.vectors is None:
        names = ("lowercase", "strip_accents", "stop_words", "ngram_range", *SETTINGS)
        counter = TermCounter(**{name: settings[name] for name in names}, dtype=np.int32, n_jobs=n_threads(n_jobs))
        found = count_corpus(begun, counter, limits, want_stats=False, whole=True, **asked)
        assert isinstance(found, Counted)
        return found, "texts"
    refuse_settings_of_texts(settings, corpus.name)
    vectors = count_vectors(begun, limits, **asked)
    return vectors, form_of(vectors.counts)


def _begun(corpus: Corpus, first: Batch, others: Iterator[Batch]) -> Corpus:
    """What goes on with a pass that has begun."""

    def start(report: Noticed) -> Iterator[Batch]:
        yield first
        yield from others
        if corpus.report is not None:
            report.several = corpus.report.several

    return Corpus(corpus.name, start, multilabel=corpus.multilabel)


def joined(name: str, train: Corpus, test: Corpus) -> Corpus:
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
