"""Small collections for the tests of the command line, whose classes differ in a few words."""

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

from click.testing import Result

SUBJECTS = {
    "sport": ["striker", "goal", "keeper", "penalty", "league"],
    "politics": ["parliament", "budget", "minister", "vote", "debate"],
    "science": ["atom", "theory", "laboratory", "experiment", "proof"],
}


def documents(n_of_each: int = 20) -> list[tuple[str, str]]:
    """Return texts and their labels; each text has two words of its class, and common words."""
    return [
        (f"the {words[number % 5]} and the {words[number * 3 % 5]} number{number % 7}", label)
        for number in range(n_of_each)
        for label, words in SUBJECTS.items()
    ]


def write_csv(path: Path, rows: list[tuple[str, str]]) -> Path:
    """Write a table of texts and labels, and return its path."""
    path.write_text("topic,body\n" + "".join(f"{label},{text}\n" for text, label in rows), encoding="utf-8")
    return path


PLAIN_OPTIONS = ("--analyzer", "word", "--max-size", "none", "--class-weight", "none")
"""Options of `textsieve train` for a model of words with all their coefficients, which is fast to train."""

Run = Callable[..., Result]
Ask = Callable[..., Any]

CORRECTIONS = [
    ("the striker went to parliament", "politics"),
    ("the goal of a theory", "science"),
    ("a vote for the keeper", "sport"),
]
"""Texts that a model may get wrong, and their labels."""


def lines(path: Path, *rows: Any) -> Path:
    """Write JSON lines as the service does, and return the path; a row is an object, or a text and its label."""
    made = [
        row
        if isinstance(row, dict)
        else {
            "text": row[0],
            "label": row[1],
            "predicted": "sport",
            "model": "x",
            "time": f"2026-11-16T14:00:0{at}+00:00",
        }
        for at, row in enumerate(rows)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in made), encoding="utf-8")
    return path


def withdrawal(text: str, *, multilabel: bool = False) -> dict[str, Any]:
    """Return the line by which the service withdraws the corrections of a text."""
    label = {"labels" if multilabel else "label": None}
    of_service = {"predicted": "sport", "model": "x", "time": "2026-11-16T15:00:00+00:00"}
    return {"text": text, **label, **of_service, "withdrawn": True}


def command_in(printed: str) -> list[str]:
    """Return the arguments of the only `textsieve train` command in a printed text."""
    (line,) = [line for line in printed.splitlines() if line.startswith("textsieve train ")]
    return shlex.split(line)[1:]
