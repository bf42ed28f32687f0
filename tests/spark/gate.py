"""Documents that hold the task that reads them until a gate is opened, so that a test can kill it in its middle.

Reading a document that begins with `gate` writes a file with the number of the process, and waits as long as the gate
is closed. Reading a document that begins with `mark` writes such a file and continues. Labels can be read without
texts, so no task is held while the classes are counted.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from tests.processes import SECONDS, Process, descendants, wait_for
from tests.spark.cluster import Cluster

N_PARTITIONS, N_EACH, N_FREE = 5, 20, 2
"""Numbers of partitions, of documents in each, and of partitions without a gate."""


def documents() -> tuple[list[str], list[str]]:
    """Return texts and labels, partition by partition; the middle document of each is a gate or a mark."""
    texts, labels = [], []
    for number in range(N_PARTITIONS * N_EACH):
        partition, at = divmod(number, N_EACH)
        words = [f"word{number * factor % 17}" for factor in (1, 3, 5, 7)] + ["often"] * (number % 3)
        if at == N_EACH // 2:
            words.insert(0, f"{'mark' if partition < N_FREE else 'gate'}{partition}")
        texts.append(" ".join(words))
        labels.append(f"class{number * 7 % 3}")
    return texts, labels


class Gate:
    """Documents on a cluster, with a gate in the middle of most partitions."""

    def __init__(self, folder: Path, cluster: Cluster) -> None:
        self._folder, self._cluster = folder, cluster
        self._closed = folder / "closed"
        self._closed.touch()

    def open(self) -> None:
        """Open the gate for all tasks."""
        self._closed.unlink()

    def documents(self, session: SparkSession) -> DataFrame:
        """Return the documents as a DataFrame whose texts are read through the gate."""
        rows = session.sparkContext.parallelize(list(zip(*documents(), strict=True)), N_PARTITIONS)
        return session.createDataFrame(rows, "text string, label string").withColumn(
            "text", F.udf(reader(str(self._folder)), "string", useArrow=False)("text")
        )

    def readers(self, document: str) -> set[int]:
        """Return the processes that have begun to read a document."""
        return {int(mark.suffix[1:]) for mark in self._folder.glob(f"{document}.*")}

    def executors_inside(self, number: int) -> dict[int, Process]:
        """Return the executors held at the gate, by their workers, as soon as there are `number`."""

        def inside_gate() -> dict[int, Process] | None:
            held = self.readers("gate*")
            inside = {
                worker: executor
                for worker, executor in self._cluster.executors().items()
                if held & {process.pid for process in descendants(executor.pid)}
            }
            return inside if len(inside) >= number else None

        return wait_for(inside_gate, lambda: f"{number} executors at the gate; there are {self._cluster.executors()}")


def reader(folder: str) -> Callable[[str], str]:
    """Return the function that reads a text on the cluster."""

    def read(text: str) -> str:
        name = text.partition(" ")[0]
        if name.startswith(("mark", "gate")):
            Path(folder, f"{name}.{os.getpid()}").touch()
        deadline = time.monotonic() + SECONDS
        while name.startswith("gate") and Path(folder, "closed").exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        return text

    return read
