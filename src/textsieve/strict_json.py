"""Parse JSON from files that are not trusted: bounded in depth and number of values, without NaN and duplicate keys.

Parsed JSON can take forty times its size in memory, so its shape is checked before it is parsed.
"""

import json
import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, TypeGuard

from .errors import shown

MAX_VALUES = 400_000
"""The largest number of values (numbers, texts, lists and objects) in a text: eight for each of 50,000 classes."""

MAX_DEPTH = 40
"""The deepest nesting of lists and objects."""

_TOKENS = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|[\[{]|[\]}]|,', re.DOTALL)
"""Strings, brackets and commas. A string that is not closed extends to the end, so that nothing in it counts."""


def parse(text: str, *, what: str = "its header", max_values: int = MAX_VALUES) -> dict[str, Any]:
    """Return a parsed JSON object; raise `ValueError` for any other text, which the message calls `what`.

    An object with NaN, with the same key twice, with too many values or nested too deeply is an error, too. Infinity is
    allowed.
    """
    _check_shape(text, what=what, max_values=max_values)

    def without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        """Return the pairs of an object as a dictionary; raise `ValueError` for a key that occurs twice."""
        parsed = dict(pairs)
        if len(parsed) < len(pairs):
            ((duplicate, _),) = Counter(key for key, _ in pairs).most_common(1)
            raise ValueError(f"{what} has {shown(duplicate)} twice")
        return parsed

    def parse_constant(name: str) -> float:  # json calls it for NaN, Infinity and -Infinity
        if name == "NaN":
            raise ValueError(f"{what} has NaN, which is no number")
        return float(name)

    value = json.loads(text, object_pairs_hook=without_duplicates, parse_constant=parse_constant)
    if not isinstance(value, dict):
        raise ValueError(f"{what} is no JSON object")
    return value


def _check_shape(text: str, *, what: str, max_values: int) -> None:
    """Raise `ValueError` for JSON that is nested too deeply or has too many values."""
    # Brackets and commas are counted first, which is fast. Some may be inside strings, so there are at most so many
    # lists, objects and values.
    n_opened = text.count("[") + text.count("{")
    if n_opened <= MAX_DEPTH and n_opened + text.count(",") <= max_values:
        return
    depth = n_values = 0
    for token in _TOKENS.finditer(text):
        first_character = text[token.start()]
        if first_character in "[{":
            depth += 1
        elif first_character in "]}":
            depth -= 1
        if first_character in "[{,":  # a value comes first in a list or an object, or after a comma
            n_values += 1
        if depth > MAX_DEPTH:
            raise ValueError(f"{what} is nested more than {MAX_DEPTH} deep")
        if n_values > max_values:
            raise ValueError(f"{what} has more than {max_values:,} values")


def are_classes(labels: object) -> TypeGuard[Sequence[Any]]:
    """Return whether a parsed value is a list of classes: all text or all numbers, sorted and unique."""
    if not isinstance(labels, list | tuple):
        return False
    if not (
        all(isinstance(label, str) for label in labels)
        or all(isinstance(label, int | float) and label == label for label in labels)  # rejects NaN
    ):
        return False
    return all(label < next_label for label, next_label in pairwise(labels))
