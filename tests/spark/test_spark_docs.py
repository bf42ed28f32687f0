"""What docs/spark.md shows works as printed."""

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

from tests.processes import Program, command_of, descendants, end, wait_for
from tests.reference.cli_cases import documents
from tests.spark.cluster import CONF, HERE, QUICK, ROOT, environment
from tests.spark.listening import listening
from tests.spark.sessions import Sessions
from textsieve import load

PAGE = (ROOT / "docs" / "spark.md").read_text(encoding="utf-8")
PARTS = ("spark.sql.shuffle.partitions", "spark.default.parallelism")
CONSOLE_BLOCKS = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder in which there is a folder `news` of Parquet files."""
    (tmp_path / "news").mkdir()
    texts, labels = zip(*documents(), strict=True)
    for number in range(2):
        part = pl.DataFrame({"text": texts[number::2], "label": labels[number::2]})
        part.write_parquet(tmp_path / "news" / f"part{number}.parquet")
    return tmp_path


def test_three_commands_make_a_model_and_one_ends_the_cluster(sessions: Sessions, folder: Path) -> None:
    start, stop, _ = CONSOLE_BLOCKS
    commands = start.strip().splitlines()
    assert len(commands) == 3
    before = descendants(os.getpid())
    shell = subprocess.Popen(
        ["bash"], cwd=folder, env=shell_environment(folder), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert shell.stdin is not None
    try:
        shell.stdin.write("".join(f"{command}\n" for command in commands[:2]).replace("7077", free_port()))
        shell.stdin.flush()
        wait_for(lambda: both_registered(folder), lambda: f"two workers; {said_in(folder)}")
        java = [each for each in descendants(shell.pid) if command_of(each)[0].endswith("java")]
        assert {str(address) for each in java for address, _ in listening(each.pid)} == {HERE}
        master = re.findall(r"Starting Spark master at (spark://\S+)", said_in(folder))[0]
        shell.stdin.write(f"{commands[2].replace('spark://127.0.0.1:7077', master)}\n{stop}wait\n")
        said, _ = shell.communicate(timeout=240)
    finally:
        shell.kill()
        started = descendants(os.getpid()) - before
        end(each for each in started if each.is_there)
    assert "60 documents" in said
    assert load(folder / "news.sieve").predict(["the striker and the keeper"]).tolist() == ["sport"]


def shell_environment(folder: Path) -> dict[str, str]:
    """A shell in which this Python's environment is active, on a machine whose Spark is to be quick with little."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    ours = {name: value for name, value in environment().items() if not name.startswith(("SPARK_", "PYSPARK_"))}
    settings = ("spark.executor.extraJavaOptions", "spark.executor.memory", "spark.ui.enabled", *PARTS)
    (folder / "spark-defaults.conf").write_text("".join(f"{name} {CONF[name]}\n" for name in settings))
    quick = dict.fromkeys(("SPARK_DAEMON_JAVA_OPTS", "SPARK_LAUNCHER_OPTS", "SPARK_SUBMIT_OPTS"), QUICK)
    return {**ours, **quick, "PATH": path, "SPARK_CONF_DIR": str(folder)}


def free_port() -> str:
    with socket.socket() as one:
        one.bind((HERE, 0))
        return str(one.getsockname()[1])


def said_in(folder: Path) -> str:
    return "".join(log.read_text() for log in folder.glob("*.log"))


def both_registered(folder: Path) -> bool | None:
    return said_in(folder).count("Successfully registered with master") == 2 or None


@pytest.mark.parametrize("spark", ["local"], indirect=True)
@pytest.mark.filterwarnings("ignore:n_terms=1000, but")
def test_the_python_block_runs(spark: SparkSession, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (block,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    here = re.sub(r'"(news[\w.-]*)"', lambda found: repr(str(folder / found[1])), block)
    exec(compile(here, "docs/spark.md", "exec"), {})
    printed = capsys.readouterr().out
    assert "['sport']" in printed
    assert re.search(r"\| +label\|prediction\| +scores\|", printed)
    assert re.search(r"\| +the\| +60\|", printed)


def test_the_connect_server_of_the_page_listens_here_alone(sessions: Sessions, tmp_path: Path) -> None:
    """It is started as printed, but for its port; that sessions of such a server work is tested everywhere else."""
    command = CONSOLE_BLOCKS[2].replace("--conf", "--conf spark.connect.grpc.binding.port=0 --conf", 1)
    shell = Program(["bash", "-c", f"exec env {command}"], shell_environment(tmp_path), tmp_path / "connect.log")
    try:
        shell.says(r"Spark Connect server started at: \S*?:(\d+)")
        java = [each for each in descendants(os.getpid()) if command_of(each)[0].endswith("java")]
        assert {str(address) for each in java for address, _ in listening(each.pid)} == {HERE}
    finally:
        shell.stop()


def test_links_lead_somewhere() -> None:
    for link in re.findall(r"\]\(([^)#:]+)\)", PAGE):
        assert (ROOT / "docs" / link).exists(), link
    headings = {re.sub(r"[^\w -]", "", each.lower()).replace(" ", "-") for each in re.findall(r"^#+ (.*)$", PAGE, re.M)}
    assert set(re.findall(r"\]\(#([^)]+)\)", PAGE)) <= headings
