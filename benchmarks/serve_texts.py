"""What `serve_load.py` trains on and asks about: lines of documents that the model has not seen."""

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
    """What is trained on, and what is asked about: 20 Newsgroups by date, or docstrings where that is not."""
    return (NAME, "newsgroups:test") if inventory("newsgroups")[0].is_here else (OTHER, OTHER)


def train(name: str, path: Path, selector: str = "forward") -> Model:
    """A linear model of so many terms, in a file."""
    Categorizer(n_terms=N_TERMS, classifier="svm", selector=selector).fit(*labelled(name)).save(path)
    return read(path)


def short_texts(name: str) -> list[str]:
    """Different lines of about a hundred characters, of all documents alike."""
    found: set[str] = set()
    for text, _ in textsieve.read(name):
        lines = (" ".join(line.split()) for line in text.splitlines())
        found.update(islice((line[: 2 * LENGTH] for line in lines if len(line) > LENGTH // 2), 3))
    return random.Random(0).sample(sorted(found), min(N_TEXTS, len(found)))


def long_texts(name: str) -> list[str]:
    """Documents of the same length, cut from all of them in a row."""
    whole = "\n".join(text for text, _ in islice(textsieve.read(name), 3_000))
    return [whole[at : at + LONG] for at in range(0, LONG * N_LONG, LONG)]
