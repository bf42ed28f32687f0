"""The commands and the Python code in docs/how-to/spark.md work as printed."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from pyspark.sql import SparkSession

from tests.processes import command_of, descendants, end, wait_for
from tests.reference.cli_cases import documents
from tests.spark.cluster import CONF, HERE, QUICK, ROOT, connect_command, environment
from tests.spark.listening import listening
from tests.spark.sessions import LOCAL, Sessions
from textsieve import load

PAGE = (ROOT / "docs" / "how-to" / "spark.md").read_text(encoding="utf-8")
CONSOLE_BLOCKS = [
    re.findall(r"^\$ (.*)$", block, re.MULTILINE) for block in re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
]
"""The commands of each block; the lines after a command are its output."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a folder `news` of two Parquet files."""
    (tmp_path / "news").mkdir()
    texts, labels = zip(*documents(), strict=True)
    for number in range(2):
        part = pl.DataFrame({"text": texts[number::2], "label": labels[number::2]})
        part.write_parquet(tmp_path / "news" / f"part{number}.parquet")
    return tmp_path


@pytest.mark.deep
def test_the_three_commands_train_a_model_on_a_cluster(sessions: Sessions, folder: Path) -> None:
    commands, (stop,), *_ = CONSOLE_BLOCKS
    assert len(commands) == 3
    before = descendants(os.getpid())
    shell = subprocess.Popen(
        ["bash"], cwd=folder, env=shell_environment(folder), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert shell.stdin is not None
    try:
        shell.stdin.write("".join(f"{command}\n" for command in commands[:2]).replace("7077", free_port()))
        shell.stdin.flush()
        wait_for(lambda: both_registered(folder), lambda: f"two workers; {logs_in(folder)}")
        java = [process for process in descendants(shell.pid) if command_of(process)[0].endswith("java")]
        assert {str(address) for process in java for address, _ in listening(process.pid)} == {HERE}
        master = re.findall(r"Starting Spark master at (spark://\S+)", logs_in(folder))[0]
        shell.stdin.write(f"{commands[2].replace('spark://127.0.0.1:7077', master)}\n{stop}\nwait\n")
        output, _ = shell.communicate(timeout=240)
    finally:
        shell.kill()
        started = descendants(os.getpid()) - before
        end(process for process in started if process.is_there)
    assert "60 documents" in output
    assert load(folder / "news.sieve").predict(["the striker and the keeper"]).tolist() == ["sport"]


def shell_environment(folder: Path) -> dict[str, str]:
    """Return the variables of a shell with this Python, in which Spark uses little memory and the settings `LOCAL`."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    ours = {name: value for name, value in environment().items() if not name.startswith(("SPARK_", "PYSPARK_"))}
    settings = {name: CONF[name] for name in ("spark.executor.extraJavaOptions", "spark.executor.memory")}
    settings |= {"spark.ui.enabled": "false", **LOCAL}
    (folder / "spark-defaults.conf").write_text("".join(f"{name} {value}\n" for name, value in settings.items()))
    quick = dict.fromkeys(("SPARK_DAEMON_JAVA_OPTS", "SPARK_LAUNCHER_OPTS", "SPARK_SUBMIT_OPTS"), QUICK)
    return {**ours, **quick, "PATH": path, "SPARK_CONF_DIR": str(folder)}


def free_port() -> str:
    with socket.socket() as free:
        free.bind((HERE, 0))
        return str(free.getsockname()[1])


def logs_in(folder: Path) -> str:
    return "".join(log.read_text() for log in folder.glob("*.log"))


def both_registered(folder: Path) -> bool | None:
    return logs_in(folder).count("Successfully registered with master") == 2 or None


@pytest.mark.parametrize("spark", ["local"], indirect=True)
@pytest.mark.filterwarnings("ignore:n_terms=1000, but")
def test_the_python_code_runs(spark: SparkSession, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (block,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    here = re.sub(r'"(news[\w.-]*)"', lambda match: repr(str(folder / match[1])), block)
    exec(compile(here, "docs/how-to/spark.md", "exec"), {})
    printed = capsys.readouterr().out
    assert "['sport']" in printed
    assert re.search(r"\| +label\|prediction\| +scores\|", printed)
    assert re.search(r"\| +the\| +60\|", printed)


def test_the_page_starts_a_connect_server_as_the_tests_do() -> None:
    """`started_connect` runs this command; test_cluster.py tests that the server listens on this machine only."""
    assert CONSOLE_BLOCKS[2] == [connect_command()]


def test_links_have_a_target() -> None:
    for link in re.findall(r"\]\(([^)#:]+)\)", PAGE):
        assert (ROOT / "docs" / "how-to" / link).exists(), link
    headings = {
        re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in re.findall(r"^#+ (.*)$", PAGE, re.M)
    }
    assert set(re.findall(r"\]\(#([^)]+)\)", PAGE)) <= headings
