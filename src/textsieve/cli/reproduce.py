"""`textsieve reproduce`: what the papers printed, beside what is measured here."""

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
        asked = asked_for(papers)
    if any(item.is_figure for each in asked for item in each.items):
        import_module("textsieve.plots")  # which says what is missing, if it is
    os.makedirs(output, exist_ok=True)
    kept = results or os.path.join(output, "reproduce-quick.jsonl" if quick else "reproduce.jsonl")
    refuse_to_lose(kept, what="a list of results")
    scope = replace(QUICK if quick else Scope(), n_jobs=jobs)
    with progress() as tell:
        try:
            found = reproduce(papers, output=output, results=kept, scope=scope, progress=tell)
        except KeyboardInterrupt:
            say("interrupted", f"the same command goes on where it was; what it has is in {kept}.")
            raise
    _report(found, wants_json)


def _report(found: list["Reproduced"], wants_json: bool) -> None:
    from .json_output import print_json

    if wants_json:
        print_json([_as_dict(each) for each in found])
        return
    from .output import Page
    from .reproduce_tables import show

    page = Page()
    for each in found:
        show(page, each)


def _as_dict(found: "Reproduced") -> dict[str, Any]:
    return {
        "paper": found.asked.paper.name,
        "is_part": not found.scope.is_full,
        "measured": found.scope.in_words,
        "items": [
            {
                "item": outcome.item.name,
                "unit": outcome.item.unit.name,
                "numbers": [
                    {
                        "row": each.condition.row,
                        "column": each.condition.column,
                        "unit": (each.condition.unit or outcome.item.unit).name,
                        "printed": each.condition.printed,
                        **each.measured._asdict(),
                        "verdict": each.verdict,
                        "what": each.condition.what.key,
                    }
                    for each in (*outcome.numbers, *outcome.trials)
                ],
                "claims": [
                    {
                        "text": each.claim.text,
                        "value": each.value,
                        "elsewhere": each.elsewhere,
                        "ahead": each.ahead,
                        "of": each.of,
                        "verdict": each.verdict,
                        "is_counted": each.is_counted,
                    }
                    for each in outcome.claims
                ],
            }
            for outcome in found.outcomes
        ],
        "files": list(found.paths),
    }
