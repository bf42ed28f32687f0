"""`textsieve terms`: show which terms distinguish the classes of some documents."""

from typing import TYPE_CHECKING, Any

import click

from . import options

if TYPE_CHECKING:
    from ..selectors import TermSelector
    from ..training.ranking import RankedTerms, TermScores
    from .output import Page

TRACE_SELECTORS = ("ocfs", "tofa")
"""The selectors whose scores add up to a trace. The energy of some terms is the share of the trace that they have."""
DEFAULT_LEVEL = 0.8
"""The default of --energy-level."""


def energy_weights(value: str) -> list[float]:
    """Parse the comma-separated weights of energy curves."""
    from ..errors import InputError
    from ..selectors.energy import validate_weights

    try:
        return validate_weights([float(part) for part in value.split(",")])
    except InputError as problem:  # first, because it is a `ValueError`, too
        raise click.BadParameter(str(problem.with_fields(setting=None))) from problem
    except ValueError:
        raise click.BadParameter(f"{value!r}; use numbers with commas between them, such as 0,0.5,1.") from None


energy = options.bundle(
    "energy",
    click.option(
        "--energy-plot",
        type=click.Path(),
        metavar="FILE",
        help="Draw which share of all scores the best terms have, for ocfs and tofa, to a .svg, .png, .html or .json.",
    ),
    click.option(
        *("--energy-weights", "weights"),
        type=energy_weights,
        metavar="WEIGHT,...",
        help="The weights to draw curves for, up to 1. The weight of the selector is added if it is at most 1.  "
        "[default: 0,0.5,1]",
    ),
    click.option(
        *("--energy-level", "level"),
        type=click.FloatRange(0, 1, min_open=True),
        metavar="SHARE",
        help="The share of all scores for which each curve is labelled with the number of terms.  "
        f"[default: {DEFAULT_LEVEL}]",
    ),
)


@click.command(
    epilog=options.examples(
        "textsieve terms news.csv --selector ocfs -n 20",
        "textsieve terms news.csv --selector testors --selector-option epsilon=0.3",
        "textsieve terms mails/ --selector chi --selector-option pooling=max --stop-words english",
        "textsieve terms docstrings --energy-plot energy.svg --energy-weights 0,0.8,1",
    )
)
@click.argument("path", shell_complete=options.complete_documents)
@options.read_options
@options.selection
@options.shown_terms(
    *("-k", "--terms"),
    default=20,
    help="How many terms to show, overall and for each class. The terms that testors selects do not depend on it.",
)
@energy
@options.word_settings
@options.jobs
@options.json_flag
def command(
    path: str,
    read_options: dict[str, Any],
    selection: dict[str, Any],
    n_terms: int,
    energy: dict[str, Any],
    term_settings: dict[str, Any],
    jobs: int,
    wants_json: bool,
) -> None:
    """Show the best terms of labelled documents, overall and for each class.

    The terms of a class are those that speak for it, by the score that the selector gives them for this class alone.
    With --selector testors, they are those in the typical testors of the class. The shortest testor of each class is
    shown, too: the fewest terms that distinguish it from the other classes, or from all that can be distinguished.
    PATH is what train takes, and may be larger than memory; or vectors (svmlight), whose columns are called #0, #1, ...
    """
    from ..progress import progress_display
    from ..registry import selector_of
    from ..training.ranking import check_reading, rank_terms
    from .errors import exit_as_usage_error
    from .opening import open_corpus

    _check_energy(energy, path, selection["selector"])
    settings = _with_text_label(selection["selector_options"] or {})
    counting = options.check_term_settings(term_settings)
    with exit_as_usage_error():
        selector = _without_integer_label(selector_of(selection["selector"], settings))
        selector.check_settings()
        check_reading(counting)
    with open_corpus(path, read_options) as corpus, progress_display() as on_progress:
        ranked = rank_terms(corpus, selector, n_terms, progress=on_progress, n_jobs=jobs, **counting)
        if energy["energy_plot"]:
            on_progress("drawing", 0, None)
            _draw_energy(ranked, energy)
    _report(
        ranked, f"{corpus.name}: {corpus.report}", selection["selector"], counting, energy["energy_plot"], wants_json
    )


def _with_text_label(settings: dict[str, Any]) -> dict[str, Any]:
    """Return the options of a selector with the value of `unlabelled`, the label that means "no label", as text.

    The command line reads unlabelled=0 as an integer, but labels in files are text, even if they are digits.
    """
    label = settings.get("unlabelled")
    return settings if label is None else settings | {"unlabelled": str(label)}


def _without_integer_label(selector: "TermSelector") -> "TermSelector":
    """Set the selector's `unlabelled` to None if it is an integer, and return the selector.

    An integer is the default of the selector. No label in a file equals it, because these labels are text.
    """
    if isinstance(selector.get_params().get("unlabelled"), int):
        selector.set_params(unlabelled=None)
    return selector


def _check_energy(energy: dict[str, Any], path: str, selector: str) -> None:
    """Raise `UsageError` or `InputError`, before any work is done, if --energy-plot can't be drawn or written.

    `energy` has the values of the bundle `energy`, and `path` is that of the documents.
    """
    from .opening import check_chart

    file = energy["energy_plot"]
    if file is None:
        for name in ("weights", "level"):
            if energy[name] is not None:
                raise click.UsageError(f"--energy-{name} is for --energy-plot; add that option, too.")
        return
    if selector not in TRACE_SELECTORS:
        raise click.UsageError(
            f"--energy-plot with --selector {selector}: only trace scores have an energy; use --selector "
            f"{' or '.join(TRACE_SELECTORS)}."
        )
    check_chart(file, path, option="--energy-plot")


def _draw_energy(ranked: "RankedTerms", energy: dict[str, Any]) -> None:
    """Draw the energy curves of a trace selector to the file of --energy-plot."""
    from typing import cast

    from ..selectors.energy import plot_energy
    from ..selectors.trace import TOFA

    plot_energy(
        cast(TOFA, ranked.selector),
        energy["energy_plot"],
        weights=energy["weights"],
        level=energy["level"] or DEFAULT_LEVEL,
    )


def _report(
    ranked: "RankedTerms",
    summary: str,
    selector: str,
    counting: dict[str, Any],
    energy_plot: str | None,
    wants_json: bool,
) -> None:
    """Print the terms as tables or JSON.

    `summary` is a line about the documents, and `counting` are the settings with which terms were counted.
    """
    from .json_output import print_json

    if wants_json:
        print_json(_as_dict(ranked, selector) | ({"energy_plot": energy_plot} if energy_plot else {}))
        return
    _show(ranked, summary, selector, counting)
    if energy_plot:
        click.echo(f"\nEnergy drawn to {energy_plot}")


def _as_dict(ranked: "RankedTerms", selector: str) -> dict[str, Any]:
    """Return the ranked terms as a JSON object; only for the selector testors, it has keys about testors."""

    def scored_terms(scores: "TermScores") -> list[dict[str, Any]]:
        return [{"term": term, "score": score} for term, score in scores]

    def shortest_testor(label: Any) -> dict[str, Any]:
        """Return the keys about the shortest testor of a class; none if the selector is not testors."""
        testor = ranked.shortest.get(label)
        if testor is None:
            return {}
        return {
            "shortest_testor": testor.terms,
            "is_proved_shortest": testor.proved,
            "indistinguishable_from": list(testor.indistinguishable_from),
        }

    return {
        "selector": selector,
        **({"weight": ranked.selector.weight_} if hasattr(ranked.selector, "weight_") else {}),
        "n_documents": ranked.n_documents,
        "n_terms": ranked.n_terms,
        **({"n_selected": ranked.n_selected, **ranked.details["testors"]} if ranked.shortest else {}),
        **({"scores_are_exact": ranked.scores_are_exact} if ranked.shortest else {}),
        "terms": scored_terms(ranked.best),
        "classes": [
            {"label": label, "documents": ranked.class_docs[label], "terms": scored_terms(scores)}
            | shortest_testor(label)
            for label, scores in ranked.by_class.items()
        ],
    }


def _show(ranked: "RankedTerms", summary: str, selector: str, counting: dict[str, Any]) -> None:
    """Print the documents, the best terms overall, and the terms of each class."""
    from ..errors import counted
    from .description import selector_text
    from .output import Column, Page, TermList, label_text, number_columns, show_marks, term_text

    page = Page()
    page.line(summary)
    weight = getattr(ranked.selector, "weight_", None)
    # The weight of ocfs is always 1.
    name = selector if weight is None or selector == "ocfs" else f"{selector} with weight {weight:.4g}"
    selected = f"{ranked.n_selected:,} of them selected by {selector_text(name, ranked.details)}"
    method = selected if ranked.shortest else f"scored by {name}"
    n_classes, n_terms = counted(len(ranked.by_class), "class", "classes"), counted(ranked.n_terms, "term")
    page.line(f"{n_classes}, {n_terms}, {method}")
    best = [
        [f"{rank:,}", term_text(term, counting), f"{score:.4g}"] for rank, (term, score) in enumerate(ranked.best, 1)
    ]
    page.table([*number_columns(""), Column("best terms"), *number_columns("score")], best)
    rows = [
        [
            label_text(label),
            f"{ranked.class_docs[label]:,}",
            TermList([term_text(term, counting) for term, _ in scores]),
        ]
        for label, scores in ranked.by_class.items()
    ]
    if rows:
        page.table([Column("class"), *number_columns("docs"), Column("terms that speak for it", "terms")], rows)
    _show_testors(page, ranked, counting)
    show_marks(page, counting)


def _show_testors(page: "Page", ranked: "RankedTerms", counting: dict[str, Any]) -> None:
    """Print the shortest testor of each class, and notes on testors and scores; nothing for other selectors.

    A "?" after its size means that the search was stopped before a shorter testor was ruled out.
    """
    from .output import Column, TermList, label_text, number_columns, term_text

    if not ranked.shortest:
        return
    columns = [Column("class"), *number_columns("size"), Column("shortest testor", "terms")]
    testors: list[list[Any]] = [
        [
            label_text(label),
            f"{len(testor.terms):,}" + ("" if testor.proved else "?"),
            TermList([term_text(term, counting) for term in testor.terms]),
        ]
        for label, testor in ranked.shortest.items()
    ]
    if any(testor.indistinguishable_from for testor in ranked.shortest.values()):
        columns.append(Column("but not from", "terms"))
        for row, testor in zip(testors, ranked.shortest.values(), strict=True):
            row.append(TermList([label_text(label) for label in testor.indistinguishable_from]))
    page.table(columns, testors)
    page.line(
        "score: the share of the typical testors of a class that contain the term; for several classes, the largest. A "
        "score of 1 means that the term is in every testor of a class."
    )
    if len(ranked.best) < ranked.n_selected:
        page.line(
            f"{len(ranked.best):,} of the {ranked.n_selected:,} selected terms are shown; set the number with -n."
        )
    if not ranked.scores_are_exact:
        page.line("There are too many testors to count: scores are estimated from a sample of them.")
    if not all(testor.proved for testor in ranked.shortest.values()):
        page.line("?: the search was stopped early, and there may be a shorter testor.")
