"""The places of documents, such as "line 3", and chained corpora."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from textsieve import Corpus, InputError, read
from textsieve.corpus import batch as batches


def places(corpus: Corpus) -> list[str]:
    return [place.name for _, batch_places in corpus.placed_batches() for place in batch_places]


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "BATCH_DOCUMENTS", 2)


def test_documents_of_json_lines_have_line_numbers(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    rows = [
        {"text": "a", "label": "x"},
        {"text": "b"},
        {"text": "c", "label": None},
        {"text": "d", "label": ["x", "y"]},
    ]
    file.write_text("\n\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert places(read(file)) == ["line 1", "line 3", "line 5", "line 7"]
    file.write_text(json.dumps(rows), encoding="utf-8")
    assert places(read(file)) == ["item 1", "item 2", "item 3", "item 4"]


def test_an_empty_list_of_labels_says_that_there_are_none(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    labels = [[], None, ["x"], "", [""], []]
    file.write_text("\n".join(json.dumps({"text": "a", "label": label}) for label in labels), encoding="utf-8")
    are_of_no_class = [
        place.is_of_no_class for _, batch_places in read(file).placed_batches() for place in batch_places
    ]
    assert are_of_no_class == [True, False, False, False, False, True]


def test_unreadable_json_lines_are_listed_if_lenient(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text(
        '{"text": "a", "label": "x"}\n{"text": "a secr\n"et"\n{"text": "b", "label": "x"}', encoding="utf-8"
    )
    with pytest.raises(InputError, match="line 2: not JSON") as problem:
        read(file)
    assert "secr" not in str(problem.value)
    corpus = read(file, lenient=True)
    assert places(corpus) == ["line 1", "line 4"]
    assert corpus.report is not None
    assert corpus.report.unreadable == ["line 2", "line 3"]


def test_documents_of_a_table_have_line_numbers(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text('text,label\na,x\n"b\nb",\n\nc,y\n', encoding="utf-8")
    assert places(read(file)) == ["line 2", "line 3", "line 6"]


def test_documents_of_parquet_and_fasttext_have_rows_and_lines(tmp_path: Path) -> None:
    pl.DataFrame({"text": ["a", "b", "c"], "label": ["x", None, "y"]}).write_parquet(tmp_path / "a.parquet")
    numbered = places(read(tmp_path / "a.parquet"))
    assert [place.split()[0] for place in numbered] == ["row"] * 3
    assert len(set(numbered)) == 3
    (tmp_path / "a.txt").write_text("__label__x a\n__label__y b\n__label__x c\n", encoding="utf-8")
    assert places(read(tmp_path / "a.txt", format="fasttext")) == ["line 1", "line 2", "line 3"]


def test_documents_of_a_folder_have_file_names(tmp_path: Path) -> None:
    for name in ("x/1.txt", "x/2.txt", "y/1.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("a text", encoding="utf-8")
    assert places(read(tmp_path, keep=["file"])) == ["x/1.txt", "x/2.txt", "y/1.txt"]
    assert places(read(tmp_path)) == ["document 1", "document 2", "document 3"]
    assert places(Corpus.from_texts(["a", "b", "c"])) == ["document 1", "document 2", "document 3"]


def test_placed_batches_of_vectors_raise() -> None:
    with pytest.raises(InputError, match="holds vectors, not texts"):
        places(Corpus.from_vectors(np.eye(2), ["a", "b"]))


def test_chained_corpora_are_read_one_after_the_other() -> None:
    first = Corpus.from_texts(["a", "b", "c"], ["x", "y", None], name="one")
    second = Corpus.from_texts(["d"], [["x", "y"]], name="other")
    both = Corpus.chained([first, second])
    assert both.name == "one, other"
    assert list(both) == [("a", ("x",)), ("b", ("y",)), ("c", ()), ("d", ("x", "y"))]
    assert both.report is not None
    assert (both.report.documents, both.report.unlabelled) == (4, 1)
    assert both.multilabel is True
    assert Corpus.chained([first, first]).multilabel is False
    broken = Corpus.from_texts(["\ud800", "d"], ["x", "y"])
    chained = Corpus.chained([broken, first])
    assert len(list(chained)) == 5
    assert chained.report is not None
    assert chained.report.replaced_bytes == 1
    with pytest.raises(InputError, match=r"^other: is wrong$"), both.naming():
        raise InputError("is wrong", place="other")
    with pytest.raises(InputError, match=r"^one, other: is wrong$"), both.naming():
        raise InputError("is wrong")
