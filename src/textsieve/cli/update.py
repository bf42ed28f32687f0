"""`textsieve update`: add corrections or later documents to a model that stores the statistics of its documents."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

import click

from . import options

if TYPE_CHECKING:
    from ..prediction import Model
    from ..training.corrections import Corrections, DocumentsToLearn
    from ..training.statistics import Statistics
    from .update_report import UpdateOutcome


@click.command(
    epilog=options.examples(
        "textsieve train news.csv -o news.sieve --classifier nb --keep-stats",
        "textsieve update news.sieve feedback.jsonl",
        "textsieve update news.sieve january.csv february.csv --text body --label topic --dry-run",
    )
)
@click.argument("model")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
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
    from ..modelfile import write
    from ..modelfile.locking import locked
    from ..training.updating import UnknownLabel
    from .opening import refuse_to_lose, usual_of
    from .updatable import opened_to_update, saying_how
    from .update_report import report

    if not dry_run and os.path.isfile(model):  # for anything else, reading it raises
        refuse_to_lose(model, *paths, what="a model")
    with nullcontext() if dry_run else locked(model):
        trained, statistics, file = opened_to_update(model, paths, reading)
        with saying_how(trained, model, paths, reading, only=UnknownLabel):
            corrections = _read(trained, paths, reading, usual_of(trained), jobs, skip_unknown=skip_unknown_labels)
        outcome = _learn(trained, statistics, corrections.to_learn(statistics.added_digests), jobs, fit_cut=fit_cut)
        if outcome.renewed is not None and not dry_run:
            write(outcome.renewed.model, model, outcome.renewed.statistics, instead_of=file)
    report(model, corrections, outcome, written=outcome.renewed is not None and not dry_run, wants_json=wants_json)


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
    from .opening import each_with, has_nothing, opened
    from .progress import progress

    corrections = Corrections(model, skip_unknown=skip_unknown, n_jobs=jobs)
    with progress() as tell:
        for path, path_reading, defaults in each_with(paths, reading, usual):
            if has_nothing(path):  # an empty file of corrections
                continue
            extra = {"keep": ("file",)} if os.path.isdir(path) else {}
            with opened(path, path_reading, usual=defaults, lenient=True, **extra) as corpus:
                for batch, places in corpus.placed_batches():
                    with _nothing_changed():
                        corrections.add(corpus.name, batch.texts, batch.labels, places)
                    tell("reading", corrections.n_read, None)
                if corpus.report is not None:
                    corrections.leave_out(UNREADABLE, corpus.name, corpus.report.unreadable)
    return corrections


@contextmanager
def _nothing_changed() -> Iterator[None]:
    """If a document raises `InputError`, add that the model is unchanged, and which option skips such documents."""
    from ..errors import InputError
    from ..training.updating import UnknownLabel

    try:
        yield
    except InputError as problem:
        way_out = "; --skip-unknown-labels leaves such documents out" * isinstance(problem, UnknownLabel)
        problem.add_note(f"Nothing was changed{way_out}.")
        raise


def _learn(
    model: Model, statistics: Statistics, corrections: DocumentsToLearn, jobs: int, *, fit_cut: bool
) -> UpdateOutcome:
    from dataclasses import replace

    from ..categorizer_settings import Settings
    from ..settings import n_threads
    from ..training.updating import encode_label_sets, plan_for_update, refit_thresholds, update_model
    from .update_report import UpdateOutcome

    if not corrections.label_sets:
        return UpdateOutcome(None, corrections, [], [])
    settings = Settings.of_stored(model.settings)
    plan = plan_for_update(settings, n_threads(jobs))
    targets = encode_label_sets(model, corrections.label_sets, no_label_is_valid=True)
    with_digests = replace(statistics, added_digests=statistics.added_digests | corrections.digests)
    renewed = update_model(model, with_digests, plan, corrections.rows, targets)
    if fit_cut:
        recut_model = refit_thresholds(renewed.model, statistics, settings, plan, corrections.rows, targets)
        renewed = renewed._replace(model=recut_model)
    before, after = (
        version.label_sets(version.predict_rows(corrections.rows, jobs).labels) for version in (model, renewed.model)
    )
    return UpdateOutcome(renewed, corrections, before, after)
