"""Tab completes commands, options, values, files and corpora in bash, zsh and fish."""

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pexpect
import pytest
from click.shell_completion import BashComplete, CompletionItem
from tests.depth import absent

from textsieve.cli.program import VERBS, program

SHELLS = {
    "bash": (["--norc", "--noprofile", "-i"], 'eval "$(_TEXTSIEVE_COMPLETE=bash_source textsieve)"'),
    "zsh": (["-f", "-i"], 'autoload -Uz compinit; compinit -u; eval "$(_TEXTSIEVE_COMPLETE=zsh_source textsieve)"'),
    "fish": (["--no-config", "-i"], "_TEXTSIEVE_COMPLETE=fish_source textsieve | source"),
}
"""The arguments of each shell, and the command of docs/how-to/shell-completion.md that sets up the completion."""
TYPED = {
    "expl": "ain",
    "train news.csv --fold-l": "abels",
    "train news.csv --classifier rocc": "hio",
    "predict inb": "ox.jsonl",
    "train newsg": "roups",
    "corpora reu": "ters",
}
"""What is typed after the name of the program, and what the shell adds."""


@pytest.mark.slow
@pytest.mark.every_case
@pytest.mark.parametrize("shell", SHELLS)
def test_tab_completes_in_a_shell(shell: str, tmp_path: Path) -> None:
    if shutil.which(shell) is None:
        absent(f"there is no {shell} on this machine")
    (tmp_path / "inbox.jsonl").touch()
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin" / "textsieve"
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m textsieve "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}/bin:{os.environ['PATH']}", "HOME": str(tmp_path), "TERM": "dumb"}
    arguments, set_up = SHELLS[shell]
    terminal = pexpect.spawn(
        shell, arguments, env=environment, cwd=tmp_path, encoding="utf-8", timeout=90, dimensions=(40, 200)
    )
    try:
        terminal.sendline(f"{set_up}; echo set''up")
        terminal.expect_exact("setup")
        for number, (typed, added) in enumerate(TYPED.items()):
            terminal.send(f"textsieve {typed}\t")
            terminal.expect_exact(added)
            terminal.sendcontrol("u")  # empties the line
            terminal.sendline(f"echo next''{number}")  # the shell is ready again when it prints this
            terminal.expect_exact(f"next{number}")
    finally:
        terminal.close(force=True)


def completions(*arguments: str, incomplete: str = "") -> list[CompletionItem]:
    """Return what a shell is told for a word after some arguments."""
    return BashComplete(program, {}, "textsieve", "_TEXTSIEVE_COMPLETE").get_completions([*arguments], incomplete)


def test_all_commands_are_listed_with_their_help() -> None:
    assert {item.value: item.help for item in completions()} == VERBS


def test_a_file_takes_precedence_over_a_corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert [item.value for item in completions("train", incomplete="newsg")] == ["newsgroups"]
    (tmp_path / "newsgathering.csv").touch()
    assert [(item.value, item.type) for item in completions("train", incomplete="newsg")] == [("newsg", "file")]


@pytest.mark.parametrize(
    "arguments",
    [("predict",), ("predict", "m.sieve"), ("update", "m.sieve", "a.jsonl"), ("terms", "x", "--stop-words")],
    ids=" ".join,
)
def test_arguments_that_are_files_are_completed_by_the_shell(arguments: tuple[str, ...]) -> None:
    assert [item.type for item in completions(*arguments)] == ["file"]


def test_a_text_is_not_completed() -> None:
    assert completions("explain", "m.sieve") == []


def test_nothing_is_completed_after_an_unknown_command() -> None:
    assert completions("trian", incomplete="--te") == []


def test_completing_imports_neither_commands_nor_heavy_packages() -> None:
    code = (
        "import sys\n"
        "from textsieve.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print('\\nLOADED', *sys.modules)\n"
    )
    environment = {**os.environ, "_TEXTSIEVE_COMPLETE": "bash_complete", "COMP_WORDS": "textsieve t", "COMP_CWORD": "1"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    printed, loaded = done.stdout.split("\nLOADED ")
    assert printed.split() == ["plain,train", "plain,terms"]
    assert not {"numpy", "rich", "textsieve.cli.options", "textsieve.cli.train"} & set(loaded.split())
