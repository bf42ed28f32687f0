"""RCV1-v2: 804,414 Reuters stories of 1996 and 1997 with 103 topics, published as vectors or tokens, not as texts.

The LYRL2004 split of Lewis, Yang, Rose and Li trains on the first 23,149 stories. Its files are:

- vectors: `2286  864:0.05 1523:0.04 ...`, one story per line: its number, and then the number and weight of each of
  its terms; there are 47,236 terms, counted from 1;
- tokens: `.I 2286`, `.W`, then lines of stems up to an empty line;
- topics (qrels): `E11 2286 1`, a topic, a story's number, and 1, or 0 if the story does not have the topic. The topics
  form a hierarchy, and the file lists for each story also the topics above its own.

Lines and stories that cannot be parsed, and stories without a known topic, are skipped and counted. The word `top`
selects only the four top codes: CCAT, ECAT, GCAT, MCAT. MULAN's five subsets have 6,000 stories each, with 944 binary
terms; `mulan.py` reads them and identifies their topics.
"""

from __future__ import annotations

import io
from collections.abc import Container, Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import Place
from ..batch import BATCH_CHARACTERS, BATCH_DOCUMENTS, Batch, Document, Labels, Report, in_batches
from ..corpus import StartPass
from ..read_limits import ReadLimits
from ..streams import read_lines
from . import mulan
from .archives import BROKEN
from .collection import Choice, Collection, Edition, EditionSelection
from .local_files import File, Paths

if TYPE_CHECKING:
    from scipy.sparse import csr_array

ENCODING = "latin-1"
N_TERMS = 47_236
WITHOUT_TOPIC = "stories without a topic"
BROKEN_TOPICS = "broken lines of topics"
MAX_DIGITS = 15
"""Maximum digits of a story's number: the svmlight reader returns floats, which represent 15 digits exactly."""
INVALID_NUMBER = -1
"""Stands for the number of a story if it can't be parsed."""

Topics = Mapping[int, Labels]
"""The topics of each story, by its number."""


def read_topics(
    path: Path, allowed_topics: Container[str] | None, report: Report, limits: ReadLimits
) -> dict[int, Labels]:
    """Return the topics of each story by its number: only `allowed_topics`, or all if that is None.

    Stories without such a topic are left out. Stories with equal topics share one tuple, which saves memory. Lines that
    can't be parsed are counted as skipped.
    """
    topics: dict[int, Labels] = {}
    shared_tuples: dict[Labels, Labels] = {}  # the first of all equal tuples
    for _, line in read_lines(path, ENCODING, report, limits):
        match line.split():
            case [code, digits, "1"] if (number := _story_number(digits)) is not None:
                story_topics = topics.get(number, ())
                if code not in story_topics and (allowed_topics is None or code in allowed_topics):
                    story_topics = (*story_topics, code)
                    topics[number] = shared_tuples.setdefault(story_topics, story_topics)
            case [] | [_, _, "0"]:
                pass  # a blank line, or a topic that the story does not have
            case _:
                report.skip(BROKEN_TOPICS)
    return topics


def _story_number(text: str) -> int | None:
    """Return the number of a story, or None if the text is no such number."""
    return int(text) if text.isdecimal() and len(text) <= MAX_DIGITS else None


def token_documents(paths: Iterable[Path], topics: Topics, report: Report, limits: ReadLimits) -> Iterator[Document]:
    """Yield the stories of token files, as texts; broken stories and those without a topic are skipped and counted."""
    for path in paths:
        number: int | None = None  # of the current story; None before the first
        words: list[str] | None = None  # the lines of the current story after `.W`; None before `.W`
        n_characters = 0
        for _, line in read_lines(path, ENCODING, report, limits):
            if line.startswith(".I") and not line[2:3].strip():  # `.I` is a word of its own
                yield from _story(number, words, topics, report)  # the one before is complete
                number = _story_number(line[2:].strip()) or INVALID_NUMBER  # no story has the number 0
                words, n_characters = None, 0
            elif line.rstrip() == ".W":
                words = []
            elif words is not None:
                words.append(line.strip())
                n_characters += len(line)
                limits.check_document(n_characters, Place(str(path), f"story {number}"))
        yield from _story(number, words, topics, report)


def _story(number: int | None, words: list[str] | None, topics: Topics, report: Report) -> Iterator[Document]:
    """Yield a complete story if it is valid and has topics; otherwise count it as skipped.

    `number` is None before the first story, and `words` is None if the story had no line `.W`.
    """
    if number is None:
        return
    if number < 0 or words is None:
        report.skip(BROKEN)
    elif number not in topics:
        report.skip(WITHOUT_TOPIC)
    else:
        yield " ".join(filter(None, words)), topics[number]


def vector_batches(paths: Iterable[Path], topics: Topics, report: Report, limits: ReadLimits) -> Iterator[Batch]:
    """Yield the stories of vector files, in batches."""
    for path in paths:
        lines: list[str] = []
        n_characters = 0
        for _, line in read_lines(path, ENCODING, report, limits):
            if line.strip():
                lines.append(line if line.endswith("\n") else f"{line}\n")
                n_characters += len(line)
            if len(lines) >= BATCH_DOCUMENTS or n_characters >= BATCH_CHARACTERS:
                yield from _batch(lines, topics, report)
                lines, n_characters = [], 0
        yield from _batch(lines, topics, report)


def _batch(lines: list[str], topics: Topics, report: Report) -> Iterator[Batch]:
    """Yield the stories in these lines that are valid and have topics as a batch, if there are any."""
    numbers, vectors = _parse_valid(lines, report)
    rows = [row for row, number in enumerate(numbers) if number in topics]
    report.skip(WITHOUT_TOPIC, len(numbers) - len(rows))
    if rows:
        yield Batch([topics[numbers[row]] for row in rows], vectors=vectors[rows])


def _parse_valid(lines: list[str], report: Report) -> tuple[list[int], csr_array[Any]]:
    """Return the numbers and vectors of the valid lines, and count the others as skipped.

    Lines are parsed one by one only if parsing them together fails.
    """
    try:
        return _parse(lines)
    except (ValueError, OverflowError):
        valid_lines = [line for line in lines if _is_valid(line)]
    report.skip(BROKEN, len(lines) - len(valid_lines))
    return _parse(valid_lines)


def _is_valid(line: str) -> bool:
    """Return whether a line of a vector file can be parsed."""
    try:
        _parse([line])
    except (ValueError, OverflowError):
        return False
    return True


def _parse(lines: list[str]) -> tuple[list[int], csr_array[Any]]:
    """Return the numbers and vectors of stories; raise `ValueError` or `OverflowError` if a line is invalid."""
    import numpy as np
    from scipy.sparse import csr_array

    load_svmlight_file = import_module("sklearn.datasets").load_svmlight_file  # it has no type annotations
    data = "".join(lines).encode(ENCODING)
    # The lines are svmlight, with the number of the story in place of a label.
    rows, numbers = load_svmlight_file(io.BytesIO(data), n_features=N_TERMS, zero_based=False)
    # There are fewer numbers than lines if scikit-learn ignores a line, such as a comment.
    if not (np.isfinite(rows.data).all() and np.isfinite(numbers).all() and len(numbers) == len(lines)):
        raise ValueError("a weight is not a finite number")
    if not ((numbers == np.floor(numbers)) & (numbers < 10**MAX_DIGITS)).all():
        raise ValueError("a story's number is not an integer")
    return [int(number) for number in numbers], csr_array(rows)


VECTORS, TOKENS = "", "tokens"
TOPICS = File("rcv1/rcv1-v2.topics.qrels.gz", ("2a98e5e5d8b770bded93afc8930d88299474317fe14181aee1466cc754d0d1c1",))
PIECES = ("train", "test_pt0", "test_pt1", "test_pt2", "test_pt3")
CHECKSUMS = {
    "vectors_train": "5468f656d0ba7a83afc7ad44841cf9a53048a5c083eedc005dcdb5cc768924ae",
    "vectors_test_pt0": "ed40f7e418d10484091b059703eeb95ae3199fe042891dcec4be6696b9968374",
    "vectors_test_pt1": "87700668ae45d45d5ca1ef6ae9bd81ab0f5ec88cc95dcef9ae7838f727a13aa6",
    "vectors_test_pt2": "48143ac703cbe33299f7ae9f4995db49a258690f60e5debbff8995c34841c7f5",
    "vectors_test_pt3": "dfcb0d658311481523c6e6ca0c3f5a3e1d3d12cde5d7a8ce629a9006ec7dbb39",
}
"""The known checksums of LYRL2004's vector files; none are known for the token files."""
SUBSETS = {
    1: (101, "b2ee886a52fc33753a246afd5025e5e1bc91be8bc95533798e9abf87974f8495"),
    2: (90, "dcf47e73085ddc9ecd845c7574fe7762559db66dcdd6dd47a2864424ddda28b6"),
    3: (88, "09acb20453492a62b34fdd41190551a00caf21851fb4d63aa1f81d58a301640a"),
    4: (71, "983864d627187b91177958308aed1c5f27fa89aaa77c1389d1987b8418183053"),
    5: (90, "d7353bc859b4e604f3d0645e9a73b6417f2becc38c35eaa483348e08001e9312"),
}
"""The number of topics and the checksum of each of MULAN's subsets."""


def _start(files: Mapping[str, Paths], selection: EditionSelection) -> StartPass:
    """Return the function that starts a pass over LYRL2004's files, or over one of MULAN's subsets.

    For LYRL2004, the topics are read in the first pass and kept for the next.
    """
    paths = {name: file_paths[0] for name, file_paths in files.items()}  # these files have one path each
    allowed_topics = mulan.TOP if selection.get("topics") == "top" else None
    if selection.edition.word not in (VECTORS, TOKENS):
        (subset,) = paths.values()
        return lambda report: mulan.batches(subset, selection.part, allowed_topics, selection.limits)
    topics_path = paths.pop(TOPICS.name)
    topics: Topics | None = None
    topics_report = Report()  # its counts are added to the report of each pass, also if the topics are not read again

    def start(report: Report) -> Iterator[Batch]:
        """Start a pass over the stories; the first call reads the topics."""
        nonlocal topics
        if topics is None:
            topics = read_topics(topics_path, allowed_topics, topics_report, selection.limits)
        for kind, count in topics_report.skipped.items():
            report.skip(kind, count)
        if selection.edition.word == TOKENS:
            return in_batches(token_documents(paths.values(), topics, report, selection.limits))
        return vector_batches(paths.values(), topics, report, selection.limits)

    return start


def _lyrl2004_files(kind: str) -> tuple[File, ...]:
    """Return the files of "vectors" or "tokens", and the file of topics."""
    files = []
    for piece in PIECES:
        name = f"{kind}_{piece}"
        checksums = (CHECKSUMS[name],) if name in CHECKSUMS else ()
        part = piece.partition("_")[0]  # "test" for "test_pt0"
        files.append(File(f"rcv1/lyrl2004_{name}.dat.gz", checksums, part=part))
    return (*files, TOPICS)


COLLECTION = Collection(
    name="rcv1",
    title="RCV1-v2",
    publisher="the online appendices of Lewis, Yang, Rose and Li (2004)",
    licence="research only",
    editions=(
        Edition(
            VECTORS,
            "LYRL2004's vectors",
            _lyrl2004_files("vectors"),
            documents=804_414,
            classes=103,
            split=(23_149, 781_265),
        ),
        Edition(
            TOKENS,
            "LYRL2004's stems, as texts",
            _lyrl2004_files("tokens"),
            documents=804_414,
            classes=103,
            split=(23_149, 781_265),
        ),
        *(
            Edition(
                word=f"subset{number}",
                about=f"MULAN's subset {number}, as vectors",
                files=(File(f"rcv1/rcv1subset{number}_top944.mat", (checksum,)),),
                documents=6_000,
                classes=n_topics,
                split=(3_000, 3_000),
                publisher="MULAN's page of multi-label data sets",
            )
            for number, (n_topics, checksum) in SUBSETS.items()
        ),
    ),
    choices=(Choice("topics", {"top": "the four codes at the top alone"}),),
    multilabel=True,
    start=_start,
)
