"""Executors and workers that are killed in the middle of training do not change a bit of the model."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from tests.processes import processes, wait_for
from tests.reference.categorizer_cases import plain_categorizer
from tests.spark.cluster import Cluster
from tests.spark.gate import Gate, documents
from textsieve import spark as sieve
from textsieve.modelfile.writing import encode

SETTINGS: dict[str, Any] = {"selector": "chi", "classifier": "nb", "n_terms": 12}


@pytest.mark.deep
@pytest.mark.parametrize("spark", ["cluster"], indirect=True)
def test_the_model_is_the_same_if_executors_and_workers_are_killed(
    spark: SparkSession, cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kill all executors while they count, then a worker while its next executor counts, then an executor that holds
    a part of the table of statistics.
    """
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    gate = Gate(tmp_path, cluster)
    counted_before: set[int] = set()
    counted_again: set[int] = set()

    def kill_a_holder_of_the_table(stage: str, *_: object) -> None:
        if stage == "selecting":  # the table is complete, and no text has been read for the classifier yet
            counted_again.update(gate.readers("mark*") - counted_before)
            next(iter(cluster.wait_for_executors(2).values())).kill()

    with ThreadPoolExecutor(1) as thread:
        result = thread.submit(
            sieve.fit,
            gate.documents(spark),
            categorizer=plain_categorizer(**SETTINGS),
            progress=kill_a_holder_of_the_table,
        )
        first = gate.executors_inside(2)
        counted_before.update(gate.readers("mark*"))
        for executor in first.values():
            executor.kill()
        second = gate.executors_inside(1)
        cluster.kill_worker(next(worker for worker in cluster.workers if worker.pid in second))
        cluster.add_worker()
        gate.open()
        model = result.result()
    assert encode(model.model_) == encode(plain_categorizer(**SETTINGS).fit(*documents()).model_)
    assert counted_before
    assert counted_again  # the results of the killed executors were lost, so their documents were counted again
    last = cluster.wait_for_executors(2)
    assert set(last) == {worker.pid for worker in cluster.workers}
    killed = set(first.values())
    assert not killed & {*second.values(), *last.values()}
    wait_for(lambda: not killed & processes().keys() or None, lambda: "the end of the killed executors")
