"""Warnings that point to the user's line that called this package, however deep inside the package they are emitted.

By default, Python shows warnings with the same line and text only once. So the text of a warning should contain nothing
that differs between the folds of a cross-validation: users would see one warning for each fold.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable

from .errors import Message, Setting, render

_PACKAGE = __name__.partition(".")[0]


class InputWarning(UserWarning):
    """A warning about the input; like an `InputError`, it lets each front end write settings in its own way."""

    def __init__(self, message: Message) -> None:
        """Keep the message, whose settings `render` writes later."""
        super().__init__(message)
        self.message = message

    def render(self, write_setting: Callable[[Setting], str] = str) -> str:
        """Return the warning; `write_setting` returns how the front end writes a setting."""
        return render(self.message, write_setting)

    def with_source(self, old: str, new: str) -> InputWarning:
        """Return the warning with `new` as the name of the file or corpus if it begins with the name `old`."""
        first, *others = (self.message,) if isinstance(self.message, str) else self.message
        if not isinstance(first, str) or not first.startswith(f"{old}:"):
            return self
        return InputWarning((new + first.removeprefix(old), *others))

    def __str__(self) -> str:
        """Return the warning for users of the Python library."""
        return self.render()


def warn(message: Message | Warning, category: type[Warning] = InputWarning) -> None:
    """Emit a warning at the line that called this package: the nearest frame of the stack that is outside of it."""
    warning = message if isinstance(message, Warning) else category(message)
    level = 1  # as `warnings.warn` counts: 1 is the frame of this function, 2 that of its caller
    frame = sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == _PACKAGE:
        frame = frame.f_back
        level += 1
    warnings.warn(warning, stacklevel=level)
