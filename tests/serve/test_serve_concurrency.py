"""Many clients at once get their own responses, even while the model is replaced, and memory does not grow."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.serve.expected import mixed_requests, predict_request
from tests.serve.load_clients import Clients, MeasuredServer, measured_server, replacing_model, run_clients
from tests.serve.model_kinds import TEXTS
from textsieve.modelfile import read
from textsieve.prediction import Model

N_CLIENTS = 50
SECONDS = 3.0
N_REQUESTS = 10_000
GROWTH = 8 << 20
"""Bytes; the allocator keeps far less after some thousand requests, a leak of a kilobyte per request is more."""


def short_texts(n: int) -> list[str]:
    """Return `n` texts from words of the training texts and unknown words."""
    words = [*" ".join(TEXTS).split(), "zebra", "ünknown", "🎸"]
    chance = random.Random(0)
    return [" ".join(chance.choices(words, k=chance.randrange(1, 20))) for _ in range(n)]


@pytest.fixture(scope="module")
def model(models: dict[str, Path]) -> Model:
    return read(models["single"])


@pytest.fixture
def server(models: dict[str, Path]) -> Iterator[MeasuredServer]:
    with measured_server(models["single"]) as server:
        yield server


@pytest.mark.slow
def test_every_client_gets_its_own_response(server: MeasuredServer, model: Model) -> None:
    outcome = run_clients(server, N_CLIENTS, SECONDS, [predict_request([text], model) for text in short_texts(500)])
    assert (outcome["wrong"], outcome["lost"], outcome["first_wrong"]) == (0, 0, "")
    assert outcome["responses"] > N_CLIENTS


@pytest.mark.slow
def test_long_batches_do_not_change_other_responses(server: MeasuredServer, model: Model) -> None:
    batch = predict_request([" ".join(short_texts(20)) for _ in range(1_000)], model)
    batch_clients = Clients(server, 2, SECONDS, [batch])
    outcome = run_clients(server, N_CLIENTS, SECONDS, [predict_request([text], model) for text in short_texts(500)])
    batches = batch_clients.outcome()
    assert (outcome["wrong"], outcome["lost"], outcome["first_wrong"]) == (0, 0, "")
    assert (batches["wrong"], batches["lost"], batches["first_wrong"]) == (0, 0, "")
    assert outcome["responses"] > N_CLIENTS
    assert batches["responses"] > 1


@pytest.mark.slow
def test_replacing_the_model_loses_no_request(models: dict[str, Path], tmp_path: Path) -> None:
    """Every response comes from one of the two models."""
    current, files = tmp_path / "current.sieve", [models["votes"], models["single"]]
    shutil.copyfile(files[1], current)
    first, second = map(read, files)
    requests = [predict_request([text], first, second) for text in short_texts(500)]
    assert all(len({*bodies}) == 2 for _, _, bodies in requests if bodies is not None)
    with measured_server(current) as server, replacing_model(server.pid, current, files) as count:
        outcome = run_clients(server, N_CLIENTS, 2 * SECONDS, requests)
    assert count[0] >= 2
    assert (outcome["wrong"], outcome["lost"], outcome["first_wrong"]) == (0, 0, "")


@pytest.mark.slow
def test_memory_does_not_grow(server: MeasuredServer, models: dict[str, Path]) -> None:
    requests = mixed_requests(models["single"], short_texts(400))
    n_responses = run_clients(server, N_CLIENTS, SECONDS, requests)["responses"]
    before = server.memory
    while n_responses < N_REQUESTS:
        outcome = run_clients(server, N_CLIENTS, SECONDS, requests)
        assert (outcome["wrong"], outcome["lost"], outcome["first_wrong"]) == (0, 0, "")
        n_responses += outcome["responses"]
    assert server.memory - before < GROWTH
