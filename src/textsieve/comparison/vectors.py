"""Documents given as vectors: columns instead of terms, and numbers that are counts or weights.

Nonnegative integers are counts, and are weighted like the counts of texts. Other numbers are weights, which selectors
and classifiers use unchanged, unless another weighting is requested explicitly: `svm(norm=l2)`. (Rocchio compares by
cosine, so its vectors are scaled to length 1.)

Columns are named as by `textsieve terms`: #0, #1, ... Files that belong together may each count their columns from 0 or
from 1, depending on their content; the smaller number is used for all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from scipy.sparse import csr_matrix, vstack

from ..categorizer_settings import SETTINGS, Limits, Settings
from ..classifiers.rocchio import Rocchio
from ..corpus import Corpus, Labels
from ..errors import InputError, shown
from ..text.pruning import check_limits
from ..text.schemes import COUNTS
from ..text.weighter import LOGARITHMS
from ..training.counted_documents import CountedDocuments, Progress, too_many
from ..training.plan import TrainingPlan
from ..training.targets import Targets

Form = Literal["texts", "counts", "weights"]
"""The form of the documents."""

OF_TEXTS = (*("lowercase", "strip_accents", "stop_words", "ngram_range", "normalise", "language", "tags", "names"),)
"""Settings that apply only to texts."""


def count_vectors(
    corpus: Corpus,
    limits: Limits,
    *,
    multilabel: bool | None,
    most_values: int,
    progress: Progress,
) -> CountedDocuments:
    """Return the vectors of a corpus in the form of counted documents.

    More than `most_values` values raise `InputError`.
    """
    check_limits(**limits)
    parts: list[tuple[int, Any]] = []
    labels: list[Labels] = []
    n_values = 0
    for batch in corpus.batches():
        if batch.vectors is None:
            raise InputError(f"{corpus.name}: holds vectors and texts; give only vectors, or only texts.")
        parts.append((batch.first_column, batch.vectors))
        labels += batch.labels
        n_values += batch.vectors.nnz
        if n_values > most_values:
            raise too_many(corpus, most_values)
        progress("counting", len(labels), None)
    values = _numbers(_aligned(parts), corpus.name)
    multilabel = corpus.multilabel if multilabel is None else multilabel
    names = [f"#{column}" for column in range(values.shape[1])]
    return CountedDocuments(values, names, Targets.of(labels, len(labels), bool(multilabel)), limits)


def form_of(values: csr_matrix) -> Form:
    """Return whether vectors are "counts", which `count_vectors` has converted to integers, or "weights"."""
    return "counts" if values.dtype.kind == "i" else "weights"


def _aligned(parts: list[tuple[int, Any]]) -> csr_matrix:
    """Stack the parts, aligning columns of the same number."""
    first = min(first_column for first_column, _ in parts)
    n_columns = max(begin - first + rows.shape[1] for begin, rows in parts)
    shifted = [
        csr_matrix((rows.data, rows.indices + (begin - first), rows.indptr), shape=(rows.shape[0], n_columns))
        for begin, rows in parts
    ]
    matrix = csr_matrix(vstack(shifted, format="csr"))
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    return matrix


def _numbers(matrix: csr_matrix, name: str) -> csr_matrix:
    """Convert counts to integers and weights to floats; raise `InputError` for empty or non-finite values."""
    values = matrix.data
    if not len(values):
        raise InputError(f"{name}: all vectors are empty, so there is nothing to learn from; give others.")
    if not np.isfinite(values).all():
        raise InputError(f"{name}: a value is not a finite number; leave it out.")
    are_counts = values.min() >= 0 and values.max() <= np.iinfo(np.int32).max and (values == np.rint(values)).all()
    return matrix.astype(np.int32 if are_counts else np.float64)


def refuse_settings_of_texts(settings: Mapping[str, Any], name: str) -> None:
    """Raise `InputError` for settings that apply only to texts."""
    changed = [
        f"{setting}={shown(settings[setting])}"
        for setting in OF_TEXTS
        if not _is_usual(settings[setting], SETTINGS[setting].default)
    ]
    if changed:
        raise InputError(
            f"{name}: holds vectors, not texts, and their columns are settled; leave out {', '.join(changed)}."
        )


def _is_usual(value: Any, usual: Any) -> bool:
    return bool(tuple(value) == tuple(usual) if isinstance(value, list | tuple) and usual else value == usual)


def settled(settings: Settings, form: Form) -> Settings:
    """Return the settings of a `Categorizer` for documents of this form.

    Given weights stay unchanged unless another weighting is requested.
    """
    if form != "weights":
        return settings
    by_cosine = settings.classifier == "rocchio" or isinstance(settings.classifier, Rocchio)
    as_given = COUNTS._replace(norm="l2" if by_cosine else "none")._asdict()
    return replace(settings, **{name: value for name, value in as_given.items() if getattr(settings, name) is None})


def training_plan_of(settings: Settings, form: Form, n_jobs: int) -> TrainingPlan:
    """Return the training for the settings; selectors, too, use given weights unchanged."""
    training = TrainingPlan.of(settings, n_jobs)
    return replace(training, selection=COUNTS) if form == "weights" else training


def require_logarithms(values: csr_matrix, tf: str | None, variant: str) -> None:
    """Raise `InputError` if the term weighting takes logarithms of values that have none."""
    if tf not in LOGARITHMS:
        return
    least = float(values.data.min())
    if least < 0 or (tf == "loglog" and least < 1):
        raise InputError(
            f"classifiers: {variant}: {tf} takes logarithms, and the least value of the vectors is {least:g}; use "
            "tf=tf or tf=binary, or leave it out."
        )
