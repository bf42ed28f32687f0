"""The one error that means: your input, not our code.

Its message is for a person: it names the file, the line or column, the value that was found, and the way out.
"""


def shown(value: object, most: int = 60) -> str:
    """A value for a message, cut if it is long."""
    text = " ".join(repr(value).split())
    return text if len(text) <= most else f"{text[: most - 3]}..."


def counted(number: float, one: str, more: str | None = None) -> str:
    """A number of things: 1 term, 2 terms."""
    return f"{number:,} {one if number == 1 else more or one + 's'}"


class InputError(ValueError):
    """Raised for documents, labels or settings that cannot be used as they are."""


class MissingPackage(InputError):
    """Raised for what needs a package that is not there."""


class NotAvailable(InputError, AttributeError):
    """Raised for a method or attribute that an estimator lacks with its settings; `hasattr` sees that it is missing."""


class UnfitDocuments(InputError):
    """Raised for documents or labels from which nothing can be chosen, whatever the settings are."""


class NothingChosen(InputError):
    """Raised if a selector, with the settings that it has, keeps no term of these documents."""


class TooFewDocuments(InputError):
    """Raised if some documents should be held out, and too few would be left."""
