r"""HTML and SGML out of a text, in time that grows with its length alone, whatever the markup is like.

What goes: tags (`<b>`, `</B>`, `<br/>`, `</>`), declarations and instructions (`<!DOCTYPE ...>`, `<?xml ...?>`),
comments, scripts and style sheets with what is in them, and the marks around CDATA. A line break takes the place of
each, because a cell or a heading ends there. Last, entities become characters (`&eacute;`, `&lt;`), as `html.unescape`
has it.

A tag is `<`, perhaps `/`, a name, and then white space, `/` or `>`, up to the next `>` that is not in a quoted value;
so an address in angle brackets (`<ann@example.org>`, `<http://...>`) and a comparison (`a < b`) are none. Markup can be
broken:

- a `<` without its `>` is no tag, and neither is one that has another `<` before its `>`: both stay in the text;
- where quotes do not match, the tag ends at the next `>`;
- a comment, script or style sheet that nobody ends loses only its first mark: no text is lost by an accident.

Nothing of a tag reaches over the next `<`, so each part of a text is looked at a fixed number of times; and if the end
of a comment or script was looked for in vain once, it is not looked for again.
"""

import re
from html import unescape

_NAME = r"[A-Za-z][\w.-]*+(?::\w[\w.-]*+)?"
_REST = r"""(?:(?:[^<>"']|"[^"<]*+"|'[^'<]*+')*+>|[^<>]*+>)"""
_MARKUP = re.compile(
    rf"(?P<comment><!--)|<!\[CDATA\[|\]\]>|</>|<[!?][A-Za-z]{_REST}"
    rf"|<(?P<content>script|style)(?=[\s/>]){_REST}|</?{_NAME}(?=[\s/>]){_REST}",
    re.IGNORECASE,
)
_ENDS = {
    "comment": re.compile("-->"),
    "script": re.compile(r"</script\s*>", re.IGNORECASE),
    "style": re.compile(r"</style\s*>", re.IGNORECASE),
}


def without_tags(text: str) -> str:
    """The text that a reader would see."""
    if "<" in text or "]]>" in text:
        text = "\n".join(_pieces(text))
    return unescape(text) if "&" in text else text


def _pieces(text: str) -> list[str]:
    """What is between the markup."""
    pieces: list[str] = []
    never_ending: set[str] = set()
    at = 0
    while found := _MARKUP.search(text, at):
        pieces.append(text[at : found.start()])
        at = found.end()
        if found.lastgroup is None or found[0].endswith("/>"):
            continue
        kind = (found["content"] or "comment").lower()
        end = None if kind in never_ending else _ENDS[kind].search(text, at)
        if end is None:
            never_ending.add(kind)
        else:
            at = end.end()
    return [*pieces, text[at:]]
