"""An outcome as cells of text, for the terminal and for a page: measured, and in parentheses what was printed."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .conditions import Claim, Column, Paper
from .judging import Judged, JudgedClaim, Outcome
from .measurements import Measured, Scope
from .verdicts import Unit

MARKS = {"agrees": "=", "close": "≈", "differs": "≠", None: ""}
"""Of the verdicts."""
EXPLAINED = "Measured, and in parentheses what the paper printed: = agrees, ≈ comes close, ≠ differs."
NOTHING = "-"


def column_text(column: Column) -> str:
    """What stands above a column."""
    return f"{column:,}" if isinstance(column, int) else f"{column:g}" if isinstance(column, float) else column


def tables_of(outcome: Outcome) -> list[list[list[str]]]:
    """A table of the paper's rows, and one of other preparations, if there are any."""
    return [_table(outcome.item.unit, judged) for judged in (outcome.numbers, outcome.trials) if judged]


def _table(unit: Unit, judged: Sequence[Judged]) -> list[list[str]]:
    """The head, then a row for each row."""
    columns = list(dict.fromkeys(each.condition.column for each in judged))
    rows = list(dict.fromkeys(each.condition.row for each in judged))
    cells = {each.condition.place: cell_text(each, unit) for each in judged}
    body = [[row, *(cells.get((row, column), "") for column in columns)] for row in rows]
    return [[unit.name, *map(column_text, columns)], *body]


def cell_text(judged: Judged, unit: Unit) -> str:
    """One cell; the unit is that of cells which have none of their own."""
    unit = judged.condition.unit or unit
    text = value_text(judged.measured, unit)
    printed = judged.condition.printed
    if printed is None:
        return text
    known = " ".join(printed) if isinstance(printed, tuple) else unit.written(printed)
    mark = MARKS[judged.verdict]
    return f"{text} ({known}{f' {mark}' if mark else ''})"


def value_text(measured: Measured, unit: Unit) -> str:
    """What was measured, with half of its interval."""
    if measured.value is None:
        return NOTHING
    if isinstance(measured.value, tuple):
        return " ".join(measured.value)
    width = "" if measured.half_width is None else f" ±{unit.written(measured.half_width)}"
    return unit.written(measured.value) + width


def claim_text(judged: JudgedClaim, unit: Unit) -> str:
    """A sentence of the paper, and what was measured."""
    claim = judged.claim
    if judged.value is None:
        return f"{claim.text}: not measured."
    shown = lead_text(claim, judged.value, unit)
    if judged.elsewhere is not None:
        there = ", ".join(map(column_text, judged.there))
        shown += f", beside {lead_text(claim, judged.elsewhere, unit)} at {there}"
    if claim.by is not None:
        shown += f", held against {lead_text(claim, claim.by, unit)}"
    ahead = "ahead" if judged.elsewhere is None else "farther ahead"
    where = f", {ahead} in {judged.ahead} of {judged.of}" if judged.of > 1 else ""
    more = "" if judged.is_counted else " Of another preparation, and not counted."
    return f"{claim.text}: {judged.verdict} ({claim.row} against {claim.than}: {shown}{where}).{more}"


def lead_text(claim: Claim, value: float, unit: Unit) -> str:
    """How far the first row of a claim is ahead."""
    if claim.how == "ratio":
        return f"{value:.2f} times"
    text = f"{value:+{unit.digits}}" if claim.how == "difference" else f"{value:+.1%}"
    return re.sub(r"^-(?=[0.]+%?$)", "+", text)


def problems_of(outcome: Outcome) -> list[str]:
    """Why some cells are empty."""
    judged = (*outcome.numbers, *outcome.trials)
    known = {each.measured.problem: each.condition for each in judged if each.measured.problem}
    return [f"{each.row}, {column_text(each.column)}: {problem}" for problem, each in known.items()]


def part_text(paper: Paper, scope: Scope) -> str:
    """What has to be said of a part; nothing of the whole."""
    if scope.is_full:
        return ""
    return " ".join(filter(None, [f"A part only: {scope.in_words}.", paper.of_a_part, "Verdicts mean little."]))


def remark_of(outcome: Outcome, scope: Scope) -> str:
    """The remark, with the measured numbers that it names as {row | column}; of a part it says nothing."""
    if not scope.is_full:
        return ""
    texts = {
        f"{each.condition.row} | {column_text(each.condition.column)}": value_text(
            each.measured._replace(half_width=None), each.condition.unit or outcome.item.unit
        )
        for each in (*outcome.numbers, *outcome.trials)
    }

    def number(found: re.Match[str]) -> str:
        return texts[" | ".join(" ".join(part.split()) for part in found[1].split("|"))]

    return re.sub(r"\{([^{}]+)\}", number, outcome.item.remark)


def summary_of(outcomes: Sequence[Outcome]) -> list[list[str]]:
    """How many numbers and claims of each item agree, come close, differ."""
    head = ["", "agrees", "close", "differs"]
    return [head, *([each.item.name, *(str(each.verdicts[name]) for name in head[1:])] for each in outcomes)]
