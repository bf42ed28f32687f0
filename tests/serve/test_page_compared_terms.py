"""For models whose contributions are all below 0, the page shows contributions above average."""

from __future__ import annotations

import pytest

from tests.browser import Browser
from tests.serve.conftest import Page, PageService

TEXT = "rocket with engine and guitar, shuttle moon song"


def compared(served: PageService, label: str) -> dict[str, float]:
    """Return how much more each term adds to a class than to all classes on average."""
    by_class = {
        cls.label: {term.term: term.contribution for term in cls.contributions}
        for cls in served.model.explain(TEXT).classes
    }
    return {
        term: value - sum(values[term] for values in by_class.values()) / 3 for term, value in by_class[label].items()
    }


def number(shown: str) -> float:
    return float(shown.replace("−", "-").replace(",", ""))


@pytest.mark.parametrize("label", ["space", "music"])
def test_marks_and_table_compare_classes_for_naive_bayes(
    page: Page, browser: Browser, bayes: PageService, label: str
) -> None:
    page.open(bayes)
    page.classify(TEXT)
    page.choose_class(label)
    expected, explained = compared(bayes, label), bayes.model.explain(TEXT)[label]
    exact = {term.term: term.contribution for term in explained.contributions}
    assert max(exact.values()) < 0, "all contributions of this model are below 0"
    kinds = browser.run(
        "return [...document.querySelectorAll('#marked mark')].map((mark) => [mark.textContent, mark.className])"
    )
    assert dict(kinds) == {term: "for" if value > 0 else "against" for term, value in expected.items()}
    assert set(dict(kinds).values()) == {"for", "against"}
    rows = browser.run(
        "return [...document.querySelectorAll('.contributions tbody tr')]"
        ".map((row) => [...row.cells].slice(0, 5).map((cell) => cell.textContent))"
    )
    assert browser.texts(".contributions thead th") == ["Term", "Count", "Weight", "Adds", "Above average"]
    strengths = [abs(expected[row[0]]) for row in rows]
    assert strengths == sorted(strengths, reverse=True)
    for term, _, _, adds, beside in rows:
        assert number(adds) == pytest.approx(exact[term], abs=6e-4)
        assert number(beside) == pytest.approx(expected[term], abs=6e-4)
    assert number(browser.texts(".contributions .sum .number")[0]) == pytest.approx(explained.score, abs=6e-4)
    assert "logarithms of probabilities" in " ".join(browser.texts("#contributions .note"))


def test_other_models_show_plain_contributions(page: Page, browser: Browser, single_label: PageService) -> None:
    page.open(single_label)
    page.classify(TEXT)
    assert browser.texts(".contributions thead th") == ["Term", "Count", "Weight", "Adds"]
    assert "logarithms" not in " ".join(browser.texts("#contributions .note"))
    assert browser.texts("#classes-note") == ["Choose a class to see its terms."]
