"""Style a text for a terminal: highlight the terms that speak for a class, and those that speak against it."""

from collections.abc import Iterable, Mapping
from itertools import groupby

from rich.text import Text

from ..prediction import Span
from .messages import printable

FOR, AGAINST = "bold green", "underline red"
LONGEST = 4000
"""The maximum number of characters that are shown; nobody wants to read a longer text in a terminal."""


def marked(text: str, spans: Iterable[Span], contributions: Mapping[str, float]) -> Text:
    """Return the styled text. Where terms overlap, a character has the style of the term with the largest
    contribution.
    """
    strengths = [0.0] * min(len(text), LONGEST)
    for start, end, term in spans:
        for position in range(start, min(end, len(strengths))):
            strengths[position] = max(strengths[position], contributions[term], key=abs)
    styled = Text()
    for style, positions in groupby(range(len(strengths)), key=lambda position: _style(strengths[position])):
        characters = [text[position] for position in positions]
        styled.append("".join("\n" if character == "\n" else printable(character) for character in characters), style)
    return styled.append("…") if len(text) > LONGEST else styled


def _style(contribution: float) -> str:
    return FOR if contribution > 0 else AGAINST if contribution < 0 else ""
