"""Text preparation at the command line: from training to reasons, and what is wrong with a setting."""

import json
from pathlib import Path

import pytest
from tests.reference.cli_cases import Run
from tests.test_extras import without

DOCUMENTS = [
    ("<p>He scored goals in <b>Santiago de Cuba</b></p>", "sport"),
    ("<p>The keepers were scoring a goal</p>", "sport"),
    ("<p>A market fell in New York</p>", "money"),
    ("<p>Falling markets of the bank</p>", "money"),
] * 5
PREPARED = ("--drop-tags", "--names", "--normalise", "stem", "--stop-words", "english")


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    """Labelled HTML, as JSON lines."""
    path = tmp_path / "pages.jsonl"
    lines = [json.dumps({"text": text, "label": label}) for text, label in DOCUMENTS]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_a_model_prepares_texts_as_it_was_trained(pages: Path, tmp_path: Path, run: Run) -> None:
    model = tmp_path / "pages.sieve"
    run("train", pages, "-o", model, *PREPARED)
    terms = run("info", model, "--terms").stdout.split("\n")
    assert {"santiago de cuba", "goal", "market", "fall", "score"} <= set(terms)
    assert not {"santiago", "goals", "markets", "the", "new york city"} & set(terms)
    shown = run("info", model).stdout.replace("\n", " ")
    for setting in ("stop_words='english'", "tags='drop'", "names=True", "normalise='stem'", "PyStemmer"):
        assert setting in shown
    predicted = run("predict", model, "-", input="scoring\nmarkets in <i>New York</i>\n").stdout.splitlines()
    assert [json.loads(line)["label"] for line in predicted] == ["sport", "money"]
    reasons = run("explain", model, "He was in Santiago de Cuba").stdout
    assert "santiago de cuba" in reasons


def test_terms_are_prepared_too(pages: Path, run: Run) -> None:
    told = json.loads(run("terms", pages, *PREPARED, "-k", "50", "--json").stdout)
    terms = {each["term"] for each in told["terms"]}
    assert {"santiago de cuba", "goal", "market"} <= terms
    assert "goals" not in terms


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--normalise", "stem", "--language", "klingon"], "--language='klingon'; there are stems for"),
        (["--normalise", "stems"], "'stems' is not one of 'stem', 'lemma'"),
        (["--stop-words", "klingon"], "'klingon' is no language and no file"),
        (["--stop-words", "welsh"], "--stop-words='welsh'; there are stop words for"),
        (["--names", "--ngrams", "1-2"], "--names with --ngrams 1-2: a name is"),
        (["--names", "--ngrams", "2"], "told from one; use --ngrams 1, or leave out --names."),
        (["--language", "german"], "'german' is that of stems or lemmas, and none are asked for; give --normalise"),
        (["--language", "klingon", "--stop-words", "german"], "--language: 'klingon' is that of stems or lemmas"),
    ],
)
@pytest.mark.parametrize("verb", ["train", "terms"])
def test_what_is_wrong_is_said(given: list[str], said: str, verb: str, pages: Path, tmp_path: Path, run: Run) -> None:
    output = ["-o", tmp_path / "x"] if verb == "train" else []
    usage = any(sign in said for sign in ("is not one of", "no file", "that of stems"))
    told = run(verb, pages, *output, *given, exit_code=2 if usage else 1).stderr
    assert said in " ".join(told.split())
    assert not (tmp_path / "x").exists()


def test_a_file_of_stop_words_with_the_name_of_a_language(pages: Path, tmp_path: Path, run: Run) -> None:
    (tmp_path / "de").write_text("goals market")
    terms = json.loads(run("terms", pages, "--stop-words", tmp_path / "de", "-k", "99", "--json").stdout)["terms"]
    assert not {"goals", "market"} & {each["term"] for each in terms}


def test_a_missing_package_is_said(pages: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    without("simplemma", monkeypatch)
    told = run("train", pages, "-o", tmp_path / "x", "--normalise", "lemma", exit_code=1).stderr
    assert "--normalise='lemma' needs simplemma; pip install 'textsieve[words]'" in " ".join(told.split())
