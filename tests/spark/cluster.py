"""Start a Spark cluster on this machine: a master, workers and a Connect server, each a real process.

The pip package has no scripts that start a master or a worker, but the program that these scripts call. All processes
listen on 127.0.0.1 only. They choose free ports, and write them to their logs. A worker has one core and room for one
executor; so two workers are the smallest cluster on which work is distributed and can be lost.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from tests.processes import Process, Program, command_of, descendants, wait_for

HERE = "127.0.0.1"
ROOT = Path(__file__).parents[2]
QUICK = (
    "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC "
    "-XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
)
"""Options of all Java processes. They are short-lived, so that optimizing compilation, parallel garbage collection and
verifying the bytecode of Spark's own classes cost more than they gain.
"""
CONF = {
    "spark.driver.host": HERE,
    "spark.driver.bindAddress": HERE,
    "spark.driver.memory": "512m",
    "spark.executor.memory": "512m",
    "spark.driver.extraJavaOptions": QUICK,
    "spark.executor.extraJavaOptions": QUICK,
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "4",
    "spark.default.parallelism": "4",
    "spark.connect.grpc.binding.address": HERE,
    "spark.connect.grpc.binding.port": "0",
}
"""Settings of all sessions."""


def missing() -> str | None:
    """Return why Spark cannot run on this machine, or None if it can."""
    if shutil.which("java") is None:
        return "there is no java on this machine (Debian's package openjdk-17-jre-headless)"
    return None


def environment() -> dict[str, str]:
    """Return the environment of all Spark processes: only this machine, this Python, and a path to import the tests."""
    given = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    path = os.pathsep.join([str(ROOT), *map(os.path.abspath, given)])  # executors have folders of their own
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith(("SPARK_", "PYSPARK_"))},
        "SPARK_LOCAL_IP": HERE,
        "SPARK_PUBLIC_DNS": HERE,
        "SPARK_DAEMON_MEMORY": "512m",  # less is too little for the Connect server
        "SPARK_DAEMON_JAVA_OPTS": QUICK,
        "SPARK_LAUNCHER_OPTS": QUICK,
        "SPARK_MASTER_OPTS": "-Dspark.master.rest.enabled=false",  # it would listen on a port of its own
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
        "PYTHONPATH": path,
    }


class Cluster:
    """A master and its workers; their logs and files are in the given folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._started = 0
        self.workers: list[Program] = []
        self._killed: list[Program] = []
        self.master = self._daemon("master.Master", "--host", HERE, "--port", "0", "--webui-port", "0")

    @property
    def url(self) -> str:
        """Return the URL of the master."""
        return self.master.says(r"Starting Spark master at (spark://\S+)")

    def add_worker(self) -> Program:
        """Start a worker with one core."""
        self._started += 1
        files = ["--work-dir", str(self._folder / f"worker{self._started}")]
        about = ["--host", HERE, "--port", "0", "--webui-port", "0", "--cores", "1", "--memory", "1g"]
        worker = self._daemon("worker.Worker", *about, *files, self.url)
        self.workers.append(worker)
        return worker

    def kill_worker(self, worker: Program) -> None:
        """Kill a worker; its executor ends when it notices."""
        worker.kill()
        self.workers.remove(worker)
        self._killed.append(worker)

    def wait_for_workers(self) -> None:
        """Wait until all workers are registered with the master."""
        for worker in self.workers:
            worker.says(r"(Successfully registered with master)")

    def executors(self) -> dict[int, Process]:
        """Return the executors by the process number of their workers."""
        return {
            worker.pid: process
            for worker in self.workers
            for process in descendants(worker.pid)
            if any(word.endswith("CoarseGrainedExecutorBackend") for word in command_of(process))
        }

    def wait_for_executors(self, number: int = 2) -> dict[int, Process]:
        """Return the executors as soon as there are `number`."""

        def enough() -> dict[int, Process] | None:
            executors = self.executors()
            return executors if len(executors) >= number else None

        return wait_for(enough, lambda: f"{number} executors; there are {self.executors()}")

    def stop(self) -> None:
        """Stop the workers, and then the master, so that no worker looks for its master."""
        for program in (*self._killed, *self.workers, self.master):
            program.stop()

    def _daemon(self, name: str, *arguments: str) -> Program:
        log = self._folder / f"{name}{self._started}.log"
        return Program([script("spark-class"), f"org.apache.spark.deploy.{name}", *arguments], environment(), log)


@contextmanager
def started_cluster(folder: Path, workers: int = 2) -> Iterator[Cluster]:
    """Start a cluster, and stop it at the end."""
    cluster = Cluster(folder)
    try:
        for _ in range(workers):
            cluster.add_worker()
        cluster.wait_for_workers()
        yield cluster
    finally:
        cluster.stop()


@contextmanager
def started_connect(folder: Path) -> Iterator[str]:
    """Start a Connect server on this machine's cores, yield its address, and stop it at the end.

    It is started by the command in docs/how-to/spark.md; only settings are added.
    """
    variable, command, first, *words = shlex.split(connect_command())
    options = [word for name, value in CONF.items() for word in ("--conf", f"{name}={value}")]
    name, _, value = variable.partition("=")
    run = [script(command), "--master", "local[2]", *options, first, *words]
    program = Program(run, {**environment(), name: value}, folder / "connect.log")
    try:
        port = program.says(r"Spark Connect server started at: \S*?:(\d+)")
        yield f"sc://{HERE}:{port}"
    finally:
        program.stop()


def connect_command() -> str:
    """Return the command in docs/how-to/spark.md that starts a Connect server."""
    page = (ROOT / "docs" / "how-to" / "spark.md").read_text(encoding="utf-8")
    (command,) = re.findall(r"^\$ (.*SparkConnectServer.*)$", page, re.MULTILINE)
    return str(command)


@cache
def script(name: str) -> str:
    """Return the path of a program of the pip package."""
    import pyspark

    return str(Path(pyspark.__file__).parent / "bin" / name)
