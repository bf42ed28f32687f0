"""Make the pictures of the README and the tutorials from real runs, in Chromium without a window.

    python -m docs.pictures.make_pictures [NAME ...]

runs the first tutorial up to the service, serves its model, and takes the pictures `explained-text.png` and
`correction.png`; and runs the comparison of the second tutorial, for `report.png`. It needs `.[dev]`, Chromium and
chromedriver, and takes a few minutes.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from tests.browser import Browser, opened_browser
from tests.docs.running import DOCS, blocks_of, check_page, commands_of
from tests.serve.conftest import Page
from tests.serve.servers import running_server
from tests.terminals import running

PICTURES = Path(__file__).parent
LARGEST = 200_000
"""The most bytes that a picture may have."""
TICKET = (
    "The coffee machine was broken when I unpacked it, so I sent it back last week. Now my card was charged again for "
    "the new one. Please refund the first payment."
)
CORRECTED = "The juicer went back to you in March and the warehouse confirmed it. When do I see my 89 euros?"


def run_tutorial(name: str, end: str, folder: Path) -> None:
    """Run the code of a tutorial in a folder, up to a heading."""
    page = folder / name
    before, heading, _ = (DOCS / "tutorials" / name).read_text(encoding="utf-8").partition(f"\n## {end}")
    if not heading:
        raise ValueError(f"{name} has no heading {end!r}")
    page.write_text(before, encoding="utf-8")
    with running() as runner:
        check_page(page, folder, runner)


def take_pictures_of_the_page(browser: Browser, folder: Path) -> None:
    """Take pictures of an explained text and of a correction."""
    run_tutorial("first-model.md", "9. A page for colleagues", folder)
    with running_server(folder / "tickets.sieve", folder, "--feedback", str(folder / "corrections.jsonl")) as server:
        page = Page(browser)
        browser.size(860)
        browser.open(server.url)
        browser.wait("document.getElementById('summary').textContent.includes('classifies texts')")
        browser.run("document.getElementById('box').style.height = '5.5rem'")  # as a reader can drag it
        page.classify(TICKET)
        browser.picture(PICTURES / "explained-text.png")
        page.classify(CORRECTED)
        browser.one("#wrong").click()
        browser.choose("#right-class", '"billing"')
        browser.picture(PICTURES / "correction.png", height=790)


def take_a_picture_of_the_report(browser: Browser, folder: Path) -> None:
    """Take a picture of the first part of the report on a comparison."""
    page = (DOCS / "tutorials" / "compare-selectors.md").read_text(encoding="utf-8")
    command = commands_of(blocks_of(page)[0])[0].command
    subprocess.run([sys.executable, "-m", *shlex.split(command)], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    browser.size(1000)
    browser.open(folder / "docstrings.html")
    browser.wait("document.querySelector('svg')")
    browser.picture(PICTURES / "report.png", height=945)


MAKERS: dict[str, Callable[[Browser, Path], None]] = {
    "page": take_pictures_of_the_page,
    "report": take_a_picture_of_the_report,
}


def main() -> None:
    """Take all pictures, or those that are named."""
    with opened_browser() as browser:
        for name in sys.argv[1:] or MAKERS:
            with tempfile.TemporaryDirectory() as folder:
                MAKERS[name](browser, Path(folder))
    for picture in sorted(PICTURES.glob("*.png")):
        size = picture.stat().st_size
        print(f"{picture.name}: {size / 1000:.0f} kB")
        if size > LARGEST:
            raise ValueError(f"{picture.name} has more than {LARGEST:,} bytes")


if __name__ == "__main__":
    main()
