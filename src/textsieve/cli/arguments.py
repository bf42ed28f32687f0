"""Add a hint to the error if a command gets the model and the documents in the wrong order."""

import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..archive import check_start
from ..corpus.formats import by_ending
from ..errors import InputError
from ..files import open_regular
from ..modelfile.header import KIND, MAX_BYTES


@contextmanager
def expecting_a_model(verb: str, model: str, *others: str) -> Iterator[None]:
    """Add a hint to an `InputError` raised in this block if the file at `model` is not a model."""
    try:
        yield
    except InputError as problem:
        hint = _hint(verb, model, others)
        if hint is not None:
            problem.add_note(hint)
        raise


def _hint(verb: str, model: str, others: tuple[str, ...]) -> str | None:
    if not os.path.isfile(model) or _begins_as_model(model):
        return None
    model_file = next(filter(_begins_as_model, others), None)
    if model_file is not None:
        command = shlex.join(
            ["textsieve", verb, model_file, model, *(other for other in others if other != model_file)]
        )
        return f"The model comes first: {command}"
    if by_ending(Path(model)) is None:
        return None
    name = Path(model).name.partition(".")[0] or "model"
    train = shlex.join(["textsieve", "train", model, "-o", f"{name}.sieve"])
    return f"If it has documents, train a model on it first: {train}"


def _begins_as_model(path: str) -> bool:
    try:
        with open_regular(path, what=KIND.what, max_bytes=MAX_BYTES) as file:
            check_start(KIND, file.read(16), os.fstat(file.fileno()).st_size, path)
    except (OSError, InputError):
        return False
    return True
