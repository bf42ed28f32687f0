"""A paper as data: its tables and figures, each number that they print, and what has to be measured to hold beside it.

A `Condition` is one place of a table or one point of a curve: where it stands, what is measured for it, and what the
paper printed there, if it printed a number. What is measured is a `Measurement` (`measurements.py`): corpus,
preparation, method, size, in one value; or the best or mean of several (`derived.py`). Figures were printed as
pictures, and their points have no numbers; what the paper says of them in words is a `Claim` about the measured ones.
Other preparations, which the paper does not have but which may explain a difference, are conditions too, in
`Item.trials`.

Sentences about what was measured (`Item.remark`) hold no number: they name a place, as in `{OCFS | 10}`, and the
measured one is put there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from .measurements import Measurement
from .verdicts import Tolerance, Unit

Column = int | float | str
Printed = float | tuple[str, ...]
"""A number, or the words of a list of terms, or words such as "> 3", which nothing is judged by."""
Place = tuple[str, Column]
"""Row and column."""


@dataclass(frozen=True)
class Condition:
    """One printed number, or one point of a printed curve."""

    row: str
    column: Column
    what: Measurement
    printed: Printed | None = None
    tolerance: Tolerance | None = None
    """If it is another than that of the unit."""
    unit: Unit | None = None
    """If it is another than that of the item: a table may have accuracies beside numbers of terms."""

    @property
    def place(self) -> Place:
        """Where it stands."""
        return self.row, self.column


@dataclass(frozen=True)
class Claim:
    """What the paper says of two rows: the first is ahead, or so many times as large, in the mean over some columns.

    Instead of the second there may be a number.

    `by` is the difference (or ratio) that it prints; without, the first has to be ahead in every column to agree, and
    in the mean to come close.
    """

    text: str
    row: str
    than: str | float
    columns: tuple[Column, ...] = ()
    """All that both have, if none are named."""
    than_column: Column | None = None
    """If the other row has one value alone, such as that of all terms."""
    more_than_at: tuple[Column, ...] = ()
    """If the paper says that it is farther ahead than in these columns."""
    how: Literal["difference", "ratio", "relative"] = "difference"
    """Relative: the difference as a share of the second."""
    by: float | None = None
    tolerance: Tolerance | None = None


@dataclass(frozen=True)
class Item:
    """A table or a figure."""

    name: str
    """As it is asked for: "table2", "figure3"."""
    title: str
    unit: Unit
    conditions: tuple[Condition, ...]
    columns: str = "terms"
    """What the columns are."""
    trials: tuple[Condition, ...] = ()
    """Other preparations."""
    claims: tuple[Claim, ...] = ()
    stands_in: str = ""
    """What could not be had, and what was taken for it."""
    remark: str = ""
    """Where and why it differs."""
    picture: Literal["curves", "surface", "none"] = "curves"
    """How a figure is drawn: a curve for each row over the columns, or rows and columns as a grid of colours."""
    over: str = ""
    """The row whose numbers say where the points of a figure stand, where columns are settings that lead to them."""
    log_x: bool = True
    marked: Literal["highest", "lowest"] = "highest"
    """The cell of a surface that has a frame."""

    @property
    def all_conditions(self) -> tuple[Condition, ...]:
        """With the trials."""
        return (*self.conditions, *self.trials)

    @property
    def is_figure(self) -> bool:
        """Whether the paper drew it; then we do, too."""
        return self.name.startswith("figure") and self.picture != "none"


@dataclass(frozen=True)
class Paper:
    """All that is reproduced of a paper."""

    name: str
    title: str
    """Of the paper."""
    setting: str
    """What was settled for all items: preparation, split, classifiers."""
    items: tuple[Item, ...]
    of_a_part: str = ""
    """What else is smaller when a part is measured."""

    def __iter__(self) -> Iterator[Item]:
        return iter(self.items)


class Asked(NamedTuple):
    """Items of a paper that are asked for."""

    paper: Paper
    items: Sequence[Item]

    @property
    def is_whole(self) -> bool:
        """Whether nothing was left out."""
        return len(self.items) == len(self.paper.items)
