"""Claims in words: what was measured for each. The pages of papers and the page about all of them share these words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .judging import JudgedClaim
from .paper import Claim, Column, Item, Unit

NOTHING = "-"
MOST_COLUMNS = 3
"""The largest number of columns that are all named; of more, the first and the last are."""

HOW_TO_READ_CLAIMS = """
A claim says that one row of a table or figure is higher than another, or a multiple of it. For example, "A against B:
+0.020 (paper: +0.050), higher in 3 of 4" says that A is higher than B by 0.020, on average over the four columns or
points that the claim is about; that it is higher in three of them; and that the paper has a difference of 0.050. "1.50
times" is A divided by B, and "+18.0%" how much larger A is. "A at 5 against A at 1" compares two columns of one row.

If the paper says that a difference is larger in some columns than in others, both mean differences are given, and in
how many of the former columns it is larger than the latter mean.
"""


def measured_text(judged: JudgedClaim, item: Item) -> str:
    """Return what was measured for a claim, in the words that `HOW_TO_READ_CLAIMS` explains."""
    claim = judged.claim
    if judged.value is None:
        return NOTHING
    first, second = _compared_names(claim, item)
    texts = [f"{first} against {second}: {lead_text(claim, judged.value, item.unit)}"]
    if judged.elsewhere is not None:
        texts[0] += f" at {_columns_text(item, claim.columns)}" if claim.columns else ""
        columns = _columns_text(item, judged.elsewhere_columns)
        texts.append(f"and {lead_text(claim, judged.elsewhere, item.unit)} at {columns}")
    if claim.by is not None:
        texts[-1] += f" (paper: {lead_text(claim, claim.by, item.unit)})"
    if judged.of > 1:
        comparison = "higher" if judged.elsewhere is None else "a larger difference"
        texts.append(f"{comparison} in {judged.ahead} of {judged.of}")
    return ", ".join(texts)


def verdict_text(judged: JudgedClaim) -> str:
    """Return the verdict on a claim, in brackets if it is not counted."""
    text = judged.verdict or "not measured"
    return text if judged.is_counted or judged.verdict is None else f"({text})"


def lead_text(claim: Claim, value: float, unit: Unit) -> str:
    """Return the lead of a claim's first row over its second as text: a ratio, a difference or a percentage."""
    if claim.how == "ratio":
        return f"{value:.2f} times"
    text = f"{value:+{unit.digits}}" if claim.how == "difference" else f"{value:+.1%}"
    return re.sub(r"^-(?=[0.]+%?$)", "+", text)  # no minus before 0.00


def _compared_names(claim: Claim, item: Item) -> tuple[str, str]:
    """Return the names of the two rows that a claim compares; those of one row are told apart by their columns."""
    if claim.row != claim.than or claim.than_column is None:
        return claim.row, str(claim.than)
    return (
        f"{claim.row} at {_columns_text(item, claim.columns)}",
        f"{claim.than} at {_columns_text(item, (claim.than_column,))}",
    )


def _columns_text(item: Item, columns: Sequence[Column]) -> str:
    """Return the titles of columns of a table, with what they stand for if they are numbers."""
    titles = [column_text(column) for column in columns]
    listed = ", ".join(titles) if len(titles) <= MOST_COLUMNS else f"{titles[0]} to {titles[-1]}"
    return listed if any(isinstance(column, str) for column in columns) else f"{item.columns} {listed}"


def column_text(column: Column) -> str:
    """Return the title of a column."""
    return f"{column:,}" if isinstance(column, int) else f"{column:g}" if isinstance(column, float) else column
