"""Energy curves compared with sums by hand, and the plot compared with the numbers of the selectors."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

from textsieve import OCFS, TOFA, ChiSquare, ClassStats, InputError, extras
from textsieve.selectors import energy_curves, plot_energy

RANDOM = np.random.default_rng(5)
X = sparse.csr_array(RANDOM.poisson(0.6, (90, 40)) * RANDOM.uniform(0.5, 2.0, (90, 40)))
Y = ["a", "b", "c"] * 20 + ["a"] * 30
STATS = ClassStats.from_matrix(X, Y)


def by_hand(weight: float, balanced: bool = False) -> list[float]:
    rows, labels = X.toarray(), np.array(Y)
    means = np.array([rows[labels == label].mean(axis=0) for label in "abc"])
    shares = np.full(3, 1 / 3) if balanced else np.array([(labels == label).mean() for label in "abc"])
    between = shares @ (means - shares @ means) ** 2
    scores = sorted(weight * between + (1 - weight) * rows.var(axis=0), reverse=True)
    return [sum(scores[: p + 1]) / sum(scores) for p in range(len(scores))]


@pytest.mark.parametrize("balanced", [False, True])
def test_curves_are_those_by_hand(balanced: bool) -> None:
    curves = energy_curves(STATS, (1, 0.25, 0), "balanced" if balanced else None)
    assert list(curves) == [0.0, 0.25, 1.0]
    for weight, curve in curves.items():
        assert curve == pytest.approx(by_hand(weight, balanced), rel=1e-9)
        assert curve[-1] == 1.0


def test_curves_are_those_of_the_selectors() -> None:
    curves = energy_curves(STATS)
    assert list(curves) == [0.0, 0.5, 1.0]
    assert curves[1.0].tolist() == OCFS().fit_stats(STATS).energy_.tolist()
    for weight, curve in curves.items():
        assert curve.tolist() == TOFA(weight=weight).fit_stats(STATS).energy_.tolist()


BAD: list[tuple[Any, Any, str]] = [
    (STATS, [0, 1.5], "1.5 has no energy: above weight 1 scores can be negative"),
    (STATS, [], "weights: there are none"),
    (STATS, [np.nan], "nan is no weight"),
    (STATS, [np.inf], "inf is no weight"),
    (STATS, ["auto"], "'auto' is no weight"),
    (STATS, [True], "True is no weight"),
    (ClassStats.zero(3), [0], "no terms that could have an energy"),
    (ClassStats.from_matrix(X), [0, 1], "labels of 0 classes"),
    (ClassStats.from_matrix(X, ["a"] * 90), [1], "labels of 1 class, "),
    (ClassStats.from_matrix([[1.0], [1.0], [5.0], [5.0]], ["a", "b", None, None]), [0], ""),
    (ClassStats.from_matrix([[0.0], [9.0], *[[4.0]] * 40], ["a", "b", *[None] * 40]), [-3], "some scores are negative"),
]


@pytest.mark.parametrize(("stats", "weights", "message"), BAD, ids=[case[-1] for case in BAD])
def test_weights_without_energy_raise(stats: ClassStats, weights: Any, message: str) -> None:
    if not message:
        assert energy_curves(stats, weights)[0.0].tolist() == [1.0]
        return
    with pytest.raises(InputError, match=message):
        energy_curves(stats, weights)


def test_without_labels_only_weight_0_is_allowed() -> None:
    assert energy_curves(ClassStats.from_matrix(X), [0])[0.0] == pytest.approx(by_hand(0.0))


def texts_in(chart: Any) -> list[str]:
    spec = chart.to_dict()
    datasets = [spec["datasets"][layer["data"]["name"]] for layer in spec["layer"] if layer["mark"]["type"] == "text"]
    return sorted(row["text"] for dataset in datasets for row in dataset if row["text"])


def test_the_plot_shows_how_many_terms_selectors_select(tmp_path: Path) -> None:
    chart = plot_energy(STATS, tmp_path / "x.svg", level=0.6)
    for weight in (0.0, 0.5, 1.0):
        assert f"λ = {weight:g} ({TOFA(weight=weight).fit_stats(STATS).n_terms_for(0.6)} terms)" in texts_in(chart)
    assert "60%" in texts_in(chart)
    text = (tmp_path / "x.svg").read_text(encoding="utf-8")
    assert "90 documents, 40 terms." in text
    assert plot_energy(STATS, level=0.6).to_dict() == chart.to_dict(), "and without a file"
    assert list(tmp_path.iterdir()) == [tmp_path / "x.svg"]


def test_the_weight_and_class_weight_of_a_selector_are_used() -> None:
    fitted = TOFA(weight=0.75, class_weight="balanced").fit(X, Y)
    chart = plot_energy(fitted, weights=[0, 1])
    assert texts_in(chart) == ["λ = 0", "λ = 0.75", "λ = 1"]
    assert chart.to_dict() == plot_energy(STATS, weights=[0, 0.75, 1], class_weight="balanced").to_dict()
    assert chart.to_dict() != plot_energy(STATS, weights=[0, 0.75, 1]).to_dict()
    assert texts_in(plot_energy(OCFS().fit(X, Y))) == ["λ = 0", "λ = 0.5", "λ = 1"]
    assert texts_in(plot_energy(TOFA(weight=1.5).fit(X, Y))) == ["λ = 0", "λ = 0.5", "λ = 1"], "which has no energy"


def test_an_automatic_weight_is_labelled_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("textsieve.selectors.trace.auto_weight", lambda *_: 0.875)
    assert "λ = 0.875, chosen" in texts_in(plot_energy(TOFA().fit(X, Y)))


def test_invalid_plots_raise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=r"ChiSquare\(\) has no energy, which is that of trace scores; give a fitted"):
        plot_energy(ChiSquare().fit(X, Y))  # type: ignore[arg-type]
    with pytest.raises(NotFittedError):
        plot_energy(TOFA(weight=0.5))
    monkeypatch.setattr("textsieve.selectors.energy.energy_curves", None)  # it must not be called
    with pytest.raises(InputError, match="a chart is written to a file that ends in"):
        plot_energy(STATS, tmp_path / "x.jpeg")
    monkeypatch.setattr(extras, "is_installed", lambda name: name != "altair")
    with pytest.raises(InputError, match=r"plot_energy needs altair; pip install 'textsieve\[plots\]'"):
        plot_energy(STATS)


def test_plot_energy_method(tmp_path: Path) -> None:
    selector = TOFA(weight=0.3, k=2).fit(X, Y)
    drawn = selector.plot_energy(tmp_path / "energy.svg", weights=[0, 1])
    assert drawn.to_dict() == plot_energy(selector, weights=[0, 1]).to_dict()
    assert "λ = 0.3" in (tmp_path / "energy.svg").read_text(encoding="utf-8")
    with pytest.raises(NotFittedError):
        TOFA().plot_energy()


@pytest.mark.parametrize("n", [20, 25, 50])
def test_the_annotated_numbers_equal_those_of_the_selector(n: int) -> None:
    """With equal scores, rounding leaves the curve slightly below 0.8 where it should reach it."""
    selector = TOFA(weight=0, energy=0.8).fit(0.3 * np.eye(n))
    drawn = selector.plot_energy(weights=[0], level=0.8).to_json()
    assert f"({int(selector.get_support().sum())} terms)" in drawn
    assert int(selector.get_support().sum()) == round(0.8 * n)


def test_two_weights_that_differ_in_the_fifth_digit_have_two_names() -> None:
    drawn = plot_energy(STATS, weights=[0.99999, 0.999991, 1]).to_json()
    assert "λ = 0.99999" in drawn.replace("\\u03bb", "λ")
    assert "λ = 0.999991" in drawn.replace("\\u03bb", "λ")


def test_without_labels_the_variance_is_drawn() -> None:
    assert list(energy_curves(ClassStats.from_matrix(X), [0])) == [0.0]
    assert "λ = 0" in texts_in(TOFA(weight=0).fit(X).plot_energy())
    assert texts_in(plot_energy(ClassStats.from_matrix(X))) == texts_in(TOFA(weight=0).fit(X).plot_energy())
