"""Errors about bad input name the file, the place, the problem and how to fix it."""

from __future__ import annotations

import gzip
import io
import os
import random
import zipfile
from importlib import metadata
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import zstandard

from textsieve import extras
from textsieve.corpus import read
from textsieve.errors import InputError, MissingPackage


def parquet(columns: dict[str, Any]) -> bytes:
    buffer = io.BytesIO()
    pl.DataFrame(columns).write_parquet(buffer)
    return buffer.getvalue()


def open_document(kind: str) -> bytes:
    """Return the beginning of a file of LibreOffice: the type of the content is its first member."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("mimetype", f"application/vnd.oasis.opendocument.{kind}")
        archive.writestr("content.xml", "<document/>")
    return buffer.getvalue()


NOISE = random.Random(0).randbytes(5000)
PNG = b"\x89PNG\r\n\x1a\n" + NOISE
JSONL = b'{"text": "x", "label": "a"}\n'

CASES: list[tuple[str, bytes, dict[str, Any], list[str]]] = [
    ("a.csv", PNG, {}, ["a PNG image", "comma-separated", "with format"]),
    ("a.csv", PNG, {"format": "csv"}, ["a PNG image"]),
    ("a.parquet", b"not,a\nheader,here\n", {}, ["begins with 'not,a", "a Parquet table"]),
    ("a.parquet", b"text,label\nx,y\n", {"format": "parquet"}, ["cannot be read as Parquet"]),
    ("a.parquet", b"PAR1" + NOISE, {}, ["cannot be read as Parquet", "damaged"]),
    ("a.jsonl", b"<!DOCTYPE html>\n<p>hi", {}, ["found HTML", "JSON lines"]),
    ("a.csv", b"<?xml version='1.0'?><a, b/>", {}, ["found XML", "comma-separated"]),
    (
        "a.text",
        b"Just a sentence, or two.\nMore.",
        {},
        ["begins with 'Just a", "fasttext", "svmlight", "folder"],
    ),
    ("a", NOISE, {}, ["binary data"]),
    ("a.tar", b"a.txt".ljust(257, b"\0") + b"ustar\0" + b"text\n" * 50, {}, ["a tar archive (unpack it"]),
    ("a.csv", NOISE, {"format": "csv"}, ["binary data"]),
    ("a.jsonl", gzip.compress(NOISE), {}, ["binary data"]),
    ("a.csv", "text,label\nx,y\n".encode("utf-16-le"), {}, ["UTF-16", "name the encoding: utf-16-le"]),
    ("a.csv", "text,label\ngröße café,y\n".encode("utf-16-be"), {}, ["UTF-16", "name the encoding: utf-16-be"]),
    ("a.csv.gz", gzip.compress(gzip.compress(b"text,label\nx,y\n")), {}, ["gzip in another compression"]),
    ("a.docx", b"PK\x03\x04" + NOISE, {}, ["ZIP archive"]),
    ("a.ods", open_document("spreadsheet"), {}, ["an OpenDocument spreadsheet", "save it as .xlsx or .csv"]),
    ("a.odt", open_document("text"), {}, ["ZIP archive"]),
    ("a.xlsx", b"PK\x03\x04" + NOISE, {}, ["cannot be read as Excel", "damaged"]),
    ("a.xlsx", b"\xd0\xcf\x11\xe0" + NOISE, {}, ["old (such as .xls) or has a password", "an Excel sheet (.xlsx)"]),
    ("a.xlsx", b"\xd0\xcf\x11\xe0" + NOISE, {"format": "excel"}, ["has a password", "correct format"]),
    (
        "a.csv",
        b"text,label\nx,y\n",
        {"format": "excel"},
        ["cannot be read as Excel", "looks like csv", "correct format"],
    ),
    ("a.csv", b"text,label\nx,y\n", {"format": "jsonl"}, ["not JSON", "looks like csv", "correct format"]),
    ("a.jsonl", b'{"text": "x", "label": "y"}\n', {"format": "csv", "text": "text"}, ["looks like jsonl"]),
    ("a.csv", b"text,label\nx,y\n", {"sheet": "Data"}, ["sheet='Data': it is for Excel files, but this is csv"]),
    ("a.csv", b"", {}, ["no documents"]),
    ("a.csv", b"text,label\n", {}, ["no documents"]),
    ("a.jsonl", b"[]", {}, ["no documents"]),
    ("a.jsonl", b"\n \n", {}, ["no documents"]),
    ("a.parquet", parquet({"text": [], "label": []}), {}, ["no documents"]),
    (
        "a.csv",
        b'text,label\n"x\ny",a\nz,a,b\n',
        {},
        ["line 4", "found 3 fields", "expected 2", "header in line 1"],
    ),
    ("a.csv", b"text,label\nx,a\ny\n", {}, ["line 3", "found 1 field,", "expected 2"]),
    ("a.csv", b'text,label\nx,a\n"y,a\nz,a\n', {}, ["line 3", "never closed"]),
    ("a.csv", b'text,label\n"x"y,a\n', {}, ["line 2", "'y,a", "closing quote"]),
    ("a.tsv", b"a\tb\nc\td\te\n", {}, ["line 2", "found 3 fields", "first line has"]),
    ("a.jsonl", JSONL + b'{"text": x}\n', {}, ["line 2", "not JSON", "column 10"]),
    ("a.jsonl", JSONL + b"\n[1]\n", {}, ["line 3", "found a list", "expected an object"]),
    ("a.jsonl", JSONL + b'{"text": ["x"]}\n', {}, ["line 2", "'text' is a list", "not a string"]),
    ("a.jsonl", JSONL + b'{"body": "x"}\n', {}, ["line 2", "no key 'text'", "'body'"]),
    ("a.jsonl", JSONL + b'{"text": 5}\n', {}, ["line 2", "is 5", "not a string"]),
    ("a.jsonl", JSONL + b'{"text": "x", "label": NaN}', {}, ["line 2", "label is nan", "empty"]),
    (
        "a.jsonl",
        JSONL + b'{"text": "x", "label": 3}',
        {},
        ["'a' (line 1)", "number 3 (line 2)", "all as strings"],
    ),
    ("a.jsonl", JSONL + b'{"text": "x", "label": {"a": 1}}', {}, ["line 2", "is a dict", "string"]),
    (
        "a.jsonl",
        JSONL + b'{"text": "x", "label": ' + b"9" * 5000 + b"}",
        {},
        ["line 2", "not JSON", "digits"],
    ),
    ("a.jsonl", JSONL + b'{"text": ' + b"[" * 200_000, {}, ["line 2", "not JSON"]),
    ("a.json", b'[{"text": "x"}, 5]', {}, ["item 2", "expected an object"]),
    ("a.json", b'[{"text": "x", "label": 1},\n{"text": "y", "label": NaN}]', {}, ["item 2", "label is nan"]),
    ("a.json", b'[{"text": "x"},\n{"text": "x"', {}, ["line 2", "not JSON"]),
    ("a.parquet", parquet({"text": ["x", "y"], "label": [1.0, float("nan")]}), {}, ["row 2", "nan", "null"]),
    ("a.parquet", parquet({"text": [1, 2], "label": ["a", "b"]}), {}, ["'text' holds int64", "with text"]),
    ("a.parquet", parquet({"text": ["x"], "label": [{"a": 1}]}), {}, ["'label' holds struct", "with label"]),
    ("a.svm", b"1 3:1\n2 4:x\n", {"format": "svmlight"}, ["line 2", "'x'", "1 3:0.5 7:1"]),
    ("a.svm", b"1 3:1\n2 4:1 2:1\n", {}, ["line 2", "sorted"]),
    ("a.svm", b"1 3:1\n2 4:nan\n", {"format": "svmlight"}, ["line 2", "not finite"]),
    ("a.svm", b"1 3:1\n2 99999999999999:1\n", {}, ["line 2", "index:value"]),
    ("a.svm", b"1 3:1\nspam 4:1\n", {"format": "svmlight"}, ["1.0 (line 1)", "'spam' (line 2)"]),
    ("a.ft", b"__label__a x\n", {"label": "b"}, ["label='b'", "csv", "fastText"]),
    ("a.csv", b"text,label\nx,a\n", {"encoding": "klingon"}, ["klingon", "utf-8"]),
    ("a.csv", b"text,label\nx,a\n", {"encoding": "hex"}, ["hex", "utf-8"]),
    ("a.csv", b"text,label\nx,a\n", {"format": "xls"}, ["format='xls'", "csv", "parquet"]),
    (
        "a.parquet",
        b"PAR1" + b"\0\xff" * 20 + b"PAR1",
        {"format": "csv"},
        ["found a Parquet table", "(csv)", "correct format"],
    ),
    ("a.csv", b"text,label\nx,a\n", {"format": "folder"}, ["is a file", "folder"]),
    ("a.csv", b"text,label\nx,a\n", {"label_separator": ""}, ["label_separator=''"]),
    ("a.gz", gzip.compress(b"text,label\n" + b"x,a\n" * 5000)[:-20], {}, ["gzip", "cut short"]),
    ("a.gz", b"\x1f\x8b" + NOISE, {}, ["gzip", "damaged"]),
    (
        "a.zst",
        zstandard.compress(b"text,label\n" + NOISE.hex().encode())[:-20],
        {},
        ["zstandard", "cut short"],
    ),
    ("a.zst", zstandard.compress(b"x" * 99)[:6] + NOISE, {}, ["zstandard", "damaged"]),
]


@pytest.mark.parametrize(
    ("name", "content", "options", "fragments"), CASES, ids=[f"{n}-{case[0]}" for n, case in enumerate(CASES)]
)
def test_an_error_names_the_file_the_place_and_what_to_do(
    tmp_path: Path, name: str, content: bytes, options: dict[str, Any], fragments: list[str]
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError) as error:
        list(read(path, **options).batches())
    message = str(error.value)
    assert [fragment for fragment in fragments if fragment not in message] == [], message
    named_by_option = any(f"{key}=" in message for key in options)
    assert str(path) in message or named_by_option, message
    assert len(message) < 1200, message


def test_missing_file_suggests_a_near_name(tmp_path: Path) -> None:
    (tmp_path / "train.csv").write_text("text,label\n")
    with pytest.raises(InputError, match=r"no such file.*Did you mean 'train.csv'"):
        read(tmp_path / "trian.csv")
    with pytest.raises(InputError, match="Did you mean 'docstrings'"):
        read("docstring")
    with pytest.raises(InputError, match=r"no such file.*Named corpora: docstrings"):
        read(tmp_path / "train.csv" / "below a file")
    with pytest.raises(InputError, match="cannot be read"):
        read("a\0b")


def test_a_dangling_link_is_named_with_its_target(tmp_path: Path) -> None:
    link = tmp_path / "news.csv"
    link.symlink_to("old.csv")
    with pytest.raises(InputError, match=r"news\.csv: is a link to old\.csv, which does not exist\. Mend or replace"):
        read(link)


def test_a_file_without_permission_raises(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "secret.csv"
    path.write_text("text,label\n")

    def refuse(*args: object, **options: object) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(InputError, match=r"secret\.csv: cannot be read \(Permission denied\)"):
        read(path)


def test_a_file_that_is_clearly_another_format_is_read_as_that(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    path.write_bytes(b"text,label\nhello,a\n")
    assert list(read(path)) == [("hello", ("a",))]
    path = tmp_path / "x.csv"
    path.write_bytes(parquet({"text": ["hello"], "label": [7]}))
    assert list(read(path)) == [("hello", ("7",))]
    path.write_bytes(JSONL)
    assert list(read(path)) == [("x", ("a",))]


def test_format_detection_takes_linear_time(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("1 " + " ".join(f"{n}:1234567" for n in range(4000)) + " some,thing\n")
    with pytest.raises(InputError, match="which column"):  # a backtracking regular expression would take too long
        read(path)


def test_files_are_closed_when_a_pass_is_given_up(tmp_path: Path) -> None:
    path = tmp_path / "x.csv.gz"
    path.write_bytes(gzip.compress(b"text,label\n" + b"x,a\n" * 5000))
    corpus = read(path)
    passing = corpus.batches()
    assert len(next(passing)) == 1000
    del passing  # an open file would be a ResourceWarning, which is an error here
    assert corpus.report is None, "only a complete pass reports"


def test_excel_without_calamine_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def distribution(name: str) -> None:
        raise metadata.PackageNotFoundError(name)

    path = tmp_path / "x.xlsx"
    path.write_bytes(b"PK\x03\x04")
    monkeypatch.setattr(extras, "distribution", distribution)
    extras.require_package.cache_clear()
    with pytest.raises(MissingPackage, match=r"needs python-calamine; pip install 'textsieve\[excel\]'"):
        read(path)


def test_parquet_without_pyarrow_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def distribution(name: str) -> None:
        raise metadata.PackageNotFoundError(name)

    path = tmp_path / "x.parquet"
    path.write_bytes(parquet({"text": ["hello"], "label": ["a"]}))
    monkeypatch.setattr(extras, "distribution", distribution)
    extras.require_package.cache_clear()
    with pytest.raises(MissingPackage) as error:
        read(path)
    assert str(error.value).startswith(
        f"{path}: a Parquet table needs pyarrow; pip install 'textsieve[parquet]', or pip install '.[parquet]'"
    )
