"""Whether one command of `train` can read both the documents of a model and those of an update, and with which options.

`train` reads all paths with the same options, but for names of columns, which others than the first need not have. What
it was told stays with the model. If an update is told something else, a command with the options of either would read
the other wrongly, and nobody might notice: labels that are not split are classes too.
"""

from __future__ import annotations

import os
import shlex
from codecs import lookup
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..corpus.named import is_name
from ..prediction import Model
from .opening import COLUMNS, READING, STDIO, told_to
from .wording import option

USUAL_ENCODING = "utf-8"


class Rereading(NamedTuple):
    """Options that read a model's documents, files that these read too, and why others are not among them."""

    options: list[str]
    files: list[str]
    unsaid: list[str]


def rereading(model: Model, files: Sequence[str], given: Mapping[str, Any]) -> Rereading:
    """How the documents of a model are read again, and files after them that were read with the options given."""
    told = told_to(model)
    if "reading" not in model.about:  # it is not known what train was told, so it was what is told now
        told |= {part: given[part] for part in READING if part not in COLUMNS and given.get(part) is not None}
    options = [word for part in READING if part in told for word in (option(part), str(told[part]))]
    there = [file for file in files if file != STDIO and (os.path.exists(file) or is_name(file))]
    unsaid = [_why_not(file) for file in dict.fromkeys(files) if file not in there]
    differing = [part for part in READING if not _reads_both(part, told.get(part), given.get(part))]
    read = ["standard input" if file == STDIO else file for file in files if file in (STDIO, *there)]
    if read and differing:
        unsaid.append(
            f"{', '.join(read)}: read with {_as_words(differing, given)}, and the model's documents with "
            f"{_as_words(differing, told)}. No command reads both; write these documents as those are, and name their "
            "file after them"
        )
    if "reading" not in model.about and model.labels != "one" and "label_separator" not in told:
        unsaid.append("the model does not say how its labels were written; if several in one, add --label-separator")
    return Rereading(options, [] if differing else there, unsaid)


def _why_not(file: str) -> str:
    if file == STDIO:
        return "standard input can't be read again; save it to a file, and name that after the documents"
    return f"there is no file or folder {file}, so it is left out"


def _reads_both(part: str, told: Any, given: Any) -> bool:
    """Whether an option of train, or none, reads files for which another one was given, or none."""
    if part in COLUMNS:
        return bool(given == told or (given is None and isinstance(told, str)))
    if part == "encoding":
        return _encoding(told) == _encoding(given)
    return bool(given == told or (given is None and part == "label_separator"))


def _encoding(name: str | None) -> str | None:
    """Latin-1 has several names."""
    try:
        return lookup(name or USUAL_ENCODING).name
    except LookupError:
        return name


def _as_words(parts: Sequence[str], told: Mapping[str, Any]) -> str:
    """Options with their values, also those that were left out."""
    usual = {"encoding": USUAL_ENCODING}
    values = {part: told.get(part) if told.get(part) is not None else usual.get(part) for part in parts}
    return " ".join(
        f"no {option(part)}" if value is None else f"{option(part)} {shlex.quote(str(value))}"
        for part, value in values.items()
    )
