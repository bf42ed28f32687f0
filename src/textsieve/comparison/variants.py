"""Selectors and classifiers with options, as one name: `ig`, `ig(pooling=max)`, `tofa(weight=0.5)`, `svm(C=10)`.

Options are in parentheses after the name, separated by commas; a value is JSON, otherwise text. Options are sorted, so
each variant has one name, and the name identifies its rows.

An estimator given as an object is named by what it prints. Rows are found by name in later runs too, so the name must
identify the estimator. scikit-learn prints at most 30 elements and 700 characters; longer ones are distinguished by a
digest of all parameters. An object that prints as its address in memory would have another name in each run; it is
accepted only if its parameters identify it.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..errors import InputError, shown

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_SHORTENED = "..."


def name_of(kind: str, given: Any) -> str:
    """Return the name that identifies rows of an estimator."""
    printed = " ".join(repr(given).split())
    if not (_ADDRESS.search(printed) or _SHORTENED in printed):
        return printed
    full = described(given)
    if _ADDRESS.search(full) or "<lambda>" in full or "<locals>" in full:
        raise InputError(
            f"{kind}s: {printed} is called otherwise in each run, and rows are found by their names; give it, and "
            "what it holds, a __repr__ that says what it is, and functions a name."
        )
    return f"{_ADDRESS.sub('', printed)} #{hashlib.sha256(full.encode()).hexdigest()[:8]}"


def described(value: Any) -> str:
    """Return the full description of a value, however long."""
    if hasattr(value, "get_params") and not isinstance(value, type):
        return f"{_full_name(type(value))}{described(value.get_params(deep=False))}"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{described(key)}: {described(item)}' for key, item in value.items())}}}"
    if isinstance(value, list | tuple):
        return f"{type(value).__name__}[{', '.join(map(described, value))}]"
    if isinstance(value, set | frozenset):
        return f"{type(value).__name__}[{', '.join(sorted(map(described, value)))}]"
    if isinstance(value, np.ndarray):
        return f"array{value.dtype}{value.shape}{described(value.tolist())}"
    return _full_name(value) if callable(value) and hasattr(value, "__qualname__") else repr(value)


def _full_name(made: Any) -> str:
    return f"{made.__module__}.{made.__qualname__}"


_OPENING, _CLOSING = "([{", ")]}"


@dataclass(frozen=True)
class Variant:
    """A selector or classifier with options, and the name that identifies its rows."""

    name: str
    setting: Any
    """A name, an estimator, or None for no selector."""
    options: Mapping[str, Any] = field(default_factory=dict)


def split_list(text: str) -> list[str]:
    """Split at the commas that are outside parentheses."""
    parts, depth = [""], 0
    for character in text:
        depth += (character in _OPENING) - (character in _CLOSING)
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts]


def variants_of(kind: str, given: Any, possible: Collection[str]) -> tuple[Variant, ...]:
    """Return the distinct variants in a setting: text with commas, an estimator, or an iterable of both."""
    if isinstance(given, str):
        given = split_list(given)
    elif not isinstance(given, Iterable):
        given = [given]
    variants: dict[str, Variant] = {}
    for variant in (_variant(kind, item, possible) for item in given):
        _refuse_another(kind, variants.setdefault(variant.name, variant), variant)
    if not variants:
        raise InputError(f"{kind}s: none are given; name one or more of {', '.join(possible)}.")
    return tuple(variants.values())


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
    """Return the options in parentheses, by name."""
    if _depth_falls_before_the_end(inside):
        raise InputError(f"{variant}: its parentheses do not match; write name(option=value, ...).")
    options: dict[str, Any] = {}
    content = inside[:-1].strip()
    for text in split_list(content) if content else ():
        name, value = _option(variant, text)
        if name in options:
            raise InputError(f"{variant}: {name} is there twice; leave out one.")
        options[name] = value
    return dict(sorted(options.items()))


def _depth_falls_before_the_end(inside: str) -> bool:
    """Return whether the text after the first parenthesis does not end with its closing parenthesis."""
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
    """Parse a value as JSON; return other text unchanged."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _written(name: str, options: Mapping[str, Any]) -> str:
    if not options:
        return name
    return f"{name}({','.join(f'{option}={_as_text(value)}' for option, value in options.items())})"


def _as_text(value: Any) -> str:
    """Return a value as it would be written; text that would be parsed as something else is quoted."""
    return value if isinstance(value, str) and _value(value) is value else json.dumps(value)
