"""Errors carry their facts as fields; warnings point to the line that called the package, however deep they arise."""

from __future__ import annotations

import copy
import inspect
import warnings
from collections.abc import Callable

import pytest
from scipy.sparse import csr_matrix

from textsieve import DROP, OCFS, Categorizer, CosineKNN
from textsieve.errors import (
    UNSET,
    InputError,
    InputWarning,
    MissingPackage,
    NotAvailable,
    NothingSelected,
    Place,
    Setting,
    TooFewDocuments,
    UnfitDocuments,
    warn,
)

KINDS = (InputError, MissingPackage, NotAvailable, NothingSelected, TooFewDocuments, UnfitDocuments)


def as_option(setting: Setting) -> str:
    """Write a setting as an option of a command line."""
    name = f"--{setting.name.replace('_', '-')}"
    return name if setting.value in (UNSET, True) else f"{name} {setting.value}"


@pytest.mark.parametrize(
    ("error", "message", "as_options"),
    [
        (InputError("A sentence."), "A sentence.", "A sentence."),
        (InputError("no end mark is added to a plain text"), *2 * ("no end mark is added to a plain text",)),
        (
            InputError(setting="n_jobs", value=0, hint="use a number of threads"),
            "n_jobs=0; use a number of threads.",
            "--n-jobs 0; use a number of threads.",
        ),
        (
            InputError(setting="norm", value="l3", allowed=("l1", "l2")),
            "norm='l3'; use one of 'l1', 'l2'.",
            "--norm l3; use one of 'l1', 'l2'.",
        ),
        (
            InputError("needs two classes", setting="cut", hint=("use ", Setting("multilabel", True), " or no cut")),
            "cut: needs two classes; use multilabel=True or no cut.",
            "--cut: needs two classes; use --multilabel or no cut.",
        ),
        (
            InputError((Setting("folds"), " and ", Setting("test_share"), " exclude each other"), hint="Give one."),
            "folds and test_share exclude each other. Give one.",
            "--folds and --test-share exclude each other. Give one.",
        ),
        (
            InputError("no label", place=Place("a.csv", "line 3"), hint="Leave out the line."),
            *2 * ("a.csv: line 3: no label. Leave out the line.",),
        ),
        (InputError("no documents.", place="a.csv"), *2 * ("a.csv: no documents.",)),
        (
            InputError("no label", hint=(Setting("label"), " names a column")),
            "no label; label names a column.",
            "no label; --label names a column.",
        ),
    ],
)
def test_the_front_end_decides_how_settings_are_written(error: InputError, message: str, as_options: str) -> None:
    assert str(error) == message
    assert error.render(as_option) == as_options


@pytest.mark.parametrize("kind", KINDS)
def test_an_error_can_move_to_another_place(kind: type[InputError]) -> None:
    error = kind("no label", place=Place("/tmp/arrived.txt", "line 3"), setting="label", value="x", hint="name it")
    moved = error.at(Place("-", "line 3"))
    assert type(moved) is kind
    assert str(moved) == "-: line 3: label='x': no label; name it."
    assert str(error) == "/tmp/arrived.txt: line 3: label='x': no label; name it."
    assert str(error.at("mail")) == "mail: label='x': no label; name it."


@pytest.mark.parametrize("kind", KINDS)
def test_copies_have_the_same_fields(kind: type[InputError]) -> None:
    error = kind(("no ", Setting("label")), place="a.csv", allowed=("x", 1), hint="name it")
    for other in (copy.copy(error), copy.deepcopy(error)):
        assert type(other) is kind
        assert vars(other) == vars(error)
        assert other.value is UNSET


def test_long_values_are_shortened() -> None:
    assert len(str(InputError(setting="stop_words", value=["word"] * 1000))) < 80


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


def test_the_front_end_decides_how_settings_in_warnings_are_written() -> None:
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
