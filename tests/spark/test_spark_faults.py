"""Executors and workers are killed in the middle of the statistics: what comes out is the same to the last bit."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from tests.spark.cluster import Cluster
from tests.spark.gate import Gate, documents
from textsieve import Categorizer, ClassStats, TermCounter
from textsieve import spark as sieve
from textsieve.modelfile.writing import encode

pytestmark = pytest.mark.parametrize("spark", ["cluster"], indirect=True)
SETTINGS: dict[str, Any] = {"selector": "chi", "classifier": "nb", "n_terms": 12}


def test_statistics_while_executors_are_killed(spark: SparkSession, cluster: Cluster, tmp_path: Path) -> None:
    gate = Gate(tmp_path, cluster)
    found = sieve.stats(gate.documents(spark))
    with ThreadPoolExecutor(1) as thread:
        result = thread.submit(found.to_local)
        first = gate.executors_inside(2)
        done = gate.readers("mark*")
        for executor in first.values():  # with all that was done so far
            executor.kill()
        second = gate.executors_inside(1)
        next(iter(second.values())).kill()
        gate.open()
        terms, stats = result.result()
    texts, labels = documents()
    counter = TermCounter()
    assert stats == ClassStats.from_matrix(counter.fit_transform(texts), labels)
    assert terms == counter.get_feature_names_out().tolist()
    assert not set(first.values()) & set(second.values())
    assert done
    assert gate.readers("mark*") - done  # what had been counted was counted once more


def test_a_model_while_workers_are_killed(
    spark: SparkSession, cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    gate = Gate(tmp_path, cluster)
    killed: list[int] = []

    def kill_once_more(stage: str, *_: object) -> None:
        if stage == "selecting":  # the table of statistics is there, a part of it kept by each executor
            executor = next(iter(cluster.wait_for_executors(2).values()))
            executor.kill()
            killed.append(executor.pid)

    with ThreadPoolExecutor(1) as thread:
        settings = Categorizer(**SETTINGS)
        result = thread.submit(sieve.fit, gate.documents(spark), categorizer=settings, progress=kill_once_more)
        for number in (2, 1):
            inside = gate.executors_inside(number)
            worker = next(worker for worker in cluster.workers if worker.pid in inside)
            cluster.kill_worker(worker)
            killed.append(worker.pid)
            cluster.add_worker()
        gate.open()
        model = result.result()
    assert len(set(killed)) == 3
    assert encode(model.model_) == encode(Categorizer(**SETTINGS).fit(*documents()).model_)
    assert set(cluster.wait_for_executors(2)) == {worker.pid for worker in cluster.workers}
