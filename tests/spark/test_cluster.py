"""The test sessions of all three kinds run tasks, listen on this machine only, and leave no process behind."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession

from tests.processes import Process, Program, command_of, descendants, processes, wait_for
from tests.spark.cluster import HERE, Cluster, environment, started_cluster
from tests.spark.listening import listening
from tests.spark.sessions import Sessions, session_of

on_cluster = pytest.mark.parametrize("spark", ["cluster"], indirect=True)


def count(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield a row for each partition: the process, the number of rows, and their sum."""
    ids = [value for batch in batches for value in batch.column("id").to_pylist()]
    yield pa.RecordBatch.from_pydict({"pid": [os.getppid()], "n": [len(ids)], "total": [sum(ids)]})


def counted(df: DataFrame) -> DataFrame:
    return df.mapInArrow(count, "pid long, n long, total long")


def test_tasks_run_and_no_process_listens_on_other_addresses(spark: SparkSession) -> None:
    rows = counted(spark.range(0, 1000, 1, 4)).collect()
    assert [row["n"] for row in rows] == [250] * 4
    assert sum(row["total"] for row in rows) == 499500
    java = [process for process in descendants(os.getpid()) if command_of(process)[0].endswith("java")]
    assert java
    for process in java:
        assert {str(address) for address, _ in listening(process.pid)} == {HERE}, command_of(process)


@on_cluster
def test_every_worker_has_an_executor(spark: SparkSession, cluster: Cluster) -> None:
    assert set(cluster.wait_for_executors(2)) == {worker.pid for worker in cluster.workers}


def hold(folder: str) -> None:
    """Start a master and a session, print the processes that were started for them, and wait to be killed."""
    with started_cluster(Path(folder), workers=0), session_of("local[1]") as session:
        counted(session.range(4)).collect()
        print(f"Started: {json.dumps(sorted(descendants(os.getpid())))}.", flush=True)
        time.sleep(600)


@pytest.mark.deep
def test_a_killed_test_run_leaves_nothing_behind(sessions: Sessions, tmp_path: Path) -> None:
    script = f"from tests.spark.test_cluster import hold; hold({str(tmp_path)!r})"
    program = Program([sys.executable, "-c", script], environment(), tmp_path / "run.log")
    try:
        started = {Process(*numbers) for numbers in json.loads(program.says(r"Started: (.*)\."))}
        assert len(started) >= 3  # the driver's Java, its Python worker, and the master
        program.kill()
        wait_for(lambda: not started & processes().keys() or None, lambda: f"the end of {started & processes().keys()}")
    finally:
        program.stop()


def test_stopping_a_program_ends_all_processes_that_it_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = ["bash", "-c", "sleep 600 & setsid sleep 600 & echo Started. && wait"]
    monkeypatch.setattr("tests.processes.GRACE", 0.5)
    program = Program(command, os.environ, tmp_path / "log")
    program.says(r"(Started\.)")
    started = wait_for(lambda: both if len(both := descendants(program.pid)) == 2 else None, lambda: "two processes")
    program.stop()
    assert not started & processes().keys()
