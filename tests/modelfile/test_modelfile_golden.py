"""Models that were written once must load and predict the same for ever; see `golden_models.py`."""

import json
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from tests.modelfile.golden_models import FOLDER, MODELS, TEXTS, describe

import textsieve
from textsieve.archive import open_archive
from textsieve.classifiers.sparse_linear import SparseLinearScorer
from textsieve.evaluation.calibration import JointCalibration
from textsieve.modelfile.header import KIND, MAX_BYTES
from textsieve.text.analysis import Analysis

EXPECTED: dict[str, Any] = json.loads((FOLDER / "expected.json").read_text(encoding="utf-8"))

every_model = pytest.mark.parametrize("name", EXPECTED)


def check(model: textsieve.Categorizer, expected: dict[str, Any]) -> None:
    """Compare what a model predicts now with what it predicted when it was written."""
    actual = describe(model)
    for key in ("terms", "classes", "labels"):
        assert actual[key] == expected[key]
    for key in ("scores", "probabilities"):
        assert (actual[key] is None) == (expected[key] is None)
        if actual[key] is not None:
            assert list(chain(*actual[key])) == pytest.approx(list(chain(*expected[key])), rel=1e-12, abs=1e-12)
    assert actual["contributions"].keys() == expected["contributions"].keys()
    for label, parts in actual["contributions"].items():
        then = expected["contributions"][label]
        assert [term for term, _ in parts] == [term for term, _ in then]
        assert [value for _, value in parts] == pytest.approx([value for _, value in then], rel=1e-12)


def test_all_files_are_tested() -> None:
    assert {file.stem for file in FOLDER.glob("*.sieve")} == set(EXPECTED) == set(MODELS)


@every_model
def test_predictions_and_explanations_are_what_they_were(name: str) -> None:
    check(textsieve.load(FOLDER / f"{name}.sieve"), EXPECTED[name])


@pytest.mark.parametrize("name", ["updatable", "updatable_votes"])
def test_updates_give_what_they_gave(name: str) -> None:
    model = textsieve.load(FOLDER / f"{name}.sieve")
    assert model.model_.about["updated"]["times"] == 1
    check(model.update(TEXTS[:5], MODELS[name][1][:5]), EXPECTED[name]["updated"])


@pytest.mark.parametrize("name", [name for name in EXPECTED if name != "sieved"])
def test_saving_again_gives_the_same_bytes(name: str, tmp_path: Path) -> None:
    textsieve.load(FOLDER / f"{name}.sieve").save(tmp_path / "again.sieve")
    assert (tmp_path / "again.sieve").read_bytes() == (FOLDER / f"{name}.sieve").read_bytes()


def test_saving_a_compressed_model_again_gives_the_same_header_and_arrays(tmp_path: Path) -> None:
    """Another version of zstandard may compress to other bytes."""
    textsieve.load(FOLDER / "sieved.sieve").save(tmp_path / "again.sieve")
    contents = []
    for path in (FOLDER / "sieved.sieve", tmp_path / "again.sieve"):
        with open_archive(KIND, str(path), max_bytes=MAX_BYTES) as archive:
            arrays = {name: array.tolist() for name, array in archive.read().items()}
            contents.append((archive.header, arrays))
    assert contents[0] == contents[1]
    assert contents[0][0]["version"] == 2


def test_a_file_has_each_special_part() -> None:
    """At least one file each has a fallback class, a preparation, an analysis, a calibration, thresholds, and so on."""
    models = {name: textsieve.load(FOLDER / f"{name}.sieve") for name in EXPECTED}
    assert models["fallback"].model_.fallback == 1
    assert models["prepared"].model_.preparation.to_dict() == {
        "tags": "drop",
        "names": True,
        "normalise": "stem",
        "language": "en",
    }
    assert models["analysis"].model_.analysis == Analysis("text", char_ngram_range=(3, 4))
    assert {"atom", "theory atom", "▁at…", "…tom▁"} <= set(models["analysis"].terms_)
    assert models["pattern"].model_.analysis == Analysis(token_pattern=r"[^\W\d]+[,.]?")
    assert models["svm"].model_.calibration is not None
    assert isinstance(models["joint"].model_.calibration, JointCalibration)
    assert isinstance(models["sieved"].model_.scorer, SparseLinearScorer)
    assert models["multilabel"].thresholds_ is not None
    assert models["label_matrix"].model_.has_label_matrix


@every_model
def test_the_number_of_threads_is_not_stored(name: str) -> None:
    model = textsieve.load(FOLDER / f"{name}.sieve")
    assert "n_jobs" not in model.model_.settings
    assert model.n_jobs == textsieve.Categorizer().n_jobs
