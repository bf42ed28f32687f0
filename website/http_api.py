"""The reference of the HTTP API, generated from the OpenAPI document and the error codes of `textsieve serve`."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

METHODS = ("get", "post", "put", "delete")


@cache
def openapi() -> dict[str, Any]:
    """Return the OpenAPI document that a service with `--feedback` sends."""
    from textsieve import Categorizer
    from textsieve.serve.api import build_routes
    from textsieve.serve.service import Service

    model = Categorizer(probabilities=None, max_size=None)
    model.fit(["the goal", "the vote"] * 5, ["sport", "politics"] * 5)
    with tempfile.TemporaryDirectory() as folder:
        model.save(Path(folder) / "news.sieve")
        service = Service(str(Path(folder) / "news.sieve"), feedback=str(Path(folder) / "feedback.jsonl"))
        return build_routes(service).openapi()


def http_api() -> str:
    """Return the reference as Markdown: a section for each operation of the API, and one for each schema."""
    document = openapi()
    operations = [
        _operation(method, path, item[method])
        for path, item in document["paths"].items()
        for method in METHODS
        if method in item
    ]
    schemas = [_schema(name, schema) for name, schema in document["components"]["schemas"].items()]
    return "\n\n".join(["## Operations", *operations, "## Schemas", *schemas])


def error_codes() -> str:
    """Return a table of all error codes: the status, when each occurs, and what to do."""
    from textsieve.serve.api_errors import ERROR_CODES, EXTRA_HEADERS

    rows = []
    for code, error in ERROR_CODES.items():
        headers = dict(EXTRA_HEADERS.get(code, []))
        wait = f" `Retry-After: {headers[b'retry-after'].decode()}`" if b"retry-after" in headers else ""
        rows.append(f"| `{code}` | {error.status} | {_line(error.when)} | {_line(error.what_to_do)}{wait} |")
    return "\n".join(["| code | status | when | what to do |", "|---|---|---|---|", *rows])


def _operation(method: str, path: str, operation: Mapping[str, Any]) -> str:
    """Return the section on an operation: its summary, its parameters, its request body and its responses."""
    parts = [f"### {method.upper()} `{path}`", operation.get("summary", ""), operation.get("description", "")]
    if operation.get("parameters"):
        rows = [
            f"| `{row['name']}` | {row['in']} | {_type(row.get('schema', {}))} | {_text(row)} |"
            for row in operation["parameters"]
        ]
        parts.append("\n".join(["| parameter | in | type | meaning |", "|---|---|---|---|", *rows]))
    body = operation.get("requestBody", {}).get("content", {})
    parts += [f"Request: {_type(content['schema'])} as `{kind}`" for kind, content in body.items()]
    rows = [f"| {status} | {_content(row)} | {row['description']} |" for status, row in operation["responses"].items()]
    parts.append("\n".join(["| status | response | meaning |", "|---|---|---|", *rows]))
    return "\n\n".join(part for part in parts if part)


def _content(response: Mapping[str, Any]) -> str:
    """Return the types of a response's body, or its media types if these have no type, or "no body"."""
    content = response.get("content", {})
    return ", ".join(_type(row.get("schema", {})) or f"`{kind}`" for kind, row in content.items()) or "no body"


def _schema(name: str, schema: Mapping[str, Any]) -> str:
    """Return the section on a schema: its description, and a table of its fields or a list of its values."""
    parts = [f"### {name}", _line(schema.get("description", ""))]
    if "enum" in schema:
        parts.append(", ".join(f"`{value}`" for value in schema["enum"]))
    rows = [
        f"| `{field}` | {_type(row)} | {'yes' if field in schema.get('required', ()) else 'no'} | {_text(row)} |"
        for field, row in schema.get("properties", {}).items()
    ]
    if rows:
        parts.append("\n".join(["| field | type | required | meaning |", "|---|---|---|---|", *rows]))
    return "\n\n".join(part for part in parts if part)


def _text(row: Mapping[str, Any]) -> str:
    """Return the description of a field or parameter, and its default if it has one."""
    text = _line(row.get("description", row.get("schema", {}).get("description", "")))
    default = row.get("default", row.get("schema", {}).get("default"))
    return text if default is None else f"{text} Default: `{default}`."


def _line(text: str) -> str:
    """Return a text on one line, for a cell of a Markdown table."""
    return " ".join(text.split()).replace("|", "\\|")


def _type(schema: Mapping[str, Any]) -> str:
    """Return the type of a value in a few words, such as "integer from 1", with links to schemas."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(_type(option) for option in schema["anyOf"]))
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {})) or 'values'}"
    if schema.get("type") == "object" and isinstance(schema.get("additionalProperties"), Mapping):
        return f"object of {_type(schema['additionalProperties'])}"
    limits = {"minimum": "from", "maximum": "up to", "maxLength": "length up to"}
    words = [f"{word} {schema[key]:,}" for key, word in limits.items() if key in schema]
    return " ".join([str(schema.get("type", "")), *words]).strip()
