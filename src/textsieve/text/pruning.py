"""Which terms stay in a vocabulary: not those in too few or too many documents, and only so many in all."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, counted
from ..settings import is_whole

Ints = NDArray[np.int64]


def check_limits(min_df: float, max_df: float, max_features: int | None = None) -> None:
    """Refuse limits that mean nothing."""
    for name, value in (("min_df", min_df), ("max_df", max_df)):
        if not ((is_whole(value) and value >= 1) or (isinstance(value, float) and 0.0 <= value <= 1.0)):
            raise InputError(f"{name}={value!r}; use a whole number from 1, or a share from 0.0 to 1.0.")
    if max_features is not None and not (is_whole(max_features) and max_features >= 1):
        raise InputError(f"max_features={max_features!r}; use a whole number from 1, or None.")


def df_bounds(n_documents: float, min_df: float, max_df: float) -> tuple[float, float]:
    """In how many documents a term must be at least, and at most."""
    least = min_df if is_whole(min_df) else min_df * n_documents
    most = max_df if is_whole(max_df) else max_df * n_documents
    if least > n_documents:
        raise InputError(
            f"min_df={min_df!r}: there are only {counted(n_documents, 'document')}, so no term is in {least:g} of "
            "them; lower min_df."
        )
    if most < least:
        raise InputError(
            f"max_df={max_df!r} is fewer documents than min_df={min_df!r}: at most {most:g} and at least {least:g} of "
            f"{n_documents:,} documents."
        )
    return least, most


def no_documents() -> InputError:
    """What is said if there are no documents."""
    return InputError("There are no documents. Give an iterable of at least one text.")


def no_terms(n_documents: float) -> InputError:
    """What is said if no document has a term."""
    return InputError(
        f"None of the {n_documents:,} documents has a term. (A word is two or more letters, digits or underscores; "
        "stop words are left out.)"
    )


def none_within(n_documents: float, min_df: float, max_df: float) -> InputError:
    """What is said if all terms are in too few or too many documents."""
    least, most = df_bounds(n_documents, min_df, max_df)
    return InputError(
        f"No term is in {least:g} to {most:g} of the {n_documents:,} documents (min_df={min_df!r}, "
        f"max_df={max_df!r}); lower min_df or raise max_df."
    )


def kept_terms(
    numbers: Ints,
    n_documents: float,
    totals: Callable[[], tuple[NDArray[Any], NDArray[Any]]],
    *,
    min_df: float,
    max_df: float,
    max_features: int | None = None,
    binary: bool = False,
) -> Ints:
    """The places, among terms in the order of the alphabet, of those that stay.

    `numbers` says where in the `totals` (documents with the term, occurrences in all) each term is; they are only
    asked for if a limit needs them. Of equally frequent terms, the first in the alphabet stays; where every count is
    written as 1, a term is as frequent as its documents are many.
    """
    if n_documents == 0:
        raise no_documents()
    if len(numbers) == 0:
        raise no_terms(n_documents)
    least, most = df_bounds(n_documents, min_df, max_df)
    if least <= 1 and most >= n_documents and max_features is None:
        return np.arange(len(numbers))
    doc_freq, occurrences = (total[numbers] for total in totals())
    kept = np.flatnonzero((doc_freq >= least) & (doc_freq <= most))
    if len(kept) == 0:
        raise none_within(n_documents, min_df, max_df)
    if max_features is not None and len(kept) > max_features:
        times = (doc_freq if binary else occurrences)[kept]
        most_frequent = np.argsort(-times, kind="stable")[:max_features]
        kept = np.sort(kept[most_frequent])
    return kept
