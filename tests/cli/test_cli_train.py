"""`textsieve train`: what it says, and that what it is told arrives."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.reference.cli_cases import Run, documents, write_csv

import textsieve
from textsieve.training import counted_documents as training_documents

Ask = Callable[..., Any]


def test_it_says_what_it_chose_and_how_good_it_is(news: Path, tmp_path: Path, run: Run) -> None:
    output = tmp_path / "news.sieve"
    said = run("train", news, "--text", "body", "--label", "topic", "-o", output).stdout
    assert "60 documents" in said
    assert "3 classes" in said
    assert "24 of 24 terms" in said
    assert "12 documents that were held out (20%)" in said
    for figure in ("micro-F1 1.000", "macro-F1 1.000", "accuracy 1.000", "precision", "recall"):
        assert figure in said
    row = next(line.split() for line in said.splitlines() if line.startswith("sport"))
    assert row[1] == "20"
    assert "striker," in row
    for stage in ("counting", "held out", "selecting", "training", "writing"):
        assert stage in said.partition("Seconds:")[2]
    assert str(output) in said
    assert "no held-out document" not in said
    assert textsieve.load(output).predict(["the striker and the keeper"]).tolist() == ["sport"]


def test_it_says_which_share_was_held_out_and_how_many_classes_were_not(tmp_path: Path, run: Run) -> None:
    lines = ["sport,the striker scored\n", "money,the bank lends\n"] * 4 + ["zoo,a lion\n", "farm,a cow\n"]
    (tmp_path / "few.csv").write_text("topic,body\n" + "".join(lines))
    asked = ("train", tmp_path / "few.csv", "--text", "body", "--label", "topic", "--held-out", 0.5)
    said = run(*asked, "-o", tmp_path / "few.sieve").stdout
    assert "4 documents that were held out (40%)" in said
    assert "2 classes have no held-out document." in said


def test_it_says_that_a_sample_was_measured_on(
    news: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training_documents, "MOST_VALUES", 150)
    said = run("train", news, "-o", tmp_path / "news.sieve").stdout
    n_tuned_on = textsieve.load(tmp_path / "news.sieve").model_.about["n_tuned_on"]
    assert 10 < n_tuned_on < 60
    assert f"% of a sample of {n_tuned_on} documents)" in said


def test_json_is_all_that_is_printed(news: Path, tmp_path: Path, ask: Ask) -> None:
    told = ask("train", news, "-o", tmp_path / "x.sieve")
    assert told["n_documents"] == 60
    assert (told["n_terms"], told["n_terms_seen"]) == (24, 24)
    assert told["bytes"] == (tmp_path / "x.sieve").stat().st_size
    assert told["held_out"]["micro_f1"] == 1.0
    assert told["held_out"]["documents"] == 12
    assert {row["label"]: row["documents"] for row in told["classes"]} == {"politics": 20, "science": 20, "sport": 20}
    assert {"striker", "goal"} <= {each["term"] for each in told["classes"][2]["terms"]}
    assert set(told["seconds"]) == {"counting", "held out", "selecting", "training", "writing"}


def test_settings_arrive(news: Path, tmp_path: Path, ask: Ask) -> None:
    words = tmp_path / "stop.txt"
    words.write_text("the and\nnumber1\n")
    told = ask(
        *("train", news, "-o", tmp_path / "x.sieve", "--selector", "chi", "--selector-option", "pooling=max"),
        *("-k", "0.5", "--classifier", "logistic", "--classifier-option", "C=3.5", "--class-weight", "sport=2"),
        *("--stop-words", words, "--ngrams", "1-2", "--min-df", "2", "--max-df", "0.9", "--strip-accents", "ascii"),
        *("--keep-case", "--held-out", "0", "--folds", "3", "--jobs", "1", "--no-multilabel"),
    )
    assert told["held_out"] is None
    expected = [
        *(("selector", "chi"), ("selector_options", {"pooling": "max"}), ("n_terms", 0.5), ("classifier", "logistic")),
        *(("classifier_options", {"C": 3.5}), ("class_weight", [["sport", 2.0]]), ("stop_words", "a list")),
        *(("ngram_range", [1, 2]), ("min_df", 2), ("max_df", 0.9), ("strip_accents", "ascii"), ("lowercase", False)),
        *(("held_out", None), ("folds", 3), ("multilabel", False)),
    ]
    assert [(name, told["settings"][name]) for name, _ in expected] == expected
    terms = textsieve.load(tmp_path / "x.sieve").terms_
    assert told["n_terms"] == len(terms) == round(told["n_terms_seen"] / 2)
    assert not {"the", "and", "number1"} & {word for term in terms for word in term.split()}


@pytest.mark.parametrize(
    ("given", "setting", "value"),
    [
        (["--stop-words", "english"], "stop_words", "english"),
        (["--class-weight", "balanced"], "class_weight", "balanced"),
        (
            ["--class-weight", "sport=2", "--class-weight", "science=0.5"],
            "class_weight",
            [["sport", 2.0], ["science", 0.5]],
        ),
        (["-k", "all"], "n_terms", "all"),
        (["-k", "7"], "n_terms", 7),
        (["--classifier", "rocchio", "--selector", "ig"], "selector", "ig"),
        (["--ngrams", "2"], "ngram_range", [2, 2]),
        (["--stop-words", "german"], "stop_words", "german"),
        (["--normalise", "stem"], "normalise", "stem"),
        (["--normalise", "lemma", "--language", "es"], "language", "es"),
        (["--drop-tags"], "tags", "drop"),
        (["--names"], "names", True),
        ([], "tags", "keep"),
    ],
)
def test_ways_to_say_it(given: list[str], setting: str, value: object, news: Path, tmp_path: Path, ask: Ask) -> None:
    assert ask("train", news, "-o", tmp_path / "x", "--held-out", "0", *given)["settings"][setting] == value


def test_the_number_of_terms_is_found(news: Path, tmp_path: Path, run: Run, ask: Ask) -> None:
    assert "selected" in run("train", news, "-o", tmp_path / "x", "-k", "auto", "--folds", 2).stdout
    told = ask("info", tmp_path / "x")
    assert told["n_terms"] in [n for n, _, _ in told["curve"]]
    assert "selected" in run("info", tmp_path / "x").stdout


def test_the_curve_of_testors_has_what_they_keep(news: Path, tmp_path: Path, run: Run, ask: Ask) -> None:
    arguments = ("train", news, "-o", tmp_path / "x", "-k", "auto", "--folds", 2, "--selector", "testors")
    told = ask(*arguments)
    assert [n for n, _, _ in told["curve"]] == [told["n_terms"]]
    assert told["n_terms"] < told["n_terms_seen"]
    assert re.search(rf"^ *{told['n_terms']} .* chosen *$", run(*arguments).stdout, re.MULTILINE)


def test_several_labels(tagged: Path, tagger: Path, run: Run, ask: Ask) -> None:
    told = ask("info", tagger)
    assert told["multilabel"] is True
    assert all("threshold" in row for row in told["classes"])
    said = run("train", tagged, "-o", tagger.with_name("again")).stdout
    assert "threshold" in said
    assert "accuracy" not in said


def test_too_few_documents_to_hold_some_out(tmp_path: Path, run: Run) -> None:
    few = write_csv(tmp_path / "few.csv", documents(1))
    result = run("train", few, "-o", tmp_path / "x.sieve")
    assert "warning: there are too few documents" in result.stderr
    assert "held out" not in result.stdout.replace("Seconds", "")
    assert textsieve.load(tmp_path / "x.sieve").held_out_ is None


def test_more_terms_than_there_are(news: Path, tmp_path: Path, run: Run) -> None:
    result = run("train", news, "-o", tmp_path / "x.sieve", "-k", 5000)
    assert [line for line in result.stderr.splitlines() if line] == [
        "warning: --terms 5000, but there are 24 terms; all of them are kept."
    ]


def test_columns_by_number(tmp_path: Path, ask: Ask) -> None:
    path = tmp_path / "table.tsv"
    path.write_text("".join(f"{n}\t{label}\t{text}\n" for n, (text, label) in enumerate(documents())))
    told = ask("train", path, "--text", 2, "--label", 1, "-o", tmp_path / "x")
    assert [row["label"] for row in told["classes"]] == ["politics", "science", "sport"]


def test_standard_input(news: Path, tmp_path: Path, ask: Ask) -> None:
    told = ask("train", "-", "-o", tmp_path / "x", input=news.read_bytes())
    assert told["n_documents"] == 60
    lines = "".join(json.dumps({"body": text, "topic": label}) + "\n" for text, label in documents())
    assert ask("train", "-", "-o", tmp_path / "x", input=lines)["n_documents"] == 60


def test_labels_are_shown_as_they_are(tmp_path: Path, run: Run) -> None:
    labels = {"sport": "[red]sport[/red]", "politics": "\x1b[31mpolitics", "science": "größe 漢字 " + "x" * 200}
    path = tmp_path / "odd.jsonl"
    lines = [json.dumps({"text": text, "label": labels[label]}) for text, label in documents()]
    path.write_text("\n".join(lines))
    said = run("train", path, "-o", tmp_path / "x").stdout
    assert "[red]sport[/red]" in said
    assert "\\x1b[31mpolitics" in said
    assert "\x1b" not in said
    assert "größe 漢字" in said
    assert "…" in said
    assert max(map(len, said.splitlines())) <= 120
    assert "[red]" in run("evaluate", tmp_path / "x", path).stdout
    assert "[red]" in run("explain", tmp_path / "x", "the striker").stdout
    assert "[red]" in run("terms", path).stdout


@pytest.mark.parametrize("width", [80, 120])
def test_tables_fit_the_terminal(
    news: Path, tmp_path: Path, width: int, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    said = run("train", news, "-o", tmp_path / "x").stdout
    table = said[said.index("class ") : said.index("Seconds")].splitlines()
    assert all(len(line) <= width for line in table)
    assert all(title in table[0] for title in ("class", "docs", "precision", "recall", "F1", "strongest terms"))


@pytest.mark.parametrize("selector", ["ocfs", "none"])
def test_a_projection(selector: str, news: Path, ask: Ask, run: Run, tmp_path: Path) -> None:
    arguments = ["--selector", selector, "--projection", "centroid", "--projection-option", "n_components=2"]
    told = ask("train", news, "-o", tmp_path / "m.sieve", *arguments)
    assert told["settings"]["selector"] == (None if selector == "none" else selector)
    assert (told["settings"]["projection"], told["settings"]["projection_options"]) == ("centroid", {"n_components": 2})
    assert "projection='centroid'" in run("info", tmp_path / "m.sieve").stdout
    shown = run("train", news, "-o", tmp_path / "m.sieve", *arguments).stdout
    assert "classifier svm on the projection centroid" in " ".join(shown.split())
    refused = run("train", news, "-o", tmp_path / "m.sieve", *arguments, "--classifier", "nb", exit_code=2)
    assert "--projection centroid: the classifier 'nb' needs the weights" in " ".join(refused.output.split())


def test_options_of_a_projection_that_is_not_asked_for(news: Path, run: Run, tmp_path: Path) -> None:
    said = run("train", news, "-o", tmp_path / "m", "--projection-option", "n_components=2", exit_code=2).output
    assert "--projection-option: no projection is asked for; name one with --projection, of centroid" in said
    said = run("train", news, "-o", tmp_path / "m", "--selector-option", "k=2", exit_code=2).output
    assert "use --terms instead" in said
