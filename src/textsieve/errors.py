"""The errors that mean a problem with the input, not with textsieve.

Their messages are for people: they name the file, the line or column, the value found, and how to fix it.
"""


def shown(value: object, most: int = 60) -> str:
    """Return a value as text for a message, shortened if it is long."""
    text = " ".join(repr(value).split())
    return text if len(text) <= most else f"{text[: most - 3]}..."


def counted(number: float, one: str, more: str | None = None) -> str:
    """Return a number with its noun: 1 term, 2 terms."""
    return f"{number:,} {one if number == 1 else more or one + 's'}"


class InputError(ValueError):
    """Raised for documents, labels or settings that cannot be used as they are."""


class MissingPackage(InputError):
    """Raised for a feature that needs a package that is not installed."""


class NotAvailable(InputError, AttributeError):
    """Raised for a method or attribute that an estimator lacks with its settings; `hasattr` returns False."""


class UnfitDocuments(InputError):
    """Raised for documents or labels from which no terms can be selected, whatever the settings."""


class NothingChosen(InputError):
    """Raised if a selector, with its settings, selects no term of these documents."""


class TooFewDocuments(InputError):
    """Raised if documents should be held out, and too few would be left."""
