"""Which texts of a table lead to a warning that they look like IDs, dates or numbers, and which column is named."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from textsieve import Categorizer
from textsieve.corpus import Corpus, read
from textsieve.corpus.text_column import MIN_TEXTS, likely_text_columns, texts_kind, warn_of_texts
from textsieve.errors import InputWarning

N = 40


def of(spelling: Callable[[int], str], n: int = N) -> list[str]:
    return [spelling(number) for number in range(1, n + 1)]


@pytest.mark.parametrize(
    ("texts", "kind"),
    [
        (of(str), "numbers"),
        (of(lambda n: f"{n}.5"), "numbers"),
        (of(lambda n: f"T-{n}"), "IDs"),
        (of(lambda n: f"{n:032x}"), "IDs"),
        (of(lambda n: f"3f2a{n:04}-9c1d-4e5f-8a6b-0123456789ab"), "IDs"),
        (of(lambda n: f"2024-05-{n % 28 + 1:02}"), "dates or times"),
        (["1"] * N, "numbers"),
    ],
)
def test_texts_that_are_rarely_documents_are_recognized(texts: list[str], kind: str) -> None:
    found = texts_kind(texts)
    assert found is not None
    assert (found.name, found.example) == (kind, texts[0])
    assert texts_kind(["", " ", *texts]) == found, "empty texts do not count"
    assert texts_kind(["a usual text"] * N + texts) is None, "only half of them are"


@pytest.mark.parametrize(
    "texts",
    [
        of(lambda n: f"the parcel {n} is late"),
        of(lambda n: chr(96 + n % 26) * 3),
        of(lambda n: f"word{n % 5}"),
        of(lambda n: f"https://example.org/{n}"),
        of(lambda n: f"{n:050x}"),
        of(lambda n: f"第{n}条規定"),
        of(str, MIN_TEXTS - 1),
        [],
    ],
    ids=["sentences", "words", "repeated codes", "addresses", "long", "without spaces", "few", "none"],
)
def test_other_texts_are_not(texts: list[str]) -> None:
    assert texts_kind(texts) is None


def test_the_likeliest_text_column_comes_first() -> None:
    sample: dict[str, Sequence[object]] = {
        "number": list(map(str, range(N))),
        "title": of(lambda n: f"a title {n}"),
        "body": of(lambda n: f"short {n}"),
        "notes": of(lambda n: f"a long note about document {n}"),
        "mostly empty": ["some words here", *[""] * (N - 1)],
        "price": [1.5] * N,
    }
    assert likely_text_columns(sample) == ["body", "notes", "title"]
    assert likely_text_columns({}) == []


@pytest.mark.parametrize("n", [4, N])
def test_dates_amounts_and_constant_values_are_no_likely_texts(n: int) -> None:
    sample: dict[str, Sequence[object]] = {
        "created": of(lambda n: f"2024-05-{n % 28 + 1:02} 14:{n:02}:00", n),
        "sent": of(lambda n: f"{n % 28 + 1} May 2024", n),
        "price": of(lambda n: f"{n} EUR", n),
        "total": of(lambda n: f"EUR {n}.50", n),
        "weight": of(lambda n: f"{n},000 kg", n),
        "source": ["the web form"] * n,
    }
    assert likely_text_columns(sample) == []
    assert likely_text_columns(sample | {"subject": of(lambda n: f"{n} parcels are late", n)}) == ["subject"]


def test_texts_without_spaces_have_words() -> None:
    sample: dict[str, Sequence[object]] = {
        "代理": ["Li Wei", "Wang Fang"] * (N // 2),
        "标题": of(lambda n: f"第{n}个订单的包裹还没有送到"),
        "城市": ["北京", "上海"] * (N // 2),
        "主题": of(lambda n: f"退款{'一二三四五六七八九'[n % 9]}题"),
    }
    assert likely_text_columns(sample) == ["标题", "主题", "代理"]


def rows() -> list[dict[str, Any]]:
    return [
        {"key": f"T-{number}", "title": f"title {number}", "body": f"{['goal', 'vote'][number % 2]} " * 80}
        | {"topic": ["sport", "politics"][number % 2]}
        for number in range(N)
    ]


def written(kind: str, folder: Path) -> Path:
    path = folder / f"news.{kind}"
    if kind == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows()), encoding="utf-8")
    elif kind == "csv":
        pl.DataFrame(rows()).write_csv(path)
    else:
        pl.DataFrame(rows()).write_parquet(path)
    return path


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_training_on_a_column_of_ids_warns_and_names_another_one(kind: str, tmp_path: Path) -> None:
    path = written(kind, tmp_path)
    model = Categorizer(selector="df", probabilities=None, n_jobs=1)
    with pytest.warns(InputWarning) as caught:
        model.fit(read(path, text="key", label="topic"))
    expected = f"{path}: the texts in column 'key' look like IDs, such as 'T-0'. Did you mean text='body'?"
    assert expected in [str(warning.message) for warning in caught]
    with warnings.catch_warnings():
        warnings.simplefilter("error", InputWarning)
        model.fit(read(path, text="body", label="topic"))


def test_without_another_column_the_warning_says_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "news.csv"
    path.write_text("text,label\n" + "".join(f"{number},a\n" for number in range(N)), encoding="utf-8")
    corpus = read(path)
    with pytest.warns(InputWarning, match=r"look like numbers, such as '0'\. If these are not the texts, name their"):
        warn_of_texts(corpus, list(map(str, range(N))))


def test_a_column_that_the_user_named_leads_to_no_warning_without_a_likelier_one(tmp_path: Path) -> None:
    path = tmp_path / "codes.csv"
    rows = "".join(f"T-{number},a,2024-05-{number % 28 + 1:02} 12:30\n" for number in range(N))
    path.write_text(f"id,label,created\n{rows}", encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("error", InputWarning)
        warn_of_texts(read(path, text="id", label="label"), of(lambda n: f"T-{n}"))


def test_documents_of_no_table_are_not_checked() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", InputWarning)
        warn_of_texts(Corpus.from_texts(of(str), ["a"] * N), of(str))
