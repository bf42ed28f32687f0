"""The examples of the README print what it shows, and links and pictures of the first pages exist."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.docs.running import blocks_of, check_page, commands_of, is_run
from tests.terminals import Runner, running

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("*.md"))
LARGEST_PICTURE = 200_000
MEASURED = ("textsieve, default", "scikit-learn, TfidfVectorizer + LinearSVC", "fastText, 25 epochs, pairs of words")
"""The rows of benchmarks/PACKAGES.md that the README shows, in the order of its columns."""


@pytest.fixture(scope="module")
def runner() -> object:
    with running() as made:
        yield made


def test_the_code_of_the_readme_prints_what_it_shows(tmp_path: Path, runner: Runner) -> None:
    assert check_page(README, tmp_path, runner) == 6
    assert "<html" in (tmp_path / "tickets.html").read_text(encoding="utf-8")
    assert (tmp_path / "sorted.csv").read_text(encoding="utf-8").startswith("id,title,description,label,probability")


def test_commands_of_the_readme_that_do_not_run_are_known() -> None:
    blocks = [block for block in blocks_of(README.read_text(encoding="utf-8")) if block.language == "console"]
    commands = [command.command for block in blocks for command in commands_of(block)]
    assert {command.split()[0] for command in commands if not is_run(command)} == {"pip", "make"}


def test_the_readme_is_short() -> None:
    assert len(README.read_text(encoding="utf-8").splitlines()) <= 150


def table_rows(page: Path) -> dict[str, list[str]]:
    """Return the rows of the tables of a page by their first cell."""
    lines = [line for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {first: rest for first, *rest in rows}


def test_figures_beside_other_packages_are_those_that_were_measured() -> None:
    shown, measured = table_rows(README), table_rows(ROOT / "benchmarks" / "PACKAGES.md")
    models = [row for name, row in measured.items() if name in MEASURED]
    assert len(models) == len(MEASURED)
    columns = dict(zip(measured["model"], zip(*models, strict=True), strict=True))
    for row, column in {
        "training": "train",
        "predicting 7,532 texts": "predict 7,532",
        "size of the model": "file",
    }.items():
        assert shown[row][:3] == list(columns[column]), row
    assert [float(cell) for cell in shown["accuracy"][:3]] == [round(float(cell), 3) for cell in columns["accuracy"]]


def test_make_targets_exist() -> None:
    targets = set(re.findall(r"^\$ make (\w+)", README.read_text(encoding="utf-8"), re.MULTILINE))
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert targets == {"demo", "test"}
    assert targets <= set(re.findall(r"^(\w+):", makefile, re.MULTILINE))


def test_make_help_lists_every_target() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (targets,) = re.findall(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)
    listed = subprocess.run(["make", "-s", "-C", ROOT, "help"], capture_output=True, text=True, check=True).stdout
    assert [line.split()[0] for line in listed.splitlines()] == targets.split()
    assert all(len(line.split()) > 1 for line in listed.splitlines())


def test_make_pictures_runs_the_programs_that_draw_them() -> None:
    lines = subprocess.run(["make", "-C", ROOT, "-n", "pictures"], capture_output=True, text=True, check=True).stdout
    for name in ("gallery/make_gallery.py", "pictures/make_pictures.py"):
        assert (ROOT / "docs" / name).is_file()
        assert f"docs/{name}" in lines or f"docs.{name.removesuffix('.py').replace('/', '.')}" in lines
        assert f"`docs/{name}`" in (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")


PAGES = [README, *(ROOT / name for name in ("ARCHITECTURE.md", "CONTRIBUTING.md", "benchmarks/README.md")), *TUTORIALS]


@pytest.mark.every_case
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_and_named_files_exist(page: Path) -> None:
    for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        assert (page.parent / link).exists(), link


@pytest.mark.every_case
@pytest.mark.parametrize("page", [README, *TUTORIALS], ids=lambda page: page.name)
def test_pictures_are_described_and_small(page: Path) -> None:
    pictures = re.findall(r"!\[([^\]]*)\]\(([^)]+)\)", page.read_text(encoding="utf-8"))
    assert pictures
    for description, link in pictures:
        assert len(description.split()) > 3, link
        assert (page.parent / link).stat().st_size < LARGEST_PICTURE, link


@pytest.mark.every_case
@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.name)
def test_tutorials_are_short(page: Path) -> None:
    prose = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    assert len(prose.split()) <= 1500
