"""The sessions do what they say on all three, listen on this machine alone, and leave no process behind."""

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
    """A row for each partition: the process, how many rows it saw, and their sum."""
    ids = [value for batch in batches for value in batch.column("id").to_pylist()]
    yield pa.RecordBatch.from_pydict({"pid": [os.getppid()], "n": [len(ids)], "total": [sum(ids)]})


def counted(df: DataFrame) -> DataFrame:
    return df.mapInArrow(count, "pid long, n long, total long")


def test_partitions_are_counted_on_each_kind(spark: SparkSession) -> None:
    found = counted(spark.range(0, 1000, 1, 4)).collect()
    assert [row["n"] for row in found] == [250] * 4
    assert sum(row["total"] for row in found) == 499500


@on_cluster
def test_each_worker_has_an_executor(spark: SparkSession, cluster: Cluster) -> None:
    assert set(cluster.wait_for_executors(2)) == {worker.pid for worker in cluster.workers}


def test_all_of_it_is_on_this_machine_alone(spark: SparkSession) -> None:
    counted(spark.range(4)).collect()
    java = [each for each in descendants(os.getpid()) if command_of(each)[0].endswith("java")]
    assert java
    for process in java:
        assert {str(address) for address, _ in listening(process.pid)} == {HERE}, command_of(process)


def hold(folder: str) -> None:
    """Use a cluster of one worker, print which processes were started for it, and wait to be killed."""
    with started_cluster(Path(folder), workers=1) as cluster, session_of(cluster.url) as session:
        counted(session.range(4)).collect()
        print(f"Started: {json.dumps(sorted(descendants(os.getpid())))}.", flush=True)
        time.sleep(600)


def test_a_killed_test_run_leaves_nothing_behind(sessions: Sessions, tmp_path: Path) -> None:
    script = f"from tests.spark.test_cluster import hold; hold({str(tmp_path)!r})"
    program = Program([sys.executable, "-c", script], environment(), tmp_path / "run.log")
    try:
        started = {Process(*each) for each in json.loads(program.says(r"Started: (.*)\."))}
        assert len(started) >= 5  # the driver's Java, master, worker, executor and its Python
        program.kill()
        wait_for(lambda: not started & processes().keys() or None, lambda: f"the end of {started & processes().keys()}")
    finally:
        program.stop()


def test_what_a_program_started_elsewhere_ends_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = ["bash", "-c", "sleep 600 & setsid sleep 600 & echo Started. && wait"]
    monkeypatch.setattr("tests.processes.GRACE", 0.5)
    program = Program(command, os.environ, tmp_path / "log")
    program.says(r"(Started\.)")
    started = wait_for(lambda: found if len(found := descendants(program.pid)) == 2 else None, lambda: "two of them")
    program.stop()
    assert not started & processes().keys()
