"""The whole page: its sections in reading order, the data for its script, and the scripts themselves.

Everything is in one file. A content security policy at its head forbids the browser to load anything else, and to run
scripts whose hash is not in the policy: if text ever got into the page unescaped, it could still not run.
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
    """Return the page as HTML."""
    drawing, page_script = script(), _asset("page.js")
    title = f"Comparison on {found.header['corpus']}"
    parts = {
        "policy": _policy(drawing, page_script),
        "title": escaped(title),
        "subtitle": escaped(tables.subtitle(found)),
        "style": _asset("style.css") + _dark_charts(),
        "findings": _findings(found),
        "problems": _problems(found),
        "sections": "".join(sections(found)),
        "data": in_script(_data(found)),
        "drawing": drawing,
        "script": page_script,
    }
    page = _asset("page.html")
    before, *places = page.split("{{")
    return before + "".join(parts[place.partition("}}")[0]] + place.partition("}}")[2] for place in places)


def _data(comparison: Comparison) -> dict[str, Any]:
    return {
        "panels": {
            "quality": figures.quality_panels(comparison),
            "times": figures.time_panels(comparison),
            "energy": figures.energy_panels(comparison),
        },
        "classes": [tables.label_text(label) for label in comparison.header["classes"]],
        "overlap": choices.overlap_choices(comparison),
        "combinations": choices.quality_choices(comparison),
        "terms": choices.term_choices(comparison),
        "rankings": choices.rankings_data(comparison),
    }


def _findings(comparison: Comparison) -> str:
    main_findings = findings(comparison)
    if not main_findings:
        return '<p class="problem">No combination could be measured.</p>'
    cards = "".join(
        f"<li><h2>{escaped(finding.title)}</h2><p><strong>{escaped(finding.what)}</strong></p><p>{escaped(finding.about)}</p></li>"
        for finding in main_findings
    )
    return f'<ul class="findings">{cards}</ul>'


def _problems(comparison: Comparison) -> str:
    sentences = tables.problems(comparison)
    if not sentences:
        return ""
    listed = "".join(f"<li>{escaped(sentence)}</li>" for sentence in sentences)
    return f'<section class="problem" aria-label="Problems"><ul>{listed}</ul></section>'


def _dark_charts() -> str:
    """Return the CSS for charts in dark mode: it replaces each colour of the charts, which are drawn for paper."""
    rules = (
        f'svg [fill="{light}" i]{{fill:{dark}}}svg [stroke="{light}" i]{{stroke:{dark}}}'
        for light, dark in DARK.items()
    )
    return f"@media screen and (prefers-color-scheme: dark){{{''.join(rules)}}}"


def _policy(*scripts: str) -> str:
    hashes = (base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts)
    allowed = " ".join(f"'sha256-{digest}'" for digest in hashes)
    return f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src {allowed}"


def _asset(name: str) -> str:
    return (files(__package__) / "assets" / name).read_text(encoding="utf-8")
