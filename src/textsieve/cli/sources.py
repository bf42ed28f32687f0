"""The sources of a model, which are the paths of its documents: record them for `train`, find them for `update`.

`modelfile.sources` describes what a model stores about a source. The limits for reading (`opening.LIMITS`) are not
stored: they say what is safe on this machine, so those of the running command apply to all sources.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..corpus.batch import CorpusDigest
from ..errors import InputError, Setting, counted
from ..modelfile.sources import CORPUS, OTHER, PATH, TrainingSource
from .messages import shell_quote
from .opening import LIMITS, READ_OPTIONS, STDIO, given_options, valid_read_options

# -- recording ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _WatchedPath:
    """A path whose documents are being read, as `SourceRecorder` records it."""

    path: str
    reading: Mapping[str, Any]
    """The options for reading that were given."""
    usual: Mapping[str, Any]
    """The defaults for options that were not given."""
    digest: CorpusDigest
    """Computes the digest of the documents while they are read."""


class SourceRecorder:
    """Records the paths that `open_chained` opens, which calls `watch` for each of them, as sources of a model."""

    def __init__(self) -> None:
        self._paths: list[_WatchedPath] = []

    def watch(self, path: str, read_options: Mapping[str, Any], usual: Mapping[str, str]) -> CorpusDigest:
        """Record a path with its options; return the `CorpusDigest` through which its batches must go."""
        digest = CorpusDigest()
        self._paths.append(_WatchedPath(path, given_options(read_options), dict(usual), digest))
        return digest

    def sources(self, model_path: str) -> list[TrainingSource]:
        """Return the sources, once their documents are read, for a model that is written to `model_path`."""
        return [
            source_at(watched.path, model_path, watched.digest, reading=watched.reading, usual=watched.usual)
            for watched in self._paths
        ]


def source_at(path: str, model_path: str, digest: CorpusDigest, **fields: Any) -> TrainingSource:
    """Return the source for a path, or for standard input, whose documents went through `digest`.

    `fields` are other fields of `TrainingSource`. Standard input can't be read again, so of these, only `corrections`
    is stored for it.
    """
    if path == STDIO:
        corrections = fields.get("corrections", False)
        return TrainingSource(OTHER, "standard input", digest.documents, corrections=corrections)
    return TrainingSource.at(path, model_path, documents=digest.documents, digest=digest.digest, **fields)


# -- finding -----------------------------------------------------------------------------------------------------


def read_options_of(source: TrainingSource, model_path: str, read_options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options for reading a source: those that the model stores, with the limits of the running command.

    Raises `InputError` for options that this version does not have.
    """
    for options in (source.reading, source.usual):
        if invalid := options.keys() - valid_read_options(options).keys():
            raise InputError(
                f"the model stores options for reading {source.location(model_path)} that this version does not have: "
                f"{', '.join(sorted(invalid))}",
                place=model_path,
                hint="Update textsieve",
            )
    stored = {option: source.reading.get(option) for option in READ_OPTIONS}
    return stored | {limit: read_options[limit] for limit in LIMITS}


def require_sources(sources: Iterable[TrainingSource], model_path: str) -> None:
    """Raise an `InputError` that lists the sources that no longer exist, if there are any."""
    paths = [source.location(model_path) for source in sources if source.kind == PATH]
    gone = [path for path in paths if not os.path.exists(os.path.expanduser(path))]
    if not gone:
        return
    what = "this source is" if len(gone) == 1 else f"{len(gone):,} sources are"
    raise InputError(
        f"{what} gone, so the model can't be trained again: {', '.join(gone)}",
        place=model_path,
        hint=(
            "Name the new place with ",
            Setting("source"),
            f" {shell_quote(gone[0])}=NEW-PATH, or leave the documents out with ",
            Setting("source"),
            f" {shell_quote(gone[0])}=",
        ),
    )


def move_sources(sources: Sequence[TrainingSource], moves: Iterable[str], model_path: str) -> list[TrainingSource]:
    """Return the sources after the moves of --source: OLD=NEW replaces the path OLD, and OLD= leaves the source out."""
    moved: list[TrainingSource | None] = list(sources)
    for move in moves:
        position, new_path = _parse_move(move, sources, model_path)
        moved[position] = None if not new_path else _at_new_path(sources[position], new_path, model_path)
    return [source for source in moved if source is not None]


def _parse_move(move: str, sources: Sequence[TrainingSource], model_path: str) -> tuple[int, str]:
    """Return the position of the source that is moved, and its new path."""
    for position, source in enumerate(sources):
        for old in (source.location(model_path), source.name):
            if move.startswith(f"{old}="):
                return position, move.removeprefix(f"{old}=")
    locations = [shell_quote(source.location(model_path)) for source in sources]
    raise InputError(
        f"this is not OLD=NEW for one of the model's {counted(len(sources), 'source')}: {', '.join(locations)}",
        setting="source",
        value=move,
    )


def _at_new_path(source: TrainingSource, path: str, model_path: str) -> TrainingSource:
    """Return a source with another path, which may also be the name of a corpus; its digest stays the old one."""
    new = TrainingSource.at(path, model_path)
    if new.kind == CORPUS:  # a corpus takes no options for reading
        return replace(source, kind=CORPUS, name=path, reading={}, usual={})
    return replace(source, kind=new.kind, name=new.name)
