"""Run the code of a documentation page, and compare what it prints with what the page shows.

- The blocks of a page run in order, in one folder that has the files of `docs/data/`.
- A `python` block runs in one namespace for the page. If the next block is a `text` block, that is what it prints; a
  `text` block anywhere else is an error. The code may warn about documents, as a reader sees on standard error; any
  other warning is an error.
- In a `console` block, a line that starts with `$ ` is a command, and the lines after it are its output, if there are
  any. A command may go on in the next line after a backslash. `textsieve` and some commands of the shell run; others
  do not. A block without a command is an error, and so is a pipeline of which any part fails.
- Blocks in the languages of `SHOWN` do not run; any other language, or none, is an error.
- `...` stands for anything within a line; as a line of its own, for any number of lines.
- `<!-- not run: reason -->` on the line before a block leaves the block out.
"""

from __future__ import annotations

import difflib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
import traceback
import warnings
from collections.abc import Iterator
from contextlib import chdir, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.terminals import Runner
from textsieve.errors import InputWarning

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
FENCE = re.compile(
    r"^(?:[ ]*<!--\s*(?P<reason>(?:(?!-->).)*?)\s*-->\n)?"
    r"^(?P<indent>[ ]*)(?P<fence>```+)[ ]*(?P<language>[\w-]*)[^\n]*\n(?P<code>.*?)^(?P=indent)(?P=fence)[ ]*$",
    re.MULTILINE | re.DOTALL,
)
NOT_RUN = re.compile(r"not run: \S")
SHELL_COMMANDS = {
    *("cat", "head", "tail", "wc", "cut", "sort", "grep", "ls", "echo", "printf"),
    *("mkdir", "cp", "mv", "rm", "gzip", "zcat", "python"),
}
"""Commands that run although they are not `textsieve`: they show or make files."""
SHOWN = {"json", "ini", "yaml", "nginx", "html", "sh", "bibtex"}
"""Languages of blocks that readers only look at."""
CLOSED_PIPE = 141
"""The exit code of a program that writes to another one that has ended, such as `head`."""
SHELL_CHARACTERS = set("|<>&;*$`")
ANY = "..."
SECONDS = 120


@dataclass(frozen=True)
class Block:
    """A block of code, its language, and the line of the page on which its code starts."""

    language: str
    code: str
    line: int
    is_run: bool = True


@dataclass(frozen=True)
class Command:
    """A command of a `console` block, the output that the page shows, and the line on which the page has it."""

    command: str
    output: str
    line: int


def blocks_of(page: str) -> list[Block]:
    """Return the blocks of a page, without indentation."""
    return [
        Block(
            match["language"],
            textwrap.dedent(match["code"]),
            page.count("\n", 0, match.start("code")) + 1,
            NOT_RUN.match(match["reason"] or "") is None,
        )
        for match in FENCE.finditer(page)
    ]


def commands_of(block: Block) -> list[Command]:
    """Return the commands of a `console` block; a block without a line that starts with `$ ` has none."""
    parts = re.split(r"^\$ ", block.code, flags=re.MULTILINE)
    if len(parts) > 1 and parts[0].strip():
        raise ValueError(f"line {block.line}: there is text before the first command of the block")
    commands, line = [], block.line + parts[0].count("\n")
    for part in parts[1:]:
        match = re.match(r"((?:[^\n]*\\\n)*[^\n]*)\n?(.*)", part, re.DOTALL)
        assert match is not None
        commands.append(Command(re.sub(r"\\\n\s*", "", match[1]).strip(), match[2], line))
        line += part.count("\n")
    return commands


def is_run(command: str) -> bool:
    """Return whether a command of a page is run."""
    return command.split()[0] in {"textsieve", *SHELL_COMMANDS}


def is_same(shown: str, printed: str) -> bool:
    """Return whether a program printed what a page shows, in which `...` stands for anything."""
    pattern = [_line_pattern(line) for line in shown.strip("\n").splitlines()]
    return re.fullmatch("".join(pattern), "".join(f"{line}\n" for line in _lines(printed))) is not None


def _line_pattern(line: str) -> str:
    return r"(?:[^\n]*\n)*?" if line.strip() == ANY else _within(line) + "\n"


def _within(line: str) -> str:
    """Return the pattern of a line in which `...` stands for any characters."""
    return "[^\n]*?".join(map(re.escape, line.rstrip().split(ANY)))


def _lines(printed: str) -> list[str]:
    return [line.rstrip() for line in printed.strip("\n").splitlines()]


def difference(shown: str, printed: str) -> str:
    """Return how the output differs from what the page shows; lines that `...` makes equal count as equal."""
    expected = [line.rstrip() for line in shown.strip("\n").splitlines()]
    patterns = {line: re.compile(_within(line)) for line in expected if ANY in line and line.strip() != ANY}
    lines = [next((own for own, p in patterns.items() if p.fullmatch(line)), line) for line in _lines(printed)]
    return "\n".join(difflib.unified_diff(expected, lines, "on the page", "printed", lineterm="", n=2))


def check_page(path: Path, folder: Path, runner: Runner) -> int:
    """Run the code of a page in a folder, and fail where it prints something else; return the number of steps run."""
    if (DOCS / "data").is_dir():
        shutil.copytree(DOCS / "data", folder, dirs_exist_ok=True)
    page = path.read_text(encoding="utf-8")
    return sum(1 for _ in _steps(path.name, blocks_of(page), folder, runner))


def _steps(name: str, blocks: list[Block], folder: Path, runner: Runner) -> Iterator[None]:
    check_languages(blocks)
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for number, block in enumerate(blocks):
        next_block = blocks[number + 1] if number + 1 < len(blocks) else None
        if block.language == "python" and block.is_run:
            printed = _run_python(name, block, namespace, folder)
            if next_block is not None and next_block.language == "text" and next_block.is_run:
                _compare(f"{name}, line {next_block.line}", next_block.code, printed)
            yield
        elif block.language == "console" and block.is_run:
            for command in commands_of(block):
                if is_run(command.command):
                    _run_command(name, command, folder, runner)
                    yield


def check_languages(blocks: list[Block]) -> None:
    """Raise ValueError if a block would not be checked without a reason."""
    for before, block in zip([None, *blocks], blocks, strict=False):
        place = f"line {block.line}"
        if block.language not in {"python", "text", "console", *SHOWN}:
            raise ValueError(f"{place}: the language of the block is {block.language!r}")
        if not block.is_run:
            continue
        if block.language == "text" and (before is None or before.language != "python" or not before.is_run):
            raise ValueError(f"{place}: the text block does not follow a python block that runs")
        if block.language == "console" and not commands_of(block):
            raise ValueError(f"{place}: the console block has no command")


def _run_python(name: str, block: Block, namespace: dict[str, Any], folder: Path) -> str:
    code = compile("\n" * (block.line - 1) + block.code, name, "exec")
    with chdir(folder), redirect_stdout(io.StringIO()) as printed, warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)
        try:
            exec(code, namespace)
        except Exception as error:
            frames = traceback.extract_tb(error.__traceback__)
            line = [frame.lineno for frame in frames if frame.filename == name][-1]
            raise AssertionError(f"{name}, line {line}: {type(error).__name__}: {error}") from error
    return printed.getvalue()


def _run_command(name: str, command: Command, folder: Path, runner: Runner) -> None:
    place = f"{name}, line {command.line}: {command.command}"
    words = shlex.split(command.command, comments=True)
    if words[0] == "textsieve" and not SHELL_CHARACTERS & set(_unquoted(command.command)):
        outcome = runner.run(*words[1:], folder=folder, stderr="pipe", merged=True, COLUMNS=None)
        code, printed = outcome.code, outcome.printed.decode()
    else:
        code, printed = _run_in_shell(command.command, folder)
    is_shown = bool(command.output.replace(ANY, "").strip())
    if code != 0 and not is_shown:
        raise AssertionError(f"{place}\nexit code {code}\n{printed}")
    if command.output.strip():
        _compare(place, command.output, printed)


def _unquoted(command: str) -> str:
    return re.sub(r"'[^']*'|\"[^\"$`]*\"|(?<!\S)#.*", "", command)


def _run_in_shell(command: str, folder: Path) -> tuple[int, str]:
    """Run a command with pipes, redirections or other programs, as a reader would."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    environment |= {"PATH": path, "PYTHONUNBUFFERED": "1", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=SECONDS,
    )
    return 0 if done.returncode == CLOSED_PIPE else done.returncode, done.stdout.decode()


def _compare(place: str, shown: str, printed: str) -> None:
    if not is_same(shown, printed):
        raise AssertionError(f"{place}\n{difference(shown, printed)}")
