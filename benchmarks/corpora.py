"""Labelled documents for comparisons, one label each, in the order of their collections."""

import html
import os
import re
import tarfile
from collections import Counter
from pathlib import Path

import textsieve

from .newsgroups import newsgroups

LabelledTexts = tuple[list[str], list[str]]


def reuters() -> LabelledTexts:
    """Training documents of Reuters-21578's ModApte split that have one topic, of topics with at least five."""
    texts, topics = [], []
    with tarfile.open(Path(os.environ["TEXTSIEVE_DATA"]) / "reuters21578.tar.gz") as archive:
        for member in archive:
            file = archive.extractfile(member) if member.name.endswith(".sgm") else None
            if file is None:
                continue
            for document in re.findall(r"<REUTERS.*?</REUTERS>", file.read().decode("latin-1"), re.DOTALL):
                found = re.findall(r"<D>(.*?)</D>", document.split("<TOPICS>")[1].split("</TOPICS>")[0])
                if 'LEWISSPLIT="TRAIN"' in document and 'TOPICS="YES"' in document and len(found) == 1:
                    body = document.split("<TEXT", 1)[1].split("</TEXT>")[0]
                    texts.append(html.unescape(re.sub(r"<[^>]+>", " ", body)))
                    topics.append(found[0])
    sizes = Counter(topics)
    kept = [at for at, topic in enumerate(topics) if sizes[topic] >= 5]
    return [texts[at] for at in kept], [topics[at] for at in kept]


def webkb() -> LabelledTexts:
    """The stemmed training pages of WebKB's four classes."""
    return _loaded(str(Path(os.environ["TEXTSIEVE_DATA"]) / "webkb-train-stemmed.txt"))


def docstrings() -> LabelledTexts:
    """The embedded corpus."""
    return _loaded("docstrings")


def _loaded(name: str) -> LabelledTexts:
    corpus = textsieve.read(name)
    return list(corpus.texts()), [label for (label,) in corpus.labels()]


CORPORA = {
    "20 Newsgroups": lambda: newsgroups("train"),
    "Reuters": reuters,
    "WebKB": webkb,
    "docstrings": docstrings,
}
