"""Labels: what they may be, and how a file has them."""

from collections.abc import Iterable
from typing import Literal

Label = str | int | float | bool
Labels = Literal["one", "several", "matrix"]


def as_written(label: Label) -> str:
    """A label as a file has it: labels that are read from a file are text, also where they are numbers."""
    if isinstance(label, bool):
        return str(label).lower()
    return str(int(label)) if isinstance(label, float) and label.is_integer() else str(label)


def by_writing(classes: Iterable[Label]) -> dict[str, Label]:
    """Classes by how a file has them, with white space around them or without."""
    written = {as_written(label).strip(): label for label in classes}
    return written | {as_written(label): label for label in classes}
