"""`textsieve compare --report`, also for an existing file of results, without the documents."""

import os
from typing import TYPE_CHECKING

import click

from ..errors import InputError

if TYPE_CHECKING:
    from ..comparison import Comparison

ABOUT_SHOWING = ("path", "report", "wants_json")
"""The parameters that may be given with a file of results, when nothing is measured."""


def check(report: str | None, results: str, *inputs: str) -> None:
    """Raise `InputError`, before any work is done, if the report can't be drawn or written.

    It must not replace an input or the file of results.
    """
    if report is None:
        return
    from ..report import check_report
    from .opening import refuse_to_lose

    check_report(report, what="--report")
    refuse_to_lose(report, *inputs, what="a report", option="--report")
    if os.path.realpath(report) == os.path.realpath(results):
        raise InputError(f"{report}: the results are kept there; give the report another name.")


def write(found: "Comparison", report: str | None) -> None:
    """Write the HTML report, unless `report` is None."""
    if report is not None:
        from ..report import write_report

        write_report(found, report)


def measured_before(path: str) -> "Comparison":
    """Read the comparison in a file of results; raise `UsageError` if options for measuring are given."""
    from ..comparison import read_comparison

    context = click.get_current_context()
    for parameter in context.command.params:
        is_given = context.get_parameter_source(str(parameter.name)) is not click.core.ParameterSource.DEFAULT
        if is_given and parameter.name not in ABOUT_SHOWING:
            raise click.UsageError(
                f"{path} holds results, which are only shown: {parameter.opts[-1]} has no meaning for them. To "
                "measure, give the corpus, and the file with --results."
            )
    comparison = read_comparison(path)
    if not comparison.conditions:
        raise InputError(
            f"{path}: no combination was measured on all folds yet; give the command that began it, and it goes on."
        )
    return comparison
