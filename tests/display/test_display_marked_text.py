"""A marked text: pieces joined are the text, and a character is coloured by the sum of the terms that cover it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import unescape

from hypothesis import given
from hypothesis import strategies as st

from textsieve.display import MAX_CHARACTERS, TermSpan, marked_text, pieces_of

spans = st.lists(
    st.tuples(st.integers(0, 30), st.integers(0, 30), st.sampled_from("abc")).map(lambda values: TermSpan(*values)),
    max_size=12,
)


def strengths(text: str, where: list[TermSpan], contributions: Mapping[str, float]) -> list[tuple[str, str, float]]:
    found = re.findall(
        r'<mark class="(\w+)"[^>]*--strength:([\d.]+)">(.*?)</mark>', marked_text(text, where, contributions)
    )
    return [(unescape(piece), kind, float(strength)) for kind, strength, piece in found]


@given(st.text(max_size=25), spans)
def test_pieces_are_the_text_and_know_the_terms_that_cover_them(text: str, where: list[TermSpan]) -> None:
    pieces = list(pieces_of(text, where))
    assert "".join(piece.text for piece in pieces) == text
    covered = [
        {term for start, end, term in where if start <= place < end and start < len(text)} for place in range(len(text))
    ]
    assert [set(piece.terms) for piece in pieces for _ in piece.text] == covered


def test_overlapping_terms_are_added_up_and_a_term_counts_once() -> None:
    where = [TermSpan(0, 8, "red wine"), TermSpan(0, 3, "red"), TermSpan(4, 8, "wine"), TermSpan(4, 8, "wine")]
    contributions = {"red wine": 1.0, "red": -3.0, "wine": 1.0}
    assert strengths("red wine!", where, contributions) == [
        ("red", "against", 0.6667),
        (" ", "for", 0.3333),
        ("wine", "for", 0.6667),
    ]


def test_terms_that_cancel_out_are_marked_as_neither() -> None:
    where = [TermSpan(0, 1, "a"), TermSpan(0, 1, "b")]
    assert strengths("x", where, {"a": 1.0, "b": -1.0}) == [("x", "neither", 0.0)]


def test_a_text_is_escaped_in_and_between_marks() -> None:
    html = marked_text("<script>a</script> & <b>", [TermSpan(0, 8, "<script>")], {"<script>": 1.0})
    assert "<script" not in html
    assert "<b>" not in html
    assert '<mark class="for" title="&lt;script&gt; +1.000"' in html


def test_a_long_text_is_cut_with_a_note() -> None:
    html = marked_text(
        "x" * (MAX_CHARACTERS + 1234), [TermSpan(MAX_CHARACTERS - 1, MAX_CHARACTERS + 5, "x")], {"x": 1.0}
    )
    assert "and 1,234 more characters" in html
    assert html.count("x</mark>") == 1


def test_a_tooltip_lists_the_strongest_terms_and_the_total() -> None:
    where = [TermSpan(0, 1, str(number)) for number in range(11)]
    html = unescape(marked_text("x", where, {str(number): float(number) for number in range(11)}))
    assert "10 +10.000\n9 +9.000" in html
    assert "and 3 more\ntotal +55.000" in html
