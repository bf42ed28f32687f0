"""The papers' collections have as many documents and classes as their publishers state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from importlib import import_module

import pytest

from textsieve.corpus import Corpus
from textsieve.corpus.collections.newsgroups import REVEALING_FIELDS, without_footer, without_header, without_quotes
from textsieve.corpus.named_corpora import inventory

Open = Callable[[str], Corpus]


def counted(corpus: Corpus) -> tuple[int, int, int]:
    """Return the numbers of documents, of empty documents and of classes."""
    classes = {label for labels in corpus.labels() for label in labels}
    assert corpus.report is not None
    assert not corpus.report.skipped
    return corpus.report.documents, corpus.report.empty, len(classes)


COUNTS = {
    "newsgroups": (18_846, 0, 20),
    "newsgroups:train": (11_314, 0, 20),
    "newsgroups:test": (7_532, 0, 20),
    "newsgroups:comp": (4_891, 0, 5),
    "newsgroups:original": (19_997, 0, 20),
    "newsgroups:original:comp": (5_000, 0, 5),
    "reuters": (10_789, 0, 90),
    "reuters:train": (7_770, 0, 90),
    "reuters:test": (3_019, 0, 90),
    "reuters:bodies:train": (7_058, 0, 89),
    "reuters:bodies:test": (2_742, 0, 89),
    "reuters:modapte": (12_902, 0, 118),
    "reuters:modapte:train": (9_603, 0, 115),
    "reuters:modapte:test": (3_299, 0, 93),
    "reuters:all": (21_578, 1, 120),
    "brown": (500, 0, 15),
    "webkb": (4_199, 0, 4),
    "webkb:seven": (8_282, 0, 7),
    "webkb:texas": (252, 0, 4),
    "webkb:leave-texas:test": (252, 0, 4),
    "webkb:leave-texas:train": (3_947, 0, 4),
    "webkb:leave-texas": (4_199, 0, 4),
    "webkb:stemmed": (4_199, 31, 4),
    "webkb:stemmed:train": (2_803, 18, 4),
    "webkb:stemmed:test": (1_396, 13, 4),
    "rcv1:subset1": (6_000, 0, 101),
    "rcv1:subset1:train": (3_000, 0, 101),
    "rcv1:subset1:test": (3_000, 0, 97),
    "rcv1:subset2": (6_000, 0, 90),
    "rcv1:subset2:train": (3_000, 0, 90),
    "rcv1:subset2:test": (3_000, 0, 84),
    "rcv1:subset3": (6_000, 0, 88),
    "rcv1:subset3:train": (3_000, 0, 88),
    "rcv1:subset3:test": (3_000, 0, 84),
    "rcv1:subset4": (6_000, 0, 71),
    "rcv1:subset4:train": (3_000, 0, 71),
    "rcv1:subset4:test": (3_000, 0, 63),
    "rcv1:subset5": (6_000, 0, 90),
    "rcv1:subset5:train": (3_000, 0, 90),
    "rcv1:subset5:test": (3_000, 0, 85),
    "rcv1:subset3:top": (6_000, 0, 4),
    "rcv1:subset5:top:test": (3_000, 0, 4),
    "odp:sample": (2_398, 44, 15),
}
"""Documents, those of them that are empty, and classes."""


@pytest.mark.parametrize("name", COUNTS)
def test_real_collections_have_the_documented_numbers_of_documents(name: str, named: Open) -> None:
    assert counted(named(name)) == COUNTS[name]


def test_words_may_be_given_in_any_order_on_real_collections(named: Open) -> None:
    assert counted(named("reuters:test:modapte")) == COUNTS["reuters:modapte:test"]


def test_the_inventory_has_the_counted_numbers() -> None:
    entries = {entry.name: entry for entry in inventory() if entry.files}
    assert entries.keys() - COUNTS.keys() == {"rcv1", "rcv1:tokens", "odp"}
    for name in entries.keys() & COUNTS.keys():
        documents, _, classes = COUNTS[name]
        assert (entries[name].documents, entries[name].classes) == (documents, classes)
        parts = tuple(COUNTS[f"{name}:{part}"][0] for part in ("train", "test") if f"{name}:{part}" in COUNTS)
        assert entries[name].split == (parts or None)


@pytest.mark.parametrize("name", ["reuters", "webkb:stemmed", "webkb:leave-texas"])
def test_the_parts_of_a_split_make_up_the_collection(name: str, named: Open) -> None:
    whole = named(name)
    parts = whole.split()
    assert parts is not None
    assert [part.name for part in parts] == [f"{name}:train", f"{name}:test"]
    assert all(part.split() is None for part in parts)
    both = Counter(document for part in parts for document in part)
    assert both == Counter(whole)


def test_no_original_post_has_a_header_field_that_reveals_its_group(named: Open) -> None:
    """The group is named elsewhere as often as the documentation says."""
    fields = tuple(f"{field}:" for field in REVEALING_FIELDS)
    named_in: Counter[str] = Counter()
    for text, (group,) in named("newsgroups:original"):
        header, _, body = text.lower().partition("\n\n")
        lines = header.split("\n")
        assert not any(line.startswith(fields) for line in lines)
        assert any(line.startswith("subject:") for line in lines)
        named_in.update({line.partition(":")[0] for line in lines if group in line})
        named_in["body"] += group in body
    assert named_in["body"] == 603
    assert (named_in["subject"], named_in["distribution"], named_in["summary"]) == (65, 53, 12)


def test_headers_footers_and_quotes_are_removed_as_in_scikit_learn(named: Open) -> None:
    theirs = import_module("sklearn.datasets._twenty_newsgroups")
    plain = list(named("newsgroups:test:comp").texts())
    assert len(plain) == 1_955
    for text in plain:
        body = without_header(text)
        assert body == theirs.strip_newsgroup_header(text)
        assert without_footer(body) == theirs.strip_newsgroup_footer(body)
        assert without_quotes(body) == theirs.strip_newsgroup_quoting(body)
    bare = list(named("newsgroups:test:no-quotes:comp:no-headers:no-footers").texts())
    assert bare == [without_quotes(without_footer(without_header(text))) for text in plain]


def test_no_page_begins_with_the_header_of_its_server(named: Open) -> None:
    for text in named("webkb:seven").texts():
        assert not text.lower().startswith(("date:", "server:", "mime-version:", "content-type:", "www alert:"))


def test_texts_of_reuters_and_brown_have_no_tags(named: Open) -> None:
    assert not any("<BODY>" in text or "TYPE=" in text for text in named("reuters:test").texts())
    first = next(iter(named("brown")))
    assert first[1] == ("news",)
    assert first[0].startswith("The Fulton County Grand Jury said Friday")
    assert next(iter(named("brown:tagged")))[0].startswith("The/at Fulton/np-tl County/nn-tl")
