"""Tests are skipped where something is missing, but fail in CI, unless it has no corpora by intention."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.depth import absent, corpora_folder, need

FAILED, SKIPPED = pytest.fail.Exception, pytest.skip.Exception


@pytest.fixture(autouse=True)
def no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CI", "TEXTSIEVE_DATA", "TEXTSIEVE_NO_DATA"):
        monkeypatch.delenv(name, raising=False)


def test_a_folder_with_corpora_is_returned(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TEXTSIEVE_DATA", str(tmp_path))
    assert corpora_folder() == tmp_path


@pytest.mark.every_case
@pytest.mark.parametrize(
    ("variables", "outcome"),
    [
        ({}, SKIPPED),
        ({"TEXTSIEVE_DATA": "nowhere"}, SKIPPED),
        ({"CI": "true"}, FAILED),
        ({"CI": "true", "TEXTSIEVE_DATA": "nowhere"}, FAILED),
        ({"CI": "true", "TEXTSIEVE_NO_DATA": "0"}, FAILED),
        ({"CI": "true", "TEXTSIEVE_NO_DATA": "1"}, SKIPPED),
    ],
)
def test_corpora_may_be_missing_in_ci_only_by_intention(
    variables: dict[str, str], outcome: type[BaseException], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(outcome, match="TEXTSIEVE_"):
        corpora_folder()


def test_anything_else_may_not_be_missing_in_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    need("pytest")
    with pytest.raises(SKIPPED, match="no_such_module is not installed"):
        need("pytest", "no_such_module")
    monkeypatch.setenv("CI", "true")
    monkeypatch.setenv("TEXTSIEVE_NO_DATA", "1")
    with pytest.raises(FAILED, match="no_such_module is not installed, and CI must not skip"):
        need("no_such_module")
    with pytest.raises(FAILED, match="no browser, and CI must not skip"):
        absent("no browser")
