"""Run code on the workers of a cluster, and raise its errors on the driver.

A worker process runs many tasks, and after each of them, Spark runs Python's garbage collector. Traversing all objects
that numba, scipy and others have loaded takes longer than most tasks. So `freeze_gc` excludes the objects that exist
after the first task from garbage collection, and later those of modules that have been loaded since.

Spark hands over an error of a task as text: a traceback inside a Spark error. An `InputError` of a task is therefore
raised as a `TaskError`, whose message is one line of JSON with its class and fields. `reraise_own_errors` finds this
line, and raises the same class with the same fields on the driver.
"""

from __future__ import annotations

import gc
import json
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.storagelevel import StorageLevel

from .. import errors
from ..errors import UNSET, InputError, Place, Setting

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql import types as T

    Batches = Iterator[pa.RecordBatch]
    Task = Callable[[Batches], Batches]


def map_batches(df: DataFrame, function: Task, schema: T.StructType | str) -> DataFrame:
    """Return the DataFrame that results from running a task on each partition.

    An `InputError` of the task is raised as `TaskError`; see the docstring of this module.
    """

    def run(batches: Batches) -> Batches:
        try:
            yield from function(batches)
        except InputError as error:
            raise TaskError(encode_error(error)) from error
        freeze_gc(len(sys.modules))

    with warnings.catch_warnings():
        # pyspark.sql.pandas builds the task, and warns about new versions of pandas, even though only Arrow is used.
        warnings.filterwarnings("ignore", category=FutureWarning, module=r"pyspark\.sql\.pandas\.")
        return df.mapInArrow(run, schema)


@cache
def freeze_gc(n_modules: int) -> None:
    """Collect garbage now, and exclude the remaining objects from later garbage collections.

    `n_modules` is the number of loaded modules. Because of the cache, this runs again only when it has changed.
    """
    gc.collect()
    gc.freeze()


# -- errors ------------------------------------------------------------------------------------------------------


class TaskError(Exception):
    """An `InputError` of a task; the message is its class and fields as one line of JSON."""


_TASK_ERROR = re.compile(rf"^.*\b{TaskError.__name__}: (\{{.*\}})\s*$", re.MULTILINE)
"""The last line of the traceback of a `TaskError`; its group is the JSON."""


@contextmanager
def reraise_own_errors() -> Iterator[None]:
    """Raise an `InputError` of a task on the driver with its class and fields; leave other errors as they are."""
    try:
        yield
    except Exception as problem:  # toLocalIterator may raise errors of py4j, which a Connect client does not have
        lines = _TASK_ERROR.findall(str(problem))
        if not lines:
            raise
        raise decode_error(lines[-1]) from problem  # the last: a traceback has the causes of an error before it


def encode_error(error: InputError) -> str:
    """Return the class and the fields of an error as one line of JSON."""
    # A subclass that is defined elsewhere is encoded as its base class in `errors`, where `decode_error` looks for it.
    kind = next(kind for kind in type(error).__mro__ if kind.__module__ == errors.__name__)
    fields = {
        "problem": _encode_message(error.problem),
        "place": error.place and [error.place.source, error.place.part],
        "setting": error.setting,
        "value": _encode_value(error.value),
        "allowed": [_encode_value(value) for value in error.allowed],
        "hint": _encode_message(error.hint),
    }
    return json.dumps({"class": kind.__name__, **fields})


def decode_error(line: str) -> InputError:
    """Return the error that `encode_error` wrote."""
    fields = json.loads(line)
    kind: type[InputError] = getattr(errors, fields["class"])
    return kind(
        _decode_message(fields["problem"]),
        place=fields["place"] and Place(*fields["place"]),
        setting=fields["setting"],
        value=_decode_value(fields["value"]),
        allowed=map(_decode_value, fields["allowed"]),
        hint=_decode_message(fields["hint"]),
    )


class _ReprOnly:
    """Stands for a value of which only the `repr` is known, because JSON can't represent it."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


def _encode_value(value: object) -> Any:
    """Return a value in a form that JSON can represent: 5 as `[5]`, a function as its `repr`, and `UNSET` as None.

    The list distinguishes a value that is a text, or None, from a `repr` and from no value.
    """
    if value is UNSET:
        return None
    return [value] if value is None or isinstance(value, str | int | float) else repr(value)


def _decode_value(encoded: list[Any] | str | None) -> Any:
    """Return the value that `_encode_value` encoded."""
    if encoded is None:
        return UNSET
    return _ReprOnly(encoded) if isinstance(encoded, str) else encoded[0]


def _encode_message(message: errors.Message) -> Any:
    """Return a message in a form that JSON can represent: a text, or a list of pieces.

    A piece is a text, or the name and value of a setting: `["use ", ["min_df", [2]]]`.
    """
    if isinstance(message, str):
        return message
    return [piece if isinstance(piece, str) else [piece.name, _encode_value(piece.value)] for piece in message]


def _decode_message(encoded: Any) -> errors.Message:
    """Return the message that `_encode_message` encoded."""
    if isinstance(encoded, str):
        return encoded
    return tuple(piece if isinstance(piece, str) else Setting(piece[0], _decode_value(piece[1])) for piece in encoded)


# -- results -----------------------------------------------------------------------------------------------------


def pack_arrays(**arrays: NDArray[Any]) -> pa.RecordBatch:
    """Return a batch of one row, which has the bytes of each array in a column with its name.

    Arrow transfers a few long values faster than many short ones.
    """
    columns = [pa.array([array.tobytes()], pa.binary()) for array in arrays.values()]
    return pa.record_batch(columns, names=list(arrays))


@contextmanager
def persisted(df: DataFrame) -> Iterator[DataFrame]:
    """Persist a DataFrame on the workers, in memory or on disk, until the end of this block."""
    persistent_df = df.persist(StorageLevel.MEMORY_AND_DISK)
    try:
        yield persistent_df
    finally:
        persistent_df.unpersist()


_COALESCE_CACHED = "spark.sql.optimizer.canChangeCachedPlanOutputPartitioning"
"""Whether Spark may combine small partitions of persisted DataFrames."""
_EXCLUDED_RULES = ("spark.sql.optimizer.excludedRules", "spark.sql.adaptive.optimizer.excludedRules")
"""Rules that are not applied when a query is planned, and when it is planned again while it runs."""
_EVALUATE_LOCALLY = "org.apache.spark.sql.catalyst.optimizer.ConvertToLocalRelation"
"""The rule that evaluates columns of small DataFrames on the driver."""


@contextmanager
def settings_for_training(session: SparkSession) -> Iterator[None]:
    """Set options of the session as training needs them, and restore them at the end of this block.

    - Let Spark combine small partitions of persisted DataFrames, as it does for others. Each partition is a task, and
      going through a table of few terms in the default 200 partitions takes ten times as long.
    - Let the workers evaluate all columns of documents. For a small DataFrame that was created from values in memory,
      Spark would do this on the driver, as if all rows were in one partition. But a column of `with_frequencies`
      depends on the partition.
    """
    before = {name: session.conf.get(name, None) for name in (_COALESCE_CACHED, *_EXCLUDED_RULES)}
    rules = {name: ",".join(filter(None, [before[name], _EVALUATE_LOCALLY])) for name in _EXCLUDED_RULES}
    settings = {_COALESCE_CACHED: "true", **rules}
    for name, value in settings.items():
        session.conf.set(name, value)
    try:
        yield
    finally:
        for name, previous in before.items():
            if previous is None:
                session.conf.unset(name)
            else:
                session.conf.set(name, previous)


FEW_BYTES = 1 << 26
"""Results up to this size are collected at once."""


def collect_in_order(rows: DataFrame, n_bytes: int | None = None) -> Iterator[dict[str, Any]]:
    """Yield the rows of a DataFrame in the order of its partitions.

    `n_bytes` is the size of all rows, if it is known. A small result comes in one job. Otherwise, the workers compute
    all rows in parallel and persist them, and then one partition after the other comes to the driver, so that the
    driver's Java process never holds more than one.
    """
    if n_bytes is not None and n_bytes <= FEW_BYTES:
        for batch in rows.toArrow().to_batches():
            yield from batch.to_pylist()
        return
    with persisted(rows) as persistent_rows:
        persistent_rows.write.format("noop").mode("overwrite").save()  # computes all partitions
        for row in persistent_rows.toLocalIterator():
            yield row.asDict()
