"""Paper 000: orthogonal centroid feature selection, against information gain and chi-square."""

from __future__ import annotations

from .choosing import SelectionSeconds, TermsOfOneAlone, TermsShared
from .conditions import Claim, Condition, Item, Paper
from .documents import Collection
from .quality import Quality
from .verdicts import MICRO_F1, SECONDS, TERMS

COMP = Collection("newsgroups:comp")
COMP_BODIES = Collection("newsgroups:comp:no-headers")
RCV1 = tuple(Collection(f"rcv1:subset{number}", labels="four largest", folds=5) for number in range(1, 6))
ODP = Collection("odp:sample", folds=5)

WEIGHTS = "tf=tf,idf=plain,norm=l2"
"""The paper's TFIDF, as far as it says."""
OCFS, IG, CHI = f"ocfs({WEIGHTS})", "ig", "chi(pooling=mean)"
SELECTORS = {"OCFS": OCFS, "IG": IG, "CHI": CHI}
SVM = f"svm(C=1,{WEIGHTS})"
SIZES = (10, 100, 1_000, 10_000)
ODP_SIZES = (100, 200, 500, 1_000, 10_000)

SETTING = """
Terms are words in small letters, none left out. Selectors: OCFS reads tf-idf weights of length 1 (idf = ln(N/df)),
information gain is that over all classes at once, chi-square the mean over classes by their size. The classifier is a
linear SVM (C = 1) on the same weights of the chosen terms, one class against the rest, where the paper has SMO with
settings that it does not name. idf and all choices come from the documents to learn from alone.
"""


def f1_curves(collection: Collection, sizes: tuple[int, ...], rows: dict[str, str], svm: str) -> tuple[Condition, ...]:
    """Micro-F1 of selectors by number of terms."""
    return tuple(
        Condition(row, size, Quality(collection, selector, size, svm))
        for row, selector in rows.items()
        for size in sizes
    )


def seconds(collection: Collection) -> tuple[Condition, ...]:
    """How long each selector takes for all numbers of terms."""
    return tuple(
        Condition(row, size, SelectionSeconds(collection, selector, size))
        for row, selector in SELECTORS.items()
        for size in SIZES
    )


SHARED = {"OCFS vs IG": (7, 62, 532, 6494), "OCFS vs CHI": (6, 55, 509, 6530), "IG vs CHI": (9, 85, 831, 9096)}
"""What the paper printed."""
ALONE = {
    "OCFS": ("drive", "file", "edu", "card"),
    "IG": ("drive", "3d1", "x11r5", "motif"),
    "CHI": ("lcs", "3d1", "x11r5", "motif"),
}


def shared_terms(collection: Collection, names: dict[str, str], suffix: str = "") -> tuple[Condition, ...]:
    """How many terms two selectors share."""
    pairs = {row: tuple(names[name] for name in row.split(" vs ")) for row in SHARED}
    return tuple(
        Condition(f"{row}{suffix}", size, TermsShared(collection, (one, other), size), printed)
        for row, (one, other) in pairs.items()
        for size, printed in zip(SIZES, SHARED[row], strict=True)
    )


def better(columns: tuple[int, ...], ig: float | None = None, chi: float | None = None) -> tuple[Claim, ...]:
    """What the paper says of its figures of F1."""
    few = columns[:1]
    return (
        Claim("OCFS is better than IG at every number of terms", "OCFS", "IG", columns),
        Claim("OCFS is better than CHI at every number of terms", "OCFS", "CHI", columns),
        *([Claim("at the fewest terms by about .05 than IG", "OCFS", "IG", few, by=ig)] if ig else []),
        *([Claim("at the fewest terms by about .1 than CHI", "OCFS", "CHI", few, by=chi)] if chi else []),
    )


HALF_THE_TIME = tuple(
    Claim(f"OCFS takes about half the time of {name}", name, "OCFS", SIZES, how="ratio", by=2.0)
    for name in ("IG", "CHI")
)

PAPER = Paper(
    "ocfs",
    "OCFS: optimal orthogonal centroid feature selection",
    SETTING,
    (
        Item(
            "figure2",
            "micro-F1 on five groups of 20 Newsgroups",
            MICRO_F1,
            f1_curves(COMP, SIZES, SELECTORS, SVM),
            trials=(
                *f1_curves(COMP, SIZES, {"OCFS, counts": "ocfs(tf=tf,idf=none,norm=none)"}, SVM),
                *f1_curves(COMP, SIZES, {"OCFS, ltc": "ocfs"}, SVM),
                *f1_curves(COMP_BODIES, SIZES, {f"{name}, no headers": each for name, each in SELECTORS.items()}, SVM),
            ),
            claims=better(SIZES, ig=0.05, chi=0.1),
        ),
        Item(
            "figure3",
            "seconds of selection on five groups of 20 Newsgroups",
            SECONDS,
            seconds(COMP),
            claims=HALF_THE_TIME,
        ),
        Item(
            "table2",
            "terms that two selectors share, five groups of 20 Newsgroups",
            TERMS,
            shared_terms(COMP, SELECTORS),
            trials=(
                *shared_terms(COMP, {**SELECTORS, "OCFS": "ocfs(tf=tf,idf=none,norm=none)"}, ", counts")[:8],
                *shared_terms(COMP_BODIES, SELECTORS, ", no headers"),
            ),
        ),
        Item(
            "table3",
            "of ten terms, those that not all three chose",
            TERMS,
            tuple(
                Condition(name, 10, TermsOfOneAlone(COMP, selector, tuple(SELECTORS.values()), 10), ALONE[name])
                for name, selector in SELECTORS.items()
            ),
        ),
        Item(
            "figure4",
            "micro-F1 on RCV1",
            MICRO_F1,
            tuple(
                Condition(f"{row}, subset {number}", size, Quality(RCV1[number - 1], selector, size, SVM))
                for number in (1,)
                for row, selector in SELECTORS.items()
                for size in (10, 100, 500)
            ),
        ),
    ),
)
