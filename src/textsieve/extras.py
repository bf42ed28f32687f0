"""Checks whether the packages of an extra, such as textsieve[plots], are installed.

The metadata of the installed textsieve say which packages an extra needs.
"""

import re
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution, requires

from .errors import MissingPackage, Setting


def require_extra(extra: str, *, what: str | Setting) -> None:
    """Raise `MissingPackage` if a package of an extra is not installed, or if the metadata do not list the extra.

    `what` is the feature that needs the extra, for the message.
    """
    # The metadata have a requirement of an extra as: altair<7,>=6; extra == "plots"
    is_of_extra = re.compile(rf"""extra\s*==\s*["']{extra}["']""")
    requirements = [requirement for requirement in requires("textsieve") or () if is_of_extra.search(requirement)]
    names = re.findall(r"^[\w.-]+", "\n".join(requirements), re.MULTILINE)
    missing = [name for name in names if not is_installed(name)]
    if missing:
        raise MissingPackage((what, f" needs {' and '.join(missing)}"), hint=_install_hint(extra))
    if not requirements:
        problem = f" needs packages of the extra {extra!r}, which this installation does not know"
        raise MissingPackage((what, problem), hint=_install_hint(extra))


@cache
def require_package(name: str, *, extra: str, what: str | Setting) -> None:
    """Raise `MissingPackage` if one package of an extra is not installed.

    An error is not cached, so that the next call succeeds if the package has been installed in the meantime.
    """
    if not is_installed(name):
        raise MissingPackage((what, f" needs {name}"), hint=_install_hint(extra))


def _install_hint(extra: str) -> str:
    """Return how to install an extra, as the hint of an error."""
    return f"pip install 'textsieve[{extra}]', or pip install '.[{extra}]' in a copy of its source."


def is_installed(name: str) -> bool:
    """Return whether a package is installed; `name` is its name for pip."""
    try:
        distribution(name)
    except PackageNotFoundError:
        return False
    return True
