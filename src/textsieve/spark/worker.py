"""What holds for code that runs on the machines of a cluster: it waits for the kernels, and says plainly what is wrong.

A process does many tasks, and Spark sweeps up its garbage after each. Looking through all that numba, scipy and others
have loaded takes longer than most tasks do; so what is there after a task is left out from then on (`swept`).

An error on another machine comes back as the text of a traceback inside an error of Spark. If it is one of ours, which
says to a person what is wrong with the documents, it is raised again as itself (`plainly`).
"""

from __future__ import annotations

import gc
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

from .. import errors
from ..errors import InputError
from .compiling import compiled

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame
    from pyspark.sql import types as T

    Batches = Iterator[pa.RecordBatch]
    Task = Callable[[Batches], Batches]

_OURS = re.compile(r"textsieve\.errors\.(\w+): (.*)")


def mapped(df: DataFrame, function: Task, schema: T.StructType | str) -> DataFrame:
    """The batches of a DataFrame after a task, which begins when the kernels are there."""

    def run(batches: Batches) -> Batches:
        compiled()
        yield from function(batches)
        swept(len(sys.modules))

    with warnings.catch_warnings():  # it asks for pandas, and whether that is too new, also where only Arrow is used
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
        return df.mapInArrow(run, schema)


@cache
def swept(n_modules: int) -> None:  # once more whenever more has been loaded
    """Sweep up now, and have what is left passed over by all that sweep after us."""
    gc.collect()
    gc.freeze()


@contextmanager
def plainly() -> Iterator[None]:
    """Raise an error of ours from another machine as itself, and leave all others as they are."""
    try:
        yield
    except Exception as problem:  # toLocalIterator lets those of py4j through, which a client of Connect does not have
        found = _OURS.findall(str(problem))
        if not found:
            raise
        kind: Any = getattr(errors, found[-1][0], InputError)
        raise kind(found[-1][1].strip()) from problem
