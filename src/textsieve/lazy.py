"""Lazy imports: packages whose names are loaded on first use.

Importing such a package costs next to nothing, and using one of its names does not load what the others need:
predicting one document loads no compiler.
"""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any


def attach(
    package: str, homes: Mapping[str, Sequence[str]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return `__getattr__`, `__dir__` and `__all__` for a package, given the names in each submodule."""
    submodule_of = {name: submodule for submodule, names in homes.items() for name in names}

    def load(name: str) -> Any:
        if name not in submodule_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{submodule_of[name]}"), name)

    return load, lambda: sorted(submodule_of), list(submodule_of)
