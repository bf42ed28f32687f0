"""The papers by name, and their tables and figures: `ocfs`, `ocfs:table2`."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module

from textsieve.errors import InputError, shown

from .conditions import Asked, Item, Paper

PAPERS = ("ocfs", "testors", "tofa", "tcfp", "subspace")
"""Each is a module of this package that has `PAPER`."""


def paper_of(name: str) -> Paper:
    """The paper of a name."""
    if name not in PAPERS:
        raise InputError(f"There is no paper {shown(name)}; use {', '.join(PAPERS)}, or one of its items: ocfs:table2.")
    paper: Paper = import_module(f".{name}", __package__).PAPER
    return paper


def asked_for(names: Iterable[str]) -> list[Asked]:
    """What names stand for; items of one paper come together, in its order."""
    items: dict[str, list[str | None]] = {}
    for name in names:
        paper, _, item = name.partition(":")
        items.setdefault(paper, []).append(item or None)
    return [_asked(paper_of(paper), wanted) for paper, wanted in items.items()]


def _asked(paper: Paper, wanted: list[str | None]) -> Asked:
    known = {item.name: item for item in paper}
    for name in wanted:
        if name is not None and name not in known:
            raise InputError(f"{paper.name} has no {shown(name)}; use {paper.name}, or one of {_listed(paper)}.")
    kept: list[Item] = [item for item in paper if None in wanted or item.name in wanted]
    return Asked(paper, kept)


def _listed(paper: Paper) -> str:
    return ", ".join(f"{paper.name}:{item.name}" for item in paper)
