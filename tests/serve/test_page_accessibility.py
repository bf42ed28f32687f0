"""The page in light and dark mode, on a phone, with the keyboard alone, and with markup in all texts."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import pytest
from selenium.webdriver.common.keys import Keys

from tests.browser import Browser
from tests.colours import readability
from tests.serve.conftest import HOSTILE, Page, PageService

LARGE_ENOUGH = """
const inline = "p, mark, .marked, [role=region], main, input[type=checkbox], .skip";
const reached = "button, a, select, input, textarea, summary, label.button, label.check, [tabindex]";
return [...document.querySelectorAll(reached)]
  .filter((element) => element.checkVisibility() && !element.matches(inline) && !element.closest(".hidden"))
  .map((element) => [element.id || element.textContent.trim().slice(0, 30), element.getBoundingClientRect()])
  .filter(([, { width, height }]) => width < 43.9 || height < 43.9)
  .map(([name, { width, height }]) => [name, width, height]);
"""
WIDER = "return Math.max(innerWidth, document.documentElement.scrollWidth) - arguments[0]"
TEXT = "the moon rocket and a guitar with my very good engine, today " * 4
TABS = ("text", "file", "label", "terms", "model")


def filled(page: Page, served: PageService, folder: Path) -> None:
    """Open the page of a service, and fill all its tabs."""
    page.open(served)
    page.classify(TEXT.strip())
    page.browser.run("document.getElementById('details').open = true")
    page.browser.one("#wrong").click()
    page.select_tab("file")
    (folder / "some.txt").write_text(f"{TEXT}\nzzyzx\n{'x' * 3000}\n")
    page.choose_file(folder / "some.txt")
    page.run_file()
    page.select_tab("label")
    page.browser.give_file("#label-input", folder / "some.txt")
    page.browser.wait("document.querySelector('#label-marked mark') && document.querySelector('#label-classes button')")
    page.select_tab("terms")
    page.browser.wait("document.querySelectorAll('#terms-list tbody tr').length")
    page.select_tab("model")
    page.browser.run("document.querySelector('#model details').open = true")


def open_document(browser: Browser) -> None:
    """Open the first document of the file, with its details."""
    browser.one("#file-preview tbody tr:first-child .row-button").click()
    browser.run("document.getElementById('document-details').open = true")
    browser.wait("document.getElementById('document-marked').textContent")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_all_text_has_enough_contrast(
    page: Page, browser: Browser, single_label: PageService, multilabel: PageService, tmp_path: Path, dark: bool
) -> None:
    browser.look(dark=dark)
    for served in (single_label, multilabel):
        filled(page, served, tmp_path)
        ground = browser.run("return getComputedStyle(document.body).backgroundColor")
        assert (max(map(int, ground.removeprefix("rgb(").removesuffix(")").split(","))) < 60) == dark
        for tab in TABS:
            page.select_tab(tab)
            if tab == "text":
                browser.run("document.querySelector('#marked mark')?.focus()")
            poor = {words: ratio for words, ratio in readability(browser).items() if ratio < 4.5}
            assert poor == {}, tab
        page.select_tab("file")
        open_document(browser)
        assert {words: ratio for words, ratio in readability(browser).items() if ratio < 4.5} == {}


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_first_view_has_enough_contrast(page: Page, browser: Browser, described: PageService, dark: bool) -> None:
    browser.look(dark=dark)
    page.open(described)
    assert {words: ratio for words, ratio in readability(browser).items() if ratio < 4.5} == {}


def test_marks_differ_by_more_than_colour(page: Page, browser: Browser, single_label: PageService) -> None:
    page.open(single_label)
    page.classify(TEXT.strip())
    styles = (
        "return [...document.querySelectorAll('#marked mark.%s')].map((e) => getComputedStyle(e).textDecorationStyle)"
    )
    assert set(browser.run(styles % "for")) == {"solid"}
    assert set(browser.run(styles % "against")) == {"dashed"}


@pytest.mark.parametrize("width", [360, 320])
def test_the_page_fits_a_phone(
    page: Page,
    browser: Browser,
    single_label: PageService,
    multilabel: PageService,
    hostile: PageService,
    tmp_path: Path,
    width: int,
) -> None:
    browser.size(width, 740)
    for served in (single_label, multilabel, hostile) if width == 360 else (hostile,):
        filled(page, served, tmp_path)
        for tab in TABS:
            page.select_tab(tab)
            assert browser.run(WIDER, width) == 0, tab
            if width == 360:
                assert browser.run(LARGE_ENOUGH) == [], tab
        page.select_tab("file")
        open_document(browser)
        assert browser.run(WIDER, width) == 0
        assert (
            browser.run(
                "const {scrollWidth, clientWidth} = arguments[0]; return scrollWidth - clientWidth",
                browser.one("#document"),
            )
            == 0
        )
        assert browser.run(LARGE_ENOUGH) == []
        browser.one("#document-close").click()
    assert browser.complaints() == []


def test_the_first_view_fits_a_phone(page: Page, browser: Browser, described: PageService) -> None:
    browser.size(360, 740)
    page.open(described)
    assert browser.run(WIDER, 360) == 0
    assert browser.run(LARGE_ENOUGH) == []


def test_a_tap_shows_the_number(page: Page, browser: Browser, single_label: PageService) -> None:
    browser.size(360, 740)
    page.open(single_label)
    page.classify("moon rocket")
    browser.one("#marked mark:first-of-type").click()
    assert browser.one("#tip").is_displayed()
    box = browser.run(
        "const {left, right} = document.getElementById('tip').getBoundingClientRect(); return [left, right]"
    )
    assert 0 <= box[0] < box[1] <= 360


def tab_to(browser: Browser, name: str) -> None:
    """Press Tab until an element has the focus; the focus must be visible all the time."""
    for _ in range(60):
        browser.press(Keys.TAB)
        outline = browser.run(
            "const it = document.activeElement, seen = it.matches('.over') ? it.closest('.button') : it;"
            "return getComputedStyle(seen).outlineStyle"
        )
        assert outline != "none", f"{browser.active()} has the focus, but the focus is not visible"
        if browser.active().startswith(name):
            return
    raise AssertionError(f"Tab does not lead to {name}")


def test_a_text_can_be_classified_and_corrected_with_the_keyboard(
    page: Page, browser: Browser, single_label: PageService, tmp_path: Path
) -> None:
    page.open(single_label)
    browser.press(Keys.TAB)
    assert browser.active() == "Skip to content"
    browser.press(Keys.ENTER)
    assert browser.active() == "main"
    tab_to(browser, "box")
    browser.type("the moon rocket and a guitar")
    browser.press(Keys.ENTER, holding=Keys.CONTROL)
    page.wait_for_text("the moon rocket and a guitar")
    tab_to(browser, "wrong")
    browser.press(Keys.ENTER)
    assert browser.active() == "right-class"
    browser.press("c")
    tab_to(browser, "Send")
    browser.press(Keys.ENTER)
    browser.wait("document.getElementById('correction-state').textContent.startsWith('Thank you')")
    assert single_label.corrections()[-1]["label"] == "cars"
    assert browser.active() == "correction-state"
    (predicted,) = browser.texts("#prediction strong")
    browser.press(Keys.TAB)
    assert browser.active() == "correction-undo"
    browser.press(Keys.TAB)
    first = browser.active()
    assert browser.run("return document.activeElement.tagName") == "MARK"
    browser.press(Keys.ARROW_RIGHT)
    assert browser.active() != first
    assert browser.one("#tip").is_displayed()
    browser.press(Keys.ESCAPE)
    assert not browser.one("#tip").is_displayed()
    tab_to(browser, "Details")
    browser.press(Keys.ENTER)
    assert browser.one("#contributions").is_displayed()
    tab_to(browser, predicted)
    browser.press(Keys.ARROW_DOWN)
    browser.wait(f"document.querySelector('.contributions caption').textContent !== 'Score of {predicted}'")
    assert browser.run("return document.activeElement.getAttribute('aria-checked')") == "true"


def test_a_document_of_a_file_can_be_explained_with_the_keyboard(
    page: Page, browser: Browser, single_label: PageService, tmp_path: Path
) -> None:
    page.open(single_label, "#file")
    (tmp_path / "some.txt").write_text("moon rocket\nguitar song")
    page.choose_file(tmp_path / "some.txt")
    page.run_file()
    tab_to(browser, "file-class")
    tab_to(browser, "Probability")
    browser.press(Keys.ENTER)
    order = browser.texts("#file-preview .row-button")
    tab_to(browser, order[0])
    browser.press(Keys.ENTER)
    browser.wait(f"document.getElementById('document-marked').textContent === '{order[0]}'")
    tab_to(browser, order[0].split()[0])
    assert browser.one("#document-tip").is_displayed()
    browser.press(Keys.ESCAPE)
    assert not browser.one("#document-tip").is_displayed()
    assert browser.one("#document").is_displayed(), "the first Escape hides the tooltip only"
    browser.press(Keys.ESCAPE)
    assert not browser.one("#document").is_displayed()
    assert browser.active() == order[0]


def test_arrow_keys_switch_tabs(page: Page, browser: Browser, single_label: PageService, tmp_path: Path) -> None:
    page.open(single_label)
    tab_to(browser, "tab-text")
    browser.press(Keys.ARROW_RIGHT)
    assert browser.active() == "tab-file"
    assert browser.one("#file").is_displayed()
    assert not browser.one("#text").is_displayed()
    tab_to(browser, "file-input")
    (tmp_path / "some.txt").write_text("moon\nguitar")
    page.choose_file(tmp_path / "some.txt")
    tab_to(browser, "file-start")
    browser.press(Keys.ENTER)
    browser.wait("!document.querySelector('#file-result[hidden]')")
    assert browser.active() == "file-start"
    tab_to(browser, "file-download")
    browser.downloads_to(tmp_path)
    browser.press(Keys.ENTER)
    browser.wait_for(tmp_path / "some-txt-classified.csv")
    browser.run("document.getElementById('tab-file').focus()")
    browser.press(Keys.END)
    assert browser.active() == "tab-model"
    tab_to(browser, "All settings")
    tab_to(browser, "Class")
    browser.press(Keys.ENTER)
    assert browser.run("return document.activeElement.closest('th').getAttribute('aria-sort')") == "ascending"
    browser.run("document.getElementById('tab-model').focus()")
    browser.press(Keys.ARROW_LEFT)
    tab_to(browser, "terms-search")
    browser.type("gui")
    browser.wait("[...document.querySelectorAll('#terms-list tbody th')].every((e) => e.textContent.includes('gui'))")
    assert urlsplit(browser.run("return location.href")).fragment == "terms"


def test_all_controls_have_accessible_names(
    page: Page, browser: Browser, multilabel: PageService, tmp_path: Path
) -> None:
    filled(page, multilabel, tmp_path)
    assert browser.run("return document.querySelectorAll('main, header, footer, nav').length") == 4
    unnamed = browser.run(
        "return [...document.querySelectorAll('button, a, input, select, textarea')].filter((element) =>"
        "!(element.textContent.trim() || element.labels?.length || element.ariaLabel))"
        ".map((element) => element.outerHTML)"
    )
    assert unnamed == []
    named = (
        "return [...document.querySelectorAll('[aria-labelledby], [aria-describedby], [aria-controls]')].flatMap((e) =>"
    )
    named += "['aria-labelledby', 'aria-describedby', 'aria-controls'].map((a) => e.getAttribute(a)).filter(Boolean)"
    assert [name for name in browser.run(f"{named})") if browser.all(f"#{name}") == []] == []


def test_markup_is_shown_as_text(page: Page, browser: Browser, hostile: PageService, tmp_path: Path) -> None:
    text = "<script>window.hurt = 3</script> moon rocket <img src=x onerror='window.hurt = 4'> & &amp; </textarea>"
    page.open(hostile)
    page.classify(text)
    assert browser.run("return document.getElementById('marked').textContent") == text
    assert set(browser.texts("#classes .name")) >= {HOSTILE[1], HOSTILE[2]}
    browser.one("#wrong").click()
    assert set(browser.texts("#right-class option")) >= set(HOSTILE) - set(browser.texts("#prediction strong"))
    page.select_tab("file")
    (tmp_path / "a<b>.csv").write_text(f'<i>id</i>,text\n<u>1</u>,"{text.replace(chr(34), chr(34) * 2)}"\n')
    page.choose_file(tmp_path / "a<b>.csv")
    page.run_file()
    assert browser.texts("#file-preview .clip") == [text]
    page.select_tab("terms")
    browser.one("#terms-search").send_keys("onclick")
    browser.wait("document.querySelectorAll('#terms-list tbody tr').length === 1")
    assert browser.texts("#terms-list tbody th") == ["<b onclick='hurt()'>bold</b>"]
    page.select_tab("model")
    assert any(HOSTILE[0] in text for text in browser.texts("#model-card tbody th"))
    assert (
        browser.run("return document.querySelectorAll('main script, main img, main i, main u, main b[onclick]').length")
        == 0
    )
    assert browser.run("return window.hurt ?? null") is None
    assert browser.complaints() == []


def test_the_page_sends_requests_only_to_its_service(
    page: Page, browser: Browser, single_label: PageService, tmp_path: Path
) -> None:
    filled(page, single_label, tmp_path)
    urls = browser.requests()
    assert any(url.endswith("/v1/explain") for url in urls)
    assert {urlsplit(url).netloc for url in urls} == {urlsplit(single_label.url).netloc}
    assert browser.complaints() == []
