"""Start a Spark session for one run of the command line, and report its problems in one sentence.

The session uses the given master. If none is given, it uses that of the environment (`SPARK_REMOTE`, the files in
`SPARK_CONF_DIR`), or else the cores of this machine. The session is stopped when the run ends, also by an error. If a
session exists already, it is used instead, and not stopped.

- A wrong master URL, a master that does not answer, and a missing Java are detected before Java is started. Spark
  itself would try for minutes to reach the master, and report a missing Java in pages of text.
- An error of Spark is shortened to the one line of its Java and Python traces that says what is wrong (`summarize`).
- Of Spark's log, only errors are shown, and the warning that it gets no machines to run on (`log4j2.properties`),
  unless users have logging settings of their own.
- For a Connect server, `task_bar` shows the progress of a job; for other masters, Spark shows such a bar itself.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

from py4j.protocol import Py4JError, Py4JNetworkError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from ..errors import InputError, MissingPackage, Setting
from .tasks import reraise_own_errors

if TYPE_CHECKING:
    from pyspark.sql.connect.shell.progress import ProgressHandler, StageInfo


# -- master URLs -------------------------------------------------------------------------------------------------

CONNECT = "sc://"
CONNECT_TIMEOUT = 20.0
"""Seconds to wait for a master to answer; one that was just started needs some."""

_DEFAULT_PORTS = {"spark": 7077, "sc": 15002}
_MASTERS = re.compile(r"local($|\[|-cluster)|yarn|(spark|k8s|sc)://")
_ADDRESS = re.compile(r"(?:\[(?P<six>[^\]]+)\]|(?P<host>[^:/;\[\]]+))(?::(?P<port>\d+))?")


def uses_connect(master: str | None) -> bool:
    """Return whether the session would use Spark Connect, which needs no Java on this machine."""
    return master_url(master).startswith(CONNECT)


def master_url(master: str | None) -> str:
    """Return the given master, or else the Connect server in the variable `SPARK_REMOTE`, or else an empty text."""
    return master or os.environ.get("SPARK_REMOTE", "")


def addresses(master: str) -> list[tuple[str, int]]:
    """Return the hosts and ports of a Spark master or Connect server, or an empty list for other kinds of masters.

    A Spark master may have several addresses: `spark://one:7077,two:7077`. Parameters may follow the address of a
    Connect server: `sc://host:15002/;token=...`.
    """
    kind, separator, rest = master.partition("://")
    if not separator or kind not in _DEFAULT_PORTS:
        return []
    default_port = _DEFAULT_PORTS[kind]
    hosts = rest.split(",") if kind == "spark" else [re.split(r"[/;]", rest)[0]]
    matches = [_ADDRESS.fullmatch(host) for host in hosts]
    if not all(matches):
        raise InputError((Setting("master", master), " is no address"), hint=f"write {kind}://HOST:{default_port}")
    return [(match["six"] or match["host"], int(match["port"] or default_port)) for match in matches if match]


def require_master(master: str | None) -> None:
    """Raise `InputError` for an unknown kind of master; Spark would only say that its Java process has ended."""
    if master and not _MASTERS.match(master):
        cluster_url = f"spark://{master}" if ":" in master and "/" not in master else "spark://HOST:7077"
        raise InputError(
            (Setting("master", master), " is not the URL of a master"),
            hint=f"write {cluster_url} for a cluster, sc://HOST:15002 for a Connect server, yarn, k8s://..., or "
            "local[2] for two cores of this machine",
        )


def require_listening(master: str | None, timeout: float = CONNECT_TIMEOUT) -> None:
    """Raise `InputError` if no server listens at the master's address; of several addresses, one is enough.

    A server that has just been started gets `timeout` seconds. Masters without an address, such as `yarn`, pass.
    """
    endpoints, deadline = addresses(master_url(master)), time.monotonic() + timeout
    problems = _connection_errors(endpoints, timeout)
    while len(problems) == len(endpoints) > 0 and time.monotonic() < deadline:
        time.sleep(0.2)
        problems = _connection_errors(endpoints, timeout)
    if problems and len(problems) == len(endpoints):
        raise InputError(
            (Setting("master", master_url(master)), f" does not answer ({'; '.join(problems)})"),
            hint="Start it, correct the address, or leave it out to use this machine's cores",
        )


def _connection_errors(endpoints: list[tuple[str, int]], timeout: float) -> list[str]:
    """Return a text for each address that does not accept a connection: the address and the reason."""
    problems = []
    for host, port in endpoints:
        try:
            socket.create_connection((host, port), timeout).close()
        except OSError as problem:
            problems.append(f"{host}:{port}: {problem.strerror or problem}")
    return problems


def require_java() -> None:
    """Raise `MissingPackage` if there is no Java where Spark would look for it."""
    home = os.environ.get("JAVA_HOME")
    if shutil.which(os.path.join(home, "bin", "java") if home else "java") is None:
        reason = f"JAVA_HOME is {home}, and has none" if home else "there is none on this machine"
        raise MissingPackage(
            f"Spark needs Java 17 or later, and {reason}",
            hint="Install it (Debian: apt install openjdk-17-jre-headless), or use a Connect server, which has its "
            "own: sc://HOST:15002.",
        )


# -- errors of Spark ---------------------------------------------------------------------------------------------

_PYTHON_ERROR = re.compile(r"^((?:\w+\.)*\w*(?:Error|Exception|Interrupt|Exit)\b.*)$", re.MULTILINE)
_SPARK_ERROR = re.compile(r"\[[A-Z][A-Z0-9_]+(?:\.[A-Z0-9_]+)*\] .*")  # a line with a Spark error class
_JAVA_CAUSE = re.compile(r"^(?:Caused by)?: (?:[\w$]+\.)*[\w$]+: (.+)$", re.MULTILINE)  # the message after its class
_CODES = re.compile(r"^\s*(?:\[USER_RAISED_EXCEPTION\]\s*)?|\s*SQLSTATE: \w+\s*$")
_ADVICE = (
    ("No module named 'textsieve'", "Install textsieve[spark] for the Python of the workers, PYSPARK_PYTHON."),
    ("No module named", "Install it for the Python of the workers, PYSPARK_PYTHON."),
    ("PYTHON_VERSION_MISMATCH", "Name the same Python for driver and workers with PYSPARK_PYTHON."),
    ("JAVA_GATEWAY_EXITED", "The lines above say why; check that java -version is 17 or later, and check --conf."),
    ("MALFORMED_RECORD", "A line of a file is broken; training on each file without --engine spark names the line."),
    ("java.lang.OutOfMemoryError", "Give it more memory: spark.driver.memory, spark.executor.memory."),
    ("maxResultSize", "Raise spark.driver.maxResultSize."),
    ("ClassNotFoundException: Class org.apache.hadoop.fs.s3a", "Have Spark load it: spark.jars.packages."),
)
"""Text in an error message, and the advice for it; the first text that a message contains counts."""


def summarize(message: str) -> str:
    """Return the most informative line of an error message, followed by advice if `_ADVICE` has some.

    This line is the error of the last Python traceback, or else the first line with a Spark error class, or else the
    last Java cause, or else the first line. Error codes at its ends are removed (`_CODES`).
    """
    _, traceback, last_trace = message.rpartition("Traceback (most recent call last):")
    if traceback and (python_error := _PYTHON_ERROR.search(last_trace)):
        line = python_error[0]
    elif spark_error := _SPARK_ERROR.search(message):
        line = spark_error[0]
    elif java_causes := _JAVA_CAUSE.findall(message):
        line = java_causes[-1]
    else:
        line = message.strip().partition("\n")[0]
    reason = _CODES.sub("", line).rstrip(".")
    advice = next((advice for part, advice in _ADVICE if part in message), None)
    return f"{reason}." if advice is None else f"{reason}. {advice}"


@contextmanager
def summarize_errors() -> Iterator[None]:
    """Raise exceptions of Spark as an `InputError` of one sentence; exceptions of textsieve are not changed."""
    try:
        with reraise_own_errors():
            yield
    except Py4JNetworkError as problem:
        hint = "Did it run out of memory? Raise spark.driver.memory."
        raise InputError("Spark: its Java process has ended", hint=hint) from problem
    except (PySparkException, Py4JError) as problem:
        raise InputError(f"Spark: {summarize(str(problem))}") from problem


# -- progress ----------------------------------------------------------------------------------------------------

BAR_WIDTH = 40


def progress_bar(done: int, total: int, running: int) -> str:
    """Return a progress bar as text: "[====    ] 5 of 10 tasks, 2 running"."""
    filled = BAR_WIDTH * done // max(total, 1)
    return f"[{'=' * filled}{' ' * (BAR_WIDTH - filled)}] {done:,} of {total:,} tasks, {running:,} running"


def task_bar(out: TextIO) -> ProgressHandler:
    """Return a progress handler that draws a bar over the previous one, and removes it when a job is done."""
    from pyspark.sql.connect.shell.progress import ProgressHandler

    class TaskBar(ProgressHandler):
        n_drawn = 0  # the number of characters that are on the screen

        def __call__(
            self,
            stages: Iterable[StageInfo] | None,
            inflight_tasks: int,
            operation_id: str | None,
            done: bool,
            **_: Any,
        ) -> None:
            all_stages = list(stages or ())
            line = ""
            if all_stages and not done:
                n_completed = sum(stage.num_completed_tasks for stage in all_stages)
                line = progress_bar(n_completed, sum(stage.num_tasks for stage in all_stages), inflight_tasks)
            out.write(f"\r{line:<{self.n_drawn}}\r")  # padded, to overwrite a longer bar
            out.flush()
            self.n_drawn = len(line)

    return TaskBar()


# -- session -----------------------------------------------------------------------------------------------------

_CONSOLE_BAR = "spark.ui.showConsoleProgress"
_LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")
_VARIABLES_WITH_MASTER = ("MASTER", "PYSPARK_SUBMIT_ARGS", "SPARK_CONF_DIR", "SPARK_HOME", "SPARK_REMOTE")


@contextmanager
def open_session(
    master: str | None, conf: Mapping[str, str], *, name: str = "textsieve", shows_progress: bool = False
) -> Iterator[SparkSession]:
    """Yield a session on a Spark master or a Connect server, and stop it at the end.

    Masters are `local[2]`, `spark://host:7077`, `yarn` and so on, Connect servers `sc://host:15002`. `conf` has
    settings of Spark. A session that exists already is used instead, and not stopped.
    """
    existing = SparkSession.getActiveSession()
    if existing is not None:
        with summarize_errors():
            yield existing
        return
    is_connect = uses_connect(master)
    require_master(master)
    require_listening(master)
    if not is_connect:
        require_java()
    with summarize_errors():
        defaults = {} if is_connect else {_CONSOLE_BAR: str(shows_progress).lower()}
        with _changed_environment(environment_changes(master or conf.get("spark.master"), os.environ)):
            session = _builder(master).appName(name).config(map={**defaults, **conf}).getOrCreate()
        try:
            if is_connect and shows_progress:
                session.registerProgressHandler(task_bar(sys.stderr))
            _always_interrupt()
            yield session
        finally:
            session.stop()


def _always_interrupt() -> None:
    """Raise `KeyboardInterrupt` at SIGINT even if Spark's own handler, which cancels the jobs, raises another error.

    In Spark before 4.1, this handler may raise an error of py4j, because it sends a command to Java while another
    command still waits for its answer.
    """
    cancel_jobs = signal.getsignal(signal.SIGINT)
    if not callable(cancel_jobs) or threading.current_thread() is not threading.main_thread():
        return

    def interrupt(number: int, frame: FrameType | None) -> NoReturn:
        try:
            cancel_jobs(number, frame)
        finally:
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, interrupt)


def _builder(master: str | None) -> SparkSession.Builder:
    """Return the builder of a session on a master or a Connect server; None: as the environment says."""
    builder = SparkSession.builder
    if master is None:
        return builder
    return builder.remote(master) if master.startswith(CONNECT) else builder.master(master)


def is_connect_session(session: SparkSession) -> bool:
    """Return whether a session uses Spark Connect, without a Java process of its own."""
    return type(session).__module__.startswith("pyspark.sql.connect.")


# -- environment of the Java process -----------------------------------------------------------------------------


def environment_changes(master: str | None, env: Mapping[str, str]) -> dict[str, str | None]:
    """Return the changes to the environment in which Spark is started; None means that a variable is removed.

    Variables that are set already are kept, except that a given master overrides the Connect server in `SPARK_REMOTE`,
    and that the logging option is added to `SPARK_SUBMIT_OPTS`.
    """
    changes: dict[str, str | None] = {}
    # The workers of a local master run on this machine, so they can use the Python of this process.
    if _is_local(master, env):
        local_variables = {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
        changes |= {name: value for name, value in local_variables.items() if name not in env}
    if "SPARK_REMOTE" in env and not uses_connect(master):
        changes["SPARK_REMOTE"] = None
    if not _has_log_settings(env):
        option = f"-Dlog4j2.configurationFile={Path(__file__).with_name('log4j2.properties').as_uri()}"
        changes["SPARK_SUBMIT_OPTS"] = f"{env.get('SPARK_SUBMIT_OPTS', '')} {option}".strip()
    return changes


def _is_local(master: str | None, env: Mapping[str, str]) -> bool:
    """Return whether the workers run on this machine: for a local master, or a server at an address of this machine."""
    if master is None:  # Spark's default is a local master, unless one of these variables can name another
        return not any(name in env for name in _VARIABLES_WITH_MASTER)
    return master.startswith("local") or any(host in _LOCAL_HOSTS for host, _ in addresses(master))


def _has_log_settings(env: Mapping[str, str]) -> bool:
    """Return whether the user has logging settings for Spark: a file log4j2.properties in a folder that Spark reads."""
    folders = [env.get("SPARK_CONF_DIR"), os.path.join(env["SPARK_HOME"], "conf") if "SPARK_HOME" in env else None]
    return any(folder and os.path.exists(os.path.join(folder, "log4j2.properties")) for folder in folders)


@contextmanager
def _changed_environment(changes: Mapping[str, str | None]) -> Iterator[None]:
    """Change environment variables during this block, and restore them at its end; None removes a variable."""
    before = {name: os.environ.get(name) for name in changes}
    _set_variables(changes)
    try:
        yield
    finally:
        _set_variables(before)


def _set_variables(values: Mapping[str, str | None]) -> None:
    """Set environment variables; None removes one."""
    for name, value in values.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
