"""Rewrite the assertions of test files once, instead of once in each worker.

pytest rewrites each test file when it is imported for the first time after a change, and caches the result beside it.
Workers start at the same time, so each of them would rewrite all files: 8 seconds in each of four.
"""

import os
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
from _pytest.assertion import rewrite


def rewrite_assertions_once(config: pytest.Config) -> None:
    """Rewrite the test files of a run that are new or have changed, in two processes."""
    if sys.dont_write_bytecode or not hasattr(os, "fork"):
        return
    given = [config.invocation_params.dir / argument.partition("::")[0] for argument in config.args]
    files = [file for path in given for file in (sorted(path.rglob("test_*.py")) if path.is_dir() else [path])]
    pid = os.fork()
    if pid == 0:
        try:
            _rewrite_files(files[1::2], config)
        finally:
            os._exit(0)
    _rewrite_files(files[::2], config)
    os.waitpid(pid, 0)


def _rewrite_files(files: Iterable[Path], config: pytest.Config) -> None:
    """Write the caches that pytest looks for; a file with an error is left to pytest, which reports it."""
    state = config.stash[rewrite.assertstate_key]
    for file in files:
        cache = rewrite.get_cache_dir(file) / (file.stem + rewrite.PYC_TAIL)
        try:
            if rewrite._read_pyc(file, cache, state.trace) is None and rewrite.try_makedirs(cache.parent):
                source, code = rewrite._rewrite_test(file, config)
                rewrite._write_pyc(state, code, source, cache)
        except (OSError, SyntaxError, ValueError):
            continue
