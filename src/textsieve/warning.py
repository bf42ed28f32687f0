"""Warnings that name the line at which this package was called from outside, however deep within it they arise.

Warnings of the same line and text can be told to be one. So the text of a warning that may come from each fold of a
cross-validation says nothing that differs from fold to fold.
"""

import sys
import warnings

_PACKAGE = __name__.partition(".")[0]


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line that called this package."""
    level = 1
    frame = sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == _PACKAGE:
        frame = frame.f_back
        level += 1
    warnings.warn(message, category, stacklevel=level)
