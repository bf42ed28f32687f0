"""Front coding: sorted terms as the number of bytes that each shares with the one before, and the rest of its bytes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MAX_PREFIX = 255
"""The longest shared beginning of two terms that `front_code` uses, so that its length fits into a byte."""


def front_code(terms: list[bytes]) -> tuple[NDArray[np.uint8], list[bytes]]:
    """Return how many bytes each term shares with the one before, and the rest of each term.

    Sorted terms become much shorter in this way.
    """
    prefixes, suffixes = np.zeros(len(terms), np.uint8), []
    previous = b""
    for number, term in enumerate(terms):
        length = 0
        for byte, previous_byte in zip(term, previous[:MAX_PREFIX], strict=False):
            if byte != previous_byte:
                break
            length += 1
        prefixes[number] = length
        suffixes.append(term[length:])
        previous = term
    return prefixes, suffixes


def front_decode(prefixes: NDArray[np.uint8], suffixes: list[bytes]) -> list[bytes]:
    """Return the terms of `front_code`; raise `ValueError` if one shares more bytes than the one before has."""
    terms: list[bytes] = []
    previous = b""
    for length, suffix in zip(prefixes.tolist(), suffixes, strict=True):
        if length > len(previous):
            raise ValueError(f"{length} bytes of a term of {len(previous)}")
        previous = previous[:length] + suffix
        terms.append(previous)
    return terms
