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
    return json.dumps(value, ensure_ascii=not encoding.lower().startswith("utf"), indent=indent)
