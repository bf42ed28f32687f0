"""RCV1-v2 and the Open Directory, from small files in the formats in which they are published."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from tests.reference.collection_files import PAGES, QRELS, TOKENS, VECTORS

from textsieve import InputError
from textsieve.corpus import read


@pytest.fixture
def rcv1(own_data: Path) -> Path:
    """Return a data folder with small files of RCV1, some of them packed, some in the folder rcv1."""
    (own_data / "rcv1").mkdir()
    (own_data / "rcv1-v2.topics.qrels.gz").write_bytes(gzip.compress(QRELS.encode()))
    for piece, content in VECTORS.items():
        (own_data / "rcv1" / f"lyrl2004_vectors_{piece}.dat").write_text(content)
    for piece, content in TOKENS.items():
        (own_data / f"lyrl2004_tokens_{piece}.dat.gz").write_bytes(gzip.compress(content.encode()))
    return own_data


def test_rcv1_vectors_are_read_with_their_topics(rcv1: Path) -> None:
    corpus = read("rcv1:train")
    assert corpus.multilabel
    rows, labels = corpus.load()
    assert not isinstance(rows, list)
    assert rows.shape == (2, 47_236)
    assert rows.indptr.tolist() == [0, 2, 3]
    assert rows.indices.tolist() == [0, 47_235, 2]
    assert rows.data.tolist() == [0.5, 0.25, 1.0]
    assert labels == [("E11", "ECAT"), ("CCAT",)]
    assert corpus.report is not None
    assert corpus.report.skipped == {"broken lines of topics": 2, "stories without a topic": 1}


def test_all_files_of_vectors_are_one_corpus(rcv1: Path) -> None:
    corpus = read("rcv1")
    assert list(corpus.labels()) == [
        *(("E11", "ECAT"), ("CCAT",), ("M11", "MCAT", "E11")),
        *(("E11", "ECAT"), ("CCAT",), ("M11", "MCAT", "E11")),
    ]
    assert corpus.report is not None
    assert corpus.report.skipped == {"broken lines of topics": 2, "stories without a topic": 1, "broken records": 4}
    parts = corpus.split()
    assert parts is not None
    assert [len(list(part.labels())) for part in parts] == [2, 4]


def test_top_restricts_the_topics_to_the_top_codes(rcv1: Path) -> None:
    assert list(read("rcv1:top:train").labels()) == [("ECAT",), ("CCAT",)]
    assert list(read("rcv1:tokens:top:test")) == [("market", ("MCAT",)), ("", ("ECAT",)), ("last", ("CCAT",))]


def test_rcv1_tokens_are_read_as_texts(rcv1: Path) -> None:
    corpus = read("rcv1:tokens")
    assert list(corpus) == [
        ("recov recov excit", ("E11", "ECAT")),
        ("bring", ("CCAT",)),
        ("market", ("M11", "MCAT", "E11")),
        ("", ("E11", "ECAT")),
        ("last", ("CCAT",)),
    ]
    assert str(corpus.report) == (
        "5 documents, 1 empty, 2 broken lines of topics skipped, 1 stories without a topic skipped, "
        "2 broken records skipped"
    )


def test_batches_of_vectors_are_of_fixed_size(rcv1: Path) -> None:
    (rcv1 / "rcv1" / "lyrl2004_vectors_train.dat").write_text("2286 1:1\n" * 1_999 + "2286 0:1\n" + "2287 2:1\n" * 500)
    corpus = read("rcv1:train")
    assert [len(batch) for batch in corpus.batches()] == [1_000, 999, 500]
    assert corpus.report is not None
    assert corpus.report.skipped == {"broken lines of topics": 2, "broken records": 1}


def test_lines_with_invalid_numbers_are_skipped(rcv1: Path) -> None:
    many = "9" * 5_000
    (rcv1 / "rcv1-v2.topics.qrels.gz").write_text(f"E11 2286 1\nE11 {many} 1\nE11 2286.7 1\n\nE12 2286\nE13 2286 0\n")
    (rcv1 / "rcv1" / "lyrl2004_vectors_train.dat").write_text(f"2286.7 1:1\n2286 1:1\n{many} 1:1\n{'9' * 20} 1:1\n")
    (rcv1 / "lyrl2004_tokens_train.dat.gz").write_text(f".I {many}\n.W\nx\n.I 2286\n.W\ny\n.Iceland\n\n.I 2286\n.W")
    vectors, tokens = read("rcv1:train"), read("rcv1:tokens:train")
    for _ in range(2):
        assert list(vectors.labels()) == [("E11",)]
        assert list(tokens) == [("y .Iceland", ("E11",)), ("", ("E11",))]
    assert vectors.report is not None
    assert vectors.report.skipped == {"broken lines of topics": 3, "broken records": 3}, "in each pass"
    assert tokens.report is not None
    assert tokens.report.skipped == {"broken lines of topics": 3, "broken records": 1}


def test_stories_without_a_topic_are_skipped(rcv1: Path) -> None:
    (rcv1 / "rcv1-v2.topics.qrels.gz").write_bytes(b"nothing\n")
    with pytest.raises(
        InputError, match=r"none of its documents are in .*\(1 broken lines of topics, 3 stories without"
    ):
        list(read("rcv1:train").labels())


def test_a_file_that_is_not_a_mulan_subset_raises(own_data: Path) -> None:
    (own_data / "rcv1subset1_top944.mat").write_bytes(b"junk" * 100)
    with pytest.raises(InputError, match="cannot be read as one of MULAN's subsets"):
        list(read("rcv1:subset1").labels())


@pytest.mark.parametrize("packed", [True, False])
def test_odp_pages_are_read_with_the_top_category(own_data: Path, packed: bool) -> None:
    data = PAGES.encode()
    (own_data / f"content.rdf.u8{'.gz' * packed}").write_bytes(gzip.compress(data) if packed else data)
    corpus = read("odp")
    assert list(corpus) == [("Puppets & strings\nAll about\n puppets.", ("Arts",)), ("Chess", ("Games",))]
    assert corpus.report is not None
    assert corpus.report.skipped == {"broken records": 2, "pages without a category": 1}
    assert list(read("odp:every-class").labels()) == [("Arts",), ("World",), ("Games",)]


def test_wrong_bytes_in_pages_are_replaced_and_a_truncated_file_raises(own_data: Path) -> None:
    path = own_data / "content.rdf.u8.gz"
    path.write_bytes(gzip.compress(PAGES.replace("strings", "\x00str\x81").encode("latin-1")))
    corpus = read("odp")
    assert next(corpus.texts()).startswith("Puppets & \x00str\ufffd")
    assert len(list(corpus)) == 2
    assert corpus.report is not None
    assert corpus.report.replaced_bytes == 1
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(InputError, match="damaged or was cut short"):
        list(read("odp"))


def test_the_odp_sample_is_read(own_data: Path) -> None:
    about: list[dict[str, object] | None] = [
        {"title": ["a", "b"], "keywords": "c  d", "description": None},
        {},
        None,
        {"title": []},
    ]
    sample = {"meta": about, "dmoz_categories": [["arts", "x"], ["news"], ["home"], []], "urls": []}
    path = own_data / "dmoz-sample.json.gz"
    path.write_bytes(gzip.compress(json.dumps(sample).encode()))
    corpus = read("odp:sample")
    assert list(corpus) == [("a b c d", ("arts",)), ("", ("news",))]
    assert corpus.report is not None
    assert corpus.report.skipped == {"broken records": 2}


@pytest.mark.parametrize("content", ["[]", '{"meta": []}', '{"meta": [1], "dmoz_categories": []}', "{", "\x81"])
def test_a_file_that_is_not_the_odp_sample_raises(own_data: Path, content: str) -> None:
    (own_data / "dmoz-sample.json").write_bytes(content.encode("latin-1"))
    with pytest.raises(InputError, match="is not the sample of DMOZ"):
        list(read("odp:sample"))
