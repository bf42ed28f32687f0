"""Output for people, on standard output: lines and tables, readable on a terminal of 80 columns and in a pipe.

Labels and terms may have any characters and any length: they are escaped, and cut to the width of their column.
"""

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len, set_cell_size
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from ..prediction import Label, as_written
from ..text.analysis import display_term
from .messages import printable

PIPE_WIDTH = 120
"""The width of a page, in characters, if the output is a pipe or a file."""
MAX_TERM_WIDTH = 30
"""The maximum width of a term in a list of terms."""
MIN_TEXT_LIMIT = 16
"""A column of text may always have this many characters, also where a part of the page's width is less."""
MIN_COLUMN_WIDTH = 5
"""The minimum width of a column of text or terms, however narrow the terminal is."""
AND_MORE = ", etc."
"""The end of a list of terms that does not fit; an ellipsis would look like the mark of an n-gram of characters."""
GAP = 2
"""The number of spaces between columns."""


@dataclass(frozen=True)
class Column:
    """A column of a table: of numbers, of text such as labels, or of lists of terms.

    Numbers are aligned to the right, and never cut. Text is cut to a third of the page's width, or to a quarter if the
    table has a column of terms. Columns of terms get the rest.
    """

    title: str
    kind: Literal["text", "number", "terms"] = "text"


def number_columns(*titles: str) -> list[Column]:
    """Return columns of numbers with these titles."""
    return [Column(title, "number") for title in titles]


class _Console(Console):
    """A console that leaves broken pipes to `handle_errors`; rich itself would exit with code 1."""

    def on_broken_pipe(self) -> None:
        """Raise the `BrokenPipeError` again that rich is handling when it calls this method."""
        raise


class Page:
    """Prints lines and tables on standard output.

    On a terminal, they are as wide as the terminal, and longer lines are wrapped. In a pipe or file, tables are
    `PIPE_WIDTH` wide, and lines are not wrapped. The environment variable COLUMNS sets the width for all of these; then
    lines are wrapped in a pipe or file, too.
    """

    def __init__(self) -> None:
        self._wraps_lines = sys.stdout.isatty() or os.environ.get("COLUMNS", "").isdigit()
        self._console = _Console(
            width=None if self._wraps_lines else PIPE_WIDTH, highlight=False, markup=False, emoji=False
        )
        self._is_below_table = False

    @property
    def width(self) -> int:
        """Return the width in characters."""
        return self._console.width

    @property
    def has_styles(self) -> bool:
        """Return whether the output is a terminal that can show bold and coloured text."""
        return self._console.color_system is not None

    def styled(self, text: Text) -> None:
        """Print a styled text after an empty line."""
        self._console.print()
        self._console.print(text)

    def line(self, text: str) -> None:
        """Print a line, after an empty line if a table was printed before it."""
        if self._is_below_table:
            self._console.print()
        self._is_below_table = False
        self._console.print(printable(text), soft_wrap=not self._wraps_lines)

    def heading(self, text: str) -> None:
        """Print a heading in bold after an empty line."""
        self._console.print()
        self._console.print(Text(printable(text), "bold"), soft_wrap=not self._wraps_lines)
        self._is_below_table = False

    def table(self, columns: Sequence[Column], rows: Iterable[Sequence[Any]], *, title: str | None = None) -> None:
        """Print a table, at most as wide as the page unless its numbers need more.

        A cell is a `TermList`, or any other value, which is printed as text.
        """
        rows = [[cell if isinstance(cell, TermList) else printable(str(cell)) for cell in row] for row in rows]
        # rich draws one space between columns, so the padding is one less than the gap.
        table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, GAP - 1, 0, 0))
        widths = _widths(columns, rows, self.width)
        for column, width in zip(columns, widths, strict=True):
            table.add_column(
                Text(column.title),
                justify="right" if column.kind == "number" else "left",
                no_wrap=True,
                overflow="ellipsis",
                width=width,
            )
        for row in rows:
            table.add_row(*(cell if isinstance(cell, TermList) else Text(cell) for cell in row))
        self._console.print()
        if title:
            self._console.print(Text(title, "bold"))
        # rich would cut numbers that don't fit into the width of the console, so it is increased for this table.
        page_width = self._console.width
        self._console.width = max(page_width, sum(widths) + GAP * len(widths))
        self._console.print(table)
        self._console.width = page_width
        self._is_below_table = True


def _widths(columns: Sequence[Column], rows: Sequence[Sequence[Any]], width: int) -> list[int]:
    """Return the width of each column of a table, so that the table fits a page of this `width` if possible.

    Columns of numbers are as wide as their content. The others are narrowed until the table fits, the widest first.
    """
    widths = [
        max([cell_len(column.title), *(_cell_width(row[index]) for row in rows)])
        for index, column in enumerate(columns)
    ]
    has_terms = any(column.kind == "terms" for column in columns)
    max_text_width = max(MIN_TEXT_LIMIT, width // (4 if has_terms else 3))
    for index, column in enumerate(columns):
        if column.kind == "text":
            widths[index] = min(widths[index], max_text_width)
    not_numbers = [index for index, column in enumerate(columns) if column.kind != "number"]
    excess = sum(widths) + GAP * (len(columns) - 1) - width
    for _ in range(excess):  # narrow the widest column by one character at a time
        widest = max(not_numbers, key=widths.__getitem__, default=None)
        if widest is None or widths[widest] <= MIN_COLUMN_WIDTH:
            break
        widths[widest] -= 1
    return widths


def _cell_width(cell: Any) -> int:
    """Return the width that a cell needs to show everything in it."""
    return cell.width if isinstance(cell, TermList) else cell_len(cell)


def label_text(label: Label) -> str:
    """Return a label as tables show it."""
    return printable(as_written(label))


def term_text(term: str, settings: Mapping[str, Any]) -> str:
    """Return a term as tables show it; `settings` are those with which it was counted."""
    return printable(display_term(term, settings.get("analyzer")))


def show_marks(page: Page, settings: Mapping[str, Any]) -> None:
    """Print what the marks ▁ and … in terms mean, if terms are n-grams of characters.

    `settings` are those with which terms were counted; for a model, those of its `analysis`.
    """
    if settings.get("analyzer") == "char":
        page.line("▁ is a space in an n-gram of characters.")
    elif settings.get("analyzer") == "char_wb" or settings.get("char_ngram_range"):
        page.line(
            "Terms with ▁ or … are n-grams of characters: ▁ is the space before or after a word, and at … the word may "
            "go on."
        )


def shorten(text: str, width: int) -> str:
    """Return the text, cut with an ellipsis if it is wider than `width`."""
    return text if cell_len(text) <= width else f"{set_cell_size(text, width - 1).rstrip()}…"


@dataclass(frozen=True)
class TermList:
    """A table cell with as many terms as fit on one line, and `AND_MORE` if there are more."""

    terms: Sequence[str]

    @property
    def width(self) -> int:
        """Return the width, in characters, that the list of all terms needs."""
        return cell_len(", ".join(self._printable_terms()))

    def _printable_terms(self) -> list[str]:
        """Return the terms as they are printed, each cut to `MAX_TERM_WIDTH`."""
        return [shorten(printable(term), MAX_TERM_WIDTH) for term in self.terms]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the line of terms that fit; rich calls this when it draws the cell."""
        terms = self._printable_terms()
        line = terms[0] if terms else ""  # the first term is always in the line, and may be cut by rich
        for number, term in enumerate(terms[1:], 2):
            longer_line = f"{line}, {term}"
            is_last = number == len(terms)
            room = options.max_width - (0 if is_last else len(AND_MORE))
            if cell_len(longer_line) > room:
                line += AND_MORE
                break
            line = longer_line
        yield Text(line, no_wrap=True, overflow="ellipsis")
