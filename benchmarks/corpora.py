"""Labelled documents for comparisons, one label each, in the order of their collections."""

from .newsgroups import LabelledTexts, labelled


def webkb() -> LabelledTexts:
    """The stemmed training pages of WebKB's four classes."""
    return labelled("webkb:stemmed:train")


def docstrings() -> LabelledTexts:
    """The embedded corpus."""
    return labelled("docstrings")
