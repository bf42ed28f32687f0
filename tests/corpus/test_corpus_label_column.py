"""Which labels of a table are refused, from how many documents on, and which lead to a warning."""

from __future__ import annotations

import io
import json
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import xlsxwriter

from textsieve.corpus import Batch, Corpus, Labels, Report, read
from textsieve.corpus.label_column import (
    BEGINNING_CHARACTERS,
    BEGINNING_DOCUMENTS,
    LabelColumn,
    kind_problem,
    likely_label_columns,
    values_kind,
)
from textsieve.corpus.pipes import read_pipe
from textsieve.errors import InputError, InputWarning

N = BEGINNING_DOCUMENTS


class Table:
    """A corpus of a table with these labels, and the number of batches that were read of it."""

    def __init__(self, labels: Sequence[Labels], *, text: str = "", size: int = 1_000, **options: Any) -> None:
        self.batches = [
            Batch(list(labels[start : start + size]), [text] * len(labels[start : start + size]))
            for start in range(0, len(labels), size)
        ]
        self.n_read = 0
        self.corpus = Corpus("t.csv", self._start, sample_columns=dict, **options)

    def _start(self, report: Report) -> Iterator[Batch]:
        for batch in self.batches:
            self.n_read += 1
            yield batch

    def checked(self, **options: Any) -> list[Batch]:
        """Return all batches, after the labels of the first ones are checked."""
        return list(LabelColumn(self.corpus, **options).check_beginning(self.corpus.batches(), lambda batch: batch))

    def n_read_before_the_first(self) -> int:
        """Return how many batches are read before the first one is passed on."""
        next(LabelColumn(self.corpus).check_beginning(self.corpus.batches(), lambda batch: batch))
        return self.n_read


def ids(n: int) -> list[Labels]:
    return [(f"T-{number}",) for number in range(n)]


# -- how many labels are different -------------------------------------------------------------------------------


def test_different_labels_are_refused_without_reading_on() -> None:
    table = Table(ids(3 * N))
    with pytest.raises(InputError) as caught:
        table.checked()
    assert table.n_read == N // 1_000
    assert str(caught.value) == (
        "t.csv: 20,000 different labels of the first 20,000 labelled documents; a class needs several documents. In a "
        "table, name the column of the classes with label. If these are classes, shuffle the rows."
    )


def test_a_corpus_that_ends_before_is_judged_as_a_whole() -> None:
    assert Table(ids(49)).checked()
    for labels in (ids(50), [*ids(1_500), *ids(10)]):
        with pytest.raises(InputError, match=r"^t\.csv: [0-9,]+ different labels of [0-9,]+ labelled .* with label\.$"):
            Table(labels).checked()


def test_classes_that_take_turns_pass_if_they_repeat_within_the_beginning() -> None:
    table = Table([(f"class {number % 19_000}",) for number in range(N)])
    assert table.checked() == table.batches


@pytest.mark.parametrize(
    "numbers",
    [
        [number // 5 for number in range(N)],  # sorted
        [number % 900 for number in range(N)],  # one of each class, and then the next of each
        [number - number % 50 // 49 for number in range(N)],  # every fiftieth repeats the one before
    ],
    ids=["sorted", "in turns", "few repeated"],
)
def test_repeated_labels_hold_nothing_back(numbers: list[int]) -> None:
    assert Table([(f"class {number}",) for number in numbers]).n_read_before_the_first() == 1


def test_labels_that_begin_after_many_documents_are_found() -> None:
    """1,000 labelled documents are enough to refuse a column, but fewer are not."""
    unlabelled: list[Labels] = [()] * (N - 1_000)
    assert Table([*unlabelled, *ids(999), (), *unlabelled]).checked()
    with pytest.raises(InputError, match=r"1,000 different labels of the first 1,000 labelled documents"):
        Table([*unlabelled, *ids(1_000), *unlabelled]).checked()


def test_the_characters_that_are_held_back_are_limited() -> None:
    text = "x" * (BEGINNING_CHARACTERS // 1_500)
    with pytest.raises(InputError, match=r"of the first 1,600 labelled documents"):
        Table(ids(2_000), text=text, size=100).checked()
    long = Table(ids(900), text=2 * text, size=100)
    assert long.n_read_before_the_first() == 8  # 750 documents have so many characters, and are too few to decide


@pytest.mark.parametrize("setting", [None, True])
def test_several_labels_may_all_be_different(setting: bool | None) -> None:
    labels = ids(N)
    if setting is None:
        labels[500] = ("a", "b")
    table = Table(labels)
    assert table.checked(multilabel=setting) == table.batches
    assert Table(ids(N), multilabel=True).checked()


def test_labels_that_a_model_knows_are_not_checked() -> None:
    assert Table(ids(2 * N)).checked(classes={"T-7"})


def test_the_whole_is_checked_again() -> None:
    column = LabelColumn(Table([]).corpus)
    column.check_whole({"often": 11} | dict.fromkeys(map(str, range(89)), 1))
    with pytest.raises(InputError, match=r"^t\.csv: 91 different labels of 100 labelled documents"):
        column.check_whole({"often": 10} | dict.fromkeys(map(str, range(90)), 1))


def test_a_failed_look_at_other_columns_leaves_out_the_hint() -> None:
    def fail() -> dict[str, list[object]]:
        raise InputError("damaged")

    corpus = Corpus("a.parquet", lambda report: iter(()), sample_columns=fail)
    with pytest.raises(InputError, match=r"^a\.parquet: 100 different labels of 100 .* classes with label\.$"):
        LabelColumn(corpus).check_whole(dict.fromkeys(map(str, range(100)), 1))


# -- what the labels are -----------------------------------------------------------------------------------------


@pytest.mark.every_case
@pytest.mark.parametrize(
    "date",
    [
        *("2024-05-31", "2024/5/31", "2024.05.31", "20240531", "31.05.2024", "5/31/2024", "5/31/24", "31.05.24"),
        *("2024-05-31T14:30:00Z", "2024-05-31 14:30:00.123+02:00", "31.5.2024, 14:30", "5/31/24 2:30 PM", "14:30:05"),
        *("31 May 2024", "31. Mai 2024", "31-May-2024", "May 31, 2024", "Friday, May 31st, 2024"),
        *("Fri, 31 May 2024 14:30:00 +0200", "Fri May 31 14:30:00 UTC 2024", "Fri May 31 14:30:00 +0000 2024"),
    ],
)
def test_dates_and_times_are_recognized(date: str) -> None:
    assert values_kind({"unknown": 1, date: 9}) == ("dates or times", date)
    assert values_kind({"unknown": 2, date: 9}) is None


@pytest.mark.every_case
@pytest.mark.parametrize(
    "label",
    [
        *("0", "5", "-1", "2024", "2024-05", "20241331", "12345678", "1.0", "5.00", "1,000", "3.11.12", "1.2.3"),
        *("62.01", "May", "16:9", "May 2024", "2024-05-31-a", "sport", "section 1.5", "T-20240531", ""),
    ],
)
def test_names_integers_and_versions_are_no_dates(label: str) -> None:
    assert values_kind({label: 100}) is None


def test_many_numbers_with_a_fraction_are_decimal() -> None:
    def kind(*numbers: str) -> Any:
        return values_kind(Counter(numbers))

    assert kind(*(f"{number / 4:g}" for number in range(20))) == ("decimal numbers", "0.25")
    assert kind(*(f"{number}e-05" for number in range(1, 20))) == ("decimal numbers", "1e-05")
    assert kind(*(f"${number},99" for number in range(20))) == ("decimal numbers", "$0,99")
    assert kind(*(f".{number}5 %" for number in range(20))) == ("decimal numbers", ".05 %")
    assert kind(*map(str, range(500))) is None
    assert kind(*(f"{number}.0" for number in range(500))) is None
    assert kind(*(f"{number / 2:g}" for number in range(1, 20))) is None  # stars from 0.5 to 9.5
    assert kind(*(f"{number / 3}" for number in range(30)), *map(str, range(30, 50))) is None  # mostly integers


def test_long_texts_are_recognized() -> None:
    assert values_kind({"x" * 101: 9, "short": 1}) == ("texts of more than 100 characters", "x" * 101)
    assert values_kind({"x" * 100: 10}) is None
    assert values_kind({}) is None
    assert kind_problem({"x" * 101: 1}, ["body", "body"]).endswith("100 characters, such as '" + "x" * 56 + "...")


def test_a_warning_needs_fifty_labels_or_the_whole_and_comes_once() -> None:
    few = Table([*[("2024-05-31",)] * 49, *[()] * 2_000])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        few.checked()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        column = LabelColumn(few.corpus)
        column.check_whole({"2024-05-31": 49})
        column.check_whole({"2024-05-31": 49})
    assert [str(warning.message) for warning in caught] == [
        "t.csv: the labels look like dates or times, such as '2024-05-31'. If these are not classes, name the column "
        "of the classes with label."
    ]


# -- formats -----------------------------------------------------------------------------------------------------

NAMES = ("text", "when", "created", "score", "Kind")
ROWS = [
    ["moon", "2024-05-31", f"{10 + number % 9}.05.2024", f"{number % 30 / 7:.3f}", "ab"[number % 2]]
    for number in range(60)
]


def as_excel() -> bytes:
    buffer = io.BytesIO()
    with xlsxwriter.Workbook(buffer) as workbook:
        sheet = workbook.add_worksheet()
        for number, row in enumerate([list(NAMES), *ROWS]):
            sheet.write_row(number, 0, row)
    return buffer.getvalue()


def as_parquet() -> bytes:
    buffer = io.BytesIO()
    table = pl.DataFrame(ROWS, schema=list(NAMES), orient="row")
    table.with_columns(pl.col("score").cast(pl.Float64)).write_parquet(buffer)
    return buffer.getvalue()


FORMATS: dict[str, Callable[[], bytes]] = {
    "csv": lambda: "\n".join(map(",".join, [NAMES, *ROWS])).encode(),
    "tsv": lambda: "\n".join(map("\t".join, [NAMES, *ROWS])).encode(),
    "jsonl": lambda: "\n".join(json.dumps(dict(zip(NAMES, row, strict=True))) for row in ROWS).encode(),
    "parquet": as_parquet,
    "xlsx": as_excel,
}


@pytest.mark.every_case
@pytest.mark.parametrize("ending", FORMATS)
def test_every_format_names_the_column_and_a_likelier_one(tmp_path: Path, ending: str) -> None:
    """Another column of dates is not likelier."""
    data = FORMATS[ending]()
    path = tmp_path / f"t.{ending}"
    path.write_bytes(data)
    for label, kind in (("when", "dates or times"), ("score", "decimal numbers")):
        message = f"the labels in column '{label}' look like {kind}, such as '.*'\\. Did you mean label='Kind'\\?$"
        with pytest.warns(InputWarning, match=f"^{path}: {message}"):
            check(read(path, label=label))
        pipe = read_pipe(io.BytesIO(data), "standard input", label=label)
        with pipe as corpus, pytest.warns(InputWarning, match=f"^standard input: {message}"):
            check(corpus)


def check(corpus: Corpus) -> None:
    assert sum(map(len, LabelColumn(corpus).check_beginning(corpus.batches(), lambda batch: batch))) == 60


def test_documents_that_come_from_no_table_are_not_checked() -> None:
    labels = [labels[0] for labels in ids(60)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check(Corpus.from_texts(["moon"] * 60, labels))
        check(Corpus.from_texts(["moon"] * 60, ["2024-05-31"] * 60))


# -- likelier columns --------------------------------------------------------------------------------------------


def test_likely_columns_repeat_their_values_and_are_filled() -> None:
    sample: dict[str, list[object]] = {
        "id": list(range(20)),
        "owner": ["a", "b", "c", "d"] * 5,
        "section": ["x", "y "] * 10,
        "Topic": ["u", "v", "w", "u"] * 5,
        "constant": ["x"] * 20,
        "seldom": ["a", "b", *[None] * 18],
        "many": [f"{number % 5}" for number in range(20)],
        "day": ["2024-05-31", "2024-06-01"] * 10,
    }
    assert likely_label_columns(sample) == ["Topic", "section", "owner"]
    assert likely_label_columns({}) == []
