"""The title, the description and the examples that the owner of a model gave, and what the page shows at first."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import pytest

from tests.browser import Browser
from tests.serve.conftest import PRESENTATION, Page, PageService, Services, documents, words_categorizer

NAMES = ("predict", "explain", "feedback")
"""The routes that have an example with a text."""


@pytest.fixture(scope="module")
def many(services: Services) -> PageService:
    """Return a model with 30 classes, of which the last ones have the most documents."""
    texts, labels = documents({f"topic {number:02}": f"word{number}a word{number}b" for number in range(30)}, 4)
    more_texts, more_labels = documents({f"topic {number}": f"word{number}a" for number in range(20, 30)}, 2)
    model = words_categorizer(probabilities=None).fit([*texts, *more_texts], [*labels, *more_labels]).model_
    return services.start("many", model)


def test_the_title_and_the_description_are_shown_as_text(
    page: Page, browser: Browser, described: PageService, single_label: PageService
) -> None:
    page.open(described)
    assert browser.texts("h1") == [PRESENTATION["title"]]
    assert not browser.all("#not-started")
    assert browser.texts("#description") == [PRESENTATION["description"]]
    assert browser.run("return document.title") == f"{PRESENTATION['title']} – textsieve"
    assert browser.run("return document.querySelectorAll('header b, header script, main i').length") == 0
    assert browser.run("return window.hurt ?? null") is None
    page.open(single_label)
    assert browser.texts("h1") == ["textsieve"]
    assert not browser.one("#description").is_displayed()
    assert browser.run("return document.title") == "toy.sieve – textsieve"
    assert browser.complaints() == []


def test_the_api_reference_has_the_examples_of_the_model(browser: Browser, described: PageService) -> None:
    browser.open(f"{described.url}docs")
    browser.wait("document.getElementById('main').dataset.ready")
    bodies = [json.loads(browser.run(f"return document.querySelector('#v1-{name} textarea').value")) for name in NAMES]
    examples = PRESENTATION["examples"]
    assert [body.get("texts", body.get("text")) for body in bodies] == [examples, examples[0], ""]
    assert not browser.all("#not-started")


@pytest.mark.parametrize("page_name", ["page.html", "docs.html"])
def test_a_page_whose_script_does_not_start_says_why(browser: Browser, tmp_path: Path, page_name: str) -> None:
    """The browser refuses the module scripts of local files, as it does when a proxy changes the header Host."""
    assets = files("textsieve.serve").joinpath("assets")
    for name in (page_name, "page.css"):
        (tmp_path / name).write_bytes(assets.joinpath(name).read_bytes())
    browser.open((tmp_path / page_name).as_uri())
    assert not browser.one("#not-started").is_displayed(), "it appears only if the script is late"
    browser.wait("getComputedStyle(document.getElementById('not-started')).visibility === 'visible'")
    assert "must pass on the header Host with its port" in browser.texts("#not-started")[0]


def test_an_example_fills_in_the_text(page: Page, browser: Browser, described: PageService) -> None:
    page.open(described)
    first, second, third = browser.texts("#examples button")
    assert (first, second) == tuple(f"“{example}”" for example in PRESENTATION["examples"][:2])
    assert third.startswith("“the road the road")
    assert third.endswith(" …”"), "a long example is cut on its button"
    browser.one("#examples button:nth-child(2)").click()
    page.wait_for_text(PRESENTATION["examples"][1])
    assert browser.run("return document.getElementById('box').value") == PRESENTATION["examples"][1]
    assert not browser.one("#welcome").is_displayed()
    assert browser.active() == "clear", "the example that had the focus is gone"
    browser.one("#clear").click()
    assert browser.one("#welcome").is_displayed()
    assert browser.active() == "box"


def test_the_classes_are_shown_before_there_is_a_text(
    page: Page, browser: Browser, single_label: PageService, multilabel: PageService
) -> None:
    page.open(single_label)
    assert browser.texts("#class-names li") == ["cars", "music", "space"]
    assert browser.texts("#class-names-note") == ["A text gets one of these 3 classes."]
    assert not browser.one("#examples-part").is_displayed(), "there are no examples"
    page.open(multilabel)
    assert browser.texts("#class-names-note") == ["A text gets any number of these 24 classes."]
    page.classify("aword0")
    assert not browser.one("#welcome").is_displayed()


def test_only_the_largest_of_many_classes_are_shown_at_first(page: Page, browser: Browser, many: PageService) -> None:
    page.open(many)
    assert len(browser.all("#class-names li")) == 24
    assert "topic 29" in browser.texts("#class-names li"), "it has the most documents"
    browser.one("#all-class-names").click()
    assert len(browser.all("#class-names li")) == 30
    assert not browser.one("#all-class-names").is_displayed()
    assert browser.active() == "class-names"


def test_the_page_says_why_the_model_is_not_sure(page: Page, browser: Browser, described: PageService) -> None:
    text = "moon guitar"
    explained = described.model.explain(text)
    best = explained.classes[0]
    assert best.probability is not None
    assert best.probability < 0.9
    page.open(described)
    page.classify(text)
    lines = browser.texts("#prediction p")
    assert lines[1] == "Not sure"
    assert lines[2] == f"Best guess: {best.label}, probability {100 * best.probability:.1f}%"
    assert lines[3] == "No class has a probability of at least 90%."
    assert browser.all("#classes .tick") == [], "a guess is not predicted"
    browser.one("#wrong").click()
    assert browser.texts("#wrong") == ["Choose the class"]
    assert best.label in browser.texts("#right-class option"), "the guess may be right"


@pytest.mark.parametrize("width", [390, 1280])
def test_the_marked_text_follows_the_prediction(
    page: Page, browser: Browser, described: PageService, width: int
) -> None:
    browser.size(width, 844)
    page.open(described)
    page.classify(PRESENTATION["examples"][0])
    top = "return document.getElementById(arguments[0]).getBoundingClientRect().top"
    prediction, marked, classes = (browser.run(top, name) for name in ("prediction", "marked", "classes"))
    assert prediction < marked
    assert prediction < classes
    if width == 390:
        assert marked < classes
    gap = "return document.getElementById('marked').getBoundingClientRect().top"
    gap += " - document.querySelector('.prediction').getBoundingClientRect().bottom"
    assert browser.run(gap) < 200
