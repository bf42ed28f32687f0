"""Small collections that are told apart by a handful of words, for the tests of the command line."""

from collections.abc import Callable
from pathlib import Path

from click.testing import Result

SUBJECTS = {
    "sport": ["striker", "goal", "keeper", "penalty", "league"],
    "politics": ["parliament", "budget", "minister", "vote", "debate"],
    "science": ["atom", "theory", "laboratory", "experiment", "proof"],
}


def documents(n_of_each: int = 20) -> list[tuple[str, str]]:
    """Texts and their labels: each has two words of its subject, and what all have."""
    return [
        (f"the {words[number % 5]} and the {words[number * 3 % 5]} number{number % 7}", label)
        for number in range(n_of_each)
        for label, words in SUBJECTS.items()
    ]


def write_csv(path: Path, rows: list[tuple[str, str]]) -> Path:
    """A table of texts and labels."""
    path.write_text("topic,body\n" + "".join(f"{label},{text}\n" for text, label in rows), encoding="utf-8")
    return path


Run = Callable[..., Result]
