"""Functions that mkdocs calls while it builds the site: those whose names begin with `on_`.

- The navigation is made from the folders, so that a new page needs no entry anywhere.
- `<!-- generated: NAME ARGUMENTS -->` on a page becomes text from `PARTS`, such as the options of a command.
- Pages may link to files outside docs/ by their path in the repository, for example `../../benchmarks/RESULTS.md`. Such
  a file is a page of the site, too, if it is in `PROJECT_PAGES`; links to other files become plain text.
"""

from __future__ import annotations

import os.path
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
sys.path[:0] = [str(ROOT / "src"), str(ROOT)]

from website.cli import options_of, overview  # noqa: E402
from website.http_api import error_codes, http_api  # noqa: E402
from website.settings import settings_table  # noqa: E402

SECTIONS = {
    "Tutorials": "tutorials",
    "How-to": "how-to",
    "Reference": "reference",
    "Explanation": "explanation",
    "Gallery": "gallery",
    "Research": "research",
}
"""The sections of the navigation, and the folders of their pages."""
SUBSECTIONS = {
    "reference/api": "Python",
    "reference/cli": "Command line",
    "research/papers": "Papers, measured again",
}
"""The titles of folders inside these folders."""
GROUPS = {
    "how-to": {
        "Documents": (
            *("own-data", "corpora", "check", "clean-text", "preparation", "languages", "several-labels"),
            "sample-weights",
        ),
        "Models": ("python-quick-tour", "small-models", "probabilities", "thresholds", "suggest", "update", "adaptive"),
        "Use and measure": (
            "predict",
            "evaluate",
            "compare",
            "compare-results",
            "serve",
            *("serve-production", "serve-systemd", "serve-container", "serve-monitor"),
            "update-production",
        ),
        "Other tools": (
            *("scikit-learn", "notebooks", "spark", "spark-ml", "from-scikit-learn", "from-fasttext", "from-spacy"),
            "shell-completion",
        ),
    }
}
"""For each folder with groups in the navigation: the pages of each group. Its other pages follow the groups."""
FIRST = ("index.md", "cli.md", "training.md", "first-model.md")
"""Pages that come first in their folder, in this order; others are sorted by their title."""


def list_pages(folder: str) -> str:
    """Return links to the pages of a folder, for a page at the top of docs/."""
    return "\n".join(f"- [{title}]({path})" for title, path in _pages(folder))


PARTS: dict[str, Callable[..., str]] = {
    "cli": options_of,
    "cli-overview": overview,
    "http-api": http_api,
    "http-errors": error_codes,
    "pages": list_pages,
    "settings": settings_table,
}
"""Functions that return generated text, by the name that a page uses."""

PROJECT_PAGES = {
    "benchmarks/RESULTS.md": "project/benchmarks.md",
    "benchmarks/PACKAGES.md": "project/packages.md",
    "benchmarks/SPARK.md": "project/spark-growth.md",
    "benchmarks/SPARK_SCALE.md": "project/spark-scale.md",
    "benchmarks/SERVE.md": "project/serve-load.md",
    "benchmarks/STREAMING.md": "project/streaming.md",
    "benchmarks/README.md": "project/benchmarks-how.md",
    "ARCHITECTURE.md": "project/architecture.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "CHANGELOG.md": "project/changelog.md",
    "SECURITY.md": "project/security.md",
}
"""Files outside docs/ that are pages of the site, and the paths of these pages."""

GENERATED = re.compile(r"^<!-- generated: ([\w-]+)((?: [\w-]+)*) -->$", re.MULTILINE)
"""The mark of a generated part: its name, and the arguments of its function."""
LINK = re.compile(r"(?<!!)\[(?P<text>(?:[^\]\[]|\[[^\]]*\])*)\]\((?P<link>[^)\s#:]+)(?P<anchor>#[^)\s]*)?\)")
"""A link to a file, but not a picture or a link with a protocol."""
CODE = re.compile(r"^(?P<indent> *)(?P<fence>```+).*?^(?P=indent)(?P=fence) *$|`[^`\n]+`", re.MULTILINE | re.DOTALL)
"""A block of code, or code in a line."""
VERSION_HEADING = re.compile(r"^(#+ )\[([^\]\n]+)\](?![(\[:])", re.MULTILINE)
"""A heading such as `## [1.0.0]`, as Keep a Changelog has them for links to versions."""
CODE_OR_LINK = re.compile(f"(?P<code>{CODE.pattern})|{LINK.pattern}", re.MULTILINE | re.DOTALL)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Make the navigation from the folders."""
    config.nav = navigation()
    return config


def navigation() -> list[Any]:
    """Return the navigation of the site: a list of titles, each with the path of a page or with a list of entries."""
    sections = [{title: _entries(folder)} for title, folder in SECTIONS.items() if (DOCS / folder).is_dir()]
    project = [path for source, path in PROJECT_PAGES.items() if (ROOT / source).is_file()]
    return [{"Home": "index.md"}, *sections, {"Glossary": "glossary.md"}, {"Project": project}]


def _entries(folder: str) -> list[Any]:
    """Return the navigation of a folder: its groups of pages, its other pages, and then its subfolders."""
    pages = {Path(path).stem: {title: path} for title, path in _pages(folder)}  # the entry of each page, by its name
    entries: list[Any] = []
    for title, names in GROUPS.get(folder, {}).items():
        group = [pages.pop(name) for name in names if name in pages]
        entries += [{title: group}] if group else []
    entries += pages.values()
    for sub in sorted(path for path in (DOCS / folder).iterdir() if path.is_dir() and list(path.glob("*.md"))):
        name = sub.relative_to(DOCS).as_posix()
        entries.append({SUBSECTIONS.get(name, sub.name): _entries(name)})
    return entries


def _pages(folder: str) -> list[tuple[str, str]]:
    """Return the title and the path of each page of a folder, first those in `FIRST`, then the others by title."""

    def order(page: Path) -> tuple[int, str]:
        return FIRST.index(page.name) if page.name in FIRST else len(FIRST), title_of(page).casefold()

    pages = sorted((DOCS / folder).glob("*.md"), key=order)
    return [(title_of(page), page.relative_to(DOCS).as_posix()) for page in pages]


def title_of(page: Path) -> str:
    """Return the title of a page: its first heading, without backquotes; raise `ValueError` if it has none."""
    match = re.search(r"^# (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    if match is None:
        raise ValueError(f"{page}: the page has no heading of level 1")
    return match[1].strip().replace("`", "")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages from outside docs/."""
    from mkdocs.structure.files import File

    for source, path in PROJECT_PAGES.items():
        if (ROOT / source).is_file():
            content = (ROOT / source).read_text(encoding="utf-8")
            files.append(File.generated(config, path, content=content))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Return the text of a page with generated parts, and with links that lead to pages of the site."""
    path = page.file.src_uri
    text = with_site_links(with_generated_parts(markdown), path, [file.src_uri for file in files])
    return without_brackets(text) if path == PROJECT_PAGES["CHANGELOG.md"] else text


def with_generated_parts(markdown: str) -> str:
    """Return a page in which each `<!-- generated: NAME ARGUMENTS -->` is replaced by the text from `PARTS`."""
    return GENERATED.sub(lambda match: PARTS[match[1]](*match[2].split()), markdown)


def without_brackets(changelog: str) -> str:
    """Return a changelog without the brackets in headings such as `## [1.0.0]`, unless they are links.

    They are links if the changelog defines an address for the version, as in `[1.0.0]: https://...`. Otherwise, readers
    would see the brackets.
    """

    def heading(match: re.Match[str]) -> str:
        marks, version = match[1], match[2]
        is_link = re.search(rf"^\[{re.escape(version)}\]: ", changelog, re.MULTILINE)
        return match[0] if is_link else f"{marks}{version}"

    return VERSION_HEADING.sub(heading, changelog)


def with_site_links(markdown: str, path: str, pages: Iterable[str]) -> str:
    """Return the text of the page at `path` with links that lead to `pages` of the site.

    In the source, links are relative to the page's file in the repository: `../../benchmarks/RESULTS.md` on the page
    `how-to/compare.md` becomes `../project/benchmarks.md`. A link to a file that is no page becomes plain text.
    """
    sources = {page: source for source, page in PROJECT_PAGES.items()}
    folder = PurePosixPath(sources.get(path, f"docs/{path}")).parent  # of the page's file, in the repository
    pages = set(pages)

    def site_link(match: re.Match[str]) -> str:
        if match["code"] is not None:  # links in code stay as they are
            return match[0]
        target = os.path.normpath(folder / match["link"])
        page = PROJECT_PAGES.get(target, target.removeprefix("docs/"))
        if page in pages:
            return f"[{match['text']}]({os.path.relpath(page, PurePosixPath(path).parent)}{match['anchor'] or ''})"
        return match["text"] if (ROOT / target).exists() else match[0]  # mkdocs reports a link that leads nowhere

    return CODE_OR_LINK.sub(site_link, markdown)
