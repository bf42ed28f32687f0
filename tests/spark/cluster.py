"""A Spark cluster of this machine's own: a master, workers and a Connect server, each a real process.

The pip package has no scripts that start a master or a worker, but the program that they call. All of it is on
127.0.0.1 alone. The ports are free ones that the processes choose themselves and write to their logs. A worker has one
core and room for one executor, so two of them are the smallest cluster on which something can be shared out or lost.
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
"""Options of every Java process here: all are short-lived, so that optimizing compilation, parallel garbage collection
and verifying the bytecode of Spark's own classes cost more than they gain.
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
"""Of every session here, whatever it runs on."""


def missing() -> str | None:
    """What is not installed of what Spark needs."""
    if shutil.which("java") is None:
        return "there is no java on this machine (Debian's package openjdk-17-jre-headless)"
    return None


def environment() -> dict[str, str]:
    """Of every process of Spark's: this machine alone, this Python, and these tests to be found by it."""
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
    """A master and its workers, as long as the `with` lasts; their logs and files are in a folder of the caller's."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._started = 0
        self.workers: list[Program] = []
        self._killed: list[Program] = []
        self.master = self._daemon("master.Master", "--host", HERE, "--port", "0", "--webui-port", "0")

    @property
    def url(self) -> str:
        """What a driver calls the master."""
        return self.master.says(r"Starting Spark master at (spark://\S+)")

    def add_worker(self) -> Program:
        """Start a worker of one core."""
        self._started += 1
        files = ["--work-dir", str(self._folder / f"worker{self._started}")]
        about = ["--host", HERE, "--port", "0", "--webui-port", "0", "--cores", "1", "--memory", "1g"]
        worker = self._daemon("worker.Worker", *about, *files, self.url)
        self.workers.append(worker)
        return worker

    def kill_worker(self, worker: Program) -> None:
        """End a worker at once; its executor ends when it misses it."""
        worker.kill()
        self.workers.remove(worker)
        self._killed.append(worker)

    def wait_for_workers(self) -> None:
        """Until the master knows all of them."""
        for worker in self.workers:
            worker.says(r"(Successfully registered with master)")

    def executors(self) -> dict[int, Process]:
        """The executor of each worker that has one, by the worker's process."""
        return {
            worker.pid: process
            for worker in self.workers
            for process in descendants(worker.pid)
            if any(word.endswith("CoarseGrainedExecutorBackend") for word in command_of(process))
        }

    def wait_for_executors(self, number: int = 2) -> dict[int, Process]:
        """The same, once there are as many."""

        def enough() -> dict[int, Process] | None:
            found = self.executors()
            return found if len(found) >= number else None

        return wait_for(enough, lambda: f"{number} executors; there are {self.executors()}")

    def stop(self) -> None:
        """Workers first, so that they do not look for their master."""
        for program in (*self._killed, *self.workers, self.master):
            program.stop()

    def _daemon(self, name: str, *arguments: str) -> Program:
        log = self._folder / f"{name}{self._started}.log"
        return Program([script("spark-class"), f"org.apache.spark.deploy.{name}", *arguments], environment(), log)


@contextmanager
def started_cluster(folder: Path, workers: int = 2) -> Iterator[Cluster]:
    """A cluster that is gone at the end."""
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
    """Start a Connect server on this machine's cores, and yield its address; it is gone at the end.

    It is started by the command in docs/spark.md; only settings are added.
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
    """Return the command in docs/spark.md that starts a Connect server."""
    page = (ROOT / "docs" / "spark.md").read_text(encoding="utf-8")
    (command,) = re.findall(r"^.*SparkConnectServer.*$", page, re.MULTILINE)
    return str(command)


@cache
def script(name: str) -> str:
    """A program of the pip package."""
    import pyspark

    return str(Path(pyspark.__file__).parent / "bin" / name)
