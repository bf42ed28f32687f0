"""Start a Spark session for one run of the command line.

It uses the given master or, if none is given, that of the environment (`SPARK_REMOTE`, the files in `SPARK_CONF_DIR`),
which is this machine's cores by default. The session is stopped when the run ends, also by an error. Settings that
cannot work are detected before Java is started (`masters.py`). If a session exists already, it is used and not stopped.

Of Spark's log, only errors are shown, and the warning that it gets no machines to run on (`log4j2.properties`), unless
users have logging settings of their own.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from pyspark.sql import SparkSession

from .explaining import in_one_sentence
from .masters import CONNECT, addresses, is_of_connect, require_answer, require_java, require_master

_CONSOLE_BAR = "spark.ui.showConsoleProgress"

_HERE = ("localhost", "127.0.0.1", "::1")


@contextmanager
def session_on(
    master: str | None, conf: Mapping[str, str], *, name: str = "textsieve", shows_progress: bool = False
) -> Iterator[SparkSession]:
    """Yield a session on a Spark master or a Connect server.

    Masters are `local[2]`, `spark://host:7077`, `yarn` and so on, Connect servers `sc://host:15002`.
    """
    existing = SparkSession.getActiveSession()
    if existing is not None:
        with in_one_sentence():
            yield existing
        return
    is_connect = is_of_connect(master)
    require_master(master)
    require_answer(master)
    if not is_connect:
        require_java()
    with in_one_sentence():
        defaults = {} if is_connect else {_CONSOLE_BAR: str(shows_progress).lower()}
        with _environment(changes(master, os.environ)):
            session = _builder(master).appName(name).config(map={**defaults, **conf}).getOrCreate()
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


def speaks_connect(session: SparkSession) -> bool:
    """Return whether a session uses Spark Connect, without a Java process of its own."""
    return type(session).__module__.startswith("pyspark.sql.connect.")


# -- environment of the Java process -----------------------------------------------------------------------------


def changes(master: str | None, env: Mapping[str, str]) -> dict[str, str | None]:
    """Return the changes to the environment in which Spark is started; None means that a variable is removed.

    Variables that are set already are kept, except that a given master overrides the Connect server in `SPARK_REMOTE`,
    and that the logging option is added to `SPARK_SUBMIT_OPTS`.
    """
    changed: dict[str, str | None] = {}
    on_this_machine = master is not None and (
        master.startswith("local") or any(host in _HERE for host, _ in addresses(master))
    )
    if on_this_machine:
        changed |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    changed = {key: value for key, value in changed.items() if key not in env}
    if "SPARK_REMOTE" in env and not is_of_connect(master):
        changed["SPARK_REMOTE"] = None
    if not _has_log_settings(env):
        option = f"-Dlog4j2.configurationFile={Path(__file__).with_name('log4j2.properties').as_uri()}"
        changed["SPARK_SUBMIT_OPTS"] = f"{env.get('SPARK_SUBMIT_OPTS', '')} {option}".strip()
    return changed


def _has_log_settings(env: Mapping[str, str]) -> bool:
    """Return whether the user has logging settings for Spark."""
    folders = [env.get("SPARK_CONF_DIR"), os.path.join(env["SPARK_HOME"], "conf") if "SPARK_HOME" in env else None]
    return any(folder and os.path.exists(os.path.join(folder, "log4j2.properties")) for folder in folders)


@contextmanager
def _environment(changed: Mapping[str, str | None]) -> Iterator[None]:
    """Change environment variables, and restore them at the end."""
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
