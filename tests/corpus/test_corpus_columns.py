"""Texts from several columns, the columns that were used, and tables whose columns are given by number."""

from __future__ import annotations

import gzip
import io
import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import xlsxwriter

from textsieve.corpus import Corpus, read
from textsieve.corpus.pipes import read_pipe
from textsieve.errors import InputError, InputWarning

NAMES = ["id", "title", "description", "section"]
ROWS = [
    ["1", "Printer", "It does not print.\nNot at all.", "hardware"],
    ["2", "", "No title", "software"],
    ["3", "No description", " \n", "software"],
    ["4", "", "", "hardware"],
    ["5", " spaces ", " stay ", "software"],
]
TEXTS = ["Printer\n\nIt does not print.\nNot at all.", "No title", "No description", "", " spaces \n\n stay "]
SEVERAL: dict[str, Any] = {"text": ["title", "description"], "label": "section"}


def as_delimited(delimiter: str) -> bytes:
    quoted = [delimiter.join('"' + cell + '"' for cell in row) for row in [NAMES, *ROWS]]
    return "\n".join(quoted).encode()


def as_jsonl() -> bytes:
    """Return JSON lines; an empty text is null, or its key is left out."""
    records: list[dict[str, str | None]] = [dict(zip(NAMES, row, strict=True)) for row in ROWS]
    records[1]["title"] = None
    del records[3]["title"]
    return "\n".join(map(json.dumps, records)).encode()


def as_parquet() -> bytes:
    buffer = io.BytesIO()
    columns = {name: [row[position] for row in ROWS] for position, name in enumerate(NAMES)}
    pl.DataFrame({**columns, "title": [title.encode() for title in columns["title"]]}).write_parquet(buffer)
    return buffer.getvalue()


def as_excel() -> bytes:
    buffer = io.BytesIO()
    with xlsxwriter.Workbook(buffer) as workbook:
        sheet = workbook.add_worksheet()
        for number, row in enumerate([NAMES, *ROWS]):
            sheet.write_row(number, 0, row)
    return buffer.getvalue()


TABLES: dict[str, Callable[[], bytes]] = {
    "x.csv": lambda: as_delimited(","),
    "x.tsv": lambda: as_delimited("\t"),
    "x.jsonl": as_jsonl,
    "x.json": lambda: b"[" + as_jsonl().replace(b"\n{", b",\n{") + b"]",
    "x.parquet": as_parquet,
    "x.xlsx": as_excel,
    "x.csv.gz": lambda: gzip.compress(as_delimited(",")),
}


@pytest.mark.every_case
@pytest.mark.parametrize("name", TABLES)
def test_several_columns_are_joined_with_a_blank_line(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(TABLES[name]())
    corpus = read(path, **SEVERAL)
    expected = [(text, (row[3],)) for text, row in zip(TEXTS, ROWS, strict=True)]
    assert list(corpus) == expected
    (table,) = corpus.tables
    assert (table.text, table.label, table.left_out) == (("title", "description"), "section", ("id",))
    reversed_text = next(read(path, text=["description", "title"], label="section").texts())
    assert reversed_text.endswith("all.\n\nPrinter")
    assert list(read(path, texts_only=True, usual=SEVERAL).texts()) == TEXTS
    kept = [values for batch in read(path, keep=["id"], **SEVERAL).batches() for values in batch.kept or ()]
    assert [values["id"] for values in kept] == [row[0] for row in ROWS]
    for stream in (False, True):
        with read_pipe(io.BytesIO(path.read_bytes()), "pipe", stream=stream, texts_only=stream, **SEVERAL) as piped:
            assert list(piped.texts()) == TEXTS
            (table,) = piped.tables
            assert (table.source, table.text) == ("pipe", ("title", "description"))


def test_an_object_needs_one_of_the_keys(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('{"title": "x", "description": "y"}\n{"other": "z"}\n')
    corpus = read(tmp_path / "x.jsonl", text=["title", "description"], label=False)
    with pytest.raises(InputError, match=r"line 2: no key 'title' or 'description'. Keys found: 'other'"):
        list(corpus)
    (tmp_path / "x.jsonl").write_text('{"title": "x", "description": 5}\n')
    with pytest.raises(InputError, match="line 1: 'description' is 5, not a string"):
        list(read(tmp_path / "x.jsonl", text=["title", "description"], label=False))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"text": ["title", "titel"]}, r"no column 'titel' for text. Columns found: .* Did you mean 'title'\?"),
        ({"text": ["title", "title"]}, "column 'title' is given twice for text. Give each column once"),
        ({"text": ["title", "section"]}, "'section' cannot be both the text and the label"),
        ({"text": ["title", 2]}, r"text=\('title', 2\) and label='section' mix names and numbers"),
        ({"text": []}, r"text=\[\]; give the name of the column of the texts"),
        ({"text": True}, r"text=True; give the name of the column of the texts"),
        ({"text": ["title", None]}, r"text=\['title', None\]; give the name"),
        ({"text": 1.5}, r"text=1.5; give the name"),
    ],
)
def test_wrong_columns_raise(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    (tmp_path / "x.csv").write_bytes(as_delimited(","))
    with pytest.raises(InputError, match=message):
        read(tmp_path / "x.csv", label="section", **options)


def test_formats_without_columns_take_no_columns(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("a document\n")
    with pytest.raises(InputError, match=r"text=\('a', 'b'\): it is for formats with columns"):
        read(tmp_path / "x.txt", text=["a", "b"])
    assert read(tmp_path / "x.txt").tables == []


def test_a_default_column_that_is_missing_is_a_warning(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("id,title,section\n1,hello,a\n")
    with pytest.warns(InputWarning, match="x.csv: no column 'description', so the text is only 'title'."):
        corpus = read(tmp_path / "x.csv", usual=SEVERAL)
    assert list(corpus) == [("hello", ("a",))]
    (tmp_path / "y.csv").write_text("id,body,section\n1,hello,a\n")
    with pytest.warns(InputWarning, match="y.csv: no column 'title' and no column 'description', so the text is from"):
        assert list(read(tmp_path / "y.csv", usual=SEVERAL)) == [("hello", ("a",))], "a conventional name"


def test_a_conventional_name_comes_before_some_of_the_default_columns(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("title,Body,section\nt,hello,a\n")
    with pytest.warns(InputWarning, match="no column 'description', so the text is from 'Body'"):
        assert list(read(tmp_path / "x.csv", usual=SEVERAL)) == [("hello", ("a",))]
    (tmp_path / "z.csv").write_text("title,title,description,description,body,section\n1,2,3,4,hello,a\n")
    with pytest.warns(
        InputWarning, match="z.csv: 'title' and 'description' can't be the text here, so the text is from"
    ):
        assert list(read(tmp_path / "z.csv", usual=SEVERAL)) == [("hello", ("a",))]


def test_an_id_is_no_text_where_the_text_columns_of_training_are_missing(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("id,section\n1,a\n")
    with pytest.raises(InputError, match=r"cannot tell which column is the text\. Columns found: 'id', 'section'"):
        read(tmp_path / "x.csv", usual=SEVERAL)
    (tmp_path / "title.csv").write_text("title,label\ncheap pills,spam\n")
    with pytest.warns(InputWarning, match="so the text is from 'title'"):
        assert list(read(tmp_path / "title.csv", usual={"text": "note"})) == [("cheap pills", ("spam",))]
    (tmp_path / "y.csv").write_text("note,section\nhello,a\n")
    with pytest.warns(
        InputWarning, match=r"so the text is from 'note'\. If that is wrong, name the columns with text\."
    ):
        assert list(read(tmp_path / "y.csv", usual=SEVERAL)) == [("hello", ("a",))]


@pytest.mark.parametrize(
    ("header", "text"),
    [
        ("text,section", ("text",)),
        ("title,text,section", ("text",)),  # such as suggestions with a kept title
        ("section,title,description,text", ("title", "description")),
    ],
)
def test_a_conventional_name_is_used_unless_all_default_columns_are_there(
    tmp_path: Path, header: str, text: tuple[str, ...]
) -> None:
    (tmp_path / "x.csv").write_text(f"{header}\n{','.join('x' for _ in header.split(','))}\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (table,) = read(tmp_path / "x.csv", usual=SEVERAL).tables
    assert (table.text, table.label) == (text, "section")


def test_the_default_label_is_not_taken_for_the_text(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("title,review\nhello,good\n")
    with pytest.warns(InputWarning, match="no column 'description', so the text is only 'title'"):
        corpus = read(tmp_path / "x.csv", usual={"text": ["title", "description"], "label": "review"})
    assert list(corpus) == [("hello", ("good",))]


def test_a_default_column_of_which_a_conventional_one_is_a_part_is_a_warning(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("description,section\nhello,a\n")
    with pytest.warns(InputWarning, match="no column 'title', so the text is only 'description'"):
        assert list(read(tmp_path / "x.csv", usual=SEVERAL)) == [("hello", ("a",))]


def test_the_columns_are_described_in_a_line(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_bytes(as_delimited(","))
    described = [
        str(table)
        for options in (SEVERAL, {"text": "title", "label": False, "keep": ["id"]})
        for table in read(tmp_path / "x.csv", **options).tables
    ]
    assert described == [
        "text from 'title' and 'description', label from 'section'; not used: 'id'",
        "text from 'title'; copied: 'id'; not used: 'description', 'section'",
    ]
    many = [f"column {n}" for n in range(50)]
    (tmp_path / "y.csv").write_text(f"text,,{','.join(many)}\nx,,{',' * 49}\n")
    (table,) = read(tmp_path / "y.csv", label=False).tables
    assert str(table).endswith("'column 9' and 40 more"), "columns without a name are not listed"


def test_several_files_have_their_own_columns(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("text,label\nx,a\n")
    (tmp_path / "y.csv").write_text("body,topic,id\ny,b,1\n")
    corpus = Corpus.chained([read(tmp_path / "x.csv"), read(tmp_path / "y.csv")])
    assert [table.text for table in corpus.tables] == [("text",), ("body",)]


# -- columns by number -------------------------------------------------------------------------------------------


def test_columns_may_be_given_by_number(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a,Hello,it is me\nb,,No title\n")
    corpus = read(tmp_path / "x.csv", text=[1, 2], label=0)
    assert list(corpus) == [("Hello\n\nit is me", ("a",)), ("No title", ("b",))]


@pytest.mark.parametrize(
    ("header", "options"),
    [
        ("id,description,section", {"text": 1, "label": 2}),  # a conventional name of one column
        ("id,what,category", {"text": 1, "label": 2}),
        ("id,what,section", {"text": 1, "label": 2}),  # the labels repeat, but not that of the first row
    ],
)
def test_a_header_that_is_read_as_a_document_is_a_warning(tmp_path: Path, header: str, options: dict[str, Any]) -> None:
    (tmp_path / "x.csv").write_text(f"{header}\n" + "".join(f"{n},some text,{'ab'[n % 2]}\n" for n in range(9)))
    _, text, label = header.split(",")
    with pytest.warns(InputWarning) as warned:
        corpus = read(tmp_path / "x.csv", **options)
    names = f"text={text!r} label={label!r}"
    assert str(warned[0].message).endswith(f"If it is a header, give their names: {names}.")
    assert len(list(corpus)) == 10


@pytest.mark.parametrize("first", ["a,Some text that is longer than any name of a column is", "a,b", "b,short", ",x"])
def test_a_first_row_like_the_others_is_no_header(tmp_path: Path, first: str) -> None:
    (tmp_path / "x.csv").write_text(f"{first}\n" + "".join(f"{'ab'[n % 2]},some text\n" for n in range(9)))
    assert len(list(read(tmp_path / "x.csv", text=1, label=0))) == 10


OF_SERVICE = {"text": "a goal", "label": "sport", "predicted": "x", "model": "y"}
OWN = {"review": "a vote", "stars": "politics", "model": "z"}


@pytest.mark.parametrize("records", [[OF_SERVICE, OWN], [OWN, OF_SERVICE], [OWN] * 1001 + [OF_SERVICE]], ids=len)
def test_objects_of_two_kinds_may_be_in_one_file(records: list[dict[str, str]], tmp_path: Path) -> None:
    """Names of columns are not used for objects with certain keys, wherever these are in the file."""
    columns: dict[str, Any] = {"text": ["review"], "label": "stars"}
    fixed = {"fixed_keys": (frozenset(OF_SERVICE),), "fixed_over_given": True}
    (tmp_path / "x.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    expected = [("a goal", ("sport",)) if record is OF_SERVICE else ("a vote", ("politics",)) for record in records]
    assert list(read(tmp_path / "x.jsonl", usual={**columns, **fixed})) == expected
    assert list(read(tmp_path / "x.jsonl", **columns, usual=fixed)) == expected
    without_labels = read(tmp_path / "x.jsonl", text=["review"], label=False, usual=fixed)
    assert list(without_labels.labels()) == [()] * len(records)


@pytest.mark.parametrize("label", ["predicted", "model"])
def test_given_columns_come_before_fixed_keys(label: str, tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text(json.dumps(OF_SERVICE))
    fixed = {"fixed_keys": (frozenset(OF_SERVICE),)}
    assert list(read(tmp_path / "x.jsonl", label=label, usual=fixed)) == [("a goal", (OF_SERVICE[label],))]
    assert list(read(tmp_path / "x.jsonl", usual={**fixed, "label": label})) == [("a goal", ("sport",))]
    (tmp_path / "x.jsonl").write_text(json.dumps({**OF_SERVICE, "id": 1}))
    assert list(read(tmp_path / "x.jsonl", usual={**fixed, "label": label})) == [("a goal", (OF_SERVICE[label],))]


def test_an_object_without_the_keys_of_others_of_its_kind_is_named(tmp_path: Path) -> None:
    usual = {"text": ["review"], "label": "stars", "fixed_keys": (frozenset(OF_SERVICE),)}
    (tmp_path / "x.jsonl").write_text(f'{json.dumps(OF_SERVICE)}\n{json.dumps(OWN)}\n{{"text": "b", "label": "c"}}\n')
    with pytest.raises(InputError, match=r"x\.jsonl: line 3: no key 'review'\. Keys found: 'text', 'label'"):
        list(read(tmp_path / "x.jsonl", usual=usual))
