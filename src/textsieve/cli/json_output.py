"""JSON for programs, on standard output; without rich, which `output.py` imports for tables."""

import json
import sys

import click


def print_json(value: object) -> None:
    """Print one JSON document."""
    click.echo(as_json(value, indent=2))


def as_json(value: object, *, indent: int | None = None, encoding: str | None = None) -> str:
    """Return JSON that can be written in `encoding`, by default that of standard output."""
    encoding = encoding or getattr(sys.stdout, "encoding", None) or "utf-8"
    if encoding.lower().startswith("utf"):
        text = json.dumps(value, ensure_ascii=False, indent=indent)
        if is_encodable(text):
            return text
    return json.dumps(value, indent=indent)  # escapes all characters beyond ASCII


def is_encodable(text: str) -> bool:
    """Return whether the text has no unpaired surrogate, which JSON can escape but no encoding can represent."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
