"""The page of a paper: tables of measured and printed numbers, claims and remarks, as Markdown with figures."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from .claim_texts import HOW_TO_READ_CLAIMS, NOTHING, column_text, measured_text, verdict_text
from .figures import draw, has_picture
from .judging import JudgedCell, JudgedItem
from .measurements import Estimate, Scope
from .paper import Paper, PaperRequest, Unit
from .results_file import Provenance
from .sentences import Named, fill_in

Table = list[list[str]]
"""The head, then the rows."""

MARKS = {"agrees": "=", "close": "≈", "differs": "≠", None: ""}
EXPLANATION = "Measured, and in parentheses what the paper printed: = agrees, ≈ comes close, ≠ differs."


# -- cells and tables --------------------------------------------------------------------------------------------------


def tables_of(judged: JudgedItem) -> list[Table]:
    """Return the table of the paper's rows, and that of other preparations if there are any."""
    return [_table(judged.item.unit, cells) for cells in (judged.cells, judged.trials) if cells]


def _table(unit: Unit, cells: Sequence[JudgedCell]) -> Table:
    """Return cells as a table, with rows and columns in the order in which they first occur."""
    columns = list(dict.fromkeys(judged.cell.column for judged in cells))
    rows = list(dict.fromkeys(judged.cell.row for judged in cells))
    texts = {judged.cell.place: cell_text(judged, unit) for judged in cells}
    body = [[row, *(texts.get((row, column), "") for column in columns)] for row in rows]
    return [[unit.name, *map(column_text, columns)], *body]


def cell_text(judged: JudgedCell, unit: Unit) -> str:
    """Return a cell as text: measured, then printed in parentheses; `unit` is that of the table."""
    unit = judged.cell.unit or unit
    text, printed = estimate_text(judged.estimate, unit), judged.cell.printed
    if printed is None:
        return text
    printed_text = " ".join(printed) if isinstance(printed, tuple) else unit.format_number(printed)
    mark = MARKS[judged.verdict]
    return f"{text} ({printed_text}{f' {mark}' if mark else ''})"


def estimate_text(estimate: Estimate, unit: Unit) -> str:
    """Return a measured number with half of its interval, or the terms."""
    if estimate.value is None:
        return NOTHING
    if isinstance(estimate.value, tuple):
        return " ".join(estimate.value)
    width = "" if estimate.half_width is None else f" ±{unit.format_number(estimate.half_width)}"
    return unit.format_number(estimate.value) + width


def summary_of(items: Sequence[JudgedItem]) -> Table:
    """Return how many numbers and claims of each item agree, come close and differ."""
    head = ["", "agrees", "close", "differs"]
    return [head, *([judged.item.name, *(str(judged.verdicts[name]) for name in head[1:])] for judged in items)]


# -- sentences ---------------------------------------------------------------------------------------------------------


def claims_of(judged: JudgedItem) -> Table:
    """Return the claims of an item as a table."""
    rows = [[claim.claim.text, measured_text(claim, judged.item), verdict_text(claim)] for claim in judged.claims]
    return [["the paper says", "measured", "verdict"], *rows]


def problems_of(judged: JudgedItem) -> list[str]:
    """Return a line for each reason why cells are empty, with the last cell that has it."""
    problems = {cell.estimate.problem: cell.cell for cell in judged.all_cells if cell.estimate.problem}
    return [f"{cell.row}, {column_text(cell.column)}: {problem}" for problem, cell in problems.items()]


def part_text(paper: Paper, scope: Scope) -> str:
    """Return a warning that only a part was measured, or an empty text."""
    if scope.is_full:
        return ""
    return " ".join(filter(None, [f"A part only: {scope.in_words}.", paper.of_a_part, "Verdicts mean little."]))


def remark_of(judged: JudgedItem, scope: Scope) -> str:
    """Return the remark with its measured numbers, and with the sentences that they make true.

    Return an empty text for a quick run, because remarks are about all documents.
    """
    return fill_in(judged.item.remark, numbers_of(judged).__getitem__) if scope.is_full else ""


def numbers_of(judged: JudgedItem) -> dict[str, Named]:
    """Return all measured numbers of an item by the names that sentences have for them."""
    return {
        f"{cell.cell.row} | {column_text(cell.cell.column)}": Named(cell.estimate, cell.cell.unit or judged.item.unit)
        for cell in judged.all_cells
    }


# -- pages -------------------------------------------------------------------------------------------------------------


def write_page(
    request: PaperRequest, items: Sequence[JudgedItem], scope: Scope, folder: str, provenance: Provenance
) -> list[str]:
    """Write the page and its figures into a folder, and return their paths."""
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    item_names = [] if request.is_whole else [item.name for item in request.items]
    paths = [target / f"{'-'.join([request.paper.name, *item_names])}{_ending(scope)}.md"]
    for judged in items:
        if has_picture(judged):
            from textsieve.plots import save

            paths.append(target / figure_name(request, judged, scope))
            save(draw(judged), paths[-1])
    paths[0].write_text(page_of(request, items, scope, provenance), encoding="utf-8")
    return list(map(str, paths))


def figure_name(request: PaperRequest, judged: JudgedItem, scope: Scope) -> str:
    """Return the file name of a figure."""
    return f"{request.paper.name}-{judged.item.name}{_ending(scope)}.svg"


def _ending(scope: Scope) -> str:
    """Return the ending of file names: those of a quick run never replace those of a full run."""
    return "" if scope.is_full else "-part"


def page_of(request: PaperRequest, items: Sequence[JudgedItem], scope: Scope, provenance: Provenance) -> str:
    """Return the text of the page."""
    paper = request.paper
    parts = [
        f"# {paper.title}, reproduced",
        f"Written by `python -m studies {' '.join(request.names)}`. {EXPLANATION} ± is half of the 95 % interval over "
        f"folds or repetitions. Verdicts in brackets are about other preparations, and are not counted.",
        provenance.in_words,
        part_text(paper, scope).replace("A part only", "**A part only**"),
        paragraphs(paper.setting),
        paragraphs(paper.without_terms),
        paragraphs(HOW_TO_READ_CLAIMS) if any(judged.claims for judged in items) else "",
        *([markdown(summary_of(items))] if len(items) > 1 else []),
    ]
    for judged in items:
        parts += _section(request, judged, scope)
    return "\n\n".join(part for part in parts if part) + "\n"


def _section(request: PaperRequest, judged: JudgedItem, scope: Scope) -> list[str]:
    """Return the paragraphs about a table or figure; some may be empty."""
    item, tables = judged.item, tables_of(judged)
    return [
        f"## {heading(item.name)}: {item.title}",
        paragraphs(item.stands_in),
        markdown(tables[0]),
        f"![{item.title}]({figure_name(request, judged, scope)})" if has_picture(judged) else "",
        *(["Other preparations:", markdown(tables[1])] if item.trials else []),
        markdown(claims_of(judged), aligned_right=False) if judged.claims else "",
        "\n".join(f"- {problem}" for problem in problems_of(judged)),
        paragraphs(remark_of(judged, scope)),
    ]


def heading(name: str) -> str:
    """Return "Table 2" for "table2"."""
    return re.sub(r"(?<=[a-z])(?=\d)", " ", name).capitalize()


def paragraphs(text: str) -> str:
    """Return each paragraph on one line."""
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))


def markdown(table: Table, *, aligned_right: bool = True) -> str:
    """Return a table as Markdown; numbers are right-aligned, and a | within a cell is escaped."""
    head, *body = table
    rule = ["---", *["---:" if aligned_right else "---"] * (len(head) - 1)]
    return "\n".join(
        f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in (head, rule, *body)
    )
