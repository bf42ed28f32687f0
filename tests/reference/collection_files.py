"""Small files in the formats in which the collections are published."""

import io
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

POST = """Newsgroups: sci.space,
 sci.misc
Path: far!away
From: a@b
Subject: Moons
Xref: far sci.space:1
Followup-To: sci.space

In article <1> somebody writes:
> How many moons?
Two moons.

--
me
"""

STORY = """<!DOCTYPE lewis SYSTEM "lewis.dtd">
<REUTERS TOPICS="{has}" LEWISSPLIT="{part}" NEWID="1">
<TOPICS>{topics}</TOPICS>
<TEXT TYPE="BRIEF">&#2;
<TITLE>{title}</TITLE>
<BODY>Up &lt;1> &amp; down.</BODY></TEXT>
</REUTERS>
"""


def story(title: str, part: str, *topics: str, has: str = "YES") -> str:
    """Return a record of Reuters-21578."""
    return STORY.format(title=title, part=part, topics="".join(f"<D>{topic}</D>" for topic in topics), has=has)


def write_tar(path: Path, files: Mapping[str, str | bytes], mode: str = "w:gz") -> Path:
    """Write the files to a tar archive, and return its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for name, content in files.items():
            data = content.encode("latin-1") if isinstance(content, str) else content
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return path


def write_zip(path: Path, files: Mapping[str, str]) -> Path:
    """Write the files to a zip archive without compression, and return its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def write_folder(folder: Path, files: Mapping[str, str]) -> Path:
    """Write the files to a folder, and return its path."""
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content.encode("latin-1"))
    return folder


PAGES = """<?xml version="1.0" encoding="UTF-8"?>
<RDF xmlns:d="x">
  <Topic r:id="Top/Arts"><link r:resource="p1"/></Topic>
  <ExternalPage about="p1">
    <d:Title>Puppets &amp; strings</d:Title>
    <d:Description>All about
 puppets.</d:Description>
    <topic>Top/Arts/Puppetry</topic>
  </ExternalPage>
  <ExternalPage about="p2">
    <d:Title>Never ended</d:Title>
  <ExternalPage about="p3"><d:Title>Elbe</d:Title><topic>Top/World/Deutsch</topic></ExternalPage>
  <ExternalPage about="p4"><d:Title>Nowhere</d:Title></ExternalPage>
  <ExternalPage about="p5"><d:Title>Chess</d:Title><topic>Top/Games</topic></ExternalPage>
  <ExternalPage about="p6"><d:Title>Cut
"""

QRELS = """E11 2286 1
ECAT 2286 1
CCAT 2287 1
junk
GCAT 2288 0
MCAT 2289 x
M11 2290 1
MCAT 2290 1
E11 2290 1
"""

VECTORS = {
    "train": "2286  1:0.5 47236:0.25\n2287  3:1\n2288  4:1\n",
    "test_pt0": "2290  2:0.125 3:0.5\n",
    "test_pt1": "2287  3:x\n\n2286  5:1\n",
    "test_pt2": "2286  47237:1\n2287  2:nan\n2287  7:1",
    "test_pt3": "word 7:1\n2290  8:1\n",
}

TOKENS = {
    "train": ".I 2286\n.W\nrecov recov\nexcit\n\n.I 2287\n.W\nbring\n",
    "test_pt0": ".I 2288\n.W\nlost\n\n.I 2290\n.W\nmarket\n\n",
    "test_pt1": ".I 2287\n.I many\n.W\nnone\n",
    "test_pt2": ".I 2286\n.W\n\n",
    "test_pt3": ".I 2287\n.W\nlast",
}
