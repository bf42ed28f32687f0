"""`textsieve explain` on a terminal: the text with highlighted terms."""

from pathlib import Path

import pytest
from tests.reference.cli_cases import Ask, Run

from textsieve.cli.explain import AGAINST, FOR, MAX_SHOWN, highlight
from textsieve.prediction import Span
from textsieve.text.analysis import display_term


def pieces(text: str, spans: list[Span], contributions: dict[str, float]) -> list[tuple[str, str]]:
    made = highlight(text, spans, contributions)
    return [(made.plain[span.start : span.end], str(span.style)) for span in made.spans]


def test_terms_for_and_against_the_class_have_styles() -> None:
    spans = [Span(0, 4, "goal"), Span(5, 8, "law"), Span(9, 12, "was")]
    assert pieces("Goal Law was [red]", spans, {"goal": 2.0, "law": -1.0, "was": 0.0}) == [
        ("Goal", FOR),
        ("Law", AGAINST),
    ]


def test_overlapping_terms_have_the_style_of_their_sum() -> None:
    spans = [Span(0, 3, "new"), Span(0, 8, "new york"), Span(0, 8, "▁…"), Span(4, 8, "york")]
    assert pieces("New York", spans, {"new": -2.0, "new york": 4.0, "▁…": -1.0, "york": -6.0}) == [
        ("New ", FOR),
        ("York", AGAINST),
    ]
    assert pieces("New York", spans, {"new": -3.0, "new york": 4.0, "▁…": -1.0, "york": -2.0}) == [(" York", FOR)]


def test_a_term_that_overlaps_itself_counts_once() -> None:
    spans = [Span(0, 2, "aa"), Span(1, 3, "aa"), Span(0, 3, "aaa")]
    assert pieces("aaab", spans, {"aa": 2.0, "aaa": -3.0}) == [("aaa", AGAINST)]


def test_control_characters_are_escaped() -> None:
    text = "\x1b[2J goal\nthe\x07 goal"
    spans = [Span(5, 9, "goal"), Span(15, 19, "goal")]
    assert highlight(text, spans, {"goal": 1.0}).plain == "\\x1b[2J goal\nthe\\x07 goal"
    assert pieces(text, spans, {"goal": 1.0}) == [("goal", FOR)] * 2


def test_a_long_text_is_cut() -> None:
    text = "goal " * 2000
    made = highlight(text, [Span(at, at + 4, "goal") for at in range(0, len(text), 5)], {"goal": 1.0})
    assert made.plain == text[:MAX_SHOWN] + "…"


def test_only_a_terminal_shows_the_text(model: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "The <STRIKER> and nobody"
    assert "<STRIKER>" not in run("explain", model, text).stdout
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    printed = run("explain", model, text).stdout
    assert "<\x1b[1;32mSTRIKER\x1b[0m>" in printed
    assert "nobody" in printed
    assert "[1;32mSTRIKER" not in run("explain", model, text, "--json").stdout


def test_ngrams_of_characters_have_marks_in_tables_but_not_in_json(
    news: Path, run: Run, ask: Ask, tmp_path: Path
) -> None:
    options, model = ("--analyzer", "char_wb", "--ngrams", "3"), tmp_path / "ngrams.sieve"
    run("train", news, "-o", model, *options)
    stored = ask("info", model, "--terms")["terms"]
    assert any(term.startswith(" ") for term in stored)
    assert run("info", model, "--terms").stdout.splitlines() == [display_term(term, "char_wb") for term in stored]
    assert "▁st…" in run("explain", model, "striker").stdout
    assert "▁" in run("terms", news, *options).stdout
    assert any(entry["term"].startswith(" ") for entry in ask("terms", news, *options)["terms"])
