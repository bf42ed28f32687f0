"""One page about all papers: findings, counts of verdicts, and each claim with what was measured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from .claim_texts import HOW_TO_READ_CLAIMS, measured_text, verdict_text
from .findings import FINDINGS
from .judging import JudgedItem
from .pages import Table, heading, markdown, numbers_of, paragraphs
from .paper import Verdict
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

INTRODUCTION = """
What five papers on term selection and text classification claim, what textsieve measures on the same or similar
collections, and whether the two agree. This page lets you see at a glance which claims you can rely on; each paper has
a page of its own with all tables, other preparations and explanations. [How the studies work](../studies.md) has the
limits within which a number agrees or comes close, and the command that measures everything again:

```
python -m studies ocfs testors tofa tcfp subspace -o docs/research/papers --results studies/results
```

RCV1 (LYRL2004) and the dump of the Open Directory are not available. Small substitutes stand in for them, and each page
says what they can't show.
"""
HOW_TO_READ_COUNTS = """
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
        paragraphs(HOW_TO_READ_CLAIMS),
        paragraphs(HOW_TO_READ_COUNTS),
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
