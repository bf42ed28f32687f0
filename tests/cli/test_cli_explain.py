"""`textsieve explain` on a terminal: the text with highlighted terms."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.reference.cli_cases import Ask, Run, documents

from textsieve import Categorizer
from textsieve.cli.explain import AGAINST, FOR, MAX_SHOWN, contributions_of_words, highlight
from textsieve.prediction import Span
from textsieve.prediction.explanations import Contribution
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


def test_a_word_has_the_contributions_of_its_ngrams() -> None:
    texts, labels = map(list, zip(*documents(), strict=True))
    model = Categorizer(probabilities=None).fit(texts, labels)
    text = "The STRIKER's goal, the goals! A striker (unstriker)"
    for explained in model.explain(text).classes:
        words = contributions_of_words(text, model.spans(text), explained)
        assert {"striker", "goal", "goals", "the", "unstriker"} <= {word.word for word in words}
        assert len({word.word for word in words}) == len(words)
        total = sum(word.contribution for word in words)
        assert total + explained.intercept == pytest.approx(explained.score, abs=1e-12)
        sizes = [abs(word.contribution) for word in words]
        assert sizes == sorted(sizes, reverse=True)
    by_word = {
        word.word: word for word in contributions_of_words(text, model.spans(text), model.explain(text)["sport"])
    }
    assert by_word["striker"].n_terms > by_word["goal"].n_terms > 3
    assert by_word["striker"].contribution > 0


def test_a_span_before_the_first_word_is_listed_by_itself() -> None:
    text = "\u200b\u200b goal"  # characters of no width are in no word
    explained: Any = SimpleNamespace(
        contributions=[Contribution("\u200b", 2, 1.0, 0.5), Contribution("goal", 1, 1.0, 0.5)]
    )
    spans = [Span(0, 1, "\u200b"), Span(1, 2, "\u200b"), Span(3, 7, "goal")]
    assert {word.word for word in contributions_of_words(text, spans, explained)} == {"\u200b", "goal"}


def test_a_table_of_words_replaces_that_of_ngrams(news: Path, tmp_path: Path, run: Run) -> None:
    run("train", news, "-o", tmp_path / "m.sieve", "--held-out", "0")
    printed = run("explain", tmp_path / "m.sieve", "the striker", "--classes", 1, "--terms", 1).stdout
    assert "▁" not in printed
    assert next(line.split()[0] for line in printed.splitlines() if line.startswith("striker")) == "striker"
    assert "(1 other word)" in printed
    assert "the sum of its own and its n-grams'" in printed


@pytest.mark.parametrize(
    ("texts", "text", "words"),
    [
        (["足球比赛很多", "银行股票下跌"], "今天的足球比赛", {"足球", "比赛"}),
        (["टीम ने मैच जीता", "शेयर बाजार गिरा"], "टीम ने शेयर खरीदे", {"टीम", "शेयर"}),
    ],
    ids=["Chinese", "Hindi"],
)
def test_words_of_other_scripts_are_not_cut_or_joined(texts: list[str], text: str, words: set[str]) -> None:
    model = Categorizer(probabilities=None).fit(texts * 12, ["sport", "money"] * 12)
    explained = model.explain(text).classes[0]
    explained_words = contributions_of_words(text, model.spans(text), explained)
    assert words <= {word.word for word in explained_words}
    assert text not in {word.word for word in explained_words}
    assert sum(word.contribution for word in explained_words) + explained.intercept == pytest.approx(
        explained.score, abs=1e-12
    )


def test_a_model_whose_contributions_have_one_sign_lists_terms(news: Path, tmp_path: Path, run: Run) -> None:
    run("train", news, "-o", tmp_path / "m.sieve", "--held-out", "0", "--classifier", "nb", "--char-ngrams", "3-5")
    printed = run("explain", tmp_path / "m.sieve", "the striker", "--classes", 1).stdout
    assert "beside others" in printed.splitlines()[3]
    assert "Terms with ▁ or … are n-grams of characters" in printed
