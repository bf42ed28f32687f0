"""`--help` imports no heavy packages, and explains every option."""

import runpy
import subprocess
import sys
from pathlib import Path

import click
import pytest
from tests.reference.cli_cases import Run

from textsieve.cli.program import VERBS, program
from textsieve.corpus.formats import FORMATS
from textsieve.registry import CLASSIFIERS, PROJECTIONS, SELECTORS

ROOT = Path(__file__).parents[2]
HEAVY = {"numpy", "scipy", "sklearn", "numba", "llvmlite", "pyarrow", "safetensors", "rich"}


def test_help_imports_no_heavy_packages() -> None:
    runs = [["--help"], ["--version"], [], *([verb, "--help"] for verb in VERBS)]
    code = (
        "import sys, textsieve.cli\n"
        f"for arguments in {runs!r}:\n"
        "    sys.argv = ['textsieve', *arguments]\n"
        "    try: textsieve.cli.main()\n"
        "    except SystemExit: pass\n"
        "    print('\\nLOADED', *{name.partition('.')[0] for name in sys.modules})\n"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True)
    lines = [line for line in done.stdout.splitlines() if line.startswith("LOADED")]
    for arguments, line in zip(runs, lines, strict=True):
        assert not set(line.split()) & HEAVY, arguments


def command_of(verb: str) -> click.Command:
    command = program.get_command(click.Context(program), verb)
    assert command is not None
    return command


@pytest.mark.parametrize("verb", VERBS)
def test_the_short_help_is_the_first_line_of_the_help(verb: str, run: Run) -> None:
    assert command_of(verb).get_short_help_str(200) == VERBS[verb]
    assert VERBS[verb].split(",")[0] in run("--help").stdout


@pytest.mark.parametrize("verb", VERBS)
def test_every_option_is_explained(verb: str) -> None:
    for parameter in command_of(verb).params:
        assert isinstance(parameter, click.Argument) or getattr(parameter, "help", None), parameter.name


def test_the_choices_are_those_of_the_tables(run: Run) -> None:
    text = " ".join(run("train", "--help").stdout.split())
    for names in (["auto", *SELECTORS, "none"], PROJECTIONS, CLASSIFIERS, [row.name for row in FORMATS]):
        assert f"[{'|'.join(names)}]" in text


def test_the_manual_page_is_up_to_date_and_has_all_options() -> None:
    made = runpy.run_path(str(ROOT / "man/man_page.py"))
    page = made["TARGET"].read_text(encoding="utf-8")
    assert page == made["manual"](), "run `make man`"
    for verb in VERBS:
        _, found, text = page.partition(f'.SS "textsieve {verb}"\n')
        assert found
        described = text.partition("\n.S")[0].replace("\\-", "-")
        for option in command_of(verb).params:
            if isinstance(option, click.Option) and not option.hidden:
                assert option.opts[-1] in described, (verb, option.name)


def test_the_manual_page_has_no_roff_commands_of_texts() -> None:
    escape = runpy.run_path(str(ROOT / "man/man_page.py"))["escape"]
    assert escape(".gz\n'x' -o a\\b") == "\\&.gz\n\\(aqx\\(aq \\-o a\\eb"


def test_python_m_is_the_same_program() -> None:
    done = subprocess.run([sys.executable, "-m", "textsieve", "--help"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("Usage: textsieve ")


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["trian"],
        ["train"],
        ["train", "docstrings"],
        ["train", "docstrings", "-o", "x", "--selector", "magic"],
        ["train", "docstrings", "-o", "x", "--classifier", "magic"],
        ["train", "docstrings", "-o", "x", "--held-out", "1"],
        ["train", "docstrings", "-o", "x", "--folds", "1"],
        ["train", "docstrings", "-o", "x", "--ngrams", "2-1"],
        ["train", "docstrings", "-o", "x", "-k", "many"],
        ["train", "docstrings", "-o", "x", "-k", "0"],
        ["train", "docstrings", "-o", "x", "-k", "1.5"],
        ["train", "docstrings", "-o", "x", "--min-df", "few"],
        ["train", "docstrings", "-o", "x", "--selector-option", "pooling"],
        ["train", "docstrings", "-o", "x", "--class-weight", "heavy"],
        ["train", "docstrings", "-o", "x", "--class-weight", "sqrt", "--class-weight", "balanced"],
        ["train", "docstrings", "-o", "x", "--stop-words", "nowhere.txt"],
        ["train", "docstrings", "-o", "x", "--format", "xls"],
        ["train", "docstrings", "-o", "x", "--encoding", "klingon"],
        ["train", "docstrings", "-o", "x", "--jobs", "0"],
        ["train", "docstrings", "-o", "x", "--jobs", "many"],
        ["train", "docstrings", "-o", "-"],
        ["predict", "model"],
        ["predict", "model", "path", "--top", "0"],
        ["explain", "model"],
        ["terms", "docstrings", "-k", "0"],
        ["info"],
    ],
    ids=" ".join,
)
def test_wrong_usage_exits_with_2(
    arguments: list[str], run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run(*arguments, exit_code=2)
    assert "Usage: textsieve" in result.stderr
    assert "\nerror: " in result.stderr, "in lowercase, like the errors that are no wrong usage"
    assert "Error: " not in result.stderr
    assert result.stdout == ""
    assert not list(tmp_path.iterdir())


def test_without_arguments_the_help_is_shown(run: Run) -> None:
    printed = run(exit_code=2).stderr
    assert printed.startswith("Usage: textsieve [OPTIONS] COMMAND [ARGS]...")
    assert "error:" not in printed


@pytest.mark.parametrize(
    ("arguments", "printed"),
    [
        (["trian"], "There is no command 'trian'. Did you mean 'train'?"),
        (["nonsense"], "Commands: check, train, predict"),
        (["terms", "x", "--stop-words", "klingon"], "'klingon' is no language and no file"),
        (["terms", "x", "--encoding", "klingon"], "unknown encoding: klingon"),
        (["terms", "x", "--jobs", "0"], "'0'; use a number of threads from 1, or -1 for all cores"),
        (["train", "x", "-o", "-"], "a model is written to a file"),
    ],
    ids=str,
)
def test_messages_about_wrong_usage_have_a_hint(
    arguments: list[str], printed: str, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    assert printed in " ".join(run(*arguments, exit_code=2).stderr.split())
