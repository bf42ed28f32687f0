"""Sentences about measured numbers, which are filled in and chosen by the numbers themselves.

In a text, braces name cells:

- `{OCFS | 10}` is the number in the row "OCFS" and the column "10".
- `{OCFS | 10 minus IG | 10}` is a difference with its sign, `{IG | 10 ÷ OCFS | 10}` a ratio. Ratios are those of the
  measured numbers before rounding, like the ratios in tables of claims.
- `{order OCFS; IG; CHI | 10}` lists rows with their numbers, the largest first.
- `{if OCFS | 10 > IG | 10}OCFS leads.{else}OCFS does not lead.{end}` writes the sentence that is true. Numbers are
  compared as they are printed, by `>`, `<`, or `~`, which holds if the two agree by the limits of their unit.
  Conditions are joined by ` & `; either side of a comparison may be a number, a difference or a ratio.

So no sentence can contradict the table above it. Conditions can't be nested.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from .measurements import Estimate
from .paper import RATIO, Tolerance, Unit

TAG = re.compile(r"\{([^{}]+)\}")
CONDITION = re.compile(r"\{if\s([^{}]+)\}(.*?)(?:\{else\}(.*?))?\{end\}", re.DOTALL)
COMPARISON = re.compile(r" ([<>~]) ")
OPERATION = re.compile(r" (minus|÷) ")
ORDER = "order "
MINUS, BETWEEN_ROWS = "minus", "; "


class Named(NamedTuple):
    """A measured number or list of terms, and its unit."""

    estimate: Estimate
    unit: Unit


Lookup = Callable[[str], Named]
"""Returns the number with a name such as "OCFS | 10"; raises `KeyError` if there is none."""


class Operand(NamedTuple):
    """One side of a comparison: its value as printed, its text, and the limits within which others agree with it."""

    value: float
    measured: float
    """The value before rounding."""
    text: str
    tolerance: Tolerance


class NoNumber(ValueError):
    """A sentence compares something that is not a number."""


def fill_in(text: str, lookup: Lookup) -> str:
    """Return a text with the sentences that are true and the numbers that they name."""
    chosen = CONDITION.sub(lambda match: match[2] if holds(match[1], lookup) else match[3] or "", text)
    return TAG.sub(lambda match: expression_text(match[1], lookup), chosen)


def holds(condition: str, lookup: Lookup) -> bool:
    """Return whether all comparisons of a condition are true."""
    return all(_compare(comparison, lookup) for comparison in _clean(condition).split(" & "))


def _compare(comparison: str, lookup: Lookup) -> bool:
    """Return whether a comparison such as "A | 10 > B | 10" is true."""
    left_text, sign, right_text = COMPARISON.split(comparison)
    left, right = _operand(left_text, lookup), _operand(right_text, lookup)
    if sign == "~":
        return left.tolerance.judge(right.value, left.value) == "agrees"
    return left.value > right.value if sign == ">" else left.value < right.value


def expression_text(expression: str, lookup: Lookup) -> str:
    """Return the text of an expression: a number, a difference, a ratio, or an ordered list of rows."""
    expression = _clean(expression)
    if expression.startswith(ORDER):
        return _order_text(expression.removeprefix(ORDER), lookup)
    if OPERATION.search(expression):
        return _operand(expression, lookup).text
    named = lookup(expression)
    return value_text(named)


def value_text(named: Named) -> str:
    """Return a number without its interval, or a list of terms; "-" if nothing was measured."""
    value = named.estimate.value
    if value is None:
        return "-"
    return " ".join(value) if isinstance(value, tuple) else named.unit.format_number(value)


def _operand(text: str, lookup: Lookup) -> Operand:
    """Return a side of a comparison: a plain number, that of a cell, a difference or a ratio."""
    if re.fullmatch(r"-?[\d.]+", text):
        return Operand(float(text), float(text), text, RATIO)
    parts = OPERATION.split(text)
    if len(parts) == 1:
        named = lookup(text)
        return _operand_of(text, named)
    first_text, operation, second_text = parts
    first, second = _operand(first_text, lookup), _operand(second_text, lookup)
    if operation == MINUS:
        unit = lookup(first_text).unit
        difference = first.value - second.value
        return Operand(difference, difference, f"{difference:+{unit.digits}}", first.tolerance)
    ratio = first.measured / second.measured
    return Operand(ratio, ratio, f"{ratio:.2f}" if ratio < 10 else f"{ratio:,.0f}", RATIO)


def _operand_of(name: str, named: Named) -> Operand:
    """Return a number with its value as printed, so that a reader who compares two sees the same."""
    value, text = named.estimate.value, value_text(named)
    if not isinstance(value, float | int):
        raise NoNumber(f"{name} is not a number: {named.estimate.problem or value}")
    return Operand(float(text.replace(",", "")), float(value), text, named.unit.tolerance or RATIO)


def _order_text(rest: str, lookup: Lookup) -> str:
    """Return rows with their numbers, the largest first: "A (0.550), B (0.549) and C (0.545)"."""
    rows_text, _, column = rest.rpartition(" | ")
    rows = rows_text.split(BETWEEN_ROWS)
    operands = {row: _operand(f"{row} | {column}", lookup) for row in rows}
    in_order = sorted(rows, key=lambda row: -operands[row].value)
    texts = [f"{row.rpartition(': ')[2]} ({operands[row].text})" for row in in_order]
    return f"{', '.join(texts[:-1])} and {texts[-1]}" if len(texts) > 1 else texts[0]


def names_in(text: str) -> Iterator[str]:
    """Yield the names of all cells in a text, also those in sentences that are not chosen."""
    for match in TAG.finditer(text):
        expression = _clean(match[1])
        if expression in ("else", "end"):
            continue
        if expression.startswith(ORDER):
            rows_text, _, column = expression.removeprefix(ORDER).rpartition(" | ")
            yield from (f"{row} | {column}" for row in rows_text.split(BETWEEN_ROWS))
            continue
        for comparison in expression.removeprefix("if ").split(" & "):
            for side in COMPARISON.split(comparison)[::2]:
                yield from (name for name in OPERATION.split(side)[::2] if "|" in name)


def _clean(text: str) -> str:
    """Return a text on one line, with single spaces around "|"."""
    return " | ".join(" ".join(part.split()) for part in text.split("|"))
