"""A selector or a classifier with its options, in one word: `ig`, `ig(pooling=max)`, `tofa(weight=0.5)`, `svm(C=10)`.

Options stand in parentheses after the name, with commas between; a value is JSON, or else text. So a variant is a row
like any other, and its name says all about it: options are sorted, so that one variant has one name.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..errors import InputError, shown
from .naming import described, name_of

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
    found: dict[str, Variant] = {}
    for variant in (_variant(kind, each, possible) for each in given):
        _refuse_another(kind, found.setdefault(variant.name, variant), variant)
    if not found:
        raise InputError(f"{kind}s: none are given; name one or more of {', '.join(possible)}.")
    return tuple(found.values())


def _refuse_another(kind: str, one: Variant, other: Variant) -> None:
    if described(one.setting) != described(other.setting):
        raise InputError(
            f"{kind}s: there are two that are called {one.name}, and are not the same; give them a __repr__ that tells "
            "them apart."
        )


def _variant(kind: str, given: Any, possible: Collection[str]) -> Variant:
    if given is None and kind == "selector":
        given = "all"
    if not isinstance(given, str):
        return Variant(name_of(kind, given), given)
    name, opened, inside = given.strip().partition("(")
    if name.strip() not in possible:
        raise InputError(
            f"{kind}s: there is no {kind} {shown(given)}; use {', '.join(possible)}, with options such as "
            "name(option=value)."
        )
    options = _options(f"{kind}s: {given.strip()}", inside) if opened else {}
    return Variant(_written(name.strip(), options), name.strip(), options)


def _options(variant: str, inside: str) -> dict[str, Any]:
    """The options in parentheses, by name."""
    if _depth_falls_before_the_end(inside):
        raise InputError(f"{variant}: its parentheses do not match; write name(option=value, ...).")
    found: dict[str, Any] = {}
    content = inside[:-1].strip()
    for text in split_list(content) if content else ():
        name, value = _option(variant, text)
        if name in found:
            raise InputError(f"{variant}: {name} is there twice; leave out one.")
        found[name] = value
    return dict(sorted(found.items()))


def _depth_falls_before_the_end(inside: str) -> bool:
    """Whether what follows the first parenthesis does not end with the one that belongs to it."""
    depth = 1
    for place, character in enumerate(inside):
        depth += (character in _OPENING) - (character in _CLOSING)
        if depth == 0:
            return place != len(inside) - 1
    return True


def _option(variant: str, text: str) -> tuple[str, Any]:
    name, equals, value = (part.strip() for part in text.partition("="))
    if not (name.isidentifier() and equals and value):
        raise InputError(
            f"{variant}: {shown(text)} is no option; write name(option=value, ...), as in ig(pooling=max)."
        )
    return name, _value(value)


def _value(text: str) -> Any:
    """JSON, or else the text itself."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _written(name: str, options: Mapping[str, Any]) -> str:
    if not options:
        return name
    return f"{name}({','.join(f'{option}={_as_text(value)}' for option, value in options.items())})"


def _as_text(value: Any) -> str:
    """As it would be written: text that could be taken for something else stands in quotes."""
    return value if isinstance(value, str) and _value(value) is value else json.dumps(value)
