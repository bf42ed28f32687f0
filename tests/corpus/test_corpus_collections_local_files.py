"""Where the files of collections are searched, and how archives are read that are unpacked, repacked or damaged."""

from __future__ import annotations

import gzip
import tracemalloc
from pathlib import Path

import pytest
from tests.reference.collection_files import POST, story, write_folder, write_tar, write_zip

from textsieve import InputError
from textsieve.corpus import read
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
