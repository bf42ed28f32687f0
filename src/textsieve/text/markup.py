"""Remove HTML and SGML from a text, in time proportional to its length, whatever the markup is like.

Removed are: tags (`<b>`, `</B>`, `<br/>`, `</>`), declarations and instructions (`<!DOCTYPE ...>`, `<?xml ...?>`), also
those in the brackets of a DOCTYPE, comments, scripts and style sheets with their content, and the marks around CDATA
and other marked sections. `GAPS` says what replaces them. A tag that only changes the look of letters is replaced by
nothing (`<font size=7>W</font>elcome` is one word); a link, a picture, a subscript or superscript, and anything that is
not a tag, by a space; any other tag by an empty line, since a heading, a cell or a paragraph begins or ends there. Then
entities become characters (`&eacute;`, `&lt;`), as with `html.unescape`, and soft hyphens (`&shy;`), which only mark
where a word may be broken, are removed.

A tag is `<`, perhaps `/`, a name, and then white space, `/` or `>`, up to the next `>` that is not in a quoted value.
So an address in angle brackets (`<ann@example.org>`, `<http://...>`) and a comparison with spaces (`a < b`) are not
tags, but `<b and c>` is. Markup can be broken:

- A `<` without `>` is not a tag, and neither is one with another `<` before its `>`: both stay in the text. Only a
  well-formed quoted value may contain `<`: its opening quote follows `=` (in a declaration, white space), and its
  closing quote is followed by white space, `/`, `?` or `>`.
- Where quotes do not match, the tag ends at the next `>`.
- Of a comment, script or style sheet without an end, only the opening mark is removed, so that no text is lost.

The time is linear, because at most three attempts to read a tag pass over the same character. An attempt begins at each
`<`, and at each character it is in one of three states: outside of quotes, in double quotes or in single quotes. No two
attempts are ever in the same state. For outside of quotes, an attempt ends at the next `<`, so where an attempt begins,
all earlier ones that go on are inside of quotes. And a quotation mark exchanges two states, the same for all attempts:
a `"` those outside and in double quotes, a `'` those outside and in single quotes. If the end of a comment or script
was not found once, it is not searched for again.
"""

import re
from collections.abc import Iterable, Iterator
from html import unescape
from itertools import takewhile

Edit = tuple[int, int, str]
"""The begin and end of a stretch of text, and its replacement. Edits are in order and do not overlap."""


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Return the text with each stretch of an edit replaced."""
    pieces: list[str] = []
    last_end = 0
    for begin, end, replacement in edits:
        pieces += (text[last_end:begin], replacement)
        last_end = end
    return "".join([*pieces, text[last_end:]]) if pieces else text


PARAGRAPH = "\n\n"
SOFT_HYPHEN = "\xad"

GAPS = {
    **dict.fromkeys(("b", "big", "blink", "em", "font", "i", "small", "span", "strong", "tt", "u"), ""),
    **dict.fromkeys(("abbr", "acronym", "bdi", "bdo", "cite", "code", "del", "dfn", "ins", "kbd"), ""),
    **dict.fromkeys(("mark", "nobr", "q", "s", "samp", "strike", "var", "wbr"), ""),
    **dict.fromkeys(("a", "img", "sub", "sup"), " "),
}
"""The replacement of a tag, by its name; other tags are replaced by `PARAGRAPH`."""


def _rest(before_value: str) -> str:
    """Return the pattern for the rest of a tag after its name, up to `>`.

    `before_value` is a regular expression for the characters after which a well-formed quoted value begins, which may
    contain `<`. If quotes do not match, the tag ends at the next `>`.
    """
    well_formed = r"""(?:"[^"]*+"|'[^']*+')(?=[\s/?>])"""
    other = r""""[^"<]*+"|'[^'<]*+'"""  # other quoted values
    return rf"""(?>(?:[^<>"'{before_value}]++|[{before_value}]\s*+(?:{well_formed})?+|{other})*+>|[^<>]*+>)"""


_REST_OF_TAG, _REST_OF_DECLARATION = _rest("="), _rest(r"\s")
_NAME = r"[A-Za-z][\w.-]*+(?::\w[\w.-]*+)?"
_MARKUP = re.compile(
    # An empty comment such as <!-->, or the opening mark of a comment.
    r"<!---?>|(?P<comment><!--)"
    # The opening mark of a marked section, such as <![CDATA[ or <![endif]>, or a closing mark, also that of a DOCTYPE.
    r"|<!\[[^<>\[\]]*+(?:\[|\]>)|\]?\]>"
    # A DOCTYPE up to its opening bracket, or another declaration or instruction.
    rf"|<!DOCTYPE(?=\s)[^<>\[\]]*+\[|<[!?][A-Za-z]{_REST_OF_DECLARATION}"
    # The opening tag of a script or style sheet, unless it ends with "/>" and so has no content.
    rf"|<(?P<content>(?a:script|style))(?=[\s/>])(?!/>){_REST_OF_TAG}(?<![\s\"']/>)"
    # Any other tag; the name is empty in </>.
    rf"|</?(?P<name>{_NAME}(?=[\s/>])|(?<=/)(?=>)){_REST_OF_TAG}",
    re.IGNORECASE,
)
_ENDS = {
    "<!--": re.compile("--!?>"),
    "script": re.compile(r"</script(?=[\s/>])[^<>]*+>?", re.IGNORECASE | re.ASCII),
    "style": re.compile(r"</style(?=[\s/>])[^<>]*+>?", re.IGNORECASE | re.ASCII),
}
_LONG_NUMBER = re.compile("&#([0-9]{9,})")
_ENTITY = re.compile(r"&(?:#[0-9]+;?|#[xX][0-9a-fA-F]+;?|[^\t\n\f <&#;]{1,32};?)")  # as in html.unescape


def without_markup(text: str) -> str:
    """Return the text with gaps in place of tags and other markup."""
    return apply_edits(text, find_markup(text)) if "<" in text or "]>" in text else text


def unescaped(text: str) -> str:
    """Return the text with characters in place of entities."""
    return unescape(_LONG_NUMBER.sub(_short_number, text)) if "&" in text else text


def without_soft_hyphens(text: str) -> str:
    """Return the text without soft hyphens."""
    return text.replace(SOFT_HYPHEN, "")


STEPS = (without_markup, unescaped, without_soft_hyphens)
"""The steps that turn a text into what a reader of the page would see, in this order."""


def find_markup(text: str) -> Iterator[Edit]:
    """Yield an edit for each piece of markup: a tag, or a comment, script or style sheet with its content."""
    unended: set[str] = set()  # kinds of content whose end is missing: not searched for again, to keep the time linear
    position = 0
    while match := _MARKUP.search(text, position):
        position = match.end()
        if match.lastgroup == "name":  # an ordinary tag
            yield match.start(), position, GAPS.get(match["name"].lower(), PARAGRAPH)
            continue
        kind = (match["content"] or match["comment"] or "").lower()  # "" for markup without content, such as a DOCTYPE
        end = _ENDS[kind].search(text, position) if kind and kind not in unended else None
        if end is not None:
            position = end.end()
        elif kind:  # without an end, only the opening mark is replaced
            unended.add(kind)
        yield match.start(), position, " "


def find_entities(text: str) -> Iterator[Edit]:
    """Yield an edit for each entity.

    `html.unescape` also accepts a name without `;`: it turns `&ampere` into `&ere`. What stays the same at the end,
    here `ere`, is left out of the edit, which only replaces `&amp`.
    """
    for match in _ENTITY.finditer(text):
        begin, end = match.span()
        characters = unescaped(match[0])
        if not match[0].startswith("&#"):  # for a number, `_ENTITY` matches no text after the digits
            unchanged = takewhile(lambda pair: pair[0] == pair[1], zip(match[0][::-1], characters[::-1], strict=False))
            n_unchanged = len(list(unchanged))
            end, characters = end - n_unchanged, characters[: len(characters) - n_unchanged]
        if begin < end:  # otherwise nothing changes, since there is no such entity
            yield begin, end, characters


def _short_number(match: re.Match[str]) -> str:
    """Return a character reference such as `&#0000000065` without leading zeros and with at most eight digits.

    A number of eight digits is already too large for any character. `html.unescape` would convert the whole number, but
    Python raises an error for thousands of digits.
    """
    return "&#" + (match[1].lstrip("0") or "0")[:8]
