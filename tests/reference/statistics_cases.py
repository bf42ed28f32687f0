"""Small models with statistics that documents can be added to."""

from __future__ import annotations

from pathlib import Path

from tests.reference.categorizer_cases import small_texts
from textsieve import Categorizer
from textsieve.modelfile.statsfile import encode

CASE = small_texts(n=90)
FIRST, MORE = (CASE.texts[:50], CASE.labels[:50]), (CASE.texts[50:], CASE.labels[50:])
WAYS = ["nb", "tcfp"]


def trained(classifier: str = "nb", n_terms: int = 8) -> Categorizer:
    """A model that keeps its statistics."""
    made = Categorizer(classifier=classifier, n_terms=n_terms, keep_stats=True, held_out=0.2, n_jobs=1)
    return made.fit(*FIRST)


TRAINED = {way: trained(way) for way in WAYS}


def whole(way: str) -> bytes:
    """The statistics of a model as their file has them."""
    statistics = TRAINED[way]._statistics_
    assert statistics is not None
    return encode(statistics, TRAINED[way].model_)


WHOLE = {way: whole(way) for way in WAYS}


def written(folder: Path, way: str = "nb") -> Path:
    """The file of a model, with its statistics beside it."""
    path = folder / "news.sieve"
    TRAINED[way].save(path)
    return path
