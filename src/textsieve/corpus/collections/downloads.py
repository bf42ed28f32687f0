"""Download missing files of collections from the address in TEXTSIEVE_MIRROR.

No address is built in: publishers move, and anybody with a copy of a collection may serve it. The address is that of a
folder with the files, under the names that the collections declare (`File.name`). Its scheme is one that pooch supports
(http, https, ftp, sftp), or file://. A download must have one of the checksums in `File.sha256`; if there are none and
its name ends in .gz, it must unpack without errors. It is stored in the cache completely or not at all.
"""

from __future__ import annotations

import ftplib
import logging
import os
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import file_digest
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

from ...errors import InputError
from ...extras import require_package
from ..streams import MAGICS, chunks_of, open_bytes
from .local_files import DATA_VARIABLE, MIRROR_VARIABLE, PACKED, File

PIECE = 2**16
"""Bytes of a download between two updates of the progress bar."""
NO_ENCODING = {"Accept-Encoding": "identity"}
"""Without this header, a server may declare gzip as the content encoding of a .gz file, which would arrive unpacked."""

_LOGIN = re.compile(r"//[^/\s]*@")


def fetch(file: File, mirror: str, folder: Path) -> Path:
    """Download a file into a folder, check it, and return its path."""
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
