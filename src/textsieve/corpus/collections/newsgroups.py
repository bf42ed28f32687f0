"""20 Newsgroups: posts of 1993, a thousand from each of twenty groups; the label is the group.

The default edition, by date, has 18,846 posts without duplicates, split into train and test at a date in each group.
The edition `original` has all 19,997 posts, as published with complete headers. From the posts of both editions, the
header fields that reveal the group are removed (`REVEALING_FIELDS`).

Words after the name of the corpus remove headers, footers and quotes. The header ends at the first empty line; a line
that begins with white space continues the one before. Footers and quotes are defined as in scikit-learn's
`fetch_20newsgroups` (`remove=`), so that results can be compared:

- the footer is what follows the last line that is empty or made of hyphens, unless that is the first line;
- a quote is a line that begins with > or |, or one that introduces somebody else's words, such as "he wrote:".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from ..batch import Document, Report, in_batches
from ..corpus import StartPass
from .archives import read_members
from .collection import Choice, Collection, Edition, EditionSelection
from .local_files import File, Paths

END_OF_HEADER = "\n\n"

REVEALING_FIELDS = ("newsgroups", "xref", "followup-to", "followups-to", "path", "x-to", "x-apparently-to")
"""Header fields that name the group, or the route by which the post reached it."""

SUBJECT = "subject"

_FIELD = re.compile(r"([^\s:]+):")
_BEGINS_A_QUOTE = (">", "|", "In article", "Quoted from")
_INTRODUCES_A_QUOTE = ("writes in", "writes:", "wrote:", "says:", "said:")


def without_revealing_fields(post: str) -> str:
    """Return the post without the header fields that reveal the group."""
    header, blank_line, body = post.partition(END_OF_HEADER)
    return "\n".join(line for field, line in _header_lines(header) if field not in REVEALING_FIELDS) + blank_line + body


def _header_lines(header: str) -> Iterator[tuple[str, str]]:
    """Yield for each line of a header the lowercase name of its field ("" if it has none), and the line.

    A line that begins with white space continues the field of the line before.
    """
    field = ""
    for line in header.split("\n"):
        if not line[:1].isspace():
            match = _FIELD.match(line)
            field = "" if match is None else match[1].lower()
        yield field, line


def without_header(post: str) -> str:
    """Return the text after the first empty line; "" if there is none."""
    return post.partition(END_OF_HEADER)[2]


def with_subject_alone(post: str) -> str:
    """Return the post with nothing of its header but the words of the subject."""
    header, _, body = post.partition(END_OF_HEADER)
    subject = "\n".join(line for field, line in _header_lines(header) if field == SUBJECT)
    return _FIELD.sub("", subject, count=1).strip() + END_OF_HEADER + body


def without_footer(post: str) -> str:
    """Return the text before the last line that is empty or made of hyphens.

    If there is no such line, or only the first is one, there is no footer, and the post is returned unchanged.
    Otherwise white space at the beginning of the post is removed, too.
    """
    lines = post.strip().split("\n")
    separators = [number for number, line in enumerate(lines) if not line.strip().strip("-")]
    last_separator = separators[-1] if separators else 0
    return "\n".join(lines[:last_separator]) if last_separator > 0 else post


def without_quotes(post: str) -> str:
    """Return the post without quoted lines."""
    return "\n".join(line for line in post.split("\n") if not _is_quote(line))


def _is_quote(line: str) -> bool:
    """Return whether a line is quoted, or introduces a quote."""
    return line.startswith(_BEGINS_A_QUOTE) or any(words in line for words in _INTRODUCES_A_QUOTE)


REMOVERS: Mapping[str, Callable[[str], str]] = {
    "no-headers": without_header,
    "subject-only": with_subject_alone,
    "no-footers": without_footer,
    "no-quotes": without_quotes,
}
"""The functions that the words select, in the order in which they are applied."""


ENCODING = "latin-1"
COMPUTING = "comp."
GROUPS = (
    *("alt.atheism", "comp.graphics", "comp.os.ms-windows.misc", "comp.sys.ibm.pc.hardware", "comp.sys.mac.hardware"),
    *("comp.windows.x", "misc.forsale", "rec.autos", "rec.motorcycles", "rec.sport.baseball", "rec.sport.hockey"),
    *("sci.crypt", "sci.electronics", "sci.med", "sci.space", "soc.religion.christian", "talk.politics.guns"),
    *("talk.politics.mideast", "talk.politics.misc", "talk.religion.misc"),
)
"""The folders of posts; other folders in an archive are ignored."""


def _start(files: Mapping[str, Paths], selection: EditionSelection) -> StartPass:
    """Return the function that starts a pass over the selected posts; each edition has one file."""
    (paths,) = files.values()
    return lambda report: in_batches(_documents(paths, selection, report))


def _documents(paths: Paths, selection: EditionSelection, report: Report) -> Iterator[Document]:
    """Yield the selected posts; headers, footers or quotes are removed if a word after the corpus's name says so."""
    removers = [remove for word, remove in REMOVERS.items() if word in selection.words.values()]
    for name, data in read_members(paths, lambda path: _is_selected(path, selection), report, selection.limits):
        text = without_revealing_fields(data.decode(ENCODING))
        for remove in removers:
            text = remove(text)
        group = name.split("/")[-2]
        yield text, (group,)


def _is_selected(path: str, selection: EditionSelection) -> bool:
    """Return whether a post belongs to the selected part and groups; its path is PART/GROUP/NUMBER."""
    folder, _, _ = path.rpartition("/")
    part_folder, _, group = folder.rpartition("/")
    if group not in GROUPS:
        return False
    if selection.part and not part_folder.endswith(f"-{selection.part}"):  # such as 20news-bydate-train
        return False
    return selection.get("groups") != "comp" or group.startswith(COMPUTING)


COLLECTION = Collection(
    name="newsgroups",
    title="20 Newsgroups",
    publisher="Jason Rennie's home page of 20 Newsgroups",
    licence="none stated",
    editions=(
        Edition(
            word="",
            about="by date, without duplicates",
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
            word="original",
            about="all posts, with duplicates",
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
