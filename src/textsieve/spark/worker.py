"""What holds for code that runs on the machines of a cluster: compile once, and say plainly what is wrong.

Kernels are compiled on first use and kept on disk for all processes of a machine. Several processes that begin at the
same time would compile, and write, the same at once; so the first does it while the others wait (`compiled`). A process
does many tasks, and Spark sweeps up its garbage after each; what is loaded by then is left out of that, for looking
through all of it takes longer than most tasks.

An error on another machine comes back as the text of a traceback inside an error of Spark. If it is one of ours, which
says to a person what is wrong with the documents, it is raised again as itself (`plainly`).
"""

from __future__ import annotations

import gc
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.errors import PySparkException

from .. import errors
from ..errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

    Batches = Iterator[pa.RecordBatch]
    Task = Callable[[Batches], Batches]

_OURS = re.compile(r"textsieve\.errors\.(\w+): (.*)")


@cache
def compiled() -> None:
    """Have the kernels that tasks use compiled, by one process of this machine; the others wait for it."""
    from ..kernels.jit import FINGERPRINT

    with _alone(Path(tempfile.gettempdir()) / f"textsieve-{_user()}-{FINGERPRINT[:16]}.lock"):
        _use_kernels()
    gc.freeze()


def _user() -> str:
    import getpass

    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a user without a name
        return "nobody"


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Wait until no other process is in here."""
    try:
        import fcntl
    except ImportError:  # there is none on Windows
        yield
        return
    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(file, fcntl.LOCK_UN)


def _use_kernels() -> None:
    """Go once through what a task does, with documents as many as take the way of the kernels."""
    import numpy as np

    from ..stats import ClassStats
    from ..text.counter import TermCounter
    from ..text.schemes import LTC
    from ..training.documents import weighted

    texts = ["kernels are compiled for many documents", "and not for a few"] * 100
    labels = np.tile([0, 1], 100)
    counts = TermCounter(dtype=np.int32, n_jobs=1).fit_transform(texts)
    ClassStats.from_matrix(counts, labels)
    ClassStats.from_matrix(weighted(counts, LTC, np.ones(counts.shape[1])), labels)


def task(function: Task) -> Task:
    """A task as it runs on another machine: it begins when the kernels are there."""

    def run(batches: Batches) -> Batches:
        compiled()
        yield from function(batches)

    return run


@contextmanager
def plainly() -> Iterator[None]:
    """Raise an error of ours from another machine as itself, and leave all others as they are."""
    try:
        yield
    except PySparkException as problem:
        found = _OURS.findall(str(problem))
        if not found:
            raise
        kind: Any = getattr(errors, found[-1][0], InputError)
        raise kind(found[-1][1].strip()) from problem
