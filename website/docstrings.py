"""Prepare the code for mkdocstrings, which makes the reference of the Python API from docstrings and signatures.

- `Categorizer` has forty parameters, which are the settings. Their page describes them, so its docstring only has a
  link to that page.
- mkdocstrings reads the type of a parameter as a Python expression, so it would show `int, "all" or None` as a tuple.
  Such types are written without commas.
- Of parameters that share an entry, such as `min_df, max_df : int`, griffe gives all the default of the first. So each
  parameter gets an entry of its own.
- Attributes are written as `name : description`, without a type, and griffe would take the description for a type. So
  the description gets a line of its own. `templates/` has the table of attributes, which has no column for types.
- Defaults that are constants, such as `CANDIDATES`, are shown as their values.
"""

import re
from collections.abc import Iterator
from typing import Any

import griffe

PARAMETERS = "Parameters\n----------\n{settings}\n"
REFERENCE = "The parameters are the [settings](../settings.md); all are optional, and are given by name.\n"
SECTION = re.compile(r"^(Parameters|Attributes)\n-+\n(.*?)(?=\n\n|\Z)", re.MULTILINE | re.DOTALL)
"""A section of a docstring: its title, and its lines up to the next empty line."""
ENTRY = re.compile(r"^(\S[^:\n]*?)(?: : (.*))?$((?:\n[ \t]+\S.*)*)", re.MULTILINE)
"""An entry of a section: names, the type or description after the colon, and the indented lines that follow."""
CONSTANT = re.compile(r"[A-Z][A-Z0-9_]*")


class PreparedDocstrings(griffe.Extension):
    """An extension of griffe, which loads the code for mkdocstrings, that changes docstrings and defaults."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Change the docstring of a class or function, if it has one."""
        if obj.docstring is not None:
            text = obj.docstring.value.replace(PARAMETERS, REFERENCE)
            obj.docstring.value = SECTION.sub(lambda match: _prepared_section(match[1], match[2]), text)

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        """Replace the defaults that are constants, which are known when all modules of the package are loaded."""
        for member in members_of(pkg):
            if isinstance(member, griffe.Function):
                for parameter in member.parameters:
                    parameter.default = _value_of(parameter.default, pkg)
            elif isinstance(member, griffe.Attribute) and isinstance(member.parent, griffe.Class):
                _replace_field_default(member, pkg)


def members_of(owner: griffe.Object) -> Iterator[griffe.Object]:
    """Yield all objects that are defined in a module or class and in its members."""
    for member in owner.members.values():
        if isinstance(member, griffe.Object):
            yield member
            yield from members_of(member)


def _replace_field_default(attribute: griffe.Attribute, pkg: griffe.Module) -> None:
    """Replace the default of a field of a dataclass, which may be in a call such as `field(default=NOTHING)`."""
    attribute.value = _value_of(attribute.value, pkg)
    for argument in attribute.value.arguments if isinstance(attribute.value, griffe.ExprCall) else ():
        if isinstance(argument, griffe.ExprKeyword):
            argument.value = _value_of(argument.value, pkg)


def _value_of(default: Any, pkg: griffe.Module) -> Any:
    """Return the value of a constant of the package, and any other default unchanged."""
    if not (isinstance(default, griffe.ExprName) and CONSTANT.fullmatch(default.name)):
        return default
    path = default.canonical_path.removeprefix(f"{pkg.path}.")  # where it is imported from, if it is
    scope = default.parent
    while path == default.name and isinstance(scope, griffe.Object) and path not in scope.members:
        scope = scope.parent  # the function, then its class, then its module
    try:
        target = scope[path] if path == default.name and isinstance(scope, griffe.Object) else pkg[path]
    except (KeyError, griffe.AliasResolutionError):
        return default
    return target.value if target.is_attribute and target.value is not None else default


def _prepared_section(title: str, content: str) -> str:
    """Return a section with an entry for each parameter, or with attributes that have a description and no type."""
    write = _parameters if title == "Parameters" else _attribute
    entries = ENTRY.sub(lambda match: write(match[1], match[2] or "", match[3]), content)
    return f"{title}\n----------\n{entries}"


def _parameters(names: str, kind: str, description: str) -> str:
    """Return the entries for parameters that share a type and a description, one after the other."""
    type_part = f" : {_plain(kind)}" if kind else ""
    return "\n".join(f"{name}{type_part}{description}" for name in names.split(", "))


def _attribute(names: str, text: str, more: str) -> str:
    """Return the entry for an attribute, with the text after the colon as its description."""
    return f"{names}\n    {text}{more}" if text else f"{names}{more}"


def _plain(text: str) -> str:
    """Return a type without braces, and if it lists alternatives, with "or" between them: `int or "all" or None`."""
    text = text.replace("{", "").replace("}", "")
    is_list = " or " in text or '"' in text
    return text.replace(", or ", " or ").replace(", ", " or ") if is_list else text
