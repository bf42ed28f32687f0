"""The legend that panels share: the style of each selector."""

from __future__ import annotations

from collections.abc import Collection

from ..comparison import Comparison
from ..plots import Style, curve_style
from ..plots.look import GREY
from ..plots.panels import RULE_DASH
from . import figures
from .markup import escaped

_SYMBOLS = {
    "circle": "M4 0A4 4 0 1 1 -4 0A4 4 0 1 1 4 0",
    "square": "M-3.6 -3.6H3.6V3.6H-3.6Z",
    "triangle-up": "M0 -4.4L4.6 3.6H-4.6Z",
    "diamond": "M0 -5L3.4 0L0 5L-3.4 0Z",
    "cross": "M-1.5 -4.5H1.5V-1.5H4.5V1.5H1.5V4.5H-1.5V1.5H-4.5V-1.5H-1.5Z",
    "triangle-down": "M0 4.4L4.6 -3.6H-4.6Z",
}


def legend(found: Comparison, *, baseline: bool = True, without: Collection[str] = ()) -> str:
    """Return an HTML list of the selectors' styles, except those in `without`, and of the line for all terms if
    there is one.
    """
    looks = {name: curve_style(number) for name, number in figures.curve_numbers(found).items() if name not in without}
    if baseline and figures.has_baseline(found):
        looks["all terms"] = Style(GREY, RULE_DASH, "")
    listed = "".join(f"<li>{_swatch(style)}{escaped(name)}</li>" for name, style in looks.items())
    return f'<ul class="legend">{listed}</ul>'


def _swatch(style: Style) -> str:
    dash = " ".join(map(str, style.dash))
    symbol = f'<path d="{_SYMBOLS[style.symbol]}" fill="{style.colour}"/>' if style.symbol else ""
    return (
        '<svg class="swatch" viewBox="-17 -6 34 12" width="34" height="12" aria-hidden="true">'
        f'<path d="M-17 0H17" stroke="{style.colour}" stroke-width="2.2" stroke-dasharray="{dash}"/>{symbol}</svg>'
    )
