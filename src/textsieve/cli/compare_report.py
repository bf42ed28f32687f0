"""`textsieve compare --report`, and reports of results that are there already, without the documents."""

import os
from typing import TYPE_CHECKING

import click

from ..errors import InputError

if TYPE_CHECKING:
    from ..comparison import Comparison

ABOUT_SHOWING = ("path", "report", "wants_json")
"""What can be said when nothing is measured."""


def check(report: str | None, results: str, *inputs: str) -> None:
    """Stop before any work is done if the report could not be made or written, or would replace what is needed."""
    if report is None:
        return
    from ..report import check_report
    from .opening import refuse_to_lose

    check_report(report, what="--report")
    refuse_to_lose(report, *inputs, what="a report", option="--report")
    if os.path.realpath(report) == os.path.realpath(results):
        raise InputError(f"{report}: the results are kept there; give the report another name.")


def write(found: "Comparison", report: str | None) -> None:
    """Make the page, if one is wanted."""
    if report is not None:
        from ..report import write_report

        write_report(found, report)


def measured_before(path: str) -> "Comparison":
    """What is in a file of results; options that are about measuring are refused."""
    from ..comparison import read_comparison

    context = click.get_current_context()
    for parameter in context.command.params:
        given = context.get_parameter_source(str(parameter.name)) is not click.core.ParameterSource.DEFAULT
        if given and parameter.name not in ABOUT_SHOWING:
            raise click.UsageError(
                f"{path} holds results, which are only shown: {parameter.opts[-1]} has no meaning for them. To "
                "measure, give the corpus, and the file with --results."
            )
    found = read_comparison(path)
    if not found.conditions:
        raise InputError(
            f"{path}: no combination was measured on all folds yet; give the command that began it, and it goes on."
        )
    return found
