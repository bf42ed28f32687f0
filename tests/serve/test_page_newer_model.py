"""The page stays correct when the text changes, and when the service loads another model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.browser import Browser
from tests.serve.conftest import Page, PageService
from tests.serve.servers import running_server
from textsieve import Categorizer
from textsieve.modelfile import write
from textsieve.prediction import Model

STALE = "document.getElementById('result').classList.contains('is-stale')"


@pytest.fixture(scope="module")
def other_model() -> Model:
    texts = ["guitar song", "piano song", "moon", "rocket moon", "rocket"]
    return Categorizer().fit(texts, ["tunes", "tunes", "sky", "sky", "sky"]).model_


class ReplaceableService(NamedTuple):
    """A service, and a function that replaces its model."""

    served: PageService
    replace_model: Callable[[], None]


@pytest.fixture
def replaceable(single_label_model: Model, other_model: Model, tmp_path: Path) -> Iterator[ReplaceableService]:
    path, feedback = tmp_path / "toy.sieve", tmp_path / "corrections.jsonl"
    write(single_label_model, path)
    with running_server(path, tmp_path, "--reload", "--feedback", str(feedback)) as server:

        def replace_model() -> None:
            write(other_model, path)
            server.program.says(r"(Loaded toy)")

        yield ReplaceableService(PageService(server.url, single_label_model, feedback), replace_model)


def test_a_result_of_a_newer_model_updates_the_page(
    page: Page, browser: Browser, replaceable: ReplaceableService
) -> None:
    page.open(replaceable.served)
    page.classify("moon rocket")
    assert browser.texts("#prediction strong") == ["space"]
    assert not browser.one("#newer-model").is_displayed()
    replaceable.replace_model()
    page.classify("guitar song")
    assert browser.texts("#prediction strong") == ["tunes"]
    assert browser.texts("#newer-model")[0].startswith("A newer model was loaded on ")
    assert "2 classes" in browser.texts("#summary")[0]
    assert browser.texts("#right-class option") == ["Choose …", "None of these", "sky"]
    assert browser.texts("#terms-class option") == ["All classes", "sky", "tunes"]
    assert browser.texts("#model-card tbody th") == ["sky", "tunes"]


def test_choosing_a_class_of_an_older_model_updates_the_page(
    page: Page, browser: Browser, replaceable: ReplaceableService
) -> None:
    page.open(replaceable.served)
    page.classify("moon rocket")
    replaceable.replace_model()
    browser.run("document.querySelector('#classes [aria-checked=false]').click()")
    browser.wait("document.querySelector('#prediction strong').textContent === 'sky'")
    assert browser.texts("#box-fault") == [""]
    assert set(browser.texts("#classes .name")) == {"sky ✓ predicted", "tunes"}


def test_a_correction_for_an_older_model_is_not_saved(
    page: Page, browser: Browser, replaceable: ReplaceableService
) -> None:
    page.open(replaceable.served)
    page.classify("moon rocket")
    browser.one("#wrong").click()
    browser.choose("#right-class", '"cars"')
    replaceable.replace_model()
    browser.one("#correction-form button[type=submit]").click()
    browser.wait("document.querySelector('#prediction strong').textContent === 'sky'")
    (message,) = browser.texts("#correction-state")
    assert message.startswith("The correction was not saved: the service has loaded another model")
    assert browser.texts("#right-class option") == ["Choose …", "None of these", "tunes"]
    assert not replaceable.served.feedback.exists(), "nothing was written"


def test_the_result_of_a_changed_text_is_dimmed(page: Page, browser: Browser, single_label: PageService) -> None:
    page.open(single_label)
    page.classify("moon rocket")
    assert not browser.run(f"return {STALE}")
    browser.one("#wrong").click()
    assert browser.texts("#correction-form .note")[0] == "Text: “moon rocket”"
    browser.run("document.getElementById('box').focus()")
    browser.type(" and" * 600)  # more than the service takes
    assert browser.run(f"return {STALE}")
    assert browser.one("#stale").is_displayed()
    assert browser.run("return document.getElementById('reasons').inert")
    assert not browser.one("#wrong").is_displayed()
    assert not browser.one("#correction-form").is_displayed()
    browser.run(
        "const box = document.getElementById('box'); box.value = 'moon rocket'; box.dispatchEvent(new Event('input'))"
    )
    assert not browser.run(f"return {STALE}")
    assert browser.one("#correction-form").is_displayed(), "it is about this text again"


def test_the_confirmation_stays_while_the_text_is_edited(
    page: Page, browser: Browser, single_label: PageService
) -> None:
    page.open(single_label)
    page.classify("moon rocket")
    browser.one("#wrong").click()
    browser.choose("#right-class", '"cars"')
    browser.one("#correction-form button[type=submit]").click()
    browser.wait("document.getElementById('correction-state').textContent.startsWith('Thank you')")
    browser.run("document.getElementById('box').focus()")
    browser.type(" and" * 600)
    assert browser.run(f"return {STALE}")
    assert browser.one("#correction-state").is_displayed()
    page.classify("guitar song")
    assert browser.texts("#correction-state") == [""]
