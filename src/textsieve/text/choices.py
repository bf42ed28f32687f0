"""What the settings for texts offer by name: analyzers and weighting schemes, with the default token pattern.

A weighting scheme is a combination of tf, idf and norm. `analysis` has the analyzers, and `weights` the formulas. This
module is separate because the help of the command line reads it without numpy.
"""

from typing import NamedTuple

ANALYZERS = {
    "word": "what the token pattern matches",
    "text": "words, symbols, and n-grams of scripts without spaces",
    "char": "n-grams of the characters of the whole text",
    "char_wb": "n-grams of the characters of each word, with a space before and after it",
}
"""The analyzers that are given by name, with a description of their terms."""

MAX_CHARACTERS = 100
"""The largest number of characters of an n-gram in a model; longer ones would make predictions slow."""

WORD_PATTERN = r"(?u)\b\w\w+\b"
"""The default token pattern, which is scikit-learn's: words of two or more letters, digits or underscores."""


class Scheme(NamedTuple):
    """The names of a term frequency, an inverse document frequency and a norm."""

    tf: str
    idf: str
    norm: str


COUNTS = Scheme("tf", "none", "none")
"""Plain counts."""

LTC = Scheme("log", "plain", "l2")
"""The weights of Pons-Porrata et al. and of Ko and Seo."""

SMOOTH = Scheme("log", "smooth", "l2")
"""The weights of scikit-learn's `TfidfVectorizer(sublinear_tf=True)`."""
