"""The statistics beside a model: they come back whole, and belong to one model."""

from __future__ import annotations

import os
import stat
from dataclasses import replace
from pathlib import Path

import pytest
from tests.reference.statistics_cases import CASE, FIRST, MORE, TRAINED, WAYS, WHOLE, trained, written
from tests.reference.updating_twin import learned_by

from textsieve import Categorizer, InputError, load
from textsieve.modelfile import write as write_model
from textsieve.modelfile.statsfile import decode, encode
from textsieve.training.document_digests import digest


@pytest.mark.parametrize("way", WAYS)
def test_what_is_read_is_what_was_written(way: str, tmp_path: Path) -> None:
    path = written(tmp_path, way)
    assert sorted(os.listdir(tmp_path)) == ["news.sieve", "news.sieve.stats"]
    again = decode(WHOLE[way], TRAINED[way].model_, "news.sieve.stats")
    assert encode(again, TRAINED[way].model_) == WHOLE[way] == (tmp_path / "news.sieve.stats").read_bytes()
    inside = trained(way).update(*MORE)
    assert learned_by(load(path).update(*MORE).model_) == learned_by(inside.model_)


@pytest.mark.parametrize("way", WAYS)
def test_saved_and_loaded_between_the_parts(way: str, tmp_path: Path) -> None:
    path = written(tmp_path, way)
    for begin in range(50, 90, 10):
        load(path).update(CASE.texts[begin : begin + 10], CASE.labels[begin : begin + 10]).save(path)
    assert learned_by(load(path).model_) == learned_by(trained(way).update(*MORE).model_)
    assert load(path).model_.about["updated"]["times"] == 4


def test_the_same_documents_give_the_same_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    files = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        trained().update(*MORE).save(tmp_path / name / "news.sieve")
        files.append([(tmp_path / name / file).read_bytes() for file in ("news.sieve", "news.sieve.stats")])
    assert files[0] == files[1]


def test_it_has_no_term_and_no_text() -> None:
    for way in WAYS:
        spelled = WHOLE[way].lower()
        for word in {term for text in CASE.texts for term in text.lower().split()} | set(TRAINED[way].terms_):
            assert len(word) < 4 or word.encode() not in spelled, word


def test_a_model_saved_elsewhere_takes_its_statistics_along(tmp_path: Path) -> None:
    path = written(tmp_path)
    load(path).save(tmp_path / "copy.sieve")
    path.unlink()
    Path(f"{path}.stats").unlink()
    load(tmp_path / "copy.sieve").update(*MORE)


def test_a_link_leads_to_the_statistics_beside_the_file(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    written(tmp_path / "models")
    (tmp_path / "news.sieve").symlink_to(tmp_path / "models" / "news.sieve")
    load(tmp_path / "news.sieve").update(*MORE).save(tmp_path / "news.sieve")
    assert sorted(os.listdir(tmp_path)) == ["models", "news.sieve"]
    assert load(tmp_path / "models" / "news.sieve").model_.about["updated"]["times"] == 1


def test_a_model_without_is_written_as_before(tmp_path: Path) -> None:
    Categorizer(classifier="nb").fit(*FIRST).save(tmp_path / "plain.sieve")
    assert os.listdir(tmp_path) == ["plain.sieve"]
    assert "stats" not in load(tmp_path / "plain.sieve").model_.about


# -- permissions -------------------------------------------------------------------------------------------------


def modes(path: Path) -> list[int]:
    """The permissions of a model and of its statistics."""
    return [stat.S_IMODE(os.stat(f"{path}{suffix}").st_mode) for suffix in ("", ".stats")]


@pytest.mark.parametrize(
    ("model", "old", "new"),
    [
        (0o600, 0o600, 0o600),
        (0o600, None, 0o600),
        (0o644, 0o600, 0o600),
        (0o644, 0o664, 0o644),
        (0o600, 0o644, 0o600),
        (0o640, None, 0o640),
        (0o444, 0o644, 0o644),
    ],
)
def test_statistics_are_never_more_open_than_those_before_or_than_the_model(
    model: int, old: int | None, new: int, tmp_path: Path
) -> None:
    path = written(tmp_path)
    updated = load(path).update(*MORE)
    path.chmod(model)
    if old is None:
        os.unlink(f"{path}.stats")
    else:
        os.chmod(f"{path}.stats", old)
    updated.save(path)
    assert modes(path) == [model, new]


def test_new_statistics_are_never_readable_by_others_while_they_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path)
    path.chmod(0o600)
    os.chmod(f"{path}.stats", 0o600)
    seen = []
    replace_file = os.replace

    def replace_seen(source: str, target: str) -> None:
        seen.append(stat.S_IMODE(os.stat(source).st_mode))
        replace_file(source, target)

    monkeypatch.setattr(os, "replace", replace_seen)
    load(path).update(*MORE).save(path)
    assert seen == [0o600, 0o600, 0o600]  # the new statistics, the model, the statistics in their place


# -- which model they belong to ----------------------------------------------------------------------------------


def test_statistics_left_behind(tmp_path: Path) -> None:
    path = written(tmp_path)
    os.unlink(f"{path}.stats")
    with pytest.raises(InputError, match=r"There is no file .*news\.sieve\.stats, which has the statistics of .*"):
        load(path).update(*MORE)
    with pytest.warns(UserWarning, match=r"The statistics of this model are not beside .*news\.sieve"):
        load(path).save(tmp_path / "copy.sieve")
    assert sorted(os.listdir(tmp_path)) == ["copy.sieve", "news.sieve"]
    assert "stats" not in load(tmp_path / "copy.sieve").model_.about


def test_statistics_of_another_model(tmp_path: Path) -> None:
    path = written(tmp_path)
    kept = Path(f"{path}.stats").read_bytes()
    load(path).update(*MORE).save(path)
    Path(f"{path}.stats").write_bytes(kept)
    with pytest.raises(
        InputError, match=r"news\.sieve\.stats has the statistics of another model, or of another state"
    ):
        load(path).update(*MORE)


def test_a_model_that_was_changed_since_it_was_loaded(tmp_path: Path) -> None:
    path = written(tmp_path)
    early = load(path)
    load(path).update(*MORE).save(path)
    with pytest.raises(InputError, match="of another state of"):
        early.update(*MORE)


@pytest.mark.parametrize("name", ["news.sieve", "elsewhere.sieve"])
def test_a_model_that_was_changed_since_is_saved_without_statistics(name: str, tmp_path: Path) -> None:
    """It names none, rather than some that are nowhere, and says so."""
    path = written(tmp_path)
    early = load(path)
    load(path).update(*MORE).save(path)
    with pytest.warns(UserWarning, match="it is saved without, and can't be updated"):
        early.save(tmp_path / name)
    saved = load(tmp_path / name)
    assert "stats" not in saved.model_.about
    assert learned_by(saved.model_) == learned_by(early.model_)
    with pytest.raises(InputError, match="This model has no statistics"):
        saved.update(*MORE)


def test_statistics_of_other_terms(tmp_path: Path) -> None:
    other = trained(n_terms=9).model_
    with pytest.raises(InputError, match=r"^news\.sieve\.stats has the statistics of other terms than the model has"):
        decode(WHOLE["nb"], other, "news.sieve.stats")


def test_a_model_that_has_learned_more_names_no_statistics_until_they_are_written(tmp_path: Path) -> None:
    """Those it was loaded with are of another state, and a model that is written alone has none."""
    path = written(tmp_path)
    updated = load(path).update(*MORE)
    assert "stats" in load(path).model_.about
    assert "stats" not in updated.model_.about
    write_model(updated.model_, tmp_path / "alone.sieve")
    with pytest.raises(InputError, match="This model has no statistics"):
        load(tmp_path / "alone.sieve").update(*MORE)


def test_added_statistics_know_what_was_folded_in_of_both() -> None:
    one, other = (
        replace(decode(WHOLE["nb"], TRAINED["nb"].model_, "a"), folded=frozenset({digest("a text", [label])}))
        for label in ("x", "y")
    )
    assert one.merged(other).folded == one.folded | other.folded
    assert len(one.merged(other).folded) == 2
