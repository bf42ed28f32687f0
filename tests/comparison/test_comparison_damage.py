"""Damaged results files raise an error that names the line; whatever is accepted can be shown and reported."""

from __future__ import annotations

import io
import json
import os
import random
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout, suppress
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from tests.reference.categorizer_cases import small_texts

from textsieve import InputError, compare
from textsieve.cli.compare import print_tables
from textsieve.comparison import Comparison, json_lines, read_comparison, running
from textsieve.comparison.examples import CombinationExamples
from textsieve.comparison.json_lines import MAX_BYTES, decode_line, encode_line, has_checksum
from textsieve.comparison.rankings import FoldRanking
from textsieve.comparison.results import Row, Selection, open_or_resume
from textsieve.comparison.schema import EXAMPLES, RANKING, ROW, SELECTION
from textsieve.report.page import report_page

CASE = small_texts(40, 3)
WANTED: dict[str, Any] = {"selectors": "ocfs,ig,all", "n_terms": 4, "classifiers": "nb", "folds": 2, "n_jobs": 1}
RAW = "value that stands in the line as it is"

WRONG: dict[str, Any] = {
    "text": "text",
    "empty text": "",
    "lone surrogate": "\ud800",
    "fraction": 3.5,
    "negative": -1,
    "zero": 0,
    "whole": 5,
    "huge": 10**30,
    "true": True,
    "null": None,
    "list": [],
    "nested list": [[1, 2], [3]],
    "object": {},
    "NaN": (RAW, "NaN"),
    "infinity": (RAW, "Infinity"),
    "overflow": (RAW, "1e400"),
    "digits": (RAW, "9" * 5_000),
    "deep list": (RAW, "[" * 100_000 + "]" * 100_000),
    "deep object": (RAW, '{"a":' * 50 + "1" + "}" * 50),
}


def run(path: Path | None, **other: Any) -> Comparison:
    return compare(CASE.texts, CASE.labels, results=path, **{**WANTED, **other})


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("whole") / "results.jsonl"
    run(path)
    return path.read_bytes()


@pytest.fixture(scope="module")
def expected(whole: bytes, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    path = tmp_path_factory.mktemp("expected") / "results.jsonl"
    path.write_bytes(whole)
    return read_comparison(path).to_dict()


def with_checksum(text: str) -> bytes:
    """Return a line with any text and the checksum that belongs to it."""
    body = text[:-1].encode("utf-8", "surrogatepass")
    return body + b', "checksum": "%08x"}\n' % crc32(body)


def places(value: Any) -> Iterator[tuple[Any, ...]]:
    """Yield the path of each value in nested JSON; of a list, only those in its first item."""
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(min(len(value), 1)):
            yield (key,)
            for rest in places(value[key]):
                yield (key, *rest)


def changed(record: dict[str, Any], place: tuple[Any, ...], change: Callable[[Any, Any], None]) -> dict[str, Any]:
    """Return a copy of a record in which the container of the value at a path was changed."""
    copy: dict[str, Any] = json.loads(json.dumps(record))
    holder: Any = copy
    for key in place[:-1]:
        holder = holder[key]
    change(holder, place[-1])
    return copy


def damages(record: dict[str, Any]) -> Iterator[tuple[str, bytes]]:
    """Yield each kind of damage at each path of a record, as a line with a correct checksum."""
    for place in places(record):
        where = ".".join(map(str, place))
        for name, value in WRONG.items():
            is_raw = isinstance(value, tuple)

            def set_value(holder: Any, key: Any, value: Any = RAW if is_raw else value) -> None:
                holder[key] = value

            text = json.dumps(changed(record, place, set_value))
            yield f"{where}: {name}", with_checksum(text.replace(f'"{RAW}"', value[1]) if is_raw else text)

        def remove(holder: Any, key: Any) -> None:
            del holder[key]

        def repeat(holder: Any, key: Any) -> None:
            if isinstance(holder, list):
                holder.append(holder[key])
            else:
                holder["extra"] = 1

        yield f"{where}: missing", with_checksum(json.dumps(changed(record, place, remove)))
        yield f"{where}: one more", with_checksum(json.dumps(changed(record, place, repeat)))


def read_or_error(path: Path) -> Comparison | InputError:
    try:
        return read_comparison(path)
    except InputError as problem:
        return problem


def use(comparison: Comparison) -> None:
    """Convert results to JSON values, and print their tables."""
    comparison.to_dict()
    with redirect_stdout(io.TextIOWrapper(io.BytesIO(), "utf-8", "replace")):
        print_tables(comparison, "results.jsonl")


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["header", "ranking", "selection", "row", "examples"])
def test_a_forged_line_raises_an_error_or_can_be_shown(kind: str, whole: bytes, tmp_path: Path) -> None:
    """The checksum of each line is correct, so only the schema can detect the damage."""
    path = tmp_path / "results.jsonl"
    lines = whole.splitlines(keepends=True)
    beginning = {"header": b'{"textsieve_comparison"'}.get(kind, b'{"%s"' % kind.encode())
    at = max(number for number, line in enumerate(lines) if line.startswith(beginning))
    header = decode_line(lines[0].rstrip())
    n_accepted = n_refused = 0
    record = decode_line(lines[at].rstrip())
    if kind == "header":  # any setting is possible, so one of them is enough
        record["settings"] = {"ngram_range": record["settings"]["ngram_range"]}
    for name, line in damages(record):
        path.write_bytes(b"".join([*lines[:at], line, *lines[at + 1 :]]))
        before = path.read_bytes()
        outcome = read_or_error(path)
        if isinstance(outcome, InputError):
            where = "results.jsonl" if kind == "header" else f"results.jsonl: line {at + 1}: damaged"
            assert where in str(outcome), name
            n_refused += 1
        else:
            use(outcome)
            n_accepted += 1
            if n_accepted % 80 == 1:  # a page takes longer than all the rest
                report_page(outcome)
        with suppress(InputError), open_or_resume(str(path), header):
            pass
        assert path.read_bytes() == before
    assert n_refused > n_accepted > 0


def test_each_flipped_bit_raises_an_error_that_names_the_line(whole: bytes, tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    draw = random.Random(0)
    places = {len(whole) - 1, *(draw.randrange(len(whole)) for _ in range(600))}
    for place in sorted(places):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << draw.randrange(8)
        path.write_bytes(damaged)
        line = whole[:place].count(b"\n") + 1
        problem = read_or_error(path)
        assert isinstance(problem, InputError), place
        assert f"results.jsonl: line {line}: damaged" in str(problem) or (
            line == 1 and "results.jsonl: " in str(problem)
        )


def test_each_flipped_bit_of_the_last_line_feed_raises_an_error(whole: bytes, tmp_path: Path) -> None:
    """A line with its checksum is not an unfinished line, whatever follows it."""
    path = tmp_path / "results.jsonl"
    for bit in range(8):
        path.write_bytes(whole[:-1] + bytes([ord("\n") ^ 1 << bit]))
        with pytest.raises(InputError, match=rf"line {len(whole.splitlines())}: damaged: its checksum"):
            read_comparison(path)


def test_a_last_line_without_a_line_feed_is_whole(
    whole: bytes, expected: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some editors remove the last line feed."""
    path = tmp_path / "results.jsonl"
    path.write_bytes(whole[:-1])
    assert read_comparison(path).to_dict() == expected
    monkeypatch.setattr(running, "measure", None)  # nothing is measured again
    assert run(path).to_dict() == expected
    assert path.read_bytes() == whole


def test_removed_lines_are_measured_again(whole: bytes, tmp_path: Path) -> None:
    """The hint of the error works for each kind of line."""
    path = tmp_path / "results.jsonl"
    header, *lines = whole.splitlines(keepends=True)
    kinds = [line[: line.index(b":")] for line in lines]
    for at in {kind: at for at, kind in enumerate(kinds)}.values():
        damaged = [*lines[:at], b"damaged\n", *lines[at + 1 :]]
        path.write_bytes(b"".join([header, *damaged]))
        with pytest.raises(InputError, match=rf"line {at + 2}: damaged: .* Remove this line and run the same command"):
            run(path)
        path.write_bytes(b"".join([header, *lines[:at], *lines[at + 1 :]]))
        again = run(path)
        assert {selection.key for selection in again.selections} == {
            selection.key for selection in run(None).selections
        }
        assert {ranking.key for ranking in again.rankings} == {ranking.key for ranking in run(None).rankings}
        assert len(again.rows) == 6


def test_rows_of_one_fold_are_of_the_same_documents(whole: bytes, tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    *lines, last, _examples = whole.splitlines(keepends=True)
    row = decode_line(last.rstrip())
    row["row"]["trained_on"] -= 1
    path.write_bytes(b"".join([*lines, encode_line(row)]))
    with pytest.raises(InputError, match=rf"line {len(lines) + 1}: damaged: trained_on and documents are \(19, 20\)"):
        read_comparison(path)


def test_the_schema_has_all_fields() -> None:
    kinds = ((Row, ROW), (Selection, SELECTION), (FoldRanking, RANKING), (CombinationExamples, EXAMPLES))
    for kind, schema in kinds:
        assert list(kind.__dataclass_fields__) == list(schema)


def test_a_short_line_takes_little_memory(whole: bytes, tmp_path: Path) -> None:
    """Large numbers in a line, such as those of documents, folds and sizes, allocate no memory."""
    path = tmp_path / "results.jsonl"
    lines = [decode_line(line) for line in whole.splitlines()]
    header, rows = lines[0], [line["row"] for line in lines if "row" in line]
    huge = 1 << 50
    header["documents"] = huge
    for row in rows:
        row.update(n_seen=huge, trained_on=1 << 40, model_bytes=huge, threads=huge, cores=huge)
    path.write_bytes(b"".join(map(encode_line, lines)))
    tracemalloc.start()
    try:
        use(read_comparison(path))
        header["split"]["folds"] = huge
        path.write_bytes(b"".join(map(encode_line, lines)))
        assert read_comparison(path).conditions == []
        header["split"]["folds"] = 2
        for row in rows:
            row["documents"] = 1 << 40
        path.write_bytes(b"".join(map(encode_line, lines)))
        with pytest.raises(InputError, match=r"line 4: damaged: confusion has 20 documents"):
            read_comparison(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 20_000_000


def test_lines_that_are_too_large_are_not_parsed(whole: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_lines, "MAX_LINE", 1_000_000)
    monkeypatch.setattr(json_lines, "MAX_VALUES", 10_000)
    path = tmp_path / "results.jsonl"
    header = whole.splitlines(keepends=True)[0]
    too_large = {
        "the line is nested more than 40 deep": with_checksum('{"row": ' + "[" * 100_000 + "]" * 100_000 + "}"),
        "the line has more than 10,000 values": with_checksum('{"row": [' + ",".join(["[]"] * 300_000) + "]}"),
        "it has more than 1,000,000 bytes": b"x" * 5_000_000,
    }
    for reason, line in too_large.items():
        path.write_bytes(header + line)
        tracemalloc.start()
        try:
            with pytest.raises(InputError, match=f"line 2: damaged: {reason}"):
                read_comparison(path)
            assert tracemalloc.get_traced_memory()[1] < 6_000_000  # the 300,000 lists alone would be 19 million bytes
        finally:
            tracemalloc.stop()


def test_a_line_that_could_not_be_read_again_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_lines, "MAX_VALUES", 70)
    path = tmp_path / "results.jsonl"
    with pytest.raises(InputError, match="can't be written any further, because the line has more than 70 values"):
        run(path)
    monkeypatch.undo()
    assert len(run(path).rows) == 6


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes on this system")
def test_only_regular_files_of_bounded_size_are_read(whole: bytes, tmp_path: Path) -> None:
    pipe, sparse = tmp_path / "pipe", tmp_path / "sparse.jsonl"
    os.mkfifo(pipe)
    for path in (pipe, Path("/dev/zero")):
        with pytest.raises(InputError, match="is a pipe or a device, not a file of results"):
            read_comparison(path)
        with pytest.raises(InputError, match="is a device or a pipe"):
            run(path)
    sparse.write_bytes(whole)
    os.truncate(sparse, 3 << 30)
    for reads in (run, read_comparison):
        with pytest.raises(InputError, match=f"has 3,221,225,472 bytes; a file of results has at most {MAX_BYTES:,}"):
            reads(sparse)


def test_lines_written_have_their_checksums(whole: bytes) -> None:
    for line in whole.splitlines():
        assert has_checksum(line)
        assert json.loads(line)["checksum"]
