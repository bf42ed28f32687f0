"""Front coding: store sorted terms as the number of bytes that each shares with the one before, and its other bytes.

For example, `car`, `care`, `cat` become the numbers 0, 3, 2 (*prefixes*) and the bytes `car`, `e`, `t` (*suffixes*).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MAX_PREFIX = 255
"""The largest number of shared bytes that `front_code` uses, so that each prefix fits into a byte."""


MAX_SHARED_RATIO = 8
"""The largest ratio of the bytes that front-coded terms share, in total, to the bytes that are stored for them.

Terms with a larger ratio are stored without front coding, so that a small file can't decode to a large list. Terms that
share at most `SMALL_TERMS` bytes in total are front-coded whatever the ratio is.
"""

SMALL_TERMS = 1 << 20


def join_terms(terms: list[bytes]) -> tuple[NDArray[np.uint8] | None, bytes]:
    """Return the prefixes and the suffixes of sorted terms, the suffixes in one string, separated by line feeds.

    If terms share too many bytes (see `MAX_SHARED_RATIO`), they are not front-coded: then return None and whole terms.
    """
    prefixes, suffixes = front_code(terms)
    joined = b"\n".join(suffixes)
    return (prefixes, joined) if may_share(prefixes, len(joined)) else (None, b"\n".join(terms))


def may_share(prefixes: NDArray[np.uint8], n_bytes: int) -> bool:
    """Return whether terms with these prefixes share few enough bytes to be front-coded (see `MAX_SHARED_RATIO`).

    `n_bytes` is the number of bytes that are stored: the suffixes and the line feeds between them.
    """
    return int(prefixes.sum(dtype=np.int64)) <= max(MAX_SHARED_RATIO * n_bytes, SMALL_TERMS)


def front_code(terms: list[bytes]) -> tuple[NDArray[np.uint8], list[bytes]]:
    """Return the prefixes and the suffixes of sorted terms, as in the example at the top."""
    prefixes = shared_prefixes(terms)
    return prefixes, [term[length:] for term, length in zip(terms, prefixes.tolist(), strict=True)]


def shared_prefixes(terms: list[bytes]) -> NDArray[np.uint8]:
    """Return how many bytes each term shares with the one before, at most `MAX_PREFIX`.

    All terms are compared with the one before at once, by their first bytes. Those that agree are compared by their
    second bytes, and so on.
    """
    prefixes = np.zeros(len(terms), np.uint8)
    data = np.frombuffer(b"".join(terms), np.uint8)
    lengths = np.array([len(term) for term in terms], np.int64)
    begins = np.cumsum(lengths) - lengths
    # Element i is the largest number of bytes that term i + 1 can share with term i.
    max_prefixes = np.minimum(np.minimum(lengths[1:], lengths[:-1]), MAX_PREFIX)
    agreeing = np.arange(1, len(terms))  # the numbers of terms that share `length` bytes with the one before
    for length in range(int(max_prefixes.max(initial=0))):
        agreeing = agreeing[max_prefixes[agreeing - 1] > length]
        agreeing = agreeing[data[begins[agreeing] + length] == data[begins[agreeing - 1] + length]]
        if not len(agreeing):
            break
        prefixes[agreeing] = length + 1
    return prefixes


def front_decode(prefixes: NDArray[np.uint8], suffixes: list[bytes]) -> list[bytes]:
    """Return the terms with these prefixes and suffixes; raise `ValueError` if a prefix exceeds the term before."""
    terms: list[bytes] = []
    previous = b""
    for length, suffix in zip(prefixes.tolist(), suffixes, strict=True):
        if length > len(previous):
            raise ValueError(f"{length} bytes of a term of {len(previous)}")
        previous = previous[:length] + suffix
        terms.append(previous)
    return terms
