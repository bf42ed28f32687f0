"""Corrections are appended to a file as complete lines, which are on the disk before the response."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import re
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from tests.serve.model_kinds import LABELS, TEXTS
from tests.serve.servers import running_server, send
from textsieve import Categorizer, load
from textsieve.cli.opening import FEEDBACK_KEYS
from textsieve.corpus import read
from textsieve.errors import InputError
from textsieve.modelfile import write
from textsieve.modelfile.sources import PATH, TrainingSource, with_sources
from textsieve.serve.feedback import Feedback
from textsieve.serve.workers import Abandoned


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_correction_becomes_a_line_of_the_file(models: dict[str, Path], tmp_path: Path) -> None:
    file = tmp_path / "corrections.jsonl"
    with running_server(models["single"], tmp_path, "--feedback", str(file)) as server:
        card = send(server, "/v1/model").json
        assert card["feedback"] is True
        text = 'a late "goal"\nand 😀 <script>'
        response = send(server, "/v1/feedback", {"text": text, "label": "money"})
        assert (response.status, response.json) == (201, {"written": True})
        (line,) = lines(file)
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00", line.pop("time"))
        assert line == {"text": text, "label": "money", "predicted": "sport", "model": card["id"]}
        assert send(server, "/v1/feedback", {"text": " \n", "label": "sport"}).status == 422
        wrong_corrections: list[dict[str, Any]] = [
            *({"label": "spam"}, {}, {"labels": []}, {"labels": ["sport"]}),
            *({"label": None, "labels": []}, {"label": "sport", "labels": []}),
        ]
        for wrong in wrong_corrections:
            assert send(server, "/v1/feedback", {"text": "a late goal", **wrong}).status == 422
        assert len(lines(file)) == 1
        assert "goal" not in server.log
    assert file.stat().st_mode & 0o777 == 0o600
    assert load(models["single"]).predict([text]) == ["sport"]


def test_a_correction_may_be_none_of_the_classes(models: dict[str, Path], tmp_path: Path) -> None:
    file = tmp_path / "corrections.jsonl"
    with running_server(models["single"], tmp_path, "--feedback", str(file)) as server:
        assert send(server, "/v1/feedback", {"text": "a late goal", "label": None}).status == 201
        assert send(server, "/v1/feedback", {"text": "a bank", "label": "money"}).status == 201
        problem = send(server, "/v1/feedback", {"text": "a late goal"}).json["error"]["message"]
        assert "or null if none of the classes is right" in problem, "a forgotten label is an error"
    none, money = lines(file)
    assert (none["label"], none["predicted"], money["label"]) == (None, "sport", "money")
    assert [labels for batch in read(file).batches() for labels in batch.labels] == [(), ("money",)]


@pytest.mark.parametrize("kind", ["single", "multilabel"])
def test_corrections_can_be_withdrawn(kind: str, models: dict[str, Path], tmp_path: Path) -> None:
    file = tmp_path / "corrections.jsonl"
    field, right = ("label", "money") if kind == "single" else ("labels", ["money"])
    with running_server(models[kind], tmp_path, "--feedback", str(file)) as server:
        assert send(server, "/v1/feedback", {"text": "a late goal", field: right}).status == 201
        response = send(server, "/v1/feedback", {"text": "a late goal", "withdraw": True})
        assert (response.status, response.json) == (201, {"written": True})
        for wrong in ({field: right}, {field: None}):
            response = send(server, "/v1/feedback", {"text": "a late goal", "withdraw": True, **wrong})
            assert response.status == 422
            assert "without a label" in response.json["error"]["message"]
        assert "textsieve_corrections_total 1.0" in send(server, "/metrics").body.decode(), "it is no correction"
    correction, withdrawal = lines(file)
    assert (correction[field], "withdrawn" in correction) == (right, False)
    assert (withdrawal["text"], withdrawal[field], withdrawal["withdrawn"]) == ("a late goal", None, True)
    assert withdrawal.keys() in FEEDBACK_KEYS
    assert correction.keys() in FEEDBACK_KEYS


def test_corrections_of_a_multilabel_model_have_a_list_of_labels(models: dict[str, Path], tmp_path: Path) -> None:
    file = tmp_path / "corrections.jsonl"
    with running_server(models["multilabel"], tmp_path, "--feedback", str(file)) as server:
        right: list[list[str]] = [["money", "home"], []]
        for labels in right:
            assert send(server, "/v1/feedback", {"text": "a late goal", "labels": labels}).status == 201
        assert send(server, "/v1/feedback", {"text": "a late goal", "label": "money"}).status == 422
        assert send(server, "/v1/feedback", {"text": "a late goal", "labels": ["spam"]}).status == 422
    assert [line["labels"] for line in lines(file)] == right


def test_the_service_says_at_the_start_how_corrections_are_used(models: dict[str, Path], tmp_path: Path) -> None:
    categorizer = Categorizer(classifier="nb", keep_stats=True, n_jobs=1).fit(TEXTS, LABELS)
    categorizer.save(tmp_path / "add.sieve")
    source = TrainingSource(PATH, "private/news.csv", 18)
    write(with_sources(load(models["single"]).model_, [source]), tmp_path / "retrain.sieve")
    expected = {
        tmp_path / "add.sieve": ("add", "note: The next textsieve update adds corrections to the model."),
        tmp_path / "retrain.sieve": ("retrain", "note: The next textsieve update retrains the model from its sources"),
        models["single"]: (None, "warning: textsieve update can't add corrections to this model: it does not know"),
    }
    for path, (method, message) in expected.items():
        with running_server(path, tmp_path, "--feedback", str(tmp_path / "corrections.jsonl")) as server:
            assert message in server.log
            response = send(server, "/v1/model")
            assert response.json["update"]["method"] == method
            assert message.partition(": ")[2] in response.json["update"]["description"]
            assert b"private" not in response.body, "paths are not shown to clients"
    with running_server(models["single"], tmp_path) as server:
        assert "textsieve update" not in server.log


@pytest.mark.slow
def test_concurrent_corrections_are_all_written_and_can_be_trained_on(models: dict[str, Path], tmp_path: Path) -> None:
    file = tmp_path / "corrections.jsonl"
    texts = [f"{word} number {number}" for number in range(40) for word in ("goal", "bank", "rain")]
    labels = {"goal": "sport", "bank": "money", "rain": "weather"}
    with (
        running_server(models["single"], tmp_path, "--feedback", str(file)) as server,
        ThreadPoolExecutor(20) as threads,
    ):

        def correct(text: str) -> int:
            return send(server, "/v1/feedback", {"text": text, "label": labels[text.split()[0]]}).status

        assert set(threads.map(correct, texts)) == {201}
    assert sorted(line["text"] for line in lines(file)) == sorted(texts)
    trained = Categorizer(classifier="nb").fit(read(file))
    assert trained.predict(["goal"]) == ["sport"]


def test_only_an_unfinished_line_is_lost(tmp_path: Path) -> None:
    file = tmp_path / "corrections.jsonl"
    file.write_bytes(b'{"text": "whole"}\n{"text": "cut o')
    Feedback(str(file)).write({"text": "next"})
    complete, cut, following = file.read_text().splitlines()
    assert (json.loads(complete)["text"], cut, json.loads(following)["text"]) == ("whole", '{"text": "cut o', "next")


def test_a_line_is_on_the_disk_before_the_response(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "corrections.jsonl"
    synced: list[str] = []
    feedback = Feedback(str(file))
    monkeypatch.setattr(os, "fsync", lambda _: synced.append(file.read_text()))
    feedback.write({"text": "one"})
    assert [json.loads(line)["text"] for line in synced] == ["one", "one"]  # the line, and the name of the new file
    feedback.write({"text": "two"})
    assert len(synced) == 3


def test_a_full_disk_leaves_the_file_unchanged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "corrections.jsonl"
    feedback = Feedback(str(file))
    feedback.write({"text": "whole"})
    before = file.read_bytes()
    write = os.write
    monkeypatch.setattr(os, "write", lambda file, line: write(file, line[: len(line) // 2]))
    with pytest.raises(OSError, match="is the disk full"):
        feedback.write({"text": "one"})
    assert file.read_bytes() == before


OTHER_SERVICE = """
import sys
from textsieve.serve.feedback import Feedback

feedback = Feedback(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
feedback.write({"text": "of another service"})
print("written", flush=True)
"""


def test_a_service_with_a_full_disk_keeps_the_lines_of_other_services(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "corrections.jsonl"
    feedback = Feedback(str(file))
    feedback.write({"text": "before"})
    command = [sys.executable, "-c", OTHER_SERVICE, str(file)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as other:
        assert other.stdin is not None
        assert other.stdout is not None
        assert other.stdout.readline() == b"ready\n"
        write, output = os.write, other.stdout

        def write_half(descriptor: int, line: bytes) -> int:
            written = write(descriptor, line[: len(line) // 2])
            assert other.stdin is not None
            other.stdin.write(b"\n")
            select.select([output], [], [], 1.0)  # the other writes now, unless it waits for its turn
            return written

        with monkeypatch.context() as patch:
            patch.setattr(os, "write", write_half)
            with pytest.raises(OSError, match="is the disk full"):
                feedback.write({"text": "too long" * 100})
        assert other.stdout.readline() == b"written\n"
    assert [line["text"] for line in lines(file)] == ["before", "of another service"]


@contextmanager
def locked(file: Path) -> Iterator[None]:
    """Hold the lock of a file, as another process does."""
    with file.open("a") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        yield


def test_a_correction_fails_if_the_file_stays_locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("textsieve.serve.feedback.LOCK_SECONDS", 0.05)
    file = tmp_path / "corrections.jsonl"
    feedback = Feedback(str(file))
    with locked(file), pytest.raises(OSError, match="another process holds its lock"):
        feedback.write({"text": "one"})
    assert file.read_bytes() == b""
    feedback.write({"text": "two"})
    assert [line["text"] for line in lines(file)] == ["two"]


def test_an_abandoned_correction_does_not_wait_for_the_lock(tmp_path: Path) -> None:
    file = tmp_path / "corrections.jsonl"
    feedback = Feedback(str(file))
    with locked(file), pytest.raises(Abandoned):
        feedback.write({"text": "one"}, lambda: False)
    assert file.read_bytes() == b""


def test_corrections_are_written_on_file_systems_without_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fcntl, "flock", Mock(side_effect=OSError(errno.ENOLCK, "no locks")))
    file = tmp_path / "corrections.jsonl"
    Feedback(str(file)).write({"text": "one"})
    assert [line["text"] for line in lines(file)] == ["one"]


@pytest.mark.slow
def test_a_service_with_a_locked_feedback_file_still_ends(models: dict[str, Path], tmp_path: Path) -> None:
    file = tmp_path / "corrections.jsonl"
    with (
        running_server(models["single"], tmp_path, "--feedback", str(file), "--timeout", "1") as server,
        locked(file),
    ):
        response = send(server, "/v1/feedback", {"text": "a late goal", "label": "money"})
        assert (response.status, response.code) == (503, "timeout")
        os.kill(server.pid, signal.SIGTERM)
        assert server.program.ended() == 0
    assert file.read_bytes() == b""


def test_feedback_to_a_folder_or_a_missing_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a folder"):
        Feedback(str(tmp_path))
    with pytest.raises(InputError, match="no folder"):
        Feedback(str(tmp_path / "no" / "file.jsonl"))


def test_threads_do_not_mix_their_lines(tmp_path: Path) -> None:
    feedback = Feedback(str(tmp_path / "corrections.jsonl"))
    threads = [threading.Thread(target=feedback.write, args=({"text": str(number) * 10_000},)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    response = [line["text"] for line in lines(tmp_path / "corrections.jsonl")]
    assert sorted(response) == sorted(str(number) * 10_000 for number in range(20))
