"""Small models, and a service of each that all tests of the page share."""

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
from tests.serve.kinds import KINDS, TEXTS
from tests.serve.servers import Server, started_server
from textsieve import Categorizer, load
from textsieve.modelfile import write
from textsieve.prediction import Model

WORDS = {
    "space": "shuttle orbit moon rocket launch astronaut mission telescope space",
    "cars": "engine wheel brake garage tyre driver road motor gearbox",
    "music": "guitar song piano concert melody drummer chorus violin band",
}
COMMON = ["the", "and", "of", "with", "for", "my", "very", "good", "bad", "new", "old", "today"]
HOSTILE = ("<script>window.hurt = 1</script>", "<img src=x onerror='window.hurt = 2'>", "=1+1\"'&amp;</div>")


@dataclass(frozen=True)
class Served:
    """A service, the model that it has, and where it writes corrections."""

    url: str
    model: Model
    feedback: Path

    def corrections(self) -> list[dict[str, Any]]:
        """What was written."""
        return [json.loads(line) for line in self.feedback.read_text().splitlines()]


def documents(words: dict[str, str], n: int = 40) -> tuple[list[str], list[str]]:
    """Texts of some of the words of a class, and of words that all classes have."""
    draw = random.Random(10)
    labels = [label for label in words for _ in range(n)]
    texts = [" ".join(draw.choices(words[label].split(), k=6) + draw.choices(COMMON, k=6)) for label in labels]
    return texts, labels


class Services:
    """Starts services and ends them all."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._stack = folder, ExitStack()

    def start(self, name: str, model: Model, *options: str, env: dict[str, str] | None = None) -> Served:
        """A service of a model in a file of this name."""
        folder = self._folder / name
        folder.mkdir()
        path, feedback = folder / f"{name}.sieve", folder / "corrections.jsonl"
        write(model, path)
        server = self._stack.enter_context(started_server(path, folder, "--feedback", str(feedback), *options, env=env))
        return Served(server.url, load(path).model_, feedback)

    def close(self) -> None:
        """End them."""
        self._stack.close()


@pytest.fixture(scope="session")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    made = Services(tmp_path_factory.mktemp("services"))
    yield made
    made.close()


@pytest.fixture(scope="session")
def one_label_model() -> Model:
    """Three classes, one of them for each text, of words and pairs of words."""
    return Categorizer(ngram_range=(1, 2), held_out=0.2).fit(*documents(WORDS)).model_


@pytest.fixture(scope="session")
def one_label(services: Services, one_label_model: Model) -> Served:
    return services.start("toy", one_label_model, "--max-length", "2000", "--max-documents", "50")


@pytest.fixture(scope="session")
def bayes(services: Services) -> Served:
    """The same three classes, by naive Bayes: all that it adds is below 0."""
    return services.start("bayes", Categorizer(classifier="nb").fit(*documents(WORDS)).model_)


@pytest.fixture(scope="session")
def several_labels(services: Services) -> Served:
    """Twenty-four classes, of which a text may have several; with probabilities."""
    words = {
        f"class {letter}": " ".join(f"{letter}word{number}" for number in range(6))
        for letter in "abcdefghijklmnopqrstuvwx"
    }
    texts, labels = documents(words, 12)
    pairs = [f"{one} {other}" for one, other in zip(texts, texts[12:] + texts[:12], strict=True)]
    both = [(one, other) for one, other in zip(labels, labels[12:] + labels[:12], strict=True)]
    return services.start(
        "topics",
        Categorizer(probabilities="sigmoid").fit([*texts, *pairs], [*((each,) for each in labels), *both]).model_,
    )


@pytest.fixture(scope="session")
def hostile(services: Services) -> Served:
    """Classes and terms whose names are markup; one label, with probabilities."""
    words = dict(zip(HOSTILE, WORDS.values(), strict=True))
    made = Categorizer(probabilities="sigmoid", held_out=0.2).fit(*documents(words)).model_
    at = next(place for place, term in enumerate(made.terms) if term in COMMON)
    terms = (*made.terms[:at], "<b onclick='hurt()'>bold</b>", *made.terms[at + 1 :])
    return services.start("hostile", replace(made, terms=terms))


@pytest.fixture
def page(browser: Browser) -> Page:
    return Page(browser)


class Page:
    """The page, as a person uses it."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser

    def open(self, served: Served, part: str = "") -> Page:
        """The page of a service, once it knows the model."""
        self.browser.open(served.url + part)
        self.browser.wait("document.getElementById('summary').textContent.includes('classifies texts')")
        return self

    def hurry(self) -> None:
        """All that the page waits for from now on, it waits for a tenth of the time."""
        self.browser.run("const usual = window.setTimeout; window.setTimeout = (call, ms) => usual(call, ms / 10)")

    def classify(self, text: str) -> None:
        """Put a text into the box, and press the button."""
        self.browser.run("document.getElementById('box').value = ''; document.getElementById('box').focus()")
        self.browser.type(text)
        self.browser.one("#classify").click()
        self.wait_for_text(text)

    def wait_for_text(self, text: str) -> None:
        """Until a text is answered."""
        is_shown = f"document.getElementById('marked').textContent === {json.dumps(text)}"
        self.browser.wait(f"!document.querySelector('#result[aria-busy], #result[hidden]') && {is_shown}")

    def choose_class(self, label: str) -> None:
        """Press the button of a class."""
        for button in self.browser.all("#classes button"):
            if button.get_attribute("data-key") == json.dumps(label):
                button.click()
        self.browser.wait(f"document.querySelector('.contributions caption').textContent.includes({json.dumps(label)})")

    def tab(self, name: str) -> None:
        """Go to another part."""
        self.browser.one(f"#tab-{name}").click()

    def give(self, path: Path) -> None:
        """A file of documents."""
        self.browser.give_file("#file-input", path)
        self.browser.wait(f"document.getElementById('file-about').textContent.startsWith({json.dumps(path.name)})")

    def run_file(self) -> str:
        """Classify what was given, and say how it ended."""
        self.browser.one("#file-start").click()
        self.browser.wait("!document.querySelector('#file-result[hidden]')")
        (state,) = self.browser.texts("#file-state")
        return state

    def result(self, folder: Path, name: str) -> str:
        """What is downloaded."""
        self.browser.downloads_to(folder)
        self.browser.one("#file-download").click()
        return self.browser.wait_for(folder / name).read_bytes().decode()


# -- of each kind of label ------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A file of each kind."""
    folder = tmp_path_factory.mktemp("models")
    found = {}
    for name, (settings, labels) in KINDS.items():
        found[name] = folder / f"{name}.sieve"
        Categorizer(n_terms="all", ngram_range=(1, 2), **settings).fit(TEXTS, labels).save(found[name])
    return found


@pytest.fixture(scope="session")
def service(models: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Server]]:
    """A service of a model by its kind, started when it is first asked for."""
    started: dict[str, Server] = {}
    with ExitStack() as stack:

        def of(kind: str) -> Server:
            if kind not in started:
                folder = tmp_path_factory.mktemp(f"serving-{kind}")
                started[kind] = stack.enter_context(started_server(models[kind], folder))
            return started[kind]

        yield of
