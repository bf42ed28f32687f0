"""Files with documents on the page: read, classified in batches, cancelled, and downloaded with the results."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from tests.browser import Browser
from tests.serve.conftest import Page, PageService

TEXTS = [
    "the moon rocket 🚀 and a telescope",
    'a "new" guitar, with a song',
    "engine\nbrake and\r\nwheel",
    "=piano concert",
    "zzyzx",
    "-4 drummer",
]
HOLD = """
const originalFetch = window.fetch;
window.held = [];
window.fetch = (path, about) => (String(path).includes("predict") ? new Promise((resolve, reject) => {
  window.held.push(() => originalFetch(path, about).then(resolve, reject));
  about.signal.addEventListener("abort", () => reject(about.signal.reason));
}) : originalFetch(path, about));
"""
"""Script that holds back requests until the test releases them."""
REJECT = """
const originalFetch = window.fetch;
window.rejected = 0;
window.fetch = (path, about) => {
  if (!String(path).includes("predict") || !(%s)) return originalFetch(path, about);
  window.rejected += 1;
  const error = JSON.stringify({ error: { code: "x", message: "Rejected by the test." } });
  return Promise.resolve(new Response(error, { status: %d, headers: { "Retry-After": "0.01" } }));
};
"""
"""Script that answers some requests with an error before they reach the service."""


def rows_of(content: str, separator: str = ",") -> list[dict[str, str]]:
    assert content.startswith("\ufeff")
    assert content.endswith("\r\n")
    return list(csv.DictReader(io.StringIO(content.removeprefix("\ufeff"), newline=""), delimiter=separator))


def written(kind: str, path: Path) -> Path:
    """Write the texts to a file of a format, with numbers as another column where possible; return its path."""
    table = io.StringIO()
    lines = [text.replace("\r", "").replace("\n", " ") for text in TEXTS]
    match kind:
        case "csv" | "tsv":
            writer = csv.writer(table, delimiter="\t" if kind == "tsv" else ",")
            writer.writerows([["id", "body"], *([number, text] for number, text in enumerate(TEXTS))])
        case "jsonl":
            table.write("\n".join(json.dumps({"id": number, "body": text}) for number, text in enumerate(TEXTS)))
        case "json":
            json.dump([{"id": number, "body": text} for number, text in enumerate(TEXTS)], table)
        case "strings.json":
            json.dump(TEXTS, table)
        case "txt":
            table.write("\n\n".join(lines))
    file = path / f"inbox.{kind}"
    file.write_bytes(table.getvalue().encode("utf-8-sig" if kind == "csv" else "utf-8"))
    return file


@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl", "json", "strings.json", "txt"])
def test_every_file_format_is_classified(page: Page, single_label: PageService, tmp_path: Path, kind: str) -> None:
    page.open(single_label, "#file")
    path = written(kind, tmp_path)
    page.choose_file(path)
    assert page.run_file() == "Done: 6 documents classified."
    rows = rows_of(page.download(tmp_path, f"{path.name.replace('.', '-')}-classified.csv"))
    texts = [text.replace("\r", "").replace("\n", " ") for text in TEXTS] if kind == "txt" else TEXTS
    predicted = single_label.model.predict(texts)
    assert [row["label"] for row in rows] == predicted.labels.tolist()
    assert [float(row["score"]) for row in rows] == predicted.scores.max(axis=1).tolist()[:4] + [
        scores[single_label.model.classes.index(label)]
        for label, scores in zip(predicted.labels[4:].tolist(), predicted.scores[4:].tolist(), strict=True)
    ]
    assert [row["unknown"] for row in rows] == ["", "", "", "", "true", ""]
    assert {row["error"] for row in rows} == {""}
    column = "text" if kind in ("strings.json", "txt") else "body"
    assert [row[column] for row in rows] == [*texts[:3], "'=piano concert", "zzyzx", "'-4 drummer"]
    if column == "body":
        assert [row["id"] for row in rows] == list(map(str, range(6)))


def test_counts_and_preview_are_shown(page: Page, browser: Browser, single_label: PageService, tmp_path: Path) -> None:
    page.open(single_label, "#file")
    texts = ["moon rocket"] * 120 + ["guitar song"] * 90
    (tmp_path / "many.txt").write_text("\n".join(texts))
    page.choose_file(tmp_path / "many.txt")
    assert page.run_file() == "Done: 210 documents classified."
    assert browser.texts("#file-counts tr th, #file-counts td.number") == ["space", "120", "music", "90"]
    assert len(browser.all("#file-preview tbody tr")) == 200
    (caption,) = browser.texts("#file-preview caption")
    assert caption.startswith("The first 200 of 210 documents; the download has all.")
    assert browser.texts("#file-preview thead th") == ["No.", "Text", "Class", "Probability"]
    assert len([url for url in browser.requests() if url.endswith("/v1/predict")]) == 5, "50 documents per request"
    assert browser.run("const bar = document.querySelector('progress'); return [bar.value, bar.max]") == [210, 210]


def test_classifying_a_file_shows_progress_and_can_be_cancelled(
    page: Page, browser: Browser, single_label: PageService, tmp_path: Path
) -> None:
    page.open(single_label, "#file")
    (tmp_path / "many.txt").write_text("moon rocket\n" * 130)
    page.choose_file(tmp_path / "many.txt")
    browser.run(HOLD)
    browser.one("#file-start").click()
    browser.wait("window.held.length === 1")
    assert browser.one("#file-cancel").is_displayed()
    assert not browser.one("#file-start").is_enabled()
    browser.run("window.held[0]()")
    browser.wait("window.held.length === 2 && document.querySelector('progress').value > 0")
    browser.one("#file-cancel").click()
    browser.wait("!document.querySelector('#file-result[hidden]')")
    assert browser.texts("#file-state") == ["Cancelled: 80 documents were not classified."]
    assert browser.all("#file .fault:not([hidden]), #file .failed") == [], "a cancelled document did not fail"
    assert browser.run("return document.querySelector('progress').value") == 50
    rows = rows_of(page.download(tmp_path, "many-txt-classified.csv"))
    assert [row["label"] for row in rows] == ["space"] * 50 + [""] * 80
    assert {row["error"] for row in rows[50:]} == {"not classified: cancelled"}
    browser.one("#file-start").click()
    browser.wait("window.held.length === 3")  # classifying can start again, and is dropped for another file
    (tmp_path / "other.txt").write_text("guitar song")
    page.choose_file(tmp_path / "other.txt")
    assert not browser.one("#file-cancel").is_displayed()
    browser.one("#file-start").click()
    browser.wait("window.held.length === 4")
    browser.run("window.held[2](); window.held[3]()")
    browser.wait("!document.querySelector('#file-result[hidden]')")
    assert browser.texts("#file-state") == ["Done: 1 document classified."]
    assert browser.texts("#file-preview tbody .text") == ["guitar song", "music"]


def test_failed_documents_are_marked_with_an_error(
    page: Page, browser: Browser, single_label: PageService, tmp_path: Path
) -> None:
    page.open(single_label, "#file")
    lines = [
        json.dumps({"text": "moon rocket"}),
        "{broken",
        json.dumps({"text": "🎸" * 2001}),
        json.dumps({"text": "guitar"}),
        json.dumps({"text": None}),
        json.dumps({"id": 7}),
        json.dumps({"text": ""}),
    ]
    (tmp_path / "mixed.jsonl").write_text("\n".join(lines))
    page.choose_file(tmp_path / "mixed.jsonl")
    assert browser.texts("#file-warning") == ["1 line can’t be read: line 2 is not JSON."], (
        "the problem is shown before classifying"
    )
    assert page.run_file() == "Done: 2 documents classified, 5 not."
    rows = rows_of(page.download(tmp_path, "mixed-jsonl-classified.csv"))
    errors = [row["error"] for row in rows]
    none, empty = "there is no text", "the text is empty"
    assert errors == ["", "line 2 is not JSON", "too long: 2,001 characters, at most 2,000", "", none, none, empty]
    failed = browser.texts("#file-preview .failed")
    assert failed == [error for error in errors if error.startswith(("line", "too long"))], (
        "an empty text is no failure"
    )
    assert [row["text"] for row in rows[4:]] == ["", "", ""]
    assert {(row["label"], row["score"], row["unknown"]) for row in rows[4:]} == {("", "", "")}


def test_a_rejected_document_does_not_fail_the_others(
    page: Page, browser: Browser, single_label: PageService, tmp_path: Path
) -> None:
    page.open(single_label, "#file")
    texts = ["moon rocket"] * 5 + ["poison"] + ["guitar song"] * 5
    (tmp_path / "some.txt").write_text("\n".join(texts))
    page.choose_file(tmp_path / "some.txt")
    browser.run(REJECT % ("about.body.includes('poison')", 422))
    assert page.run_file() == "Done: 10 documents classified, 1 not."
    rows = rows_of(page.download(tmp_path, "some-txt-classified.csv"))
    assert [row["label"] for row in rows] == ["space"] * 5 + [""] + ["music"] * 5
    assert rows[5]["error"] == "Rejected by the test."


def test_a_busy_service_is_tried_again(page: Page, browser: Browser, single_label: PageService, tmp_path: Path) -> None:
    page.open(single_label, "#file")
    (tmp_path / "some.txt").write_text("moon rocket\n" * 60)
    page.choose_file(tmp_path / "some.txt")
    browser.run(REJECT % ("window.rejected < 3", 503))
    assert page.run_file() == "Done: 60 documents classified."
    assert browser.run("return window.rejected") == 3


def test_the_page_waits_for_a_service_that_is_down(
    page: Page, browser: Browser, single_label: PageService, tmp_path: Path
) -> None:
    page.open(single_label, "#file")
    (tmp_path / "some.txt").write_text("moon rocket\n" * 60)
    page.choose_file(tmp_path / "some.txt")
    page.shorten_timers()
    browser.run(REJECT % ("window.rejected < 1", 503))
    browser.run(
        "const originalFetch = window.fetch; window.isLost = true; window.lost = 0; window.fetch = (path, about) =>"
        "window.isLost && ++window.lost ? Promise.reject(new TypeError('Failed to fetch')) : originalFetch(path, about)"
    )
    browser.one("#file-start").click()
    browser.wait("document.getElementById('file-state').textContent.startsWith('The server does not respond')")
    browser.wait("window.lost > 2 && !document.getElementById('trouble').hidden")
    browser.run("window.isLost = false")
    browser.wait("!document.querySelector('#file-result[hidden]')")
    assert browser.texts("#file-state") == ["Done: 60 documents classified."]
    browser.wait("document.getElementById('trouble').hidden")


def test_the_text_column_can_be_changed(
    page: Page, browser: Browser, single_label: PageService, tmp_path: Path
) -> None:
    page.open(single_label, "#file")
    (tmp_path / "two.csv").write_text("label;subject;note\nx;moon rocket;guitar and more guitar than that\n")
    page.choose_file(tmp_path / "two.csv")
    assert "semicolons" in browser.texts("#file-about")[0]
    assert browser.run("return document.getElementById('file-column').value") == "2", (
        "the column with the longest cells"
    )
    page.run_file()
    browser.choose("#file-column", "1")
    page.run_file()
    (row,) = rows_of(page.download(tmp_path, "two-csv-classified.csv"), ";")
    assert (row["label"], row["predicted_label"]) == ("x", "space"), "the columns of the file keep their names"
    browser.one("#file-names-label").click()
    assert browser.texts("#file-column option") == ["column 1", "column 2", "column 3"]
    assert browser.texts("#file-start") == ["Classify 2 documents"]


def test_other_columns_can_be_added_to_the_text(
    page: Page, browser: Browser, single_label: PageService, tmp_path: Path
) -> None:
    page.open(single_label, "#file")
    (tmp_path / "mail.csv").write_text("id,subject,text\n1,moon rocket telescope,zzyzx\n2, ,guitar song\n3,,\n")
    page.choose_file(tmp_path / "mail.csv")
    browser.one("#file-more summary").click()
    assert browser.texts("#file-more-list label") == ["id", "subject"], "without the column of the text"
    browser.one("#file-more-list label:nth-child(2)").click()
    page.run_file()
    assert browser.run("return [...document.querySelectorAll('.clamp')].map((cell) => cell.textContent)") == [
        "zzyzx\n\nmoon rocket telescope",
        "guitar song",
    ], "an empty text is shown in words"
    rows = rows_of(page.download(tmp_path, "mail-csv-classified.csv"))
    assert [row["label"] for row in rows[:2]] == ["space", "music"]
    browser.one("#file-more-list label:nth-child(2)").click()
    assert browser.run("return document.getElementById('file-result').hidden"), "the results were of other texts"
    page.run_file()
    assert browser.texts(".clamp")[0] == "zzyzx"


def test_a_model_trained_on_several_columns_suggests_them(
    page: Page, browser: Browser, several_columns: PageService, tmp_path: Path
) -> None:
    page.open(several_columns, "#file")
    (tmp_path / "mail.csv").write_text("id,description,title\n1,about the moon,rocket\n")
    page.choose_file(tmp_path / "mail.csv")
    assert browser.run("return document.getElementById('file-column').value") == "2", "title comes first"
    assert browser.run("return document.querySelector('#file-more-list :checked').value") == "1"
    page.run_file()
    assert browser.run("return document.querySelector('.clamp').textContent") == "rocket\n\nabout the moon"
    (tmp_path / "other.csv").write_text("id,text\n1,about the moon\n")
    page.choose_file(tmp_path / "other.csv")
    assert browser.run("return document.getElementById('file-column').value") == "1"
    assert not browser.run("return document.getElementById('file-more').open")


def test_multilabel_predictions_share_a_cell(page: Page, multilabel: PageService, tmp_path: Path) -> None:
    page.open(multilabel, "#file")
    texts = ["aword0 aword1 aword2 bword0 bword1 bword2", "cword1 cword2", "zzyzx"]
    (tmp_path / "topics.txt").write_text("\n".join(texts))
    page.choose_file(tmp_path / "topics.txt")
    page.run_file()
    rows = rows_of(page.download(tmp_path, "topics-txt-classified.csv"))
    predicted = multilabel.model.predict(texts)
    expected = multilabel.model.label_sets(predicted.labels)
    shown = page.browser.texts("#file-preview .pair > :first-child")
    assert shown == [str(label) for labels in expected for label in labels]
    assert [tuple(row["labels"].split("|")) if row["labels"] else () for row in rows] == expected
    for row, labels, scores in zip(rows, expected, predicted.scores.tolist(), strict=True):
        label_scores = [scores[multilabel.model.classes.index(label)] for label in labels]
        assert [float(score) for score in row["scores"].split("|") if score] == label_scores


def test_files_that_cannot_be_read_show_an_error(
    page: Page, browser: Browser, single_label: PageService, tmp_path: Path
) -> None:
    page.open(single_label, "#file")
    (tmp_path / "picture.csv").write_bytes(bytes(range(256)))
    browser.give_file("#file-input", tmp_path / "picture.csv")
    browser.wait("!document.getElementById('file-fault').hidden")
    assert "picture.csv is neither text nor an Excel file." in browser.texts("#file-fault")[0]
    (tmp_path / "open.csv").write_text('text\n"moon\nrocket')
    page.choose_file(tmp_path / "open.csv")
    assert "The quote in line 2 is never closed" in browser.texts("#file-warning")[0]
    (tmp_path / "empty.csv").write_text("")
    page.choose_file(tmp_path / "empty.csv")
    assert browser.texts("#file-about") == ["empty.csv is empty."]
    assert not browser.one("#file-start").is_enabled()


def test_unknown_and_empty_documents_are_counted(
    page: Page, browser: Browser, single_label: PageService, tmp_path: Path
) -> None:
    page.open(single_label, "#file")
    (tmp_path / "odd.csv").write_text('id,text\n1,moon rocket\n2,zzyzx\n3,""\n4,qwertz\n')
    page.choose_file(tmp_path / "odd.csv")
    assert page.run_file() == "Done: 3 documents classified, 1 not."
    unknown, empty = browser.texts("#file-counts .note")
    assert unknown.startswith("2 documents have no term that the model knows")
    assert empty == "1 document is empty and has no class."
    assert browser.texts("#file-counts .fault") == []
    assert sum(int(number) for number in browser.texts("#file-counts td.number")) == 3, "it counts for no class"
    rows = rows_of(page.download(tmp_path, "odd-csv-classified.csv"))
    assert (rows[2]["label"], rows[2]["error"]) == ("", "the text is empty")


@pytest.mark.parametrize("width", [1280, 1024, 360])
def test_probabilities_and_scores_are_not_cut_off(
    page: Page, browser: Browser, hostile: PageService, tmp_path: Path, width: int
) -> None:
    browser.size(width)
    page.open(hostile, "#file")
    (tmp_path / "some.txt").write_text("moon rocket\nguitar song and piano\nzzyzx")
    page.choose_file(tmp_path / "some.txt")
    page.run_file()
    assert "%" in browser.texts("#file-preview td.number:last-child")[0]
    outside = (
        "const edge = document.querySelector('#file-preview .scroll').getBoundingClientRect().right;"
        "return [...document.querySelectorAll('#file-preview td.number:last-child')].filter((cell) =>"
        "cell.scrollWidth > cell.clientWidth || cell.getBoundingClientRect().right > edge + 1).length"
    )
    assert browser.run(outside) == 0


# -- the documents of the table ------------------------------------------------------------------------------------

MIXED = ["moon rocket launch", "guitar song", "zzyzx", "moon guitar", "engine wheel", "moon rocket engine", "song"]
NUMBERS = "#file-preview tbody td:first-child"


@pytest.fixture
def mixed(page: Page, described: PageService, tmp_path: Path) -> list[float]:
    """Classify a file whose documents are of all classes, and return their probabilities."""
    page.open(described, "#file")
    (tmp_path / "mixed.txt").write_text("\n".join(MIXED))
    page.choose_file(tmp_path / "mixed.txt")
    page.run_file()
    model = described.model
    probabilities: list[float] = model.label_probabilities(model.predict(MIXED)).tolist()
    return probabilities


def test_documents_are_sorted_by_probability_and_class(browser: Browser, mixed: list[float]) -> None:
    assert browser.texts(NUMBERS) == [str(number + 1) for number in range(len(MIXED))]
    heads = browser.all("#file-preview thead th")
    assert heads[0].get_attribute("aria-sort") == "ascending"
    browser.one("#file-preview thead th:last-child button").click()
    surest_first = [mixed[int(number) - 1] for number in browser.texts(NUMBERS)]
    assert surest_first == sorted(mixed, reverse=True)
    browser.one("#file-preview thead th:last-child button").click()
    assert [mixed[int(number) - 1] for number in browser.texts(NUMBERS)] == sorted(mixed)
    browser.one("#file-preview thead th:nth-child(3) button").click()
    names = browser.texts("#file-preview tbody td:nth-child(3)")
    assert names == sorted(names, key=lambda name: ("not sure" not in name, name)), "“(not sure)” comes first"
    assert [head.get_attribute("aria-sort") for head in heads] == [None, None, "ascending", None]


def test_documents_are_filtered_by_class_and_probability(browser: Browser, mixed: list[float]) -> None:
    bands = {"below 50%": (0, 0.5), "50% to 80%": (0.5, 0.8), "80% to 95%": (0.8, 0.95), "95% and above": (0.95, 2)}
    for place, (name, (low, high)) in enumerate(bands.items()):
        wanted = [str(number) for number, value in enumerate(mixed, 1) if low <= value < high]
        assert browser.texts("#file-band option")[place + 1] == f"{name} ({len(wanted)})"
        browser.choose("#file-band", str(place))
        assert browser.texts(NUMBERS) == wanted
    browser.choose("#file-band", "")
    names = browser.texts("#file-class option")
    n_unsure = sum(value < 0.9 for value in mixed)
    assert f"(not sure) ({n_unsure})" in names
    browser.choose("#file-class", str(names.index(f"(not sure) ({n_unsure})") - 1))
    assert browser.texts(NUMBERS) == [str(number) for number, value in enumerate(mixed, 1) if value < 0.9]
    (caption,) = browser.texts("#file-preview caption")
    assert caption.startswith(f"{n_unsure} of {len(MIXED)} documents.")


def test_a_row_shows_why(page: Page, browser: Browser, described: PageService, mixed: list[float]) -> None:
    ready = "document.getElementById('document-marked').textContent === '{}' && {}.open"
    dialog = "document.getElementById('document')"
    browser.one("#file-preview tbody tr:nth-child(2) td:nth-child(3)").click()
    browser.wait(ready.format(MIXED[1], dialog))
    assert browser.texts("#document-title") == [f"Document 2 of {len(MIXED)}"]
    explained = described.model.explain(MIXED[1])
    assert browser.texts("#document-prediction strong") == [str(explained.predicted)]
    assert browser.texts("#document-marked mark") != []
    marked = browser.run("return [...document.querySelectorAll('#document-marked mark')].map((e) => e.className)")
    browser.run("document.getElementById('document-details').open = true")
    assert browser.texts("#document-contributions tbody th") == [
        term.term for term in explained.classes[0].contributions
    ]
    browser.one("#document-classes button:nth-child(2)").click()
    browser.wait(
        f"document.getElementById('document-marked-title').textContent.endsWith('{explained.classes[1].label}')"
    )
    other = browser.run("return [...document.querySelectorAll('#document-marked mark')].map((e) => e.className)")
    assert other != marked, "the terms speak against another class"
    browser.one("#document-next").click()
    browser.wait(ready.format(MIXED[2], dialog))
    assert browser.texts("#document-prediction strong") == ["Not sure"]
    assert "No term of the text is known" in " ".join(browser.texts("#document-prediction .unknown"))
    for _ in MIXED[3:]:
        browser.one("#document-next").click()
    browser.wait(ready.format(MIXED[-1], dialog))
    assert not browser.one("#document-next").is_enabled()
    browser.one("#document-close").click()
    # First, the browser gives the focus back to the row that was clicked. The page moves it to the row of the last
    # document in a later task, the event "close" of the dialog.
    browser.wait(f"document.activeElement.textContent.trim() === {json.dumps(MIXED[-1])}")
    assert browser.run("return document.getElementById('marked').textContent") == "", "the text tab is another one"
    assert browser.complaints() == []


def test_documents_open_in_the_order_of_the_table(browser: Browser, mixed: list[float]) -> None:
    browser.one("#file-preview thead th:last-child button").click()
    order = browser.texts(NUMBERS)
    browser.one("#file-preview tbody tr:first-child .row-button").click()
    browser.wait("document.getElementById('document-marked').textContent")
    assert browser.texts("#document-title") == [f"Document {order[0]} of {len(MIXED)}"]
    assert not browser.one("#document-previous").is_enabled()
    browser.one("#document-next").click()
    assert browser.texts("#document-title") == [f"Document {order[1]} of {len(MIXED)}"]


def test_documents_that_were_not_classified_have_nothing_to_open(
    page: Page, browser: Browser, single_label: PageService, tmp_path: Path
) -> None:
    page.open(single_label, "#file")
    (tmp_path / "long.txt").write_text(f"moon rocket\n{'x' * 3000}\n")
    page.choose_file(tmp_path / "long.txt")
    page.run_file()
    assert len(browser.all("#file-preview tbody tr")) == 2
    assert len(browser.all("#file-preview .row-button")) == 1
    assert "(not classified) (1)" in browser.texts("#file-class option")
    browser.one("#file-preview tbody tr:last-child td:last-child").click()
    assert not browser.one("#document").is_displayed()


def test_scores_are_neither_sorted_nor_filtered(
    page: Page, browser: Browser, plain: PageService, tmp_path: Path
) -> None:
    """Scores of different texts can't be compared."""
    page.open(plain, "#file")
    (tmp_path / "some.txt").write_text("moon rocket\nguitar song")
    page.choose_file(tmp_path / "some.txt")
    page.run_file()
    assert browser.texts("#file-preview thead th") == ["No.", "Text", "Class", "Score"]
    assert browser.texts("#file-preview .sorter") == ["No.", "Class"]
    assert not browser.one("#file-band-label").is_displayed()


def test_the_lowest_probability_of_several_classes_counts(
    page: Page, browser: Browser, multilabel: PageService, tmp_path: Path
) -> None:
    texts = ["aword0 aword1 aword2 bword0 bword1 bword2", "cword1 cword2", "zzyzx", "dword0 dword1 eword1"]
    page.open(multilabel, "#file")
    (tmp_path / "topics.txt").write_text("\n".join(texts))
    page.choose_file(tmp_path / "topics.txt")
    page.run_file()
    browser.one("#file-preview thead th:last-child button").click()
    model = multilabel.model
    predicted = model.predict(texts)
    lowest = []
    for labels, probabilities in zip(
        model.label_sets(predicted.labels), model.probabilities(predicted.scores, predicted.is_unknown), strict=True
    ):
        lowest.append(min((probabilities[model.classes.index(label)] for label in labels), default=-1.0))
    surest_first = sorted(range(len(texts)), key=lambda place: -lowest[place])
    assert browser.texts(NUMBERS) == [str(place + 1) for place in surest_first]
