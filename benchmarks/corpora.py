"""Labelled documents for comparisons, one label each, in the order of their collections."""

import html
import os
import re
import tarfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from .newsgroups import LabelledTexts, labelled, newsgroups


def reuters_documents() -> Iterator[tuple[str, list[str]]]:
    """All documents of Reuters-21578 as they stand in its files, in their order, and their topics."""
    with tarfile.open(Path(os.environ["TEXTSIEVE_DATA"]) / "reuters21578.tar.gz") as archive:
        for member in archive:
            file = archive.extractfile(member) if member.name.endswith(".sgm") else None
            if file is None:
                continue
            for document in re.findall(r"<REUTERS.*?</REUTERS>", file.read().decode("latin-1"), re.DOTALL):
                yield document, re.findall(r"<D>(.*?)</D>", document.split("<TOPICS>")[1].split("</TOPICS>")[0])


def without_tags(text: str) -> str:
    """What is left of SGML without its tags."""
    return html.unescape(re.sub(r"<[^>]+>", " ", text))


def reuters() -> LabelledTexts:
    """Training documents of Reuters-21578's ModApte split that have one topic, of topics with at least five."""
    texts, topics = [], []
    for document, found in reuters_documents():
        if 'LEWISSPLIT="TRAIN"' in document and 'TOPICS="YES"' in document and len(found) == 1:
            texts.append(without_tags(document.split("<TEXT", 1)[1].split("</TEXT>")[0]))
            topics.append(found[0])
    sizes = Counter(topics)
    kept = [at for at, topic in enumerate(topics) if sizes[topic] >= 5]
    return [texts[at] for at in kept], [topics[at] for at in kept]


def webkb() -> LabelledTexts:
    """The stemmed training pages of WebKB's four classes."""
    return labelled("webkb:stemmed:train")


def docstrings() -> LabelledTexts:
    """The embedded corpus."""
    return labelled("docstrings")


CORPORA = {
    "20 Newsgroups": lambda: newsgroups("train"),
    "Reuters": reuters,
    "WebKB": webkb,
    "docstrings": docstrings,
}
