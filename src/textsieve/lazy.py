"""Packages whose names are loaded on first use.

Importing a package then costs next to nothing, and whoever needs one of its names does not wait for what the others
need: predicting one document loads no compiler.
"""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any


def attach(
    package: str, homes: Mapping[str, Sequence[str]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """What a package needs as `__getattr__`, `__dir__` and `__all__`, given the names that each submodule has."""
    home = {name: submodule for submodule, names in homes.items() for name in names}

    def load(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{home[name]}"), name)

    return load, lambda: sorted(home), list(home)
