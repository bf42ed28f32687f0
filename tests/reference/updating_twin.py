"""The slow twin of an update: it trains on all documents at once, with the terms and the idf of the model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from textsieve import Categorizer, TermCounter
from textsieve.prediction import Model
from textsieve.training.counted_documents import as_matrix, weigh_counts
from textsieve.training.plan import TrainingPlan
from textsieve.training.targets import Targets


class Learned(NamedTuple):
    """The parts of a model that an update changes."""

    scorer: bytes
    class_docs: tuple[int, ...]
    fallback: int
    n_documents: int
    n_unlabelled: int


def scorer_bytes(scorer: Any) -> bytes:
    """Return the names, shapes and bytes of all arrays of a scorer."""
    arrays = scorer.stored_arrays()
    return b"".join(
        name.encode() + str(arrays[name].shape).encode() + arrays[name].tobytes() for name in sorted(arrays)
    )


def learned_by(model: Any) -> Learned:
    """Return the parts of a model that an update changes."""
    about = model.about
    return Learned(
        *(scorer_bytes(model.scorer), model.class_docs, model.fallback_class),
        *(about["n_documents"], about["n_unlabelled"]),
    )


def targets_of(label_sets: Sequence[tuple[Any, ...]], model: Model) -> Targets:
    """Return the labels of documents as classes of a model."""
    members = tuple(
        np.array([document for document, labels in enumerate(label_sets) if label in labels], np.int64)
        for label in model.classes
    )
    return Targets(
        model.classes, members, len(label_sets), multilabel=model.multilabel, has_label_matrix=model.has_label_matrix
    )


def learned_at_once(categorizer: Categorizer, texts: Sequence[str], label_sets: Sequence[tuple[Any, ...]]) -> Learned:
    """Return what a model must learn from all documents: count its terms, weigh them with its idf, and train."""
    model, settings = categorizer.model_, categorizer.settings()
    counter = TermCounter(vocabulary=list(model.terms), ngram_range=model.ngram_range, n_jobs=1)
    counts = csr_matrix(counter.transform(texts))
    training = TrainingPlan.of(settings, 1)
    weights = weigh_counts(counts, training.scheme, np.ones(len(model.terms)) if model.idf is None else model.idf)
    targets = targets_of(label_sets, model)
    scorer = training.fit_weights(as_matrix(weights, training.dtype), targets)
    docs = [sum(label in labels for labels in label_sets) for label in model.classes]
    rows = [{term: weight for term, weight in enumerate(row) if weight} for row in weights.matrix().toarray().tolist()]
    without = [
        sum(label in labels and not row for labels, row in zip(label_sets, rows, strict=True))
        for label in model.classes
    ]
    fallback = max(range(len(docs)), key=lambda number: (without[number], docs[number], -number))
    n_unlabelled = 0 if model.has_label_matrix else sum(not labels for labels in label_sets)
    return Learned(scorer_bytes(scorer), tuple(docs), fallback, len(texts), n_unlabelled)
