"""Download missing files of collections from the address in TEXTSIEVE_MIRROR.

No address is built in: publishers move, and anybody with a copy of a collection may serve it. The address is that of a
folder with the files, under the names in the table. Its scheme is one that pooch supports (http, https, ftp, sftp), or
file://. A download must have a checksum listed in the table or, if the table lists none for it, unpack without errors.
It is stored in the cache completely or not at all.
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
from ..streams import CHUNK, COMPRESSIONS, open_bytes
from .local_files import FOLDER, MIRROR, PACKED, File

PIECE = 2**16
"""Bytes of a download between two updates of the progress bar."""
NO_ENCODING = {"Accept-Encoding": "identity"}
"""Otherwise a server may compress the response, or declare a compressed file so encoded, and it arrives unpacked."""

_LOGIN = re.compile(r"//[^/\s]*@")


def fetch(file: File, mirror: str, folder: Path) -> Path:
    """Download a file into a folder, check it, and return its path."""
    pooch = _pooch(file)
    target = folder / file.name
    _make_writable(target.parent, file)
    if target.is_dir():
        raise InputError(f"is a folder, and {file.name} should be kept there. Rename or delete it.", place=str(target))
    address = f"{mirror.rstrip('/')}/{file.name}"
    try:
        with _downloader(pooch, address, file.name) as download:

            def get(source: str, arrived: str, manager: object) -> None:
                download(source, arrived, manager)
                _check_download(Path(arrived), file)

            pooch.retrieve(address, None, fname=target.name, path=target.parent, downloader=get)
    except ValueError as problem:
        raise _error(f"{address}: {str(problem).rstrip('.')}. Set {MIRROR} to a folder with the right file.") from None
    except ftplib.all_errors as problem:  # includes OSError
        _hang_up(problem)
        raise _error(
            f"{address}: cannot be downloaded ({problem}). Check {MIRROR} and the network, or put {target.name} into "
            f"the folder that {FOLDER} names."
        ) from None
    return target


def _hang_up(problem: Exception) -> None:
    """Close the connection that an HTTP error holds open."""
    if (response := getattr(problem, "response", None)) is not None:
        response.close()


def _error(message: str) -> InputError:
    """Return an error without the login that an address may contain."""
    return InputError(_LOGIN.sub("//", message))


def _check_download(arrived: Path, file: File) -> None:
    if file.sha256:
        with open(arrived, "rb") as opened:
            if file_digest(opened, "sha256").hexdigest() not in file.sha256:
                raise ValueError("what arrived has another checksum than the file that is known, and was thrown away")
    elif file.name.endswith(PACKED) and not _can_be_unpacked(arrived):
        raise ValueError("what arrived is no packed file or is damaged, and was thrown away")


def _can_be_unpacked(path: Path) -> bool:
    """Return whether a file is compressed and can be unpacked to its end."""
    with open(path, "rb") as raw:
        if not raw.read(4).startswith(tuple(compression.magic for compression in COMPRESSIONS)):
            return False
    try:
        with open_bytes(path) as file:
            while file.read(CHUNK):
                pass
    except InputError:
        return False
    return True


def _pooch(file: File) -> Any:
    """Import and return pooch, which has no type annotations."""
    require_package("pooch", extra="corpora", what=f"downloading {file.name}")
    pooch = import_module("pooch")
    pooch.get_logger().setLevel(logging.WARNING)
    return pooch


def _make_writable(folder: Path, file: File) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK):
            raise PermissionError("you may not write there")
    except OSError as problem:
        raise InputError(
            f"{file.name} cannot be kept there ({problem.strerror or problem}). Make the folder writable, or "
            f"put the file into another that {FOLDER} names.",
            place=str(folder),
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
        bar = _Bar(name)
        try:
            yield pooch.HTTPDownloader(progressbar=bar, chunk_size=PIECE, headers=NO_ENCODING)
        finally:
            bar.close()


def _copy(address: str, output: Any, _: object) -> None:
    shutil.copyfile(url2pathname(urlsplit(address).path), output)


class _Bar:
    """A progress bar with the interface that pooch expects; pooch sets `total` before it begins."""

    total = 0

    def __init__(self, name: str) -> None:
        from rich.console import Console
        from rich.progress import DownloadColumn, Progress, TimeRemainingColumn

        columns = (*Progress.get_default_columns()[:3], DownloadColumn(), TimeRemainingColumn())
        self._bars = Progress(
            *columns, console=Console(stderr=True), refresh_per_second=1, redirect_stdout=False, transient=True
        )
        self._task = self._bars.add_task(name, total=None)

    def update(self, size: int) -> None:
        self._bars.start()
        self._bars.update(self._task, advance=size, total=self.total or None)

    def reset(self) -> None:
        self._bars.update(self._task, completed=0)

    def close(self) -> None:
        self._bars.stop()
