"""The title, description and example texts with which the owner of a model presents it to its readers.

They are settings of a `Categorizer` that do not affect training. A model file stores them, `textsieve info` prints
them, and the page of `textsieve serve` shows them. Beside the selected terms, they are the only texts in a model file,
and only because the owner typed them. A file may come from anybody, so what is checked in a setting is checked in the
header of a file, too.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Any, Final

from .errors import InputError

PRESENTATION: Final = ("title", "description", "examples")
"""The names of these settings."""

MAX_TITLE: Final = 100
MAX_DESCRIPTION: Final = 1_000
MAX_EXAMPLE: Final = 1_000
"""The most characters of a title, a description and an example."""
MAX_EXAMPLES: Final = 10
"""The most examples of a model."""

_NOT_TEXT = ("Cc", "Cs")
"""The Unicode categories of control characters and of halves of UTF-16 pairs."""


def check_presentation(settings: Mapping[str, Any]) -> None:
    """Raise `InputError` for a title, description or examples that are not allowed; each may be missing or None."""
    title, description, examples = map(settings.get, PRESENTATION)
    if title is not None and (problem := _problem(title, MAX_TITLE, allowed="")):
        hint = f"use a text of 1 to {MAX_TITLE} characters on one line"
        raise InputError(f"it {problem}", setting="title", value=title, hint=hint)
    if description is not None and (problem := _problem(description, MAX_DESCRIPTION)):
        hint = f"use a text of 1 to {MAX_DESCRIPTION:,} characters"
        raise InputError(f"it {problem}", setting="description", value=description, hint=hint)
    if examples is not None and (problem := _problem_of_examples(examples)):
        hint = f"use up to {MAX_EXAMPLES} texts of 1 to {MAX_EXAMPLE:,} characters each"
        raise InputError(problem, setting="examples", value=examples, hint=hint)


def _problem_of_examples(value: object) -> str:
    """Return why a value is no valid list of examples, or an empty text if it is one."""
    if not isinstance(value, list | tuple):
        return "it is no list of texts"
    if len(value) > MAX_EXAMPLES:
        return f"it has {len(value):,} texts"
    problems = ((number, _problem(example, MAX_EXAMPLE)) for number, example in enumerate(value, 1))
    return next((f"example {number} {problem}" for number, problem in problems if problem), "")


def _problem(value: object, max_length: int, *, allowed: str = "\t\n\r") -> str:
    """Return why a value is no text to show, or an empty text if it is one.

    `allowed` has the control characters that the text may contain.
    """
    if not isinstance(value, str):
        return "is no text"
    if len(value) > max_length:
        return f"has {len(value):,} characters"
    if not value.strip():
        return "is blank"
    if "\n" in value and "\n" not in allowed:
        return "has several lines"
    if any(unicodedata.category(character) in _NOT_TEXT for character in value if character not in allowed):
        return "has control characters"
    return ""


def presentation_of(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return title, description and examples from the settings that a model stores; None or no examples if missing."""
    return {"title": settings.get("title"), "description": settings.get("description")} | {
        "examples": list(settings.get("examples") or ())
    }
