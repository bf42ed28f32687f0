"""The time and the peak memory of training from large files, each in a fresh process.

    python -m benchmarks.streaming growth            naive Bayes on 0.25 to 4 GB of JSON lines
    python -m benchmarks.streaming formats           naive Bayes on 0.25 GB in several formats

print tables; `make bench` has that of several classifiers on 1 GB.
"""

from __future__ import annotations

import csv
import gzip
import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import zstandard

from .newsgroups import newsgroups

LIMIT = 10**9
"""The aim for the peak memory, in bytes."""

WORDS: dict[str, Any] = {"analyzer": "word", "n_terms": 10_000, "class_weight": None}
SETTINGS: dict[str, dict[str, Any]] = {
    "nb, 10,000 words": {**WORDS, "classifier": "nb"},
    "rocchio, 10,000 words": {**WORDS, "classifier": "rocchio"},
    "svm, 10,000 words": {**WORDS, "classifier": "svm"},
    "default": {},
}
GROWTH = (0.25, 0.5, 1.0, 2.0, 4.0)
FORMATS = ("jsonl", "csv", "tsv", "jsonl.gz", "jsonl.zst")

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
    n_documents = 0
    with _open_for_writing(path) as file:
        rows = csv.writer(file, delimiter="\t" if path.suffix == ".tsv" else ",")
        is_table = path.suffix in (".csv", ".tsv")
        if is_table:
            rows.writerow(["text", "label"])
        for text, label in repeated_documents(n_bytes):
            n_documents += 1
            if is_table:
                rows.writerow([text, label])
            else:
                file.write(json.dumps({"text": text, "label": label}) + "\n")
    return n_documents


def train(path: Path, settings: dict[str, Any]) -> Cost:
    """Train on a file in a fresh process."""
    command = [sys.executable, "-c", CODE, str(path), json.dumps(settings)]
    process = subprocess.run(command, check=True, capture_output=True, text=True)
    peak, seconds = process.stdout.split()
    return Cost(int(peak), float(seconds))


def memory() -> str:
    """Return a table of the peak memory and seconds of training with several settings on 1 GB."""
    lines = ["| model | peak memory | time | |", "|---|---:|---:|---|"]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.jsonl"
        n_documents = write_large_file(path, 1e9)
        size = path.stat().st_size
        for name, settings in SETTINGS.items():
            cost = train(path, settings)
            verdict = "met" if cost.peak < LIMIT else "**missed**"
            lines.append(f"| {name} | {cost.peak / 1e6:,.0f} MB | {cost.seconds:.0f} s | {verdict} |")
    return (
        f"Training from a JSON lines file of {size / 1e9:.2f} GB, {n_documents:,} documents; aim: under "
        f"{LIMIT / 1e6:,.0f} MB:\n\n" + "\n".join(lines)
    )


def growth() -> str:
    """Return a table of the time and memory of naive Bayes by the size of the file."""
    head = ["| file | documents | time | time per GB | peak memory |", "|---:|---:|---:|---:|---:|"]
    return "\n".join(head + [_row(f"{gigabytes:g} GB", "large.jsonl", gigabytes * 1e9) for gigabytes in GROWTH])


def formats() -> str:
    """Return a table of the time and memory of naive Bayes on the same documents in several formats."""
    head = ["| format | documents | time | time per GB | peak memory |", "|---|---:|---:|---:|---:|"]
    return "\n".join(head + [_row(name, f"large.{name}", 0.25e9) for name in FORMATS])


def _row(title: str, name: str, n_bytes: float) -> str:
    """Return a row of a table: training on a file with `n_bytes` bytes of JSON, in the format that its name says."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        n_documents = write_large_file(path, n_bytes)
        cost = train(path, SETTINGS["nb, 10,000 words"])
    per_gigabyte = cost.seconds / (n_bytes / 1e9)
    return f"| {title} | {n_documents:,} | {cost.seconds:.1f} s | {per_gigabyte:.1f} s | {cost.peak / 1e6:,.0f} MB |"


if __name__ == "__main__":
    print({"growth": growth, "formats": formats}[sys.argv[1]]())
