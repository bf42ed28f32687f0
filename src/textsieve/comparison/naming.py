"""The name of an estimator that is given as an object: what it prints, and nothing that changes from run to run.

Rows are found by their names, also in later runs, so a name has to say all. scikit-learn prints no more than 30
elements and 700 characters; what was left out is then told apart by a number made of all parameters. An object that
prints as its address in memory has another name in each run; it is taken only if its parameters say what it is.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import InputError

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_SHORTENED = "..."


def name_of(kind: str, given: Any) -> str:
    """What rows are called by."""
    printed = " ".join(repr(given).split())
    if not (_ADDRESS.search(printed) or _SHORTENED in printed):
        return printed
    all_of_it = described(given)
    if _ADDRESS.search(all_of_it) or "<lambda>" in all_of_it or "<locals>" in all_of_it:
        raise InputError(
            f"{kind}s: {printed} is called otherwise in each run, and rows are found by their names; give it, and "
            "what it holds, a __repr__ that says what it is, and functions a name."
        )
    return f"{_ADDRESS.sub('', printed)} #{hashlib.sha256(all_of_it.encode()).hexdigest()[:8]}"


def described(value: Any) -> str:
    """All that is in a value, however long."""
    if hasattr(value, "get_params") and not isinstance(value, type):
        return f"{_full_name(type(value))}{described(value.get_params(deep=False))}"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{described(key)}: {described(each)}' for key, each in value.items())}}}"
    if isinstance(value, list | tuple):
        return f"{type(value).__name__}[{', '.join(map(described, value))}]"
    if isinstance(value, set | frozenset):
        return f"{type(value).__name__}[{', '.join(sorted(map(described, value)))}]"
    if isinstance(value, np.ndarray):
        return f"array{value.dtype}{value.shape}{described(value.tolist())}"
    return _full_name(value) if callable(value) and hasattr(value, "__qualname__") else repr(value)


def _full_name(made: Any) -> str:
    return f"{made.__module__}.{made.__qualname__}"
