"""Compare selectors, classifiers, weights and threshold rules on all corpora, and write docs/research/defaults.md.

`python -m benchmarks.defaults FOLDER` stores the measurements in a folder, so that an interrupted run can be resumed.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

from textsieve import Categorizer, compare
from textsieve.comparison import Row

from .defaults_corpora import CORPORA, MULTILABEL, Labelled, family
from .defaults_scikit_learn import F1, OURS, SIZES, measure
from .harness import made_with

SELECTOR_SIZES = (100, 500, 1000, 2000)
CLASSIFIER_SIZES = (500, 2000, 10_000)
"""Numbers of terms; the last is the default of a `Categorizer`."""
SELECTORS = (
    *("forward", "ocfs", "tofa", "ig", "ig(pooling=round-robin)"),
    *("chi", "chi(pooling=max)", "chi(pooling=round-robin)", "df", "all"),
)
WEIGHTS = ("idf=smooth,tf=loglog", "idf=smooth,tf=log", "idf=plain,tf=loglog")
CLASSIFIERS = (
    *(f"svm(C={C},{weights})" for weights in WEIGHTS for C in (0.2, 0.5, 1.0)),
    *("logistic", "nb", "cnb", "rocchio"),
)
DEFAULTS = {"selectors": "forward", "classifiers": "svm(C=0.5,idf=smooth,tf=loglog)", "cuts": Categorizer().cut}
CUTS = ("scut", "scutfbr", "rcut", "pcut", "zero")
DEVELOPMENT_CORPORA = [corpus for corpus in CORPORA if not corpus.startswith("RCV1") or corpus.endswith(" 1")]
"""The corpora on which defaults are selected; one of RCV1's subsets is enough."""
SINGLE_LABEL_CORPORA = [corpus for corpus in DEVELOPMENT_CORPORA if not CORPORA[corpus][0].startswith(MULTILABEL)]
MULTILABEL_CORPORA = [corpus for corpus in DEVELOPMENT_CORPORA if corpus not in SINGLE_LABEL_CORPORA]

Size = int | float | str
Figures = dict[tuple[str, Size, str], F1]
"""F1 by corpus, number of terms and variant."""


class Trial(NamedTuple):
    """A comparison of variants: the corpora, the numbers of terms, and a function that measures one corpus."""

    corpora: list[str]
    sizes: tuple[int, ...]
    run: Callable[[Labelled, Path], Iterable[tuple[str, Row]]]


def _compare(labelled: Labelled, results: Path, **settings: Any) -> Iterable[Row]:
    """Return the rows of `compare` on the development documents of a corpus."""
    comparison = compare(
        labelled.documents,
        labelled.labels,
        splits=[labelled.development_split()],
        multilabel=labelled.multilabel,
        results=results,
        **settings,
    )
    return comparison.rows


def _compare_selectors(labelled: Labelled, results: Path) -> Iterable[tuple[str, Row]]:
    cut = "zero" if labelled.multilabel else "pcut"  # "zero" needs no inner folds; single-label documents ignore `cut`
    rows = _compare(labelled, results, selectors=list(SELECTORS), n_terms=SELECTOR_SIZES, cut=cut)
    return ((row.selector, row) for row in rows)


def _compare_classifiers(labelled: Labelled, results: Path) -> Iterable[tuple[str, Row]]:
    rows = _compare(labelled, results, selectors="forward", n_terms=CLASSIFIER_SIZES, classifiers=list(CLASSIFIERS))
    return ((row.classifier, row) for row in rows)


def _compare_cuts(labelled: Labelled, results: Path) -> Iterable[tuple[str, Row]]:
    for cut in CUTS:
        rows = _compare(labelled, results.with_suffix(f".{cut}.jsonl"), selectors="forward", n_terms=500, cut=cut)
        yield from ((cut, row) for row in rows)


TRIALS = {
    "selectors": Trial(DEVELOPMENT_CORPORA, SELECTOR_SIZES, _compare_selectors),
    "classifiers": Trial(SINGLE_LABEL_CORPORA, CLASSIFIER_SIZES, _compare_classifiers),
    "cuts": Trial(MULTILABEL_CORPORA, (500,), _compare_cuts),
}


def run_trial(name: str, folder: Path) -> Figures:
    """Return the figures of a trial; a number of terms that a corpus does not have is left out."""
    figures: Figures = {}
    for corpus in TRIALS[name].corpora:
        for variant, row in TRIALS[name].run(Labelled.of(corpus), folder / f"{name}-{_file_name(corpus)}.jsonl"):
            assert row.micro_f1 is not None
            assert row.macro_f1 is not None
            if variant == "all" or row.n_selected == row.n_terms:
                figures[corpus, row.n_terms, variant] = F1(row.micro_f1, row.macro_f1)
        print(f"{name}: {corpus} done", flush=True)
    return figures


def run_final_test(folder: Path) -> Figures:
    """Return the figures of our selector and of scikit-learn's on the final test documents."""
    figures: Figures = {}
    for corpus in CORPORA:
        file = folder / f"end-{_file_name(corpus)}.json"
        if not file.exists():
            rows = measure(Labelled.of(corpus))
            file.write_text(json.dumps([[*key, *value] for key, value in rows.items()]), encoding="utf-8")
        for name, size, micro, macro in json.loads(file.read_text(encoding="utf-8")):
            figures[corpus, size, name] = F1(micro, macro)
        print(f"end: {corpus} done", flush=True)
    return figures


def _file_name(corpus: str) -> str:
    return "".join(letter if letter.isalnum() else "-" for letter in corpus)


# -- means and ranks ---------------------------------------------------------------------------------------------------


def by_family(values: Mapping[str, float]) -> dict[str, float]:
    """Return the values of corpora, with the mean of the corpora that count as one."""
    families: dict[str, list[float]] = {}
    for corpus, value in values.items():
        families.setdefault(family(corpus), []).append(value)
    return {name: mean(family_values) for name, family_values in families.items()}


def average_ranks(figures: Figures, sizes: Iterable[int], metric: str) -> dict[str, float]:
    """Return the average rank of each variant by "micro" or "macro", over numbers of terms and then over corpora.

    1 is the best, and ties share the mean of their ranks.
    """
    variants = list(dict.fromkeys(variant for _, _, variant in figures if variant != "all"))
    ranks: dict[str, dict[str, list[float]]] = {variant: {} for variant in variants}
    for corpus in dict.fromkeys(corpus for corpus, _, _ in figures):
        for size in sizes:
            if (corpus, size, variants[0]) not in figures:
                continue
            values = {variant: getattr(figures[corpus, size, variant], metric) for variant in variants}
            for variant, value in values.items():
                n_better = sum(other > value for other in values.values())
                n_equal = sum(other == value for other in values.values())  # including itself
                ranks[variant].setdefault(corpus, []).append(n_better + (n_equal + 1) / 2)
    return {
        variant: mean(by_family({corpus: mean(corpus_ranks) for corpus, corpus_ranks in by_corpus.items()}).values())
        for variant, by_corpus in ranks.items()
    }


def mean_at(figures: Figures, size: int | str, variant: str, metric: str) -> float:
    """Return the mean F1 of a variant over the corpora that have at least this number of terms."""
    values = {key[0]: getattr(f1, metric) for key, f1 in figures.items() if key[1:] == (size, variant)}
    return mean(by_family(values).values())


def best_of_others(figures: Figures, metric: str) -> dict[tuple[str, Size], float]:
    """Return the best F1 of scikit-learn's four selectors, by corpus and number of terms."""
    best: dict[tuple[str, Size], float] = {}
    for (corpus, size, name), f1 in figures.items():
        if name != OURS:
            best[corpus, size] = max(best.get((corpus, size), 0.0), getattr(f1, metric))
    return best


# -- the page ----------------------------------------------------------------------------------------------------------


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a Markdown table whose first column has words and the others numbers."""
    head = list(head)
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def ranking_table(figures: Figures, name: str) -> str:
    """Return a table of the variants of a trial, sorted by the average rank of micro-F1; the default is bold."""
    sizes = TRIALS[name].sizes
    micro_ranks, macro_ranks = (average_ranks(figures, sizes, metric) for metric in ("micro", "macro"))
    corpora = dict.fromkeys(corpus for corpus, _, _ in figures)
    rows = [
        [
            f"**{variant}**" if variant == DEFAULTS[name] else variant,
            *(f"{ranks[variant]:.2f}" for ranks in (micro_ranks, macro_ranks)),
            *(_format_f1(mean_at(figures, size, variant, "micro")) for size in sizes),
            *(_format_f1(mean_at(figures, size, variant, "macro")) for size in sizes),
        ]
        for variant in sorted(micro_ranks, key=micro_ranks.__getitem__)
    ]
    heads = [f"{metric} {size:,}" for metric in ("micro", "macro") for size in sizes]
    if "all" in {variant for _, _, variant in figures}:
        micro, macro = (_format_f1(mean_at(figures, "all", "all", metric)) for metric in ("micro", "macro"))
        rows.append(["all terms", "", "", *[micro] * len(sizes), *[macro] * len(sizes)])
    return f"On {', '.join(corpora)}.\n\n" + table(["", "rank, micro", "rank, macro", *heads], rows)


def mean_table(figures: Figures, metric: str) -> str:
    """Return a table of mean F1 by number of terms, and of the lead of our selector over the best of the others."""
    best_by_corpus = best_of_others(figures, metric)
    names = list(dict.fromkeys(name for _, _, name in figures))
    rows = [[f"**{name}**" if name == OURS else name] for name in names]
    best_row, lead_row, lead_by_corpus_row = (
        ["best for each corpus"],
        ["ours - best on average, points"],
        ["ours - best for each corpus"],
    )
    for size in SIZES:
        best_of_size = {corpus: f1 for (corpus, best_size), f1 in best_by_corpus.items() if best_size == size}
        best_for_each_corpus = mean(by_family(best_of_size).values())
        means = {name: mean_at(figures, size, name, metric) for name in names}
        for row, value in zip(rows, means.values(), strict=True):
            row.append(_format_f1(value))
        best_on_average = max(value for name, value in means.items() if name != OURS)
        best_row.append(_format_f1(best_for_each_corpus))
        lead_row.append(f"{100 * (means[OURS] - best_on_average):+.2f}")
        lead_by_corpus_row.append(f"{100 * (means[OURS] - best_for_each_corpus):+.2f}")
    rows += [best_row, lead_row, lead_by_corpus_row]
    return table([f"mean {metric}-F1", *(f"{size:,}" for size in SIZES)], rows)


def corpus_table(figures: Figures) -> str:
    """Return a table of the lead of our selector over the best of the others on each corpus, in points of micro-F1."""
    best = best_of_others(figures, "micro")
    rows = []
    for corpus in dict.fromkeys(corpus for corpus, _, _ in figures):
        leads = []
        for size in SIZES:
            ours = figures.get((corpus, size, OURS))
            leads.append("" if ours is None else f"{100 * (ours.micro - best[corpus, size]):+.2f}")
        rows.append([corpus, *leads])
    return table(["ours - best for the corpus, points", *(f"{size:,}" for size in SIZES)], rows)


def _format_f1(value: float) -> str:
    """Return F1 with three digits and without the leading zero: ".812"."""
    return f"{value:.3f}".removeprefix("0")


def made_today() -> str:
    """Return a sentence about the versions, the commit and the date of a run."""
    made = made_with("numpy", "scipy", "scikit-learn", "numba")
    versions = ", ".join(f"{name} {number}" for name, number in made.items() if name != "commit")
    return f"Measured with {versions} at commit {made['commit']} on {datetime.now(UTC):%Y-%m-%d}."


def page(development: Mapping[str, Figures], final_test: Figures, made: str) -> str:
    """Return the text of docs/research/defaults.md; `made` says what it was made with."""
    return "\n\n".join(
        [
            "# How the defaults were chosen",
            "Written by `make defaults`. Decisions are made on training documents alone, by `compare`: the first "
            "quarter of each class is held out, so that documents which were written together are mostly on one side. "
            "The default is bold. Ranks are those of micro-F1 and macro-F1 among the lines of a table, averaged over "
            "numbers of terms and then over corpora.",
            made,
            "## Selectors",
            "With the default classifier; multilabel documents get the labels with a score above 0 (`zero`). "
            "[Measurements of forward selection](forward-results.md) have its development, and a comparison on 17 "
            "corpora, in which it is ahead of OCFS at 1,000 and 2,000 terms, too.",
            ranking_table(development["selectors"], "selectors"),
            "## Classifiers and weights",
            "On the terms that `forward` selects; 10,000 terms are those of `ocfs`. nb, cnb and rocchio have the "
            "weights that were best for them with 1,000 and 10,000 terms of OCFS.",
            ranking_table(development["classifiers"], "classifiers"),
            "## Multilabel documents: threshold rules",
            ranking_table(development["cuts"], "cuts"),
            "## Against scikit-learn",
            "On test documents, which were used only after all decisions. All selectors get the same weights, and the "
            'same linear SVM is trained on the terms that each selects. "Best on average" is the one of '
            'scikit-learn\'s four selectors with the highest mean; "best for each corpus" is the best of the four on '
            "each corpus, which nobody could know beforehand. RCV1's five subsets, which have 944 terms, count as one "
            "corpus.",
            mean_table(final_test, "micro"),
            mean_table(final_test, "macro"),
            corpus_table(final_test),
        ]
    )


def main() -> None:
    """Measure, and write the page."""
    made = made_today()  # before a long run, during which files may change
    with tempfile.TemporaryDirectory() as temporary_folder:
        folder = Path(sys.argv[1] if len(sys.argv) > 1 else temporary_folder)
        folder.mkdir(parents=True, exist_ok=True)
        development = {name: run_trial(name, folder) for name in TRIALS}
        text = page(development, run_final_test(folder), made)
    Path(__file__).parents[1].joinpath("docs", "research", "defaults.md").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
