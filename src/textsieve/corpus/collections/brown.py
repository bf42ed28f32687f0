"""Brown corpus: 500 American texts of 1961, about 2,000 words each, as NLTK ships them; the label is the genre.

Words are written `word/tag`; the tags are removed, unless `tagged` follows the name of the corpus. `cats.txt` lists the
genre of each text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...errors import InputError
from ..batch import Document, Report, in_batches
from ..corpus import StartPass
from .archives import base_name, read_members
from .collection import Choice, Collection, Edition, EditionSelection
from .local_files import File, Paths

ENCODING = "latin-1"
GENRES = "cats.txt"


def _start(files: Mapping[str, Paths], selection: EditionSelection) -> StartPass:
    """Return the function that starts a pass over the selected texts; each edition has one file."""
    (paths,) = files.values()
    return lambda report: in_batches(_documents(paths, selection, report))


def _documents(paths: Paths, selection: EditionSelection, report: Report) -> Iterator[Document]:
    """Yield the texts to which `cats.txt` gives a genre; count those without a file as skipped."""
    genres = _read_genres(paths, selection, report)
    keeps_tags = selection.get("tags") == "tagged"
    n_read = 0
    for name, data in read_members(paths, lambda name: base_name(name) in genres, report, selection.limits):
        n_read += 1
        words = data.decode(ENCODING).split()
        # A word without a tag stays as it is.
        text = " ".join(words if keeps_tags else (word.rpartition("/")[0] or word for word in words))
        yield text, (genres[base_name(name)],)
    n_damaged = report.skipped.get("damaged files", 0)  # `read_members` has counted these
    report.skip("missing files", len(genres) - n_read - n_damaged)


def _read_genres(paths: Paths, selection: EditionSelection, report: Report) -> dict[str, str]:
    """Return the genre of each text, by the name of its file; raise `InputError` if there is no `cats.txt`."""
    # A report of its own, because `_documents` reads the archive again and counts what is skipped.
    for _, data in read_members(paths, lambda name: base_name(name) == GENRES, Report(), selection.limits):
        lines = [line.split() for line in data.decode(ENCODING).splitlines() if line.strip()]
        genres = {line[0]: line[1] for line in lines if len(line) > 1}
        report.skip("texts without a genre", sum(len(line) < 2 for line in lines))
        return genres
    raise InputError(
        f"there is no {GENRES} in it, which has the genres", place=str(paths[0]), hint="Get Brown as NLTK ships it"
    )


COLLECTION = Collection(
    name="brown",
    title="Brown corpus",
    publisher="NLTK's page of data packages",
    licence="non-commercial",
    editions=(
        Edition(
            word="",
            about="the words, without tags",
            files=(
                File(
                    "brown.zip",
                    ("9b275f9b3b95d7bd66ccfb7cd259f445a13bbe5d1f4107aba09fd3e8364bafa6",),
                    unpacked=("brown",),
                ),
            ),
            documents=500,
            classes=15,
        ),
    ),
    choices=(Choice("tags", {"tagged": "each word with its part of speech, as word/tag"}),),
    start=_start,
)
