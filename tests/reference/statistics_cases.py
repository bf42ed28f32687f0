"""Small models with statistics that documents can be added to."""

from __future__ import annotations

from pathlib import Path

from tests.reference.categorizer_cases import plain_categorizer, small_texts
from textsieve import Categorizer
from textsieve.modelfile.writing import encode

CASE = small_texts(n=90)
FIRST, MORE = (CASE.texts[:50], CASE.labels[:50]), (CASE.texts[50:], CASE.labels[50:])
CLASSIFIERS = ["nb", "tcfp"]
"""A classifier with each kind of statistics."""


def trained(classifier: str = "nb", n_terms: int = 8) -> Categorizer:
    """Return a model that keeps its statistics."""
    made = plain_categorizer(classifier=classifier, n_terms=n_terms, keep_stats=True, held_out=0.2, n_jobs=1)
    return made.fit(*FIRST)


TRAINED = {classifier: trained(classifier) for classifier in CLASSIFIERS}


def whole_file(model: Categorizer) -> bytes:
    """Return a model and its statistics as their file has them."""
    assert model._statistics_ is not None
    return encode(model.model_, model._statistics_)


WHOLE = {classifier: whole_file(model) for classifier, model in TRAINED.items()}


def written(folder: Path, classifier: str = "nb") -> Path:
    """Write a model with its statistics, and return its path."""
    path = folder / "news.sieve"
    TRAINED[classifier].save(path)
    return path
