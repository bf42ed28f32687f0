"""20 Newsgroups: posts of 1993, a thousand from each of twenty groups; the label is the group.

The default edition, by date, has 18,846 posts without duplicates, split into train and test at a date in each group.
The original has all 19,997, with complete headers. Header lines that name the group are always removed
(`posts.TELLING`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..batch import Batch, Document, Report, in_batches
from ..corpus import Start
from .collection import Collection
from .editions import Choice, ChosenEdition, Edition, File, Paths
from .members import members
from .posts import REMOVERS, without_telling

ENCODING = "latin-1"
COMPUTING = "comp."
GROUPS = (
    *("alt.atheism", "comp.graphics", "comp.os.ms-windows.misc", "comp.sys.ibm.pc.hardware", "comp.sys.mac.hardware"),
    *("comp.windows.x", "misc.forsale", "rec.autos", "rec.motorcycles", "rec.sport.baseball", "rec.sport.hockey"),
    *("sci.crypt", "sci.electronics", "sci.med", "sci.space", "soc.religion.christian", "talk.politics.guns"),
    *("talk.politics.mideast", "talk.politics.misc", "talk.religion.misc"),
)
"""The folders of posts; other folders in an archive are ignored."""


def _start(files: Mapping[str, Paths], chosen: ChosenEdition) -> Start:
    (paths,) = files.values()

    def start(report: Report) -> Iterator[Batch]:
        return in_batches(_documents(paths, chosen, report))

    return start


def _documents(paths: Paths, chosen: ChosenEdition, report: Report) -> Iterator[Document]:
    removers = [remove for word, remove in REMOVERS.items() if word in chosen.words.values()]
    for name, data in members(paths, lambda name: _is_wanted(name, chosen), report, chosen.bounds):
        text = without_telling(data.decode(ENCODING))
        for remove in removers:
            text = remove(text)
        yield text, (_group_of(name),)


def _is_wanted(name: str, chosen: ChosenEdition) -> bool:
    """Return whether a path PART/GROUP/NUMBER belongs to the selection."""
    folder, _, _ = name.rpartition("/")
    part, _, group = folder.rpartition("/")
    if group not in GROUPS or (chosen.part and not part.endswith(f"-{chosen.part}")):
        return False
    return chosen.get("groups") is None or group.startswith(COMPUTING)


def _group_of(name: str) -> str:
    return name.split("/")[-2]


COLLECTION = Collection(
    name="newsgroups",
    title="20 Newsgroups",
    publisher="Jason Rennie's home page of 20 Newsgroups",
    licence="none stated",
    editions=(
        Edition(
            *("", "by date, without duplicates"),
            files=(
                File(
                    "20news-bydate.tar.gz",
                    (
                        "c1d97fdc0c15a4e8a04b48a4dd96e5b765b0e1299d10f94cd5bbbecf35c6d6a9",
                        "8f1b2514ca22a5ade8fbb9cfa5727df95fa587f4c87b786e15c759fa66d95610",
                    ),
                    unpacked=("20news-bydate-train", "20news-bydate-test"),
                ),
            ),
            documents=18_846,
            classes=20,
            split=(11_314, 7_532),
        ),
        Edition(
            *("original", "all posts, with duplicates"),
            files=(
                File(
                    "20news-19997.tar.gz",
                    ("956c51c04c45864c4a3b2d7b5b3a6ba1668368e980721a823d72e5a64d70b001",),
                    also=("20_newsgroups.tar.gz", "news20.tar.gz"),
                    unpacked=("20_newsgroups",),
                ),
            ),
            documents=19_997,
            classes=20,
        ),
    ),
    choices=(
        Choice("groups", {"comp": "the five groups on computers"}),
        Choice("headers", {"no-headers": "without headers", "subject-only": "of headers the words of the subject"}),
        Choice("footers", {"no-footers": "without footers"}),
        Choice("quotes", {"no-quotes": "without quotes"}),
    ),
    start=_start,
)
