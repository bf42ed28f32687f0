"""The output of `textsieve compare` as tables for people."""

import math
from collections.abc import Sequence
from typing import Any

from ..comparison import Comparison
from ..comparison.outcome import mean_text, p_text, size_text
from ..comparison.plan import Size
from ..comparison.splits import split_in_words
from ..comparison.summary import Mean, Summary
from ..errors import counted
from .output import Column, Page, numbers

MOST_PAIRS = 30
"""The maximum number of pairs of selectors whose overlap is printed."""
NOTHING = "-"


def show(found: Comparison, results: str) -> None:
    """Print all tables of a comparison; `results` is the name of its file of results."""
    page, header = Page(), found.header
    split = split_in_words(header["split"])
    page.line(f"{header['corpus']}: {header['documents']:,} documents, {len(header['classes']):,} classes")
    page.line(f"{counted(len(found.conditions), 'combination')}, tested on {split}")
    lines = in_order(found)
    test = "corrected t-test on splits" if header["split"].get("overlapping") else "sign test on documents"
    _show_quality(page, lines, test, multilabel=header["several_labels"])
    _show_problems(page, lines)
    _show_cost(page, lines)
    _show_ranks(page, found)
    _show_overlap(page, found)
    _show_stability(page, found)
    page.line(f"All results are in {results}")


def in_order(found: Comparison) -> list[Summary]:
    """Return the summaries by number of terms, in the order of the request, and for each number the best first."""
    sizes = list(dict.fromkeys(line.n_terms for line in found.summary))

    def sort_key(line: Summary) -> tuple[int, float]:
        return sizes.index(line.n_terms), -math.inf if line.is_best_in_size else -_value(line.micro_f1)

    return sorted(found.summary, key=sort_key)


def _value(mean: Mean | None) -> float:
    return -1.0 if mean is None else mean.value


def _show_quality(page: Page, lines: Sequence[Summary], test: str, *, multilabel: bool) -> None:
    titles = ["kept", "micro-F1", "macro-F1", *(["all right"] if multilabel else []), "p"]
    rows = []
    for line in lines:
        means = [line.micro_f1, line.macro_f1, *([line.accuracy] if multilabel else [])]
        n_kept = NOTHING if line.n_kept is None else f"{line.n_kept:,.0f}"
        cells = [NOTHING if mean is None else mean_text(mean) for mean in means]
        rows.append([size_text(line.n_terms), line.selector, line.classifier, n_kept, *cells, p_text(line)])
    page.table([*numbers("terms"), Column("selector"), Column("classifier"), *numbers(*titles)], rows)
    interval = (
        "±: half of the 95 % interval of the mean over folds. " if any(_has_interval(line) for line in lines) else ""
    )
    page.line(
        f"{interval}p: how likely such a lead of the best of the same number of terms is by chance ({test}, "
        "with Holm's correction)."
    )


def _has_interval(line: Summary) -> bool:
    return line.micro_f1 is not None and line.micro_f1.half_width is not None


def _show_problems(page: Page, lines: Sequence[Summary]) -> None:
    """Print why combinations have no figures; name the classifiers unless all of them are affected."""
    affected: dict[tuple[str, Size, str], list[str]] = {}
    for line in lines:
        if line.problem is not None:
            affected.setdefault((line.selector, line.n_terms, line.problem), []).append(line.classifier)
    n_classifiers = len({line.classifier for line in lines})
    for (selector, size, problem), classifiers in affected.items():
        with_classifiers = "" if len(classifiers) == n_classifiers else f", {', '.join(classifiers)}"
        page.line(f"{selector}, {size_text(size)} terms{with_classifiers}: {problem}")


def _show_cost(page: Page, lines: Sequence[Summary]) -> None:
    measured = [line for line in lines if line.model_bytes is not None]
    differ = len({_threads(line) for line in measured}) > 1
    rows = [
        [
            *(size_text(line.n_terms), line.selector, line.classifier),
            *([_threads(line)] if differ else []),
            *map(_seconds, (line.selection_seconds, line.training_seconds, line.prediction_seconds)),
            f"{(line.model_bytes or 0) / 1000:,.1f}",
        ]
        for line in measured
    ]
    titles = numbers(*(["threads"] if differ else []), "selection", "training", "prediction", "model, kB")
    page.table([*numbers("terms"), Column("selector"), Column("classifier"), *titles], rows, title="Seconds, and size")
    if differ:
        page.line("Seconds can be compared only where the threads are the same; of a mixture there are none.")


def _threads(line: Summary) -> str:
    """Return the number of threads and of the machine's cores, such as "4 of 8", or "mixed"."""
    return "mixed" if line.threads is None or line.cores is None else f"{line.threads} of {line.cores}"


def _seconds(value: float | None) -> str:
    return NOTHING if value is None else f"{value:.3f}"


def _show_ranks(page: Page, comparison: Comparison) -> None:
    if len(comparison.ranks) > 1:
        rows = [[rank.selector, rank.classifier, f"{rank.rank:.2f}"] for rank in comparison.ranks]
        page.table([Column("selector"), Column("classifier"), *numbers("rank")], rows, title="Average rank by micro-F1")


def _show_overlap(page: Page, comparison: Comparison) -> None:
    """Print the number of shared terms: a row for each pair of selectors, a column for each number of terms."""
    cells = {(overlap.selectors, overlap.n_terms): f"{overlap.likeness.shared:,.0f}" for overlap in comparison.overlaps}
    rows = _by_size(cells, lambda pair: [" and ".join(pair)])
    if rows:
        page.table([Column("shared terms"), *numbers(*_sizes(cells))], rows[:MOST_PAIRS], title="Overlap")
    if len(rows) > MOST_PAIRS:
        page.line(f"and {counted(len(rows) - MOST_PAIRS, 'more pair')}, with --json")


def _show_stability(page: Page, comparison: Comparison) -> None:
    cells = {
        (stability.selector, stability.n_terms): _index(stability.likeness.kuncheva)
        for stability in comparison.stabilities
    }
    rows = _by_size(cells, lambda selector: [selector])
    if rows:
        title = "Stability between folds (Kuncheva's index: 1 is the same terms, 0 is chance)"
        page.table([Column("selector"), *numbers(*_sizes(cells))], rows, title=title)


def _index(value: float) -> str:
    return NOTHING if math.isnan(value) else f"{value:.2f}"


def _sizes(cells: dict[Any, str]) -> list[str]:
    return [size_text(size) for size in dict.fromkeys(size for _, size in cells)]


def _by_size(cells: dict[Any, str], titles: Any) -> list[list[str]]:
    names, sizes = dict.fromkeys(name for name, _ in cells), dict.fromkeys(size for _, size in cells)
    return [[*titles(name), *(cells.get((name, size), NOTHING) for size in sizes)] for name in names]
