"""The sections of the page, in reading order.

Each has a title, a note, controls, and either a static table or an element that the page's script fills.
"""

from __future__ import annotations

from ..comparison import Comparison
from ..comparison.plan import ALL
from ..errors import counted
from . import choices, figures, tables
from .legend import legend
from .markup import escaped

_SHORT = {
    "quality": "F1",
    "times": "Seconds",
    "table": "All combinations",
    "overlap": "Overlap",
    "energy": "Energy",
    "classes": "Classes",
    "terms": "Terms",
    "run": "Settings",
}
"""The short names of the sections, for the list at the head of the page."""

_FIRST_FOLD = "of the first fold's documents to learn from"


def sections(found: Comparison) -> list[str]:
    """Return the sections that have something to show."""
    classifiers = figures.classifiers_of(found)
    sections = []
    if classifiers:
        sections.append(_quality(found, classifiers))
    if figures.time_panels(found):
        sections.append(_times(found, classifiers))
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


def _quality(comparison: Comparison, classifiers: list[str]) -> str:
    controls = _select("measure", "Measure", [(measure, measure) for measure in figures.measures(comparison)])
    if len(classifiers) > 1:
        listed = [(classifier, classifier) for classifier in classifiers]
        controls += _select("classifier", "Classifier", [("all, side by side", ""), *listed])
    return _section(
        "quality",
        "F1 against number of terms",
        _controls(controls) + legend(comparison) + '<div class="panels"></div>',
        "Means over the folds." if comparison.header["split"]["folds"] > 1 else "",
    )


def _times(comparison: Comparison, classifiers: list[str]) -> str:
    controls = _select("classifier", "Classifier", [(classifier, classifier) for classifier in classifiers])
    return _section(
        "times",
        "Seconds",
        (_controls(controls) if len(classifiers) > 1 else "") + legend(comparison) + '<div class="panels"></div>',
        "Selection: statistics and ranking, as the selector would cost alone. Prediction: from counts to labels, of "
        f"all tested documents. Medians over the folds; both axes are logarithmic. {_threads(comparison)}",
    )


def _threads(comparison: Comparison) -> str:
    if tables.threads_differ(comparison):
        return "Seconds can be compared only where the threads, which the table names, are the same."
    line = choices.best_first(comparison)[0]
    if line.threads is None or line.cores is None:
        return ""
    return f"Measured with {counted(line.threads, 'thread')} on {counted(line.cores, 'core')}."


def _table_of_all(comparison: Comparison) -> str:
    inner = (
        '<p class="controls"><button type="button" id="copy">Copy as CSV</button> '
        '<span role="status" id="copied">A click on a title sorts the table.</span></p>'
        + tables.conditions_table(comparison)
        + tables.ranks_table(comparison)
    )
    test = "corrected t-test on splits" if comparison.header["split"].get("overlapping") else "sign test on documents"
    interval_note = (
        "" if comparison.header["split"]["folds"] < 2 else "±: half of the 95 % interval of the mean over folds. "
    )
    note = (
        f"{interval_note}p: how likely such a lead of the best is by chance ({test}, Holm's correction), among "
        "combinations with as many terms, and among all."
    )
    return _section("table", "All combinations", inner, note)


def _overlap(comparison: Comparison) -> str:
    inner = ""
    if comparison.overlaps:
        sizes = [(choice["size"], str(index)) for index, choice in enumerate(choices.overlap_choices(comparison))]
        indices = [("shared terms", "shared"), ("Jaccard's index", "jaccard"), ("Kuncheva's index", "kuncheva")]
        inner = _controls(
            _select("size", "Number of terms", sizes, chosen=len(sizes) - 1) + _select("index", "Measure", indices)
        )
        inner += '<div class="matrix"></div>'
    note = (
        "How many of the chosen terms two selectors have in common. Jaccard's index is the share of shared terms among "
        "all terms of both; Kuncheva's takes out what chance would share."
    )
    return _section("overlap", "Overlap of the chosen terms", inner + tables.stability_table(comparison), note)


def _energy(comparison: Comparison) -> str:
    without = figures.without_energy(comparison)
    missing = f" No such curve: {', '.join(without)}, whose scores do not add up." if without else ""
    fold = f", {_FIRST_FOLD}" if comparison.header["split"]["folds"] > 1 else ""
    return _section(
        "energy",
        "Energy",
        legend(comparison, baseline=False, without=[*without, ALL]) + '<div class="panels wide"></div>',
        f"Which share of the sum of all scores the first terms of a ranking hold{fold}.{missing}",
    )


def _mistakes(comparison: Comparison) -> str:
    multilabel = comparison.header["several_labels"]
    combinations = choices.quality_choices(comparison)
    names = [(combination["name"], str(index)) for index, combination in enumerate(combinations)]
    n_left_out = len(choices.best_first(comparison)) - len(combinations)
    left_out = (
        f" {counted(n_left_out, 'more combination is', 'more combinations are')} in the file of results."
        if n_left_out
        else ""
    )
    folds = " The tested documents of all folds are added up." if comparison.header["split"]["folds"] > 1 else ""
    title = "Classes, one by one" if multilabel else "Confusion: which class was taken for which"
    by_class = '<div class="by-class"></div>'
    matrix = "" if multilabel else '<div class="matrix"></div>'
    inner = by_class if multilabel else f'<div class="pairs"></div>{by_class}'
    return _section(
        "classes",
        title,
        _controls(_select("combination", "Combination, the best first", names))
        + f'{matrix}<div class="side">{inner}</div>',
        (folds + left_out).strip(),
    )


def _terms(comparison: Comparison) -> str:
    selections = choices.term_choices(comparison)
    selectors, sizes = (list(dict.fromkeys(choice[name] for choice in selections)) for name in ("selector", "size"))
    box = '<input type="search" name="search" autocomplete="off" spellcheck="false">'
    controls = _select("selector", "Selector", [(selector, selector) for selector in selectors])
    controls += _select("size", "Number of terms", [(size, size) for size in sizes], chosen=len(sizes) - 1)
    controls += f"<label>Search terms and classes {box}</label>"
    n_shown = choices.most_terms_of_a_class(comparison)
    note = (
        "Each chosen term stands with the class that it speaks for most, the best first: its place among all terms, "
        f"and its score. The first {n_shown} of each class are here; others that were "
        "chosen are neither shown nor searched."
    )
    if comparison.header["split"]["folds"] > 1:
        note += f" The terms are those {_FIRST_FOLD}."
    status = '<p role="status" class="found"></p>'
    return _section("terms", "The chosen terms", _controls(controls) + status + '<div class="cards"></div>', note)


def _section(name: str, title: str, inner: str, note: str = "") -> str:
    paragraph = f'<p class="note">{escaped(note)}</p>' if note else ""
    heading = f'<h2 id="{name}-title">{escaped(title)}</h2>'
    about = f'id="{name}" data-short="{_SHORT[name]}" aria-labelledby="{name}-title"'
    return f"<section {about}>{heading}{paragraph}{inner}</section>"


def _controls(inner: str) -> str:
    return f'<div class="controls">{inner}</div>'


def _select(name: str, title: str, options: list[tuple[str, str]], chosen: int = 0) -> str:
    listed = "".join(
        f'<option value="{escaped(value)}"{" selected" if index == chosen else ""}>{escaped(text)}</option>'
        for index, (text, value) in enumerate(options)
    )
    return f'<label>{escaped(title)} <select name="{name}">{listed}</select></label>'
