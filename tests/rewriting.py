"""Rewrite the asserts of all test files before the workers start, as pytest does when a worker imports a file.

pytest keeps the rewritten files, but in a fresh clone all workers start at once, and each would rewrite all of them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from multiprocessing import get_all_start_methods, get_context
from pathlib import Path

import pytest
from _pytest.assertion import rewrite
from _pytest.assertion.rewrite import assertstate_key


def rewrite_asserts(config: pytest.Config, files: Sequence[Path], n_processes: int) -> None:
    """Write the rewritten form of test files that have none yet, in several processes."""
    if sys.dont_write_bytecode or "fork" not in get_all_start_methods():
        return
    in_parts = sorted(filter(_is_needed, files), key=lambda file: file.stat().st_size)
    context = get_context("fork")
    processes = [
        context.Process(target=_rewrite_all, args=(config, in_parts[number::n_processes]))
        for number in range(n_processes)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join()


def _rewritten(file: Path) -> Path:
    """Return the path at which pytest keeps the rewritten form of a file."""
    return rewrite.get_cache_dir(file) / (file.name.removesuffix(".py") + rewrite.PYC_TAIL)


def _is_needed(file: Path) -> bool:
    return rewrite._read_pyc(file, _rewritten(file)) is None


def _rewrite_all(config: pytest.Config, files: Sequence[Path]) -> None:
    state = config.stash[assertstate_key]
    for file in files:
        try:
            about_source, code = rewrite._rewrite_test(file, config)
        except SyntaxError:  # pytest reports it when it imports the file
            continue
        os.makedirs(rewrite.get_cache_dir(file), exist_ok=True)
        rewrite._write_pyc(state, code, about_source, _rewritten(file))
