"""Collections of paper 002, and how its sentences are read.

One reading needs a derivation. In the example on Iris that the same authors work in paper 000, n_j/n is left out of
S_b: it is Σ_j (m_j - m)², which for c classes of one size is c times what it should be. If TOFA was made so, too, its
score at λ was

    λ c S_b + (1 - λ) C,        which ranks as        w S_b + (1 - w) C        with        w = λ c / (λ c + 1 - λ).

So what the paper calls λ = 2 is w = 1.03 for 20 classes. Classes of uneven size count alike then, as with
`class_weight="balanced"`.
"""

from __future__ import annotations

from dataclasses import dataclass

from .conditions import Condition
from .documents import Collection
from .quality import Quality

WEIGHTS = "tf=tf,idf=plain,norm=l2"
"""The paper's TFIDF, as far as it says."""
SVM = f"svm(C=1,{WEIGHTS})"
IG = "ig"
GRID = tuple(number / 10 for number in range(21))
"""λ from 0 to 2."""
TERMS_OF_TABLE = 100
LEFT_OUT = ", n_j/n left out"


@dataclass(frozen=True)
class Reading:
    """Documents, and how the paper is read."""

    collection: Collection
    weights: str = WEIGHTS
    """Those that the selector looks at."""
    n_classes: int | None = None
    """If it is given, n_j/n is left out."""
    svm: str = SVM

    def selector(self, weight: float) -> str:
        """TOFA at a λ of the paper."""
        if self.n_classes is None:
            return f"tofa(weight={weight:g},{self.weights})"
        between = self.n_classes * weight
        return f"tofa(weight={between / (between + 1 - weight):.9g},class_weight=balanced,{self.weights})"

    def of(self, selector: str, n_terms: int | str = TERMS_OF_TABLE) -> Quality:
        """Micro-F1 of a selector."""
        return Quality(self.collection, selector, n_terms, self.svm)

    def at(self, weight: float, n_terms: int | str = TERMS_OF_TABLE) -> Quality:
        """Micro-F1 at a λ."""
        return self.of(self.selector(weight), n_terms)

    @property
    def over_all_weights(self) -> tuple[Quality, ...]:
        """Micro-F1 at all λ."""
        return tuple(map(self.at, GRID))


NEWSGROUPS = Reading(Collection("newsgroups"))
COMP = Reading(Collection("newsgroups:comp"))
RCV1_SUBSETS = tuple(Collection(f"rcv1:subset{number}:top", labels="first label", folds=5) for number in range(1, 6))
RCV1 = Reading(RCV1_SUBSETS[0])
ODP = Reading(Collection("odp:sample", folds=5))
STEMS = (("stop_words", "english"), ("normalise", "stem"))
REUTERS = Collection("reuters", STEMS, labels="four largest")
"""Stories of the same agency as RCV1's, with all their words."""

CORPORA = {"20NG": NEWSGROUPS, "RCV1": RCV1, "ODP": ODP}
N_CLASSES = {"20NG": 20, "RCV1": 4, "ODP": 15}
ONLY_A_PART = "RCV1: MULAN's first subset, 6,000 stories and 944 terms. ODP: a sample of 2,398 pages."
ONLY_A_SUBSET = "RCV1: MULAN's first subset, 6,000 stories and 944 terms; the paper learns from 23,149 with all terms."


def curves(reading: Reading, sizes: tuple[int, ...], weights: tuple[float, ...], suffix: str = "") -> list[Condition]:
    """Micro-F1 by number of terms for some λ."""
    return [
        Condition(f"λ = {weight:g}{suffix}", size, reading.at(weight, size)) for weight in weights for size in sizes
    ]


def gain_curve(reading: Reading, sizes: tuple[int, ...], suffix: str = "") -> list[Condition]:
    """The same for information gain."""
    return [Condition(f"IG{suffix}", size, reading.of(IG, size)) for size in sizes]
