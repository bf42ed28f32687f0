"""Saved charts: the ending decides the format, bytes are reproducible, text is escaped, and writing is atomic."""

import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import altair as alt
import pytest

from textsieve import InputError
from textsieve.plots import Chart, check_target, lines, save

HOSTILE = "</script><script>alert(1)</script><!-- & \"'"
SVG = "{http://www.w3.org/2000/svg}"


def chart_of(name: str = "a") -> Chart:
    curves = {name: ([1, 10, 1000], [0.2, 0.5, 0.8])}
    return lines(curves, x=name, y=f"y {name}", title=f"T {name}", caption=f"c {name}", rules={name: 0.3}, log_x=True)


def texts_of(path: Path) -> list[str]:
    return [
        element.text or "" for element in ElementTree.fromstring(path.read_text(encoding="utf-8")).iter(f"{SVG}text")
    ]


def tags_of(page: str) -> list[tuple[str, list[str]]]:
    """Return the tags of a page as a browser sees them, and the names of their attributes."""
    tags: list[tuple[str, list[str]]] = []

    class Parser(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            tags.append((tag, [name for name, _ in attrs]))

    Parser().feed(page)
    return tags


def test_an_svg_has_all_texts(tmp_path: Path) -> None:
    save(chart_of("curve"), tmp_path / "x.svg")
    texts = texts_of(tmp_path / "x.svg")
    for expected in ("T curve", "c curve", "y curve", "curve", "1", "10", "100", "1,000"):
        assert expected in texts


def test_a_png_has_twice_the_pixels(tmp_path: Path) -> None:
    save(chart_of(), tmp_path / "x.PNG")
    data = (tmp_path / "x.PNG").read_bytes()
    assert data.startswith(b"\x89PNG\r\n")
    assert int.from_bytes(data[16:20], "big") > 1280, "twice the pixels"


def test_json_is_the_chart(tmp_path: Path) -> None:
    save(chart_of(), tmp_path / "x.json")
    assert alt.Chart.from_json((tmp_path / "x.json").read_text()).to_dict() == chart_of().to_dict()


def test_a_page_needs_no_network(tmp_path: Path) -> None:
    save(chart_of(), tmp_path / "x.html")
    page = (tmp_path / "x.html").read_text(encoding="utf-8")
    assert [tag for tag, _ in tags_of(page) if tag in ("script", "div")] == ["script", "div", "script"]
    assert not {"src", "href"} & {name for _, names in tags_of(page) for name in names}
    assert not re.search(r"\bimport\s*\(?\s*['\"]https?:", page)
    assert "window.vegaEmbed" in page
    assert "<title>T a</title>" in page


def test_text_is_escaped_in_a_page(tmp_path: Path) -> None:
    save(chart_of("a"), tmp_path / "plain.html")
    save(chart_of(HOSTILE), tmp_path / "hostile.html")
    plain, page = ((tmp_path / f"{name}.html").read_text(encoding="utf-8") for name in ("plain", "hostile"))
    assert tags_of(page) == tags_of(plain)
    assert page.count("<") == plain.count("<"), "no tag and no comment more"
    drawn = page[page.rindex('vegaEmbed("#chart", ') + len('vegaEmbed("#chart", ') :]
    spec, _ = json.JSONDecoder().raw_decode(drawn)
    assert spec["title"]["text"] == [f"T {HOSTILE}"], "and it is the same text"


def test_text_is_escaped_in_an_svg(tmp_path: Path) -> None:
    save(chart_of(HOSTILE), tmp_path / "x.svg")
    assert f"T {HOSTILE}" in texts_of(tmp_path / "x.svg")
    assert HOSTILE in texts_of(tmp_path / "x.svg")
    root = ElementTree.fromstring((tmp_path / "x.svg").read_text(encoding="utf-8"))
    assert not list(root.iter(f"{SVG}script"))


def test_characters_that_xml_forbids_are_replaced(tmp_path: Path) -> None:
    save(chart_of("a\x00b\x1b[31m\ud800\uffff"), tmp_path / "x.svg")
    assert "T a�b�[31m��" in texts_of(tmp_path / "x.svg")


AGAIN = """
import sys
from textsieve.plots import lines, save
curves = {"a": ([1, 10, 1000], [0.2, 0.5, 0.8])}
save(lines(curves, x="a", y="y a", title="T a", caption="c a", rules={"a": 0.3}, log_x=True), sys.argv[1])
"""


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["svg", "png", "html", "json"])
def test_the_same_chart_gives_the_same_bytes(kind: str, tmp_path: Path) -> None:
    save(chart_of(), tmp_path / f"first.{kind}")
    save(chart_of("another"), tmp_path / f"other.{kind}")
    save(chart_of(), tmp_path / f"second.{kind}")
    first, other, second = ((tmp_path / f"{name}.{kind}").read_bytes() for name in ("first", "other", "second"))
    assert first == second
    assert first != other
    if kind == "svg":
        subprocess.run([sys.executable, "-c", AGAIN, str(tmp_path / "third.svg")], check=True)
        assert (tmp_path / "third.svg").read_bytes() == first


def test_clipped_charts_give_the_same_bytes(tmp_path: Path) -> None:
    rows = [{"x": 1, "y": 2}, {"x": 2, "y": 9}]
    clipped = alt.Chart(alt.InlineData(values=rows)).mark_line(clip=True).encode(x="x:Q", y="y:Q")
    for name in ("1.svg", "2.svg"):
        save(alt.layer(clipped, clipped.mark_point(clip=True)), tmp_path / name)
    first, second = ((tmp_path / name).read_text() for name in ("1.svg", "2.svg"))
    assert first == second
    used, defined = set(re.findall(r"url\(#(\w+)\)", first)), set(re.findall(r'\bid="(\w+)"', first))
    assert used
    assert used == defined


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("x.pdf", r"x\.pdf' ends in '\.pdf'; a chart is .* ends in \.svg, \.png, \.html, \.json"),
        ("x", "has no ending"),
        ("none/x.svg", r"x\.svg: can't be written: there is no folder .*none; make it first"),
        ("file/x.svg", "there is no folder"),
        ("folder.svg", r"folder\.svg: this is a folder; give the name of a file in it"),
        ("pipe.svg", "is a device or a pipe"),
        ("a\0b.svg", "can't be written"),
    ],
)
def test_unwritable_paths_raise_an_error(name: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "folder.svg").mkdir()
    (tmp_path / "file").write_text("a file")
    os.mkfifo(tmp_path / "pipe.svg")
    before = sorted(tmp_path.iterdir())
    with pytest.raises(InputError, match=message):
        save(chart_of(), f"{tmp_path}/{name}")
    assert sorted(tmp_path.iterdir()) == before
    if "\0" not in name:
        with pytest.raises(InputError, match=message):
            check_target(tmp_path / name)


def test_a_folder_without_permission_raises_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(os, "access", lambda *_: False)
        with pytest.raises(InputError, match="can't be written: you don't have permission to write there"):
            check_target(tmp_path / "x.svg")
    assert check_target(tmp_path / "x.svg") == ".svg"


def test_the_old_file_stays_if_writing_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.json"
    path.write_text("old")

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", refuse)
        with pytest.raises(InputError, match="can't be written: No space left on device"):
            save(chart_of(), path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "store").mkdir()
    (tmp_path / "x.json").symlink_to(tmp_path / "store" / "y.json")
    save(chart_of(), tmp_path / "x.json")
    assert (tmp_path / "x.json").is_symlink()
    assert json.loads((tmp_path / "store" / "y.json").read_text())["layer"]
