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
from ..comparison.plan import ALL
from ..plots import DARK, Style, curve_style, in_script, script
from . import choices, figures, tables
from .findings import findings
from .markup import escaped

_SYMBOLS = {
    "circle": "M4 0A4 4 0 1 1 -4 0A4 4 0 1 1 4 0",
    "square": "M-3.6 -3.6H3.6V3.6H-3.6Z",
    "triangle-up": "M0 -4.4L4.6 3.6H-4.6Z",
    "diamond": "M0 -5L3.4 0L0 5L-3.4 0Z",
    "cross": "M-1.5 -4.5H1.5V-1.5H4.5V1.5H1.5V4.5H-1.5V1.5H-4.5V-1.5H-1.5Z",
    "triangle-down": "M0 4.4L4.6 -3.6H-4.6Z",
}


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
        "sections": "".join(_sections(found)),
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


def _sections(found: Comparison) -> list[str]:
    classifiers = figures.classifiers_of(found)
    sections = []
    if classifiers:
        sections += [_quality(found, classifiers), _times(found, classifiers)]
    sections.append(_table_of_all(found))
    if found.overlaps or found.stabilities:
        sections.append(_overlap(found))
    if figures.energy_panels(found):
        sections.append(_energy(found))
    if classifiers:
        sections.append(_mistakes(found))
    if choices.term_choices(found):
        sections.append(_terms(found))
    sections.append(_section("run", "Settings and versions", f'<div class="facts">{tables.about_run(found)}</div>'))
    return sections


def _quality(found: Comparison, classifiers: list[str]) -> str:
    controls = _select("measure", "Measure", [(each, each) for each in figures.measures(found)])
    if len(classifiers) > 1:
        controls += _select("classifier", "Classifier", [("all, side by side", ""), *((each, each) for each in classifiers)])
    return _section(
        "quality",
        "F1 against number of terms",
        _controls(controls) + _legend(found) + '<div class="panels"></div>',
        "Means over the folds." if found.header["split"]["folds"] > 1 else "",
    )


def _times(found: Comparison, classifiers: list[str]) -> str:
    controls = _select("classifier", "Classifier", [(each, each) for each in classifiers])
    return _section(
        "times",
        "Seconds",
        (_controls(controls) if len(classifiers) > 1 else "") + _legend(found) + '<div class="panels"></div>',
        "Selection: statistics and ranking, as the selector would cost alone. Prediction: from counts to labels, of all "
        "tested documents. Medians over the folds; both axes are logarithmic.",
    )


def _table_of_all(found: Comparison) -> str:
    inner = (
        '<p class="controls"><button type="button" id="copy">Copy as CSV</button> '
        '<span role="status" id="copied"></span></p>' + tables.conditions_table(found) + tables.ranks_table(found)
    )
    several = "" if found.header["split"]["folds"] < 2 else "±: half of the 95 % interval of the mean over folds. "
    note = (
        f"A click on a title sorts. {several}p: how likely such a lead of the best is by chance (sign test on documents, "
        "Holm's correction), among combinations with as many terms, and among all."
    )
    return _section("table", "All combinations", inner, note)


def _overlap(found: Comparison) -> str:
    inner = ""
    if found.overlaps:
        sizes = [(each["size"], str(place)) for place, each in enumerate(choices.overlap_choices(found))]
        how = [("shared terms", "shared"), ("Jaccard's index", "jaccard"), ("Kuncheva's index", "kuncheva")]
        inner = _controls(_select("size", "Number of terms", sizes) + _select("index", "Measure", how))
        inner += '<div class="matrix"></div>'
    note = (
        "How many of the chosen terms two selectors have in common. Jaccard's index is the share of shared terms among "
        "all terms of both; Kuncheva's takes out what chance would share."
    )
    return _section("overlap", "Overlap of the chosen terms", inner + tables.stability_table(found), note)


def _energy(found: Comparison) -> str:
    without = figures.without_energy(found)
    more = f" No such curve: {', '.join(without)}, whose scores do not add up." if without else ""
    return _section(
        "energy",
        "Energy",
        _legend(found, baseline=False, without=without) + '<div class="panels wide"></div>',
        f"Which share of the sum of all scores the first terms of a ranking hold, in the first fold.{more}",
    )


def _mistakes(found: Comparison) -> str:
    several = found.header["several_labels"]
    known = choices.quality_choices(found)
    names = [(each["name"], str(place)) for place, each in enumerate(known)]
    n_left = len(choices.best_first(found)) - len(known)
    left = f" {n_left:,} more combinations are in the file of results." if n_left else ""
    folds = " The documents of all folds are added up." if found.header["split"]["folds"] > 1 else ""
    title = "Classes, one by one" if several else "Confusion: which class was taken for which"
    shown = "" if several else '<div class="matrix"></div><div class="pairs"></div>'
    return _section(
        "classes",
        title,
        _controls(_select("combination", "Combination, the best first", names)) + shown + '<div class="by-class"></div>',
        (folds + left).strip(),
    )


def _terms(found: Comparison) -> str:
    known = choices.term_choices(found)
    selectors, sizes = (list(dict.fromkeys(each[name] for each in known)) for name in ("selector", "size"))
    search = (
        '<label>Search terms and classes <input type="search" name="search" autocomplete="off" spellcheck="false"></label>'
    )
    controls = _select("selector", "Selector", [(each, each) for each in selectors])
    controls += _select("size", "Number of terms", [(each, each) for each in sizes], chosen=len(sizes) - 1) + search
    note = (
        "Each chosen term stands with the class that it speaks for most, the best first, in the first fold: its place "
        "among all terms, and its score."
    )
    status = '<p role="status" class="found"></p>'
    return _section("terms", "The chosen terms", _controls(controls) + status + '<div class="cards"></div>', note)


def _section(name: str, title: str, inner: str, note: str = "") -> str:
    said = f'<p class="note">{escaped(note)}</p>' if note else ""
    return f'<section id="{name}" aria-labelledby="{name}-title"><h2 id="{name}-title">{escaped(title)}</h2>{said}{inner}</section>'


def _controls(inner: str) -> str:
    return f'<div class="controls">{inner}</div>'


def _select(name: str, title: str, options: list[tuple[str, str]], chosen: int = 0) -> str:
    listed = "".join(
        f'<option value="{escaped(value)}"{" selected" if place == chosen else ""}>{escaped(text)}</option>'
        for place, (text, value) in enumerate(options)
    )
    return f'<label>{escaped(title)} <select name="{name}">{listed}</select></label>'


def _legend(found: Comparison, *, baseline: bool = True, without: list[str] | None = None) -> str:
    looks = {
        name: curve_style(number)
        for name, number in figures.curve_numbers(found).items()
        if name not in (without or ()) and (baseline or name != ALL)
    }
    if baseline and figures.has_baseline(found):
        looks["all terms"] = Style("#666666", [6, 4], "")
    listed = "".join(f"<li>{_swatch(style)}{escaped(name)}</li>" for name, style in looks.items())
    return f'<ul class="legend">{listed}</ul>'


def _swatch(style: Style) -> str:
    dash = " ".join(map(str, style.dash))
    symbol = f'<path d="{_SYMBOLS[style.symbol]}" fill="{style.colour}"/>' if style.symbol else ""
    return (
        '<svg class="swatch" viewBox="-17 -6 34 12" width="34" height="12" aria-hidden="true">'
        f'<path d="M-17 0H17" stroke="{style.colour}" stroke-width="2.2" stroke-dasharray="{dash}"/>{symbol}</svg>'
    )


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
    changed = "".join(
        f'svg [fill="{light}" i]{{fill:{dark}}}svg [stroke="{light}" i]{{stroke:{dark}}}' for light, dark in DARK.items()
    )
    return f"@media screen and (prefers-color-scheme: dark){{{changed}}}"


def _policy(*scripts: str) -> str:
    hashes = " ".join(f"'sha256-{base64.b64encode(hashlib.sha256(each.encode()).digest()).decode()}'" for each in scripts)
    return f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src {hashes}"


def _asset(name: str) -> str:
    return (files(__package__) / "assets" / name).read_text(encoding="utf-8")
