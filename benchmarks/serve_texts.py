"""Models and texts for `serve_load.py`: lines of documents that the model was not trained on."""

from __future__ import annotations

import random
from itertools import islice
from pathlib import Path

import textsieve
from textsieve import Categorizer
from textsieve.corpus.named_corpora import inventory
from textsieve.modelfile import read
from textsieve.prediction import Model

from .newsgroups import labelled

N_TERMS = 10_000
N_TEXTS = 4_000
LENGTH = 100
LONG, N_LONG = 2_000, 1_000
NAME, OTHER = "newsgroups:train", "docstrings"


def corpora() -> tuple[str, str]:
    """Return the names of the training and test corpora: 20 Newsgroups, or docstrings if it is not available."""
    return (NAME, "newsgroups:test") if inventory("newsgroups")[0].is_here else (OTHER, OTHER)


def train(name: str, path: Path, selector: str = "forward") -> Model:
    """Train a linear model, write it to a file, and return it."""
    Categorizer(n_terms=N_TERMS, classifier="svm", selector=selector).fit(*labelled(name)).save(path)
    return read(path)


def short_texts(name: str) -> list[str]:
    """Return different lines of about a hundred characters, from all documents of a corpus."""
    texts: set[str] = set()
    for document, _ in textsieve.read(name):
        lines = (" ".join(line.split()) for line in document.splitlines())
        texts.update(islice((line[: 2 * LENGTH] for line in lines if len(line) > LENGTH // 2), 3))
    return random.Random(0).sample(sorted(texts), min(N_TEXTS, len(texts)))


def long_texts(name: str) -> list[str]:
    """Return documents of equal length, cut from the concatenated corpus."""
    whole = "\n".join(text for text, _ in islice(textsieve.read(name), 3_000))
    return [whole[begin : begin + LONG] for begin in range(0, LONG * N_LONG, LONG)]
