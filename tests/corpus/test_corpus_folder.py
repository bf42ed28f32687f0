"""A folder for each class."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from textsieve.corpus import read
from textsieve.corpus.batch import Labels
from textsieve.corpus.labels import LabelReader
from textsieve.errors import InputError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    for name, content in {
        "b/2.txt": b"second",
        "b/10.txt": b"tenth",
        "a/deep/er/x": "größe".encode("latin-1"),
        "a/z.gz": gzip.compress(b"packed"),
        "a/y.zst": zstandard.compress(b"packed, too"),
        "a/empty": b"",
        "a/.hidden": b"not this",
        ".git/config": b"nor this",
        "beside": b"no class",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content)
    return root


def test_files_are_sorted_labelled_by_folder_and_counted(folder: Path) -> None:
    corpus = read(folder)
    expected = [
        ("gr\ufffd\ufffde", ("a",)),
        ("", ("a",)),
        ("packed, too", ("a",)),
        ("packed", ("a",)),
        ("tenth", ("b",)),
        ("second", ("b",)),
        ("no class", ()),
    ]
    assert list(corpus) == expected
    assert list(corpus) == expected
    report = corpus.report
    assert report is not None
    assert (report.empty, report.unlabelled, report.replaced_bytes) == (1, 1, 2)
    assert report.skipped == {"hidden files": 1, "hidden folders": 1}
    assert next(iter(read(folder, encoding="latin-1")))[0] == "größe"


def test_the_label_of_a_folder_is_read_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    values: list[object] = []
    original = LabelReader.__call__

    def recording(reader: LabelReader, value: object, position: int) -> Labels:
        values.append(value)
        return original(reader, value, position)

    monkeypatch.setattr(LabelReader, "__call__", recording)
    labels = [labels for _, labels in read(folder)]
    assert labels == [("a",)] * 4 + [("b",)] * 2 + [()]
    assert values == ["a", "b", None]


@pytest.mark.parametrize("size", [7, 2**18 - 1, 2**18, 2**18 + 1, 2**19])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_documents_of_any_size_are_whole_and_limited(tmp_path: Path, size: int, pack: Callable[[bytes], bytes]) -> None:
    """Small files are read with a single call; packed and large ones are streamed."""
    content = (b"words " * size)[:size]
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x").write_bytes(pack(content))
    assert list(read(tmp_path, max_document=size)) == [(content.decode(), ("a",))]
    with pytest.raises(InputError, match=rf"x: one document has {size:,} bytes or more, and the limit is {size - 1:,}"):
        list(read(tmp_path, max_document=size - 1, max_unpacked=2**20))


def test_odd_entries_are_counted_and_loops_are_not_followed(folder: Path) -> None:
    (folder / "a" / "loop").symlink_to(folder / "a")
    (folder / "a" / "dangling").symlink_to(folder / "nowhere")
    os.mkfifo(folder / "a" / "pipe")
    corpus = read(folder)
    assert len(list(corpus)) == 7
    assert corpus.report is not None
    assert corpus.report.skipped["neither file nor folder"] == 2
    assert corpus.report.skipped["links to folders read elsewhere"] == 1


def test_binary_file_is_named(folder: Path) -> None:
    (folder / "b" / "3.txt").write_bytes(b"\x89PNG\r\n" + bytes(range(256)) * 4)
    with pytest.raises(InputError, match=r"b/3\.txt: found a PNG image.*Move it"):
        list(read(folder))


def test_a_folder_without_documents_raises(tmp_path: Path) -> None:
    (tmp_path / "class").mkdir()
    with pytest.raises(InputError, match="no documents"):
        list(read(tmp_path))
    with pytest.raises(InputError, match=r"format='csv': it is a folder"):
        read(tmp_path, format="csv")


@pytest.mark.parametrize("name", ["", "b"])
def test_a_folder_without_permission_raises(folder: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    refused = str(folder / name) if name else str(folder)
    scandir = os.scandir

    def refuse(path: str) -> object:
        if str(path) == refused:
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(InputError) as error:
        list(read(folder))
    assert str(error.value).startswith(f"{refused}: cannot be read (Permission denied)")


def test_a_document_without_permission_raises(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **options: object) -> None:
        raise PermissionError(13, "Permission denied")

    corpus = read(folder)
    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(InputError, match=r"x: cannot be read \(Permission denied\)"):
        list(corpus)
