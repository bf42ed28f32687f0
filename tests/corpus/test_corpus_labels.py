"""White space around labels, and labels that look like several in one."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import polars as pl
import pytest
from tests.reference.categorizer_cases import plain_categorizer

from textsieve.corpus import Corpus, read

LABELS = ["sport", " sport", "sport\u00a0", "sport\t "]


def write(folder: Path, kind: str, labels: list[str]) -> Path:
    """Write documents with these labels, and return the path of the file."""
    path = folder / f"x.{kind}"
    if kind == "csv":
        path.write_text("text,label\n" + "".join(f'some text,"{label}"\n' for label in labels))
    elif kind == "jsonl":
        path.write_text("".join(json.dumps({"text": "some text", "label": label}) + "\n" for label in labels))
    else:
        pl.DataFrame({"text": ["some text"] * len(labels), "label": labels}).write_parquet(path)
    return path


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_white_space_around_a_label_is_removed(kind: str, tmp_path: Path) -> None:
    assert set(read(write(tmp_path, kind, LABELS)).labels()) == {("sport",)}


def test_white_space_is_removed_in_lists_and_folder_names(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('{"text": "a", "label": ["b ", "b", " c"]}\n')
    assert list(read(tmp_path / "x.jsonl").labels()) == [("b", "c")]
    for name in ("a", "a "):
        (tmp_path / "folder" / name).mkdir(parents=True)
        (tmp_path / "folder" / name / "1.txt").write_text("text")
    assert list(read(tmp_path / "folder").labels()) == [("a",), ("a",)]


def test_labels_in_memory_keep_their_white_space() -> None:
    assert list(Corpus.from_texts(["x", "y"], ["a ", "a"]).labels()) == [("a ",), ("a",)]


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("separator", ["|", ";"])
def test_labels_that_look_like_several_in_one_warn(kind: str, separator: str, tmp_path: Path) -> None:
    joined = [f"a{separator}b", f"b{separator}c", "a", "a", "a"]
    path = write(tmp_path, kind, joined)
    with pytest.warns(UserWarning, match="different labels contain") as caught:
        list(read(path).batches())
    (message,) = (str(warning.message) for warning in caught)
    assert message.startswith(f"{path}: 2 of 3 different labels contain {separator!r}, such as 'a{separator}b'. ")
    assert message.endswith(f"label_separator={separator!r}.")
    assert set(read(path, label_separator=separator).labels()) == {("a", "b"), ("b", "c"), ("a",)}


def test_each_of_several_files_with_several_labels_in_one_is_named(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / name).mkdir()
    first = write(tmp_path / "a", "csv", ["a|b", "b|c", "a"])
    other = write(tmp_path / "b", "csv", ["a", "b"])
    last = write(tmp_path / "c", "jsonl", ["a;b", "b;c", "a"])
    with pytest.warns(UserWarning, match="different labels contain") as caught:
        list(Corpus.chained([read(first), read(other), read(last)]).batches())
    messages = [str(warning.message) for warning in caught]
    assert [message.partition(": ")[0] for message in messages] == [str(first), str(last)]
    assert [message[-20:] for message in messages] == ["label_separator='|'.", "label_separator=';'."]


@pytest.mark.parametrize(
    "labels",
    [["a|b", "a"], ["a|b", "a;b"], ["|", "a"], ["a", "b"], ["R&D", "a/b", "c, d"]],
    ids=" ".join,
)
def test_other_labels_do_not_warn(labels: list[str], tmp_path: Path) -> None:
    path = write(tmp_path, "jsonl", labels)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        list(read(path).batches())
        list(read(write(tmp_path, "jsonl", ["a|b", "b|c"]), label_separator="|").batches())
        list(read(write(tmp_path, "jsonl", ["a|b", "b|c"]), texts_only=True).batches())


def test_a_model_trained_on_labels_with_white_space_fits_labels_of_files(tmp_path: Path) -> None:
    model = plain_categorizer().fit(["some text", "other words"], ["sport ", "politics"])
    report = model.evaluate(read(write(tmp_path, "csv", ["sport ", "sport"])))
    assert (report.documents, report.accuracy) == (2, 1.0)
