"""Warnings point to the line that called the package, however deep inside the package they arise."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable

import pytest
from scipy.sparse import csr_matrix

from textsieve import DROP, OCFS, Categorizer, CosineKNN
from textsieve.errors import Setting
from textsieve.warning import InputWarning, warn

TEXTS, LABELS = ["red sun", "blue sea", "red sea", "blue sun"], ["a", "b", "a", "b"]
ROWS = csr_matrix([[1, 0, 2], [0, 1, 0], [1, 0, 1], [0, 2, 0]])


def call_categorizer() -> None:
    Categorizer(n_terms=99, n_jobs=1).fit(TEXTS, LABELS)


def call_selector() -> None:
    OCFS(k=99).fit(ROWS, LABELS)


def call_reducer() -> None:
    DROP(k=99).fit_resample(ROWS, LABELS)


def call_classifier() -> None:
    CosineKNN(k=99).fit(ROWS, LABELS)


@pytest.mark.parametrize("call", [call_categorizer, call_selector, call_reducer, call_classifier])
def test_a_warning_points_to_the_line_of_the_caller(call: Callable[[], None]) -> None:
    with pytest.warns(InputWarning, match="99, but ") as caught:
        call()
    _, first_line = inspect.getsourcelines(call)
    for warning in caught:
        assert (warning.filename, warning.lineno) == (__file__, first_line + 1)


def test_the_front_end_decides_how_settings_are_written() -> None:
    warning = InputWarning(("use ", Setting("n_jobs", 2), "."))
    assert str(warning) == "use n_jobs=2."
    assert warning.render(lambda setting: f"--{setting.name}") == "use --n_jobs."


def test_a_class_of_warnings_can_be_silenced() -> None:
    class Rare(InputWarning):
        """A warning of its own class."""

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", Rare)
        warn("nothing to see", Rare)
        with pytest.raises(InputWarning, match="something"):
            warn("something")
