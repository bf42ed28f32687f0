"""Named corpora as lists of texts, and 20 Newsgroups by date, which most benchmarks use."""

from functools import cache

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
