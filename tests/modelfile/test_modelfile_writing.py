"""Readers always find the complete old or the complete new model, whatever happens to the writer."""

import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.reference.model_cases import same, small_model, two_classes

from textsieve import InputError, files
from textsieve.classifiers.linear import LinearScorer
from textsieve.modelfile import read, write
from textsieve.modelfile.reading import open_model
from textsieve.modelfile.writing import encode


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """Return a file with a model."""
    file = tmp_path / "news.sieve"
    write(small_model(), file)
    return file


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("step", ["replace", "fsync", "chmod"])
@pytest.mark.parametrize("problem", [OSError(28, "No space left on device"), KeyboardInterrupt(), MemoryError()])
def test_a_failure_leaves_the_old_model_whole(
    old: Path, monkeypatch: pytest.MonkeyPatch, step: str, problem: BaseException
) -> None:
    before = contents(old.parent)

    def fail(*arguments: Any, **settings: Any) -> None:
        raise problem

    monkeypatch.setattr(os, step, fail)
    with pytest.raises((InputError, KeyboardInterrupt, MemoryError)) as caught:
        write(two_classes(), old)
    monkeypatch.undo()
    if isinstance(problem, OSError):
        assert str(caught.value).startswith(f"{old}: can't be written: No space left on device. An existing file")
    assert contents(old.parent) == before
    assert same(read(old), small_model())


def test_a_failure_in_the_middle_of_the_bytes_leaves_the_old_model(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = contents(old.parent)
    real_open = open

    def half(path: Any, mode: str = "r", *arguments: Any, **settings: Any) -> Any:
        file = real_open(path, mode, *arguments, **settings)
        if mode == "xb":
            file.write(encode(two_classes())[:100])
            file.close()
        return file

    monkeypatch.setattr(files, "open", half, raising=False)
    with pytest.raises(InputError, match="can't be written"):
        write(two_classes(), old)
    assert contents(old.parent) == before


def test_writing_leaves_no_other_files(old: Path) -> None:
    write(two_classes(), old)
    assert contents(old.parent) == {"news.sieve": encode(two_classes())}


def test_the_bytes_are_synced_before_the_file_is_renamed(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[str] = []
    synced: list[int] = []
    real_fsync, real_replace = os.fsync, os.replace

    def fsync(descriptor: int) -> None:
        is_folder = stat.S_ISDIR(os.fstat(descriptor).st_mode)
        steps.append("folder" if is_folder else "file")
        if not is_folder:
            synced.append(os.fstat(descriptor).st_size)
        real_fsync(descriptor)

    def replace(source: str, target: str) -> None:
        steps.append("replace")
        assert Path(source).parent == Path(target).parent
        real_replace(source, target)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(os, "replace", replace)
    write(two_classes(), old)
    assert steps == ["file", "replace", "folder"]
    assert synced == [len(encode(two_classes()))]


@pytest.fixture
def _strict_umask() -> Iterator[None]:
    before = os.umask(0o027)
    yield
    os.umask(before)


def test_a_private_file_is_never_readable_by_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "model.sieve"
    write(small_model(), file)
    file.chmod(0o600)
    seen = []

    def chmod(path: str, mode: int) -> None:
        seen.append(stat.S_IMODE(os.stat(path).st_mode))

    monkeypatch.setattr(os, "chmod", chmod)
    write(small_model(), file)
    assert seen == [0o600]


@pytest.mark.usefixtures("_strict_umask")
def test_permissions_are_those_of_a_new_file_or_of_the_old(tmp_path: Path) -> None:
    file = tmp_path / "news.sieve"
    write(small_model(), file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    for mode in (0o600, 0o664, 0o444):
        file.chmod(mode)
        write(two_classes(), file)
        assert stat.S_IMODE(file.stat().st_mode) == mode


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "store").mkdir()
    link = tmp_path / "current.sieve"
    link.symlink_to(tmp_path / "store" / "v1.sieve")
    for model in (small_model(), two_classes()):
        write(model, link)
        assert link.is_symlink()
        assert (tmp_path / "store" / "v1.sieve").read_bytes() == encode(model)
        assert same(read(link), model)
    assert len(list((tmp_path / "store").iterdir())) == 1


def test_file_names_of_any_kind_are_accepted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("plain", "with space.sieve", "ünï.sieve", "x" * 255, "-", "./dotted"):
        write(small_model(), name)
        assert same(read(name), small_model())


def test_errors_name_paths_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=r"is a folder; give the name of a file in it"):
        write(small_model(), tmp_path)
    with pytest.raises(
        InputError, match=r"no/such/model\.sieve: can't be written: there is no folder .*; make it first"
    ):
        write(small_model(), tmp_path / "no" / "such" / "model.sieve")
    (tmp_path / "file").write_text("a file")
    with pytest.raises(InputError, match=r"can't be written: there is no folder .*file; make it first"):
        write(small_model(), tmp_path / "file" / "model.sieve")
    with pytest.raises(InputError, match=r"can't be written: .*null"):
        write(small_model(), f"{tmp_path}/a\0b")

    def refuse(*arguments: Any, **settings: Any) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(files, "open", refuse, raising=False)
    with pytest.raises(InputError, match="can't be written: Permission denied"):
        write(small_model(), tmp_path / "model.sieve")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_errors_name_paths_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=r"nothing\.sieve: there is no such file; check the name"):
        read(tmp_path / "nothing.sieve")
    with pytest.raises(InputError, match="is a folder, not a textsieve model; give the name of a file"):
        read(tmp_path)
    (tmp_path / "file").write_text("a file")
    with pytest.raises(InputError, match=r"can't be read: .*Not a directory"):
        read(tmp_path / "file" / "model.sieve")
    with pytest.raises(InputError, match=r"can't be read: .*null"):
        read(f"{tmp_path}/a\0b")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(InputError, match="pipe or a device"):
            read(tmp_path / "pipe")
    write(small_model(), tmp_path / "model.sieve")

    def refuse(*arguments: Any, **settings: Any) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(InputError, match=r"model\.sieve: can't be read: you have no permission"):
        read(tmp_path / "model.sieve")


def test_errors_of_the_code_that_uses_an_open_model_file_are_raised_as_they_are(tmp_path: Path) -> None:
    write(small_model(), tmp_path / "model.sieve")
    with pytest.raises(ValueError, match=r"^of the caller$"), open_model(str(tmp_path / "model.sieve")):
        raise ValueError("of the caller")


def test_readers_never_see_a_model_that_is_being_written(tmp_path: Path) -> None:
    file = tmp_path / "news.sieve"
    models = [small_model(), two_classes()]
    write(models[0], file)

    def write_many(number: int) -> None:
        for _ in range(30):
            write(models[number % 2], file)

    with ThreadPoolExecutor(3) as pool:
        writers = [pool.submit(write_many, number) for number in range(3)]
        while not all(writer.done() for writer in writers):
            current = read(file)
            assert any(same(current, model) for model in models)
        for writer in writers:
            writer.result()
    assert list(contents(tmp_path)) == ["news.sieve"]


WRITE_FOR_EVER = """
import sys
from dataclasses import replace
from textsieve.modelfile import read, write
path = sys.argv[1]
model = read(path)
print("ready", flush=True)
for number in range(10**9):
    write(replace(model, about={"number": number, "other": number}), path)
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no SIGKILL on this system")
def test_a_killed_writer_leaves_a_whole_model(tmp_path: Path) -> None:
    file = tmp_path / "news.sieve"
    n_terms = 20_000  # so that the process spends most of its time writing
    model = small_model(
        terms=tuple(f"term{number}" for number in range(n_terms)),
        idf=np.ones(n_terms),
        scorer=LinearScorer(np.ones((n_terms, 3), np.float32), np.zeros(3)),
        about={"number": -1, "other": -1},
    )
    write(model, file)
    random = np.random.default_rng(0)
    written = 0
    for _ in range(15):
        writer = subprocess.Popen([sys.executable, "-c", WRITE_FOR_EVER, str(file)], stdout=subprocess.PIPE)
        with writer:
            assert writer.stdout is not None
            assert writer.stdout.readline() == b"ready\n"
            time.sleep(float(random.uniform(0.0, 0.12)))
            writer.send_signal(signal.SIGKILL)
        assert writer.returncode == -signal.SIGKILL
        stored = read(file)
        assert stored.about["number"] == stored.about["other"]
        assert stored.terms == model.terms
        written += stored.about["number"] >= 0
    assert written > 0
    left = {path.suffix for path in tmp_path.iterdir()} - {".sieve"}
    assert left <= {".part"}
