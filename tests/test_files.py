"""Opening regular files only, and replacing files without leaving others behind."""

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import pytest

from textsieve.errors import InputError
from textsieve.files import lock, open_regular, read_small, replacing


def test_a_regular_file_is_opened_for_reading(tmp_path: Path) -> None:
    path = tmp_path / "list.txt"
    path.write_bytes(b"the\n")
    with open_regular(str(path), what="a list of words", max_bytes=4) as file:
        assert file.read() == b"the\n"


def test_a_pipe_raises_instead_of_blocking(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="pipe: this is a pipe or a device, not a list of words; copy"):
        open_regular(str(tmp_path / "pipe"), what="a list of words", max_bytes=100)


@pytest.mark.parametrize("path", ["/dev/zero", "/dev/null"])
def test_a_device_raises(path: str) -> None:
    with pytest.raises(InputError, match=f"{path}: this is a pipe or a device"):
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


@pytest.mark.parametrize(("content", "expected"), [(b"text", b"text"), (b"texts", None), (b"", None)])
def test_a_small_file_is_read_at_once_unless_it_is_too_large_or_seems_empty(
    tmp_path: Path, content: bytes, expected: bytes | None
) -> None:
    (tmp_path / "x").write_bytes(content)
    assert read_small(str(tmp_path / "x"), what="a document", max_bytes=4) == expected


@pytest.mark.parametrize("got", [b"tex", b"text "])
def test_a_small_file_that_changes_while_it_is_read_is_not_returned(
    tmp_path: Path, got: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "x").write_bytes(b"text")
    monkeypatch.setattr(os, "read", lambda descriptor, size: got[:size])
    assert read_small(str(tmp_path / "x"), what="a document", max_bytes=10) is None


def test_irregular_files_raise_and_leave_nothing_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[int] = []
    close = os.close

    def noting(descriptor: int) -> None:
        closed.append(descriptor)
        close(descriptor)

    monkeypatch.setattr(os, "close", noting)
    os.mkfifo(tmp_path / "pipe")
    for path, kind in ((tmp_path, "a folder"), (tmp_path / "pipe", "a pipe or a device"), ("/dev/zero", "a pipe or")):
        with pytest.raises(InputError, match=f" is {kind}"):
            read_small(str(path), what="a document", max_bytes=10)
    assert len(closed) == 3


def parts(folder: Path) -> list[Path]:
    return sorted(folder.glob(".textsieve-*.part"))


def abandoned_part(path: Path) -> Path:
    """Create and return a part file, as a process leaves it that is killed while it replaces a file."""
    with replacing(str(path)):
        (part,) = parts(path.parent)
        content = part.read_bytes()
    part.write_bytes(content)
    return part


def test_a_part_file_of_a_dead_writer_is_removed_by_the_next_one(tmp_path: Path) -> None:
    left = abandoned_part(tmp_path / "page.html")
    with replacing(str(tmp_path / "page.html")) as file:
        file.write(b"whole")
        assert left not in parts(tmp_path)
    assert os.listdir(tmp_path) == ["page.html"]
    assert (tmp_path / "page.html").read_bytes() == b"whole"


def test_a_part_file_of_another_target_stays(tmp_path: Path) -> None:
    left = abandoned_part(tmp_path / "other.html")
    with replacing(str(tmp_path / "page.html")):
        pass
    assert parts(tmp_path) == [left]


def test_two_writers_of_one_file_do_not_remove_each_others_part(tmp_path: Path) -> None:
    path = str(tmp_path / "page.html")
    with replacing(path) as first:
        first.write(b"first")
        with replacing(path) as second:
            second.write(b"second")
            assert len(parts(tmp_path)) == 2
        assert Path(path).read_bytes() == b"second"
    assert Path(path).read_bytes() == b"first"
    assert os.listdir(tmp_path) == ["page.html"]


def test_a_part_file_that_is_removed_before_it_is_locked_is_created_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process may take it for a leftover between its creation and its lock."""
    seen: list[Path] = []

    def lock_late(descriptor: int) -> None:
        seen.extend(parts(tmp_path))
        if len(seen) == 1:
            seen[0].unlink()
        lock(descriptor)

    monkeypatch.setattr("textsieve.files.lock", lock_late)
    with replacing(str(tmp_path / "page.html")) as file:
        file.write(b"whole")
    assert len(set(seen)) == 2
    assert (tmp_path / "page.html").read_bytes() == b"whole"


def test_files_are_replaced_on_file_systems_without_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left = abandoned_part(tmp_path / "page.html")

    def no_locks(descriptor: int) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr("textsieve.files.lock", no_locks)
    with replacing(str(tmp_path / "page.html")) as file:
        file.write(b"whole")
    assert (tmp_path / "page.html").read_bytes() == b"whole"
    assert parts(tmp_path) == [left]  # nothing proves that its writer is dead


@pytest.mark.parametrize("read", [lambda file: file.read(), lambda file: file.peek(1), lambda file: file.read(2**20)])
def test_a_file_that_waits_for_more_raises(
    tmp_path: Path, read: Callable[[BinaryIO], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some files of the kernel look regular and block when they are read; a pipe stands in for them here."""
    path = str(tmp_path / "kmsg")
    os.mkfifo(path)
    monkeypatch.setattr(stat, "S_ISREG", lambda mode: True)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # a pipe without a reader cannot be opened for writing
    writer = os.open(path, os.O_WRONLY)
    with open_regular(path, what="a list of words") as file:
        with pytest.raises(InputError, match="kmsg: this is a file of the system that waits for more to come; copy"):
            read(file)
        os.write(writer, b"words")
        assert file.peek(1) == b"words"
        with pytest.raises(InputError, match="waits for more to come"):
            file.read()
    os.close(writer)
    os.close(reader)


def test_a_file_that_cannot_be_created_is_named_and_not_its_part_file() -> None:
    with pytest.raises(OSError, match=r"No such file or directory: '/proc/page\.html'"), replacing("/proc/page.html"):
        pass
