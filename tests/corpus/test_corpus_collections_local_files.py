"""Where files of collections are searched, how they are downloaded, and how unpacked or damaged archives are read."""

from __future__ import annotations

import gzip
import hashlib
import os
import sys
import threading
import traceback
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from tests.reference.collection_files import POST, story, write_folder, write_tar, write_zip

from textsieve import InputError
from textsieve.corpus import read
from textsieve.corpus.collections import local_files, newsgroups
from textsieve.corpus.collections.local_files import File
from textsieve.corpus.named_corpora import inventory

POSTS = {f"20news-bydate-{part}/sci.space/{number}": POST for part in ("train", "test") for number in range(40)}
BODY = "From: a@b\nSubject: Moons\n\nIn article <1> somebody writes:\n> How many moons?\nTwo moons.\n\n--\nme\n"


def where(name: str) -> str:
    return next(entry.where for entry in inventory() if entry.name == name)


def test_the_data_folder_precedes_the_cache(own_data: Path) -> None:
    assert where("newsgroups") == "no"
    write_tar(own_data.parent / "cache" / "20news-bydate.tar.gz", {"20news-bydate-test/sci.space/1": POST})
    assert where("newsgroups") == "cache"
    assert len(list(read("newsgroups"))) == 1
    write_tar(own_data / "20news-bydate.tar.gz", POSTS)
    assert where("newsgroups") == "folder"
    assert len(list(read("newsgroups"))) == 80


def test_an_empty_or_incomplete_folder_does_not_hide_an_archive(own_data: Path) -> None:
    archive = write_tar(own_data.parent / "cache" / "20news-bydate.tar.gz", POSTS)
    for part in ("train", "test"):
        (own_data / f"20news-bydate-{part}").mkdir()
        assert where("newsgroups") == "cache"
        assert len(list(read("newsgroups"))) == 80
    write_folder(own_data, {"20news-bydate-train/sci.space/1": POST})
    write_folder(own_data, {"20news-bydate-test/sci.space/1": POST})
    assert where("newsgroups") == "cache"
    archive.unlink()
    assert where("newsgroups") == "folder"
    assert len(list(read("newsgroups"))) == 2


def test_files_with_built_in_compression_are_not_looked_up_as_gz(own_data: Path) -> None:
    (own_data / "brown.zip.gz").write_bytes(gzip.compress(b"x"))
    (own_data / "rcv1subset1_top944.mat.gz").write_bytes(gzip.compress(b"x"))
    assert where("brown") == where("rcv1:subset1") == "no"
    (own_data / "webkb-test-stemmed.txt.gz").write_bytes(gzip.compress(b"course\tlectur"))
    assert list(read("webkb:stemmed:test")) == [("lectur", ("course",))]


def test_a_missing_file_raises_with_where_to_get_it(own_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError) as caught:
        read("newsgroups:train")
    assert str(caught.value) == (
        f"newsgroups:train: 20news-bydate.tar.gz is neither in {own_data} (TEXTSIEVE_DATA) nor in "
        f"{own_data.parent / 'cache'}; get it from Jason Rennie's home page of 20 Newsgroups and put it into one of "
        "them, or set TEXTSIEVE_MIRROR to the address of a folder that has it."
    )
    monkeypatch.setenv("TEXTSIEVE_DATA", str(own_data / "nothing"))
    with pytest.raises(InputError, match="which names no folder"):
        read("newsgroups")
    monkeypatch.delenv("TEXTSIEVE_DATA")
    with pytest.raises(InputError, match="it is not set"):
        read("newsgroups")


def test_only_the_files_of_a_part_are_needed(own_data: Path) -> None:
    (own_data / "webkb-train-stemmed.txt").write_text("course\tlectur\nno tab\n\nfaculty\t\nother\tpage\n")
    corpus = read("webkb:stemmed:train")
    assert list(corpus) == [("lectur", ("course",)), ("", ("faculty",))]
    assert str(corpus.report) == "2 documents, 1 empty, 2 broken lines skipped"
    assert where("webkb:stemmed") == "partly"
    train, test = (inventory(f"webkb:{part}:stemmed")[0] for part in ("train", "test"))
    assert (train.where, test.where) == ("folder", "no")
    assert list(train.files) == ["webkb-train-stemmed.txt"]
    with pytest.raises(InputError, match=r"webkb-test-stemmed\.txt is neither"):
        read("webkb:stemmed")


@pytest.mark.parametrize("packing", ["tar.gz", "tar", "zip", "folders"])
def test_a_file_may_be_compressed_or_not(own_data: Path, packing: str) -> None:
    path = own_data / "20news-bydate.tar.gz"
    files = POSTS | {"20news-bydate-train/sci.space/.DS_Store": "left behind"}
    if packing == "folders":
        write_folder(own_data, files)
    elif packing == "zip":
        write_zip(path, files)
    else:
        write_tar(path, files, "w:gz" if packing == "tar.gz" else "w")
    corpus = read("newsgroups:train")
    assert list(corpus) == [(BODY, ("sci.space",))] * 40
    assert str(corpus.report) == "40 documents, 1 hidden file skipped"


def test_an_archive_is_found_under_its_alternative_name(own_data: Path) -> None:
    write_tar(own_data / "20_newsgroups.tar.gz", {"./20_newsgroups/sci.space/1": POST, "20_newsgroups/README": "x"})
    assert list(read("newsgroups:original:no-headers:no-footers:no-quotes")) == [("Two moons.\n", ("sci.space",))]
    ((text, _),) = read("newsgroups:original:subject-only")
    assert text == BODY.replace("From: a@b\nSubject: ", "")


@pytest.mark.parametrize("mode", ["w:gz", "w"])
@pytest.mark.parametrize("share", [0.3, 0.5, 0.75])
def test_a_truncated_archive_raises(own_data: Path, mode: str, share: float) -> None:
    path = write_tar(own_data / "20news-bydate.tar.gz", POSTS, mode)
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share) // 512 * 512])
    with pytest.raises(InputError, match=r"20news-bydate\.tar\.gz: .*get it again"):
        list(read("newsgroups"))


@pytest.mark.parametrize(
    "content", [b"", b"<html>not found</html>" * 100, b"PK\x03\x04junk", gzip.compress(b"junk" * 900, mtime=0)]
)
def test_a_file_that_is_not_an_archive_raises(own_data: Path, content: bytes) -> None:
    (own_data / "20news-bydate.tar.gz").write_bytes(content)
    with pytest.raises(InputError, match=r"20news-bydate\.tar\.gz: .*get it again"):
        list(read("newsgroups"))


def test_an_archive_without_documents_of_the_corpus_raises(own_data: Path) -> None:
    write_tar(own_data / "20news-bydate.tar.gz", {"20news-bydate-train/sci.space/1": POST})
    with pytest.raises(InputError, match=r"newsgroups:test: none of its documents are in .*20news-bydate"):
        list(read("newsgroups:test"))


def test_a_damaged_file_in_a_zip_is_skipped(own_data: Path) -> None:
    files = {"brown/cats.txt": "ca01 news\nca02 news\ncb01 editorial\nodd\n", "brown/ca01": "The/at Jury/nn\n"}
    path = write_zip(own_data / "brown.zip", files | {"brown/ca02": "Unhurt/jj or/cc not/*"})
    path.write_bytes(path.read_bytes().replace(b"Unhurt/jj", b"Damaged!!", 1))
    corpus = read("brown")
    assert list(corpus) == [("The Jury", ("news",))]
    assert corpus.report is not None
    assert corpus.report.skipped == {"texts without a genre": 1, "damaged files": 1, "missing files": 1}


def test_brown_without_genres_raises(own_data: Path) -> None:
    write_zip(own_data / "brown.zip", {"brown/ca01": "The/at"})
    with pytest.raises(InputError, match=r"there is no cats\.txt in it"):
        list(read("brown"))


def test_broken_stories_are_skipped_and_counted(own_data: Path) -> None:
    sound = [story("One", "TRAIN", "a", "b", "a"), story("Two", "TEST", "a"), story("Three", "TEST", "c")]
    outside = [story("Four", "NOT-USED", "a"), story("Five", "TRAIN", "a", has="NO")]
    broken = [sound[0].replace("</REUTERS>", ""), sound[0].replace("<TOPICS>", ""), sound[0].replace("</TEXT>", "")]
    files = {
        "reut2-000.sgm": sound[0] + broken[0] + sound[1].replace("\n", " ").rstrip() + sound[2],
        "reut2-001.sgm": broken[1] + outside[0] + broken[2] + outside[1] + sound[0][:90],
        "README.txt": sound[0],
    }
    write_tar(own_data / "reuters21578.tar.gz", files)
    corpus = read("reuters")
    assert [(text.split()[0], labels) for text, labels in corpus] == [("One", ("a",)), ("Two", ("a",))]
    assert corpus.report is not None
    assert corpus.report.skipped == {"broken records": 4}
    assert "Up <1> & down." in next(corpus.texts())
    assert [labels for _, labels in read("reuters:modapte:test")] == [("a",), ("c",)]
    assert [labels for _, labels in read("reuters:all")] == [("a", "b"), ("a",), ("c",), ("a",), ("a",)]


def test_stories_without_a_body_are_left_out_before_topics_are_counted(own_data: Path) -> None:
    whole = [story("One", "TRAIN", "a", "b"), story("Two", "TEST", "a"), story("Three", "TEST", "b")]
    headline = whole[2].replace("<BODY>", "").replace("</BODY>", "")
    write_tar(own_data / "reuters21578.tar.gz", {"reut2-000.sgm": whole[0] + whole[1] + headline})
    assert [labels for _, labels in read("reuters")] == [("a", "b"), ("a",), ("b",)]
    assert [labels for _, labels in read("reuters:bodies")] == [("a",), ("a",)]
    assert len(list(read("reuters:all:bodies"))) == 2


def test_pages_lose_the_header_of_the_server(own_data: Path) -> None:
    pages = {
        "webkb/course/texas/http:^^a": "Date: now\nServer: x\r\n\r\n<html>A: b\n\nc",
        "webkb/student/misc/http:^^b": "<html>\n\nDate: then",
        "webkb/staff/misc/http:^^c": "Server: alone\n",
        "webkb/methodology/misc": "x",
    }
    write_tar(own_data / "webkb-data.gtar.gz", pages)
    assert list(read("webkb")) == [("<html>A: b\n\nc", ("course",)), ("<html>\n\nDate: then", ("student",))]
    assert list(read("webkb:seven:misc"))[1:] == [("", ("staff",))]
    assert list(read("webkb:leave-texas:train").labels()) == [("student",)]


@pytest.mark.slow
def test_an_archive_is_not_loaded_into_memory(own_data: Path) -> None:
    posts = dict.fromkeys((f"20news-bydate-train/sci.space/{number}" for number in range(5_000)), POST + "x" * 10_000)
    write_tar(own_data / "20news-bydate.tar.gz", posts, "w")
    corpus = read("newsgroups")
    tracemalloc.start()
    try:
        assert sum(len(batch) for batch in corpus.batches()) == 5_000
        assert tracemalloc.get_traced_memory()[1] < 12_000_000, "of 50 million characters"
    finally:
        tracemalloc.stop()


NAME = "20news-bydate.tar.gz"


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def published(tmp_path: Path, own_data: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a small archive, whose checksum the collection accepts."""
    path = write_tar(tmp_path / "published" / NAME, {"20news-bydate-test/sci.space/1": POST})
    edition = newsgroups.COLLECTION.editions[0]
    file = File(NAME, ("0" * 64, hashlib.sha256(path.read_bytes()).hexdigest()))
    monkeypatch.setattr(
        newsgroups, "COLLECTION", replace(newsgroups.COLLECTION, editions=(replace(edition, files=(file,)),))
    )
    return path.parent


@pytest.fixture
def server(published: Path) -> Iterator[str]:
    """Yield the address of a server for the folder `published`."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(published))) as http:
        thread = threading.Thread(target=http.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{http.server_address[1]}"
        http.shutdown()
        thread.join()


def test_a_download_is_stored_in_the_cache(server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEXTSIEVE_MIRROR", f"{server}/")
    assert len(list(read("newsgroups"))) == 1
    assert os.listdir(tmp_path / "cache") == [NAME], "nothing temporary is left"
    monkeypatch.setenv("TEXTSIEVE_MIRROR", "http://127.0.0.1:1")
    assert len(list(read("newsgroups"))) == 1


def test_a_mirror_may_be_a_file_address(published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEXTSIEVE_MIRROR", published.as_uri())
    assert len(list(read("newsgroups:test"))) == 1
    assert os.listdir(tmp_path / "cache") == [NAME]


def test_existing_files_are_not_downloaded(published: Path, own_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEXTSIEVE_MIRROR", "http://127.0.0.1:1")
    write_tar(own_data / NAME, {f"20news-bydate-test/sci.space/{number}": POST for number in range(3)})
    assert len(list(read("newsgroups"))) == 3, "whatever its checksum"


def test_a_download_with_a_wrong_checksum_raises(
    server: str, published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEXTSIEVE_MIRROR", server)
    (published / NAME).write_bytes((published / NAME).read_bytes() + b"\0")
    with pytest.raises(InputError, match="does not have the known checksum, and was deleted"):
        read("newsgroups")
    assert os.listdir(tmp_path / "cache") == []


PAGES = b'<ExternalPage about="p"><d:Title>Chess</d:Title><topic>Top/Games</topic></ExternalPage>' * 99


@pytest.mark.parametrize("content", [b"<html>please log in</html>", b"", gzip.compress(PAGES)[:-9]])
def test_a_download_without_a_known_checksum_must_unpack(
    content: bytes, server: str, published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEXTSIEVE_MIRROR", server)
    (published / "dmoz").mkdir()
    path = published / "dmoz" / "content.rdf.u8.gz"
    path.write_bytes(content)
    with pytest.raises(InputError, match="is not compressed or is damaged, and was deleted"):
        read("odp")
    assert os.listdir(tmp_path / "cache" / "dmoz") == []
    path.write_bytes(gzip.compress(PAGES))
    assert len(list(read("odp"))) == 99


def test_an_error_about_a_cached_file_says_to_delete_it(tmp_path: Path, own_data: Path) -> None:
    path = tmp_path / "cache" / NAME
    path.parent.mkdir()
    path.write_bytes(b"junk" * 999)
    with pytest.raises(InputError) as caught:
        list(read("newsgroups"))
    assert str(caught.value).endswith(f"get it again. It is in the cache: delete {path} first.")
    write_tar(path, {"20news-bydate-test/sci.space/1": POST})
    with pytest.raises(InputError, match=rf"none of its documents .* It is in the cache: delete {path} first"):
        list(read("newsgroups:train"))
    (own_data / NAME).write_bytes(b"junk" * 999)
    with pytest.raises(InputError, match=r"get it again\.$"):
        list(read("newsgroups"))


@pytest.mark.parametrize("way", ["no file", "wrong file", "no server"])
def test_no_error_contains_the_password_of_the_address(
    way: str, server: str, published: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = server.replace("//", "//me:secret@")
    monkeypatch.setenv("TEXTSIEVE_MIRROR", address if way != "no server" else "http://me:secret@127.0.0.1:1")
    (published / NAME).write_bytes(b"x") if way == "wrong file" else (published / NAME).unlink()
    with pytest.raises(InputError, match="//127") as caught:
        read("newsgroups")
    message = "".join(traceback.format_exception(caught.value))
    assert "secret" not in message


def test_a_folder_in_place_of_the_file_raises(published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEXTSIEVE_MIRROR", published.as_uri())
    (tmp_path / "cache" / NAME).mkdir(parents=True)
    with pytest.raises(InputError, match="is a folder, and 20news-bydate"):
        read("newsgroups")


@pytest.mark.parametrize(
    ("mirror", "message"),
    [
        ("http://127.0.0.1:1", "cannot be downloaded .* Check TEXTSIEVE_MIRROR and the network"),
        ("file:///nowhere/at/all", "cannot be downloaded"),
        ("gopher://127.0.0.1", "gopher"),
        ("not an address", "Set TEXTSIEVE_MIRROR to"),
    ],
)
def test_an_unreachable_mirror_raises(
    mirror: str, message: str, published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEXTSIEVE_MIRROR", mirror)
    with pytest.raises(InputError, match=message):
        read("newsgroups")
    assert os.listdir(tmp_path / "cache") == []


def test_a_server_without_the_file_raises(server: str, published: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEXTSIEVE_MIRROR", server)
    (published / NAME).unlink()
    with pytest.raises(InputError, match=r"cannot be downloaded \(404"):
        read("newsgroups")


def test_a_cache_that_cannot_be_written_raises(
    published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEXTSIEVE_MIRROR", published.as_uri())
    (tmp_path / "cache").write_text("a file where the folder should be")
    with pytest.raises(InputError, match=r"cannot be stored there .*TEXTSIEVE_DATA"):
        read("newsgroups")


def test_a_download_without_pooch_names_the_extra(published: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str, *, extra: str, what: str) -> None:
        raise InputError(f"{what} needs {name}; pip install 'textsieve[{extra}]'")

    monkeypatch.setattr(local_files, "require_package", missing)
    monkeypatch.setenv("TEXTSIEVE_MIRROR", published.as_uri())
    with pytest.raises(
        InputError, match=r"downloading 20news-bydate\.tar\.gz needs pooch; pip install 'textsieve\[corpora\]'"
    ):
        read("newsgroups")


def test_a_download_in_a_terminal_shows_a_progress_bar(
    server: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TEXTSIEVE_MIRROR", server)
    sizes: list[int] = []
    closed: list[local_files._ProgressBar] = []
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(local_files._ProgressBar, "update", lambda bar, size: sizes.append(size))
    monkeypatch.setattr(local_files._ProgressBar, "close", lambda bar: closed.append(bar))
    read("newsgroups")
    assert sizes
    assert closed
    assert capfd.readouterr().out == "", "results alone go there"


def test_a_download_leaves_standard_output_alone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    bar = local_files._ProgressBar("file")
    bar.update(1)
    print("result")
    bar.close()
    output, errors = capsys.readouterr()
    assert output == "result\n"
    assert "file" in errors
