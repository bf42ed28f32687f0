"""A text for a terminal, with the terms in it that spoke for a class and those that spoke against it."""

from collections.abc import Iterable, Mapping
from itertools import groupby

from rich.text import Text

from ..prediction import Span
from .wording import printable

FOR, AGAINST = "bold green", "underline red"
LONGEST = 4000
"""Characters of a text that are shown; who gives a longer one does not want to read it here."""


def marked(text: str, spans: Iterable[Span], contributions: Mapping[str, float]) -> Text:
    """The text, each character in the style of the term that said most of those that it is a part of."""
    said = [0.0] * min(len(text), LONGEST)
    for start, end, term in spans:
        for at in range(start, min(end, len(said))):
            said[at] = max(said[at], contributions[term], key=abs)
    made = Text()
    for style, places in groupby(range(len(said)), key=lambda at: _style(said[at])):
        piece = [text[at] for at in places]
        made.append("".join("\n" if each == "\n" else printable(each) for each in piece), style)
    return made.append("…") if len(text) > LONGEST else made


def _style(contribution: float) -> str:
    return FOR if contribution > 0 else AGAINST if contribution < 0 else ""
