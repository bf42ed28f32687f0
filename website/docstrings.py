"""Prepare docstrings for mkdocstrings, which makes the reference of the Python API from them.

- `Categorizer` has forty parameters, which are the settings. Their page describes them, so its docstring only has a
  link to that page.
- mkdocstrings reads the type of a parameter as a Python expression, so it would show `int, "all" or None` as a tuple.
  Such types are written without commas.
"""

import re
from typing import Any

import griffe

PARAMETERS = "Parameters\n----------\n{settings}\n"
REFERENCE = "The parameters are the [settings](../settings.md); all are optional, and are given by name.\n"
TYPE = re.compile(r"^(\w+(?:, \w+)*) : (.*)$", re.MULTILINE)
"""The line of a docstring with the names of parameters and their type: `n_terms : int, "all" or None`."""


class PreparedDocstrings(griffe.Extension):
    """An extension of griffe, which loads the docstrings for mkdocstrings, that changes each of them."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Change the docstring of a class or function, if it has one."""
        if obj.docstring is not None:
            text = obj.docstring.value.replace(PARAMETERS, REFERENCE)
            obj.docstring.value = TYPE.sub(lambda match: f"{match[1]} : {_plain(match[2])}", text)


def _plain(text: str) -> str:
    """Return a type without braces, and if it lists alternatives, with "or" between them: `int or "all" or None`."""
    text = text.replace("{", "").replace("}", "")
    is_list = " or " in text or '"' in text
    return text.replace(", or ", " or ").replace(", ", " or ") if is_list else text
