"""Weighting schemes: the names of tf, idf and norm together.

`weights` has the formulas. This module is separate because the help of the command line reads it without numpy.
"""

from typing import NamedTuple


class Scheme(NamedTuple):
    """The names of a term frequency, an inverse document frequency and a norm."""

    tf: str
    idf: str
    norm: str


COUNTS = Scheme("tf", "none", "none")
LTC = Scheme("log", "plain", "l2")
"""What Pons-Porrata et al. and Ko and Seo use."""
SMOOTH = Scheme("log", "smooth", "l2")
"""scikit-learn's `TfidfVectorizer(sublinear_tf=True)`."""
