"""One page about all papers: findings, counts of verdicts, and each claim with what was measured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from .findings import FINDINGS
from .judging import JudgedClaim, JudgedItem
from .pages import (
    NOTHING,
    Table,
    column_text,
    heading,
    lead_text,
    markdown,
    numbers_of,
    paragraphs,
    verdict_text,
)
from .paper import Claim, Column, Item, Verdict
from .sentences import Named, fill_in

if TYPE_CHECKING:
    from .reproduction import Reproduction

NAME = "README.md"
WORDS: Mapping[str, tuple[str, str]] = {
    "agrees": ("agrees", "agree"),
    "close": ("comes close", "come close"),
    "differs": ("differs", "differ"),
}
"""Verdicts on one number, and on several."""
VERDICTS: tuple[Verdict, ...] = ("agrees", "close", "differs")
FIRST_COMMIT = "5e7c497f"
FIRST_COUNTS: Mapping[str, tuple[int, int, int]] = {
    "ocfs": (7, 6, 14),
    "testors": (15, 9, 16),
    "tofa": (10, 7, 33),
    "tcfp": (22, 9, 12),
    "subspace": (14, 3, 7),
}
"""How many numbers and claims agreed, came close and differed on the pages of `FIRST_COMMIT`."""

MOST_COLUMNS = 3
"""The largest number of columns that are all named; of more, the first and the last are."""

INTRODUCTION = """
What five papers on term selection and text classification claim, what textsieve measures on the same or similar
collections, and whether the two agree. This page lets you see at a glance which claims you can rely on; each paper has
a page of its own with all tables, other preparations and explanations. [studies.md](../studies.md) has the limits
within which a number agrees or comes close, and the command that measures everything again:

```
python -m studies ocfs testors tofa tcfp subspace -o docs/research/papers --results studies/results
```

RCV1 (LYRL2004) and the dump of the Open Directory are not available. Small substitutes stand in for them, and each page
says what they can't show.
"""
HOW_TO_READ = """
A claim says that one row of a table or figure is better than another, or larger, or a multiple of it. For example, "A
against B: +0.020 (paper: +0.050), higher in 3 of 4" says that the number of A is higher by 0.020 than that of B, on
average over the four columns of the table, or points of the figure, that the claim is about; that it is higher in three
of them; and that the paper has a difference of 0.050. "1.50 times" is the number of A divided by that of B, and "+18 %"
how much larger it is in percent.

Some claims say that a difference is larger in some columns than in others, such as with few terms. Then both mean
differences are given, and in how many of the former columns the difference is larger than the latter mean.

"18 numbers of the paper" are those of a table; the last column counts how many of ours agree with them.
"""
COUNTS = f"""
Numbers and claims that agree, come close and differ: on the pages of commit {FIRST_COMMIT}, and now. The papers have
more judged claims now, because some of theirs had no experiment. The limits are the same.
"""


def overview_of(reproductions: Sequence[Reproduction]) -> str:
    """Return the text of the page."""
    lookup = {
        f"{reproduction.request.paper.name} {judged.item.name}: {name}": named
        for reproduction in reproductions
        for judged in reproduction.items
        for name, named in numbers_of(judged).items()
    }
    parts = [
        "# Five papers, measured again",
        *(paragraph.strip() for paragraph in INTRODUCTION.strip().split("\n\n")),
        "## The most interesting findings",
        *findings_of(lookup),
        "## How many figures agree",
        paragraphs(COUNTS),
        markdown(counts_of(reproductions)),
        "## How to read the tables",
        paragraphs(HOW_TO_READ),
    ]
    for reproduction in reproductions:
        paper = reproduction.request.paper
        parts += [
            f"## {paper.title}",
            f"[All tables]({paper.name}.md). {reproduction.provenance.in_words}",
            markdown(_claims_of(reproduction), aligned_right=False),
        ]
    return "\n\n".join(parts) + "\n"


def findings_of(lookup: Mapping[str, Named]) -> list[str]:
    """Return the findings as numbered paragraphs."""
    return [f"{number}. {paragraphs(fill_in(text, lookup.__getitem__))}" for number, text in enumerate(FINDINGS, 1)]


def counts_of(reproductions: Sequence[Reproduction]) -> Table:
    """Return the counts of verdicts by paper, before and now."""
    head = ["", *(f"{verdict}, before" for verdict in VERDICTS), *(f"{verdict}, now" for verdict in VERDICTS)]
    rows = []
    for reproduction in reproductions:
        name = reproduction.request.paper.name
        now = total_of(reproduction.items)
        rows.append([name, *map(str, FIRST_COUNTS[name]), *(str(now[verdict]) for verdict in VERDICTS)])
    sums = [str(sum(int(row[column]) for row in rows)) for column in range(1, len(head))]
    return [head, *rows, ["all", *sums]]


def total_of(items: Sequence[JudgedItem]) -> Counter[str]:
    """Return how many numbers and claims of some items have each verdict."""
    return sum((judged.verdicts for judged in items), Counter())


def _claims_of(reproduction: Reproduction) -> Table:
    """Return each claim of a paper, and the numbers of each of its tables together."""
    rows: list[list[str]] = []
    for judged in reproduction.items:
        item_name = heading(judged.item.name)
        numbers = Counter(cell.verdict for cell in judged.cells if cell.verdict is not None)
        if numbers:
            n = sum(numbers.values())
            noun = "number" if n == 1 else "numbers"
            told = ", ".join(
                f"{numbers[verdict]} {WORDS[verdict][numbers[verdict] > 1]}" for verdict in VERDICTS if numbers[verdict]
            )
            rows.append([f"{item_name}: {judged.item.title}", f"{n} {noun} of the paper", told])
        rows += [
            [
                f"{item_name}: {claim.claim.text}",
                measured_text(claim, judged.item),
                verdict_text(claim),
            ]
            for claim in judged.claims
            if claim.is_counted
        ]
    return [["claim", "measured", "verdict"], *rows]


def measured_text(judged: JudgedClaim, item: Item) -> str:
    """Return what was measured for a claim, in the words that `HOW_TO_READ` explains."""
    claim = judged.claim
    if judged.value is None:
        return NOTHING
    first, second = _compared_names(claim, item)
    texts = [f"{first} against {second}: {lead_text(claim, judged.value, item.unit)}"]
    if judged.elsewhere is not None:
        texts[0] += f" at {_columns_text(item, claim.columns)}" if claim.columns else ""
        columns = _columns_text(item, judged.elsewhere_columns)
        texts.append(f"and {lead_text(claim, judged.elsewhere, item.unit)} at {columns}")
    if claim.by is not None:
        texts[-1] += f" (paper: {lead_text(claim, claim.by, item.unit)})"
    if judged.of > 1:
        comparison = "higher" if judged.elsewhere is None else "a larger difference"
        texts.append(f"{comparison} in {judged.ahead} of {judged.of}")
    return ", ".join(texts)


def _compared_names(claim: Claim, item: Item) -> tuple[str, str]:
    """Return the names of the two rows that a claim compares; those of one row are told apart by their columns."""
    if claim.row != claim.than or claim.than_column is None:
        return claim.row, str(claim.than)
    return (
        f"{claim.row} at {_columns_text(item, claim.columns)}",
        f"{claim.than} at {_columns_text(item, (claim.than_column,))}",
    )


def _columns_text(item: Item, columns: Sequence[Column]) -> str:
    """Return the titles of columns of a table, with what they stand for if they are numbers."""
    titles = [column_text(column) for column in columns]
    listed = ", ".join(titles) if len(titles) <= MOST_COLUMNS else f"{titles[0]} to {titles[-1]}"
    return listed if any(isinstance(column, str) for column in columns) else f"{item.columns} {listed}"
