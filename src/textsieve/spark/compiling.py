"""Kernels are compiled once on each machine, and not by several processes at a time.

They are compiled on first use, and kept on disk for all processes of a machine. Tasks that begin at the same time would
all compile the same, and write it to the same files. So the first process that comes goes through all that tasks do,
while the others wait; then it leaves a mark beside what was compiled, which is all that later processes look for.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ..warning import warn

_N_DOCUMENTS = 1500
"""More than are counted without kernels."""


@cache
def compiled() -> None:
    """Compile the kernels that tasks use, in one process of this machine; without a cache folder, do nothing."""
    from ..kernels.align import align
    from ..kernels.jit import cache_folder, compiled_for

    folder = cache_folder(align)
    if folder is None:  # every process compiles for itself, and writes nothing
        return
    mark = folder / f"compiled-{compiled_for()}"
    if mark.exists():
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with alone(folder / "compiling.lock"):
            if not mark.exists():
                use_kernels()
                mark.touch()
    except OSError as problem:  # a full disk must not stop a task
        warn(f"Compiled code can't be written to {folder} ({problem.strerror or problem}); each process compiles anew.")


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Wait until no other process is in here."""
    try:
        import fcntl
    except ImportError:  # there is none on Windows
        yield
        return
    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def use_kernels() -> None:
    """Go once through what tasks do."""
    from scipy import sparse

    from ..classifiers.linear import LinearScorer
    from ..classifiers.vote_table import vote_shares, vote_table
    from ..extras import is_installed
    from ..selectors import OCFS, TOFA, ChiSquare, InformationGain
    from ..stats import ClassStats
    from ..stats.labels import label_pairs
    from ..text.counter import TermCounter
    from ..text.rows import Rows
    from ..text.schemes import LTC
    from ..training.documents import weighted

    texts = ["kernels are compiled for many documents", "New York has none"] * (_N_DOCUMENTS // 2)
    numbers = np.tile([0, 1], _N_DOCUMENTS // 2)
    members = sparse.csr_array(np.stack([numbers == 0, numbers == 1], axis=1).astype(np.int8))
    ways: list[dict[str, Any]] = [{}, {"ngram_range": (1, 2)}, {"names": True}]
    ways += [{"normalise": "stem"}] if is_installed("pystemmer") else []
    for way in ways:
        counter = TermCounter(dtype=np.int32, n_jobs=1, **way)
        counts = counter.partial_fit_transform(texts)
        known = TermCounter(dtype=np.int32, n_jobs=1, vocabulary=counter.get_feature_names_out().tolist()[::-1], **way)
        known.transform(texts)
    of_counts = ClassStats.from_matrix(counts, members)
    for dtype in (np.float32, np.float64):
        rows = weighted(counts, LTC, np.ones(counts.shape[1]), dtype)
        of_weights = ClassStats.from_matrix(rows, members)
        _ = of_weights.update(rows, members).classes  # parts are merged when they are read
    for selector in (InformationGain(), ChiSquare(), OCFS(), TOFA(weight=0.5), OCFS(class_weight="balanced")):
        selector.fit_stats(of_weights if isinstance(selector, TOFA) else of_counts)
    table = vote_table(Rows.of(rows), label_pairs(members, len(texts)), 1)
    shares = vote_shares(table, np.ones(2), 1)
    LinearScorer(shares, np.zeros(2)).scores(Rows.of(rows))
