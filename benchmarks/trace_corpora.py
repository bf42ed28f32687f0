"""Every real collection at hand, counted, for the study of TOFA's weight: one label a document, or several."""

from __future__ import annotations

import html
import os
import re
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy.io import loadmat
from scipy.sparse import csr_matrix

from textsieve import TermCounter
from textsieve.categorizer_settings import Limits
from textsieve.training.counted_documents import CountedDocuments, count_texts
from textsieve.training.targets import Targets

from .corpora import docstrings, webkb
from .newsgroups import labelled, newsgroups

NO_LIMITS: Limits = {"min_df": 1, "max_df": 1.0}


def _data(name: str) -> Path:
    return Path(os.environ["TEXTSIEVE_DATA"]) / name


def counted(texts: list[str], labels: list[Any]) -> CountedDocuments:
    """Counts of all words."""
    return count_texts(texts, labels, TermCounter(dtype=np.int32), NO_LIMITS, multilabel=None)


def _reuters_documents() -> Iterator[tuple[str, str, list[str]]]:
    """The part of the ModApte split that a document is in, its text, and its topics."""
    with tarfile.open(_data("reuters21578.tar.gz")) as archive:
        for member in sorted(archive.getmembers(), key=lambda each: each.name):
            file = archive.extractfile(member) if member.name.endswith(".sgm") else None
            if file is None:
                continue
            for document in re.findall(r"<REUTERS.*?</REUTERS>", file.read().decode("latin-1"), re.DOTALL):
                part = re.search(r'LEWISSPLIT="(TRAIN|TEST)"', document)
                if part and 'TOPICS="YES"' in document:
                    topics = re.findall(r"<D>(.*?)</D>", document.split("<TOPICS>")[1].split("</TOPICS>")[0])
                    body = document.split("<TEXT", 1)[1].split("</TEXT>")[0]
                    yield part[1], html.unescape(re.sub(r"<[^>]+>", " ", body)), topics


def reuters(*parts: str) -> tuple[list[str], list[list[str]], list[str]]:
    """Texts, topics and parts of the documents of ModApte-90: the topics that occur in both parts."""
    documents = list(_reuters_documents())
    train, test = ({topic for part, _, topics in documents if part == name for topic in topics} for name in _PARTS)
    known = [(part, text, [topic for topic in topics if topic in train & test]) for part, text, topics in documents]
    kept = [(part, text, topics) for part, text, topics in known if topics and part in parts]
    return [text for _, text, _ in kept], [topics for _, _, topics in kept], [part for part, _, _ in kept]


_PARTS = ("TRAIN", "TEST")


def brown() -> tuple[list[str], list[str]]:
    """The texts of Brown, and their genres."""
    return labelled("brown")


def dmoz() -> tuple[list[str], list[str]]:
    """What the pages of the DMOZ sample say of themselves, and their top categories."""
    told = [(text, category) for text, category in zip(*labelled("odp:sample"), strict=True) if text]
    return [text for text, _ in told], [category for _, category in told]


def rcv1(number: int) -> CountedDocuments:
    """A subset of RCV1 as MULAN has it: 944 terms, there or not, and topics."""
    arrays: Any = loadmat(_data(f"rcv1/rcv1subset{number}_top944.mat"))
    counts = csr_matrix(arrays["data"], dtype=np.int32)
    members = tuple(np.flatnonzero(row > 0).astype(np.int64) for row in np.asarray(arrays["target"]))
    targets = Targets(tuple(range(len(members))), members, counts.shape[0], "several")
    return CountedDocuments(counts, [f"#{column}" for column in range(counts.shape[1])], targets, NO_LIMITS)


CORPORA: dict[str, Callable[[], CountedDocuments]] = {
    "20 Newsgroups": lambda: counted(*newsgroups("train")),
    "Reuters, 90 topics": lambda: counted(*reuters("TRAIN")[:2]),
    "WebKB": lambda: counted(*webkb()),
    "Brown": lambda: counted(*brown()),
    "DMOZ sample": lambda: counted(*dmoz()),
    "docstrings": lambda: counted(*docstrings()),
    "RCV1 subset 1": lambda: rcv1(1),
    "RCV1 subset 2": lambda: rcv1(2),
    "RCV1 subset 3": lambda: rcv1(3),
    "RCV1 subset 4": lambda: rcv1(4),
    "RCV1 subset 5": lambda: rcv1(5),
}
