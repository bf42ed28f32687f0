"""A new model file replaces the old one while the service runs."""

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
from tests.serve.servers import (
    Server,
    model_id,
    n_predicted,
    n_waiting,
    reload_counts,
    replace_file,
    running_server,
    send,
)
from textsieve.errors import InputError
from textsieve.serve.served_model import ModelHolder


def wait_for_failures(server: Server, times: int) -> None:
    wait_for(lambda: reload_counts(server).get("failed", 0) == times or None, lambda: server.log)


def test_sighup_reloads_the_model(models: dict[str, Path], tmp_path: Path) -> None:
    model = tmp_path / "own.sieve"
    shutil.copy(models["single"], model)
    with running_server(model, tmp_path) as server:
        first = model_id(server)
        os.kill(server.pid, signal.SIGHUP)
        wait_for(lambda: reload_counts(server).get("same"), lambda: server.log)
        assert model_id(server) == first
        replace_file(model, models["numbers"].read_bytes())
        assert model_id(server) == first
        os.kill(server.pid, signal.SIGHUP)
        wait_for(lambda: model_id(server) != first or None, lambda: server.log)
        assert send(server, "/v1/predict", {"texts": ["a late goal"]}).json["predictions"][0]["label"] == 1
        assert "Loaded own.sieve (" in server.log


def test_an_unreadable_file_keeps_the_current_model(models: dict[str, Path], tmp_path: Path) -> None:
    model = tmp_path / "own.sieve"
    shutil.copy(models["single"], model)
    with running_server(model, tmp_path) as server:
        first = model_id(server)
        damaged = bytearray(models["numbers"].read_bytes())
        damaged[-10] ^= 1
        for number, data in enumerate((b"", b"no model", bytes(damaged)), start=1):
            replace_file(model, data)
            os.kill(server.pid, signal.SIGHUP)
            wait_for_failures(server, number)
            assert model_id(server) == first
        model.unlink()
        os.kill(server.pid, signal.SIGHUP)
        wait_for_failures(server, 4)
        assert send(server, "/v1/predict", {"texts": ["a late goal"]}).json["predictions"][0]["label"] == "sport"
        assert "Reload failed, the current model stays in use: " in server.log
        assert "its checksum differs" in server.log


@pytest.mark.slow
def test_reload_option_loads_a_changed_file(models: dict[str, Path], tmp_path: Path) -> None:
    model = tmp_path / "own.sieve"
    shutil.copy(models["single"], model)
    with running_server(model, tmp_path, "--reload") as server:
        first = model_id(server)
        replace_file(model, b"no model")
        wait_for(lambda: reload_counts(server).get("failed"), lambda: server.log)
        replace_file(model, models["votes"].read_bytes())
        wait_for(lambda: model_id(server) != first or None, lambda: server.log)
        assert reload_counts(server) == {"failed": 1.0, "loaded": 1.0}
        model.unlink()
        wait_for_failures(server, 2)
        assert "own.sieve" in server.log.splitlines()[-1]


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_service_with_exit_code_0(
    models: dict[str, Path], tmp_path: Path, number: signal.Signals
) -> None:
    with running_server(models["single"], tmp_path) as server:
        send(server, "/healthz")
        os.kill(server.pid, number)
        assert server.program.ended() == 0
        assert "GET /healthz 200" in server.log
        assert "Traceback" not in server.log
        times = r"(?m)^\d{4}-\d\d-\d\dT\S+Z "
        assert re.search(rf"{times}Started with single.sieve \(\w+\) at {server.url}, without a token$", server.log)
        assert re.search(rf"{times}{number.name}: ending, after the open requests\n.*Z Ended\n\Z", server.log)


@pytest.mark.slow
def test_a_service_finishes_open_requests_before_it_ends(models: dict[str, Path], tmp_path: Path) -> None:
    texts = ["wind goal bank rain " * 20_000] * 20
    with running_server(models["single"], tmp_path) as server, ThreadPoolExecutor(6) as threads:
        responses = [threads.submit(send, server, "/v1/predict", {"texts": texts}) for _ in range(6)]
        # A request that has not arrived completely may be cut off, so wait for all of them.
        wait_for(lambda: n_waiting(server) + n_predicted(server) == 6 or None, lambda: server.log)
        os.kill(server.pid, signal.SIGTERM)
        assert [response.result().status for response in responses] == [200] * 6
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


def test_a_model_that_changes_while_the_service_starts_is_loaded(models: dict[str, Path], tmp_path: Path) -> None:
    model = tmp_path / "own.sieve"
    shutil.copy(models["single"], model)
    script = START.replace("NEW_MODEL", repr(str(models["numbers"])))
    command = [sys.executable, "-c", script, "serve", str(model), "--port", "0"]
    program = Program(command, os.environ, tmp_path / "serve.log")
    try:
        server = Server(program.says(r"(http://\S+/)"), program)
        wait_for(lambda: reload_counts(server).get("loaded"), lambda: server.log)
        assert send(server, "/v1/predict", {"texts": ["a late goal"]}).json["predictions"][0]["label"] == 1
    finally:
        program.stop()


@pytest.mark.slow
def test_many_signals_cause_few_reloads(models: dict[str, Path], tmp_path: Path) -> None:
    with running_server(models["single"], tmp_path) as server:
        for _ in range(500):
            os.kill(server.pid, signal.SIGHUP)
        wait_for(lambda: reload_counts(server).get("same"), lambda: server.log)
        assert send(server, "/v1/predict", {"texts": ["a late goal"]}).status == 200
        assert reload_counts(server)["same"] < 250


@pytest.mark.slow
def test_sighup_does_not_interrupt_the_shutdown(models: dict[str, Path], tmp_path: Path) -> None:
    texts = ["wind goal bank rain " * 20_000] * 5
    with running_server(models["single"], tmp_path) as server, ThreadPoolExecutor(1) as threads:
        response = threads.submit(send, server, "/v1/predict", {"texts": texts})
        wait_for(lambda: n_waiting(server) or None, lambda: server.log)
        os.kill(server.pid, signal.SIGTERM)
        while not response.done():
            os.kill(server.pid, signal.SIGHUP)
            time.sleep(0.001)  # otherwise, the service would only handle signals
        for _ in range(1000):
            with suppress(ProcessLookupError):
                os.kill(server.pid, signal.SIGHUP)
        assert response.result().status == 200
        assert server.program.ended() == 0
        assert "Traceback" not in server.log


def test_the_holder_detects_changes_of_the_file(models: dict[str, Path], tmp_path: Path) -> None:
    model = tmp_path / "own.sieve"
    shutil.copy(models["single"], model)
    holder = ModelHolder(str(model), lambda *_: None)
    first = weakref.ref(holder.model)
    assert not holder.has_changed
    replace_file(model, models["numbers"].read_bytes())
    assert holder.has_changed
    assert holder.reload()
    assert not holder.has_changed
    assert first() is None  # the old model is freed at once
    model.unlink()
    assert holder.has_changed
    with pytest.raises(InputError):
        holder.reload()
    assert not holder.has_changed
    replace_file(model, b"no model")
    assert holder.has_changed
    with pytest.raises(InputError, match="is not"):
        holder.reload()
    assert not holder.has_changed
    assert holder.model.model.classes == (1, 2, 3)


@pytest.mark.slow
def test_without_an_access_log_failures_are_still_logged(models: dict[str, Path], tmp_path: Path) -> None:
    model = tmp_path / "own.sieve"
    shutil.copy(models["single"], model)
    with running_server(model, tmp_path, "--no-access-log") as server:
        send(server, "/healthz")
        replace_file(model, b"no model")
        os.kill(server.pid, signal.SIGHUP)
        wait_for_failures(server, 1)
        assert "Reload failed, the current model stays in use: " in server.log
        assert "/healthz" not in server.log
