"""JSON for programs, on standard output.

This is not in `output.py`, because that imports rich for its tables, which takes time that JSON need not take.
"""

import json
import sys

import click


def print_json(value: object) -> None:
    """Print one JSON document."""
    click.echo(as_json(value, indent=2))


def as_json(value: object, *, indent: int | None = None, encoding: str | None = None) -> str:
    """Return a value as JSON that can be written in `encoding`, by default that of standard output.

    Characters beyond ASCII are written as they are in UTF-8 and other encodings of Unicode, and escaped for others.
    """
    encoding = encoding or getattr(sys.stdout, "encoding", None) or "utf-8"
    if encoding.lower().startswith("utf"):
        text = json.dumps(value, ensure_ascii=False, indent=indent)
        if is_encodable(text):
            return text
    return json.dumps(value, indent=indent)  # escapes all characters beyond ASCII


def is_encodable(text: str) -> bool:
    r"""Return whether the text can be encoded: whether it has no unpaired surrogate, which JSON escapes as \ud800."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
