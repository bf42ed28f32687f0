"""Two million terms on a cluster whose driver has half a gigabyte for Java, and aims at 300 MB for Python.

`python -m benchmarks.spark_scale` generates the documents: the ranks of most of their words follow Zipf's law, some
are those of their class, and every term is in two documents at least. They are trained on by a cluster of two workers
on this machine (the one of the tests), from a driver in a process of its own.

What is aimed at is the peak of all memory of the driver's Python (VmHWM). To see where it goes, the table also has the
part of it that is in no file, looked at a hundred times a second (the rest is pages of LLVM's, Arrow's and scipy's
program files, which processes share), and both when all is loaded and nothing is done yet.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from tests.spark.cluster import CONF, environment, started_cluster

from .harness import peak, seconds

N_DOCUMENTS, N_TERMS, N_CLASSES, N_FILES = 120_000, 2_000_000, 13, 8
LENGTH, N_OWN = 25, 5
"""Words of a document by Zipf's law, and of its class; there are as many again, and more, that are there but twice."""
LIMIT = 300_000_000
DRIVER_MEMORY = "512m"

SETTINGS: dict[str, dict[str, Any]] = {
    "ocfs, nb": {"selector": "ocfs", "classifier": "nb"},
    "chi, rocchio": {"selector": "chi", "classifier": "rocchio"},
    "the usual ones": {},
}


def write_documents(folder: Path) -> None:
    """The documents in Parquet, a file at a time."""
    numbers = np.random.default_rng(0)
    words = np.array([f"t{number:x}" for number in range(N_TERMS)], object)
    rare = np.concatenate([numbers.permutation(N_TERMS), numbers.permutation(N_TERMS)])
    shares = np.linspace(0, len(rare), N_DOCUMENTS + 1).astype(np.int64)
    for file, part in enumerate(np.array_split(np.arange(N_DOCUMENTS), N_FILES)):
        labels = numbers.integers(0, N_CLASSES, len(part))
        common = np.minimum(numbers.zipf(1.4, (len(part), LENGTH)) - 1, N_TERMS - 1)
        own = labels[:, None] * 1000 + numbers.integers(1000, 2000, (len(part), N_OWN))
        texts = [
            " ".join(words[np.concatenate([often, of_class, rare[shares[at] : shares[at + 1]]])])
            for at, often, of_class in zip(part.tolist(), common, own, strict=True)
        ]
        table = pa.table({"text": texts, "label": [f"class{label}" for label in labels.tolist()]})
        pq.write_table(table, folder / f"part{file}.parquet")


def drive(master: str, folder: str, name: str) -> dict[str, Any]:
    """Train in this process, and say what it took."""
    from pyspark.sql import SparkSession

    from textsieve import Categorizer, spark

    conf: dict[str, Any] = {**CONF, "spark.driver.memory": DRIVER_MEMORY, "spark.sql.shuffle.partitions": "8"}
    session = SparkSession.builder.master(master).config(map=conf).getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    loaded: list[tuple[int, int]] = []
    begin = time.perf_counter()
    with watched_memory() as own:
        model = spark.fit(
            session.read.parquet(folder),
            categorizer=Categorizer(**SETTINGS[name]),
            progress=lambda *_: loaded.append((peak(), own_memory())),
        )
    spent = time.perf_counter() - begin
    java: Any = session.sparkContext._jvm
    heap = java.java.lang.Runtime.getRuntime().maxMemory()
    session.stop()
    seen = model.model_.about["n_terms_seen"]
    return {"peaks": (peak(), max(own)), "loaded": loaded[0], "seconds": spent, "terms": seen, "heap": heap}


def own_memory() -> int:
    """The memory of this process that is in no file."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("RssAnon"))
    return int(line.split()[1]) * 1024


@contextmanager
def watched_memory() -> Iterator[list[int]]:
    """What this process has of its own, again and again."""
    found = [own_memory()]
    is_over = threading.Event()

    def watch() -> None:
        while not is_over.wait(0.01):
            found.append(own_memory())

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield found
    finally:
        is_over.set()
        thread.join()


def run(master: str, folder: Path, name: str) -> dict[str, Any]:
    """The same in a fresh process."""
    arguments = json.dumps([master, str(folder), name])
    command = [sys.executable, "-W", "ignore", "-m", __spec__.name, arguments]
    submit = {"PYSPARK_SUBMIT_ARGS": f"--driver-memory {DRIVER_MEMORY} pyspark-shell"}
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env={**environment(), **submit})
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    """Print the table, and keep it."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "documents"
        folder.mkdir()
        write_documents(folder)
        size = sum(file.stat().st_size for file in folder.iterdir())
        lines = [
            "| settings | terms | peak | of it in no file | when loaded | of it in no file | time | |",
            "|---|---:|---:|---:|---:|---:|---:|---|",
        ]
        with started_cluster(Path(scratch)) as cluster:
            for name in SETTINGS:
                found = run(cluster.url, folder, name)
                verdict = "met" if found["peaks"][0] < LIMIT else "**missed**"
                figures = (f"{figure / 1e6:,.0f} MB" for figure in (*found["peaks"], *found["loaded"]))
                lines.append(
                    f"| {name} | {found['terms']:,} | {' | '.join(figures)} | {seconds(found['seconds'])} | {verdict} |"
                )
                print(lines[-1], flush=True)
    page = (
        "# Results of the last `make spark-scale`\n\n"
        f"{N_DOCUMENTS:,} generated documents of {N_CLASSES} classes, {size / 1e6:,.0f} MB of Parquet; two workers "
        f"with a core each on one machine; {found['heap'] / 1e6:,.0f} MB for the driver's Java. Memory is that of the "
        f"driver's Python; aim: a peak (VmHWM) under {LIMIT / 1e6:,.0f} MB.\n\n"
    )
    Path(__file__).with_name("SPARK_SCALE.md").write_text(page + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(drive(*json.loads(sys.argv[1]))))
    else:
        main()
