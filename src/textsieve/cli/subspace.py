"""`textsieve subspace`: how many members of how many terms an ensemble of random subspaces should have."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from . import options

if TYPE_CHECKING:
    from ..training.labelled import LabelledCounts
    from .subspace_tables import Experiment, Report

SIZES = {"n_terms": "--terms-per-member", "n_estimators": "--members"}
ONLY_WITH_GRID = {"measure": "--measure", "plot": "--plot"}
ONLY_WITHOUT_GRID = {"important": "--important", "cost": "--cost"}


def sizes(value: str) -> list[int | float]:
    """Numbers, or shares, with commas between."""
    found = [options.number_or_share(part.strip()) for part in value.split(",")]
    for number in found:
        if not (0 < number <= 1 if isinstance(number, float) else number >= 1):
            raise click.BadParameter(
                f"{number}; use numbers from 1, or shares of the terms up to 1.0, with commas between them, such as "
                "1,500,1000."
            )
    return found


def important_terms(value: str) -> int | str:
    """How many terms are important, or how that is found out."""
    if value in ("energy", "knee"):
        return value
    if value.isdecimal() and int(value) >= 1:
        return int(value)
    raise click.BadParameter(f"{value!r}; use energy, knee, or a number of terms from 1.")


sizing = options.bundle(
    "sizing",
    click.option(
        "--important",
        type=important_terms,
        metavar="energy|knee|Q",
        help="How many terms are important: as many as hold most of the selector's scores (energy), as many as come "
        "before the curve of the scores bends (knee), or a number.  [default: energy]",
    ),
    click.option(
        "--cost",
        type=click.IntRange(min=1),
        metavar="N",
        help="The most terms that all members may have together (M x L).",
    ),
)

grid = options.bundle(
    "grid",
    click.option("--grid", is_flag=True, help="Measure the accuracy over a grid of both sizes instead."),
    click.option(
        *("--terms-per-member", "n_terms"),
        type=sizes,
        metavar="M,...",
        help="The rows of a grid: numbers, or shares of all terms; without a grid, the one number that is settled.  "
        "[default for a grid: 1 and every tenth of all terms]",
    ),
    click.option(
        *("--members", "n_estimators"),
        type=sizes,
        metavar="L,...",
        help="The columns of a grid, likewise; smaller ones cost nothing.  [default for a grid: 1 and every tenth of a "
        "fifth of all terms]",
    ),
    click.option(
        "--measure",
        type=click.Choice(["accuracy", "error"]),
        help="What of a grid is shown and drawn.  [default: accuracy]",
    ),
    click.option("--plot", type=click.Path(), metavar="FILE", help="Draw the grid to a .svg, .png, .html or .json."),
)

measuring = options.bundle(
    "measuring",
    click.option(
        "--combine",
        type=click.Choice(["vote", "mean"]),
        default="vote",
        show_default=True,
        help="How members decide: by most votes, or by the mean of their scores.",
    ),
    click.option(
        "--repeats",
        type=click.IntRange(min=1),
        default=5,
        show_default=True,
        metavar="N",
        help="How often documents are held out, at random.",
    ),
    click.option(
        *("--held-out", "test_share"),
        type=click.FloatRange(0, 1, min_open=True, max_open=True),
        default=0.2,
        show_default=True,
        metavar="SHARE",
        help="Share of the documents that is held out each time.",
    ),
    click.option(
        *("--seed", "random_state"),
        type=click.IntRange(min=0),
        default=0,
        show_default=True,
        metavar="N",
        help="Decides which documents are held out, and which terms a member gets.",
    ),
)


@click.command(
    context_settings={"default_map": {"selector": "ig", "min_df": "0.01"}},
    epilog=options.examples(
        "textsieve subspace news.csv -k 5000",
        "textsieve subspace docstrings --important knee --cost 100000",
        "textsieve subspace news.csv --grid --plot surface.svg",
        "textsieve subspace mails/ --grid --terms-per-member 0.2,0.4,0.6 --members 50,100,200 --measure error",
    ),
)
@click.argument("path")
@options.reading
@options.selection
@click.option(
    *("-k", "--terms", "n_chosen"),
    type=options.n_terms,
    metavar="N|SHARE|all",
    help="How many terms are kept in all.  [default: the thousands in a quarter of all terms, at least 1000]",
)
@sizing
@grid
@measuring
@options.terms_are
@options.jobs
@options.json_wanted
def command(
    path: str,
    reading: dict[str, Any],
    selection: dict[str, Any],
    n_chosen: int | float | str | None,
    sizing: dict[str, Any],
    grid: dict[str, Any],
    measuring: dict[str, Any],
    terms_are: dict[str, Any],
    jobs: int,
    wants_json: bool,
) -> None:
    """Size an ensemble of random subspaces, and measure how good it is.

    Members are linear SVMs on some of the terms each, which vote. Says how many of them (L) of how many terms (M)
    should be enough, from how many terms are important, and how often an ensemble of that size is right on held-out
    documents, beside a single SVM. With --grid, many sizes are measured instead.
    Terms are chosen and weighted anew for each repetition, from its training documents alone.
    PATH is what train takes; each document has one label.
    """
    from ..selectors.named import selector_of
    from ..training.chosen import ChosenTerms
    from ..training.labelled import labelled_counts
    from .opening import opened
    from .progress import progress
    from .subspace_tables import Experiment

    _check(sizing, grid, n_chosen, path)
    selector = selector_of(selection["selector"], options.as_dict(selection["selector_options"]))
    with opened(path, reading) as corpus, progress() as tell:
        documents = labelled_counts(corpus, progress=tell, n_jobs=jobs, **options.counting(terms_are))
        chosen = ChosenTerms(selector=selector, n_terms=_most(n_chosen, documents), **documents.limits)
        about = Experiment(f"{corpus.name}: {corpus.report}", corpus.name, selection["selector"], documents, measuring)
        settings = measuring | {"n_jobs": jobs, "progress": tell, "prepare": chosen}
        with corpus.naming(), _own_options():
            report = (
                _grid(about, grid, settings) if grid["grid"] else _suggestion(about, sizing | _settled(grid), settings)
            )
    report(wants_json)


def _check(sizing: dict[str, Any], grid: dict[str, Any], n_chosen: int | float | str | None, path: str) -> None:
    """Stop before any work is done if options do not go together, or the picture could not be drawn or written."""
    if n_chosen == "auto":
        raise click.UsageError("-k auto is for train; use a number, a share, or all.")
    for given, names, when in (
        (grid, {} if grid["grid"] else ONLY_WITH_GRID, "is for --grid; add it"),
        (sizing, ONLY_WITHOUT_GRID if grid["grid"] else {}, "is for a suggestion, which --grid does not make"),
    ):
        for name, option in names.items():
            if given[name] is not None:
                raise click.UsageError(f"{option} {when}.")
    for name, option in SIZES.items():
        if not grid["grid"] and len(grid[name] or ()) > 1:
            raise click.UsageError(f"{option}: several sizes are for --grid; add it, or settle one.")
    if grid["plot"] is not None:
        from ..extras import require_extra
        from .opening import refuse_to_lose

        require_extra("plots", what="--plot")
        from ..plots import check_target

        check_target(grid["plot"])
        refuse_to_lose(grid["plot"], path, what="a chart", option="--plot")


def _most(n_chosen: int | float | str | None, documents: "LabelledCounts") -> int | None:
    """How many terms are kept at the most."""
    from ..selectors.base import limit_of
    from ..training.chosen import usual_n_terms

    n_seen = int((documents.counts.getnnz(axis=0) > 0).sum())
    return usual_n_terms(n_seen) if n_chosen is None else limit_of(n_chosen, n_seen)


@contextmanager
def _own_options() -> Iterator[None]:
    """The sizes of an ensemble are called otherwise here than in the library."""
    from ..errors import InputError

    try:
        yield
    except InputError as problem:
        said = str(problem)
        for name, option in SIZES.items():
            said = said.replace(f"{name}=", f"{option} ")
        said = said.replace("cost=", "--cost ").replace(", or None", "")
        raise type(problem)(said) from problem


def _grid(about: "Experiment", grid: dict[str, Any], settings: dict[str, Any]) -> "Report":
    """Measure a grid and draw it; what comes back prints it."""
    from ..ensembles.grid import subspace_grid
    from ..ensembles.grid_picture import plot_grid
    from .subspace_tables import report_grid

    sizes = {name: grid[name] for name in ("n_terms", "n_estimators")}
    found = subspace_grid(about.documents.counts, about.documents.labels, **sizes, **settings)
    measure = grid["measure"] or "accuracy"
    if grid["plot"]:
        settings["progress"]("drawing", 0, None)
        plot_grid(found, grid["plot"], measure=measure, caption=f"{os.path.basename(about.name)}.")
    return partial(report_grid, about, found, measure, grid["plot"])


def _suggestion(about: "Experiment", sizing: dict[str, Any], settings: dict[str, Any]) -> "Report":
    """Find out how large an ensemble should be, and try one of that size; what comes back prints it."""
    from sklearn.base import clone

    from ..ensembles import important_terms, suggest
    from ..ensembles.trial import subspace_trial
    from .subspace_tables import report_suggestion

    counts, labels = about.documents.counts, about.documents.labels
    scores = clone(settings["prepare"]).fit(counts, labels).scores_
    important = {"energy": important_terms(scores, "energy"), "knee": important_terms(scores, "knee")}
    wanted = sizing.pop("important") or "energy"
    found = suggest(len(scores), important[wanted] if isinstance(wanted, str) else wanted, **sizing)
    share = found.n_terms / found.n  # other documents may have a few terms more or less
    tried = subspace_trial(counts, labels, n_terms=share, n_estimators=found.n_estimators, **settings)
    return partial(report_suggestion, about, found, important, wanted, tried)


def _settled(grid: dict[str, Any]) -> dict[str, Any]:
    """The sizes that need no suggestion."""
    return {name: None if grid[name] is None else grid[name][0] for name in SIZES}
