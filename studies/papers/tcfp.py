"""Paper 003: votes on feature projections (TCFP), against kNN and its faster forms, naive Bayes and Rocchio."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ..documents import Collection
from ..measurements import Largest, MeanOf, Measurement
from ..paper import MICRO_F1, SECONDS, TERMS, Cell, Claim, Item, Paper, Tolerance, Unit
from ..prediction import EVERY_COSINE, Drop, PredictionSeconds, QualityAfterDrop
from ..quality import Quality
from ..selection import RARE, TermFrequencies

WORDS = (("stop_words", "english"), ("min_df", 2))
NEWS = Collection("newsgroups:original:subject-only", WORDS, folds=5, words="letters")
NEWS_DIGITS = replace(NEWS, words="all")
NEWS_HEADERS = replace(NEWS, corpus="newsgroups:original")
WEBKB = Collection("webkb", (*WORDS, ("tags", "drop")), folds=5, words="letters")
WEBKB_TAGS = replace(WEBKB, settings=WORDS)
WEBKB_STEMS = replace(WEBKB, corpus="webkb:stemmed", settings=WORDS)
SIZES = tuple(range(1_000, 10_001, 1_000))
FEW_SIZES = SIZES[::3]
"""Where all would take long."""
MOST = SIZES[-1]

CHI, CHI_MEAN = "chi(pooling=max)", "chi(pooling=mean)"
LTC = "tf=log,idf=plain,norm=l2"
COUNTS = "tf=tf,idf=none,norm=none"
KNN, NB, ROCCHIO, KNNFP = f"knn(k=30,{LTC})", f"nb(alpha=1,{COUNTS})", f"rocchio({LTC})", f"knnfp(k=20,{LTC})"
TCFP, TCFP_BARE, TCFP_MEAN = f"tcfp(context=best,{LTC})", f"tcfp({LTC})", f"tcfp(context=mean,{LTC})"
BALANCED = f"tcfp(context=best,balance=true,{LTC})"
NB_LTC, SVM = f"nb(alpha=1,{LTC})", f"svm(C=1,{LTC})"
DROP4 = Drop(4)
DROPPED = "kNN with DROP4"

FREQUENCIES = replace(TERMS, name="documents or terms")
MEAN_FREQUENCY = replace(FREQUENCIES, digits=".2f")
SHARE = Unit("share", ".3f", Tolerance(0.02, 0.05))


# -- words -----------------------------------------------------------------------------------------------------------

SETTING = """
Five folds. Terms are words that consist of letters, in lowercase, without English stop words and without words of a
single training document (the paper: words that occur once); in posts, words of body and subject, in pages, words
outside tags. With this reading both vocabularies have nearly the printed size (Table 1). Terms are selected by
chi-square, the largest over the classes, which comes nearer to Table 1 than the mean. Weights are (1 + ln tf) ln(N/df),
scaled to length 1. kNN has k = 30, k-NNFP k = 20, Rocchio 16 and 4; naive Bayes is multinomial, on counts, with
Laplace's prior, and DROP4 judges by 3 neighbours, where the paper gives no number. The paper also leaves open which
other term gives the context of a term: here the one with the largest factor. Terms, idf and everything else are learned
from the training documents alone.
"""
TABLE_1_AS_READ = """
The text of the paper has the numbers of Table 1 run together, "54.59 8,407 46,489". They are read as four columns, of
which the paper says that the fourth is the number of terms in fewer than 20 documents, more than half of 10,000: a mean
of 54.59, a maximum of 8,407, a minimum of 4, and 6,489 terms. The sizes of the vocabularies are from the text: that of
training posts, the mean over folds, and that of all pages.
"""
REMARK_1 = """
This table determined how texts are read. Words that consist of letters give vocabularies of the printed size; with
digits they are larger ({20 Newsgroups, digits too | all terms} and {WebKB, digits too | all terms}), with tags or stems
they are far off. The maximum shows that headers were left out, since some of their words are in every post. Chi-square
as the mean over classes selects more frequent terms than the paper's ({10,000 terms, mean over classes | mean}
documents in the mean), the largest over the classes selects nearly as rare ones.
"""
REMARK_2 = """
All agree with the paper, and TCFP, with or without context, and kNN are as near to each other as there: the lead of
TCFP is smaller than the intervals. Digits change next to nothing. Chi-square as the mean over classes would be worse
for k-NNFP ({k-NNFP, mean over classes | 10,000}), and headers for kNN ({kNN, with headers | 10,000}), but better for
TCFP ({TCFP, with headers | 10,000}), which would then be far ahead: the paper has neither.
"""
REMARK_DROP = """
The paper does not say by how many neighbours its DROP4 judges. More neighbours keep more documents; with five it is {20
Newsgroups, k = 5 | 10,000} and {WebKB, k = 5 | 10,000}, about what the paper says, and micro-F1 hardly changes (Table
2).
"""
REMARK_3 = """
On TFIDF weights naive Bayes would be as good as TCFP ({NB, TFIDF weights | 10,000}); a linear SVM is better than all of
them ({linear SVM | 10,000}). The paper has neither.
"""
REMARK_4 = """
kNN, naive Bayes and Rocchio agree with the paper, so pages seem to be read as they were there. TCFP stays behind, which
changes the order: naive Bayes and Rocchio are ahead. TCFP needs balancing on these uneven classes ({TCFP, not balanced
| best} without it), above all for the small ones (macro-F1 {TCFP | best macro-F1} against {TCFP, not balanced | best
macro-F1}), and context helps a little. k-NNFP, which is not balanced, is far below the printed number for each k that
was tried; neither the pooling of chi-square nor tags or stems explain that. For kNN with reduction the paper prints the
same number as in Table 2, for other data, so one of the two may be a mistake.
"""
REMARK_5 = """
Seconds are those of one core, with all documents in one batch. Our kNN skips most cosines by bounds (docs/knn.md), so
TCFP's lead over it is smaller than the paper's; over a search that computes every cosine, scikit-learn's, it is larger.
TCFP without context and Rocchio are the same operation here, sums over a table of terms and classes, and so is naive
Bayes, on counts, which need no weighting. So none of them is far ahead of the others, and context costs much in
comparison.
"""


# -- measurements ------------------------------------------------------------------------------------------------------

AtSize = Quality | QualityAfterDrop | PredictionSeconds
"""What is measured at a number of terms."""


def curve(row: str, of: AtSize, sizes: Sequence[int] = SIZES) -> tuple[Cell, ...]:
    """Return the cells of a curve."""
    return tuple(Cell(row, size, measurement) for size, measurement in zip(sizes, at_sizes(of, sizes), strict=True))


def at_most_terms(rows: Mapping[str, Measurement]) -> tuple[Cell, ...]:
    """Return cells at the largest number of terms."""
    return tuple(Cell(row, MOST, what) for row, what in rows.items())


def at_sizes(of: AtSize, sizes: Iterable[int]) -> tuple[AtSize, ...]:
    """Return a measurement at several numbers of terms."""
    return tuple(replace(of, n_terms=size) for size in sizes)


def mean_over_sizes(of: AtSize, sizes: Iterable[int]) -> MeanOf:
    """Return the mean over numbers of terms."""
    return MeanOf(at_sizes(of, sizes), are_draws=False)


def quality(collection: Collection, classifier: str, selector: str = CHI) -> Quality:
    """Return the micro-F1 at the largest number of terms."""
    return Quality(collection, selector, MOST, classifier)


def macro_f1(of: Quality) -> Quality:
    """Return the same measurement for macro-F1, in which all classes count equally."""
    return replace(of, figure="macro_f1")


def after_drop(collection: Collection, figure: str = "micro_f1", drop: Drop = DROP4) -> QualityAfterDrop:
    """Return the measurement of neighbours among the documents that DROP leaves."""
    return QualityAfterDrop(collection, CHI, MOST, KNN, drop, figure)


def seconds(classifier: str, drop: Drop | None = None, search: str = "") -> MeanOf:
    """Return the seconds of prediction: the mean over numbers of terms."""
    return mean_over_sizes(PredictionSeconds(NEWS, CHI, MOST, classifier, drop, search), FEW_SIZES)


def frequencies(row: str, collection: Collection, selector: str, printed: Mapping[str, float]) -> tuple[Cell, ...]:
    """Return the cells of a row of Table 1."""
    units = {"mean": MEAN_FREQUENCY, "maximum": None, "minimum": None, f"below {RARE}": None}
    return tuple(
        Cell(row, name, TermFrequencies(collection, selector, MOST, name), printed.get(name), unit=unit)
        for name, unit in units.items()
    )


def vocabulary(row: str, collection: Collection, printed: float | None = None) -> Cell:
    """Return the number of all terms: for posts in the training documents, for pages in all, as the paper counts."""
    whole = collection.corpus.startswith("webkb")
    what = TermFrequencies(collection, "all", "all", "terms", "all documents" if whole else "folds")
    return Cell(row, "all terms", what, printed)


def best(row: str, of: AtSize, printed: float | None = None, sizes: Iterable[int] = SIZES) -> Cell:
    """Return the largest value of a curve."""
    return Cell(row, "best", Largest(at_sizes(of, sizes)), printed)


def other_pages(words: str, collection: Collection, selector: str = CHI) -> tuple[Cell, ...]:
    """Return cells of Table 4 for pages that are read in another way."""
    rows = {"TCFP": BALANCED, "kNN": KNN, "NB": NB, "Rocchio": ROCCHIO, "k-NNFP": KNNFP}
    return tuple(
        best(f"{row}, {words}", quality(collection, classifier, selector), sizes=FEW_SIZES)
        for row, classifier in rows.items()
    )


TABLE_1 = {"mean": 54.59, "maximum": 8_407, "minimum": 4, f"below {RARE}": 6_489}

PAPER = Paper(
    "tcfp",
    "Text categorization using feature projections",
    SETTING,
    (
        Item(
            "table1",
            "in how many documents terms of 20 Newsgroups are",
            FREQUENCIES,
            (
                *frequencies("10,000 terms", NEWS, CHI, TABLE_1),
                vocabulary("20 Newsgroups", NEWS, 51_325),
                vocabulary("WebKB", WEBKB, 18_742),
            ),
            columns="documents",
            trials=(
                *frequencies("10,000 terms, mean over classes", NEWS, CHI_MEAN, {}),
                *frequencies("10,000 terms, digits too", NEWS_DIGITS, CHI, {}),
                vocabulary("20 Newsgroups, digits too", NEWS_DIGITS),
                vocabulary("WebKB, digits too", replace(WEBKB, words="all")),
                vocabulary("WebKB, tags too", WEBKB_TAGS),
                vocabulary("WebKB, stems", WEBKB_STEMS),
            ),
            stands_in=TABLE_1_AS_READ,
            remark=REMARK_1,
        ),
        Item(
            "figure2",
            "micro-F1 of TCFP and nearest neighbours on 20 Newsgroups",
            MICRO_F1,
            (
                *curve("TCFP", quality(NEWS, TCFP)),
                *curve("TCFP without context", quality(NEWS, TCFP_BARE)),
                *curve("kNN", quality(NEWS, KNN)),
                *curve("k-NNFP", quality(NEWS, KNNFP)),
                *curve(DROPPED, after_drop(NEWS), FEW_SIZES),
            ),
            claims=(
                Claim("TCFP is better than without context at every number of terms", "TCFP", "TCFP without context"),
                Claim("TCFP is better than kNN", "TCFP", "kNN"),
                Claim("TCFP is better than k-NNFP", "TCFP", "k-NNFP"),
                Claim("TCFP is better than kNN with DROP4", "TCFP", DROPPED, FEW_SIZES),
                Claim("Without context TCFP is nearly as good as kNN", "TCFP without context", "kNN", by=0.0),
            ),
            log_x=False,
        ),
        Item(
            "table2",
            "best micro-F1 of TCFP and nearest neighbours on 20 Newsgroups",
            MICRO_F1,
            (
                best("TCFP", quality(NEWS, TCFP), 0.8541),
                best("TCFP without context", quality(NEWS, TCFP_BARE), 0.8514),
                best("kNN", quality(NEWS, KNN), 0.8515),
                best("k-NNFP", quality(NEWS, KNNFP), 0.8193),
                best(DROPPED, after_drop(NEWS), 0.8134, FEW_SIZES),
            ),
            columns="",
            trials=at_most_terms(
                {
                    "TCFP, mean context": quality(NEWS, TCFP_MEAN),
                    "TCFP, digits too": quality(NEWS_DIGITS, TCFP),
                    "kNN, digits too": quality(NEWS_DIGITS, KNN),
                    "k-NNFP, digits too": quality(NEWS_DIGITS, KNNFP),
                    "TCFP, mean over classes": quality(NEWS, TCFP, CHI_MEAN),
                    "kNN, mean over classes": quality(NEWS, KNN, CHI_MEAN),
                    "k-NNFP, mean over classes": quality(NEWS, KNNFP, CHI_MEAN),
                    "TCFP, with headers": quality(NEWS_HEADERS, TCFP),
                    "kNN, with headers": quality(NEWS_HEADERS, KNN),
                    "k-NNFP, with headers": quality(NEWS_HEADERS, KNNFP),
                    "kNN with DROP4, k = 1": after_drop(NEWS, drop=Drop(4, 1)),
                    "kNN with DROP4, k = 5": after_drop(NEWS, drop=Drop(4, 5)),
                }
            ),
            remark=REMARK_2,
        ),
        Item(
            "drop4",
            "share of the documents that DROP4 keeps, from the text of the paper",
            SHARE,
            (
                Cell("20 Newsgroups", "mean", mean_over_sizes(after_drop(NEWS, "used"), FEW_SIZES), 0.26),
                Cell("WebKB", "mean", mean_over_sizes(after_drop(WEBKB, "used"), SIZES), 0.26),
            ),
            columns="",
            trials=tuple(
                Cell(f"{name}, k = {k}", MOST, after_drop(collection, "used", Drop(4, k)))
                for name, collection in {"20 Newsgroups": NEWS, "WebKB": WEBKB}.items()
                for k in (1, 3, 5)
            ),
            remark=REMARK_DROP,
        ),
        Item(
            "figure3",
            "micro-F1 of TCFP and other classifiers on 20 Newsgroups",
            MICRO_F1,
            (
                *curve("TCFP", quality(NEWS, TCFP)),
                *curve("kNN", quality(NEWS, KNN)),
                *curve("NB", quality(NEWS, NB)),
                *curve("Rocchio", quality(NEWS, ROCCHIO)),
            ),
            claims=tuple(Claim(f"TCFP is better than {name}", "TCFP", name) for name in ("kNN", "NB", "Rocchio")),
            log_x=False,
        ),
        Item(
            "table3",
            "best micro-F1 of TCFP and other classifiers on 20 Newsgroups",
            MICRO_F1,
            (
                best("TCFP", quality(NEWS, TCFP), 0.8541),
                best("kNN", quality(NEWS, KNN), 0.8515),
                best("NB", quality(NEWS, NB), 0.8251),
                best("Rocchio", quality(NEWS, ROCCHIO), 0.8168),
            ),
            columns="",
            trials=at_most_terms(
                {
                    "NB, TFIDF weights": quality(NEWS, NB_LTC),
                    "NB, digits too": quality(NEWS_DIGITS, NB),
                    "Rocchio, digits too": quality(NEWS_DIGITS, ROCCHIO),
                    "NB, mean over classes": quality(NEWS, NB, CHI_MEAN),
                    "Rocchio, mean over classes": quality(NEWS, ROCCHIO, CHI_MEAN),
                    "NB, with headers": quality(NEWS_HEADERS, NB),
                    "Rocchio, with headers": quality(NEWS_HEADERS, ROCCHIO),
                    "linear SVM": quality(NEWS, SVM),
                }
            ),
            remark=REMARK_3,
        ),
        Item(
            "table4",
            "best micro-F1 on WebKB",
            MICRO_F1,
            (
                best("TCFP", quality(WEBKB, BALANCED), 0.8660),
                best("kNN", quality(WEBKB, KNN), 0.8483),
                best("NB", quality(WEBKB, NB), 0.8522),
                best("Rocchio", quality(WEBKB, ROCCHIO), 0.8598),
                best("k-NNFP", quality(WEBKB, KNNFP), 0.8278),
                best(DROPPED, after_drop(WEBKB), 0.8134),
            ),
            columns="",
            trials=(
                *(
                    best(row, quality(WEBKB, classifier), sizes=FEW_SIZES)
                    for row, classifier in {
                        "TCFP, not balanced": TCFP,
                        "TCFP without context, not balanced": TCFP_BARE,
                        "TCFP without context": f"tcfp(balance=true,{LTC})",
                        "TCFP, mean context": f"tcfp(context=mean,balance=true,{LTC})",
                        "k-NNFP, k = 5": f"knnfp(k=5,{LTC})",
                        "k-NNFP, k = 50": f"knnfp(k=50,{LTC})",
                        "NB, TFIDF weights": NB_LTC,
                        "linear SVM": SVM,
                    }.items()
                ),
                *(
                    Cell(row, "best macro-F1", Largest(at_sizes(macro_f1(quality(WEBKB, classifier)), FEW_SIZES)))
                    for row, classifier in {"TCFP": BALANCED, "TCFP, not balanced": TCFP, "kNN": KNN, "NB": NB}.items()
                ),
                *other_pages("mean over classes", WEBKB, CHI_MEAN),
                *other_pages("tags too", WEBKB_TAGS),
                *other_pages("stems", WEBKB_STEMS),
            ),
            claims=tuple(
                Claim(f"TCFP is better than {name}", "TCFP", name, ("best",))
                for name in ("kNN", "NB", "Rocchio", "k-NNFP", DROPPED)
            ),
            remark=REMARK_4,
        ),
        Item(
            "table5",
            f"seconds for the tested posts of a fold of 20 Newsgroups, mean over {len(FEW_SIZES)} numbers of terms",
            SECONDS,
            (
                Cell("TCFP without context", "mean", seconds(TCFP_BARE), 0.69),
                Cell("Rocchio", "mean", seconds(ROCCHIO), 0.8),
                Cell("NB", "mean", seconds(NB), 1.22),
                Cell("TCFP", "mean", seconds(TCFP), 1.38),
                Cell(DROPPED, "mean", seconds(KNN, DROP4), 37.97),
                Cell("kNN", "mean", seconds(KNN), 142.5),
            ),
            columns="",
            trials=(
                Cell("kNN, every cosine", "mean", seconds(KNN, search=EVERY_COSINE)),
                Cell("k-NNFP", "mean", seconds(KNNFP)),
            ),
            claims=(
                Claim("TCFP is about a hundred times as fast as kNN", "kNN", "TCFP", how="ratio", by=142.5 / 1.38),
                Claim("DROP4 makes kNN 3.75 times as fast", "kNN", DROPPED, how="ratio", by=142.5 / 37.97),
                Claim("Without context TCFP is twice as fast", "TCFP", "TCFP without context", how="ratio", by=2.0),
                Claim("Without context TCFP is faster than Rocchio", "Rocchio", "TCFP without context", how="ratio"),
                Claim("Without context TCFP is faster than NB", "NB", "TCFP without context", how="ratio"),
                Claim("TCFP takes about as long as NB", "TCFP", "NB", how="ratio", by=1.38 / 1.22),
                Claim("TCFP takes 1.7 times as long as Rocchio", "TCFP", "Rocchio", how="ratio", by=1.38 / 0.8),
                Claim("The same, if kNN has every cosine", "kNN, every cosine", "TCFP", how="ratio", by=142.5 / 1.38),
            ),
            remark=REMARK_5,
        ),
    ),
)
