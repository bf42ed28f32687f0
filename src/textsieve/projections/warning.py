"""Warnings that name the line where a projection was fitted, or read, from outside.

Warnings of the same line and text can be told to be one. So the text says nothing that differs from fold to fold, where
several projections are fitted at the same line.
"""

import sys
import warnings

_PACKAGE = __name__.rpartition(".")[0]


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line that called this package."""
    level = 1
    frame = sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(_PACKAGE):
        frame = frame.f_back
        level += 1
    warnings.warn(message, category, stacklevel=level)
