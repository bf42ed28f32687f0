"""The page on citing and CITATION.cff have the same references, and each selector has one."""

from __future__ import annotations

import re

from tests.docs.running import DOCS, ROOT
from textsieve.registry import SELECTORS

PAGE = (DOCS / "how-to" / "cite.md").read_text(encoding="utf-8")
CITATION = (ROOT / "CITATION.cff").read_text(encoding="utf-8").partition("references:\n")[2]


def fields_of_page(name: str) -> set[str]:
    """Return the values of a field of the BibTeX entries, but not of that of textsieve."""
    return {value.replace("{", "").replace("}", "") for value in re.findall(rf" {name} += {{(.*?)}},?\n", PAGE)}


def fields_of_file(name: str) -> set[str]:
    return {value.strip('"') for value in re.findall(rf"^    {name}: (.*)$", CITATION, re.MULTILINE)}


def test_the_references_are_those_of_the_citation_file() -> None:
    assert fields_of_page("title") - {"textsieve"} == fields_of_file("title")
    for name in ("year", "doi", "volume"):
        assert fields_of_page(name) == fields_of_file(name)
    pages = {f"{start}--{end}" for start, end in re.findall(r"start: (\d+)\n    end: (\d+)", CITATION)}
    assert fields_of_page("pages") == pages


def test_every_selector_and_key_is_in_the_table() -> None:
    table = "\n".join(line for line in PAGE.splitlines() if line.startswith("|"))
    assert [name for name in SELECTORS if f"`{name}`" not in table] == []
    keys = set(re.findall(r"^@(?:article|inproceedings)\{(\w+),$", PAGE, re.MULTILINE))
    assert keys == set(re.findall(r"`([a-z]+\d{4}[a-z]*)`", table))
