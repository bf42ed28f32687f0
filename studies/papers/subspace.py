"""Paper `subspace`: random subspaces of a linear SVM, against a single one and k nearest neighbours, on Brown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..documents import Collection
from ..ensembles import PENALTIES, QUICK_MEMBERS, AccuracyAtC, Grid, SingleClassifier, SubspaceSize
from ..paper import ACCURACY, TERMS, Cell, Claim, Item, Paper, Printed, Tolerance, Unit
from ..random_splits import CUT, N_TERMS, STAGES, Preparation, TermsLeft
from ..votes import Diversity, VoteAndMean

STEMS = Collection("brown", (("normalise", "stem"),), folds=5, words="letters")
"""Stems that consist of letters, whose numbers come nearest to the paper's."""
WORDS = Collection("brown", folds=5)
READINGS: dict[str, Collection] = {
    "words": WORDS,
    "stems, digits too": replace(STEMS, words="all"),
    "stems, no stop words": replace(WORDS, settings=(("normalise", "stem"), ("stop_words", "english"))),
    "lemmas": replace(WORDS, settings=(("normalise", "lemma"),)),
    "no stop words": replace(WORDS, settings=(("stop_words", "english"),)),
}

FROM_ALL = Preparation(weights=CUT, selected_from="all")
"""The paper's preparation, as we read it: terms are selected from all documents."""
FROM_TRAINING = Preparation(weights=CUT)
"""The valid preparation: terms are selected from training documents."""
FAIR_WEIGHTS = ("tf-idf, length 1", "ltc", "counts")

SETTING_UNIT = Unit("k or C", ",.3g", None)
SIZE = Unit("size", ",.0f", Tolerance(0.1, 0.25, is_share=True))

REPEATS, PAPER_REPEATS = 20, 5
"""The number of random splits of our measurements, and of the paper's."""
GRID_TERMS = (1, *range(500, N_TERMS + 1, 500))
GRID_MEMBERS = (1, *range(100, 1_001, 100))
MANY_TERMS = tuple(size for size in GRID_TERMS if size > 1_000)
MANY_MEMBERS = GRID_MEMBERS[1:]
BEST = (2_000, 400)
"""The paper's best size: M = n/2.5 and L = n/12.5."""

SETTING = f"""
Brown has 500 texts of 15 genres, and all are used; the paper uses 495, and does not say which it leaves out. A random
80 % are training documents and 20 % test documents, in {REPEATS} splits. The paper has {PAPER_REPEATS}: rows with
*{PAPER_REPEATS} splits* are about the first {PAPER_REPEATS} of ours. Terms are stems of words that consist of letters,
in lowercase. *Words* are words as they stand, with digits.

The paper does not say how terms are weighted. It reduces existing document vectors, by document frequency (terms in
less than 1 % of the texts are left out) and then by information gain (5,000 remain), on the whole collection, before
texts are set aside for testing. The same is done here: tf-idf vectors (idf = ln(N/df)) are scaled to length 1 over all
terms, and then reduced to terms that were selected from *all* texts, including the test texts. It is not a valid way to
measure: *terms from training* has terms selected from the training texts alone, as everything else in textsieve.

k-NN uses distances of these vectors and one vote for each neighbour; k is the best by leaving one out among the
training texts. C of the single SVM is the best in five folds of all texts. The SVM is linear, with the squared hinge
loss, one class against the rest; members of ensembles have C = 100 and one vote each.
"""
WITHOUT_TERMS = """
**Texts without a selected term** do not occur: Brown's texts have 2,000 words each. Members of ensembles whose terms
are all missing from a text vote for the class of the largest intercept.
"""

PRINTED: dict[str, Sequence[Printed]] = {
    "terms": (22_244, 7_454, 5_000),
    "k-NN": (44.85, 20.61, 17.37),
    "k": (19, 3, 133),
    "SVM": (43.43, 48.69, 52.83),
    "C": ((">", "3"), 11.31, (">", "11.31")),
}
"""Table I: all terms, DF, DF + IG."""
PRINTED_ENSEMBLE, PRINTED_GAIN = 56.52, 3.69


def single_measurements(
    classifier: str, preparation: Preparation, collection: Collection = STEMS
) -> dict[str, SingleClassifier]:
    """Return the measurements of a classifier on all terms, and on the selected terms of each stage."""
    return {
        stage: SingleClassifier(collection, replace(preparation, terms=stage), classifier, repeats=REPEATS)
        for stage in STAGES
    }


def accuracy_cells(
    row: str, measurements: Mapping[str, SingleClassifier], printed: Sequence[Printed] = ()
) -> list[Cell]:
    """Return cells of accuracies by stage of selection."""
    numbers: Sequence[Printed | None] = printed or [None] * len(measurements)
    return [
        Cell(row, stage, measurement, number)
        for (stage, measurement), number in zip(measurements.items(), numbers, strict=True)
    ]


def setting_cells(
    row: str, measurements: Mapping[str, SingleClassifier], printed: Sequence[Printed] = ()
) -> list[Cell]:
    """Return cells of the k or C of these classifiers by stage of selection: the median over splits."""
    medians = {stage: replace(measurement, figure="setting") for stage, measurement in measurements.items()}
    return [replace(cell, unit=SETTING_UNIT) for cell in accuracy_cells(row, medians, printed)]


def term_number_cells(row: str, collection: Collection, printed: Sequence[Printed] = ()) -> list[Cell]:
    """Return cells of the number of terms that each stage leaves."""
    numbers: Sequence[Printed | None] = printed or [None] * len(STAGES)
    return [
        Cell(row, stage, TermsLeft(collection, stage), number, unit=TERMS)
        for stage, number in zip(STAGES, numbers, strict=True)
    ]


def ensemble_cells(
    suffix: str,
    preparation: Preparation,
    printed: Sequence[float | None] = (None, None),
    collection: Collection = STEMS,
) -> list[Cell]:
    """Return cells of the accuracy of the paper's ensemble (RSM), and of its gain over a single SVM."""
    grid = Grid(collection, preparation, (BEST[0], N_TERMS), (1, BEST[1]), REPEATS)
    return [
        Cell(f"{row}{suffix}", preparation.terms, SubspaceSize(grid, figure, BEST), number)
        for (row, figure), number in zip({"RSM": "accuracy", "RSM over SVM": "gain"}.items(), printed, strict=True)
    ]


def table1_cells() -> tuple[Cell, ...]:
    """Return the cells of Table I."""
    neighbours, svm = (single_measurements(name, FROM_ALL) for name in ("k-NN", "SVM"))
    return (
        *term_number_cells("terms", STEMS, PRINTED["terms"]),
        *accuracy_cells("k-NN", neighbours, PRINTED["k-NN"]),
        *setting_cells("k", neighbours, PRINTED["k"]),
        *accuracy_cells("SVM", svm, PRINTED["SVM"]),
        *setting_cells("C", svm, PRINTED["C"]),
        *ensemble_cells("", FROM_ALL, (PRINTED_ENSEMBLE, PRINTED_GAIN)),
    )


def other_single_cells(suffix: str, preparation: Preparation) -> list[Cell]:
    """Return cells of words as they stand: of k-NN by distance and by cosine, which ignores lengths, and of the SVM."""
    return [
        cell
        for name in ("k-NN", "k-NN, cosine", "SVM")
        for cell in accuracy_cells(f"{name}{suffix}", single_measurements(name, preparation, WORDS))
    ]


def table1_trial_cells() -> tuple[Cell, ...]:
    """Return the cells of other preparations."""
    return (
        *(cell for name, reading in READINGS.items() for cell in term_number_cells(f"terms, {name}", reading)),
        *(
            cell
            for name in ("k-NN", "SVM")
            for cell in accuracy_cells(f"{name}, terms from training", single_measurements(name, FROM_TRAINING))
        ),
        *other_single_cells(", words", FROM_ALL),
        *ensemble_cells(", words", FROM_ALL, collection=WORDS),
        *other_single_cells(", words, terms from training", FROM_TRAINING),
        *ensemble_cells(", words, terms from training", FROM_TRAINING, collection=WORDS),
        *(
            cell
            for weights in FAIR_WEIGHTS
            for cell in other_single_cells(f", words, terms from training, {weights}", Preparation(weights=weights))
        ),
    )


PENALTY_ROWS = {stage: replace(FROM_ALL, terms=stage) for stage in STAGES}
WRITTEN = {C: float(f"{C:.3g}") for C in PENALTIES}
"""How a C is written above its column."""
LARGE = tuple(written for C, written in WRITTEN.items() if C > 4)


def penalty_cells(rows: Mapping[str, Preparation]) -> tuple[Cell, ...]:
    """Return cells of the accuracy by C."""
    return tuple(
        Cell(row, WRITTEN[C], AccuracyAtC(STEMS, preparation, C))
        for row, preparation in rows.items()
        for C in PENALTIES
    )


WHOLE = Grid(STEMS, FROM_ALL, GRID_TERMS, GRID_MEMBERS, REPEATS)
FIRST = replace(WHOLE, repeats=PAPER_REPEATS)
"""The same grid on the first splits, as many as the paper has."""
FAIR = Grid(STEMS, FROM_TRAINING, (500, 1_000, 2_000, 3_000, N_TERMS), (1, 100), PAPER_REPEATS)

IN_FIVE = f", {PAPER_REPEATS} splits"
"""The end of the name of a row on the first splits."""


def size_cells(grid: Grid, figure: str, n_terms: Sequence[int], suffix: str = "") -> tuple[Cell, ...]:
    """Return cells with a row for each M and a column for each L."""
    return tuple(
        Cell(f"M = {M:,}{suffix}", L, SubspaceSize(grid, figure, (M, L))) for M in n_terms for L in grid.n_members
    )


def size_claims(suffix: str = "") -> tuple[Claim, ...]:
    """Return the claims about accuracy by size, on all splits or on the first ones."""
    return (
        Claim(
            f"accuracy is low for M below 1,000: lower at 1 than at 2,000{suffix}",
            *(f"M = 2,000{suffix}", f"M = 1{suffix}"),
        ),
        Claim(f"lower at 500 than at 2,000{suffix}", f"M = 2,000{suffix}", f"M = 500{suffix}", MANY_MEMBERS),
        Claim(
            f"RSM is better than a single SVM by 3.69 at M = 2,000 and L = 400{suffix}",
            *(f"M = 2,000{suffix}", f"M = 5,000{suffix}", (BEST[1],), 1),
            by=PRINTED_GAIN,
        ),
    )


def error_claims(suffix: str = "") -> tuple[Claim, ...]:
    """Return the claims about error by size, on all splits or on the first ones."""
    return tuple(
        Claim(f"{text}{suffix}", f"M = {M:,}{suffix}", f"M = {BEST[0]:,}{suffix}", MANY_MEMBERS)
        for text, M in {
            "error is least in the middle: less at 2,000 than at 1,500": 1_500,
            "and than at 4,000": 4_000,
        }.items()
    )


def best_cells(grid: Grid, suffix: str = "") -> tuple[Cell, ...]:
    """Return cells about the best size of a grid."""
    rows = {
        "M": ("best M", SIZE, float(BEST[0])),
        "L": ("best L", SIZE, float(BEST[1])),
        "accuracy": ("best accuracy", ACCURACY, PRINTED_ENSEMBLE),
        "ahead of M = 2,000, L = 400": ("behind the best", ACCURACY, None),
        "other sizes of several terms and members": ("sizes", SIZE, None),
        "of these, not significantly worse than the best": ("alike", SIZE, None),
        "change by another number of members": ("step", ACCURACY, None),
    }
    return tuple(
        Cell(f"{row}{suffix}", "all M and L", SubspaceSize(grid, figure, BEST), printed, unit=unit)
        for row, (figure, unit, printed) in rows.items()
    )


TABLE_REMARK = """
**k-NN** {if k-NN | all minus k-NN | DF > 10}falls because vectors are scaled over all terms: what remains of a text of
rare words is short, and a short vector is near to everything.{else}does not fall much here.{end} With words as they
stand it is {k-NN, words | all}, {k-NN, words | DF} and {k-NN, words | DF + IG}, and by cosine, which ignores lengths,
{k-NN, cosine, words | all}, {k-NN, cosine, words | DF} and {k-NN, cosine, words | DF + IG}; with distances of vectors
that are scaled to length 1 after the reduction, terms from training, {k-NN, words, terms from training, tf-idf, length
1 | all}, {k-NN, words, terms from training, tf-idf, length 1 | DF} and {k-NN, words, terms from training, tf-idf,
length 1 | DF + IG}.

**The SVM** has {SVM, terms from training | DF} after DF and {SVM, terms from training | DF + IG} after both with terms
from training, {SVM | DF} and {SVM | DF + IG} with terms from all texts. {if SVM | DF + IG minus SVM | DF > 3 & SVM,
terms from training | DF + IG minus SVM, terms from training | DF < 1}So it rises with information gain because the test
texts take part in the selection.{end} The ensemble uses the same terms: {RSM | DF + IG}. With words as they stand it
has {RSM, words | DF + IG}, and {RSM, words, terms from training | DF + IG} with terms from training. Its gain over a
single SVM of the same C is {RSM over SVM | DF + IG}, with words {RSM over SVM, words | DF + IG} and {RSM over SVM,
words, terms from training | DF + IG}, with wide intervals. [Random subspaces, measured](../subspaces-results.md) has
more weightings and sizes, on other splits and with a correction for their number.

*RSM over SVM* is on the same splits and with the same C = 100, *SVM* with the C of the row below it. The **numbers of
terms** decided which terms are taken: stems of letters are {terms | all}, and {terms | DF} after DF; words as they
stand are {terms, words | all} and {terms, words | DF}. 25 % of the paper's terms, to the nearest thousand, would be
6,000; it took 5,000, and so do we. k varies much from split to split, so neither k nor C is judged.
"""

PENALTY_REMARK = """
The figure says something about the weights. With counts, accuracy is {terms from training, counts | 0.0625} at the
smallest C here and {terms from training, counts | 256} at the largest. The paper's curve rises up to a C of about 4,
like that of vectors of length 1 or less ({DF + IG | 0.0625} at the smallest, {DF + IG | 4} at 4). {if terms from
training, counts | 4 minus terms from training, counts | 0.0625 < 5}It can't be that of counts.{end} Which texts select
the terms matters here, too: at C = 4 it is {DF + IG | 4} with terms from all texts, {terms from training | 4} with
terms from training.
"""

GRID_REMARK = """
All L of a row are the first members of the same ensemble; M = 5,000 is the single SVM. At the paper's size the ensemble
has {M = 2,000 | 400} and the single SVM {M = 5,000 | 1}; in the first 5 splits, as many as the paper has, it is {M =
2,000, 5 splits | 400} and {M = 5,000, 5 splits | 1}. In these 5 splits, with terms from training, 100 members of 500,
1,000, 2,000 and 3,000 terms have {M = 500, terms from training, 5 splits | 100}, {M = 1,000, terms from training, 5
splits | 100}, {M = 2,000, terms from training, 5 splits | 100} and {M = 3,000, terms from training, 5 splits | 100},
and the single SVM {M = 5,000, terms from training, 5 splits | 1}. [Random subspaces, measured](../subspaces-results.md)
has other weights and the diversity of the members, and [another page](../subspaces-theory.md) what theory says about M
and L.
"""

BEST_REMARK = """
Of equally good sizes, the best is the one with the fewest terms in all members together. Another size does not differ
from it if the lead of the best on the same splits is at most half of its interval: of {other sizes of several terms and
members | all M and L} sizes, {of these, not significantly worse than the best | all M and L} do not differ. As the best
of so many it owes part of its lead to luck. A hundred more members change the accuracy of a size by {change by another
number of members | all M and L} points in the mean. In the first 5 splits the best size is M = {M, 5 splits | all M and
L}, L = {L, 5 splits | all M and L}, with {accuracy, 5 splits | all M and L}, and {of these, not significantly worse
than the best, 5 splits | all M and L} sizes do not differ from it.
"""

VOTED = (500, 1_000, 2_000)
MEMBERS = 50
VOTES = Item(
    "votes",
    f"votes of {MEMBERS} linear members, and the mean of their scores, {PAPER_REPEATS} splits",
    ACCURACY,
    tuple(
        Cell(row, M, VoteAndMean(STEMS, FROM_TRAINING, M, MEMBERS, figure, PAPER_REPEATS))
        for row, figure in {
            "majority vote": "vote",
            "mean of scores": "mean",
            "texts on which they differ": "other",
        }.items()
        for M in VOTED
    ),
    columns="terms M",
    claims=(
        Claim("the vote is not linear: it differs from the linear mean", "texts on which they differ", 0.0, VOTED),
        Claim("which may help accuracy", "majority vote", "mean of scores", VOTED),
    ),
    remark="""
    The paper suspects that the vote helps because its boundary is not linear. The mean of the members' scores is a
    linear function of all terms; a vote is not, because a member counts once however sure it is. With 2,000 terms and
    terms from training they differ on {texts on which they differ | 2,000} % of the texts. {if majority vote | 500 >
    mean of scores | 500 & majority vote | 1,000 > mean of scores | 1,000 & majority vote | 2,000 > mean of scores |
    2,000}The vote is better at each size{else}The vote is not better at each size{end}: it has {majority vote | 500},
    {majority vote | 1,000} and {majority vote | 2,000}, the linear mean {mean of scores | 500}, {mean of scores |
    1,000} and {mean of scores | 2,000}.
    """,
)
DIVERSITY = Item(
    "diversity",
    "diversity of two members if 100 of 5,000 terms are important",
    replace(TERMS, digits=".2f"),
    tuple(
        Cell(row, M, Diversity(M, 100, figure))
        for row, figure in {
            "drawn": "mean",
            "expected": "expected",
            "least of all pairs": "least",
            "greatest of all pairs": "greatest",
        }.items()
        for M in (500, 1_000, 2_000, 3_000, 4_000)
    ),
    columns="terms M",
    remark="""
    D(S1, S2), formula 4 of the paper, is the number of important terms that only one of two members has. *Drawn* is its
    mean over all pairs of 400 members, *expected* is 2 Q (M/n) (1 - M/n). At M = 2,000 the mean is {drawn | 2,000}, {if
    drawn | 2,000 ~ expected | 2,000}as{else}not as{end} expected ({expected | 2,000}), and no pair has less than {least
    of all pairs | 2,000}; two members with the same important terms would have 0. {if drawn | 2,000 > drawn | 500 &
    drawn | 2,000 > drawn | 4,000}Members of medium size differ most, which fits the paper's choice of a medium M.{end}
    """,
)

PAPER = Paper(
    "subspace",
    "Random subspace method in text categorization",
    SETTING,
    (
        Item(
            "table1",
            "accuracy of k-NN, SVM and random subspaces (RSM), M = 2,000, L = 400",
            ACCURACY,
            table1_cells(),
            columns="terms",
            trials=table1_trial_cells(),
            claims=(
                Claim("k-NN is inferior to a single SVM on original and reduced terms", "SVM", "k-NN"),
                Claim("k-NN is inferior to RSM", "RSM", "k-NN", ("DF + IG",)),
                Claim("RSM is better than the best single SVM by 3.69", "RSM", "SVM", ("DF + IG",), by=PRINTED_GAIN),
            ),
            remark=TABLE_REMARK,
        ),
        Item(
            "figure2",
            "accuracy by C of a single SVM, five folds",
            ACCURACY,
            penalty_cells(PENALTY_ROWS),
            columns="C",
            trials=penalty_cells(
                {
                    "terms from training": FROM_TRAINING,
                    **{f"terms from training, {weights}": Preparation(weights=weights) for weights in FAIR_WEIGHTS},
                }
            ),
            claims=(
                Claim(
                    "above C = 4 the SVM is almost at its best: no worse than at the largest C",
                    *("DF + IG", "DF + IG", LARGE, LARGE[-1]),
                    by=0.0,
                ),
                Claim(
                    "below C = 4 it is not: C above 4 is better than the smallest",
                    *("DF + IG", "DF + IG", LARGE, WRITTEN[PENALTIES[0]]),
                ),
            ),
            remark=PENALTY_REMARK,
        ),
        Item(
            "figure3a",
            "accuracy over M and L",
            ACCURACY,
            size_cells(WHOLE, "accuracy", GRID_TERMS),
            columns="members L",
            trials=(
                *size_cells(FIRST, "accuracy", GRID_TERMS, IN_FIVE),
                *size_cells(FAIR, "accuracy", FAIR.n_terms, f", terms from training{IN_FIVE}"),
            ),
            claims=(*size_claims(), *size_claims(IN_FIVE)),
            picture="surface",
            remark=GRID_REMARK,
        ),
        Item(
            "figure3b",
            "error over M and L, M above 1,000",
            replace(ACCURACY, name="error, %"),
            size_cells(WHOLE, "error", MANY_TERMS),
            columns="members L",
            trials=size_cells(FIRST, "error", MANY_TERMS, IN_FIVE),
            claims=(*error_claims(), *error_claims(IN_FIVE)),
            picture="surface",
            marked="lowest",
        ),
        Item(
            "best",
            "the best size, as the paper's text has it",
            ACCURACY,
            best_cells(WHOLE),
            columns="grid",
            trials=best_cells(FIRST, IN_FIVE),
            remark=BEST_REMARK,
        ),
        VOTES,
        DIVERSITY,
    ),
    of_a_part=f"Ensembles have at most {QUICK_MEMBERS} members, whatever L is.",
    without_terms=WITHOUT_TERMS,
)
