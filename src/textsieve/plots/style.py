"""The style that all charts share: colours, dashes, symbols and fonts, and round numbers on their axes.

Colours suit colour-blind readers, and dashes print without colours. The colours are those of Okabe and Ito without
yellow, which is hard to see on white paper; strong colours come first. There are 7 colours, and 6 dashes and symbols,
so the same pair of colour and dash repeats only after 42 curves.
"""

import math
import re
from textwrap import wrap
from typing import Any, NamedTuple

import altair as alt

Chart = alt.LayerChart
"""The type of the charts made here."""
DataRow = dict[str, Any]
"""A row of the data of a chart."""
Domain = tuple[float, float]
"""The range of an axis or of a colour scale."""
Drawing = alt.TopLevelMixin
"""The type of a chart, or of several combined charts, that can be written to a file."""

WIDTH, HEIGHT = 640, 400
FONT = "Helvetica, Arial, sans-serif"
TEXT, SMALL = 14, 13
"""The font sizes of titles of axes, and of labels and names."""
FEW_POINTS = 25
"""Curves with at most this many points have symbols."""
CHARACTERS_PER_LINE = 90
INK, GREY, PALE = "#222222", "#666666", "#E3E3E3"

_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#000000", "#CC79A7", "#E69F00", "#56B4E9")
DARK_COLOURS = {
    INK: "#E6EAEF",
    GREY: "#A3ADB8",
    PALE: "#2F3842",
    "#0072B2": "#4A9EEA",
    "#D55E00": "#F5874A",
    "#009E73": "#2FC79A",
    "#000000": "#FFFFFF",
    "#CC79A7": "#E3A0C5",
    "#E69F00": "#F2B632",
    "#56B4E9": "#A6DCFF",
}
"""For each colour of lines and letters, the colour that replaces it on a page in dark mode."""
_DASHES = ([1, 0], [9, 4], [2, 3], [10, 3, 2, 3], [5, 3], [14, 4])
_SYMBOLS = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
_RULE_DASHES = ([4, 4], [1, 3], [12, 4], [8, 3, 1, 3])


class Style(NamedTuple):
    """The colour, dash and symbol of a line."""

    colour: str
    dash: list[int]
    symbol: str


def curve_style(number: int) -> Style:
    """Return the style of the curve with this number."""
    return Style(
        _COLOURS[number % len(_COLOURS)],
        _DASHES[number % len(_DASHES)],
        _SYMBOLS[number % len(_SYMBOLS)],
    )


def rule_style(number: int) -> Style:
    """Return the style of the reference line with this number: grey, unlike all curves."""
    return Style(GREY, _RULE_DASHES[number % len(_RULE_DASHES)], "circle")


def clean_text(text: object) -> str:
    """Return the text on one line; characters that XML, and so SVG, does not allow are replaced by "�"."""
    return re.sub(r"[^\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "�", " ".join(str(text).split()))


def title_properties(title: str, caption: str) -> dict[str, Any]:
    """Return the arguments "title" and "description" of a chart: title and caption above it, wrapped to its width.

    Without title and caption, there are no arguments.
    """
    # The letters of a title are larger, so fewer fit into a line.
    head: dict[str, Any] = {"text": wrap(clean_text(title), CHARACTERS_PER_LINE - 20) or ""}
    if caption:
        head["subtitle"] = wrap(clean_text(caption), CHARACTERS_PER_LINE)
    return {"title": alt.TitleParams(**head), "description": clean_text(title)} if title or caption else {}


def apply_style(chart: Chart, *, background: str = "white", padding: int = 14) -> Chart:
    """Return the chart with the fonts and colours of this module, on a white or another background."""
    axis: dict[str, Any] = {
        "labelFont": FONT,
        "labelFontSize": SMALL,
        "labelColor": INK,
        "labelPadding": 6,
        "titleFont": FONT,
        "titleFontSize": TEXT,
        "titleFontWeight": "normal",
        "titleColor": INK,
        "titlePadding": 12,
        "domainColor": GREY,
        "tickColor": GREY,
        "gridColor": PALE,
    }
    title: dict[str, Any] = {
        "font": FONT,
        "fontSize": 17,
        "fontWeight": "bold",
        "color": INK,
        "anchor": "start",
        "offset": 14,
        "subtitleFont": FONT,
        "subtitleFontSize": SMALL,
        "subtitleColor": GREY,
        "subtitlePadding": 5,
    }
    styled: Chart = chart.copy(deep=False)  # each method `configure_...` of the chart would copy all of its data
    styled.config = alt.Config(
        background=background,
        padding=padding,
        font=FONT,
        view=alt.ViewConfig(stroke=None),
        axis=alt.AxisConfig(**axis),
        title=alt.TitleConfig(**title),
    )
    return styled


# -- axes --------------------------------------------------------------------------------------------------------


def round_domain(low: float, high: float) -> Domain:
    """Return a domain that contains both numbers and ends in multiples of a round step: 0.52 and 0.77 give 0.5 and 0.8.

    The step is 1, 2 or 5 times a power of ten, and at least an eighth of the distance between the numbers. The small
    constants keep rounding errors from adding a step.
    """
    if low == high:  # widen the domain by half the number to both sides, or from -0.5 to 0.5 around 0
        low, high = low - (abs(low) or 1.0) / 2, high + (abs(high) or 1.0) / 2
    min_step = (high - low) / 8
    unit = 10.0 ** math.floor(math.log10(min_step))
    step = next(factor * unit for factor in (1, 2, 5, 10) if factor * unit >= min_step * (1 - 1e-9))
    return math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step


def log_domain(low: float, high: float) -> Domain:
    """Return the domain from `low` to `high`, or from half the number to twice the number if they are equal."""
    return (low, high) if low < high else (low / 2, high * 2)


def log_ticks(domain: Domain) -> list[float]:
    """Return the powers of ten in the domain; if there are fewer than three, return 1, 2 and 5 times powers of ten.

    For example, 1 to 30 has the ticks 1, 2, 5, 10 and 20. If none of these is in the domain, return its ends.
    """
    first, last = math.floor(math.log10(domain[0])), math.ceil(math.log10(domain[1]))
    powers = [10.0**power for power in range(first, last + 1)]
    within = [tick for tick in powers if domain[0] <= tick <= domain[1]]
    if len(within) >= 3:
        return within
    finer = sorted(factor * power for power in powers for factor in (1, 2, 5))
    return [tick for tick in finer if domain[0] <= tick <= domain[1]] or list(domain)
