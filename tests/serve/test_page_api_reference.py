"""The API reference in a browser: it is complete, its examples work, and it is accessible."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver.common.keys import Keys

from tests.browser import Browser
from tests.colours import readability
from tests.serve.servers import Server, running_server

TOKEN = "a-secret"
ROUTES = ["/v1/predict", "/v1/explain", "/v1/feedback", "/v1/model", "/v1/terms", "/healthz", "/metrics"]
READY = "document.getElementById('main').dataset.ready"
ANSWERED = "document.querySelector('#{} .status').textContent.includes(' ms')"


@pytest.fixture(scope="module")
def server(models: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("docs")
    with running_server(models["single"], folder, "--feedback", str(folder / "corrections.jsonl")) as server:
        yield server


@pytest.fixture
def docs(browser: Browser, server: Server) -> Browser:
    browser.open(f"{server.url}docs")
    browser.wait(READY)
    return browser


def sent(browser: Browser, place: str) -> str:
    """Send the example of a route, and return the status."""
    browser.run("document.querySelector(arguments[0]).requestSubmit()", f"#{place} form")
    browser.wait(ANSWERED.format(place))
    return browser.texts(f"#{place} .status")[0].split()[0]


def test_every_route_has_its_request_response_and_errors(docs: Browser, server: Server) -> None:
    assert docs.texts(".route .path") == docs.texts("#contents a") == ROUTES
    asked, answered = docs.texts("#v1-explain .schema")
    assert "text: string" in asked
    assert "label: string, number or boolean  # Optional." in asked
    assert "contributions: [{" in answered
    assert "spans: [[integer, integer, integer], …]" in answered
    assert "threshold: number or null" in answered
    assert "integer 0 to 1000" in docs.texts("#v1-terms .parameters td")
    assert "503" in docs.texts("#v1-predict .errors b")
    assert docs.complaints() == []
    assert all(url.startswith(server.url) for url in docs.requests())


@pytest.mark.parametrize(("path", "status"), [*((path, "200") for path in ROUTES if "feedback" not in path)])
def test_examples_can_be_sent(docs: Browser, path: str, status: str) -> None:
    place = path[1:].replace("/", "-")
    assert sent(docs, place) == status
    assert docs.complaints() == []


def test_the_example_correction_is_rejected_until_it_has_a_text(docs: Browser) -> None:
    assert "writes this correction to its file" in " ".join(docs.texts("#v1-feedback .note"))
    assert sent(docs, "v1-feedback") == "422", "sending the unchanged example writes nothing"
    body = json.loads(docs.run("return document.querySelector('#v1-feedback textarea').value"))
    assert body["text"] == ""
    script = "document.querySelector('#v1-feedback textarea').value = arguments[0]"
    docs.run(script, json.dumps({**body, "text": "The striker scored twice."}))
    assert sent(docs, "v1-feedback") == "201", "the example has a label of the model"
    assert json.loads(docs.texts("#v1-feedback form pre")[0]) == {"written": True}


def test_code_examples_follow_the_input_and_run(docs: Browser, tmp_path: Path) -> None:
    body = '{"texts": ["it\'s a goal \\"for\\" <b>the team</b>", "ünï 🎸"], "top": 1}'
    script = "arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('input', {bubbles: true}))"
    docs.run(script, docs.one("#v1-predict textarea"), body)
    assert sent(docs, "v1-predict") == "200"
    shown = json.loads(docs.texts("#v1-predict form pre")[0])
    line, python = docs.texts("#v1-predict .example code")
    words = shlex.split(line)
    assert json.loads(words[words.index("-d") + 1]) == json.loads(body)
    (tmp_path / "example.py").write_text(python)
    done = subprocess.run([sys.executable, tmp_path / "example.py"], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == repr(shown)


def test_error_responses_are_shown(docs: Browser) -> None:
    docs.run("arguments[0].value = '<script>'", docs.one("#v1-predict textarea"))
    assert sent(docs, "v1-predict") == "422"
    assert json.loads(docs.texts("#v1-predict form pre")[0])["error"]["code"] == "invalid"


def test_a_token_field_appears_if_the_server_requires_a_token(
    browser: Browser, models: dict[str, Path], tmp_path: Path
) -> None:
    with running_server(models["single"], tmp_path, env={**os.environ, "TEXTSIEVE_TOKEN": TOKEN}) as server:
        browser.open(f"{server.url}docs")
        browser.wait(READY)
        assert browser.one("#token").is_displayed()
        assert sent(browser, "v1-predict") == "401"
        browser.one("#token-field").send_keys(TOKEN)
        assert sent(browser, "v1-predict") == "200"
        line, python = browser.texts("#v1-predict .example code")
        assert "$TEXTSIEVE_TOKEN" in line
        assert 'os.environ["TEXTSIEVE_TOKEN"]' in python
        assert TOKEN not in browser.run("return document.documentElement.outerHTML")


def test_there_is_no_token_field_without_a_token(docs: Browser) -> None:
    assert not docs.one("#token").is_displayed()
    assert "Authorization" not in "".join(docs.texts(".example code"))


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_the_api_reference_is_readable(browser: Browser, server: Server, width: int, dark: bool) -> None:
    browser.size(width)
    browser.look(dark=dark)
    browser.open(f"{server.url}docs")
    browser.wait(READY)
    sent(browser, "v1-explain")
    assert browser.run("return document.documentElement.scrollWidth - innerWidth") <= 0
    assert {words: ratio for words, ratio in readability(browser).items() if ratio < 4.5} == {}


def test_the_api_reference_works_with_the_keyboard(docs: Browser) -> None:
    docs.run("document.querySelector('#v1-explain textarea').focus()")
    docs.run("return document.activeElement").send_keys(Keys.TAB)
    docs.run("return document.activeElement").send_keys(Keys.ENTER)
    docs.wait(ANSWERED.format("v1-explain"))
    assert docs.run(
        "return [...document.querySelectorAll('input, textarea')].every((field) => field.labels.length === 1)"
    )
