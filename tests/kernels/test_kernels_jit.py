"""The cache of compiled code: stale, damaged and unwritable files lead to compiling again, never to an error."""

import errno
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numba
import pytest
from filelock import FileLock
from numba.core import caching

from textsieve.errors import InputError
from textsieve.kernels import jit, ngrams, words


def twice(number: int) -> int:
    """Return twice the number; compiled in the tests, with a cache of its own."""
    return 2 * number


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the cache folder of the kernels that a test compiles; no warning has been shown yet."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(jit, "_warned", set())
    compile_twice()
    (file,) = tmp_path.glob("*/*")
    assert file.suffix == ".nbc"
    return file.parent


def compile_twice(function: Callable[[int], int] = twice) -> bool:
    """Call a new kernel, and return whether its code came from the cache."""
    compiled: Any = jit.kernel(function)
    assert compiled(21) == 42
    return bool(compiled.stats.cache_hits)


def truncate(length: int) -> Callable[[Path], None]:
    return lambda file: os.truncate(file, length)


def cut_off(length: int) -> Callable[[Path], None]:
    return lambda file: os.truncate(file, file.stat().st_size - length)


def flip(position: int) -> Callable[[Path], None]:
    def damage(file: Path) -> None:
        content = bytearray(file.read_bytes())
        content[position] ^= 0x10
        file.write_bytes(content)

    return damage


def append(file: Path) -> None:
    file.write_bytes(file.read_bytes() + b"\0")


def zero(file: Path) -> None:
    file.write_bytes(bytes(file.stat().st_size))


def replace_by_pipe(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


def replace_by_link_to_itself(file: Path) -> None:
    file.unlink()
    file.symlink_to(file)


def grow(file: Path) -> None:
    os.truncate(file, jit.MAX_CACHE_FILE_BYTES + 1)


DAMAGES = {
    **{f"truncated to {length}": truncate(length) for length in (0, 1, 31, 32, 33, 500)},
    **{f"without the last {length}": cut_off(length) for length in (1, 100)},
    **{f"byte {at} flipped": flip(at) for at in (0, 31, 32, 40, 300, 2000, -1)},
    "a byte too long": append,
    "zeros": zero,
    "a pipe": replace_by_pipe,
    "a link to itself": replace_by_link_to_itself,
    "huge": grow,
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_file_is_named_and_replaced(damage: Callable[[Path], None], folder: Path) -> None:
    assert compile_twice()
    (file,) = folder.iterdir()
    damage(file)
    with pytest.warns(UserWarning, match="compile") as warned:
        assert not compile_twice()
    assert [str(warning.message) for warning in warned] == [f"{file} is damaged; it is compiled again."]
    assert list(folder.iterdir()) == [file]
    assert compile_twice()


def test_code_of_another_signature_is_damage(folder: Path) -> None:
    (file,) = folder.iterdir()
    jit.kernel(twice)(2.5)  # type: ignore[arg-type]
    (other,) = set(folder.iterdir()) - {file}
    shutil.copy(other, file)
    with pytest.warns(UserWarning, match=r"is damaged"):
        assert not compile_twice()


def test_several_damaged_files_give_one_warning(folder: Path) -> None:
    jit.kernel(twice)(2.5)  # type: ignore[arg-type]
    for file in folder.iterdir():
        os.truncate(file, 100)
    compiled = jit.kernel(twice)
    with pytest.warns(UserWarning, match="compile") as warned:
        assert (compiled(21), compiled(2.5)) == (42, 5.0)  # type: ignore[arg-type]
    assert len(warned) == 1


def test_a_folder_in_place_of_a_file_is_left_alone(folder: Path) -> None:
    (file,) = folder.iterdir()
    file.unlink()
    (file / "something").mkdir(parents=True)
    with pytest.warns(UserWarning, match="compile") as warned:
        assert not compile_twice()
    assert [str(file) in str(warned[0].message), str(folder) in str(warned[1].message), len(warned)] == [True, True, 2]
    assert (file / "something").is_dir()


def test_a_full_disk_gives_one_warning_that_names_the_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def no_room(path: str) -> Any:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        yield

    shutil.rmtree(folder)
    monkeypatch.setattr(jit, "replacing", no_room)
    with pytest.warns(UserWarning, match="compile") as warned:
        assert [compile_twice(), compile_twice()] == [False, False]
    (message,) = [str(warning.message) for warning in warned]
    assert f"can't be written to {folder} (No space left on device)" in message
    assert "NUMBA_CACHE_DIR" in message


def test_a_removed_folder_that_cannot_be_created_gives_one_warning(folder: Path) -> None:
    compiled = jit.kernel(twice)
    shutil.rmtree(folder.parent)
    folder.parent.write_text("a file")
    with pytest.warns(UserWarning, match="can't be written to") as warned:
        assert (compiled(21), compiled(2.5)) == (42, 5.0)  # type: ignore[arg-type]
    assert len(warned) == 1


@pytest.mark.slow
def test_two_processes_that_compile_at_once_leave_good_files(tmp_path: Path) -> None:
    script = (
        "from tests.kernels.test_kernels_jit import compile_twice\n"
        "import warnings; warnings.simplefilter('error')\n"
        "compile_twice()\n"
    )
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    running = [subprocess.Popen([sys.executable, "-c", script], env=environment) for _ in range(3)]
    assert [process.wait() for process in running] == [0, 0, 0]
    assert len(list(tmp_path.glob("*/*"))) == 1


def test_a_change_in_any_file_changes_the_fingerprint(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("one = 1\n")
    (tmp_path / "b.py").write_text("two = 2\n")
    before = jit._fingerprint(tmp_path)
    assert jit._fingerprint(tmp_path) == before
    (tmp_path / "b.py").write_text("two = 3\n")
    assert jit._fingerprint(tmp_path) != before
    assert jit._fingerprint(Path(jit.__file__).parent) == jit.FINGERPRINT


def test_a_shared_folder_keeps_the_code_of_each_version_of_the_sources(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(jit, "FINGERPRINT", "other")
        assert not compile_twice()
        assert compile_twice()
    assert compile_twice()
    assert len(list(folder.parent.glob("textsieve-*/*.nbc"))) == 2


def test_saving_removes_code_of_other_sources_from_the_folder_beside_the_kernels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jit.CheckedFiles(str(tmp_path), "kernel").save("key", "old code")
    (old,) = tmp_path.iterdir()
    unrelated = tmp_path / f"x{old.name}"
    unrelated.touch()
    monkeypatch.setattr(jit, "FINGERPRINT", "other")
    files = jit.CheckedFiles(str(tmp_path), "kernel")
    assert files.load("key") is None
    files.save("key", "new code")
    assert files.load("key") == "new code"
    assert not old.exists()
    assert unrelated.exists()


def test_copies_of_the_sources_share_compiled_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folders = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "copied.py").write_text("def thrice(number):\n    return 3 * number\n")
        script = (
            "from copied import thrice; from textsieve.kernels import jit; compiled = jit.kernel(thrice)\n"
            "assert compiled(14) == 42; print(compiled._cache.cache_path, sum(compiled.stats.cache_hits.values()))"
        )
        path = os.pathsep.join([str(tmp_path / name), *sys.path])
        environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": path}
        done = subprocess.run(
            [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
        )
        folders.append(done.stdout.split())
    assert [n_loaded for _, n_loaded in folders] == ["0", "1"]
    assert folders[0][0] == folders[1][0]


@pytest.mark.parametrize("function", [words.count_words, words.slot_of, ngrams.count_ngrams])
def test_all_kernels_have_the_checked_cache(function: Any) -> None:
    assert isinstance(function._cache, jit.CheckedCache)


def test_without_a_folder_for_the_cache_kernels_work_and_one_warning_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caching.CacheImpl, "_locator_classes", [])
    monkeypatch.setattr(jit, "_warned", set())
    with pytest.warns(UserWarning, match="NUMBA_CACHE_DIR") as warned:
        assert [compile_twice(), compile_twice()] == [False, False]
    assert len(warned) == 1


def compile_in_another_process(folder: Path, ready: Path, name: str) -> subprocess.Popen[str]:
    """Start a process that waits until `ready` exists, then calls a kernel and prints whether it was compiled."""
    script = (
        "import sys, time; from pathlib import Path\n"
        "from test_kernels_jit import jit, twice\n"
        "compiled = jit.kernel(twice)\n"
        f"Path({str(ready)!r} + sys.argv[1]).touch()\n"
        f"while not Path({str(ready)!r}).exists(): time.sleep(.001)\n"
        "assert compiled(21) == 42\n"
        "print('compiled' if compiled.stats.cache_misses else 'loaded')\n"
    )
    environment = os.environ | {"NUMBA_CACHE_DIR": str(folder), "PYTHONPATH": str(Path(__file__).parent)}
    return subprocess.Popen([sys.executable, "-c", script, name], env=environment, stdout=subprocess.PIPE, text=True)


@pytest.mark.slow
def test_of_several_processes_one_compiles_and_the_others_load_its_code(tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    processes = [compile_in_another_process(tmp_path / "cache", ready, name) for name in "abc"]
    while not all(Path(f"{ready}{name}").exists() for name in "abc"):
        assert all(process.poll() is None for process in processes)
        time.sleep(0.01)
    ready.touch()
    assert sorted(process.communicate()[0].strip() for process in processes) == ["compiled", "loaded", "loaded"]
    assert [process.returncode for process in processes] == [0, 0, 0]
    (file,) = (tmp_path / "cache").glob("*/*")
    assert file.suffix == ".nbc"


def test_a_process_that_holds_the_lock_for_too_long_is_not_waited_for(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (file,) = folder.iterdir()
    file.unlink()
    monkeypatch.setattr(jit, "LOCK_TIMEOUT", 0.01)
    name = ".".join(file.name.split(".")[:-2])
    with FileLock(folder / f"{name}.lock"):
        assert not compile_twice()
    assert file.exists()
    assert compile_twice()  # the file is complete, so it is loaded now


def test_a_kernel_that_cannot_be_compiled_does_not_keep_others_from_compiling(folder: Path) -> None:
    for file in folder.iterdir():
        file.unlink()
    compiled: Any = jit.kernel(twice)
    with pytest.raises(numba.TypingError):
        compiled(object())
    assert compiled(21) == 42
    assert [file.suffix for file in folder.iterdir()] == [".nbc"]


def test_without_room_for_the_compiler_there_is_a_memory_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_room(megabytes: int, what: str) -> None:
        raise MemoryError

    compiled = jit.kernel(twice)
    monkeypatch.setattr(jit, "check_room", no_room)
    with pytest.raises(MemoryError):
        compiled(21)


def test_disabled_compilation_is_an_error_that_names_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numba.config, "DISABLE_JIT", 1)
    with pytest.raises(InputError, match="NUMBA_DISABLE_JIT"):
        jit.kernel(twice)
