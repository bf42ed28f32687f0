"""Make the pictures of the gallery and of the explanation pages, and the page of the gallery.

    python docs/gallery/make_gallery.py               all
    python docs/gallery/make_gallery.py energy_curve  one script, or one picture of the explanation pages

Each script in `scripts` writes `NAME.svg` (or `NAME.html`) into the current folder. Its docstring is its title, and a
paragraph that says what the picture shows. All pictures get colours for dark mode.
"""

from __future__ import annotations

import ast
import runpy
import shutil
import sys
import tempfile
from contextlib import chdir
from pathlib import Path

from dark_mode import html_as_svg, in_both_modes
from explanation_pictures import DRAWN, draw_all

FOLDER = Path(__file__).parent
SCRIPTS = FOLDER / "scripts"
DATA = FOLDER.parent / "data"
ORDER = (
    "explained_text",
    "strongest_terms",
    "accuracy_by_terms",
    "accuracy_by_bytes",
    "energy_curve",
    "selector_overlap",
    "two_dimensions",
    "reliability",
    "coverage_and_accuracy",
    "learning_curve",
    "updates_over_time",
    "subspace_grid",
)
"""The scripts in the order of the page."""
HTML_SIZES = {"explained_text": (900, 560)}
"""The width and height in pixels of the pictures of scripts that write `NAME.html`."""
PAGE = """# Gallery

Short programs and the pictures that they draw. Each is complete: copy it, run it, and replace the documents by your
own. Charts need the extra `plots` (`pip install '.[plots]'` in a clone). `docstrings` is a corpus that needs no
download: the documentation of the installed numpy, scipy and scikit-learn, labelled with their packages. `tickets.csv`
is a made-up table of support tickets ([download](../data/tickets.csv)).
"""


def run_script(name: str, folder: Path) -> str:
    """Run a script in a folder that has the files of `docs/data`, and return its picture as SVG."""
    shutil.copytree(DATA, folder, dirs_exist_ok=True)
    with chdir(folder):
        runpy.run_path(str(SCRIPTS / f"{name}.py"), run_name="__main__")
    if name in HTML_SIZES:
        return html_as_svg((folder / f"{name}.html").read_text(encoding="utf-8"), *HTML_SIZES[name])
    return in_both_modes((folder / f"{name}.svg").read_text(encoding="utf-8"))


def section(name: str) -> str:
    """Return the part of the page about a script: its title, picture, text and code."""
    source = (SCRIPTS / f"{name}.py").read_text(encoding="utf-8")
    about = ast.get_docstring(ast.parse(source))
    if about is None:
        raise ValueError(f"{name}.py has no docstring")
    title, text = about.split("\n\n", 1)
    code = source.split('"""', 2)[2].strip()
    title = title.removesuffix(".")
    return (
        f"## {title}\n\n![{title}]({name}.svg)\n\n{text}\n\n"
        f"<!-- not run: tests/test_gallery.py runs the scripts on fewer documents -->\n```python\n{code}\n```\n"
    )


def page() -> str:
    """Return the page of the gallery."""
    return "\n".join([PAGE, *map(section, ORDER)])


def main(names: list[str]) -> None:
    """Make the given pictures, or all, and the page."""
    for name in [name for name in ORDER if name in names or not names]:
        with tempfile.TemporaryDirectory() as folder:
            picture = run_script(name, Path(folder))
        (FOLDER / f"{name}.svg").write_text(picture, encoding="utf-8")
    explained = [name for name in DRAWN if name in names or not names]
    for path in draw_all(explained) if explained else []:
        path.write_text(in_both_modes(path.read_text(encoding="utf-8")), encoding="utf-8")
    (FOLDER / "index.md").write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
