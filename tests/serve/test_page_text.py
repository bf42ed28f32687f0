"""One text on the page: classified, explained and corrected."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver.common.keys import Keys

from tests.browser import Browser
from tests.serve.conftest import WORDS, Page, PageService, Services, documents
from textsieve import Categorizer
from textsieve.text.analysis import display_term, is_marked

TEXT = "Today 🚀 the Moon rocket, and my old guitar 🎸🎸 with a very good engine: moon rocket launch.\n\nMoon!"
MARKS = """
return [...document.querySelectorAll("#marked mark")].map((mark) =>
  [mark.textContent, mark.className, Number(mark.style.getPropertyValue("--strength")),
   getComputedStyle(mark).backgroundColor])
"""


def contributions(served: PageService, text: str, label: str) -> dict[str, float]:
    return {term.term: term.contribution for term in served.model.explain(text)[label].contributions}


def near(number: float, shown: str) -> bool:
    return abs(number - float(shown.replace("−", "-"))) <= 0.0005 + 1e-9


def test_a_typed_text_is_classified(page: Page, browser: Browser, single_label: PageService) -> None:
    page.open(single_label)
    assert not browser.one("#result").is_displayed()
    page.classify(TEXT)
    expected = single_label.model.explain(TEXT)
    assert browser.texts("#prediction strong") == [str(expected.predicted)]
    (spoken,) = browser.texts("[role=status]#announcement")
    assert spoken.startswith(f"Predicted class {expected.predicted} Probability ")
    assert "core" not in spoken, "scores are details"
    assert [json.loads(button.get_attribute("data-key") or "") for button in browser.all("#classes button")] == [
        cls.label for cls in expected.classes
    ]
    figures = browser.texts("#classes .figures")
    assert all(near(cls.score, shown.split()[-1]) for cls, shown in zip(expected.classes, figures, strict=True))
    assert browser.complaints() == []


def test_results_update_by_key_and_while_typing(page: Page, browser: Browser, single_label: PageService) -> None:
    page.open(single_label)
    browser.one("#box").click()
    browser.type("guitar song")
    browser.press(Keys.ENTER, holding=Keys.CONTROL)
    page.wait_for_text("guitar song")
    page.shorten_timers()
    browser.type(" and more")  # without pressing a key to classify
    page.wait_for_text("guitar song and more")
    assert browser.run("return document.getElementById('box').value") == "guitar song and more", "no line was added"


def test_the_marked_text_equals_the_input(page: Page, browser: Browser, single_label: PageService) -> None:
    page.open(single_label)
    page.classify(TEXT)
    assert browser.run("return document.getElementById('marked').textContent") == TEXT
    marked = [text for text, *_ in browser.run(MARKS)]
    assert marked.count("Moon") == 2
    assert "🎸🎸" not in "".join(marked)
    assert "guitar" in marked, "it stands after an emoji"


def test_colours_follow_the_contributions(page: Page, browser: Browser, single_label: PageService) -> None:
    page.open(single_label)
    page.classify("rocket with engine and guitar, shuttle song")
    for label in ("space", "cars", "music"):
        page.choose_class(label)
        expected = contributions(single_label, "rocket with engine and guitar, shuttle song", label)
        check_strengths(expected, browser.run(MARKS))


def check_strengths(expected: dict[str, float], marks: list[tuple[str, str, float, str]]) -> None:
    """Check the marks of words in no bigram: their strength is their share of the largest contribution or sum."""
    words = [word for term in expected for word in term.split()]
    sums = [sum(value for term, value in expected.items() if word in term.split()) for word in words]
    largest = max(map(abs, [*expected.values(), *sums]))
    for text, kind, strength, colour in marks:
        if text not in expected:
            continue  # a space within a pair of words
        alone = sum(value for term, value in expected.items() if text in term.split())
        pairs = [term for term in expected if " " in term and text in term.split()]
        if pairs:
            continue
        assert kind == ("for" if alone > 0 else "against"), text
        assert strength == pytest.approx(min(1, abs(alone) / largest), abs=1e-3)
        alpha = float(colour.removesuffix(")").split(",")[3]) if colour.startswith("rgba") else 1.0
        assert alpha == pytest.approx(0.5 * strength, abs=0.01)


def test_overlapping_terms_show_their_sum(page: Page, browser: Browser, single_label: PageService) -> None:
    pair = next(term for term in single_label.model.terms if " " in term and len(set(term.split())) == 2)
    first, second = pair.split()
    page.open(single_label)
    page.classify(pair)
    label = str(single_label.model.explain(pair).predicted)
    expected = contributions(single_label, pair, label)
    assert {pair, first, second} & set(expected) >= {pair}
    marks = {text: (kind, strength) for text, kind, strength, _ in browser.run(MARKS)}
    assert set(marks) == {first, " ", second} or set(marks) == {pair}
    totals = {text: expected[pair] + expected.get(text, 0.0) * (text != pair) for text in marks}
    largest = max(map(abs, [*expected.values(), *totals.values()]))
    for text, (kind, strength) in marks.items():
        assert kind == ("for" if totals[text] > 0 else "against")
        assert strength == pytest.approx(abs(totals[text]) / largest, abs=1e-3)
    browser.run("document.querySelector('#marked mark').focus()")
    lines = browser.texts("#tip .tip-line")
    assert lines[-1].startswith("total") == (len(lines) > 1)


def test_numbers_are_shown_on_hover_and_on_focus(page: Page, browser: Browser, single_label: PageService) -> None:
    page.open(single_label)
    page.classify("rocket rocket")
    expected = contributions(single_label, "rocket rocket", "space")["rocket"]
    assert not browser.one("#tip").is_displayed()
    browser.point_at("#marked mark:first-of-type")
    browser.wait("!document.getElementById('tip').hidden")
    (line,) = browser.texts("#tip .tip-line:first-child")
    assert line.startswith(f"rocket {expected:+.3f}")
    assert "sum of 2 occurrences" in line
    browser.press(Keys.ESCAPE)
    assert not browser.one("#tip").is_displayed()
    browser.run("document.querySelector('#marked mark').focus()")
    assert browser.one("#tip").is_displayed()
    assert browser.run("return document.activeElement.getAttribute('aria-describedby')") == "tip"


def test_the_contribution_table_adds_up_to_the_score(page: Page, browser: Browser, single_label: PageService) -> None:
    page.open(single_label)
    page.classify(TEXT)
    explained = single_label.model.explain(TEXT).classes[0]
    browser.one("#details summary").click()
    for button in browser.all("#contributions > button"):
        button.click()
    rows = browser.run(
        "return [...document.querySelectorAll('#contributions tbody tr')]"
        ".map((row) => [...row.cells].map((cell) => cell.textContent))"
    )
    assert [row[0] for row in rows] == [term.term for term in explained.contributions]
    for row, term in zip(rows, explained.contributions, strict=True):
        assert int(row[1]) == term.count
        assert near(term.weight, row[2])
        assert near(term.contribution, row[3])
    intercept, total = (text.replace("−", "-") for text in browser.texts("#contributions tfoot td.number"))
    assert near(explained.intercept, intercept)
    assert near(explained.score, total)


def test_another_class_can_be_explained(page: Page, browser: Browser, single_label: PageService) -> None:
    page.open(single_label)
    page.classify(TEXT)
    page.choose_class("music")
    (caption,) = browser.texts(".contributions caption")
    assert caption == "Score of music"
    assert browser.run("return document.getElementById('marked').textContent") == TEXT
    assert browser.texts("#classes [aria-checked=true] .name") == ["music"]
    assert browser.texts("#marked-title") == ["Terms for and against music"]
    assert [line.strip() for line in browser.texts("#legend li")] == ["speaks for it", "speaks against it"]
    assert browser.texts("#prediction strong") == [str(single_label.model.explain(TEXT).predicted)], (
        "what is predicted stays"
    )


def test_scores_are_details_of_models_with_probabilities(
    page: Page, browser: Browser, single_label: PageService, multilabel: PageService
) -> None:
    shown = (
        "return [...document.querySelectorAll('#classes button:first-child .figure')]"
        ".filter((e) => e.checkVisibility()).map((e) => e.textContent)"
    )
    page.open(single_label)
    page.classify(TEXT)
    (percent,) = browser.run(shown)
    assert percent.endswith("%")
    assert not browser.one("#contributions").is_displayed()
    browser.one("#details summary").click()
    percent_again, score = browser.run(shown)
    assert (percent_again, score.split()[0]) == (percent, "score")
    assert browser.one("#contributions").is_displayed()
    browser.one("#details summary").click()
    page.open(multilabel)
    page.classify("aword0 aword1 aword2")
    assert len(browser.run(shown)) == 1
    browser.one("#details summary").click()
    assert [figure.split()[0] for figure in browser.run(shown)[1:]] == ["score", "threshold"]


def test_models_without_probabilities_show_scores(page: Page, browser: Browser, plain: PageService) -> None:
    page.open(plain)
    page.classify("moon rocket")
    score = plain.model.explain("moon rocket").classes[0].score
    assert browser.texts("#prediction p:nth-child(3)") == [f"Score {score:.3f}"]
    assert browser.one("#classes button:first-child .figure").is_displayed()


def test_a_text_without_known_terms_says_so(page: Page, browser: Browser, single_label: PageService) -> None:
    page.open(single_label)
    page.classify("Zzyzx qwertz")
    explained = single_label.model.explain("Zzyzx qwertz")
    assert explained.unknown is not None
    lines = browser.texts("#prediction p")
    assert any(explained.unknown in line for line in lines)
    assert browser.texts("#prediction strong") == ["Not sure"]
    assert any(line.startswith(f"Best guess: {explained.predicted}") for line in lines)
    assert lines[-1] == "The model knows 0 of 2 words of this text."
    assert browser.all("#marked mark") == []


def test_many_classes_of_a_multilabel_model_are_listed(page: Page, browser: Browser, multilabel: PageService) -> None:
    text = "aword0 aword1 aword2 aword3 bword0 bword1 bword2 bword4"
    page.open(multilabel)
    page.classify(text)
    explained = multilabel.model.explain(text)
    assert isinstance(explained.predicted, tuple)
    assert browser.texts("#prediction strong") == [
        str(cls.label) for cls in explained.classes if cls.label in explained.predicted
    ]
    assert len(browser.all("#classes button")) == 10
    assert len(browser.all("#classes .is-predicted")) == len(explained.predicted)
    assert browser.texts("#all-classes") == ["Show all 24 classes"]
    browser.one("#all-classes").click()
    assert len(browser.all("#classes button")) == 24
    shown = browser.texts("#classes .figures")
    assert all(("%" in figures and "threshold" in figures) or "never assigned" in figures for figures in shown)


def test_a_very_long_text_is_marked_at_its_beginning(page: Page, browser: Browser, multilabel: PageService) -> None:
    text = (
        "🎸" + " aword0" * 10_050 + " the end"
    )  # one is enough to shift all; thousands take a browser seconds to draw
    page.open(multilabel)
    browser.run(
        "document.getElementById('box').value = arguments[0]; document.getElementById('classify').click()", text
    )
    page.wait_for_text(text)
    marked = browser.run("return [...document.querySelectorAll('#marked mark')].map((mark) => mark.textContent)")
    assert len(marked) == 10_000
    assert set(marked) == {"aword0"}  # pytest would compare two long lists for minutes
    assert "only its beginning is marked" in browser.texts("#marked-note")[0]
    assert browser.texts(".contributions tbody td.number")[0] == "10,050"


EXPLAIN_BY = """
const [text, terms, spans] = arguments, fetched = window.fetch;
const contributions = terms.map(([term, contribution]) => ({ term, contribution, count: 1, weight: 1 }));
window.fetch = async (path, options) => {
  const response = await fetched(path, options);
  return path === "v1/explain" ? Response.json({ ...await response.json(), contributions, spans }) : response;
};
document.getElementById("box").value = text;
document.getElementById("classify").click();
"""


def explain_by(page: Page, text: str, terms: list[tuple[str, float]], spans: list[list[int]]) -> None:
    """Classify a text, with other terms and spans in place of those that the server sends."""
    page.browser.run(EXPLAIN_BY, text, terms, spans)
    page.wait_for_text(text)


def test_marks_of_many_overlapping_ngrams_show_their_sums(
    page: Page, browser: Browser, single_label: PageService
) -> None:
    text = "mother other"
    ngrams = sorted(
        {text[begin:end] for begin in range(12) for end in range(begin + 1, 13) if " " not in text[begin:end]}
    )
    terms = [(ngram, (-1) ** place * (place + 1) / 8) for place, ngram in enumerate(ngrams)]
    spans = [
        [begin, begin + len(ngram), place]
        for begin in range(12)
        for place, ngram in enumerate(ngrams)
        if text.startswith(ngram, begin)
    ]
    explain_by(page.open(single_label), text, terms, spans)
    covering = [{place for start, end, place in spans if start <= offset < end} for offset in range(12)]
    sums = [sum(terms[place][1] for place in places) for places in covering]
    largest = max(map(abs, [*sums, *(value for _, value in terms)]))
    kinds = ["for" if total > 0 else "against" if total < 0 else "neither" for total in sums]
    marks = browser.run(MARKS)
    assert [mark[:2] for mark in marks] == [[text[place], kinds[place]] for place in range(12) if text[place] != " "]
    strengths = [abs(total) / largest for total, character in zip(sums, text, strict=True) if character != " "]
    assert [mark[2] for mark in marks] == pytest.approx(strengths, abs=1e-4)
    browser.run("document.querySelectorAll('#marked mark')[3].focus()")
    lines = browser.texts("#tip .tip-line")
    strongest_first = sorted((terms[place] for place in covering[3]), key=lambda entry: -abs(entry[1]))
    assert [line.split()[0] for line in lines[:8]] == [term for term, _ in strongest_first[:8]]
    assert lines[8].startswith(f"and {len(covering[3]) - 8} more ")
    assert near(sum(value for _, value in strongest_first[8:]), lines[8].split()[-1])
    assert near(sums[3], lines[9].removeprefix("total "))
    assert len(lines) == 10


def test_the_number_of_marks_is_limited_not_the_number_of_spans(
    page: Page, browser: Browser, multilabel: PageService
) -> None:
    terms = [(f"term {number}", 1.0) for number in range(30)]
    spans = [[begin, begin + 1, number] for begin in range(0, 2000, 2) for number in range(30)]
    explain_by(page.open(multilabel), "a " * 1000, terms, spans)
    assert len(browser.run(MARKS)) == 1000
    assert "only its beginning is marked" not in browser.texts("#marked-note")[0]
    overlapping = [[begin, begin + 2, begin % 30] for begin in range(11_999)]
    explain_by(page.open(multilabel), "ab" * 6000, terms, overlapping)
    assert browser.run("return document.querySelectorAll('#marked mark').length") == 10_000
    assert "only its beginning is marked" in browser.texts("#marked-note")[0]


def test_a_term_next_to_itself_is_one_mark(page: Page, browser: Browser, single_label: PageService) -> None:
    explain_by(page.open(single_label), "haha ha", [("ha", 1.0)], [[0, 2, 0], [2, 4, 0], [5, 7, 0]])
    assert [mark[0] for mark in browser.run(MARKS)] == ["haha", "ha"]


def test_occurrences_that_the_server_left_out_are_mentioned(
    page: Page, browser: Browser, single_label: PageService
) -> None:
    explain_by(page.open(single_label), "haha ha", [("ha", 1.0), ("a", 1.0)], [[0, 2, 0]])
    assert "only its beginning is marked" in browser.texts("#marked-note")[0]


def test_terms_are_shown_with_marks(page: Page, browser: Browser, single_label: PageService) -> None:
    explain_by(page.open(single_label), "the!", [("▁th…", 2.0), ("!", 1.0)], [[0, 2, 0], [3, 4, 1]])
    assert browser.texts(".contributions tbody th") == ["▁th…", "“!”"]
    browser.run("document.querySelectorAll('#marked mark')[1].focus()")
    assert browser.texts("#tip .tip-line") == ["“!” +1.000"]


def test_a_model_of_ngrams_is_explained_and_searched(
    page: Page, browser: Browser, services: Services, tmp_path: Path
) -> None:
    model = Categorizer(analyzer="char_wb", ngram_range=(2, 4)).fit(*documents(WORDS)).model_
    page.open(services.start("ngrams", model))
    page.classify("Rocket, guitar")
    assert browser.run("return document.getElementById('marked').textContent") == "Rocket, guitar"
    assert len(browser.run(MARKS)) > 5, "a mark covers a part of a word"
    strongest = [
        display_term(entry.term, "char_wb") for entry in model.explain("Rocket, guitar").classes[0].contributions
    ]
    assert browser.texts(".contributions tbody th")[:20] == strongest[:20]
    signs = "▁ is the space before or after a word, and at … the word may go on."
    assert signs in browser.texts("#marked-note")[0]
    page.select_tab("label")
    path = tmp_path / "todo.txt"
    path.write_text("Rocket\n")
    browser.give_file("#label-input", path)
    browser.wait("document.getElementById('label-legend').textContent")
    assert signs in browser.texts("#label-signs")[0]
    page.select_tab("terms")
    browser.wait("document.querySelectorAll('#terms-list tbody tr').length === 50")
    assert signs in browser.texts("#terms-signs")[0]
    browser.one("#terms-search").send_keys("▁ro")
    browser.wait("document.querySelectorAll('#terms-list tbody tr').length < 50")
    assert set(browser.texts("#terms-list tbody th")) == {"▁ro…", "▁roa…", "▁roc…"}


def test_the_tab_of_terms_begins_with_words(page: Page, browser: Browser, services: Services) -> None:
    model = Categorizer(char_ngram_range=(3, 4), class_weight=None).fit(*documents(WORDS)).model_
    words = [term for term in model.terms if not is_marked(term)]
    assert 3 < len(words) < len(model.terms)
    assert words != list(model.terms[: len(words)]), "otherwise the test can't fail"
    page.open(services.start("words-and-ngrams", model), "#terms")
    browser.wait("document.querySelectorAll('#terms-list tbody tr').length === 50")
    shown = browser.texts("#terms-list tbody th")
    assert shown == [display_term(term) for term in [*words, *filter(is_marked, model.terms)][:50]]
    assert browser.texts("#terms-note")[0].endswith(" Words come first, and then pieces of words.")


@pytest.mark.parametrize("name", ["letter.txt", "latin.txt", "binary.bin", "long.txt"])
def test_a_text_file_can_be_opened(
    page: Page, browser: Browser, single_label: PageService, tmp_path: Path, name: str
) -> None:
    content: dict[str, Any] = {
        "letter.txt": "\ufeffguitar ünd 🎸 song".encode(),
        "latin.txt": "guitar ünd song".encode("latin-1"),
        "binary.bin": bytes(range(256)),
        "long.txt": b"song " * 1000,
    }
    path = tmp_path / name
    path.write_bytes(content[name])
    page.open(single_label)
    browser.give_file("#text-input", path)
    if name in ("letter.txt", "latin.txt"):
        page.wait_for_text({"letter.txt": "guitar ünd 🎸 song", "latin.txt": "guitar ünd song"}[name])
        return
    browser.wait("!document.getElementById('box-fault').hidden")
    (error,) = browser.texts("#box-fault")
    assert error.startswith(name)
    assert {"binary.bin": "is not a text file", "long.txt": "5,000 characters"}[name] in error
    assert browser.run("return document.getElementById('box').value") == ""


def test_a_text_file_can_be_dropped(page: Page, browser: Browser, single_label: PageService) -> None:
    page.open(single_label)
    browser.run(
        "const files = new DataTransfer(); files.items.add(new File(['piano concert'], 'note.txt'));"
        "for (const kind of ['dragover', 'drop']) document.getElementById('box').dispatchEvent("
        "new DragEvent(kind, {dataTransfer: files, bubbles: true, cancelable: true}))"
    )
    page.wait_for_text("piano concert")


SLOW_FILES = """
const usual = Blob.prototype.arrayBuffer;
Blob.prototype.arrayBuffer = function () {
  if (this.name !== "slow.txt") return usual.call(this);
  return new Promise((resolve) => {
    window.finishReading = () => {
      resolve(usual.call(this));
      return new Promise((done) => setTimeout(done, 200)); // long after the page has it
    };
  });
};
window.drop = (name, ...parts) => {
  const files = new DataTransfer();
  files.items.add(new File(parts, name));
  document.getElementById("box").dispatchEvent(new DragEvent("drop", {dataTransfer: files, bubbles: true}));
};
"""


@pytest.mark.parametrize("content", ["'guitar song'", "new Uint8Array(9)"], ids=["text", "binary"])
@pytest.mark.parametrize("newer", ["file", "typed", "cleared", "example"])
def test_a_slow_file_does_not_replace_newer_content(
    page: Page, browser: Browser, described: PageService, content: str, newer: str
) -> None:
    example = described.model.settings["examples"][0] if newer == "example" else "moon rocket"
    page.open(described)
    browser.run(f"{SLOW_FILES}; window.drop('slow.txt', {content})")
    if newer == "file":
        browser.run("window.drop('fast.txt', 'moon rocket')")
    elif newer == "example":
        browser.all("#examples button")[0].click()
    else:
        page.classify("moon rocket")
    if newer == "cleared":
        browser.one("#clear").click()
    else:
        page.wait_for_text(example)
    browser.run("return window.finishReading()")
    expected = "" if newer == "cleared" else example
    assert browser.run("return document.getElementById('box').value") == expected
    assert not browser.one("#box-fault").is_displayed()
    browser.run("window.drop('slow.txt', 'guitar song')")
    browser.run("return window.finishReading()")
    page.wait_for_text("guitar song")


def test_too_long_and_empty_texts_show_an_error(page: Page, browser: Browser, single_label: PageService) -> None:
    page.open(single_label)
    browser.one("#classify").click()
    assert browser.texts("#box-fault") == ["Enter a text, or drop a text file here."]
    browser.one("#box").click()
    browser.type("🎸" * 2001)
    browser.one("#classify").click()
    (error,) = browser.texts("#box-fault")
    assert "2,001 characters" in error
    assert "2,000" in error
    browser.run("document.getElementById('box').focus()")
    browser.press(Keys.BACKSPACE)
    assert browser.texts("#box-fault") == [""], "an emoji is one character"


def test_a_label_can_be_corrected(page: Page, browser: Browser, single_label: PageService) -> None:
    page.open(single_label)
    page.classify("guitar of the moon 🎸")
    browser.one("#wrong").click()
    assert browser.active() == "right-class"
    (predicted,) = browser.texts("#prediction strong")
    assert set(browser.texts("#right-class option")) == {*("Choose …", "None of these", "space", "cars", "music")} - {
        predicted
    }
    use = "The next textsieve update retrains the model from its sources and the corrections."
    assert browser.texts("#correction-use") == [use]
    browser.choose("#right-class", '"cars"')
    browser.one("#correction-form button[type=submit]").click()
    browser.wait("document.getElementById('correction-state').textContent")
    (confirmation,) = browser.texts("#correction-state")
    assert confirmation.startswith("Thank you. The correction was saved: “guitar of the moon 🎸” belongs to “cars”.")
    assert confirmation.endswith(f" {use}")
    assert browser.all("#wrong") == [], "it is said once"
    written = single_label.corrections()[-1]
    assert (written["text"], written["label"]) == ("guitar of the moon 🎸", "cars")
    assert written["predicted"] == single_label.model.explain("guitar of the moon 🎸").predicted


def test_a_correction_may_be_none_of_these(page: Page, browser: Browser, single_label: PageService) -> None:
    page.open(single_label)
    page.classify("a moon of cheese")
    browser.one("#wrong").click()
    browser.choose("#right-class", "null")
    browser.one("#correction-form button[type=submit]").click()
    browser.wait("document.getElementById('correction-state').textContent")
    (confirmation,) = browser.texts("#correction-state")
    assert "“a moon of cheese” belongs to none of the classes." in confirmation
    assert "textsieve update leaves it out" in confirmation
    written = single_label.corrections()[-1]
    assert (written["text"], written["label"]) == ("a moon of cheese", None)


def send_correction(browser: Browser, label: str) -> None:
    browser.one("#wrong").click()
    browser.choose("#right-class", json.dumps(label))
    browser.one("#correction-form button[type=submit]").click()
    browser.wait("document.getElementById('correction-state').textContent.startsWith('Thank you')")


def test_a_correction_can_be_undone(page: Page, browser: Browser, single_label: PageService) -> None:
    text = "guitar of the withdrawn moon"
    page.open(single_label)
    page.classify(text)
    assert not browser.one("#correction-undo").is_displayed()
    send_correction(browser, "cars")
    browser.run("document.getElementById('box').focus()")
    browser.type(" and" * 600)  # too long to be classified
    assert browser.one("#correction-undo").is_displayed(), "also while the text is edited"
    browser.one("#correction-undo").click()
    browser.wait("document.getElementById('correction-state').textContent.endsWith('were withdrawn.')")
    assert browser.texts("#correction-state") == [f"All corrections of “{text}” were withdrawn."]
    assert browser.active() == "correction-state"
    assert not browser.one("#correction-undo").is_displayed()
    correction, withdrawal = single_label.corrections()[-2:]
    assert (correction["text"], correction["label"]) == (text, "cars")
    assert (withdrawal["text"], withdrawal["label"], withdrawal["withdrawn"]) == (text, None, True)
    page.classify(text)
    send_correction(browser, "cars")  # the text can be corrected again
    page.classify("moon rocket")
    assert not browser.one("#correction-undo").is_displayed(), "it belongs to the text before"


def test_a_withdrawal_that_fails_can_be_tried_again(page: Page, browser: Browser, single_label: PageService) -> None:
    page.open(single_label)
    page.classify("guitar of the failing moon")
    send_correction(browser, "cars")
    browser.run(
        "const usual = window.fetch; window.usualFetch = usual;"
        "window.fetch = async () => Response.json({error: {code: 'not_written', message: 'Disk.'}}, {status: 503})"
    )
    browser.one("#correction-undo").click()
    browser.wait("document.getElementById('correction-state').textContent.startsWith('The correction was not')")
    assert browser.texts("#correction-state") == ["The correction was not withdrawn. Disk."]
    browser.run("window.fetch = window.usualFetch")
    browser.one("#correction-undo").click()
    browser.wait("document.getElementById('correction-state').textContent.endsWith('were withdrawn.')")
    assert browser.one("#wrong").is_displayed(), "the form is back"


@pytest.mark.parametrize("status", [200, 503])
def test_a_late_answer_to_a_withdrawal_leaves_the_next_result_alone(
    status: int, page: Page, browser: Browser, single_label: PageService
) -> None:
    page.open(single_label)
    page.classify("guitar of the late moon")
    send_correction(browser, "cars")
    browser.run(
        "const usual = window.fetch; window.fetch = (url, ...rest) => !String(url).endsWith('feedback')"
        " ? usual(url, ...rest) : new Promise((resolve) => { window.answer = () => resolve(Response.json("
        f"{{error: {{code: 'not_written', message: 'Disk.'}}}}, {{status: {status}}})); }})"
    )
    browser.one("#correction-undo").click()
    assert not browser.one("#correction-undo").is_enabled(), "one withdrawal is enough"
    page.classify("moon rocket")
    browser.run("window.answer(); return new Promise((resolve) => setTimeout(resolve, 100))")
    assert browser.texts("#correction-state") == [""]
    assert not browser.one("#correction-undo").is_displayed()
    assert browser.one("#correction-undo").is_enabled()


def test_labels_of_a_multilabel_model_can_be_corrected(page: Page, browser: Browser, multilabel: PageService) -> None:
    text = "aword0 aword1 aword2"
    page.open(multilabel)
    page.classify(text)
    browser.one("#wrong").click()
    (use,) = browser.texts("#correction-use")
    assert use.startswith("textsieve update can't add corrections to this model: it does not know its documents")
    browser.type("class k")
    shown = [box for box in browser.all("#correction .check") if box.is_displayed()]
    (predicted,) = multilabel.model.label_sets(multilabel.model.predict([text]).labels)
    assert {box.text.strip() for box in shown} == {"class k", *map(str, predicted)}
    next(box for box in shown if box.text.strip() == "class k").click()
    browser.one("#correction-form button[type=submit]").click()
    browser.wait("document.getElementById('correction-state').textContent")
    assert "class k" in multilabel.corrections()[-1]["labels"]
    page.classify("bword0 bword1")
    browser.one("#wrong").click()
    browser.run("for (const box of document.querySelectorAll('#correction input:checked')) box.click()")
    browser.one("#correction-form button[type=submit]").click()
    browser.wait("document.getElementById('correction-state').textContent.includes('belongs to none of the classes.')")
    written = multilabel.corrections()[-1]
    assert (written["text"], written["labels"]) == ("bword0 bword1", [])


def test_a_blank_text_cannot_be_corrected(page: Page, browser: Browser, single_label: PageService) -> None:
    page.open(single_label)
    page.classify("moon")
    assert len(browser.all("#wrong")) == 1
    blank = "\x1c\x1f\x85"  # blank in Python, but text in a browser
    browser.run(
        "document.getElementById('box').value = arguments[0]; document.getElementById('classify').click()", blank
    )
    page.wait_for_text(blank)
    assert browser.all("#wrong") == []
