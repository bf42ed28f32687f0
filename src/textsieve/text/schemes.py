"""Weighting schemes: named combinations of tf, idf and norm.

`weights` has the formulas. This module is separate because the help of the command line reads it without numpy.
"""

from typing import NamedTuple


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
