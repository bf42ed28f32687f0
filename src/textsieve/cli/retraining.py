"""Train a model again for `textsieve update`: from its sources, with its settings, and with corrections.

The new model is the one that `textsieve train` would write for the documents of the sources, with the labels corrected.
It stores these sources, and each file of corrections as one more source. So the next update reads all of these files
again, and the user gives only new ones.

If a text has several corrections, the one in the last file counts. Files come in the order in which the model learned
them, and those that are given now come last. If a given file was learned before and has not changed, it keeps its
place; if it has changed, it moves to the end.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from ..categorizer_settings import ObjectDescription, Settings
from ..corpus import Corpus
from ..corpus.batch import CorpusDigest
from ..errors import InputError, Setting, counted
from ..modelfile.sources import RETRAIN, TrainingSource, retraining_problem, sources_of, with_sources
from ..progress import Progress, progress_display
from ..training.corrections import NO_LABEL, UNKNOWN, CorrectedDocuments, CorrectionFile, Corrections, count_repeated
from .correction_files import (
    check_labels,
    collect_corrections,
    count_right,
    left_out_as_dict,
    listed_places,
    new_classes_as_dicts,
    open_corrections,
    rows_by_class,
    show_classes_of_corrections,
    show_left_out,
    show_written,
    warn_of_similar_class,
)
from .description import measures_text, show_sources, source_as_dict
from .opening import (
    also_for_corrections,
    default_read_options,
    is_empty_file,
    label_spellings,
    open_corpus,
    read_options_by_path,
    warn_of_replaced_bytes,
    warn_of_withdrawals,
)
from .output import Page, label_text
from .retrain_command import print_retrain_command_on_error, retrain_settings
from .sources import move_sources, read_options_of, require_sources

if TYPE_CHECKING:
    from ..categorizer import Categorizer
    from ..modelfile.reading import ModelFile
    from ..prediction import Model


class RetrainingRequest(NamedTuple):
    """The arguments of `textsieve update` that training again needs."""

    path: str
    """The path of the model."""
    paths: tuple[str, ...]
    """The paths of corrections."""
    read_options: dict[str, Any]
    moves: tuple[str, ...]
    """New places of sources, each as OLD=NEW."""
    stop_words: str | list[str] | None
    skip_unknown: bool
    jobs: int


def retrain(model: Model, file: ModelFile, request: RetrainingRequest, *, is_dry_run: bool) -> dict[str, Any]:
    """Train a model again, write it unless `is_dry_run`, and return the outcome as a JSON object.

    If there is nothing new to learn, the model is not trained.
    """
    from ..modelfile import write
    from .train import fit_or_skip_measuring

    # On an error, the user gets a `train` command that trains the model again. In it, these settings are changed.
    changes = _settings_for_statistics(model, file)
    with print_retrain_command_on_error(model, request.path, request.paths, request.read_options, **changes):
        categorizer = _prepare(model, file, request)
    sources = move_sources(sources_of(model) or [], request.moves, request.path)
    with print_retrain_command_on_error(model, request.path, request.paths, request.read_options, **changes):
        _require_sources(sources, request)
    with ExitStack() as stack, progress_display() as on_progress:
        files = _read_correction_files(stack, model, sources, request, on_progress)
        documents = _open_documents(stack, model, sources, request)
        corrected = CorrectedDocuments(documents.corpus, _not_empty(files))
        spellings = label_spellings(model, request.read_options)
        if spellings is not None:  # once more, so that a new class has one spelling in all files
            corrected.corpus = corrected.corpus.with_folded_labels(spellings)
        material = _Material(model, request.path, documents, files, corrected)
        # A model to which documents were added differs from one that is trained again, so it can't be left as it is.
        may_stay = "updated" not in model.about and not request.moves
        if may_stay and not any(correction_file.is_new for correction_file in files):
            _read_through(documents.corpus, on_progress)
            if not any(is_changed(source, before) for source, before in material.sources()):
                return material.outcome(None, is_written=False)
        trained = fit_or_skip_measuring(
            categorizer, lambda categorizer: categorizer.fit(corrected.corpus, progress=on_progress)
        )
        warn_of_replaced_bytes(corrected.corpus)
        warn_of_withdrawals(corrected.corpus)
        new_model = _with_facts_of(model, trained.model_, folds_labels=request.read_options["fold_labels"])
        new_model = with_sources(new_model, [source for source, _ in material.sources()])
        facts = material.outcome(new_model, is_written=not is_dry_run, jobs=request.jobs)
        if not is_dry_run:
            statistics = trained._statistics_
            if statistics is not None:  # so that a later update does not add the corrections again
                statistics = replace(statistics, added_digests=corrected.digests)
            on_progress("writing", 0, None)
            write(new_model, request.path, statistics, instead_of=file)
    return facts


# -- checks before anything is read ------------------------------------------------------------------------------


def _settings_for_statistics(model: Model, file: ModelFile) -> dict[str, Any]:
    """Return `{"keep_stats": ...}` for a model that has no statistics but could have them, and otherwise {}.

    A model that is trained again with this setting can then be updated without its sources.
    """
    from ..training.updating import could_be_updated

    settings = _stored_settings(model)
    can_have = not file.has_statistics and could_be_updated(settings)
    return {"keep_stats": settings.keep_stats or True} if can_have else {}


def _stored_settings(model: Model) -> Settings:
    """Return the settings with which a model was trained, as its file has them."""
    return Settings.of_stored(model.settings)


def _prepare(model: Model, file: ModelFile, request: RetrainingRequest) -> Categorizer:
    """Return an untrained categorizer with the settings of the model.

    Raise `InputError` if the model can't be trained again, or if the option --stop-words is missing or must not be
    given.
    """
    from ..categorizer import Categorizer
    from ..training import check_settings

    problem = retraining_problem(model)
    if problem is not None:
        raise InputError(
            (*_reason_against_adding(model, file), f", and {problem}"),
            place=request.path,
            hint="Train it again, on its documents and on these.",
        )
    settings = retrain_settings(model) | {"n_jobs": request.jobs}
    has_own_stop_words = isinstance(settings["stop_words"], ObjectDescription)
    if has_own_stop_words and request.stop_words is None:
        raise InputError(
            "the model was trained with stop words of your own, which a model file does not store",
            place=request.path,
            hint=("Give their file with ", Setting("stop_words")),
        )
    if request.stop_words is not None:
        if not has_own_stop_words:
            raise InputError(
                ("the model was trained with ", Setting("stop_words", settings["stop_words"])),
                setting="stop_words",
                hint="Leave it out",
            )
        settings["stop_words"] = request.stop_words
    categorizer = Categorizer(**settings)
    check_settings(categorizer.settings())
    return categorizer


def _reason_against_adding(model: Model, file: ModelFile) -> tuple[str | Setting, ...]:
    """Return the first half of the error message for a model that can't be trained again, as parts of a message.

    The whole message has two reasons, such as "was trained without --keep-stats, so documents can't be added to it, and
    it stores no sources". This function returns the first reason. If the model has statistics, documents could be added
    to it, but the user asked for --retrain; then the first half only says that this is not possible.
    """
    if file.has_statistics:
        return ("the model can't be trained again by this command",)
    settings = _stored_settings(model)
    if not _settings_for_statistics(model, file):
        return (
            f"the classifier {settings.classifier} learns from the documents themselves, so documents can't be added "
            "to it",
        )
    keep_stats = Setting("keep_stats", True)
    cause = ("saved without its statistics",) if settings.keep_stats else ("trained without ", keep_stats)
    return ("was ", *cause, ", so documents can't be added to it")


def _require_sources(sources: list[TrainingSource], request: RetrainingRequest) -> None:
    """Raise `InputError` if sources are missing.

    A file of corrections that is given to the command is not checked: it is opened anyway, and raises its own error.
    """
    given = {os.path.realpath(path) for path in request.paths}
    needed = [
        source
        for source in sources
        if not (source.corrections and os.path.realpath(source.location(request.path)) in given)
    ]
    require_sources(needed, request.path)


# -- documents ---------------------------------------------------------------------------------------------------


class _ReadCorrections(NamedTuple):
    """A file of corrections whose documents were collected."""

    source: TrainingSource
    """The file as a source of the new model."""
    corrections: Corrections
    columns: list[str]
    """Lines on the columns that were read."""
    file: CorrectionFile | None
    """The file, to be read again for training; None for an empty file."""
    is_given: bool
    """Whether the file is an argument of the command; otherwise, only the model names it."""
    before: TrainingSource | None
    """The same file as a source of the old model; None if that has not learned it."""

    @property
    def is_new(self) -> bool:
        """Return whether the file was given and has anything that the model has not learned."""
        has_corrections = bool(self.corrections.collected or self.corrections.taken_back())
        return self.is_given and has_corrections and not self.is_unchanged

    @property
    def is_unchanged(self) -> bool:
        """Return whether the model has learned this file as it is."""
        return is_changed(self.source, self.before) is False


def _not_empty(files: list[_ReadCorrections]) -> list[CorrectionFile]:
    """Return the files that are not empty, to be read again for training."""
    return [read.file for read in files if read.file is not None]


def is_changed(source: TrainingSource, before: TrainingSource | None) -> bool | None:
    """Return whether the documents of a source, or the options for reading it, have changed; None for a new source.

    `before` is the same source as the old model stores it, or None.
    """
    if before is None:
        return None
    return any(getattr(source, name) != getattr(before, name) for name in ("digest", "reading", "usual"))


def _read_correction_files(
    stack: ExitStack,
    model: Model,
    sources: list[TrainingSource],
    request: RetrainingRequest,
    on_progress: Progress,
) -> list[_ReadCorrections]:
    """Collect the corrections of all files: of those that the model stores, and of those that are given.

    They are in the order that the docstring of this module describes. `stack` keeps the files open.
    """
    stored = {os.path.realpath(source.location(request.path)): source for source in sources if source.corrections}
    spellings = label_spellings(model, request.read_options)

    def read(
        path: str, read_options: Mapping[str, Any], usual: Mapping[str, Any], *, is_given: bool
    ) -> _ReadCorrections:
        opened = stack.enter_context(open_corrections(path, read_options, usual, request.path, spellings))
        # An earlier update may have skipped documents of a stored file, because their class is unknown. They are
        # skipped again.
        skip_unknown = request.skip_unknown if is_given else True
        corrections = Corrections(model, skip_unknown=skip_unknown, may_be_new=True, keeps_rows=False)
        collect_corrections(corrections, opened.corpus, on_progress)
        file = None if opened.corpus is None else CorrectionFile(opened.corpus, corrections)
        source = opened.source()
        if UNKNOWN in corrections.left_out:
            # Without a digest, the file counts as changed when a later update learns the skipped documents, too.
            source = replace(source, digest=None)
        before = stored.get(os.path.realpath(path))
        return _ReadCorrections(source, corrections, opened.columns(), file, is_given, before)

    paths = list(dict.fromkeys(request.paths))
    given: dict[str, _ReadCorrections] = {}
    for path, path_options, usual in read_options_by_path(paths, request.read_options, default_read_options(model)):
        given[os.path.realpath(path)] = read(path, path_options, usual, is_given=True)
    in_order = []
    for real_path, source in stored.items():
        if real_path not in given:
            path_options = read_options_of(source, request.path, request.read_options)
            in_order.append(read(source.location(request.path), path_options, source.usual, is_given=False))
        elif given[real_path].is_unchanged:
            in_order.append(given.pop(real_path))
    in_order += given.values()
    check_labels(file.corrections for file in in_order)
    return in_order


@dataclass(frozen=True, slots=True)
class _Documents:
    """The documents of all sources that are no files of corrections, as one corpus."""

    corpus: Corpus
    digests: list[tuple[TrainingSource, CorpusDigest]]
    """Each of these sources, as the old model stores it, and its digest, which a pass over the corpus computes."""


def _open_documents(
    stack: ExitStack, model: Model, sources: list[TrainingSource], request: RetrainingRequest
) -> _Documents:
    """Open the sources that are no files of corrections, as one corpus; `stack` keeps them open."""
    digests = [(source, CorpusDigest()) for source in sources if not source.corrections]
    corpora = []
    for source, digest in digests:
        path = source.location(request.path)
        if not is_empty_file(path):
            options = read_options_of(source, request.path, request.read_options)
            corpus = stack.enter_context(open_corpus(path, options, usual=also_for_corrections(source.usual)))
            corpora.append(corpus.mapped(digest))
    if not corpora:
        raise InputError("the sources of the model have no documents", place=request.path)
    corpus = corpora[0] if len(corpora) == 1 else Corpus.chained(corpora)
    spellings = label_spellings(model, request.read_options)
    return _Documents(corpus if spellings is None else corpus.with_folded_labels(spellings), digests)


def _read_through(corpus: Corpus, on_progress: Progress) -> None:
    """Read all documents of a corpus, which computes the digests of its sources."""
    n_documents = 0
    for batch in corpus.batches():
        n_documents += len(batch)
        on_progress("comparing", n_documents, None)


TRAINING_FACTS = ("held_out", "curve", "confidence", "coefficients", "testors", "n_tuned_on", "updated")
"""Facts in `about` of a model that are results of its training: those of an old model are not true for a new one."""


def _with_facts_of(old: Model, new: Model, *, folds_labels: bool) -> Model:
    """Return the new model with those facts in `about` of the old model that are no results of training.

    These are the options for reading, to which `folds_labels` adds --fold-labels, and what the owner of the model has
    added.
    """
    kept = {name: value for name, value in old.about.items() if name not in (*TRAINING_FACTS, *new.about)}
    about = new.about | kept
    if folds_labels:  # so that the next update does not split the classes again
        about["reading"] = about.get("reading", {}) | {"fold_labels": True}
    return replace(new, about=about)


# -- the outcome -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Material:
    """The old model, the documents and the corrections from which a model is trained again, to describe the outcome."""

    model: Model
    """The old model."""
    path: str
    """The path of the model."""
    documents: _Documents
    files: list[_ReadCorrections]
    corrected: CorrectedDocuments

    def sources(self) -> Iterator[tuple[TrainingSource, TrainingSource | None]]:
        """Yield each source of the new model, and the same source of the old model, or None if it is new.

        Call this after a complete pass over the documents, which computes the digests of their sources.
        """
        for before, digest in self.documents.digests:
            yield replace(before, digest=digest.digest, documents=digest.documents), before
        for file in self.files:
            yield file.source, file.before

    def outcome(self, new_model: Model | None, *, is_written: bool, jobs: int | None = None) -> dict[str, Any]:
        """Return the outcome as a JSON object; `new_model` is None if there was no need to train."""
        given = [file for file in self.files if file.is_given]
        left_out = left_out_as_dict(file.corrections for file in self.files)
        facts = {
            "file": self.path,
            "method": RETRAIN,
            "sources": [
                source_as_dict(source, self.path)
                | {
                    "changed": is_changed(source, before),
                    "documents_before": None if before is None else before.documents,
                }
                for source, before in self.sources()
            ],
            "columns": [line for file in given for line in file.columns],
            "read": sum(file.corrections.n_read for file in given),
            "left_out": left_out,
            "without_label": left_out.pop(NO_LABEL, {"documents": 0, "places": []}),
            "repeated": count_repeated(_not_empty(given)),
            "retrained": new_model is not None,
            "written": is_written,
        }
        return facts if new_model is None else facts | self._changes(new_model, given, jobs)

    def _changes(self, new_model: Model, given: list[_ReadCorrections], jobs: int | None) -> dict[str, Any]:
        """Return how the corrections and the classes differ between the old model and the new one.

        `given` are the files of corrections that are arguments of the command.
        """
        true: list[tuple[Any, ...]] = []
        before: list[tuple[Any, ...]] = []
        after: list[tuple[Any, ...]] = []
        for batch in self.corrected.read_files(_not_empty(given)):
            true += batch.labels
            for model, predicted in ((self.model, before), (new_model, after)):
                predicted += model.label_sets(model.predict_labels(batch.texts, jobs)[0])
        sizes = dict(zip(new_model.classes, new_model.class_docs, strict=True))
        return {
            "documents": new_model.about["n_documents"],
            "relabelled": self.corrected.n_relabelled,
            "confirmed": self.corrected.n_confirmed,
            "withdrawn": self.corrected.n_withdrawn,
            "added": self.corrected.n_added,
            "corrections": len(true),
            "right_before": count_right(true, before),
            "right_after": count_right(true, after),
            "classes": rows_by_class("corrections", true, before, after),
            "new_classes": new_classes_as_dicts(self.model, new_model),
            "lost_classes": [label for label in self.model.classes if label not in sizes],
            "multilabel": new_model.multilabel,
            "held_out": {"before": _measures(self.model), "after": _measures(new_model)},
            "retraining_problem": retraining_problem(new_model),
        }


def _measures(model: Model) -> dict[str, Any] | None:
    """Return the measures over all classes on held-out documents, or None if nothing was measured."""
    held_out = model.about.get("held_out")
    if held_out is None:
        return None
    return {name: held_out[name] for name in ("documents", "accuracy", "micro_f1", "macro_f1")}


def show_retraining(facts: Mapping[str, Any]) -> None:
    """Print the outcome of training again, given as `retrain` returns it."""
    page = Page()
    if facts["retrained"]:
        what = "Trained again on" if facts["written"] else "Trained again (not written) on"
        page.line(f"{what} {counted(facts['documents'], 'document')}, with the settings of the model")
    show_sources(page, facts["sources"])
    for line in facts["columns"]:
        page.line(line)
    show_left_out(page, facts)
    if n := facts["without_label"]["documents"]:
        have = counted(n, "correction has", "corrections have")
        places = listed_places(facts["without_label"]["places"])
        page.line(f"{have} no label, which means none of the classes: {places}")
    if not facts["retrained"]:
        page.line("The model has learned all of this already, so nothing was written.")
        return
    effects = {
        "added": "added",
        "relabelled": "of the sources relabelled",
        "confirmed": "of the sources confirmed",
        "withdrawn": "of the sources without a label from now on",
    }
    counts = [f"{counted(facts[name], 'document')} {effect}" for name, effect in effects.items() if facts[name]]
    if counts:
        page.line(f"By corrections: {', '.join(counts)}")
    if facts["corrections"]:
        show_classes_of_corrections(page, facts, "corrections", "correction")
    if new_classes := facts["new_classes"]:
        listed = ", ".join(f"{label_text(row['label'])} ({row['documents']:,})" for row in new_classes)
        page.line(f"New classes, with their documents: {listed}")
        for row in new_classes:
            if row["similar_class"] is not None:
                warn_of_similar_class(row["label"], row["similar_class"], "correct the label and update again")
    if lost_classes := facts["lost_classes"]:
        page.line(f"Classes that no document has any more: {', '.join(map(label_text, lost_classes))}")
    before, after = (facts["held_out"][when] for when in ("before", "after"))
    if after is not None:
        texts = [
            f"{'now' if measures is after else 'before'} {measures_text(measures, multilabel=facts['multilabel'])}"
            for measures in (before, after)
            if measures is not None
        ]
        which = "held-out documents" if before is None else "different held-out documents, so not comparable"
        page.line(f"On {which}: {'; '.join(texts)}")
    if problem := facts["retraining_problem"]:
        page.line(f"The new model can't be trained again by textsieve update: {problem}.")
    show_written(page, facts)
