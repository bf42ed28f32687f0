"""The papers' own collections, read as they are."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from tests.reference.archives import files_in

from textsieve.corpus import read


def test_webkb_is_read_as_a_table_without_header(data_dir: Path) -> None:
    counts, empty = [], 0
    for part in ("train", "test"):
        corpus = read(data_dir / f"webkb-{part}-stemmed.txt")
        _, labels = corpus.load()
        assert set(labels) == {"course", "faculty", "project", "student"}
        assert corpus.report is not None
        counts.append(corpus.report.documents)
        empty += corpus.report.empty
        assert corpus.report.unlabelled == 0
    assert counts == [2803, 1396]
    assert empty == 31


def test_newsgroups_are_read_from_folders(data_dir: Path, tmp_path: Path) -> None:
    groups = ("20news-bydate-test/alt.atheism/", "20news-bydate-test/talk.religion.misc/")
    for name, data in files_in(data_dir / "20news-bydate.tar.gz"):
        if name.startswith(groups):
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_bytes(data)
    corpus = read(tmp_path / "20news-bydate-test")
    texts, labels = corpus.load()
    assert Counter(labels) == {"alt.atheism": 319, "talk.religion.misc": 251}
    assert all("From:" in text for text in texts)
    assert labels == sorted(map(str, labels)), "in the order of the folders"
