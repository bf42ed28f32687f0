"""How counts are weighted, as one value: tf, idf and norm together (see `weights`)."""

from typing import NamedTuple


class Scheme(NamedTuple):
    """A row of choices."""

    tf: str
    idf: str
    norm: str


COUNTS = Scheme("tf", "none", "none")
LTC = Scheme("log", "plain", "l2")
"""What Pons-Porrata et al. and Ko and Seo use."""
SMOOTH = Scheme("log", "smooth", "l2")
"""scikit-learn's `TfidfVectorizer(sublinear_tf=True)`."""
