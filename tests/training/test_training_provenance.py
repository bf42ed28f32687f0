"""The record of its training in a model file: settings as JSON values."""

import json
from typing import Any

import numpy as np
import pytest
from tests.reference.categorizer_cases import plain_categorizer

from textsieve import Categorizer
from textsieve.categorizer_settings import ObjectDescription
from textsieve.training.provenance import settings_as_json


def stored(**settings: Any) -> dict[str, Any]:
    """Return the settings of a categorizer as they are stored."""
    return settings_as_json(plain_categorizer(**settings).get_params(deep=False))


@pytest.mark.parametrize(
    ("setting", "value", "expected"),
    [
        ("stop_words", None, None),
        ("stop_words", "english", "english"),
        ("stop_words", ["the", "of"], ObjectDescription("a list")),
        ("ngram_range", (1, 2), [1, 2]),
        ("char_ngram_range", (3, 5), [3, 5]),
        ("n_terms", np.int64(7), 7),
        ("lowercase", False, False),
        ("class_weight", {"a": 2, 3: 0.5}, [["a", 2.0], [3, 0.5]]),
        ("class_weight", "balanced", "balanced"),
        ("class_weight", "sqrt", "sqrt"),
    ],
)
def test_settings_are_stored_as_json_values(setting: str, value: Any, expected: Any) -> None:
    assert stored(**{setting: value})[setting] == expected
    assert isinstance(stored(**{setting: value})[setting], type(expected))


def test_settings_are_stored_without_the_number_of_threads() -> None:
    settings = stored(n_jobs=3)
    assert set(settings) == set(Categorizer().get_params(deep=False)) - {"n_jobs"}
    assert json.loads(json.dumps(settings)) == settings
