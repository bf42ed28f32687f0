"""Lazy imports: packages whose names are loaded on first use.

Importing such a package is fast, and using one of its names does not import what the others need. For example,
predicting a document does not import the compiler numba.
"""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any


def attach(
    package: str, names_by_submodule: Mapping[str, Sequence[str]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return `__getattr__`, `__dir__` and `__all__` for a package, given the public names of each submodule.

    Python calls a module's `__getattr__` for names that it does not have yet.
    """
    submodule_of = {name: submodule for submodule, names in names_by_submodule.items() for name in names}

    def load(name: str) -> Any:
        """Import the submodule that has this name, and return what the name stands for."""
        if name not in submodule_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{submodule_of[name]}"), name)

    return load, lambda: sorted(submodule_of), list(submodule_of)
