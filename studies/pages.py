"""What a reproduction came to, as a page of Markdown with its figures beside it."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from textsieve.files import replacing

from .conditions import Asked
from .figures import draw, has_picture
from .judging import Outcome
from .measurements import Scope
from .tables import EXPLAINED, claim_text, part_text, problems_of, remark_of, summary_of, tables_of


def write_page(asked: Asked, outcomes: Sequence[Outcome], scope: Scope, folder: str) -> list[str]:
    """Write the page and the figures into a folder; their paths."""
    os.makedirs(folder, exist_ok=True)
    name = "-".join([asked.paper.name, *([] if asked.is_whole else [item.name for item in asked.items])]) + _mark(scope)
    paths = [os.path.join(folder, f"{name}.md")]
    for outcome in outcomes:
        if has_picture(outcome):
            from textsieve.plots import save

            paths.append(os.path.join(folder, figure_name(asked, outcome, scope)))
            save(draw(outcome), paths[-1])
    text = page_of(asked, outcomes, scope)
    with replacing(paths[0]) as file:
        file.write(text.encode())
    return paths


def figure_name(asked: Asked, outcome: Outcome, scope: Scope) -> str:
    """The file of a figure."""
    return f"{asked.paper.name}-{outcome.item.name}{_mark(scope)}.svg"


def _mark(scope: Scope) -> str:
    """What names of a part end in: it never takes the place of the whole."""
    return "" if scope.is_full else "-part"


def page_of(asked: Asked, outcomes: Sequence[Outcome], scope: Scope) -> str:
    """The text of the page."""
    paper = asked.paper
    parts = [
        f"# {paper.title}, reproduced",
        f"Written by `python -m studies {' '.join(_names(asked))}`. {EXPLAINED} ± is half of the 95 % interval over "
        "folds or repetitions.",
        part_text(paper, scope).replace("A part only", "**A part only**"),
        _paragraphs(paper.setting),
        *([_markdown(summary_of(outcomes))] if len(outcomes) > 1 else []),
    ]
    for outcome in outcomes:
        parts += _sections(asked, outcome, scope)
    return "\n\n".join(part for part in parts if part) + "\n"


def _names(asked: Asked) -> list[str]:
    return [asked.paper.name] if asked.is_whole else [f"{asked.paper.name}:{item.name}" for item in asked.items]


def _sections(asked: Asked, outcome: Outcome, scope: Scope) -> list[str]:
    item, tables = outcome.item, tables_of(outcome)
    return [
        f"## {heading(item.name)}: {item.title}",
        _paragraphs(item.stands_in),
        _markdown(tables[0]),
        f"![{item.title}]({figure_name(asked, outcome, scope)})" if has_picture(outcome) else "",
        *(["Other preparations:", _markdown(tables[1])] if item.trials else []),
        "\n".join(f"- {claim_text(each, item.unit)}" for each in outcome.claims),
        "\n".join(f"- {problem}" for problem in problems_of(outcome)),
        _paragraphs(remark_of(outcome, scope)),
    ]


def heading(name: str) -> str:
    """Of "table2", "Table 2"."""
    return re.sub(r"(?<=[a-z])(?=\d)", " ", name).capitalize()


def _paragraphs(text: str) -> str:
    """Sentences of the source, on lines of their own length."""
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))


def _markdown(table: Sequence[Sequence[str]]) -> str:
    head, *body = table
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join(
        f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in (head, rule, *body)
    )
