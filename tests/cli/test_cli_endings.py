"""How a process ends: exit codes, Ctrl-C, pipes without a reader, closed streams, full disks, other encodings."""

from __future__ import annotations

import json
import os
import pty
import re
import resource
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.exceptions import Exit
from tests.reference.cli_cases import documents, write_csv

from textsieve.cli.errors import handle_errors

COMMAND = [sys.executable, "-m", "textsieve"]
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "PYTHONIOENCODING")}

NOTE = "note: Columns: text from 'body'; not used: 'topic'\n"
"""What `predict` prints on standard error for the fixture `news`."""


def started(*arguments: object, **settings: object) -> subprocess.Popen[bytes]:
    """Start the command in a process of its own, with pipes for its streams."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "env": ENVIRONMENT}
    return subprocess.Popen([*COMMAND, *map(str, arguments)], **{**pipes, **settings})  # type: ignore[call-overload, no-any-return]


def test_exit_codes(model: Path, tmp_path: Path) -> None:
    for arguments, code in ((["info", model], 0), (["info", tmp_path / "none"], 1), (["info"], 2)):
        run = started(*arguments)
        assert run.communicate()[0] == b"" or code == 0
        assert run.returncode == code


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        "predict {model} {news}",
        "info {model}",
        "info {model} --terms",
        "info {model} --json",
        "explain {model} striker",
        "--help",
    ],
)
def test_a_pipe_that_nobody_reads_ends_quietly(arguments: str, model: Path, news: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    run = started(*arguments.format(model=model, news=news).split(), stdout=writing)
    os.close(writing)
    assert run.communicate()[1] == (NOTE.encode() if arguments.startswith("predict") else b"")
    assert run.returncode == 141


def test_a_reader_may_stop_in_a_long_output(model: Path, tmp_path: Path) -> None:
    long = write_csv(tmp_path / "long.csv", documents(3000))
    with started("predict", model, long) as run:
        assert run.stdout is not None
        assert run.stderr is not None
        assert json.loads(run.stdout.readline())["label"] == "sport"
        run.stdout.close()
        assert run.stderr.read() == NOTE.encode()
    assert run.returncode == 141


def test_data_that_ends_too_early_is_not_reported_as_aborted(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(Exit) as ended, handle_errors():
        raise EOFError("Ran out of input")
    assert ended.value.exit_code == 1
    assert capsys.readouterr().err == "error: some input ended too early (Ran out of input).\n"


def read_within(run: subprocess.Popen[bytes], seconds: float) -> bytes:
    """Return the output up to the end of a line, or until the time is over."""
    assert run.stdout is not None
    end, read = time.monotonic() + seconds, b""
    while not read.endswith(b"\n") and select.select([run.stdout], [], [], max(0, end - time.monotonic()))[0]:
        piece = os.read(run.stdout.fileno(), 1 << 16)
        if not piece:
            break
        read += piece
    return read


def test_json_lines_are_answered_as_they_come_until_ctrl_c(model: Path) -> None:
    run = started("predict", model, "-")
    assert run.stdin is not None
    for text, label in (("the striker", "sport"), ("the minister", "politics")):
        run.stdin.write(json.dumps({"text": text}).encode() + b"\n")
        run.stdin.flush()
        assert json.loads(read_within(run, 60))["label"] == label
    run.send_signal(signal.SIGINT)
    rest, outcome = run.communicate()
    assert (run.returncode, rest, outcome) == (130, b"", b"")


@pytest.mark.slow
def test_ctrl_c_while_training_leaves_the_old_model(model: Path, tmp_path: Path) -> None:
    output = tmp_path / "model.sieve"
    output.write_bytes(model.read_bytes())
    run = started("train", "-", "-o", output)
    assert run.stdin is not None
    run.stdin.write(b"text,label\n" + b"a,b\n" * (1 << 18))  # more than a pipe holds, so the command has begun to read
    run.stdin.flush()
    run.send_signal(signal.SIGINT)
    assert run.communicate() == (b"", b"")
    assert run.returncode == 130
    assert output.read_bytes() == model.read_bytes()
    assert {path.name for path in tmp_path.iterdir()} == {"model.sieve"}


def test_ctrl_c_while_predicting_leaves_no_half_output(model: Path, tmp_path: Path) -> None:
    run = started("predict", model, "-", "-o", tmp_path / "out")
    assert run.stdin is not None
    run.stdin.write(b'{"text": "the striker"}\n' * (1 << 14))  # more than a pipe holds
    run.stdin.flush()
    run.send_signal(signal.SIGINT)
    assert run.communicate() == (b"", b"")
    assert run.returncode == 130
    assert not list(tmp_path.iterdir())


def test_a_closed_standard_input_raises_an_error(model: Path) -> None:
    script = f"exec {' '.join(COMMAND)} predict {model} - <&-"
    run = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert run.stderr.startswith("error: standard input: is closed")


@pytest.mark.parametrize(
    ("redirection", "code", "outcome"),
    [
        (">&-", 1, "error: standard output is closed; redirect it to a file or to /dev/null.\n"),
        (">&- 2>&-", 1, ""),
        ("2>&-", 0, ""),
        ("<&- 2>&-", 0, ""),
    ],
)
def test_closed_streams_do_not_stop_a_run(redirection: str, code: int, outcome: str, model: Path) -> None:
    script = f"exec {' '.join(COMMAND)} info {model} {redirection}"
    run = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (code, outcome)
    assert bool(run.stdout) == (code == 0)


def test_a_file_that_is_written_never_becomes_a_closed_standard_error(model: Path, tmp_path: Path) -> None:
    texts = tmp_path / "texts.txt"
    texts.write_text("nothing known\n", encoding="utf-8")  # documents without known terms cause a warning
    script = f"exec {' '.join(COMMAND)} predict {model} {texts} -o {tmp_path}/out <&- 2>&-"
    assert subprocess.run(["sh", "-c", script], capture_output=True, check=False).returncode == 0
    predictions = [json.loads(line) for line in (tmp_path / "out").read_text(encoding="utf-8").splitlines()]
    assert [prediction["unknown"] for prediction in predictions] == [True]


@pytest.mark.parametrize("arguments", ["info {model}", "predict {model} {news}", "--help"])
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_disk_behind_standard_output_is_named(arguments: str, unbuffered: str, model: Path, news: Path) -> None:
    with open("/dev/full", "wb") as full:
        environment = {**ENVIRONMENT, "PYTHONUNBUFFERED": unbuffered}
        run = started(*arguments.format(model=model, news=news).split(), stdout=full, env=environment)
    outcome = run.communicate()[1].decode()
    message = "error: standard output: No space left on device; free some space, or choose another place.\n"
    assert outcome.removeprefix(NOTE) == message
    assert run.returncode == 1


def without_space() -> None:
    """Limit the size of the files that this process writes, as on a disk that is nearly full."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))


def test_a_full_disk_behind_the_output_file_is_named(model: Path, news: Path, tmp_path: Path) -> None:
    run = started("predict", model, news, "-o", tmp_path / "out", preexec_fn=without_space)
    outcome = run.communicate()[1].decode()
    assert outcome == f"{NOTE}error: {tmp_path}/out: File too large; free some space, or choose another place.\n"
    assert run.returncode == 1
    assert not list(tmp_path.iterdir())


def test_a_full_temporary_folder_is_named(model: Path, news: Path, tmp_path: Path) -> None:
    environment = {**ENVIRONMENT, "TMPDIR": str(tmp_path)}
    run = started("predict", model, "-", env=environment, preexec_fn=without_space)
    outcome = run.communicate(news.read_bytes())[1].decode()
    assert outcome.startswith(f"error: {tmp_path}/textsieve-")
    assert "there is no space for standard input" in outcome
    assert outcome.endswith("Free some space, or set TMPDIR to a folder that has more.\n")
    assert run.returncode == 1
    assert not list(tmp_path.iterdir())


def handle_hangup() -> None:
    """Let SIGHUP end this process, also if the tests were started by nohup."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "number", "code"),
    [("train - -o {folder}/m", signal.SIGTERM, 143), ("predict {model} - -o {folder}/out", signal.SIGHUP, 129)],
)
def test_a_signal_removes_documents_in_the_temporary_folder(
    arguments: str, number: int, code: int, model: Path, tmp_path: Path
) -> None:
    words = arguments.format(folder=tmp_path, model=model).split()
    run = started(*words, env={**ENVIRONMENT, "TMPDIR": str(tmp_path)}, preexec_fn=handle_hangup)
    assert run.stdin is not None
    run.stdin.write(b"text,label\n" + b"a,b\n" * (1 << 18))  # more than a pipe holds, so the command has begun to read
    run.stdin.flush()
    assert list(tmp_path.glob("textsieve-*"))
    run.send_signal(number)
    assert run.communicate() == (b"", b"")
    assert run.returncode == code
    assert not list(tmp_path.iterdir())


def test_nohup_is_respected(model: Path) -> None:
    run = started("predict", model, "-", preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    assert run.stdin is not None
    for _ in range(2):
        run.stdin.write(json.dumps({"text": "the striker"}).encode() + b"\n")
        run.stdin.flush()
        assert json.loads(read_within(run, 60))["label"] == "sport"
        run.send_signal(signal.SIGHUP)
    assert run.communicate() == (b"", b"")
    assert run.returncode == 0


def test_a_handler_that_the_run_has_set_stays() -> None:
    handlers = dict.fromkeys((signal.SIGTERM, signal.SIGHUP), signal.SIG_DFL)
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        with handle_errors():
            assert signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL
            signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as the service does at its end
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def test_predictions_reach_a_file_in_a_terminal(model: Path, news: Path, tmp_path: Path) -> None:
    alone = started("predict", model, news).communicate()[0]
    with (tmp_path / "out").open("wb") as file:
        _, seen = in_terminal("predict", model, news, stdout=file)
    assert (tmp_path / "out").read_bytes() == alone
    assert b"label" not in seen


@pytest.mark.slow
def test_characters_that_the_output_lacks_are_replaced_and_no_progress_is_written(tmp_path: Path) -> None:
    names = {"sport": "спорт", "politics": "größe", "science": "science"}
    path = write_csv(tmp_path / "x.csv", [(text, names[label]) for text, label in documents()])
    environment = {**ENVIRONMENT, "PYTHONIOENCODING": "ascii"}
    run = started("train", path, "-o", tmp_path / "m", env=environment)
    printed, outcome = run.communicate()
    assert (run.returncode, outcome) == (0, b"")
    assert b"gr??e" in printed
    assert b"?????" in printed
    run = started("predict", tmp_path / "m", path, env=environment)
    labels = {json.loads(line)["label"] for line in run.communicate()[0].splitlines()}
    assert labels == set(names.values()), "JSON spells what the encoding lacks"


def in_terminal(*arguments: object, **settings: object) -> tuple[bytes, bytes]:
    """Run the command with a terminal as standard error, and return its output and what the terminal received."""
    terminal, own_end = pty.openpty()
    run = started(*arguments, stderr=own_end, env={**ENVIRONMENT, "TERM": "xterm", "COLUMNS": "100"}, **settings)
    os.close(own_end)
    seen = b""
    while True:
        try:
            piece = os.read(terminal, 1 << 16)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        seen += piece
    os.close(terminal)
    printed = run.communicate()[0]
    assert run.returncode == 0, seen
    return printed, seen


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "megabytes"),
    [
        ("info {model}", 100),
        ("explain {model} striker", 150),
        ("predict {model} {news}", 150),
        ("predict {model} {news}.parquet", 400),
        ("train {news} -o {folder}/m", 300),
        ("train {news} -o {folder}/m", 450),
        ("evaluate {model} {news}", 150),
        ("compare {news}", 400),
        ("update {model} {news}", 300),
    ],
)
def test_too_small_an_address_space_ends_with_a_message(
    arguments: str, megabytes: int, model: Path, news: Path, tmp_path: Path
) -> None:
    Path(f"{news}.parquet").write_bytes(b"PAR1 and what is never read PAR1")
    limit = (megabytes * 1_000_000, megabytes * 1_000_000)
    run = started(
        *arguments.format(model=model, news=news, folder=tmp_path).split(),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, limit),
    )
    printed, outcome = run.communicate(timeout=60)
    assert (run.returncode, printed) == (1, b"")
    advice = rb"( \S+ needs \d+ MB more; raise the limit of the address space \(ulimit -v\)\.)?"
    assert re.fullmatch(rb"error: there is not enough memory for this\." + advice + rb"\n", outcome)


def test_a_thread_that_cannot_be_started_is_a_lack_of_memory(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(Exit) as ended, handle_errors():
        raise RuntimeError("can't start new thread")
    assert ended.value.exit_code == 1
    assert capsys.readouterr().err == "error: there is not enough memory for this.\n"
    with pytest.raises(RuntimeError, match="another"), handle_errors():
        raise RuntimeError("another")
