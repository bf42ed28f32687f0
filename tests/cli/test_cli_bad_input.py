"""Bad input ends with exit code 1 and one line that names the place and a fix, and no file is lost."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.reference.cli_cases import Run, documents, write_csv
from tests.reference.model_archives import unpack

GOOD = "".join(f"{label},{text}\n" for text, label in documents(5))

TRAINING: dict[str, tuple[str, str, list[str], list[str]]] = {
    "no documents": ("x.csv", "", [], ["x.csv: no documents"]),
    "a header alone": ("x.csv", "label,text\n", [], ["x.csv: no documents"]),
    "one class only": (
        "x.csv",
        "label,text\nspam,some words\nspam,more words\n",
        [],
        ["x.csv: Only one class, 'spam'", "at least two"],
    ),
    "no labels": ("x.txt", "just text\n", [], ["x.txt: No document has a label"]),
    "no column of that name": (
        *("x.csv", "label,text\na,b\n", ["--label", "topic"]),
        ["x.csv: no column 'topic' for --label.", "'label', 'text'"],
    ),
    "columns that say nothing": (
        "x.csv",
        "a,b,text\n1,2,3\n",
        [],
        ["which column is the label", "Name it with --label"],
    ),
    "labels of mixed kinds": (
        *("x.jsonl", '{"text": "a", "label": 1}\n{"text": "b", "label": "x"}\n', []),
        ["mixed kinds", "1 (line 1)", "'x' (line 2)"],
    ),
    "a label that is not a number": (
        *("x.jsonl", '{"text": "a", "label": NaN}\n{"text": "b", "label": 2}\n', []),
        ["line 1", "nan"],
    ),
    "the same in a table": ("x.csv", "label,text\nx,a\nnan,b\n", [], ["line 3", "nan", "Leave it empty"]),
    "a row too short": ("x.csv", "label,text\nx,a\ny\n", [], ["line 3", "found 1 field, expected 2"]),
    "broken JSON": ("x.jsonl", '{"text": "a", "label": "x"}\n{"text"\n', [], ["line 2", "not JSON"]),
    "a tabulator in JSON": ("x.jsonl", '{"text": "a\tb"}\n', [], ["not JSON: Invalid control character at column 12"]),
    "class weights that cannot be": (
        *("x.csv", "label,text\n" + GOOD, ["--classifier", "rocchio", "--class-weight", "sport=5"]),
        ["--class-weight {'sport': 5.0}: Rocchio has no class weights"],
    ),
    "the same with several labels": (
        "x.csv",
        "label,text\n" + GOOD,
        ["--multilabel", "--classifier", "rocchio", "--class-weight", "sport=5"],
        ["--class-weight {'sport': 5.0}: Rocchio has no class weights"],
    ),
    "markup": ("x.txt", "<html><body>", [], ["HTML"]),
    "vectors": ("x.svm", "1 1:2\n2 3:1\n", [], ["holds vectors"]),
    "an option for tables": (
        "x.ft",
        "__label__a b\n__label__c d\n",
        ["--text", "body"],
        ["--text body: it is for formats"],
    ),
    "several labels where one is meant": (
        *("x.jsonl", '{"text": "some words", "label": ["x", "y"]}\n' * 2, ["--no-multilabel"]),
        ["has 2 labels, but --no-multilabel"],
    ),
    "no such class to weigh": (
        "x.csv",
        "label,text\n" + GOOD,
        ["--class-weight", "ham=2"],
        ["--class-weight: ", "'ham'"],
    ),
    "no such option of a selector": (
        *("x.csv", "label,text\n" + GOOD, ["--selector-option", "depth=3"]),
        ["--selector-option: 'forward' has no option 'depth'"],
    ),
    "no such option of a classifier": (
        *("x.csv", "label,text\n" + GOOD, ["--classifier-option", "depth=3"]),
        ["--classifier-option: 'svm' has no option 'depth'"],
    ),
    "no terms left": (
        "x.csv",
        "label,text\n" + GOOD,
        ["--min-df", "500"],
        ["--min-df 500: there are only 15 documents"],
    ),
    "no words at all": (
        "x.csv",
        "label,text\nx,!\ny,?\nx,.\n",
        ["--analyzer", "word"],
        ["x.csv: None of the 3 documents has a term"],
    ),
}


@pytest.mark.parametrize("name", TRAINING)
def test_bad_documents_raise_an_error_with_their_place(name: str, tmp_path: Path, model: Path, run: Run) -> None:
    file, content, options, fragments = TRAINING[name]
    path, output = tmp_path / file, tmp_path / "old.sieve"
    path.write_text(content)
    output.write_bytes(model.read_bytes())
    result = run("train", path, "-o", output, *options, exit_code=2 if name.startswith("no such option") else 1)
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")
    assert len(result.stderr.splitlines()) == 1
    for fragment in fragments:
        assert fragment in result.stderr
    assert output.read_bytes() == model.read_bytes(), "the old model is whole"
    assert {entry.name for entry in tmp_path.iterdir()} == {file, "old.sieve"}


def damaged(change: Callable[[bytes], bytes]) -> Callable[[Path, Path], object]:
    return lambda model, path: path.write_bytes(change(model.read_bytes()))


MODELS: dict[str, tuple[Callable[[Path, Path], object], str]] = {
    "not there": (lambda model, path: None, "there is no such file"),
    "a folder": (lambda model, path: path.mkdir(), "is a folder"),
    "empty": (damaged(lambda data: b""), "bad.sieve: the file is not a textsieve model: it is empty"),
    "cut short": (damaged(lambda data: data[:-5]), "bad.sieve: the file is cut short: it has"),
    "cut within the header": (damaged(lambda data: data[:100]), "bad.sieve: the file is cut short"),
    "a flipped bit": (damaged(lambda data: data[:-5] + bytes([data[-5] ^ 1]) + data[-4:]), "bad.sieve"),
    "a pickle": (damaged(lambda data: b"\x80\x04" + data), "pickle"),
    "a text": (damaged(lambda data: b"label,text\n"), "not a textsieve model"),
    "a pipe": (lambda model, path: os.mkfifo(path), "is a pipe or a device, not a textsieve model"),
    "a link to a device": (lambda model, path: path.symlink_to("/dev/zero"), "is a pipe or a device"),
    "a link to itself": (lambda model, path: path.symlink_to(path), "can't be read: Too many levels of symbolic links"),
    "a link to nothing": (lambda model, path: path.symlink_to("nothing"), "there is no such file"),
    "an unknown array": (damaged(lambda data: repacked(data, extra=lambda idf: idf)), "['coefficients', 'extra'"),
    "a huge idf": (damaged(lambda data: repacked(data, idf=lambda idf: idf * 1e300)), "an idf is not finite"),
    "made by a newer version": (damaged(lambda data: newer(data)), "Update textsieve"),
}


def repacked(data: bytes, **arrays: Callable[[Any], Any]) -> bytes:
    """Return the model with arrays computed from its idf, and with a valid checksum."""
    from textsieve.archive import pack
    from textsieve.modelfile.header import KIND

    header, own = unpack(KIND, data)
    return pack(KIND, header, own | {name: change(own["idf"]) for name, change in arrays.items()})


def newer(data: bytes) -> bytes:
    """Return the model with the number of a later file version."""
    from textsieve.archive import pack
    from textsieve.modelfile.header import KIND

    header, arrays = unpack(KIND, data)
    return pack(KIND, header | {"version": max(KIND.versions) + 1}, arrays)


@pytest.mark.parametrize("verb", ["predict", "evaluate", "explain", "info", "update"])
@pytest.mark.parametrize("name", MODELS)
def test_files_that_are_no_model_raise_an_error(
    name: str, verb: str, tmp_path: Path, model: Path, news: Path, run: Run
) -> None:
    make, fragment = MODELS[name]
    make(model, tmp_path / "bad.sieve")
    more: dict[str, list[object]] = {"explain": ["text"], "info": []}
    result = run(verb, tmp_path / "bad.sieve", *more.get(verb, [news]), exit_code=1)
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")
    assert len(result.stderr.splitlines()) == 1
    assert "bad.sieve" in result.stderr
    assert fragment in result.stderr


def test_a_folder_without_permission_is_named(
    tmp_path: Path, model: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: str) -> None:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr("textsieve.corpus.readers.folder.os.scandir", refuse)
    folder = tmp_path / "docs"
    folder.mkdir()
    for verb in (["train", folder, "-o", tmp_path / "m"], ["predict", model, folder]):
        assert "cannot be read (Permission denied)" in run(*verb, exit_code=1).stderr


def test_a_full_disk_is_named(tmp_path: Path, model: Path, news: Path) -> None:
    """`ulimit` limits the size of files, so that the test needs no full disk."""
    script = f"ulimit -f 1; exec {sys.executable} -m textsieve predict {model} {news} --scores -o {tmp_path / 'out'}"
    result = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout) == (1, "")
    assert "File too large" in result.stderr


def test_a_device_is_not_replaced_by_a_model(tmp_path: Path, news: Path, run: Run) -> None:
    """Use a pipe instead of a device, because a failing check would overwrite the device."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert "is a device or a pipe" in run("train", news, "-o", pipe, exit_code=1).stderr
    assert pipe.is_fifo()


WRITING = {
    "train": "train {news} -o {output}",
    "predict": "predict {model} {news} -o {output}",
    "compare": "compare {news} -k 2 --results {output}",
    "terms": "terms {news} --selector ocfs --energy-plot {output}",
}


@pytest.mark.parametrize("verb", WRITING)
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        (
            "loop.svg",
            "loop.svg: can't be written: it is a symbolic link that ends in a loop of links; remove that link",
        ),
        (
            "into.svg",
            "into.svg: can't be written: it is a symbolic link that ends in a loop of links; remove that link",
        ),
        (
            "loop.svg/x.svg",
            "x.svg: can't be written: its folder loop.svg is a symbolic link that ends in a loop of links",
        ),
        ("socket.svg", r"socket.svg: this is a socket, and a [\w ]+ is written to a file; give the name of a file"),
    ],
)
def test_outputs_that_are_no_file_raise_an_error_before_any_work(
    verb: str,
    name: str,
    reason: str,
    tmp_path: Path,
    news: Path,
    model: Path,
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)  # the path of a socket must be short
    Path("loop.svg").symlink_to("other.svg")
    Path("other.svg").symlink_to("loop.svg")
    Path("into.svg").symlink_to("loop.svg/x.svg")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket.svg")
        before = sorted(os.listdir())
        arguments = WRITING[verb].format(news=news, model=model, output=name)
        result = run(*arguments.split(), exit_code=1)
    assert re.fullmatch(rf"error: (?:\S*/)?{reason}.*\n", result.stderr)  # no warning from training comes first
    assert (result.stdout, sorted(os.listdir())) == ("", before)


def test_an_output_that_links_to_a_missing_file_creates_that_file(tmp_path: Path, news: Path, run: Run) -> None:
    (tmp_path / "link").symlink_to("new.sieve")
    run("train", news, "-k", 5, "-o", tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "new.sieve").is_file()


def test_an_input_is_not_overwritten(tmp_path: Path, model: Path, run: Run) -> None:
    path = write_csv(tmp_path / "news.csv", documents())
    before = path.read_bytes()
    for arguments in (
        ["train", path, "-o", path],
        ["predict", model, path, "-o", path],
        ["predict", model, path, "-o", model],
    ):
        assert "would be overwritten" in run(*arguments, exit_code=1).stderr
    assert path.read_bytes() == before


def test_a_missing_output_folder_raises_an_error_before_training(tmp_path: Path, news: Path, run: Run) -> None:
    result = run("train", news, "-o", tmp_path / "none" / "x.sieve", exit_code=1)
    assert "there is no folder" in result.stderr
    assert "make it first" in result.stderr


@pytest.mark.slow
def test_a_line_of_more_than_100_megabytes_needs_an_option(tmp_path: Path, model: Path, run: Run) -> None:
    path = tmp_path / "long.jsonl"
    long = "the striker " * 9_000_000
    path.write_text(json.dumps({"text": long}) + "\n" + json.dumps({"text": "an atom"}) + "\n")
    assert "raise the limit, for example with --max-document " in run("predict", model, path, exit_code=1).stderr
    larger = ("--max-document", "200MB")
    labels = [json.loads(line)["label"] for line in run("predict", model, path, *larger).stdout.splitlines()]
    assert labels == ["sport", "science"]
    with path.open("rb") as file:
        assert len(run("predict", model, "-", *larger, input=file.read()).stdout.splitlines()) == 2


def test_labels_that_look_joined_are_one_warning(tmp_path: Path, run: Run) -> None:
    path = write_csv(tmp_path / "x.csv", [(text, f"{label}|news") for text, label in documents()])
    result = run("train", path, "-o", tmp_path / "m")
    assert result.stderr.count("use --label-separator '|'") == len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize("classifier", ["svm", "logistic", "rocchio", "nb"])
def test_few_documents_of_many_classes_give_no_warning_of_scikit_learn(
    classifier: str, tmp_path: Path, run: Run
) -> None:
    path = write_csv(tmp_path / "x.csv", [(f"about word{number}", str(number % 30)) for number in range(40)])
    assert run("train", path, "-o", tmp_path / "m", "--held-out", 0, "--classifier", classifier).stderr == ""


@pytest.mark.parametrize(
    ("arguments", "output", "way_out"),
    [
        ("train docs -o {}", "docs/new.sieve", "name a file elsewhere with -o"),
        ("train news.csv docs -o {}", "docs/sport/new.sieve", "name a file elsewhere with -o"),
        ("train docs -o {} --classifier nb --keep-stats", "link/new.sieve", "name a file elsewhere with -o"),
        ("predict news.sieve docs -o {}", "docs/out.jsonl", "name a file elsewhere with -o"),
        ("update {} docs", "docs/sport/old.sieve", "move it to another folder"),
        ("terms docs --energy-plot {} --selector ocfs", "docs/plot.svg", "name a file elsewhere with --energy-plot"),
        ("subspace docs --grid --plot {}", "docs/plot.svg", "name a file elsewhere with --plot"),
    ],
)
def test_outputs_among_the_documents_raise_an_error_before_any_work(
    arguments: str, output: str, way_out: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "docs" / "sport").mkdir(parents=True)
    (tmp_path / "docs" / "sport" / "old.sieve").touch()
    (tmp_path / "link").symlink_to("docs")
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    printed = run(*arguments.format(output).split(), exit_code=1).stderr
    assert printed == f"error: {output}: would be among the documents of docs; {way_out}.\n"
    assert sorted(tmp_path.rglob("*")) == before


def test_a_hidden_output_in_the_folder_of_documents_is_no_document(run: Run, tmp_path: Path) -> None:
    for label in ("sport", "money"):
        (tmp_path / "docs" / label).mkdir(parents=True)
        for number in range(6):
            (tmp_path / "docs" / label / f"{number}.txt").write_text(f"{label} again {number}")
    model = tmp_path / "docs" / ".model.sieve"
    for _ in range(2):
        run("train", tmp_path / "docs", "-o", model, "--held-out", 0)
    assert json.loads(run("info", model, "--json").stdout)["n_documents"] == 12
