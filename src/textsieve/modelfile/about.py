"""Checks of a model's `about`: when and from what it was trained, and its scores on held-out documents.

It isn't needed for predicting, but people and programs read it, so known keys must have the expected values. Unknown
keys may have any value: later releases can add keys, and their files still load.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import isfinite
from typing import Any

from ..errors import shown
from ..settings import is_whole

Check = Callable[[Any], bool]


def is_text(value: object) -> bool:
    """Return whether a value is a text that can be encoded; JSON can contain lone surrogates, which can't."""
    if not isinstance(value, str):
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def faults(about: Mapping[str, Any]) -> Iterator[str]:
    """Yield a description of each known key with an invalid value."""
    for name, holds in _ABOUT.items():
        if name in about and not holds(about[name]):
            yield f"{name} is {shown(about[name])}"


def _is_number(value: object) -> bool:
    return (isinstance(value, float) and isfinite(value)) or (is_whole(value) and abs(value) < 1 << 63)


def _is_count(value: object) -> bool:
    return is_whole(value) and 0 <= value < 1 << 63


def _is_digest(value: object) -> bool:
    return isinstance(value, str) and len(value) == 64 and set(value) <= set("0123456789abcdef")


def _is_label(value: object) -> bool:
    return is_text(value) or isinstance(value, bool | int | float)


def _are_versions(value: object) -> bool:
    return isinstance(value, dict) and all(is_text(name) and is_text(version) for name, version in value.items())


def _has(needed: Mapping[str, Check], optional: Mapping[str, Check]) -> Check:
    """Return a check that an object has all needed keys, and that known keys have valid values."""

    def holds(value: object) -> bool:
        return (
            isinstance(value, dict)
            and all(name in value and check(value[name]) for name, check in needed.items())
            and all(name not in value or check(value[name]) for name, check in optional.items())
        )

    return holds


def _list_of(holds: Check) -> Check:
    return lambda value: isinstance(value, list) and all(map(holds, value))


def _or_none(holds: Check) -> Check:
    return lambda value: value is None or holds(value)


def _is_point(value: object) -> bool:
    """Return whether a value is a point of a curve: a number of terms, a score, and its standard error."""
    return isinstance(value, list) and len(value) == 3 and _is_count(value[0]) and all(map(_is_number, value[1:]))


_CLASS_ROW = _has(
    {
        "label": _is_label,
        **dict.fromkeys(("precision", "recall", "f1"), _is_number),
        **dict.fromkeys(("documents", "predicted"), _is_count),
    },
    {},
)
_HELD_OUT = _has(
    {
        "documents": _is_count,
        **dict.fromkeys(("share", "accuracy", "micro_f1", "macro_f1"), _is_number),
        "classes": _list_of(_CLASS_ROW),
    },
    dict.fromkeys(("unlabelled", "without_known_terms", "untested_classes"), _is_count),
)
_ABOUT: dict[str, Check] = {
    "trained": is_text,
    "versions": _are_versions,
    **dict.fromkeys(("n_documents", "n_unlabelled", "n_terms_seen"), _is_count),
    "n_tuned_on": _or_none(_is_count),
    "held_out": _or_none(_HELD_OUT),
    "curve": _or_none(_list_of(_is_point)),
    "updated": _has({"documents": _is_count, "times": _is_count, "last": is_text}, {"since_cut": _is_count}),
    "stats": _is_digest,  # of the statistics file next to the model
    "testors": _has(dict.fromkeys(("epsilon", "delta"), _is_number), {}),
}
