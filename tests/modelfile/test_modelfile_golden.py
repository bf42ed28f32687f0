"""Models that were written once, and must load and predict the same for ever.

Version 1 of the format: `one` is an SVM with held-out scores and probabilities, `several` naive Bayes on words and
pairs of words with stop words, stripped accents and thresholds, `two` Rocchio on classes that are numbers, `votes` an
ensemble of random subspaces that vote. Version 2: `prepared` drops tags, joins names, and counts stems. Version 3:
`fallback` has three terms that all speak for the most frequent class, and another class for whoever has none of them.
They are never made anew. A new version of the format gets files of its own beside them.
"""

import json
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

import textsieve

FOLDER = Path(__file__).parent / "golden"
EXPECTED: dict[str, Any] = json.loads((FOLDER / "expected.json").read_text(encoding="utf-8"))

EXPECTED_JOBS = {"one": 1, "several": 1, "two": 1, "prepared": None, "votes": None, "fallback": None}
"""The oldest files have the number of threads."""

every_model = pytest.mark.parametrize("name", EXPECTED)


def test_all_files_are_tested() -> None:
    assert {file.stem for file in FOLDER.glob("*.sieve")} == set(EXPECTED)


@every_model
@pytest.mark.filterwarnings("ignore:.*none of the selected terms")
def test_predictions_are_what_they_were(name: str) -> None:
    model, expected = textsieve.load(FOLDER / f"{name}.sieve"), EXPECTED[name]
    found = model.predict_scores(expected["documents"])
    assert [list(each) if isinstance(each, tuple) else each for each in list(found.labels)] == expected["labels"]
    assert found.scores.ravel().tolist() == pytest.approx(list(chain(*expected["scores"])), rel=1e-12, abs=1e-12)
    assert model.terms_ == expected["terms"]
    assert model.classes_.tolist() == expected["classes"]
    if expected["probabilities"] is not None:
        probabilities = model.predict_proba(expected["documents"]).ravel().tolist()
        assert probabilities == pytest.approx(list(chain(*expected["probabilities"])), rel=1e-12)


@every_model
def test_explanations_are_what_they_were(name: str) -> None:
    model, expected = textsieve.load(FOLDER / f"{name}.sieve"), EXPECTED[name]
    for each in model.explain(expected["documents"][0]).classes:
        told = [[found.term, found.contribution] for found in each.contributions]
        assert [term for term, _ in told] == [term for term, _ in expected["contributions"][str(each.label)]]
        values = [value for _, value in expected["contributions"][str(each.label)]]
        assert [value for _, value in told] == pytest.approx(values, rel=1e-12)


@every_model
def test_they_are_written_as_they_were(name: str, tmp_path: Path) -> None:
    textsieve.load(FOLDER / f"{name}.sieve").save(tmp_path / "again.sieve")
    assert (tmp_path / "again.sieve").read_bytes() == (FOLDER / f"{name}.sieve").read_bytes()


@every_model
def test_the_threads_they_were_trained_with_are_forgotten(name: str) -> None:
    model = textsieve.load(FOLDER / f"{name}.sieve")
    assert model.model_.settings.get("n_jobs") == EXPECTED_JOBS[name]
    assert model.n_jobs == textsieve.Categorizer().n_jobs
