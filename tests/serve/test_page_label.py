"""The tab that goes through a list of documents: labels by key or click, undo, skip, and what is saved when."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver.common.keys import Keys

from tests.browser import Browser
from tests.serve.conftest import HOSTILE, WORDS, Page, PageService, Services, documents, words_categorizer
from tests.serve.servers import running_server
from textsieve.modelfile import write
from textsieve.prediction import Model

TEXTS = ["the moon rocket", "a guitar song", "engine and brake", "zzyzx", "piano telescope"]


NUMBERS = count()


class Labelling:
    """The tab, with methods for what a person does on it.

    The last label of a test may be saved only when the next test opens another page. So each test has its own word in
    all texts, which the model does not know.
    """

    def __init__(self, page: Page, served: PageService, folder: Path) -> None:
        self.page, self.browser, self.served, self.folder = page, page.browser, served, folder
        self.word = f" test{next(NUMBERS)}"
        page.open(served, "#label")

    def saved(self) -> list[tuple[str, Any]]:
        """Return the texts and labels that this test saved."""
        lines = self.served.corrections() if self.served.feedback.exists() else []
        return [
            (line["text"].removesuffix(self.word), line.get("label", line.get("labels")))
            for line in lines
            if line["text"].endswith(self.word)
        ]

    def wait_for_saved(self, n: int) -> None:
        deadline = time.monotonic() + 20
        while len(self.saved()) < n:
            assert time.monotonic() < deadline, self.saved()
            time.sleep(0.02)

    def give(self, texts: list[str], file_name: str = "todo.jsonl", **more: str) -> None:
        """Choose a list."""
        rows = [{"text": text + self.word, "why": f"reason {number}"} | more for number, text in enumerate(texts)]
        path = self.folder / file_name
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        self.browser.give_file("#label-input", path)

    def open(self, texts: list[str], **more: str) -> None:
        """Choose a list, and wait for the first document."""
        self.give(texts, **more)
        self.wait_for(texts[0])

    def wait_for(self, text: str) -> None:
        """Wait until a document of the list is shown with its classes."""
        is_shown = f"document.getElementById('label-marked').textContent === {json.dumps(text + self.word)}"
        self.browser.wait(f"{is_shown} && document.querySelector('#label-classes .is-predicted')")

    def wait_for_end(self) -> None:
        self.browser.wait("document.getElementById('label-title').textContent.startsWith('All')")

    def press(self, *keys: str) -> None:
        for key in keys:
            self.browser.press(key)

    def title(self) -> str:
        (title,) = self.browser.texts("#label-title")
        return title

    def state(self) -> str:
        (state,) = self.browser.texts("#label-state")
        return state

    def fail_to_save(self) -> None:
        """Answer corrections with status 503 while `window.isDown`."""
        self.browser.run(
            """
            const originalFetch = window.fetch;
            window.isDown = true;
            const error = { error: { code: "x", message: "Rejected by the test." } };
            window.fetch = (path, about) => (window.isDown && String(path).includes("feedback")
              ? Promise.resolve(new Response(JSON.stringify(error), { status: 503 })) : originalFetch(path, about));
            """
        )

    def answer_questions(self, *, yes: bool) -> None:
        """Answer the questions of the page, and count them, from now on."""
        script = "window.questions = []; window.confirm = (text) => { questions.push(text); return arguments[0]; }"
        self.browser.run(script.replace("arguments[0]", json.dumps(yes)))

    def questions(self) -> list[str]:
        questions: list[str] = self.browser.run("return window.questions")
        return questions


@pytest.fixture
def labelling(page: Page, single_label: PageService, tmp_path: Path) -> Labelling:
    opened = Labelling(page, single_label, tmp_path)
    opened.open(TEXTS)
    return opened


def test_keys_label_documents_one_after_the_other(labelling: Labelling, browser: Browser) -> None:
    assert labelling.title() == "1 of 5"
    assert browser.texts("#label-why") == ["reason 0"]
    assert browser.texts("#label-classes .name") == ["cars", "music", "space (predicted)"]
    assert "moon" in browser.texts("#label-marked mark")
    assert browser.texts("#label-legend") == [
        "Underlined terms speak for “space”, those with a dashed line against it."
    ]
    labelling.press("3")
    labelling.wait_for(TEXTS[1])
    assert labelling.state() == "Labelled: “space”."
    labelling.press("2")
    labelling.wait_for(TEXTS[2])
    assert labelling.title() == "3 of 5"
    labelling.press("1")
    labelling.press("s")
    labelling.press("3")
    labelling.wait_for_end()
    assert labelling.title() == "All 5 documents done: 4 labelled, 1 skipped"
    labelling.wait_for_saved(4)
    assert labelling.saved() == [
        (TEXTS[0], "space"),
        (TEXTS[1], "music"),
        (TEXTS[2], "cars"),
        (TEXTS[4], "space"),
    ]
    assert browser.complaints() == []


def test_a_document_may_belong_to_none_of_the_classes(labelling: Labelling, browser: Browser) -> None:
    labelling.press("0")
    labelling.wait_for(TEXTS[1])
    assert labelling.state() == "Labelled: none of the classes."
    browser.one("#label-none").click()
    labelling.wait_for(TEXTS[2])
    labelling.press("3")
    labelling.wait_for_saved(2)
    assert labelling.saved() == [(TEXTS[0], None), (TEXTS[1], None)]
    labelling.press("z")
    labelling.press("z")
    labelling.wait_for(TEXTS[1])
    assert labelling.state().startswith("Saved before: none of the classes.")


def test_buttons_do_the_same(labelling: Labelling, browser: Browser) -> None:
    browser.all("#label-classes button")[2].click()
    labelling.wait_for(TEXTS[1])
    assert browser.active() == "label-work", "keys work after a click, too"
    browser.one("#label-skip").click()
    labelling.wait_for(TEXTS[2])
    browser.one("#label-undo").click()
    labelling.wait_for(TEXTS[1])
    labelling.wait_for_saved(1)
    assert labelling.saved() == [(TEXTS[0], "space")]


def test_the_last_label_can_be_undone_without_a_trace(labelling: Labelling, browser: Browser) -> None:
    labelling.press("1")  # a mistake
    labelling.wait_for(TEXTS[1])
    labelling.press("z")
    labelling.wait_for(TEXTS[0])
    assert labelling.state() == "Undone."
    assert labelling.title() == "1 of 5"
    assert not browser.one("#label-undo").is_enabled()
    labelling.press("3")
    labelling.press("s")
    labelling.wait_for(TEXTS[2])
    labelling.wait_for_saved(1)
    assert labelling.saved() == [(TEXTS[0], "space")]


def test_undo_says_what_was_already_saved(labelling: Labelling) -> None:
    labelling.press("1")
    labelling.wait_for(TEXTS[1])
    labelling.press("s")
    labelling.wait_for_saved(1)
    labelling.press(Keys.BACKSPACE)
    labelling.press(Keys.BACKSPACE)
    labelling.wait_for(TEXTS[0])
    assert labelling.state() == (
        "Saved before: “cars”. Another label is added to the file, and the last one counts; "
        "skipping leaves the saved one."
    )
    labelling.press("3")
    labelling.press("2")
    labelling.wait_for_saved(2)
    assert labelling.saved() == [(TEXTS[0], "cars"), (TEXTS[0], "space")]


def test_the_same_label_is_not_saved_twice(labelling: Labelling) -> None:
    labelling.press("3")
    labelling.press("2")
    labelling.wait_for_saved(1)
    labelling.press("z")
    labelling.press("z")
    labelling.press("3")
    labelling.press("2")
    labelling.press("1")
    labelling.wait_for_saved(2)
    assert labelling.saved() == [(TEXTS[0], "space"), (TEXTS[1], "music")]


def test_a_label_is_saved_when_the_reader_leaves(labelling: Labelling, browser: Browser) -> None:
    labelling.press("3")
    labelling.wait_for(TEXTS[1])
    assert labelling.saved() == []
    browser.run(
        "Object.defineProperty(document, 'hidden', { get: () => true, configurable: true });"
        "document.dispatchEvent(new Event('visibilitychange')); delete document.hidden;"
    )
    labelling.wait_for_saved(1)
    assert labelling.saved() == [(TEXTS[0], "space")]


def test_keys_have_no_effect_outside_the_document(labelling: Labelling, browser: Browser) -> None:
    browser.run("document.getElementById('tab-label').focus()")
    labelling.press("1")
    assert labelling.title() == "1 of 5"
    browser.run("document.getElementById('label-work').focus()")
    browser.press("1", holding=Keys.CONTROL)
    assert labelling.title() == "1 of 5"
    labelling.press("8")  # there are three classes
    assert labelling.title() == "1 of 5"


def test_a_label_that_is_not_saved_is_reported_and_sent_again(labelling: Labelling, browser: Browser) -> None:
    labelling.fail_to_save()
    labelling.press("3")
    labelling.press("2")
    browser.wait("!document.getElementById('label-fault').hidden")
    assert browser.texts("#label-fault") == [f"“{TEXTS[0]}{labelling.word}” was not saved: Rejected by the test."]
    browser.run("window.isDown = false")
    labelling.press("1")
    labelling.wait_for_saved(2)
    assert labelling.saved() == [(TEXTS[0], "space"), (TEXTS[1], "music")]
    browser.wait("document.getElementById('label-fault').hidden")


def test_labels_can_be_downloaded_for_training(labelling: Labelling, browser: Browser, tmp_path: Path) -> None:
    assert not browser.one("#label-download").is_enabled()
    labelling.press("3")
    labelling.press("s")
    labelling.press("1")
    folder = tmp_path / "downloads"
    folder.mkdir()
    browser.downloads_to(folder)
    browser.one("#label-download").click()
    content = browser.wait_for(folder / "todo-labels.jsonl").read_text(encoding="utf-8")
    assert [json.loads(line) for line in content.splitlines()] == [
        {"text": TEXTS[0] + labelling.word, "label": "space"},
        {"text": TEXTS[2] + labelling.word, "label": "cars"},
    ]


@pytest.fixture
def without_feedback(single_label_model: Model, tmp_path: Path) -> Iterator[PageService]:
    path = tmp_path / "toy.sieve"
    write(single_label_model, path)
    with running_server(path, tmp_path) as server:
        yield PageService(server.url, single_label_model, tmp_path / "corrections.jsonl")


def test_a_service_without_feedback_offers_the_download(
    page: Page, browser: Browser, without_feedback: PageService, tmp_path: Path
) -> None:
    labelling = Labelling(page, without_feedback, tmp_path)
    assert "does not save labels" in browser.one("#label-target").text
    assert "Corrections" not in browser.texts("#model-card dt")
    labelling.open(TEXTS[:2])
    labelling.press("3")
    labelling.wait_for(TEXTS[1])
    labelling.press("2")
    labelling.wait_for_end()
    assert [url for url in browser.requests() if "feedback" in url] == []
    browser.downloads_to(tmp_path)
    browser.one("#label-download").click()
    assert len(browser.wait_for(tmp_path / "todo-labels.jsonl").read_text().splitlines()) == 2


def test_multilabel_documents_get_several_classes_or_none(
    page: Page, browser: Browser, multilabel: PageService, tmp_path: Path
) -> None:
    labelling = Labelling(page, multilabel, tmp_path)
    texts = ["aword1 aword2 bword1", "cword1 cword2", "dword1 dword2 dword3"]
    labelling.open(texts)
    best = browser.texts("#label-classes .name")
    assert len(best) == 9, "the best classes have keys"
    assert best[0].removesuffix(" (predicted)") in ("class a", "class b")
    pressed = "#label-classes [aria-pressed=true] .name"
    for _ in browser.texts(pressed):
        browser.one(pressed).click()
    assert browser.texts("#label-confirm") == ["Confirm no class"]
    browser.run("document.getElementById('label-search').focus()")
    other = browser.texts("#label-found .name")[-1]
    browser.type(other)
    browser.press(Keys.ENTER)
    assert browser.texts("#label-found [aria-pressed=true] .name") == [other]
    labelling.press("1")
    assert browser.texts("#label-confirm") == ["Confirm 2 classes"]
    labelling.press(Keys.ENTER)
    labelling.wait_for(texts[1])
    for _ in browser.texts(pressed):
        browser.one(pressed).click()
    browser.one("#label-confirm").click()
    labelling.wait_for(texts[2])
    labelling.press("s")
    labelling.wait_for_saved(2)
    (first_text, first), second = labelling.saved()
    assert (first_text, set(first)) == (texts[0], {other, best[0].removesuffix(" (predicted)")})
    assert second == (texts[1], [])


@pytest.fixture(scope="module")
def few_topics(services: Services) -> PageService:
    """Return a multilabel model with three classes, which always have the same keys."""
    texts, labels = documents(WORDS)
    model = words_categorizer(probabilities="sigmoid").fit(texts, [(label,) for label in labels]).model_
    return services.start("few-topics", model)


PRESSED = "#label-classes [aria-pressed=true] .name"


def test_a_digit_leaves_the_focus_where_enter_confirms(
    page: Page, browser: Browser, few_topics: PageService, tmp_path: Path
) -> None:
    labelling = Labelling(page, few_topics, tmp_path)
    texts = ["moon rocket launch mission", "guitar song piano melody"]
    labelling.open(texts)
    assert browser.texts(PRESSED) == ["space (predicted)"]
    labelling.press("1")
    assert browser.active() == "label-work"
    browser.wait("document.getElementById('announcement').textContent === '“cars” on. Confirm 2 classes'")
    labelling.press("3")
    browser.wait("document.getElementById('announcement').textContent === '“space” off. Confirm 1 class'")
    labelling.press(Keys.ENTER)
    labelling.wait_for(texts[1])
    browser.all("#label-classes button")[0].click()
    assert "cars" in browser.active(), "a click keeps the focus on its button"
    labelling.press("s")
    labelling.wait_for_saved(1)
    assert labelling.saved() == [(texts[0], ["cars"])]


def test_classes_are_confirmed_only_after_the_explanation(
    page: Page, browser: Browser, few_topics: PageService, tmp_path: Path
) -> None:
    labelling = Labelling(page, few_topics, tmp_path)
    browser.run(
        """
        const originalFetch = window.fetch, waiting = [];
        window.fetch = (path, about) => (String(path).includes("explain")
          ? new Promise((resolve) => waiting.push((isFailing) =>
            resolve(isFailing ? new Response("{}", { status: 500 }) : originalFetch(path, about))))
          : originalFetch(path, about));
        window.answer = (isFailing = false) => waiting.shift()(isFailing);
        """
    )
    texts = ["moon rocket launch mission", "shuttle orbit telescope rocket", "moon mission"]
    confirm = browser.one("#label-confirm")

    labelling.give(texts)
    browser.wait("document.querySelectorAll('#label-classes button').length === 3")
    assert not confirm.is_enabled()
    labelling.press(Keys.ENTER)
    assert labelling.title() == "1 of 3", "nobody has seen the predicted classes yet"
    labelling.press("1")
    browser.run("window.answer()")
    labelling.wait_for(texts[0])
    assert browser.texts(PRESSED) == ["cars", "space (predicted)"]
    assert confirm.is_enabled()
    labelling.press(Keys.ENTER)

    browser.wait("document.getElementById('label-title').textContent === '2 of 3'")
    assert not confirm.is_enabled()
    labelling.press("3", "3")
    browser.run("window.answer()")
    labelling.wait_for(texts[1])
    assert browser.texts(PRESSED) == [], "the reader switched the predicted class off"
    labelling.press(Keys.ENTER)

    browser.wait("document.getElementById('label-title').textContent === '3 of 3'")
    labelling.press("2")
    browser.run("window.answer(true)")
    browser.wait("!document.getElementById('label-confirm').disabled")
    assert browser.texts(PRESSED) == ["music"]
    labelling.press(Keys.ENTER)
    labelling.wait_for_saved(3)
    saved = [(text, sorted(labels)) for text, labels in labelling.saved()]
    assert saved == [(texts[0], ["cars", "space"]), (texts[1], []), (texts[2], ["music"])]


def test_switched_classes_stay_when_another_model_is_loaded(
    page: Page, browser: Browser, few_topics: PageService, tmp_path: Path
) -> None:
    labelling = Labelling(page, few_topics, tmp_path)
    labelling.open(["moon rocket launch mission"])
    labelling.press("1", "3")
    browser.run(
        """
        const originalFetch = window.fetch;
        window.fetch = async (path, about) => {
          const response = await originalFetch(path, about);
          return path === "v1/model" ? Response.json({ ...await response.json(), id: "another" }) : response;
        };
        document.dispatchEvent(new Event("visibilitychange"));
        """
    )
    browser.wait("!document.getElementById('newer-model').hidden")
    browser.wait("!document.getElementById('label-confirm').disabled")
    assert browser.texts(PRESSED) == ["cars"]


def test_a_rejected_label_does_not_keep_others_from_being_saved(
    page: Page, browser: Browser, single_label: PageService, tmp_path: Path
) -> None:
    labelling = Labelling(page, single_label, tmp_path)
    long_text = "moon " * 500
    labelling.open([TEXTS[0], long_text, *TEXTS[1:3]])
    browser.requests()
    labelling.press("3")
    browser.wait("document.getElementById('label-legend').textContent.includes('could not explain')")
    labelling.press("3")
    labelling.wait_for(TEXTS[1])
    labelling.press("2")
    labelling.wait_for(TEXTS[2])
    labelling.press("1")
    labelling.wait_for_saved(3)
    assert labelling.saved() == [(TEXTS[0], "space"), (TEXTS[1], "music"), (TEXTS[2], "cars")]
    browser.wait("!document.getElementById('label-fault').hidden")
    assert browser.one("#label-fault").text.startswith("“moon moon")
    assert "was not saved" in browser.one("#label-fault").text

    labelling.press("z", "z", "z")  # the document that was rejected
    browser.wait("document.getElementById('label-title').textContent === '2 of 4'")
    assert len([url for url in browser.requests() if "feedback" in url]) == 4, "it was sent only once"
    labelling.press("1", "s")
    labelling.wait_for(TEXTS[2])
    browser.wait("document.getElementById('label-fault').textContent.includes('was not saved')")
    assert len([url for url in browser.requests() if "feedback" in url]) == 1, "another label is sent"
    labelling.press("z", "z", "s")
    browser.wait("document.getElementById('label-fault').hidden")


def test_another_list_does_not_discard_labels_unasked(
    page: Page, browser: Browser, without_feedback: PageService, tmp_path: Path
) -> None:
    labelling = Labelling(page, without_feedback, tmp_path)
    labelling.open(TEXTS[:3])
    labelling.answer_questions(yes=False)
    labelling.press("3")
    labelling.wait_for(TEXTS[1])
    labelling.give(["engine"], "other.jsonl")
    browser.wait("window.questions.length")
    assert labelling.questions() == [
        "1 label of todo.jsonl is neither saved nor downloaded. Open other.jsonl and lose it?"
    ]
    assert labelling.title() == "2 of 3"
    assert browser.active() == "label-work"
    labelling.press("2")
    labelling.wait_for(TEXTS[2])

    labelling.answer_questions(yes=True)
    labelling.give(["engine", "brake"], "other.jsonl")
    labelling.wait_for("engine")
    assert labelling.questions() == [
        "2 labels of todo.jsonl are neither saved nor downloaded. Open other.jsonl and lose them?"
    ]
    labelling.press("1")
    labelling.wait_for("brake")
    browser.downloads_to(tmp_path)
    browser.one("#label-download").click()
    browser.wait_for(tmp_path / "other-labels.jsonl")
    labelling.answer_questions(yes=False)
    labelling.open(TEXTS)
    assert labelling.questions() == []


def test_another_list_is_opened_after_the_labels_are_saved(labelling: Labelling, browser: Browser) -> None:
    labelling.answer_questions(yes=False)
    labelling.press("3")
    labelling.wait_for(TEXTS[1])
    labelling.open(["engine", "brake"])
    assert labelling.questions() == []
    assert labelling.saved() == [(TEXTS[0], "space")]

    labelling.fail_to_save()
    labelling.press("1")
    labelling.wait_for("brake")
    labelling.give(TEXTS, "other.jsonl")
    browser.wait("window.questions.length")
    assert labelling.title() == "2 of 2"
    assert browser.texts("#label-fault") == [f"“engine{labelling.word}” was not saved: Rejected by the test."]
    browser.run("window.isDown = false")
    labelling.press("1")
    labelling.wait_for_saved(3)
    assert labelling.saved()[1:] == [("engine", "cars"), ("brake", "cars")]


def test_any_file_with_texts_can_be_labelled(page: Page, single_label: PageService, tmp_path: Path) -> None:
    labelling = Labelling(page, single_label, tmp_path)
    path = tmp_path / "inbox.csv"
    path.write_text(f"id,body\n1,the moon{labelling.word}\n2,\n3,a guitar\n")
    page.browser.give_file("#label-input", path)
    labelling.wait_for("the moon")
    (target,) = page.browser.texts("#label-target")
    assert target.startswith("This server saves each label in its corrections file. The next textsieve update retrains")
    assert page.browser.texts("#label-about") == ["inbox.csv: 2 documents. 1 row without a text left out."]


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"", "bad.jsonl has no texts to label."), (b"\x00\x01", "bad.jsonl is neither text nor an Excel file.")],
)
def test_a_file_without_texts_is_reported(labelling: Labelling, browser: Browser, content: bytes, message: str) -> None:
    path = labelling.folder / "bad.jsonl"
    path.write_bytes(content)
    browser.give_file("#label-input", path)
    browser.wait("!document.getElementById('label-fault').hidden")
    assert message in browser.one("#label-fault").text
    assert labelling.title() == "1 of 5", "the list that was open stays"


def test_a_text_that_the_server_rejects_is_shown_without_marks(
    page: Page, browser: Browser, single_label: PageService, tmp_path: Path
) -> None:
    labelling = Labelling(page, single_label, tmp_path)
    long_text = "moon " * 1000
    path = tmp_path / "long.jsonl"
    rows = [{"text": long_text}, {"text": f"a guitar{labelling.word}"}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    browser.give_file("#label-input", path)
    browser.wait("document.getElementById('label-marked').textContent.length === 5000")
    browser.wait("document.getElementById('label-legend').textContent !== ''")
    assert browser.texts("#label-legend") == ["The server could not explain this text."]
    assert browser.all("#label-marked mark") == []
    labelling.press("3")
    labelling.wait_for("a guitar")
    labelling.press("s")
    browser.wait("!document.getElementById('label-fault').hidden")
    assert "was not saved" in browser.one("#label-fault").text


def test_markup_in_texts_and_classes_stays_text(
    page: Page, browser: Browser, hostile: PageService, tmp_path: Path
) -> None:
    labelling = Labelling(page, hostile, tmp_path)
    text = f"{HOSTILE[0]} shuttle {HOSTILE[1]}"
    labelling.open([text, "guitar"], why=HOSTILE[2])
    assert browser.texts("#label-why") == [HOSTILE[2]]
    labelling.press("1")
    labelling.wait_for("guitar")
    assert browser.run("return window.hurt") is None
    assert browser.complaints() == []


def test_screen_readers_hear_where_they_are(labelling: Labelling, browser: Browser) -> None:
    browser.wait("document.getElementById('announcement').textContent === 'todo.jsonl: 5 documents. 1 of 5'")
    assert browser.active() == "label-work"
    labelling.press("3")
    browser.wait("document.getElementById('announcement').textContent === 'Labelled: “space”. 2 of 5'")
    labelling.press("z")
    browser.wait("document.getElementById('announcement').textContent === 'Undone. 1 of 5'")
    shortcuts = (
        "return [...document.querySelectorAll('#label-work [aria-keyshortcuts]')].map((e) => e.ariaKeyShortcuts)"
    )
    assert browser.run(shortcuts) == ["1", "2", "3", "Enter", "0", "S", "Z Backspace"]
