"""The cache of compiled code: good only while all kernel files are as they were; and not needed."""

from pathlib import Path
from typing import Any

import pytest
from numba.core.dispatcher import Dispatcher

from textsieve.kernels import grams, jit, words


def test_a_change_in_any_file_changes_the_fingerprint(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("one = 1\n")
    (tmp_path / "b.py").write_text("two = 2\n")
    before = jit._fingerprint(tmp_path)
    assert jit._fingerprint(tmp_path) == before
    (tmp_path / "b.py").write_text("two = 3\n")
    assert jit._fingerprint(tmp_path) != before


@pytest.mark.parametrize("function", [words.count_words, words.slot_of, grams.count_grams])
def test_numba_goes_by_the_fingerprint(function: Any) -> None:
    assert function._cache._cache_file._source_stamp == jit.FINGERPRINT
    assert jit._fingerprint(Path(jit.__file__).parent) == jit.FINGERPRINT


def test_without_a_folder_for_the_cache_kernels_work_and_a_warning_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere(self: Any) -> None:
        raise RuntimeError("cannot cache function: no locator available")

    monkeypatch.setattr(Dispatcher, "enable_caching", nowhere)
    with pytest.warns(UserWarning, match="NUMBA_CACHE_DIR"):

        @jit.kernel
        def twice(number: int) -> int:
            return 2 * number

    assert twice(21) == 42
