"""Counting the terms that are known, in whatever documents come: few of them in plain Python, many by the kernels."""

from collections.abc import Iterable

import numpy as np

from ..settings import n_threads
from .documents import Reading
from .few import FewDocuments
from .rows import Rows
from .vocabulary import Vocabulary

LONG_RUN = 16
"""Longer runs of words are looked for by the kernels even in a few documents: plain Python spells all of them out."""


def count_known(
    documents: Iterable[str | bytes],
    vocabulary: Vocabulary,
    reading: Reading,
    *,
    n_jobs: int | None = 1,
    dtype: type[np.number] = np.int64,
) -> Rows:
    """How often each term of the vocabulary is in each document. Any number of threads gives the same."""
    few, texts = reading.few_or_many(documents)
    if few is not None and vocabulary.ngram_range[1] <= LONG_RUN:
        counted = FewDocuments(
            few,
            vocabulary.columns,
            learn=False,
            ngram_range=vocabulary.ngram_range,
            stop_words=vocabulary.stop_words,
            **reading.words_are,
        )
        return counted.rows(None, len(vocabulary), dtype=dtype)
    from .tally import encoded_slices, tally

    threads = n_threads(n_jobs)
    tabled = vocabulary.tabled(reading)
    tallied = tally(encoded_slices(texts), tabled.table, learn=False, n_jobs=threads)
    return tallied.rows(tabled.columns, len(vocabulary), dtype=dtype, n_jobs=threads)
