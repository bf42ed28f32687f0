"""`textsieve update`: let a model learn corrections or later documents, in one of three ways.

- A model with the statistics of its terms (trained with --keep-stats) learns documents by adding their statistics.
- A model with the statistics of all terms (--keep-stats all) also selects its terms anew, and learns new classes.
- Any other model is trained again from its sources: see `retraining`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from . import options

if TYPE_CHECKING:
    from ..modelfile.reading import ModelFile
    from ..modelfile.sources import TrainingSource
    from ..prediction import Model
    from ..training.adapting import Adaptation, AdaptedModel
    from ..training.corrections import Corrections, DocumentsToLearn
    from ..training.full_statistics import FullStatistics, TextCounts
    from ..training.statistics import Statistics
    from ..training.updating import UpdatedModel
    from .output import Page


@click.command(
    epilog=options.examples(
        "textsieve update news.sieve feedback.jsonl",
        "textsieve update news.sieve january.csv february.csv --text body --label topic --dry-run",
        "textsieve update news.sieve today.csv --half-life 90d",
        "textsieve update news.sieve feedback.jsonl --source data/news.csv=/mnt/archive/news.csv",
    )
)
@click.argument("model", shell_complete=options.complete_files)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, shell_complete=options.complete_documents)
@options.read_options
@click.option(
    "--retrain",
    "wants_retraining",
    is_flag=True,
    help="Train the model again from its sources, although documents can be added to it.",
)
@click.option(
    "--source",
    multiple=True,
    metavar="OLD=NEW",
    help="Read the documents of OLD, a source of the model, from NEW; OLD= leaves them out. May be repeated.",
)
@options.setting_option(
    "stop_words",
    help="The file of stop words with which the model was trained, which a model does not store.",
    metavar="FILE",
)
@click.option(
    "--skip-unknown-labels",
    is_flag=True,
    help="Leave out documents whose label is no class of the model. Without this option, a model that is trained "
    "again, or was trained with --keep-stats all, learns a new class; for any other model, such a document is an "
    "error, and the model is not changed.",
)
@click.option(
    "--fit-thresholds",
    is_flag=True,
    help="Refit the thresholds of a multilabel model to the documents that are added. These must be a fair sample of "
    "future documents, which corrections are not.",
)
@click.option(
    "--half-life",
    metavar="TIME",
    help="Forget: halve the weight of what was learned before for each such time since the last update (90d; s, m, h, "
    "d or w), or for each so many new documents (5000docs). For models that were trained with --keep-stats all, as "
    "are the next two options.",
)
@click.option(
    "--window",
    type=int,
    metavar="N",
    help="Forget: learn from the documents of the last N updates only, this one included. Training counts as an "
    "update, and so do all updates together before the first one with this option.",
)
@options.at
@click.option("--dry-run", is_flag=True, help="Print the outcome, but do not write the model.")
@options.jobs
@options.json_flag
def command(
    model: str,
    paths: tuple[str, ...],
    read_options: dict[str, Any],
    wants_retraining: bool,
    source: tuple[str, ...],
    stop_words: str | list[str] | None,
    skip_unknown_labels: bool,
    fit_thresholds: bool,
    half_life: str | None,
    window: int | None,
    when: str | None,
    dry_run: bool,
    jobs: int,
    wants_json: bool,
) -> None:
    """Add corrections or new documents to a model.

    PATH is any file or folder that train reads, such as the JSON lines of corrections that the service writes.
    A model that was trained with --keep-stats learns the documents as if it had been trained on all documents with its
    present terms; the terms, idf, thresholds and probabilities stay the same.
    With --keep-stats all, it also selects its terms anew and learns new classes, as if it had been trained on all
    documents; thresholds and probabilities stay the same.
    Any other model is trained again, with its settings, from its sources, which it remembers, and from the documents
    at PATH. If a text at PATH is also in the sources, its label is replaced.
    If a text occurs several times, the last one counts. Documents that were added before are skipped, so a file that
    grows can be given again and again.
    """
    from ..modelfile.reading import read_stored
    from ..modelfile.writing import locked
    from ..training.forgetting import Forgetting, moment_of
    from .errors import exit_as_usage_error
    from .json_output import print_json
    from .opening import check_output, hint_if_not_a_model
    from .retraining import RetrainingRequest, retrain, show_retraining

    forgets = {"--half-life": half_life, "--window": window, "--at": when}
    with exit_as_usage_error():  # before anything is read
        Forgetting.of(half_life, window)
        moment_of(when)
    if not dry_run and os.path.isfile(model):  # if it is no file, reading it raises a better error
        check_output(model, *paths, what="a model")
    with nullcontext() if dry_run else locked(model):
        with hint_if_not_a_model("update", model, *paths):
            stored, file = read_stored(model)
        _require_packages(stored, model)
        if wants_retraining or not file.has_statistics:
            if fit_thresholds:
                raise click.UsageError(
                    "--fit-thresholds is for a model to which documents are added; training again fits all thresholds, "
                    "so leave it out."
                )
            _refuse(forgets, NEEDS_ALL_STATISTICS)
            request = RetrainingRequest(model, paths, read_options, source, stop_words, skip_unknown_labels, jobs)
            facts, show = retrain(stored, file, request, is_dry_run=dry_run), show_retraining
        else:
            only_for_retraining = {"--source": source, "--stop-words": stop_words}
            _refuse(only_for_retraining, "is for training again; add --retrain, or leave it out")
            adding = _AddingRequest(model, paths, read_options, skip_unknown_labels, fit_thresholds, jobs, forgets)
            facts, show = _add_documents(stored, file, adding, is_dry_run=dry_run), _show
    if wants_json:
        print_json(facts)
    else:
        show(facts)


NEEDS_ALL_STATISTICS = "is for a model with the statistics of all terms (train --keep-stats all); leave it out"


def _refuse(options: Mapping[str, Any], reason: str) -> None:
    """Raise `UsageError` with the reason if any of these options was given, such as {"--window": 3}."""
    for option, value in options.items():
        if value is not None and value != ():
            raise click.UsageError(f"{option} {reason}.")


# -- adding documents to statistics ------------------------------------------------------------------------------------


class _AddingRequest(NamedTuple):
    """The arguments of `textsieve update` that adding documents to statistics needs."""

    path: str
    """The path of the model."""
    paths: tuple[str, ...]
    """The paths of the documents."""
    read_options: dict[str, Any]
    skip_unknown: bool
    fit_thresholds: bool
    jobs: int
    forgets: Mapping[str, Any]
    """The values of --half-life, --window and --at."""


def _add_documents(model: Model, file: ModelFile, request: _AddingRequest, *, is_dry_run: bool) -> dict[str, Any]:
    """Add documents to a model with statistics, and return the outcome as a JSON object.

    The model is written unless it has nothing to learn, or `is_dry_run` is set.
    """
    from ..modelfile import write
    from ..modelfile.sources import retraining_problem, with_corrections
    from ..modelfile.statistics import read_statistics
    from ..training.corrections import Corrections
    from ..training.full_statistics import FullStatistics
    from ..training.updating import UnknownLabel
    from .retrain_command import print_retrain_command_on_error

    # The arguments of `retrain_command`, which makes the command that is printed on an error.
    retrain_arguments = (model, request.path, request.paths, request.read_options)
    with print_retrain_command_on_error(*retrain_arguments):
        statistics = read_statistics(model, file)
    counts: TextCounts | None = None  # collects all terms of the documents; None to count only those of the model
    if isinstance(statistics, FullStatistics):
        adaptation = _adaptation_of(model, statistics, request)
        counts = adaptation.start_counting()
        learn: Callable[..., _Outcome] = partial(_adapt, adaptation, counts)
    else:
        _refuse(request.forgets, NEEDS_ALL_STATISTICS)
        learn = partial(_learn, model, statistics)
    corrections = Corrections(
        model, skip_unknown=request.skip_unknown, may_be_new=counts is not None, counts=counts, n_jobs=request.jobs
    )
    with print_retrain_command_on_error(*retrain_arguments, only=UnknownLabel):
        try:
            sources, columns = _read_all(corrections, model, request)
        except UnknownLabel as problem:
            if retraining_problem(model) is None:
                problem.add_note("--retrain trains the model again from its sources, with the new class.")
            raise
    documents = corrections.to_learn(statistics.added_digests)
    outcome = learn(documents, request.jobs, fit_thresholds=request.fit_thresholds)
    is_written = False
    if outcome.updated is not None and not is_dry_run:
        updated = with_corrections(outcome.updated.model, sources, request.path)
        write(updated, request.path, outcome.updated.statistics, instead_of=file)
        is_written = True
    facts = _outcome_as_dict(request.path, columns, corrections, outcome, is_written=is_written)
    return facts | ({} if counts is None else _changes(model, outcome))


def _adaptation_of(model: Model, statistics: FullStatistics, request: _AddingRequest) -> Adaptation:
    """Return the `Adaptation` of a model with the statistics of all terms, with the options for forgetting."""
    from ..training.adapting import Adaptation
    from ..training.forgetting import Forgetting

    half_life, window, when = request.forgets.values()
    forgetting = Forgetting.of(half_life, window)
    return Adaptation(model, statistics, forgetting, statistics.moment_of_update(when, forgetting), request.jobs)


def _require_packages(model: Model, path: str) -> None:
    """Raise `MissingPackage`, before any document is read, if the model needs a package that is not installed."""
    from ..errors import MissingPackage

    try:
        model.rows([])  # counts no document, but imports the packages that counting needs
    except MissingPackage as problem:
        raise problem.at(path) from problem


def _read_all(
    corrections: Corrections, model: Model, request: _AddingRequest
) -> tuple[list[TrainingSource], list[str]]:
    """Read the documents at all paths into `corrections`.

    Return the paths as sources of the model, and lines on the columns that were read.
    """
    from ..progress import progress_display
    from .correction_files import check_labels, collect_corrections, open_corrections
    from .opening import default_read_options, label_spellings, read_options_by_path

    sources, columns = [], []
    defaults = default_read_options(model)
    with progress_display() as on_progress:
        spellings = label_spellings(model, request.read_options)
        for path, path_options, usual in read_options_by_path(request.paths, request.read_options, defaults):
            with open_corrections(path, path_options, usual, request.path, spellings) as file:
                collect_corrections(corrections, file.corpus, on_progress)
            sources.append(file.source())
            columns += file.columns()
    check_labels([corrections])
    return sources, columns


class _Outcome(NamedTuple):
    """The outcome of an update; `before` and `after` have an entry for each document that was learned."""

    updated: UpdatedModel | AdaptedModel | None
    """The updated model and its statistics; None if there was nothing to learn."""
    documents: DocumentsToLearn
    before: list[tuple[Any, ...]]
    """The labels that the model predicted before the update."""
    after: list[tuple[Any, ...]]
    """The labels that the updated model predicts."""


def _learn(
    model: Model, statistics: Statistics, documents: DocumentsToLearn, jobs: int, *, fit_thresholds: bool
) -> _Outcome:
    """Add documents to a model with the statistics of its terms.

    With `fit_thresholds`, its thresholds are refitted to these documents.
    """
    from dataclasses import replace

    from ..categorizer_settings import Settings
    from ..settings import n_threads
    from ..training.updating import (
        encode_label_sets,
        held_out_scores,
        plan_for_update,
        refit_thresholds,
        update_model,
    )

    if not documents.label_sets:
        return _Outcome(None, documents, before=[], after=[])
    settings = Settings.of_stored(model.settings)
    plan = plan_for_update(settings, n_threads(jobs))
    targets = encode_label_sets(model, documents.label_sets, no_label_is_valid=True)
    # A later update skips the documents whose digests the model stores.
    with_digests = replace(statistics, added_digests=statistics.added_digests | documents.digests)
    new = update_model(model, with_digests, plan, documents.rows, targets)
    if fit_thresholds:
        # The new documents are held out in turn, so the statistics to begin with are those without them.
        score = partial(held_out_scores, new.model, statistics, plan, documents.rows, targets, settings.folds)
        new = new._replace(model=refit_thresholds(new.model, settings, targets, score))
    before, after = (
        version.label_sets(version.predict_rows(documents.rows, jobs).labels) for version in (model, new.model)
    )
    return _Outcome(new, documents, before, after)


def _adapt(
    adaptation: Adaptation, counts: TextCounts, documents: DocumentsToLearn, jobs: int, *, fit_thresholds: bool
) -> _Outcome:
    """Add documents to a model with the statistics of all terms, which selects its terms anew.

    `counts` has the terms of all documents that were read; those of `documents` are taken from it. With
    `fit_thresholds`, the thresholds are refitted to these documents.
    """
    from dataclasses import replace

    import numpy as np

    from ..training.adapting import new_target_sets

    if not documents.label_sets:
        return _Outcome(None, documents, before=[], after=[])
    counted = counts.take(np.array(documents.positions, np.int64))
    targets = new_target_sets(adaptation.model, documents.label_sets, no_label_is_valid=True)
    new = adaptation.run(counted, targets, fit_thresholds=fit_thresholds)
    digests = new.statistics.added_digests | documents.digests
    before, after = (
        version.label_sets(version.predict_rows(adaptation.weigh(counted, version), jobs).labels)
        for version in (adaptation.model, new.model)
    )
    return _Outcome(new._replace(statistics=replace(new.statistics, added_digests=digests)), documents, before, after)


# -- the output --------------------------------------------------------------------------------------------------


def _outcome_as_dict(
    path: str, columns: list[str], corrections: Corrections, outcome: _Outcome, *, is_written: bool
) -> dict[str, Any]:
    """Return the outcome of an update as a JSON object, which `_show` prints for people.

    `columns` are lines on the columns of the documents that were read.
    """
    from ..modelfile.sources import ADD
    from .correction_files import count_right, left_out_as_dict, rows_by_class

    documents, updated = outcome.documents, outcome.updated
    return {
        "file": path,
        "method": ADD,
        "columns": columns,
        "read": corrections.n_read,
        "left_out": left_out_as_dict([corrections]),
        "repeated": documents.n_repeated,
        "added_before": documents.n_known,
        "added": len(documents.label_sets),
        "added_before_with_other_labels": documents.n_changed,
        "added_before_and_withdrawn": documents.n_withdrawn,
        "right_before": count_right(documents.label_sets, outcome.before),
        "right_after": count_right(documents.label_sets, outcome.after),
        "classes": rows_by_class("added", documents.label_sets, outcome.before, outcome.after),
        "updated": None if updated is None else updated.model.about["updated"],
        "has_held_out_measures": updated is not None and bool(updated.model.about.get("held_out")),
        "thresholds_are_stale": _has_stale_thresholds(outcome),
        "written": is_written,
    }


MAX_LISTED = 10
"""The maximum number of terms or classes that are printed."""


def _changes(model: Model, outcome: _Outcome) -> dict[str, Any]:
    """Return which terms and classes the updated model has and `model` has not, and the other way round."""
    from .correction_files import new_classes_as_dicts

    new = model if outcome.updated is None else outcome.updated.model
    terms, new_terms, new_classes = set(model.terms), set(new.terms), set(new.classes)
    return {
        "terms": len(new.terms),
        "new_terms": [term for term in new.terms if term not in terms],
        "lost_terms": [term for term in model.terms if term not in new_terms],
        "new_classes": new_classes_as_dicts(model, new),
        "lost_classes": [label for label in model.classes if label not in new_classes],
        "documents": new.about["n_documents"],
    }


def _has_stale_thresholds(outcome: _Outcome) -> bool:
    """Return whether the updated model is multilabel, and so many documents were added that thresholds may be wrong."""
    from ..categorizer_settings import Settings
    from ..training.updating import is_stale, tuned_cut

    if outcome.updated is None:
        return False
    model = outcome.updated.model
    return tuned_cut(model, Settings.of_stored(model.settings)) is not None and is_stale(model)


def _show(facts: Mapping[str, Any]) -> None:
    """Print the outcome of an update, given as `_outcome_as_dict` returns it, and for adapted models, `_changes`."""
    from ..errors import counted
    from .correction_files import show_classes_of_corrections, show_left_out, show_written
    from .output import Page

    page = Page()
    page.line(f"{counted(facts['read'], 'document')} read, {facts['added']:,} added to the model")
    for line in facts["columns"]:
        page.line(line)
    show_left_out(page, facts)
    if n := facts["added_before"]:
        page.line(f"{counted(n, 'document was', 'documents were')} added by an earlier update, and skipped.")
    if n := facts["added_before_with_other_labels"]:
        page.line(
            f"{counted(n, 'text was', 'texts were')} added by an earlier update with other labels, which the model "
            "has learned, too; to remove these, train again."
        )
    if n := facts["added_before_and_withdrawn"]:
        page.line(
            f"{counted(n, 'withdrawn correction was', 'withdrawn corrections were')} added by an earlier update, and "
            "the model keeps what it has learned; to remove this, train again with --retrain."
        )
    if facts["updated"] is None:
        page.line("There is nothing to add, so nothing was written.")
        return
    show_classes_of_corrections(page, facts, "added", "added document")
    if "new_terms" in facts:
        _show_changes(page, facts)
    if facts["has_held_out_measures"]:
        page.line("The measures on held-out documents are from before the update.")
    if facts["thresholds_are_stale"]:
        page.line(
            f"{counted(facts['updated']['since_thresholds'], 'document was', 'documents were')} added since the "
            "thresholds for multiple labels were fitted, which may now give too many or too few labels: refit them "
            "with --fit-thresholds to documents that are a fair sample, or train again with --retrain."
        )
    show_written(page, facts)


def _show_changes(page: Page, facts: Mapping[str, Any]) -> None:
    """Print which terms and classes are new, and which are gone, from the keys of `_changes`."""
    from ..errors import counted
    from .correction_files import warn_of_similar_class
    from .output import label_text

    page.line(
        f"{counted(facts['terms'], 'term')} selected anew: {len(facts['new_terms']):,} new, "
        f"{len(facts['lost_terms']):,} no longer used"
    )
    for title, names in (
        ("New terms", facts["new_terms"]),
        ("Terms no longer used", facts["lost_terms"]),
        ("New classes", [label_text(row["label"]) for row in facts["new_classes"]]),
        ("Classes that were forgotten", [label_text(label) for label in facts["lost_classes"]]),
    ):
        if names:
            page.line(f"{title}: {', '.join(names[:MAX_LISTED])}{', ...' if len(names) > MAX_LISTED else ''}")
    remedy = "correct the label" if not facts["written"] else "correct the label, and train the model again"
    for row in facts["new_classes"]:
        if row["similar_class"] is not None:
            warn_of_similar_class(row["label"], row["similar_class"], remedy)
