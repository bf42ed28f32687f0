"""The report: a comparison as one HTML file, from the template `assets/page.html`.

Jinja2 fills the template and escapes every value, except the page's own style and scripts, and the JSON with the data
of the script, in which `<` is escaped (`plots.in_script`). The script inserts this data as text.

Everything is in one file. The content security policy in the page's head forbids the browser to load other files and to
run scripts whose hash is not in the policy. So even text that got into the page unescaped could not run as a script.

The template shows what is formatted already, such as the tables of a `ComparisonView`. The script draws charts, and the
tables of which the reader selects one at a time: the overlap of selected terms for a number of terms, the right and
wrong predictions of a combination (of selector, number of terms and classifier), and the terms of a selector. The
amount of data is limited: with many classes and combinations, the page has the predictions of the best combinations
only, at least of one. The file of results has the predictions of all.
"""

from __future__ import annotations

import base64
import hashlib
import math
import os
from collections.abc import Iterable
from importlib.resources import files
from typing import Any, NamedTuple

from ..comparison import Comparison, Row
from ..comparison.examples import sum_confusion
from ..comparison.findings import combination_text
from ..comparison.outcome import Overlap
from ..comparison.plan import ALL, Condition, Size, size_text
from ..comparison.rankings import DESCRIBED_FOLD, FoldRanking, max_class_terms
from ..comparison.schema import class_key
from ..comparison.summary import Summary, best_first
from ..comparison.view import label_text
from ..display import colour_css
from ..errors import InputError
from ..evaluation.confusions import MAX_EXAMPLE_CHARACTERS, ExampleDocument
from ..evaluation.report_html import confidence_tables
from ..extras import require_extra
from ..files import check_writable, replacing, unwritable
from ..text.analysis import display_term

ENDINGS = (".html", ".htm")
Data = dict[str, Any]

MAX_NUMBERS = 200_000
"""The page has at most this many numbers about predictions, over all combinations, unless the best alone has more."""
MAX_TERMS, MIN_CLASS_TERMS = 6_000, 5
"""The page shows at most `MAX_TERMS` terms at once, unless there are so many classes that this would be fewer than
`MIN_CLASS_TERMS` for each."""


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
    """Return the page as HTML, with the names of methods in words."""
    from jinja2 import Environment, StrictUndefined

    from ..plots import DARK_COLOURS, in_script, script
    from .charts import classifiers_of, draw_charts, measures_of

    with_short_names, comparison = comparison.conditions, comparison.with_full_names()
    charts, vega, page_script = draw_charts(comparison), script(), _asset("page.js")
    combinations = combination_data(comparison)
    data: Data = {  # for the script
        "panels": {"quality": charts.quality, "times": charts.times, "energy": charts.energy},
        "classes": [label_text(label) for label in comparison.header["classes"]],
        "overlap": overlap_data(comparison),
        "combinations": combinations,
        "selections": selection_data(comparison),
        "rankings": ranking_data(comparison),
    }
    context: Data = {  # for the template
        "view": comparison.view,
        "names": _short_names(comparison.conditions, with_short_names),
        "intervals": comparison.view.conditions.draw_intervals(),
        "confidence": [
            (combination, confidence_tables(confidence))
            for combination, confidence in comparison.view.confidence[: len(combinations)]
        ],
        "example_pairs": example_pairs(comparison),
        "max_example_characters": MAX_EXAMPLE_CHARACTERS,
        "charts": charts,
        "data": data,
        "measures": list(measures_of(comparison)),
        "classifiers": classifiers_of(comparison),
        "n_folds": comparison.header["split"]["folds"],
        "multilabel": comparison.header["multilabel"],
        "n_combinations_left_out": len(measured_best_first(comparison)) - len(combinations),
        "max_class_terms": max_terms_per_class(comparison),
        "policy": _policy(vega, page_script),
        "style": colour_css(":root") + _asset("style.css") + _dark_mode_css(DARK_COLOURS),
        "data_json": in_script(data),
        "vega_script": vega,
        "page_script": page_script,
    }
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters["zip"] = zip
    return environment.from_string(_asset("page.html")).render(context).lstrip()


def _short_names(conditions: Iterable[Condition], with_short_names: Iterable[Condition]) -> dict[str, str]:
    """Return the name of each method in options and code by its name on the page, such as "ig" by "information gain".

    Methods whose names are the same are left out. The two parameters are the same conditions with different names.
    """
    pairs = [
        (getattr(condition, kind).name, getattr(with_short_name, kind).name)
        for kind in ("selector", "classifier")
        for condition, with_short_name in zip(conditions, with_short_names, strict=True)
    ]
    return {name: short_name for name, short_name in pairs if name != short_name}


def _dark_mode_css(replacements: dict[str, str]) -> str:
    """Return CSS that replaces each colour of the charts in dark mode; charts are drawn in colours for paper.

    In the selectors, `i` ignores the difference between uppercase and lowercase in the colour.
    """
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


# -- the data of the template and the script ---------------------------------------------------------------------


def overlap_data(comparison: Comparison) -> list[Data]:
    """Return an object for each number of terms, with the overlap of each pair of selectors.

    "shared", "jaccard" and "kuncheva" are tables with a row and a column for each of "selectors". Undefined numbers are
    None. "selected" has the number of terms that each selector selected.
    """
    tables = []
    for size in dict.fromkeys(overlap.n_terms for overlap in comparison.overlaps):
        overlaps = [overlap for overlap in comparison.overlaps if overlap.n_terms == size]
        names = list(dict.fromkeys(name for overlap in overlaps for name in overlap.selectors))
        tables.append(
            {
                "size": size_text(size),
                "selectors": names,
                "selected": [_mean_n_selected(comparison, name, size) for name in names],
                **{measure: _pair_table(names, overlaps, measure) for measure in ("shared", "jaccard", "kuncheva")},
            }
        )
    return tables


def _pair_table(names: list[str], overlaps: list[Overlap], measure: str) -> list[list[float | None]]:
    """Return a measure as a symmetric table, with a row and a column for each selector; the diagonal is None."""
    values = {overlap.selectors: _rounded(getattr(overlap.measures, measure)) for overlap in overlaps}
    return [[values.get((row, column), values.get((column, row))) for column in names] for row in names]


def combination_data(comparison: Comparison) -> list[Data]:
    """Return an object for each of the best combinations, as many as `MAX_NUMBERS` allows, but at least one.

    "classes" has, for each class, the numbers of correctly predicted, predicted and true documents. "pairs" has the
    confusion matrix of single-label documents, as rows of true class, predicted class and number of documents; it is
    None for multilabel documents.
    """
    rows_of: dict[Any, list[Row]] = {}
    for row in comparison.rows:
        rows_of.setdefault(row.key[1:], []).append(row)  # the key without the fold
    combinations: list[Data] = []
    numbers_left = MAX_NUMBERS
    for summary in measured_best_first(comparison):
        rows = rows_of[summary.selector, summary.n_terms, summary.classifier]
        counts = sum_confusion(rows)
        combination: Data = {
            "name": combination_text(summary),
            "classes": _sum_classes(rows),
            "pairs": None if counts is None else [[*pair, count] for pair, count in sorted(counts.items())],
        }
        numbers_left -= 3 * len(combination["classes"]) + 3 * len(combination["pairs"] or ())
        if numbers_left < 0 and combinations:  # the first combination is added even if it is too large
            break
        combinations.append(combination)
    return combinations


class ConfusedPairView(NamedTuple):
    """A pair of classes that the best combination confuses, and example documents, for the template."""

    label: str
    predicted: str
    n_documents: int
    share: str
    """Their share of the documents with this label, as text."""
    documents: tuple[ExampleDocument, ...]


def example_pairs(comparison: Comparison) -> list[ConfusedPairView]:
    """Return the pairs of classes that the best combination confuses most and that have example documents."""
    best, examples = comparison.best, comparison.examples
    if best is None or examples is None:
        return []
    names = [label_text(label) for label in comparison.header["classes"]]
    rows = comparison.rows_of(best)
    counts = sum_confusion(rows) or {}
    n_true = [true for _, _, true in _sum_classes(rows)]  # the number of documents of each class
    pairs = []
    for true, predicted, documents in examples.pairs:
        if documents:
            n_documents = counts[true, predicted]
            share = f"{n_documents / max(n_true[true], 1):.1%}"
            pairs.append(ConfusedPairView(names[true], names[predicted], n_documents, share, documents))
    return pairs


def measured_best_first(comparison: Comparison) -> list[Summary]:
    """Return the combinations that were measured, the best first."""
    return best_first(summary for summary in comparison.summary if summary.micro_f1 is not None)


def selection_data(comparison: Comparison) -> list[Data]:
    """Return an object for each selection of terms in the first fold.

    It has the selector, the requested and the actual number of terms, and the position of the selection's ranking in
    `ranking_data`. The selected terms are the first ones of this ranking.
    """
    return [
        {
            "selector": selection.selector,
            "size": size_text(selection.n_terms),
            "selected": selection.n_selected,
            "ranking": position,
        }
        for selection in comparison.selections
        if selection.fold == DESCRIBED_FOLD and selection.selector != ALL
        for position, ranking in enumerate(comparison.rankings)
        # A ranking without a number of terms is that of all selections of its selector.
        if ranking.selector == selection.selector and ranking.n_terms in (None, selection.n_terms)
    ]


def max_terms_per_class(comparison: Comparison) -> int:
    """Return the maximum number of terms that the page has for each class and selector."""
    n_classes = len(comparison.header["classes"])
    return min(max_class_terms(n_classes), max(MAX_TERMS // max(n_classes, 1), MIN_CLASS_TERMS))


def ranking_data(comparison: Comparison) -> list[Data]:
    """Return an object for each ranking: the first terms of each class, as rows of rank, term and score."""
    return [{"classes": _displayed_terms(ranking, comparison)} for ranking in comparison.rankings]


def _displayed_terms(ranking: FoldRanking, comparison: Comparison) -> list[list[Any]]:
    """Return a list for each class of the comparison, with the first terms that indicate it, in the form for display.

    Classes of the ranking that the comparison does not have are left out.
    """
    max_terms, analyzer = max_terms_per_class(comparison), comparison.header["settings"].get("analyzer")
    terms_of = {class_key(label): terms[:max_terms] for label, terms in ranking.by_class}
    return [
        [[rank, display_term(term, analyzer), score] for rank, term, score in terms_of.get(class_key(label), ())]
        for label in comparison.header["classes"]
    ]


def _sum_classes(rows: Iterable[Row]) -> list[list[int]]:
    """Return the numbers of correctly predicted, predicted and true documents of each class, summed over the folds."""
    tables = [row.by_class for row in rows if row.by_class is not None]  # folds x classes x 3
    return [[sum(counts) for counts in zip(*of_folds, strict=True)] for of_folds in zip(*tables, strict=True)]


def _mean_n_selected(comparison: Comparison, selector: str, size: Size) -> float | None:
    """Return the mean number of selected terms over all folds, even those on which no classifier could be trained."""
    numbers = [
        selection.n_selected
        for selection in comparison.selections
        if (selection.selector, selection.n_terms) == (selector, size)
    ]
    return sum(numbers) / len(numbers) if numbers else None


def _rounded(value: float) -> float | None:
    """Return a number with five decimals, or None for NaN, which JSON does not have."""
    return None if math.isnan(value) else round(value, 5)
