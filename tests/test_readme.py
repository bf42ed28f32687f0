"""What the README shows works as printed."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PYTHON_BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


@pytest.mark.parametrize("number", range(len(PYTHON_BLOCKS)))
def test_python_blocks_run_and_print_what_they_say(number: int, capsys: pytest.CaptureFixture[str]) -> None:
    code = PYTHON_BLOCKS[number]
    exec(compile(code, f"README.md, block {number}", "exec"), {"__name__": "readme"})
    printed = capsys.readouterr().out
    assert printed, "every block shows something"
    for expected in re.findall(r"^# (.*)$", code, re.MULTILINE):
        assert expected in printed


def test_there_are_python_blocks() -> None:
    assert len(PYTHON_BLOCKS) == 3


def test_make_targets_exist() -> None:
    targets = set(re.findall(r"^make (\w+)", README, re.MULTILINE))
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert targets
    assert targets <= set(re.findall(r"^(\w+):", makefile, re.MULTILINE))


@pytest.mark.parametrize("name", ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "benchmarks/README.md"])
def test_links_and_named_files_exist(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    folder = (ROOT / name).parent
    for link in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (folder / link).exists(), link


def test_public_names_are_in_the_readme() -> None:
    import textsieve

    for name in textsieve.__all__:
        assert f"`{name}`" in README, name
