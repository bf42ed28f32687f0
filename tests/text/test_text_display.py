"""Terms as people see them: n-grams differ from words, and symbols and white space are visible."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference.model_cases import small_model

from textsieve.cli.description import show_classes
from textsieve.cli.explain import _show_class
from textsieve.cli.output import Page, term_text
from textsieve.serve.served_model import TermList
from textsieve.text.analysis import display_term, group_parts, is_marked, mark_ngram


@pytest.mark.parametrize(
    ("analyzer", "term", "expected"),
    [
        ("word", "goal", "goal"),
        ("word", "new york", "new york"),
        ("word", "#0", "#0"),
        ("text", "!", "“!”"),
        ("text", "…", "“…”"),
        ("text", "go , go", "“go , go”"),
        ("text", "▁th…", "▁th…"),
        ("text", "…,…", "…,…"),
        ("text", "क\u094d\u200dष", "क\u094d\u200dष"),
        ("word", "", "“”"),
        ("word", " a", "“ a”"),
        ("word", "a\nb\x1f", r"a\nb\x1f"),
        ("char", " th", "▁th"),
        ("char", "th", "th"),
        ("char", " ", "“▁”"),
        ("char", "a, ", "“a,▁”"),
        ("char", "\u3000a", r"\u3000a"),
        ("char_wb", " th", "▁th…"),
        ("char_wb", "th", "…th…"),
        ("char_wb", " th ", "▁th▁"),
        ("char_wb", ",", "…,…"),
        (None, "goal", "goal"),
    ],
)
def test_terms_are_displayed(analyzer: object, term: str, expected: str) -> None:
    assert display_term(term, analyzer) == expected


@given(st.text("ab ▁…", min_size=1, max_size=5))
def test_char_wb_terms_look_like_spelled_ngrams(ngram: str) -> None:
    assert display_term(ngram, "char_wb") == mark_ngram(ngram)


def test_terminals_get_no_control_characters() -> None:
    assert term_text("a\x1b[2J\u200b", {"analyzer": "char"}) == r"a\x1b[2J\u200b"


def test_command_line_tables_show_ngrams_with_marks(capsys: pytest.CaptureFixture[str]) -> None:
    model = small_model(terms=(" go", "oal", "ket ", ","), settings={"analyzer": "char_wb"})
    show_classes(Page(), model)
    printed = capsys.readouterr().out
    assert [line.split(maxsplit=2)[2].strip() for line in printed.splitlines()[3:6]] == [
        "…,…, …ket▁",
        "…oal…, …,…, …ket▁",
        "▁go…",
    ]


def test_explanations_show_symbols_in_quotes(capsys: pytest.CaptureFixture[str]) -> None:
    explained = small_model().explain("Goal: straße").classes[0]
    contributions = explained.term_contributions._replace(terms=["goal", "!"])
    _show_class(Page(), replace(explained, term_contributions=contributions), 10, small_model(settings={}))
    rows = [line.split()[0] for line in capsys.readouterr().out.splitlines() if line.strip()]
    assert {"“!”", "goal"} <= set(rows)


def test_terms_are_found_as_stored_and_as_displayed() -> None:
    terms = TermList(small_model(terms=(" go", "oal", "ket ", "."), settings={"analyzer": "char_wb"}))
    found = {q: [entry["term"] for entry in terms.page(None, q, 0, 9)["terms"]] for q in ("▁G", " go", "t▁", "a", "")}
    assert found == {"▁G": [" go"], " go": [" go"], "t▁": ["ket "], "a": ["oal"], "": [" go", "oal", "ket ", "."]}


def test_words_can_come_before_ngrams_of_characters() -> None:
    names = ("▁go…", "goal", "…oal▁", "cup")
    settings = {"analyzer": "text", "char_ngram_range": [3, 5]}
    model = small_model(terms=names, settings=settings)
    terms = TermList(replace(model, analysis=replace(model.analysis, char_ngram_range=(3, 5))))

    def listed(label: Any, offset: int = 0, **options: Any) -> list[str]:
        return [entry["term"] for entry in terms.page(label, "", offset, 9, **options)["terms"]]

    assert listed(None) == ["▁go…", "goal", "…oal▁", "cup"]
    assert listed(None, words_first=True) == ["goal", "cup", "▁go…", "…oal▁"]
    assert listed(None, 1, words_first=True) == ["cup", "▁go…", "…oal▁"]
    for label in model.classes:
        strongest = listed(label)
        words = [term for term in strongest if term in ("goal", "cup")]
        assert listed(label, words_first=True) == [*words, *(term for term in strongest if term not in words)]


def test_ngrams_are_added_to_the_word_that_contains_them() -> None:
    values = [("…strik…", 3.0), ("…goa…", -2.5), ("cup", 0.5), ("goal", -0.25), ("striker", 0.125), ("…rike…", 0.25)]
    assert group_parts(values) == [("striker", 3.375), ("goal", -2.75), ("cup", 0.5)]


def test_only_values_of_one_sign_are_added() -> None:
    assert group_parts([("…goa…", -2.0), ("goal", 1.0)]) == [("…goa…", -2.0), ("goal", 1.0)]


def test_ngrams_without_a_word_are_added_to_the_first_ngram_that_contains_them() -> None:
    assert group_parts([("…trik…", 2.0), ("…rik…", 1.0), ("▁stri…", 0.5)]) == [("…trik…", 3.0), ("▁stri…", 0.5)]
    assert group_parts([]) == []


@given(st.lists(st.tuples(st.sampled_from(["goal", "a goal", "…goa…", "…oal▁", "▁goa…", "…xyz…"]), st.integers(-9, 9))))
def test_groups_add_up_to_all_values(values: list[tuple[str, int]]) -> None:
    groups = group_parts((term, float(value)) for term, value in values)
    assert sum(value for _, value in groups) == sum(value for _, value in values)
    assert {term for term, _ in groups} <= {term for term, _ in values}
    assert {term for term, _ in values if not is_marked(term)} <= {term for term, _ in groups}
