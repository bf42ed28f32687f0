"""A session for one run, for those who have none yet: the command line.

It is started on the master that is named, or, if none is, on that of the environment (`SPARK_REMOTE`, the files in
`SPARK_CONF_DIR`), which is this machine's cores if nobody says otherwise. It is stopped when the run ends, however it
ends. What cannot work is looked for before Java is started (`masters.py`). A session that is there already is used, and
left to whoever started it.

Of what Spark logs only errors are shown, and that nobody gives it machines to run on (`log4j2.properties`), unless
there are settings of the user's own for it.
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
    """A session on a master (`local[2]`, `spark://host:7077`, `yarn`, ...) or of a Connect server (`sc://host:15002`)."""
    present = SparkSession.getActiveSession()
    if present is not None:
        with in_one_sentence():
            yield present
        return
    is_connect = is_of_connect(master)
    require_master(master)
    require_answer(master)
    if not is_connect:
        require_java()
    with in_one_sentence():
        own = {} if is_connect else {_CONSOLE_BAR: str(shows_progress).lower()}
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


def speaks_connect(session: SparkSession) -> bool:
    """Whether a session is one of Connect, without a Java of its own."""
    return type(session).__module__.startswith("pyspark.sql.connect.")


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
