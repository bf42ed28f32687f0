"""What a release consists of agrees: versions, the changelog, the Dockerfile, workflows and links."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
VERSION = PROJECT["project"]["version"]


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_the_changelog_has_the_form_of_keep_a_changelog() -> None:
    headings = re.findall(r"^## (.*)$", text_of("CHANGELOG.md"), re.MULTILINE)
    assert headings[0] == "[Unreleased]"
    for heading in headings[1:]:
        assert re.fullmatch(r"\[\d+\.\d+\.\d+\] - \d{4}-\d{2}-\d{2}", heading)
    kinds = re.findall(r"^### (.*)$", text_of("CHANGELOG.md"), re.MULTILINE)
    assert set(kinds) <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def test_the_version_is_the_same_everywhere() -> None:
    assert re.findall(r"^## \[(\d.*?)\]", text_of("CHANGELOG.md"), re.MULTILINE)[0] == VERSION
    assert re.findall(r"^version: (.*)$", text_of("CITATION.cff"), re.MULTILINE) == [VERSION]


@pytest.mark.every_case
@pytest.mark.parametrize("name", ["CHANGELOG.md", "CONTRIBUTING.md", "RELEASING.md", "SECURITY.md"])
def test_links_lead_to_files(name: str) -> None:
    for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text_of(name)):
        assert (ROOT / link).exists(), link


def test_the_image_gets_all_files_from_which_the_wheel_is_built() -> None:
    copied = re.findall(r"^COPY (?!--from)(.*) \S+$", text_of("Dockerfile"), re.MULTILINE)
    names = {name for line in copied for name in line.split()}
    assert names <= {line.removeprefix("!") for line in text_of(".dockerignore").splitlines() if line.startswith("!")}
    wheel = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]
    used = [
        *wheel["packages"],
        *wheel["shared-data"],
        PROJECT["project"]["readme"],
        *PROJECT["project"]["license-files"],
    ]
    assert {path.split("/")[0] for path in used} <= names


def test_the_workflows_try_all_versions_of_python_that_the_metadata_names() -> None:
    named = re.findall(r"Python :: (3\.\d+)", " ".join(PROJECT["project"]["classifiers"]))
    assert named
    matrices = re.findall(r"python: \[(.*)\]", text_of(".github/workflows/tests.yml"))
    tried = [re.findall(r'"(.*?)"', matrix) for matrix in matrices]
    assert tried.count(named) == 2  # Linux and macOS, and Windows
    assert PROJECT["project"]["requires-python"] == f">={named[0]}"


def test_the_workflow_of_the_documentation_writes_the_page_whose_changes_it_looks_for() -> None:
    commands = re.findall(r"run: (.*)$", text_of(".github/workflows/docs.yml"), re.MULTILINE)
    before = commands[: commands.index("git diff --exit-code")]
    assert any("man" in command.split() for command in before if command.startswith("make "))


@pytest.mark.every_case
@pytest.mark.parametrize("name", ["tests", "deep"])
def test_workflows_skip_only_tests_on_corpora(name: str) -> None:
    jobs = re.split(r"^  (?=[\w-]+:$)", text_of(f".github/workflows/{name}.yml"), flags=re.MULTILINE)
    full = [job for job in jobs if re.search(r"run: make .*test-(all|lowest)", job)]
    assert full
    assert all(re.search(r'^    env: \{TEXTSIEVE_NO_DATA: "1"\}', job, re.MULTILINE) for job in full)
    assert not any(re.search(r"\bCI:", job) for job in jobs)


def test_make_targets_of_workflows_and_pages_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", text_of("Makefile"), re.MULTILINE))
    pages = [
        "CONTRIBUTING.md",
        "RELEASING.md",
        *(f".github/workflows/{name}.yml" for name in ("tests", "deep", "docs")),
    ]
    for page in pages:
        commands = re.findall(r"(?:`|run: )make ([a-z -]+)", text_of(page))
        assert page == "RELEASING.md" or commands
        for command in commands:
            assert set(command.split()) <= targets, (page, command)
