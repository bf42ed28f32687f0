"""Turn labelled texts as a package has them into a corpus: no repeated texts, no contradictions, no small classes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

SMALLEST_CLASS = 20
"""The least number of texts of a class, so that each of five folds has a few."""

SingleLabel = tuple[list[str], list[str]]
"""Texts and the label of each."""

Multilabel = tuple[list[str], list[tuple[str, ...]]]
"""Texts and the sorted labels of each."""


def normalize_space(text: str) -> str:
    """Return a text with single spaces between words, and none at its ends."""
    return " ".join(text.split())


def clean(pairs: Iterable[tuple[str, str]]) -> SingleLabel:
    """Return the distinct texts of pairs of text and label, in the order of their first occurrence.

    Three kinds of texts are left out: those that are empty or have an empty label, those that occur with two labels,
    and those of classes with fewer than `SMALLEST_CLASS` distinct texts.
    """
    labels_by_text: dict[str, set[str]] = {}
    for text, label in pairs:
        text = normalize_space(text)
        if text and label:
            labels_by_text.setdefault(text, set()).add(label)
    label_by_text = {text: labels.pop() for text, labels in labels_by_text.items() if len(labels) == 1}
    sizes = Counter(label_by_text.values())
    documents = [(text, label) for text, label in label_by_text.items() if sizes[label] >= SMALLEST_CLASS]
    return [text for text, _ in documents], [label for _, label in documents]


def clean_multilabel(pairs: Iterable[tuple[str, Iterable[str]]]) -> Multilabel:
    """Return the distinct texts of pairs of text and labels; a repeated text has the labels of all its occurrences.

    Labels with fewer than `SMALLEST_CLASS` distinct texts are left out, and then texts without a label.
    """
    labels_by_text: dict[str, set[str]] = {}
    for text, labels in pairs:
        text = normalize_space(text)
        if text:
            labels_by_text.setdefault(text, set()).update(labels)
    sizes = Counter(label for labels in labels_by_text.values() for label in labels)
    documents = [
        (text, tuple(sorted(label for label in labels if sizes[label] >= SMALLEST_CLASS)))
        for text, labels in labels_by_text.items()
    ]
    documents = [(text, labels) for text, labels in documents if labels]
    return [text for text, _ in documents], [labels for _, labels in documents]
