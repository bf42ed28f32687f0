"""A data folder and a cache of a test's own."""

from pathlib import Path

import pytest

from textsieve.corpus.collections import local_files


@pytest.fixture
def own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that TEXTSIEVE_DATA names; the cache, `cache` beside it, is empty too, and there is no mirror."""
    folder = tmp_path / "data"
    folder.mkdir()
    monkeypatch.setenv(local_files.DATA_VARIABLE, str(folder))
    monkeypatch.delenv(local_files.MIRROR_VARIABLE, raising=False)
    monkeypatch.setattr(local_files, "cache_folder", lambda: tmp_path / "cache")
    return folder
