"""Paper 003: votes on feature projections (TCFP), against kNN and its faster forms, naive Bayes and Rocchio."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from .conditions import Claim, Condition, Item, Paper
from .derived import Largest, MeanOf
from .documents import Collection
from .dropping import QualityAfterDrop
from .frequencies import RARE, DocumentFrequency
from .learning import Drop
from .measurements import Measurement
from .predicting import EVERY_COSINE, PredictionSeconds
from .quality import Quality
from .tcfp_words import (
    REMARK_1,
    REMARK_2,
    REMARK_3,
    REMARK_4,
    REMARK_5,
    REMARK_DROP,
    SETTING,
    TABLE_1_AS_READ,
)
from .verdicts import MICRO_F1, SECONDS, TERMS, Tolerance, Unit

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

AtSize = Quality | QualityAfterDrop | PredictionSeconds
"""What is measured at a number of terms."""


def curve(row: str, of: AtSize, sizes: Sequence[int] = SIZES) -> tuple[Condition, ...]:
    """A row of a figure."""
    return tuple(Condition(row, size, each) for size, each in zip(sizes, at_sizes(of, sizes), strict=True))


def at_most_terms(rows: Mapping[str, Measurement]) -> tuple[Condition, ...]:
    """Trials, at the largest number of terms alone."""
    return tuple(Condition(row, MOST, what) for row, what in rows.items())


def at_sizes(of: AtSize, sizes: Iterable[int]) -> tuple[AtSize, ...]:
    """A measurement at several numbers of terms."""
    return tuple(replace(of, n_terms=size) for size in sizes)


def mean_over_sizes(of: AtSize, sizes: Iterable[int]) -> MeanOf:
    """The mean of a curve."""
    return MeanOf(at_sizes(of, sizes), are_draws=False)


def quality(collection: Collection, classifier: str, selector: str = CHI) -> Quality:
    """Micro-F1 at the largest number of terms."""
    return Quality(collection, selector, MOST, classifier)


def macro_f1(of: Quality) -> Quality:
    """The same in macro-F1, which small classes count as much in as large ones."""
    return replace(of, figure="macro_f1")


def after_drop(collection: Collection, figure: str = "micro_f1", drop: Drop = DROP4) -> QualityAfterDrop:
    """Of neighbours among fewer documents."""
    return QualityAfterDrop(collection, CHI, MOST, KNN, drop, figure)


def seconds(classifier: str, drop: Drop | None = None, search: str = "") -> MeanOf:
    """Of the processor, the mean over numbers of terms."""
    return mean_over_sizes(PredictionSeconds(NEWS, CHI, MOST, classifier, drop, search), FEW_SIZES)


def frequencies(row: str, collection: Collection, selector: str, printed: Mapping[str, float]) -> tuple[Condition, ...]:
    """A row of Table 1."""
    units = {"mean": MEAN_FREQUENCY, "maximum": None, "minimum": None, f"below {RARE}": None}
    return tuple(
        Condition(row, name, DocumentFrequency(collection, selector, MOST, name), printed.get(name), unit=unit)
        for name, unit in units.items()
    )


def vocabulary(row: str, collection: Collection, printed: float | None = None) -> Condition:
    """How many terms there are: of posts in the documents to learn from, of pages in all, as the paper says."""
    whole = collection.corpus.startswith("webkb")
    what = DocumentFrequency(collection, "all", "all", "terms", "all documents" if whole else "folds")
    return Condition(row, "all terms", what, printed)


def best(row: str, of: AtSize, printed: float | None = None, sizes: Iterable[int] = SIZES) -> Condition:
    """The top of a curve."""
    return Condition(row, "best", Largest(at_sizes(of, sizes)), printed)


def other_pages(words: str, collection: Collection, selector: str = CHI) -> tuple[Condition, ...]:
    """Table 4 from pages that are read otherwise."""
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
                Condition("20 Newsgroups", "mean", mean_over_sizes(after_drop(NEWS, "kept"), FEW_SIZES), 0.26),
                Condition("WebKB", "mean", mean_over_sizes(after_drop(WEBKB, "kept"), SIZES), 0.26),
            ),
            columns="",
            trials=tuple(
                Condition(f"{name}, k = {k}", MOST, after_drop(collection, "kept", Drop(4, k)))
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
                    Condition(row, "best macro-F1", Largest(at_sizes(macro_f1(quality(WEBKB, classifier)), FEW_SIZES)))
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
                Condition("TCFP without context", "mean", seconds(TCFP_BARE), 0.69),
                Condition("Rocchio", "mean", seconds(ROCCHIO), 0.8),
                Condition("NB", "mean", seconds(NB), 1.22),
                Condition("TCFP", "mean", seconds(TCFP), 1.38),
                Condition(DROPPED, "mean", seconds(KNN, DROP4), 37.97),
                Condition("kNN", "mean", seconds(KNN), 142.5),
            ),
            columns="",
            trials=(
                Condition("kNN, every cosine", "mean", seconds(KNN, search=EVERY_COSINE)),
                Condition("k-NNFP", "mean", seconds(KNNFP)),
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
