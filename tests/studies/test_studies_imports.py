"""Studies use the public names of textsieve, and textsieve does not know studies."""

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

EXCEPTIONS = {
    "textsieve.comparison.json_lines": "the file of results: lines with checksums, and a lock",
    **dict.fromkeys(
        ("textsieve.selectors.chi", "textsieve.selectors.information", "textsieve.selectors.trace"),
        "the scores alone, whose time is measured",
    ),
}
"""Modules without public names that studies use, and why."""


def imports_of(path: Path) -> Iterator[tuple[str, str | None]]:
    """Yield each absolute import of a module: the module, and the name that is imported from it, if any."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level == 0:
            yield from ((str(node.module), alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((alias.name, None) for alias in node.names)


def modules_in(folder: str) -> list[Path]:
    return sorted((ROOT / folder).rglob("*.py"))


@pytest.mark.parametrize("path", modules_in("studies"), ids=lambda path: str(path.relative_to(ROOT)))
def test_studies_import_public_names_only(path: Path) -> None:
    own = [(module, name) for module, name in imports_of(path) if module.partition(".")[0] == "textsieve"]
    for module, name in own:
        if module not in EXCEPTIONS:
            assert module.count(".") <= 1, f"{module} is not public"
            assert name in import_module(module).__all__, f"{module} has no public name {name}"


def test_studies_name_papers_by_their_keys_not_by_numbers() -> None:
    texts = {path: path.read_text(encoding="utf-8") for path in modules_in("studies")}
    assert [str(path.relative_to(ROOT)) for path, text in texts.items() if re.search(r"(?i)\bpaper \d+", text)] == []


def test_exceptions_are_needed() -> None:
    used = {module for path in modules_in("studies") for module, _ in imports_of(path)}
    assert set(EXCEPTIONS) <= used


def test_the_package_imports_neither_studies_nor_benchmarks() -> None:
    for path in modules_in("src/textsieve"):
        packages = {module.partition(".")[0] for module, _ in imports_of(path)}
        assert not packages & {"studies", "benchmarks"}, path
