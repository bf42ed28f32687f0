"""One at a time: who writes a model while it is updated is kept out."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.reference.statistics_cases import FIRST, MORE, written

from textsieve import Categorizer, InputError, load
from textsieve.modelfile import locking, statsfile
from textsieve.modelfile.locking import locked
from textsieve.modelfile.writing import encode as encode_model


def test_the_second_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path)
    with locked(str(path)), pytest.raises(InputError, match=r"news\.sieve is being written or updated by another"):
        load(path).update(*MORE).save(path)
    load(path).update(*MORE).save(path)
    assert sorted(os.listdir(tmp_path)) == ["news.sieve", "news.sieve.stats"]


def test_a_model_without_statistics_is_kept_out_too(tmp_path: Path) -> None:
    path = written(tmp_path)
    plain = Categorizer(classifier="nb", n_terms=8).fit(*FIRST)
    before = path.read_bytes()
    with locked(str(path)), pytest.raises(InputError, match=r"news\.sieve is being written or updated by another"):
        plain.save(path)
    assert path.read_bytes() == before
    plain.save(path)
    assert "stats" not in load(path).model_.about
    assert sorted(os.listdir(tmp_path)) == ["news.sieve", "news.sieve.stats"]


def test_a_model_that_is_alone_is_written_without_a_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def held(place: str) -> int:
        raise AssertionError(f"{place} was locked")

    monkeypatch.setattr(locking, "_hold", held)
    for _ in range(2):
        Categorizer(classifier="nb", n_terms=8).fit(*FIRST).save(tmp_path / "plain.sieve")
    assert os.listdir(tmp_path) == ["plain.sieve"]


def test_another_model_at_the_place_is_not_written_over(tmp_path: Path) -> None:
    path = written(tmp_path)
    state = statsfile.state_of(str(path))
    late = load(path).update(*MORE)
    assert late._statistics_ is not None
    path.write_bytes(encode_model(Categorizer(classifier="nb", n_terms=8).fit(*FIRST).model_))  # as a copy does
    before = path.read_bytes()
    with pytest.raises(
        InputError, match=r"news\.sieve is another model than the one that was read; nothing was written"
    ):
        statsfile.write(late.model_, late._statistics_, str(path), instead_of=state)
    assert path.read_bytes() == before
    assert sorted(os.listdir(tmp_path)) == ["news.sieve", "news.sieve.stats"]


def test_a_lock_that_was_left_behind_is_nobodys(tmp_path: Path) -> None:
    path = written(tmp_path)
    Path(f"{path}.lock").touch()
    load(path).update(*MORE).save(path)
    assert sorted(os.listdir(tmp_path)) == ["news.sieve", "news.sieve.stats"]


def test_a_lock_in_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"can't be written: .*No such file"), locked(str(tmp_path / "no" / "a.sieve")):
        pass


def test_a_lock_on_a_file_that_was_removed_meanwhile_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who opens the file just before another removes it, and lets go, has locked what nobody else will find."""
    lock, opened = locking._lock, []

    def lock_late(descriptor: int) -> None:
        opened.append(descriptor)
        if len(opened) == 1:
            os.unlink(tmp_path / "news.sieve.lock")
        lock(descriptor)

    monkeypatch.setattr(locking, "_lock", lock_late)
    with locked(str(tmp_path / "news.sieve")):
        assert os.listdir(tmp_path) == ["news.sieve.lock"]
        with pytest.raises(InputError, match="by another process"), locked(str(tmp_path / "news.sieve")):
            pass
    assert len(opened) == 3
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with a name on this system")
def test_a_pipe_at_the_place_of_the_lock_raises_and_stays(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "news.sieve.lock")
    with (
        pytest.raises(InputError, match=r"news\.sieve\.lock is a pipe or a device, and"),
        locked(f"{tmp_path}/news.sieve"),
    ):
        pass
    assert (tmp_path / "news.sieve.lock").is_fifo()


@pytest.mark.parametrize("target", ["there", "nowhere", "/dev/null", "news.sieve.lock"])
def test_a_link_at_the_place_of_the_lock_raises_and_is_not_followed(target: str, tmp_path: Path) -> None:
    (tmp_path / "there").write_text("kept")
    (tmp_path / "news.sieve.lock").symlink_to(target)
    with pytest.raises(InputError, match=r"news\.sieve\.lock is a link, and"), locked(f"{tmp_path}/news.sieve"):
        pass
    assert sorted(os.listdir(tmp_path)) == ["news.sieve.lock", "there"]
    assert (tmp_path / "there").read_text() == "kept"


def test_a_file_of_somebody_else_at_the_place_of_the_lock_is_not_removed(tmp_path: Path) -> None:
    (tmp_path / "news.sieve.lock").write_text("a list")
    with (
        pytest.raises(InputError, match=r"lock is a file of 6 bytes, and .* move it away"),
        locked(f"{tmp_path}/news.sieve"),
    ):
        pass
    assert (tmp_path / "news.sieve.lock").read_text() == "a list"
