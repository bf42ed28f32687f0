"""A new model file takes the place of the old one while the service runs."""

from __future__ import annotations

import os
import re
import shutil
import signal
import sys
import time
import weakref
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from tests.processes import Program, wait_for
from tests.serve.servers import Server, ask, started_server
from textsieve.errors import InputError
from textsieve.serve.served_model import ModelHolder


def served(server: Server) -> str:
    return str(ask(server, "/v1/model").json["id"])


def outcomes(server: Server) -> dict[str, float]:
    lines = ask(server, "/metrics").body.decode().splitlines()
    return {
        line.split('"')[1]: float(line.split()[-1]) for line in lines if line.startswith("textsieve_reloads_total{")
    }


def wait_until_failed(server: Server, times: int) -> None:
    wait_for(lambda: outcomes(server).get("failed", 0) == times or None, lambda: server.log)


def replaced(path: Path, data: bytes) -> None:
    """As a program does that leaves no half file."""
    other = path.with_suffix(".part")
    other.write_bytes(data)
    os.replace(other, path)


def test_a_signal_has_the_file_read_again(models: dict[str, Path], tmp_path: Path) -> None:
    model = tmp_path / "own.sieve"
    shutil.copy(models["one"], model)
    with started_server(model, tmp_path) as server:
        first = served(server)
        os.kill(server.pid, signal.SIGHUP)
        wait_for(lambda: outcomes(server).get("same"), lambda: server.log)
        assert served(server) == first
        replaced(model, models["numbers"].read_bytes())
        assert served(server) == first
        os.kill(server.pid, signal.SIGHUP)
        wait_for(lambda: served(server) != first or None, lambda: server.log)
        assert ask(server, "/v1/predict", {"texts": ["a late goal"]}).json["predictions"][0]["label"] == 1
        assert "Loaded own.sieve (" in server.log


def test_a_file_that_cannot_be_read_changes_nothing(models: dict[str, Path], tmp_path: Path) -> None:
    model = tmp_path / "own.sieve"
    shutil.copy(models["one"], model)
    with started_server(model, tmp_path) as server:
        first = served(server)
        damaged = bytearray(models["numbers"].read_bytes())
        damaged[-10] ^= 1
        for number, data in enumerate((b"", b"no model", bytes(damaged)), start=1):
            replaced(model, data)
            os.kill(server.pid, signal.SIGHUP)
            wait_until_failed(server, number)
            assert served(server) == first
        model.unlink()
        os.kill(server.pid, signal.SIGHUP)
        wait_until_failed(server, 4)
        assert ask(server, "/v1/predict", {"texts": ["a late goal"]}).json["predictions"][0]["label"] == "sport"
        assert "Reload failed, the current model stays in use: " in server.log
        assert "its checksum differs" in server.log


@pytest.mark.slow
def test_a_file_that_is_watched(models: dict[str, Path], tmp_path: Path) -> None:
    model = tmp_path / "own.sieve"
    shutil.copy(models["one"], model)
    with started_server(model, tmp_path, "--reload") as server:
        first = served(server)
        replaced(model, b"no model")
        wait_for(lambda: outcomes(server).get("failed"), lambda: server.log)
        replaced(model, models["votes"].read_bytes())
        wait_for(lambda: served(server) != first or None, lambda: server.log)
        assert outcomes(server) == {"failed": 1.0, "loaded": 1.0}


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_service_ends_in_an_orderly_way(models: dict[str, Path], tmp_path: Path, number: signal.Signals) -> None:
    with started_server(models["one"], tmp_path) as server:
        ask(server, "/healthz")
        os.kill(server.pid, number)
        assert server.program.ended() == 0
        assert "GET /healthz 200" in server.log
        assert "Traceback" not in server.log


@pytest.mark.slow
def test_a_service_waits_for_what_it_answers(models: dict[str, Path], tmp_path: Path) -> None:
    texts = ["wind goal bank rain " * 20_000] * 20
    with started_server(models["one"], tmp_path) as server, ThreadPoolExecutor(6) as threads:
        asked = [threads.submit(ask, server, "/v1/predict", {"texts": texts}) for _ in range(6)]
        wait_for(lambda: waiting(server) or None, lambda: server.log)
        os.kill(server.pid, signal.SIGTERM)
        assert [each.result().status for each in asked] == [200] * 6
        assert server.program.ended() == 0


START = """
import os, shutil, signal, sys
import textsieve.serve.server as server
from textsieve.cli import main
open_listener = server.open_listener
def replace_model(*address):
    shutil.copyfile(NEW_MODEL, sys.argv[2] + ".part")
    os.replace(sys.argv[2] + ".part", sys.argv[2])
    os.kill(os.getpid(), signal.SIGHUP)
    return open_listener(*address)
server.open_listener = replace_model
main()
"""
"""Program that starts a service. Once the model is read, it replaces the model file and sends SIGHUP."""


def test_a_signal_while_the_service_starts_reloads_the_model(models: dict[str, Path], tmp_path: Path) -> None:
    model = tmp_path / "own.sieve"
    shutil.copy(models["one"], model)
    script = START.replace("NEW_MODEL", repr(str(models["numbers"])))
    command = [sys.executable, "-c", script, "serve", str(model), "--port", "0"]
    program = Program(command, os.environ, tmp_path / "serve.log")
    try:
        server = Server(program.says(r"(http://\S+/)"), program)
        wait_for(lambda: outcomes(server).get("loaded"), lambda: server.log)
        assert ask(server, "/v1/predict", {"texts": ["a late goal"]}).json["predictions"][0]["label"] == 1
    finally:
        program.stop()


@pytest.mark.slow
def test_many_signals_at_once_ask_once_or_twice(models: dict[str, Path], tmp_path: Path) -> None:
    with started_server(models["one"], tmp_path) as server:
        for _ in range(500):
            os.kill(server.pid, signal.SIGHUP)
        wait_for(lambda: outcomes(server).get("same"), lambda: server.log)
        assert ask(server, "/v1/predict", {"texts": ["a late goal"]}).status == 200
        assert outcomes(server)["same"] < 250


@pytest.mark.slow
def test_a_service_that_ends_is_not_cut_short_by_another_signal(models: dict[str, Path], tmp_path: Path) -> None:
    texts = ["wind goal bank rain " * 20_000] * 5
    with started_server(models["one"], tmp_path) as server, ThreadPoolExecutor(1) as threads:
        asked = threads.submit(ask, server, "/v1/predict", {"texts": texts})
        wait_for(lambda: waiting(server) or None, lambda: server.log)
        os.kill(server.pid, signal.SIGTERM)
        while not asked.done():
            os.kill(server.pid, signal.SIGHUP)
            time.sleep(0.001)  # or the service would do nothing but take signals
        for _ in range(1000):
            with suppress(ProcessLookupError):
                os.kill(server.pid, signal.SIGHUP)
        assert asked.result().status == 200
        assert server.program.ended() == 0
        assert "Traceback" not in server.log


def waiting(server: Server) -> float:
    (found,) = re.findall(r"^textsieve_requests_waiting (\S+)$", ask(server, "/metrics").body.decode(), re.M)
    return float(found)


def test_what_a_service_has_read_is_not_read_again(models: dict[str, Path], tmp_path: Path) -> None:
    model = tmp_path / "own.sieve"
    shutil.copy(models["one"], model)
    current = ModelHolder(str(model), lambda *_: None)
    first = weakref.ref(current.model)
    assert not current.has_changed
    replaced(model, models["numbers"].read_bytes())
    assert current.has_changed
    assert current.reload()
    assert not current.has_changed
    assert first() is None  # and the old one is gone at once
    model.unlink()
    assert not current.has_changed
    replaced(model, b"no model")
    assert current.has_changed
    with pytest.raises(InputError, match="is not"):
        current.reload()
    assert not current.has_changed
    assert current.model.model.classes == (1, 2, 3)


@pytest.mark.slow
def test_without_a_line_for_each_request_what_goes_wrong_is_said(models: dict[str, Path], tmp_path: Path) -> None:
    model = tmp_path / "own.sieve"
    shutil.copy(models["one"], model)
    with started_server(model, tmp_path, "--no-access-log") as server:
        ask(server, "/healthz")
        replaced(model, b"no model")
        os.kill(server.pid, signal.SIGHUP)
        wait_until_failed(server, 1)
        assert "Reload failed, the current model stays in use: " in server.log
        assert "/healthz" not in server.log
