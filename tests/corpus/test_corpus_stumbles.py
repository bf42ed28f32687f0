"""Files that new users had trouble with are read correctly, or raise an error that says what to do."""

import os
from pathlib import Path

import polars as pl
import pytest

from textsieve import Corpus, InputError, read


def documents(path: Path) -> list[tuple[str, tuple[str, ...]]]:
    return list(read(path))


def test_a_table_with_unknown_names_is_not_taken_for_one_without_header(tmp_path: Path) -> None:
    path = tmp_path / "x.tsv"
    path.write_text("headline\tsection\nfoo bar baz\tsport\nqux quux\tpolitics\n")
    with pytest.raises(InputError, match=r"which column is the text.*'headline', 'section'"):
        read(path)
    assert list(read(path, text="headline", label="section")) == [
        ("foo bar baz", ("sport",)),
        ("qux quux", ("politics",)),
    ]


def test_label_tab_text_needs_no_header(tmp_path: Path) -> None:
    path = tmp_path / "x.tsv"
    path.write_text("sport\tfoo bar baz\npolitics\tqux quux quuux\n")
    assert documents(path) == [("foo bar baz", ("sport",)), ("qux quux quuux", ("politics",))]


@pytest.mark.parametrize("before", ["", "\n", "\n\n"])
def test_quotes_of_a_tsv_may_be_punctuation_also_after_empty_lines(tmp_path: Path, before: str) -> None:
    path = tmp_path / "x.tsv"
    path.write_text(before + 'text\tlabel\n"oh, he said\ta\nfine"\tb\nwell\ta\n')
    assert documents(path) == [('"oh, he said', ("a",)), ('fine"', ("b",)), ("well", ("a",))]


def test_numbered_columns_do_not_make_a_document_of_the_header(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("text,label\nfoo,a\n")
    assert list(read(path, text=0, label=1)) == [("foo", ("a",))]
    path.write_text("foo,a\nbar,b\n")
    assert list(read(path, text=0, label=1)) == [("foo", ("a",)), ("bar", ("b",))]


def test_columns_may_be_separated_by_bars(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("text|label\nfoo|a\n")
    assert documents(path) == [("foo", ("a",))]


def test_fasttext_lines_may_be_indented(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_text("__label__a foo\n  __label__b bar \n")
    assert documents(path) == [("foo", ("a",)), ("bar", ("b",))]


def test_svmlight_may_be_separated_by_tabs(tmp_path: Path) -> None:
    path = tmp_path / "x.svm"
    path.write_text("1\t1:2\t3:4\n0\t2:1\n")
    matrix, labels = read(path).load()
    assert labels == ["1", "0"]
    assert not isinstance(matrix, list)
    assert matrix.toarray().tolist() == [[2, 0, 4], [0, 1, 0]]


def test_texts_as_bytes_in_parquet_are_decoded_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    pl.DataFrame({"text": [b"caf\xc3\xa9", b"bad \xff byte", None], "label": ["a", "b", "a"]}).write_parquet(path)
    corpus = read(path)
    assert list(corpus) == [("café", ("a",)), ("bad \ufffd byte", ("b",)), ("", ("a",))]
    assert corpus.report is not None
    assert corpus.report.replaced_bytes == 1


@pytest.mark.parametrize("written", ["nan", "NaN"])
def test_nan_as_a_label_raises(tmp_path: Path, written: str) -> None:
    path = tmp_path / "x.csv"
    path.write_text(f"text,label\nfoo,1\nbar,{written}\n")
    with pytest.raises(InputError, match=rf"line 3: the label is {written}.*[Ll]eave it empty"):
        read(path).load()


def test_a_link_to_the_root_is_not_followed(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.txt").write_text(f"text of {name}")
    (tmp_path / "a" / "up").symlink_to("..")
    (tmp_path / "c").symlink_to(".")
    corpus = read(tmp_path)
    assert list(corpus) == [("text of a", ("a",)), ("text of b", ("b",))]
    assert corpus.report is not None
    assert sum(corpus.report.skipped.values()) == 2


def test_a_named_pipe_raises(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(InputError, match="only once"):
        read(tmp_path / "pipe.csv")


@pytest.mark.parametrize(
    ("path", "message"),
    [("", "path=''"), (None, "path=None"), ("https://x.org/a.csv", "https://x.org/a.csv: is an address")],
)
def test_an_empty_path_and_a_url_raise(path: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read(path)


def test_the_home_folder_may_be_abbreviated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "x.csv").write_text("text,label\nfoo,a\n")
    assert list(read("~/x.csv")) == [("foo", ("a",))]


def test_options_of_a_named_corpus_raise() -> None:
    with pytest.raises(InputError, match=r"label_separator='\.'"):
        read("docstrings", label_separator=".")


def test_true_as_a_column_raises(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("text,label\nfoo,a\n")
    with pytest.raises(InputError, match="text=True"):
        read(tmp_path / "x.csv", text=True)


def test_long_values_in_messages_are_shortened() -> None:
    with pytest.raises(InputError) as caught:
        Corpus.from_texts([b"x" * 1000])  # type: ignore[list-item]
    assert len(str(caught.value)) < 200
    assert "..." in str(caught.value)
