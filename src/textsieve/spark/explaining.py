"""Summarise an error of Spark in one sentence: the line of its Java and Python traces that says what is wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from py4j.protocol import Py4JError, Py4JNetworkError
from pyspark.errors import PySparkException

from ..errors import InputError
from .worker import reraise_own_errors

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
"""Text in an error message, and the advice for it."""


def gist(message: str) -> str:
    """Return the most informative line of an error message, with advice if there is some.

    It is the last Python error, or the error with a Spark error class, or the last Java cause, or the first line.
    """
    _, traceback, after = message.rpartition("Traceback (most recent call last):")
    raised = _RAISED_IN_PYTHON.findall(after) if traceback else []
    error_class, causes = _KNOWN.search(message), _CAUSE.findall(message)
    line = (
        raised[0]
        if raised
        else error_class[0]
        if error_class
        else causes[-1]
        if causes
        else message.strip().partition("\n")[0]
    )
    reason = _CODES.sub("", line).rstrip(".")
    advice = next((text for part, text in _WAYS_OUT if part in message), None)
    return f"{reason}." if advice is None else f"{reason}. {advice}"


@contextmanager
def in_one_sentence() -> Iterator[None]:
    """Raise exceptions of Spark as an `InputError` of one sentence; exceptions of textsieve are not changed."""
    try:
        with reraise_own_errors():
            yield
    except Py4JNetworkError as problem:
        raise InputError("Spark: its Java has ended, perhaps for want of memory (spark.driver.memory).") from problem
    except (PySparkException, Py4JError) as problem:
        raise InputError(f"Spark: {gist(str(problem))}") from problem
