"""Where words stand in a chart of lines so that none covers another: names in the margin, labels of points."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from .look import SMALL, plain
from .scales import spread
from .series import Frame, Series

GAP = 20
"""From one name in the margin to the next, in pixels."""
LETTER = 0.56 * SMALL
"""About the mean width of a letter, in pixels."""


LONGEST_NAME = 48
"""Letters of a name; the rest is cut, or the drawing would be a strip beside its names."""


class Mark(NamedTuple):
    """A point worth a look: on which curve, where, and what is written beside it, if anything."""

    curve: str
    x: float
    y: float
    text: str = ""


def names(series: Sequence[Series], frame: Frame) -> list[dict[str, Any]]:
    """The name of each line, as near to its end as the others allow.

    Where several end at the same height, the one that is higher on its way is named above.
    """
    ordered = sorted(series, key=lambda each: (round(frame.down(each.y[-1])), frame.down(float(each.y.mean()))))
    places = spread([frame.down(float(each.y[-1])) for each in ordered], GAP, frame.height)
    return [
        {"key": each.key, "text": _cut(each.name), "y": frame.value_at(place)}
        for each, place in zip(ordered, places, strict=True)
    ]


def _cut(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


def mark_labels(marks: Iterable[Mark], key_of: dict[str, str], frame: Frame) -> list[dict[str, Any]]:
    """Points with a label below and to the right of each, in the first row where it covers no other label."""
    taken: list[tuple[float, float, float]] = []
    rows = []
    for mark in sorted(marks, key=lambda mark: (-mark.x, mark.y)):
        text = plain(mark.text)
        left, row = frame.right(mark.x), frame.down(mark.y) + GAP - 4
        right = left + 12 + LETTER * len(text)
        while text and any(abs(row - other) < GAP - 4 and left < end and start < right for start, end, other in taken):
            row += GAP - 2
        if text:
            taken.append((left, right, row))
        rows.append({"key": key_of[mark.curve], "text": text, "x": mark.x, "y": mark.y, "text_y": frame.value_at(row)})
    return rows
