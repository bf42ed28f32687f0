"""While a process updates a model, no other process writes it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.reference.categorizer_cases import plain_categorizer
from tests.reference.statistics_cases import FIRST, MORE, written

from textsieve import Categorizer, InputError, load
from textsieve.modelfile import write, writing
from textsieve.modelfile.reading import read_stored
from textsieve.modelfile.writing import encode, locked


def plain_model() -> Categorizer:
    return plain_categorizer(classifier="nb", n_terms=8).fit(*FIRST)


def test_the_second_writer_raises(tmp_path: Path) -> None:
    path = written(tmp_path)
    with (
        locked(str(path)),
        pytest.raises(InputError, match=r"news\.sieve: the model is being written or updated by another process; try"),
    ):
        load(path).update(*MORE).save(path)
    load(path).update(*MORE).save(path)
    assert os.listdir(tmp_path) == ["news.sieve"]


HOLD_LOCK = """
import sys
from textsieve.modelfile.writing import locked
with locked(sys.argv[1]):
    print("locked", flush=True)
    sys.stdin.read()
"""


def test_another_process_raises_and_a_killed_process_holds_no_lock(tmp_path: Path) -> None:
    path = written(tmp_path)
    command = [sys.executable, "-c", HOLD_LOCK, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"locked\n"
        with pytest.raises(InputError, match="by another process"):
            load(path).update(*MORE).save(path)
        holder.kill()
    assert sorted(os.listdir(tmp_path)) == ["news.sieve", "news.sieve.lock"]
    load(path).update(*MORE).save(path)
    assert os.listdir(tmp_path) == ["news.sieve"]


def test_a_model_without_statistics_does_not_replace_one_that_is_being_updated(tmp_path: Path) -> None:
    path = written(tmp_path)
    before = path.read_bytes()
    with locked(str(path)), pytest.raises(InputError, match="is being written or updated by another"):
        plain_model().save(path)
    assert path.read_bytes() == before
    plain_model().save(path)
    assert not read_stored(path).file.has_statistics
    assert os.listdir(tmp_path) == ["news.sieve"]


def test_a_lock_is_taken_only_if_there_are_statistics(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: str) -> None:
        raise AssertionError(f"{path} was locked")

    model = plain_model()
    with monkeypatch.context() as patch:
        patch.setattr(writing, "_check_lock_file", refuse)
        for _ in range(2):
            model.save(tmp_path / "plain.sieve")
    path = written(tmp_path)
    monkeypatch.setattr(writing, "_check_lock_file", refuse)
    with pytest.raises(AssertionError, match="was locked"):
        model.save(path)
    with pytest.raises(AssertionError, match="was locked"):
        written(tmp_path)


def test_a_model_that_was_copied_to_the_path_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    path = written(tmp_path)
    file = read_stored(path).file
    updated = load(path).update(*MORE)
    path.write_bytes(encode(plain_model().model_))  # as a copy does
    before = path.read_bytes()
    with pytest.raises(
        InputError, match=r"news\.sieve: this is another model than the one that was read; nothing was written\. Try"
    ):
        write(updated.model_, path, updated._statistics_, instead_of=file)
    assert path.read_bytes() == before
    path.unlink()
    with pytest.raises(InputError, match="nothing was written"):
        write(updated.model_, path, updated._statistics_, instead_of=file)
    assert os.listdir(tmp_path) == []


def test_a_lock_file_that_was_left_behind_is_taken_over(tmp_path: Path) -> None:
    path = written(tmp_path)
    Path(f"{path}.lock").touch()
    load(path).update(*MORE).save(path)
    assert os.listdir(tmp_path) == ["news.sieve"]


def test_a_lock_in_a_folder_that_does_not_exist_raises(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"can't be written: there is no folder"), locked(f"{tmp_path}/no/a.sieve"):
        pass
    assert os.listdir(tmp_path) == []


def test_a_lock_on_a_file_that_was_removed_meanwhile_does_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process may open the lock file just before its holder removes it and releases the lock."""
    path, lock_path = str(tmp_path / "news.sieve"), tmp_path / "news.sieve.lock"
    open_file, opened = os.open, []

    def open_and_remove(name: str, *arguments: int, **settings: int) -> int:
        descriptor = open_file(name, *arguments, **settings)
        if name == str(lock_path):
            opened.append(descriptor)
            if len(opened) == 1:
                lock_path.unlink()
        return descriptor

    monkeypatch.setattr(os, "open", open_and_remove)
    with locked(path):
        assert len(opened) == 2, "the lock on the removed file was given up, and a new file was locked"
        assert os.listdir(tmp_path) == ["news.sieve.lock"]
        with pytest.raises(InputError, match="by another process"), locked(path):
            pass
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with a name on this system")
def test_a_pipe_in_the_place_of_the_lock_raises_and_stays(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "news.sieve.lock")
    with (
        pytest.raises(InputError, match=r"news\.sieve\.lock: this is a pipe or a device, and"),
        locked(f"{tmp_path}/news.sieve"),
    ):
        pass
    assert (tmp_path / "news.sieve.lock").is_fifo()


@pytest.mark.parametrize("target", ["there", "nowhere", "/dev/null", "news.sieve.lock"])
def test_a_link_in_the_place_of_the_lock_raises_and_is_not_followed(target: str, tmp_path: Path) -> None:
    (tmp_path / "there").write_text("kept")
    (tmp_path / "news.sieve.lock").symlink_to(target)
    with pytest.raises(InputError, match=r"news\.sieve\.lock: this is a link, and"), locked(f"{tmp_path}/news.sieve"):
        pass
    assert sorted(os.listdir(tmp_path)) == ["news.sieve.lock", "there"]
    assert (tmp_path / "there").read_text() == "kept"


def test_a_file_of_somebody_else_in_the_place_of_the_lock_is_not_removed(tmp_path: Path) -> None:
    (tmp_path / "news.sieve.lock").write_text("a list")
    with (
        pytest.raises(InputError, match=r"lock: this is a file of 6 bytes, and .* move it away"),
        locked(f"{tmp_path}/news.sieve"),
    ):
        pass
    assert (tmp_path / "news.sieve.lock").read_text() == "a list"
