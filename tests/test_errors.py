"""Errors carry their facts as fields, and each front end writes them in its own way."""

import copy

import pytest

from textsieve.errors import (
    UNSET,
    InputError,
    MissingPackage,
    NotAvailable,
    NothingSelected,
    Place,
    Setting,
    TooFewDocuments,
    UnfitDocuments,
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
