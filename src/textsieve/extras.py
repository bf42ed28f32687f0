"""Parts that need packages which not everybody has: one check for all, which reads what they need off the metadata."""

import re
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution, requires

from .errors import MissingPackage


def require_extra(extra: str, *, what: str) -> None:
    """Stop with the way out if a package is missing that an extra of ours brings; `what` is what asks for it."""
    ours = [line for line in requires("textsieve") or () if re.search(rf"""extra\s*==\s*["']{extra}["']""", line)]
    missing = [name for name in re.findall(r"^[\w.-]+", "\n".join(ours), re.MULTILINE) if not is_installed(name)]
    if missing or not ours:
        needed = " and ".join(missing) or f"packages of the extra {extra!r}, which this installation does not know"
        raise MissingPackage(f"{what} needs {needed}; {_way_out(extra)}")


@cache
def require_package(name: str, *, extra: str, what: str) -> None:
    """The same for one package of an extra; that one is there is remembered, that it is missing is not."""
    if not is_installed(name):
        raise MissingPackage(f"{what} needs {name}; {_way_out(extra)}")


def _way_out(extra: str) -> str:
    return f"pip install 'textsieve[{extra}]', or pip install '.[{extra}]' in a copy of its source."


def is_installed(name: str) -> bool:
    """Whether a package is there, by the name that pip has for it."""
    try:
        distribution(name)
    except PackageNotFoundError:
        return False
    return True
