"""The type of a label; labels as text in files, and as arrays."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Label = str | int | float | bool


def as_written(label: Label) -> str:
    """Return a label as text in a file: `true` for True, and `1` for the numbers 1 and 1.0."""
    if isinstance(label, bool):
        return str(label).lower()
    return str(int(label)) if isinstance(label, float) and label.is_integer() else str(label)


def classes_by_text(classes: Iterable[Label]) -> dict[str, Label]:
    """Return the classes by the texts that mean them in a file: as written, and without surrounding white space.

    If both " a" and "a" are classes, the text "a" means the class "a".
    """
    by_stripped_text = {as_written(label).strip(): label for label in classes}
    return by_stripped_text | {as_written(label): label for label in classes}


def exact_array(labels: Sequence[Label | None]) -> NDArray[Any]:
    """Return labels as an array, of a numpy type if that preserves them exactly, otherwise of objects.

    A numpy type drops a NUL at the end of a text, turns integers into floats if some of them are below 2^63 and others
    are not, and turns labels of different types into one type.
    """
    array = np.array(labels)
    is_exact = [(type(label), label) for label in array.tolist()] == [(type(label), label) for label in labels]
    return array if is_exact else np.array(labels, dtype=object)
