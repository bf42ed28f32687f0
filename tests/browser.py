"""A real browser without a window, for pages that are files or come from a server on this machine.

It reaches only this machine: it knows no host names but `localhost` and those that end with `.localhost`, which are
names of this machine. It records the requests and the console messages of a page, so that a test can assert that there
were none.
"""

from __future__ import annotations

import base64
import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, cast

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

SECONDS = 90
"""Time limit of a test that waits for a page; far more than it needs."""
BETWEEN = 0.1
"""Seconds between two checks of a condition; selenium's default of half a second would dominate short tests."""
ARGUMENTS = (
    "--headless=new",
    "--no-sandbox",  # tests may run as root
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--hide-scrollbars",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE *.localhost, EXCLUDE 127.0.0.1",
)


def installed_browser() -> str | None:
    """Return the path of the browser, or None.

    The program without a window is preferred: it has the same engine, and takes about half of the processor time.
    """
    return shutil.which("chromium-headless-shell") or shutil.which("chromium")


def missing() -> str | None:
    """Return which program of a browser is not installed, or None."""
    if installed_browser() is None:
        return "there is no Chromium on this machine (Debian's package chromium-headless-shell)"
    if shutil.which("chromedriver") is None:
        return "there is no chromedriver on this machine (Debian's package chromium-driver)"
    return None


class Browser:
    """One page of a browser."""

    def __init__(self, driver: webdriver.Chrome) -> None:
        self._driver = driver

    # -- before ----------------------------------------------------------------------------------------------------

    def look(self, *, dark: bool = False, media: Literal["screen", "print"] = "screen") -> None:
        """Set the preferred colour scheme, and whether the page is shown or printed."""
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._devtools("Emulation.setEmulatedMedia", media=media, features=[scheme])

    def size(self, width: int, height: int = 900) -> None:
        """Set the size of the window; a narrow window is that of a phone."""
        about = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self._devtools("Emulation.setDeviceMetricsOverride", **about)

    def open(self, page: Path | str) -> None:
        """Open a file or an address, and forget the records of the page before."""
        self._driver.get("about:blank")
        self.complaints()
        self.requests()
        self._driver.get(page.as_uri() if isinstance(page, Path) else page)
        self.wait("location.href !== 'about:blank' && document.readyState === 'complete'")

    # -- doing -----------------------------------------------------------------------------------------------------

    def run(self, script: str, *arguments: Any) -> Any:
        """Run a script, and return its result."""
        return self._driver.execute_script(script, *arguments)

    def all(self, selector: str) -> list[WebElement]:
        """Return the elements that match a CSS selector."""
        return self._driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector: str) -> WebElement:
        """Return the only element that matches a CSS selector."""
        (element,) = self.all(selector)
        return element

    def texts(self, selector: str) -> list[str]:
        """Return the texts of the elements that match a CSS selector, even outside of the window."""
        contents: list[str] = self.run(
            "return [...document.querySelectorAll(arguments[0])].map((element) => element.textContent.trim())", selector
        )
        return contents

    def choose(self, selector: str, value: str) -> None:
        """Choose a value of a list, as a user does."""
        script = "arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('input', {bubbles: true}))"
        self.run(script, self.one(selector), value)
        assert self.run("return arguments[0].value", self.one(selector)) == value, f"{selector} has no {value!r}"

    def type(self, text: str) -> None:
        """Insert text at the focus; any character, as a paste or a keyboard of any language does."""
        self._devtools("Input.insertText", text=text)

    def press(self, *keys: str, holding: str | None = None) -> None:
        """Press keys (of selenium's `Keys`) one after the other, while another one is held down."""
        chain = ActionChains(self._driver)
        if holding is not None:
            chain.key_down(holding)
        chain.send_keys(*keys)
        if holding is not None:
            chain.key_up(holding)
        chain.perform()

    def point_at(self, selector: str) -> None:
        """Move the mouse there."""
        ActionChains(self._driver).move_to_element(self.one(selector)).perform()

    def active(self) -> str:
        """Return the id of the element that has the focus, or its text."""
        label: str = self.run("const it = document.activeElement; return it.id || it.textContent.trim() || it.tagName")
        return label

    def give_file(self, selector: str, path: Path) -> None:
        """Choose a file for an input."""
        self.one(selector).send_keys(str(path))

    def downloads_to(self, folder: Path) -> None:
        """Set the folder of downloads."""
        self._devtools("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder))

    def wait(self, condition: str) -> None:
        """Wait until an expression is true."""
        self._until(lambda: self.run(f"return Boolean({condition})"), condition)

    def wait_for(self, file: Path) -> Path:
        """Wait until a download is complete: Chromium reserves the name with an empty file first."""
        self._until(lambda: file.exists() and file.stat().st_size > 0, str(file))
        return file

    # -- after -----------------------------------------------------------------------------------------------------

    def complaints(self) -> list[str]:
        """Return the console messages since the last call: errors, warnings, and blocked requests."""
        return [f"{entry['level']}: {entry['message']}" for entry in self._log("browser")]

    def requests(self) -> list[str]:
        """Return the addresses that the page requested since the last call."""
        messages = (json.loads(entry["message"])["message"] for entry in self._log("performance"))
        return [
            message["params"]["request"]["url"]
            for message in messages
            if message["method"] == "Network.requestWillBeSent"
        ]

    def picture(self, path: Path, height: int | None = None) -> None:
        """Save a screenshot of the whole page, or of its first pixels down to a height."""
        about = self.run("return [innerWidth, document.documentElement.scrollHeight]")
        clip = {"x": 0, "y": 0, "width": about[0], "height": height or about[1], "scale": 1}
        screenshot = self._devtools("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
        path.write_bytes(base64.b64decode(screenshot["data"]))

    def _until(self, is_so: Callable[[], bool], what: str) -> None:
        WebDriverWait(self._driver, SECONDS, BETWEEN).until(lambda _: is_so(), what)

    def _log(self, name: str) -> list[Any]:
        entries: list[Any] = cast(Any, self._driver).get_log(name)
        return entries

    def _devtools(self, command: str, **arguments: Any) -> Any:
        return self._driver.execute_cdp_cmd(command, arguments)


@contextmanager
def opened_browser() -> Iterator[Browser]:
    """Yield a browser that is closed at the end."""
    options = webdriver.ChromeOptions()
    options.binary_location = str(installed_browser())
    for argument in ARGUMENTS:
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(str(shutil.which("chromedriver"))))
    try:
        yield Browser(driver)
    finally:
        driver.quit()
