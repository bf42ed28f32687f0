"""`textsieve warmup` compiles what later commands need, and says when nothing is left to do."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.reference.cli_cases import Run

from textsieve import warmup
from textsieve.kernels import jit


def test_warmup_says_how_much_it_compiled_and_where(
    run: Run, ask: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def compile_two() -> None:
        monkeypatch.setattr(jit, "n_compiled", jit.n_compiled + 2)

    monkeypatch.setattr(warmup, "_default_tasks", lambda: [compile_two])
    monkeypatch.setattr(warmup, "_other_tasks", lambda: [compile_two, compile_two])
    assert run("warmup").stdout.startswith("Compiled 2 kernels in 0 s, in ")
    report = ask("warmup", "--all")
    assert report["compiled"] == 6
    assert Path(report["folder"]).is_dir()
    monkeypatch.setattr(warmup, "_default_tasks", list)
    assert run("warmup").stdout.startswith("Everything is compiled already, in ")


def test_warmup_fails_if_compiled_code_can_not_be_kept(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = "Compiled code can't be written to /x (No space left on device)."
    n_tasks = 0

    def compile_in_vain() -> None:
        nonlocal n_tasks
        n_tasks += 1
        monkeypatch.setattr(jit, "cache_problem", problem)

    monkeypatch.setattr(warmup, "_default_tasks", lambda: [compile_in_vain])
    for _ in range(2):  # the second time, the problem is known before anything is compiled
        failed = run("warmup", exit_code=1)
        assert "error: Compiled code can't be written to /x" in failed.stderr
    assert n_tasks == 1


@pytest.mark.slow
def test_after_warmup_no_command_compiles(tmp_path: Path) -> None:
    """In fresh processes, no command needs a compiled file that `warmup` does not need, and none compiles.

    With an empty cache, the test would compile everything once more to show the same.
    """
    words = ["sail wind mast", "oven flour salt", "crater moon dust"]
    lines = [f"{words[number % 3]} {number} été,{number % 3}" for number in range(300)]
    (tmp_path / "some.csv").write_text("\n".join(["text,label", *lines]), encoding="utf-8")

    def compiled_files(*arguments: str) -> set[str]:
        """Return the compiled files that a command reads, or looks for and then writes."""
        code = (
            "import sys; from textsieve.cli.program import program; from textsieve.kernels import jit\n"
            "path = jit.CheckedFiles.path; paths = set()\n"
            "jit.CheckedFiles.path = lambda files, key: (paths.add(path(files, key)), path(files, key))[1]\n"
            "program(sys.argv[1:], standalone_mode=False); print(*paths, jit.n_compiled, sep='\\n', file=sys.stderr)"
        )
        command = [sys.executable, "-c", code, *arguments]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        *lines, n_compiled = done.stderr.splitlines()
        assert arguments == ("warmup",) or n_compiled == "0"
        return {line for line in lines if line.endswith(".nbc")}

    warm = compiled_files("warmup")
    assert len(warm) > 30
    assert all(Path(file).is_file() for file in warm)
    trained = compiled_files("train", "some.csv", "-o", "m.sieve")
    assert len(trained) > 10
    assert not trained - warm
    assert not compiled_files("predict", "m.sieve", "some.csv") - warm


@pytest.mark.slow
def test_a_terminal_shows_that_kernels_are_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    code = "from textsieve.stats.labels import label_pairs; import numpy as np; label_pairs(np.arange(9) % 2, 9)"

    def shown_on_terminal() -> str:
        terminal, other_end = os.openpty()
        subprocess.run([sys.executable, "-c", code], stderr=other_end, check=True)
        os.write(other_end, b"end")
        shown = os.read(terminal, 10_000).decode()
        os.close(other_end)
        os.close(terminal)
        return shown

    assert jit.COMPILING in shown_on_terminal()
    assert shown_on_terminal() == "end"  # the code was loaded from the cache
