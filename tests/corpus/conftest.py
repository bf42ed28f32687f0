"""A temporary data folder and cache for each test."""

from pathlib import Path

import pytest

from textsieve.corpus.collections import local_files


@pytest.fixture
def own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder, which TEXTSIEVE_DATA names; `cache` beside it is the cache, and no mirror is set."""
    folder = tmp_path / "data"
    folder.mkdir()
    monkeypatch.setenv(local_files.DATA_VARIABLE, str(folder))
    monkeypatch.delenv(local_files.MIRROR_VARIABLE, raising=False)
    monkeypatch.setattr(local_files, "cache_folder", lambda: tmp_path / "cache")
    return folder
