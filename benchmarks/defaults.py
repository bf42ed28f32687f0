"""How the defaults were chosen, by `compare` on the training documents of all corpora; writes docs/defaults.md.

A folder may be named, which gets what is measured, so that another run goes on where this one ended.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

from textsieve import Categorizer, compare
from textsieve.comparison import Row

from .defaults_corpora import CORPORA, SEVERAL, Labelled, family
from .defaults_scikit_learn import F1, OURS, SIZES, measured

TERMS = (100, 500, 1000, 2000)
FOR_CLASSIFIERS = (500, 2000, 10_000)
"""The last is what a `Categorizer` keeps unless told otherwise."""
SELECTORS = (
    *(
        "forward",
        "ocfs",
        "tofa",
        "ig",
        "ig(pooling=round-robin)",
        "chi",
        "chi(pooling=max)",
        "chi(pooling=round-robin)",
    ),
    *("df", "all"),
)
WEIGHTS = ("idf=smooth,tf=loglog", "idf=smooth,tf=log", "idf=plain,tf=loglog")
CLASSIFIERS = (
    *(f"svm(C={C},{weights})" for weights in WEIGHTS for C in (0.2, 0.5, 1.0)),
    *("logistic", "nb", "cnb", "rocchio"),
)
USUAL = {"selectors": "forward", "classifiers": "svm(C=0.5,idf=smooth,tf=loglog)", "cuts": Categorizer().cut}
CUTS = ("scut", "scutfbr", "rcut", "pcut", "zero")
CHOSEN_ON = [corpus for corpus in CORPORA if not corpus.startswith("RCV1") or corpus.endswith(" 1")]
"""For choosing, one of RCV1's subsets is enough."""
ONE_LABEL = [corpus for corpus in CHOSEN_ON if not CORPORA[corpus][0].startswith(SEVERAL)]
MANY_LABELS = [corpus for corpus in CHOSEN_ON if corpus not in ONE_LABEL]

Figures = dict[tuple[str, int | float | str, str], F1]
"""By corpus, number of terms and what was tried."""


class Trial(NamedTuple):
    """What is compared, and on what."""

    corpora: list[str]
    sizes: tuple[int, ...]
    run: Callable[[Labelled, Path], Iterable[tuple[str, Row]]]


def _compared(labelled: Labelled, results: Path, **plan: Any) -> Iterable[Row]:
    found = compare(
        *(labelled.documents, labelled.labels),
        splits=[labelled.quarter()],
        multilabel=labelled.multilabel,
        results=results,
        **plan,
    )
    return found.rows


def _selectors(labelled: Labelled, results: Path) -> Iterable[tuple[str, Row]]:
    cut = "zero" if labelled.multilabel else "pcut"  # which needs no folds inside; with one label it is the same
    rows = _compared(labelled, results, selectors=list(SELECTORS), n_terms=TERMS, cut=cut)
    return ((row.selector, row) for row in rows)


def _classifiers(labelled: Labelled, results: Path) -> Iterable[tuple[str, Row]]:
    rows = _compared(labelled, results, selectors="forward", n_terms=FOR_CLASSIFIERS, classifiers=list(CLASSIFIERS))
    return ((row.classifier, row) for row in rows)


def _cuts(labelled: Labelled, results: Path) -> Iterable[tuple[str, Row]]:
    for cut in CUTS:
        own = results.with_suffix(f".{cut}.jsonl")
        yield from ((cut, row) for row in _compared(labelled, own, selectors="forward", n_terms=500, cut=cut))


TRIALS = {
    "selectors": Trial(CHOSEN_ON, TERMS, _selectors),
    "classifiers": Trial(ONE_LABEL, FOR_CLASSIFIERS, _classifiers),
    "cuts": Trial(MANY_LABELS, (500,), _cuts),
}


def figures_of(name: str, folder: Path, corpora: Iterable[str]) -> Figures:
    """What a trial measures on some corpora; more terms than there are count as "all"."""
    found: Figures = {}
    for corpus in corpora:
        for variant, row in TRIALS[name].run(Labelled.of(corpus), folder / f"{name}-{_plain(corpus)}.jsonl"):
            assert row.micro_f1 is not None
            assert row.macro_f1 is not None
            if variant == "all" or row.n_selected == row.n_terms:
                found[corpus, row.n_terms, variant] = F1(row.micro_f1, row.macro_f1)
        print(f"{name}: {corpus} done", flush=True)
    return found


def at_the_end(folder: Path, corpora: Iterable[str]) -> Figures:
    """Our selector and scikit-learn's on the documents that were kept for the end."""
    found: Figures = {}
    for corpus in corpora:
        file = folder / f"end-{_plain(corpus)}.json"
        if not file.exists():
            labelled = Labelled.of(corpus)
            rows = measured(labelled, labelled.for_choosing, labelled.for_the_end)
            file.write_text(json.dumps([[*key, *value] for key, value in rows.items()]), encoding="utf-8")
        for name, size, micro, macro in json.loads(file.read_text(encoding="utf-8")):
            found[corpus, size, name] = F1(micro, macro)
        print(f"end: {corpus} done", flush=True)
    return found


def _plain(corpus: str) -> str:
    return "".join(letter if letter.isalnum() else "-" for letter in corpus)


# -- what is read off the figures --------------------------------------------------------------------------------------


def by_family(figures: Mapping[str, float]) -> dict[str, float]:
    """The mean of the corpora that count as one."""
    found: dict[str, list[float]] = {}
    for corpus, value in figures.items():
        found.setdefault(family(corpus), []).append(value)
    return {name: mean(values) for name, values in found.items()}


def ranks(figures: Figures, sizes: Iterable[int], measure: str) -> dict[str, float]:
    """The average rank of each variant, 1 is the best: over sizes, then over corpora; equals share their ranks."""
    variants = list(dict.fromkeys(variant for _, _, variant in figures if variant != "all"))
    found: dict[str, dict[str, list[float]]] = {variant: {} for variant in variants}
    for corpus in dict.fromkeys(corpus for corpus, _, _ in figures):
        for size in sizes:
            if (corpus, size, variants[0]) not in figures:
                continue
            values = {variant: getattr(figures[corpus, size, variant], measure) for variant in variants}
            for variant, own in values.items():
                better = sum(other > own for other in values.values())
                equal = sum(other == own for other in values.values())
                found[variant].setdefault(corpus, []).append(better + (equal + 1) / 2)
    return {
        variant: mean(by_family({corpus: mean(each) for corpus, each in own.items()}).values())
        for variant, own in found.items()
    }


def mean_at(figures: Figures, size: int | str, variant: str, measure: str) -> float:
    """The mean over the corpora that have more terms than that."""
    own = {key[0]: getattr(value, measure) for key, value in figures.items() if key[1:] == (size, variant)}
    return mean(by_family(own).values())


def best_of_others(figures: Figures, measure: str) -> dict[tuple[str, int | float | str], float]:
    """By corpus and size, the best of scikit-learn's four."""
    best: dict[tuple[str, int | float | str], float] = {}
    for (corpus, size, name), value in figures.items():
        if name != OURS:
            best[corpus, size] = max(best.get((corpus, size), 0.0), getattr(value, measure))
    return best


# -- the page ----------------------------------------------------------------------------------------------------------


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table, the first column of words and the others of numbers."""
    head = list(head)
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def ranking(figures: Figures, name: str) -> str:
    """All variants by the average rank of their micro-F1; the default is bold."""
    sizes = TRIALS[name].sizes
    micro, macro = (ranks(figures, sizes, measure) for measure in ("micro", "macro"))
    corpora = dict.fromkeys(corpus for corpus, _, _ in figures)
    rows = [
        [
            f"**{variant}**" if variant == USUAL[name] else variant,
            *(f"{own[variant]:.2f}" for own in (micro, macro)),
            *(_point(mean_at(figures, size, variant, "micro")) for size in sizes),
            *(_point(mean_at(figures, size, variant, "macro")) for size in sizes),
        ]
        for variant in sorted(micro, key=micro.__getitem__)
    ]
    measures = [f"{measure} {size:,}" for measure in ("micro", "macro") for size in sizes]
    if "all" in {variant for _, _, variant in figures}:
        every = [_point(mean_at(figures, "all", "all", measure)) for measure in ("micro", "macro")]
        rows.append(["all terms", "", "", *[every[0]] * len(sizes), *[every[1]] * len(sizes)])
    return f"On {', '.join(corpora)}.\n\n" + table(["", "rank, micro", "rank, macro", *measures], rows)


def against(figures: Figures, measure: str) -> str:
    """Means by size, and how often ours is better than the best of the others."""
    best = best_of_others(figures, measure)
    names = list(dict.fromkeys(name for _, _, name in figures))
    rows = [[f"**{name}**" if name == OURS else name] for name in names]
    last = [["best for each corpus"], ["ours - best on average, points"], ["ours - best for each corpus"]]
    for size in SIZES:
        of_each = mean(by_family({key[0]: value for key, value in best.items() if key[1] == size}).values())
        values = {name: mean_at(figures, size, name, measure) for name in names}
        for row, value in zip(rows, values.values(), strict=True):
            row.append(_point(value))
        of_one = max(value for name, value in values.items() if name != OURS)
        last[0].append(_point(of_each))
        last[1].append(f"{100 * (values[OURS] - of_one):+.2f}")
        last[2].append(f"{100 * (values[OURS] - of_each):+.2f}")
    rows += last
    return table([f"mean {measure}-F1", *(f"{size:,}" for size in SIZES)], rows)


def by_corpus(figures: Figures) -> str:
    """Ours minus the best of the others, in points of micro-F1, corpus by corpus."""
    best = best_of_others(figures, "micro")
    rows = []
    for corpus in dict.fromkeys(corpus for corpus, _, _ in figures):
        own = [figures.get((corpus, size, OURS)) for size in SIZES]
        points = [
            "" if each is None else f"{100 * (each.micro - best[corpus, size]):+.2f}"
            for each, size in zip(own, SIZES, strict=True)
        ]
        rows.append([corpus, *points])
    return table(["ours - best for the corpus, points", *(f"{size:,}" for size in SIZES)], rows)


def _point(value: float) -> str:
    return f"{value:.3f}".removeprefix("0")


def page(chosen: Mapping[str, Figures], end: Figures) -> str:
    """All of it, as Markdown."""
    return "\n\n".join(
        [
            "# How the defaults were chosen",
            "Written by `make defaults`. Choices are made on training documents alone, by `compare`: of each class the "
            "first quarter is held out, so that documents which were written together are mostly on one side. The "
            "default is bold. Ranks are those of micro-F1 and macro-F1 among the lines of a table, averaged over "
            "numbers of terms and then over corpora.",
            "## Selectors",
            "With the default classifier; several labels are those with a score above 0 (`zero`). How `forward` was "
            "found, and what else was tried: [forward.md](forward.md).",
            ranking(chosen["selectors"], "selectors"),
            "## Classifiers and weights",
            "On the terms that `forward` chooses; at 10,000 these are those of `ocfs`. The weights of nb, cnb and "
            "rocchio are those that suited them best at 1,000 and 10,000 terms of OCFS.",
            ranking(chosen["classifiers"], "classifiers"),
            "## Several labels: how scores are cut",
            ranking(chosen["cuts"], "cuts"),
            "## Against scikit-learn",
            "On test documents, which were not looked at before everything was settled. All selectors get the same "
            'weights, and the same linear SVM is trained on the terms that each chooses. "On average" is the one of '
            'scikit-learn\'s four with the best mean; "for each corpus" is another of them wherever another is better, '
            "as nobody could know beforehand. RCV1's five subsets, which have 944 terms, count as one corpus.",
            against(end, "micro"),
            against(end, "macro"),
            by_corpus(end),
        ]
    )


def main() -> None:
    """Measure, and write the page."""
    with tempfile.TemporaryDirectory() as other:
        folder = Path(sys.argv[1] if len(sys.argv) > 1 else other)
        folder.mkdir(parents=True, exist_ok=True)
        chosen = {name: figures_of(name, folder, trial.corpora) for name, trial in TRIALS.items()}
        text = page(chosen, at_the_end(folder, CORPORA))
    Path(__file__).parents[1].joinpath("docs", "defaults.md").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
