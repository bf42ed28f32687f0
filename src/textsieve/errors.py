"""Errors for problems with the user's input (documents, labels and settings), and warnings about it.

An `InputError` carries its facts as fields: the place in the data, the setting and its value, the problem, the allowed
values and a hint. `str` turns them into a message for users of the Python library. Other front ends call `render` with
their own function that writes a setting (the command line writes `--jobs 0` for `n_jobs=0`). So no code needs to edit
the text of a message.

Warnings point to the user's line that called this package, however deep inside the package they are emitted. By
default, Python shows warnings with the same line and text only once. So the text of a warning should contain nothing
that differs between the folds of a cross-validation: users would see one warning for each fold.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final, Self


class _Unset:
    """The type of `UNSET`, which stands for a value that was not given."""

    def __repr__(self) -> str:
        return "UNSET"

    def __reduce__(self) -> str:
        """Return the name of the global that unpickling returns, so that there is only one `UNSET`."""
        return "UNSET"


UNSET: Final = _Unset()


def shown(value: object, max_length: int = 60) -> str:
    """Return the repr of a value for a message: on one line, and shortened if it is long."""
    text = " ".join(repr(value).split())
    return text if len(text) <= max_length else f"{text[: max_length - 3]}..."


def counted(number: float, singular: str, plural: str | None = None) -> str:
    """Return a number with its noun: 1 term, 2 terms; the plural is by default the singular with an s."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


@dataclass(frozen=True)
class Setting:
    """A setting that a message mentions, with its value if there is one."""

    name: str
    value: object = UNSET

    def __str__(self) -> str:
        """Return the setting as Python code: name, or name=value."""
        return self.name if self.value is UNSET else f"{self.name}={shown(self.value)}"


@dataclass(frozen=True)
class Place:
    """Where in the data a problem is: a file, folder or corpus, and a part of it such as a line or a column."""

    source: str
    part: str = ""

    def __str__(self) -> str:
        """Return the source and its part: mail.csv: line 3."""
        return f"{self.source}: {self.part}" if self.part else self.source


Message = str | tuple[str | Setting, ...]
"""A text; or, if it mentions settings, a tuple of texts and settings: ("use ", Setting("multilabel", True))."""


class InputError(ValueError):
    """Raised for documents, labels or settings that cannot be used as they are.

    Examples
    --------
    >>> from textsieve import InputError
    >>> print(InputError("the data has no class", setting="cut", value="scut", hint="give every document a label"))
    cut='scut': the data has no class; give every document a label.
    """

    def __init__(
        self,
        problem: Message = "",
        *,
        place: Place | str | None = None,
        setting: str | None = None,
        value: object = UNSET,
        allowed: Iterable[object] = (),
        hint: Message = "",
    ) -> None:
        """Keep the facts of the error: `allowed` are values of the setting, and `hint` says how to fix the problem."""
        super().__init__(problem)
        self.problem = problem
        self.place = Place(place) if isinstance(place, str) else place
        self.setting, self.value = setting, value
        self.allowed = tuple(allowed)
        self.hint = hint

    def message(self) -> tuple[str | Setting, ...]:
        """Return the whole message as a tuple of texts and settings, for another error to quote.

        The order is: place, setting, problem, hint. A hint that begins with a lowercase letter continues the sentence
        after a semicolon; any other hint is a sentence of its own.
        """
        pieces: list[str | Setting] = []
        if self.place is not None:
            pieces.append(f"{self.place}: ")
        if self.setting is not None:
            pieces.append(Setting(self.setting, self.value))
            if self.problem:
                pieces.append(": ")
        pieces += _pieces(self.problem)
        hint = _pieces(self.hint)
        if not hint and self.allowed:
            hint = (f"use one of {', '.join(map(repr, self.allowed))}",)
        if hint:
            is_sentence = isinstance(hint[0], str) and not hint[0][:1].islower()
            if is_sentence and pieces and isinstance(pieces[-1], str):
                pieces[-1] = pieces[-1].rstrip(".")  # the separator below has a full stop
            pieces += [". " if is_sentence else "; ", *hint]
        if hint or self.setting is not None:  # a problem without these is shown as it was written
            last = pieces[-1]
            if not (isinstance(last, str) and last.endswith((".", "!", "?"))):
                pieces.append(".")
        return tuple(pieces)

    def render(self, write_setting: Callable[[Setting], str] = str) -> str:
        """Return the message; `write_setting` returns how the front end writes a setting."""
        return render(self.message(), write_setting)

    def with_fields(self, **fields: Any) -> Self:
        """Return the same error with some fields changed, to be raised from this one."""
        error = type(self).__new__(type(self))  # without `__init__`, which subclasses may have changed
        error.args = self.args
        error.__dict__.update(self.__dict__, **fields)
        return error

    def at(self, place: Place | str) -> Self:
        """Return the same error at another place, to be raised from this one."""
        return self.with_fields(place=Place(place) if isinstance(place, str) else place)

    def __str__(self) -> str:
        """Return the message for users of the Python library."""
        return self.render()


def render(message: Message, write_setting: Callable[[Setting], str] = str) -> str:
    """Return a message as text; `write_setting` returns how the front end writes a setting."""
    return "".join(write_setting(piece) if isinstance(piece, Setting) else piece for piece in _pieces(message))


def listed_settings(settings: Iterable[Setting], separator: str = ", ") -> tuple[str | Setting, ...]:
    """Return settings with a separator between them, as part of a message."""
    return tuple(piece for setting in settings for piece in (separator, setting))[1:]  # without the first separator


def _pieces(message: Message) -> tuple[str | Setting, ...]:
    """Return a message as a tuple of texts and settings; an empty tuple for an empty text."""
    if isinstance(message, str):
        return (message,) if message else ()
    return message


def join_messages(first: Message, second: Message) -> Message:
    """Return two sentences, each without a final full stop, as one message; either may be empty.

    >>> "".join(map(str, join_messages("Name it", ("Or use ", Setting("sheet")))))
    'Name it. Or use sheet'
    """
    return (*_pieces(first), ". ", *_pieces(second)) if first and second else first or second


class DocumentError(InputError):
    """Raised for one of several documents; `number` is its position among them, from 0.

    Its place is "document 3" for the number 3, until code that knows the file of the document replaces it.
    """

    def __init__(self, problem: Message = "", *, number: int, **fields: Any) -> None:
        """Create the error for the document of this number; `fields` are those of `InputError`, without the place."""
        super().__init__(problem, place=f"document {number}", **fields)
        self.number = number


class MissingPackage(InputError):
    """Raised for a feature that needs a package that is not installed."""


class NotAvailable(InputError, AttributeError):
    """Raised for a method or attribute that an estimator lacks with its settings; `hasattr` returns False."""


class UnfitDocuments(InputError):
    """Raised for documents or labels from which no terms can be selected, whatever the settings."""


class NothingSelected(InputError):
    """Raised if a selector, with its settings, selects no term of these documents."""


class TooFewDocuments(InputError):
    """Raised if there are too few documents to hold some out."""


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
