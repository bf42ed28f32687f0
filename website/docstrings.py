"""Prepare docstrings for mkdocstrings.

- `Categorizer` has forty parameters, which are the settings; its docstring refers to their page.
- Types are written so that mkdocstrings shows them unchanged: it takes `int, "all" or None` for a tuple.
"""

import re
from typing import Any

import griffe

PARAMETERS = "Parameters\n----------\n{settings}\n"
REFERENCE = "The parameters are the [settings](../settings.md); all are optional, and are given by name.\n"
TYPE = re.compile(r"^(\w+(?:, \w+)*) : (.*)$", re.MULTILINE)


class PreparedDocstrings(griffe.Extension):
    """Change docstrings that were loaded."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Change the docstring of a class or function, if it has one."""
        if obj.docstring is not None:
            text = obj.docstring.value.replace(PARAMETERS, REFERENCE)
            obj.docstring.value = TYPE.sub(lambda match: f"{match[1]} : {_plain(match[2])}", text)


def _plain(text: str) -> str:
    """Return a type that is no expression of Python with a comma."""
    text = text.replace("{", "").replace("}", "")
    return text.replace(", or ", " or ").replace(", ", " or ") if " or " in text or '"' in text else text
