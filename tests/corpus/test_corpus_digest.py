"""The digest of a corpus depends on its texts, their labels and their order, and on nothing else."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textsieve.corpus import Batch, Corpus, read
from textsieve.corpus.batch import CorpusDigest, Document
from textsieve.errors import InputError

parts = st.text("a:1 é", max_size=3)
documents = st.lists(st.tuples(parts, st.lists(parts, max_size=2).map(tuple)), max_size=4)


def digest_of(*batches: list[Document]) -> str | None:
    """Return the digest of documents in batches."""
    digest = CorpusDigest()
    made = [Batch([labels for _, labels in batch], [text for text, _ in batch]) for batch in batches]
    assert list(digest(iter(made))) == made
    assert digest.documents == sum(map(len, batches))
    return digest.digest


@given(documents, documents)
def test_only_the_same_documents_have_the_same_digest(first: list[Document], second: list[Document]) -> None:
    assert (digest_of(first) == digest_of(second)) == (first == second)


@given(documents, documents)
def test_batches_do_not_matter(first: list[Document], second: list[Document]) -> None:
    assert digest_of(first, second) == digest_of(first + second)


def test_compression_and_other_columns_do_not_matter(tmp_path: Path) -> None:
    table = "text,label,id\na goal,sport,1\na vote,politics,2\n"
    (tmp_path / "a.csv").write_text(table, encoding="utf-8")
    (tmp_path / "b.csv.gz").write_bytes(gzip.compress(table.replace(",1", ",7").encode()))
    (tmp_path / "c.csv").write_text(table.replace("vote", "veto"), encoding="utf-8")
    digests = []
    for name in ("a.csv", "b.csv.gz", "c.csv"):
        digest = CorpusDigest()
        assert len(list(read(tmp_path / name).mapped(digest))) == digest.documents == 2
        digests.append(digest.digest)
    assert digests[0] == digests[1] != digests[2]


def test_the_digest_is_that_of_the_last_complete_pass() -> None:
    digest = CorpusDigest()
    corpus = Corpus.from_texts(["a"] * 3000, ["b"] * 3000).mapped(digest)
    next(corpus.batches())
    assert (digest.digest, digest.documents) == (None, 0)
    assert sum(map(len, corpus.batches(ahead=True))) == digest.documents == 3000
    complete = digest.digest
    next(corpus.batches())
    assert digest.digest == complete


def test_vectors_have_no_texts() -> None:
    digest = CorpusDigest()
    corpus = Corpus.from_vectors([[1, 0], [0, 1]], ["a", "b"]).mapped(digest)
    assert sum(map(len, corpus.batches())) == digest.documents == 2


def test_a_mapped_corpus_has_the_properties_of_the_first(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("text,label\na,x|y\n", encoding="utf-8")
    corpus = read(tmp_path / "a.csv", label_separator="|")
    mapped = corpus.mapped(lambda batches: batches)
    assert (mapped.name, mapped.multilabel) == (corpus.name, corpus.multilabel)
    assert list(mapped) == [("a", ("x", "y"))]
    assert mapped.report is not None
    assert corpus.report is None
    with pytest.raises(InputError, match="no documents"):
        list(mapped.mapped(lambda _: iter(())))
