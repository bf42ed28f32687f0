"""Paper 002: trace-oriented feature analysis, one weight λ from principal components to maximum margin."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..text.schemes import Scheme
from .choosing import SelectionSeconds
from .conditions import Claim, Condition, Item, Paper
from .derived import Largest, MeanOf, WhereLargest
from .documents import Collection
from .energy import TermsForEnergy
from .few_labels import FewLabels
from .quality import Quality
from .verdicts import MICRO_F1, SECONDS, TERMS, Tolerance

WEIGHTS = "tf=tf,idf=plain,norm=l2"
"""The paper's TFIDF, as far as it says."""
SVM = f"svm(C=1,{WEIGHTS})"
IG = "ig"
GRID = tuple(number / 10 for number in range(21))
"""λ from 0 to 2."""
TERMS_OF_TABLE = 100


@dataclass(frozen=True)
class Reading:
    """Documents, and how the paper is read."""

    collection: Collection
    weights: str = WEIGHTS
    """Those that the selector looks at."""
    n_classes: int | None = None
    """If it is given, n_j/n is left out of S_b, which makes it about so many times as large."""
    svm: str = SVM

    def selector(self, weight: float) -> str:
        """TOFA. Without n_j/n the ratio of S_b to C is another, and so is the weight that has this ratio."""
        if self.n_classes is None:
            return f"tofa(weight={weight:g},{self.weights})"
        between = self.n_classes * weight
        return f"tofa(weight={between / (between + 1 - weight):.9g},class_weight=balanced,{self.weights})"

    def of(self, selector: str, n_terms: int | str = TERMS_OF_TABLE) -> Quality:
        """Micro-F1 of a selector."""
        return Quality(self.collection, selector, n_terms, self.svm)

    def at(self, weight: float, n_terms: int | str = TERMS_OF_TABLE) -> Quality:
        """Micro-F1 at a weight."""
        return self.of(self.selector(weight), n_terms)

    @property
    def over_all_weights(self) -> tuple[Quality, ...]:
        """Micro-F1 at all λ."""
        return tuple(map(self.at, GRID))


NEWSGROUPS = Reading(Collection("newsgroups"))
RCV1_SUBSETS = tuple(Collection(f"rcv1:subset{number}", labels="one top code", folds=5) for number in range(1, 6))
RCV1 = Reading(RCV1_SUBSETS[0])
ODP = Reading(Collection("odp:sample", folds=5))
COMP = Reading(Collection("newsgroups:comp"))
CORPORA = {"20NG": NEWSGROUPS, "RCV1": RCV1, "ODP": ODP}
N_CLASSES = {"20NG": 20, "RCV1": 4, "ODP": 15}
LEFT_OUT = ", n_j/n left out"
REUTERS = Collection("reuters", labels="four largest", settings=(("stop_words", "english"), ("normalise", "stem")))

SETTING = """
Terms are words in small letters, none left out. TOFA reads tf-idf weights of length 1 (idf = ln(N/df)); information
gain is that over all classes at once. The classifier is a linear SVM (C = 1) on the same weights of the chosen terms,
one class against the rest, where the paper has SVMlight with settings that it does not name. idf and all choices come
from the documents to learn from alone.

20NG is split by date, as in the paper. RCV1-v2 and the dump of the Open Directory can't be had. For RCV1 stands MULAN's
first subset: 6,000 stories of 804,414, 944 terms of 47,236, there or not, in five folds. Its topics have numbers that
mean one thing in its first half and another in its second; the four top codes were found by their distances in the
alphabet and by what is contained in what (`papers/rcv1_codes.py`), and a story with several has the first. For ODP
stands a sample of 2,398 pages in 15 categories, where the paper has 1,733,500 in 13.
"""

ONLY_A_PART = "RCV1: MULAN's first subset, 6,000 stories and 944 terms. ODP: a sample of 2,398 pages."
ONLY_A_SUBSET = "RCV1: MULAN's first subset, 6,000 stories and 944 terms; the paper learns from 23,149 with all terms."

# -- Table 2 -----------------------------------------------------------------------------------------------------------

PRINTED = {
    "λ = 0": (0.42, 0.68, 0.31),
    "λ = 1": (0.72, 0.75, 0.41),
    "λ = 2": (0.63, 0.72, 0.11),
    "IG": (0.72, 0.74, 0.33),
    "best λ": (0.75, 0.77, 0.49),
    "which λ": (1.1, 1.2, 0.2),
}
"""Table 2, and the best λ that the text names; for 20NG, RCV1, ODP."""
NEAR = Tolerance(0.1, 0.3)
"""Of two values of λ."""


def table_column(name: str, reading: Reading, printed_for: str, has_best: bool = True) -> tuple[Condition, ...]:
    """A collection, or a way to read it."""
    place = list(CORPORA).index(printed_for)
    whats = {"λ = 0": reading.at(0), "λ = 1": reading.at(1), "λ = 2": reading.at(2), "IG": reading.of(IG)}
    numbers = [Condition(row, name, what, PRINTED[row][place]) for row, what in whats.items()]
    if has_best:
        all_weights = reading.over_all_weights
        best, where = Largest(all_weights), WhereLargest(all_weights, GRID)
        numbers.append(Condition("best λ", name, best, PRINTED["best λ"][place]))
        numbers.append(Condition("which λ", name, where, PRINTED["which λ"][place], NEAR))
    return tuple(numbers)


def of_newsgroups(settings: tuple[tuple[str, object], ...] = (), corpus: str = "newsgroups") -> Reading:
    """20 Newsgroups, prepared otherwise."""
    return Reading(Collection(corpus, settings))


TABLE2_TRIALS = (
    *(
        each
        for name, reading in CORPORA.items()
        for each in table_column(f"{name}{LEFT_OUT}", replace(reading, n_classes=N_CLASSES[name]), name)
    ),
    *table_column("20NG, no headers", of_newsgroups(corpus="newsgroups:no-headers"), "20NG", False),
    *table_column(
        "20NG, stems, no stop words",
        of_newsgroups((("stop_words", "english"), ("normalise", "stem"))),
        *("20NG", False),
    ),
    *table_column("20NG, terms of 1 % of the documents", of_newsgroups((("min_df", 0.01),)), "20NG", False),
    *table_column("20NG, C = 10", replace(NEWSGROUPS, svm=f"svm(C=10,{WEIGHTS})"), "20NG", False),
    *table_column("five comp groups", COMP, "20NG"),
    *table_column(f"five comp groups{LEFT_OUT}", replace(COMP, n_classes=5), "20NG"),
    *table_column(
        f"five comp groups, log tf, no norm{LEFT_OUT}",
        replace(COMP, n_classes=5, weights="tf=log,idf=plain,norm=none"),
        "20NG",
    ),
    *(
        each
        for number in (2, 3, 4, 5)
        for each in table_column(f"RCV1, subset {number}", Reading(RCV1_SUBSETS[number - 1]), "RCV1", False)
    ),
    *table_column("RCV1, several codes", Reading(replace(RCV1_SUBSETS[0], labels="top codes")), "RCV1", False),
)

TABLE2 = Item(
    "table2",
    "micro-F1 at 100 terms",
    MICRO_F1,
    tuple(each for name, reading in CORPORA.items() for each in table_column(name, reading, name)),
    columns="collection",
    trials=TABLE2_TRIALS,
    claims=(
        *(
            Claim(f"λ = 1 is better than {other} on all three", "λ = 1", other, tuple(CORPORA))
            for other in ("λ = 0", "λ = 2", "IG")
        ),
        Claim("the best λ is .03 to .09 better than λ = 1", "best λ", "λ = 1", tuple(CORPORA), by=0.06),
    ),
    stands_in=ONLY_A_PART,
)

# -- Figures 1 and 2 ---------------------------------------------------------------------------------------------------

SIZES = (10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000)
FEW, MANY = SIZES[:5], SIZES[-3:]


def curves(reading: Reading, sizes: tuple[int, ...], weights: tuple[float, ...], suffix: str = "") -> list[Condition]:
    """Micro-F1 by number of terms for some λ."""
    return [
        Condition(f"λ = {weight:g}{suffix}", size, reading.at(weight, size)) for weight in weights for size in sizes
    ]


def gain_curve(reading: Reading, sizes: tuple[int, ...], suffix: str = "") -> list[Condition]:
    """The same for information gain."""
    return [Condition(f"IG{suffix}", size, reading.of(IG, size)) for size in sizes]


FIGURE1 = Item(
    "figure1",
    "micro-F1 on 20 Newsgroups",
    MICRO_F1,
    (*curves(NEWSGROUPS, SIZES, (0, 1, 2)), *gain_curve(NEWSGROUPS, SIZES)),
    trials=tuple(curves(replace(NEWSGROUPS, n_classes=20), SIZES, (2,), LEFT_OUT)),
    claims=(
        Claim("λ = 1 is better than λ = 2", "λ = 1", "λ = 2", SIZES),
        Claim("λ = 1 is better than λ = 0", "λ = 1", "λ = 0", SIZES),
        Claim("with many terms λ = 0 is no worse than λ = 1", "λ = 0", "λ = 1", MANY, by=0.0),
        Claim("with many terms IG comes to λ = 1", "IG", "λ = 1", MANY, by=0.0),
        Claim("with few terms λ = 1 is better than IG", "λ = 1", "IG", FEW),
    ),
)

FIGURE2 = Item(
    "figure2",
    "micro-F1 at 100 terms, by λ",
    MICRO_F1,
    tuple(Condition(name, weight, each.at(weight)) for name, each in CORPORA.items() for weight in GRID),
    columns="λ",
    trials=tuple(
        Condition(f"{name}{LEFT_OUT}", weight, replace(each, n_classes=N_CLASSES[name]).at(weight))
        for name, each in CORPORA.items()
        for weight in GRID
    ),
    stands_in=ONLY_A_PART,
    log_x=False,
)

# -- Figures 3 and 4 ---------------------------------------------------------------------------------------------------

FEW_LABELS_SIZES = (10, 20, 50, 100, 200, 500, 900)
A_TENTH, A_HUNDREDTH, UNEVEN = (0.1,), (0.01,), (0.05, 0.1, 0.3, 0.55)
"""How many labels stay, of all documents or of each class."""


def with_few_labels(of: Collection, shares: tuple[float, ...], suffix: str = "") -> list[Condition]:
    """The curves of Figures 3 and 4; labels are drawn five times."""
    reading = Reading(FewLabels(**vars(of), shares=shares))
    return [*curves(reading, FEW_LABELS_SIZES, (0, 0.2, 1), suffix), *gain_curve(reading, FEW_LABELS_SIZES, suffix)]


def without_class_shares(shares: tuple[float, ...]) -> list[Condition]:
    """λ = 0.2, n_j/n left out."""
    reading = Reading(FewLabels(**vars(RCV1_SUBSETS[0]), shares=shares), n_classes=4)
    return curves(reading, FEW_LABELS_SIZES, (0.2,), LEFT_OUT)


FIGURE3 = Item(
    "figure3",
    "micro-F1 on RCV1, a tenth of the labels",
    MICRO_F1,
    tuple(with_few_labels(RCV1_SUBSETS[0], A_TENTH)),
    trials=(
        *without_class_shares(A_TENTH),
        *with_few_labels(RCV1_SUBSETS[0], A_HUNDREDTH, ", a hundredth"),
        *with_few_labels(REUTERS, A_TENTH, ", Reuters-21578"),
    ),
    claims=(
        Claim("λ = 0 is about .05 better than λ = 1", "λ = 0", "λ = 1", FEW_LABELS_SIZES, by=0.05),
        Claim("λ = 0 is about .05 better than IG", "λ = 0", "IG", FEW_LABELS_SIZES, by=0.05),
        Claim("λ = 0.2 is about .07 better than λ = 1", "λ = 0.2", "λ = 1", FEW_LABELS_SIZES, by=0.07),
        Claim("λ = 0.2 is about .07 better than IG", "λ = 0.2", "IG", FEW_LABELS_SIZES, by=0.07),
    ),
    stands_in=ONLY_A_SUBSET,
)

BETWEEN_13_AND_25 = Tolerance(0.06, 0.12)
"""Around .19."""

FIGURE4 = Item(
    "figure4",
    "micro-F1 on RCV1, few labels and of each class another share",
    MICRO_F1,
    tuple(with_few_labels(RCV1_SUBSETS[0], UNEVEN)),
    trials=(
        *without_class_shares(UNEVEN),
        *with_few_labels(RCV1_SUBSETS[0], UNEVEN[::-1], ", most of the first class"),
    ),
    claims=tuple(
        Claim(
            f"λ = {weight:g} is .13 to .25 better than {other}",
            *(f"λ = {weight:g}", other, FEW_LABELS_SIZES),
            by=0.19,
            tolerance=BETWEEN_13_AND_25,
        )
        for weight in (0, 0.2)
        for other in ("λ = 1", "IG")
    ),
    stands_in=ONLY_A_SUBSET,
)

# -- Figure 5 and the energy of the text -------------------------------------------------------------------------------

ENERGIES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
TFIDF = Scheme("tf", "plain", "l2")
AT_60 = {"λ = 0": 2000, "λ = 1": 500}
"""What the paper reads off its figure at 60 %."""


def energies(collection: Collection, suffix: str = "") -> list[Condition]:
    """How many terms hold how much of the energy."""
    return [
        Condition(f"λ = {weight}{suffix}", energy, TermsForEnergy(collection, weight, energy, TFIDF))
        for weight in (0, 1)
        for energy in ENERGIES
    ]


FIGURE5 = Item(
    "figure5",
    "terms by energy, RCV1",
    TERMS,
    tuple(replace(each, printed=AT_60[each.row]) if each.column == 0.6 else each for each in energies(RCV1_SUBSETS[0])),
    columns="energy",
    trials=(*energies(REUTERS, ", Reuters-21578"), *energies(NEWSGROUPS.collection, ", 20NG")),
    claims=(
        Claim("λ = 0 takes more terms than λ = 1", "λ = 0", "λ = 1", ENERGIES, how="ratio"),
        Claim("at 60 % four times as many", "λ = 0", "λ = 1", (0.6,), how="ratio", by=4.0),
    ),
    stands_in=ONLY_A_SUBSET,
    log_x=False,
)

ENERGY = Item(
    "energy",
    "micro-F1 of the terms that hold 60 % of the energy",
    MICRO_F1,
    tuple(
        Condition(f"λ = {weight}", name, reading.of(f"tofa(weight={weight},energy=0.6,{WEIGHTS})", "all"))
        for name, reading in CORPORA.items()
        for weight in (0, 1)
    ),
    columns="collection",
    claims=tuple(
        Claim(f"on RCV1 60 % of the energy of λ = {weight} are enough for .8", f"λ = {weight}", 0.8, ("RCV1",))
        for weight in (0, 1)
    ),
    stands_in=ONLY_A_PART,
)

# -- Table 3 -----------------------------------------------------------------------------------------------------------

SECONDS_PRINTED = {
    "IG": (20.13, 126.33, 3201.91),
    "λ = 1": (6.01, 38.58, 613.13),
    "other λ": (19.23, 103.13, 2654.66),
}
OTHER_WEIGHTS = (0, 0.5, 1.5, 2)


def seconds(name: str, reading: Reading) -> tuple[Condition, ...]:
    """How long selection takes."""
    one, *others = (SelectionSeconds(reading.collection, reading.selector(weight)) for weight in (1, *OTHER_WEIGHTS))
    whats = (SelectionSeconds(reading.collection, IG), one, MeanOf(tuple(others)))
    place = list(CORPORA).index(name)
    return tuple(
        Condition(row, name, what, printed[place])
        for (row, printed), what in zip(SECONDS_PRINTED.items(), whats, strict=True)
    )


def times_as_long(text: str, row: str, than: str) -> tuple[Claim, ...]:
    """What the paper's seconds come to."""
    return tuple(
        Claim(f"{name}: {text}", row, than, (name,), how="ratio", by=slow / fast)
        for name, slow, fast in zip(CORPORA, SECONDS_PRINTED[row], SECONDS_PRINTED[than], strict=True)
    )


TABLE3 = Item(
    "table3",
    "seconds of selection",
    SECONDS,
    tuple(each for name, reading in CORPORA.items() for each in seconds(name, reading)),
    columns="collection",
    claims=(
        *times_as_long("IG takes longer than λ = 1", "IG", "λ = 1"),
        *times_as_long("other λ take longer than λ = 1", "other λ", "λ = 1"),
        *times_as_long("IG takes longer than other λ", "IG", "other λ"),
    ),
    stands_in=ONLY_A_PART,
)

PAPER = Paper(
    "tofa",
    "TOFA: trace oriented feature analysis",
    SETTING,
    (FIGURE1, TABLE2, FIGURE2, FIGURE3, FIGURE4, TABLE3, FIGURE5, ENERGY),
)
