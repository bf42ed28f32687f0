"""Free memory is checked before a large package is imported."""

import os

import pytest

from textsieve import memory


@pytest.fixture
def room_checks(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, str]]:
    """Return the calls of `check_room`, on a machine of 128 processors of which 8 may be used."""
    calls: list[tuple[int, str]] = []
    monkeypatch.setattr(memory, "check_room", lambda megabytes, what: calls.append((megabytes, what)))
    monkeypatch.setattr(os, "cpu_count", lambda: 128)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)
    return calls


def test_room_is_checked_for_the_processors_that_may_be_used(room_checks: list[tuple[int, str]]) -> None:
    assert memory.CheckRoomBeforeImport().find_spec("numpy", None) is None
    assert room_checks == [(80 + 8 * 45, "numpy")]


@pytest.mark.parametrize(("value", "threads"), [("1", 1), ("4", 4), ("900", 8), ("0", 8), ("many", 8), ("", 8)])
def test_a_variable_can_limit_the_threads(
    value: str, threads: int, room_checks: list[tuple[int, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", value)
    memory.CheckRoomBeforeImport().find_spec("scipy", None)
    assert room_checks == [(100 + threads * 45, "scipy")]


def test_small_packages_are_not_checked(room_checks: list[tuple[int, str]]) -> None:
    memory.CheckRoomBeforeImport().find_spec("json", None)
    assert room_checks == []
