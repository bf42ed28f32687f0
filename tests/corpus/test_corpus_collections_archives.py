"""Records between tags, and the parts of newsgroup posts."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.reference.collection_files import story, write_tar

from textsieve.corpus import read
from textsieve.corpus.batch import Report
from textsieve.corpus.collections import archives as module
from textsieve.corpus.collections.archives import between, records, without_tags
from textsieve.corpus.collections.newsgroups import (
    with_subject_alone,
    without_footer,
    without_header,
    without_quotes,
    without_revealing_fields,
)
from textsieve.corpus.read_limits import NAMED_LIMITS

A, B = "<R x>a</R>", "<R>b</R>"


@pytest.mark.parametrize(
    ("lines", "expected", "broken"),
    [
        ([A, B], [A, B], 0),
        ([f"junk{A}junk{B}junk"], [A, B], 0),
        (["<R>\n", "a\n", "</R>\n"], ["<R>\na\n</R>"], 0),
        (["<RX>", "</R>", "<R", ">x</R>"], ["<R>x</R>"], 0),
        (["<R>a", A], [A], 1),
        (["<R>a<R>b</R>"], ["<R>b</R>"], 1),
        (["<R>a</R><R>b", "</R><R>c"], ["<R>a</R>", "<R>b</R>"], 1),
        (["</R>", "<R>"], [], 1),
        ([], [], 0),
    ],
)
def test_records_between_tags_are_split_and_broken_ones_counted(
    lines: list[str], expected: list[str], broken: int
) -> None:
    report = Report()
    assert list(records(lines, "R", report, NAMED_LIMITS, "x.sgm")) == expected
    assert report.skipped.get("broken records", 0) == broken


def test_a_record_that_never_ends_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_LINES", 5)
    report = Report()
    assert list(records(["<R>", *["x"] * 20, A], "R", report, NAMED_LIMITS, "x.sgm")) == [A]
    assert report.skipped == {"broken records": 1}


def test_time_is_linear_in_the_length_of_a_line() -> None:
    """Code that searched the rest of the line again for each tag would take hours."""
    report = Report()
    assert sum(1 for _ in records([B * 500_000], "R", report, NAMED_LIMITS, "x.sgm")) == 500_000
    assert list(records(["<R>" * 500_000], "R", report, NAMED_LIMITS, "x.sgm")) == []
    assert report.skipped == {"broken records": 500_000}


def test_time_is_linear_in_the_tags_of_a_story(own_data: Path) -> None:
    never_ended = ("<TEXT " * 300_000, "<D>" * 300_000, "<REUTERSX " * 300_000)
    broken = f"<REUTERS><TOPICS>{never_ended[1]}</TOPICS>{never_ended[2]}{never_ended[0]}</REUTERS>"
    odd = f'<REUTERS{never_ended[2]} TOPICS="YES" LEWISSPLIT="TEST"><TOPICS>{never_ended[1]}</TOPICS><TEXT>x</TEXT>'
    write_tar(own_data / "reuters21578.tar.gz", {"reut2-000.sgm": story("One", "TEST", "a") + broken + odd})
    corpus = read("reuters:all")
    assert list(corpus.labels()) == [("a",)]
    assert corpus.report is not None
    assert corpus.report.skipped == {"broken records": 2}


def test_between_and_without_tags() -> None:
    assert between("<a>1</a><a>2</a>", "a") == "1"
    assert between("<a>1", "a") is None
    assert between("1</a>", "a") is None
    assert without_tags("<b>x &lt;y> &amp; z</b> 1 < 2") == " x <y> & z  1 < 2"
    assert without_tags("<" * 200_000) == "<" * 200_000


def test_headers_footers_and_quotes_are_removed_from_posts() -> None:
    post = "PATH: a!b\nXref: x\n\tsci.space:1\nSubject: s\nX: Path: kept\n\nNewsgroups: in the body\nown"
    assert (
        without_revealing_fields(post).removesuffix("\nown") == "Subject: s\nX: Path: kept\n\nNewsgroups: in the body"
    )
    revealing = "".join(f"{field}: sci.space\n" for field in ("Followups-To", "X-To", "X-Apparently-To", "Followup-To"))
    assert without_revealing_fields(f"{revealing}To: you\n\n{revealing}") == f"To: you\n\n{revealing}"
    assert without_header(post) == "Newsgroups: in the body\nown"
    assert without_header("no empty line") == ""
    assert without_footer("a\nb\n\n--\nme") == "a\nb\n"
    assert without_footer("\n\nonly this") == "\n\nonly this"
    assert without_quotes("a\n> b\n| c\nIn article 1\nd says:\n >e") == "a\n >e"


def test_only_the_subject_of_a_header_is_kept() -> None:
    post = "From: me\nSUBJECT: Re: moons\n of Mars\nSummary: two\n\nSubject: stays\n\nown"
    assert with_subject_alone(post) == "Re: moons\n of Mars\n\nSubject: stays\n\nown"
    assert with_subject_alone("From: me\n\nown") == "\n\nown"
    assert with_subject_alone("Subject: no empty line") == "no empty line\n\n"
