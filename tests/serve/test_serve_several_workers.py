"""A service with several worker processes: one address, one set of metrics, and signals that reach all workers."""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.processes import Process, Program, descendants, wait_for
from tests.serve.servers import (
    Server,
    metric,
    model_id,
    n_predicted,
    n_waiting,
    reload_counts,
    replace_file,
    running_server,
    send,
)
from textsieve.cli.program import program as command_line
from textsieve.serve.metrics import Metrics, open_metrics
from textsieve.serve.service import Service
from textsieve.serve.supervisor import Supervisor

DOCUMENTS = 'textsieve_documents_total{path="/v1/predict"}'
LONG_REQUEST = {"texts": ["wind goal bank rain " * 20_000] * 20}
"""A request that takes a second or more."""


def workers_of(server: Server) -> set[Process]:
    """Return the worker processes of a service, once there are two."""

    def two_workers() -> set[Process] | None:
        workers = descendants(server.pid)
        return workers if len(workers) == 2 else None

    return wait_for(two_workers, lambda: f"two workers: {server.log}")


def is_stopped(process: Process) -> bool:
    return Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"


@contextmanager
def only(worker: Process, server: Server) -> Iterator[None]:
    """Stop all other workers for a while, so that this one answers all requests on new connections."""
    others = workers_of(server) - {worker}
    for other in others:
        os.kill(other.pid, signal.SIGSTOP)
    wait_for(lambda: all(map(is_stopped, others)) or None, lambda: f"{others} to stop")
    try:
        yield
    finally:
        for other in others:
            os.kill(other.pid, signal.SIGCONT)


def predict(server: Server) -> int:
    return send(server, "/v1/predict", {"texts": ["a late goal"]}).status


def model_ids(server: Server) -> Counter[str]:
    """Return the ids of the models that the workers use, with the number of workers."""
    ids: Counter[str] = Counter()
    for worker in workers_of(server):
        with only(worker, server):
            ids[model_id(server)] += 1
    return ids


def wait_until_gone(processes: set[Process], server: Server) -> None:
    wait_for(lambda: not any(process.is_there for process in processes) or None, lambda: server.log)


def is_refused(server: Server) -> bool:
    """Return whether no process accepts connections at the address of the service."""
    try:
        socket.create_connection(("127.0.0.1", server.port), timeout=10).close()
    except ConnectionRefusedError:
        return True
    except ConnectionResetError:
        return False
    return False


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("several-workers")


@pytest.fixture(scope="module")
def server(models: dict[str, Path], folder: Path) -> Iterator[Server]:
    """Return a service with two workers and a feedback file, which the tests of this file share."""
    shutil.copy(models["single"], folder / "own.sieve")
    options = ("--workers", "2", "--feedback", str(folder / "corrections.jsonl"))
    with running_server(folder / "own.sieve", folder, *options) as server:
        yield server


# -- requests --------------------------------------------------------------------------------------------------------


def test_each_worker_answers_requests_at_the_one_address(server: Server) -> None:
    for worker in workers_of(server):
        with only(worker, server):
            assert predict(server) == 200
            assert send(server, "/healthz").json == {"status": "ok"}
            assert b"<title>" in send(server, "/").body
    assert server.log.count("Serving own.sieve (") == 1


def n_sockets(process: Process) -> int:
    """Return the number of open sockets of a process."""
    targets = [os.readlink(file) for file in Path(f"/proc/{process.pid}/fd").iterdir()]
    return sum(target.startswith("socket:") for target in targets)


def test_each_worker_gets_about_as_many_connections(server: Server) -> None:
    n_before = {worker: n_sockets(worker) for worker in workers_of(server)}
    with ExitStack() as stack:
        for _ in range(100):
            stack.enter_context(socket.create_connection(("127.0.0.1", server.port)))

        def connections() -> list[int] | None:
            numbers = [n_sockets(worker) - n for worker, n in n_before.items()]
            # Connections of other tests may be closed only after they were counted in `n_before`.
            return numbers if sum(numbers) >= 90 else None

        assert min(wait_for(connections, lambda: server.log)) >= 30


def test_one_worker_is_the_process_itself(models: dict[str, Path], tmp_path: Path) -> None:
    with running_server(models["single"], tmp_path, "--workers", "1") as server:
        assert predict(server) == 200
        assert descendants(server.pid) == set()


def test_the_parent_has_a_single_thread_because_it_forks(server: Server) -> None:
    assert len(os.listdir(f"/proc/{server.pid}/task")) == 1


def test_every_worker_shows_the_totals_of_all_workers(server: Server) -> None:
    before = n_predicted(server), metric(server, DOCUMENTS)
    workers = workers_of(server)
    for worker in workers:
        with only(worker, server):
            assert [predict(server) for _ in range(3)] == [200] * 3
    for worker in workers:
        with only(worker, server):
            assert n_predicted(server) == before[0] + 6
            assert metric(server, DOCUMENTS) == before[1] + 6


def test_metrics_show_requests_that_wait_in_another_worker(server: Server) -> None:
    first, second = workers_of(server)
    with ThreadPoolExecutor(1) as threads:
        with only(first, server):
            response = threads.submit(send, server, "/v1/predict", LONG_REQUEST)
            wait_for(lambda: n_waiting(server) or None, lambda: server.log)
        with only(second, server):
            assert n_waiting(server) == 1
        assert response.result().status == 200


def test_corrections_of_many_clients_are_whole_lines(server: Server, folder: Path) -> None:
    def correct(number: int) -> int:
        correction = {"text": f"goal {number} " + "x" * 1000, "label": "money"}
        return send(server, "/v1/feedback", correction).status

    with ThreadPoolExecutor(16) as threads:
        assert [*threads.map(correct, range(100))] == [201] * 100
    lines = (folder / "corrections.jsonl").read_text().splitlines()
    assert sorted(int(json.loads(line)["text"].split()[1]) for line in lines) == list(range(100))
    assert metric(server, "textsieve_corrections_total") == 100


def test_log_lines_of_workers_do_not_mix(server: Server) -> None:
    n_before = server.log.count(" GET /healthz 200 ")
    with ThreadPoolExecutor(16) as threads:
        for response in threads.map(lambda _: send(server, "/healthz"), range(200)):
            assert response.status == 200
    wait_for(lambda: server.log.count(" GET /healthz 200 ") == n_before + 200 or None, lambda: server.log)
    assert all(line.startswith(("20", "Serving ", "note: ", "warning: ")) for line in server.log.splitlines())


# -- reloads and replaced workers ------------------------------------------------------------------------------------


def test_sighup_reloads_the_model_in_all_workers(server: Server, models: dict[str, Path], folder: Path) -> None:
    first = model_id(server)
    n_loaded = reload_counts(server).get("loaded", 0)
    replace_file(folder / "own.sieve", models["numbers"].read_bytes())
    assert model_ids(server) == {first: 2}
    os.kill(server.pid, signal.SIGHUP)
    wait_for(lambda: reload_counts(server).get("loaded", 0) == n_loaded + 2 or None, lambda: server.log)
    ids = model_ids(server)
    assert [*ids.values()] == [2]
    assert first not in ids


def test_a_killed_worker_is_replaced_and_loses_no_request_of_others(
    server: Server, models: dict[str, Path], folder: Path
) -> None:
    replace_file(folder / "own.sieve", models["votes"].read_bytes())
    os.kill(server.pid, signal.SIGHUP)
    wait_for(lambda: len(model_ids(server)) == 1 or None, lambda: server.log)
    current, n_before = model_id(server), n_predicted(server)
    cpu_before = metric(server, "process_cpu_seconds_total")
    replace_file(folder / "own.sieve", models["single"].read_bytes())  # not in use before the next SIGHUP
    killed, other = workers_of(server)
    with ThreadPoolExecutor(9) as threads:
        os.kill(killed.pid, signal.SIGSTOP)  # from now on, it accepts no connection
        wait_for(lambda: is_stopped(killed) or None, lambda: f"{killed} to stop")
        long_response = threads.submit(send, server, "/v1/predict", LONG_REQUEST)
        wait_for(lambda: n_waiting(server) or None, lambda: server.log)
        responses = [threads.submit(predict, server) for _ in range(20)]
        killed.kill()
        responses += [threads.submit(predict, server) for _ in range(20)]
        assert [response.result() for response in responses] == [200] * 40
        assert long_response.result().status == 200
    assert f"Worker process {killed.pid} ended unexpectedly (SIGKILL)." in server.log
    assert re.search(r"Worker process \d+ replaces one that ended\.", server.log)
    assert metric(server, "textsieve_workers_replaced_total") >= 1
    assert other in workers_of(server)
    assert model_ids(server) == {current: 2}
    assert n_predicted(server) == n_before + 41  # the total has the requests of the killed worker, too
    assert metric(server, "process_cpu_seconds_total") > cpu_before


@pytest.mark.slow
def test_reload_option_loads_a_changed_file_in_all_workers(models: dict[str, Path], tmp_path: Path) -> None:
    model = tmp_path / "own.sieve"
    shutil.copy(models["single"], model)
    with running_server(model, tmp_path, "--reload", "--workers", "2") as server:
        first = model_id(server)
        replace_file(model, b"no model")
        wait_for(lambda: reload_counts(server).get("failed") == 2 or None, lambda: server.log)
        replace_file(model, models["votes"].read_bytes())
        wait_for(lambda: reload_counts(server).get("loaded") == 2 or None, lambda: server.log)
        assert first not in model_ids(server)


START = """
import os
import textsieve.serve.supervisor as supervisor
from textsieve.cli import main
supervisor.run = lambda *_, **__: os._exit(3)
main()
"""
"""Program that starts a service whose workers end at once."""


def test_workers_that_end_again_and_again_end_the_service_with_an_error(
    models: dict[str, Path], tmp_path: Path
) -> None:
    command = [sys.executable, "-c", START, "serve", str(models["single"]), "--port", "0", "--workers", "2"]
    program = Program(command, {**os.environ, "TMPDIR": str(tmp_path)}, tmp_path / "serve.log")
    try:
        assert program.ended() == 1
    finally:
        program.stop()
    log = program.log.read_text()
    assert log.count("ended unexpectedly (exit code 3).") == 5
    assert "error: 5 worker processes ended within 5 seconds of their start" in log
    assert [path.name for path in tmp_path.iterdir()] == ["serve.log"]


# -- the end ---------------------------------------------------------------------------------------------------------


@contextmanager
def two_workers(model: Path, folder: Path) -> Iterator[tuple[Server, Path]]:
    """Start a service with two workers; yield it and its folder for temporary files."""
    temporary = folder / "temporary"
    temporary.mkdir()
    with running_server(model, folder, "--workers", "2", env={"TMPDIR": str(temporary)}) as server:
        yield server, temporary


def test_sigterm_finishes_open_requests_and_leaves_nothing(models: dict[str, Path], tmp_path: Path) -> None:
    with two_workers(models["single"], tmp_path) as (server, temporary), ThreadPoolExecutor(6) as threads:
        workers = workers_of(server)
        assert len([*temporary.iterdir()]) == 1
        responses = [threads.submit(send, server, "/v1/predict", LONG_REQUEST) for _ in range(6)]
        # A request that has not arrived completely may be cut off, so wait for all of them.
        wait_for(lambda: n_waiting(server) + n_predicted(server) == 6 or None, lambda: server.log)
        os.kill(server.pid, signal.SIGTERM)
        assert [response.result().status for response in responses] == [200] * 6
        assert server.program.ended() == 0
        assert not any(worker.is_there for worker in workers)
        assert [*temporary.iterdir()] == []
        assert "unexpectedly" not in server.log
        assert "Traceback" not in server.log


@pytest.mark.slow
def test_a_second_ctrl_c_ends_the_service_at_once(models: dict[str, Path], tmp_path: Path) -> None:
    head = "POST /v1/predict HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 1000"
    with ExitStack() as stack:
        server = stack.enter_context(
            running_server(models["single"], tmp_path, "--workers", "2", "--timeout", "100000")
        )
        workers = workers_of(server)
        client = stack.enter_context(socket.create_connection(("127.0.0.1", server.port)))
        client.sendall(f"{head}\r\nExpect: 100-continue\r\n\r\n".encode())
        assert client.recv(100).startswith(b"HTTP/1.1 100 ")  # now the request is open, and its body never comes
        os.killpg(server.pid, signal.SIGINT)  # as a terminal does
        wait_for(lambda: is_refused(server) or None, lambda: server.log)
        assert any(worker.is_there for worker in workers)
        os.killpg(server.pid, signal.SIGINT)
        assert server.program.ended() == 0
        assert not any(worker.is_there for worker in workers)
        assert "Traceback" not in server.log


def test_a_killed_parent_leaves_no_process(models: dict[str, Path], tmp_path: Path) -> None:
    with two_workers(models["single"], tmp_path) as (server, temporary), ThreadPoolExecutor(1) as threads:
        workers = workers_of(server)
        response = threads.submit(send, server, "/v1/predict", LONG_REQUEST)
        wait_for(lambda: n_waiting(server) or None, lambda: server.log)
        server.program.kill()
        assert response.result().status == 200
        wait_until_gone(workers, server)
        assert [*temporary.iterdir()] == []


def test_the_first_request_is_finished_although_the_other_worker_has_ended(
    models: dict[str, Path], tmp_path: Path
) -> None:
    with two_workers(models["single"], tmp_path) as (server, temporary), ThreadPoolExecutor(1) as threads:
        workers = workers_of(server)
        long_text = {"texts": ["wind goal bank rain " * 45_000]}
        response = threads.submit(send, server, "/v1/predict", long_text)  # nothing was counted in a file before
        time.sleep(0.3)  # until a worker has accepted the connection; /metrics would count in a file
        server.program.kill()
        assert response.result().status == 200
        wait_until_gone(workers, server)
        assert [*temporary.iterdir()] == []


def test_an_address_that_nobody_reads_does_not_end_the_service(models: dict[str, Path], tmp_path: Path) -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    command = [sys.executable, "-m", "textsieve", "serve", str(models["single"]), "--port", "0", "--workers", "2"]
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(command, stdout=write_end, stderr=log)
    os.close(write_end)
    try:
        wait_for(lambda: len(descendants(process.pid)) == 2 or None, lambda: (tmp_path / "log").read_text())
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
    finally:
        process.kill()
        process.wait()


# -- parts -----------------------------------------------------------------------------------------------------------


def test_a_worker_is_started_again_when_there_is_room(models: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    lines: list[str] = []
    with open_metrics(2) as metrics, socket.socket() as listener:
        service = Service(str(models["single"]), metrics=metrics)
        monkeypatch.setattr(service, "log", lines.append)
        supervisor = Supervisor(service, listener, run_server=lambda **_: None)
        supervisor._missing = [1]
        started: list[int] = []

        def start(number: int) -> None:
            started.append(number)
            if len(started) == 1:
                raise OSError(errno.EAGAIN, "Resource temporarily unavailable")

        monkeypatch.setattr(supervisor, "_start_worker", start)
        supervisor._start_missing_workers()
        assert lines == ["No worker process can be started: Resource temporarily unavailable."]
        supervisor._start_missing_workers()
        supervisor._start_missing_workers()
        supervisor.close()
    assert started == [1, 1]


def test_metrics_after_those_of_several_workers_are_in_memory() -> None:
    with open_metrics(2) as metrics:
        metrics.use_worker(1)
        folder = Path(os.environ["PROMETHEUS_MULTIPROC_DIR"])
        metrics.count_correction()
        metrics.remove_files()
        assert {path.name for path in folder.iterdir()} == {
            *("counter_0.db", "histogram_0.db", "counter_2.db", "histogram_2.db")
        }
        metrics.use_worker(2)
        metrics.remove_files()
        assert not folder.exists()
    assert "PROMETHEUS_MULTIPROC_DIR" not in os.environ
    later = Metrics()
    later.count_correction()
    assert b"textsieve_corrections_total 1.0" in later.text("model", "id", 0)


# -- usage -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", ["0", "-1", "two", "1.5"])
def test_the_number_of_workers_must_be_at_least_1(models: dict[str, Path], value: str) -> None:
    result = CliRunner().invoke(command_line, ["serve", str(models["single"]), "--workers", value])
    assert result.exit_code == 2
    assert "--workers" in result.stderr


def test_several_workers_need_a_system_that_can_fork(models: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "fork")
    result = CliRunner().invoke(command_line, ["serve", str(models["single"]), "--workers", "2"])
    assert result.exit_code == 2
    assert "this system can't run more than one worker" in result.stderr
