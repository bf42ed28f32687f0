"""Building blocks of HTML for notebooks: elements, a card, facts, tables and bars.

Text is escaped when it becomes part of an element. Only `Html`, which the functions here return, is inserted as it is.
So a document with `<script>` in it is harmless, and nobody has to remember to escape it.

Notebooks insert the HTML into their page without running its scripts, so everything works with HTML and CSS alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from html import escape as escape_text
from importlib.resources import files
from typing import NamedTuple

from .theme import colour_css

MAX_ROWS = 200
"""The default of the largest number of rows of a table; a note below it says how many more there are."""
SCROLLING_ROWS = 12
"""A table with more rows scrolls in its own box."""


_PAGE_STYLE = """
body { margin: 0 auto; padding: 1.2rem clamp(0.6rem, 3vw, 2rem) 3rem; max-width: 74rem; }
@media screen and (prefers-color-scheme: dark) { body { background: #0e1216; } }
.textsieve .card + .card { margin-top: 1rem; }
.textsieve { max-width: none; }
"""
"""The style of a page around its content."""


class Html(str):
    """Markup, which is not escaped again, neither here nor by Jinja2."""

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

    An underscore at the end of an attribute's name is dropped (`class_`), other underscores become hyphens, and an
    attribute whose value is None is left out.
    """
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(value)}"'
        for name, value in attributes.items()
        if value is not None
    )
    return Html(f"<{tag}{written}>{''.join(map(escape, content))}</{tag}>")


def notebook_html(*content: object) -> str:
    """Return content with the style that it needs, for `_repr_html_`."""
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
    """Return the style, with the colours."""
    style = (files(__package__) / "assets" / "notebook.css").read_text(encoding="utf-8")
    return colour_css(".textsieve", has_notebook_themes=True) + style


def card(title: object, *content: object, subtitle: object = "") -> Html:
    """Return a framed block with a title, a muted line below it, and content."""
    lines = [element("div", title, class_="title")]
    if subtitle:
        lines.append(element("div", subtitle, class_="subtitle"))
    return element("div", *lines, *content, class_="card")


def facts(values: Iterable[tuple[object, object]]) -> Html:
    """Return names and values side by side, the value large and its name below it."""
    items = [
        element("div", element("dd", value), element("dt", name)) for name, value in values if value not in ("", None)
    ]
    return element("dl", *items, class_="facts")


def note(text: object, *, is_warning: bool = False) -> Html:
    """Return a muted sentence, or a sentence in a coloured box."""
    return element("p", text, class_="warning" if is_warning else "note")


def table(
    columns: Sequence[Column | str],
    rows: Sequence[Sequence[object]],
    *,
    title: object = "",
    best_row: int | None = None,
    max_rows: int = MAX_ROWS,
) -> Html:
    """Return a table; if it is long, it scrolls in a box of its own, and a shadow shows that it continues.

    The row with the number `best_row` is highlighted. Beyond `max_rows` rows, a note says how many are left out.
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
            class_="best" if number == best_row else None,
        )
        for number, row in enumerate(rows[:max_rows])
    ]
    is_long = len(rows) > SCROLLING_ROWS
    whole = element("table", element("thead", head), element("tbody", *body))
    parts = [element("div", f"{title} ({len(rows):,})" if is_long else title, class_="caption")] if title else []
    box = element("div", whole, class_="scroll long" if is_long else "scroll", tabindex="0" if is_long else None)
    rest = [note(f"and {len(rows) - max_rows:,} more")] if len(rows) > max_rows else []
    return element("div", *parts, box, *rest)


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
    return min(max(share, 0.0), 1.0) if share == share else 0.0
