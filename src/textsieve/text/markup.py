"""HTML and SGML out of a text, in time that grows with its length alone, whatever the markup is like.

What goes: tags (`<b>`, `</B>`, `<br/>`, `</>`), declarations and instructions (`<!DOCTYPE ...>`, `<?xml ...?>`), also
those in the brackets of a DOCTYPE, comments, scripts and style sheets with what is in them, and the marks around CDATA
and other marked sections. What takes their place is in `GAPS`: a tag that only changes the look of letters leaves
nothing (`<font size=7>W</font>elcome` is a word), a link, a picture, a small number above or below the line and all
that is no tag a space, and any other tag an empty line, since a heading, a cell or a paragraph begins or ends there.
Last, entities become characters (`&eacute;`, `&lt;`), as `html.unescape` has it, and soft hyphens (`&shy;`), which only
say where a word may be broken, go.

A tag is `<`, perhaps `/`, a name, and then white space, `/` or `>`, up to the next `>` that is not in a quoted value;
so an address in angle brackets (`<ann@example.org>`, `<http://...>`) and a comparison with spaces (`a < b`) are none,
and `<b and c>` is one. Markup can be broken:

- a `<` without its `>` is no tag, and neither is one that has another `<` before its `>`: both stay in the text. Only a
  sound value may have `<` in it: its quote comes after `=` (in a declaration, after white space), and white space, `/`,
  `?` or `>` after the quote that closes it;
- where quotes do not match, the tag ends at the next `>`;
- a comment, script or style sheet that nobody ends loses only its first mark: no text is lost by an accident.

It is linear, because at most three of the attempts to read a tag are at the same character. Outside of values an
attempt ends at the next `<`, where the next one begins. Of two attempts that both go on, one is in a value; and a
quotation mark changes what each of them is in, which is no quotes, double or single ones, but never makes it the same.
And if the end of a comment or script was looked for in vain once, it is not looked for again.
"""

import re
from collections.abc import Iterable, Iterator
from html import unescape
from itertools import takewhile

Edit = tuple[int, int, str]
"""Where it begins and ends in the text, and what takes its place. Edits are in order and do not overlap."""


def edited(text: str, edits: Iterable[Edit]) -> str:
    """Return the text after the edits."""
    pieces: list[str] = []
    at = 0
    for begin, end, instead in edits:
        pieces += (text[at:begin], instead)
        at = end
    return "".join([*pieces, text[at:]]) if pieces else text


PARAGRAPH = "\n\n"
SOFT_HYPHEN = "\xad"

GAPS = {
    **dict.fromkeys(("b", "big", "blink", "em", "font", "i", "small", "span", "strong", "tt", "u"), ""),
    **dict.fromkeys(("abbr", "acronym", "bdi", "bdo", "cite", "code", "del", "dfn", "ins", "kbd"), ""),
    **dict.fromkeys(("mark", "nobr", "q", "s", "samp", "strike", "var", "wbr"), ""),
    **dict.fromkeys(("a", "img", "sub", "sup"), " "),
}
"""What takes the place of a tag, by its name; that of others is `PARAGRAPH`."""


def _rest(before_value: str) -> str:
    """Return the pattern for what follows a tag's name up to `>`; quoted values follow one of the given characters."""
    sound = r"""(?:"[^"]*+"|'[^']*+')(?=[\s/?>])"""
    other = r""""[^"<]*+"|'[^'<]*+'"""
    return rf"""(?>(?:[^<>"'{before_value}]++|[{before_value}]\s*+(?:{sound})?+|{other})*+>|[^<>]*+>)"""


_OF_TAG, _OF_DECLARATION = _rest("="), _rest(r"\s")
_NAME = r"[A-Za-z][\w.-]*+(?::\w[\w.-]*+)?"
_MARKUP = re.compile(
    r"<!---?>|(?P<comment><!--)"
    r"|<!\[[^<>\[\]]*+(?:\[|\]>)|\]?\]>"
    rf"|<!DOCTYPE(?=\s)[^<>\[\]]*+\[|<[!?][A-Za-z]{_OF_DECLARATION}"
    rf"|<(?P<content>(?a:script|style))(?=[\s/>])(?!/>){_OF_TAG}(?<![\s\"']/>)"
    rf"|</?(?P<name>{_NAME}(?=[\s/>])|(?<=/)(?=>)){_OF_TAG}",
    re.IGNORECASE,
)
_ENDS = {
    "<!--": re.compile("--!?>"),
    "script": re.compile(r"</script(?=[\s/>])[^<>]*+>?", re.IGNORECASE | re.ASCII),
    "style": re.compile(r"</style(?=[\s/>])[^<>]*+>?", re.IGNORECASE | re.ASCII),
}
_LONG_NUMBER = re.compile("&#([0-9]{9,})")
_ENTITY = re.compile(
    r"&(?:#[0-9]+;?|#[xX][0-9a-fA-F]+;?|[^\t\n\f <&#;]{1,32};?)"
)  # or what html.unescape takes for one


def without_tags(text: str) -> str:
    """Return the text as a reader would see it."""
    for step in STEPS:
        text = step(text)
    return text


def without_markup(text: str) -> str:
    """Return the text with gaps in place of tags and other markup."""
    return edited(text, markup_in(text)) if "<" in text or "]>" in text else text


def unescaped(text: str) -> str:
    """Return the text with characters in place of entities."""
    return unescape(_LONG_NUMBER.sub(_short_number, text)) if "&" in text else text


def without_soft_hyphens(text: str) -> str:
    """Return the text without soft hyphens."""
    return text.replace(SOFT_HYPHEN, "")


STEPS = (without_markup, unescaped, without_soft_hyphens)
"""From a text to what a reader would see of it, in this order."""


def markup_in(text: str) -> Iterator[Edit]:
    """Yield where the markup is, and what replaces it."""
    never_ending: set[str] = set()
    at = 0
    while match := _MARKUP.search(text, at):
        at = match.end()
        if match.lastgroup == "name":
            yield match.start(), at, GAPS.get(match["name"].lower(), PARAGRAPH)
            continue
        kind = (match["content"] or match["comment"] or "").lower()
        end = _ENDS[kind].search(text, at) if kind and kind not in never_ending else None
        if end is not None:
            at = end.end()
        elif kind:
            never_ending.add(kind)
        yield match.start(), at, " "


def entities_in(text: str) -> Iterator[Edit]:
    """Yield where the entities are, and what replaces them. Text that only begins with the name of an entity is kept
    after it.
    """
    for match in _ENTITY.finditer(text):
        begin, end = match.span()
        characters = unescaped(match[0])
        if not match[0].startswith("&#"):
            as_before = takewhile(lambda two: two[0] == two[1], zip(match[0][::-1], characters[::-1], strict=False))
            left = len(list(as_before))
            end, characters = end - left, characters[: len(characters) - left]
        if begin < end:
            yield begin, end, characters


def _short_number(match: re.Match[str]) -> str:
    """Shorten the number of a character to eight digits, more than any character has, since Python limits long
    numbers.
    """
    return "&#" + (match[1].lstrip("0") or "0")[:8]
