"""Text preparation at the command line: tags, names, stems, stop words, and errors in their options."""

import json
import os
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
    """A file of JSON lines with labelled HTML pages."""
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


def test_the_terms_command_prepares_texts(pages: Path, run: Run) -> None:
    outcome = json.loads(run("terms", pages, *PREPARED, "-k", "50", "--json").stdout)
    terms = {term["term"] for term in outcome["terms"]}
    assert {"santiago de cuba", "goal", "market"} <= terms
    assert "goals" not in terms


@pytest.mark.parametrize(
    ("given", "printed"),
    [
        (["--normalise", "stem", "--language", "klingon"], "--language klingon; there are stems for"),
        (["--normalise", "stems"], "'stems' is not one of 'stem', 'lemma'"),
        (["--stop-words", "klingon"], "'klingon' is no language and no file"),
        (["--stop-words", "klingon"], "There are stop words for afrikaans (af), arabic (ar)"),
        (["--stop-words", "de", "--stop-words", "en"], "de and en; give it once, and for more words a file"),
        (["--stop-words", "welsh"], "--stop-words welsh; there are stop words for"),
        (["--names", "--ngrams", "1-2"], "--names with --ngrams 1-2: a name is"),
        (["--names", "--ngrams", "2"], "terms would be ambiguous; use --ngrams 1, or no --names."),
        (["--language", "german"], "'german' has no effect: it is the language of stems or lemmas; add --normalise"),
        (
            ["--language", "klingon", "--stop-words", "german"],
            "--language: 'klingon' has no effect: it is",
        ),
    ],
)
@pytest.mark.parametrize("verb", ["train", "terms"])
def test_invalid_settings_exit_with_a_message(
    given: list[str], printed: str, verb: str, pages: Path, tmp_path: Path, run: Run
) -> None:
    output = ["-o", tmp_path / "x"] if verb == "train" else []
    outcome = run(verb, pages, *output, *given, exit_code=2).stderr
    assert printed in " ".join(outcome.split())
    assert not (tmp_path / "x").exists()


def test_a_file_of_stop_words_may_have_the_name_of_a_language(pages: Path, tmp_path: Path, run: Run) -> None:
    (tmp_path / "de").write_text("goals market")
    terms = json.loads(run("terms", pages, "--stop-words", tmp_path / "de", "-k", "99", "--json").stdout)["terms"]
    assert not {"goals", "market"} & {term["term"] for term in terms}


def stopped(pages: Path, run: Run, file: Path, *more: str) -> tuple[set[str], str]:
    """Return the terms that remain with a file of stop words, and the text on standard error."""
    outcome = run("terms", pages, "--stop-words", file, "-k", "99", "--json", *more)
    return {term["term"] for term in json.loads(outcome.stdout)["terms"]}, " ".join(outcome.stderr.split())


def test_stop_words_may_come_from_a_pipe_of_the_shell(pages: Path, run: Run) -> None:
    reader, writer = os.pipe()  # like `<(echo goals market)` in a shell
    os.write(writer, b"goals market")
    os.close(writer)
    left, printed = stopped(pages, run, Path(f"/dev/fd/{reader}"))
    os.close(reader)
    assert printed == ""
    assert "keepers" in left
    assert not {"goals", "market"} & left


def test_more_stop_words_than_a_model_can_store_raise_an_error(
    pages: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("textsieve.cli.options.MAX_STOP_WORD_BYTES", 4)
    reader, writer = os.pipe()
    os.write(writer, b"goals")
    os.close(writer)
    printed = run("terms", pages, "--stop-words", f"/dev/fd/{reader}", exit_code=2).stderr
    os.close(reader)
    assert "has more than 4 bytes, the maximum for a list of stop words" in " ".join(printed.split())


def test_a_file_of_stop_words_is_read_in_the_given_encoding(tmp_path: Path, run: Run) -> None:
    pages, file = tmp_path / "pages.csv", tmp_path / "stop.txt"
    pages.write_text("text,label\nüber allem Haus,aa\nunter allem Baum,bb\n", encoding="latin-1")
    file.write_text("über allem", encoding="latin-1")
    assert stopped(pages, run, file, "--encoding", "latin-1") == ({"haus", "unter", "baum"}, "")
    file.write_text("über allem", encoding="utf-8-sig")
    pages.write_text("text,label\nüber allem Haus,aa\nunter allem Baum,bb\n", encoding="utf-8")
    assert stopped(pages, run, file) == ({"haus", "unter", "baum"}, "")


def test_stop_words_that_can_never_match_are_one_warning(pages: Path, tmp_path: Path, run: Run) -> None:
    file = tmp_path / "stop.txt"
    file.write_text("Goals market don't")
    left, printed = stopped(pages, run, file)
    assert "goals" in left
    assert "market" not in left
    assert printed.count("warning: ") == 1
    assert (
        """2 of 3 stop words can never match, because a text is read in another way: 'Goals' as 'goals', "don't" """
        in printed
    )
    outcome = run("train", pages, "-o", tmp_path / "m", "--stop-words", file).stderr
    assert outcome.count("can never match") == 1


@pytest.mark.parametrize(
    ("content", "printed"),
    [
        (bytes(range(256)), "is no text in utf-8"),
        (b"der \x00\x01 die", "is no text: it has control characters"),
        ("über".encode("latin-1"), "with --encoding."),
        (b" \n", "has no words"),
        (b"", "has no words"),
    ],
)
def test_files_without_words_raise_an_error(
    content: bytes, printed: str, pages: Path, tmp_path: Path, run: Run
) -> None:
    (tmp_path / "stop.txt").write_bytes(content)
    outcome = run("terms", pages, "--stop-words", tmp_path / "stop.txt", exit_code=2).stderr
    assert printed in " ".join(outcome.split())


def test_stems_are_those_of_the_language_of_the_stop_words(tmp_path: Path, run: Run) -> None:
    pages = tmp_path / "pages.csv"
    pages.write_text("text,label\n" + "die Häuser,aa\nder Hund,bb\n" * 5, encoding="utf-8")
    run("train", pages, "-o", tmp_path / "m", "--stop-words", "german", "--normalise", "stem")
    assert run("info", tmp_path / "m", "--terms").stdout.split() == ["haus", "hund"]


def test_predict_names_a_missing_package_of_the_model(
    pages: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("train", pages, "-o", tmp_path / "m", "--normalise", "stem")
    without("pystemmer", monkeypatch)
    outcome = " ".join(run("predict", tmp_path / "m", pages, exit_code=1).stderr.split())
    assert "error: This model was trained with stems, so predicting with it needs pystemmer; pip install" in outcome
    assert "--normalise" not in outcome


def test_update_names_the_model_and_its_missing_package(
    pages: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("train", pages, "-o", tmp_path / "m", "--normalise", "stem", "--classifier", "nb", "--keep-stats")
    without("pystemmer", monkeypatch)
    outcome = " ".join(run("update", tmp_path / "m", pages, exit_code=1).stderr.split())
    assert outcome.startswith(f"error: {tmp_path / 'm'}: This model was trained with stems, so")
    assert outcome.endswith("in a copy of its source.")


def test_vectors_are_not_prepared(tmp_path: Path, run: Run) -> None:
    vectors = tmp_path / "v.svm"
    vectors.write_text("1 1:1 2:3\n2 1:2 3:1\n" * 5)
    run("terms", vectors)
    asked = ("--names", "--drop-tags", "--keep-case", "--stop-words", "de", "--normalise", "stem", "--min-df", "2")
    outcome = " ".join(run("terms", vectors, *asked, exit_code=1).stderr.split())
    assert "holds vectors, not texts, and these are taken as they are; leave out " in outcome
    for option in ("--names", "--drop-tags", "--keep-case", "--stop-words de", "--normalise stem", "--min-df 2"):
        assert option in outcome


def test_a_missing_package_is_named(pages: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    without("simplemma", monkeypatch)
    outcome = run("train", pages, "-o", tmp_path / "x", "--normalise", "lemma", exit_code=1).stderr
    assert "--normalise lemma needs simplemma; pip install 'textsieve[words]'" in " ".join(outcome.split())


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with a name on this system")
def test_stop_words_are_only_read_from_files_of_a_bounded_size(pages: Path, tmp_path: Path, run: Run) -> None:
    os.mkfifo(tmp_path / "pipe")
    with open(tmp_path / "large", "wb") as file:
        file.truncate(3 << 30)
    for name, printed in (
        (tmp_path / "pipe", "is a pipe or a device, not a list of stop words"),
        ("/dev/zero", "/dev/zero: this is a pipe or a device, not a list of stop words"),
        (tmp_path / "large", "has 3,221,225,472 bytes; a list of stop words has at most 8,388,608"),
        (tmp_path, "is a folder, not a list of stop words"),
    ):
        assert printed in " ".join(run("terms", pages, "--stop-words", name, exit_code=2).stderr.split())
