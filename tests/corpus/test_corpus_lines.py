"""Plain text with a document on each line, and texts that are read without labels."""

import gzip
from collections import deque
from pathlib import Path

import pytest

from textsieve import InputError
from textsieve.corpus import read


def write(folder: Path, name: str, content: str) -> Path:
    path = folder / name
    path.write_bytes(content.encode())
    return path


def test_every_line_is_a_document_also_a_blank_one(tmp_path: Path) -> None:
    corpus = read(write(tmp_path, "inbox.txt", "Just a sentence, or two.\r\n\n  \nMore\n"))
    assert list(corpus) == [("Just a sentence, or two.", ()), ("", ()), ("  ", ()), ("More", ())]
    assert corpus.multilabel is False
    assert corpus.report is not None
    assert (corpus.report.documents, corpus.report.empty, corpus.report.unlabelled) == (4, 2, 4)


def test_the_last_line_needs_no_line_end(tmp_path: Path) -> None:
    assert list(read(write(tmp_path, "x.txt", "one\ntwo")).texts()) == ["one", "two"]


def test_compressed_lines_are_read(tmp_path: Path) -> None:
    path = tmp_path / "inbox.txt.gz"
    path.write_bytes(gzip.compress("größe\nzwei\n".encode()))
    assert list(read(path).texts()) == ["größe", "zwei"]


@pytest.mark.parametrize(
    ("content", "first"),
    [
        ('{"text": "a b", "label": "x"}\n', "a b"),
        ("__label__x a b\n", "a b"),
        ("label,text\nx,a b\n", "a b"),
        ("x\ta b\n", "a b"),
    ],
)
def test_a_txt_file_of_another_format_is_read_as_that(tmp_path: Path, content: str, first: str) -> None:
    assert next(iter(read(write(tmp_path, "x.txt", content)))) == (first, ("x",))


def test_format_lines_reads_any_text_as_lines(tmp_path: Path) -> None:
    path = write(tmp_path, "x.csv", "label,text\nx,a b\n")
    assert list(read(path, format="lines").texts()) == ["label,text", "x,a b"]


def test_markup_is_not_read_as_lines_of_text(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"HTML.*a document a line"):
        read(write(tmp_path, "x.txt", "<html>\n<body>"))


def test_plain_text_with_another_extension_needs_a_format(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="lines: plain text"):
        read(write(tmp_path, "x.log", "Just a sentence."))


TABLES = {
    "labels that are sound": ("a.csv", "label,text\nx,a b\n", {}),
    "labels of mixed kinds": ("a.jsonl", '{"text": "a b", "label": 1}\n{"text": "c", "label": "x"}\n', {}),
    "a label that is no number": ("a.csv", "label,text\nnan,a b\n", {}),
    "no labels": ("a.csv", "text,price\na b,3\n", {}),
    "no labels among many columns": ("a.csv", "id,text,price,colour\n1,a b,3,red\n", {}),
    "the text is what is not the label": ("a.csv", "section,headline\nx,a b\n", {"label": "section"}),
    "no header": ("a.txt", "x\ta b\n", {}),
    "no header, by number": ("a.tsv", "1\tx\ta b\n2\tx\ta b\n", {"text": 2, "label": 1}),
    "fastText": ("a.ft", "__label__x a b\n", {}),
    "lines": ("a.txt", "a b\n", {}),
}


@pytest.mark.parametrize("name", TABLES)
def test_labels_do_not_matter_if_only_texts_are_read(tmp_path: Path, name: str) -> None:
    file, content, options = TABLES[name]
    corpus = read(write(tmp_path, file, content), texts_only=True, **options)  # type: ignore[arg-type]
    assert next(corpus.texts()) == "a b"


def test_label_false_leaves_out_the_labels_of_a_table_without_header(tmp_path: Path) -> None:
    assert list(read(write(tmp_path, "a.txt", "x\ta b\n"), label=False)) == [("a b", ())]


def test_documents_before_an_error_are_yielded(tmp_path: Path) -> None:
    lines = [f'{{"text": "{number}"}}' for number in range(1500)]
    path = write(tmp_path, "a.jsonl", "\n".join([*lines, "{broken"]))
    texts: list[str] = []
    with pytest.raises(InputError, match="line 1501"):
        deque(map(texts.extend, (batch.texts for batch in read(path).batches())))
    assert texts == [str(number) for number in range(1500)]
