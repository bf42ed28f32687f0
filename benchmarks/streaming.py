"""Training from a file that is larger than the memory it may take: a gigabyte of JSON lines, in a fresh process."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from .newsgroups import newsgroups

BYTES = 10**9
LIMIT = 10**9

CLASSIFIERS = ("svm", "nb", "rocchio")

CODE = """
import sys, textsieve
from benchmarks.harness import peak
model = textsieve.Categorizer(classifier=sys.argv[2], held_out=0.2).fit(textsieve.read(sys.argv[1]))
print(peak(), sum(model.seconds_.values()))
"""


def write_large_file(path: Path) -> int:
    """The training documents again and again, each time with two other rare words; gives their number."""
    numbers = random.Random(0)
    size = documents = 0
    with path.open("w", encoding="utf-8") as file:
        while size < BYTES:
            for text, group in zip(*newsgroups("train"), strict=True):
                rare = f"w{numbers.randrange(3_000_000)}x q{numbers.randrange(1_000_000)}"
                size += file.write(json.dumps({"text": f"{text} {rare}", "label": group}) + "\n")
                documents += 1
    return documents


def memory() -> str:
    """The peak of a process that trains from the file, with a fifth of the documents held out first."""
    lines = ["| classifier | peak memory | time | |", "|---|---:|---:|---|"]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.jsonl"
        documents = write_large_file(path)
        size = path.stat().st_size
        for name in CLASSIFIERS:
            command = [sys.executable, "-c", CODE, str(path), name]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            peak, spent = done.stdout.split()
            verdict = "met" if int(peak) < LIMIT else "**missed**"
            lines.append(f"| {name} | {int(peak) / 1e6:,.0f} MB | {float(spent):.0f} s | {verdict} |")
    return (
        f"Training (10,000 terms, a share held out) from a JSON lines file of {size / 1e9:.2f} GB, {documents:,} "
        f"documents; aim: under {LIMIT / 1e6:,.0f} MB:\n\n" + "\n".join(lines)
    )
