"""Reproduce tables and figures of papers: `python -m studies ocfs:table2`."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from importlib import import_module
from typing import Any

import click

from textsieve import InputError

from .pages import page_of
from .reproduction import FULL, PAPERS, QUICK, Reproduction, find_items, recall, reproduce, write_pages

EXAMPLES = """\b
Examples:
  python -m studies ocfs:table2
  python -m studies subspace --quick
  python -m studies ocfs testors tofa tcfp subspace -o docs/research/papers
"""


def list_items(_: click.Context, __: click.Parameter, is_requested: bool) -> None:
    """Print all papers with their tables and figures, and exit."""
    if is_requested:
        for request in find_items(PAPERS):
            click.echo(f"{request.paper.name}: {request.paper.title}")
            for item in request.items:
                click.echo(f"  {f'{request.paper.name}:{item.name}':18} {item.title}")
        raise click.exceptions.Exit


@click.command(epilog=EXAMPLES, context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("papers", metavar="PAPER...", nargs=-1, required=True)
@click.option(
    "--list",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=list_items,
    help="List the papers with their tables and figures.",
)
@click.option("--quick", is_flag=True, help="Measure one fold of every twentieth document, for a first look.")
@click.option(
    *("-o", "--output"),
    type=click.Path(file_okay=False),
    default="papers",
    show_default=True,
    metavar="FOLDER",
    help="Write a page for each paper, and its figures, to this folder.",
)
@click.option(
    "--results",
    type=click.Path(),
    metavar="FILE",
    help="Append each number to this file, or to one for each paper in this folder, as soon as it is measured. A "
    "second run measures only what is missing.  [default: studies.jsonl, or studies-quick.jsonl, in FOLDER]",
)
@click.option(
    "--jobs", type=click.IntRange(min=-1), default=-1, metavar="N", help="Threads; -1, the default, is all cores."
)
@click.option(
    "--recorded",
    is_flag=True,
    help="Measure nothing: write the pages of the numbers in the results file, whatever machine and versions they are "
    "of.",
)
@click.option("--json", "wants_json", is_flag=True, help="Print one JSON document instead of the pages.")
def command(
    papers: tuple[str, ...],
    quick: bool,
    output: str,
    results: str | None,
    jobs: int,
    recorded: bool,
    wants_json: bool,
) -> None:
    """Measure the numbers of papers again, and show which agree, come close, or differ.

    PAPER is ocfs, testors, tofa, tcfp or subspace, or a table or figure of one, such as ocfs:table2. Their corpora must
    be installed: see textsieve corpora. A whole paper can take half an hour; an interrupted run can be resumed.
    """
    if results == "-":
        raise click.UsageError("--results - is standard output, and results are stored in a file; name one.")
    try:
        requests = find_items(papers)
    except InputError as problem:
        fail(problem, 2)
    try:
        if any(item.is_figure for request in requests for item in request.items):
            import_module("textsieve.plots")  # raises if a package for drawing is missing
        os.makedirs(output, exist_ok=True)
        path = results or os.path.join(output, "studies-quick.jsonl" if quick else "studies.jsonl")
        scope = replace(QUICK if quick else FULL, n_jobs=jobs)
        if recorded:
            reproduced = write_pages(recall(papers, path), output)
        else:
            reproduced = reproduce(papers, output=output, results=path, scope=scope, progress=Progress().report)
    except KeyboardInterrupt:
        click.echo(f"interrupted: results are in {path}; run the same command again to resume.", err=True)
        raise click.exceptions.Exit(130) from None
    except (InputError, OSError) as problem:
        fail(problem, 1)
    show(reproduced, wants_json)


def fail(problem: Exception, exit_code: int) -> None:
    """Print an error as one line and exit."""
    click.echo(f"error: {' '.join(str(problem).split())}", err=True)
    raise click.exceptions.Exit(exit_code) from problem


class Progress:
    """Prints a line to standard error when another step begins."""

    def __init__(self) -> None:
        self._step = ""

    def report(self, step: str, done: int, total: int | None) -> None:
        """Print the step and how many numbers are measured."""
        if step != self._step:
            self._step = step
            click.echo(f"{done:,} of {total or 0:,} numbers; {step}", err=True)


def show(reproduced: list[Reproduction], wants_json: bool) -> None:
    """Print the pages, or one JSON document."""
    if wants_json:
        click.echo(json.dumps([as_dict(paper) for paper in reproduced], indent=2))
        return
    for paper in reproduced:
        click.echo(align_tables(page_of(paper.request, paper.items, paper.scope, paper.provenance)))
        click.echo(f"Written: {', '.join(paper.paths)}")


def align_tables(page: str) -> str:
    """Return a Markdown page with the columns of its tables aligned."""
    return re.sub(r"(?m)(^\|.*\n?)+", lambda match: _align(match[0]), page)


def _align(table: str) -> str:
    """Pad the cells of a Markdown table: the first column is left-aligned, the others are right-aligned."""
    rows = [line[2:-2].split(" | ") for line in table.splitlines()]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    rows[1] = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    lines = [[row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])] for row in rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def as_dict(reproduction: Reproduction) -> dict[str, Any]:
    """Return a reproduction as JSON values."""
    return {
        "paper": reproduction.request.paper.name,
        "is_part": not reproduction.scope.is_full,
        "measured": reproduction.scope.in_words,
        "items": [
            {
                "item": judged.item.name,
                "unit": judged.item.unit.name,
                "numbers": [
                    {
                        "row": judged_cell.cell.row,
                        "column": judged_cell.cell.column,
                        "unit": (judged_cell.cell.unit or judged.item.unit).name,
                        "printed": judged_cell.cell.printed,
                        **judged_cell.estimate._asdict(),
                        "verdict": judged_cell.verdict,
                        "measurement": judged_cell.cell.measurement.key,
                    }
                    for judged_cell in judged.all_cells
                ],
                "claims": [
                    {
                        "text": judged_claim.claim.text,
                        "value": judged_claim.value,
                        "elsewhere": judged_claim.elsewhere,
                        "ahead": judged_claim.ahead,
                        "of": judged_claim.of,
                        "verdict": judged_claim.verdict,
                        "is_counted": judged_claim.is_counted,
                    }
                    for judged_claim in judged.claims
                ],
            }
            for judged in reproduction.items
        ],
        "files": list(reproduction.paths),
    }


if __name__ == "__main__":
    command(prog_name="python -m studies")
