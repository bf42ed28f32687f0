"""Statistics and a model are two files: whoever is stopped in between leaves a pair that fits."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.reference.statistics_cases import CASE, MORE, TRAINED, WAYS, trained, written
from tests.reference.updating_twin import learned_by

from textsieve import Categorizer, load
from textsieve.cli.program import program
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


KILLED_AT_EACH_STEP = """
import os, shutil, signal, sys
from pathlib import Path
from click.testing import CliRunner
from textsieve.cli.program import program

source, corrections, folder = map(Path, sys.argv[1:])

def copied(name):
    shutil.copytree(source, folder / name)
    return str(folder / name / "news.sieve")

def update(path):
    CliRunner().invoke(program, ["update", path, str(corrections), "--jobs", "1"], catch_exceptions=False)

def update_killed_at(step, path):
    \"\"\"Be killed at one of the calls that change files or wait for the disk.\"\"\"
    calls = 0
    def counting(call):
        def counted(*given, **named):
            nonlocal calls
            if calls == step:
                os.kill(os.getpid(), signal.SIGKILL)
            calls += 1
            return call(*given, **named)
        return counted
    for name in ("fsync", "replace", "unlink"):
        setattr(os, name, counting(getattr(os, name)))
    update(path)

update(copied("finished"))  # and now all modules are loaded
step, was_killed = 0, True
while was_killed:
    path = copied(f"step {step}")
    child = os.fork()
    if not child:
        update_killed_at(step, path)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    was_killed = os.WIFSIGNALED(status)
    step += 1
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs SIGKILL and file locks")
def test_the_update_after_a_killed_one_leaves_only_the_model_and_its_statistics(tmp_path: Path) -> None:
    source, folder = tmp_path / "source", tmp_path / "killed"
    source.mkdir()
    folder.mkdir()
    written(source)
    corrections = tmp_path / "more.jsonl"
    lines = [json.dumps({"text": text, "label": label}) for text, label in zip(*MORE, strict=True)]
    corrections.write_text("\n".join(lines) + "\n", encoding="utf-8")
    command = [sys.executable, "-c", KILLED_AT_EACH_STEP, str(source), str(corrections), str(folder)]
    subprocess.run(command, check=True, timeout=300)

    killed = sorted(folder.glob("step *"))
    suffixes = {path.name.split(".")[-1] for own in killed for path in own.iterdir()}
    assert suffixes == {"sieve", "stats", "new", "lock", "part"}  # every kind of leftover is among them
    expected = learned_by(load(folder / "finished" / "news.sieve").model_)
    for own in killed:
        result = CliRunner().invoke(program, ["update", str(own / "news.sieve"), str(corrections), "--jobs", "1"])
        assert result.exit_code == 0, result.output
        assert sorted(os.listdir(own)) == ["news.sieve", "news.sieve.stats"], own.name
        assert learned_by(load(own / "news.sieve").model_) == expected
