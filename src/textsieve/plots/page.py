"""A chart as an HTML page that needs no network: the page contains the script that draws it.

The chart is JSON inside a script element, which only `</script>` could end, or `<!--` break. So each `<` is written as
a JSON escape, and text can't become markup.
"""

import html
import json
from functools import cache

import altair as alt
import vl_convert

from .look import Drawing

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


def as_page(chart: Drawing) -> str:
    """Return the page as HTML."""
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
    version = "_".join(alt.SCHEMA_VERSION.split(".")[:2])
    return vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", version)


def in_script(value: object) -> str:
    """Return JSON that is safe inside a script element."""
    return json.dumps(value).replace("<", "\\u003c")
