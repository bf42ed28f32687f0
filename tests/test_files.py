"""Opening regular files only."""

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import pytest

from textsieve.errors import InputError
from textsieve.files import open_regular


def test_a_regular_file_is_opened_for_reading(tmp_path: Path) -> None:
    path = tmp_path / "list.txt"
    path.write_bytes(b"the\n")
    with open_regular(str(path), what="a list of words", max_bytes=4) as file:
        assert file.read() == b"the\n"


def test_a_pipe_raises_instead_of_blocking(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="pipe is a pipe or a device, not a list of words; copy"):
        open_regular(str(tmp_path / "pipe"), what="a list of words", max_bytes=100)


@pytest.mark.parametrize("path", ["/dev/zero", "/dev/null"])
def test_a_device_raises(path: str) -> None:
    with pytest.raises(InputError, match=f"{path} is a pipe or a device"):
        open_regular(path, what="a model", max_bytes=100)


def test_a_folder_raises(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a folder, not a model; give the name of a file"):
        open_regular(str(tmp_path), what="a model", max_bytes=100)


def test_a_file_that_is_too_large_raises_with_both_sizes(tmp_path: Path) -> None:
    path = tmp_path / "sparse"
    with open(path, "wb") as file:
        file.truncate(3 << 30)
    with pytest.raises(InputError, match=r"has 3,221,225,472 bytes; a model has at most 1,000\."):
        open_regular(str(path), what="a model", max_bytes=1_000)


@pytest.mark.parametrize("read", [lambda file: file.read(), lambda file: file.peek(1), lambda file: file.read(2**20)])
def test_a_file_that_waits_for_more_raises(
    tmp_path: Path, read: Callable[[BinaryIO], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some files of the kernel look regular and block when they are read; a pipe stands in for them here."""
    path = str(tmp_path / "kmsg")
    os.mkfifo(path)
    monkeypatch.setattr(stat, "S_ISREG", lambda mode: True)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # without one, none can write
    writer = os.open(path, os.O_WRONLY)
    with open_regular(path, what="a list of words") as file:
        with pytest.raises(InputError, match="kmsg is a file of the system that waits for more to come; copy"):
            read(file)
        os.write(writer, b"words")
        assert file.peek(1) == b"words"
        with pytest.raises(InputError, match="waits for more to come"):
            file.read()
    os.close(writer)
    os.close(reader)
