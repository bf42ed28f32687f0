"""Fixtures for the tests of studies."""

import pytest


@pytest.fixture(autouse=True)
def no_warm_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the warm-up of `compare`, which matters only for seconds, and takes a third of a quick run."""
    monkeypatch.setattr("textsieve.comparison.running.warm_up", lambda *_: None)
