"""Large documents and large files: linear time, and memory for a few copies of the longest document only."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

SIZE = 99 * 10**6

MEASURE = """
import re, sys
from textsieve.corpus import read
corpus = read(sys.argv[1], max_unpacked=10**9)
longest = max(len(text) for text in corpus.texts())
peak = int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) // 1024
print(longest, corpus.report.documents, peak)
"""

LONG = b"word " * (SIZE // 5)
WRITERS: dict[str, Callable[[], bytes]] = {
    "csv": lambda: b"label,text\na," + LONG + b"\nb,short\n",
    "quoted csv": lambda: b'label,text\na,"' + LONG[:-4] + b'""\n."\nb,short\n',
    "jsonl": lambda: b'{"label": "a", "text": "' + LONG + b'"}\n{"label": "b", "text": "short"}\n',
    "fasttext": lambda: b"__label__a " + LONG + b"\n__label__b short\n",
}


def measure(path: Path) -> tuple[int, int, int]:
    """Return the length of the longest document, the number of documents, and the peak memory in MB.

    The peak is Linux's own count, because `getrusage` passes a parent's peak on to its children.
    """
    if not Path("/proc/self/status").exists():
        pytest.skip("the peak of memory is read from /proc, which is Linux's")
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, str(path)], capture_output=True, text=True, check=True, timeout=60
    )
    longest, documents, peak = map(int, done.stdout.split())
    return longest, documents, peak


@pytest.mark.slow
@pytest.mark.parametrize("kind", WRITERS)
def test_a_line_of_99_megabytes_is_read_in_little_memory(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "x"
    path.write_bytes(WRITERS[kind]())
    longest, documents, peak = measure(path)
    path.unlink()
    assert abs(longest - SIZE) < 10
    assert documents == 2
    assert peak < 700


@pytest.mark.slow
def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    line = b"topic,some words of a document that is not very long at all\n"
    path = tmp_path / "x.csv"
    path.write_bytes(b"label,text\n" + line * (SIZE // len(line)))
    _, documents, peak = measure(path)
    path.unlink()
    assert documents == SIZE // len(line)
    assert peak < 120


@pytest.mark.slow
def test_memory_of_parquet_does_not_grow_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    texts = pl.Series([f"{n} " + "words of a document " * 50 for n in range(100_000)])
    pl.DataFrame({"text": pl.concat([texts, texts]), "label": 1}).write_parquet(path, row_group_size=5_000)
    _, documents, peak = measure(path)
    assert documents == 200_000
    assert peak < 450
