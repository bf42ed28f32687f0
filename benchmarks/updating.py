"""How good a model is that is updated, beside one that is trained again: terms and idf of a tenth, or of all.

The training documents of a corpus, in an order drawn at random, come in parts. A model is trained on a tenth of them
and updated with each part; beside it, another one is trained again on all documents so far, with new terms, idf and
thresholds. Both are measured on the test documents. Labels that the first tenth lacks can't be learned by an update,
and count as missed. `python -m benchmarks.updating` writes the table into
docs/update.md.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from textsieve import Categorizer, read

PAGE = Path(__file__).parent.parent / "docs" / "update.md"
MARKS = "<!-- {}: python -m benchmarks.updating -->", "<!-- end of {} -->"
"""Between which the page has its place for a table."""
FEW, STARTS = (0.0, 0.02, 0.05, 0.1), (777, 3_000, 7_000)
"""Shares of the documents that are there already by which a model of several labels is updated, and their numbers."""
SHARES = (0.1, 0.2, 0.4, 0.7, 1.0)
CORPORA = {"20 Newsgroups": "newsgroups:{}", "Reuters, 90 topics": "reuters:{}"}
CLASSIFIERS = ("nb", "rocchio", "tcfp")

Documents = tuple[list[str], list[Any]]


class Found(NamedTuple):
    """After so many documents: micro-F1 of the model of the first tenth, updated, and trained again; and seconds."""

    n_documents: int
    first: float
    updated: float
    cut_anew: float | None  # with several labels
    again: float
    seconds_of_update: float
    seconds_of_training: float


def documents(name: str, part: str) -> Documents:
    """Texts and labels; of one label each as they are, else as tuples."""
    found = list(read(name.format(part)))
    multilabel = any(len(labels) != 1 for _, labels in found)
    return [text for text, _ in found], [labels if multilabel else labels[0] for _, labels in found]


def measured(classifier: str, train: Documents, test: Documents) -> Iterator[Found]:
    """Go through the parts."""
    order = np.random.default_rng(0).permutation(len(train[0])).tolist()
    ends = [round(share * len(order)) for share in SHARES]
    first, cut_anew = (
        Categorizer(classifier=classifier, keep_stats=True).fit(*_some(train, order[: ends[0]])) for _ in range(2)
    )
    multilabel = first.model_.multilabel
    at_first = first.score(*test)
    for begin, end in zip([ends[0], *ends], ends, strict=False):
        new = _known(first, *_some(train, order[begin:end]))
        started = time.perf_counter()
        if begin < end:
            first.update(*new)
        updated = time.perf_counter()
        again = Categorizer(classifier=classifier, keep_stats=True).fit(*_some(train, order[:end]))
        trained = time.perf_counter()
        if multilabel and begin < end:
            cut_anew.update(*new, fit_cut=True)
        fitted = cut_anew.score(*test) if multilabel else None
        yield Found(end, at_first, first.score(*test), fitted, again.score(*test), updated - started, trained - updated)


def _some(whole: Documents, numbers: list[int]) -> Documents:
    return [whole[0][at] for at in numbers], [whole[1][at] for at in numbers]


def _known(model: Categorizer, texts: list[str], labels: list[Any]) -> Documents:
    """The same documents, without labels that are no class of the model."""
    known = set(model.classes_.tolist())
    return texts, [tuple(filter(known.__contains__, each)) if isinstance(each, tuple) else each for each in labels]


TITLES = ("documents", "classifier", "learned", "not updated", "updated", "`--fit-cut`", "trained again")
SECONDS = ("s to update", "s to train again")


def lines() -> Iterator[str]:
    """The table."""
    yield f"| {' | '.join((*TITLES, *SECONDS))} |"
    yield "|---|---|" + "---:|" * (len(TITLES) + len(SECONDS) - 2)
    for title, name in CORPORA.items():
        train, test = documents(name, "train"), documents(name, "test")
        for classifier in CLASSIFIERS:
            for found in measured(classifier, train, test):
                is_first = found.n_documents == round(SHARES[0] * len(train[0]))
                quality = [_shown(each, 3) for each in (found.first, found.updated, found.cut_anew, found.again)]
                update = None if is_first else found.seconds_of_update
                seconds = [_shown(each, 2) for each in (update, found.seconds_of_training)]
                yield f"| {' | '.join((title, f'`{classifier}`', f'{found.n_documents:,}', *quality, *seconds))} |"


def lines_of_few() -> Iterator[str]:
    """What few documents do to a model of several labels whose thresholds stay."""
    yield f"| classifier | learned | {' | '.join(f'{share:.0%} more' if share else 'not updated' for share in FEW)} |"
    yield "|---|---:|" + "---:|" * len(FEW)
    train, test = documents(CORPORA["Reuters, 90 topics"], "train"), documents(CORPORA["Reuters, 90 topics"], "test")
    order = np.random.default_rng(0).permutation(len(train[0])).tolist()
    for classifier, start in product(("nb", "cnb", "rocchio", "tcfp"), STARTS):
        scores = []
        for share in FEW:
            model = Categorizer(classifier=classifier, keep_stats=True).fit(*_some(train, order[:start]))
            new = _some(train, order[start : start + round(share * start)])
            scores.append((model.update(*_known(model, *new)) if share else model).score(*test))
        yield f"| `{classifier}` | {start:,} | {' | '.join(_shown(score, 3) for score in scores)} |"


def _shown(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:.{digits}f}"


def write(name: str, table: list[str]) -> None:
    """Put a table where the page has its place for it."""
    begin, end = (mark.format(name) for mark in MARKS)
    page = PAGE.read_text(encoding="utf-8")
    before, rest = page.split(begin)
    _, after = rest.split(end)
    PAGE.write_text("\n".join([f"{before}{begin}", "", *table, "", f"{end}{after}"]), encoding="utf-8")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for name, made in (("few", lines_of_few()), ("figures", lines())):
        rows = []
        for row in made:
            print(row, flush=True)
            rows.append(row)
        write(name, rows)
