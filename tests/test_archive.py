"""Archives: the versions that are read, the arrays that the checksums cover, and the arrays that are read."""

import json
from base64 import b85decode, b85encode
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import zstandard
from numpy.typing import NDArray

from textsieve import InputError
from textsieve import archive as archive_module
from textsieve.archive import MAX_HEADER, Kind, archive_in, checksum_of, compressed_size, pack

KIND = Kind("x", 2, "an x")
ARRAYS: dict[str, NDArray[Any]] = {"a": np.arange(5.0), "b": np.arange(3, dtype=np.uint8)}
ADDITIONAL: dict[str, NDArray[Any]] = {"more.c": np.arange(7)}


def packed() -> bytes:
    return pack(KIND, {"more": checksum_of(ADDITIONAL)}, ARRAYS, ADDITIONAL)


def test_arrays_are_read_by_name() -> None:
    archive = archive_in(KIND, packed(), "x")
    assert {name: array.tolist() for name, array in archive.read(ARRAYS).items()} == {
        name: array.tolist() for name, array in ARRAYS.items()
    }
    (array,) = archive.read_additional(ADDITIONAL, archive.header["more"]).values()
    assert array.tolist() == list(range(7))


@pytest.mark.parametrize("version", [0, 1, 3, 4])
def test_another_version_raises_and_a_newer_one_asks_for_an_update(version: int) -> None:
    data = pack(KIND._replace(version=version), {}, {})
    with pytest.raises(
        InputError, match=r"^file: the file is 'x' version .; this release reads 'x' version 2\. "
    ) as caught:
        archive_in(KIND, data, "file")
    assert ("Update textsieve" in str(caught.value)) == (version > 2)


def damaged(array: NDArray[Any]) -> bytes:
    """Return the archive with one byte of an array changed."""
    data, place = bytearray(packed()), packed().index(array.tobytes())
    data[place] ^= 1
    return bytes(data)


@pytest.mark.parametrize("name", ARRAYS)
def test_a_damaged_array_raises_when_it_is_read(name: str) -> None:
    archive = archive_in(KIND, damaged(ARRAYS[name]), "x")
    archive.read_additional(ADDITIONAL, archive.header["more"])
    with pytest.raises(InputError, match="x: the file is damaged: its checksum differs; copy it again"):
        archive.read(ARRAYS)


def test_a_damaged_additional_array_raises_when_it_is_read() -> None:
    archive = archive_in(KIND, damaged(ADDITIONAL["more.c"]), "x")
    archive.read(ARRAYS)
    with pytest.raises(InputError, match="x: the file is damaged: its checksum differs; copy it again"):
        archive.read_additional(ADDITIONAL, archive.header["more"])


def test_the_digest_changes_with_any_array() -> None:
    digests = {archive_in(KIND, packed(), "x").digest}
    for changed in (ARRAYS, ADDITIONAL):
        for name in changed:
            others = {**changed, name: changed[name] + 1}
            arrays = others if changed is ARRAYS else ARRAYS
            additional = others if changed is ADDITIONAL else ADDITIONAL
            data = pack(KIND, {"more": checksum_of(additional)}, arrays, additional)
            digests.add(archive_in(KIND, data, "x").digest)
    assert len(digests) == 4


def test_arrays_in_bytes_are_views_and_aligned() -> None:
    data = packed()
    for shift in range(2):
        shifted = memoryview(bytearray(shift) + data)[shift:]
        for array in archive_in(KIND, bytes(shifted), "x").read(ARRAYS).values():
            assert array.flags.aligned
            assert not array.flags.writeable


# -- compressed archives -----------------------------------------------------------------------------------------------

COMPRESSED = Kind("x", 1, "an x", compressed_version=2)
REPEATING: dict[str, NDArray[Any]] = {
    "a": np.random.default_rng(0).integers(0, 1000, 1000, np.int32),
    "b": np.arange(3, dtype=np.uint8),  # too short to become smaller
    "c": np.zeros(10_000, np.int8),
    "d": np.random.default_rng(1).integers(0, 90, 300, np.int32).reshape(100, 3),
}


def compressed() -> bytes:
    return pack(COMPRESSED, {"words": ["header"] * 50}, REPEATING, ADDITIONAL, compress=True)


def test_a_compressed_archive_is_smaller_and_has_the_same_header_and_arrays() -> None:
    archive = archive_in(COMPRESSED, compressed(), "x")
    plain = archive_in(COMPRESSED, pack(COMPRESSED, {"words": ["header"] * 50}, REPEATING, ADDITIONAL), "x")
    assert archive.n_bytes < plain.n_bytes / 1.2
    assert (archive.header["version"], plain.header["version"]) == (2, 1)
    assert archive.header["words"] == plain.header["words"]
    assert {name: spec[:2] for name, spec in archive.specs.items()} == {
        name: spec[:2] for name, spec in plain.specs.items()
    }
    for name, array in archive.read(REPEATING).items():
        assert array.dtype == REPEATING[name].dtype
        assert (array == REPEATING[name]).all()
    assert b"headerheader" not in compressed().replace(b'", "', b"")


def test_equal_arrays_give_equal_compressed_bytes() -> None:
    assert compressed() == compressed()


def test_damage_of_a_compressed_archive_raises_or_changes_nothing() -> None:
    data = compressed()
    for place in range(0, len(data), 3):
        changed = bytearray(data)
        changed[place] ^= 1
        try:
            archive = archive_in(COMPRESSED, bytes(changed), "x")
            arrays = archive.read(REPEATING)
        except (InputError, KeyError):  # a name that is missing is for the reader of the kind to report
            continue
        assert place >= len(data) - ADDITIONAL["more.c"].nbytes - 8 or all(
            (arrays[name] == REPEATING[name]).all() for name in REPEATING
        )


def rewritten(change: Callable[[dict[str, Any]], None]) -> bytes:
    """Return a compressed archive whose inner header was changed."""
    data = compressed()
    size = int.from_bytes(data[:8], "little")
    outer = json.loads(data[8 : 8 + size])
    entry = json.loads(outer["__metadata__"]["textsieve"])
    header = json.loads(zstandard.decompress(b85decode(entry["header"])))
    change(header)
    entry["header"] = b85encode(zstandard.compress(json.dumps(header).encode())).decode()
    outer["__metadata__"]["textsieve"] = json.dumps(entry)
    head = json.dumps(outer).encode()
    return len(head).to_bytes(8, "little") + head + data[8 + size :]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda header: header["compressed"]["a"].update(shape=[1 << 40]), "compressed to"),
        (lambda header: header["compressed"]["a"].update(shape=[1001]), "a can't be decompressed"),
        (lambda header: header["compressed"]["a"].update(shape=[-5]), "has the shape"),
        (lambda header: header["compressed"]["a"].update(dtype="O"), "textsieve does not write"),
        (lambda header: header["compressed"].update(z={"dtype": "F64", "shape": [100]}), "no 'z'"),
        (lambda header: header["compressed"].update(b={"dtype": "U8", "shape": [10]}), "b can't be decompressed"),
        (lambda header: header.update(version=1), "two versions"),
        (lambda header: header.pop("compressed"), "no 'compressed'"),
        (lambda header: header.update(compressed=["a"]), "does not declare its compressed arrays"),
        (lambda header: header.update(compressed=None), "does not declare its compressed arrays"),
    ],
)
def test_a_wrong_declaration_of_a_compressed_array_raises(change: Callable[[dict[str, Any]], None], words: str) -> None:
    with pytest.raises(InputError, match=words):
        archive_in(COMPRESSED, rewritten(change), "x").read(REPEATING)


def test_a_header_that_would_be_huge_raises_before_it_is_decompressed() -> None:
    def grow(header: dict[str, Any]) -> None:
        header["words"] = "x" * MAX_HEADER

    data = rewritten(grow)
    assert len(data) < 50_000
    with pytest.raises(InputError, match="its header has more than 8,388,608 bytes"):
        archive_in(COMPRESSED, data, "x")


def test_a_kind_without_compression_asks_for_an_update() -> None:
    with pytest.raises(InputError, match=r"version 2; this release reads 'x' version 1\. Update textsieve"):
        archive_in(Kind("x", 1, "an x"), compressed(), "x")


def test_the_size_of_compressed_arrays_is_known_without_writing_them() -> None:
    stored = len(pack(COMPRESSED, {}, REPEATING, compress=True))
    header = int.from_bytes(pack(COMPRESSED, {}, REPEATING, compress=True)[:8], "little")
    assert compressed_size(REPEATING) == stored - header - 8


def test_only_a_small_array_is_compressed_by_a_large_factor(monkeypatch: pytest.MonkeyPatch) -> None:
    zeros, written = {"zeros": np.zeros(10_000, np.int8)}, compressed()
    assert compressed_size(zeros) < 100
    monkeypatch.setattr(archive_module, "SMALL_ARRAY", 9_999)
    assert compressed_size(zeros) == 10_000
    with pytest.raises(InputError, match="has 10,000 bytes, compressed to"):
        archive_in(COMPRESSED, written, "x")  # "c" has 10,000 zeros
