"""The peak memory of training from a gigabyte of JSON lines, in a fresh process that may use less than that."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from .newsgroups import newsgroups

BYTES = 10**9
"""The size of the file."""
LIMIT = 10**9
"""The aim for the peak memory, in bytes."""

CLASSIFIERS = ("svm", "nb", "rocchio")

CODE = """
import sys, textsieve
from benchmarks.harness import peak
model = textsieve.Categorizer(classifier=sys.argv[2], held_out=0.2).fit(textsieve.read(sys.argv[1]))
print(peak(), sum(model.seconds_.values()))
"""


def write_large_file(path: Path) -> int:
    """Write the training documents repeatedly, each copy with two other rare words, and return their number."""
    generator = random.Random(0)
    size = n_documents = 0
    with path.open("w", encoding="utf-8") as file:
        while size < BYTES:
            for text, group in zip(*newsgroups("train"), strict=True):
                rare = f"w{generator.randrange(3_000_000)}x q{generator.randrange(1_000_000)}"
                size += file.write(json.dumps({"text": f"{text} {rare}", "label": group}) + "\n")
                n_documents += 1
    return n_documents


def memory() -> str:
    """Return a table of the peak memory and seconds of training, a fifth of the documents held out."""
    lines = ["| classifier | peak memory | time | |", "|---|---:|---:|---|"]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.jsonl"
        n_documents = write_large_file(path)
        size = path.stat().st_size
        for name in CLASSIFIERS:
            command = [sys.executable, "-c", CODE, str(path), name]
            process = subprocess.run(command, check=True, capture_output=True, text=True)
            peak, seconds = process.stdout.split()
            verdict = "met" if int(peak) < LIMIT else "**missed**"
            lines.append(f"| {name} | {int(peak) / 1e6:,.0f} MB | {float(seconds):.0f} s | {verdict} |")
    return (
        f"Training (10,000 terms, a share held out) from a JSON lines file of {size / 1e9:.2f} GB, {n_documents:,} "
        f"documents; aim: under {LIMIT / 1e6:,.0f} MB:\n\n" + "\n".join(lines)
    )
