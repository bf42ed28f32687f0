"""`textsieve train`: its output, and its options as settings of the model."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.reference.cli_cases import PLAIN_OPTIONS, Run, documents, write_csv

import textsieve
from textsieve import TermCounter
from textsieve.training import counted_documents as training_documents

Ask = Callable[..., Any]


def test_the_output_describes_the_model_and_its_quality(news: Path, tmp_path: Path, run: Run) -> None:
    output = tmp_path / "news.sieve"
    printed = run("train", news, "--text", "body", "--label", "topic", "-o", output).stdout
    counter = TermCounter(analyzer="text", char_ngram_range=(3, 5)).fit([text for text, _ in documents()])
    n_terms = len(counter.vocabulary_)
    assert "60 documents" in printed
    assert "3 classes" in printed
    assert f"{n_terms} of {n_terms} terms" in printed
    assert "On 12 held-out documents (20%), by a model trained on the others: micro-F1" in printed
    for figure in ("micro-F1 1.000", "macro-F1 1.000", "accuracy 1.000", "precision", "recall"):
        assert figure in printed
    row = next(line.split() for line in printed.splitlines() if line.startswith("sport"))
    assert row[1] == "20"
    assert "striker," in row
    for stage in ("counting", "held out", "selecting", "training", "writing"):
        assert stage in printed.partition("Seconds:")[2]
    assert str(output) in printed
    assert "no held-out document" not in printed
    assert textsieve.load(output).predict(["the striker and the keeper"]).tolist() == ["sport"]


def test_the_output_has_the_held_out_share_and_untested_classes(tmp_path: Path, run: Run) -> None:
    lines = ["sport,the striker scored\n", "money,the bank lends\n"] * 4 + ["zoo,a lion\n", "farm,a cow\n"]
    (tmp_path / "few.csv").write_text("topic,body\n" + "".join(lines))
    asked = ("train", tmp_path / "few.csv", "--text", "body", "--label", "topic", "--held-out", 0.5)
    printed = run(*asked, "-o", tmp_path / "few.sieve").stdout
    assert "On 4 held-out documents (40%)" in printed
    assert "2 classes have no held-out document." in printed


def test_the_output_says_if_a_sample_was_measured(
    news: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training_documents, "MAX_VALUES", 150)
    printed = run("train", news, "-o", tmp_path / "news.sieve", *PLAIN_OPTIONS).stdout
    n_tuned_on = textsieve.load(tmp_path / "news.sieve").model_.about["n_tuned_on"]
    assert 10 < n_tuned_on < 60
    assert f"% of a sample of {n_tuned_on} documents)" in printed


def test_json_is_the_only_output(news: Path, tmp_path: Path, ask: Ask) -> None:
    outcome = ask("train", news, "-o", tmp_path / "x.sieve", *PLAIN_OPTIONS)
    assert outcome["n_documents"] == 60
    assert (outcome["n_terms"], outcome["n_terms_seen"]) == (24, 24)
    assert outcome["bytes"] == (tmp_path / "x.sieve").stat().st_size
    assert outcome["held_out"]["micro_f1"] == 1.0
    assert outcome["held_out"]["documents"] == 12
    assert {row["label"]: row["documents"] for row in outcome["classes"]} == {
        "politics": 20,
        "science": 20,
        "sport": 20,
    }
    assert {"striker", "goal"} <= {term["term"] for term in outcome["classes"][2]["terms"]}
    stages = {"counting", "held out", "scoring held-out documents", "selecting", "training", "writing"}
    assert set(outcome["seconds"]) == stages


def test_options_set_the_settings_of_the_model(news: Path, tmp_path: Path, ask: Ask) -> None:
    words = tmp_path / "stop.txt"
    words.write_text("the and\nnumber1\n")
    outcome = ask(
        *("train", news, "-o", tmp_path / "x.sieve", "--selector", "chi", "--selector-option", "pooling=max"),
        *("-k", "0.5", "--classifier", "logistic", "--classifier-option", "C=3.5", "--class-weight", "sport=2"),
        *("--stop-words", words, "--ngrams", "1-2", "--min-df", "2", "--max-df", "0.9", "--strip-accents", "ascii"),
        *("--keep-case", "--held-out", "0", "--folds", "3", "--jobs", "1", "--no-multilabel"),
    )
    assert outcome["held_out"] is None
    expected = [
        *(("selector", "chi"), ("selector_options", {"pooling": "max"}), ("n_terms", 0.5), ("classifier", "logistic")),
        *(("classifier_options", {"C": 3.5}), ("class_weight", [["sport", 2.0]]), ("stop_words", "a list")),
        *(("ngram_range", [1, 2]), ("min_df", 2), ("max_df", 0.9), ("strip_accents", "ascii"), ("lowercase", False)),
        *(("held_out", None), ("folds", 3), ("multilabel", False)),
    ]
    assert [(name, outcome["settings"][name]) for name, _ in expected] == expected
    terms = textsieve.load(tmp_path / "x.sieve").terms_
    assert outcome["n_terms"] == len(terms) == round(outcome["n_terms_seen"] / 2)
    assert not {"the", "and", "number1"} & {word for term in terms for word in term.split()}


@pytest.mark.parametrize(
    ("given", "setting", "value"),
    [
        (["--stop-words", "english"], "stop_words", "english"),
        (["--class-weight", "balanced"], "class_weight", "balanced"),
        (["--class-weight", "sqrt"], "class_weight", "sqrt"),
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
def test_values_of_options_are_parsed(
    given: list[str], setting: str, value: object, news: Path, tmp_path: Path, ask: Ask
) -> None:
    assert ask("train", news, "-o", tmp_path / "x", "--held-out", "0", *given)["settings"][setting] == value


def test_the_number_of_terms_can_be_tuned(news: Path, tmp_path: Path, run: Run, ask: Ask) -> None:
    assert "selected" in run("train", news, "-o", tmp_path / "x", "-k", "auto", "--folds", 2).stdout
    outcome = ask("info", tmp_path / "x")
    assert outcome["n_terms"] in [n for n, _, _ in outcome["curve"]]
    assert "selected" in run("info", tmp_path / "x").stdout


def test_the_curve_of_testors_has_the_numbers_of_selected_terms(news: Path, tmp_path: Path, run: Run, ask: Ask) -> None:
    arguments = ("train", news, "-o", tmp_path / "x", "-k", "auto", "--folds", 2, "--selector", "testors")
    outcome = ask(*arguments)
    assert [n for n, _, _ in outcome["curve"]] == [outcome["n_terms"]]
    assert outcome["n_terms"] < outcome["n_terms_seen"]
    assert re.search(rf"^ *{outcome['n_terms']} .* selected *$", run(*arguments).stdout, re.MULTILINE)


def test_a_multilabel_model_has_thresholds(tagged: Path, tagger: Path, run: Run, ask: Ask) -> None:
    outcome = ask("info", tagger)
    assert outcome["multilabel"] is True
    assert all("threshold" in row for row in outcome["classes"])
    printed = run("train", tagged, "-o", tagger.with_name("again")).stdout
    assert "threshold" in printed
    assert "accuracy" not in printed


def test_too_few_documents_to_hold_some_out_are_a_warning(tmp_path: Path, run: Run) -> None:
    few = write_csv(tmp_path / "few.csv", documents(1))
    result = run("train", few, "-o", tmp_path / "x.sieve")
    assert "warning: there are too few documents" in result.stderr
    assert "held out" not in result.stdout.replace("Seconds", "")
    assert textsieve.load(tmp_path / "x.sieve").held_out_ is None


def test_more_terms_than_there_are_select_all(news: Path, tmp_path: Path, run: Run) -> None:
    result = run("train", news, "-o", tmp_path / "x.sieve", "-k", 5000)
    assert [line for line in result.stderr.splitlines() if line] == [
        "warning: --terms 5000, but there are 24 terms; all of them are kept."
    ]


def test_columns_can_be_given_by_number(tmp_path: Path, ask: Ask) -> None:
    path = tmp_path / "table.tsv"
    path.write_text("".join(f"{n}\t{label}\t{text}\n" for n, (text, label) in enumerate(documents())))
    outcome = ask("train", path, "--text", 2, "--label", 1, "-o", tmp_path / "x")
    assert [row["label"] for row in outcome["classes"]] == ["politics", "science", "sport"]


def test_documents_are_read_from_standard_input(news: Path, tmp_path: Path, ask: Ask) -> None:
    outcome = ask("train", "-", "-o", tmp_path / "x", input=news.read_bytes())
    assert outcome["n_documents"] == 60
    lines = "".join(json.dumps({"body": text, "topic": label}) + "\n" for text, label in documents())
    assert ask("train", "-", "-o", tmp_path / "x", input=lines)["n_documents"] == 60


def test_labels_are_shown_as_they_are(tmp_path: Path, run: Run) -> None:
    labels = {"sport": "[red]sport[/red]", "politics": "\x1b[31mpolitics", "science": "größe 漢字 " + "x" * 200}
    path = tmp_path / "odd.jsonl"
    lines = [json.dumps({"text": text, "label": labels[label]}) for text, label in documents()]
    path.write_text("\n".join(lines))
    printed = run("train", path, "-o", tmp_path / "x").stdout
    assert "[red]sport[/red]" in printed
    assert "\\x1b[31mpolitics" in printed
    assert "\x1b" not in printed
    assert "größe 漢字" in printed
    assert "…" in printed
    assert max(map(len, printed.splitlines())) <= 120
    assert "[red]" in run("evaluate", tmp_path / "x", path).stdout
    assert "[red]" in run("explain", tmp_path / "x", "the striker").stdout
    assert "[red]" in run("terms", path).stdout


@pytest.mark.parametrize("width", [80, 120])
def test_tables_fit_the_terminal(
    news: Path, tmp_path: Path, width: int, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    printed = run("train", news, "-o", tmp_path / "x").stdout
    table = printed[printed.index("class ") : printed.index("Seconds")].splitlines()
    assert all(len(line) <= width for line in table)
    assert all(title in table[0] for title in ("class", "docs", "precision", "recall", "F1", "strongest terms"))


@pytest.mark.parametrize("selector", ["ocfs", "none"])
def test_a_projection_can_be_trained(selector: str, news: Path, ask: Ask, run: Run, tmp_path: Path) -> None:
    arguments = ["--selector", selector, "--projection", "centroid", "--projection-option", "n_components=2"]
    outcome = ask("train", news, "-o", tmp_path / "m.sieve", *arguments)
    assert outcome["settings"]["selector"] == (None if selector == "none" else selector)
    assert (outcome["settings"]["projection"], outcome["settings"]["projection_options"]) == (
        "centroid",
        {"n_components": 2},
    )
    assert "projection='centroid'" in run("info", tmp_path / "m.sieve").stdout
    shown = run("train", news, "-o", tmp_path / "m.sieve", *arguments).stdout
    assert "classifier svm on the projection centroid" in " ".join(shown.split())
    refused = run("train", news, "-o", tmp_path / "m.sieve", *arguments, "--classifier", "nb", exit_code=2)
    assert "--projection centroid: the classifier 'nb' needs the weights" in " ".join(refused.output.split())


def test_options_of_a_projection_without_one_raise_an_error(news: Path, run: Run, tmp_path: Path) -> None:
    printed = run("train", news, "-o", tmp_path / "m", "--projection-option", "n_components=2", exit_code=2).output
    assert "--projection-option: no projection is asked for; name one with --projection, of centroid" in printed
    printed = run("train", news, "-o", tmp_path / "m", "--selector-option", "k=2", exit_code=2).output
    assert "use --terms instead" in printed


# -- small models ------------------------------------------------------------------------------------------------------


def test_a_model_is_made_as_small_as_asked_for(news: Path, tmp_path: Path, run: Run, ask: Ask) -> None:
    model = tmp_path / "small.sieve"
    shown = run("train", news, "-o", model, "--held-out", "0", "--max-size", "10kB").stdout
    assert model.stat().st_size <= 10_000
    ((kept, trained),) = re.findall(r"([\d,]+) of ([\d,]+) coefficients are kept \([\d.]+%\), in 8 bits each", shown)
    described = ask("info", model)
    assert described["coefficients"] == {
        "kept": int(kept.replace(",", "")),
        "trained": int(trained.replace(",", "")),
        "curve": None,
    }
    assert described["settings"]["max_size"] == "10kB"
    assert ask("evaluate", model, news)["micro_f1"] == 1.0
    assert "coefficients are kept" in run("info", model).stdout


def test_the_scores_by_share_of_the_coefficients_are_shown(news: Path, tmp_path: Path, run: Run) -> None:
    shown = run("train", news, "-o", tmp_path / "x", "--held-out", "0", "--tolerance", "1se", "--folds", "2").stdout
    rows = re.findall(r"(all|[\d.]+%)\s+(\d\.\d{3})", shown)
    assert [share for share, _ in rows[:3]] == ["all", "50.00%", "25.00%"]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["--max-size", "tiny"], "--max-size tiny; use a number of bytes from 2,000"),
        (
            ["--max-size", "20kB", "--classifier", "nb"],
            "--max-size 20kB: .*can't be dropped with the classifier 'nb'.*by --terms",
        ),
        (["--tolerance", "much"], "'much'; use a number of points such as 0.5, or 1se"),
        (["--tolerance", "-2"], "--tolerance -2.*points from 0, or '1se'"),
    ],
)
def test_invalid_sizes_and_tolerances_end_before_reading(
    given: list[str], words: str, news: Path, tmp_path: Path, run: Run
) -> None:
    outcome = run("train", news, "-o", tmp_path / "x", *given, exit_code=2)
    assert re.search(words, " ".join(outcome.stderr.split())), outcome.stderr
    assert not (tmp_path / "x").exists()


def test_evaluating_on_training_documents_is_a_warning(tmp_path: Path, run: Run) -> None:
    news = write_csv(tmp_path / "news.csv", documents())
    model, other, copy = tmp_path / "news.sieve", write_csv(tmp_path / "other.csv", documents(6)), tmp_path / "copy.csv"
    run("train", news, "-o", model, *PLAIN_OPTIONS)
    assert "the model was trained on these documents" in run("evaluate", model, news).stderr
    copy.write_bytes(news.read_bytes())
    assert "the model was trained on these documents" in run("evaluate", model, copy).stderr
    assert "trained on" not in run("evaluate", model, other).stderr
    news.write_bytes(other.read_bytes())
    assert "trained on" not in run("evaluate", model, news).stderr, "other documents of the same name"
    run("train", news, "-o", model, *PLAIN_OPTIONS, "--no-sources")
    assert "trained on" not in run("evaluate", model, news).stderr
