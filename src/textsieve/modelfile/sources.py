"""The sources of a model: where its documents came from, so that `textsieve update` can train it again.

`textsieve train` stores them in the header under `about.sources`, a list in the order of reading:

| key | content |
|---|---|
| `kind` | "path" (a file or folder), "corpus" (a named corpus), "spark" (files that Spark has read), or "other" |
| `name` | the path or the name of the corpus; for "other", a description of documents that can't be read again |
| `documents` | the number of documents, or null if it is not known |
| `digest` | the digest of the documents (`corpus.batch.CorpusDigest`), or null if it is not known |
| `reading` | the options for reading that were given |
| `usual` | the defaults for options that were not given: see `corpus.read` |
| `corrections` | true for files of corrections, which replace the labels of documents with the same text |

No text is stored. **Relative paths** are relative to the folder of the model file. So they are found from any working
directory, and also after the folder with model and documents was moved or copied. Absolute paths, and those that begin
with `~`, are stored as they were given. Nothing opens a source but `textsieve update`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple

from ..categorizer_settings import ObjectDescription
from ..corpus.named_corpora import is_corpus_name
from ..prediction import Model

PATH, CORPUS, SPARK, OTHER = KINDS = ("path", "corpus", "spark", "other")


@dataclass(frozen=True, slots=True)
class TrainingSource:
    """Where some documents of a model came from; the fields are those of the table above."""

    kind: str
    name: str
    documents: int | None = None
    digest: str | None = None
    reading: Mapping[str, Any] = field(default_factory=dict)
    usual: Mapping[str, Any] = field(default_factory=dict)
    corrections: bool = False

    @classmethod
    def at(cls, path: str, model_path: str, **fields: Any) -> TrainingSource:
        """Return the source for a path or the name of a corpus, for a model that is written to `model_path`."""
        if is_corpus_name(path) and not os.path.exists(os.path.expanduser(path)):
            return cls(CORPUS, path, **fields)
        return cls(PATH, _relative_to_model(path, model_path), **fields)._storable()

    @classmethod
    def on_spark(cls, path: str) -> TrainingSource:
        """Return the source for a path that Spark has read; it may be a path on other machines, and stays as it is."""
        return cls(SPARK, path)._storable()

    def _storable(self) -> TrainingSource:
        """Return this source, or one without its path if the path is not UTF-8, which a model file can't store."""
        try:
            self.name.encode()
        except UnicodeEncodeError:
            return TrainingSource(OTHER, "a file whose name is not UTF-8", self.documents)
        return self

    def location(self, model_path: str) -> str:
        """Return the path, or the name of a corpus, to open from the working directory."""
        if self.kind != PATH or _is_fixed(self.name):
            return self.name
        path = os.path.normpath(os.path.join(_folder_of(model_path), self.name))
        return path if os.path.isabs(model_path) else _relative(path, os.curdir)

    def to_dict(self) -> dict[str, Any]:
        """Return the source as a JSON object, without fields that have the default value."""
        values = {"kind": self.kind, "name": self.name, "documents": self.documents, "digest": self.digest}
        optional = {"reading": dict(self.reading), "usual": dict(self.usual), "corrections": self.corrections}
        return values | {name: value for name, value in optional.items() if value}


def _is_fixed(path: str) -> bool:
    """Return whether a path is the same from any working directory: it is absolute, or begins with `~`."""
    return os.path.isabs(path) or path.startswith("~")


def _folder_of(model_path: str) -> str:
    """Return the folder of a model file, without links: all links to a model find the same sources."""
    return os.path.dirname(os.path.realpath(model_path))


def _relative_to_model(path: str, model_path: str) -> str:
    """Return a path relative to the folder of a model file if it is relative to the working directory."""
    if _is_fixed(path):
        return path
    return _with_slashes(_relative(path, _folder_of(model_path)))


def _relative(path: str, folder: str) -> str:
    """Return a path relative to a folder, or the absolute path if there is none: on Windows, on another drive."""
    try:
        return os.path.relpath(path, folder)
    except ValueError:
        return os.path.abspath(path)


def _with_slashes(path: str) -> str:
    """Return a path as it is stored, with slashes, so that a model that was trained on Windows works elsewhere."""
    return path.replace(os.sep, "/")


# -- the sources of a model --------------------------------------------------------------------------------------


def sources_of(model: Model) -> list[TrainingSource] | None:
    """Return the sources that a model stores, or None if it stores none."""
    stored = model.about.get("sources")
    if stored is None:
        return None
    names = TrainingSource.__dataclass_fields__
    return [TrainingSource(**{name: source[name] for name in names if name in source}) for source in stored]


def with_sources(model: Model, sources: Iterable[TrainingSource]) -> Model:
    """Return a model that stores these sources."""
    return replace(model, about={**model.about, "sources": [source.to_dict() for source in sources]})


def with_another_source(model: Model, source: TrainingSource) -> Model:
    """Return a model that stores one more source, or the same model if it has no sources."""
    sources = sources_of(model)
    return model if sources is None else with_sources(model, [*sources, source])


def with_corrections(model: Model, files: Sequence[TrainingSource], model_path: str) -> Model:
    """Return a model that stores files of corrections after its other sources, or the same model if it has no sources.

    A file that the model stores already is replaced, also if its path was written in another way.
    """
    sources = sources_of(model)
    if sources is None:
        return model
    paths = {os.path.realpath(file.location(model_path)) for file in files if file.kind == PATH}
    others = [
        source
        for source in sources
        if not (source.corrections and os.path.realpath(source.location(model_path)) in paths)
    ]
    return with_sources(model, [*others, *files])


def with_moved_file(model: Model, old_path: str, new_path: str) -> Model:
    """Return a model whose sources have paths relative to `new_path`, to which its file is copied from `old_path`."""
    sources = sources_of(model)
    if sources is None or _folder_of(old_path) == _folder_of(new_path):
        return model
    return with_sources(model, [_moved(source, old_path, new_path) for source in sources])


def _moved(source: TrainingSource, old_path: str, new_path: str) -> TrainingSource:
    """Return a source with its path relative to the new place of the model file."""
    if source.kind != PATH or _is_fixed(source.name):
        return source
    path = os.path.join(_folder_of(old_path), source.name)
    return replace(source, name=_with_slashes(_relative(path, _folder_of(new_path))))


# -- what an update does -----------------------------------------------------------------------------------------

ADD: Final = "add"
RETRAIN: Final = "retrain"


class UpdateMethod(NamedTuple):
    """How `textsieve update` uses corrections for a model."""

    name: str | None
    """`ADD` (to the statistics), `RETRAIN` (from the sources), or None if neither is possible."""
    problem: str = ""
    """Why neither is possible."""

    @property
    def description(self) -> str:
        """Return a sentence on what happens to corrections."""
        if self.name == ADD:
            return "The next textsieve update adds corrections to the model."
        if self.name == RETRAIN:
            return "The next textsieve update retrains the model from its sources and the corrections."
        return (
            f"textsieve update can't add corrections to this model: {self.problem}. To use them, train the model "
            "again on its documents and the corrections."
        )


def update_method(model: Model, *, has_statistics: bool) -> UpdateMethod:
    """Return how `textsieve update` uses corrections for a model, unless its options say otherwise."""
    if has_statistics:
        return UpdateMethod(ADD)
    problem = retraining_problem(model)
    return UpdateMethod(RETRAIN) if problem is None else UpdateMethod(None, problem)


def retraining_problem(model: Model) -> str | None:
    """Return why a model can't be trained again from its sources, or None if it can.

    This does not check whether the sources still exist. Stop words of a file are no problem, although a model does not
    store them, because `update --stop-words` takes that file.
    """
    for name, value in _objects_in(model.settings):
        if name != "stop_words":
            return f"its {name} was {value}, an object of your own, which a model file does not store"
    sources = sources_of(model)
    if not sources:
        return (
            "it does not know its documents, because it was trained in Python, with --no-sources or by an earlier "
            "release"
        )
    for source in sources:
        if source.kind == SPARK:
            return "it was trained with --engine spark, and update trains on this machine"
        if source.kind == OTHER:
            return f"some of its documents came from {source.name}, which can't be read again"
    return None


def _objects_in(settings: Mapping[str, Any]) -> Iterator[tuple[str, ObjectDescription]]:
    """Yield the name of each setting, or of its option, that is an object of the user, and the description of it."""
    for name, value in settings.items():
        if isinstance(value, ObjectDescription):
            yield name, value
        elif isinstance(value, Mapping):
            yield from _objects_in(value)
