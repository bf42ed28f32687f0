"""Files written by other libraries are read back unchanged."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from textsieve.corpus import read
from textsieve.corpus.read_limits import DEFAULT_LIMITS
from textsieve.corpus.readers.delimited import read_records

Documents = list[tuple[str, str]]

# NUL is left out: a file that is mostly NULs is taken for UTF-16.
anything = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30)
awkward = st.text(st.sampled_from("ab,;\"\t\n\r '\\\u2028\x85é"), max_size=12)
texts = anything | awkward
documents = st.lists(st.tuples(texts, texts), min_size=1, max_size=12)


def with_csv(pairs: Documents, delimiter: str = ",") -> bytes:
    file = io.StringIO(newline="")
    writer = csv.writer(file, delimiter=delimiter, quoting=csv.QUOTE_ALL)
    writer.writerows([("text", "label"), *pairs])
    return file.getvalue().encode()


def with_polars_csv(pairs: Documents) -> bytes:
    return pl.DataFrame(pairs, schema=["text", "label"], orient="row").write_csv().encode()


def with_json(pairs: Documents) -> bytes:
    return "\n".join(json.dumps({"text": text, "label": label}, ensure_ascii=False) for text, label in pairs).encode()


def with_polars(pairs: Documents) -> bytes:
    buffer = io.BytesIO()
    pl.DataFrame(pairs, schema=["text", "label"], orient="row").write_parquet(buffer, row_group_size=3)
    return buffer.getvalue()


WRITERS: dict[str, Callable[[Documents], bytes]] = {
    "csv": with_csv,
    "polars csv": with_polars_csv,
    "tsv": lambda pairs: with_csv(pairs, "\t"),
    "jsonl": with_json,
    "parquet": with_polars,
}


@pytest.mark.filterwarnings("ignore:.* different labels contain")
@pytest.mark.parametrize("kind", WRITERS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(documents)
def test_files_of_other_libraries_are_read_back(tmp_path: Path, kind: str, pairs: Documents) -> None:
    path = tmp_path / "file"
    if kind == "tsv":  # a tab after a line break could also begin a record
        pairs = [(text.replace("\t", " "), label.replace("\t", " ")) for text, label in pairs]
    path.write_bytes(WRITERS[kind](pairs))
    expected = [(text, (label.strip(),) if label.strip() else ()) for text, label in pairs]
    corpus = read(path)
    assert list(corpus) == expected
    assert corpus.report is not None
    assert corpus.report.replaced_bytes == 0


def records_of(content: str, delimiter: str, *, lenient: bool) -> list[list[str]]:
    lines = enumerate(io.StringIO(content, newline=""), 1)
    return [fields for _, fields in read_records(lines, delimiter, name="x", limits=DEFAULT_LIMITS, lenient=lenient)]


@pytest.mark.parametrize("lenient", [False, True])
@given(
    rows=st.lists(st.lists(awkward, min_size=1, max_size=4), min_size=1, max_size=5),
    delimiter=st.sampled_from(",\t"),
)
def test_records_are_those_of_the_csv_module(lenient: bool, delimiter: str, rows: list[list[str]]) -> None:
    # All rows get the same width, because the rule for lenient quotes counts delimiters.
    width = max(map(len, rows))
    rows = [["name"] * width, *(row + ["z"] * (width - len(row)) for row in rows)]
    file = io.StringIO(newline="")
    csv.writer(file, delimiter=delimiter, quoting=csv.QUOTE_ALL).writerows(rows)
    if not lenient:
        assert records_of(file.getvalue(), delimiter, lenient=False) == rows
    tame = [[field.replace(delimiter, " ").replace("\r", " ") for field in row] for row in rows]
    if lenient and width > 1:
        file = io.StringIO(newline="")
        csv.writer(file, delimiter=delimiter).writerows(tame)
        assert records_of(file.getvalue(), delimiter, lenient=True) == tame


@pytest.mark.parametrize(
    "line",
    [
        'a\t"Gimme a few" was all',
        'a\t"never closed',
        'a\t"one" and "two"',
        'a\tsay "hi"',
        'a\t""',
        'a\t"',
        'a\t""b"',
    ],
)
@pytest.mark.parametrize("following", ["b\tnext", 'b\t"open again', 'b\tends with"'])
def test_quotes_as_punctuation_stay_in_their_line(tmp_path: Path, line: str, following: str) -> None:
    path = tmp_path / "x.tsv"
    path.write_text(f"{line}\n{following}\n")
    pairs = list(read(path))
    text = line.partition("\t")[2]
    assert pairs[0] == ("" if text == '""' else text, ("a",))
    assert pairs[1] == (following.partition("\t")[2], ("b",))
