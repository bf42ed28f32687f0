"""Tags out of texts: by hand, against an HTML parser, and on markup that is broken."""

from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference.text_checks import PATHS, path

from textsieve import InputError, TermCounter
from textsieve.text.markup import without_tags
from textsieve.text.words import WORD


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("no markup", "no markup"),
        ("some <b>bold</b> words", "some | bold | words"),
        ("<td>aa</td><td>bb</td>", "aa | bb"),
        ("<P CLASS='a>b' title=\"x > y\">hi</P>", "hi"),
        ("line<br/>line<br>line", "line | line | line"),
        ("aa<!-- a <b>comment</b>\n-->bb", "aa | bb"),
        ("aa<SCRIPT type=x>if (aa<bb) { xx }</Script >bb", "aa | bb"),
        ("<style>p { color: red }</style>aa", "aa"),
        ("<script src='x'/>aa <scripted>bb</scripted>", "aa | bb"),
        ('<!DOCTYPE lewis SYSTEM "lewis.dtd"><?xml version="1.0"?>aa</>bb', "aa | bb"),
        ("<REUTERS TOPICS='YES' ID=1><D>cocoa</D></REUTERS>", "cocoa"),
        ("<![CDATA[aa < bb]]>", "aa < bb"),
        ("<xs:element name='aa'>bb</xs:element>", "bb"),
        ("caf&eacute; &lt;b&gt; AT&T &amp;amp; &#233;t&#xe9;", "café <b> AT&T &amp; été"),
        ("<p\nid=x\n>aa", "aa"),
        # not markup
        ("aa < bb and cc > dd", "aa < bb and cc > dd"),
        ("Ann <ann@example.org> wrote", "Ann <ann@example.org> wrote"),
        ("see <http://example.org/x>", "see <http://example.org/x>"),
        ("1<2, 3>2, <3", "1<2, 3>2, <3"),
        ("->> <- <--", "->> <- <--"),
        # broken
        ("aa <b bb", "aa <b bb"),
        ("aa <b <i>bb</i>", "aa <b | bb"),
        ("<a href=\"xx>yy</a>", "yy"),
        ("<a title='it's'>yy", "yy"),
        ("aa <!-- never <b>ends</b>", "aa | never | ends"),
        ("<script>never <i>ends</i>", "never | ends"),
        ("aa</p></p>bb", "aa | bb"),
        ("<style>aa<script>bb</script>cc", "aa | cc"),
        ("-->aa]]>bb", "-->aa | bb"),
    ],
)  # fmt: skip
def test_what_is_left(text: str, seen: str) -> None:
    parts = [" ".join(part.split()) for part in without_tags(text).split("\n")]
    assert " | ".join(part for part in parts if part) == seen


class Reader(HTMLParser):
    """What Python's own parser calls text, outside of scripts and style sheets."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.hidden, self.texts = 0, [""]

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.hidden += tag in ("script", "style")

    def handle_endtag(self, tag: str) -> None:
        self.hidden -= tag in ("script", "style")

    def handle_data(self, data: str) -> None:
        if not self.hidden:
            self.texts.append(data)


PIECES = [
    *("<b>", "</b>", "<p class='x y'>", '<a href="x>y">', "</a>", "<br/>", "<!-- aa <i> -->", "<script>aa<bb</script>"),
    *("<style>bb</style>", "<!DOCTYPE html>", " aa ", " bb cc ", "&lt;", "&eacute;", " & ", "\n", "<h1\nid=1>"),
]


@given(st.lists(st.sampled_from(PIECES), max_size=15))
def test_sound_markup_is_read_as_by_a_parser(pieces: list[str]) -> None:
    text = "".join(pieces)
    reader = Reader()
    reader.feed(text)
    reader.close()
    assert WORD.findall(without_tags(text)) == WORD.findall("\n".join(reader.texts))


@given(st.text("<>/!-ab \"'&;[]?=\n", max_size=60))
@settings(max_examples=300)
def test_any_text_can_be_read_and_none_is_made_up(text: str) -> None:
    seen = without_tags(text)
    left = iter(text)
    assert all(character in left for character in seen.replace("\n", ""))  # in the same order


@pytest.mark.parametrize(
    "part",
    [
        "<",
        "<a ",
        "<a '",
        '<a "',
        "<!--",
        "<script>",
        "<script ",
        "</",
        "&",
        "&#",
        "]]>",
        "<!",
        "<a:",
        "<a.",
        "<script><!--",
    ],
)
def test_a_long_text_of_broken_markup_ends(part: str) -> None:
    """Where an attempt could reach to the end of the text each time, this would take hours."""
    assert len(without_tags(part * 300_000)) <= 2 * len(part) * 300_000


@pytest.mark.parametrize("way_through", PATHS)
def test_a_counter_drops_tags_if_it_is_told_to(way_through: str) -> None:
    texts: list[str | bytes] = ["<p>aa &amp; bb</p>", b"<b>caf&eacute;</b>", "CC <i>dd</i>"]
    with path(way_through):
        counter = TermCounter(tags="drop")
        assert counter.fit_transform(texts).sum() == 5
        assert list(counter.vocabulary_) == ["aa", "bb", "café", "cc", "dd"]
        assert "amp" in TermCounter().fit(texts).vocabulary_


@pytest.mark.parametrize("odd", ["", "Drop", True, None, 1])
def test_another_setting_is_refused(odd: object) -> None:
    with pytest.raises(InputError, match=r"tags=.*; use 'keep' or 'drop'"):
        TermCounter(tags=odd).fit(["aa"])  # type: ignore[arg-type]
