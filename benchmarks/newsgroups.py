"""Named corpora as lists of texts, and 20 Newsgroups by date, which most benchmarks use."""

from collections.abc import Sequence
from functools import cache

import numpy as np

import textsieve

LabelledTexts = tuple[list[str], list[str]]


def labelled(name: str) -> LabelledTexts:
    """Return the texts of a single-label corpus, and the label of each."""
    documents = list(textsieve.read(name))
    return [text for text, _ in documents], [label for _, (label,) in documents]


@cache
def newsgroups(part: str = "train") -> LabelledTexts:
    """Return the texts of the training or test part, and their groups."""
    return labelled(f"newsgroups:{part}")


def shuffled(texts: Sequence[str], labels: Sequence[str]) -> LabelledTexts:
    """Return the documents in random order.

    fastText reads its training documents in the order of the file. If they are sorted by class, as in 20 Newsgroups, it
    learns little but the last classes.
    """
    order = np.random.default_rng(0).permutation(len(texts)).tolist()
    return [texts[place] for place in order], [labels[place] for place in order]
