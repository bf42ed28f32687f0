"""A data folder and a cache of a test's own."""

from pathlib import Path

import pytest

from textsieve.corpus.collections import locating


@pytest.fixture
def own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that TEXTSIEVE_DATA names; the cache, `cache` beside it, is empty too, and there is no mirror."""
    folder = tmp_path / "data"
    folder.mkdir()
    monkeypatch.setenv(locating.FOLDER, str(folder))
    monkeypatch.delenv(locating.MIRROR, raising=False)
    monkeypatch.setattr(locating, "cache_folder", lambda: tmp_path / "cache")
    return folder
