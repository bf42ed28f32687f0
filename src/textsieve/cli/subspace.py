"""`textsieve subspace`: how many members, and how many terms each, an ensemble of random subspaces should have."""

import os
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from . import options

if TYPE_CHECKING:
    from ..training.experiments import LabelledCounts
    from .subspace_tables import Experiment, PrintOutcome

SIZE_OPTIONS = {"n_terms": "--terms-per-member", "n_estimators": "--members"}
"""The options for the sizes of an ensemble, which take several values with --grid and one without."""
ONLY_WITH_GRID = {"measure": "--measure", "plot": "--plot"}
"""Options of the bundle `grid` that need --grid."""
ONLY_WITHOUT_GRID = {"important": "--important", "cost": "--cost"}
"""Options of the bundle `sizing`, which --grid excludes."""


def sizes(value: str) -> list[int | float]:
    """Parse comma-separated sizes, which are numbers from 1 or shares up to 1.0: "1,0.5" is [1, 0.5]."""
    numbers = [options.number_or_share(part.strip()) for part in value.split(",")]
    for number in numbers:
        if not (0 < number <= 1 if isinstance(number, float) else number >= 1):
            raise click.BadParameter(
                f"{number}; use numbers from 1, or shares of the terms up to 1.0, with commas between them, such as "
                "1,500,1000."
            )
    return numbers


def important_terms(value: str) -> int | str:
    """Parse the number of important terms, or the name of the method that estimates it: energy or knee."""
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
        help="How many terms are important: those that together have most of the selector's scores (energy), those "
        "before the knee of the curve of scores (knee), or a number.  [default: energy]",
    ),
    click.option(
        "--cost",
        type=click.IntRange(min=1),
        metavar="N",
        help="The maximum number of terms of all members together (M x L).",
    ),
)

grid = options.bundle(
    "grid",
    click.option("--grid", is_flag=True, help="Measure the accuracy over a grid of both sizes instead."),
    click.option(
        *("--terms-per-member", "n_terms"),
        type=sizes,
        metavar="M,...",
        help="The rows of a grid: numbers, or shares of all terms. Without a grid: one number, which is then not "
        "suggested.  [default for a grid: 1, and every tenth of all terms]",
    ),
    click.option(
        *("--members", "n_estimators"),
        type=sizes,
        metavar="L,...",
        help="The columns of a grid, or one number; smaller numbers than the largest cost no time.  [default for a "
        "grid: 1, and every tenth of a fifth of all terms]",
    ),
    click.option(
        "--measure",
        type=click.Choice(["accuracy", "error"]),
        help="What to show of a grid.  [default: accuracy]",
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
        help="The number of random splits into training and held-out documents.",
    ),
    click.option(
        *("--held-out", "test_share"),
        type=click.FloatRange(0, 1, min_open=True, max_open=True),
        default=0.2,
        show_default=True,
        metavar="SHARE",
        help="The share of the documents that is held out in each split.",
    ),
    click.option(
        *("--seed", "random_state"),
        type=click.IntRange(min=0),
        default=0,
        show_default=True,
        metavar="N",
        help="The random seed of the splits and of the terms of each member.",
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
@click.argument("path", shell_complete=options.complete_documents)
@options.read_options
@options.selection
@click.option(
    *("-k", "--terms", "max_terms"),
    type=options.n_terms,
    metavar="N|SHARE|all",
    help="How many terms to select.  [default: a quarter of all terms, rounded down to thousands, but at least 1000]",
)
@sizing
@grid
@measuring
@options.word_settings
@options.jobs
@options.json_flag
def command(
    path: str,
    read_options: dict[str, Any],
    selection: dict[str, Any],
    max_terms: int | float | str | None,
    sizing: dict[str, Any],
    grid: dict[str, Any],
    measuring: dict[str, Any],
    term_settings: dict[str, Any],
    jobs: int,
    wants_json: bool,
) -> None:
    """Suggest the size of a random subspace ensemble, and measure its accuracy.

    The members of the ensemble are linear SVMs, each trained on a random part of the terms. The number of important
    terms determines how many members (L) with how many terms each (M) are enough. The accuracy of such an ensemble on
    held-out documents is compared with that of a single SVM. With --grid, many sizes are measured instead.
    Terms are selected and weighted again for each random split, from its training documents alone.
    PATH is what train takes; each document has one label.
    """
    from ..progress import progress_display
    from ..registry import selector_of
    from ..training.experiments import SelectedTermWeights, labelled_counts
    from .opening import check_chart, open_corpus
    from .subspace_tables import Experiment

    _check_conflicts(sizing, grid, max_terms)
    if grid["plot"] is not None:
        check_chart(grid["plot"], path, option="--plot")
    counting = options.check_term_settings(term_settings)
    selector = selector_of(selection["selector"], selection["selector_options"])
    with open_corpus(path, read_options) as corpus, progress_display() as on_progress:
        documents = labelled_counts(corpus, progress=on_progress, n_jobs=jobs, **counting)
        prepare = SelectedTermWeights(
            selector=selector, n_terms=_number_to_select(max_terms, documents), **documents.limits
        )
        experiment = Experiment(
            f"{corpus.name}: {corpus.report}", corpus.name, selection["selector"], documents, measuring
        )
        settings = measuring | {"n_jobs": jobs, "progress": on_progress, "prepare": prepare}
        with corpus.naming():
            print_outcome = (
                _measure_grid(experiment, grid, settings)
                if grid["grid"]
                else _measure_suggestion(experiment, sizing, _fixed_sizes(grid), settings)
            )
    print_outcome(wants_json)


def _check_conflicts(sizing: dict[str, Any], grid: dict[str, Any], max_terms: int | float | str | None) -> None:
    """Raise `UsageError` for options that exclude each other, or need --grid."""
    if max_terms == "auto":
        raise click.UsageError("-k auto is for train; use a number, a share, or all.")
    if grid["grid"]:
        for name, option in ONLY_WITHOUT_GRID.items():
            if sizing[name] is not None:
                raise click.UsageError(f"{option} is for a suggestion, which --grid does not make.")
    else:
        for name, option in ONLY_WITH_GRID.items():
            if grid[name] is not None:
                raise click.UsageError(f"{option} is for --grid; add it.")
        for name, option in SIZE_OPTIONS.items():
            if len(grid[name] or ()) > 1:
                raise click.UsageError(f"{option}: several sizes are for --grid; add it, or give one size.")


def _number_to_select(max_terms: int | float | str | None, documents: "LabelledCounts") -> int | None:
    """Return the number of terms to select, given the value of --terms, or None for all terms."""
    from ..selectors.base import resolve_k
    from ..training.experiments import default_n_terms

    n_seen = int((documents.counts.getnnz(axis=0) > 0).sum())
    return default_n_terms(n_seen) if max_terms is None else resolve_k(max_terms, n_seen)


def _measure_grid(experiment: "Experiment", grid: dict[str, Any], settings: dict[str, Any]) -> "PrintOutcome":
    """Measure ensembles of all sizes of a grid, draw the grid for --plot, and return a function that prints it.

    `settings` are those of `subspace_grid`.
    """
    from ..ensembles.grid import plot_grid, subspace_grid
    from .subspace_tables import print_grid

    sizes = {name: grid[name] for name in ("n_terms", "n_estimators")}
    measured = subspace_grid(experiment.documents.counts, experiment.documents.labels, **sizes, **settings)
    measure = grid["measure"] or "accuracy"
    if grid["plot"]:
        settings["progress"]("drawing", 0, None)
        plot_grid(measured, grid["plot"], measure=measure, caption=f"{os.path.basename(experiment.name)}.")
    return partial(print_grid, experiment, measured, measure, grid["plot"])


def _measure_suggestion(
    experiment: "Experiment", sizing: dict[str, Any], fixed_sizes: dict[str, Any], settings: dict[str, Any]
) -> "PrintOutcome":
    """Suggest the sizes of an ensemble, measure such an ensemble, and return a function that prints the outcome.

    `fixed_sizes` has the sizes that are given, and None for those to suggest. `settings` are those of `subspace_trial`.
    """
    from sklearn.base import clone

    from ..ensembles import important_terms, suggest
    from ..ensembles.trial import subspace_trial
    from .subspace_tables import print_suggestion

    counts, labels = experiment.documents.counts, experiment.documents.labels
    scores = clone(settings["prepare"]).fit(counts, labels).scores_  # of the terms selected from all documents
    # Both estimates of the number of important terms are printed, and one of them is used unless a number is given.
    n_important = {"energy": important_terms(scores, "energy"), "knee": important_terms(scores, "knee")}
    choice = sizing["important"] or "energy"
    n_used = n_important[choice] if isinstance(choice, str) else choice
    suggestion = suggest(len(scores), n_used, cost=sizing["cost"], **fixed_sizes)
    share = suggestion.n_terms / suggestion.n  # a share, as each split has a slightly different number of terms
    trial = subspace_trial(counts, labels, n_terms=share, n_estimators=suggestion.n_estimators, **settings)
    return partial(print_suggestion, experiment, suggestion, n_important, choice, trial)


def _fixed_sizes(grid: dict[str, Any]) -> dict[str, Any]:
    """Return the size that each of `SIZE_OPTIONS` gives, or None if it is to be suggested."""
    return {name: None if grid[name] is None else grid[name][0] for name in SIZE_OPTIONS}
