"""The output of `textsieve reproduce` as tables for people."""

from typing import TYPE_CHECKING

from ..papers.pages import heading
from ..papers.tables import EXPLAINED, claim_text, part_text, problems_of, remark_of, summary_of, tables_of
from .output import Column, Page, numbers

if TYPE_CHECKING:
    from ..papers.reproducing import Reproduced


def show(page: Page, found: "Reproduced") -> None:
    """Print each item, then how many numbers agree."""
    page.line(f"{found.asked.paper.title}. {EXPLAINED}")
    _say_part(page, found)
    for outcome in found.outcomes:
        item = outcome.item
        titles = (f"{heading(item.name)}: {item.title}", "Other preparations")
        for (head, *body), title in zip(tables_of(outcome), titles, strict=False):
            page.table([Column(head[0]), *numbers(*head[1:])], body, title=title)
        sentences = [claim_text(claim, item.unit) for claim in outcome.claims]
        for sentence in [item.stands_in, *sentences, *problems_of(outcome), remark_of(outcome, found.scope)]:
            if sentence:
                page.line(" ".join(sentence.split()))
    head, *body = summary_of(found.outcomes)
    page.table([Column("item"), *numbers(*head[1:])], body)
    _say_part(page, found)
    if found.paths:
        page.line(f"Written: {', '.join(found.paths)}")


def _say_part(page: Page, reproduced: "Reproduced") -> None:
    """Print a note if the scope is not full, as with --quick. It stands before the tables and after them."""
    if part := part_text(reproduced.asked.paper, reproduced.scope):
        page.line(part)
