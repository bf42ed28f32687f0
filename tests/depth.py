"""How much the tests try: TEXTSIEVE_TESTS is "quick" (the default), "all" or "deep".

- quick: all that runs without Java, a browser and the papers' corpora, with few examples and cases (`make test`)
- all: every test, with every value of each of its parameters, but not every combination (`make test-all`, and CI)
- deep: every combination, fifty times as many examples, and tests that take half a minute, for changes of algorithms
  and once a week (`make test-all DEPTH=deep`)

`@pytest.mark.slow` leaves a test out of the quick run, and `@pytest.mark.deep` out of all but the deep one.

Two marks change which combinations of a test's parameters run: `@pytest.mark.every_case` all of them, at any depth;
`@pytest.mark.pairwise` every pair of values of two parameters, and every combination only in a deep run.
"""

import os
from collections import Counter, defaultdict
from collections.abc import Iterable
from importlib.util import find_spec
from itertools import combinations
from pathlib import Path
from typing import Any, NoReturn
from zlib import crc32

import pytest
from hypothesis import HealthCheck, settings

EXAMPLES = {"quick": 6, "all": 20, "deep": 1000}
"""Number of hypothesis examples of each test."""

DEPTH = os.environ.get("TEXTSIEVE_TESTS", "quick")
if DEPTH not in EXAMPLES:
    raise ValueError(f"TEXTSIEVE_TESTS is {DEPTH!r}; it must be one of {', '.join(EXAMPLES)}.")
IS_QUICK = DEPTH == "quick"
IS_DEEP = DEPTH == "deep"

for depth, n_examples in EXAMPLES.items():
    settings.register_profile(
        depth,
        max_examples=n_examples,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
settings.load_profile(DEPTH)

few_examples = settings(max_examples=EXAMPLES[DEPTH] // 2)
"""Decorates tests that try their examples with many parameters, or whose examples take long."""


def absent(reason: str) -> NoReturn:
    """Skip a test because something is not installed; fail in CI, where everything must be."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"{reason}, and CI must not skip")
    pytest.skip(reason)


def need(*modules: str) -> None:
    """Skip a test, or fail in CI, if a module is not installed."""
    for module in modules:
        if find_spec(module) is None:
            absent(f"{module} is not installed")


def corpora_folder() -> Path:
    """Return the folder that TEXTSIEVE_DATA names.

    Without it, tests fail in CI, unless TEXTSIEVE_NO_DATA=1 says that the machine has no corpora.
    """
    if os.environ.get("TEXTSIEVE_NO_DATA") == "1":
        pytest.skip("TEXTSIEVE_NO_DATA is 1: no corpora")
    name = os.environ.get("TEXTSIEVE_DATA")
    if not name:
        absent("TEXTSIEVE_DATA does not name a folder with the corpora")
    if not Path(name).is_dir():
        absent(f"TEXTSIEVE_DATA={name} is not a folder")
    return Path(name)


MOST_CASES = 4
"""The largest number of cases of one test function in the quick run."""

ENOUGH_CASES = 12
"""The number of cases of one test function from which on a full run only adds those with new values of parameters."""


def few_cases(items: Iterable[pytest.Item]) -> set[pytest.Item]:
    """Return the tests, but of a test function at most `MOST_CASES` cases, each with new values of parameters."""
    return _cases(items, 1, MOST_CASES)


def every_value(items: Iterable[pytest.Item]) -> set[pytest.Item]:
    """Return the tests, and of a test function with more than `ENOUGH_CASES` only enough for every parameter's values.

    Of the 144 tests of a cross product of 12 and 12 values, about 30 remain. Tests with one parameter keep all cases,
    and those marked `pairwise` enough for every pair of values of two parameters.
    """
    unmarked, by_function = [], defaultdict(list)
    for item in items:
        if item.get_closest_marker("pairwise"):
            by_function[item.nodeid.partition("[")[0]].append(item)
        else:
            unmarked.append(item)
    return _cases(unmarked, ENOUGH_CASES, None).union(*map(pairwise, by_function.values()))


def _cases(items: Iterable[pytest.Item], enough: int, most: int | None) -> set[pytest.Item]:
    """Return the tests; of each function at most `most` cases, and after the first `enough` only with new values.

    A test marked `every_case` keeps all of its cases. Tests are visited in an order that depends on their names only,
    so every run selects the same tests.
    """
    seen: set[tuple[str, int, str]] = set()
    n_selected: Counter[str] = Counter()
    selected = set()
    for item in sorted(items, key=lambda item: crc32(item.nodeid.encode())):
        function = item.nodeid.partition("[")[0]
        ids = item.callspec._idlist if hasattr(item, "callspec") else [""]  # one id for each `parametrize`
        values = {(function, at, own_id) for at, own_id in enumerate(ids)}
        is_wanted = n_selected[function] < enough or not values <= seen
        has_room = most is None or n_selected[function] < most
        if (is_wanted and has_room) or item.get_closest_marker("every_case"):
            selected.add(item)
            n_selected[function] += 1
            seen |= values
    return selected


def pairwise(items: Iterable[Any]) -> set[pytest.Item]:
    """Return a part of one test function's tests in which any two values of two of its parameters occur together.

    Of the 288 tests of a cross product of 16, 6 and 3 values, 96 remain: as many as 16 and 6 values have pairs. Tests
    with fewer than two parameters all remain.
    """
    ids_of = {item: item.callspec._idlist if hasattr(item, "callspec") else [] for item in items}
    pairs_of = {item: set(combinations(enumerate(ids), min(2, len(ids)))) for item, ids in ids_of.items()}
    missing: set[Any] = set().union(*pairs_of.values())
    selected = set()
    while missing:
        best = max(pairs_of, key=lambda item: len(pairs_of[item] & missing))
        missing -= pairs_of[best]
        selected.add(best)
    return selected
