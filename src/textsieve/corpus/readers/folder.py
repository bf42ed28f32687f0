"""Read a folder with a subfolder for each class and a file for each document, safely, whatever it contains.

The label is the name of the folder directly below the root, however deep the file lies in it; a file beside the class
folders is unlabelled.

Only regular files are documents: opening a pipe would block, and a device may never end. The walk uses its own stack
instead of recursion, so that folders may be nested to any depth; paths that are too long for the system raise
`InputError`. Files are sorted by name, so that the order is the same on every machine.

Links that lead out of the folder are skipped and counted, because a link to a private file would put its words into a
model; the option `follow_links` allows them. A link to a file is a document of its own, in addition to the file if that
is read, too. But each folder is read once, so that links can neither form a loop nor multiply folders: a link to a
folder is followed only if the walk does not reach that folder by itself, because it is outside or hidden, and if no
earlier link led to it or to a folder around it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ...errors import InputError
from ..batch import OUTSIDE_LINKS, Document, GuessedEncoding, KeptDocument, Labels, Report, in_batches
from ..corpus import Corpus
from ..encodings import guess_encoding
from ..formats import Format, binary_kind
from ..source import Source
from ..streams import CHUNK, HEAD, decode, read_document, unreadable_error

HIDDEN = "."
"""The first character of the names of hidden files and folders."""
MAX_PATH_SHOWN = 300
"""Maximum number of characters of a path that an error shows."""
SPECIAL_FILES = "neither file nor folder"
READ_ELSEWHERE = "links to folders read elsewhere"
"""Keys in `Report.skipped`: for pipes and devices, and for folders and links to folders that are read once already."""


class FolderEntry(NamedTuple):
    """A file below a folder."""

    path: str
    name: str
    """The path relative to the folder, with slashes."""


def walk(root: Path, report: Report, *, follow_links: bool = False) -> Iterator[FolderEntry]:
    """Yield the regular files below a folder, depth first; skipped entries are counted in the report."""
    walker = _Walker(root, report, follow_links)
    # For the current folder and each one around it: the prefix of its files' names ("sport/"), and the entries left.
    stack = [("", iter(list_folder(str(root))))]
    while stack:
        prefix, entries = stack[-1]
        entry = next(entries, None)
        if entry is None:
            stack.pop()
        elif walker.should_enter(entry):
            stack.append((f"{prefix}{entry.name}/", iter(list_folder(entry.path))))
        elif walker.is_document(entry):
            yield FolderEntry(entry.path, prefix + entry.name)


def list_folder(path: str) -> list[os.DirEntry[str]]:
    """Return the entries of a folder, sorted by the bytes of their names; raise `InputError` if it can't be read."""
    try:
        with os.scandir(path) as entries:
            return sorted(entries, key=lambda entry: os.fsencode(entry.name))
    except OSError as error:
        raise _unreadable_entry_error(path, error) from error


def _unreadable_entry_error(path: str, error: OSError) -> InputError:
    """Return the error for a path that can't be read, which may be longer than is useful in a message."""
    return unreadable_error(path if len(path) <= MAX_PATH_SHOWN else f"{path[:MAX_PATH_SHOWN]}...", error)


class _Walker:
    """Decides which entries of folders to read, and remembers the folders already read."""

    def __init__(self, root: Path, report: Report, follow_links: bool) -> None:
        self._root = os.path.realpath(root)
        self._report = report
        self._follow_links = follow_links
        status = os.stat(root)
        self._folders_read = {(status.st_dev, status.st_ino)}  # device and inode identify a folder

    def should_enter(self, entry: os.DirEntry[str]) -> bool:
        """Return whether an entry is a visible folder, or a link to one, that must still be read.

        If it must, remember it as read. If it is a visible folder that need not be read, count it as skipped.
        """
        return not entry.name.startswith(HIDDEN) and _is_dir(entry) and self._must_be_read(entry)

    def is_document(self, entry: os.DirEntry[str]) -> bool:
        """Return whether an entry for which `should_enter` is false is a document; if not, count it as skipped."""
        if entry.name.startswith(HIDDEN):
            self._report.skip("hidden folders" if _is_dir(entry) else "hidden files")
            return False
        if _is_dir(entry):
            return False  # `should_enter` has counted it
        if not _is_file(entry):
            self._report.skip(SPECIAL_FILES)
            return False
        return not entry.is_symlink() or self._may_follow(os.path.realpath(entry.path))

    def _must_be_read(self, folder: os.DirEntry[str]) -> bool:
        """Return whether a folder, or a link to one, must still be read; if not, count it as skipped.

        A folder is not read again. A link is not followed if `_may_follow` forbids it, or if the walk reaches its
        target without a link.
        """
        if folder.is_symlink():
            target = os.path.realpath(folder.path)
            if not self._may_follow(target):
                return False
            if self._is_read_by_name(target):
                self._report.skip(READ_ELSEWHERE)
                return False
        try:
            status = os.stat(folder.path)  # on Windows, `folder.stat()` has no inode
        except OSError as error:
            raise _unreadable_entry_error(folder.path, error) from error
        identity = (status.st_dev, status.st_ino)
        if identity in self._folders_read:
            self._report.skip(READ_ELSEWHERE)
            return False
        self._folders_read.add(identity)
        return True

    def _is_read_by_name(self, target: str) -> bool:
        """Return whether the walk reaches a folder, given by its real path, without a link.

        That is so if the folder is inside the root, and neither it nor a folder on the way to it is hidden.
        """
        if not self._is_inside(target):
            return False
        if target == self._root:  # its relative path "." begins like a hidden name
            return True
        return not any(name.startswith(HIDDEN) for name in os.path.relpath(target, self._root).split(os.sep))

    def _may_follow(self, target: str) -> bool:
        """Return whether a link to this target may be followed; if not, count it as skipped."""
        if self._follow_links or self._is_inside(target):
            return True
        self._report.skip(OUTSIDE_LINKS)
        return False

    def _is_inside(self, target: str) -> bool:
        """Return whether a real path is the root or below it."""
        return target == self._root or target.startswith(os.path.join(self._root, ""))


def _is_dir(entry: os.DirEntry[str]) -> bool:
    """Return whether an entry is a folder or a link to one; a link that leads to itself is neither."""
    try:
        return entry.is_dir()
    except OSError:
        return False


def _is_file(entry: os.DirEntry[str]) -> bool:
    """Return whether an entry is a regular file or a link to one; a link that leads to itself is neither."""
    try:
        return entry.is_file()
    except OSError:
        return False


def corpus(source: Source, format: Format) -> Corpus:
    """Return the documents below a folder as a corpus."""
    list_folder(str(source.path))  # raises `InputError` now if the folder can't be read
    return Corpus(str(source.path), lambda report: in_batches(_documents(source, report)), multilabel=False)


def _documents(source: Source, report: Report) -> Iterator[Document | KeptDocument]:
    """Yield the text of each file and the label of its folder, and with `keep`, the name of the file."""
    read_labels = source.label_reader(report)
    # `read_labels` is called once per folder, so it must not report places, of which there is one for each document.
    # The place of a document is the name of its file, which `Corpus.placed_batches` takes from the kept values.
    report.places = None
    previous_label: str | None = None
    labels: Labels = ()
    for file in walk(source.path, report, follow_links=source.limits.follow_links):
        folder, slash, _ = file.name.partition("/")
        label = folder if slash else None
        if label != previous_label:
            previous_label, labels = label, read_labels(label, position=0)
        text = _read_text(file.path, source, report)
        if source.keep:
            # A name that can't be decoded has lone surrogates, which no output could encode.
            yield text, labels, {"file": os.fsencode(file.name).decode(errors="replace")}
        else:
            yield text, labels


def _read_text(path: str, source: Source, report: Report) -> str:
    """Return the text of a file; raise `InputError` if it has invalid bytes and is clearly no text, as an image is."""
    data = read_document(path, source.limits)
    text, n_replaced = decode(data, source.encoding.name)
    if n_replaced and (kind := binary_kind(data[:HEAD])):
        raise InputError(
            f"found {kind}; expected a text. Every file in a folder of classes is one document",
            place=str(path),
            hint="Move it elsewhere, or hide it by a name that begins with a dot",
        )
    if n_replaced and source.encoding.may_be_guessed and (guess := guess_encoding(data[:CHUNK])):
        # Each file is guessed by itself, because files of a folder may come from different sources.
        text, n_replaced = decode(data, guess)
        report.guessed_encodings[GuessedEncoding(str(source.path), guess, is_folder=True)] += 1
    report.replaced_bytes += n_replaced
    return text
