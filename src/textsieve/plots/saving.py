"""Write a chart to a file, in the format of the file's suffix; the same chart gives the same bytes."""

import io
import os
import re
from collections.abc import Callable

from ..errors import InputError
from ..files import check_writable, replacing, unwritable
from .look import Drawing
from .page import as_page

PIXELS = 2
"""The scale factor of PNG images: they have this many pixels for one of the chart, for print and fine screens."""


def as_svg(chart: Drawing) -> bytes:
    """Return the chart as SVG.

    Clipping paths and gradients are numbered through all charts of a process; here each chart's numbers start at 1.
    """
    text = io.StringIO()
    chart.save(text, format="svg")
    numbers: dict[str, int] = {}

    def renumbered(match: re.Match[str]) -> str:
        return f"{match[1]}{numbers.setdefault(match[2], len(numbers) + 1)}"

    def in_tag(tag: re.Match[str]) -> str:
        return re.sub(r'(\bid="(?:clip|gradient_)|url\(#(?:clip|gradient_))(\d+)', renumbered, tag[0])

    return re.sub(r"<[^>]*>", in_tag, text.getvalue()).encode()


def as_png(chart: Drawing) -> bytes:
    """Return the chart as PNG."""
    data = io.BytesIO()
    chart.save(data, format="png", scale_factor=PIXELS)
    return data.getvalue()


def as_json(chart: Drawing) -> bytes:
    """Return the chart as a Vega-Lite specification."""
    return chart.to_json(indent=1).encode() + b"\n"


KINDS: dict[str, Callable[[Drawing], bytes]] = {
    ".svg": as_svg,
    ".png": as_png,
    ".html": lambda chart: as_page(chart).encode(),
    ".json": as_json,
}


def save(chart: Drawing, path: str | os.PathLike[str]) -> None:
    """Write a chart to a file that ends in .svg, .png, .html (a page that needs no network) or .json."""
    data = KINDS[check_target(path)](chart)
    try:
        with replacing(os.fspath(path)) as file:
            file.write(data)
    except (OSError, ValueError) as problem:
        raise unwritable(os.fspath(path), str(getattr(problem, "strerror", None) or problem)) from problem


def check_target(path: str | os.PathLike[str]) -> str:
    """Return the suffix of a chart's file; raise `InputError` if it can't be written. Call this before long work."""
    name = os.fspath(path)
    kind = os.path.splitext(name)[1].lower()
    if kind not in KINDS:
        actual = f"ends in {kind!r}" if kind else "has no ending"
        raise InputError(f"{name!r} {actual}; a chart is written to a file that ends in {', '.join(KINDS)}.")
    check_writable(name, what="a chart")
    return kind
