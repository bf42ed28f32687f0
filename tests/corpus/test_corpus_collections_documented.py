"""The tables in docs/reference/corpora.md and corpora-files.md agree with the inventory of named corpora, row by row."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

import pytest

from textsieve.corpus import NAMED
from textsieve.corpus.named_corpora import CorpusEntry, inventory

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
CORPORA = (REFERENCE / "corpora.md").read_text(encoding="utf-8")
FILES = (REFERENCE / "corpora-files.md").read_text(encoding="utf-8")
SUBSETS = [f"rcv1:subset{number}" for number in range(1, 6)]
ENTRIES = [entry for entry in inventory() if entry.files and entry.name not in SUBSETS]


def rows(page: str, heading: str) -> dict[str, list[str]]:
    """Return the cells of each row of the table whose first column has this heading, by the first cell."""
    _, _, rest = page.partition(f"\n| {heading} |")
    table = [line for line in rest.partition("\n\n")[0].split("\n")[2:] if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in table]
    return {first: others for first, *others in cells}


def expected_cells(entry: CorpusEntry) -> Iterator[str]:
    yield "as the dump has" if entry.documents is None else f"{entry.documents:,}"
    yield str(entry.classes)
    is_split_by_word = (
        not entry.split and any(word.startswith("leave-") for word in entry.words) and ":" not in entry.name
    )
    yield "by university" if is_split_by_word else " / ".join(f"{size:,}" for size in entry.split or ())
    yield "several" if entry.multilabel else "one"
    yield entry.licence


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_the_table_of_corpora_agrees_with_the_inventory(entry: CorpusEntry) -> None:
    cells = rows(CORPORA, "name")[f"`{entry.name}`"]
    for cell, expected in zip_longest(cells, expected_cells(entry)):
        assert cell.removesuffix(" or none") == expected


def test_the_table_has_a_row_for_each_corpus() -> None:
    others = {"`docstrings`", "`rcv1:subset1` to `rcv1:subset5`"}
    assert rows(CORPORA, "name").keys() == {f"`{entry.name}`" for entry in ENTRIES} | others
    subsets = [entry for entry in inventory("rcv1") if entry.name in SUBSETS]
    assert {f"{entry.documents:,} each" for entry in subsets} == {"6,000 each"}
    classes = ", ".join(str(entry.classes) for entry in subsets)
    (split,) = {" / ".join(f"{size:,}" for size in entry.split or ()) + " each" for entry in subsets}
    assert rows(CORPORA, "name")["`rcv1:subset1` to `rcv1:subset5`"][:3] == ["6,000 each", classes, split]


def test_the_table_of_files_agrees_with_the_collections() -> None:
    documented = rows(FILES, "corpus")
    files = {
        collection.full_name(edition): edition.files
        for collection in (row.collection() for row in NAMED.values() if row.is_collection)
        for edition in collection.editions
    }
    for name, (packed, unpacked) in ((first.strip("`"), cells) for first, cells in documented.items()):
        first, *others = files[name]
        for expected in (first.name, *first.also):
            assert f"`{expected}`" in packed
        assert f"`{others[-1].name}`" in packed if others else packed.count("`") == 2 + 2 * len(first.also)
        assert unpacked == " and ".join(f"`{folder}/`" for folder in first.unpacked)
    assert set(files) - {name.strip("`") for name in documented} == {"reuters:modapte", "reuters:all", *SUBSETS[1:]}


def test_every_word_is_explained() -> None:
    for entry in ENTRIES:
        for word in entry.words:
            assert f"`{word}`" in CORPORA or f"rcv1:{word}" in SUBSETS, word
