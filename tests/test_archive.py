"""Archives: the versions that are read, the arrays that the checksums cover, and the arrays that are read."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from textsieve import InputError
from textsieve.archive import Kind, archive_in, checksum_of, pack

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
