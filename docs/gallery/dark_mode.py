"""Let the SVG pictures of the documentation follow the reader's colour scheme: light on white, or dark.

A browser applies the style sheet inside a picture even if the page shows the picture as an image, and tells it whether
the page is dark. Print and older programs show the light picture.
"""

from __future__ import annotations

import re

from textsieve.display import COLOURS, DARK
from textsieve.plots import DARK_COLOURS

_GROUND = re.compile(r'<rect ([^>]*)fill="white"')


def in_both_modes(svg: str) -> str:
    """Return a chart with a style sheet that replaces its colours in dark mode.

    The first white rectangle is the background.
    """
    changed = "".join(
        f'[{attribute}="{light}" i]{{{attribute}:{dark}}}'
        for light, dark in DARK_COLOURS.items()
        for attribute in ("fill", "stroke")
    )
    paper = COLOURS["paper"][DARK]
    ground = f'.ground{{fill:{paper}}}[stroke="white"]{{stroke:{paper}}}'  # borders and halos are white
    style = f"<style>@media screen and (prefers-color-scheme:dark){{{changed}{ground}}}</style>"
    svg, n_grounds = _GROUND.subn(r'<rect \1class="ground" fill="white"', svg, count=1)
    if n_grounds != 1:
        raise ValueError("the chart has no white background")
    return re.sub(r"(<svg [^>]*>)", lambda match: match[1] + style, svg, count=1)


def html_as_svg(html: str, width: int, height: int) -> str:
    """Return an SVG picture that shows HTML, which has its own style sheet for both modes."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
        f'<foreignObject width="{width}" height="{height}"><div xmlns="http://www.w3.org/1999/xhtml">{html}</div>'
        "</foreignObject></svg>\n"
    )
