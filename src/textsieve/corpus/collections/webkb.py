"""WebKB: pages of computer science departments in 1997; the label is the kind of page.

Results are usually compared on four classes: course, faculty, project and student. The pages are HTML. The header that
the server sent is removed; the tags stay, unless a categorizer with the setting `tags="drop"` removes them. In the
stemmed edition, Ana Cardoso-Cachopo has prepared the four classes as stems, with a split; 31 of its documents are
empty.

The folders tell apart the pages of four universities and of many others (misc), so that a model can be tested on a
university that it has not seen: `leave-texas` splits the collection into the others (train) and Texas (test).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from ..batch import Document, Report, in_batches
from ..corpus import StartPass
from ..read_limits import ReadLimits
from ..streams import read_lines
from .archives import read_members
from .collection import Choice, Collection, Edition, EditionSelection
from .local_files import File, Paths

ENCODING = "latin-1"
FOUR = ("course", "faculty", "project", "student")
SEVEN = (*FOUR, "department", "other", "staff")
UNIVERSITIES = ("cornell", "texas", "washington", "wisconsin", "misc")
STEMMED = "stemmed"
LEAVE = "leave-"

_HEADER = re.compile(r"\A[A-Za-z][\w -]*:.*\n(?:[^<\r\n].*\n)*+(?:\r?\n|\Z)")
"""The header of a page: lines up to an empty one, the first with a name and a colon.

The first line may be any field, because some headers have lost their beginning.
"""


def _start(files: Mapping[str, Paths], selection: EditionSelection) -> StartPass:
    """Return the function that starts a pass over the HTML pages or the stemmed documents."""
    if selection.edition.word == STEMMED:
        stemmed_files = [path for paths in files.values() for path in paths]
        return lambda report: in_batches(_stemmed_documents(stemmed_files, report, selection.limits))
    (paths,) = files.values()
    return lambda report: in_batches(_pages(paths, selection, report))


def _pages(paths: Paths, selection: EditionSelection, report: Report) -> Iterator[Document]:
    """Yield the selected HTML pages without the header of the server."""
    for name, data in read_members(paths, lambda path: _is_selected(path, selection), report, selection.limits):
        yield _HEADER.sub("", data.decode(ENCODING), count=1), (_class_and_university(name)[0],)


def _is_selected(path: str, selection: EditionSelection) -> bool:
    """Return whether a page, given by its path, belongs to the selected classes, universities and part."""
    label, university = _class_and_university(path)
    classes = SEVEN if selection.get("classes") == "seven" else FOUR
    if label not in classes or university not in UNIVERSITIES:
        return False
    word = selection.get("university")
    if word is None:
        return True
    if not word.startswith(LEAVE):  # the word is the name of a university, which selects only its pages
        return university == word
    is_test_page = university == word.removeprefix(LEAVE)
    return selection.part is None or is_test_page == (selection.part == "test")


def _class_and_university(path: str) -> tuple[str, str]:
    """Return the class and university in a path webkb/CLASS/UNIVERSITY/ADDRESS; two empty strings for shorter paths."""
    parts = path.split("/")
    return (parts[-3], parts[-2]) if len(parts) >= 4 else ("", "")


def _stemmed_documents(paths: list[Path], report: Report, limits: ReadLimits) -> Iterator[Document]:
    """Yield the documents of the stemmed edition, whose lines are label<TAB>stems."""
    for path in paths:
        for _, line in read_lines(path, "utf-8", report, limits):
            label, tab, text = line.rstrip("\r\n").partition("\t")
            if label in FOUR and tab:
                yield text, (label,)
            elif line.strip():
                report.skip("broken lines")


COLLECTION = Collection(
    name="webkb",
    title="WebKB",
    publisher="the WebKB project of Carnegie Mellon University",
    licence="none stated",
    editions=(
        Edition(
            word="",
            about="HTML pages of four classes",
            files=(
                File(
                    "webkb-data.gtar.gz",
                    ("9190e765c1c5dccde87fa191ef45b175c801526fed3fb09c677cfd0f5b16beef",),
                    also=("webkb-data.tar.gz",),
                    unpacked=("webkb",),
                ),
            ),
            documents=4_199,
            classes=4,
        ),
        Edition(
            word=STEMMED,
            about="the four classes, as stems",
            files=(
                File(
                    "webkb-train-stemmed.txt",
                    ("bcfab4aaab816ce289409b0ad7926f8a3c21bc4cd78dbfec1a2f394717db1f0d",),
                    part="train",
                ),
                File(
                    "webkb-test-stemmed.txt",
                    ("2ecc8135835fa2151080488524eaeda757e254160a93d21eac951b13357a0df9",),
                    part="test",
                ),
            ),
            documents=4_199,
            classes=4,
            split=(2_803, 1_396),
            publisher="Ana Cardoso-Cachopo's page of data sets for text categorization",
        ),
    ),
    choices=(
        Choice("classes", {"seven": "all seven classes, 8,282 pages"}, editions=("",)),
        Choice(
            "university",
            {name: f"the pages of {name}" for name in UNIVERSITIES}
            | {f"{LEAVE}{name}": f"split: {name} is the part to test on" for name in UNIVERSITIES},
            editions=("",),
            splitting_words=tuple(LEAVE + name for name in UNIVERSITIES),
        ),
    ),
    start=_start,
)
