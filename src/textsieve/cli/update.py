"""`textsieve update`: add corrections or later documents to a model that stores the statistics of its documents."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from . import options

if TYPE_CHECKING:
    from ..modelfile.reading import ModelFile
    from ..prediction import Model
    from ..training.corrections import Corrections, DocumentsToLearn
    from ..training.statistics import Statistics
    from ..training.updating import UpdatedModel
    from .output import Page

MAX_PLACES = 3
"""The maximum number of left-out documents whose places are printed."""


@click.command(
    epilog=options.examples(
        "textsieve train news.csv -o news.sieve --classifier nb --keep-stats",
        "textsieve update news.sieve feedback.jsonl",
        "textsieve update news.sieve january.csv february.csv --text body --label topic --dry-run",
    )
)
@click.argument("model")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@options.read_options
@click.option(
    "--skip-unknown-labels",
    is_flag=True,
    help="Leave out documents whose label is no class of the model. Without this option, such a document is an error, "
    "and the model is not changed.",
)
@click.option(
    "--fit-thresholds",
    is_flag=True,
    help="Refit the thresholds of a multilabel model to the documents that are added. These must be a fair sample of "
    "future documents, which corrections are not.",
)
@click.option("--dry-run", is_flag=True, help="Print the outcome, but do not write the model.")
@options.jobs
@options.json_flag
def command(
    model: str,
    paths: tuple[str, ...],
    read_options: dict[str, Any],
    skip_unknown_labels: bool,
    fit_thresholds: bool,
    dry_run: bool,
    jobs: int,
    wants_json: bool,
) -> None:
    """Add corrections or new documents to a model.

    PATH is any file or folder that train reads, such as the JSON lines of corrections that the service writes. The
    model must have been trained with --keep-stats. It learns the documents as if it had been trained on all documents
    with its present terms; the terms, idf, thresholds and probabilities stay the same.
    If a text occurs several times, the last one counts. Documents that were added before are skipped, so a file that
    grows can be given again and again.
    For a model that can't be updated, the command that trains it again is printed.
    """
    from ..modelfile import write
    from ..modelfile.locking import locked
    from ..training.updating import UnknownLabel
    from .json_output import print_json
    from .opening import check_output
    from .retraining import print_retrain_command_on_error

    if not dry_run and os.path.isfile(model):  # for anything else, reading it raises
        check_output(model, *paths, what="a model")
    with nullcontext() if dry_run else locked(model):
        old_model, statistics, file = _open_model(model, paths, read_options)
        with print_retrain_command_on_error(old_model, model, paths, read_options, only=UnknownLabel):
            corrections = _read_corrections(old_model, paths, read_options, jobs, skip_unknown=skip_unknown_labels)
        documents = corrections.to_learn(statistics.added_digests)
        outcome = _learn(old_model, statistics, documents, jobs, fit_thresholds=fit_thresholds)
        is_written = False
        if outcome.updated is not None and not dry_run:
            write(outcome.updated.model, model, outcome.updated.statistics, instead_of=file)
            is_written = True
    facts = _outcome_as_dict(model, corrections, outcome, is_written=is_written)
    if wants_json:
        print_json(facts)
    else:
        _show(facts, outcome)


# -- the steps of an update --------------------------------------------------------------------------------------


class _UpdatableModel(NamedTuple):
    """A model, the statistics of its documents, and its file, so that `write` can detect whether that was replaced."""

    model: Model
    statistics: Statistics
    file: ModelFile


def _open_model(path: str, files: tuple[str, ...], read_options: dict[str, Any]) -> _UpdatableModel:
    """Read a model and its statistics; if it can't be updated, print the error and how to train it again, and exit.

    Errors are raised inside `print_retrain_command_on_error`, which prints both and exits.
    """
    from ..categorizer_settings import Settings
    from ..errors import InputError, Setting
    from ..modelfile.reading import read_stored
    from ..modelfile.statistics import read_statistics
    from ..training.updating import could_be_updated
    from .opening import hint_if_not_a_model
    from .retraining import print_retrain_command_on_error

    with hint_if_not_a_model("update", path, *files):
        model, file = read_stored(path)
    _require_packages(model, path)
    settings = Settings.of_stored(model.settings)
    if not could_be_updated(settings):
        with print_retrain_command_on_error(model, path, files, read_options):
            raise InputError(
                f"the classifier {settings.classifier} learns from the documents themselves, so documents can't be "
                "added to it",
                place=path,
                hint="Train it again, on its documents and on these.",
            )
    keep_stats = Setting("keep_stats", True)
    if not file.has_statistics:
        with print_retrain_command_on_error(model, path, files, read_options, keep_stats=True):
            cause = ("saved without its statistics",) if settings.keep_stats else ("trained without ", keep_stats)
            raise InputError(
                ("was ", *cause, ", so documents can't be added to it"),
                place=path,
                hint=("Train it again with ", keep_stats, ", on its documents and on these."),
            )
    with print_retrain_command_on_error(model, path, files, read_options):
        return _UpdatableModel(model, read_statistics(model, file), file)


def _require_packages(model: Model, path: str) -> None:
    """Raise `MissingPackage`, before any document is read, if the model needs a package that is not installed."""
    from ..errors import MissingPackage

    try:
        model.rows([])  # counts no document, but imports the packages that counting needs
    except MissingPackage as problem:
        raise problem.at(path) from problem


def _read_corrections(
    model: Model, paths: tuple[str, ...], read_options: dict[str, Any], jobs: int, *, skip_unknown: bool
) -> Corrections:
    """Read the documents at all paths; empty files have no corrections yet, and are skipped."""
    from ..training.corrections import UNREADABLE, Corrections
    from .opening import default_read_options, folding, is_empty_file, open_corpus, read_options_by_path
    from .progress import progress

    corrections = Corrections(model, skip_unknown=skip_unknown, n_jobs=jobs)
    with progress() as on_progress:
        for path, path_options, defaults in read_options_by_path(paths, read_options, default_read_options(model)):
            if is_empty_file(path):
                continue
            extra: dict[str, Any] = folding(model, read_options)
            if os.path.isdir(path):
                extra["keep"] = ("file",)  # file names are the places in messages
            with open_corpus(path, path_options, usual=defaults, lenient=True, **extra) as corpus:
                for batch, places in corpus.placed_batches():
                    with _note_that_nothing_changed():
                        corrections.add(corpus.name, batch.texts, batch.labels, places)
                    on_progress("reading", corrections.n_read, None)
                if corpus.report is not None:
                    corrections.leave_out(UNREADABLE, corpus.name, corpus.report.unreadable)
    return corrections


@contextmanager
def _note_that_nothing_changed() -> Iterator[None]:
    """Add to an `InputError` that the model is unchanged, and for an unknown label, the option that skips it."""
    from ..errors import InputError
    from ..training.updating import UnknownLabel

    try:
        yield
    except InputError as problem:
        hint = "; --skip-unknown-labels leaves such documents out" if isinstance(problem, UnknownLabel) else ""
        problem.add_note(f"Nothing was changed{hint}.")
        raise


class _Outcome(NamedTuple):
    """The outcome of an update; `before` and `after` have an entry for each document that was learned."""

    updated: UpdatedModel | None
    """The updated model and its statistics; None if there was nothing to learn."""
    documents: DocumentsToLearn
    before: list[tuple[Any, ...]]
    """The labels that the model predicted before the update."""
    after: list[tuple[Any, ...]]
    """The labels that the updated model predicts."""


def _learn(
    model: Model, statistics: Statistics, documents: DocumentsToLearn, jobs: int, *, fit_thresholds: bool
) -> _Outcome:
    """Add documents to a model; with `fit_thresholds`, refit its thresholds to them."""
    from dataclasses import replace

    from ..categorizer_settings import Settings
    from ..settings import n_threads
    from ..training.updating import encode_label_sets, plan_for_update, refit_thresholds, update_model

    if not documents.label_sets:
        return _Outcome(None, documents, before=[], after=[])
    settings = Settings.of_stored(model.settings)
    plan = plan_for_update(settings, n_threads(jobs))
    targets = encode_label_sets(model, documents.label_sets, no_label_is_valid=True)
    # A later update skips the documents whose digests the model stores.
    with_digests = replace(statistics, added_digests=statistics.added_digests | documents.digests)
    new = update_model(model, with_digests, plan, documents.rows, targets)
    if fit_thresholds:
        # `statistics` are those before the update, because the new documents are held out in turn.
        refitted = refit_thresholds(new.model, statistics, settings, plan, documents.rows, targets)
        new = new._replace(model=refitted)
    before, after = (
        version.label_sets(version.predict_rows(documents.rows, jobs).labels) for version in (model, new.model)
    )
    return _Outcome(new, documents, before, after)


# -- the output --------------------------------------------------------------------------------------------------


def _outcome_as_dict(path: str, corrections: Corrections, outcome: _Outcome, *, is_written: bool) -> dict[str, Any]:
    """Return the outcome as a JSON object."""
    documents = outcome.documents
    right_before, right_after = _count_right(outcome)
    classes: dict[Any, dict[str, Any]] = {}
    for labels, before, after in zip(documents.label_sets, outcome.before, outcome.after, strict=True):
        for label in labels:
            row = classes.setdefault(label, {"label": label, "added": 0, "right_before": 0, "right_after": 0})
            row["added"] += 1
            row["right_before"] += label in before
            row["right_after"] += label in after
    return {
        "file": path,
        "read": corrections.n_read,
        "left_out": {
            reason: {"documents": len(places), "places": places} for reason, places in corrections.left_out.items()
        },
        "repeated": documents.n_repeated,
        "added_before": documents.n_known,
        "added": len(documents.label_sets),
        "added_before_with_other_labels": documents.n_changed,
        "right_before": right_before,
        "right_after": right_after,
        "classes": sorted(classes.values(), key=lambda row: row["label"]),
        "updated": None if outcome.updated is None else outcome.updated.model.about["updated"],
        "thresholds_are_stale": _has_stale_thresholds(outcome),
        "written": is_written,
    }


def _has_stale_thresholds(outcome: _Outcome) -> bool:
    """Return whether the thresholds of a multilabel model should be fitted again."""
    from ..categorizer_settings import Settings
    from ..training.updating import is_stale, tuned_cut

    if outcome.updated is None:
        return False
    model = outcome.updated.model
    return tuned_cut(model, Settings.of_stored(model.settings)) is not None and is_stale(model)


def _count_right(outcome: _Outcome) -> tuple[int, int]:
    """Return how many documents were predicted with exactly their labels before, and are now."""
    true_sets = [set(labels) for labels in outcome.documents.label_sets]
    before, after = (
        sum(true == set(labels) for true, labels in zip(true_sets, predicted, strict=True))
        for predicted in (outcome.before, outcome.after)
    )
    return before, after


def _show(facts: dict[str, Any], outcome: _Outcome) -> None:
    """Print the outcome for people."""
    from ..errors import counted
    from .description import file_line
    from .output import Column, Page, label_text, number_columns

    page = Page()
    page.line(f"{counted(facts['read'], 'document')} read, {facts['added']:,} added to the model")
    _show_skipped(page, facts)
    if outcome.updated is None:
        page.line("There is nothing to add, so nothing was written.")
        return
    columns = [Column("class"), *number_columns("added", "right before", "right after")]
    names = ("added", "right_before", "right_after")
    page.table(columns, [[label_text(row["label"]), *(f"{row[name]:,}" for name in names)] for row in facts["classes"]])
    page.line(
        f"Of {counted(facts['added'], 'added document')}, the model got {facts['right_before']:,} right before, "
        f"and gets {facts['right_after']:,} right now."
    )
    if outcome.updated.model.about.get("held_out"):
        page.line("The measures on held-out documents are from before the update.")
    if facts["thresholds_are_stale"]:
        page.line(
            f"{facts['updated']['since_thresholds']:,} documents were added since the thresholds for multiple labels "
            "were fitted, which may now give too many or too few labels: refit them with --fit-thresholds to documents "
            "that are a fair sample, or train again."
        )
    page.line(f"Written to {file_line(facts['file'])}" if facts["written"] else "Nothing was written: --dry-run.")


def _show_skipped(page: Page, facts: dict[str, Any]) -> None:
    """Print how many documents were not added, and why, and how many were added again with other labels."""
    from ..errors import counted

    for reason, documents in facts["left_out"].items():
        places, n = documents["places"], documents["documents"]
        listed = ", ".join(places[:MAX_PLACES]) + (", ..." if n > MAX_PLACES else "")
        page.line(f"{counted(n, 'document')} {reason} left out: {listed}")
    if n := facts["repeated"]:
        repeated = counted(n, "document is", "documents are")
        page.line(f"{repeated} skipped, because the same text occurs again later: the last one counts.")
    if n := facts["added_before"]:
        page.line(f"{counted(n, 'document was', 'documents were')} added by an earlier update, and skipped.")
    if n := facts["added_before_with_other_labels"]:
        page.line(
            f"{counted(n, 'text was', 'texts were')} added by an earlier update with other labels, which the model "
            "has learned, too; to remove these, train again."
        )
