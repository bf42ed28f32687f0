"""`textsieve corpora`: list the named corpora, their contents, and whether their files are on this machine."""

from typing import TYPE_CHECKING, Any

import click

from . import options

if TYPE_CHECKING:
    from ..corpus.named_corpora import CorpusEntry
    from .output import Page

UNKNOWN = "-"
"""The cell of a table for a number that is not known."""


@click.command(
    epilog=options.examples(
        "textsieve corpora",
        "textsieve corpora newsgroups",
        "textsieve train newsgroups:train:no-headers -o news.sieve",
        "textsieve evaluate news.sieve newsgroups:test:no-headers",
    )
)
@click.argument("name", required=False, shell_complete=options.complete_corpora)
@options.json_flag
def command(name: str | None, wants_json: bool) -> None:
    """List the named corpora, and whether their files are on this machine.

    A name can be used wherever a path can. With NAME, show its files, and the words that may follow it, each after a
    colon. Files are searched in the folder named by the environment variable TEXTSIEVE_DATA ("folder"), then in the
    user's cache ("cache"). Missing files are downloaded from the address in TEXTSIEVE_MIRROR.
    """
    from ..corpus.named_corpora import inventory
    from .json_output import print_json

    entries = inventory(name)
    if wants_json:
        print_json([_as_dict(entry) for entry in entries])
    else:
        _show(entries, in_detail=name is not None)


def _as_dict(entry: "CorpusEntry") -> dict[str, Any]:
    """Return the properties of a corpus and the places of its files as a JSON object."""
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
    """Print a table of corpora; with `in_detail`, also their files, and the words that may follow the name."""
    from .output import Column, Page, number_columns

    page = Page()
    rows = [
        [entry.name, _number(entry.documents), _number(entry.classes), _split(entry), entry.licence, entry.where]
        for entry in entries
    ]
    columns = [Column("name"), *number_columns("docs", "classes", "train/test"), Column("licence"), Column("here")]
    page.table(columns, rows)
    if in_detail:
        _show_details(page, entries)
    elif not all(entry.is_here for entry in entries):
        page.line("How to get a corpus that is not here, and which words may follow a name: textsieve corpora NAME")


def _show_details(page: "Page", entries: list["CorpusEntry"]) -> None:
    """Print the words that may follow the name of a corpus, the paths of its files, and where to get missing files."""
    from ..corpus.collections.local_files import DATA_VARIABLE, MIRROR_VARIABLE, cache_folder
    from .output import Column

    words = entries[0].words  # the entries are editions of one corpus, which have the same words
    if words:
        # The kind "terms" lets these columns be as wide as the page allows.
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
            f"Put missing files into the folder that {DATA_VARIABLE} names or into {cache_folder()}, or set "
            f"{MIRROR_VARIABLE} to the address of a folder that has them."
        )


def _number(value: int | None) -> str:
    """Return a number as a table shows it, and `UNKNOWN` for None."""
    return UNKNOWN if value is None else f"{value:,}"


def _split(entry: "CorpusEntry") -> str:
    """Return the numbers of training and test documents of the publisher's split: "11,314/7,532"."""
    return UNKNOWN if entry.split is None else "/".join(f"{size:,}" for size in entry.split)
