"""The files of collections, as their publishers ship them, and where they are on this machine.

A file is looked up in the folder that the environment variable TEXTSIEVE_DATA names, and then in the user's cache. A
missing file is downloaded from the address in TEXTSIEVE_MIRROR.

No address is built in: publishers move, and anybody with a copy of a collection may serve it. The address is that of a
folder with the files, under the names that the collections declare (`File.name`). Its scheme is one that pooch supports
(http, https, ftp, sftp), or file://. A download must have one of the checksums in `File.sha256`; if there are none and
its name ends in .gz, it must unpack without errors. It is stored in the cache completely or not at all.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import file_digest
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from ...errors import InputError
from ...extras import require_package
from ..streams import MAGICS, chunks_of, open_bytes

DATA_VARIABLE = "TEXTSIEVE_DATA"
"""The environment variable that names the folder with the files of collections."""
MIRROR_VARIABLE = "TEXTSIEVE_MIRROR"
"""The environment variable with the address from which missing files are downloaded."""
PACKED = ".gz"
NEVER_PACKED = (".zip", ".mat")
"""Extensions of files with built-in compression, for which no gzipped version is looked up."""


Paths = tuple[Path, ...]
"""The path of a file, or the paths of the folders that it was unpacked to."""


@dataclass(frozen=True, slots=True)
class File:
    """A file of a collection, as its publisher ships it."""

    name: str
    """Its path relative to the data folder, such as rcv1/topics.gz; it may also be in the data folder itself."""
    sha256: tuple[str, ...] = ()
    """Accepted checksums of a download, one for each way it is packed; files that are already here are not checked."""
    also: tuple[str, ...] = ()
    """Other names under which it is looked up, because some publishers use them."""
    unpacked: tuple[str, ...] = ()
    """The folders that it unpacks to, which replace the file if all of them exist."""
    part: str | None = None
    """The part that needs the file; None for both."""


class FileLocation(NamedTuple):
    """Where a file of a collection is."""

    origin: str
    """The name of the environment variable that names its folder, or "cache"."""
    paths: Paths


def cache_folder() -> Path:
    """Return the folder for downloaded files."""
    from platformdirs import user_cache_path

    return user_cache_path("textsieve", appauthor=False) / "corpora"


def _search_folders() -> dict[str, Path]:
    """Return the folders to search, by origin, in the order in which they are searched."""
    data_folder = os.environ.get(DATA_VARIABLE)
    return ({DATA_VARIABLE: Path(data_folder).expanduser()} if data_folder else {}) | {"cache": cache_folder()}


def find(file: File) -> FileLocation | None:
    """Return the location of a file, or of the folders that it was unpacked to; None if neither exists.

    A file takes precedence over unpacked folders, even if the file is in the cache and the folders are in the data
    folder: reading shows whether a file is complete, but not whether a folder is. Empty folders are ignored.
    """
    for origin, folder in _search_folders().items():
        for name in _possible_names(file):
            if os.path.isfile(folder / name):  # true even if the file may not be read
                return FileLocation(origin, (folder / name,))
    for origin, folder in _search_folders().items():
        unpacked_folders = tuple(folder / name for name in file.unpacked)
        if unpacked_folders and all(map(_is_nonempty, unpacked_folders)):
            return FileLocation(origin, unpacked_folders)
    return None


def _is_nonempty(folder: Path) -> bool:
    """Return whether a path is a nonempty folder, or one that may not be read, so that reading it raises the error."""
    try:
        return folder.is_dir() and any(folder.iterdir())
    except OSError:
        return True


def obtain(file: File, name: str, publisher: str) -> Paths:
    """Return the paths of a file or of its unpacked folders; download the file if it is not here.

    `name` and `publisher` are those of the corpus that needs it, for the error.
    """
    if location := find(file):
        return location.paths
    if mirror := os.environ.get(MIRROR_VARIABLE):
        return (fetch(file, mirror, cache_folder()),)
    raise InputError(
        f"{file.name} is neither in {_describe_data_folder()} nor in {cache_folder()}",
        place=name,
        hint=f"get it from {publisher} and put it into one of them, or set {MIRROR_VARIABLE} to the address of a "
        "folder that has it",
    )


def with_cache_hint(problem: InputError, files: Iterable[Paths]) -> InputError:
    """Return the error with the hint to delete the file that it is about, if that is in the cache."""
    if problem.place is None:
        return problem
    place = Path(problem.place.source)
    hint_to_delete = cache_hint(path for paths in files for path in paths if place.is_relative_to(path))
    if not hint_to_delete:
        return problem
    hint = (problem.hint,) if isinstance(problem.hint, str) else problem.hint
    return problem.with_fields(hint=(*hint, ". " if problem.hint else "", hint_to_delete))


def cache_hint(paths: Iterable[Path]) -> str:
    """Return the hint to delete the files in the cache, so that they are downloaded again; "" if none is there."""
    folder = cache_folder()
    cached = [str(path) for path in paths if path.is_relative_to(folder)]
    return f"It is in the cache: delete {' and '.join(cached)} first." if cached else ""


def _describe_data_folder() -> str:
    """Describe the folder that TEXTSIEVE_DATA names, for messages."""
    folder = os.environ.get(DATA_VARIABLE)
    if not folder:
        return f"a folder that {DATA_VARIABLE} names (it is not set)"
    return f"{folder} ({DATA_VARIABLE}{'' if Path(folder).expanduser().is_dir() else ', which names no folder'})"


def _possible_names(file: File) -> Iterator[str]:
    """Yield the names that a file may have: with and without its folder, compressed or not."""
    for name in (file.name, *file.also):
        for candidate in dict.fromkeys([name, PurePosixPath(name).name]):
            yield candidate
            if candidate.endswith(PACKED):
                yield candidate.removesuffix(PACKED)
            elif not candidate.endswith(NEVER_PACKED):
                yield candidate + PACKED


PIECE = 2**16
"""Bytes of a download between two updates of the progress bar."""
NO_ENCODING = {"Accept-Encoding": "identity"}
"""Without this header, a server may declare gzip as the content encoding of a .gz file, which would arrive unpacked."""

_LOGIN = re.compile(r"//[^/\s]*@")


def fetch(file: File, mirror: str, folder: Path) -> Path:
    """Download a file into a folder, check it, and return its path."""
    import ftplib

    pooch = _import_pooch(file)
    target = folder / file.name
    _create_folder(target.parent, file)
    if target.is_dir():
        raise InputError(
            f"is a folder, and {file.name} should be stored there", place=str(target), hint="Rename or delete it"
        )
    address = f"{mirror.rstrip('/')}/{file.name}"
    try:
        with _downloader(pooch, address, file.name) as download:
            # pooch passes the name of a temporary file, which it deletes if this function raises an error.
            def download_and_check(source: str, downloaded: str, manager: object) -> None:
                """Download `source` to the file `downloaded`; raise `ValueError` if that is not the expected file."""
                download(source, downloaded, manager)
                _check_download(Path(downloaded), file)

            # `known_hash` could only be one checksum, so `download_and_check` compares it.
            pooch.retrieve(
                address, known_hash=None, fname=target.name, path=target.parent, downloader=download_and_check
            )
    except ValueError as problem:  # raised by `_check_download`, or by pooch for an address that it does not support
        hint = f"Set {MIRROR_VARIABLE} to a folder with the right file"
        raise _download_error(address, str(problem).rstrip("."), hint) from None
    except ftplib.all_errors as problem:  # includes OSError
        _close_connection(problem)
        hint = (
            f"Check {MIRROR_VARIABLE} and the network, or put {target.name} into the folder that {DATA_VARIABLE} names"
        )
        raise _download_error(address, f"cannot be downloaded ({problem})", hint) from None
    return target


def _close_connection(problem: Exception) -> None:
    """Close the connection that an HTTP error holds open."""
    if (response := getattr(problem, "response", None)) is not None:
        response.close()


def _download_error(address: str, problem: str, hint: str) -> InputError:
    """Return the error of a download, without the login that addresses in it may contain."""
    return InputError(_LOGIN.sub("//", problem), place=_LOGIN.sub("//", address), hint=hint)


def _check_download(path: Path, file: File) -> None:
    """Raise `ValueError` if a downloaded file has a wrong checksum or is damaged."""
    if file.sha256:
        with open(path, "rb") as opened:
            if file_digest(opened, "sha256").hexdigest() not in file.sha256:
                raise ValueError("the downloaded file does not have the known checksum, and was deleted")
    elif file.name.endswith(PACKED) and not _can_be_unpacked(path):
        raise ValueError("the downloaded file is not compressed or is damaged, and was deleted")


def _can_be_unpacked(path: Path) -> bool:
    """Return whether a file is compressed and can be unpacked to its end."""
    with open(path, "rb") as file:
        if not file.read(4).startswith(MAGICS):
            return False
    try:
        with open_bytes(path) as unpacked:
            for _ in chunks_of(unpacked):
                pass
    except InputError:
        return False
    return True


def _import_pooch(file: File) -> Any:
    """Import and return pooch, which has no type annotations."""
    import logging

    require_package("pooch", extra="corpora", what=f"downloading {file.name}")
    pooch = import_module("pooch")
    pooch.get_logger().setLevel(logging.WARNING)  # by default it prints a line for each download
    return pooch


def _create_folder(folder: Path, file: File) -> None:
    """Create a folder for a file if it does not exist; raise `InputError` if it can't be created or written to."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK):
            raise PermissionError("you may not write there")
    except OSError as problem:
        raise InputError(
            f"{file.name} cannot be stored there ({problem.strerror or problem})",
            place=str(folder),
            hint=f"Make the folder writable, or put the file into another that {DATA_VARIABLE} names",
        ) from problem


@contextmanager
def _downloader(pooch: Any, address: str, name: str) -> Iterator[Any]:
    """Yield a pooch downloader for the address, with a progress bar for HTTP in a terminal."""
    scheme = urlsplit(address).scheme
    if scheme == "file":
        yield _copy
    elif scheme not in ("http", "https"):
        yield pooch.downloaders.choose_downloader(address)
    elif not sys.stderr.isatty():
        yield pooch.HTTPDownloader(chunk_size=PIECE, headers=NO_ENCODING)
    else:
        bar = _ProgressBar(name)
        try:
            yield pooch.HTTPDownloader(progressbar=bar, chunk_size=PIECE, headers=NO_ENCODING)
        finally:
            bar.close()


def _copy(address: str, output: Any, _: object) -> None:
    """Copy the file at a file:// address; pooch calls its downloaders with these arguments."""
    from urllib.request import url2pathname

    shutil.copyfile(url2pathname(urlsplit(address).path), output)


class _ProgressBar:
    """A progress bar with the interface that pooch expects."""

    total = 0
    """Size of the file in bytes, which pooch sets before the download begins; 0 if it is not known."""

    def __init__(self, name: str) -> None:
        from rich.console import Console
        from rich.progress import DownloadColumn, Progress, TimeRemainingColumn

        columns = (*Progress.get_default_columns()[:3], DownloadColumn(), TimeRemainingColumn())
        self._bars = Progress(
            *columns, console=Console(stderr=True), refresh_per_second=1, redirect_stdout=False, transient=True
        )
        self._task = self._bars.add_task(name, total=None)

    def update(self, size: int) -> None:
        """Add `size` bytes to the download; the first call makes the bar appear."""
        self._bars.start()
        self._bars.update(self._task, advance=size, total=self.total or None)

    def reset(self) -> None:
        self._bars.update(self._task, completed=0)

    def close(self) -> None:
        self._bars.stop()
