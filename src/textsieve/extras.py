"""Checks for optional packages, which read the requirements of extras from the package metadata."""

import re
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution, requires

from .errors import MissingPackage, Setting


def require_extra(extra: str, *, what: str | Setting) -> None:
    """Raise `MissingPackage` if a package of an extra is not installed; `what` is the feature that needs it."""
    requirements = [
        line for line in requires("textsieve") or () if re.search(rf"""extra\s*==\s*["']{extra}["']""", line)
    ]
    missing = [
        name for name in re.findall(r"^[\w.-]+", "\n".join(requirements), re.MULTILINE) if not is_installed(name)
    ]
    if missing or not requirements:
        needed = " and ".join(missing) or f"packages of the extra {extra!r}, which this installation does not know"
        raise MissingPackage((what, f" needs {needed}"), hint=_install_hint(extra))


@cache
def require_package(name: str, *, extra: str, what: str | Setting) -> None:
    """Raise `MissingPackage` if one package of an extra is not installed.

    Only success is cached, so that a package can be installed meanwhile.
    """
    if not is_installed(name):
        raise MissingPackage((what, f" needs {name}"), hint=_install_hint(extra))


def _install_hint(extra: str) -> str:
    return f"pip install 'textsieve[{extra}]', or pip install '.[{extra}]' in a copy of its source."


def is_installed(name: str) -> bool:
    """Return whether a package is installed, by its name for pip."""
    try:
        distribution(name)
    except PackageNotFoundError:
        return False
    return True
