"""A session for one run, for those who have none yet: the command line.

It is started on the master that is named, or, if none is, on that of the environment (`SPARK_REMOTE`, the files in
`SPARK_CONF_DIR`), which is this machine's cores if nobody says otherwise. It is stopped when the run ends, however it
ends. What cannot work is looked for before Java is started: a missing Java, or a master that does not answer, for which
Spark itself would try for minutes. A session that is there already is used, and left to whoever started it.

Of what Spark logs only errors are shown, and that nobody gives it machines to run on (`log4j2.properties`), unless
there are settings of the user's own for it.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from pyspark.sql import SparkSession

from ..errors import InputError, MissingPackage
from .explaining import in_one_sentence

CONNECT = "sc://"
PATIENCE = 20.0
"""Seconds that a master has to answer; one that was started a moment ago needs some."""
_CONSOLE_BAR = "spark.ui.showConsoleProgress"
_PARTS_BY_SIZE = "spark.sql.optimizer.canChangeCachedPlanOutputPartitioning"
"""What is kept between two steps is then shared out by its size, and not always in 200 parts, which on a few cores are
mostly waited for."""

_PORTS = {"spark": 7077, "sc": 15002}
_ADDRESS = re.compile(r"(?:\[(?P<six>[^\]]+)\]|(?P<host>[^:/;\[\]]+))(?::(?P<port>\d+))?")
_HERE = ("localhost", "127.0.0.1", "::1")


@contextmanager
def session_on(
    master: str | None, conf: Mapping[str, str], *, name: str = "textsieve", shows_progress: bool = False
) -> Iterator[SparkSession]:
    """A session on a master (`local[2]`, `spark://host:7077`, `yarn`, ...) or of a Connect server (`sc://host:15002`)."""
    present = SparkSession.getActiveSession()
    if present is not None:
        with in_one_sentence():
            yield present
        return
    is_connect = is_of_connect(master)
    require_answer(master)
    if not is_connect:
        _require_java()
    with in_one_sentence():
        own = {_PARTS_BY_SIZE: "true", **({} if is_connect else {_CONSOLE_BAR: str(shows_progress).lower()})}
        with _environment(changes(master, os.environ)):
            session = _builder(master).appName(name).config(map={**own, **conf}).getOrCreate()
        try:
            if is_connect and shows_progress:
                from .taskbar import TaskBar

                session.registerProgressHandler(TaskBar(sys.stderr))
            yield session
        finally:
            session.stop()


def _builder(master: str | None) -> SparkSession.Builder:
    builder = SparkSession.builder
    if master is None:
        return builder
    return builder.remote(master) if master.startswith(CONNECT) else builder.master(master)


def is_of_connect(master: str | None) -> bool:
    """Whether a session would be one of Connect, for which no Java is needed here."""
    return called(master).startswith(CONNECT)


def called(master: str | None) -> str:
    """The master that is named, here or in the environment; an empty text if none is."""
    return master or os.environ.get("SPARK_REMOTE", "")


def speaks_connect(session: SparkSession) -> bool:
    """Whether a session is one of Connect, without a Java of its own."""
    return type(session).__module__.startswith("pyspark.sql.connect.")


# -- before anything is started ----------------------------------------------------------------------------------


def addresses(master: str) -> list[tuple[str, int]]:
    """Where a master or a Connect server listens; none if its kind is not one that is simply called."""
    kind, found, rest = master.partition("://")
    if not found or kind not in _PORTS:
        return []
    hosts = rest.split(",") if kind == "spark" else [re.split(r"[/;]", rest)[0]]
    matches = [_ADDRESS.fullmatch(each) for each in hosts]
    if not all(matches):
        raise InputError(f"master={master!r} is no address; write {kind}://HOST:{_PORTS[kind]}.")
    return [(each["six"] or each["host"], int(each["port"] or _PORTS[kind])) for each in matches if each]


def require_answer(master: str | None, patience: float = PATIENCE) -> None:
    """Stop if nobody listens where a master should be; of several, one is enough."""
    places, end = addresses(called(master)), time.monotonic() + patience
    problems = _silent(places, patience)
    while len(problems) == len(places) > 0 and time.monotonic() < end:
        time.sleep(0.2)
        problems = _silent(places, patience)
    if problems and len(problems) == len(places):
        raise InputError(
            f"master={called(master)!r} does not answer ({'; '.join(problems)}). Start it, correct the address, or "
            "leave it out to use this machine's cores."
        )


def _silent(places: list[tuple[str, int]], patience: float) -> list[str]:
    """What is wrong with the places at which nobody answers."""
    problems = []
    for host, port in places:
        try:
            socket.create_connection((host, port), patience).close()
        except OSError as problem:
            problems.append(f"{host}:{port}: {problem.strerror or problem}")
    return problems


def _require_java() -> None:
    home = os.environ.get("JAVA_HOME")
    if shutil.which(os.path.join(home, "bin", "java") if home else "java") is None:
        where = f"JAVA_HOME is {home}, and has none" if home else "there is none on this machine"
        raise MissingPackage(
            f"Spark needs Java 17 or later, and {where}. Install it (Debian: apt install openjdk-17-jre-headless), or "
            "use a Connect server, which has its own: sc://HOST:15002."
        )


# -- what Java finds in its environment --------------------------------------------------------------------------


def changes(master: str | None, env: Mapping[str, str]) -> dict[str, str | None]:
    """What is missing in an environment in which Spark is started, and (None) what is not to be there.

    Whatever is missing may be said otherwise there; but a master that is named goes before a server of Connect.
    """
    found: dict[str, str | None] = {}
    on_this_machine = master is not None and (
        master.startswith("local") or any(host in _HERE for host, _ in addresses(master))
    )
    if on_this_machine:
        found |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    found = {key: value for key, value in found.items() if key not in env}
    if "SPARK_REMOTE" in env and not is_of_connect(master):
        found["SPARK_REMOTE"] = None
    if not _logs_as_told(env):
        own = f"-Dlog4j2.configurationFile={Path(__file__).with_name('log4j2.properties').as_uri()}"
        found["SPARK_SUBMIT_OPTS"] = f"{env.get('SPARK_SUBMIT_OPTS', '')} {own}".strip()
    return found


def _logs_as_told(env: Mapping[str, str]) -> bool:
    """Whether somebody has settings of their own for what is logged."""
    folders = [env.get("SPARK_CONF_DIR"), os.path.join(env["SPARK_HOME"], "conf") if "SPARK_HOME" in env else None]
    return any(each and os.path.exists(os.path.join(each, "log4j2.properties")) for each in folders)


@contextmanager
def _environment(changed: Mapping[str, str | None]) -> Iterator[None]:
    """The environment of what is started here."""
    before = {name: os.environ.get(name) for name in changed}
    _set(changed)
    try:
        yield
    finally:
        _set(before)


def _set(values: Mapping[str, str | None]) -> None:
    for name, value in values.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
