"""The statistics in a model file: `update` gets them back whole, and predicting never reads them."""

from __future__ import annotations

import os
import stat
import tracemalloc
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.reference.categorizer_cases import plain_categorizer
from tests.reference.statistics_cases import (
    CASE,
    CLASSIFIERS,
    FIRST,
    MORE,
    TRAINED,
    WHOLE,
    trained,
    whole_file,
    written,
)
from tests.reference.updating_twin import learned_by

from textsieve import InputError, load
from textsieve.archive import Archive, Arrays, archive_in
from textsieve.modelfile import read, write
from textsieve.modelfile.header import KIND
from textsieve.modelfile.reading import decode, read_stored
from textsieve.modelfile.statistics import decode_statistics, read_statistics
from textsieve.modelfile.writing import encode
from textsieve.training.corrections import document_digest
from textsieve.training.statistics import Statistics


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_statistics_that_are_read_equal_those_that_were_written(classifier: str, tmp_path: Path) -> None:
    path = written(tmp_path, classifier)
    assert os.listdir(tmp_path) == ["news.sieve"]
    assert path.read_bytes() == WHOLE[classifier]
    model, file = read_stored(path)
    assert file.has_statistics
    assert encode(model, read_statistics(model, file)) == WHOLE[classifier]
    in_memory = trained(classifier).update(*MORE)
    assert learned_by(load(path).update(*MORE).model_) == learned_by(in_memory.model_)


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_a_model_saved_and_loaded_between_updates_learns_the_same(classifier: str, tmp_path: Path) -> None:
    path = written(tmp_path, classifier)
    for begin in range(50, 90, 10):
        load(path).update(CASE.texts[begin : begin + 10], CASE.labels[begin : begin + 10]).save(path)
    assert learned_by(load(path).model_) == learned_by(trained(classifier).update(*MORE).model_)
    assert load(path).model_.about["updated"]["times"] == 4


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_unlabelled_documents_are_counted_as_before_after_saving_and_loading(classifier: str, tmp_path: Path) -> None:
    """Naive Bayes for several labels compares a class with the rest, which has all labelled documents."""
    texts, labels = CASE.texts[:50], [None if at % 5 == 0 else [label] for at, label in enumerate(CASE.labels[:50])]
    settings: dict[str, Any] = {"classifier": classifier, "n_terms": 8, "keep_stats": True, "n_jobs": 1}
    model = plain_categorizer(**settings).fit(texts, labels)
    model.save(tmp_path / "news.sieve")
    more = CASE.texts[50:90], [[label] for label in CASE.labels[50:90]]
    updated = load(tmp_path / "news.sieve").update(*more).model_
    assert learned_by(updated) == learned_by(model.update(*more).model_)


def test_the_same_documents_give_the_same_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    assert whole_file(trained().update(*MORE)) == whole_file(trained().update(*MORE))


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_statistics_hold_no_term_and_no_text(classifier: str) -> None:
    archive = archive_in(KIND, WHOLE[classifier], "news.sieve")
    arrays = archive._read_arrays(name for name in archive.specs if name.startswith("statistics."))
    stored = repr(archive.header["statistics"]).encode() + b"".join(array.tobytes() for array in arrays.values())
    for word in {term for text in CASE.texts for term in text.lower().split()} | set(TRAINED[classifier].terms_):
        assert len(word) < 4 or word.encode() not in stored.lower(), word


# -- predicting reads none of them -------------------------------------------------------------------------------


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_loading_and_predicting_read_no_statistics(
    classifier: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, classifier)
    read_arrays = Archive._read_arrays
    names_read: list[str] = []

    def noting(self: Archive, names: Iterable[str]) -> Arrays:
        wanted = list(names)
        names_read.extend(wanted)
        return read_arrays(self, wanted)

    monkeypatch.setattr(Archive, "_read_arrays", noting)
    load(path).predict(CASE.texts[:5])
    assert names_read
    assert not any(name.startswith("statistics.") for name in names_read)


def test_loading_takes_no_memory_for_statistics(tmp_path: Path) -> None:
    path = written(tmp_path)
    statistics = TRAINED["nb"]._statistics_
    assert isinstance(statistics, Statistics)
    many = frozenset(document_digest(str(number), ["x"]) for number in range(100_000))
    large = replace(
        statistics, added_digests=many, n_documents=statistics.n_documents + len(many), n_unlabelled=len(many)
    )
    write(TRAINED["nb"].model_, path, large)
    assert path.stat().st_size > 1_600_000
    tracemalloc.start()
    try:
        read(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 500_000


def test_damaged_statistics_matter_to_update_alone(tmp_path: Path) -> None:
    path = written(tmp_path)
    damaged = bytearray(path.read_bytes())
    archive = archive_in(KIND, bytes(damaged), "news.sieve")
    sums = archive.specs["statistics.cell_sums"]
    start = len(damaged) - max(spec.start + spec.n_bytes for spec in archive.specs.values()) + sums.start
    damaged[start + 5] ^= 1
    path.write_bytes(bytes(damaged))
    model = load(path)
    assert model.predict(CASE.texts[:5]).tolist() == TRAINED["nb"].predict(CASE.texts[:5]).tolist()
    with pytest.raises(InputError, match=r"news\.sieve: the file is damaged: its checksum differs; copy it again"):
        model.update(*MORE)
    with pytest.warns(UserWarning, match="saved without them, and can't be updated"):
        model.save(tmp_path / "copy.sieve")
    assert not read_stored(tmp_path / "copy.sieve").file.has_statistics


# -- with and without statistics ---------------------------------------------------------------------------------


def test_a_model_saved_elsewhere_takes_its_statistics_along(tmp_path: Path) -> None:
    path = written(tmp_path)
    load(path).save(tmp_path / "copy.sieve")
    path.unlink()
    load(tmp_path / "copy.sieve").update(*MORE)


def test_a_model_can_be_saved_without_its_statistics(tmp_path: Path) -> None:
    path = written(tmp_path)
    load(path).save(tmp_path / "small.sieve", keep_stats=False)
    assert (tmp_path / "small.sieve").read_bytes() == encode(TRAINED["nb"].model_)
    with pytest.raises(InputError, match="This model has no statistics"):
        load(tmp_path / "small.sieve").update(*MORE)


def test_a_link_leads_to_the_file_that_is_updated(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    written(tmp_path / "models")
    (tmp_path / "news.sieve").symlink_to(tmp_path / "models" / "news.sieve")
    load(tmp_path / "news.sieve").update(*MORE).save(tmp_path / "news.sieve")
    assert sorted(os.listdir(tmp_path)) == ["models", "news.sieve"]
    assert os.listdir(tmp_path / "models") == ["news.sieve"]
    assert (tmp_path / "news.sieve").is_symlink()
    assert load(tmp_path / "models" / "news.sieve").model_.about["updated"]["times"] == 1


def test_a_model_trained_without_keep_stats_has_no_statistics(tmp_path: Path) -> None:
    plain_categorizer(classifier="nb").fit(*FIRST).save(tmp_path / "plain.sieve")
    assert os.listdir(tmp_path) == ["plain.sieve"]
    assert not read_stored(tmp_path / "plain.sieve").file.has_statistics
    archive = archive_in(KIND, (tmp_path / "plain.sieve").read_bytes(), "plain.sieve")
    with pytest.raises(InputError, match=r"plain\.sieve: the model has no statistics; train it again"):
        decode_statistics(archive, read(tmp_path / "plain.sieve"))


def test_a_model_written_alone_has_no_statistics(tmp_path: Path) -> None:
    updated = load(written(tmp_path)).update(*MORE)
    write(updated.model_, tmp_path / "alone.sieve")
    with pytest.raises(InputError, match="This model has no statistics"):
        load(tmp_path / "alone.sieve").update(*MORE)


def test_statistics_of_another_model_are_not_written() -> None:
    with pytest.raises(InputError, match="statistics are not sound: their classes have other numbers of documents"):
        encode(TRAINED["nb"].model_, trained().update(*MORE)._statistics_)


def test_bytes_of_a_model_with_statistics_are_decoded_as_one_without() -> None:
    assert encode(decode(WHOLE["nb"])) == encode(TRAINED["nb"].model_)


# -- permissions -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644, 0o444])
def test_an_update_keeps_the_permissions_and_never_opens_the_file_to_others(
    mode: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path)
    path.chmod(mode)
    modes_when_renamed = []
    replace_file = os.replace

    def replace_seen(source: str, target: str) -> None:
        modes_when_renamed.append(stat.S_IMODE(os.stat(source).st_mode))
        replace_file(source, target)

    monkeypatch.setattr(os, "replace", replace_seen)
    load(path).update(*MORE).save(path)
    assert modes_when_renamed == [mode]
    assert stat.S_IMODE(path.stat().st_mode) == mode


# -- a file that has changed since it was loaded -----------------------------------------------------------------


def test_a_file_that_is_gone_cannot_be_updated(tmp_path: Path) -> None:
    path = written(tmp_path)
    model = load(path)
    path.unlink()
    with pytest.raises(InputError, match=r"news\.sieve: there is no such file"):
        model.update(*MORE)
    with pytest.warns(UserWarning, match=r"saved without them, and can't be updated\. .*news\.sieve: there is no"):
        model.save(tmp_path / "copy.sieve")
    assert not read_stored(tmp_path / "copy.sieve").file.has_statistics


@pytest.mark.parametrize("other", ["updated", "another classifier", "without statistics"])
def test_a_file_that_was_changed_since_it_was_loaded_raises(other: str, tmp_path: Path) -> None:
    path = written(tmp_path)
    early = load(path)
    if other == "updated":
        load(path).update(*MORE).save(path)
    elif other == "another classifier":
        path.write_bytes(WHOLE["tcfp"])
    else:
        path.write_bytes(encode(TRAINED["nb"].model_))
    with pytest.raises(InputError, match=r"news\.sieve: the file has changed since the model was read; load it again"):
        early.update(*MORE)


@pytest.mark.parametrize("name", ["news.sieve", "elsewhere.sieve"])
def test_a_model_whose_file_was_changed_is_saved_without_statistics(name: str, tmp_path: Path) -> None:
    path = written(tmp_path)
    early = load(path)
    load(path).update(*MORE).save(path)
    with pytest.warns(UserWarning, match="saved without them, and can't be updated"):
        early.save(tmp_path / name)
    saved = load(tmp_path / name)
    assert learned_by(saved.model_) == learned_by(early.model_)
    with pytest.raises(InputError, match="This model has no statistics"):
        saved.update(*MORE)


def test_merged_statistics_have_the_digests_of_both() -> None:
    statistics = TRAINED["nb"]._statistics_
    assert isinstance(statistics, Statistics)
    first, second = (
        replace(statistics, added_digests=frozenset({document_digest("a text", [label])})) for label in ("x", "y")
    )
    assert first.merged(second).added_digests == first.added_digests | second.added_digests
    assert len(first.merged(second).added_digests) == 2
