"""A selector or a classifier with its options, in one word: `ig`, `ig(pooling=max)`, `tofa(weight=0.5)`, `svm(C=10)`.

Options stand in parentheses after the name, with commas between; a value is JSON, or else text. So a variant is a row
like any other, and its name says all about it: options are sorted, so that one variant has one name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..errors import InputError, shown

_OPENING, _CLOSING = "([{", ")]}"


@dataclass(frozen=True)
class Variant:
    """What is compared, by the name that rows have it under."""

    name: str
    setting: Any
    """A name, an estimator, or None for no selector."""
    options: Mapping[str, Any] = field(default_factory=dict)


def split_list(text: str) -> list[str]:
    """Cut at the commas that stand in no parentheses."""
    parts, depth = [""], 0
    for character in text:
        depth += (character in _OPENING) - (character in _CLOSING)
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts]


def variants_of(kind: str, given: Any, possible: Collection[str]) -> tuple[Variant, ...]:
    """The variants that a setting stands for: text with commas, an estimator, or several of both; each once."""
    if isinstance(given, str):
        given = split_list(given)
    elif not isinstance(given, Iterable):
        given = [given]
    found = {variant.name: variant for variant in (_variant(kind, each, possible) for each in given)}
    if not found:
        raise InputError(f"{kind}s: none are given; name one or more of {', '.join(possible)}.")
    return tuple(found.values())


def _variant(kind: str, given: Any, possible: Collection[str]) -> Variant:
    if given is None and kind == "selector":
        given = "all"
    if not isinstance(given, str):
        return Variant(" ".join(repr(given).split()), given)
    words = re.fullmatch(r"([\w-]+)\s*(?:\((.*)\))?", given.strip(), re.DOTALL)
    if words is None or words[1] not in possible:
        raise InputError(
            f"{kind}s: there is no {kind} {shown(given)}; use {', '.join(possible)}, with options such as "
            "name(option=value)."
        )
    options = dict(sorted(_option(given, each) for each in split_list(words[2] or "") if each))
    return Variant(_written(words[1], options), words[1], options)


def _option(variant: str, text: str) -> tuple[str, Any]:
    name, equals, value = (part.strip() for part in text.partition("="))
    if not (name.isidentifier() and equals and value):
        raise InputError(
            f"{variant}: {shown(text)} is no option; write name(option=value, ...), as in ig(pooling=max)."
        )
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def _written(name: str, options: Mapping[str, Any]) -> str:
    if not options:
        return name
    written = (
        f"{option}={value if isinstance(value, str) else json.dumps(value)}" for option, value in options.items()
    )
    return f"{name}({','.join(written)})"
