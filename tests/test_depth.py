"""Which tests run at each depth, and which may be skipped: no test function or value of a parameter is lost."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import combinations, product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.depth import ENOUGH_CASES, MOST_CASES, absent, corpora_folder, every_value, few_cases, need, pairwise

FAILED, SKIPPED = pytest.fail.Exception, pytest.skip.Exception


class Item:
    """A test with the id of each of its parameters, as the functions see it; without ids, it has no `callspec`."""

    def __init__(self, function: str, ids: Iterable[str] | None, mark: str | None) -> None:
        self.function, self.ids = function, tuple(ids or ())
        self.nodeid = function
        self._mark = mark
        if ids is not None:
            self.nodeid += f"[{'-'.join(self.ids)}]"
            self.callspec = SimpleNamespace(_idlist=list(self.ids))

    def get_closest_marker(self, name: str) -> bool:
        return name == self._mark


def cases(*sizes: int, mark: str | None = None) -> list[Any]:
    """Return the tests of a function whose parameters have this many values each."""
    values = [[f"{'abc'[at]}{number}" for number in range(size)] for at, size in enumerate(sizes)]
    name = f"tests/test_x.py::test_{'_'.join(map(str, sizes))}_{mark}"
    return [Item(name, ids, mark) for ids in product(*values)] if sizes else [Item(name, None, mark)]


SIZES = [(), (1,), (5,), (40,), (3, 2), (12, 12), (16, 6, 3)]
MARKS = [None, "pairwise", "every_case"]


def values_of(items: Iterable[Any]) -> set[tuple[str, int, str]]:
    return {(item.function, at, own_id) for item in items for at, own_id in enumerate(item.ids)}


@pytest.mark.every_case
@pytest.mark.parametrize("mark", MARKS)
@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_a_full_run_has_every_value_of_every_parameter(sizes: tuple[int, ...], mark: str | None) -> None:
    items = cases(*sizes, mark=mark)
    selected = every_value(items)
    assert selected, "no function is lost"
    assert selected <= set(items)
    assert values_of(selected) == values_of(items)
    n_crossed = 3 if mark == "pairwise" else 2  # with so many parameters, not every combination is needed
    if mark == "every_case" or len(sizes) < n_crossed or len(items) <= ENOUGH_CASES:
        assert selected == set(items)
    else:
        assert len(selected) < len(items)


@pytest.mark.every_case
@pytest.mark.parametrize("mark", MARKS)
@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_a_quick_run_has_a_few_cases(sizes: tuple[int, ...], mark: str | None) -> None:
    items = cases(*sizes, mark=mark)
    selected = few_cases(items)
    assert selected, "no function is lost"
    if mark == "every_case" or len(sizes) < 2:
        assert len(selected) == (len(items) if mark == "every_case" else min(len(items), MOST_CASES))
    else:
        assert 1 < len(selected) <= MOST_CASES
    if all(size <= 2 for size in sizes):
        assert values_of(selected) == values_of(items)


@pytest.mark.every_case
@pytest.mark.parametrize("select", [few_cases, every_value])
def test_functions_are_selected_by_themselves(select: Callable[[Iterable[Any]], set[Any]]) -> None:
    by_function = [cases(*sizes, mark=mark) for sizes in SIZES for mark in MARKS]
    together = [item for items in by_function for item in items]
    assert select(together) == set().union(*map(select, by_function))


@pytest.mark.parametrize(("sizes", "n_selected"), [((16, 6, 3), 96), ((4, 3), 12), ((2, 2, 2), 4)])
def test_any_two_values_occur_together(sizes: tuple[int, ...], n_selected: int) -> None:
    items = cases(*sizes, mark="pairwise")
    selected: set[Any] = pairwise(items)
    pairs = [{pair for item in some for pair in combinations(enumerate(item.ids), 2)} for some in (items, selected)]
    assert pairs[0] == pairs[1]
    assert n_selected <= len(selected) <= 1.5 * n_selected


@pytest.fixture(autouse=True)
def no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CI", "TEXTSIEVE_DATA", "TEXTSIEVE_NO_DATA"):
        monkeypatch.delenv(name, raising=False)


def test_a_folder_with_corpora_is_returned(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TEXTSIEVE_DATA", str(tmp_path))
    assert corpora_folder() == tmp_path


@pytest.mark.every_case
@pytest.mark.parametrize(
    ("variables", "outcome"),
    [
        ({}, SKIPPED),
        ({"TEXTSIEVE_DATA": "nowhere"}, SKIPPED),
        ({"CI": "true"}, FAILED),
        ({"CI": "true", "TEXTSIEVE_DATA": "nowhere"}, FAILED),
        ({"CI": "true", "TEXTSIEVE_NO_DATA": "0"}, FAILED),
        ({"CI": "true", "TEXTSIEVE_NO_DATA": "1"}, SKIPPED),
    ],
)
def test_corpora_may_be_missing_in_ci_only_by_intention(
    variables: dict[str, str], outcome: type[BaseException], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(outcome, match="TEXTSIEVE_"):
        corpora_folder()


def test_anything_else_may_not_be_missing_in_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    need("pytest")
    with pytest.raises(SKIPPED, match="no_such_module is not installed"):
        need("pytest", "no_such_module")
    monkeypatch.setenv("CI", "true")
    monkeypatch.setenv("TEXTSIEVE_NO_DATA", "1")
    with pytest.raises(FAILED, match="no_such_module is not installed, and CI must not skip"):
        need("no_such_module")
    with pytest.raises(FAILED, match="no browser, and CI must not skip"):
        absent("no browser")
