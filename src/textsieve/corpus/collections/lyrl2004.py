"""Read RCV1-v2 as Lewis, Yang, Rose and Li published it in 2004: vectors, tokens, and the topics of each story.

- vectors: `2286  864:0.05 1523:0.04 ...`, one story per line: its number and then term:weight, 47,236 terms from 1;
- tokens: `.I 2286`, `.W`, then lines of stems up to an empty line;
- topics (qrels): `E11 2286 1`, a topic, a story's number, and 1, or 0 if the story does not have the topic. A story
  also has all topics above its own.

Lines and stories that cannot be parsed, and stories without a known topic, are skipped and counted.
"""

from __future__ import annotations

import io
from collections.abc import Collection, Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import Place
from ..batch import BATCH_CHARACTERS, BATCH_DOCUMENTS, Batch, Document, Labels, Report
from ..bounds import ReadLimits
from ..streams import read_lines
from .records import BROKEN

if TYPE_CHECKING:
    from scipy.sparse import csr_array

ENCODING = "latin-1"
N_TERMS = 47_236
WITHOUT_TOPIC = "stories without a topic"
BROKEN_TOPICS = "broken lines of topics"
MOST_DIGITS = 15
"""Maximum digits of a story's number: the svmlight reader returns floats, which represent so many exactly."""
NO_NUMBER = -1

Topics = Mapping[int, Labels]
"""The topics of each story, by its number."""


def read_topics(path: Path, wanted: Collection[str] | None, report: Report, bounds: ReadLimits) -> dict[int, Labels]:
    """Return the topics of each story, restricted to the wanted ones; stories without any of them are left out."""
    topics: dict[int, Labels] = {}
    shared: dict[Labels, Labels] = {}
    for _, line in read_lines(path, ENCODING, report, bounds):
        match line.split():
            case [code, digits, "1"] if (number := _number(digits)) is not None:
                before = topics.get(number, ())
                if code not in before and (wanted is None or code in wanted):
                    after = (*before, code)
                    topics[number] = shared.setdefault(after, after)
            case [] | [_, _, "0"]:
                pass
            case _:
                report.skip(BROKEN_TOPICS)
    return topics


def _number(text: str) -> int | None:
    """Return the number of a story, or None; int() rejects thousands of digits."""
    return int(text) if text.isdecimal() and len(text) <= MOST_DIGITS else None


def token_documents(paths: Iterable[Path], topics: Topics, report: Report, bounds: ReadLimits) -> Iterator[Document]:
    """Yield the stories of token files, as texts."""
    for path in paths:
        number: int | None = None
        words: list[str] | None = None
        n_characters = 0
        for _, line in read_lines(path, ENCODING, report, bounds):
            if line.startswith(".I") and not line[2:3].strip():
                yield from _story(number, words, topics, report)
                number, words, n_characters = _number(line[2:].strip()) or NO_NUMBER, None, 0
            elif line.rstrip() == ".W":
                words = []
            elif words is not None:
                words.append(line.strip())
                n_characters += len(line)
                bounds.check_document(n_characters, Place(str(path), f"story {number}"))
        yield from _story(number, words, topics, report)


def _story(number: int | None, words: list[str] | None, topics: Topics, report: Report) -> Iterator[Document]:
    """Yield a story if one has begun and can be parsed."""
    if number is None:
        return
    if number < 0 or words is None:
        report.skip(BROKEN)
    elif number not in topics:
        report.skip(WITHOUT_TOPIC)
    else:
        yield " ".join(filter(None, words)), topics[number]


def vector_batches(paths: Iterable[Path], topics: Topics, report: Report, bounds: ReadLimits) -> Iterator[Batch]:
    """Yield the stories of vector files, in batches."""
    for path in paths:
        lines: list[str] = []
        n_characters = 0
        for _, line in read_lines(path, ENCODING, report, bounds):
            if line.strip():
                lines.append(line if line.endswith("\n") else f"{line}\n")
                n_characters += len(line)
            if len(lines) >= BATCH_DOCUMENTS or n_characters >= BATCH_CHARACTERS:
                yield from _batch(lines, topics, report)
                lines, n_characters = [], 0
        yield from _batch(lines, topics, report)


def _batch(lines: list[str], topics: Topics, report: Report) -> Iterator[Batch]:
    numbers, vectors = _sound_rows(lines, report)
    labels = [topics.get(number) for number in numbers]
    known = [row for row, story_topics in enumerate(labels) if story_topics is not None]
    for _ in range(len(labels) - len(known)):
        report.skip(WITHOUT_TOPIC)
    if known:
        yield Batch([story_topics for story_topics in labels if story_topics is not None], vectors=vectors[known])


def _sound_rows(lines: list[str], report: Report) -> tuple[list[int], csr_array[Any]]:
    """Return the numbers and vectors of the valid lines.

    Lines are parsed one by one only if parsing them together fails.
    """
    try:
        return _parse(lines)
    except (ValueError, OverflowError):
        sound = [line for line in lines if _can_be_read(line)]
    for _ in range(len(lines) - len(sound)):
        report.skip(BROKEN)
    return _parse(sound)


def _can_be_read(line: str) -> bool:
    try:
        _parse([line])
    except (ValueError, OverflowError):
        return False
    return True


def _parse(lines: list[str]) -> tuple[list[int], csr_array[Any]]:
    import numpy as np
    from scipy.sparse import csr_array

    load_svmlight_file = import_module("sklearn.datasets").load_svmlight_file  # it has no type annotations
    data = "".join(lines).encode(ENCODING)
    rows, numbers = load_svmlight_file(io.BytesIO(data), n_features=N_TERMS, zero_based=False)
    if not (np.isfinite(rows.data).all() and np.isfinite(numbers).all() and len(numbers) == len(lines)):
        raise ValueError("what is no finite number is no weight")
    if not ((numbers == np.floor(numbers)) & (numbers < 10**MOST_DIGITS)).all():
        raise ValueError("a story's number is whole")
    return [int(number) for number in numbers], csr_array(rows)
