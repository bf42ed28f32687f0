"""A process that is killed while it writes a model and its statistics leaves the old file or the new one, whole."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.reference.statistics_cases import CASE, CLASSIFIERS, MORE, TRAINED, trained, written
from tests.reference.updating_twin import learned_by

from textsieve import Categorizer, load
from textsieve.cli.program import program

STEPS = ["fsync", "replace"]


class Killed(BaseException):
    """Stands for the end of the process."""


def killed_at(step: str, model: Categorizer, path: Path) -> None:
    """Save a model, and stop at the given function of `os`."""

    def killed(*_: Any, **__: Any) -> Any:
        raise Killed

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, step, killed)
        with pytest.raises(Killed):
            model.save(path)


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_an_update_that_is_stopped_changes_nothing_and_the_next_one_works(
    classifier: str, step: str, tmp_path: Path
) -> None:
    path = written(tmp_path, classifier)
    before = path.read_bytes()
    killed_at(step, load(path).update(CASE.texts[50:60], CASE.labels[50:60]), path)
    assert path.read_bytes() == before
    load(path).update(*MORE).save(path)
    assert learned_by(load(path).model_) == learned_by(trained(classifier).update(*MORE).model_)
    assert os.listdir(tmp_path) == ["news.sieve"]


def test_a_first_model_that_is_stopped_leaves_no_file(tmp_path: Path) -> None:
    killed_at("replace", TRAINED["nb"], tmp_path / "news.sieve")
    assert os.listdir(tmp_path) == []
    load(written(tmp_path)).update(*MORE)


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
def test_the_update_after_a_killed_one_leaves_only_the_model(tmp_path: Path) -> None:
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
    assert suffixes == {"sieve", "lock", "part"}  # every kind of leftover is among them
    original = (source / "news.sieve").read_bytes()
    expected = learned_by(load(folder / "finished" / "news.sieve").model_)
    for own in killed:
        stored = load(own / "news.sieve")
        assert (own / "news.sieve").read_bytes() == original or learned_by(stored.model_) == expected  # old or new
        result = CliRunner().invoke(program, ["update", str(own / "news.sieve"), str(corrections), "--jobs", "1"])
        assert result.exit_code == 0, result.output
        assert os.listdir(own) == ["news.sieve"], own.name
        assert learned_by(load(own / "news.sieve").model_) == expected
