"""`reproduce`: find papers by name, measure the numbers of their items, judge them, and write the pages."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from textsieve import InputError

from . import overview
from .judging import JudgedItem, judge
from .measurements import Derived, Estimate, Measurement, Scope, measure_kinds
from .pages import write_page
from .paper import Cell, Item, Paper, PaperRequest
from .results_file import Provenance, Recorded, open_results

PAPERS = ("ocfs", "testors", "tofa", "tcfp", "subspace")
"""Each is a module in `studies.papers` with a `PAPER`."""

FULL = Scope()
QUICK = Scope(every=20, repetitions=1)
"""For a first look."""

Progress = Callable[[str, int, int | None], None]
"""A function that is called with the current step, the number of measured numbers, and the number of all."""


class Reproduction(NamedTuple):
    """Items of a paper, measured and judged, and the files that were written."""

    request: PaperRequest
    items: tuple[JudgedItem, ...]
    paths: tuple[str, ...]
    provenance: Provenance
    scope: Scope = FULL


def reproduce(
    papers: str | Iterable[str],
    *,
    output: str | os.PathLike[str] | None = None,
    results: str | os.PathLike[str] | None = None,
    scope: Scope = FULL,
    progress: Progress | None = None,
) -> list[Reproduction]:
    """Measure the numbers that papers printed, and compare the two.

    Parameters
    ----------
    papers
        "ocfs", "testors", "tofa", "tcfp" or "subspace"; or a table or figure, such as "ocfs:table2"; or a list of them.
    output
        A folder, to which a page for each paper and its figures are written.
    results
        A file to which each number is appended as soon as it is measured. Numbers that it has are not measured again.
    scope
        How much is measured; `QUICK` is a part, for a first look.
    progress
        A function that is called with the current step, and the numbers of measured and of all numbers.
    """
    requests = find_items([papers] if isinstance(papers, str) else papers)
    if output is not None and any(item.is_figure for request in requests for item in request.items):
        import_module("textsieve.plots")  # raises if a package for drawing is missing, before anything is measured
    report = progress or (lambda *_: None)
    reproductions = []
    if results is not None and os.path.isdir(results):
        for request in requests:
            reproductions += _judge_all([request], *measure([request], scope, results_path(results, request), report))
    else:
        path = None if results is None else os.fspath(results)
        reproductions = _judge_all(requests, *measure(requests, scope, path, report))
    full = [reproduction._replace(scope=scope) for reproduction in reproductions]
    return full if output is None else write_pages(full, output)


def _recall(measurement: Measurement, file: Recorded, recorded: dict[Measurement, Estimate]) -> Estimate:
    """Return the estimate of a measurement in a file, or of the parts from which it is derived; remember what is used.

    An old file may have a derived number without its parts.
    """
    known = file.find(measurement)
    if known is not None:
        recorded[measurement] = known
        return known
    if not isinstance(measurement, Derived):
        raise InputError(f"{file.path} has no number for {measurement.key}; run the paper again.")
    return measurement.derive([_recall(part, file, recorded) for part in measurement.parts])


def results_path(folder: str | os.PathLike[str], request: PaperRequest) -> str:
    """Return the path of a paper's results file in a folder that has one for each paper."""
    return os.path.join(folder, f"{request.paper.name}.jsonl")


def _judge_all(
    requests: Sequence[PaperRequest], estimates: Mapping[Measurement, Estimate], provenances: Sequence[Provenance]
) -> list[Reproduction]:
    """Return the judged items of each paper."""
    return [
        Reproduction(request, tuple(judge(item, estimates) for item in request.items), (), provenance)
        for request, provenance in zip(requests, provenances, strict=True)
    ]


def write_pages(reproductions: Sequence[Reproduction], output: str | os.PathLike[str]) -> list[Reproduction]:
    """Write the page of each paper, and that of all papers if all are there in full; add the paths."""
    folder = os.fspath(output)
    written = [
        reproduction._replace(
            paths=tuple(
                write_page(
                    reproduction.request, reproduction.items, reproduction.scope, folder, reproduction.provenance
                )
            )
        )
        for reproduction in reproductions
    ]
    is_everything = all(item.request.is_whole and item.scope.is_full for item in written)
    if is_everything and [item.request.paper.name for item in written] == list(PAPERS):
        path = os.path.join(folder, overview.NAME)
        Path(path).write_text(overview.overview_of(written), encoding="utf-8")
        written[-1] = written[-1]._replace(paths=(*written[-1].paths, path))
    return written


def recall(papers: Iterable[str], results: str | os.PathLike[str]) -> list[Reproduction]:
    """Return papers as the results file of a full run has them, measured by whatever versions and machine.

    `results` may be a folder with a file for each paper. Raise `InputError` if a number is missing.
    """
    reproductions = []
    for request in find_items(papers):
        file = Recorded(results_path(results, request) if os.path.isdir(results) else os.fspath(results))
        recorded: dict[Measurement, Estimate] = {}
        estimates = {cell.measurement: _recall(cell.measurement, file, recorded) for cell in cells_of([request])}
        items = tuple(judge(item, estimates) for item in request.items)
        provenance = file.provenance_of(recorded)
        reproductions.append(Reproduction(request, items, (), provenance))
    return reproductions


# -- papers by name ----------------------------------------------------------------------------------------------------


def find_paper(name: str) -> Paper:
    """Return the paper with this name, or raise `InputError`."""
    if name not in PAPERS:
        raise InputError(f"There is no paper {name!r}; use {', '.join(PAPERS)}, or an item, such as ocfs:table2.")
    paper: Paper = import_module(f"{__package__}.papers.{name}").PAPER
    return paper


def find_items(names: Iterable[str]) -> list[PaperRequest]:
    """Return the items with these names, such as "ocfs" or "ocfs:table2"; those of one paper together, in its order."""
    item_names: dict[str, list[str]] = {}
    for name in names:
        paper, _, item = name.partition(":")
        item_names.setdefault(paper, []).append(item)
    return [_request(find_paper(paper), items) for paper, items in item_names.items()]


def _request(paper: Paper, names: list[str]) -> PaperRequest:
    """Return the named items; an empty name stands for all."""
    known = [item.name for item in paper]
    for name in names:
        if name and name not in known:
            options = ", ".join(f"{paper.name}:{item}" for item in known)
            raise InputError(f"{paper.name} has no item {name!r}; use {paper.name}, or one of {options}.")
    items: list[Item] = [item for item in paper if "" in names or item.name in names]
    return PaperRequest(paper, items)


# -- measuring ---------------------------------------------------------------------------------------------------------


def cells_of(requests: Iterable[PaperRequest]) -> list[Cell]:
    """Return the cells of all items."""
    return [cell for request in requests for item in request.items for cell in item.all_cells]


def basic_measurements(requests: Iterable[PaperRequest]) -> list[Measurement]:
    """Return the measurements of the items, with the parts of derived ones, such as means, in their place."""
    return list(dict.fromkeys(part for cell in cells_of(requests) for part in _parts(cell.measurement)))


def measure(
    requests: Sequence[PaperRequest], scope: Scope, results: str | None, progress: Progress
) -> tuple[dict[Measurement, Estimate], list[Provenance]]:
    """Return the estimate of each measurement of the items, and for each paper what it was measured with.

    Numbers that are in the results file are not measured again.
    """
    measurements = list(dict.fromkeys(cell.measurement for cell in cells_of(requests)))
    basic = basic_measurements(requests)
    estimates: dict[Measurement, Estimate] = {}
    with open_results(results, scope) as file:
        for measurement in basic:
            if (known := file.find(measurement)) is not None:
                estimates[measurement] = known

        def report_step(step: str) -> None:
            """Report the step, and how many numbers are known."""
            progress(step, len(estimates), len(basic))

        with _without_warnings_about_few_documents(scope):
            missing = [measurement for measurement in basic if measurement not in estimates]
            for measurement, estimate in measure_kinds(missing, scope, report_step):
                estimates[measurement] = estimate
                file.add(measurement, estimate)
        provenances = [file.provenance_of(basic_measurements([request])) for request in requests]
    return estimates | {measurement: _derive(measurement, estimates) for measurement in measurements}, provenances


def _parts(measurement: Measurement) -> tuple[Measurement, ...]:
    """Return the measurements from which one is derived, directly or indirectly, or the measurement itself."""
    if not isinstance(measurement, Derived):
        return (measurement,)
    return tuple(part_of_part for part in measurement.parts for part_of_part in _parts(part))


def _derive(measurement: Measurement, estimates: dict[Measurement, Estimate]) -> Estimate:
    """Return the estimate of a measurement, computed from those of its parts if it is derived."""
    if not isinstance(measurement, Derived):
        return estimates[measurement]
    return measurement.derive([_derive(part, estimates) for part in measurement.parts])


@contextmanager
def _without_warnings_about_few_documents(scope: Scope) -> Iterator[None]:
    """Ignore warnings in a quick run, where classes are expected to have few documents."""
    with warnings.catch_warnings():
        if not scope.is_full:
            warnings.simplefilter("ignore", UserWarning)
        yield
