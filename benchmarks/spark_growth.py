"""The time of training on Spark by numbers of documents and cores, beside one process, and when Spark is faster.

`python -m benchmarks.spark_growth` generates short documents as JSON lines; their words follow Zipf's law, and some
belong to their class. For each number of documents, the three ways (one process, Spark with one core and with two) run
in turns, each in a fresh process. It trains on a few documents first, so that Java is warm and kernels are compiled.
All ways must give the same model, byte for byte. Only a note may differ: one process records the size of its sample of
a stream.

Besides wall-clock time, the processor time of all processes of a way is measured, because it depends less on other load
of the machine. An extrapolation from it says from how many documents on Spark is faster with more cores than this
machine has, if they share the work evenly, which is the best case. Then n documents take Spark

    seconds for the smallest file + n c / cores,

where c is its processor time for one document, measured with the largest file. One process takes n c with its own c.
"""

from __future__ import annotations

import hashlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from tests.processes import descendants
from tests.spark.cluster import CONF, environment

from textsieve import Categorizer, read
from textsieve.modelfile.writing import encode
from textsieve.settings import n_threads

from .harness import seconds

SIZES = (10_000, 100_000, 1_000_000)
REPEATS = (3, 3, 1)
N_TERMS, N_CLASSES = 300_000, 13
N_COMMON_WORDS, N_CLASS_WORDS = 16, 4
"""The numbers of words in a document that are drawn from all terms, and from those of its class."""
SETTINGS: dict[str, Any] = {"selector": "chi", "classifier": "nb", "n_terms": 10_000}
ONE_PROCESS = "one process"
WAYS = (ONE_PROCESS, "local[1]", "local[2]")
CORES = (2, 4, 8, 16, 32, 64)
"""The numbers of cores in the extrapolation."""
MEMORY = "2g"

Measurements = dict[str, list[dict[str, Any]]]
"""The results of `measure` for each way, by size."""


def write_documents(path: Path, n_documents: int) -> None:
    """Write documents as JSON lines; a larger file begins with the documents of a smaller one."""
    generator = np.random.default_rng(0)
    words = [f"t{number:x}" for number in range(N_TERMS)]
    with path.open("w", encoding="utf-8") as file:
        for _ in range(0, n_documents, SIZES[0]):
            labels = generator.integers(0, N_CLASSES, SIZES[0])
            common = (generator.zipf(1.3, (SIZES[0], N_COMMON_WORDS)) - 1) % N_TERMS
            of_class = labels[:, None] * 1000 + generator.integers(1000, 2000, (SIZES[0], N_CLASS_WORDS))
            for label, numbers in zip(labels.tolist(), np.hstack([common, of_class]).tolist(), strict=True):
                text = " ".join(map(words.__getitem__, numbers))
                file.write(json.dumps({"text": text, "label": f"class{label}"}) + "\n")


def measure(way: str, folder: str, size: int, repeats: int) -> dict[str, Any]:
    """Train in this process several times, and return median seconds, processor time, and a digest of the model."""
    train = trainer_in_process(Path(folder)) if way == ONE_PROCESS else trainer_on_spark(way, Path(folder))
    begin = time.perf_counter()
    train(SIZES[0])
    first = time.perf_counter() - begin
    wall_seconds, work_seconds = [], []
    for _ in range(repeats):
        work_before, begin = processor_seconds(), time.perf_counter()
        categorizer = train(size)
        wall_seconds.append(time.perf_counter() - begin)
        work_seconds.append(processor_seconds() - work_before)
    about = {**categorizer.model_.about, "n_tuned_on": None}  # the note on the sample of a stream, which may differ
    digest = hashlib.sha256(encode(replace(categorizer.model_, about=about))).hexdigest()
    return {
        "seconds": statistics.median(wall_seconds),
        "work": statistics.median(work_seconds),
        "first": first,
        "digest": digest,
    }


def processor_seconds() -> float:
    """Return the processor time so far of this process and of all that it started."""
    ticks = 0
    for pid in (os.getpid(), *(process.pid for process in descendants(os.getpid()))):
        with suppress(FileNotFoundError, ProcessLookupError):
            stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            ticks += sum(map(int, stat[11:15]))  # of the process, and of its children that have ended
    return ticks / os.sysconf("SC_CLK_TCK")


def trainer_in_process(folder: Path) -> Callable[[int], Categorizer]:
    """Return a function that trains on so many documents without Spark."""
    return lambda size: Categorizer(**SETTINGS).fit(read(folder / f"{size}.jsonl"))


def trainer_on_spark(master: str, folder: Path) -> Callable[[int], Categorizer]:
    """Start a Spark session, and return a function that trains on so many documents with it."""
    from pyspark.sql import SparkSession

    from textsieve import spark

    conf: dict[str, Any] = {**CONF, "spark.driver.memory": MEMORY, "spark.sql.shuffle.partitions": "8"}
    session = SparkSession.builder.master(master).config(map=conf).getOrCreate()
    session.sparkContext.setLogLevel("ERROR")

    def train(size: int) -> Categorizer:
        df = session.read.schema("text string, label string").json(str(folder / f"{size}.jsonl"))
        return spark.fit(df, categorizer=Categorizer(**SETTINGS))

    return train


def measure_in_fresh_process(*arguments: object) -> dict[str, Any]:
    """Call `measure` in a fresh process, and return its result."""
    env = {**environment(), "PYSPARK_SUBMIT_ARGS": f"--driver-memory {MEMORY} pyspark-shell", "SOURCE_DATE_EPOCH": "0"}
    command = [sys.executable, "-W", "ignore", "-m", __spec__.name, json.dumps(arguments)]
    process = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=env)
    measurement: dict[str, Any] = json.loads(process.stdout.splitlines()[-1])
    return measurement


def measure_all(folder: Path) -> Measurements:
    """Measure all ways with all numbers of documents, in turns."""
    measurements: Measurements = {way: [] for way in WAYS}
    for size, repeats in zip(SIZES, REPEATS, strict=True):
        write_documents(folder / f"{size}.jsonl", size)
        for way in WAYS:
            measurement = measure_in_fresh_process(way, str(folder), size, repeats)
            measurements[way].append(measurement)
            print(f"{size:,} documents, {way}: {seconds(measurement['seconds'])}", flush=True)
        if len({measurements[way][-1]["digest"] for way in WAYS}) > 1:
            raise RuntimeError(f"The models of {size:,} documents are not the same.")
    return measurements


def growth_table(measurements: Measurements) -> str:
    """Return a table of seconds and processor time by number of documents."""
    heads = [f"{way}{suffix}" for way in WAYS for suffix in ("", ", processors")]
    lines = [f"| documents | {' | '.join(heads)} | local[1] / local[2] |", "|---:" * (len(heads) + 2) + "|"]
    for number, size in enumerate(SIZES):
        times = [seconds(measurements[way][number][name]) for way in WAYS for name in ("seconds", "work")]
        one_core, two_cores = (measurements[way][number]["seconds"] for way in WAYS[1:])
        lines.append(f"| {size:,} | {' | '.join(times)} | {one_core / two_cores:.2f} |")
    return "\n".join(lines)


def break_even_section(measurements: Measurements) -> str:
    """Return a table of the number of documents from which on Spark is faster than one process, by extrapolation."""
    process_work, spark_work = (measurements[way][-1]["work"] / SIZES[-1] for way in (ONE_PROCESS, WAYS[-1]))
    smallest_seconds = measurements[WAYS[-1]][0]["seconds"]
    lines = ["| cores of the cluster | Spark is faster from |", "|---:|---:|"]
    for cores in CORES:
        gain = process_work - spark_work / cores  # seconds for each document
        lines.append(f"| {cores} | {f'{smallest_seconds / gain:,.0f} documents' if gain > 0 else 'never'} |")
    return (
        f"A document takes {seconds(process_work)} of processor time in one process and {seconds(spark_work)} with "
        f"Spark, whose smallest training takes {seconds(smallest_seconds)}. Nothing was measured on more than two "
        "cores. If more cores shared the work evenly and never waited, which no cluster achieves:\n\n"
        + "\n".join(lines)
    )


def load_note(load: float) -> str:
    """Return a sentence on other load of the machine."""
    if load <= n_threads(-1) + 1:
        return "The machine was otherwise idle."
    return (
        "**The machine was not idle**, so the ways did not have the same share of it. This may be why more cores took "
        "longer than fewer in some rows, and the extrapolation below is a guess. Run it on an idle machine."
    )


def main() -> None:
    """Measure, print the page, and write it to SPARK.md."""
    with tempfile.TemporaryDirectory() as folder:
        measurements = measure_all(Path(folder))
    first = statistics.median(measurement["first"] for way in WAYS[1:] for measurement in measurements[way])
    page = "\n\n".join(
        [
            "# Results of the last `make spark`",
            f"{datetime.now(UTC):%Y-%m-%d}, pyspark {version('pyspark')}, textsieve {version('textsieve')}, "
            f"{n_threads(-1)} cores, with a load average of {os.getloadavg()[2]:.1f} in the last quarter of an hour. "
            f"Generated documents of {N_COMMON_WORDS + N_CLASS_WORDS} words, {N_CLASSES} classes, JSON lines; "
            f"{SETTINGS['selector']}, {SETTINGS['n_terms']:,} terms, {SETTINGS['classifier']}. All ways give the same "
            "model, byte for byte except the note on the sample of a stream. Medians of "
            + ", ".join(f"{repeats} ({size:,})" for size, repeats in zip(SIZES, REPEATS, strict=True))
            + f". The first training of a Spark session, which is not in the table, takes {seconds(first)} "
            f"for {SIZES[0]:,} documents.",
            load_note(os.getloadavg()[2]),
            growth_table(measurements),
            "## When it pays",
            break_even_section(measurements),
            "This does not matter if the documents do not fit on one machine, or are already on many machines.",
        ]
    )
    print(page)
    Path(__file__).with_name("SPARK.md").write_text(page + "\n", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(measure(*json.loads(sys.argv[1]))))
    else:
        main()
