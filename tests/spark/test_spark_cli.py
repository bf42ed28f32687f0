"""`textsieve train --engine spark`: the same files give the same model, and it ends as the other commands do."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner, Result
from pyspark.sql import SparkSession

from tests.processes import command_of, descendants, wait_for
from tests.reference.cli_cases import documents
from tests.spark.cluster import QUICK, environment
from tests.spark.sessions import Sessions
from textsieve import InputError, read
from textsieve.cli.messages import write_setting
from textsieve.cli.program import program
from textsieve.spark.files import read_files
from textsieve.spark.learning import MAX_VALUES, require_room
from textsieve.spark.session import (
    addresses,
    environment_changes,
    progress_bar,
    require_listening,
    require_master,
    summarize,
    task_bar,
)

on_this_machine = pytest.mark.parametrize("spark", ["local"], indirect=True)


def run(*arguments: object, exit_code: int = 0) -> Result:
    result = CliRunner().invoke(program, list(map(str, arguments)), prog_name="textsieve")
    assert result.exit_code == exit_code, result.output
    assert "Traceback" not in result.output
    return result


def train(*arguments: object, exit_code: int = 0) -> Result:
    return run("train", *arguments, "--engine", "spark", exit_code=exit_code)


@pytest.fixture
def news(tmp_path: Path) -> Path:
    texts, labels = zip(*documents(), strict=True)
    of_class = [f"{label}|all" for label in labels[:-1]]
    table = pl.DataFrame({"body": texts, "topic": [*of_class, None], "number": range(len(texts))})
    table.write_parquet(tmp_path / "news.parquet")
    return tmp_path / "news.parquet"


# -- one file, two engines ---------------------------------------------------------------------------------------


@on_this_machine
def test_both_engines_write_the_same_model(spark: SparkSession, news: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    here, there = news.with_name("here.sieve"), news.with_name("there.sieve")
    asked = ["--selector", "chi", "--classifier", "nb", "-k", "9", "--text", "body", "--stop-words", "english"]
    asked.append("--no-sources")  # only one machine counts the documents of each source
    expected = run("train", news, "-o", here, *asked).stdout.replace(str(here), str(there))
    result = train(news, "-o", there, *asked)
    output = result.stdout
    assert "3 of 3 different labels contain '|'" in result.stderr
    assert "use --label-separator '|'" in result.stderr
    assert there.read_bytes() == here.read_bytes()
    assert output.partition("Seconds")[0] == expected.partition("Seconds")[0]
    assert "60 documents, 1 unlabelled" in output
    assert " held-out documents (" in output
    assert spark.range(3).count() == 3  # the command does not stop a session that it has not started


@on_this_machine
def test_an_update_prints_the_command_that_trains_on_spark_again(
    spark: SparkSession, news: Path, tmp_path: Path
) -> None:
    path, feedback = tmp_path / "a.sieve", tmp_path / "f.jsonl"
    feedback.write_text('{"body": "a goal", "topic": "sport|all"}\n', encoding="utf-8")
    train(news, "-o", path, "--classifier", "logistic", "-k", "9", "--held-out", "0", "--probabilities", "none")
    printed = run("update", path, feedback, exit_code=1).stderr
    assert "it was trained with --engine spark, and update trains on this machine" in printed
    (command,) = [line for line in printed.splitlines() if line.startswith("textsieve train ")]
    assert command.endswith(" --engine spark")
    assert f"all documents that the model has learned: {news}.\n" in printed
    assert f"Source {news}\n" in run("info", path).stdout


LABELS: dict[str, list[Any]] = {
    "words": ["a", " b\t", None, "  ", "\u2003b\u2003"],
    "whole": [1, 2, None, 1, -3],
    "float": [1.0, 2.5, None, -4.0, 7.0],
    "truth": [True, False, None, True, True],
    "several": [["a", "b "], [], None, ["b", "b"], [""]],
    "joined": ["a; b", ";", None, "b", "b;a;b"],
}
TEXTS = ["one word", 'two "quoted"; words', None, "a line\nand, another", ""]


def written(folder: Path, ending: str) -> tuple[Path, list[str]]:
    """Write the documents to a file, and return its path and the label columns that its format can store."""
    path = folder / f"documents.{ending}"
    columns = [name for name in LABELS if ending in ("parquet", "jsonl") or name not in ("several", "float")]
    table = pl.DataFrame({"text": TEXTS, **{name: LABELS[name] for name in columns}})
    if ending == "parquet":
        table.write_parquet(path)
    elif ending == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in table.to_dicts()))
    else:
        table.write_csv(path, separator={"csv": ",", "tsv": "\t"}[ending])
    return path, columns


@on_this_machine
@pytest.mark.parametrize("ending", ["parquet", "jsonl", "csv", "tsv"])
def test_spark_reads_the_same_documents_as_one_machine(spark: SparkSession, tmp_path: Path, ending: str) -> None:
    path, columns = written(tmp_path, ending)
    for label in columns:
        separator = ";" if label == "joined" else None
        expected = list(read(path, label=label, label_separator=separator))
        rows = read_files(spark, [str(path)], label=label, label_separator=separator).df.collect()
        documents_read = [(row["text"] or "", own_labels(row["label"])) for row in rows]
        assert documents_read == expected, label


@on_this_machine
@pytest.mark.parametrize("ending", ["parquet", "jsonl", "csv"])
def test_spark_joins_columns_as_one_machine_does(spark: SparkSession, tmp_path: Path, ending: str) -> None:
    titles = ["Printer", "", None, " ", "\u2003", " spaces ", "the same"]
    bodies = ["does not print\nat all", "no title", "no title", "", "wide space", " stay ", "the same"]
    table = pl.DataFrame({"id": range(7), "title": titles, "body": bodies, "label": ["a"] * 7})
    path = tmp_path / f"x.{ending}"
    if ending == "jsonl":
        table.write_ndjson(path)
    elif ending == "csv":
        table.write_csv(path)
    else:
        table.with_columns(pl.col("title").cast(pl.Binary)).write_parquet(path)
    for text in (["title", "body"], ["body", "title"]):
        expected = list(read(path, text=text).texts())
        documents = read_files(spark, [str(path)], text=text)
        assert [row["text"] for row in documents.df.collect()] == expected
        assert str(documents.columns) == str(read(path, text=text).tables[0])
    assert expected[0] == "does not print\nat all\n\nPrinter"
    with pytest.raises(InputError, match="column 'body' is given twice"):
        read_files(spark, [str(path)], text=["body", "body"])


@on_this_machine
def test_spark_folds_labels_as_one_machine_does(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    single = ["Sport", "sport ", "SPORT", "sport", None, "Net", "net"]
    several = [["Net", "a"], ["net", "NET", "A"], ["net"], [], None, ["A"], ["b"]]
    lines = ({"text": "x", "label": label, "tags": tags} for label, tags in zip(single, several, strict=True))
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    for label in ("label", "tags"):
        rows = read_files(spark, [str(path)], label=label, fold_labels=True).df.collect()
        assert [own_labels(row["label"]) for row in rows] == list(read(path, label=label, fold_labels=True).labels())
    (tmp_path / "y.csv").write_text("text,label\nx,a\ny,b\n")
    rows = read_files(spark, [str(tmp_path / "y.csv")], fold_labels=True).df.collect()
    assert [row["label"] for row in rows] == ["a", "b"], "nothing to merge"


@on_this_machine
def test_both_engines_write_the_same_model_from_several_columns(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    rows = [
        f"{text.partition(' ')[0]},{text.partition(' ')[2]},{label.upper() if number % 6 == 0 else label}\n"
        for number, (text, label) in enumerate(documents(20))
    ]
    path = tmp_path / "x.csv"
    path.write_text("title,description,section\n" + "".join(rows))
    here, there = tmp_path / "here.sieve", tmp_path / "there.sieve"
    columns = ("--text", "title", "--text", "description", "--label", "section")
    # The two engines store different sources.
    settings = ("--selector", "chi", "--classifier", "nb", "-k", "9", "--no-sources", *columns)
    assert "labels that differ only in case or space" in train(path, "-o", there, *settings).stderr
    expected = run("train", path, "-o", here, *settings, "--fold-labels").stdout.replace(str(here), str(there))
    result = train(path, "-o", there, *settings, "--fold-labels")
    assert there.read_bytes() == here.read_bytes()
    assert result.stdout.partition("Seconds")[0] == expected.partition("Seconds")[0]
    assert "Columns: text from 'title' and 'description', label from 'section'" in result.stdout


def own_labels(value: str | list[str] | None) -> tuple[str, ...]:
    """Return each label once, without empty labels."""
    multilabel = value if isinstance(value, list) else [value]
    return tuple(dict.fromkeys(label for label in multilabel if label))


@on_this_machine
def test_csv_with_semicolons_and_without_a_header(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "semicolons.csv").write_text("text;label\nx, y;a\n")
    (tmp_path / "numbers.csv").write_text("a,x y\n")
    (tmp_path / "both.csv").write_text("a;x y\n")
    for name, text, label in (("semicolons.csv", None, None), ("numbers.csv", 1, 0), ("both.csv", 1, 0)):
        (row,) = read_files(spark, [str(tmp_path / name)], text=text, label=label).df.collect()
        assert (row["text"].replace(",", ""), row["label"]) == ("x y", "a")


@on_this_machine
def test_folders_wildcards_and_several_files(spark: SparkSession, tmp_path: Path) -> None:
    folder = tmp_path / "news"
    folder.mkdir()
    for number in range(3):
        pl.DataFrame({"text": [f"text {number}"], "label": [number]}).write_parquet(folder / f"{number}.parquet")
    files = [str(folder / f"{number}.parquet") for number in range(3)]
    for paths in ([str(folder)], [str(folder / "*.parquet")], files):
        assert {row["label"] for row in read_files(spark, paths).df.collect()} == {"0", "1", "2"}
    (folder / "3.csv").write_text("text,label\nx,y\n")
    with pytest.raises(InputError, match=r"several kinds \(csv, parquet\); Spark reads parquet, jsonl, csv, tsv"):
        read_files(spark, [str(folder)])
    assert len(read_files(spark, [str(folder / "*.csv")]).df.collect()) == 1


# -- what is wrong -----------------------------------------------------------------------------------------------


@on_this_machine
def test_unreadable_documents_are_an_error_of_one_line(spark: SparkSession, news: Path) -> None:
    with zipfile.ZipFile(news.with_name("news.zip"), "w") as packed:
        packed.writestr("a", "b")
    news.with_name("broken.jsonl").write_text('{"text": "a", "label": "b"}\n{"text": \n')
    news.with_name("mixed.jsonl").write_text('{"text": "a", "label": "x"}\n{"text": "b", "label": ["x", "y"]}\n')
    news.with_name("nan.csv").write_text("text,label\na,x\nb,NaN\n")
    for name, also, expected in (
        (
            "news.parquet",
            ["--label", "topics"],
            "no column 'topics' for --label. Columns found: 'body', 'topic', 'number'. Did",
        ),
        ("news.parquet", ["--text", "number"], "--text number: the column is of type bigint; use one with text"),
        ("other.parquet", [], "Path does not exist"),
        ("news.zip", [], "has no file name extension of a known format; Spark reads parquet, jsonl, csv, tsv here"),
        ("news.zip", [], "or read it on one machine, without Spark."),
        ("news.parquet", ["--format", "fasttext"], "is fasttext; Spark reads"),
        ("broken.jsonl", [], "Malformed records are detected"),
        ("broken.jsonl", [], "training on each file without --engine spark names the line."),
        ("mixed.jsonl", [], 'A label is the list ["x", "y"], and others are texts; write lists in all lines'),
        ("nan.csv", [], "error: Spark: A label is NaN, which is not a class."),
    ):
        result = train(news.with_name(name), "-o", news.with_name("x.sieve"), "--held-out", "0", *also, exit_code=1)
        assert expected in result.stderr, name
        assert result.stderr.count("\n") == 1
    for path, expected in (("docstrings", "is a corpus with a name"), ("-", "does not read standard input")):
        assert expected in train(path, "-o", news.with_name("x.sieve"), exit_code=1).stderr
    assert not news.with_name("x.sieve").exists()


def test_too_many_counts_for_the_driver_name_the_options() -> None:
    with pytest.raises(InputError) as problem:
        require_room(10, 1, object())
    assert f"[default: {MAX_VALUES}, " in " ".join(run("train", "--help").stdout.split())
    message = problem.value.render(write_setting)
    assert "Use fewer terms (--terms), " in message
    assert "a sample of the documents, or raise most_values if" in message


def test_options_of_the_other_engine_are_usage_errors(tmp_path: Path) -> None:
    for given in (["--master", "local[2]"], ["--conf", "spark.ui.enabled=false"], ["--most-values", "5"]):
        error = run("train", "docstrings", "-o", tmp_path / "x", *given, exit_code=2).stderr
        assert f"{given[0]} is for Spark; add --engine spark." in error
    assert "a.csv: there is no such file" in run("train", "a.csv", "b.csv", "-o", tmp_path / "x", exit_code=1).stderr
    assert "write KEY=VALUE" in train("a.csv", "-o", tmp_path / "x", "--conf", "memory", exit_code=2).stderr


def test_a_master_that_does_not_listen_raises() -> None:
    with pytest.raises(InputError, match=r"^master='spark://127\.0\.0\.1:1' does not answer \(127\.0\.0\.1:1: "):
        require_listening("spark://127.0.0.1:1", timeout=0.3)
    assert addresses("spark://a:7077,b") == [("a", 7077), ("b", 7077)]
    assert addresses("sc://[::1]:443/;use_ssl=true;token=x") == [("::1", 443)]
    assert addresses("sc://server") == [("server", 15002)]
    assert addresses("local[2]") == addresses("yarn") == addresses("k8s://https://there:1") == []
    with pytest.raises(InputError, match="is no address; write spark://HOST:7077"):
        addresses("spark://a:b")


def test_an_unknown_kind_of_master_raises_before_java_starts() -> None:
    with pytest.raises(
        InputError,
        match=r"^master='127\.0\.0\.1:7077' is not the URL of a master; write spark://127\.0\.0\.1:7077 for a",
    ):
        require_master("127.0.0.1:7077")
    with pytest.raises(InputError, match=r"write spark://HOST:7077 for a cluster"):
        require_master("nonsense")
    known = (
        "local",
        "local[*]",
        "local[2,3]",
        "local-cluster[2,1,512]",
        "yarn",
        "spark://a:1",
        "k8s://https://a",
        "sc://a",
    )
    for master in (None, "", *known):
        require_master(master)


def test_the_environment_in_which_java_starts(tmp_path: Path) -> None:
    changed = environment_changes("spark://127.0.0.1:7077", {"SPARK_SUBMIT_OPTS": "-Xss4m"})
    assert (changed["PYSPARK_PYTHON"], changed["SPARK_LOCAL_IP"]) == (sys.executable, "127.0.0.1")
    own = str(changed["SPARK_SUBMIT_OPTS"])
    assert own.startswith("-Xss4m -Dlog4j2.configurationFile=file:///")
    assert Path(own.partition("file://")[2]).exists()
    assert set(environment_changes("spark://elsewhere:7077", {})) == {"SPARK_SUBMIT_OPTS"}
    assert "PYSPARK_PYTHON" not in environment_changes("local[2]", {"PYSPARK_PYTHON": "python3.11"})
    assert environment_changes("local[2]", {"SPARK_REMOTE": "sc://there"})["SPARK_REMOTE"] is None
    assert environment_changes(None, {})["PYSPARK_PYTHON"] == sys.executable, "Spark's default master is local"
    assert "PYSPARK_PYTHON" not in environment_changes(None, {"SPARK_HOME": "/opt/spark"}), "it may name a cluster"
    (tmp_path / "log4j2.properties").touch()
    assert environment_changes(None, {"SPARK_CONF_DIR": str(tmp_path)}) == {}


def test_errors_of_spark_are_summarized_in_one_line() -> None:
    in_python = "Job aborted: Task 0 failed\nTraceback (most recent call last):\n  File x\nValueError: no\n\n\tat java"
    assert summarize(in_python) == "ValueError: no."
    assert summarize("[PATH_NOT_FOUND] Path does not exist: file:/x. SQLSTATE: 42K03\nJVM") == (
        "[PATH_NOT_FOUND] Path does not exist: file:/x."
    )
    aborted = (
        "Job aborted: Lost task 0.0 (TID 1): org.apache.spark.SparkException: [MALFORMED] Bad records. SQLSTATE: 1"
    )
    assert summarize(f"{aborted}\nCaused by: java.Bad: end of input") == "[MALFORMED] Bad records."
    assert summarize("An error\njava.Bad: a\nCaused by: java.io.IOException: disk full\n\tat b") == "disk full."
    assert summarize("An error occurred while calling o1.x.\n: java.lang.Bad: stopped\n\tat b") == "stopped."
    assert "Install textsieve[spark]" in summarize("Traceback (most recent call last):\nE: No module named 'textsieve'")


def test_the_task_bar_of_a_connect_server(capsys: pytest.CaptureFixture[str]) -> None:
    from pyspark.sql.connect.shell.progress import StageInfo

    bar = task_bar(sys.stderr)
    bar([StageInfo(0, 4, 4, 0, True), StageInfo(1, 4, 2, 0, False)], 1, "x", False)
    bar([], 0, "x", True)
    drawn = capsys.readouterr().err.split("\r")
    assert progress_bar(6, 8, 1) in drawn
    assert progress_bar(6, 8, 1).count("=") == 30
    assert drawn[-2].isspace()


# -- a process of its own ----------------------------------------------------------------------------------------


def test_a_run_that_is_interrupted_leaves_nothing_behind(sessions: Sessions, news: Path) -> None:
    arguments = ["train", str(news), "-o", str(news.with_name("x")), "--engine", "spark", "--master", "local[1]"]
    conf = ["--conf", "spark.ui.enabled=false", "--conf", f"spark.driver.extraJavaOptions={QUICK}"]
    command = [sys.executable, "-m", "textsieve", *arguments, *conf]
    program = subprocess.Popen(command, env=environment(), stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        wait_for(lambda: tasks_of(program.pid) or None, lambda: "a task")
        started = descendants(program.pid)
        program.send_signal(signal.SIGINT)
        output, errors = program.communicate(timeout=60)
    finally:
        program.kill()
    assert program.returncode == 130, errors
    assert output == ""
    logged_by_spark = {
        "WARNING: Using incubator modules: jdk.incubator.vector",
        "Spark: Error in TaskCompletionListener",  # before 4.1, for the task that was cancelled
    }
    assert set(errors.splitlines()) <= logged_by_spark
    wait_for(lambda: not any(process.is_there for process in started) or None, lambda: f"the end of {started}")
    assert not news.with_name("x").exists()


def tasks_of(pid: int) -> list[Any]:
    return [process for process in descendants(pid) if "pyspark.daemon" in command_of(process)]


@pytest.mark.slow
def test_a_missing_java_is_an_error_of_one_line(tmp_path: Path) -> None:
    env = {name: value for name, value in os.environ.items() if name not in ("JAVA_HOME", "SPARK_REMOTE")}
    command = [sys.executable, "-m", "textsieve", "train", "x.parquet", "-o", str(tmp_path / "x"), "--engine", "spark"]
    done = subprocess.run(command, env={**env, "PATH": str(tmp_path)}, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith("error: Spark needs Java 17 or later, and there is none on this machine.")
