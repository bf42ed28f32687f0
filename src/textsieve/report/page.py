"""The report: a comparison as one HTML file, from the template `assets/page.html`.

Jinja2 fills the template and escapes every value, except the page's own style and scripts, and the JSON with the data
of the script, in which `<` is escaped (`plots.in_script`). The script inserts this data as text.

Everything is in one file. The content security policy in the page's head forbids the browser to load other files and to
run scripts whose hash is not in the policy. So even text that got into the page unescaped could not run as a script.
"""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Iterable
from importlib.resources import files
from typing import Any

from ..comparison import Comparison
from ..comparison.plan import Condition
from ..comparison.view import label_text
from ..display import colour_css
from ..errors import InputError
from ..evaluation.confusions import MAX_EXAMPLE_CHARACTERS
from ..evaluation.report_html import confidence_tables
from ..extras import require_extra
from ..files import check_writable, replacing, unwritable

ENDINGS = (".html", ".htm")


def write_report(comparison: Comparison, path: str | os.PathLike[str]) -> None:
    """Write a comparison, such as that of `read_comparison("x.jsonl")`, as one HTML page that needs no network."""
    name = os.fspath(path)
    check_report(name)
    page = report_page(comparison).encode("utf-8", "replace")  # labels may have lone surrogates
    try:
        with replacing(name) as file:
            file.write(page)
    except OSError as problem:
        raise unwritable(name, problem.strerror or str(problem)) from problem


def check_report(path: str | os.PathLike[str], *, what: str = "a report") -> None:
    """Raise an error, before any long work is done, if a report can't be drawn or written.

    `what` names the feature in the error about missing packages.
    """
    require_extra("plots", what=what)
    name = os.fspath(path)
    if os.path.splitext(name)[1].lower() not in ENDINGS:
        raise InputError(
            "a report is an HTML page", place=name, hint=f"give the name of a file that ends in {' or '.join(ENDINGS)}"
        )
    check_writable(name, what="a report")


def report_page(comparison: Comparison) -> str:
    """Return the page as HTML."""
    from jinja2 import Environment, StrictUndefined

    from ..plots import DARK_COLOURS, in_script, script
    from . import page_data
    from .charts import classifiers_of, draw_charts, measures_of

    short_names, comparison = comparison.conditions, comparison.with_full_names()
    charts, vega, page_script = draw_charts(comparison), script(), _asset("page.js")
    combinations = page_data.combination_data(comparison)
    data = {
        "panels": {"quality": charts.quality, "times": charts.times, "energy": charts.energy},
        "classes": [label_text(label) for label in comparison.header["classes"]],
        "overlap": page_data.overlap_data(comparison),
        "combinations": combinations,
        "selections": page_data.selection_data(comparison),
        "rankings": page_data.ranking_data(comparison),
    }
    context: dict[str, Any] = {
        "view": comparison.view,
        "names": _names(comparison.conditions, short_names),
        "intervals": comparison.view.conditions.draw_intervals(),
        "confidence": [
            (combination, confidence_tables(confidence))
            for combination, confidence in comparison.view.confidence[: len(combinations)]
        ],
        "example_pairs": page_data.example_pairs(comparison),
        "max_example_characters": MAX_EXAMPLE_CHARACTERS,
        "charts": charts,
        "data": data,
        "measures": list(measures_of(comparison)),
        "classifiers": classifiers_of(comparison),
        "n_folds": comparison.header["split"]["folds"],
        "multilabel": comparison.header["multilabel"],
        "n_combinations_left_out": len(page_data.measured_best_first(comparison)) - len(combinations),
        "max_class_terms": page_data.max_terms_per_class(comparison),
        "policy": _policy(vega, page_script),
        "style": colour_css(":root") + _asset("style.css") + _dark_mode_css(DARK_COLOURS),
        "data_json": in_script(data),
        "vega_script": vega,
        "page_script": page_script,
    }
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters["zip"] = zip
    return environment.from_string(_asset("page.html")).render(context).lstrip()


def _names(conditions: Iterable[Condition], with_short_names: Iterable[Condition]) -> dict[str, str]:
    """Return the name of each method in options and in code, by its name on the page, if the two differ."""
    pairs = [
        (getattr(condition, kind).name, getattr(with_short_name, kind).name)
        for kind in ("selector", "classifier")
        for condition, with_short_name in zip(conditions, with_short_names, strict=True)
    ]
    return {name: short_name for name, short_name in pairs if name != short_name}


def _dark_mode_css(replacements: dict[str, str]) -> str:
    """Return the CSS for charts in dark mode: it replaces each colour of the charts, which are drawn for paper."""
    rules = (
        f'svg [fill="{light}" i]{{fill:{dark}}}svg [stroke="{light}" i]{{stroke:{dark}}}'
        for light, dark in replacements.items()
    )
    return f"@media screen and (prefers-color-scheme: dark){{{''.join(rules)}}}"


def _policy(*scripts: str) -> str:
    """Return a content security policy that allows these scripts alone, by their hashes."""
    hashes = (base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts)
    allowed = " ".join(f"'sha256-{digest}'" for digest in hashes)
    return f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src {allowed}"


def _asset(name: str) -> str:
    """Return the text of a file in the folder `assets`."""
    return (files(__package__) / "assets" / name).read_text(encoding="utf-8")
