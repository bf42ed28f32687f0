"""The file of statistics of all terms: whole, next to its model, and of this model, or refused."""

from __future__ import annotations

import os
import stat
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.reference.categorizer_cases import plain_categorizer, small_texts

from textsieve import Categorizer, InputError, files, load
from textsieve.archive import Arrays, Header, archive_in, pack
from textsieve.modelfile import writing
from textsieve.modelfile.reading import read_stored
from textsieve.modelfile.statistics import FILE_KIND, encode_full, read_statistics
from textsieve.modelfile.writing import locked
from textsieve.training.full_statistics import FullStatistics

CASE = small_texts(n=30)
START = datetime(2026, 1, 1, tzinfo=UTC)


def trained(**settings: Any) -> Categorizer:
    model = plain_categorizer(classifier="nb", keep_stats="all", n_terms=6, n_jobs=1, **settings)
    return model.fit(CASE.texts, CASE.labels, when=START)


MODEL = trained()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A model with its statistics."""
    MODEL.save(tmp_path / "news.sieve")
    return tmp_path / "news.sieve"


def beside(path: Path, end: str = ".stats") -> Path:
    return path.with_name(path.name + end)


def test_the_statistics_that_are_read_are_those_that_were_written(path: Path) -> None:
    assert sorted(os.listdir(path.parent)) == ["news.sieve", "news.sieve.stats"]
    model, file = read_stored(path)
    assert file.has_statistics
    assert file.has_statistics_file
    statistics = read_statistics(model, file)
    assert isinstance(statistics, FullStatistics)
    assert encode_full(statistics) == beside(path).read_bytes() == encode_full(MODEL._statistics_)  # type: ignore[arg-type]
    assert statistics.when == START


def test_a_model_saved_and_loaded_between_updates_learns_the_same(path: Path) -> None:
    in_memory = trained()
    for label, texts in (("zoo", ["lion cage"] * 3), ("cook", ["salt\\n oven", "naïve rice"])):
        when = datetime(2026, 2, 1, tzinfo=UTC)
        in_memory.update(texts, [label] * len(texts), half_life="50docs", when=when)
        load(path).update(texts, [label] * len(texts), half_life="50docs", when=when).save(path)
    loaded = load(path)
    assert loaded.terms_ == in_memory.terms_
    assert loaded.coef_.tobytes() == in_memory.coef_.tobytes()
    assert isinstance(in_memory._statistics_, FullStatistics)
    assert beside(path).read_bytes() == encode_full(in_memory._statistics_)


def test_windows_own_stop_words_and_odd_terms_are_stored(tmp_path: Path) -> None:
    path = tmp_path / "news.sieve"
    odd = ["back\\slash \\n", "two\\\\n \ud800x", "line\nfeed"]
    model = trained(stop_words=["the", "said"], token_pattern=r"[^ ]+").update(odd, CASE.labels[:3], window=3)
    model.save(path)
    again = load(path)
    assert again._kept_statistics().stop_words == ("said", "the")  # type: ignore[union-attr]
    more = model.update(["the said oven"], ["cook"], window=3)
    again.update(["the said oven"], ["cook"], window=3)
    assert again.terms_ == more.terms_
    assert again.coef_.tobytes() == more.coef_.tobytes()


def test_the_model_file_has_no_word_but_the_selected_terms(path: Path) -> None:
    words = {word.lower() for text in CASE.texts for word in text.split()} - set(MODEL.terms_)
    data, table = path.read_bytes(), beside(path).read_bytes()
    rare = [word for word in words if len(word) > 4]
    assert rare
    assert not [word for word in rare if word.encode() in data]
    assert all(word.encode() in table for word in rare)


def test_a_model_without_its_statistics_predicts_and_names_the_missing_file(path: Path) -> None:
    beside(path).unlink()
    model = load(path)
    assert model.predict(["sail oar deck"]).tolist() == ["boat"]
    assert model.hashes_of_updates() == []
    with pytest.raises(
        InputError, match=r"news\.sieve\.stats: this file is missing, and an update of the model needs it"
    ):
        model.update(["salt"], ["cook"])
    with pytest.warns(UserWarning, match="saved without them"):
        model.save(path)
    assert not load(path)._file_.has_statistics  # type: ignore[union-attr]


def test_statistics_of_another_model_raise(path: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.sieve"
    trained().update(["lion"], ["zoo"]).save(other)
    os.replace(beside(other), beside(path))
    with pytest.raises(InputError, match=r"these statistics do not belong to .*news\.sieve.* copy both files again"):
        load(path).update(["salt"], ["cook"])


def test_any_changed_byte_or_missing_end_raises(path: Path) -> None:
    whole = beside(path).read_bytes()
    for position in range(0, len(whole), 97):
        damaged = bytearray(whole)
        damaged[position] ^= 0x10
        beside(path).write_bytes(damaged)
        with pytest.raises(InputError, match=r"news\.sieve\.stats"):
            load(path).update(["salt"], ["cook"])
    for size in (0, 5, len(whole) // 2, len(whole) - 1):
        beside(path).write_bytes(whole[:size])
        with pytest.raises(InputError, match=r"news\.sieve\.stats"):
            load(path).update(["salt"], ["cook"])
    beside(path).write_bytes(whole)
    load(path).update(["salt"], ["cook"])


CHANGES: list[tuple[str, Any]] = [
    ("the header has", lambda header, arrays: header.pop("when")),
    ("the time of the last update is 'soon'", lambda header, arrays: header.update(when="soon")),
    ("the stop words are 5", lambda header, arrays: header.update(stop_words=5)),
    (r"the parts are \[\]", lambda header, arrays: header.update(parts=[])),
    ("a part is 5", lambda header, arrays: header.update(parts=[5])),
    ("the classes are", lambda header, arrays: header["parts"][0].update(classes=["b", "a"])),
    ("numbers of documents", lambda header, arrays: header["parts"][0].update(n_documents={"labelled": "x"})),
    ("numbers of documents", lambda header, arrays: header["parts"][0].update(n_documents={"other": 3})),
    ("the digests are not sound", lambda header, arrays: arrays.update(document_digests=np.zeros(3, np.uint8))),
    ("terms of a part are missing", lambda header, arrays: arrays.pop("0.terms")),
    ("other arrays", lambda header, arrays: arrays.update(extra=np.zeros(3))),
    ("is damaged", lambda header, arrays: arrays.update({"0.labelled.class_docs": np.zeros(9, np.int64)})),
    ("is damaged", lambda header, arrays: arrays.update({"0.labelled.class_docs": np.full(3, 99)})),
    ("not UTF-8", lambda header, arrays: arrays.update({"0.terms": np.full(9, 255, np.uint8)})),
    ("no end", lambda header, arrays: arrays.update({"0.terms": arrays["0.terms"][:-1]})),
    ("not sorted", lambda header, arrays: arrays.update({"0.terms": arrays["0.terms"][5:]})),
    ("of other classes", lambda header, arrays: header["parts"][0].update(classes=["a", "b", "c"])),
]


@pytest.mark.parametrize(("message", "change"), CHANGES)
def test_unsound_statistics_with_right_checksums_raise(path: Path, message: str, change: Any, monkeypatch: Any) -> None:
    archive = archive_in(FILE_KIND, beside(path).read_bytes(), "statistics")
    header: Header = {key: archive.header[key] for key in ("when", "stop_words", "parts")}
    arrays: Arrays = dict(archive.read())
    change(header, arrays)
    data = pack(FILE_KIND, header, arrays)
    monkeypatch.setattr("textsieve.modelfile.statistics.encode_full", lambda _: data)
    MODEL.save(path)  # with the digest of the changed statistics
    monkeypatch.undo()
    with pytest.raises(InputError, match=rf"news\.sieve\.stats: the statistics are not sound: .*{message}"):
        load(path).update(["salt"], ["cook"])


# -- writing both files --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_steps", [0, 1, 2])
def test_a_process_killed_between_the_two_files_leaves_a_whole_pair(
    path: Path, n_steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed after n of three steps: new statistics written, model replaced, statistics renamed."""
    old_terms, steps = MODEL.terms_, iter(range(3))
    updated = load(path).update(["lion cage zebra"] * 9, ["zoo"] * 9)

    class Killed(BaseException):
        pass

    def killed_after(function: Any) -> Any:
        def call(*args: Any, **settings: Any) -> Any:
            if next(steps) == n_steps:
                raise Killed
            return function(*args, **settings)

        return call

    monkeypatch.setattr(writing, "replacing", killed_after(files.replacing))
    monkeypatch.setattr(writing, "_publish_statistics", killed_after(writing._publish_statistics))
    with pytest.raises(Killed):
        updated.save(path)
    monkeypatch.undo()
    after = load(path)
    assert after.terms_ == (updated.terms_ if n_steps == 2 else old_terms)
    after.update(["salt"], ["cook"]).save(path)
    assert sorted(os.listdir(path.parent)) == ["news.sieve", "news.sieve.stats"]
    load(path).update(["salt"], ["cook"])


@pytest.mark.parametrize("n_steps", [0, 1])
def test_a_second_update_that_is_killed_keeps_the_statistics_of_the_first(
    path: Path, n_steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first is killed before it renames its statistics, and the second before or after it writes its own."""
    load(path).update(["lion cage"] * 9, ["zoo"] * 9).save(path)
    os.replace(beside(path), beside(path, ".stats.new"))
    MODEL.save(path.with_name("old.sieve"))
    os.replace(beside(path.with_name("old.sieve")), beside(path))
    steps = iter(range(2))

    class Killed(BaseException):
        pass

    def replacing(*args: Any, **settings: Any) -> Any:
        if next(steps) == n_steps:
            raise Killed
        return files.replacing(*args, **settings)

    second = load(path).update(["salt"], ["cook"])
    monkeypatch.setattr(writing, "replacing", replacing)
    with pytest.raises(Killed):
        second.save(path)
    monkeypatch.undo()
    after = load(path)
    assert "zoo" in after.classes_
    after.update(["salt"], ["cook"]).save(path)
    assert load(path).coef_.tobytes() == second.coef_.tobytes()


def test_the_new_file_has_the_permissions_of_the_old_one(path: Path) -> None:
    beside(path).chmod(0o600)
    load(path).update(["salt"], ["cook"]).save(path)
    assert stat.S_IMODE(beside(path).stat().st_mode) == 0o600


def test_a_folder_in_place_of_the_statistics_raises_and_changes_nothing(path: Path) -> None:
    updated, before = load(path).update(["salt"], ["cook"]), path.read_bytes()
    beside(path).unlink()
    beside(path).mkdir()
    with pytest.raises(InputError, match=r"news\.sieve\.stats: this is a folder"):
        updated.save(path)
    assert path.read_bytes() == before


def test_a_locked_model_is_not_written(path: Path) -> None:
    updated, before = load(path).update(["salt"], ["cook"]), (path.read_bytes(), beside(path).read_bytes())
    with locked(str(path)), pytest.raises(InputError, match="being written or updated by another process"):
        updated.save(path)
    assert (path.read_bytes(), beside(path).read_bytes()) == before


def test_a_copy_without_statistics_needs_no_file(path: Path, tmp_path: Path) -> None:
    small = tmp_path / "small.sieve"
    load(path).save(small, keep_stats=False)
    assert not beside(small).exists()
    with pytest.raises(InputError, match="has no statistics that documents could be added to"):
        load(small).update(["salt"], ["cook"])


def test_links_to_a_model_share_its_statistics(path: Path) -> None:
    link = path.with_name("link.sieve")
    link.symlink_to(path.name)
    load(link).update(["lion"], ["zoo"]).save(link)
    assert "zoo" in load(path).update(["salt"], ["cook"]).classes_
    assert not beside(link).exists()
