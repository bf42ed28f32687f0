"""The page: sections in the order in which they are read, what is chosen in them, and the scripts that they need.

Everything is in the one file, and a policy at its head forbids the browser to load anything else, or to run a script
whose hash is not named there: if a text should ever slip through as markup, it still does nothing.
"""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files
from typing import Any

from ..comparison import Comparison
from ..plots import DARK, in_script, script
from . import choices, figures, tables
from .findings import findings
from .markup import escaped
from .sections import sections


def report_page(found: Comparison) -> str:
    """The whole page as text."""
    drawing, own = script(), _asset("page.js")
    title = f"Comparison on {found.header['corpus']}"
    parts = {
        "policy": _policy(drawing, own),
        "title": escaped(title),
        "subtitle": escaped(tables.subtitle(found)),
        "style": _asset("style.css") + _dark_charts(),
        "findings": _findings(found),
        "problems": _problems(found),
        "sections": "".join(sections(found)),
        "data": in_script(_data(found)),
        "drawing": drawing,
        "script": own,
    }
    page = _asset("page.html")
    before, *places = page.split("{{")
    return before + "".join(parts[place.partition("}}")[0]] + place.partition("}}")[2] for place in places)


def _data(found: Comparison) -> dict[str, Any]:
    return {
        "panels": {
            "quality": figures.quality_panels(found),
            "times": figures.time_panels(found),
            "energy": figures.energy_panels(found),
        },
        "classes": [tables.label_text(label) for label in found.header["classes"]],
        "overlap": choices.overlap_choices(found),
        "combinations": choices.quality_choices(found),
        "terms": choices.term_choices(found),
        "rankings": choices.rankings_data(found),
    }


def _findings(found: Comparison) -> str:
    known = findings(found)
    if not known:
        return '<p class="problem">No combination could be measured.</p>'
    cards = "".join(
        f"<li><h2>{escaped(each.title)}</h2><p><strong>{escaped(each.what)}</strong></p><p>{escaped(each.about)}</p></li>"
        for each in known
    )
    return f'<ul class="findings">{cards}</ul>'


def _problems(found: Comparison) -> str:
    said = tables.problems(found)
    if not said:
        return ""
    listed = "".join(f"<li>{escaped(each)}</li>" for each in said)
    return f'<section class="problem" aria-label="Problems"><ul>{listed}</ul></section>'


def _dark_charts() -> str:
    """What charts look like in the dark: they are drawn for paper, and the style changes each colour that they use."""
    rules = (
        f'svg [fill="{light}" i]{{fill:{dark}}}svg [stroke="{light}" i]{{stroke:{dark}}}'
        for light, dark in DARK.items()
    )
    return f"@media screen and (prefers-color-scheme: dark){{{''.join(rules)}}}"


def _policy(*scripts: str) -> str:
    hashes = (base64.b64encode(hashlib.sha256(each.encode()).digest()).decode() for each in scripts)
    allowed = " ".join(f"'sha256-{each}'" for each in hashes)
    return f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src {allowed}"


def _asset(name: str) -> str:
    return (files(__package__) / "assets" / name).read_text(encoding="utf-8")
