"""Many clients at once: each gets its own answer, also while the model is swapped, and the memory stays what it is."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.serve.asking import mixed, predicting
from tests.serve.crowd import Clients, Running, asked, serving, swapping
from tests.serve.kinds import TEXTS
from textsieve.modelfile import read
from textsieve.prediction import Model

N_CLIENTS = 50
SECONDS = 3.0
N_REQUESTS = 20_000
GROWTH = 16 << 20
"""Bytes; what a few thousand requests leave to the allocator is far less, a kilobyte leaked by each is more."""


def short_texts(n: int) -> list[str]:
    """Different ones, of the words of the training texts and of others."""
    words = [*" ".join(TEXTS).split(), "zebra", "ünknown", "🎸"]
    chance = random.Random(0)
    return [" ".join(chance.choices(words, k=chance.randrange(1, 20))) for _ in range(n)]


@pytest.fixture(scope="module")
def model(models: dict[str, Path]) -> Model:
    return read(models["one"])


@pytest.fixture
def server(models: dict[str, Path]) -> Iterator[Running]:
    with serving(models["one"]) as found:
        yield found


@pytest.mark.slow
def test_every_client_gets_its_own_answer(server: Running, model: Model) -> None:
    found = asked(server, N_CLIENTS, SECONDS, [predicting([text], model) for text in short_texts(500)])
    assert (found["wrong"], found["lost"], found["first_wrong"]) == (0, 0, "")
    assert found["answers"] > N_CLIENTS


@pytest.mark.slow
def test_also_beside_long_batches(server: Running, model: Model) -> None:
    batch = predicting([" ".join(short_texts(20)) for _ in range(1_000)], model)
    long = Clients(server, 2, SECONDS, [batch])
    found = asked(server, N_CLIENTS, SECONDS, [predicting([text], model) for text in short_texts(500)])
    beside = long.outcome()
    assert (found["wrong"], found["lost"], found["first_wrong"]) == (0, 0, "")
    assert (beside["wrong"], beside["lost"], beside["first_wrong"]) == (0, 0, "")
    assert found["answers"] > N_CLIENTS
    assert beside["answers"] > 1


@pytest.mark.slow
def test_a_swap_of_the_model_loses_none(models: dict[str, Path], tmp_path: Path) -> None:
    """And each answer is that of one of the two models."""
    current, files = tmp_path / "current.sieve", [models["votes"], models["one"]]
    shutil.copyfile(files[1], current)
    one, other = map(read, files)
    requests = [predicting([text], one, other) for text in short_texts(500)]
    assert all(len({*bodies}) == 2 for _, _, bodies in requests if bodies is not None)
    with serving(current) as server, swapping(server.pid, current, files) as times:
        found = asked(server, N_CLIENTS, 2 * SECONDS, requests)
    assert times[0] >= 2
    assert (found["wrong"], found["lost"], found["first_wrong"]) == (0, 0, "")


@pytest.mark.slow
def test_memory_stays_what_it_is(server: Running, models: dict[str, Path]) -> None:
    requests = mixed(models["one"], short_texts(400))
    n_answers = asked(server, N_CLIENTS, SECONDS, requests)["answers"]
    before = server.resident
    while n_answers < N_REQUESTS:
        found = asked(server, N_CLIENTS, SECONDS, requests)
        assert (found["wrong"], found["lost"], found["first_wrong"]) == (0, 0, "")
        n_answers += found["answers"]
    assert server.resident - before < GROWTH
