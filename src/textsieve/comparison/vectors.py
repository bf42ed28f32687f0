"""Documents that come as vectors: columns instead of terms, and numbers that may be counts or weights.

Whole numbers that are nowhere negative are counts, and are weighed as the counts of texts are. Other numbers are
weights that somebody has settled already. They are taken as they are, by selectors and classifiers alike, but for what
is asked for in so many words: `svm(norm=l2)`. (Rocchio compares by the cosine, and gets them of length 1.)

A column is called as `textsieve terms` calls it: #0, #1, ... Files that belong together may count their columns from 0
or from 1, each by what is in it; the smaller of the two holds for all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from scipy.sparse import csr_matrix, vstack

from ..categorizer import Categorizer
from ..classifiers.rocchio import Rocchio
from ..corpus import Corpus, Labels
from ..errors import InputError, shown
from ..text.pruning import check_limits
from ..text.schemes import COUNTS
from ..text.weighter import LOGARITHMS
from ..training.documents import Counted, Limits, Progress, too_many
from ..training.recipe import Recipe
from ..training.targets import Targets

Form = Literal["texts", "counts", "weights"]
"""What documents are."""

OF_TEXTS = (*("lowercase", "strip_accents", "stop_words", "ngram_range", "normalise", "language", "tags", "names"),)
"""Settings that vectors have no use for."""


def count_vectors(
    corpus: Corpus,
    limits: Limits,
    *,
    multilabel: bool | None,
    most_values: int,
    progress: Progress,
) -> Counted:
    """The vectors of a corpus, as if they had been counted; more values than that are refused."""
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
    several = corpus.multilabel if multilabel is None else multilabel
    names = [f"#{column}" for column in range(values.shape[1])]
    return Counted(values, names, Targets.of(labels, len(labels), bool(several)), limits)


def form_of(values: csr_matrix) -> Form:
    """Whether the numbers of vectors are counts, which `count_vectors` has made whole numbers."""
    return "counts" if values.dtype.kind == "i" else "weights"


def _aligned(parts: list[tuple[int, Any]]) -> csr_matrix:
    """One below the other, each column below that of the same number."""
    first = min(each for each, _ in parts)
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
    """As whole numbers if they are counts, and else as floats."""
    values = matrix.data
    if not len(values):
        raise InputError(f"{name}: all vectors are empty, so there is nothing to learn from; give others.")
    if not np.isfinite(values).all():
        raise InputError(f"{name}: a value is not a finite number; leave it out.")
    are_counts = values.min() >= 0 and values.max() <= np.iinfo(np.int32).max and (values == np.rint(values)).all()
    return matrix.astype(np.int32 if are_counts else np.float64)


def refuse_settings_of_texts(settings: Mapping[str, Any], name: str) -> None:
    """Stop if something is asked for that is done with texts alone."""
    usual = Categorizer().get_params(deep=False)
    asked = [f"{each}={shown(settings[each])}" for each in OF_TEXTS if not _is_usual(settings[each], usual[each])]
    if asked:
        raise InputError(
            f"{name}: holds vectors, not texts, and their columns are settled; leave out {', '.join(asked)}."
        )


def _is_usual(value: Any, usual: Any) -> bool:
    return bool(tuple(value) == tuple(usual) if isinstance(value, list | tuple) and usual else value == usual)


def settled(settings: Mapping[str, Any], form: Form) -> dict[str, Any]:
    """The settings of a `Categorizer` in which given weights stay as they are, unless others were asked for."""
    if form != "weights":
        return dict(settings)
    by_cosine = settings["classifier"] == "rocchio" or isinstance(settings["classifier"], Rocchio)
    as_given = COUNTS._replace(norm="l2" if by_cosine else "none")._asdict()
    return {**settings, **{name: value for name, value in as_given.items() if settings[name] is None}}


def recipe_of(settings: Mapping[str, Any], form: Form, n_jobs: int) -> Recipe:
    """What is done with documents; a selector, too, gets given weights as they are."""
    recipe = Recipe.of(settings, n_jobs)
    return replace(recipe, selection=COUNTS) if form == "weights" else recipe


def require_logarithms(values: csr_matrix, tf: str | None, variant: str) -> None:
    """Refuse logarithms of numbers that have none."""
    if tf not in LOGARITHMS:
        return
    least = float(values.data.min())
    if least < 0 or (tf == "loglog" and least < 1):
        raise InputError(
            f"classifiers: {variant}: {tf} takes logarithms, and the least value of the vectors is {least:g}; use "
            "tf=tf or tf=binary, or leave it out."
        )
