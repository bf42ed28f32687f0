"""`textsieve reproduce`: print the papers' published numbers beside those measured here."""

import os
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from . import options

if TYPE_CHECKING:
    from ..papers.reproducing import Reproduced


@click.command(
    epilog=options.examples(
        "textsieve reproduce ocfs:table2",
        "textsieve reproduce subspace --quick",
        "textsieve reproduce ocfs testors tofa tcfp subspace -o docs/papers",
    )
)
@click.argument("papers", metavar="PAPER...", nargs=-1, required=True)
@click.option("--quick", is_flag=True, help="Of a part of the documents, and one fold: for a first look.")
@click.option(
    *("-o", "--output"),
    type=click.Path(file_okay=False),
    default="papers",
    show_default=True,
    metavar="FOLDER",
    help="Gets a page for each paper, and its figures.",
)
@click.option(
    "--results",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Gets each number as soon as it is measured; the same command goes on with what it has.  "
    "[default: reproduce.jsonl, or reproduce-quick.jsonl, in FOLDER]",
)
@options.jobs
@options.json_wanted
def command(
    papers: tuple[str, ...], quick: bool, output: str, results: str | None, jobs: int, wants_json: bool
) -> None:
    """Measure again what the papers printed, and say where it agrees, comes close, or differs.

    PAPER is ocfs, testors, tofa, tcfp or subspace, or a table or figure of one: ocfs:table2. Their corpora have to be
    here: textsieve corpora. All of a paper can take half an hour; a run that was interrupted goes on where it was.
    """
    from ..papers import QUICK, Scope, reproduce
    from ..papers.named import asked_for
    from .ending import say, usage
    from .opening import STDIO, refuse_to_lose
    from .progress import progress

    if results == STDIO:
        raise click.UsageError("--results - is standard output, and results are kept in a file; give the name of one.")
    with usage():
        requests = asked_for(papers)
    if any(item.is_figure for request in requests for item in request.items):
        import_module("textsieve.plots")  # raises if a package for drawing is missing
    os.makedirs(output, exist_ok=True)
    results_file = results or os.path.join(output, "reproduce-quick.jsonl" if quick else "reproduce.jsonl")
    refuse_to_lose(results_file, what="a list of results")
    scope = replace(QUICK if quick else Scope(), n_jobs=jobs)
    with progress() as tell:
        try:
            reproduced = reproduce(papers, output=output, results=results_file, scope=scope, progress=tell)
        except KeyboardInterrupt:
            say("interrupted", f"the same command goes on where it was; what it has is in {results_file}.")
            raise
    _report(reproduced, wants_json)


def _report(reproduced: list["Reproduced"], wants_json: bool) -> None:
    from .json_output import print_json

    if wants_json:
        print_json([_as_dict(paper) for paper in reproduced])
        return
    from .output import Page
    from .reproduce_tables import show

    page = Page()
    for paper in reproduced:
        show(page, paper)


def _as_dict(reproduced: "Reproduced") -> dict[str, Any]:
    return {
        "paper": reproduced.asked.paper.name,
        "is_part": not reproduced.scope.is_full,
        "measured": reproduced.scope.in_words,
        "items": [
            {
                "item": outcome.item.name,
                "unit": outcome.item.unit.name,
                "numbers": [
                    {
                        "row": number.condition.row,
                        "column": number.condition.column,
                        "unit": (number.condition.unit or outcome.item.unit).name,
                        "printed": number.condition.printed,
                        **number.measured._asdict(),
                        "verdict": number.verdict,
                        "what": number.condition.what.key,
                    }
                    for number in (*outcome.numbers, *outcome.trials)
                ],
                "claims": [
                    {
                        "text": claim.claim.text,
                        "value": claim.value,
                        "elsewhere": claim.elsewhere,
                        "ahead": claim.ahead,
                        "of": claim.of,
                        "verdict": claim.verdict,
                        "is_counted": claim.is_counted,
                    }
                    for claim in outcome.claims
                ],
            }
            for outcome in reproduced.outcomes
        ],
        "files": list(reproduced.paths),
    }
