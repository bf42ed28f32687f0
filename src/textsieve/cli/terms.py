"""`textsieve terms`: show which terms distinguish the classes of some documents."""

from typing import TYPE_CHECKING, Any

import click

from . import options

if TYPE_CHECKING:
    from ..selectors import TermSelector
    from ..training.ranking import RankedTerms, TermScores
    from .output import Page

TRACE_SELECTORS = ("ocfs", "tofa")
LEVEL = 0.8


def energy_weights(value: str) -> list[float]:
    """Parse comma-separated numbers."""
    from ..errors import InputError
    from ..selectors.energy import checked_weights

    try:
        return checked_weights([float(part) for part in value.split(",")])
    except InputError as problem:
        raise click.BadParameter(str(problem.with_fields(setting=None))) from problem
    except ValueError:
        raise click.BadParameter(f"{value!r}; use numbers with commas between them, such as 0,0.5,1.") from None


energy = options.bundle(
    "energy",
    click.option(
        "--energy-plot",
        type=click.Path(),
        metavar="FILE",
        help="Draw which share of all scores the best terms hold, for ocfs and tofa, to a .svg, .png, .html or .json.",
    ),
    click.option(
        *("--energy-weights", "weights"),
        type=energy_weights,
        metavar="WEIGHT,...",
        help="The weights of its curves, up to 1; the selector's own too, if it is.  [default: 0,0.5,1]",
    ),
    click.option(
        *("--energy-level", "level"),
        type=click.FloatRange(0, 1, min_open=True),
        metavar="SHARE",
        help=f"The share for which the number of terms is written to each curve.  [default: {LEVEL}]",
    ),
)


@click.command(
    epilog=options.examples(
        "textsieve terms news.csv --selector ocfs -k 20",
        "textsieve terms news.csv --selector testors --selector-option epsilon=0.3",
        "textsieve terms mails/ --selector chi --selector-option pooling=max --stop-words english",
        "textsieve terms docstrings --energy-plot energy.svg --energy-weights 0,0.8,1",
    )
)
@click.argument("path")
@options.reading
@options.selection
@click.option(
    *("-k", "--terms", "n_terms"),
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    metavar="N",
    help="How many terms to show, overall and of each class; what testors choose does not depend on it.",
)
@energy
@options.terms_are
@options.jobs
@options.json_wanted
def command(
    path: str,
    reading: dict[str, Any],
    selection: dict[str, Any],
    n_terms: int,
    energy: dict[str, Any],
    terms_are: dict[str, Any],
    jobs: int,
    wants_json: bool,
) -> None:
    """Show the best terms of labelled documents, overall and for each class.

    Of each class those are shown that speak for it, by the score that the method gives them for that class alone; by
    testors, those that the class chose, and the fewest that tell it from the other classes; from which they do not is
    said.
    PATH is what train takes, and may be larger than memory; or vectors (svmlight), whose columns are called #0, #1, ...
    """
    from ..registry import selector_of
    from ..training.ranking import check_reading, rank_terms
    from .errors import exit_as_usage_error
    from .opening import opened
    from .progress import progress

    _check_energy(energy, path, selection["selector"])
    settings = _with_text_labels(selection["selector_options"] or {})
    counting = options.counting(terms_are)
    with exit_as_usage_error():
        selector = _of_files(selector_of(selection["selector"], settings))
        selector.check_settings()
        check_reading(counting)
    with opened(path, reading) as corpus, progress() as tell:
        ranked = rank_terms(corpus, selector, n_terms, progress=tell, n_jobs=jobs, **counting)
        if energy["energy_plot"]:
            tell("drawing", 0, None)
            _draw_energy(ranked, energy)
    _report(ranked, f"{corpus.name}: {corpus.report}", selection["selector"], energy["energy_plot"], wants_json)


def _with_text_labels(settings: dict[str, Any]) -> dict[str, Any]:
    """Return the settings with `unlabelled` converted to text: labels in files are text, even if they are digits."""
    label = settings.get("unlabelled")
    return settings if label is None else settings | {"unlabelled": str(label)}


def _of_files(selector: "TermSelector") -> "TermSelector":
    """Return the selector with an integer `unlabelled` replaced by None: labels in files are text."""
    if isinstance(selector.get_params().get("unlabelled"), int):
        selector.set_params(unlabelled=None)
    return selector


def _check_energy(energy: dict[str, Any], path: str, selector: str) -> None:
    """Raise `UsageError` or `InputError`, before any work is done, if the plot can't be drawn or written."""
    from ..extras import require_extra
    from .opening import refuse_to_lose

    file = energy["energy_plot"]
    if file is None:
        for name in ("weights", "level"):
            if energy[name] is not None:
                raise click.UsageError(f"--energy-{name} is for --energy-plot; name its file too.")
        return
    if selector not in TRACE_SELECTORS:
        raise click.UsageError(
            f"--energy-plot with --selector {selector}: energy is that of trace scores; use --selector "
            f"{' or '.join(TRACE_SELECTORS)}."
        )
    require_extra("plots", what="--energy-plot")
    from ..plots import check_target

    check_target(file)
    refuse_to_lose(file, path, what="a chart", option="--energy-plot")


def _draw_energy(ranked: "RankedTerms", energy: dict[str, Any]) -> None:
    from typing import cast

    from ..selectors.energy import plot_energy
    from ..selectors.trace import TOFA

    plot_energy(
        cast(TOFA, ranked.selector),
        energy["energy_plot"],
        weights=energy["weights"],
        level=energy["level"] or LEVEL,
    )


def _report(ranked: "RankedTerms", about: str, selector: str, energy_plot: str | None, wants_json: bool) -> None:
    from .json_output import print_json

    if wants_json:
        print_json(_as_dict(ranked, selector) | ({"energy_plot": energy_plot} if energy_plot else {}))
        return
    _show(ranked, about, selector)
    if energy_plot:
        click.echo(f"\nEnergy drawn to {energy_plot}")


def _as_dict(ranked: "RankedTerms", selector: str) -> dict[str, Any]:
    def listed(scored: "TermScores") -> list[dict[str, Any]]:
        return [{"term": term, "score": score} for term, score in scored]

    def shortest(label: Any) -> dict[str, Any]:
        testor = ranked.shortest.get(label)
        if testor is None:
            return {}
        return {
            "shortest_testor": testor.terms,
            "is_proved_shortest": testor.proved,
            "not_told_from": list(testor.not_told_from),
        }

    return {
        "selector": selector,
        **({"weight": ranked.selector.weight_} if hasattr(ranked.selector, "weight_") else {}),
        "n_documents": ranked.n_documents,
        "n_terms": ranked.n_terms,
        **({"n_chosen": ranked.n_selected, **ranked.details["testors"]} if ranked.shortest else {}),
        **({"scores_are_exact": ranked.scores_are_exact} if ranked.shortest else {}),
        "terms": listed(ranked.best),
        "classes": [
            {"label": label, "documents": ranked.class_docs[label], "terms": listed(scored)} | shortest(label)
            for label, scored in ranked.by_class.items()
        ],
    }


def _show(ranked: "RankedTerms", about: str, selector: str) -> None:
    from .description import with_thresholds
    from .messages import printable
    from .output import Column, Fitting, Page, label_text, numbers

    page = Page()
    page.line(about)
    weight = getattr(ranked.selector, "weight_", None)
    by = selector if weight is None or selector == "ocfs" else f"{selector} with weight {weight:.4g}"
    selected = f"{ranked.n_selected:,} of them chosen by {with_thresholds(by, ranked.details)}"
    method = selected if ranked.shortest else f"scored by {by}"
    page.line(f"{len(ranked.by_class):,} classes, {ranked.n_terms:,} terms, {method}")
    best = [[f"{rank:,}", printable(term), f"{score:.4g}"] for rank, (term, score) in enumerate(ranked.best, 1)]
    page.table([*numbers(""), Column("best terms"), *numbers("score")], best)
    rows = [
        [label_text(label), f"{ranked.class_docs[label]:,}", Fitting([term for term, _ in scored])]
        for label, scored in ranked.by_class.items()
    ]
    if rows:
        page.table([Column("class"), *numbers("docs"), Column("terms that speak for it", "terms")], rows)
    _show_testors(page, ranked)


def _show_testors(page: "Page", ranked: "RankedTerms") -> None:
    """Print the shortest testor of each class, and notes on testors and scores, if the selector is testors."""
    from .output import Column, Fitting, label_text, numbers

    if not ranked.shortest:
        return
    columns = [Column("class"), *numbers("size"), Column("shortest testor", "terms")]
    testors: list[list[Any]] = [
        [label_text(label), f"{len(testor.terms):,}" + ("" if testor.proved else "?"), Fitting(testor.terms)]
        for label, testor in ranked.shortest.items()
    ]
    if any(testor.not_told_from for testor in ranked.shortest.values()):
        columns.append(Column("but not from", "terms"))
        for row, testor in zip(testors, ranked.shortest.values(), strict=True):
            row.append(Fitting([label_text(label) for label in testor.not_told_from]))
    page.table(columns, testors)
    page.line(
        "score: the share of the typical testors of a class that hold the term; of several classes the largest. 1 is a "
        "term that some class cannot do without."
    )
    if len(ranked.best) < ranked.n_selected:
        page.line(f"{len(ranked.best):,} of the {ranked.n_selected:,} chosen terms are shown; -k says how many.")
    if not ranked.scores_are_exact:
        page.line("There are too many testors to count: scores are estimated from a sample of them.")
    if not all(testor.proved for testor in ranked.shortest.values()):
        page.line("?: the search was given up, and there may be a shorter one.")
