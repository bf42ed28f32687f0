"""The real corpora and a real browser, where they are; and how much hypothesis tries."""

import os
import re
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.browser import Browser, missing, opened_browser
from textsieve.corpus import Corpus, read
from textsieve.corpus.inventory import inventory

settings.register_profile(
    "textsieve",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("textsieve")


def _absent(reason: str) -> None:
    """Skip; but where CI was promised the corpora, a skipped test would look like a passed one."""
    if os.environ.get("CI") == "true" and "TEXTSIEVE_DATA" in os.environ:
        pytest.fail(f"{reason}, and CI must not skip")
    pytest.skip(reason)


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder with the papers' corpora, named by TEXTSIEVE_DATA."""
    name = os.environ.get("TEXTSIEVE_DATA")
    if not name:
        _absent("TEXTSIEVE_DATA does not name a folder with the corpora")
    folder = Path(str(name))
    if not folder.is_dir():
        _absent(f"TEXTSIEVE_DATA={name} is not a folder")
    return folder


@pytest.fixture(scope="session")
def named(data_dir: Path) -> Callable[[str], Corpus]:
    """Opens a corpus by its name, if its files are there."""

    def opened(name: str) -> Corpus:
        if not inventory(name)[0].is_here:
            _absent(f"the files of {name} are not all in TEXTSIEVE_DATA={data_dir}")
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
    """Some documents as they are in the files: mails with headers, HTML, and SGML that is cut into its articles."""
    archive_name, pattern = RAW[request.param]
    if not (data_dir / archive_name).exists():
        _absent(f"{archive_name} is not in TEXTSIEVE_DATA={data_dir}")

    def first(n: int) -> list[str]:
        texts: list[str] = []
        with tarfile.open(data_dir / archive_name) as archive:
            while len(texts) < n and (member := archive.next()):
                file = archive.extractfile(member) if re.fullmatch(pattern, member.name) else None
                text = "" if file is None else file.read().decode("latin-1")
                parts = re.findall(r"<REUTERS.*?</REUTERS>", text, re.DOTALL) if request.param == "reuters" else [text]
                texts += filter(None, parts)
        assert len(texts) >= n
        return texts[:n]

    return first


@pytest.fixture(scope="session")
def newsgroups(data_dir: Path) -> tuple[list[str], list[str]]:
    """Texts and groups of the training part of 20 Newsgroups by date."""
    texts, groups = [], []
    with tarfile.open(data_dir / "20news-bydate.tar.gz") as archive:
        for member in archive:
            if member.isfile() and "bydate-train/" in member.name:
                file = archive.extractfile(member)
                assert file is not None
                texts.append(file.read().decode("latin-1"))
                groups.append(member.name.split("/")[-2])
    return texts, groups


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """One browser for all tests that need one."""
    reason = missing()
    if reason is not None:
        if os.environ.get("CI") == "true":
            pytest.fail(f"{reason}, and CI must not skip")
        pytest.skip(reason)
    with opened_browser() as found:
        yield found


@pytest.fixture
def browser(chromium: Browser) -> Browser:
    """The browser as it is at first: a window of usual size, light, on a screen."""
    chromium.size(1280)
    chromium.look()
    return chromium
