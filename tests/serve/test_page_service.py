"""The description of the model, its terms, the token, and a service that goes down and comes back."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.browser import Browser
from tests.serve.conftest import Page, PageService, Services
from tests.serve.servers import running_server
from textsieve import Categorizer
from textsieve.modelfile import write
from textsieve.prediction import Model
from textsieve.presentation import PRESENTATION

TOKEN = "a-token-of-the-tests"


def column(browser: Browser, place: int) -> list[str]:
    return browser.texts(f"#model-card table:not(.confidence) tbody tr > :nth-child({place})")


def test_the_model_tab_describes_the_model(page: Page, browser: Browser, single_label: PageService) -> None:
    page.open(single_label, "#model")
    facts = dict(zip(browser.texts(".facts:not(.small) dt"), browser.texts(".facts:not(.small) dd"), strict=True))
    assert facts["Predicts"] == "one class for each text, with probabilities"
    assert facts["Trained on"] == "120 documents in 3 classes"
    assert facts["Terms"].startswith(f"{len(single_label.model.terms):,} terms, words and n-grams, selected")
    assert facts["Classifier"] == "a linear support vector machine (“svm”)"
    assert facts["Corrections"] == "The next textsieve update retrains the model from its sources and the corrections."
    assert "Updated" not in facts
    held_out = single_label.model.about["held_out"]
    assert browser.texts(".scores .big") == [
        f"{held_out['accuracy']:.1%}",
        f"{held_out['macro_f1']:.3f}",
    ]
    assert column(browser, 1) == ["cars", "music", "space"]
    first, second = browser.texts("#model-card .card:nth-child(2) > p")
    assert first.startswith(f"Tested on {held_out['documents']} documents (20%). A model that was trained in the same")
    confidence = single_label.model.about["confidence"]
    assert confidence["documents"] != held_out["documents"]
    assert second.startswith(f"A second test, by cross-validation: {confidence['documents']:g} documents were")
    assert "holds out one part after another" in second
    rows = confidence["rows"]
    assert browser.texts(".confidence td:nth-child(2)") == [f"{row['share']:.1%}" for row in rows]
    assert re.search(r" at \d\d:\d\d [A-Z]\S+$", facts["Trained"]), "with the zone"
    settings = dict(zip(browser.texts(".facts.small dt"), browser.texts(".facts.small dd"), strict=True))
    expected = {name: value for name, value in single_label.model.settings.items() if name not in PRESENTATION}
    assert {name: json.loads(words) for name, words in settings.items()} == expected | {"ngram_range": [1, 2]}
    for place, name in ((3, "precision"), (4, "recall"), (5, "f1")):
        assert [float(text) for text in column(browser, place)] == pytest.approx(
            [measures[name] for measures in held_out["classes"]], abs=5e-4
        )


def test_the_model_tab_shows_updates(page: Page, browser: Browser, single_label: PageService) -> None:
    page.open(single_label, "#model")
    browser.run(
        "const updated = {documents: 12, times: 2, last: '2026-11-16T14:00:00+00:00'};"
        "return Promise.all([import('/model-view.js'), fetch('v1/model').then((answer) => answer.json())])"
        ".then(([view, model]) => view.showModel({...model, updated}))"
    )
    facts = dict(zip(browser.texts(".facts:not(.small) dt"), browser.texts(".facts:not(.small) dd"), strict=True))
    assert facts["Updated"].startswith("16 November 2026")
    assert facts["Updated"].endswith("with 12 documents in 2 updates")
    assert "before the model was updated" in browser.texts("#model-card p")[0]


def test_a_single_test_is_no_second_one(page: Page, browser: Browser, single_label: PageService) -> None:
    page.open(single_label, "#model")
    browser.run(
        "return Promise.all([import('/model-view.js'), fetch('v1/model').then((answer) => answer.json())])"
        ".then(([view, model]) => view.showModel({...model, held_out: null}))"
    )
    untested, cross_validated = browser.texts("#model-card .card:nth-child(2) > p")
    assert untested == "The quality of this model was not measured. Train with --held-out to measure it."
    assert cross_validated.startswith("Tested by cross-validation: ")
    assert cross_validated.endswith("trained without it.")


COMMANDS = re.compile(r"textsieve (?:update|train|predict|serve)\b|--[a-z]")


@pytest.mark.parametrize("has_feedback", [True, False])
def test_colleagues_read_no_commands(
    page: Page, browser: Browser, single_label_model: Model, tmp_path: Path, has_feedback: bool
) -> None:
    path, feedback = tmp_path / "toy.sieve", tmp_path / "corrections.jsonl"
    write(single_label_model, path)
    options = ["--allow-host", "team.localhost", *(["--feedback", str(feedback)] if has_feedback else [])]
    with running_server(path, tmp_path, *options) as server:
        served = PageService(server.url.replace("127.0.0.1", "team.localhost"), single_label_model, feedback)
        page.open(served, "#model")
        shown = browser.texts("#model-card p, #model-card dl:not(.small) dd")
        page.select_tab("label")
        shown += browser.texts("#label-target")
        page.select_tab("text")
        page.classify("guitar of the moon")
        if has_feedback:
            browser.one("#wrong").click()
            shown += browser.texts("#correction-use")
            browser.choose("#right-class", "null")
            browser.one("#correction-form button[type=submit]").click()
            browser.wait("document.getElementById('correction-state').textContent")
            shown += browser.texts("#correction-state")
            assert shown.count("The model learns from corrections when its owner updates it.") == 2
            assert shown[-1].endswith("It shows the owner of the model that a class is missing.")
        else:
            assert shown[-1].endswith("download them when you are done, and give them to the owner of the model.")
    browser.run("document.getElementById('box').value = 'piano'")
    browser.one("#classify").click()
    browser.wait("!document.getElementById('trouble').hidden")
    shown += browser.texts("#trouble")
    assert [text for text in shown if COMMANDS.search(text)] == []


def test_choosing_a_class_before_the_result_arrives(page: Page, browser: Browser, single_label: PageService) -> None:
    page.open(single_label)
    page.classify("moon rocket")
    browser.run(
        "document.getElementById('box').value = 'guitar song';"
        "document.getElementById('classify').click();"
        "document.querySelector('#classes [aria-checked=false]').click()"
    )
    page.wait_for_text("guitar song")
    assert browser.texts("#prediction strong") == ["music"]


def test_the_class_table_can_be_sorted(page: Page, browser: Browser, multilabel: PageService) -> None:
    page.open(multilabel, "#model")
    heads = browser.all("#model-card .sorter")
    heads[1].click()
    falling = [int(text) for text in column(browser, 2)]
    assert falling == sorted(multilabel.model.class_docs, reverse=True)
    heads[1].click()
    assert [int(text) for text in column(browser, 2)] == sorted(falling)
    assert browser.run("return document.querySelectorAll('#model-card [aria-sort]').length") == 1
    assert "was not measured" in browser.texts("#model-card p")[0]


def test_terms_can_be_filtered_and_searched(page: Page, browser: Browser, single_label: PageService) -> None:
    page.open(single_label, "#terms")
    browser.wait("document.querySelectorAll('#terms-list tbody tr').length === 50")
    assert browser.texts("#terms-list tbody th") == list(single_label.model.terms[:50])
    browser.one("#terms-more").click()
    browser.wait("document.querySelectorAll('#terms-list tbody tr').length === 100")
    assert browser.texts("#terms-list tbody th") == list(single_label.model.terms[:100])
    browser.choose("#terms-class", '"music"')
    browser.wait("document.querySelectorAll('#terms-list tbody tr').length === 50")
    strongest = [term for term, _ in single_label.model.class_terms(50)["music"]]
    assert browser.texts("#terms-list tbody th")[: len(strongest)] == strongest
    browser.one("#terms-search").send_keys("GUITAR")
    browser.wait("document.querySelectorAll('#terms-list tbody tr').length < 50")
    known = [term for term in single_label.model.terms if "guitar" in term]
    assert sorted(browser.texts("#terms-list tbody th")) == sorted(known)
    assert browser.texts("#terms-state") == [f"{len(known)} terms"]
    browser.one("#terms-search").send_keys("qqq")
    browser.wait("document.getElementById('terms-state').textContent === 'No matching terms.'")


def test_the_page_asks_for_a_token_and_does_not_store_it(
    page: Page, browser: Browser, services: Services, single_label_model: Model
) -> None:
    served = services.start("guarded", single_label_model, env={"TEXTSIEVE_TOKEN": TOKEN})
    browser.open(served.url)
    browser.wait("document.getElementById('token').open")
    assert browser.run("return document.getElementById('token-field').type") == "password"
    assert browser.active() == "token-field"
    browser.type("пароль")
    browser.one("#token-form button[type=submit]").click()
    assert browser.texts("#token-error")[0].startswith("A token has only English letters")
    assert browser.run("return [document.getElementById('token').open, document.getElementById('trouble').hidden]") == [
        True,
        True,
    ]
    browser.run("document.getElementById('token-field').select()")
    browser.type("wrong")
    browser.one("#token-form button[type=submit]").click()
    browser.wait("document.getElementById('token-error').textContent === 'The server did not accept this token.'")
    browser.type(TOKEN)
    browser.one("#token-form button[type=submit]").click()
    browser.wait("document.getElementById('summary').textContent.includes('classifies texts')")
    page.classify("moon rocket")
    assert browser.texts("#prediction strong") == ["space"]
    stored = browser.run("return [localStorage.length, sessionStorage.length, document.cookie, location.href]")
    assert stored == [0, 0, "", served.url]
    assert TOKEN not in browser.run("return document.documentElement.outerHTML")
    browser.open(served.url)
    browser.wait("document.getElementById('token').open")
    browser.one("#token-cancel").click()
    browser.wait("!document.getElementById('trouble').hidden")
    browser.one("#trouble button").click()
    browser.wait("document.getElementById('token').open")


def test_the_page_recovers_when_the_service_restarts(
    page: Page, browser: Browser, single_label_model: Model, tmp_path: Path
) -> None:
    path = tmp_path / "toy.sieve"
    write(single_label_model, path)
    with running_server(path, tmp_path) as server:
        port = str(server.port)
        page.open(PageService(server.url, single_label_model, tmp_path / "none"))
        page.shorten_timers()
        page.classify("moon rocket")
        assert browser.all("#wrong") == [], "it was started without a file for corrections"
    browser.run("document.getElementById('box').value = 'guitar song'")
    browser.one("#classify").click()
    browser.wait("!document.getElementById('trouble').hidden")
    assert browser.texts("#trouble")[0].startswith("The server does not respond.")
    other = Categorizer().fit(["guitar song", "piano song", "moon", "rocket moon"], ["tunes", "tunes", "sky", "sky"])
    write(other.model_, path)
    with running_server(path, tmp_path, "--port", port):
        page.wait_for_text("guitar song")
        browser.wait("document.getElementById('trouble').hidden")
        browser.wait("document.getElementById('summary').textContent.includes('2 classes')")
        assert browser.texts("#prediction strong") == ["tunes"]
