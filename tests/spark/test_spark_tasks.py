"""Tasks that run on the workers of a cluster, called here without Spark."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.errors import PySparkException

from textsieve import ClassStats, InputError, TermCounter
from textsieve.errors import NothingSelected, Place, Setting
from textsieve.spark.counting import ChunkReader, CountClasses, gather_chunks
from textsieve.spark.frequencies import Frequencies, pack_frequencies, split_frequencies
from textsieve.spark.statistics import CorpusTotals, assemble_terms, group_batches
from textsieve.spark.tasks import encode_error, reraise_own_errors
from textsieve.training.counted_documents import Sample, halvings_survived

words = st.sampled_from(["ant", "bee", "cow", "Ödön", "ähre"])
TEXTS = ["bee cow", "cow", "", "ant ant bee", "Ödön cow cow", "bee"]
LABELS = ["x", "y", None, "x", "y", ""]


def batches_of(texts: list[str | None], labels: pa.Array, size: int) -> Iterator[pa.RecordBatch]:
    whole = pa.record_batch([pa.array(texts, pa.string()), labels], names=["text", "label"])
    return (whole.slice(begin, size) for begin in range(0, len(texts), size))


@given(st.integers(1, 7), st.integers(1, 40))
def test_chunks_have_all_documents_in_order(size: int, characters: int) -> None:
    chunks = list(gather_chunks(batches_of([*TEXTS, None], pa.array([*LABELS, "x"]), size), characters=characters))
    assert [text for chunk in chunks for text in chunk.texts] == [*TEXTS, ""]
    members = np.concatenate([chunk.indicators(pa.array(["x", "y"])).toarray() for chunk in chunks])
    assert members.tolist() == [[1, 0], [0, 1], [0, 0], [1, 0], [0, 1], [0, 0], [1, 0]]


def test_lists_of_labels_are_multilabel() -> None:
    labels = pa.array([["y", "x", "y"], [], None, ["x", None, ""]], pa.list_(pa.large_string()))
    (chunk,) = gather_chunks(batches_of(["a", "b", "c", "d"], labels, 3))
    assert chunk.indicators(pa.array(["x", "y"])).toarray().tolist() == [[1, 1], [0, 0], [0, 0], [1, 0]]


@given(st.lists(st.integers(0, 5), max_size=40), st.integers(1, 6))
def test_groups_contain_all_rows_of_a_key(keys: list[int], size: int) -> None:
    whole = pa.record_batch([pa.array(sorted(keys), pa.int64()), pa.array(range(len(keys)), pa.int64())], ["key", "at"])
    parts = [whole.slice(begin, size) for begin in range(0, len(keys), size)]
    tables = list(group_batches(iter(parts), "key"))
    assert [value for table in tables for value in table["at"].to_pylist()] == list(range(len(keys)))
    seen = [set(table["key"].to_pylist()) for table in tables]
    assert sum(map(len, seen)) == len(set(keys))
    assert all(seen)


@given(st.integers(1, 7), st.integers(1, 5))
def test_rows_of_any_chunks_add_up_to_the_statistics(size: int, batch: int) -> None:
    reader = ChunkReader({"vocabulary": None})
    counting = CountClasses(reader, ["x", "y"])
    rows: list[pa.RecordBatch] = []
    for begin in range(0, len(TEXTS), size):
        part = slice(begin, begin + size)
        rows += counting(batches_of(list(TEXTS[part]), pa.array(LABELS[part], pa.string()), batch))
    added = (
        pa.Table.from_batches(rows)
        .group_by(["term", "class"])
        .aggregate([(name, "sum") for name in ("documents", "limb0", "limb1", "limb2", "limb3")])
    )
    names = [re.sub("_sum$", "", name) for name in added.schema.names]
    ordered = added.rename_columns(names).sort_by([("term", "ascending"), ("class", "ascending")])
    statistics = CorpusTotals(("x", "y"), (2, 2), len(TEXTS)).terms_of(
        pa.Table.from_batches(list(assemble_terms(iter(ordered.to_batches(max_chunksize=batch)))))
    )
    counter = TermCounter()
    expected = ClassStats.from_matrix(counter.fit_transform(TEXTS), LABELS)
    assert statistics.terms == counter.get_feature_names_out().tolist()
    assert statistics.stats == expected
    assert statistics.doc_freq.tolist() == expected.doc_freq.tolist()


def part(terms: list[str], numbers: list[int]) -> bytes:
    return pack_frequencies(
        pa.table({"term": pa.array(terms, pa.string()), "documents": pa.array(numbers, pa.int64())})
    )


@given(st.lists(words, max_size=6, unique=True))
def test_frequencies_of_terms_in_several_parts(asked: list[str]) -> None:
    known = Frequencies([part(["Ödön", "bee"], [3, 7]), part([], []), part(["ant"], [1])])
    assert known.of(asked).tolist() == [{"Ödön": 3, "bee": 7, "ant": 1}.get(term, 0) for term in asked]


@given(st.integers(1, 6), st.integers(1, 4))
def test_frequencies_come_with_the_first_document_and_every_document_once(n_documents: int, size: int) -> None:
    parts = [part(["ant"], [1]), part(["bee"], [2])]
    texts = [f"text{at}" for at in range(n_documents)]
    beside = pa.array([parts, *[None] * (n_documents - 1)], pa.list_(pa.binary()))
    whole = pa.record_batch([pa.array(texts), beside], names=["text", "frequencies"])
    frequencies, rest = split_frequencies(whole.slice(begin, size) for begin in range(0, n_documents, size))
    assert [text for batch in rest for text in batch.column(0).to_pylist()] == texts
    assert frequencies.of(["bee", "cow", "ant"]).tolist() == [2, 0, 1]


def test_documents_without_frequencies_raise() -> None:
    batch = pa.record_batch([pa.array(["text"]), pa.array([None], pa.list_(pa.binary()))], ["text", "frequencies"])
    with pytest.raises(RuntimeError, match="came without the frequencies"):
        split_frequencies(iter([batch]))


def test_a_partition_without_documents_has_no_frequencies() -> None:
    frequencies, rest = split_frequencies(iter(()))
    assert list(rest) == []
    assert frequencies.of(["ant"]).tolist() == [0]


@given(st.integers(1, 300), st.integers(0, 5))
def test_the_level_of_a_document_is_the_number_of_halvings_it_stays_in(n_documents: int, halvings: int) -> None:
    from scipy.sparse import csr_matrix

    sample = Sample()
    sample.add(csr_matrix(np.ones((n_documents, 1))), 0)
    for _ in range(halvings):
        sample.halve()
    assert np.flatnonzero(halvings_survived(np.arange(n_documents)) >= halvings).tolist() == sample.documents.tolist()
    assert halvings_survived(np.arange(1)).tolist() == [64]


# -- errors, and kernels -----------------------------------------------------------------------------------------


ERRORS = [
    NothingSelected("no term is left. Use more."),
    InputError(
        ("not with ", Setting("multilabel", value=True), ",\na line further"),
        place=Place("news.csv", "line 3"),
        setting="min_df",
        value=(1, "ä"),
        allowed=["a", 2, None, 0.5],
        hint=("use ", Setting("max_df")),
    ),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_an_input_error_of_a_task_is_raised_with_its_class_and_fields(error: InputError) -> None:
    text = f"Traceback ...\ntextsieve.spark.tasks.TaskError: {encode_error(error)}\n\n\tat org.apache.spark..."
    with pytest.raises(InputError) as raised, reraise_own_errors():
        raise PySparkException(text)
    assert type(raised.value) is type(error)
    assert str(raised.value) == str(error)
    for name in ("problem", "place", "setting", "allowed", "hint"):
        assert getattr(raised.value, name) == getattr(error, name)
    assert repr(raised.value.value) == repr(error.value)


def test_other_errors_stay_as_they_are() -> None:
    with pytest.raises(PySparkException, match="disk"), reraise_own_errors():
        raise PySparkException("the disk is full")
    with pytest.raises(InputError, match="bad"), reraise_own_errors():
        raise InputError("bad")


def test_rows_of_a_term_on_two_machines_raise() -> None:
    counting = CountClasses(ChunkReader({"vocabulary": None}), ["x", "y"])
    rows = pa.Table.from_batches(list(counting(batches_of(list(TEXTS), pa.array(LABELS, pa.string()), 9))))
    ordered = rows.sort_by([("term", "ascending"), ("class", "ascending")])
    assert len(list(assemble_terms(iter(ordered.to_batches())))) > 0
    for other in (-1, -2):
        torn = ordered.filter(pc.not_equal(ordered["class"], other))
        with pytest.raises(InputError, match="not all on one machine"):
            list(assemble_terms(iter(torn.to_batches())))
