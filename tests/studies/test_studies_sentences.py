"""Sentences that are filled in and chosen by measured numbers."""

import pytest
from studies.measurements import Estimate
from studies.paper import MICRO_F1, SECONDS, TERMS
from studies.sentences import Named, NoNumber, fill_in, names_in

NUMBERS = {
    "A | 10": Named(Estimate(0.5504, 0.01), MICRO_F1),
    "B | 10": Named(Estimate(0.5496), MICRO_F1),
    "C, without | 10": Named(Estimate(0.5), MICRO_F1),
    "seconds | 10": Named(Estimate(0.004), SECONDS),
    "seconds, slow | 10": Named(Estimate(0.012), SECONDS),
    "seconds, odd | 10": Named(Estimate(0.0033345), SECONDS),
    "seconds, even | 10": Named(Estimate(0.0010485), SECONDS),
    "terms | 10": Named(Estimate(1_234.0), TERMS),
    "words | 10": Named(Estimate(("one", "two")), TERMS),
    "none | 10": Named(Estimate(None, problem="too few"), MICRO_F1),
}


def filled(text: str) -> str:
    return fill_in(text, NUMBERS.__getitem__)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{A | 10} of { terms|10 }", "0.550 of 1,234"),
        ("{words | 10}, {none | 10}", "one two, -"),
        ("{A | 10 minus C, without | 10}", "+0.050"),
        ("{C, without | 10 minus A | 10}", "-0.050"),
        ("{seconds, slow | 10 ÷ seconds | 10} times", "3.00 times"),
        ("{order C, without; A | 10}", "A (0.550) and C, without (0.500)"),
        ("{if A | 10 > C, without | 10}A leads.{else}C leads.{end}", "A leads."),
        ("{if A | 10 < C, without | 10}A is behind.{else}A is at {A | 10}.{end}", "A is at 0.550."),
        ("It is.{if A | 10 < 0.5} A is low.{end}", "It is."),
        ("{if A | 10 > C, without | 10 & A | 10 > 0.9}both{else}not both{end}", "not both"),
        ("{if A | 10 ~ B | 10}alike{end} {if A | 10 ~ C, without | 10}alike{else}unlike{end}", "alike unlike"),
        ("{if\n    A | 10 >\n    C, without | 10}broken{end}", "broken"),
        ("{if seconds, slow | 10 ÷ seconds | 10 > 2.5}three\ntimes{end}", "three\ntimes"),
        ("{if A | 10 minus C, without | 10 > 0.04}far{end}", "far"),
    ],
)
def test_a_text_is_filled_in(text: str, expected: str) -> None:
    assert filled(text) == expected


def test_numbers_are_compared_as_they_are_printed() -> None:
    """Readers see 0.550 twice: neither is ahead."""
    assert filled("{if A | 10 > B | 10}ahead{else}not ahead{end}") == "not ahead"


def test_ratios_are_those_before_rounding_as_in_tables_of_claims() -> None:
    """0.00333 / 0.00105, as printed, would be 3.17."""
    assert filled("{seconds, odd | 10 ÷ seconds, even | 10}") == "3.18"


@pytest.mark.parametrize("name", ["none | 10", "words | 10"])
def test_what_is_no_number_is_not_compared(name: str) -> None:
    with pytest.raises(NoNumber, match="is not a number"):
        filled(f"{{if {name} > A | 10}}so{{end}}")


def test_an_unknown_name_raises_an_error() -> None:
    with pytest.raises(KeyError):
        filled("{D | 10}")


def test_all_names_are_listed_also_those_of_other_branches() -> None:
    text = "{if A | 10 > 0.5 & B | 10 minus C | 1 < 2}{D | 1}{else}{order E; F | 2}{end} {G | x ÷ H | y}"
    assert list(names_in(text)) == ["A | 10", "B | 10", "C | 1", "D | 1", "E | 2", "F | 2", "G | x", "H | y"]
