"""Every subcommand with standard error on a terminal, and standard output a terminal, a file, a pipe or closed."""

from __future__ import annotations

import io
import json
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from tests.reference.cli_cases import CORRECTIONS, documents, lines, write_csv
from tests.terminals import Kind, Outcome, Runner, running, screen_of

from textsieve.cli.program import VERBS
from textsieve.progress import REDRAWS_PER_SECOND, progress_display

COMMANDS = {
    "check": "check news.csv",
    "train": "train news.csv -o new.sieve",
    "predict": "predict news.sieve news.csv",
    "update": "update kept.sieve feedback.jsonl --dry-run",
    "evaluate": "evaluate news.sieve news.csv",
    "explain": "explain news.sieve striker",
    "terms": "terms news.csv -k 5",
    "compare": "compare news.csv --selectors ig,chi -k 5 --folds 2 --results results.jsonl",
    "subspace": "subspace news.csv -k 10 --members 2 --repeats 1",
    "serve": "serve news.sieve --port 0",
    "describe": "describe described.sieve --title News",
    "info": "info news.sieve",
    "corpora": "corpora",
    "suggest": "suggest news.sieve pool.txt -n 3",
}
HOSTILE = {
    "LANG": "C",
    "LC_ALL": "POSIX",
    "PYTHONIOENCODING": "ascii",
    "TERM": "dumb",
    "NO_COLOR": "1",
    "COLUMNS": "20",
}
PER_MINUTE = 8_000
"""Bytes that progress may write in a minute."""
VARYING = re.compile(r"(?m)^Seconds:? .*$|took [\d.]+ seconds|(?<=127\.0\.0\.1:)\d+|^.* [A-Z]+ /\S* .*$")
"""Matches output that differs between runs: seconds, the port of the service, and its log of requests."""


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    """Yield a runner of subcommands, which all tests of this module share."""
    with running() as made:
        yield made


@pytest.fixture(scope="module")
def folder(runner: Runner, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with documents, two models, and results that `compare` resumes."""
    made = tmp_path_factory.mktemp("terminal")
    write_csv(made / "news.csv", [(f"{text} größe", label) for text, label in documents()])
    lines(made / "feedback.jsonl", *CORRECTIONS)
    (made / "pool.txt").write_text("".join(f"{text} größe\n" for text, _ in CORRECTIONS), encoding="utf-8")
    for command in (
        "train news.csv -o news.sieve --no-sources",
        "train news.csv -o kept.sieve --classifier nb --keep-stats",
        COMMANDS["compare"],
    ):
        outcome = runner.run(*command.split(), folder=made, stderr="pipe")
        assert outcome.code == 0, outcome.told
    shutil.copy(made / "news.sieve", made / "described.sieve")
    return made


@pytest.fixture
def run(runner: Runner, folder: Path) -> Any:
    """Return a function that runs a subcommand in the folder."""

    def call(verb: str, *more: object, **settings: Any) -> Outcome:
        until = b"Ctrl-C ends it" if verb == "serve" and settings.get("stdout") != "closed" else None
        return runner.run(*COMMANDS[verb].split(), *more, folder=folder, until=until, **settings)

    return call


@pytest.fixture(scope="module")
def expected(runner: Runner, folder: Path) -> dict[str, str]:
    """Return the output of each subcommand if both output streams are pipes."""
    outputs = {}
    for verb, command in COMMANDS.items():
        until = b"Ctrl-C ends it" if verb == "serve" else None
        outcome = runner.run(*command.split(), folder=folder, stderr="pipe", until=until)
        assert outcome.code == 0, outcome.told
        assert outcome.printed, verb
        outputs[verb] = without_varying(outcome.printed.decode())
    return outputs


PREDICT_NOTE = "note: Columns: text from 'body'; not used: 'topic'"
"""What `predict` prints on standard error."""
LOG_LINE = re.compile(r"\d{4}-\d\d-\d\dT\S+Z ")
"""The beginning of a line in the log of `serve`, which goes to standard error."""


def without_varying(text: str) -> str:
    """Replace everything that differs from run to run."""
    return VARYING.sub("...", text)


def test_every_subcommand_is_tested() -> None:
    assert set(COMMANDS) == set(VERBS) - {"warmup"}  # its output depends on what is compiled: see test_cli_warmup.py


@pytest.mark.slow
@pytest.mark.parametrize(
    ("verb", "stdout"), [(verb, ("file", "pipe")[number % 2]) for number, verb in enumerate(COMMANDS)]
)
def test_a_terminal_as_standard_error_changes_no_byte_of_the_output(
    verb: str, stdout: Kind, run: Any, expected: dict[str, str]
) -> None:
    outcome = run(verb, stdout=stdout)
    assert outcome.code == 0, outcome.told
    assert without_varying(outcome.printed.decode()) == expected[verb]
    note = PREDICT_NOTE if verb == "predict" else ""
    assert screen_of(outcome.told).strip() == note or verb == "serve", "progress is erased"


@pytest.mark.slow
@pytest.mark.parametrize("verb", COMMANDS)
def test_a_terminal_shows_the_output_and_nothing_of_the_progress(verb: str, run: Any, expected: dict[str, str]) -> None:
    outcome = run(verb, stdout="terminal")
    assert outcome.code == 0, outcome.told
    shown = without_varying(screen_of(outcome.told)).splitlines()
    wanted = [*([PREDICT_NOTE] if verb == "predict" else []), *expected[verb].splitlines()]
    if verb == "serve":
        shown = [line for line in shown if not LOG_LINE.match(line)]
    if verb == "explain":  # on a terminal with colours, it also shows the text
        assert "striker" in shown
        shown = [line for line in shown if line in wanted]
    assert [line.rstrip() for line in shown if line] == [line.rstrip() for line in wanted if line]


@pytest.mark.slow
@pytest.mark.parametrize("verb", ["train", "evaluate", "terms"])
def test_a_pipe_that_nobody_reads_ends_quietly(verb: str, run: Any) -> None:
    outcome = run(verb, stdout="unread", stderr="pipe")
    assert (outcome.code, outcome.told) == (141, b"")


@pytest.mark.slow
def test_progress_is_shown_on_a_terminal(run: Any) -> None:
    outcome = run("train")
    assert outcome.code == 0
    assert b"\x1b" not in outcome.printed
    assert b"Seconds" in outcome.printed
    assert b"\x1b" in outcome.told
    assert any(stage in outcome.told for stage in (b"counting", b"held out", b"selecting", b"training", b"writing"))


@pytest.mark.slow
def test_json_is_not_mixed_with_progress_or_warnings(run: Any) -> None:
    outcome = run("train", "-k", 1000, "--json")
    assert json.loads(outcome.printed)["n_terms"] == 25
    assert b"warning: --terms 1000," in outcome.told
    assert b".py:" not in outcome.told


@pytest.mark.parametrize("verb", COMMANDS)
def test_a_closed_standard_output_ends_with_a_message(verb: str, run: Any) -> None:
    for stderr in ("terminal", "pipe"):
        outcome = run(verb, stdout="closed", stderr=stderr)
        assert (outcome.code, outcome.told.splitlines()) == (
            1,
            [b"error: standard output is closed; redirect it to a file or to /dev/null."],
        )


@pytest.mark.parametrize("verb", COMMANDS)
def test_closed_standard_error_and_input_change_no_byte_of_the_output(
    verb: str, run: Any, expected: dict[str, str]
) -> None:
    outcome = run(verb, stderr="closed", stdin="closed")
    assert outcome.code == 0
    assert without_varying(outcome.printed.decode()) == expected[verb]


@pytest.mark.slow
@pytest.mark.parametrize("verb", COMMANDS)
def test_a_narrow_ascii_terminal_without_colours_is_enough(verb: str, run: Any) -> None:
    outcome = run(verb, stdout="terminal", **HOSTILE)
    assert outcome.code == 0, outcome.told
    assert outcome.told.isascii()
    assert b"\x1b" not in outcome.told


def test_predictions_are_the_same_in_every_locale(run: Any, folder: Path, expected: dict[str, str]) -> None:
    assert run("predict", "-o", "out.jsonl", **HOSTILE).code == 0
    assert (folder / "out.jsonl").read_text(encoding="utf-8") == expected["predict"]
    spelled = run("predict", **HOSTILE).printed
    assert spelled.isascii()
    assert [*map(json.loads, spelled.splitlines())] == [*map(json.loads, expected["predict"].splitlines())]


# -- how much a terminal gets ------------------------------------------------------------------------------------------


class Terminal(io.StringIO):
    """A terminal that stores everything that is written to it."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def make_terminal(monkeypatch: pytest.MonkeyPatch) -> Callable[[], Terminal]:
    """Return a function that replaces standard error by a terminal.

    The test itself must call it, because pytest replaces standard error after the fixtures are set up.
    """

    def make() -> Terminal:
        for name, value in (("TERM", "xterm"), ("COLUMNS", "100"), ("NO_COLOR", "")):
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(sys, "stderr", Terminal())
        assert isinstance(sys.stderr, Terminal)
        return sys.stderr

    return make


def bound(seconds: float) -> float:
    """Return how many bytes progress may write in that time: a few lines at once, and a constant rate."""
    return 1_000 + PER_MINUTE * seconds / 60


def test_frequent_progress_is_drawn_rarely(make_terminal: Callable[[], Terminal]) -> None:
    terminal = make_terminal()
    begin = time.monotonic()
    with progress_display() as tell:
        for number in range(50_000):
            tell(f"stage {number // 10} of many with a name that is rather long", number, 50_000)
    assert "stage 0 of many" in terminal.getvalue()
    assert len(terminal.getvalue()) < bound(time.monotonic() - begin)


def test_a_minute_of_progress_takes_few_bytes(make_terminal: Callable[[], Terminal]) -> None:
    terminal = make_terminal()
    with progress_display() as tell:
        tell("training fold 10 of 10", 123_456_789, 987_654_321)
        drawn = len(terminal.getvalue())
    assert drawn > 50
    assert 60 * REDRAWS_PER_SECOND * drawn < PER_MINUTE


def test_many_predictions_write_few_bytes_to_the_terminal(runner: Runner, folder: Path) -> None:
    write_csv(folder / "long.csv", documents(1000))
    begin = time.monotonic()
    outcome = runner.run("predict", "news.sieve", "long.csv", folder=folder, stdout="file")
    assert (outcome.code, outcome.printed.count(b"\n")) == (0, 3_000)
    assert b"predicting" in outcome.told
    assert len(outcome.told) < bound(time.monotonic() - begin)


def test_messages_are_above_the_progress_and_stay(make_terminal: Callable[[], Terminal]) -> None:
    terminal = make_terminal()
    with progress_display() as tell:
        tell("reading", 1, 2)
        click.echo("warning: a short one", err=True)
        tell("reading", 2, 2)
    assert screen_of(terminal.getvalue().encode()).strip() == "warning: a short one"


def test_progress_writes_nothing_to_standard_output(
    make_terminal: Callable[[], Terminal], capsys: pytest.CaptureFixture[str]
) -> None:
    terminal = make_terminal()
    with progress_display() as tell:
        tell("reading", 1, 2)
        print("result")
    assert capsys.readouterr().out == "result\n"
    assert "reading" in terminal.getvalue()
    assert "result" not in terminal.getvalue()
