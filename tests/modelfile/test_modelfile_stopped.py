"""Statistics and a model are two files: whoever is stopped in between leaves a pair that fits."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from tests.reference.statistics_cases import CASE, MORE, TRAINED, WAYS, trained, written
from tests.reference.updating_twin import learned_by

from textsieve import Categorizer, load
from textsieve.modelfile import statsfile

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
    path = written(tmp_path, way)
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
    load(written(tmp_path)).update(*MORE)
    assert sorted(os.listdir(tmp_path)) == ["news.sieve", "news.sieve.stats"]
