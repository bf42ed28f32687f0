"""Write a chart to a file, in the format of the file's suffix; the same chart gives the same bytes.

An HTML page needs no network: it contains the script that draws the chart, and the chart as JSON inside a script
element. In this JSON, a text with `</script>` would end the element, and one with `<!--` could keep it from ending. So
each `<` is written as a JSON escape (`in_script`), and no text becomes markup.
"""

import html
import io
import json
import os
import re
from collections.abc import Callable
from functools import cache

import altair as alt
import vl_convert

from ..errors import InputError
from ..files import check_writable, replacing, unwritable
from .style import Drawing

PNG_SCALE = 2
"""The scale factor of PNG images, for print and for screens with many pixels."""
_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>body {{ margin: 1em; background: white; }} #chart svg {{ max-width: 100%; height: auto; }}</style>
<script>{script}</script>
</head>
<body>
<div id="chart"></div>
<script>vegaEmbed("#chart", {chart}, {options});</script>
</body>
</html>
"""

_OPTIONS = {"renderer": "svg", "actions": {"export": True, "source": False, "compiled": False, "editor": False}}


def as_svg(chart: Drawing) -> bytes:
    """Return the chart as SVG.

    The library gives clipping paths and gradients ids such as "clip7", with numbers that count through all charts of
    the process. Here they are numbered from 1, so that the same chart gives the same bytes.
    """
    text = io.StringIO()
    chart.save(text, format="svg")
    new_numbers: dict[str, int] = {}

    def renumber_id(match: re.Match[str]) -> str:
        """Return an id, or a reference to an id, with its new number."""
        return f"{match[1]}{new_numbers.setdefault(match[2], len(new_numbers) + 1)}"

    def renumber_tag(tag: re.Match[str]) -> str:
        """Return a tag with new numbers in its ids and references to ids."""
        return re.sub(r'(\bid="(?:clip|gradient_)|url\(#(?:clip|gradient_))(\d+)', renumber_id, tag[0])

    return re.sub(r"<[^>]*>", renumber_tag, text.getvalue()).encode()  # only in tags: texts of the chart stay


def as_png(chart: Drawing) -> bytes:
    """Return the chart as PNG."""
    data = io.BytesIO()
    chart.save(data, format="png", scale_factor=PNG_SCALE)
    return data.getvalue()


def as_json(chart: Drawing) -> bytes:
    """Return the chart as a Vega-Lite specification."""
    return chart.to_json(indent=1).encode() + b"\n"


def as_page(chart: Drawing) -> str:
    """Return an HTML page that contains the chart and the script that draws it."""
    spec = chart.to_dict()
    return _PAGE.format(
        title=html.escape(str(spec.get("description") or "Chart")),
        script=script(),
        chart=in_script(spec),
        options=in_script(_OPTIONS),
    )


@cache
def script() -> str:
    """Return the script that draws charts in a browser, with `vegaEmbed`; building it takes a second or two."""
    version = "_".join(alt.SCHEMA_VERSION.split(".")[:2])  # as vl-convert writes it: "v6_4" for "v6.4.1"
    return vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", version)


def in_script(value: object) -> str:
    """Return JSON that is safe inside a script element."""
    return json.dumps(value).replace("<", "\\u003c")


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
    except OSError as problem:
        raise unwritable(os.fspath(path), problem.strerror or str(problem)) from problem


def check_target(path: str | os.PathLike[str]) -> str:
    """Return the suffix of a chart's file in lowercase; raise `InputError` if the file can't be written.

    Callers check the file before long work.
    """
    name = os.fspath(path)
    kind = os.path.splitext(name)[1].lower()
    if kind not in KINDS:
        actual = f"ends in {kind!r}" if kind else "has no ending"
        raise InputError(f"{name!r} {actual}", hint=f"a chart is written to a file that ends in {', '.join(KINDS)}")
    check_writable(name, what="a chart")
    return kind
