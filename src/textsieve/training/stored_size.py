"""The size of a model's coefficients, terms and idf in its file: measured, or estimated in a hundredth of the time."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..archive import compressed_size
from ..arrays import Floats, Ints
from ..classifiers.sparse_linear import LARGEST_INTEGER, SparseLinearScorer
from ..text.front_coding import join_terms, shared_prefixes
from ..text.weights import IDF_STEPS


class StoredSize:
    """The bytes that some of the `terms` take in a model file, with their coefficients and idf."""

    def __init__(self, terms: Sequence[str]) -> None:
        self._terms = terms

    def measure(self, columns: Ints, scorer: SparseLinearScorer, idf: Floats) -> int:
        """Return the number of bytes of the terms in some columns, with their coefficients and idf.

        The terms of `scorer` and `idf` are in the order of `columns`.
        """
        ranks = self._ranks[columns]
        alphabetical = np.argsort(ranks)
        prefixes, terms = join_terms([self._encoded[rank] for rank in ranks[alphabetical].tolist()])
        arrays = scorer.take(alphabetical).stored_arrays()
        arrays |= {"terms": np.frombuffer(terms, np.uint8), "idf": _idf_steps(idf[alphabetical])}
        return compressed_size(arrays if prefixes is None else arrays | {"prefixes": prefixes})

    def estimate(self, columns: Ints, scorer: SparseLinearScorer, idf: Floats) -> int:
        """Return about the result of `measure`, from the entropy of what is stored.

        The terms of a class are stored as a subset of all terms: -n (p log p + (1 - p) log (1 - p)) bits for a share p
        of n terms, if the subset is random.
        """
        n_terms = len(columns)
        counts = np.bincount(scorer.outputs, minlength=scorer.n_outputs)  # the number of coefficients of each output
        # A class with no term or all terms takes 0 bits; the formula would have log 0.
        shares = counts[(counts > 0) & (counts < n_terms)] / max(n_terms, 1)
        bits_of_columns = -n_terms * float((shares * np.log2(shares) + (1 - shares) * np.log2(1 - shares)).sum())
        ranks = np.sort(self._ranks[columns])
        prefixes = self._prefixes_of(ranks)
        n_suffix_bytes = int((self._lengths[ranks] - prefixes).sum()) + n_terms  # and a separator after each term
        if scorer.numbers.dtype == np.int8:
            bits_of_coefficients = _entropy(scorer.numbers.astype(np.int64) + LARGEST_INTEGER)  # shifted to be >= 0
        else:  # hardly two floats are equal
            bits_of_coefficients = 8.0 * scorer.numbers.nbytes
        bits = (
            bits_of_columns
            + bits_of_coefficients
            + _entropy(prefixes)
            + _entropy(_idf_steps(idf))
            + self._bits_per_suffix_byte * n_suffix_bytes
        )
        return int((bits + _entropy(counts)) / 8) + scorer.intercepts.nbytes + scorer.scales.nbytes

    @cached_property
    def _alphabetical(self) -> Ints:
        """Return the columns of all terms in alphabetical order."""
        return np.array(sorted(range(len(self._terms)), key=self._terms.__getitem__), np.int64)

    @cached_property
    def _ranks(self) -> Ints:
        """Return the alphabetical position of each term."""
        ranks = np.empty(len(self._terms), np.int64)
        ranks[self._alphabetical] = np.arange(len(self._terms))
        return ranks

    @cached_property
    def _encoded(self) -> list[bytes]:
        """Return all terms as UTF-8, in alphabetical order.

        A lone surrogate raises an error when the model is saved, but not here ("surrogatepass").
        """
        return [self._terms[column].encode("utf-8", "surrogatepass") for column in self._alphabetical.tolist()]

    @cached_property
    def _lengths(self) -> Ints:
        """Return the number of bytes of each term, in alphabetical order."""
        return np.array([len(term) for term in self._encoded], np.int64)

    @cached_property
    def _prefixes(self) -> NDArray[np.uint8]:
        """Return how many bytes each term shares with the one before, in alphabetical order."""
        return shared_prefixes(self._encoded)

    @cached_property
    def _bits_per_suffix_byte(self) -> float:
        """Return how many bits a byte takes if the suffixes of all terms, left by front coding, are compressed."""
        from zstandard import ZstdCompressor

        suffixes = [term[length:] for term, length in zip(self._encoded, self._prefixes.tolist(), strict=True)]
        text = b"\n".join(suffixes)
        return 8 * len(ZstdCompressor().compress(text)) / max(len(text), 1)

    def _prefixes_of(self, ranks: Ints) -> Ints:
        """Return for some of the terms how many bytes each shares with the one before it among them; 0 for the first.

        `ranks` are the alphabetical positions of these terms, ascending. `_prefixes` has the number of bytes that
        neighbours among all terms share. The terms at the positions i < j share the minimum of `_prefixes[i + 1]` to
        `_prefixes[j]`.
        """
        prefixes = np.zeros(len(ranks), np.int64)
        if len(ranks) > 1:
            prefixes[1:] = np.minimum.reduceat(self._prefixes[: ranks[-1] + 1], ranks[:-1] + 1)
        return prefixes


def _idf_steps(idf: Floats) -> NDArray[np.uint8]:
    """Return idf as in the file of a model with few coefficients: as multiples of 1 / `IDF_STEPS`."""
    return (idf * IDF_STEPS).astype(np.uint8)


def _entropy(numbers: NDArray[np.integer]) -> float:
    """Return the entropy of some numbers from 0, in bits: the smallest size of a code for all of them together."""
    counts = np.bincount(numbers)
    counts = counts[counts > 0]
    return float((counts * np.log2(counts.sum() / counts)).sum()) if len(counts) else 0.0
