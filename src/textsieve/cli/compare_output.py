"""The output of `textsieve compare`: tables for people, JSON, and the HTML report."""

import os

import click

from ..comparison import Comparison, read_comparison
from ..comparison.view import ViewTable
from ..errors import InputError, counted
from .json_output import print_json
from .output import Column, Page

MOST_PAIRS = 30
"""The maximum number of pairs of selectors whose overlap is printed."""
SHOWING_PARAMETERS = ("path", "report", "wants_json")
"""The parameters that may be given with a file of results, when nothing is measured."""


def show(comparison: Comparison, results: str, report: str | None, *, as_json: bool) -> None:
    """Write the report, if there is a name for it, and print JSON or tables."""
    if report is not None:
        from ..report import write_report

        write_report(comparison, report)
    if as_json:
        print_json(comparison.to_dict() | {"results": results} | ({"report": report} if report else {}))
        return
    print_tables(comparison, results)
    if report is not None:
        click.echo(f"The report is in {report}")


def print_tables(comparison: Comparison, results: str) -> None:
    """Print all tables of a comparison; `results` is the name of its file of results."""
    page, view = Page(), comparison.view
    documents, classes, combinations, tested = view.facts
    page.line(f"{view.corpus}: {documents}, {classes}")
    page.line(f"{combinations}, {tested}")
    _print_table(page, view.quality, with_title=False)
    for problem in view.problems:
        page.line(problem)
    _print_table(page, view.cost)
    _print_table(page, view.ranks)
    _print_table(page, view.overlap, most_rows=MOST_PAIRS)
    if len(view.overlap.rows) > MOST_PAIRS:
        page.line(f"and {counted(len(view.overlap.rows) - MOST_PAIRS, 'more pair')}, with --json")
    _print_table(page, view.stability)
    page.line(f"All results are in {results}")


def _print_table(page: Page, table: ViewTable, *, with_title: bool = True, most_rows: int | None = None) -> None:
    if not table.rows:
        return
    columns = [Column(column.title, "number" if column.is_number else "text") for column in table.columns]
    rows = [[cell.text for cell in row.cells] for row in table.rows[:most_rows]]
    page.table(columns, rows, title=table.title if with_title else None)
    if table.note:
        page.line(table.note)


def check_report(report: str | None, results: str, *inputs: str) -> None:
    """Raise `InputError`, before any work is done, if the report can't be drawn or written.

    It must not replace an input or the file of results.
    """
    if report is None:
        return
    from .. import report as html_report
    from .opening import refuse_to_lose

    html_report.check_report(report, what="--report")
    refuse_to_lose(report, *inputs, what="a report", option="--report")
    if os.path.realpath(report) == os.path.realpath(results):
        raise InputError("is the file of results", place=report, hint="give the report another name")


def read_measured(path: str) -> Comparison:
    """Return the comparison in a file of results; raise `UsageError` if options for measuring are given."""
    context = click.get_current_context()
    for parameter in context.command.params:
        is_given = context.get_parameter_source(str(parameter.name)) is not click.core.ParameterSource.DEFAULT
        if is_given and parameter.name not in SHOWING_PARAMETERS:
            raise click.UsageError(
                f"{path} has results, which are only shown, so {parameter.opts[-1]} has no meaning. To measure, give "
                "the corpus, and the file with --results."
            )
    comparison = read_comparison(path)
    if not comparison.conditions:
        raise InputError(
            "no combination was measured on all folds yet",
            place=path,
            hint="run the command that started it again, and it continues",
        )
    return comparison
