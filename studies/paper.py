"""A paper as data: its tables and figures, the numbers that they print, and what to measure for comparison.

A `Cell` is a cell of a table or a point of a curve. It has a row, a column, a `Measurement` (`measurements.py`: corpus,
preparation, method and size in one value), and the number that the paper printed, if any. Points of a figure have no
printed numbers; a sentence of the paper about them is a `Claim`. Preparations that the paper does not have, but that
may explain a difference, are cells too (`Item.trials`).

A remark contains no measured number and no verdict of its own. It names cells, as in `{OCFS | 10}`, and the page shows
the numbers measured for them; sentences that compare numbers are chosen by these numbers (`sentences.py`).

Whether a measured number agrees with the printed one depends on the unit. F1 of another implementation, on texts that
were prepared differently, agrees within two points and comes close within five; numbers of terms agree within a tenth
and come close within a quarter. These limits are conventions, the same for all papers unless a cell has its own.
Seconds of two machines can't be compared, so only claims about ratios of seconds are judged.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from .measurements import Measurement

Verdict = Literal["agrees", "close", "differs"]
Column = int | float | str
Printed = float | tuple[str, ...]
"""A number, a list of terms, or words such as ">" and "3", which are shown but not judged."""
Place = tuple[str, Column]
"""Row and column."""

ROUNDING = 1e-9
"""A number that misses a limit by no more than this is within it."""


class Tolerance(NamedTuple):
    """How far a measured number may be from the printed one to agree or to come close."""

    agrees: float
    close: float
    is_share: bool = False
    """The limits are shares of the printed number."""
    is_factor: bool = False
    """The limits are ratios between the two numbers."""

    def judge(self, printed: float, measured: float) -> Verdict:
        """Return whether a measured number agrees with the printed one, comes close, or differs."""
        distance = self._distance(printed, measured)
        if distance <= self.agrees + ROUNDING:
            return "agrees"
        return "close" if distance <= self.close + ROUNDING else "differs"

    def _distance(self, printed: float, measured: float) -> float:
        """Return the ratio of the two numbers, or their difference, absolute or as a share of the printed one."""
        if self.is_factor:
            return max(measured / printed, printed / measured) if measured > 0 < printed else math.inf
        return abs(measured - printed) / (abs(printed) or 1.0 if self.is_share else 1.0)


@dataclass(frozen=True)
class Unit:
    """The unit of numbers in a table."""

    name: str
    digits: str
    """Format specification of a number."""
    tolerance: Tolerance | None
    """None: numbers of this unit are not judged."""
    from_zero: bool = False
    """Whether the axis of a figure starts at 0."""

    def format_number(self, value: float) -> str:
        """Return a number as text, large ones without an exponent."""
        text = format(value, self.digits)
        return f"{value:,.0f}" if "e+" in text else text


WORDS_SHARED = Tolerance(0.25, 0.6)
"""For lists of terms: the share of the printed terms that were not selected."""

F1 = Unit("F1", ".3f", Tolerance(0.02, 0.05))
MICRO_F1 = Unit("micro-F1", ".3f", Tolerance(0.02, 0.05))
MACRO_F1 = Unit("macro-F1", ".3f", Tolerance(0.02, 0.05))
ACCURACY = Unit("accuracy, %", ".2f", Tolerance(2.0, 5.0))
TERMS = Unit("terms", ",.0f", Tolerance(0.1, 0.25, is_share=True))
DOCUMENTS = Unit("documents", ",.0f", Tolerance(0.01, 0.1, is_share=True))
SECONDS = Unit("seconds", ".3g", None, from_zero=True)
EXPONENT = Unit("exponent", ".2f", Tolerance(0.1, 0.25, is_share=True))
"""Of growth: 1 is linear, 2 quadratic; judged as numbers of terms are."""
RATIO = Tolerance(1.25, 1.6, is_factor=True)
"""For claims such as "twice as fast"; to come close, it must be faster at all (`judging.py`)."""


@dataclass(frozen=True)
class Cell:
    """One printed number, or one point of a printed curve."""

    row: str
    column: Column
    measurement: Measurement
    printed: Printed | None = None
    tolerance: Tolerance | None = None
    """Replaces the tolerance of the unit."""
    unit: Unit | None = None
    """Replaces the unit of the item, as in a table with accuracies and numbers of terms."""

    @property
    def place(self) -> Place:
        """Return the row and the column."""
        return self.row, self.column


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper about two rows: the first is ahead of the second, or a multiple of it.

    It is judged by the mean over some columns. `by` is the difference or ratio that the paper prints. Without `by`, the
    claim agrees if the first row is ahead in every column, and comes close if it is ahead in the mean.
    """

    text: str
    row: str
    than: str | float
    """The second row, or a number."""
    columns: tuple[Column, ...] = ()
    """By default all columns that both rows have."""
    than_column: Column | None = None
    """The column of the second row, if it has a single value, such as that of all terms."""
    more_than_at: tuple[Column, ...] = ()
    """Columns in which the lead is smaller, if the paper says so."""
    how: Literal["difference", "ratio", "relative"] = "difference"
    """How two numbers are compared; "relative" is the difference divided by the second number."""
    by: float | None = None
    """The printed difference or ratio."""
    tolerance: Tolerance | None = None


@dataclass(frozen=True)
class Item:
    """A table or a figure."""

    name: str
    """The name on the command line: "table2", "figure3"."""
    title: str
    unit: Unit
    cells: tuple[Cell, ...]
    columns: str = "terms"
    """The title of the columns."""
    trials: tuple[Cell, ...] = ()
    """Cells for other preparations than the paper's."""
    claims: tuple[Claim, ...] = ()
    stands_in: str = ""
    """A note on documents that are not available, and on those that replace them."""
    remark: str = ""
    """An explanation of the differences, in Markdown."""
    picture: Literal["curves", "surface", "none"] = "curves"
    """How a figure is drawn: a curve for each row, or rows and columns as a grid of colours."""
    over: str = ""
    """The row whose numbers are the horizontal positions of a figure; by default the columns are."""
    log_x: bool = True
    marked: Literal["highest", "lowest"] = "highest"
    """The cell of a surface that is framed."""

    @property
    def all_cells(self) -> tuple[Cell, ...]:
        """Return the cells of the paper and of the trials."""
        return (*self.cells, *self.trials)

    @property
    def is_figure(self) -> bool:
        """Return whether the item is drawn."""
        return self.name.startswith("figure") and self.picture != "none"


@dataclass(frozen=True)
class Paper:
    """The tables and figures of a paper."""

    name: str
    title: str
    setting: str
    """A description of the preparation, split and classifiers that all items share, in Markdown."""
    items: tuple[Item, ...]
    without_terms: str = ""
    """How documents without any selected term are treated, in Markdown."""
    of_a_part: str = ""
    """A sentence on other differences of a quick run, besides its fewer documents and repetitions."""

    def __iter__(self) -> Iterator[Item]:
        return iter(self.items)


class PaperRequest(NamedTuple):
    """The items of a paper that are to be measured."""

    paper: Paper
    items: Sequence[Item]

    @property
    def is_whole(self) -> bool:
        """Return whether all items are requested."""
        return len(self.items) == len(self.paper.items)

    @property
    def names(self) -> list[str]:
        """Return the names by which these items are requested on the command line."""
        return [self.paper.name] if self.is_whole else [f"{self.paper.name}:{item.name}" for item in self.items]
