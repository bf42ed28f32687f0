"""Spark sessions of three kinds in one process, one after the other.

A process has one classic session at a time, and one of Connect only while there is no classic one. So a session is
kept as long as the same kind is asked for, and stopped when another is; pytest puts the tests of a kind together. The
Java process of classic sessions and the cluster are started when they are first needed, and kept until the end. The
Connect server runs on this machine's cores, and ends with its session.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Literal, get_args
from unittest.mock import patch

from pyspark import SparkContext
from pyspark.sql import SparkSession

from tests.spark.cluster import CONF, Cluster, environment, started_cluster, started_connect

Kind = Literal["local", "cluster", "connect"]
KINDS: tuple[Kind, ...] = get_args(Kind)
LOCAL = {
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.shuffle.partitions": "2",
    "spark.default.parallelism": "2",
}
"""Settings of local sessions, which run most of the tests: on few documents, planning a query again while it runs and
compiling it take longer than running it, and so do more partitions than cores. The cluster and the Connect server have
Spark's defaults, and four partitions.
"""


class Sessions:
    """Gives the session of a kind; `close` ends everything that was started."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._kept = ExitStack()
        self._current = ExitStack()
        self._kind: Kind | None = None
        self._session: SparkSession | None = None
        self._cluster: Cluster | None = None

    def of(self, kind: Kind) -> SparkSession:
        """Return the session of a kind, after stopping that of another kind."""
        if self._session is None or kind != self._kind:
            self._current.close()
            self._session = self._current.enter_context(self._opened(kind))
            self._kind = kind
        return self._session

    @property
    def cluster(self) -> Cluster:
        """Return the cluster, started on first use."""
        if self._cluster is None:
            self._cluster = self._kept.enter_context(started_cluster(self._folder))
        return self._cluster

    def close(self) -> None:
        """End everything."""
        with self._kept, self._current:
            self._kind = self._session = self._cluster = None

    @contextmanager
    def _opened(self, kind: Kind) -> Iterator[SparkSession]:
        if kind == "connect":
            with started_connect(self._folder) as address, session_of(address) as session:
                yield session
        else:
            with session_of("local[2]" if kind == "local" else self.cluster.url) as session:
                self._kept.callback(end_java)
                yield session


@contextmanager
def session_of(master: str) -> Iterator[SparkSession]:
    """Yield a session on a master or a Connect server; restore the environment at the end."""
    with patch.dict(os.environ, environment()):
        builder = SparkSession.builder.appName("textsieve-tests")
        if master.startswith("sc://"):
            session = builder.remote(master).config("spark.sql.shuffle.partitions", "4").getOrCreate()
        else:
            settings = CONF | (LOCAL if master.startswith("local") else {})
            session = builder.master(master).config(map=dict(settings)).getOrCreate()
            session.sparkContext.setLogLevel("ERROR")
        try:
            yield session
        finally:
            session.stop()


def end_java() -> None:
    """End the Java process that classic sessions share; stopping a session does not end it."""
    gateway = SparkContext._gateway
    if gateway is None:
        return
    SparkContext._gateway = SparkContext._jvm = None
    gateway.shutdown()
    gateway.proc.stdin.close()  # it ends when nobody holds the other end
    gateway.proc.wait()
