"""What Windows and macOS lack is simulated by taking it away.

`WITHOUT_POSIX` hides the modules, functions and signals that Windows does not have, before textsieve is imported.
"""

import json
import os
import socket
import subprocess
import sys
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.depth import need
from tests.processes import wait_for
from textsieve.cli.messages import shell_join, shell_quote
from textsieve.corpus import read
from textsieve.errors import InputError
from textsieve.files import open_regular, read_small, temporary_folder
from textsieve.memory import is_limited
from textsieve.modelfile.sources import PATH, TrainingSource

WITHOUT_POSIX = """
# These modules use what is hidden, so they are imported before.
import asyncio, multiprocessing, os, random, selectors, shutil, signal, subprocess, sys, tempfile
import http.client, logging, urllib.request
import click, numpy, scipy.sparse, zstandard

for name in ("fcntl", "resource", "termios", "tty", "pwd", "grp", "uvloop"):
    sys.modules[name] = None
for name in (
    "O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK", "chown", "fchmod", "fchown", "fork", "forkpty", "getpgid", "getuid",
    "geteuid", "killpg", "mkfifo", "nice", "pread", "preadv", "pwrite", "sched_getaffinity", "set_blocking", "setsid",
    "statvfs", "sysconf", "ttyname",
):
    if hasattr(os, name):
        delattr(os, name)
for name in (
    "ITIMER_VIRTUAL", "SIGALRM", "SIGCHLD", "SIGHUP", "SIGPIPE", "SIGUSR1", "SIGVTALRM", "getitimer",
    "pthread_sigmask", "setitimer", "sigwait",
):
    delattr(signal, name)

open_file = os.open
def open_no_folders(path, *arguments, **options):
    if os.path.isdir(path):
        raise PermissionError(13, "Permission denied", path)
    return open_file(path, *arguments, **options)
os.open = open_no_folders

from textsieve.cli import main
main()
"""
NEWS = {"sport": "The striker scored {} goals in the match", "politics": "Parliament passed {} laws in the debate"}


def write_folder(root: Path) -> None:
    """Write a folder with a subfolder for each class."""
    for label, text in NEWS.items():
        (root / label).mkdir(parents=True)
        for number in range(20):
            (root / label / f"{number}.txt").write_text(text.format(number), encoding="utf-8")


def without_posix(folder: Path, *arguments: str, **settings: Any) -> subprocess.CompletedProcess[str]:
    """Run the command line in a folder as on a system that has only what Windows has."""
    command = [sys.executable, "-c", WITHOUT_POSIX, *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, encoding="utf-8", **settings)
    assert "Traceback" not in done.stderr, done.stderr
    return done


@pytest.mark.slow
def test_commands_work_without_posix(tmp_path: Path) -> None:
    write_folder(tmp_path / "news")
    trained = without_posix(tmp_path, "train", "news", "-o", "m.sieve", "--classifier", "nb", "--keep-stats")
    assert trained.returncode == 0, trained.stderr
    (tmp_path / "new.jsonl").write_text('{"text": "The coach and the striker", "label": "sport"}\n', encoding="utf-8")
    for arguments in (
        ("update", "m.sieve", "new.jsonl"),
        ("info", "m.sieve"),
        ("evaluate", "m.sieve", "news"),
        ("compare", "news", "--terms", "5", "--classifiers", "nb", "--folds", "2", "--results", "r.jsonl"),
    ):
        done = without_posix(tmp_path, *arguments)
        assert done.returncode == 0, done.stderr
    predicted = without_posix(tmp_path, "predict", "m.sieve", "-", input='{"text": "the coach"}\n')
    assert json.loads(predicted.stdout)["label"] == "sport"


def test_a_folder_is_no_model_without_posix(tmp_path: Path) -> None:
    done = without_posix(tmp_path, "info", ".")
    assert (done.returncode, "this is a folder" in done.stderr) == (1, True), done.stderr


def test_several_workers_are_refused_without_fork(tmp_path: Path) -> None:
    done = without_posix(tmp_path, "serve", "m.sieve", "--workers", "2")
    assert done.returncode == 2
    assert "this system can't run more than one worker" in done.stderr


@pytest.mark.slow
def test_the_service_answers_and_writes_corrections_without_posix(tmp_path: Path) -> None:
    need("fastapi")
    write_folder(tmp_path / "news")
    assert without_posix(tmp_path, "train", "news", "-o", "m.sieve").returncode == 0
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    options = ["--port", str(port), "--feedback", "corrections.jsonl", "--reload"]
    with (tmp_path / "log").open("w", encoding="utf-8") as log:
        command = [sys.executable, "-c", WITHOUT_POSIX, "serve", "m.sieve", *options]
        service = subprocess.Popen(command, cwd=tmp_path, stdout=log, stderr=log)
    try:
        log_text = (tmp_path / "log").read_text
        wait_for(lambda: "Serving" in log_text(encoding="utf-8") or None, lambda: log_text(encoding="utf-8"))
        for text in ("first", "second"):
            assert post(port, "/v1/feedback", {"text": text, "label": "sport"})["status"] in (200, 201, 204)
        predicted = post(port, "/v1/predict", {"texts": ["The striker scored"]})
    finally:
        service.terminate()
        service.wait(timeout=60)
    assert predicted["status"] == 200, predicted
    content = (tmp_path / "corrections.jsonl").read_bytes()
    assert [json.loads(line)["text"] for line in content.split(b"\n")[:-1]] == ["first", "second"]


def post(port: int, path: str, body: object) -> dict[str, Any]:
    """Send a request to a service, and return the status and the body of the response."""
    from http.client import HTTPConnection

    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("POST", path, json.dumps(body), {"content-type": "application/json"})
        response = connection.getresponse()
        return {"status": response.status, "body": response.read()}
    finally:
        connection.close()


class EntryWithoutInode:
    """An entry of a folder as `os.scandir` gives it on Windows."""

    def __init__(self, entry: os.DirEntry[str]) -> None:
        self._entry = entry

    def __getattr__(self, name: str) -> Any:
        return getattr(self._entry, name)

    def stat(self) -> SimpleNamespace:
        """Return the metadata, in which Windows leaves out the inode and the device."""
        return SimpleNamespace(st_ino=0, st_dev=0)


def test_all_class_folders_are_read_if_entries_have_no_inode(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from textsieve.corpus.readers import folder

    write_folder(tmp_path)
    list_folder = folder.list_folder
    monkeypatch.setattr(folder, "list_folder", lambda path: [*map(EntryWithoutInode, list_folder(path))])
    _, labels = read(tmp_path).load()
    assert Counter(labels) == {"sport": 20, "politics": 20}


def test_a_folder_that_the_system_does_not_open_is_named_as_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: str, *_: Any) -> int:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(InputError, match="this is a folder, not a model"):
        open_regular(str(tmp_path), what="a model")
    with pytest.raises(InputError, match="this is a folder, not a document"):
        read_small(str(tmp_path), what="a document", max_bytes=10)
    with pytest.raises(PermissionError):
        open_regular(str(tmp_path / "file"), what="a model")


def test_a_temporary_file_that_stays_open_does_not_hide_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    unlink, folders = os.unlink, []

    def refuse(path: Any, **options: Any) -> None:
        raise PermissionError(13, "The process cannot access the file", str(path))

    with pytest.raises(InputError, match="wrong line"), temporary_folder() as name:  # noqa: PT012, the block must end so
        folders.append(Path(name))
        (Path(name) / "open").write_bytes(b"")
        monkeypatch.setattr(os, "unlink", refuse)
        raise InputError("wrong line")
    monkeypatch.setattr(os, "unlink", unlink)
    (folders[0] / "open").unlink()
    folders[0].rmdir()


def test_a_source_on_another_drive_is_stored_with_its_absolute_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: str, start: str = os.curdir) -> str:
        raise ValueError(f"path is on mount 'D:', start on mount 'C:' ({path}, {start})")

    model_path = str(tmp_path / "m.sieve")
    monkeypatch.setattr(os.path, "relpath", refuse)
    source = TrainingSource.at("news.csv", model_path)
    assert source.name == os.path.abspath("news.csv")
    assert TrainingSource(PATH, "../news.csv").location("models/m.sieve") == os.path.abspath("news.csv")


def test_a_source_is_stored_with_slashes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sep", "\\")
    monkeypatch.setattr(os.path, "relpath", lambda *_: r"..\data\news.csv")
    assert TrainingSource.at("news.csv", str(tmp_path / "m.sieve")).name == "../data/news.csv"


def test_a_system_without_a_limit_of_the_address_space(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resource", SimpleNamespace(RLIM_INFINITY=-1, getrlimit=lambda _: (5, 5)))
    assert not is_limited()  # there is no RLIMIT_AS, as on OpenBSD


def test_a_pipe_of_the_shell_that_resolves_to_itself_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    from textsieve.cli import options

    read_end, write_end = os.pipe()
    os.write(write_end, b"the and")
    os.close(write_end)
    path = f"/dev/fd/{read_end}"
    monkeypatch.setattr(os.path, "realpath", lambda name: name)  # as on macOS, where /dev/fd has no links
    try:
        assert options.stop_words((path,), None) == ["the", "and"]
    finally:
        os.close(read_end)


@pytest.mark.parametrize(
    ("word", "typed"),
    [
        (r"C:\data\news.csv", r"C:\data\news.csv"),
        (r"my data\news.csv", r'"my data\news.csv"'),
        ("|", '"|"'),
        ("", '""'),
        ('a "b"', r'"a \"b\""'),
        ("a b\\", '"a b\\\\"'),
    ],
)
def test_commands_are_quoted_for_windows(word: str, typed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "name", "nt")
    assert shell_quote(word) == typed
    assert shell_join(["textsieve", word]) == f"textsieve {typed}"


def test_commands_are_quoted_for_other_systems() -> None:
    assert shell_join(["textsieve", "info", "my news.sieve"]) == "textsieve info 'my news.sieve'"


@pytest.mark.slow
def test_no_file_is_opened_in_the_encoding_of_the_system(tmp_path: Path) -> None:
    write_folder(tmp_path / "news")
    code = "import sys; sys.argv[0] = 'textsieve'; from textsieve.cli import main; main()"
    environment = {**os.environ, "PYTHONWARNDEFAULTENCODING": "1"}
    for arguments in (
        ("train", "news", "-o", "m.sieve"),
        ("explain", "m.sieve", "The striker scored"),
        ("check", "news", "--report", "check.html"),
        ("compare", "news", "--terms", "5", "--classifiers", "nb", "--folds", "2", "--report", "compare.html"),
    ):
        command = [sys.executable, "-W", "always::EncodingWarning", "-c", code, *arguments]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, encoding="utf-8")
        assert done.returncode == 0, done.stderr
        ours = [line for line in done.stderr.splitlines() if "EncodingWarning" in line and "textsieve" in line]
        assert not ours
