"""What Spark says when something fails, in a sentence: of all its Java and Python, the line that says what is wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from py4j.protocol import Py4JError, Py4JNetworkError
from pyspark.errors import PySparkException

from ..errors import InputError
from .worker import plainly

_RAISED_IN_PYTHON = re.compile(r"^((?:\w+\.)*\w*(?:Error|Exception|Interrupt|Exit)\b.*)$", re.MULTILINE)
_KNOWN = re.compile(r"\[[A-Z][A-Z0-9_]+(?:\.[A-Z0-9_]+)*\] .*")
_CAUSE = re.compile(r"^(?:Caused by)?: (?:[\w$]+\.)*[\w$]+: (.+)$", re.MULTILINE)
_CODES = re.compile(r"^\s*(?:\[USER_RAISED_EXCEPTION\]\s*)?|\s*SQLSTATE: \w+\s*$")
_WAYS_OUT = (
    ("No module named 'textsieve'", "Install textsieve[spark] for the Python of the workers, PYSPARK_PYTHON."),
    ("No module named", "Install it for the Python of the workers, PYSPARK_PYTHON."),
    ("PYTHON_VERSION_MISMATCH", "Name the same Python for driver and workers with PYSPARK_PYTHON."),
    ("JAVA_GATEWAY_EXITED", "Above it says why; look whether java -version is 17 or later, and at --conf."),
    ("MALFORMED_RECORD", "A line of a file is broken; training on each file without --engine spark names the line."),
    ("java.lang.OutOfMemoryError", "Give it more memory: spark.driver.memory, spark.executor.memory."),
    ("maxResultSize", "Raise spark.driver.maxResultSize."),
    ("ClassNotFoundException: Class org.apache.hadoop.fs.s3a", "Have Spark load it: spark.jars.packages."),
)
"""What is said in a message, and what is to be done about it."""


def gist(message: str) -> str:
    """What says most: the last Python error in a message, what Spark has a name for, the last cause, or its start."""
    _, traceback, after = message.rpartition("Traceback (most recent call last):")
    raised = _RAISED_IN_PYTHON.findall(after) if traceback else []
    known, causes = _KNOWN.search(message), _CAUSE.findall(message)
    line = raised[0] if raised else known[0] if known else causes[-1] if causes else message.strip().partition("\n")[0]
    said = _CODES.sub("", line).rstrip(".")
    way_out = next((way for sign, way in _WAYS_OUT if sign in message), None)
    return f"{said}." if way_out is None else f"{said}. {way_out}"


@contextmanager
def in_one_sentence() -> Iterator[None]:
    """Raise what Spark raises as an `InputError` of one sentence; what is ours stays as it is."""
    try:
        with plainly():
            yield
    except Py4JNetworkError as problem:
        raise InputError("Spark: its Java has ended, perhaps for want of memory (spark.driver.memory).") from problem
    except (PySparkException, Py4JError) as problem:
        raise InputError(f"Spark: {gist(str(problem))}") from problem
