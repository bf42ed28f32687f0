"""The lists in the reference of text preparation are those of the code."""

import re
from pathlib import Path

from textsieve.text.markup import GAPS
from textsieve.text.names import LINKS, SENTENCE_MARKS

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "text.md").read_text(encoding="utf-8")


def test_the_links_are_those_of_the_rule() -> None:
    (listed,) = re.findall(r"The links are (.*?)\.", PAGE, re.DOTALL)
    assert tuple(re.findall(r"\w+", listed)) == LINKS


def test_the_tags_leave_what_the_page_says() -> None:
    rows = re.findall(r"^\| (`b`.*|`a`.*|all others.*) \| (.*) \| `.*` \|$", PAGE, re.MULTILINE)
    assert [left for _, left in rows] == ["nothing", "a space", "an empty line"]
    for (tags, _), gap in zip(rows, ("", " "), strict=False):
        assert {GAPS[tag] for tag in re.findall("`(.*?)`", tags)} == {gap}
    assert "td" not in GAPS


def test_marks_of_the_page_end_sentences() -> None:
    (listed,) = re.findall(r"begins with the text, after (.*?) and after an empty", PAGE, re.DOTALL)
    assert set(re.findall("`(.)`", listed)) <= set(SENTENCE_MARKS)
    assert len(re.findall("`(.)`", listed)) == 8
