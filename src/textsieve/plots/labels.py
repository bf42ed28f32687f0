"""Place text in a line chart without overlaps: names in the margin, and labels of points."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from .look import SMALL, plain
from .scales import spread
from .series import Frame, Series

GAP = 20
"""The distance between names in the margin, in pixels."""
LETTER = 0.56 * SMALL
"""The approximate mean width of a letter, in pixels."""


LONGEST_NAME = 48
"""The maximum length of a name in letters; longer names are cut, or they would leave little room for the drawing."""


class Mark(NamedTuple):
    """A marked point: its curve, its position, and the text beside it, if any."""

    curve: str
    x: float
    y: float
    text: str = ""


def names(series: Sequence[Series], frame: Frame) -> list[dict[str, Any]]:
    """Return the name of each line with its position, as near to the line's end as the other names allow.

    Where several lines end at the same height, the one with the higher mean is named above the others.
    """
    sorted_series = sorted(series, key=lambda line: (round(frame.down(line.y[-1])), frame.down(float(line.y.mean()))))
    positions = spread([frame.down(float(line.y[-1])) for line in sorted_series], GAP, frame.height)
    return [
        {"key": line.key, "text": _cut(line.name), "y": frame.value_at(position)}
        for line, position in zip(sorted_series, positions, strict=True)
    ]


def _cut(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


def mark_labels(marks: Iterable[Mark], key_of: dict[str, str], frame: Frame) -> list[dict[str, Any]]:
    """Return points with a label below and to the right of each, in the first row where it covers no other label."""
    occupied: list[tuple[float, float, float]] = []
    rows = []
    for mark in sorted(marks, key=lambda mark: (-mark.x, mark.y)):
        text = plain(mark.text)
        left, row = frame.right(mark.x), frame.down(mark.y) + GAP - 4
        right = left + 12 + LETTER * len(text)
        while text and any(
            abs(row - other) < GAP - 4 and left < end and start < right for start, end, other in occupied
        ):
            row += GAP - 2
        if text:
            occupied.append((left, right, row))
        rows.append({"key": key_of[mark.curve], "text": text, "x": mark.x, "y": mark.y, "text_y": frame.value_at(row)})
    return rows
