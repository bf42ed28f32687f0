"""Small models of every kind of label, and a service of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.serve.servers import Server, started_server
from textsieve import Categorizer

TEXTS = [
    "the striker scored a late goal and the team won the game",
    "a goal in the last minute of the match for the home team",
    "rates fell as the bank cut interest and stocks rose",
    "the bank raised interest rates and shares of the bank fell",
    "rain and wind will reach the coast by night",
    "sun and a light wind are forecast for the coast",
] * 3
LABELS = ["sport", "sport", "money", "money", "weather", "weather"] * 3
SEVERAL = [
    ["sport"],
    ["sport", "home"],
    ["money"],
    ["money", "home"],
    ["weather"],
    ["weather", "home"],
] * 3
KINDS: dict[str, tuple[dict[str, Any], list[Any]]] = {
    "one": ({"classifier": "svm"}, LABELS),
    "probable": ({"classifier": "nb", "probabilities": "sigmoid", "folds": 2}, LABELS),
    "several": ({"classifier": "nb", "folds": 2}, SEVERAL),
    "numbers": ({"classifier": "rocchio"}, [{"sport": 1, "money": 2, "weather": 3}[label] for label in LABELS]),
    "votes": ({"classifier": "tcfp"}, LABELS),
}
"""Settings and labels of each model."""


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A file of each kind."""
    folder = tmp_path_factory.mktemp("models")
    found = {}
    for name, (settings, labels) in KINDS.items():
        found[name] = folder / f"{name}.sieve"
        Categorizer(n_terms="all", ngram_range=(1, 2), **settings).fit(TEXTS, labels).save(found[name])
    return found


@pytest.fixture(scope="session")
def service(models: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Server]]:
    """A service of a model by its kind, started when it is first asked for."""
    started: dict[str, Server] = {}
    with ExitStack() as stack:

        def of(kind: str) -> Server:
            if kind not in started:
                folder = tmp_path_factory.mktemp(f"serving-{kind}")
                started[kind] = stack.enter_context(started_server(models[kind], folder))
            return started[kind]

        yield of
