"""A file of documents on the page: read, classified part by part, cancelled, and downloaded with what was found."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from tests.browser import Browser
from tests.serve.conftest import Page, Served

TEXTS = [
    "the moon rocket 🚀 and a telescope",
    'a "new" guitar, with a song',
    "engine\nbrake and\r\nwheel",
    "=piano concert",
    "zzyzx",
    "-4 drummer",
]
HOLD = """
const asked = window.fetch;
window.held = [];
window.fetch = (path, about) => (String(path).includes("predict") ? new Promise((resolve, reject) => {
  window.held.push(() => asked(path, about).then(resolve, reject));
  about.signal.addEventListener("abort", () => reject(about.signal.reason));
}) : asked(path, about));
"""
"""Requests wait until a test lets them go."""
REFUSE = """
const asked = window.fetch;
window.refused = 0;
window.fetch = (path, about) => {
  if (!String(path).includes("predict") || !(%s)) return asked(path, about);
  window.refused += 1;
  const error = JSON.stringify({ error: { code: "x", message: "No, not that." } });
  return Promise.resolve(new Response(error, { status: %d, headers: { "Retry-After": "0.01" } }));
};
"""
"""Some requests are refused before they reach the service."""


def rows_of(content: str, separator: str = ",") -> list[dict[str, str]]:
    assert content.startswith("\ufeff")
    assert content.endswith("\r\n")
    return list(csv.DictReader(io.StringIO(content.removeprefix("\ufeff"), newline=""), delimiter=separator))


def written(kind: str, path: Path) -> Path:
    """The texts as a file of some kind, with numbers beside them where there is room."""
    table = io.StringIO()
    lines = [each.replace("\r", "").replace("\n", " ") for each in TEXTS]
    match kind:
        case "csv" | "tsv":
            writer = csv.writer(table, delimiter="\t" if kind == "tsv" else ",")
            writer.writerows([["id", "body"], *([number, each] for number, each in enumerate(TEXTS))])
        case "jsonl":
            table.write("\n".join(json.dumps({"id": number, "body": each}) for number, each in enumerate(TEXTS)))
        case "json":
            json.dump([{"id": number, "body": each} for number, each in enumerate(TEXTS)], table)
        case "strings.json":
            json.dump(TEXTS, table)
        case "txt":
            table.write("\n\n".join(lines))
    file = path / f"inbox.{kind}"
    file.write_bytes(table.getvalue().encode("utf-8-sig" if kind == "csv" else "utf-8"))
    return file


@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl", "json", "strings.json", "txt"])
def test_every_kind_of_file(page: Page, one_label: Served, tmp_path: Path, kind: str) -> None:
    page.open(one_label, "#file")
    path = written(kind, tmp_path)
    page.give(path)
    assert page.run_file() == "Done: 6 documents classified."
    found = rows_of(page.result(tmp_path, f"{path.name.replace('.', '-')}-classified.csv"))
    texts = [each.replace("\r", "").replace("\n", " ") for each in TEXTS] if kind == "txt" else TEXTS
    predicted = one_label.model.predict(texts)
    assert [row["label"] for row in found] == predicted.labels.tolist()
    assert [float(row["score"]) for row in found] == predicted.scores.max(axis=1).tolist()[:4] + [
        scores[one_label.model.classes.index(label)]
        for label, scores in zip(predicted.labels[4:].tolist(), predicted.scores[4:].tolist(), strict=True)
    ]
    assert [row["unknown"] for row in found] == ["", "", "", "", "true", ""]
    assert {row["error"] for row in found} == {""}
    column = "text" if kind in ("strings.json", "txt") else "body"
    assert [row[column] for row in found] == [*texts[:3], "'=piano concert", "zzyzx", "'-4 drummer"]
    if column == "body":
        assert [row["id"] for row in found] == list(map(str, range(6)))


def test_counts_and_preview(page: Page, browser: Browser, one_label: Served, tmp_path: Path) -> None:
    page.open(one_label, "#file")
    texts = ["moon rocket"] * 120 + ["guitar song"] * 90
    (tmp_path / "many.txt").write_text("\n".join(texts))
    page.give(tmp_path / "many.txt")
    assert page.run_file() == "Done: 210 documents classified."
    assert browser.texts("#file-counts tr th, #file-counts td.number") == ["space", "120", "music", "90"]
    assert len(browser.all("#file-preview tbody tr")) == 200
    assert browser.texts("#file-preview caption") == ["The first 200 of 210 documents; the download has all."]
    assert len([each for each in browser.requests() if each.endswith("/v1/predict")]) == 5, "50 documents a request"
    assert browser.run("const bar = document.querySelector('progress'); return [bar.value, bar.max]") == [210, 210]


def test_progress_and_cancel(page: Page, browser: Browser, one_label: Served, tmp_path: Path) -> None:
    page.open(one_label, "#file")
    (tmp_path / "many.txt").write_text("moon rocket\n" * 130)
    page.give(tmp_path / "many.txt")
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
    assert browser.all("#file .fault:not([hidden]), #file .failed") == [], "what one wanted is no fault"
    assert browser.run("return document.querySelector('progress').value") == 50
    found = rows_of(page.result(tmp_path, "many-txt-classified.csv"))
    assert [row["label"] for row in found] == ["space"] * 50 + [""] * 80
    assert {row["error"] for row in found[50:]} == {"not classified: cancelled"}
    browser.one("#file-start").click()
    browser.wait("window.held.length === 3")  # it can be begun again, and given up for another file
    (tmp_path / "other.txt").write_text("guitar song")
    page.give(tmp_path / "other.txt")
    assert not browser.one("#file-cancel").is_displayed()
    browser.one("#file-start").click()
    browser.wait("window.held.length === 4")
    browser.run("window.held[2](); window.held[3]()")
    browser.wait("!document.querySelector('#file-result[hidden]')")
    assert browser.texts("#file-state") == ["Done: 1 document classified."]
    assert browser.texts("#file-preview tbody .text") == ["guitar song", "music"]


def test_what_fails_is_marked(page: Page, browser: Browser, one_label: Served, tmp_path: Path) -> None:
    page.open(one_label, "#file")
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
    page.give(tmp_path / "mixed.jsonl")
    assert browser.texts("#file-warning") == ["1 line can’t be read: line 2 is not JSON."], "before it begins"
    assert page.run_file() == "Done: 3 documents classified, 4 not."
    found = rows_of(page.result(tmp_path, "mixed-jsonl-classified.csv"))
    errors = [row["error"] for row in found]
    none = "there is no text"
    assert errors == ["", "line 2 is not JSON", "too long: 2,001 characters, at most 2,000", "", none, none, ""]
    assert browser.texts("#file-preview .failed") == [each for each in errors if each]
    assert [row["text"] for row in found[4:]] == ["", "", ""]
    assert [row["unknown"] for row in found[4:]] == ["", "", "true"], "an empty text is one"


def test_a_document_that_the_service_refuses(page: Page, browser: Browser, one_label: Served, tmp_path: Path) -> None:
    page.open(one_label, "#file")
    texts = ["moon rocket"] * 5 + ["poison"] + ["guitar song"] * 5
    (tmp_path / "some.txt").write_text("\n".join(texts))
    page.give(tmp_path / "some.txt")
    browser.run(REFUSE % ("about.body.includes('poison')", 422))
    assert page.run_file() == "Done: 10 documents classified, 1 not."
    found = rows_of(page.result(tmp_path, "some-txt-classified.csv"))
    assert [row["label"] for row in found] == ["space"] * 5 + [""] + ["music"] * 5
    assert found[5]["error"] == "No, not that."


def test_a_busy_service_is_asked_again(page: Page, browser: Browser, one_label: Served, tmp_path: Path) -> None:
    page.open(one_label, "#file")
    (tmp_path / "some.txt").write_text("moon rocket\n" * 60)
    page.give(tmp_path / "some.txt")
    browser.run(REFUSE % ("window.refused < 3", 503))
    assert page.run_file() == "Done: 60 documents classified."
    assert browser.run("return window.refused") == 3


def test_a_service_that_is_gone_is_waited_for(page: Page, browser: Browser, one_label: Served, tmp_path: Path) -> None:
    page.open(one_label, "#file")
    (tmp_path / "some.txt").write_text("moon rocket\n" * 60)
    page.give(tmp_path / "some.txt")
    page.hurry()
    browser.run(REFUSE % ("window.refused < 1", 503))
    browser.run(
        "const asked = window.fetch; window.isLost = true; window.lost = 0; window.fetch = (path, about) =>"
        "window.isLost && ++window.lost ? Promise.reject(new TypeError('Failed to fetch')) : asked(path, about)"
    )
    browser.one("#file-start").click()
    browser.wait("document.getElementById('file-state').textContent.startsWith('The server does not respond')")
    browser.wait("window.lost > 2 && !document.getElementById('trouble').hidden")
    browser.run("window.isLost = false")
    browser.wait("!document.querySelector('#file-result[hidden]')")
    assert browser.texts("#file-state") == ["Done: 60 documents classified."]
    browser.wait("document.getElementById('trouble').hidden")


def test_the_column_can_be_chosen(page: Page, browser: Browser, one_label: Served, tmp_path: Path) -> None:
    page.open(one_label, "#file")
    (tmp_path / "two.csv").write_text("label;subject;note\nx;moon rocket;guitar and more guitar than that\n")
    page.give(tmp_path / "two.csv")
    assert "semicolons" in browser.texts("#file-about")[0]
    assert browser.run("return document.getElementById('file-column').value") == "2", "the longest"
    page.run_file()
    browser.choose("#file-column", "1")
    page.run_file()
    (row,) = rows_of(page.result(tmp_path, "two-csv-classified.csv"), ";")
    assert (row["label"], row["predicted_label"]) == ("x", "space"), "no column of the file is lost"
    browser.one("#file-names-label").click()
    assert browser.texts("#file-column option") == ["column 1", "column 2", "column 3"]
    assert browser.texts("#file-start") == ["Classify 2 documents"]


def test_several_labels_in_a_cell(page: Page, several_labels: Served, tmp_path: Path) -> None:
    page.open(several_labels, "#file")
    texts = ["aword0 aword1 aword2 bword0 bword1 bword2", "cword1 cword2", "zzyzx"]
    (tmp_path / "topics.txt").write_text("\n".join(texts))
    page.give(tmp_path / "topics.txt")
    page.run_file()
    found = rows_of(page.result(tmp_path, "topics-txt-classified.csv"))
    predicted = several_labels.model.predict(texts)
    expected = several_labels.model.label_sets(predicted.labels)
    shown = page.browser.texts("#file-preview .pair > :first-child")
    assert shown == [str(label) for labels in expected for label in labels]
    assert [tuple(row["labels"].split("|")) if row["labels"] else () for row in found] == expected
    for row, labels, scores in zip(found, expected, predicted.scores.tolist(), strict=True):
        own = [scores[several_labels.model.classes.index(label)] for label in labels]
        assert [float(each) for each in row["scores"].split("|") if each] == own


def test_what_cannot_be_read(page: Page, browser: Browser, one_label: Served, tmp_path: Path) -> None:
    page.open(one_label, "#file")
    (tmp_path / "picture.csv").write_bytes(bytes(range(256)))
    browser.give_file("#file-input", tmp_path / "picture.csv")
    browser.wait("!document.getElementById('file-fault').hidden")
    assert "is not a text file" in browser.texts("#file-fault")[0]
    (tmp_path / "open.csv").write_text('text\n"moon\nrocket')
    page.give(tmp_path / "open.csv")
    assert "The quote in line 2 is never closed" in browser.texts("#file-warning")[0]
    (tmp_path / "empty.csv").write_text("")
    page.give(tmp_path / "empty.csv")
    assert browser.texts("#file-about") == ["empty.csv is empty."]
    assert not browser.one("#file-start").is_enabled()


def test_what_the_model_does_not_know_is_counted(
    page: Page, browser: Browser, one_label: Served, tmp_path: Path
) -> None:
    page.open(one_label, "#file")
    (tmp_path / "odd.csv").write_text('id,text\n1,moon rocket\n2,zzyzx\n3,""\n4,qwertz\n')
    page.give(tmp_path / "odd.csv")
    assert page.run_file() == "Done: 4 documents classified."
    unknown, empty = browser.texts("#file-counts .note")
    assert unknown.startswith("2 documents have no term that the model knows")
    assert empty.startswith("1 document is empty")


@pytest.mark.parametrize("width", [1280, 1024, 360])
def test_probabilities_and_scores_are_seen_whole(
    page: Page, browser: Browser, hostile: Served, tmp_path: Path, width: int
) -> None:
    browser.size(width)
    page.open(hostile, "#file")
    (tmp_path / "some.txt").write_text("moon rocket\nguitar song and piano\nzzyzx")
    page.give(tmp_path / "some.txt")
    page.run_file()
    assert "%" in browser.texts("#file-preview td.number:last-child")[0]
    outside = (
        "const edge = document.querySelector('#file-preview .scroll').getBoundingClientRect().right;"
        "return [...document.querySelectorAll('#file-preview td.number:last-child')].filter((each) =>"
        "each.scrollWidth > each.clientWidth || each.getBoundingClientRect().right > edge + 1).length"
    )
    assert browser.run(outside) == 0
