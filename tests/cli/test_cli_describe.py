"""The title, the description and the examples of a model: given to `train`, or set later by `describe`."""

import json
from pathlib import Path

import pytest
from tests.reference.cli_cases import PLAIN_OPTIONS, Run

from textsieve import Categorizer, InputError, load
from textsieve.cli.retrain_command import retrain_command

TEXTS = ("--title", "Support tickets", "--describe", "Which team handles a ticket?\nAsk Ann.")
EXAMPLES = ("--example", "I forgot my password.", "--example", "The printer\nis on fire.")
PRESENTATION = {
    "title": "Support tickets",
    "description": "Which team handles a ticket?\nAsk Ann.",
    "examples": ["I forgot my password.", "The printer\nis on fire."],
}


def presentation_of(path: Path) -> dict[str, object]:
    return {name: getattr(load(path), name) for name in PRESENTATION}


def test_train_stores_what_the_owner_gives(news: Path, tmp_path: Path, run: Run) -> None:
    path, plain = tmp_path / "news.sieve", tmp_path / "plain.sieve"
    run("train", news, "-o", path, *PLAIN_OPTIONS, *TEXTS, *EXAMPLES)
    run("train", news, "-o", plain, *PLAIN_OPTIONS)
    assert presentation_of(path) == PRESENTATION
    assert presentation_of(plain) == dict.fromkeys(PRESENTATION)
    texts = ["the striker and the budget", "an atom"]
    assert load(path).decision_function(texts).tolist() == load(plain).decision_function(texts).tolist()
    printed = run("info", path).stdout.splitlines()
    assert printed[1:5] == [
        "Title: Support tickets",
        "Description: Which team handles a ticket? Ask Ann.",
        "Example: I forgot my password.",
        "Example: The printer is on fire.",
    ]
    assert not any("title=" in line for line in printed), "they are printed once"
    assert "Title" not in run("info", plain).stdout
    assert json.loads(run("info", path, "--json").stdout)["settings"].items() >= PRESENTATION.items()


def test_the_command_that_trains_again_gives_them_again(news: Path, tmp_path: Path, run: Run) -> None:
    path = tmp_path / "news.sieve"
    run("train", news, "-o", path, *PLAIN_OPTIONS, *TEXTS, *EXAMPLES)
    command = retrain_command(load(path).model_, str(path), []).command
    assert "--title 'Support tickets' --describe 'Which team" in command
    assert "--example 'I forgot my password.' --example 'The printer" in command


def test_describe_changes_only_what_is_given(news: Path, tmp_path: Path, run: Run) -> None:
    path = tmp_path / "news.sieve"
    run("train", news, "-o", path, *PLAIN_OPTIONS)
    scores = load(path).decision_function(["the striker and the budget"]).tolist()
    run("describe", path, *TEXTS)
    output = run("describe", path, *EXAMPLES).stdout
    assert output.splitlines()[0] == "Title: Support tickets"
    assert presentation_of(path) == PRESENTATION
    run("describe", path, "--title", "", "--example", "")
    assert presentation_of(path) == {**PRESENTATION, "title": None, "examples": None}
    assert load(path).decision_function(["the striker and the budget"]).tolist() == scores
    assert [file.name for file in tmp_path.iterdir()] == ["news.sieve"]


def test_a_described_model_can_still_be_updated(updatable_model: Path, feedback: Path, run: Run) -> None:
    run("describe", updatable_model, *TEXTS)
    assert "3 added to the model" in run("update", updatable_model, feedback).stdout
    assert load(updatable_model).title == "Support tickets"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "Give --title, --describe or --example."),
        (("--title", "x" * 101), "it has 101 characters; use a text of 1 to 100 characters on one line."),
        (("--describe", "\x07"), "it has control characters"),
        (("--example", "a") * 11, "it has 11 texts; use up to 10 texts"),
    ],
)
def test_wrong_texts_change_nothing(model: Path, run: Run, arguments: tuple[str, ...], words: str) -> None:
    before = model.read_bytes()
    assert words in run("describe", model, *arguments, exit_code=2).output
    assert model.read_bytes() == before


def test_train_rejects_wrong_texts_before_it_reads(tmp_path: Path, run: Run) -> None:
    result = run("train", tmp_path / "missing.csv", "-o", tmp_path / "a.sieve", "--title", "", exit_code=2)
    assert result.stderr == "error: --title '': it is blank; use a text of 1 to 100 characters on one line.\n"


def test_describe_names_a_file_that_is_no_model(news: Path, run: Run) -> None:
    assert "news.csv" in run("describe", news, "--title", "News", exit_code=1).stderr


def test_attributes_can_be_set_before_saving(model: Path, tmp_path: Path) -> None:
    categorizer = load(model)
    categorizer.title, categorizer.examples = "News", ("A late goal",)
    categorizer.save(tmp_path / "named.sieve")
    assert (load(tmp_path / "named.sieve").title, load(tmp_path / "named.sieve").examples) == ("News", ["A late goal"])
    categorizer.title = "x" * 101
    with pytest.raises(InputError, match="it has 101 characters"):
        categorizer.save(tmp_path / "named.sieve")
    assert load(tmp_path / "named.sieve").title == "News"
    assert Categorizer(title="News").get_params()["title"] == "News"
