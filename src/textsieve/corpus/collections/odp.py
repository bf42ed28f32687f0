"""The Open Directory (DMOZ): web pages described by people; the label is the top level of the category.

`content.rdf.u8` has a record per page: its title, its description, and its topic, such as `Top/Arts/Animation`. By
default there are thirteen classes of pages in English: all top levels except Regional, Kids_and_Teens, Adult, and
World, which has the pages in other languages. The edition `sample` has, as tokens, the titles, descriptions and
keywords that the pages themselves have; 44 of its documents are empty.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from ...errors import InputError
from ..batch import Document, Report, in_batches
from ..corpus import StartPass
from ..read_limits import ReadLimits
from ..streams import read_document, read_lines
from .archives import BROKEN, between, records, without_tags
from .collection import Choice, Collection, Edition, EditionSelection
from .local_files import File, Paths

CLASSES = (
    *("Arts", "Business", "Computers", "Games", "Health", "Home", "News", "Recreation", "Reference", "Science"),
    *("Shopping", "Society", "Sports"),
)
SAMPLE = "sample"
SAMPLE_FIELDS = ("title", "description", "keywords")
ROOT = "Top/"
WITHOUT_CATEGORY = "pages without a category"


def _start(files: Mapping[str, Paths], selection: EditionSelection) -> StartPass:
    """Return the function that starts a pass over the dump or the sample; each edition has one file."""
    ((path,),) = files.values()
    if selection.edition.word == SAMPLE:
        return lambda report: in_batches(_sample_documents(path, report, selection.limits))
    return lambda report: in_batches(_documents(path, selection, report))


def _documents(path: Path, selection: EditionSelection, report: Report) -> Iterator[Document]:
    """Yield the title and description of each page in the dump of the directory."""
    has_all_classes = selection.get("classes") == "every-class"
    lines = (line for _, line in read_lines(path, "utf-8", report, selection.limits))
    for record in records(lines, "ExternalPage", report, selection.limits, str(path)):
        topic = between(record, "topic")
        label = (topic or "").strip().removeprefix(ROOT).partition("/")[0]
        if not label:
            report.skip(WITHOUT_CATEGORY)
        elif has_all_classes or label in CLASSES:
            parts = (between(record, tag) for tag in ("d:Title", "d:Description"))
            yield "\n".join(without_tags(part) for part in parts if part), (label,)


def _sample_documents(path: Path, report: Report, limits: ReadLimits) -> Iterator[Document]:
    """Yield the pages of the sample, as tokens joined by spaces."""
    for page, category in _read_sample(path, limits):
        label = category[0] if isinstance(category, list) and category else None
        if isinstance(page, dict) and isinstance(label, str):
            yield " ".join(word for field in SAMPLE_FIELDS for word in _words(page.get(field))), (label,)
        else:
            report.skip(BROKEN)


def _words(value: object) -> list[str]:
    """Return the words of a field: a list of tokens, or a string if there was only one; [] for anything else."""
    if isinstance(value, str):
        return value.split()
    return [str(word) for word in value if not isinstance(word, list | dict)] if isinstance(value, list) else []


def _read_sample(path: Path, limits: ReadLimits) -> Iterator[tuple[object, object]]:
    """Yield each page, normally a dict of its fields, and its category, normally a list with the top level first."""
    try:
        sample = json.loads(read_document(path, limits))
        yield from zip(sample["meta"], sample["dmoz_categories"], strict=True)
    except InputError:  # of `read_document`; it is a `ValueError`, too
        raise
    except (ValueError, KeyError, TypeError, RecursionError) as problem:
        raise InputError(
            f"is not the sample of DMOZ, lists 'meta' and 'dmoz_categories' of the same length ({problem})",
            place=str(path),
            hint="Get it again",
        ) from problem


COLLECTION = Collection(
    name="odp",
    title="Open Directory (DMOZ)",
    publisher="a mirror of the Open Directory's last dump",
    licence="Open Directory",
    editions=(
        Edition(
            "", "titles and descriptions, 13 classes", (File("dmoz/content.rdf.u8.gz"),), documents=None, classes=13
        ),
        Edition(
            word=SAMPLE,
            about="a sample of pages, as tokens",
            files=(
                File("dmoz/dmoz-sample.json.gz", ("710843259060f3704311412d4956726c858c8712f88c9217fc44d25116871820",)),
            ),
            documents=2_398,
            classes=15,
            publisher="the authors of the JSON sample of DMOZ",
            licence="none stated",
        ),
    ),
    choices=(Choice("classes", {"every-class": "all classes of the first layer"}, editions=("",)),),
    start=_start,
)
