"""Small models for every kind of label and classifier."""

from typing import Any

TEXTS = [
    "the striker scored a late goal and the team won the game",
    "a goal in the last minute of the match for the home team",
    "rates fell as the bank cut interest and stocks rose",
    "the bank raised interest rates and shares of the bank fell",
    "rain and wind will reach the coast by night",
    "sun and a light wind are forecast for the coast",
] * 3
LABELS = ["sport", "sport", "money", "money", "weather", "weather"] * 3
LABEL_LISTS = [
    ["sport"],
    ["sport", "home"],
    ["money"],
    ["money", "home"],
    ["weather"],
    ["weather", "home"],
] * 3
KINDS: dict[str, tuple[dict[str, Any], list[Any]]] = {
    "single": ({"classifier": "svm", "probabilities": None}, LABELS),
    "probabilities": ({"classifier": "nb", "probabilities": "sigmoid", "folds": 2}, LABELS),
    "multilabel": ({"classifier": "nb", "folds": 2}, LABEL_LISTS),
    "numbers": ({"classifier": "rocchio"}, [{"sport": 1, "money": 2, "weather": 3}[label] for label in LABELS]),
    "votes": ({"classifier": "tcfp"}, LABELS),
}
"""Settings and labels of each model."""
