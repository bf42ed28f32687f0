"""The embedded corpus, its cache, and how light the package is to import."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from collections import Counter
from hashlib import sha256
from pathlib import Path

import pytest

from textsieve.corpus import NAMED, docstrings, package_docstrings, read


@pytest.fixture(scope="module")
def parsed() -> list[tuple[str, str]]:
    return package_docstrings.collect()


FEW = [(f"docstring {sha256(bytes([n])).hexdigest()}", f"scipy.{n % 3}") for n in range(200)]
"""Documents for tests of the cache; they do not compress well, so that their file has more than 1,000 bytes."""


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the path of an empty cache; `collect` returns `FEW` at once, and the file `calls` counts its calls."""
    path = tmp_path / "folder" / "cache.jsonl.gz"
    calls = tmp_path / "calls"
    calls.write_text("")

    def collect() -> list[tuple[str, str]]:
        calls.write_text(calls.read_text() + "x")
        return FEW

    monkeypatch.setattr(package_docstrings, "_cache_path", lambda: path)
    monkeypatch.setattr(package_docstrings, "collect", collect)
    return path


@pytest.mark.slow
def test_the_corpus_has_the_expected_size_and_classes(parsed: list[tuple[str, str]]) -> None:
    classes = Counter(label for _, label in parsed)
    assert 4500 < len(parsed) < 6500
    assert 35 <= len(classes) <= 45
    assert {"scipy.stats", "sklearn.cluster", "numpy.linalg"} <= set(classes)
    assert min(classes.values()) >= 30
    assert max(classes.values()) > 500, "uneven"
    assert len({text for text, _ in parsed}) == len(parsed)
    assert min(len(text.split()) for text, _ in parsed) >= 15


@pytest.mark.slow
def test_the_classes_can_be_learned(parsed: list[tuple[str, str]]) -> None:
    from importlib import import_module

    features = import_module("sklearn.feature_extraction.text").TfidfVectorizer(sublinear_tf=True)
    model = import_module("sklearn.svm").LinearSVC()
    train = [pair for n, pair in enumerate(parsed) if n % 5]
    test = parsed[::5]
    model.fit(features.fit_transform([text for text, _ in train]), [label for _, label in train])
    accuracy = model.score(features.transform([text for text, _ in test]), [label for _, label in test])
    assert 0.7 < accuracy < 0.97


def test_a_second_read_uses_the_cache(cache: Path) -> None:
    first, second = list(docstrings()), list(read("docstrings"))
    assert first == second == [(text, (label,)) for text, label in FEW]
    assert (cache.parent.parent / "calls").read_text() == "x"
    assert os.listdir(cache.parent) == [cache.name], "nothing temporary is left"


@pytest.mark.parametrize("damage", [b"", b"junk", gzip.compress(b'["a"]\n'), gzip.compress(b"[")], ids=range(4))
def test_a_damaged_cache_is_replaced(cache: Path, damage: bytes) -> None:
    cache.parent.mkdir()
    cache.write_bytes(damage)
    assert len(list(docstrings())) == len(FEW)
    assert len(list(docstrings())) == len(FEW)
    assert (cache.parent.parent / "calls").read_text() == "x"


def test_a_truncated_cache_is_replaced(cache: Path) -> None:
    assert len(list(docstrings())) == len(FEW)
    cache.write_bytes(cache.read_bytes()[:-1000])
    assert len(list(docstrings())) == len(FEW)
    assert (cache.parent.parent / "calls").read_text() == "xx"


def test_a_cache_that_cannot_be_written_is_no_obstacle(cache: Path) -> None:
    cache.parent.write_text("a file where the folder should be")
    assert len(list(docstrings())) == len(FEW)


def test_an_existing_path_precedes_a_corpus_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "docstrings" in NAMED
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docstrings").write_text("text,label\nmine,a\n")
    assert list(read("docstrings")) == [("mine", ("a",))]


def test_importing_loads_nothing_heavy() -> None:
    heavy = "{'numpy', 'scipy', 'sklearn', 'pyarrow', 'numba', 'zstandard'}"
    code = f"import sys, textsieve.corpus; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
