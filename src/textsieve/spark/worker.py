"""Run code on the workers of a cluster, and raise its errors on the driver.

A worker process runs many tasks, and Spark collects garbage after each. Traversing all objects that numba, scipy and
others have loaded takes longer than most tasks; so objects that exist after a task are excluded from then on
(`freeze_gc`).

An error on a worker arrives as the text of a traceback inside a Spark error. If it is an error of textsieve, which
tells users what is wrong with the documents, it is raised again as itself (`reraise_own_errors`).
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

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame
    from pyspark.sql import types as T

    Batches = Iterator[pa.RecordBatch]
    Task = Callable[[Batches], Batches]

_OURS = re.compile(r"textsieve\.errors\.(\w+): (.*)")


def mapped(df: DataFrame, function: Task, schema: T.StructType | str) -> DataFrame:
    """Return the DataFrame that results from running a task on each partition."""

    def run(batches: Batches) -> Batches:
        yield from function(batches)
        freeze_gc(len(sys.modules))

    with warnings.catch_warnings():  # Spark warns about new versions of pandas, even if only Arrow is used
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
        return df.mapInArrow(run, schema)


@cache
def freeze_gc(n_modules: int) -> None:  # cached, so it runs again only when more modules are loaded
    """Collect garbage now, and exclude the remaining objects from later garbage collections."""
    gc.collect()
    gc.freeze()


@contextmanager
def reraise_own_errors() -> Iterator[None]:
    """Raise an error of textsieve that occurred on a worker as itself; leave all others as they are."""
    try:
        yield
    except Exception as problem:  # toLocalIterator may raise errors of py4j, which a Connect client does not have
        matches = _OURS.findall(str(problem))
        if not matches:
            raise
        kind: Any = getattr(errors, matches[-1][0], InputError)
        raise kind(matches[-1][1].strip()) from problem
