"""Files of collections that are not there, from an address that the user names in TEXTSIEVE_MIRROR.

No address is known here: publishers move, and whoever has a copy may serve it. The address is that of a folder which
has the files under the names of the table; anything that pooch takes (http, https, ftp, sftp), or a file:// address.
What arrives must have the checksum of the table, if that has one, and is kept in the cache, whole or not at all.
"""

from __future__ import annotations

import logging
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

from ...errors import InputError
from ...extras import require_package
from .editions import File
from .locating import FOLDER, MIRROR

CHUNK = 2**16


def fetch(file: File, mirror: str, folder: Path) -> Path:
    """Download a file into a folder, and check it."""
    pooch = _pooch(file)
    target = folder / file.name
    _make_writable(target.parent, file)
    address = f"{mirror.rstrip('/')}/{file.name}"
    checksum = file.sha256 and f"sha256:{file.sha256}"
    try:
        with _downloader(pooch, address, file.name) as downloader:
            pooch.retrieve(address, checksum, fname=target.name, path=target.parent, downloader=downloader)
    except ValueError as problem:
        raise InputError(f"{address}: {_reason(problem)}. Set {MIRROR} to a folder with the right file.") from problem
    except OSError as problem:
        raise InputError(
            f"{address}: cannot be downloaded ({problem}). Check {MIRROR} and the network, or put {target.name} into "
            f"the folder that {FOLDER} names."
        ) from problem
    return target


def _pooch(file: File) -> Any:
    """The package, which has no types."""
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
            f"{folder}: {file.name} cannot be kept there ({problem.strerror or problem}). Make the folder writable, or "
            f"put the file into another that {FOLDER} names."
        ) from problem


def _reason(problem: ValueError) -> str:
    if "hash" in str(problem):
        return "what arrived has another checksum than the file that is known, and was thrown away"
    return str(problem).rstrip(".")


@contextmanager
def _downloader(pooch: Any, address: str, name: str) -> Iterator[Any]:
    """What gets a file: pooch's own means, with a bar where that is possible and somebody watches."""
    scheme = urlsplit(address).scheme
    if scheme == "file":
        yield _copy
    elif scheme not in ("http", "https"):
        yield pooch.downloaders.choose_downloader(address)
    elif not sys.stderr.isatty():
        yield pooch.HTTPDownloader(chunk_size=CHUNK)
    else:
        bar = _Bar(name)
        try:
            yield pooch.HTTPDownloader(progressbar=bar, chunk_size=CHUNK)
        finally:
            bar.close()


def _copy(address: str, output: Any, _: object) -> None:
    shutil.copyfile(url2pathname(urlsplit(address).path), output)


class _Bar:
    """What pooch tells how far it is; it sets `total` before it begins."""

    total = 0

    def __init__(self, name: str) -> None:
        from rich.console import Console
        from rich.progress import DownloadColumn, Progress, TimeRemainingColumn

        columns = (*Progress.get_default_columns()[:3], DownloadColumn(), TimeRemainingColumn())
        self._bars = Progress(*columns, console=Console(stderr=True), transient=True)
        self._task = self._bars.add_task(name, total=None)

    def update(self, size: int) -> None:
        self._bars.start()
        self._bars.update(self._task, advance=size, total=self.total or None)

    def reset(self) -> None:
        self._bars.update(self._task, completed=0)

    def close(self) -> None:
        self._bars.stop()
