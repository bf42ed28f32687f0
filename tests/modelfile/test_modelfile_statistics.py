"""The statistics beside a model: they come back whole, belong to one model, and are refused if they are not sound."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import load as load_arrays
from safetensors.numpy import save as save_arrays
from tests.reference.categorizer_cases import small_texts
from tests.reference.updating_twin import learned_by

from textsieve import Categorizer, ClassStats, InputError, load
from textsieve.archive import checksum
from textsieve.modelfile import locking, statsfile
from textsieve.modelfile.locking import locked
from textsieve.modelfile.statsfile import decode, encode
from textsieve.modelfile.writing import encode as encode_model

CASE = small_texts(n=90)
FIRST, MORE = (CASE.texts[:50], CASE.labels[:50]), (CASE.texts[50:], CASE.labels[50:])
WAYS = ["nb", "tcfp"]


def trained(classifier: str = "nb", n_terms: int = 8) -> Categorizer:
    made = Categorizer(classifier=classifier, n_terms=n_terms, keep_stats=True, held_out=0.2, n_jobs=1)
    return made.fit(*FIRST)


TRAINED = {way: trained(way) for way in WAYS}


def whole(way: str) -> bytes:
    statistics = TRAINED[way]._statistics_
    assert statistics is not None
    return encode(statistics, TRAINED[way].model_)


WHOLE = {way: whole(way) for way in WAYS}


def write(folder: Path, way: str = "nb") -> Path:
    path = folder / "news.sieve"
    TRAINED[way].save(path)
    return path


# -- there and back ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
def test_what_is_read_is_what_was_written(way: str, tmp_path: Path) -> None:
    path = write(tmp_path, way)
    assert sorted(os.listdir(tmp_path)) == ["news.sieve", "news.sieve.stats"]
    again = decode(WHOLE[way], TRAINED[way].model_, "news.sieve.stats")
    assert encode(again, TRAINED[way].model_) == WHOLE[way] == (tmp_path / "news.sieve.stats").read_bytes()
    inside = trained(way).update(*MORE)
    assert learned_by(load(path).update(*MORE).model_) == learned_by(inside.model_)


@pytest.mark.parametrize("way", WAYS)
def test_saved_and_loaded_between_the_parts(way: str, tmp_path: Path) -> None:
    path = write(tmp_path, way)
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
    path = write(tmp_path)
    load(path).save(tmp_path / "copy.sieve")
    path.unlink()
    Path(f"{path}.stats").unlink()
    load(tmp_path / "copy.sieve").update(*MORE)


def test_a_link_leads_to_the_statistics_beside_the_file(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    write(tmp_path / "models")
    (tmp_path / "news.sieve").symlink_to(tmp_path / "models" / "news.sieve")
    load(tmp_path / "news.sieve").update(*MORE).save(tmp_path / "news.sieve")
    assert sorted(os.listdir(tmp_path)) == ["models", "news.sieve"]
    assert load(tmp_path / "models" / "news.sieve").model_.about["updated"]["times"] == 1


def test_a_model_without_is_written_as_before(tmp_path: Path) -> None:
    Categorizer(classifier="nb").fit(*FIRST).save(tmp_path / "plain.sieve")
    assert os.listdir(tmp_path) == ["plain.sieve"]
    assert "stats" not in load(tmp_path / "plain.sieve").model_.about


# -- which model they belong to ----------------------------------------------------------------------------------


def test_statistics_left_behind(tmp_path: Path) -> None:
    path = write(tmp_path)
    os.unlink(f"{path}.stats")
    with pytest.raises(InputError, match=r"There is no file .*news\.sieve\.stats, which has the statistics of .*"):
        load(path).update(*MORE)
    with pytest.warns(UserWarning, match=r"The statistics of this model are not beside .*news\.sieve"):
        load(path).save(tmp_path / "copy.sieve")
    assert sorted(os.listdir(tmp_path)) == ["copy.sieve", "news.sieve"]
    assert "stats" not in load(tmp_path / "copy.sieve").model_.about


def test_statistics_of_another_model(tmp_path: Path) -> None:
    path = write(tmp_path)
    kept = Path(f"{path}.stats").read_bytes()
    load(path).update(*MORE).save(path)
    Path(f"{path}.stats").write_bytes(kept)
    with pytest.raises(
        InputError, match=r"news\.sieve\.stats has the statistics of another model, or of another state"
    ):
        load(path).update(*MORE)


def test_a_model_that_was_changed_since_it_was_loaded(tmp_path: Path) -> None:
    path = write(tmp_path)
    early = load(path)
    load(path).update(*MORE).save(path)
    with pytest.raises(InputError, match="of another state of"):
        early.update(*MORE)


@pytest.mark.parametrize("name", ["news.sieve", "elsewhere.sieve"])
def test_a_model_that_was_changed_since_is_saved_without_statistics(name: str, tmp_path: Path) -> None:
    """It names none, rather than some that are nowhere, and says so."""
    path = write(tmp_path)
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


# -- stopped in between ------------------------------------------------------------------------------------------

STEPS = ["replacing", "write_model", "_put_in_place", "settle"]


class Killed(BaseException):
    """Ends a process at a place of our choice."""


def killed_at(step: str, model: Categorizer, path: Path) -> None:
    """Save a model, and be killed at a step of it."""

    def killed(*_: Any, **__: Any) -> Any:
        raise Killed

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(statsfile, step, killed)
        with pytest.raises(Killed):
            model.save(path)


@pytest.mark.parametrize("second", STEPS)
@pytest.mark.parametrize("first", STEPS)
@pytest.mark.parametrize("way", WAYS)
def test_whoever_is_stopped_leaves_a_pair_that_fits(way: str, first: str, second: str, tmp_path: Path) -> None:
    """Twice, each time at any step; an update that was stopped has happened or has not, and the next one goes on."""
    path = write(tmp_path, way)
    happened: list[tuple[list[str], list[str]]] = []
    for step, part in ((first, slice(50, 60)), (second, slice(60, 70))):
        texts, labels = CASE.texts[part], CASE.labels[part]
        killed_at(step, load(path).update(texts, labels), path)
        times = (load(path).model_.about.get("updated") or {"times": 0})["times"]
        if times > len(happened):
            happened.append((texts, labels))
    load(path).update(*MORE).save(path)
    expected = trained(way)
    for texts, labels in [*happened, MORE]:
        expected.update(texts, labels)
    assert learned_by(load(path).model_) == learned_by(expected.model_)
    assert sorted(os.listdir(tmp_path)) == ["news.sieve", "news.sieve.stats"]


def test_a_first_model_that_was_stopped(tmp_path: Path) -> None:
    killed_at("write_model", TRAINED["nb"], tmp_path / "news.sieve")
    assert os.listdir(tmp_path) == ["news.sieve.stats.new"]
    load(write(tmp_path)).update(*MORE)
    assert sorted(os.listdir(tmp_path)) == ["news.sieve", "news.sieve.stats"]


# -- one at a time -----------------------------------------------------------------------------------------------


def test_the_second_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path)
    with locked(str(path)), pytest.raises(InputError, match=r"news\.sieve is being written or updated by another"):
        load(path).update(*MORE).save(path)
    load(path).update(*MORE).save(path)
    assert sorted(os.listdir(tmp_path)) == ["news.sieve", "news.sieve.stats"]


def test_a_model_without_statistics_is_kept_out_too(tmp_path: Path) -> None:
    path = write(tmp_path)
    plain = Categorizer(classifier="nb", n_terms=8).fit(*FIRST)
    before = path.read_bytes()
    with locked(str(path)), pytest.raises(InputError, match=r"news\.sieve is being written or updated by another"):
        plain.save(path)
    assert path.read_bytes() == before
    plain.save(path)
    assert "stats" not in load(path).model_.about
    assert sorted(os.listdir(tmp_path)) == ["news.sieve", "news.sieve.stats"]


def test_a_model_that_is_alone_is_written_without_a_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def held(place: str) -> int:
        raise AssertionError(f"{place} was locked")

    monkeypatch.setattr(locking, "_hold", held)
    for _ in range(2):
        Categorizer(classifier="nb", n_terms=8).fit(*FIRST).save(tmp_path / "plain.sieve")
    assert os.listdir(tmp_path) == ["plain.sieve"]


def test_another_model_at_the_place_is_not_written_over(tmp_path: Path) -> None:
    path = write(tmp_path)
    state = statsfile.state_of(str(path))
    late = load(path).update(*MORE)
    assert late._statistics_ is not None
    path.write_bytes(encode_model(Categorizer(classifier="nb", n_terms=8).fit(*FIRST).model_))  # as a copy does
    before = path.read_bytes()
    with pytest.raises(
        InputError, match=r"news\.sieve is another model than the one that was read; nothing was written"
    ):
        statsfile.write(late.model_, late._statistics_, str(path), instead_of=state)
    assert path.read_bytes() == before
    assert sorted(os.listdir(tmp_path)) == ["news.sieve", "news.sieve.stats"]


def test_a_lock_that_was_left_behind_is_nobodys(tmp_path: Path) -> None:
    path = write(tmp_path)
    Path(f"{path}.lock").touch()
    load(path).update(*MORE).save(path)
    assert sorted(os.listdir(tmp_path)) == ["news.sieve", "news.sieve.stats"]


def test_a_lock_in_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"can't be written: .*No such file"), locked(str(tmp_path / "no" / "a.sieve")):
        pass


@contextmanager
def naming(name: str) -> Iterator[None]:
    """What is refused is refused by this name."""
    try:
        yield
    except InputError as problem:
        if not str(problem).startswith(name):
            raise AssertionError(f"{name!r} is not named: {problem}") from problem
        raise


# -- damaged and hostile -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_a_flipped_byte_is_refused(way: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(WHOLE[way]) - 1))
    damaged = bytearray(WHOLE[way])
    damaged[at] ^= data.draw(st.integers(1, 255))
    with suppress(InputError):
        with naming("news.sieve.stats "):
            found = decode(bytes(damaged), TRAINED[way].model_, "news.sieve.stats")
        assert encode(found, TRAINED[way].model_) == WHOLE[way]  # another spelling of the same, with another digest


def test_a_damaged_file_is_refused_by_name(tmp_path: Path) -> None:
    path = write(tmp_path)
    file = Path(f"{path}.stats")
    damaged = bytearray(file.read_bytes())
    damaged[-5] ^= 1
    file.write_bytes(bytes(damaged))
    with pytest.raises(InputError, match=r"news\.sieve\.stats is damaged: its checksum is another"):
        load(path).update(*MORE)
    file.write_bytes(bytes(damaged[:-5]))
    with pytest.raises(InputError, match=r"news\.sieve\.stats is cut short"):
        load(path).update(*MORE)
    file.write_bytes(ClassStats.zero().to_bytes())
    with pytest.raises(InputError, match=r"news\.sieve\.stats is 'textsieve\.ClassStats' version 1"):
        load(path).update(*MORE)
    file.unlink()
    file.mkdir()
    with pytest.raises(InputError, match=r"news\.sieve\.stats can't be read"):
        load(path).update(*MORE)


def forged(way: str, header: dict[str, Any] | None = None, **arrays: Any) -> bytes:
    """The statistics with other parts and a checksum that agrees; None takes an array away."""
    data = WHOLE[way]
    outer = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    changed = json.loads(outer["__metadata__"]["textsieve"]) | (header or {})
    parts = {name: part for name, part in (load_arrays(data) | arrays).items() if part is not None}
    changed["checksum"] = checksum(changed, parts)
    return save_arrays(parts, metadata={"textsieve": json.dumps(changed)})


def test_the_forger_can_write_statistics() -> None:
    for way in WAYS:
        assert forged(way) == WHOLE[way]


SUMS, VOTES = (load_arrays(WHOLE[way]) for way in WAYS)
NAN, BIG = np.nan, 1 << 40


def changed(array: Any, at: Any, value: Any) -> Any:
    copy = array.copy()
    copy[at] = value
    return copy


@pytest.mark.parametrize(
    ("way", "arrays", "said"),
    [
        ("nb", {"without": None}, "without is None"),
        ("nb", {"without": np.zeros(2, np.int64)}, "without is not a number for each class"),
        ("nb", {"without": np.zeros(3, np.int32)}, "without is array"),
        ("nb", {"without": np.full(3, -1)}, "no number of documents"),
        ("nb", {"without": np.full(3, BIG)}, "no number of documents"),
        ("nb", {"folded": np.zeros(15, np.uint8)}, "folded is not 16 bytes"),
        ("nb", {"folded": np.zeros((2, 16), np.uint8)}, "folded is array"),
        ("nb", {"class_docs": SUMS["class_docs"] - 1}, "damaged|other numbers of documents"),
        ("nb", {"class_docs": SUMS["class_docs"][:2]}, "do not fit together"),
        ("nb", {"doc_freq": SUMS["doc_freq"][:-1]}, "do not fit together|terms"),
        ("nb", {"doc_freq": np.append(SUMS["doc_freq"], 0)}, "it is of 9 terms, and the model has 8"),
        ("nb", {"doc_freq": np.full(8, BIG)}, "do not fit together"),
        ("nb", {"cell_terms": SUMS["cell_terms"] + 1}, "do not fit together"),
        ("nb", {"cell_terms": np.full_like(SUMS["cell_terms"], BIG)}, "do not fit together"),
        ("nb", {"cell_starts": changed(SUMS["cell_starts"], 1, -1)}, "do not fit together"),
        ("nb", {"cell_starts": changed(SUMS["cell_starts"], -1, BIG)}, "do not fit together"),
        ("nb", {"cell_sums": SUMS["cell_sums"][:1]}, "damaged"),
        ("nb", {"cell_sums": changed(SUMS["cell_sums"], (0, 0), NAN)}, "do not fit together"),
        ("nb", {"sums": changed(SUMS["sums"], (0, 0), np.inf)}, "do not fit together"),
        ("nb", {"cell_doc_freq": None}, "damaged"),
        ("tcfp", {"vote_weights": None}, "an array is missing"),
        ("tcfp", {"vote_weights": VOTES["vote_weights"].astype(np.float32)}, "of another kind"),
        ("tcfp", {"vote_weights": VOTES["vote_weights"][:-1]}, "other shapes"),
        ("tcfp", {"vote_weights": changed(VOTES["vote_weights"], 0, NAN)}, "can't be"),
        ("tcfp", {"vote_weights": changed(VOTES["vote_weights"], 0, -1.0)}, "can't be"),
        ("tcfp", {"vote_weights": VOTES["vote_weights"][::-1].copy()}, "out of order"),
        ("tcfp", {"vote_starts": VOTES["vote_starts"][:0]}, "other shapes"),
        ("tcfp", {"vote_starts": VOTES["vote_starts"][:-1]}, "other shapes"),
        ("tcfp", {"vote_starts": changed(VOTES["vote_starts"], 1, BIG)}, "other shapes"),
        ("tcfp", {"vote_starts": np.append(VOTES["vote_starts"], VOTES["vote_starts"][-1])}, "it is of 9 terms"),
        ("tcfp", {"vote_classes": changed(VOTES["vote_classes"], 0, 3)}, "can't be"),
        ("tcfp", {"vote_classes": changed(VOTES["vote_classes"], 0, -2)}, "can't be"),
        ("tcfp", {"vote_classes": changed(VOTES["vote_classes"], 0, -1)}, "can't be"),
        ("tcfp", {"vote_counts": changed(VOTES["vote_counts"], 0, 0)}, "can't be"),
        ("tcfp", {"vote_counts": changed(VOTES["vote_counts"], 0, BIG)}, "can't be"),
        ("tcfp", {"class_docs": VOTES["class_docs"] + 1}, "other numbers of documents"),
        ("tcfp", {"class_docs": VOTES["class_docs"].reshape(1, -1)}, "other shapes"),
    ],
    ids=lambda value: ",".join(value) if isinstance(value, dict) else None,
)
def test_arrays_that_can_not_be(way: str, arrays: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=rf"^news\.sieve\.stats is not sound: .*({said})"):
        decode(forged(way, **arrays), TRAINED[way].model_, "news.sieve.stats")


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ({"way": "pickle"}, "way is 'pickle'"),
        ({"way": "votes"}, "an array is missing"),
        ({"several": 1}, "several is 1"),
        ({"n_documents": -1}, "n_documents is -1"),
        ({"n_documents": 1}, "do not fit together"),
        ({"n_documents": 1.5}, r"n_documents is 1\.5"),
        ({"n_documents": 1 << 80}, "n_documents is"),
        ({"n_unlabelled": 51}, "more documents have no label than there are"),
        ({"more": 1}, "its header has"),
    ],
    ids=str,
)
def test_headers_that_can_not_be(header: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=rf"^news\.sieve\.stats is not sound: .*{said}"):
        decode(forged("nb", header), TRAINED["nb"].model_, "news.sieve.stats")


def test_a_class_that_counts_too_often_is_of_no_document() -> None:
    """A document of m classes has an entry of 1 - m; one that takes all away is forged."""
    votes = {name: VOTES[name] for name in ("vote_starts", "vote_weights", "vote_classes", "vote_counts")}
    forged_votes = {
        "vote_starts": votes["vote_starts"] + np.append(0, np.ones(8, np.int64)),
        "vote_weights": np.insert(votes["vote_weights"], 0, votes["vote_weights"][0]),
        "vote_classes": np.insert(votes["vote_classes"], 0, -1),
        "vote_counts": np.insert(votes["vote_counts"], 0, -1000),
    }
    with pytest.raises(InputError, match="a weight is of no document"):
        decode(forged("tcfp", **forged_votes), TRAINED["tcfp"].model_, "news.sieve.stats")


@pytest.mark.parametrize(
    ("about", "said"),
    [
        ({"stats": "../../etc/passwd"}, "stats is"),
        ({"stats": 7}, "stats is 7"),
        ({"updated": {"documents": -1, "times": 1, "last": "x"}}, "updated is"),
        ({"updated": {"documents": 1, "times": 1}}, "updated is"),
        ({"updated": "yesterday"}, "updated is 'yesterday'"),
    ],
    ids=str,
)
def test_what_a_model_says_of_its_updates_is_checked(about: dict[str, Any], said: str) -> None:
    model = TRAINED["nb"].model_
    with pytest.raises(InputError, match=f"what it says about itself is not what textsieve writes: {said}"):
        encode_model(replace(model, about={**model.about, **about}))
