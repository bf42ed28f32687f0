"""`reproduce`: what papers printed, beside what is measured here."""

from __future__ import annotations

import os
from collections.abc import Iterable
from importlib import import_module
from typing import NamedTuple

from textsieve.training.counted_documents import Progress

from .conditions import Asked
from .judging import Outcome, judge
from .measurements import Scope
from .named import asked_for
from .pages import write_page
from .running import measure

FULL = Scope()
QUICK = Scope(every=20, repetitions=1)
"""For a first look."""


class Reproduced(NamedTuple):
    """Items of a paper, measured and judged, and the files that were written of them."""

    asked: Asked
    outcomes: tuple[Outcome, ...]
    paths: tuple[str, ...]
    scope: Scope = FULL
    """How much was measured."""


def reproduce(
    papers: str | Iterable[str],
    *,
    output: str | os.PathLike[str] | None = None,
    results: str | os.PathLike[str] | None = None,
    scope: Scope = FULL,
    progress: Progress | None = None,
) -> list[Reproduced]:
    """Measure again what papers printed.

    Parameters
    ----------
    papers
        "ocfs", "testors", "tofa", "tcfp" or "subspace"; or a table or figure of one, such as "ocfs:table2"; or several.
    output
        A folder, which gets a page for each paper and its figures.
    results
        A file that gets each number as soon as it is measured; what it has already is not measured again.
    scope
        How much is measured; `QUICK` is a part, for a first look.
    progress
        Told what is being done, how many numbers are measured, and how many there are to measure.
    """
    asked = asked_for([papers] if isinstance(papers, str) else papers)
    if output is not None and any(item.is_figure for each in asked for item in each.items):
        import_module("textsieve.plots")  # which says what is missing, if it is, before anything is measured
    found = measure(asked, scope, None if results is None else os.fspath(results), progress or (lambda *_: None))
    reproduced = []
    for each in asked:
        outcomes = tuple(judge(item, found) for item in each.items)
        paths = [] if output is None else write_page(each, outcomes, scope, os.fspath(output))
        reproduced.append(Reproduced(each, outcomes, tuple(paths), scope))
    return reproduced
