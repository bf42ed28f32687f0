"""Labels: what they may be, and how a file has them."""

from typing import Literal

Label = str | int | float | bool
Labels = Literal["one", "several", "matrix"]


def as_written(label: Label) -> str:
    """A label as a file has it: labels that are read from a file are text, also where they are numbers."""
    if isinstance(label, bool):
        return str(label).lower()
    return str(int(label)) if isinstance(label, float) and label.is_integer() else str(label)
