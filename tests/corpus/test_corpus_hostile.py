"""Decompression bombs and hostile folders raise `InputError` or are counted as skipped, in little memory and time.

Every reader has a row in `BOMBS`. Each bomb and each folder is read in a process of its own, forked from a process that
has imported everything, so that the peak of its memory is that of reading.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import socket
import subprocess
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard

from textsieve.corpus import read
from textsieve.errors import InputError

MB = 10**6
MEMORY = 300
"""MB that reading a bomb may take until it raises an error; without limits, it takes 4 GB and is stopped."""
SECONDS = 60
"""Seconds that reading may take before it counts as hanging; it takes one or two."""

READ_ALL = """
import json, os, re, resource, signal, sys, warnings
import scipy.io, textsieve.corpus.readers.parquet, textsieve.corpus.readers.svmlight
from textsieve.corpus import read

def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) // 1000

def read_one(path, options, data):
    signal.alarm(int(sys.argv[1]))
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    os.environ["TEXTSIEVE_DATA"] = data
    warnings.simplefilter("ignore")
    before, n_documents, skipped, error = peak(), 0, {}, None
    try:
        corpus = read(path, **options)
        n_documents = sum(map(len, corpus.batches()))
        skipped = corpus.report.skipped
    except BaseException as problem:
        error = f"{type(problem).__name__}: {problem}"
    return {"documents": n_documents, "skipped": skipped, "error": error, "peak": peak() - before}

for line in sys.stdin:
    reading, writing = os.pipe()
    if not os.fork():
        os.write(writing, json.dumps(read_one(**json.loads(line))).encode())
        os._exit(0)
    os.close(writing)
    _, status = os.wait()
    message = os.read(reading, 1 << 16).decode() or json.dumps({"error": f"ended by signal {status}"})
    os.close(reading)
    print(message, flush=True)
"""


class Outcome(NamedTuple):
    """The result of reading a path in another process."""

    documents: int = 0
    skipped: Mapping[str, int] = MappingProxyType({})
    error: str | None = None
    peak: int = 0


@pytest.fixture(scope="module")
def read_in_process() -> Iterator[Callable[..., Outcome]]:
    """Yield a function that reads a path in another process and returns the outcome."""
    command = [sys.executable, "-c", READ_ALL, str(SECONDS)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        to, back = process.stdin, process.stdout

        def read_it(path: Path | str, data: Path | str = "", **options: Any) -> Outcome:
            given = {name: value for name, value in options.items() if value is not None}
            print(json.dumps({"path": str(path), "options": given, "data": str(data)}), file=to, flush=True)
            return Outcome(**json.loads(back.readline()))

        yield read_it
        to.close()


# -- bombs -------------------------------------------------------------------------------------------------------


def gzipped(*parts: tuple[bytes, int]) -> bytes:
    """Pack texts, each repeated so many times, as members of their own; a million bytes become a thousand."""
    return b"".join(gzip.compress(text, 9, mtime=0) * times for text, times in parts)


def zstandard_frames(*parts: tuple[bytes, int]) -> bytes:
    return b"".join(zstandard.compress(text) * times for text, times in parts)


def filled(text: bytes) -> bytes:
    """Repeat a text to a million bytes."""
    return text * (MB // len(text))


def zip_of(members: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return file.getvalue()


def tar_of(name: str, data: bytes, times: int) -> bytes:
    entry = tarfile.TarInfo(name)
    entry.size = len(data) * times
    padding = bytes(-entry.size % 512 + 1024)
    return gzipped((entry.tobuf(tarfile.GNU_FORMAT), 1), (data, times), (padding, 1))


def parquet_of(texts: pa.Array, rows_of_group: int = 1_000) -> bytes:
    file = io.BytesIO()
    table = pa.table({"text": texts, "label": ["a"] * len(texts)})
    pq.write_table(table, file, compression="zstd", row_group_size=rows_of_group)
    return file.getvalue()


def repeated(times: int, *before: None) -> pa.DictionaryArray:
    """Return a long value, so many times, in the memory of one; `before` are missing values that come first."""
    return pa.DictionaryArray.from_arrays(pa.array([*before, *[0] * times], pa.int32()), pa.array(["a" * 10 * MB]))


def one_list(items: pa.Array) -> pa.ListArray:
    return pa.ListArray.from_arrays([0, len(items)], items)


def parquet_of_labels(labels: pa.Array, **options: Any) -> bytes:
    file = io.BytesIO()
    pq.write_table(pa.table({"text": ["x"] * len(labels), "label": labels}), file, compression="zstd", **options)
    return file.getvalue()


def parquet_of_prefixes(labels: pa.Array, column: str) -> bytes:
    return parquet_of_labels(labels, use_dictionary=False, column_encoding={column: "DELTA_BYTE_ARRAY"})


def matlab_of(size: int) -> bytes:
    packed = zlib.compress(bytes(size), 1)
    header = b"MATLAB 5.0".ljust(124) + b"\x00\x01IM"
    return header + (15).to_bytes(4, "little") + len(packed).to_bytes(4, "little") + packed


@dataclass(frozen=True)
class Bomb:
    """A file that unpacks to too much, the text that its error contains, and how it is read."""

    file: str
    make: Callable[[], bytes]
    message: str = "max_document="
    corpus: str | None = None
    """The named corpus that the file belongs to; None if it is read by its path."""
    others: dict[str, bytes] = field(default_factory=dict)
    """Other files that this corpus needs."""
    max_document: int | None = None
    """A lower limit where unpacking as much as the usual one would take seconds."""


A = filled(b"a")
SHORT = filled(b"ab ")
LINES = filled(b"ab\n")
EITHER = "with max_"
"""A line that never ends is stopped by the limit that comes first."""
BOMBS = {
    "csv line": Bomb("x.csv.zst", lambda: zstandard_frames((b"text,label\n", 1), (A, 2_000)), EITHER),
    "csv quotes": Bomb("x.csv.gz", lambda: gzipped((b'text,label\n"', 1), (LINES, 50)), max_document=3 * MB),
    "csv doubled quotes": Bomb(
        "x.csv.gz",
        lambda: gzipped((b'text,label\n"', 1), (filled(b'""'), 50), (b'"\n', 1)),
        EITHER,
        max_document=10 * MB,
    ),
    "csv fields": Bomb("x.csv.gz", lambda: gzipped((b"text,label\n", 1), (filled(b","), 50), (b"\n", 1)), "fields"),
    "tsv": Bomb("x.tsv.gz", lambda: gzipped((b"text\tlabel\n", 1), (A, 500)), EITHER),
    "json line": Bomb("x.jsonl.gz", lambda: gzipped((b'{"label": "a", "text": "', 1), (A, 500)), EITHER),
    "json lines": Bomb(
        *("x.jsonl.gz", lambda: gzipped((filled(b'{"text": "' + b"a" * 986 + b'"}\n'), 50))),
        message="max_unpacked=",
        max_document=2 * MB,
    ),
    "json item": Bomb("x.json.gz", lambda: gzipped((b'[{"label": "a", "text": "', 1), (A, 500)), EITHER),
    "json items": Bomb(
        *("x.json.gz", lambda: gzipped((b"[", 1), (filled(b'{"text": "' + b"a" * 986 + b'"},'), 50))),
        message="max_unpacked=",
        max_document=2 * MB,
    ),
    "fasttext": Bomb("x.ft.gz", lambda: gzipped((b"__label__a ", 1), (SHORT, 500)), EITHER),
    "svmlight": Bomb("x.svm.gz", lambda: gzipped((b"1 1:1 ", 1), (filled(b"2:1 "), 500)), EITHER),
    "lines": Bomb("x.txt.zst", lambda: zstandard_frames((A, 2_000)), EITHER),
    "folder": Bomb("root/class/x.gz", lambda: gzipped((A, 500)), EITHER),
    "parquet pages": Bomb(
        "x.parquet",
        lambda: parquet_of(pa.array([f"{'a' * 2 * MB}{number}" for number in range(50)]), 5),
        "max_unpacked=",
        max_document=20 * MB,
    ),
    "parquet page": Bomb("x.parquet", lambda: parquet_of(pa.array(["a" * 120 * MB]))),
    "parquet dictionary": Bomb("x.parquet", lambda: parquet_of(repeated(60)), "max_unpacked="),
    "parquet dictionary of labels": Bomb("x.parquet", lambda: parquet_of_labels(repeated(60)), "max_unpacked="),
    "parquet dictionary after a null": Bomb(
        "x.parquet", lambda: parquet_of_labels(repeated(60, None)), "max_unpacked="
    ),
    "parquet dictionary of a list": Bomb("x.parquet", lambda: parquet_of_labels(one_list(repeated(600)))),
    "parquet prefixes": Bomb(
        "x.parquet", lambda: parquet_of_prefixes(pa.array(["a" * 10 * MB] * 40), "label"), "max_unpacked="
    ),
    "parquet prefixes in a list": Bomb(
        "x.parquet", lambda: parquet_of_prefixes(one_list(pa.array(["a" * 10 * MB] * 40)), "label.list.element")
    ),
    "parquet in gzip": Bomb("x.parquet.gz", lambda: gzipped((b"PAR1", 1), (A, 500)), "max_unpacked="),
    "zip": Bomb(
        *("brown.zip", lambda: zip_of({"brown/cats.txt": b"ca01 news\n", "brown/ca01": SHORT * 40})),
        corpus="brown",
    ),
    "zip of many": Bomb(
        "brown.zip",
        lambda: zip_of(
            {"brown/cats.txt": b"".join(b"c%d news\n" % number for number in range(40))}
            | {f"brown/c{number}": SHORT for number in range(40)}
        ),
        "max_unpacked=",
        corpus="brown",
        max_document=2 * MB,
    ),
    "tar": Bomb(
        *("20news-bydate.tar.gz", lambda: tar_of("20news-bydate-train/sci.space/1", LINES, 60)),
        corpus="newsgroups",
    ),
    "sgml": Bomb("reuters21578.tar.gz", lambda: tar_of("reut2-000.sgm", LINES, 60), corpus="reuters:all"),
    "tar unwanted": Bomb(
        *("webkb-data.gtar.gz", lambda: tar_of("README", LINES, 500), "max_unpacked="),
        corpus="webkb",
    ),
    "stems": Bomb(
        *("webkb-train-stemmed.txt.gz", lambda: gzipped((b"course\t", 1), (SHORT, 500))),
        corpus="webkb:stemmed:train",
    ),
    "rdf line": Bomb("dmoz/content.rdf.u8.gz", lambda: gzipped((A, 1_500)), corpus="odp"),
    "rdf record": Bomb(
        "dmoz/content.rdf.u8.gz",
        lambda: gzipped((b"<ExternalPage>\n", 1), (filled(b"a" * 999 + b"\n"), 500)),
        corpus="odp",
    ),
    "sample": Bomb("dmoz/dmoz-sample.json.gz", lambda: gzipped((b"[", 1), (filled(b"[],"), 100)), corpus="odp:sample"),
    "topics": Bomb(
        "rcv1/rcv1-v2.topics.qrels.gz",
        lambda: gzipped((A, 500)),
        corpus="rcv1:tokens:train",
        others={"rcv1/lyrl2004_tokens_train.dat": b".I 1\n.W\nab\n"},
    ),
    "tokens": Bomb(
        "rcv1/lyrl2004_tokens_train.dat.gz",
        lambda: gzipped((b".I 1\n.W\n", 1), (filled(b"a" * 99 + b"\n"), 500)),
        corpus="rcv1:tokens:train",
        others={"rcv1/rcv1-v2.topics.qrels": b"E11 1 1\n"},
    ),
    "vectors": Bomb(
        "rcv1/lyrl2004_vectors_train.dat.gz",
        lambda: gzipped((b"1 1:1 ", 1), (filled(b"2:1 "), 500)),
        corpus="rcv1:train",
        others={"rcv1/rcv1-v2.topics.qrels": b"E11 1 1\n"},
    ),
    "matlab": Bomb("rcv1/rcv1subset1_top944.mat", lambda: matlab_of(200 * MB), "max_unpacked=", corpus="rcv1:subset1"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_raises_in_little_memory(name: str, tmp_path: Path, read_in_process: Callable[..., Outcome]) -> None:
    bomb = BOMBS[name]
    for file, data in {bomb.file: bomb.make(), **bomb.others}.items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_bytes(data)
    path = tmp_path / bomb.file
    assert path.stat().st_size < 3 * MB
    place = bomb.corpus or (tmp_path / "root" if bomb.file.startswith("root/") else path)
    outcome = read_in_process(place, data=tmp_path, max_document=bomb.max_document)
    assert outcome.error is not None
    assert outcome.error.startswith("InputError: ")
    assert path.name in outcome.error
    assert bomb.message in outcome.error
    assert outcome.peak < MEMORY


def test_limits_can_be_raised(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl.gz"
    path.write_bytes(gzipped((b'{"text": "', 1), (A, 2), (b'"}\n', 1)))
    with pytest.raises(InputError, match=r"line 1: one document has .* and the limit is 1,000,000\..*max_document="):
        list(read(path, max_document=MB, max_unpacked=9 * MB))
    with pytest.raises(InputError, match=r"bytes unpack to .* and the limit is 1,000,000\. .*max_unpacked="):
        list(read(path, max_unpacked=MB))
    assert len(next(iter(read(path, max_document=3 * MB)))[0]) == 2 * MB


@pytest.mark.parametrize("size", [0, -1, 1.5, "1MB", True])
@pytest.mark.parametrize("option", ["max_document", "max_unpacked"])
def test_a_limit_that_is_no_number_of_bytes_raises(tmp_path: Path, option: str, size: object) -> None:
    path = tmp_path / "x.txt"
    path.write_text("words")
    options: dict[str, Any] = {option: size}
    with pytest.raises(InputError, match=f"{option}=.*give a number of bytes"):
        read(path, **options)


@pytest.mark.parametrize(
    ("file", "content"),
    {
        "x.txt": "short\n" + 20 * "x",
        "x.ft": "__label__a x\n__label__a xxxxxxxxxx\nend",
        "x.csv": 'text,label\nx,a\n"x\nx\nx\nx\nx\nx\nx\nx\nx",a\n',
        "x.jsonl": '{"text": "x"}\n{"text": "xx", "y": 2}\n',
        "x.svm": "1 1:1\n1 1:1 2:1 3:1 4:1\n",
    }.items(),
)
def test_small_limits_are_exact_where_lines_are_short(tmp_path: Path, file: str, content: str) -> None:
    path = tmp_path / file
    path.write_text(content)
    assert len(list(read(path).batches())) == 1
    with pytest.raises(InputError, match=r"line \d+: one document has .* and the limit is 15\."):
        list(read(path, max_document=15).batches())


# -- folders -----------------------------------------------------------------------------------------------------


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a folder with two classes of one document each, beside a folder that is not part of it."""
    for name in ("root/a/1", "root/b/2", "outside/3", "outside/deep/4"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"text of {name}")
    return tmp_path / "root"


def test_pipes_devices_and_broken_links_are_skipped(root: Path, read_in_process: Callable[..., Outcome]) -> None:
    os.mkfifo(root / "a" / "pipe")
    (root / "a" / "to pipe").symlink_to("pipe")
    (root / "a" / "zero").symlink_to("/dev/zero")
    (root / "a" / "broken").symlink_to("nowhere")
    (root / "a" / "itself").symlink_to("itself")
    here = Path.cwd()
    with socket.socket(socket.AF_UNIX) as listener:
        os.chdir(root / "a")  # the name of a socket must be short
        try:
            listener.bind("socket")
        finally:
            os.chdir(here)
        for follow in (False, True):
            outcome = read_in_process(root, follow_links=follow)
            assert outcome.documents == 2
            assert outcome.skipped == {"neither file nor folder": 6}


@pytest.mark.parametrize("corpus", ["newsgroups:train"])
def test_a_pipe_among_the_files_of_a_named_corpus_is_skipped(
    tmp_path: Path, corpus: str, read_in_process: Callable[..., Outcome]
) -> None:
    for part in ("train", "test"):
        group = tmp_path / f"20news-bydate-{part}" / "sci.space"
        group.mkdir(parents=True)
        (group / "1").write_text("From: x\n\nwords\n")
        os.mkfifo(group / "2")
    outcome = read_in_process(corpus, data=tmp_path)
    assert outcome.documents == 1
    assert outcome.skipped["neither file nor folder"] >= 1


@pytest.mark.skipif(not os.access("/proc/kmsg", os.R_OK), reason="only root may read the kernel's messages")
def test_a_file_of_the_kernel_that_blocks_raises(root: Path, read_in_process: Callable[..., Outcome]) -> None:
    (root / "a" / "kernel").symlink_to("/proc/kmsg")
    for path in ("/proc/kmsg", root):
        outcome = read_in_process(path, follow_links=True, format=None if path == root else "lines")
        assert outcome.error is not None
        assert "waits for more to come; copy its content" in outcome.error


def test_links_that_lead_outside_are_skipped_unless_they_are_followed(root: Path) -> None:
    (root / "a" / "file").symlink_to(root.parent / "outside" / "3")
    (root / "c").symlink_to(root.parent / "outside")
    corpus = read(root)
    with pytest.warns(UserWarning, match="skipped 2 links that lead outside the folder; follow_links=True reads"):
        assert [text for text, _ in corpus] == ["text of root/a/1", "text of root/b/2"]
    assert corpus.report is not None
    assert corpus.report.skipped == {"links that lead outside": 2}
    followed = list(read(root, follow_links=True))
    assert followed == [
        ("text of root/a/1", ("a",)),
        ("text of outside/3", ("a",)),
        ("text of root/b/2", ("b",)),
        ("text of outside/3", ("c",)),
        ("text of outside/deep/4", ("c",)),
    ]


def test_a_folder_of_only_outside_links_raises(root: Path, tmp_path: Path) -> None:
    (tmp_path / "links" / "a").mkdir(parents=True)
    (tmp_path / "links" / "a" / "1").symlink_to(root / "a" / "1")
    with pytest.raises(InputError, match=r"no documents; skipped 1 link that leads outside the folder; follow_links="):
        list(read(tmp_path / "links"))


def test_links_that_stay_inside_are_read_and_every_folder_once(root: Path) -> None:
    """A folder keeps its own name, whether the link to it comes before it or after it."""
    (root / "b" / "also").symlink_to(root / "a" / "1")
    (root / "0").symlink_to("b")
    (root / "z").symlink_to("a")
    (root / "up").symlink_to("..")
    (root / "b" / "root").symlink_to(root)
    (root / ".store" / "kept").mkdir(parents=True)
    (root / ".store" / "kept" / "5").write_text("text of a hidden folder")
    (root / "d").symlink_to(".store/kept")
    expected = [
        ("text of root/a/1", ("a",)),
        ("text of root/b/2", ("b",)),
        ("text of root/a/1", ("b",)),
        ("text of a hidden folder", ("d",)),
    ]
    corpus = read(root)
    with pytest.warns(UserWarning, match="1 link that leads outside"):
        assert list(corpus) == expected
    assert corpus.report is not None
    assert corpus.report.skipped == {
        "hidden folders": 1,
        "links to folders read elsewhere": 3,
        "links that lead outside": 1,
    }
    (root.parent / "link").symlink_to("root")
    with pytest.warns(UserWarning, match="1 link that leads outside"):
        assert list(read(root.parent / "link")) == expected


@pytest.mark.parametrize("where", ["root/x", "outside/x", "root/.x"])
def test_links_that_fan_out_are_read_once(root: Path, where: str, read_in_process: Callable[..., Outcome]) -> None:
    """Two links in each of 22 folders to the next make four million paths to the last."""
    above = root.parent / where
    for number in range(22):
        (above / str(number)).mkdir(parents=True)
        for name in ("left", "right"):
            (above / str(number) / name).symlink_to(f"../{number + 1}")
    (above / "22").mkdir()
    (above / "22" / "last").write_text("words")
    (root / "c").symlink_to(above / "0")
    outcome = read_in_process(root, follow_links=True)
    assert outcome.error is None
    assert outcome.documents == 3


@pytest.mark.slow
@pytest.mark.parametrize(("depth", "documents"), [(1_500, 3), (2_100, None)])
def test_folders_nested_deeper_than_the_recursion_limit(
    root: Path, depth: int, documents: int | None, read_in_process: Callable[..., Outcome]
) -> None:
    folder = os.open(root / "a", os.O_RDONLY)
    for _ in range(depth):
        os.mkdir("d", dir_fd=folder)
        below = os.open("d", os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = below
    with open("last", "w", opener=lambda name, flags: os.open(name, flags, 0o600, dir_fd=folder)) as file:
        file.write("words")
    os.close(folder)
    try:
        outcome = read_in_process(root)
        if documents is None:
            assert outcome.error is not None
            assert outcome.error.startswith("InputError: ")
            assert "cannot be read (File name too long)" in outcome.error
        else:
            assert outcome.documents == documents
    finally:
        flatten(root / "a", depth)


def flatten(folder: Path, depth: int) -> None:
    """Remove nested folders from the top down, because their paths are too long to be deleted otherwise."""
    for _ in range(depth - 1):
        (folder / "d" / "d").rename(folder / "e")
        (folder / "d").rmdir()
        (folder / "e").rename(folder / "d")


# -- damage ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("writer", ["polars", "arrow", "arrow with checksums"])
@pytest.mark.parametrize("compression", ["none", "zstd"])
def test_a_parquet_file_with_a_wrong_byte_raises_or_has_as_many_rows(
    tmp_path: Path, writer: str, compression: str
) -> None:
    """Most files have no checksums, so a wrong byte in a text can't be noticed.

    One bit of every other byte is wrong, and all bits of the bytes between.
    """
    texts = [f"document {number}" for number in range(4)]
    path = tmp_path / "x.parquet"
    if writer == "polars":
        kind: Any = "uncompressed" if compression == "none" else compression
        pl.DataFrame({"text": texts}).write_parquet(path, compression=kind, statistics=False)
    else:
        has_checksums = writer == "arrow with checksums"
        pq.write_table(pa.table({"text": texts}), path, compression=compression, write_page_checksum=has_checksums)
    intact = path.read_bytes()
    row_counts = set()
    for position in range(len(intact)):
        wrong = 0xFF - intact[position] if position % 2 else intact[position] ^ 1 << position // 2 % 8
        path.write_bytes(intact[:position] + bytes([wrong]) + intact[position + 1 :])
        try:
            row_counts.add(len(list(read(path, text="text"))))
        except InputError:
            row_counts.add(0)
    assert row_counts == {0, 4}


@pytest.mark.parametrize(
    ("reference", "character"),
    [("&#" + "9" * 5_000 + ";", "\ufffd"), ("&#x" + "F" * 5_000 + ";", "\ufffd"), ("&#65;", "A")],
)
def test_a_character_reference_of_thousands_of_digits_is_replaced(
    own_data: Path, reference: str, character: str
) -> None:
    record = f"<ExternalPage><topic>Top/Arts</topic><d:Title>x{reference}y</d:Title></ExternalPage>"
    (own_data / "content.rdf.u8").write_text(record)
    assert list(read("odp")) == [(f"x{character}y", ("Arts",))]


def test_a_deeply_nested_sample_raises_or_is_read(own_data: Path) -> None:
    path = own_data / "dmoz-sample.json"
    path.write_text("[" * 100_000)
    with pytest.raises(InputError, match=r"dmoz-sample\.json: is not the sample of DMOZ"):
        list(read("odp:sample"))
    meta = json.loads('[{"title": ["word", ' + "[" * 400 + "]" * 400 + "]}]")
    path.write_text(json.dumps({"meta": meta, "dmoz_categories": [["Arts"]]}))
    assert list(read("odp:sample")) == [("word", ("Arts",))]


def test_deeply_nested_markup_is_removed(own_data: Path) -> None:
    record = f"<ExternalPage><topic>Top/Arts</topic><d:Title>{'<b>' * 50_000}x</d:Title></ExternalPage>"
    (own_data / "content.rdf.u8").write_text(record)
    assert [text.strip() for text, _ in read("odp")] == ["x"]
