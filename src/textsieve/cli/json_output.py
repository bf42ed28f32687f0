"""JSON for programs, on standard output."""

import json
import sys

import click


def print_json(value: object) -> None:
    """One JSON document."""
    click.echo(as_json(value, indent=2))


def as_json(value: object, *, indent: int | None = None, encoding: str | None = None) -> str:
    """JSON that the encoding (of standard output, unless another is given) can write."""
    encoding = encoding or getattr(sys.stdout, "encoding", None) or "utf-8"
    if encoding.lower().startswith("utf"):
        text = json.dumps(value, ensure_ascii=False, indent=indent)
        if is_encodable(text):
            return text
    return json.dumps(value, indent=indent)


def is_encodable(text: str) -> bool:
    """Whether there is no half of a UTF-16 pair in it, which JSON can spell and no encoding can write."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
