"""Updated models beside models that are trained again: an update keeps the terms, idf and thresholds of a model.

The training documents of a corpus arrive in parts, in random order. One model is trained on the first tenth and then
updated with each part. Another is trained again on all documents so far, with new terms, idf and thresholds. Both are
measured on the test documents. An update can't add classes, so labels that the first tenth lacks count as missed.
`python -m benchmarks.updating` writes its tables into docs/research/update-results.md.
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

PAGE = Path(__file__).parent.parent / "docs" / "research" / "update-results.md"
MARKS = "<!-- {}: python -m benchmarks.updating -->", "<!-- end of {} -->"
"""The comments before and after a table in the page."""
STARTS = (777, 3_000, 7_000)
"""Numbers of documents on which multilabel models are trained before a small update."""
SMALL_UPDATES = (0.0, 0.02, 0.05, 0.1)
"""Sizes of the update, as shares of these numbers."""
SHARES = (0.1, 0.2, 0.4, 0.7, 1.0)
"""Shares of the training documents that have arrived after each part."""
CORPORA = {"20 Newsgroups": "newsgroups:{}", "Reuters, 90 topics": "reuters:{}"}
CLASSIFIERS = ("nb", "rocchio", "tcfp")

Documents = tuple[list[str], list[Any]]


class Measurement(NamedTuple):
    """The micro-F1 of all models after so many documents, and the seconds of the last update and training."""

    n_documents: int
    not_updated: float
    updated: float
    refitted: float | None
    """Updated, with thresholds fitted again; None for single-label documents."""
    trained_again: float
    update_seconds: float
    training_seconds: float


def read_documents(name: str, part: str) -> Documents:
    """Return texts and labels of the training or test part; a label each, or tuples if some have several."""
    pairs = list(read(name.format(part)))
    multilabel = any(len(labels) != 1 for _, labels in pairs)
    return [text for text, _ in pairs], [labels if multilabel else labels[0] for _, labels in pairs]


def measure(classifier: str, train: Documents, test: Documents) -> Iterator[Measurement]:
    """Yield a measurement after each part of the training documents."""
    order = np.random.default_rng(0).permutation(len(train[0])).tolist()
    ends = [round(share * len(order)) for share in SHARES]
    updated, refitted = (
        Categorizer(analyzer="word", classifier=classifier, keep_stats=True).fit(*_take(train, order[: ends[0]]))
        for _ in range(2)
    )
    multilabel = updated.model_.multilabel
    first_score = updated.score(*test)
    for begin, end in zip([ends[0], *ends], ends, strict=False):  # the first part is empty: no update yet
        new_documents = _without_new_classes(updated, *_take(train, order[begin:end]))
        started = time.perf_counter()
        if begin < end:
            updated.update(*new_documents)
        update_ended = time.perf_counter()
        trained_again = Categorizer(analyzer="word", classifier=classifier, keep_stats=True).fit(
            *_take(train, order[:end])
        )
        training_ended = time.perf_counter()
        if multilabel and begin < end:
            refitted.update(*new_documents, fit_thresholds=True)
        yield Measurement(
            n_documents=end,
            not_updated=first_score,
            updated=updated.score(*test),
            refitted=refitted.score(*test) if multilabel else None,
            trained_again=trained_again.score(*test),
            update_seconds=update_ended - started,
            training_seconds=training_ended - update_ended,
        )


def _take(documents: Documents, positions: list[int]) -> Documents:
    texts, labels = documents
    return [texts[position] for position in positions], [labels[position] for position in positions]


def _without_new_classes(model: Categorizer, texts: list[str], labels: list[Any]) -> Documents:
    """Return the same documents, without labels that are no class of the model."""
    classes = set(model.classes_.tolist())
    known_labels = [
        tuple(label for label in document_labels if label in classes)
        if isinstance(document_labels, tuple)
        else document_labels
        for document_labels in labels
    ]
    return texts, known_labels


TITLES = ("documents", "classifier", "learned", "not updated", "updated", "`--fit-thresholds`", "trained again")
SECONDS = ("s to update", "s to train again")


def arrival_table() -> Iterator[str]:
    """Yield the lines of the table of models to which documents arrive in parts."""
    yield f"| {' | '.join((*TITLES, *SECONDS))} |"
    yield "|---|---|" + "---:|" * (len(TITLES) + len(SECONDS) - 2)
    for title, name in CORPORA.items():
        train, test = read_documents(name, "train"), read_documents(name, "test")
        for classifier in CLASSIFIERS:
            for row in measure(classifier, train, test):
                is_first = row.n_documents == round(SHARES[0] * len(train[0]))
                scores = [
                    _format(score, 3) for score in (row.not_updated, row.updated, row.refitted, row.trained_again)
                ]
                update_seconds = None if is_first else row.update_seconds
                seconds = [_format(value, 2) for value in (update_seconds, row.training_seconds)]
                yield f"| {' | '.join((title, f'`{classifier}`', f'{row.n_documents:,}', *scores, *seconds))} |"


def small_update_table() -> Iterator[str]:
    """Yield the lines of the table of multilabel models that a small update changes, without their thresholds."""
    heads = [f"{share:.0%} more" if share else "not updated" for share in SMALL_UPDATES]
    yield f"| classifier | learned | {' | '.join(heads)} |"
    yield "|---|---:|" + "---:|" * len(SMALL_UPDATES)
    train, test = (read_documents(CORPORA["Reuters, 90 topics"], part) for part in ("train", "test"))
    order = np.random.default_rng(0).permutation(len(train[0])).tolist()
    for classifier, start in product(("nb", "cnb", "rocchio", "tcfp"), STARTS):
        scores = []
        for share in SMALL_UPDATES:
            model = Categorizer(analyzer="word", classifier=classifier, keep_stats=True).fit(
                *_take(train, order[:start])
            )
            if share:
                new_documents = _take(train, order[start : start + round(share * start)])
                model.update(*_without_new_classes(model, *new_documents))
            scores.append(model.score(*test))
        yield f"| `{classifier}` | {start:,} | {' | '.join(_format(score, 3) for score in scores)} |"


def _format(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:.{digits}f}"


def write(name: str, table: list[str]) -> None:
    """Replace a table in the page, between the comments with its name."""
    begin, end = (mark.format(name) for mark in MARKS)
    page = PAGE.read_text(encoding="utf-8")
    before, rest = page.split(begin)
    _, after = rest.split(end)
    PAGE.write_text("\n".join([f"{before}{begin}", "", *table, "", f"{end}{after}"]), encoding="utf-8")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for name, table in (("few", small_update_table()), ("figures", arrival_table())):
        lines = []
        for line in table:
            print(line, flush=True)
            lines.append(line)
        write(name, lines)
