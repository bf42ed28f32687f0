"""Read a folder with a subfolder for each class and a file for each document.

The label is the name of the folder directly below the root, however deep the file lies in it; a file beside the class
folders is unlabelled. `folders.py` finds the files.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from ...errors import InputError
from ..batch import Batch, Document, KeptDocument, Labels, Report, in_batches
from ..content import binary_kind
from ..corpus import Corpus
from ..folders import list_folder, walk
from ..formats import Format
from ..source import Source
from ..streams import HEAD, read_document
from ..text import decode


def corpus(source: Source, format: Format) -> Corpus:
    """Return the documents below a folder as a corpus."""
    list_folder(str(source.path))  # raises `InputError` now if the folder can't be read

    def start(report: Report) -> Iterator[Batch]:
        return in_batches(_documents(source, report))

    return Corpus(str(source.path), start, multilabel=False)


def _documents(source: Source, report: Report) -> Iterator[Document | KeptDocument]:
    to_labels = source.label_reader(report)
    report.places = None  # labels are read once per folder, and files have names
    previous_label: str | None = None
    labels: Labels = ()
    for file in walk(source.path, report, follow_links=source.bounds.follow_links):
        folder, slash, _ = file.name.partition("/")
        label = folder if slash else None
        if label != previous_label:
            previous_label, labels = label, to_labels(label, 0)
        text = _read_text(file.path, source, report)
        if source.keep:
            yield text, labels, {"file": os.fsencode(file.name).decode(errors="replace")}
        else:
            yield text, labels


def _read_text(path: str, source: Source, report: Report) -> str:
    data = read_document(path, source.bounds)
    text, replaced = decode(data, source.encoding)
    if replaced and (kind := binary_kind(data[:HEAD])):
        raise InputError(
            f"found {kind}; expected a text. Every file in a folder of classes is one "
            "document. Move it elsewhere, or hide it by a name that begins with a dot.",
            place=str(path),
        )
    report.replaced_bytes += replaced
    return text
