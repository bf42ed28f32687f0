"""Open a model for an update, or print how to train it again if it can't be updated."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import click

if TYPE_CHECKING:
    from ..errors import InputError
    from ..modelfile.reading import ModelFile
    from ..prediction import Model
    from ..training.statistics import Statistics


class Updatable(NamedTuple):
    """A model, the statistics of its documents, and its file, by which `write` detects that it was replaced."""

    model: Model
    statistics: Statistics
    file: ModelFile


def opened_to_update(path: str, files: tuple[str, ...], reading: dict[str, Any]) -> Updatable:
    """Read a model and its statistics; if there are none, print how to train the model again and exit."""
    from ..categorizer_settings import Settings
    from ..errors import InputError
    from ..modelfile.reading import read_stored
    from ..modelfile.statistics import read_statistics
    from ..training.updating import could_be_updated
    from .arguments import expecting_a_model

    with expecting_a_model("update", path, *files):
        model, file = read_stored(path)
    _require_packages(model, path)
    settings = Settings.of_stored(model.settings)
    if not could_be_updated(settings):
        with saying_how(model, path, files, reading):
            raise InputError(
                f"{path}: the classifier {settings.classifier} learns from the documents themselves, so nothing can "
                "be folded into it. Train it again, on its documents and on these."
            )
    if not file.has_statistics:
        with saying_how(model, path, files, reading, keep_stats=True):
            how = "saved without its statistics" if settings.keep_stats else "trained without --keep-stats"
            raise InputError(
                f"{path}: was {how}, so there is nothing that documents could be added to. Train it again with "
                "--keep-stats, on its documents and on these."
            )
    with saying_how(model, path, files, reading):
        return Updatable(model, read_statistics(model, file), file)


def _require_packages(model: Model, path: str) -> None:
    """Raise `MissingPackage`, before any document is read, if a package that the model needs for counting words is
    missing.
    """
    from ..errors import MissingPackage

    try:
        model.rows([])
    except MissingPackage as problem:
        raise problem.at(path) from problem


@contextmanager
def saying_how(
    model: Model,
    path: str,
    files: tuple[str, ...],
    reading: dict[str, Any],
    *,
    only: type[InputError] | None = None,
    **changed: Any,
) -> Iterator[None]:
    """On an `InputError` (or only on errors of the class `only`), print how to train the model again, and exit."""
    from ..errors import InputError
    from .errors import FAILED
    from .messages import error_text, say
    from .retraining import say_how

    try:
        yield
    except InputError as problem:
        if not isinstance(problem, only or InputError):
            raise
        say("error", error_text(problem))
        say_how(model, path, files, reading, **changed)
        raise click.exceptions.Exit(FAILED) from problem
