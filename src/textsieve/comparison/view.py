"""The view of a comparison: all its tables and texts, formatted once for the terminal, the report and `str`.

A `ComparisonView` has tables of formatted cells, notes, problems and findings. Its three renderers are
`cli/compare.py`, the report's template and `render_text` below. They lay tables out, and format no number.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from ..display import Html, interval
from ..errors import counted
from .cross_fitting import FEWEST_TEST_DOCUMENTS
from .findings import Finding, combination_text, find_best
from .plan import ALL, Size, size_text
from .splits import describe_split
from .summary import Mean, Summary, best_first

if TYPE_CHECKING:
    from ..evaluation.confidence import Confidence
    from .outcome import Comparison

NOTHING = "–"
"""The text of a cell without a value."""
LEAST_UNKNOWN_SHARE = 0.05
"""The share of test documents without a selected term from which on a note mentions them."""
MAX_UNKNOWN_SELECTIONS = 5
"""The number of selectors and sizes that this note lists before it says how many more there are."""
MAX_NAMED_CLASSES = 20
"""The number of classes that a sentence lists before it says how many more there are."""


# -- parts of a view ---------------------------------------------------------------------------------------------


class TableColumn(NamedTuple):
    """A column of a table."""

    key: str
    """The name of the column in code."""
    title: str
    """The name of the column for readers."""
    is_number: bool = True
    first_order: Literal["ascending", "descending"] = "ascending"
    """How the report sorts the table when a reader first clicks on the title of the column."""
    interval_of: str = ""
    """For a column of intervals, the key of the column with their means; otherwise empty."""


class TableCell(NamedTuple):
    """The text of a cell, and the number by which the report sorts a column of numbers; cells without one come last."""

    text: str
    value: float | None = None


class TableRow(NamedTuple):
    """A row, and whether it is the best."""

    cells: tuple[TableCell, ...]
    is_best: bool = False


@dataclass(frozen=True)
class ViewTable:
    """Formatted cells in columns and rows."""

    name: str
    title: str
    columns: tuple[TableColumn, ...]
    rows: tuple[TableRow, ...]
    note: str = ""

    def only(self, *keys: str) -> ViewTable:
        """Return the table with only the columns of these keys, in the order of the table; ignore unknown keys."""
        numbers = [number for number, column in enumerate(self.columns) if column.key in keys]
        rows = tuple(row._replace(cells=tuple(row.cells[number] for number in numbers)) for row in self.rows)
        return replace(self, columns=tuple(self.columns[number] for number in numbers), rows=rows)

    def without(self, key: str) -> ViewTable:
        """Return the table without the column of this key."""
        return self.only(*(column.key for column in self.columns if column.key != key))

    def join_intervals(self) -> ViewTable:
        """Return the table with each interval in the cell of its mean (0.812 ±0.020), and no columns of intervals."""
        # The position of the column of intervals, by the key of the column with their means.
        interval_places = {
            column.interval_of: number for number, column in enumerate(self.columns) if column.interval_of
        }

        def join_cell(row: TableRow, number: int) -> TableCell:
            """Return cell `number` of a row, with its interval if it has one."""
            cell, interval_place = row.cells[number], interval_places.get(self.columns[number].key)
            if interval_place is None or row.cells[interval_place].value is None:
                return cell
            return cell._replace(text=f"{cell.text} ±{row.cells[interval_place].text}")

        numbers = [number for number, column in enumerate(self.columns) if not column.interval_of]
        rows = tuple(row._replace(cells=tuple(join_cell(row, number) for number in numbers)) for row in self.rows)
        return replace(self, columns=tuple(self.columns[number] for number in numbers), rows=rows)

    def draw_intervals(self, key: str = "micro_f1") -> list[Html]:
        """Return the mean and the interval of each row as a drawing; all drawings have the same axis.

        `key` is that of the column with the means. The drawing of a row without an interval is empty. A table without a
        column of intervals for these means has no drawings.
        """
        places = {column.key: number for number, column in enumerate(self.columns)}
        interval_place = next((places[column.key] for column in self.columns if column.interval_of == key), None)
        if interval_place is None:
            return []
        means_and_widths = [(row.cells[places[key]].value, row.cells[interval_place].value) for row in self.rows]
        # The lower end, the mean and the upper end of each row. F1 is from 0 to 1, and wide intervals end there.
        intervals = [
            None if mean is None or half is None else (max(mean - half, 0.0), mean, min(mean + half, 1.0))
            for mean, half in means_and_widths
        ]
        # The axis reaches from the lowest to the highest end of all rows, and is drawn from 0 to 1.
        axis_start = min((ends[0] for ends in intervals if ends is not None), default=0.0)
        axis_end = max((ends[2] for ends in intervals if ends is not None), default=1.0)
        axis_length = axis_end - axis_start or 1.0
        return [
            Html() if ends is None else interval(*((value - axis_start) / axis_length for value in ends))
            for ends in intervals
        ]


class CombinationConfidence(NamedTuple):
    """A combination in a few words, and how certain and how right its labels are."""

    combination: str
    confidence: Confidence


class FactGroup(NamedTuple):
    """Names and values under a title, such as the settings of a run."""

    title: str
    facts: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class ComparisonView:
    """The formatted tables, notes and findings of a comparison; a table without rows is not shown."""

    corpus: str
    facts: tuple[str, str, str, str]
    """The numbers of documents, classes and combinations, and how documents were split."""
    findings: tuple[Finding, ...]
    problems: tuple[str, ...]
    """Sentences on why combinations have no figures, and on classes without training documents."""
    notes: tuple[str, ...]
    """Sentences on documents without a selected term, and on selectors that selected the same terms."""
    conditions: ViewTable
    """All combinations with all figures, the best first."""
    quality: ViewTable
    """All combinations by number of terms, the best first: F1 with its interval in one cell, and p."""
    cost: ViewTable
    """Seconds and size of the measured combinations, in the order of `quality`."""
    timing_note: str
    """The number of threads with which seconds were measured, or a warning that threads or machines differ."""
    ranks: ViewTable
    overlap: ViewTable
    """Shared terms: a row for each pair of selectors, a column for each number of terms."""
    stability: ViewTable
    confidence: tuple[CombinationConfidence, ...]
    """The combinations whose labels have probabilities, the best first."""
    confidence_note: str
    """How probabilities were fitted, or why there are none; empty if multilabel, or without any figures."""
    about_run: tuple[FactGroup, ...]


# -- texts -------------------------------------------------------------------------------------------------------


def label_text(label: Any) -> str:
    """Return the name of a class."""
    return label if isinstance(label, str) else json.dumps(label)


def threads_differ(comparison: Comparison) -> bool:
    """Return whether the measured combinations differ in their numbers of threads or of cores.

    Their seconds can't be compared then. Another number of cores means another machine.
    """
    measured = [summary for summary in comparison.summary if summary.micro_f1 is not None]
    return len({(summary.threads, summary.cores) for summary in measured}) > 1


def _value_text(value: Any) -> str:
    """Return the value of a setting as text."""
    if value is None or isinstance(value, bool):
        return {None: NOTHING, True: "yes", False: "no"}[value]
    return value if isinstance(value, str) else json.dumps(value)


# -- the table of conditions -------------------------------------------------------------------------------------

_FilledColumn = tuple[TableColumn, Callable[[Summary], TableCell]]
"""A column, and the function that makes its cell for a condition."""
_KEY_COLUMNS = ("terms", "selector", "classifier")
QUALITY_COLUMNS = (*_KEY_COLUMNS, "selected", "micro_f1", "macro_f1", "accuracy", "p")
"""The columns of the table of quality."""


def _number_cell(value: float | None, format_spec: str) -> TableCell:
    """Return the cell of a number, or a dash if it is None or not finite."""
    if value is None or not math.isfinite(value):
        return TableCell(NOTHING)
    return TableCell(format(value, format_spec), float(value))


def _mean_count_cell(mean: float) -> TableCell:
    """Return the cell of a mean of counts: with one decimal, or none if it is a whole number."""
    return _number_cell(mean, ",.0f" if mean.is_integer() else ",.1f")


def _p_cell(p: float | None, is_best: bool) -> TableCell:
    """Return a p-value, or "best" for the condition against which the others are tested."""
    if is_best:
        return TableCell("best", 2.0)  # above any p-value, so that "best" is first in descending order
    return TableCell(NOTHING) if p is None else TableCell("<0.001" if p < 0.001 else f"{p:.3f}", p)


def _size_cell(summary: Summary) -> TableCell:
    """Return the requested number of terms as text; it is sorted by the number of selected terms.

    So shares and "all" are sorted among the numbers. A condition without figures is sorted by its request.
    """
    requested = summary.n_terms if isinstance(summary.n_terms, int) else None
    return TableCell(size_text(summary.n_terms), requested if summary.n_selected is None else summary.n_selected)


def _threads_cell(summary: Summary) -> TableCell:
    """Return the number of threads and of cores, such as "2 of 8", or "mixed" if the condition has no such numbers.

    It has none if its rows differ in them, or if it has no figures.
    """
    if summary.threads is None or summary.cores is None:
        return TableCell("mixed")
    return TableCell(f"{summary.threads} of {summary.cores}", summary.threads)


def _mean_columns(key: str, title: str, *, with_interval: bool) -> list[_FilledColumn]:
    """Return the column of a `Mean` in `Summary`, and if `with_interval` also that of half the widths of its intervals.

    `key` is the name of the field of `Summary`, and of the column.
    """

    def mean_cell(summary: Summary) -> TableCell:
        mean: Mean | None = getattr(summary, key)
        return _number_cell(None if mean is None else mean.value, ".3f")

    def interval_cell(summary: Summary) -> TableCell:
        mean: Mean | None = getattr(summary, key)
        return _number_cell(None if mean is None else mean.half_width, ".3f")

    columns: list[_FilledColumn] = [(TableColumn(key, title, first_order="descending"), mean_cell)]
    if with_interval:
        columns.append((TableColumn(f"{key}_interval", f"± {title}", interval_of=key), interval_cell))
    return columns


def _seconds_column(step: str) -> _FilledColumn:
    """Return the column for the seconds of "selection", "training" or "prediction"."""
    column = TableColumn(f"{step}_seconds", f"{step}, s")
    return column, lambda summary: _number_cell(getattr(summary, column.key), ".3f")


def _kilobytes_cell(summary: Summary) -> TableCell:
    """Return the size of the model file in kilobytes of 1,000 bytes."""
    return _number_cell(None if summary.model_bytes is None else summary.model_bytes / 1000, ",.1f")


def _condition_columns(*, multilabel: bool, with_interval: bool, with_threads: bool) -> list[_FilledColumn]:
    """Return the columns of the table of conditions, each with the function that makes its cells."""
    return [
        (TableColumn("terms", "terms"), _size_cell),
        (TableColumn("selector", "selector", is_number=False), lambda summary: TableCell(summary.selector)),
        (TableColumn("classifier", "classifier", is_number=False), lambda summary: TableCell(summary.classifier)),
        (TableColumn("selected", "selected"), lambda summary: _number_cell(summary.n_selected, ",.0f")),
        *_mean_columns("micro_f1", "micro-F1", with_interval=with_interval),
        *_mean_columns("macro_f1", "macro-F1", with_interval=with_interval),
        *(_mean_columns("accuracy", "accuracy", with_interval=with_interval) if multilabel else []),
        (
            TableColumn("p", "p", first_order="descending"),
            lambda summary: _p_cell(summary.p_in_size, summary.is_best_in_size),
        ),
        (
            TableColumn("p_overall", "p, all", first_order="descending"),
            lambda summary: _p_cell(summary.p_overall, summary.is_best),
        ),
        *([(TableColumn("threads", "threads"), _threads_cell)] if with_threads else []),
        *map(_seconds_column, ("selection", "training", "prediction")),
        (TableColumn("kilobytes", "model, kB"), _kilobytes_cell),
    ]


def _conditions_table(columns: Sequence[_FilledColumn], summaries: Iterable[Summary]) -> ViewTable:
    """Return the table with a row for each summary."""
    rows = tuple(
        TableRow(tuple(make_cell(summary) for _, make_cell in columns), summary.is_best) for summary in summaries
    )
    title = "All combinations; the best is highlighted"
    return ViewTable("conditions", title, tuple(column for column, _ in columns), rows)


def _by_size(summaries: Sequence[Summary]) -> list[Summary]:
    """Return the summaries by number of terms, in the order of the request, and for each number the best first."""
    groups: dict[Size, list[Summary]] = {}
    for summary in summaries:
        groups.setdefault(summary.n_terms, []).append(summary)

    def sort_key(summary: Summary) -> float:
        """Return the position in the group; the best has the smallest key, because micro-F1 may not decide (ties)."""
        micro_f1 = -1.0 if summary.micro_f1 is None else summary.micro_f1.value  # without figures: the last
        return -math.inf if summary.is_best_in_size else -micro_f1

    return [summary for group in groups.values() for summary in sorted(group, key=sort_key)]


def _has_intervals(comparison: Comparison) -> bool:
    """Return whether any figure of a combination has an interval."""
    # With a single fold, multilabel documents have only an interval of the accuracy. Otherwise, if macro-F1 has an
    # interval, micro-F1 has one, too.
    means = [mean for summary in comparison.summary for mean in (summary.micro_f1, summary.accuracy)]
    return any(mean is not None and mean.half_width is not None for mean in means)


def _quality_note(comparison: Comparison) -> str:
    """Return an explanation of ±, accuracy and p in the table of quality."""
    header = comparison.header
    scope = "of the mean over folds" if header["split"]["folds"] > 1 else "over other test documents, same models"
    test = "corrected t-test on splits" if header["split"].get("overlapping") else "sign test on documents"
    sentences = [
        f"±: half the 95 % confidence interval {scope}." if _has_intervals(comparison) else "",
        "accuracy: share of documents with all labels right." if header["multilabel"] else "",
        "p: significance of the lead of the best combination with the same number of terms "
        f"({test}, Holm's correction).",
    ]
    return " ".join(filter(None, sentences))


# -- the other tables --------------------------------------------------------------------------------------------


def _size_title(size: Size) -> str:
    """Return a number of terms as the title of a column."""
    if isinstance(size, int):
        return counted(size, "term")
    return "all terms" if size == ALL else f"{size_text(size)} of all"


def _table_by_size(name: str, title: str, key_title: str, cells: Mapping[tuple[str, Size], TableCell]) -> ViewTable:
    """Return a table with a row for each key, such as a selector, and a column for each number of terms.

    `cells` has the cells by key and number of terms; `key_title` is the title of the column of keys.
    """
    keys, sizes = dict.fromkeys(key for key, _ in cells), dict.fromkeys(size for _, size in cells)
    columns = (
        TableColumn("key", key_title, is_number=False),
        *(TableColumn(size_text(size), _size_title(size)) for size in sizes),
    )
    rows = [(TableCell(key), *(cells.get((key, size), TableCell(NOTHING)) for size in sizes)) for key in keys]
    return ViewTable(name, title, columns, tuple(map(TableRow, rows)))


def _ranks_table(comparison: Comparison) -> ViewTable:
    """Return the table of average ranks; it has no rows, and is not shown, if there is only one rank."""
    columns = (
        TableColumn("selector", "selector", is_number=False),
        TableColumn("classifier", "classifier", is_number=False),
        TableColumn("rank", "rank"),
    )
    rows = [
        TableRow((TableCell(rank.selector), TableCell(rank.classifier), _number_cell(rank.rank, ".2f")))
        for rank in comparison.ranks
    ]
    title = "Average rank by micro-F1, over numbers of terms and folds; 1 is the best"
    return ViewTable("ranks", title, columns, tuple(rows if len(rows) > 1 else ()))


def _overlap_table(comparison: Comparison) -> ViewTable:
    """Return the table of shared terms: a row for each pair of selectors, a column for each number of terms."""
    cells = {
        (" and ".join(overlap.selectors), overlap.n_terms): _mean_count_cell(overlap.measures.shared)
        for overlap in comparison.overlaps
    }
    return _table_by_size("shared", "Overlap: number of shared terms", "selectors", cells)


def _stability_table(comparison: Comparison) -> ViewTable:
    """Return the table of stability: a row for each selector, a column for each number of terms."""
    cells = {
        (stability.selector, stability.n_terms): _number_cell(stability.measures.kuncheva, ".2f")
        for stability in comparison.stabilities
    }
    title = "Stability between folds (Kuncheva's index: 1 for equal selections, 0 for random ones)"
    return _table_by_size("stability", title, "selector", cells)


# -- sentences ---------------------------------------------------------------------------------------------------


def _problems(comparison: Comparison) -> list[str]:
    """Return a sentence for each problem that left combinations without figures, and one on classes without training.

    A problem often affects all classifiers with a selector and a number of terms, and has a single sentence then. If it
    affects only some of them, the sentence names these.
    """
    # The classifiers with a problem, by selector, number of terms and problem.
    affected: dict[tuple[str, str, str], list[str]] = {}
    for summary in comparison.summary:
        if summary.problem is not None:
            key = (summary.selector, size_text(summary.n_terms), summary.problem)
            affected.setdefault(key, []).append(summary.classifier)
    n_classifiers = len({summary.classifier for summary in comparison.summary})
    sentences = []
    for (selector, size, problem), classifiers in affected.items():
        names = "" if len(classifiers) == n_classifiers else f", {', '.join(classifiers)}"
        sentences.append(f"{selector}, {size} terms{names}: {problem}")
    # Each class once, as JSON, because the classes 1, 1.0 and true are equal in Python.
    missing = list(dict.fromkeys(json.dumps(label) for row in comparison.rows for label in row.missing_classes))
    if missing:
        names = ", ".join(label_text(json.loads(label)) for label in missing[:MAX_NAMED_CLASSES])
        n_more = len(missing) - MAX_NAMED_CLASSES
        sentences.append(
            f"Classes without training documents in some fold: {names}{f', and {n_more:,} more' if n_more > 0 else ''}."
        )
    return sentences


def _notes(comparison: Comparison) -> list[str]:
    """Return a sentence on test documents without a selected term, and one on each group of equal selectors."""
    return [*_unknown_note(comparison), *_equal_selector_notes(comparison)]


def _unknown_note(comparison: Comparison) -> list[str]:
    """Return a sentence that lists the selections without which many test documents are left; [] if there are none."""
    # By selector and number of terms: the number of documents without a selected term, and of all test documents.
    counts = {
        (summary.selector, summary.n_terms): (summary.unknown, summary.documents)
        for summary in comparison.summary
        if summary.unknown and summary.documents and summary.unknown >= LEAST_UNKNOWN_SHARE * summary.documents
    }
    if not counts:
        return []
    most_first = sorted(counts.items(), key=lambda item: -item[1][0] / item[1][1])
    named = [
        f"{unknown:,} of {documents:,} ({100 * unknown / documents:.0f} %) with {_selection_text(selector, size)}"
        for (selector, size), (unknown, documents) in most_first[:MAX_UNKNOWN_SELECTIONS]
    ]
    n_more = len(counts) - len(named)
    more = f"; and {counted(n_more, 'more selection')} of {100 * LEAST_UNKNOWN_SHARE:.0f} % or more" if n_more else ""
    return [f"Test documents without a selected term, which all get the same label: {'; '.join(named)}{more}."]


def _selection_text(selector: str, size: Size) -> str:
    """Return a selector and a number of terms in a few words."""
    return "all terms" if selector == ALL else f"{selector}, {_size_title(size)}"


def _equal_selector_notes(comparison: Comparison) -> list[str]:
    """Return a sentence for each group of selectors that selected the same terms in all folds."""
    sizes_of_groups: dict[tuple[str, ...], list[Size]] = {}
    for size in dict.fromkeys(overlap.n_terms for overlap in comparison.overlaps):
        for group in _equal_selectors(comparison, size):
            sizes_of_groups.setdefault(group, []).append(size)
    return [
        f"{_and(group)} selected the same terms at {_and([_size_title(size) for size in sizes])}."
        for group, sizes in sizes_of_groups.items()
    ]


def _equal_selectors(comparison: Comparison, size: Size) -> list[tuple[str, ...]]:
    """Return groups of selectors that selected the same terms in all folds; each group has two or more."""
    groups: list[list[str]] = []
    for overlap in comparison.overlaps:
        if overlap.n_terms == size and overlap.measures.jaccard == 1.0:  # exactly 1 only if it is 1 in all folds
            first, second = overlap.selectors
            group = next((group for group in groups if first in group), None)
            if group is None:
                groups.append([first, second])
            elif second not in group:
                group.append(second)
    return [tuple(group) for group in groups]


def _and(words: Sequence[str]) -> str:
    """Return words as a list in a sentence: "a, b and c"."""
    *others, last = words
    return f"{', '.join(others)} and {last}" if others else last


def _timing_note(comparison: Comparison) -> str:
    """Return the number of threads with which seconds were measured, or a warning that threads or machines differ.

    The note is empty if no combination has figures, or if these numbers are unknown.
    """
    if threads_differ(comparison):
        return "Seconds are comparable only between combinations with the same threads; a mixture has none."
    measured = [summary for summary in comparison.summary if summary.threads and summary.cores]
    if not measured:
        return ""
    threads, cores = measured[0].threads or 0, measured[0].cores or 0
    return f"Measured with {counted(threads, 'thread')} on {counted(cores, 'core')}."


def _confidence(comparison: Comparison) -> list[CombinationConfidence]:
    """Return the combinations whose labels have probabilities, the best first."""
    return [
        CombinationConfidence(combination_text(summary), summary.confidence)
        for summary in best_first(comparison.summary)
        if summary.confidence is not None
    ]


def _confidence_note(comparison: Comparison) -> str:
    """Return how probabilities were fitted, or why there are none; empty if multilabel, or without any figures."""
    if comparison.header["multilabel"] or comparison.best is None:
        return ""
    if any(summary.confidence is not None for summary in comparison.summary):
        return (
            "The probabilities of one half of the test documents are fitted on the other half, so no document's own "
            "label decides on its probability."
        )
    return (
        "Labels have no probabilities, because these need at least "
        f"{FEWEST_TEST_DOCUMENTS} test documents with a selected term in each fold."
    )


def _about_run(comparison: Comparison) -> list[FactGroup]:
    """Return the facts about a run: corpus, split and date, what was compared, versions, and shared settings."""
    header, summaries = comparison.header, comparison.summary
    run = {
        "corpus": str(header["corpus"]),
        "documents": f"{header['documents']:,}",
        "classes": f"{len(header['classes']):,}",
        "read as": str(header["form"]),
        "labels per document": "several" if header["multilabel"] else "one",
        "tested on": describe_split(header["split"]),
        "started": str(header["started"]).replace("T", " ").replace("+00:00", " UTC"),
        "fingerprint of the documents": str(header["fingerprint"]),
    }
    compared = {
        "selectors": ", ".join(dict.fromkeys(summary.selector for summary in summaries)),
        "numbers of terms": ", ".join(dict.fromkeys(size_text(summary.n_terms) for summary in summaries)),
        "classifiers": ", ".join(dict.fromkeys(summary.classifier for summary in summaries)),
    }
    versions = {name: str(version) for name, version in header["versions"].items()}
    settings = {name: _value_text(value) for name, value in header["settings"].items()}
    groups = {"The run": run, "Compared": compared, "Versions": versions, "Settings of all combinations": settings}
    return [FactGroup(title, tuple(facts.items())) for title, facts in groups.items()]


# -- the view ----------------------------------------------------------------------------------------------------


def view_of(comparison: Comparison) -> ComparisonView:
    """Return the view of a comparison.

    The tables of conditions, quality and cost are built from the same columns; the last two have only some of them.
    """
    header, do_threads_differ = comparison.header, threads_differ(comparison)
    columns = _condition_columns(
        multilabel=header["multilabel"], with_interval=_has_intervals(comparison), with_threads=do_threads_differ
    )
    quality_note, by_size = _quality_note(comparison), _by_size(comparison.summary)
    # Combinations with a problem in some fold have no figures, not even a model size, and so no cost.
    with_figures = [summary for summary in by_size if summary.model_bytes is not None]
    conditions = _conditions_table(columns, best_first(comparison.summary))
    if all(summary.n_selected in (None, summary.n_terms) for summary in comparison.summary):
        conditions = conditions.without("selected")  # it would repeat the column of the requested numbers
    quality = _conditions_table(columns, by_size).join_intervals()
    cost = _conditions_table(columns, with_figures)
    return ComparisonView(
        corpus=str(header["corpus"]),
        facts=(
            counted(header["documents"], "document"),
            counted(len(header["classes"]), "class", "classes"),
            counted(len(comparison.conditions), "combination"),
            f"tested on {describe_split(header['split'])}",
        ),
        findings=tuple(find_best(comparison.summary)),
        problems=tuple(_problems(comparison)),
        notes=tuple(_notes(comparison)),
        conditions=replace(conditions, note=f"{quality_note} p, all: the same among all combinations."),
        quality=replace(quality.only(*QUALITY_COLUMNS), note=quality_note),
        cost=replace(
            cost.only(
                *(*_KEY_COLUMNS, "threads"),
                *("selection_seconds", "training_seconds", "prediction_seconds", "kilobytes"),
            ),
            title="Seconds and size",
            note=_timing_note(comparison) if do_threads_differ else "",
        ),
        timing_note=_timing_note(comparison),
        ranks=_ranks_table(comparison),
        overlap=_overlap_table(comparison),
        stability=_stability_table(comparison),
        confidence=tuple(_confidence(comparison)),
        confidence_note=_confidence_note(comparison),
        about_run=tuple(_about_run(comparison)),
    )


def render_text(view: ComparisonView) -> str:
    """Return all tables as aligned text: that of quality with its note, the problems and notes, and then the others."""
    blocks = [[*_aligned(view.quality), view.quality.note, *view.problems, *view.notes]]
    others = (view.cost, view.ranks, view.overlap, view.stability)
    blocks += [[table.title, *_aligned(table), table.note] for table in others if table.rows]
    return "\n\n".join("\n".join(filter(None, lines)) for lines in blocks)


def _aligned(table: ViewTable) -> list[str]:
    """Return the lines of a table, with columns of the same width."""
    lines = [[column.title for column in table.columns], *([cell.text for cell in row.cells] for row in table.rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return [
        "  ".join(
            text.rjust(width) if column.is_number else text.ljust(width)
            for text, width, column in zip(line, widths, table.columns, strict=True)
        ).rstrip()
        for line in lines
    ]
