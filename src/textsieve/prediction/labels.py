"""The type of a label, and labels as text in files."""

from collections.abc import Iterable

Label = str | int | float | bool


def as_written(label: Label) -> str:
    """Return a label as text in a file: `true` for True, and `1` for the numbers 1 and 1.0."""
    if isinstance(label, bool):
        return str(label).lower()
    return str(int(label)) if isinstance(label, float) and label.is_integer() else str(label)


def classes_by_text(classes: Iterable[Label]) -> dict[str, Label]:
    """Return the classes by their text in a file, both with and without surrounding white space.

    If the text of one class is the stripped text of another, it stands for the former.
    """
    by_stripped_text = {as_written(label).strip(): label for label in classes}
    return by_stripped_text | {as_written(label): label for label in classes}
