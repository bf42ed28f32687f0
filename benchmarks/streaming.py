"""The time and the peak memory of training from large files, each in a fresh process.

`make bench` has the table of several classifiers on 1 GB. `python -m benchmarks.streaming FOLDER` writes STREAMING.md:
naive Bayes on 0.25 to 4 GB of JSON lines, and on the same documents in several formats. FOLDER keeps the files and the
outcomes, so that an interrupted run can be resumed; it needs 10 GB. With `files` as another argument, only the files
are written; with `page`, only the page, from the outcomes that are there.
"""

from __future__ import annotations

import csv
import gzip
import json
import math
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import zstandard

from textsieve.settings import n_threads

from .newsgroups import newsgroups
from .stored import StoredOutcomes

MAX_BYTES = 10**9
"""The aim for the peak memory."""

WORDS: dict[str, Any] = {"analyzer": "word", "n_terms": 10_000, "class_weight": None}
NAIVE_BAYES = "nb, 10,000 words"
SETTINGS: dict[str, dict[str, Any]] = {
    NAIVE_BAYES: {**WORDS, "classifier": "nb"},
    "rocchio, 10,000 words": {**WORDS, "classifier": "rocchio"},
    "svm, 10,000 words": {**WORDS, "classifier": "svm"},
    "default": {},
}
MAX_SECONDS = {NAIVE_BAYES: 20, "rocchio, 10,000 words": 20, "svm, 10,000 words": 30}
"""The aims for the time of training on 1 GB."""

GROWTH = (0.25, 0.5, 1.0, 2.0, 4.0)
"""Sizes of files, in GB."""
MAX_GROWTH = 1.2
"""The aim for the time per GB of the largest file, in proportion to that of the smallest."""
FORMATS = ("jsonl", "csv", "tsv", "parquet", "folder", "jsonl.gz", "jsonl.zst")
FORMATS_SIZE = 0.25
MAX_FORMAT = 2.0
"""The aim for the time of each format, in proportion to that of JSON lines."""

CODE = """
import json, sys, time, textsieve
from benchmarks.harness import peak
settings = json.loads(sys.argv[2])
began = time.perf_counter()
textsieve.Categorizer(**settings).fit(textsieve.read(sys.argv[1]))
print(peak(), time.perf_counter() - began)
"""


class Cost(NamedTuple):
    """What training took."""

    peak: int
    seconds: float

    def verdict(self, max_seconds: float = math.inf) -> str:
        """Return whether the aims for the memory and the time are met."""
        return "met" if self.peak < MAX_BYTES and self.seconds <= max_seconds else "**missed**"


def repeated_documents(n_bytes: float) -> Iterator[tuple[str, str]]:
    """Yield the training documents repeatedly, each copy with two other rare words, until they have so many bytes."""
    generator = random.Random(0)
    size = 0
    while size < n_bytes:
        for text, group in zip(*newsgroups("train"), strict=True):
            rare = f"w{generator.randrange(3_000_000)}x q{generator.randrange(1_000_000)}"
            yield f"{text} {rare}", group
            size += len(json.dumps(text)) + 50


def _open_for_writing(path: Path) -> Any:
    """Return a text file that is open for writing, and compressed if its name says so."""
    if path.suffix == ".zst":
        return zstandard.open(path, "wt", encoding="utf-8")
    if path.suffix == ".gz":
        return gzip.open(path, "wt", 3, encoding="utf-8")
    return path.open("w", encoding="utf-8", newline="")


def write_large_file(path: Path, n_bytes: float) -> int:
    """Write documents in the format that the name of the file says, and return their number."""
    documents = repeated_documents(n_bytes)
    if path.suffix == ".folder":
        return _write_folder(path, documents)
    if path.suffix == ".parquet":
        return _write_parquet(path, documents)
    n_documents = 0
    with _open_for_writing(path) as file:
        rows = csv.writer(file, delimiter="\t" if path.suffix == ".tsv" else ",")
        is_table = path.suffix in (".csv", ".tsv")
        if is_table:
            rows.writerow(["text", "label"])
        for text, label in documents:
            n_documents += 1
            if is_table:
                rows.writerow([text, label])
            else:
                file.write(json.dumps({"text": text, "label": label}) + "\n")
    return n_documents


def _write_folder(folder: Path, documents: Iterable[tuple[str, str]]) -> int:
    """Write each document to a file of its own, in the folder of its class, and return the number of documents."""
    n_documents = 0
    for number, (text, label) in enumerate(documents):
        (folder / label).mkdir(parents=True, exist_ok=True)
        (folder / label / f"{number}.txt").write_text(text, encoding="utf-8")
        n_documents += 1
    return n_documents


def _write_parquet(path: Path, documents: Iterable[tuple[str, str]]) -> int:
    """Write documents to a Parquet file, in groups of 10,000, and return their number."""
    import pyarrow
    import pyarrow.parquet

    schema = pyarrow.schema([("text", pyarrow.string()), ("label", pyarrow.string())])
    n_documents, rest = 0, iter(documents)
    with pyarrow.parquet.ParquetWriter(path, schema) as writer:
        while group := list(islice(rest, 10_000)):
            texts, labels = zip(*group, strict=True)
            writer.write_table(pyarrow.table({"text": texts, "label": labels}, schema))
            n_documents += len(group)
    return n_documents


def train(path: Path, settings: dict[str, Any]) -> Cost:
    """Train on a file in a fresh process."""
    command = [sys.executable, "-c", CODE, str(path), json.dumps(settings)]
    process = subprocess.run(command, check=True, capture_output=True, text=True)
    peak, seconds = process.stdout.split()
    return Cost(int(peak), float(seconds))


def memory() -> str:
    """Return a table of the peak memory and seconds of training with several settings on 1 GB."""
    lines = ["| model | peak memory | time | aim | |", "|---|---:|---:|---:|---|"]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.jsonl"
        n_documents = write_large_file(path, 1e9)
        size = path.stat().st_size
        for name, settings in SETTINGS.items():
            cost, limit = train(path, settings), MAX_SECONDS.get(name)
            aim = "" if limit is None else f"{limit} s"
            verdict = cost.verdict(math.inf if limit is None else limit)
            lines.append(f"| {name} | {cost.peak / 1e6:,.0f} MB | {cost.seconds:.1f} s | {aim} | {verdict} |")
    return (
        f"Training from a JSON lines file of {size / 1e9:.2f} GB, {n_documents:,} documents; aim: under "
        f"{MAX_BYTES / 1e6:,.0f} MB:\n\n" + "\n".join(lines)
    )


# -- STREAMING.md ----------------------------------------------------------------------------------------------------


class LargeFiles:
    """Large files in a folder, and the outcomes of training on them; both are kept for a later run."""

    def __init__(self, folder: Path, *, only_stored: bool = False) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._only_stored = only_stored
        self._folder, self._outcomes = folder, StoredOutcomes(folder / "outcomes.json")

    def write(self, ending: str, gigabytes: float) -> tuple[Path, int]:
        """Return the path of a file, which is written unless it is there, and its number of documents."""
        path = self._folder / f"{gigabytes:g}-gb.{ending}"
        n_documents = self._outcomes.get(f"documents of {path.name}", lambda: write_large_file(path, gigabytes * 1e9))
        return path, n_documents

    def train(self, table: str, ending: str, gigabytes: float) -> Cost | None:
        """Return what training naive Bayes on a file took; None if only stored outcomes are wanted, and it has none.

        The files of a `table`, whose times are compared, are measured one after the other.
        """
        path, _ = self.write(ending, gigabytes)
        name = f"{table} {path.name}"
        if self._only_stored and name not in self._outcomes:
            return None
        return Cost(*self._outcomes.get(name, lambda: train(path, SETTINGS[NAIVE_BAYES])))


def growth(files: LargeFiles) -> str:
    """Return a table of the time and memory of naive Bayes by the size of the file."""
    head = ["| file | documents | time | time per GB | peak memory | |", "|---:|---:|---:|---:|---:|---|"]
    return "\n".join(head + [_growth_row(files, gigabytes) for gigabytes in GROWTH])


def _growth_row(files: LargeFiles, gigabytes: float) -> str:
    """Return the row of a file of JSON lines."""
    _, n_documents = files.write("jsonl", gigabytes)
    cost, smallest = (files.train("growth", "jsonl", size) for size in (gigabytes, GROWTH[0]))
    if cost is None or smallest is None:
        return f"| {gigabytes:g} GB | {n_documents:,} | not measured | | | |"
    limit = MAX_GROWTH * smallest.seconds * gigabytes / GROWTH[0]
    times = f"{cost.seconds:.1f} s | {cost.seconds / gigabytes:.1f} s"
    return f"| {gigabytes:g} GB | {n_documents:,} | {times} | {cost.peak / 1e6:,.0f} MB | {cost.verdict(limit)} |"


def formats(files: LargeFiles) -> str:
    """Return a table of the time and memory of naive Bayes on the same documents in several formats."""
    head = ["| format | time | times that of JSON lines | peak memory | |", "|---|---:|---:|---:|---|"]
    return "\n".join(head + [_format_row(files, name) for name in FORMATS])


def _format_row(files: LargeFiles, name: str) -> str:
    """Return the row of a format."""
    cost, lines = (files.train("formats", ending, FORMATS_SIZE) for ending in (name, FORMATS[0]))
    if cost is None or lines is None:
        return f"| {name} | not measured | | | |"
    times = f"{cost.seconds:.1f} s | {cost.seconds / lines.seconds:.2f}"
    return f"| {name} | {times} | {cost.peak / 1e6:,.0f} MB | {cost.verdict(MAX_FORMAT * lines.seconds)} |"


def page(files: LargeFiles) -> str:
    """Return the page of results."""
    _, n_documents = files.write("jsonl", FORMATS_SIZE)
    return "\n\n".join(
        [
            "# Results of the last `python -m benchmarks.streaming`",
            f"{datetime.now(UTC):%Y-%m-%d}, textsieve {version('textsieve')}, {n_threads(-1)} cores. Naive Bayes with "
            "10,000 words, trained in a fresh process from files with the training documents of 20 Newsgroups, which "
            f"are repeated, each time with other rare words. Aim for the memory: under {MAX_BYTES / 1e6:,.0f} MB.",
            "## By size",
            f"Files of JSON lines. Aim: no file takes more than {MAX_GROWTH:g} times as long per GB as the smallest.",
            growth(files),
            "## By format",
            f"The same {n_documents:,} documents, {FORMATS_SIZE:g} GB as JSON lines; *folder* has a file for each "
            f"document. Aim: at most {MAX_FORMAT:g} times as long as JSON lines.",
            formats(files),
        ]
    )


def main(folder: str, part: str = "all") -> None:
    """Write all files; unless only these are wanted, measure what is missing, and write STREAMING.md."""
    files = LargeFiles(Path(folder), only_stored=part == "page")
    for ending in FORMATS:
        files.write(ending, FORMATS_SIZE)
    for gigabytes in GROWTH:
        files.write("jsonl", gigabytes)
    if part == "files":
        return
    text = page(files)
    print(text)
    Path(__file__).with_name("STREAMING.md").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
