"""`textsieve corpora`: list the named corpora, their contents, and whether their files are on this machine."""

from typing import TYPE_CHECKING, Any

import click

from . import options

if TYPE_CHECKING:
    from ..corpus.named_corpora import CorpusEntry
    from .output import Page

UNKNOWN = "-"


@click.command(
    epilog=options.examples(
        "textsieve corpora",
        "textsieve corpora newsgroups",
        "textsieve train newsgroups:train:no-headers -o news.sieve",
        "textsieve evaluate news.sieve newsgroups:test:no-headers",
    )
)
@click.argument("name", required=False)
@options.json_wanted
def command(name: str | None, wants_json: bool) -> None:
    """List the corpora that have a name, and whether they are here.

    Such a name is usable wherever a path is. With NAME, show the words that may follow it, with a colon before each,
    and its files. They are looked for in the folder that TEXTSIEVE_DATA names ("folder"), then in the user's cache
    ("cache"), and else downloaded from the folder whose address is in TEXTSIEVE_MIRROR.
    """
    from ..corpus.named_corpora import inventory
    from .json_output import print_json

    entries = inventory(name)
    if wants_json:
        print_json([_as_dict(entry) for entry in entries])
    else:
        _show(entries, in_detail=name is not None)


def _as_dict(entry: "CorpusEntry") -> dict[str, Any]:
    return {
        "name": entry.name,
        "about": entry.about,
        "documents": entry.documents,
        "classes": entry.classes,
        "split": None if entry.split is None else dict(zip(("train", "test"), entry.split, strict=True)),
        "multilabel": entry.multilabel,
        "licence": entry.licence,
        "publisher": entry.publisher,
        "here": entry.is_here,
        "words": entry.words,
        "files": [
            {
                "name": name,
                "place": location.origin if location else None,
                "paths": [str(path) for path in location.paths] if location else [],
            }
            for name, location in entry.files.items()
        ],
    }


def _show(entries: list["CorpusEntry"], *, in_detail: bool) -> None:
    from .output import Column, Page, numbers

    page = Page()
    rows = [
        [entry.name, _number(entry.documents), _number(entry.classes), _parts(entry), entry.licence, entry.where]
        for entry in entries
    ]
    columns = [Column("name"), *numbers("docs", "classes", "train/test"), Column("licence"), Column("here")]
    page.table(columns, rows)
    if in_detail:
        _show_details(page, entries)
    elif not all(entry.is_here for entry in entries):
        page.line("How to get one that is not here, and what may follow its name: textsieve corpora NAME")


def _show_details(page: "Page", entries: list["CorpusEntry"]) -> None:
    from ..corpus.collections.local_files import DATA_VARIABLE, MIRROR_VARIABLE, cache_folder
    from .output import Column

    words = entries[0].words
    if words:
        page.table([Column("word", "terms"), Column("what it means", "terms")], list(words.items()))
    for entry in entries:
        paths = [str(path) for location in entry.files.values() if location for path in location.paths]
        missing = [name for name, location in entry.files.items() if location is None]
        if paths:
            page.line(f"{entry.name} has {', '.join(paths)}")
        if missing:
            page.line(f"{entry.name} lacks {', '.join(missing)}; get it from {entry.publisher}")
    if not all(entry.is_here for entry in entries):
        page.line(
            f"Put what is missing into the folder that {DATA_VARIABLE} names or into {cache_folder()}, or set "
            f"{MIRROR_VARIABLE} to the address of a folder that has it."
        )


def _number(value: int | None) -> str:
    return UNKNOWN if value is None else f"{value:,}"


def _parts(entry: "CorpusEntry") -> str:
    return UNKNOWN if entry.split is None else "/".join(f"{size:,}" for size in entry.split)
