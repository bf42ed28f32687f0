"""20 Newsgroups by date, as texts in memory."""

import os
import sys
import tarfile
from functools import cache
from pathlib import Path


@cache
def newsgroups(part: str = "train") -> tuple[list[str], list[str]]:
    """The texts of a part, and their groups."""
    folder = os.environ.get("TEXTSIEVE_DATA")
    archive_path = Path(folder or ".") / "20news-bydate.tar.gz"
    if not folder or not archive_path.is_file():
        sys.exit("Set TEXTSIEVE_DATA to the folder that has 20news-bydate.tar.gz.")
    texts, groups = [], []
    with tarfile.open(archive_path) as archive:
        for member in archive:
            file = archive.extractfile(member) if f"bydate-{part}/" in member.name else None
            if file is not None:
                texts.append(file.read().decode("latin-1"))
                groups.append(member.name.split("/")[-2])
    return texts, groups
