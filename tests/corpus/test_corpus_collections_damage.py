"""Damaged and hostile archives raise `InputError` or are counted as skipped, and never fill the memory."""

from __future__ import annotations

import gzip
import io
import stat
import tarfile
import zipfile
from pathlib import Path

import pytest
from tests.reference.collection_files import POST, write_folder, write_tar, write_zip

from textsieve import InputError
from textsieve.corpus import read
from textsieve.corpus.collections import archives

POSTS = {f"20news-bydate-train/sci.space/{number}": POST for number in range(12)}
BROWN = {"brown/cats.txt": "ca01 news\nca02 news\n", "brown/ca01": "The/at Jury/nn", "brown/ca02": "Said/vbd"}
GET_IT_AGAIN = r"cannot be read as a tar or zip archive .*get it again"


@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize("number", [1, 5, 11])
def test_a_damaged_header_in_a_tar_is_an_error(own_data: Path, number: int, packed: bool) -> None:
    path = write_tar(own_data / "20news-bydate.tar.gz", POSTS, "w")
    data = bytearray(path.read_bytes())
    data[1024 * number + 10] ^= 0xFF
    path.write_bytes(gzip.compress(data) if packed else data)
    with pytest.raises(InputError, match=GET_IT_AGAIN):
        list(read("newsgroups"))


def test_a_file_that_is_longer_than_its_tar_raises(own_data: Path) -> None:
    entry = tarfile.TarInfo("20news-bydate-train/README")
    entry.size = 2**40
    (own_data / "20news-bydate.tar.gz").write_bytes(entry.tobuf(tarfile.GNU_FORMAT) + bytes(20_000))
    with pytest.raises(InputError, match="it ends in the middle"):
        list(read("newsgroups"))


def test_a_tar_is_checked_to_its_end(own_data: Path) -> None:
    path = write_tar(own_data / "20news-bydate.tar.gz", POSTS)
    path.write_bytes(path.read_bytes()[:-8] + bytes(8))
    with pytest.raises(InputError, match="damaged or was cut short; get it again"):
        list(read("newsgroups"))


@pytest.mark.slow
def test_a_zip_with_a_wrong_byte_raises_or_gives_packed_texts(own_data: Path) -> None:
    """Every text that is read was packed, and missing texts are counted as skipped."""
    path = write_zip(own_data / "brown.zip", BROWN)
    intact = path.read_bytes()
    expected = list(read("brown"))
    assert expected == [("The Jury", ("news",)), ("Said", ("news",))]
    outcomes = set()
    for position in range(4, len(intact)):
        for value in (0, 0x80, 0xFF):
            path.write_bytes(intact[:position] + bytes([value]) + intact[position + 1 :])
            corpus = read("brown")
            try:
                documents = list(corpus)
            except InputError:
                outcomes.add("an error")
                continue
            assert corpus.report is not None
            assert set(documents) <= set(expected)
            assert len(documents) + sum(corpus.report.skipped.values()) >= len(expected)
            outcomes.add("all" if documents == expected else "some")
    assert outcomes == {"an error", "all", "some"}


def test_a_file_without_a_name_in_a_zip_is_skipped(own_data: Path) -> None:
    path = write_zip(own_data / "20news-bydate.tar.gz", POSTS)
    path.write_bytes(path.read_bytes().replace(b"20news-bydate-train/sci.space/11", b"\0" * 32))
    assert len(list(read("newsgroups"))) == 11


@pytest.mark.parametrize("packing", ["tar", "zip", "folder"])
def test_a_file_that_is_too_large_is_named(own_data: Path, packing: str) -> None:
    path = own_data / "20news-bydate.tar.gz"
    files = {"20news-bydate-test/sci.space/1": POST + "x", **POSTS}
    if packing == "folder":
        write_folder(own_data, files)
    else:
        write_tar(path, files) if packing == "tar" else write_zip(path, files)
    assert len(list(read("newsgroups", max_document=len(POST) + 1))) == len(files)
    with pytest.raises(InputError, match=r"sci\.space/1: one document has .* raise the limit, .* max_document="):
        list(read("newsgroups", max_document=len(POST)))


@pytest.mark.parametrize("form", [tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_a_name_that_is_too_long_raises(own_data: Path, form: int, monkeypatch: pytest.MonkeyPatch) -> None:
    path = own_data / "20news-bydate.tar.gz"
    with tarfile.open(path, "w", format=form) as archive:
        archive.addfile(tarfile.TarInfo(f"20news-bydate-train/sci.space/{'1' * 900}"), io.BytesIO())
    assert len(list(read("newsgroups"))) == 1
    monkeypatch.setattr(archives, "MAX_LONG_HEADER", 800)
    with pytest.raises(InputError, match=GET_IT_AGAIN):
        list(read("newsgroups"))


def test_a_file_with_holes_is_skipped(own_data: Path) -> None:
    """A sparse file of 512 stored bytes declares a size of 2**40."""
    entry = tarfile.TarInfo("20news-bydate-train/sci.space/12")
    entry.type, entry.size = tarfile.GNUTYPE_SPARSE, 512
    header = bytearray(entry.tobuf(tarfile.GNU_FORMAT))
    header[386:410] = b"%011o\0%011o\0" % (0, 512)
    header[483:495] = b"\x80" + (2**40).to_bytes(11, "big")
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    path = write_tar(own_data / "20news-bydate.tar.gz", POSTS, "w")
    path.write_bytes(header + b"x" * 512 + path.read_bytes())
    corpus = read("newsgroups")
    assert len(list(corpus)) == len(POSTS)
    assert corpus.report is not None
    assert corpus.report.skipped == {"files with holes": 1}


def test_links_are_skipped_and_counted(own_data: Path) -> None:
    path = own_data / "20news-bydate.tar.gz"
    with tarfile.open(path, "w") as archive:
        for number, kind in enumerate([tarfile.REGTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE]):
            entry = tarfile.TarInfo(f"20news-bydate-train/sci.space/{number}")
            entry.type, entry.linkname = kind, "20news-bydate-train/sci.space/0"
            archive.addfile(entry, io.BytesIO())
    corpus = read("newsgroups")
    assert len(list(corpus)) == 1
    assert corpus.report is not None
    assert corpus.report.skipped == {"links": 2}


def test_links_in_a_zip_are_skipped_and_counted(own_data: Path) -> None:
    """The content of such an entry is the path that the link leads to."""
    path = write_zip(own_data / "20news-bydate.tar.gz", POSTS)
    with zipfile.ZipFile(path, "a") as archive:
        link = zipfile.ZipInfo("20news-bydate-train/sci.space/99")
        link.create_system, link.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "../../secret")
    corpus = read("newsgroups")
    assert len(list(corpus)) == len(POSTS)
    assert corpus.report is not None
    assert corpus.report.skipped == {"links": 1}


def test_folders_that_are_no_groups_are_ignored(own_data: Path) -> None:
    others = ("sci.\x1b[31mspace", "..", "sci.spacecraft", "SCI.SPACE")
    files = {f"20news-bydate-train/{group}/1": POST for group in (*others, "sci.space")}
    write_tar(own_data / "20news-bydate.tar.gz", files)
    assert list(read("newsgroups").labels()) == [("sci.space",)]
