"""Fixtures: small models, services that all tests share, and the web page in a browser."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from tests.browser import Browser
from tests.reference.categorizer_cases import plain_categorizer
from tests.serve.model_kinds import KINDS, TEXTS
from tests.serve.servers import Server, running_server
from textsieve import Categorizer, load
from textsieve.modelfile import write
from textsieve.modelfile.sources import PATH, TrainingSource, with_sources
from textsieve.prediction import Model

WORDS = {
    "space": "shuttle orbit moon rocket launch astronaut mission telescope space",
    "cars": "engine wheel brake garage tyre driver road motor gearbox",
    "music": "guitar song piano concert melody drummer chorus violin band",
}
COMMON = ["the", "and", "of", "with", "for", "my", "very", "good", "bad", "new", "old", "today"]
HOSTILE = ("<script>window.hurt = 1</script>", "<img src=x onerror='window.hurt = 2'>", "=1+1\"'&amp;</div>")


@dataclass(frozen=True)
class PageService:
    """A service, its model, and its feedback file."""

    url: str
    model: Model
    feedback: Path

    def corrections(self) -> list[dict[str, Any]]:
        """Return the corrections in the feedback file."""
        return [json.loads(line) for line in self.feedback.read_text().splitlines()]


def words_categorizer(**settings: Any) -> Categorizer:
    """Return a `Categorizer` of words that keeps all coefficients, and has probabilities."""
    return plain_categorizer(**{"probabilities": "auto"} | settings)


def documents(words: dict[str, str], n: int = 40) -> tuple[list[str], list[str]]:
    """Return `n` texts for each class, from words of the class and common words, and their labels."""
    draw = random.Random(10)
    labels = [label for label in words for _ in range(n)]
    texts = [" ".join(draw.choices(words[label].split(), k=6) + draw.choices(COMMON, k=6)) for label in labels]
    return texts, labels


class Services:
    """Starts services, and ends all of them at the end."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._stack = folder, ExitStack()

    def start(self, name: str, model: Model, *options: str, env: dict[str, str] | None = None) -> PageService:
        """Start a service of a model in a file of this name."""
        folder = self._folder / name
        folder.mkdir()
        path, feedback = folder / f"{name}.sieve", folder / "corrections.jsonl"
        write(model, path)
        server = self._stack.enter_context(running_server(path, folder, "--feedback", str(feedback), *options, env=env))
        return PageService(server.url, load(path).model_, feedback)

    def close(self) -> None:
        """End all services."""
        self._stack.close()


@pytest.fixture(scope="session")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    services = Services(tmp_path_factory.mktemp("services"))
    yield services
    services.close()


@pytest.fixture(scope="session")
def single_label_model() -> Model:
    """Return a single-label model with three classes, words and bigrams, that stores a source."""
    model = words_categorizer(ngram_range=(1, 2), held_out=0.2).fit(*documents(WORDS)).model_
    return with_sources(model, [TrainingSource(PATH, "private/toy.csv", 120)])


@pytest.fixture(scope="session")
def single_label(services: Services, single_label_model: Model) -> PageService:
    return services.start("toy", single_label_model, "--max-length", "2000", "--max-documents", "50")


@pytest.fixture(scope="session")
def plain(services: Services) -> PageService:
    """Return a single-label model without probabilities."""
    return services.start("plain", words_categorizer(probabilities=None).fit(*documents(WORDS)).model_)


PRESENTATION = {
    "title": "<b>Hobbies</b>",
    "description": "What people like.\n<script>window.hurt = 5</script>",
    "examples": ["The moon rocket was launched today.", "<i>A song</i> for guitar & piano.", "the road " * 50],
}


@pytest.fixture(scope="session")
def described(services: Services, single_label_model: Model) -> PageService:
    """Return a model with a title, a description and examples that contain markup; it is often not sure."""
    return services.start("described", single_label_model.presented(PRESENTATION), "--min-probability", "0.9")


@pytest.fixture(scope="session")
def bayes(services: Services) -> PageService:
    """Return a naive Bayes model with the same classes: everything it adds is below 0."""
    return services.start("bayes", Categorizer(classifier="nb").fit(*documents(WORDS)).model_)


@pytest.fixture(scope="session")
def several_columns(services: Services) -> PageService:
    """Return a model that was trained on the columns "title" and "description"."""
    model = Categorizer(classifier="nb").fit(*documents(WORDS)).model_
    model.about["columns"] = {"text": ["title", "description"], "label": "section"}
    return services.start("columns", model)


@pytest.fixture(scope="session")
def multilabel(services: Services) -> PageService:
    """Return a multilabel model with 24 classes and probabilities."""
    words = {
        f"class {letter}": " ".join(f"{letter}word{number}" for number in range(6))
        for letter in "abcdefghijklmnopqrstuvwx"
    }
    texts, labels = documents(words, 12)
    pairs = [f"{first} {second}" for first, second in zip(texts, texts[12:] + texts[:12], strict=True)]
    pair_labels = [(first, second) for first, second in zip(labels, labels[12:] + labels[:12], strict=True)]
    return services.start(
        "topics",
        words_categorizer(probabilities="sigmoid")
        .fit([*texts, *pairs], [*((label,) for label in labels), *pair_labels])
        .model_,
    )


@pytest.fixture(scope="session")
def hostile(services: Services) -> PageService:
    """Return a single-label model whose classes and terms contain markup."""
    words = dict(zip(HOSTILE, WORDS.values(), strict=True))
    model = words_categorizer(probabilities="sigmoid", held_out=0.2).fit(*documents(words)).model_
    position = next(place for place, term in enumerate(model.terms) if term in COMMON)
    terms = (*model.terms[:position], "<b onclick='hurt()'>bold</b>", *model.terms[position + 1 :])
    return services.start("hostile", replace(model, terms=terms))


@pytest.fixture
def page(browser: Browser) -> Page:
    return Page(browser)


class Page:
    """The page, with methods for what a person does on it."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser

    def open(self, served: PageService, part: str = "") -> Page:
        """Open the page of a service, and wait until it has loaded the model."""
        self.browser.open(served.url + part)
        self.browser.wait("document.getElementById('summary').textContent.includes('classifies texts')")
        return self

    def shorten_timers(self) -> None:
        """Make all timers of the page ten times as fast from now on."""
        self.browser.run("const usual = window.setTimeout; window.setTimeout = (call, ms) => usual(call, ms / 10)")

    def classify(self, text: str) -> None:
        """Enter a text, press the button, and wait for the result."""
        self.browser.run("document.getElementById('box').value = ''; document.getElementById('box').focus()")
        self.browser.type(text)
        self.browser.one("#classify").click()
        self.wait_for_text(text)

    def wait_for_text(self, text: str) -> None:
        """Wait for the result of a text."""
        is_shown = f"document.getElementById('marked').textContent === {json.dumps(text)}"
        self.browser.wait(f"!document.querySelector('#result[aria-busy], #result[hidden]') && {is_shown}")

    def choose_class(self, label: str) -> None:
        """Click a class, and wait for its explanation."""
        for button in self.browser.all("#classes button"):
            if button.get_attribute("data-key") == json.dumps(label):
                button.click()
        self.browser.wait(f"document.querySelector('.contributions caption').textContent.includes({json.dumps(label)})")

    def select_tab(self, name: str) -> None:
        """Select a tab."""
        self.browser.one(f"#tab-{name}").click()

    def choose_file(self, path: Path) -> None:
        """Choose a file with documents, and wait until it is read."""
        self.browser.give_file("#file-input", path)
        self.browser.wait(f"document.getElementById('file-about').textContent.startsWith({json.dumps(path.name)})")

    def run_file(self) -> str:
        """Classify the chosen file, and return the final message."""
        self.browser.one("#file-start").click()
        self.browser.wait("!document.querySelector('#file-result[hidden]')")
        (state,) = self.browser.texts("#file-state")
        return state

    def download(self, folder: Path, name: str) -> str:
        """Download the results, and return the content of the file."""
        self.browser.downloads_to(folder)
        self.browser.one("#file-download").click()
        return self.browser.wait_for(folder / name).read_bytes().decode()


# -- models of each kind --------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return a model file of each kind."""
    folder = tmp_path_factory.mktemp("models")
    paths = {}
    for name, (settings, labels) in KINDS.items():
        paths[name] = folder / f"{name}.sieve"
        Categorizer(n_terms="all", ngram_range=(1, 2), **settings).fit(TEXTS, labels).save(paths[name])
    return paths


@pytest.fixture(scope="session")
def service(models: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Server]]:
    """Return a function from a kind of model to its service, which starts at its first use."""
    started: dict[str, Server] = {}
    with ExitStack() as stack:

        def of(kind: str) -> Server:
            if kind not in started:
                folder = tmp_path_factory.mktemp(f"serving-{kind}")
                started[kind] = stack.enter_context(running_server(models[kind], folder))
            return started[kind]

        yield of
