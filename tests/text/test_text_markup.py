"""Tags are removed from texts: examples, comparison with an HTML parser, and broken markup."""

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference.text_checks import PATHS, path, without_tags

from textsieve import InputError, TermCounter
from textsieve.text.analysis import WORDS


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("no markup", "no markup"),
        ("some <b>bold</b> words", "some bold words"),
        ("un<B>believ</B>able <font size=7>W</font>elcome", "unbelievable Welcome"),
        ("x<sub>2</sub> word<sup>1</sup> <a>aa</a><a>bb</a>", "x 2 word 1 aa bb"),
        ("<td>aa</td><td>bb</td>", "aa | bb"),
        ("<P CLASS='a>b' title=\"x > y\">hi</P>", "hi"),
        ("line<br/>line<br>line", "line | line | line"),
        ("aa<!-- a <b>comment</b>\n-->bb", "aa bb"),
        ("aa<SCRIPT type=x>if (aa<bb) { xx }</Script >bb", "aa bb"),
        ("aa<script>x</script foo>bb<p>cc<script>y</script/>dd", "aa bb | cc dd"),
        ("<script>x</script\n<p>aa", "aa"),
        ("<script src=/js/>hidden</script>aa<style/>bb<style />cc", "aa | bb | cc"),
        ('aa<script src="a>b"/>bb', "aa | bb"),
        ("aa <!--> bb <!-- hidden --> cc <!---> dd", "aa bb cc dd"),
        ("aa <!-- hidden --!> bb <!-- hidden --> cc", "aa bb cc"),
        ('<a onclick="if(i<3)go()">aa</a><img alt="aa < bb">cc', "aa cc"),
        ("<p title = '<b>xx</b>' id=x>aa", "aa"),
        ("<style>p { color: red }</style>aa", "aa"),
        ("<script src='x'/>aa <scripted>bb</scripted>", "aa | bb"),
        ('<!DOCTYPE x [<!ENTITY aa "<b>bb</b>"> <!-- cc -->\n<!ELEMENT dd (ee|ff)>]> gg', "gg"),
        ('<!DOCTYPE x SYSTEM "y.dtd" [\n]>aa', "aa"),
        ("<![if !IE]>aa<![endif]> <![INCLUDE[bb]]>", "aa bb"),
        ('<!DOCTYPE lewis SYSTEM "lewis.dtd"><?xml version="1.0"?>aa</>bb', "aa | bb"),
        ("<REUTERS TOPICS='YES' ID=1><D>cocoa</D></REUTERS>", "cocoa"),
        ("<![CDATA[aa < bb]]>", "aa < bb"),
        ("<xs:element name='aa'>bb</xs:element>", "bb"),
        ("caf&eacute; &lt;b&gt; AT&T &amp;amp; &#233;t&#xe9;", "café <b> AT&T &amp; été"),
        ("<p\nid=x\n>aa", "aa"),
        ("soft&shy;hyphen<b>ated&#173;</b>\xadword", "softhyphenatedword"),
        # not markup
        ("aa < bb and cc > dd", "aa < bb and cc > dd"),
        ("Ann <ann@example.org> wrote", "Ann <ann@example.org> wrote"),
        ("see <http://example.org/x>", "see <http://example.org/x>"),
        ("1<2, 3>2, <3", "1<2, 3>2, <3"),
        ("->> <- <--", "->> <- <--"),
        # not markup, but removed as such
        ("<ſcript>aa</ſcript>", "aa"),  # a long s, which is an s where case does not count
        ("if aa <b and cc> dd, List<String>", "if aa dd, List"),
        # broken
        ("aa <b bb", "aa <b bb"),
        ("aa <b <i>bb</i>", "aa <b bb"),
        ("<a href=\"xx>yy</a>", "yy"),
        ("<a href=\"xx>yy</a> <a href=\"zz\">ww</a>", "yy ww"),
        ("<a href=\"xx>yy</a>, a \"word\" <b title=\"x\">ww</b>", "yy , a \"word\" ww"),
        ("<a title='it's'>yy", "yy"),
        ("aa <!-- never <p>ends</p>", "aa never | ends"),
        ("<script>never <td>ends</td>", "never | ends"),
        ("<!DOCTYPE aa [ bb <p>cc", "bb | cc"),
        ("aa</p></p>bb", "aa | bb"),
        ("<style>aa<script>bb</script>cc", "aa cc"),
        ("-->aa]]>bb", "-->aa bb"),
    ],
)  # fmt: skip
def test_text_without_tags(text: str, expected: str) -> None:
    parts = [" ".join(part.split()) for part in without_tags(text).split("\n\n")]
    assert " | ".join(part for part in parts if part) == expected


class Reader(HTMLParser):
    """Collects the text that Python's parser finds outside of scripts and style sheets; <b> splits no word."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.hidden, self.texts = 0, [""]

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.hidden += tag in ("script", "style")
        self.texts.append("" if tag == "b" else " ")

    def handle_endtag(self, tag: str) -> None:
        self.hidden -= tag in ("script", "style")
        self.texts.append("" if tag == "b" else " ")

    def handle_comment(self, data: str) -> None:
        self.texts.append(" ")

    def handle_decl(self, decl: str) -> None:
        self.texts.append(" ")

    def handle_data(self, data: str) -> None:
        if not self.hidden:
            self.texts.append(data)


PIECES = [
    *("<b>", "</b>", "<p class='x y'>", '<a href="x>y">', "</a>", "<br/>", "<!-- aa <i> -->", "<script>aa<bb</script>"),
    *("<style>bb</style>", "<!DOCTYPE html>", " aa ", " bb cc ", "&lt;", "&eacute;", " & ", "\n", "<h1\nid=1>"),
    *('<a onclick="if(i<3)go()">', "<p title = '<b>cc</b>'>", "<script src=/js/>bb</script>", "dd", "&#0101;"),
]


@given(st.lists(st.sampled_from(PIECES), max_size=15))
def test_well_formed_markup_gives_the_words_of_a_parser(pieces: list[str]) -> None:
    text = "".join(pieces)
    reader = Reader()
    reader.feed(text)
    reader.close()
    assert WORDS.tokens(without_tags(text)) == WORDS.tokens("".join(reader.texts))


@given(st.text("<>/!-ab \"'&;[]?=\n", max_size=60))
def test_remaining_characters_are_those_of_the_text_in_order(text: str) -> None:
    remaining = without_tags(text)
    characters = iter(text)
    assert all(character in characters for character in "".join(remaining.split()))  # in the same order


@pytest.mark.slow
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
        "<script></script ",
        "<!DOCTYPE x [",
        '<!DOCTYPE x [<!E "',
        '<a x="<a y=\'" ',
        "<a =",
        "<![",
        "<b>",
    ],
)
def test_broken_markup_takes_linear_time(part: str) -> None:
    """If each attempt to read a tag reached the end of the text, this would take an hour."""
    assert len(without_tags(part * 100_000)) <= 2 * len(part) * 100_000


@pytest.mark.parametrize(
    ("number", "character"),
    [
        ("65", "A"),
        ("0000000065", "A"),
        ("0" * 5_000 + "65", "A"),
        ("1114109", "\U0010fffd"),
        ("0001114112", "\ufffd"),
        ("123456789", "\ufffd"),
        ("1" * 5_000, "\ufffd"),
        ("9" * 1_000_000, "\ufffd"),
        ("0" * 1_000_000, "\ufffd"),
        ("x" + "0" * 5_000 + "41", "A"),
        ("x" + "f" * 1_000_000, "\ufffd"),
    ],
    ids=lambda value: value[:12],
)
def test_character_references_of_any_length(number: str, character: str) -> None:
    """Python itself refuses to read a number of more than 4,300 digits."""
    assert without_tags(f"<b>aa&#{number};bb&#{number}") == f"aa{character}bb{character}"


@pytest.mark.parametrize("way_through", PATHS)
def test_a_counter_drops_tags_if_set(way_through: str) -> None:
    texts: list[str | bytes] = ["<p>aa &amp; bb</p>", b"<b>caf&eacute;</b>", "CC <i>dd</i>"]
    with path(way_through):
        counter = TermCounter(tags="drop")
        assert counter.fit_transform(texts).sum() == 5
        assert list(counter.vocabulary_) == ["aa", "bb", "café", "cc", "dd"]
        assert "amp" in TermCounter().fit(texts).vocabulary_


@pytest.mark.parametrize("invalid", ["", "Drop", True, None, 1])
def test_an_invalid_value_of_tags_raises_an_error(invalid: object) -> None:
    with pytest.raises(InputError, match=r"tags=.*; use one of 'keep', 'drop'"):
        TermCounter(tags=invalid).fit(["aa"])  # type: ignore[arg-type]
