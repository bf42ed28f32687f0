"""Selection of the tests that run, and fixtures for the papers' corpora and a browser."""

import gc
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from tests.browser import Browser, missing, opened_browser
from tests.depth import IS_DEEP, IS_QUICK, absent, corpora_folder, every_value, few_cases
from tests.reference.archives import files_in, read_archives_once
from tests.rewriting import rewrite_asserts
from textsieve.corpus import Corpus, read
from textsieve.corpus.named_corpora import inventory
from textsieve.extras import is_installed

NEEDS = {"sessions": "with Spark", "chromium": "in a browser", "data_dir": "on the papers' corpora"}
"""Fixtures of what a machine may lack, and what to call the tests that use them. The quick run leaves them out."""

SPARK = "tests/spark/"
HAS_SPARK = is_installed("pyspark")
collect_ignore = ["spark"] if IS_QUICK and not HAS_SPARK else []
"""The environment of the quick run (`make test`) has no Spark."""
IN_ONE_WORKER = {
    SPARK: SPARK,
    "tests/serve/": "a service",
    "tests/report/test_report_browser.py": "a service",
    "tests/display/test_display_browser.py": "a service",
}
"""Beginnings of the names of tests that share what starts slowly, and a name of what they share: Spark sessions, or a
browser and services. One worker runs all of them. These tests wait most, so they come first.
"""
FIRST_TEST = pytest.StashKey[bool]()

left_out: Counter[str] = Counter()

os.environ.pop("COLUMNS", None)  # pytest-xdist sets it, and the command line breaks its lines there


def pytest_configure(config: pytest.Config) -> None:
    """Ignore the sockets that PySpark 4.0 leaves open; later versions close them."""
    if HAS_SPARK and version("pyspark").startswith("4.0."):
        config.addinivalue_line("filterwarnings", "ignore:unclosed <socket.socket:ResourceWarning")


def pytest_make_parametrize_id(val: Any, argname: str) -> str | None:
    """Name bytes by their parameter: compressed ones contain the time, and all workers must see the same ids."""
    return argname if isinstance(val, bytes) else None


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Use a worker for each core, and one more where tests wait for Spark, a browser and other processes."""
    n_cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return n_cores if IS_QUICK else n_cores + 1


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes(config: pytest.Config, specs: list[Any]) -> None:
    """Do once what each worker would do for itself."""
    folders = {Path(argument.partition("::")[0]) for argument in config.args}
    files = [file for folder in folders for pattern in ("test_*.py", "conftest.py") for file in folder.rglob(pattern)]
    rewrite_asserts(config, [file.resolve() for file in files], len(specs))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Run all tests of a file in one worker, and so tests that share a session of Spark, a browser or services."""
    from xdist.scheduler import LoadFileScheduling

    scheduling = LoadFileScheduling(config, log)
    file_of = scheduling._split_scope
    scheduling._split_scope = lambda nodeid: _shared_by(nodeid) or file_of(nodeid)
    return scheduling


def _shared_by(nodeid: str) -> str | None:
    """Return the name of what a test shares with those of other files, or None."""
    return next((shared for beginning, shared in IN_ONE_WORKER.items() if nodeid.startswith(beginning)), None)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Select tests by the depth of the run, and put those first that one worker runs because of what they share."""
    is_named = any("::" in argument for argument in config.args)  # tests that are named always run
    if not IS_DEEP and not is_named:
        runs = [item for item in items if _reason_to_leave_out(item) is None]
        selected = few_cases(runs) if IS_QUICK else every_value(runs)
        left_out.update(_reason_to_leave_out(item) or "with other parameters" for item in set(items) - selected)
        items[:] = [item for item in items if item in selected]
    order = [*dict.fromkeys(IN_ONE_WORKER.values()), None]
    items.sort(key=lambda item: order.index(_shared_by(item.nodeid)))
    if hasattr(config, "workeroutput"):
        config.workeroutput["left_out"] = dict(left_out)


def pytest_collection_finish() -> None:
    """Exempt the collected tests from garbage collection, which would visit their million objects again and again."""
    gc.freeze()


def pytest_sessionstart(session: pytest.Session) -> None:
    """Reset what is known of the worker's first test."""
    session.stash[FIRST_TEST] = True


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Give the worker with Spark, whose tests take longest, the processor first: all others are nicer."""
    if item.session.stash[FIRST_TEST] and hasattr(item.config, "workerinput") and not IS_QUICK:
        item.session.stash[FIRST_TEST] = False
        if not item.nodeid.startswith(SPARK) and hasattr(os, "nice"):
            os.nice(5)


def _reason_to_leave_out(item: pytest.Item) -> str | None:
    """Return what kind of test this is if a run that is not deep leaves it out, or None."""
    fixtures = getattr(item, "fixturenames", ())
    kinds = [kind for name, kind in NEEDS.items() if name in fixtures and IS_QUICK]
    takes_long = item.get_closest_marker("deep") or (IS_QUICK and item.get_closest_marker("slow"))
    return kinds[0] if kinds else "that take long" if takes_long else None


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take over from a worker which tests it left out; all workers leave out the same."""
    left_out.update(getattr(node, "workeroutput", {}).get("left_out", {}) if not left_out else {})


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say in one line what the run left out, and how to run it."""
    tests = "".join(f", {n:,} tests {kind}" for kind, n in left_out.most_common())
    if IS_QUICK:
        spark = "" if HAS_SPARK else ", all tests of textsieve.spark"
        terminalreporter.write_line(f"Left out (`make test-all` runs them): most examples of each law{tests}{spark}.")
    elif left_out:
        terminalreporter.write_line(f"Left out (`make test-all DEPTH=deep` runs them){tests.replace(',', ':', 1)}.")


@pytest.fixture(scope="session")
def data_dir() -> Iterator[Path]:
    """Yield the folder with the papers' corpora, named by TEXTSIEVE_DATA; each archive is unpacked once in a run."""
    folder = corpora_folder()
    with pytest.MonkeyPatch.context() as patch:
        read_archives_once(folder, patch)
        yield folder


@pytest.fixture(scope="session")
def named(data_dir: Path) -> Callable[[str], Corpus]:
    """Return a function that opens a corpus by its name, if its files are there."""

    def opened(name: str) -> Corpus:
        if not inventory(name)[0].is_here:
            absent(f"the files of {name} are not all in TEXTSIEVE_DATA={data_dir}")
        return read(name)

    return opened


RAW = {
    "newsgroups": ("20news-bydate.tar.gz", r".*-train/.*/\d+$"),
    "webkb": ("webkb-data.gtar.gz", r".*http.*"),
    "reuters": ("reuters21578.tar.gz", r".*\.sgm$"),
}
"""Archives, and which of their files have documents."""


@pytest.fixture(scope="module", params=RAW)
def raw_documents(request: pytest.FixtureRequest, data_dir: Path) -> Callable[[int], list[str]]:
    """Return a function that reads raw documents: mails with headers, HTML, and SGML that is split into articles."""
    archive_name, pattern = RAW[request.param]
    if not (data_dir / archive_name).exists():
        absent(f"{archive_name} is not in TEXTSIEVE_DATA={data_dir}")

    def first(n: int) -> list[str]:
        texts: list[str] = []
        for name, data in files_in(data_dir / archive_name):
            if re.fullmatch(pattern, name) and len(texts) < n:
                text = data.decode("latin-1")
                parts = re.findall(r"<REUTERS.*?</REUTERS>", text, re.DOTALL) if request.param == "reuters" else [text]
                texts += filter(None, parts)
        assert len(texts) >= n
        return texts[:n]

    return first


Labelled = tuple[list[str], list[str]]


@pytest.fixture(scope="session")
def newsgroups(data_dir: Path) -> Labelled:
    """Texts and groups of the training part of 20 Newsgroups by date."""
    return _newsgroups(data_dir, "train")


@pytest.fixture(scope="session")
def newsgroups_test(data_dir: Path) -> Labelled:
    """Texts and groups of the later part of 20 Newsgroups by date."""
    return _newsgroups(data_dir, "test")


def _newsgroups(folder: Path, part: str) -> Labelled:
    own = [file for file in files_in(folder / "20news-bydate.tar.gz") if f"bydate-{part}/" in file[0]]
    return [data.decode("latin-1") for _, data in own], [name.split("/")[-2] for name, _ in own]


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """Yield one browser for all tests that need one."""
    reason = missing()
    if reason is not None:
        absent(reason)
    with opened_browser() as started:
        yield started


@pytest.fixture
def browser(chromium: Browser) -> Browser:
    """Return the browser in its initial state: a window of usual size, in light mode, on a screen."""
    chromium.size(1280)
    chromium.look()
    return chromium
