"""Find the options with which one `train` command reads both a model's documents and those of an update.

`train` reads all paths with the same options, except for column names, which only the first path must have. The model
stores the options for reading that `train` got. If an update gets different ones, a command with the options of either
would read the other's documents wrongly, possibly without an error: labels that are not split are valid classes too.
"""

from __future__ import annotations

import os
import shlex
from codecs import lookup
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..corpus.named_corpora import is_name
from ..prediction import Model
from .opening import COLUMNS, READING, STDIO, told_to

USUAL_ENCODING = "utf-8"


class Rereading(NamedTuple):
    """Options that read a model's documents, the files that they also read, and why other files are left out."""

    options: list[str]
    files: list[str]
    unsaid: list[str]


def rereading(model: Model, files: Sequence[str], given: Mapping[str, Any]) -> Rereading:
    """Return how to read a model's documents again together with `files`, which were read with the options `given`."""
    saved = told_to(model)
    if "reading" not in model.about:  # an older model: assume that train got the same options
        saved |= {part: given[part] for part in READING if part not in COLUMNS and given.get(part) is not None}
    options = [word for part in READING if part in saved for word in (_option(part), str(saved[part]))]
    existing = [file for file in files if file != STDIO and (os.path.exists(file) or is_name(file))]
    unsaid = [_why_not(file) for file in dict.fromkeys(files) if file not in existing]
    differing = [part for part in READING if not _reads_both(part, saved.get(part), given.get(part))]
    names = ["standard input" if file == STDIO else file for file in files if file in (STDIO, *existing)]
    if names and differing:
        unsaid.append(
            f"{', '.join(names)}: read with {_as_words(differing, given)}, and the model's documents with "
            f"{_as_words(differing, saved)}. No command reads both; write these documents as those are, and name their "
            "file after them"
        )
    if "reading" not in model.about and model.multilabel and "label_separator" not in saved:
        unsaid.append("the model does not say how its labels were written; if several in one, add --label-separator")
    return Rereading(options, [] if differing else existing, unsaid)


def _option(part: str) -> str:
    """Return the option of `train` for a part of reading: --label-separator for label_separator."""
    return f"--{part.replace('_', '-')}"


def _why_not(file: str) -> str:
    if file == STDIO:
        return "standard input can't be read again; save it to a file, and name that after the documents"
    return f"there is no file or folder {file}, so it is left out"


def _reads_both(part: str, saved: Any, given: Any) -> bool:
    """Return whether the value of an option that `train` got also reads files that were read with another value.

    Either value may be None: the option was not given.
    """
    if part in COLUMNS:
        return bool(given == saved or (given is None and isinstance(saved, str)))
    if part == "encoding":
        return _encoding(saved) == _encoding(given)
    return bool(given == saved or (given is None and part == "label_separator"))


def _encoding(name: str | None) -> str | None:
    """Return Python's canonical name of an encoding; Latin-1, for example, has several names."""
    try:
        return lookup(name or USUAL_ENCODING).name
    except LookupError:
        return name


def _as_words(parts: Sequence[str], given: Mapping[str, Any]) -> str:
    """Return options with their values; options that were not given are listed as "no --option"."""
    defaults = {"encoding": USUAL_ENCODING}
    values = {part: given.get(part) if given.get(part) is not None else defaults.get(part) for part in parts}
    return " ".join(
        f"no {_option(part)}" if value is None else f"{_option(part)} {shlex.quote(str(value))}"
        for part, value in values.items()
    )
