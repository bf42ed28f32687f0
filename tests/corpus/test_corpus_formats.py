"""The same documents are read in every format and compression, whatever the extension of the file."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
import xlsxwriter
import zstandard

from textsieve import InputError
from textsieve.corpus import Corpus, Labels, read
from textsieve.corpus.formats import FORMATS
from textsieve.corpus.streams import COMPRESSIONS

DOCUMENTS: list[tuple[str, Labels]] = [
    ("the cat, sat", ("pets",)),
    ("größe 漢字 😀", ("words",)),
    ("", ("pets",)),
    ("nobody knows", ()),
]
MULTILABEL: list[tuple[str, Labels]] = [("one two", ("a", "b")), ("three", ("b",)), ("four", ())]


def as_csv(documents: list[tuple[str, Labels]], delimiter: str = ",") -> bytes:
    rows = [["id", "label", "text"]]
    rows += [[str(n), " | ".join(labels), text] for n, (text, labels) in enumerate(documents)]
    quoted = [['"' + field.replace('"', '""') + '"' for field in row] for row in rows]
    return "\r\n".join(delimiter.join(row) for row in quoted).encode()


def as_tsv(documents: list[tuple[str, Labels]]) -> bytes:
    return as_csv(documents, "\t")


def as_headerless(documents: list[tuple[str, Labels]]) -> bytes:
    return "".join(f"{' | '.join(labels)}\t{text}\n" for text, labels in documents).encode()


def as_jsonl(documents: list[tuple[str, Labels]]) -> bytes:
    def label(labels: Labels) -> object:
        return list(labels) if documents is MULTILABEL else (labels[0] if labels else None)

    lines = (json.dumps({"label": label(labels), "text": text or None}) for text, labels in documents)
    return "\n".join(lines).encode()


def as_json_array(documents: list[tuple[str, Labels]]) -> bytes:
    return b"[\n" + as_jsonl(documents).replace(b"\n", b",\n") + b"]"


def as_fasttext(documents: list[tuple[str, Labels]]) -> bytes:
    return "\n".join("".join(f"__label__{label} " for label in labels) + text for text, labels in documents).encode()


def as_parquet(documents: list[tuple[str, Labels]]) -> bytes:
    labels = [list(labels) if documents is MULTILABEL else (*labels, None)[0] for _, labels in documents]
    buffer = io.BytesIO()
    pl.DataFrame({"n": range(len(labels)), "text": [text for text, _ in documents], "topic": labels}).write_parquet(
        buffer
    )
    return buffer.getvalue()


def as_excel(documents: list[tuple[str, Labels]]) -> bytes:
    buffer = io.BytesIO()
    with xlsxwriter.Workbook(buffer) as workbook:
        sheet = workbook.add_worksheet()
        sheet.write_row(0, 0, ["id", "label", "text"])
        for n, (text, labels) in enumerate(documents):
            sheet.write_row(n + 1, 0, [n, " | ".join(labels), text])
    return buffer.getvalue()


WRITERS: dict[str, tuple[str, Callable[[list[tuple[str, Labels]]], bytes]]] = {
    "csv": (".csv", as_csv),
    "tsv": (".tsv", as_tsv),
    "headerless": (".txt", as_headerless),
    "jsonl": (".jsonl", as_jsonl),
    "json array": (".json", as_json_array),
    "fasttext": (".ft", as_fasttext),
    "parquet": (".parquet", as_parquet),
    "excel": (".xlsx", as_excel),
}
PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".zst": zstandard.ZstdCompressor().compress,
}


def test_the_tables_cover_all_formats_and_compressions() -> None:
    assert {row.name for row in FORMATS} == set(WRITERS) - {"headerless", "json array"} | {
        *("folder", "lines", "svmlight"),
    }
    assert {row.ending for row in COMPRESSIONS} == set(PACKERS) - {""}


@pytest.mark.parametrize("renamed", [False, True])
@pytest.mark.parametrize("packing", PACKERS)
@pytest.mark.parametrize("kind", WRITERS)
def test_documents_are_read_as_written_in_every_format_and_compression(
    tmp_path: Path, kind: str, packing: str, renamed: bool
) -> None:
    ending, writer = WRITERS[kind]
    path = tmp_path / ("file.bin" if renamed else f"file{ending}{packing}")
    path.write_bytes(PACKERS[packing](writer(DOCUMENTS)))
    corpus = read(path)
    assert list(corpus) == DOCUMENTS
    assert list(corpus) == DOCUMENTS, "a second pass gives the same"
    assert corpus.multilabel is False
    report = corpus.report
    assert report is not None
    assert (report.documents, report.unlabelled, report.empty, report.replaced_bytes) == (4, 1, 1, 0)
    assert corpus.load() == ([text for text, _ in DOCUMENTS], ["pets", "words", "pets", None])


@pytest.mark.parametrize("kind", WRITERS)
def test_multilabel_files_are_read_in_every_format(tmp_path: Path, kind: str) -> None:
    ending, writer = WRITERS[kind]
    path = tmp_path / f"file{ending}"
    path.write_bytes(writer(MULTILABEL))
    corpus = read(path, label_separator="|" if kind in ("csv", "tsv", "headerless", "excel") else None)
    assert list(corpus) == MULTILABEL
    assert corpus.multilabel is True
    assert corpus.load()[1] == [labels for _, labels in MULTILABEL]


@pytest.mark.parametrize("kind", ["csv", "tsv", "headerless", "jsonl", "json array", "fasttext"])
def test_a_byte_order_mark_is_not_part_of_the_text(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "file.txt"
    path.write_bytes(b"\xef\xbb\xbf" + WRITERS[kind][1](DOCUMENTS))
    assert list(read(path)) == DOCUMENTS
    path.write_bytes(WRITERS[kind][1](DOCUMENTS).decode().encode("utf-16"))
    assert list(read(path)) == DOCUMENTS


@pytest.mark.parametrize("kind", ["csv", "headerless", "jsonl", "fasttext"])
def test_wrong_bytes_are_replaced_and_counted(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "file.txt"
    text = WRITERS[kind][1]([("caf? d?j? \ufffd", ("x",)), ("b", ("y",))]).decode()
    text = text.replace("\\ufffd", "\ufffd")
    path.write_bytes(text.encode().replace(b"?", b"\xe9"))
    corpus = read(path)
    assert list(corpus.texts()) == ["caf\ufffd d\ufffdj\ufffd \ufffd", "b"]
    assert corpus.report is not None
    assert corpus.report.replaced_bytes == 3, "the one that was there does not count"
    assert next(iter(read(path, encoding="latin-1")))[0].startswith("café dé")


def test_interleaved_passes_do_not_mix_their_counts(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_bytes(b"label,text\n" + b"x,\xff\n" * 5000)
    first, second = read(tmp_path / "a"), read(tmp_path / "b")
    assert all(document == other for document, other in zip(first, second, strict=True))
    assert first.report == second.report
    assert first.report is not None
    assert first.report.replaced_bytes == 5000


SVMLIGHT = b"# made by hand\n+1 qid:4 1:0.5 7:1 # comment\n\n-1 2:1e-1\n3.0\n2:7\n"


@pytest.mark.parametrize("packing", PACKERS)
def test_svmlight_is_read_with_labels_and_comments(tmp_path: Path, packing: str) -> None:
    path = tmp_path / "file.dat"
    path.write_bytes(PACKERS[packing](SVMLIGHT))
    corpus = read(path)
    for _ in range(2):
        vectors, labels = corpus.load()
        assert not isinstance(vectors, list)
        assert vectors.toarray().tolist() == [
            *([0.5, 0, 0, 0, 0, 0, 1], [0, 0.1, 0, 0, 0, 0, 0]),
            *([0.0] * 7, [0, 7, 0, 0, 0, 0, 0]),
        ]
        assert labels == ["1", "-1", "3", None]
    assert corpus.report is not None
    assert (corpus.report.empty, corpus.report.unlabelled) == (1, 1)


def test_svmlight_counts_columns_over_all_batches(tmp_path: Path) -> None:
    path = tmp_path / "file.svm"
    path.write_text("1,2 3:1\n" * 2500 + "2 0:1 9:2\n")
    corpus = read(path)
    shapes = [batch.vectors.shape for batch in corpus.batches() if batch.vectors is not None]
    assert shapes == [(1000, 10), (1000, 10), (501, 10)], "an index 0 at the end means: counted from 0"
    assert corpus.multilabel is True
    assert list(corpus.labels())[-2:] == [("1", "2"), ("2",)]


@pytest.mark.parametrize("new_line", ["2 0:1 3:1", "2 3:1 5:1"])
def test_svmlight_with_indices_outside_of_the_columns_of_the_first_pass_raises(tmp_path: Path, new_line: str) -> None:
    path = tmp_path / "file.svm"
    path.write_text("1 1:1 4:1\n2 3:1\n")
    corpus = read(path)
    assert [batch.vectors.shape for batch in corpus.batches() if batch.vectors is not None] == [(2, 4)]
    path.write_text(f"1 1:1 4:1\n{new_line}\n")
    with pytest.raises(InputError, match="changed since it was first read"):
        list(corpus.batches())


def test_svmlight_agrees_with_scikit_learn(tmp_path: Path) -> None:
    from importlib import import_module

    path = tmp_path / "file.svm"
    path.write_text("".join(f"{n % 3} {n % 7 + 1}:{n / 8} {n % 5 + 9}:2\n" for n in range(1500)))
    expected, _ = import_module("sklearn.datasets").load_svmlight_file(str(path))
    vectors, labels = read(path).load()
    assert not isinstance(vectors, list)
    assert vectors.shape == expected.shape
    assert abs(vectors - expected).sum() == 0
    assert labels == [str(n % 3) for n in range(1500)]


def test_iterating_over_vectors_as_texts_raises(tmp_path: Path) -> None:
    (tmp_path / "x.svm").write_bytes(SVMLIGHT)
    corpus: Corpus = read(tmp_path / "x.svm")
    with pytest.raises(ValueError, match="holds vectors"):
        list(corpus)
