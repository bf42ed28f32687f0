"""The class that a request means by a label, when labels are numbers with more than one spelling."""

from __future__ import annotations

from dataclasses import replace

import pytest

from textsieve.prediction import Label, Model
from textsieve.serve.api_errors import ApiError
from textsieve.serve.served_model import find_class

LARGE = 2**64 + 1


def with_classes(model: Model, *classes: Label) -> Model:
    """Return the model with other names of its classes."""
    return replace(model, classes=classes)


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("1e-05", 1e-5),
        ("0.00001", 1e-5),
        (1e-5, 1e-5),
        ("1e+22", 1e22),
        ("10000000000000000000000", 1e22),
        (10**22, 1e22),
        ("18446744073709552000", LARGE),
        (18446744073709552000, LARGE),
    ],
)
def test_numbers_match_in_any_spelling(single_label_model: Model, given: Label, meant: Label) -> None:
    assert find_class(with_classes(single_label_model, 1e-5, 1e22, LARGE), given) == meant


@pytest.mark.parametrize("given", ["1_0", " 10", "inf", "nan", "", "true", True, "1e", 10**400, "1" + "0" * 400])
def test_labels_that_are_no_class_are_an_error(single_label_model: Model, given: Label) -> None:
    with pytest.raises(ApiError, match="The model has no class"):
        find_class(with_classes(single_label_model, 10, 1, 1e-5), given)


def test_the_exact_spelling_wins_over_the_same_value(single_label_model: Model) -> None:
    model = with_classes(single_label_model, LARGE, LARGE + 1, "0.5")
    assert find_class(model, str(LARGE + 1)) == LARGE + 1
    assert find_class(model, 0.5) == "0.5"
    with pytest.raises(ApiError, match="The model has no class"):
        find_class(model, "18446744073709552000")
    with pytest.raises(ApiError, match="The model has no class"):
        find_class(model, "0.50")
