"""A model that documents can be folded into; of any other it is said how to train it again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from ..errors import InputError
    from ..prediction import Model
    from ..training.statistics import Statistics


def opened_to_update(path: str, files: tuple[str, ...]) -> tuple[Model, Statistics]:
    """A model and what it has learned from; if that is not there, how to train the model again."""
    from ..categorizer import Categorizer
    from ..errors import InputError
    from ..modelfile import read
    from ..modelfile.statsfile import read as read_statistics
    from ..training.updating import is_incremental

    model = read(path)
    settings = Categorizer.of_model(model).get_params(deep=False)
    if not is_incremental(settings):
        with saying_how(model, path, files):
            raise InputError(
                f"{path}: the classifier {settings['classifier']} learns from the documents themselves, so nothing can "
                "be folded into it. Train it again, on its documents and on these."
            )
    if "stats" not in model.about:
        with saying_how(model, path, files, keep_stats=True):
            how = "saved without its statistics" if settings["keep_stats"] else "trained without --keep-stats"
            raise InputError(
                f"{path}: was {how}, so there is nothing that documents could be added to. Train it again with "
                "--keep-stats, on its documents and on these."
            )
    with saying_how(model, path, files):
        return model, read_statistics(model, path)


@contextmanager
def saying_how(
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
