"""The style that charts share: styles of curves, texts, and round numbers on axes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textsieve.plots.style import clean_text, curve_style, log_domain, log_ticks, round_domain


def test_styles_repeat_after_42_curves() -> None:
    pairs = [(style.colour, tuple(style.dash)) for style in map(curve_style, range(42))]
    assert len(set(pairs)) == 42
    assert len({colour for colour, _ in pairs[:7]}) == 7


def test_text_is_on_one_line_and_can_be_written() -> None:
    assert clean_text("a\n b\tc") == "a b c"
    assert clean_text("x\x00y\ud800z\ufffe") == "x�y�z�"
    assert clean_text("λ 𝛌 é") == "λ 𝛌 é"


@pytest.mark.parametrize(
    ("ends", "expected"),
    [
        ((0.52, 0.77), (0.5, 0.8)),
        ((0.0, 1.0), (0.0, 1.0)),
        ((-3.2, 11.0), (-4.0, 12.0)),
        ((5.0, 5.0), (2.0, 8.0)),
        ((0.0, 0.0), (-0.6, 0.6)),
        ((1234.0, 98765.0), (0.0, 100000.0)),
        ((0.0, 3029.0), (0.0, 3500.0)),
    ],
)
def test_domains_end_in_round_numbers(ends: tuple[float, float], expected: tuple[float, float]) -> None:
    assert round_domain(*ends) == pytest.approx(expected)


@given(st.floats(-1e9, 1e9), st.floats(-1e9, 1e9))
def test_a_domain_contains_its_numbers(a: float, b: float) -> None:
    low, high = round_domain(min(a, b), max(a, b))
    near = 1e-6 * max(abs(a), abs(b), 1e-300)
    assert low < high
    assert low <= min(a, b) + near
    assert high >= max(a, b) - near


def test_ticks_of_a_logarithmic_axis() -> None:
    assert log_ticks((1, 101_322)) == [1, 10, 100, 1_000, 10_000, 100_000]
    assert log_ticks((1, 30)) == [1, 2, 5, 10, 20]
    assert log_ticks((0.01, 10)) == pytest.approx([0.01, 0.1, 1, 10])
    assert log_ticks((3, 4)) == [3, 4]
    assert log_domain(7, 7) == (3.5, 14)
