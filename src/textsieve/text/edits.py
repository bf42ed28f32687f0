"""Changes to a text as a list of edits, so that whoever wants to know where something came from can look it up."""

from collections.abc import Iterable

Edit = tuple[int, int, str]
"""Where it begins and ends in the text, and what takes its place. Edits are in order and do not overlap."""


def edited(text: str, edits: Iterable[Edit]) -> str:
    """The text after the edits."""
    pieces: list[str] = []
    at = 0
    for begin, end, instead in edits:
        pieces += (text[at:begin], instead)
        at = end
    return "".join([*pieces, text[at:]]) if pieces else text
