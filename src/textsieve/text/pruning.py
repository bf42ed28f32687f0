"""Select the terms of a vocabulary by document frequency and by a maximum number."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Ints
from ..errors import InputError, Setting, counted
from ..settings import is_whole


def check_limits(min_df: float, max_df: float, max_features: int | None = None) -> None:
    """Raise `InputError` for invalid limits."""
    for name, value in (("min_df", min_df), ("max_df", max_df)):
        if not ((is_whole(value) and value >= 1) or (isinstance(value, float) and 0.0 <= value <= 1.0)):
            raise InputError(setting=name, value=value, hint="use a whole number from 1, or a share from 0.0 to 1.0")
    if max_features is not None and not (is_whole(max_features) and max_features >= 1):
        raise InputError(setting="max_features", value=max_features, hint="use a whole number from 1, or None")


def df_bounds(n_documents: float, min_df: float, max_df: float) -> tuple[float, float]:
    """Return the smallest and the largest document frequency of the terms to keep.

    An integer limit is a number of documents, a float limit a share of them. Raises `InputError` if no document
    frequency can be within the limits.
    """
    least = min_df if is_whole(min_df) else min_df * n_documents
    most = max_df if is_whole(max_df) else max_df * n_documents
    if least > n_documents:
        raise InputError(
            f"there are only {counted(n_documents, 'document')}, so no term is in {least:g} of them",
            setting="min_df",
            value=min_df,
            hint=("lower ", Setting("min_df")),
        )
    if most < least:
        raise InputError(
            (
                Setting("max_df", max_df),
                " is fewer documents than ",
                Setting("min_df", min_df),
                f": at most {most:g} and at least {least:g} of {round(n_documents, 2):,} documents",
            ),
            hint=("lower ", Setting("min_df"), " or raise ", Setting("max_df")),
        )
    return least, most


def no_documents() -> InputError:
    """Return the error for a collection without documents."""
    return InputError("There are no documents", hint="Give an iterable of at least one text")


def no_terms(n_documents: float, reason: tuple[str | Setting, ...] = ()) -> InputError:
    """Return the error for documents without any term; `reason` says why (see `Reading.no_terms_reason`)."""
    problem = f"None of the {round(n_documents, 2):,} documents has a term"
    return InputError((f"{problem}: ", *reason, ".") if reason else f"{problem}.")


def none_within(n_documents: float, min_df: float, max_df: float) -> InputError:
    """Return the error if no term is within the limits."""
    least, most = df_bounds(n_documents, min_df, max_df)
    return InputError(
        (
            f"No term is in {least:g} to {most:g} of the {round(n_documents, 2):,} documents (",
            Setting("min_df", min_df),
            ", ",
            Setting("max_df", max_df),
            ")",
        ),
        hint=("lower ", Setting("min_df"), " or raise ", Setting("max_df")),
    )


def terms_within_limits(
    numbers: Ints,
    n_documents: float,
    totals: Callable[[], tuple[NDArray[Any], NDArray[Any]]],
    *,
    min_df: float,
    max_df: float,
    max_features: int | None = None,
    binary: bool = False,
    no_terms_reason: tuple[str | Setting, ...] = (),
) -> Ints:
    """Return the positions in `numbers`, ascending, of the terms that are within the limits.

    `numbers` has the term numbers in alphabetical order of the terms. `totals` returns two arrays indexed by term
    number, the document frequency and the number of occurrences; it is called only if a limit needs them.
    `max_features` keeps the terms with most occurrences (with `binary`, with the highest document frequency), and of
    equally frequent terms the alphabetically first. `no_terms_reason` is for the error if there are no terms at all.
    """
    if n_documents == 0:
        raise no_documents()
    if len(numbers) == 0:
        raise no_terms(n_documents, no_terms_reason)
    least, most = df_bounds(n_documents, min_df, max_df)
    if least <= 1 and most >= n_documents and max_features is None:  # every term is within the limits
        return np.arange(len(numbers))
    doc_freq, occurrences = (total[numbers] for total in totals())
    selected = np.flatnonzero((doc_freq >= least) & (doc_freq <= most))
    if len(selected) == 0:
        raise none_within(n_documents, min_df, max_df)
    if max_features is not None and len(selected) > max_features:
        frequencies = (doc_freq if binary else occurrences)[selected]
        most_frequent = np.argsort(-frequencies, kind="stable")[:max_features]
        selected = np.sort(selected[most_frequent])
    return selected
