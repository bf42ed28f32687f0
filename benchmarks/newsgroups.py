"""Named corpora as texts in memory, and 20 Newsgroups by date, which most comparisons are on."""

from functools import cache

import textsieve

LabelledTexts = tuple[list[str], list[str]]


def labelled(name: str) -> LabelledTexts:
    """The texts of a corpus, and the label of each."""
    documents = list(textsieve.read(name))
    return [text for text, _ in documents], [label for _, (label,) in documents]


@cache
def newsgroups(part: str = "train") -> LabelledTexts:
    """The texts of a part, and their groups."""
    return labelled(f"newsgroups:{part}")
