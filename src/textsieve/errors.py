"""The one error that means: your input, not our code.

Its message is for a person: it names the file, the line or column, the value that was found, and the way out.
"""


class InputError(ValueError):
    """Raised for documents, labels or settings that cannot be used as they are."""
