"""Building blocks of HTML for notebooks and pages: colours, elements, a card, facts, tables, bars and marked texts.

The look is that of the report and of the service's page. `assets/notebook.css` has the style of these blocks; all its
rules apply to elements inside `.textsieve` alone. An object assembles its HTML in `_repr_html_` from these blocks, so
this module imports no other part of textsieve.

Text is escaped when it becomes part of an element. Only `Html`, which the functions here return, is inserted as it is.
So a document with `<script>` in it is harmless, and the callers need not escape it.

Notebooks insert the HTML into their page without running its scripts, so everything works with HTML and CSS alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from html import escape as escape_text
from importlib.resources import files
from typing import NamedTuple

MAX_ROWS = 200
"""The default of the largest number of rows of a table; a note below it says how many more there are."""
SCROLLING_ROWS = 12
"""A table with more rows scrolls in its own box."""
MAX_CHARACTERS = 20_000
"""The maximum number of characters of a marked text that are shown."""
MAX_TOOLTIP_TERMS = 8
"""The maximum number of terms that the tooltip of a mark lists."""

# -- colours -----------------------------------------------------------------------------------------------------

# CSS uses the colours as custom properties, such as `var(--ink)`. Those that are three numbers are used with an
# opacity: `rgb(var(--heat) / 0.5)`. Tests check that the contrast is enough for small letters in both modes.

COLOURS: dict[str, tuple[str, str]] = {
    "ground": ("#f6f7f8", "#0e1216"),
    "paper": ("#ffffff", "#161b21"),
    "ink": ("#1b1f24", "#e6eaef"),
    "muted": ("#555e68", "#a3adb8"),
    "line": ("#d6dce2", "#313a44"),
    "edge": ("#7d8893", "#77838f"),
    "soft": ("#eef1f4", "#1e252c"),
    "accent": ("#0b5cad", "#7cb8ff"),
    "heat": ("6 57 112", "150 205 255"),
    "heat-ink": ("#000000", "#ffffff"),
    "best": ("#e3f0fd", "#1b324a"),
    "warn": ("#fff4d6", "#332a10"),
    "warn-line": ("#d9a400", "#b98f1a"),
    "for": ("0 110 190", "70 160 235"),
    "against": ("222 106 0", "235 125 30"),
    "most": ("0.5", "0.45"),
    "shadow": ("20 30 40", "150 170 190"),
}
"""The value of each colour in light and in dark mode; "most" is the opacity of the strongest mark in a text."""

LIGHT, DARK = 0, 1
"""The modes, as positions in the pairs of `COLOURS`."""

NOTEBOOK_THEMES = {
    LIGHT: ('[data-jp-theme-light="true"]', ".vscode-light", 'html[theme="light"]'),
    DARK: ('[data-jp-theme-light="false"]', ".vscode-dark", 'html[theme="dark"]'),
}
"""Selectors of CSS that match in JupyterLab, Visual Studio Code and Colab if the notebook has a light or dark theme."""


def colour_css(selector: str, *, has_notebook_themes: bool = False) -> str:
    """Return CSS that defines the colours for elements that match a selector.

    The mode is dark if the reader's system is in dark mode, but print is always light. With `has_notebook_themes`, the
    theme of the notebook decides instead, where it has one; it may differ from that of the system.
    """
    rules = [
        f"{selector}{{{_declarations(LIGHT)}}}",
        f"@media screen and (prefers-color-scheme: dark){{{selector}{{{_declarations(DARK)}}}}}",
    ]
    if has_notebook_themes:
        for mode, themes in NOTEBOOK_THEMES.items():
            selectors = ",".join(f"{theme} {selector}" for theme in themes)
            rules.append(f"@media screen{{{selectors}{{{_declarations(mode)}}}}}")
    return "".join(rules)


def _declarations(mode: int) -> str:
    """Return the CSS that sets the colours of a mode, `LIGHT` or `DARK`: `color-scheme:light;--ink:#1b1f24;...`."""
    scheme = ("light", "dark")[mode]
    return f"color-scheme:{scheme};" + ";".join(f"--{name}:{values[mode]}" for name, values in COLOURS.items())


# -- elements and pages ------------------------------------------------------------------------------------------

_PAGE_STYLE = """
body { margin: 0 auto; padding: 1.2rem clamp(0.6rem, 3vw, 2rem) 3rem; max-width: 74rem; }
@media screen and (prefers-color-scheme: dark) { body { background: #0e1216; } }
.textsieve .card + .card { margin-top: 1rem; }
.textsieve { max-width: none; }
"""
"""The style that `page_html` adds to that of notebooks."""


class Html(str):
    """Markup: text that is already HTML, so that neither `escape` nor Jinja2 escapes it again."""

    __slots__ = ()

    def __html__(self) -> str:
        """Return the markup, as templates expect it."""
        return self


class Column(NamedTuple):
    """The title of a column, and whether it has numbers, which are aligned at the right."""

    title: str
    is_number: bool = False


def escape(content: object) -> Html:
    """Return `Html` unchanged, and any other object as escaped text; lone surrogates are replaced."""
    if isinstance(content, Html):
        return content
    text = str(content).encode("utf-8", "replace").decode()  # HTML is written as UTF-8, which has no lone surrogates
    return Html(escape_text(text))


def element(tag: str, *content: object, **attributes: object) -> Html:
    """Return an element with escaped content and attributes.

    Names of attributes are written as in Python: `class_="best"` becomes `class="best"`, and `aria_label="x"` becomes
    `aria-label="x"`. An attribute whose value is None is left out.
    """
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(value)}"'
        for name, value in attributes.items()
        if value is not None
    )
    return Html(f"<{tag}{written}>{''.join(map(escape, content))}</{tag}>")


def notebook_html(*content: object) -> str:
    """Return content together with its style sheet, as `_repr_html_` of an object returns it to a notebook."""
    return Html(f"<style>{_style()}</style>") + element("div", *content, class_="textsieve")


def page_html(title: str, *content: object) -> str:
    """Return a page with the content, as one file: it has no scripts, and the browser loads nothing for it."""
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    head = [
        Html('<meta charset="utf-8">'),
        Html(f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">'),
        Html('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        Html('<meta name="color-scheme" content="light dark">'),
        element("title", title),
        element("style", Html(_PAGE_STYLE)),
    ]
    body = element("body", element("main", Html(notebook_html(*content))))
    return f"<!DOCTYPE html>\n{element('html', element('head', *head), body, lang='en')}\n"


@cache
def _style() -> str:
    """Return the style sheet of notebooks, with the colours that it uses."""
    style = (files(__package__) / "assets" / "notebook.css").read_text(encoding="utf-8")
    return colour_css(".textsieve", has_notebook_themes=True) + style


def card(title: object, *content: object, subtitle: object = "") -> Html:
    """Return a framed block with a title, a muted line below it, and content."""
    lines = [element("div", title, class_="title")]
    if subtitle:
        lines.append(element("div", subtitle, class_="subtitle"))
    return element("div", *lines, *content, class_="card")


def facts(values: Iterable[tuple[object, object]]) -> Html:
    """Return pairs of a name and a value side by side, each value large, with its name below it.

    Pairs whose value is "" or None are left out.
    """
    items = [
        element("div", element("dd", value), element("dt", name)) for name, value in values if value not in ("", None)
    ]
    return element("dl", *items, class_="facts")


def note(text: object, *, is_warning: bool = False) -> Html:
    """Return a sentence in a muted colour, or with `is_warning`, in a coloured box."""
    return element("p", text, class_="warning" if is_warning else "note")


def table(
    columns: Sequence[Column | str],
    rows: Sequence[Sequence[object]],
    *,
    title: object = "",
    best_row: int | None = None,
    max_rows: int = MAX_ROWS,
) -> Html:
    """Return a table; with more than `SCROLLING_ROWS` rows, it scrolls in a box, and a shadow shows that it continues.

    The row at the position `best_row` is highlighted. Only the first `max_rows` rows are shown, and a note says how
    many are left out.
    """
    all_columns = [Column(column) if isinstance(column, str) else column for column in columns]
    kinds = ["number" if column.is_number else None for column in all_columns]
    head = element(
        "tr",
        *(
            element("th", column.title, class_=kind, scope="col")
            for column, kind in zip(all_columns, kinds, strict=True)
        ),
    )
    body = [
        element(
            "tr",
            *(element("td", cell, class_=kind) for cell, kind in zip(row, kinds, strict=True)),
            class_="best" if position == best_row else None,
        )
        for position, row in enumerate(rows[:max_rows])
    ]
    is_long = len(rows) > SCROLLING_ROWS
    whole = element("table", element("thead", head), element("tbody", *body))
    caption = [element("div", f"{title} ({len(rows):,})" if is_long else title, class_="caption")] if title else []
    # With a tabindex, the box can be scrolled by keyboard.
    box = element("div", whole, class_="scroll long" if is_long else "scroll", tabindex="0" if is_long else None)
    n_more = [note(f"and {len(rows) - max_rows:,} more")] if len(rows) > max_rows else []
    return element("div", *caption, box, *n_more)


def bar(share: float) -> Html:
    """Return a horizontal bar that is filled up to a share from 0 to 1."""
    return element("span", element("span"), class_="bar", style=f"--share:{_clip(share):.4f}")


def signed_bar(strength: float) -> Html:
    """Return a bar that grows from the middle: to the right for strengths up to 1, to the left down to -1."""
    kind = "for" if strength >= 0 else "against"
    return element("span", element("span"), class_=f"split {kind}", style=f"--share:{_clip(abs(strength)):.4f}")


def interval(low: float, value: float, high: float) -> Html:
    """Return a line from `low` to `high` with a dot at `value`, as shares of the cell's width from 0 to 1."""
    style = f"--low:{_clip(low):.4f};--at:{_clip(value):.4f};--high:{_clip(high):.4f}"
    return element("span", element("span"), element("i"), class_="interval", style=style)


def _clip(share: float) -> float:
    """Return the nearest number from 0 to 1, and 0 for NaN."""
    is_nan = share != share
    return 0.0 if is_nan else min(max(share, 0.0), 1.0)


# -- marked texts ------------------------------------------------------------------------------------------------


# Terms can overlap: an n-gram covers its words, and n-grams of characters cover each other. So the text is cut wherever
# the set of covering terms changes, and each piece is coloured by the sum of what its terms contribute. A term that
# covers a piece twice counts once, because its contribution is that of all its occurrences together. The service's page
# marks texts by the same rule (`serve/assets/spans.js`).


class TermSpan(NamedTuple):
    """A term in a text, from the character at `start` up to the one before `end`."""

    start: int
    end: int
    term: str


class Piece(NamedTuple):
    """A part of a text that is covered by the same terms; by none, if `terms` is empty."""

    text: str
    terms: tuple[str, ...]


def pieces_of(text: str, spans: Iterable[TermSpan]) -> Iterator[Piece]:
    """Yield the pieces of a text, in order; joined together, they are the text.

    "new york city" with the spans of "new york" (0 to 8) and "york" (4 to 8) has three pieces: "new " is covered by
    "new york", "york" by both, and " city" by none.
    """
    starting: dict[int, list[str]] = {}  # by position, the terms whose spans start there
    ending: dict[int, list[str]] = {}
    for start, end, term in spans:
        end = min(end, len(text))
        if 0 <= start < end:
            starting.setdefault(start, []).append(term)
            ending.setdefault(end, []).append(term)
    n_spans: Counter[str] = Counter()  # for each term, how many of its spans cover the current position
    piece_start, piece_terms = 0, tuple(sorted(set(starting.get(0, ()))))
    for position in sorted({0, *starting, *ending}):
        n_spans.subtract(ending.get(position, ()))
        n_spans.update(starting.get(position, ()))
        n_spans = +n_spans  # drops the terms whose number is 0
        terms = tuple(sorted(n_spans))
        if terms != piece_terms:
            yield Piece(text[piece_start:position], piece_terms)
            piece_start, piece_terms = position, terms
    if piece_start < len(text):
        yield Piece(text[piece_start:], piece_terms)


def marked_text(text: str, spans: Sequence[TermSpan], contributions: Mapping[str, float]) -> Html:
    """Return a text, cut after `MAX_CHARACTERS`, in which the spans of terms are coloured by their contributions.

    A term without a contribution is not marked.
    """
    shown = text[:MAX_CHARACTERS]
    pieces = [
        (piece, tuple(term for term in piece.terms if term in contributions)) for piece in pieces_of(shown, spans)
    ]
    totals = [sum(contributions[term] for term in terms) for _, terms in pieces]
    # The strength of a colour is relative to the largest contribution. If all are 0, 1 avoids a division by 0.
    largest = max(map(abs, (*totals, *contributions.values())), default=0.0) or 1.0
    content = [
        _mark(piece.text, terms, contributions, total, largest) if terms else piece.text
        for (piece, terms), total in zip(pieces, totals, strict=True)
    ]
    box = element("div", *content, class_="marked")
    n_more = len(text) - len(shown)
    return element("div", box, *([note(f"and {n_more:,} more characters")] if n_more else []))


def _mark(text: str, terms: Sequence[str], contributions: Mapping[str, float], total: float, largest: float) -> Html:
    """Return a piece of text as a mark, whose tooltip lists the contributions of its terms, the strongest first.

    `total` is the sum of these contributions, and `largest` the largest absolute value in the whole text.
    """
    strongest = sorted(terms, key=lambda term: -abs(contributions[term]))
    lines = [f"{term} {contributions[term]:+.3f}" for term in strongest[:MAX_TOOLTIP_TERMS]]
    if len(strongest) > MAX_TOOLTIP_TERMS:
        lines.append(f"and {len(strongest) - MAX_TOOLTIP_TERMS:,} more")
    if len(strongest) > 1:
        lines.append(f"total {total:+.3f}")
    kind = "for" if total > 0 else "against" if total < 0 else "neither"
    return element("mark", text, class_=kind, title="\n".join(lines), style=f"--strength:{abs(total) / largest:.4f}")
