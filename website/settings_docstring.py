"""Show mkdocstrings the docstring of `Categorizer` as Python makes it: with the table of settings."""

import inspect
from typing import Any

import griffe

from textsieve.categorizer_settings import with_settings_documented

MARK = "{settings}"


class SettingsDocstring(griffe.Extension):  # type: ignore[misc]  # griffe is missing where this is checked
    """Replace the mark in docstrings of classes by the settings."""

    def on_class(self, *, cls: griffe.Class, **_: Any) -> None:
        """Change the docstring of a class that was loaded."""
        if cls.docstring is not None and MARK in cls.docstring.value:
            documented: type = with_settings_documented(type("Documented", (), {"__doc__": f"\n    {MARK}"}))
            cls.docstring.value = cls.docstring.value.replace(MARK, inspect.cleandoc(documented.__doc__ or ""))
