"""Downloads, from a server on this machine or from a file:// address."""

from __future__ import annotations

import gzip
import hashlib
import os
import sys
import threading
import traceback
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from tests.reference.collection_files import POST, write_tar

from textsieve import InputError
from textsieve.corpus import read
from textsieve.corpus.collections import local_files, newsgroups
from textsieve.corpus.collections.local_files import File

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
