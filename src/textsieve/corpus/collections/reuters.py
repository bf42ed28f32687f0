"""Reuters-21578: news agency stories of 1987, each with no, one or several topics.

The ModApte split takes the stories whose attribute TOPICS is YES, and divides them by their attribute LEWISSPLIT (TRAIN
or TEST). Results are usually compared on the 90 topics that occur in both parts, and on the stories that have one of
them. The default edition has only these topics and stories; an extra pass before the first finds the topics.

About one story in ten is a headline without a body; the word `bodies` leaves these out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from ..batch import Batch, Document, Labels, Report, in_batches
from ..corpus import StartPass
from ..read_limits import ReadLimits
from .archives import BROKEN, between, read_members, records, without_tags
from .collection import Choice, Collection, Edition, EditionSelection
from .local_files import File, Paths

ENCODING = "latin-1"
ENDING = ".sgm"
END_OF_TEXT, BODY = "</TEXT>", "<BODY>"
IN_BOTH, MODAPTE, ALL = "", "modapte", "all"

_TOPIC = re.compile(r"<D>([^<]*)</D>")
_HAS_TOPICS = re.compile(r"<REUTERS[^>]*\bTOPICS=\"YES\"")
_SPLIT = re.compile(r"<REUTERS[^>]*\bLEWISSPLIT=\"(TRAIN|TEST)\"")
_TEXT = re.compile(r"<TEXT\b")


@dataclass(frozen=True, slots=True)
class Story:
    """A news story, as a record of the files has it."""

    part: str | None
    """The part "train" or "test" of the ModApte split; None if the story is in neither."""
    topics: Labels
    text: str
    """The TEXT element, with its tags."""


def _start(files: Mapping[str, Paths], selection: EditionSelection) -> StartPass:
    """Return the function that starts a pass over the stories.

    For the default edition, the first call makes an extra pass, which finds the topics that occur in both parts.
    """
    (paths,) = files.values()
    topics: set[str] | None = None

    def stories(report: Report) -> Iterator[Story]:
        """Yield all stories, or only those with a body if the word `bodies` is given."""
        all_stories = _stories(paths, report, selection.limits)
        if selection.get("stories") == "bodies":
            return (story for story in all_stories if BODY in story.text)
        return all_stories

    def start(report: Report) -> Iterator[Batch]:
        """Start a pass over the stories; for the default edition, the first call finds the topics."""
        nonlocal topics
        if selection.edition.word == IN_BOTH and topics is None:
            topics = topics_of_both(stories(Report()))
        return in_batches(_documents(stories(report), selection, topics))

    return start


def topics_of_both(stories: Iterable[Story]) -> set[str]:
    """Return the topics that occur in both parts of the ModApte split."""
    topics_of_part: dict[str, set[str]] = {"train": set(), "test": set()}
    for story in stories:
        if story.part:
            topics_of_part[story.part].update(story.topics)
    return topics_of_part["train"] & topics_of_part["test"]


def _documents(stories: Iterable[Story], selection: EditionSelection, topics: set[str] | None) -> Iterator[Document]:
    """Yield the selected stories; if `topics` are given, only stories with one of them, and only these labels."""
    for story in stories:
        if selection.edition.word != ALL and (story.part is None or selection.part not in (None, story.part)):
            continue
        labels = story.topics if topics is None else tuple(topic for topic in story.topics if topic in topics)
        if labels or topics is None:
            yield without_tags(story.text), labels


def _stories(paths: Paths, report: Report, limits: ReadLimits) -> Iterator[Story]:
    """Yield all stories of the SGML files; those without TOPICS or TEXT are skipped and counted."""
    for name, data in read_members(paths, lambda name: name.endswith(ENDING), report, limits):
        lines = data.decode(ENCODING).splitlines(keepends=True)
        for record in records(lines, "REUTERS", report, limits, name):
            topics, text = between(record, "TOPICS"), _text_of(record)
            if topics is None or text is None:
                report.skip(BROKEN)
                continue
            match = _SPLIT.match(record) if _HAS_TOPICS.match(record) else None
            part = None if match is None else match[1].lower()
            yield Story(part, tuple(dict.fromkeys(_TOPIC.findall(topics))), text)


def _text_of(record: str) -> str | None:
    """Return the first TEXT element of a record, or None; in linear time even if it is not closed."""
    begin = _TEXT.search(record)
    end = record.find(END_OF_TEXT, begin.end()) if begin else -1
    return record[begin.start() : end + len(END_OF_TEXT)] if begin and end >= 0 else None


_FILES = (
    File(
        "reuters21578.tar.gz",
        ("8870b8a7ce7a3871b59ee581c0c4aef35f8ce1be297e8fa09df87fb9e216ce35",),
        unpacked=("reuters21578",),
    ),
)

COLLECTION = Collection(
    name="reuters",
    title="Reuters-21578",
    publisher="David D. Lewis's page of test collections, or the UCI KDD archive",
    licence="research only",
    editions=(
        Edition(
            IN_BOTH,
            "ModApte, the topics that occur in both parts",
            _FILES,
            documents=10_789,
            classes=90,
            split=(7_770, 3_019),
        ),
        Edition(
            MODAPTE,
            "ModApte, all topics; stories without one too",
            _FILES,
            documents=12_902,
            classes=118,
            split=(9_603, 3_299),
        ),
        Edition(ALL, "all stories with all topics, not split", _FILES, documents=21_578, classes=120),
    ),
    choices=(Choice("stories", {"bodies": "without stories that are a headline alone"}),),
    multilabel=True,
    start=_start,
)
