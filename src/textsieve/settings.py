"""Helpers that convert and check the values of settings: numbers, sizes in bytes, numbers of threads."""

import math
import os
import re
from numbers import Integral, Real
from typing import TypeGuard

from .errors import InputError


def is_whole(value: object) -> TypeGuard[int]:
    """Return whether a value is an integer, and not a bool."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def as_number(value: object) -> float:
    """Return a value as a float; NaN if it is a bool or no number, infinity if it is too large for a float."""
    if not isinstance(value, Real) or isinstance(value, bool):
        return math.nan
    try:
        return float(value)
    except OverflowError:  # an integer may have any number of digits
        return math.inf


def as_bytes(size: object) -> int:
    """Return the number of bytes for a size: an integer, or a text such as "500", "100kB" or "2.5MB"; 0 if invalid.

    "kB" is 1,000 bytes, and so on.
    """
    if is_whole(size):
        return max(int(size), 0)
    if not isinstance(size, str) or len(size) >= 20:  # hundreds of digits would overflow
        return 0
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmgt]?)b?", size.strip().lower())
    # The position of the unit in " kmgt" is the power of 1000.
    return int(float(match[1]) * 1000 ** " kmgt".index(match[2] or " ")) if match else 0


def n_threads(n_jobs: int | None) -> int:
    """Return the number of threads for `n_jobs`: 1 for None, all cores for -1, all but one for -2, and so on."""
    if n_jobs is None:
        return 1
    if not is_whole(n_jobs) or n_jobs == 0:
        raise InputError(setting="n_jobs", value=n_jobs, hint="use a number of threads, or -1 for all cores")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return int(n_jobs) if n_jobs > 0 else max(1, cores + 1 + int(n_jobs))
