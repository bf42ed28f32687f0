"""Pages have links that lead somewhere, are short, and have a place in the navigation; the reference is complete."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import click
import pytest
from website.hooks import PROJECT_PAGES, navigation, with_generated_parts, with_site_links, without_brackets
from website.http_api import openapi

import textsieve
from tests.docs.running import DOCS, FENCE, ROOT, blocks_of, commands_of
from textsieve.categorizer_settings import SETTINGS
from textsieve.cli.program import VERBS
from textsieve.serve.api_errors import ERROR_CODES, EXTRA_HEADERS

PAGES = sorted(DOCS.rglob("*.md"))
NAMES = [page.relative_to(DOCS).as_posix() for page in PAGES]
MOST_WORDS = 1500
PACKAGES = ("textsieve", "textsieve.ensembles", "textsieve.evaluation", "textsieve.comparison", "textsieve.spark")
SPARK = "textsieve.spark"
BASE_CLASSES = {"textsieve.selectors.TermSelector"}
"""Classes that the reference has although they are not exported: they document inherited methods."""
CODE = re.compile(r"`[^`\n]*`")
ANY_LINK = re.compile(r"!?\[(?:[^\]\[]|\[[^\]]*\])*\]\(([^)\s]+)(?: [^)]*)?\)")


def prose_of(markdown: str) -> str:
    """Return a page without code blocks, tables and comments."""
    markdown = re.sub(r"<!--.*?-->", "", FENCE.sub("", markdown), flags=re.DOTALL)
    return "\n".join(line for line in markdown.splitlines() if not line.lstrip().startswith(("|", ":::")))


@cache
def whole_page(page: Path) -> str:
    """Return the text of a page with its generated parts."""
    return with_generated_parts(page.read_text(encoding="utf-8"))


def anchors_of(markdown: str) -> set[str]:
    """Return the anchors of a page: of its headings, of names from docstrings, and explicit ones."""
    text = FENCE.sub("", markdown)
    slugs: Counter[str] = Counter()
    anchors = set(re.findall(r"^::: (\S+)", text, re.MULTILINE)) | set(re.findall(r"id=\"([^\"]+)\"", text))
    for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE):
        match = re.search(r"\{ ?#([\w-]+) ?\}", heading)
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = match[1] if match else re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", plain).strip().lower())
        anchors.add(f"{slug}_{slugs[slug]}" if slugs[slug] else slug)
        slugs[slug] += 1
    return anchors


def broken_links(page: Path, markdown: str) -> list[str]:
    """Return the links of a page to files and anchors that do not exist."""
    broken = []
    for link in ANY_LINK.findall(CODE.sub("", FENCE.sub("", markdown))):
        path, _, anchor = link.partition("#")
        if re.match(r"[a-z]+:", link):
            continue
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and target.suffix == ".md" and anchor not in anchors_of(whole_page(target))):
            broken.append(link)
    return broken


@pytest.mark.every_case
@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_links_lead_to_files_and_headings(page: Path) -> None:
    assert broken_links(page, whole_page(page)) == []


@pytest.mark.parametrize(
    ("markdown", "broken"),
    [
        ("[a](glossary.md)", []),
        ("[a](glossary.md#terms-and-weights)", []),
        ("[a](nowhere.md)", ["nowhere.md"]),
        ("[a](glossary.md#nowhere)", ["glossary.md#nowhere"]),
        ("![a](nowhere.svg)", ["nowhere.svg"]),
        ("[a `b`](nowhere.md) `[c](d.md)`", ["nowhere.md"]),
        ("# A title, and more!\n[a](#a-title-and-more) [b](#nowhere)", ["#nowhere"]),
        ("[a](https://example.org/nowhere)", []),
    ],
)
def test_broken_links_are_noticed(markdown: str, broken: list[str], tmp_path: Path) -> None:
    page = DOCS / "index.md"
    if "#a-title" in markdown:  # links within the page itself
        page = tmp_path / "page.md"
        page.write_text(markdown, encoding="utf-8")
    assert broken_links(page, markdown) == broken


@pytest.mark.every_case
@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_pages_are_short(page: Path) -> None:
    assert len(prose_of(page.read_text(encoding="utf-8")).split()) <= MOST_WORDS


def test_words_in_code_and_tables_do_not_count() -> None:
    page = "one two\n\n```python\nthree = 3\n```\n\n| four | five |\n|---|---|\n\n<!-- six -->\nseven\n"
    assert prose_of(page).split() == ["one", "two", "seven"]


FROM_PYPI = re.compile(r"\b(?:pip|pipx|uv|uvx|conda)\b[^\n`#]*?\s[\"']?textsieve\b(?![/.])")


@pytest.mark.every_case
@pytest.mark.parametrize("page", [*PAGES, ROOT / "README.md"], ids=[*NAMES, "README.md"])
def test_no_page_installs_textsieve_from_pypi_because_it_is_not_there_before_the_first_release(page: Path) -> None:
    assert FROM_PYPI.findall(whole_page(page)) == []


@pytest.mark.every_case
@pytest.mark.parametrize(
    ("text", "is_from_pypi"),
    [
        ("$ pip install textsieve", True),
        ("`pip install 'textsieve[excel]'`", True),
        ('$ uv pip install --upgrade "textsieve[all]"', True),
        ("$ pip install '.[excel]'", False),
        ("$ pip install '.[excel]' # textsieve", False),
        ("`pip install '.[serve]'`, and `textsieve serve`", False),
    ],
)
def test_installing_from_pypi_is_noticed(text: str, is_from_pypi: bool) -> None:
    assert bool(FROM_PYPI.search(text)) == is_from_pypi


# -- the navigation --------------------------------------------------------------------------------------------------


def pages_in(entry: Any) -> Iterator[str]:
    """Yield the paths in a part of the navigation."""
    if isinstance(entry, str):
        yield entry
    else:
        for part in entry.values() if isinstance(entry, dict) else entry:
            yield from pages_in(part)


def test_every_page_is_in_the_navigation_once() -> None:
    counts = Counter(pages_in(navigation()))
    assert set(counts) == {*NAMES, *(path for source, path in PROJECT_PAGES.items() if (ROOT / source).is_file())}
    assert set(counts.values()) == {1}


@pytest.mark.parametrize(
    ("path", "markdown", "expected"),
    [
        ("explanation/tcfp.md", "[a](../../benchmarks/RESULTS.md#x)", "[a](../project/benchmarks.md#x)"),
        ("explanation/tcfp.md", "see [`Makefile`](../../Makefile).", "see `Makefile`."),
        ("explanation/tcfp.md", "see [a](../../nowhere.md).", None),
        ("explanation/tcfp.md", "[a](knn.md) [b](#c) [d](https://e.org)", "[a](knn.md) [b](#c) [d](https://e.org)"),
        ("explanation/tcfp.md", "`[a](../../x.py)`\n```\n[a](../../x.py)\n```", None),
        ("project/benchmarks.md", "[a](../docs/explanation/knn.md)", "[a](../explanation/knn.md)"),
        ("project/architecture.md", "[a](docs/explanation/knn.md) [b](src/textsieve)", "[a](../explanation/knn.md) b"),
    ],
)
def test_links_out_of_docs_are_mended(path: str, markdown: str, expected: str | None) -> None:
    pages = {"explanation/knn.md", "explanation/tcfp.md", *PROJECT_PAGES.values()}
    assert with_site_links(markdown, path, pages) == (markdown if expected is None else expected)


def test_measurements_outside_of_docs_are_pages() -> None:
    """A link to a file that is no page of the site becomes plain text, and its figures can't be looked up."""
    assert {f"benchmarks/{path.name}" for path in (ROOT / "benchmarks").glob("*.md")} <= PROJECT_PAGES.keys()
    page = with_site_links(
        (DOCS / "research" / "defaults-terms.md").read_text(encoding="utf-8"),
        "research/defaults-terms.md",
        PROJECT_PAGES.values(),
    )
    assert "[PACKAGES.md](../project/packages.md)" in page


def test_the_changelog_has_no_brackets_around_versions_without_an_address() -> None:
    changelog = "## [Unreleased]\n\n## [0.2.0] - 2027-01-01\n\n## [0.1.0]\n\n- [a](b.md)\n"
    without = "## Unreleased\n\n## 0.2.0 - 2027-01-01\n\n## 0.1.0\n\n- [a](b.md)\n"
    assert without_brackets(changelog) == without
    linked = f"{changelog}\n[0.2.0]: https://example.org/0.2.0\n"
    assert "## [0.2.0] - 2027" in without_brackets(linked)
    assert "## 0.1.0\n" in without_brackets(linked)
    shown = without_brackets((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    assert re.findall(r"^#+ .*\[.*$", shown, re.MULTILINE) == []


def test_no_page_has_an_unknown_mark() -> None:
    for page in PAGES:
        assert "<!-- generated" not in whole_page(page), page


# -- the reference ---------------------------------------------------------------------------------------------------


def documented_names() -> list[str]:
    pages = sorted((DOCS / "reference" / "api").glob("*.md"))
    return [name for page in pages for name in re.findall(r"^::: (\S+)$", page.read_text(encoding="utf-8"), re.M)]


def public_names() -> set[str]:
    """Return the names of all packages; those that `textsieve` exports, too, only as `textsieve.NAME`."""
    names = {f"textsieve.{name}" for name in textsieve.__all__}
    for package in PACKAGES[1:]:
        own = exported_names(package)
        names |= {f"{package}.{name}" for name in own if package == SPARK or name not in textsieve.__all__}
    return names


def exported_names(package: str) -> list[str]:
    """Return `__all__`; that of Spark from its source, because it can't be imported without pyspark."""
    if package != SPARK:
        return list(import_module(package).__all__)
    source = (ROOT / "src" / "textsieve" / "spark" / "__init__.py").read_text(encoding="utf-8")
    return re.findall(r"import (\w+) as \1$", source, re.MULTILINE)


def test_the_reference_has_every_public_name_once() -> None:
    counts = Counter(documented_names())
    assert set(counts) == public_names() | BASE_CLASSES
    assert set(counts.values()) == {1}


@pytest.mark.parametrize("verb", VERBS)
def test_every_command_has_a_page_with_an_example_and_all_options(verb: str) -> None:
    page = DOCS / "reference" / "cli" / f"{verb}.md"
    shown = [command.command for block in blocks_of(page.read_text(encoding="utf-8")) for command in commands_of(block)]
    assert any(command.startswith(f"textsieve {verb}") for command in shown)
    command = import_module(f"textsieve.cli.{verb}").command
    for parameter in command.params:
        for option in parameter.opts if isinstance(parameter, click.Option) and not parameter.hidden else ():
            assert f"`{option}" in whole_page(page), option


def test_every_setting_is_in_the_reference() -> None:
    text = whole_page(DOCS / "reference" / "settings.md")
    assert re.findall(r"^## `(\w+)`$", text, re.MULTILINE) == list(SETTINGS)


CODE_ROW = re.compile(r"^\| `(\w+)` \| (\d{3}) \| (\S[^|]*\.) \| (\S[^|]*) \|$", re.MULTILINE)


def test_every_error_code_is_in_the_reference() -> None:
    rows = CODE_ROW.findall(whole_page(DOCS / "reference" / "http-api.md"))
    assert [(code, int(status)) for code, status, _, _ in rows] == [
        (code, error.status) for code, error in ERROR_CODES.items()
    ]
    for code, _, when, what_to_do in rows:
        assert when == ERROR_CODES[code].when
        retry_after = dict(EXTRA_HEADERS.get(code, [])).get(b"retry-after")
        wait = "" if retry_after is None else f" `Retry-After: {retry_after.decode()}`"
        assert what_to_do == ERROR_CODES[code].what_to_do + wait


def test_every_error_code_is_used() -> None:
    used = set()
    for path in (ROOT / "src" / "textsieve" / "serve").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            name = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
            if isinstance(node, ast.Call) and name in ("ApiError", "cls") and node.args:
                first = node.args[0]
                used |= {first.value} if isinstance(first, ast.Constant) else set()
    assert used == ERROR_CODES.keys(), "a new code needs a row; an unused one needs none"


def test_every_operation_and_schema_is_in_the_reference() -> None:
    text = whole_page(DOCS / "reference" / "http-api.md")
    document = openapi()
    assert "/v1/feedback" in document["paths"]
    for path, item in document["paths"].items():
        for method in item:
            assert f"### {method.upper()} `{path}`\n" in text
    for name, schema in document["components"]["schemas"].items():
        assert f"### {name}\n" in text
        assert all(f"| `{field}` |" in text for field in schema.get("properties", {}))
