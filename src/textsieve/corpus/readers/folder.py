"""A folder for each class, a file for each document.

The label is the name of the folder directly below the root, however deep the file lies in it; a file beside
the class folders is unlabelled. Files come in the order of their names, so that the order is the same on
every machine. Hidden files are passed over, and so is anything that is neither a file nor a folder.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from ...errors import InputError
from ..batch import Batch, Document, KeptDocument, Labels, Report, in_batches
from ..content import binary_kind
from ..corpus import Corpus
from ..formats import Format
from ..source import Source
from ..streams import HEAD, cannot_read, open_bytes
from ..text import decode

Inode = tuple[int, int]


def corpus(source: Source, format: Format) -> Corpus:
    """The documents below a folder."""
    _entries(str(source.path))  # so that a folder that may not be read is reported now

    def start(report: Report) -> Iterator[Batch]:
        return in_batches(_documents(source, report))

    return Corpus(str(source.path), start, multilabel=False)


def _documents(source: Source, report: Report) -> Iterator[Document | KeptDocument]:
    to_labels = source.label_reader(report)
    report.places = None  # a label is read once for a folder; its files have names
    status = source.path.stat()
    root = (status.st_dev, status.st_ino)
    for entry in _entries(str(source.path)):
        if _is_folder(entry):
            labels = to_labels(entry.name, 0)
            for file in _files_below(entry, report, (root,)):
                yield _document(file, labels, source, report)
        elif _is_document(entry, report):
            yield _document(entry, (), source, report)


def _document(file: os.DirEntry[str], labels: Labels, source: Source, report: Report) -> Document | KeptDocument:
    text = _text_of(file, source, report)
    if not source.keep:
        return text, labels
    name = Path(file.path).relative_to(source.path).as_posix()
    return text, labels, {"file": os.fsencode(name).decode(errors="replace")}


def _files_below(folder: os.DirEntry[str], report: Report, above: tuple[Inode, ...]) -> Iterator[os.DirEntry[str]]:
    """The files in a folder and its folders; a link back to a folder that we are in is not followed."""
    status = folder.stat()
    here = (status.st_dev, status.st_ino)
    if here in above:
        report.skip("links to a folder above")
        return
    for entry in _entries(folder.path):
        if _is_folder(entry):
            yield from _files_below(entry, report, (*above, here))
        elif _is_document(entry, report):
            yield entry


def _entries(path: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(path) as found:
            return sorted(found, key=lambda entry: os.fsencode(entry.name))
    except OSError as error:
        raise cannot_read(path, error) from error


def _is_folder(entry: os.DirEntry[str]) -> bool:
    return not entry.name.startswith(".") and entry.is_dir()


def _is_document(entry: os.DirEntry[str], report: Report) -> bool:
    if entry.name.startswith("."):
        report.skip("hidden folders" if entry.is_dir() else "hidden files")
        return False
    if not entry.is_file():
        report.skip("neither file nor folder")
        return False
    return True


def _text_of(entry: os.DirEntry[str], source: Source, report: Report) -> str:
    with open_bytes(Path(entry.path)) as file:
        data = file.read()
    text, replaced = decode(data, source.encoding)
    if replaced and (kind := binary_kind(data[:HEAD])):
        raise InputError(
            f"{entry.path}: found {kind}; expected a text. Every file in a folder of classes is one "
            "document. Move it elsewhere, or hide it by a name that begins with a dot."
        )
    report.replaced_bytes += replaced
    return text
