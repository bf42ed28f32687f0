"""Memory of the Spark driver for two million terms: half a gigabyte for Java, and an aim of 300 MB for Python.

`python -m benchmarks.spark_scale` generates the documents. Most of their words follow Zipf's law, some belong to their
class, and every term is in at least two documents. A cluster of two workers on this machine (the one of the tests)
trains on them, with the driver in a process of its own.

The aim is for the peak memory of the driver's Python (VmHWM). The table also has its anonymous part (RssAnon), sampled
a hundred times a second. The rest is pages of the program files of LLVM, Arrow and scipy, which processes share. Both
are also measured after everything is loaded and before the training starts.
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
N_COMMON_WORDS, N_CLASS_WORDS = 25, 5
"""The numbers of words in a document by Zipf's law, and of its class; about 33 more are rare words."""
LIMIT = 300_000_000
"""The aim for the peak memory of the driver's Python, in bytes."""
DRIVER_MEMORY = "512m"
"""The memory of the driver's Java."""

SETTINGS: dict[str, dict[str, Any]] = {
    "ocfs, nb": {"selector": "ocfs", "classifier": "nb"},
    "chi, rocchio": {"selector": "chi", "classifier": "rocchio"},
    "the defaults": {},
}


def write_documents(folder: Path) -> None:
    """Write the documents as Parquet files; every term is distributed twice, so that it is in two documents."""
    generator = np.random.default_rng(0)
    words = np.array([f"t{number:x}" for number in range(N_TERMS)], object)
    rare = np.concatenate([generator.permutation(N_TERMS), generator.permutation(N_TERMS)])
    rare_ends = np.linspace(0, len(rare), N_DOCUMENTS + 1).astype(np.int64)
    for file, part in enumerate(np.array_split(np.arange(N_DOCUMENTS), N_FILES)):
        labels = generator.integers(0, N_CLASSES, len(part))
        common = np.minimum(generator.zipf(1.4, (len(part), N_COMMON_WORDS)) - 1, N_TERMS - 1)
        of_class = labels[:, None] * 1000 + generator.integers(1000, 2000, (len(part), N_CLASS_WORDS))
        texts = []
        for document, common_numbers, class_numbers in zip(part.tolist(), common, of_class, strict=True):
            rare_numbers = rare[rare_ends[document] : rare_ends[document + 1]]
            texts.append(" ".join(words[np.concatenate([common_numbers, class_numbers, rare_numbers])]))
        table = pa.table({"text": texts, "label": [f"class{label}" for label in labels.tolist()]})
        pq.write_table(table, folder / f"part{file}.parquet")


def train(master: str, folder: str, name: str) -> dict[str, Any]:
    """Train with this process as the driver, and return its memory and seconds."""
    from pyspark.sql import SparkSession

    from textsieve import Categorizer, spark

    conf: dict[str, Any] = {**CONF, "spark.driver.memory": DRIVER_MEMORY, "spark.sql.shuffle.partitions": "8"}
    session = SparkSession.builder.master(master).config(map=conf).getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    memory_at_start: list[tuple[int, int]] = []
    begin = time.perf_counter()
    with sampled_memory() as samples:
        model = spark.fit(
            session.read.parquet(folder),
            categorizer=Categorizer(**SETTINGS[name]),
            progress=lambda *_: memory_at_start.append((peak(), anonymous_memory())),
        )
    spent = time.perf_counter() - begin
    java: Any = session.sparkContext._jvm
    heap = java.java.lang.Runtime.getRuntime().maxMemory()
    session.stop()
    return {
        "peaks": (peak(), max(samples)),
        "loaded": memory_at_start[0],
        "seconds": spent,
        "terms": model.model_.about["n_terms_seen"],
        "heap": heap,
    }


def anonymous_memory() -> int:
    """Return the bytes of this process that belong to no file."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("RssAnon"))
    return int(line.split()[1]) * 1024


@contextmanager
def sampled_memory() -> Iterator[list[int]]:
    """Sample the anonymous memory of this process a hundred times a second, in a list that grows."""
    samples = [anonymous_memory()]
    is_over = threading.Event()

    def sample() -> None:
        while not is_over.wait(0.01):
            samples.append(anonymous_memory())

    thread = threading.Thread(target=sample)
    thread.start()
    try:
        yield samples
    finally:
        is_over.set()
        thread.join()


def train_in_fresh_process(master: str, folder: Path, name: str) -> dict[str, Any]:
    """Call `train` in a fresh process, and return its result."""
    arguments = json.dumps([master, str(folder), name])
    command = [sys.executable, "-W", "ignore", "-m", __spec__.name, arguments]
    submit = {"PYSPARK_SUBMIT_ARGS": f"--driver-memory {DRIVER_MEMORY} pyspark-shell"}
    process = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env={**environment(), **submit})
    measurement: dict[str, Any] = json.loads(process.stdout.splitlines()[-1])
    return measurement


def main() -> None:
    """Measure, print the table, and write it to SPARK_SCALE.md."""
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
                row = train_in_fresh_process(cluster.url, folder, name)
                verdict = "met" if row["peaks"][0] < LIMIT else "**missed**"
                memory = " | ".join(f"{n_bytes / 1e6:,.0f} MB" for n_bytes in (*row["peaks"], *row["loaded"]))
                lines.append(f"| {name} | {row['terms']:,} | {memory} | {seconds(row['seconds'])} | {verdict} |")
                print(lines[-1], flush=True)
    page = (
        "# Results of the last `make spark-scale`\n\n"
        f"{N_DOCUMENTS:,} generated documents of {N_CLASSES} classes, {size / 1e6:,.0f} MB of Parquet; two workers "
        f"with a core each on one machine; {row['heap'] / 1e6:,.0f} MB for the driver's Java. Memory is that of the "
        f"driver's Python; aim: a peak (VmHWM) under {LIMIT / 1e6:,.0f} MB.\n\n"
    )
    Path(__file__).with_name("SPARK_SCALE.md").write_text(page + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(train(*json.loads(sys.argv[1]))))
    else:
        main()
