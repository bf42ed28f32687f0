"""A table round-trips through bytes; damaged or hostile bytes raise, and never take more memory than their size."""

import json
import tracemalloc
from base64 import b85decode
from typing import Any
from zlib import decompress

import numpy as np
import pytest
from hypothesis import given
from safetensors.numpy import load, save
from tests.reference.stats_cases import Case, any_weights, cases
from tests.reference.stats_twin import contingency

from textsieve import ChiSquare, ClassStats, InputError
from textsieve.archive import checksum

SMALL = ClassStats.from_matrix([[1, 0, 2], [0, 1, 1], [0, 0, 0], [4, 0, 0]], ["a", "b", "a", ["a", "b"]])
HEADER = {"format": "textsieve.ClassStats", "version": 1, "classes": ["a", "b"], "n_documents": 4}


def rewritten(header: Any = HEADER, **arrays: Any) -> bytes:
    """Return the bytes of the small table with another header or other arrays; None removes an array."""
    parts = {name: part for name, part in (load(SMALL.to_bytes()) | arrays).items() if part is not None}
    sealed = header if isinstance(header, str) else json.dumps(header | {"checksum": checksum(header, parts)})
    return save(parts, metadata={"textsieve": sealed})


def use(stats: ClassStats) -> None:
    """Call everything that reads a table; a table that was accepted must not fail or allocate much memory."""
    repr(stats)
    assert stats.n_pairs >= 0
    for number in range(len(stats.classes)):
        assert (stats.class_doc_freq(number) >= 0).all()
        contingency(stats, number)
        stats.class_sums(number)
    selector = ChiSquare(k="all").partial_fit(np.zeros((1, stats.n_terms or 1)))
    selector.stats_ = stats
    assert len(selector.ranking_) == stats.n_terms
    (stats + stats).to_bytes()
    stats.take(range(stats.n_terms))


def is_accepted(data: bytes) -> bool:
    """Return whether the bytes are read as a table, which must then be usable."""
    try:
        stats = ClassStats.from_bytes(data)
    except InputError:
        return False
    use(stats)
    return True


@given(cases(any_weights))
def test_round_trip(case: Case) -> None:
    stats = ClassStats.from_matrix(case.matrix(), case.label_sets)
    data = stats.to_bytes()
    again = ClassStats.from_bytes(data)
    assert again.to_bytes() == data == stats.copy().to_bytes()
    assert again.classes == stats.classes
    assert (again + stats).to_bytes() == (stats + stats).to_bytes()
    again.update(case.matrix(), case.label_sets)
    assert again.n_documents == 2 * stats.n_documents


@pytest.mark.parametrize(
    "labels",
    [
        ["ü", "中 文"],
        ["\ud800", '"\\'],
        [1, 2],
        [-5, 10**30],
        [0.5, 1.5],
        [True, False],
        [None, None],
    ],
)
def test_classes_of_any_kind_come_back(labels: list[Any]) -> None:
    stats = ClassStats.from_matrix([[1], [2]], labels)
    again = ClassStats.from_bytes(stats.to_bytes())
    assert again.classes == stats.classes
    assert list(map(type, again.classes)) == list(map(type, stats.classes))


@pytest.mark.parametrize("stats", [ClassStats(), ClassStats.zero(3), ClassStats.from_matrix(np.zeros((2, 0)))])
def test_empty_tables_come_back(stats: ClassStats) -> None:
    assert ClassStats.from_bytes(stats.to_bytes()).to_bytes() == stats.to_bytes()


def test_rewritten_bytes_without_changes_are_the_same() -> None:
    assert rewritten() == SMALL.to_bytes()
    use(ClassStats.from_bytes(rewritten()))


WRITTEN_ONCE = (
    "c-oaxO>4qH5LHW|#~%CvGUufv+f{>?77B%)do&WZ$pk}9qS;ki#Q)Tv)}PRwZB!ByZRhebAMfp(Az!_YjV%O0idsfe%OHTs7BqfnmEZ<p0$U&A"
    "yhx??VKVTKt-Gg%RO(ert$bjnv%x|oc}8O{<stP^Q9kuS{tmtQFeA)@C=b^uX4(!2OPFK$uGT3PxEPMbXykd$4t5MeTr7wY#09R%VWdBo<nCo8"
    "fPtDz%BI5^1G_~Y#|pJFC5H)TwpU29C<#&hOF%fxt0*jW(JpX*D&RTHb%a%*i_jWp9Pm>C!)7kG9xk7t!GPg1SBS$7=EM~P&s77g;RuG#IJXjN"
    "wUz~*6=?8a$c&G<6}a$x6MJmRbb;N#METoxx)*RCy;|OFsqgda60d6Y-dTSCvHU3Uw#4s;D*iRx8vmf*68+lzP3!y*%E;fy"
)
"""`b85encode(compress(SMALL.to_bytes(), 9))`: version 1 of the format. Replace it only if the format changes
before its release."""


def test_tables_of_version_1_can_still_be_read() -> None:
    assert decompress(b85decode(WRITTEN_ONCE)) == SMALL.to_bytes()
    use(ClassStats.from_bytes(decompress(b85decode(WRITTEN_ONCE))))


def test_every_truncation_raises() -> None:
    data = SMALL.to_bytes()
    for length in range(len(data)):
        with pytest.raises(InputError, match=r"not a table of statistics|cut short"):
            ClassStats.from_bytes(data[:length])
    with pytest.raises(InputError):
        ClassStats.from_bytes(data + b"\0")


@pytest.mark.parametrize("flip", [0x01, 0x10, 0x80, 0xFF])
def test_every_flipped_byte_raises_and_allocates_little_memory(flip: int) -> None:
    data = SMALL.to_bytes()
    n_accepted = 0
    tracemalloc.start()
    try:
        for place in range(len(data)):
            n_accepted += is_accepted(data[:place] + bytes([data[place] ^ flip]) + data[place + 1 :])
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 20_000_000
    assert n_accepted == 0


@pytest.mark.parametrize(
    "arrays",
    [
        {"cell_indices": np.array([0, 3, 0, 1], np.int64)},
        {"cell_indices": np.array([0, 3, 0, 1, 2], np.int64)},
        {"cell_indices": np.array([-1, 2, 0, 1, 2], np.int64)},
        {"cell_indices": np.array([2, 0, 0, 1, 2], np.int64)},
        {"cell_indices": np.array([0, 0, 0, 1, 2], np.int64)},
        {"cell_indices": np.array([0, 2, 0, 1, 2**62], np.int64)},
        {"cell_indices": np.array([0, 2, 0, 1, 2], np.int32)},
        {"cell_indices": np.array(0, np.int64)},
        {"cell_indices": None},
        {"cell_indptr": np.array([0, 2], np.int64)},
        {"cell_indptr": np.array([1, 2, 5], np.int64)},
        {"cell_indptr": np.array([0, 6, 5], np.int64)},
        {"cell_indptr": np.array([0, -1, 5], np.int64)},
        {"cell_indptr": np.array([0, 2, 4], np.int64)},
        {"cell_indptr": np.zeros(0, np.int64)},
        {"cell_indptr": None},
        {"cell_doc_freq": np.array([2, 1, 0, 1, 1], np.int64)},
        {"cell_doc_freq": np.array([2, 1, 1, 1, -1], np.int64)},
        {"cell_doc_freq": np.array([2, 1, 1, 1, 2**40], np.int64)},
        {"cell_doc_freq": np.array([3, 1, 1, 1, 1], np.int64)},  # a term in more documents of a class than in all
        {"cell_doc_freq": np.ones(5)},
        {"cell_sums": np.ones((3, 5))},
        {"cell_sums": np.ones((2, 4))},
        {"cell_sums": np.ones(())},
        {"cell_sums": np.full((2, 5), np.nan)},
        {"sums": np.ones((2, 4))},
        {"sums": np.ones((2, 3), np.float32)},
        {"sums": np.full((2, 3), np.inf)},
        {"squares": np.full((2, 3), np.nan)},
        {"squares": None},
        {"class_docs": np.array([3, -1], np.int64)},
        {"class_docs": np.array([3, 2**50], np.int64)},
        {"class_docs": np.array([2**62, 2**62], np.int64)},
        {"class_docs": np.array([1, 2], np.int64)},  # fewer documents than have a term
        {"class_docs": np.array([3, 2, 0], np.int64)},
        {"doc_freq": np.array([2, 1], np.int64)},
        {"doc_freq": np.array([2, 0, 2], np.int64)},  # a class has a term that no document has
        {"doc_freq": np.array([2, 1, -1], np.int64)},
        {"doc_freq": np.array([2, 1, 2**40], np.int64)},
        {"doc_freq": np.array(2, np.int64)},
        {"doc_freq": np.ones((1, 3), np.int64)},
    ],
)
def test_inconsistent_arrays_raise(arrays: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="damaged"):
        ClassStats.from_bytes(rewritten(**arrays))


@pytest.mark.parametrize(
    "header",
    [
        "",
        "[]",
        "5",
        "{}",
        "null",
        "{" * 10,
        "[" * 100_000,
        HEADER | {"n_documents": -1},
        HEADER | {"n_documents": 10**30},
        HEADER | {"n_documents": 2**31},
        HEADER | {"classes": "ab"},
        HEADER | {"n_documents": 1},
        HEADER | {"n_documents": None},
        HEADER | {"n_documents": "many"},
        json.dumps(HEADER).replace('"n_documents": 4', '"n_documents": 1e999'),
        json.dumps(HEADER).replace('"n_documents": 4', '"n_documents": NaN'),
        HEADER | {"classes": ["b", "a"]},
        HEADER | {"classes": ["a", "a"]},
        HEADER | {"classes": ["a", 1]},
        HEADER | {"classes": ["a", None]},
        HEADER | {"classes": [["a"], ["b"]]},
        HEADER | {"classes": ["a"]},
        HEADER | {"classes": []},
        HEADER | {"classes": [float("nan"), float("nan")]},
        HEADER | {"classes": 2},
        {name: value for name, value in HEADER.items() if name != "classes"},
        {name: value for name, value in HEADER.items() if name != "version"},
    ],
)
def test_invalid_headers_raise(header: Any) -> None:
    with pytest.raises(InputError, match=r"not a table of statistics|damaged"):
        ClassStats.from_bytes(rewritten(header))


@pytest.mark.parametrize("change", [{"version": 3}, {"version": "1"}, {"format": "textsieve.Other"}, {"format": None}])
def test_another_format_or_a_newer_version_is_named(change: dict[str, Any]) -> None:
    header = HEADER | change
    with pytest.raises(InputError) as caught:
        ClassStats.from_bytes(rewritten(header))
    assert repr(header["format"]) in str(caught.value)
    assert f"version {header['version']!r}" in str(caught.value)
    assert "reads 'textsieve.ClassStats' version 1" in str(caught.value)


@pytest.mark.parametrize("data", [b"", b"\0" * 8, b"\xff" * 64, b"PK\x03\x04" * 20, b"\x80\x04}q\x00."])
def test_bytes_that_are_no_table_raise(data: bytes) -> None:
    with pytest.raises(InputError, match="not a table of statistics"):
        ClassStats.from_bytes(data)


def test_other_safetensors_files_raise() -> None:
    with pytest.raises(InputError, match="not a table of statistics"):
        ClassStats.from_bytes(save({"weights": np.ones(3)}))
    with pytest.raises(InputError, match="not a table of statistics"):
        ClassStats.from_bytes(save({"weights": np.ones(3)}, metadata={"other": "1"}))


def test_a_changed_header_fails_the_checksum() -> None:
    """The checksum covers header and arrays, and is checked before either is used."""
    data = SMALL.to_bytes()
    assert data.count(b'\\"a\\"') == 1
    with pytest.raises(InputError, match="checksum"):
        ClassStats.from_bytes(data.replace(b'\\"a\\"', b'\\"A\\"'))
