"""A slow, obvious twin of `Model`: plain loops over the words of one text and over Python floats."""

import math
from typing import Any, NamedTuple

from textsieve.prediction import Model

from .text_twins import terms_in


class Scored(NamedTuple):
    """The counts and weights of a text by column, and its score for each class."""

    counts: dict[int, int]
    weights: dict[int, float]
    scores: list[float]


def scored(model: Model, text: str) -> Scored:
    """Return the counts, weights and scores of a text; products are added in the order of the columns."""
    stop_words = () if isinstance(model.stop_words, str) else model.stop_words
    prepare = str.lower if model.lowercase else str
    terms = terms_in(text, ngram_range=model.ngram_range, stop_words=stop_words, prepare=prepare)
    counts = {column: terms.count(term) for column, term in enumerate(model.terms) if term in terms}
    weights = {column: _weight(model, column, count) for column, count in counts.items()}
    length = math.sqrt(sum(weight * weight for weight in weights.values()))
    if model.norm == "l2" and length > 0:
        weights = {column: weight / length for column, weight in weights.items()}
    outputs = [in_order(model, weights, output) for output in range(len(model.scorer.intercepts))]
    if len(outputs) == 1 and len(model.classes) == 2:
        outputs = [-outputs[0], outputs[0]]
    return Scored(counts, weights, outputs)


def in_order(model: Model, weights: dict[int, float], output: int) -> float:
    """Return the sum of the products, added one after the other, plus the intercept."""
    products = [weight * float(model.scorer.term_strengths()[column, output]) for column, weight in weights.items()]
    total = products[0] if products else None
    for product in products[1:]:
        assert total is not None
        total = total + product
    intercept = float(model.scorer.intercepts[output])
    return intercept if total is None else total + intercept


def predicted(model: Model, text: str) -> tuple[Any, ...]:
    """Return the predicted labels of a text."""
    _, weights, scores = scored(model, text)
    if not any(weights.values()):
        most_frequent = model.class_docs.index(max(model.class_docs))
        return (model.classes[most_frequent if model.fallback is None else model.fallback],)
    if not model.multilabel:
        return (model.classes[scores.index(max(scores))],)
    assert model.thresholds is not None
    limits = model.thresholds.tolist()
    return tuple(label for label, score, limit in zip(model.classes, scores, limits, strict=True) if score >= limit)


def _weight(model: Model, column: int, count: int) -> float:
    frequency = {"tf": float(count), "binary": 1.0, "log": 1.0 + math.log(count)}[model.tf]
    return frequency if model.idf is None else frequency * float(model.idf[column])
