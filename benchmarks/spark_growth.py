"""How the time of Spark grows with documents and with cores, beside one process on the same file, and when it pays.

`python -m benchmarks.spark_growth` generates short documents whose words follow Zipf's law, with the words of their
class among them, as JSON lines. For each number of documents the ways take turns, each in a fresh process, which
trains on a few of the documents first, so that Java is warm and kernels are there. All ways must give the same model,
byte for byte but for a note: one process keeps with a model how large a sample it took of a stream, if it took one.

Beside the time of the clock is that of the processors, over all processes of a way, which depends less on what else
the machine does. From it is worked out from how many documents on Spark is faster on more cores than are here, if all
of them share its work evenly, which is the best that can happen: n documents then take it what the smallest file takes,
and n c / cores, where c is what a document takes of processors in the largest file. One process takes n c of its own.
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
N_TERMS, N_CLASSES, LENGTH, N_OWN = 300_000, 13, 16, 4
SETTINGS: dict[str, Any] = {"selector": "chi", "classifier": "nb", "n_terms": 10_000}
HERE = "one process"
WAYS = (HERE, "local[1]", "local[2]")
CORES = (2, 4, 8, 16, 32, 64)
MEMORY = "2g"


def write_documents(path: Path, n_documents: int) -> None:
    """Documents as JSON lines; a larger file begins as a smaller one does."""
    numbers = np.random.default_rng(0)
    words = [f"t{number:x}" for number in range(N_TERMS)]
    with path.open("w", encoding="utf-8") as file:
        for _ in range(0, n_documents, SIZES[0]):
            labels = numbers.integers(0, N_CLASSES, SIZES[0])
            common = (numbers.zipf(1.3, (SIZES[0], LENGTH)) - 1) % N_TERMS
            own = labels[:, None] * 1000 + numbers.integers(1000, 2000, (SIZES[0], N_OWN))
            for label, places in zip(labels.tolist(), np.hstack([common, own]).tolist(), strict=True):
                text = " ".join(map(words.__getitem__, places))
                file.write(json.dumps({"text": text, "label": f"class{label}"}) + "\n")


def measure(way: str, folder: str, size: int, repeats: int) -> dict[str, Any]:
    """Train in this process, again and again."""
    train = one_process(Path(folder)) if way == HERE else on_spark(way, Path(folder))
    begin = time.perf_counter()
    train(SIZES[0])
    first = time.perf_counter() - begin
    spent, worked = [], []
    for _ in range(repeats):
        before, begin = processor_seconds(), time.perf_counter()
        model = train(size)
        spent.append(time.perf_counter() - begin)
        worked.append(processor_seconds() - before)
    told = {**model.model_.about, "n_tuned_on": None}  # a stream is sampled also where nothing is tuned
    digest = hashlib.sha256(encode(replace(model.model_, about=told))).hexdigest()
    return {"seconds": statistics.median(spent), "work": statistics.median(worked), "first": first, "digest": digest}


def processor_seconds() -> float:
    """What this process, and all that it started, have had of processors so far."""
    total = 0
    for pid in (os.getpid(), *(process.pid for process in descendants(os.getpid()))):
        with suppress(FileNotFoundError, ProcessLookupError):
            stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            total += sum(map(int, stat[11:15]))  # its own, and that of children that have ended
    return total / os.sysconf("SC_CLK_TCK")


def one_process(folder: Path) -> Callable[[int], Categorizer]:
    """What everybody does whose documents are on one machine."""
    return lambda size: Categorizer(**SETTINGS).fit(read(folder / f"{size}.jsonl"))


def on_spark(master: str, folder: Path) -> Callable[[int], Categorizer]:
    """The same from Spark."""
    from pyspark.sql import SparkSession

    from textsieve import spark

    conf: dict[str, Any] = {**CONF, "spark.driver.memory": MEMORY, "spark.sql.shuffle.partitions": "8"}
    session = SparkSession.builder.master(master).config(map=conf).getOrCreate()
    session.sparkContext.setLogLevel("ERROR")

    def train(size: int) -> Categorizer:
        df = session.read.schema("text string, label string").json(str(folder / f"{size}.jsonl"))
        return spark.fit(df, categorizer=Categorizer(**SETTINGS))

    return train


def in_a_fresh_process(*arguments: object) -> dict[str, Any]:
    """What `measure` finds."""
    env = {**environment(), "PYSPARK_SUBMIT_ARGS": f"--driver-memory {MEMORY} pyspark-shell", "SOURCE_DATE_EPOCH": "0"}
    command = [sys.executable, "-W", "ignore", "-m", __spec__.name, json.dumps(arguments)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=env)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def results(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """All ways on all sizes, in turns."""
    found: dict[str, list[dict[str, Any]]] = {way: [] for way in WAYS}
    for size, repeats in zip(SIZES, REPEATS, strict=True):
        write_documents(folder / f"{size}.jsonl", size)
        for way in WAYS:
            found[way].append(in_a_fresh_process(way, str(folder), size, repeats))
            print(f"{size:,} documents, {way}: {seconds(found[way][-1]['seconds'])}", flush=True)
        if len({found[way][-1]["digest"] for way in WAYS}) > 1:
            raise RuntimeError(f"The models of {size:,} documents are not the same.")
    return found


def growth(found: dict[str, list[dict[str, Any]]]) -> str:
    """The times as a table."""
    heads = [f"{way}{of}" for way in WAYS for of in ("", ", processors")]
    lines = [f"| documents | {' | '.join(heads)} | local[1] / local[2] |", "|---:" * (len(heads) + 2) + "|"]
    for at, size in enumerate(SIZES):
        times = [seconds(found[way][at][of]) for way in WAYS for of in ("seconds", "work")]
        one, two = (found[way][at]["seconds"] for way in WAYS[1:])
        lines.append(f"| {size:,} | {' | '.join(times)} | {one / two:.2f} |")
    return "\n".join(lines)


def where_it_pays(found: dict[str, list[dict[str, Any]]]) -> str:
    """From how many documents on Spark is faster than one process, by extrapolation."""
    here, there = (found[way][-1]["work"] / SIZES[-1] for way in (HERE, WAYS[-1]))
    rest = found[WAYS[-1]][0]["seconds"]
    lines = ["| cores of the cluster | Spark is faster from |", "|---:|---:|"]
    for cores in CORES:
        gained = here - there / cores
        lines.append(f"| {cores} | {f'{rest / gained:,.0f} documents' if gained > 0 else 'never'} |")
    return (
        f"A document takes {seconds(here)} of processors in one process and {seconds(there)} by Spark, whose smallest "
        f"training takes {seconds(rest)}. Nothing was measured on more than two cores; if more shared the work evenly, "
        "and nothing else had to be waited for, which no cluster does:\n\n" + "\n".join(lines)
    )


def warning(load: float) -> str:
    """What is to be said of figures from a machine that others used."""
    if load <= n_threads(-1) + 1:
        return "The machine was otherwise idle."
    return (
        "**The machine was not idle**, so ways that took turns did not have the same share of it: this may be why more "
        "cores took longer than fewer, where they did, and what is worked out below is a guess. Run it on an idle one."
    )


def main() -> None:
    """Print the page, and keep it."""
    with tempfile.TemporaryDirectory() as folder:
        found = results(Path(folder))
    first = statistics.median(each["first"] for way in WAYS[1:] for each in found[way])
    page = "\n\n".join(
        [
            "# Results of the last `make spark`",
            f"{datetime.now(UTC):%Y-%m-%d}, pyspark {version('pyspark')}, textsieve {version('textsieve')}, "
            f"{n_threads(-1)} cores, for which {os.getloadavg()[2]:.1f} processes asked on average in the last "
            f"quarter of an hour. Generated documents of {LENGTH + N_OWN} words, {N_CLASSES} classes, JSON lines; "
            f"{SETTINGS['selector']}, {SETTINGS['n_terms']:,} terms, {SETTINGS['classifier']}. All ways give the same "
            "model, byte for byte but for the note on the sample of a stream. Medians of "
            + ", ".join(f"{repeats} ({size:,})" for size, repeats in zip(SIZES, REPEATS, strict=True))
            + f". The first training of a Spark session, which is not in the table, takes {seconds(first)} "
            f"for {SIZES[0]:,} documents.",
            warning(os.getloadavg()[2]),
            growth(found),
            "## When it pays",
            where_it_pays(found),
            "Where the documents do not fit on one machine, or are on many already, this is not the question.",
        ]
    )
    print(page)
    Path(__file__).with_name("SPARK.md").write_text(page + "\n", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(measure(*json.loads(sys.argv[1]))))
    else:
        main()
