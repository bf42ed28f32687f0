"""`textsieve update`: corrections, or later documents, into a model that keeps what it has learned from."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from . import options

if TYPE_CHECKING:
    from ..errors import InputError
    from ..prediction import Model
    from ..training.corrections import Chosen, Corrections
    from ..training.statistics import Statistics
    from .output import Page

SHOWN_PLACES = 3
"""Of documents that are left out."""


@click.command(
    epilog=options.examples(
        "textsieve train news.csv -o news.sieve --classifier nb --keep-stats",
        "textsieve update news.sieve feedback.jsonl",
        "textsieve update news.sieve january.csv february.csv --text body --label topic --dry-run",
    )
)
@click.argument("model")
@click.argument("paths", metavar="PATH", nargs=-1, required=True)
@options.reading
@click.option(
    "--skip-unknown-labels",
    is_flag=True,
    help="Leave out documents whose label is no class of the model; else nothing is changed if there are any.",
)
@click.option(
    "--fit-cut",
    is_flag=True,
    help="Fit thresholds for several labels anew, to the documents that are folded in; if these are a fair sample of "
    "those to come, which corrections are not.",
)
@click.option("--dry-run", is_flag=True, help="Say what would come of it, and write nothing.")
@options.jobs
@options.json_wanted
def command(
    model: str,
    paths: tuple[str, ...],
    reading: dict[str, Any],
    skip_unknown_labels: bool,
    fit_cut: bool,
    dry_run: bool,
    jobs: int,
    wants_json: bool,
) -> None:
    """Fold corrections into a model, or say how to train it again.

    PATH has corrections or later documents: any file or folder that train reads, such as the JSON lines that the
    service writes. A model that was trained with --keep-stats learns them as if it had been trained on all documents
    with the terms that it has; terms, idf, thresholds and probabilities stay. A text counts once, with the last labels
    that the files have for it; what was folded in before is passed over, so that a growing file can be given again and
    again. Other models are trained again, and it is said how.
    """
    from ..modelfile.locking import locked
    from ..modelfile.statsfile import state_of, write
    from ..training.updating import UnknownLabel
    from .opening import columns_of, refuse_to_lose

    if not dry_run:
        refuse_to_lose(model, *paths)
    with nullcontext() if dry_run else locked(model):
        state = state_of(model)
        trained, statistics = _opened(model, paths)
        with _saying_how(trained, model, paths, only=UnknownLabel):
            found = _read(trained, paths, reading, columns_of(trained), jobs, skip_unknown=skip_unknown_labels)
        outcome = _learn(trained, statistics, found.chosen(statistics.folded), jobs, fit_cut=fit_cut)
        if outcome.renewed is not None and not dry_run:
            write(outcome.renewed.model, outcome.renewed.statistics, model, instead_of=state)
    _report(model, found, outcome, written=outcome.renewed is not None and not dry_run, wants_json=wants_json)


# -- the model ---------------------------------------------------------------------------------------------------


def _opened(path: str, files: tuple[str, ...]) -> tuple[Model, Statistics]:
    """A model and what it has learned from; if that is not there, how to train the model again."""
    from ..categorizer import Categorizer
    from ..errors import InputError
    from ..modelfile import read
    from ..modelfile.statsfile import read as read_statistics
    from ..training.updating import is_incremental

    model = read(path)
    settings = Categorizer.of_model(model).get_params(deep=False)
    if not is_incremental(settings):
        with _saying_how(model, path, files):
            raise InputError(
                f"{path}: the classifier {settings['classifier']} learns from the documents themselves, so nothing can "
                "be folded into it. Train it again, on its documents and on these."
            )
    if "stats" not in model.about:
        with _saying_how(model, path, files, keep_stats=True):
            how = "saved without its statistics" if settings["keep_stats"] else "trained without --keep-stats"
            raise InputError(
                f"{path}: was {how}, so there is nothing that documents could be added to. Train it again with "
                "--keep-stats, on its documents and on these."
            )
    with _saying_how(model, path, files):
        return model, read_statistics(model, path)


@contextmanager
def _saying_how(
    model: Model, path: str, files: tuple[str, ...], *, only: type[InputError] | None = None, **changed: Any
) -> Iterator[None]:
    """If this fails, say how the model is trained again."""
    from ..errors import InputError
    from .ending import FAILED, say
    from .opening import STDIO
    from .retraining import DOCUMENTS, retraining
    from .wording import on_one_line

    try:
        yield
    except InputError as problem:
        if not isinstance(problem, only or InputError):
            raise
        say("error", str(problem))
        how = retraining(model, path, [file for file in files if file != STDIO], **changed)
        click.echo(on_one_line(how.command), err=True)
        for sentence in how.unsaid:
            say("note", f"{sentence}.")
        say("note", f"{DOCUMENTS} stands for the documents that it was trained on, of which a model knows no place.")
        raise click.exceptions.Exit(FAILED) from problem


# -- the documents -----------------------------------------------------------------------------------------------


def _read(
    model: Model,
    paths: tuple[str, ...],
    reading: dict[str, Any],
    usual: dict[str, str],
    jobs: int,
    *,
    skip_unknown: bool,
) -> Corrections:
    from ..training.corrections import UNREADABLE, Corrections
    from .opening import each_with, opened
    from .progress import progress

    found = Corrections(model, skip_unknown=skip_unknown, n_jobs=jobs)
    with progress() as tell:
        for path, own, names in each_with(paths, reading, usual):
            if os.path.isfile(path) and not os.path.getsize(path):  # nobody has corrected anything yet
                continue
            more = {"keep": ("file",)} if os.path.isdir(path) else {}
            with opened(path, own, usual=names, lenient=True, **more) as corpus:
                for batch, places in corpus.placed_batches():
                    with _nothing_changed():
                        found.add(corpus.name, batch.texts, batch.labels, places)
                    tell("reading", found.n_read, None)
                if corpus.report is not None:
                    found.leave_out(UNREADABLE, corpus.name, corpus.report.unreadable)
    return found


@contextmanager
def _nothing_changed() -> Iterator[None]:
    """If a document is refused, say that the model is as it was, and what else can be done."""
    from ..errors import InputError
    from ..training.updating import UnknownLabel

    try:
        yield
    except InputError as problem:
        way_out = "; --skip-unknown-labels leaves such documents out" * isinstance(problem, UnknownLabel)
        raise type(problem)(f"{problem} Nothing was changed{way_out}.") from problem


class _Outcome(NamedTuple):
    """What was learned, if there was anything, and what of it was predicted right before and is now."""

    renewed: Any
    chosen: Chosen
    before: list[tuple[Any, ...]]
    after: list[tuple[Any, ...]]


def _learn(model: Model, statistics: Statistics, chosen: Chosen, jobs: int, *, fit_cut: bool) -> _Outcome:
    from dataclasses import replace

    from ..categorizer import Categorizer
    from ..settings import n_threads
    from ..training.recutting import recut
    from ..training.updating import recipe_of, targets_of_sets, updated

    if not chosen.label_sets:
        return _Outcome(None, chosen, [], [])
    settings = Categorizer.of_model(model).get_params(deep=False)
    recipe = recipe_of(settings, n_threads(jobs))
    targets = targets_of_sets(model, chosen.label_sets, none_is_right=True)
    kept = replace(statistics, folded=statistics.folded | chosen.digests)
    renewed = updated(model, kept, recipe, chosen.rows, targets)
    if fit_cut:
        cut_anew = recut(renewed.model, statistics, settings, recipe, chosen.rows, targets)
        renewed = renewed._replace(model=cut_anew)
    before, after = (each.label_sets(each.predict_rows(chosen.rows, jobs).labels) for each in (model, renewed.model))
    return _Outcome(renewed, chosen, before, after)


# -- what is said ------------------------------------------------------------------------------------------------


def _report(path: str, found: Corrections, outcome: _Outcome, *, written: bool, wants_json: bool) -> None:
    from .json_output import print_json

    told = _told(path, found, outcome, written=written)
    if wants_json:
        print_json(told)
    else:
        _show(told, outcome)


def _told(path: str, found: Corrections, outcome: _Outcome, *, written: bool) -> dict[str, Any]:
    """What has come of it, as JSON can hold it."""
    chosen, n_right = outcome.chosen, _n_right(outcome)
    classes: dict[Any, dict[str, Any]] = {}
    for right, before, after in zip(chosen.label_sets, outcome.before, outcome.after, strict=True):
        for label in right:
            row = classes.setdefault(label, {"label": label, "folded": 0, "right_before": 0, "right_after": 0})
            row["folded"] += 1
            row["right_before"] += label in before
            row["right_after"] += label in after
    return {
        "file": path,
        "read": found.n_read,
        "left_out": {what: {"documents": len(places), "places": places} for what, places in found.left_out.items()},
        "repeated": chosen.n_repeated,
        "folded_before": chosen.n_known,
        "folded": len(chosen.label_sets),
        "folded_before_with_other_labels": chosen.n_changed,
        "right_before": n_right[0],
        "right_after": n_right[1],
        "classes": sorted(classes.values(), key=lambda row: row["label"]),
        "updated": None if outcome.renewed is None else outcome.renewed.model.about["updated"],
        "cut_is_stale": _is_stale(outcome),
        "written": written,
    }


def _is_stale(outcome: _Outcome) -> bool:
    """Whether the cut for several labels should be fitted anew."""
    from ..categorizer import Categorizer
    from ..training.recutting import cut_that_is_fitted, is_stale

    if outcome.renewed is None:
        return False
    model = outcome.renewed.model
    return cut_that_is_fitted(model, Categorizer.of_model(model).get_params(deep=False)) is not None and is_stale(model)


def _n_right(outcome: _Outcome) -> tuple[int, int]:
    """How many documents have just the labels that they should have, before and after."""
    sets = [set(labels) for labels in outcome.chosen.label_sets]
    before, after = (
        sum(right == set(labels) for right, labels in zip(sets, predicted, strict=True))
        for predicted in (outcome.before, outcome.after)
    )
    return before, after


def _show(told: dict[str, Any], outcome: _Outcome) -> None:
    from ..errors import counted
    from .description import file_line
    from .output import Column, Page, label_text, numbers

    page = Page()
    page.line(f"{counted(told['read'], 'document')} read, {told['folded']:,} folded in")
    _show_passed_over(page, told)
    if not told["folded"]:
        page.line("There is nothing to fold in, so nothing was written.")
        return
    columns = [Column("class"), *numbers("folded in", "right before", "right after")]
    names = ("folded", "right_before", "right_after")
    page.table(columns, [[label_text(row["label"]), *(f"{row[name]:,}" for name in names)] for row in told["classes"]])
    page.line(
        f"The model was right on {told['right_before']:,} of the {told['folded']:,} before, and is on "
        f"{told['right_after']:,} now that it has learned them."
    )
    if outcome.renewed.model.about.get("held_out"):
        page.line("The measures on held-out documents that it has are from before the update.")
    if told["cut_is_stale"]:
        page.line(
            f"{told['updated']['since_cut']:,} documents were folded in since the cut for several labels was fitted, "
            "which may now give too many labels or too few: fit it with --fit-cut to documents that are a fair "
            "sample, or train again."
        )
    page.line(f"Written to {file_line(told['file'])}" if told["written"] else "Nothing was written: --dry-run.")


def _show_passed_over(page: Page, told: dict[str, Any]) -> None:
    """What is not folded in, and why."""
    from ..errors import counted

    for what, found in told["left_out"].items():
        places, n = found["places"], found["documents"]
        listed = ", ".join(places[:SHOWN_PLACES]) + ", ..." * (n > SHOWN_PLACES)
        page.line(f"{counted(n, 'document')} {what} left out: {listed}")
    if n := told["repeated"]:
        page.line(f"{counted(n, 'document has', 'documents have')} a text that comes again later; the last one counts.")
    if n := told["folded_before"]:
        page.line(f"{n:,} of them {'was' if n == 1 else 'were'} folded in before.")
    if n := told["folded_before_with_other_labels"]:
        page.line(
            f"{counted(n, 'text was', 'texts were')} folded in before with other labels, which stay learned too; to "
            "take them back, train again."
        )
