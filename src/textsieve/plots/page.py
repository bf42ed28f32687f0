"""A chart as a page that opens without a network: the script that draws is in it.

The chart stands in the page as JSON within a script, which nothing but `</script>` could end, or `<!--` confuse. So `<`
is spelled as JSON allows, and a text can be nothing but a text.
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
    """The whole page."""
    spec = chart.to_dict()
    return _PAGE.format(
        title=html.escape(str(spec.get("description") or "Chart")),
        script=script(),
        chart=in_script(spec),
        options=in_script(_OPTIONS),
    )


@cache
def script() -> str:
    """What draws charts in a browser, as `vegaEmbed`; it takes a second or two to put together."""
    version = "_".join(alt.SCHEMA_VERSION.split(".")[:2])
    return vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", version)


def in_script(value: object) -> str:
    """JSON that may stand within a script of a page."""
    return json.dumps(value).replace("<", "\\u003c")
