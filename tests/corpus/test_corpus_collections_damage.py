"""Archives that are damaged or hostile: an error or a count, never silence, a traceback or all of the memory."""

from __future__ import annotations

import gzip
import tarfile
from pathlib import Path

import pytest
from tests.reference.collection_files import POST, write_tar

from textsieve import InputError
from textsieve.corpus import read

POSTS = {f"20news-bydate-train/sci.space/{number}": POST for number in range(12)}
GET_IT_AGAIN = r"cannot be read as a tar or zip archive .*get it again"


@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize("number", [1, 5, 11])
def test_a_damaged_header_in_a_tar_is_an_error(own_data: Path, number: int, packed: bool) -> None:
    path = write_tar(own_data / "20news-bydate.tar.gz", POSTS, "w")
    data = bytearray(path.read_bytes())
    data[1024 * number + 10] ^= 0xFF
    path.write_bytes(gzip.compress(data) if packed else data)
    with pytest.raises(InputError, match=GET_IT_AGAIN):
        list(read("newsgroups"))


def test_a_file_that_is_longer_than_its_tar(own_data: Path) -> None:
    entry = tarfile.TarInfo("20news-bydate-train/README")
    entry.size = 2**40
    (own_data / "20news-bydate.tar.gz").write_bytes(entry.tobuf(tarfile.GNU_FORMAT) + bytes(20_000))
    with pytest.raises(InputError, match="it ends in the middle"):
        list(read("newsgroups"))


def test_a_tar_is_checked_to_its_end(own_data: Path) -> None:
    path = write_tar(own_data / "20news-bydate.tar.gz", POSTS)
    path.write_bytes(path.read_bytes()[:-8] + bytes(8))
    with pytest.raises(InputError, match="damaged or was cut short; get it again"):
        list(read("newsgroups"))
