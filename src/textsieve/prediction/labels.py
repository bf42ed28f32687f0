"""The type of a label, and how labels are written in files."""

from collections.abc import Iterable

Label = str | int | float | bool


def as_written(label: Label) -> str:
    """Return a label as written in a file, where all labels are text, including numbers."""
    if isinstance(label, bool):
        return str(label).lower()
    return str(int(label)) if isinstance(label, float) and label.is_integer() else str(label)


def by_writing(classes: Iterable[Label]) -> dict[str, Label]:
    """Return the classes by their text in a file, both as written and without surrounding white space."""
    written = {as_written(label).strip(): label for label in classes}
    return written | {as_written(label): label for label in classes}
