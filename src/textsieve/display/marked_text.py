"""A text with its terms marked: a character is coloured by the sum of what the terms that cover it contribute.

Terms can overlap: an n-gram covers its words, and n-grams of characters cover each other. So the text is cut wherever
the set of covering terms changes. A term that covers a character twice counts once, because its contribution is that of
all its occurrences together. The service's page marks texts by the same rule (`serve/assets/spans.js`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from .markup import Html, element, note

MAX_CHARACTERS = 20_000
"""The number of characters of a text that are shown."""
MAX_TOOLTIP_TERMS = 8


class TermSpan(NamedTuple):
    """Where a term is in a text."""

    start: int
    end: int
    term: str


class Piece(NamedTuple):
    """A part of a text that the same terms cover; no terms cover the text between marks."""

    text: str
    terms: tuple[str, ...]


def pieces_of(text: str, spans: Iterable[TermSpan]) -> Iterator[Piece]:
    """Yield the pieces of a text, which joined together are the text."""
    begins: dict[int, list[str]] = {}
    ends: dict[int, list[str]] = {}
    for start, end, term in spans:
        if 0 <= start < min(end, len(text)):
            begins.setdefault(start, []).append(term)
            ends.setdefault(min(end, len(text)), []).append(term)
    cuts = sorted({0, len(text), *begins, *ends})
    covering: Counter[str] = Counter()
    before: tuple[str, ...] | None = None
    piece_start = 0
    for cut in cuts:
        covering.subtract(ends.get(cut, ()))
        covering.update(begins.get(cut, ()))
        covering = +covering  # without terms that cover nothing any more
        terms = tuple(sorted(covering))
        if terms != before or cut == len(text):
            if before is not None and piece_start < cut:
                yield Piece(text[piece_start:cut], before)
            piece_start, before = cut, terms


def marked_text(text: str, spans: Sequence[TermSpan], contributions: Mapping[str, float]) -> Html:
    """Return the beginning of a text, in which the spans of terms are coloured by their contributions.

    A term without a contribution is not marked.
    """
    shown = text[:MAX_CHARACTERS]
    pieces = [
        (piece, tuple(term for term in piece.terms if term in contributions)) for piece in pieces_of(shown, spans)
    ]
    sums = [sum(contributions[term] for term in terms) for _, terms in pieces]
    largest = max(map(abs, (*sums, *contributions.values())), default=0.0) or 1.0
    content = [
        _mark(piece.text, terms, contributions, total, largest) if terms else piece.text
        for (piece, terms), total in zip(pieces, sums, strict=True)
    ]
    box = element("div", *content, class_="marked")
    n_more = len(text) - len(shown)
    return element("div", box, *([note(f"and {n_more:,} more characters")] if n_more else []))


def _mark(text: str, terms: Sequence[str], contributions: Mapping[str, float], total: float, largest: float) -> Html:
    """Return a marked piece; its tooltip has the contributions, the strongest first."""
    strongest = sorted(terms, key=lambda term: -abs(contributions[term]))
    lines = [f"{term} {contributions[term]:+.3f}" for term in strongest[:MAX_TOOLTIP_TERMS]]
    if len(strongest) > MAX_TOOLTIP_TERMS:
        lines.append(f"and {len(strongest) - MAX_TOOLTIP_TERMS:,} more")
    if len(strongest) > 1:
        lines.append(f"total {total:+.3f}")
    kind = "for" if total > 0 else "against" if total < 0 else "neither"
    return element("mark", text, class_=kind, title="\n".join(lines), style=f"--strength:{abs(total) / largest:.4f}")
