"""Compile kernels ahead of their first use, by training and using small models on generated texts.

numba compiles a kernel when it is first called, for each combination of argument types, and keeps the result in a
cache. So the models and texts here are chosen to call kernels with the types that real models give them.
"""

from __future__ import annotations

import random
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from .categorizer import Categorizer, load
from .corpus import Corpus
from .errors import InputError
from .registry import CLASSIFIERS, SELECTORS
from .selectors import OCFS
from .stats import ClassStats
from .text.counter import TermCounter
from .training.counted_documents import Progress
from .training.spilled_counts import SpilledCounts

N_CLASSES = 4


class WarmupReport(NamedTuple):
    """What `warm_up` has done."""

    n_compiled: int
    """The number of compiled kernels, each counted once for each combination of argument types."""
    seconds: float
    folder: str
    """The folder of the cache."""


def warm_up(progress: Progress, *, everything: bool = False) -> WarmupReport:
    """Compile the kernels that default settings use; with `everything`, also those of all other methods and analyzers.

    Raises `InputError` if compiled code can't be kept in the cache.
    """
    from .kernels import jit

    _require_cache()  # the modules above have imported kernels, which looked for a folder
    began, n_before = time.perf_counter(), jit.n_compiled
    tasks = [*_default_tasks(), *(_other_tasks() if everything else ())]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # about generated texts
        for number, task in enumerate(tasks):
            progress("compiling", number, len(tasks))
            task()
        progress("compiling", len(tasks), len(tasks))
    _require_cache()  # writing to the folder may have failed
    return WarmupReport(jit.n_compiled - n_before, time.perf_counter() - began, jit.cache_folder())


def _require_cache() -> None:
    """Raise `InputError` if it has turned out that compiled code can't be kept."""
    from .kernels import jit

    if jit.cache_problem is not None:
        raise InputError(jit.cache_problem)


Documents = tuple[list[str], list[Any]]
"""Texts and labels."""


def _generate_documents(n: int, n_words: int, letter: str = "é") -> Documents:
    """Return n generated texts of `n_words` words each, and their labels, which are `N_CLASSES` classes in turn.

    Every seventh word of the vocabulary ends with `letter`, so the texts are ASCII only if the letter is.
    """
    generator = random.Random(0)
    n_words_in_all = 3000
    words = [f"{generator.choice('abcdefgh')}{number}{letter * (number % 7 == 0)}" for number in range(n_words_in_all)]
    # Many squares have the same remainder modulo 3000, so some words are more frequent than others. Each class adds
    # another offset, so that its frequent words differ from those of other classes.
    texts = []
    for number in range(n):
        offset = 700 * (number % N_CLASSES)
        positions = [(generator.randrange(900) ** 2 + offset) % n_words_in_all for _ in range(n_words)]
        texts.append(" ".join(words[position] for position in positions))
    return texts, [f"class {number % N_CLASSES}" for number in range(n)]


def _exercise(model: Categorizer, texts: list[str]) -> None:
    """Save and load a model; with it and with the loaded one, predict many documents and one, and explain one."""
    with TemporaryDirectory(prefix="textsieve-") as folder:
        path = Path(folder) / "model.sieve"
        model.save(path)
        loaded = load(path)
    # The arrays of a loaded model are read-only, and numba compiles kernels separately for these.
    for usable in (model, loaded):
        usable.predict(texts * 4)
        usable.predict(texts[:1])
        usable.explain(texts[0])


def _train_and_use(documents: Documents, **settings: Any) -> None:
    """Train a model on texts and labels, and use it."""
    _exercise(Categorizer(**settings).fit(*documents), documents[0][:500])


def _spill_counts(documents: Documents) -> None:
    """Spill counts to a file and read them back, as training does for a corpus whose counts don't fit into memory."""
    texts, labels = documents
    counts = csr_matrix(TermCounter(dtype=np.int32).fit_transform(texts))
    spilled, stats = SpilledCounts(), ClassStats.zero(counts.shape[1])
    for _ in range(2):  # two batches, as a corpus has several
        spilled.append(counts)
        for rows in (counts, counts.astype(np.float32)):  # kernels are compiled for counts and for weights
            stats.update(rows, labels)
    list(spilled.read(np.arange(counts.shape[1])))
    OCFS().fit_stats(stats)


def _default_tasks() -> Iterator[Callable[[], object]]:
    """Yield functions that train and use models with default settings or similar ones.

    The models differ in what decides which kernels run, and with which types. Texts are short or long, few or many,
    ASCII or not, in memory, in a corpus or too large for memory. Labels are four classes, two, or several per text.
    Terms are counted with and without n-grams of characters, or by the analyzer "word".
    """
    short, many, long, ascii_texts = (
        _generate_documents(600, n_words=12),
        _generate_documents(3000, n_words=12),
        _generate_documents(300, n_words=250),
        _generate_documents(300, n_words=250, letter="x"),
    )
    two_classes = long[0], [label.replace("3", "1").replace("2", "0") for label in long[1]]
    multilabel = long[0], [[label, "class 0"] for label in long[1]]
    for documents in (short, many, long, ascii_texts, two_classes):
        yield partial(_train_and_use, documents)
    yield partial(_train_and_use, many, char_ngram_range=None)
    yield partial(_train_and_use, multilabel, folds=2)
    yield lambda: _exercise(Categorizer().fit(Corpus.from_texts(*long)), long[0][:50])
    for documents in (long, ascii_texts):
        yield partial(_train_and_use, documents, analyzer="word")
    yield partial(_spill_counts, long)


def _other_tasks() -> Iterator[Callable[[], object]]:
    """Yield functions that train with each of the other methods and analyzers."""
    documents = _generate_documents(400, n_words=60)
    for selector in SELECTORS:
        yield partial(_train_and_use, documents, selector=selector, n_terms=100)
    for classifier in CLASSIFIERS:
        yield partial(_train_and_use, documents, classifier=classifier, n_terms=200)
    yield partial(_train_and_use, documents, n_terms=200, coefficient_dtype="float64")
    for analyzer in ("word", "char", "char_wb"):
        yield partial(_train_and_use, documents, analyzer=analyzer, ngram_range=(1, 2))
