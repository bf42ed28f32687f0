"""What the documentation says of corpora with a name is what the list of them says, row by row."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

import pytest

from textsieve.corpus import NAMED
from textsieve.corpus.named_corpora import CorpusEntry, inventory

DOCUMENT = Path(__file__).parents[2] / "docs" / "corpora.md"
SUBSETS = [f"rcv1:subset{number}" for number in range(1, 6)]
ENTRIES = [entry for entry in inventory() if entry.files and entry.name not in SUBSETS]


def rows(heading: str) -> dict[str, list[str]]:
    """The other cells of a table, by the first; `heading` is that of the first."""
    _, _, rest = DOCUMENT.read_text(encoding="utf-8").partition(f"\n| {heading} |")
    table = [line for line in rest.partition("\n\n")[0].split("\n")[2:] if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in table]
    return {first: others for first, *others in cells}


def in_words(entry: CorpusEntry) -> Iterator[str]:
    yield "as the dump has" if entry.documents is None else f"{entry.documents:,}"
    yield str(entry.classes)
    is_cut_by_word = (
        not entry.split and any(word.startswith("leave-") for word in entry.words) and ":" not in entry.name
    )
    yield "by university" if is_cut_by_word else " / ".join(f"{size:,}" for size in entry.split or ())
    yield "several" if entry.multilabel else "one"
    yield entry.licence


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_the_table_of_corpora(entry: CorpusEntry) -> None:
    said = rows("name")[f"`{entry.name}`"]
    for cell, known in zip_longest(said, in_words(entry)):
        assert cell.removesuffix(" or none") == known


def test_the_table_has_all_of_them_and_no_others() -> None:
    others = {"`docstrings`", "`rcv1:subset1` to `rcv1:subset5`"}
    assert rows("name").keys() == {f"`{entry.name}`" for entry in ENTRIES} | others
    subsets = [entry for entry in inventory("rcv1") if entry.name in SUBSETS]
    assert {f"{entry.documents:,} each" for entry in subsets} == {"6,000 each"}
    classes = ", ".join(str(entry.classes) for entry in subsets)
    (split,) = {" / ".join(f"{size:,}" for size in entry.split or ()) + " each" for entry in subsets}
    assert rows("name")["`rcv1:subset1` to `rcv1:subset5`"][:3] == ["6,000 each", classes, split]


def test_the_table_of_files() -> None:
    said = rows("corpus")
    files = {
        collection.full_name(edition): edition.files
        for collection in (row.collection() for row in NAMED.values() if row.is_collection)
        for edition in collection.editions
    }
    for name, (packed, unpacked) in ((first.strip("`"), cells) for first, cells in said.items()):
        first, *others = files[name]
        for known in (first.name, *first.also):
            assert f"`{known}`" in packed
        assert f"`{others[-1].name}`" in packed if others else packed.count("`") == 2 + 2 * len(first.also)
        assert unpacked == " and ".join(f"`{folder}/`" for folder in first.unpacked)
    assert set(files) - {name.strip("`") for name in said} == {"reuters:modapte", "reuters:all", *SUBSETS[1:]}


def test_every_word_is_explained() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    for entry in ENTRIES:
        for word in entry.words:
            assert f"`{word}`" in text or f"rcv1:{word}" in SUBSETS, word
