"""Warnings that name the line at which this package was called from outside, however deep inside it they arise.

Python can show warnings with the same line and text only once. So a warning that may occur in each fold of a
cross-validation has a text that doesn't differ from fold to fold.
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
