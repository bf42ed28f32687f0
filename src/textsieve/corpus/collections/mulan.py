"""MULAN's subsets of RCV1: what is in a file, and which of RCV1's topics its rows are.

A file has `data`, 6,000 stories by 944 terms that are there or not, and `target`, 101 topics without names by stories.
One half of the stories is to learn from, the other to test on. The rows of `target` are places in the alphabet of
RCV1's 103 codes, less a shift, and the halves have different shifts: row 33 is one topic in the first half and another
in the second. The codes before the shift are not told in that half; MCAT and M143, the last two, in none.

What no shift changes is how far codes are apart: ECAT comes 26 places after CCAT and GCAT 11 after ECAT. The three are
frequent, so CCAT is where, in a half, the rows at these distances have the most stories together; in none of the ten
halves has another place more than 67 % as many. That the codes are right is checked in each half by what RCV1 demands
of them and the shift knows nothing of: whoever has a code has the code above it, and every story has one of the four at
the top. The terms, which have no part in it, show it too: stories of a code use the same ones in both halves.

Two things follow from RCV1's rules. Whoever has a code under MCAT has MCAT, and all that are right under it are told,
so MCAT is put back. And a code that one half alone tells is left out of both, since otherwise not to have it would mean
two things: 12 codes of the second subset, C11 to C172, are told of half its stories only.

Which half is to learn from is not said either, but in one of them no topic is missing, however rare: GMIL, which 5 of
RCV1's 804,414 stories have, is in it in all five subsets. Stories to learn from were drawn so, stories to test on were
not. It is the first half, and in the fifth subset the second.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import InputError
from ..batch import BATCH_DOCUMENTS, Batch
from ..bounds import Bounds
from ..streams import CHUNK, read_document

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Bools = NDArray[np.bool_]

_ALPHABET = """
C11 C12 C13 C14 C15 C151 C1511 C152 C16 C17 C171 C172 C173 C174 C18 C181 C182 C183 C21 C22 C23 C24 C31 C311 C312
C313 C32 C33 C331 C34 C41 C411 C42 CCAT E11 E12 E121 E13 E131 E132 E14 E141 E142 E143 E21 E211 E212 E31 E311 E312
E313 E41 E411 E51 E511 E512 E513 E61 E71 ECAT G15 G151 G152 G153 G154 G155 G156 G157 G158 G159 GCAT GCRIM GDEF GDIP
GDIS GENT GENV GFAS GHEA GJOB GMIL GOBIT GODD GPOL GPRO GREL GSCI GSPO GTOUR GVIO GVOTE GWEA GWELF M11 M12 M13 M131
M132 M14 M141 M142 M143 MCAT
"""
CODES = tuple(_ALPHABET.split())
"""All topics of RCV1, in the order of the alphabet."""
PLACE = {code: place for place, code in enumerate(CODES)}
TOP = ("CCAT", "ECAT", "GCAT", "MCAT")
FREQUENT = ("CCAT", "ECAT", "GCAT")
"""The codes that a half's shift is found by."""
MAT_HEADER, MAT_PACKED = 128, 15
"""Bytes before the first array of a MATLAB file, and the type of an array that is packed by zlib."""


def batches(path: Path, part: str | None, wanted: Collection[str] | None, bounds: Bounds) -> Iterator[Batch]:
    """Yield the stories of a subset or of its part, "train" or "test", with those of their topics that are wanted; None
    for all.
    """
    from scipy.sparse import csr_array

    rows, topics = _arrays(path, bounds)
    stories = parts_of(topics)[part] if part else range(rows.shape[0])
    places = [place for code, place in PLACE.items() if wanted is None or code in wanted]
    for begin in stories[::BATCH_DOCUMENTS]:
        some = slice(begin, min(begin + BATCH_DOCUMENTS, stories.stop))
        labels = [tuple(CODES[places[row]] for row in column.nonzero()[0]) for column in topics[places, some].T]
        yield Batch(labels, vectors=csr_array(rows[some], dtype=float))


def code_above(code: str) -> str | None:
    """The code that whoever has this one has, too; None at the top."""
    if code in TOP:
        return None
    beginnings = (code[:length] for length in range(len(code) - 1, 1, -1))
    return next((each for each in beginnings if each in PLACE), f"{code[0]}CAT")


def shift_of(rows: Bools) -> int:
    """How far the rows of a half (topics by stories) are from their places in the alphabet."""
    import numpy as np

    n_stories = rows.sum(axis=1)
    together = np.zeros_like(n_stories)
    for code in FREQUENT:
        distance = PLACE[code] - PLACE["CCAT"]
        together[: max(len(rows) - distance, 0)] += n_stories[distance:]
    return PLACE["CCAT"] - int(together.argmax())


def by_code(target: Bools) -> Bools:
    """From the rows of a subset to RCV1's 103 codes in their order, each by stories; ValueError if they don't fit."""
    import numpy as np

    half = target.shape[1] // 2
    halves = [_half_by_code(each) for each in (target[:, :half], target[:, half:])]
    topics = np.hstack([topics for topics, _ in halves])
    topics[~(halves[0][1] & halves[1][1])] = False
    return topics


def parts_of(topics: Bools) -> dict[str, range]:
    """The half to learn from, in which fewer topics are missing, and that to test on; topics are codes by stories."""
    n_stories = topics.shape[1]
    halves = [range(n_stories // 2), range(n_stories // 2, n_stories)]
    n_topics = [int(topics[:, half].any(axis=1).sum()) for half in halves]
    train, test = halves if n_topics[0] >= n_topics[1] else reversed(halves)
    return {"train": train, "test": test}


def _half_by_code(rows: Bools) -> tuple[Bools, Bools]:
    """Codes by stories, and which codes are told."""
    import numpy as np

    places = np.arange(len(rows)) + shift_of(rows)
    is_code = (places >= 0) & (places < len(CODES))
    if rows[~is_code].any():
        raise ValueError("target has topics before or after those of RCV1")
    topics, is_told = np.zeros((len(CODES), rows.shape[1]), np.bool_), np.zeros(len(CODES), np.bool_)
    topics[places[is_code]], is_told[places[is_code]] = rows[is_code], True
    below = [PLACE[code] for code in CODES if code_above(code) == "MCAT"]
    topics[PLACE["MCAT"]] |= topics[below].any(axis=0)
    is_told[PLACE["MCAT"]] = True
    _require_rules(topics, is_told)
    return topics, is_told


def _require_rules(topics: Bools, is_told: Bools) -> None:
    for code, place in PLACE.items():
        above = code_above(code)
        if above and is_told[PLACE[above]] and (topics[place] & ~topics[PLACE[above]]).any():
            raise ValueError(f"the topics of target are not those of RCV1: a story has {code} and not {above}")
    if not topics[[PLACE[code] for code in TOP]].any(axis=0).all():
        raise ValueError(f"the topics of target are not those of RCV1: a story has none of {', '.join(TOP)}")


def _arrays(path: Path, bounds: Bounds) -> tuple[Any, Bools]:
    """Return the matrix of stories by terms, and that of codes by stories."""
    from scipy.io import loadmat

    try:
        _check_unpacked(read_document(path, bounds), path, bounds)
        arrays = loadmat(path, variable_names=["data", "target"])
        rows, target = arrays["data"], arrays["target"] > 0
        if rows.ndim != 2 or target.ndim != 2 or rows.shape[0] != target.shape[1]:
            raise ValueError(f"data is {rows.shape} and target {target.shape}")
        return rows, by_code(target)
    except InputError:
        raise
    except Exception as problem:  # loadmat raises whatever a damaged file makes it stumble over
        raise InputError(
            f"{path}: cannot be read as one of MULAN's subsets ({problem}). It is damaged or something else; get it "
            "again."
        ) from problem


def _check_unpacked(data: bytes, path: Path, bounds: Bounds) -> None:
    """Raise `InputError` if the packed arrays of a MATLAB file would unpack to too much.

    After a header of 128 bytes, the last two of which give the byte order, each array has its type and its size.
    """
    order = ">" if data[126:128] == b"MI" else "<"
    begin, unpacked = MAT_HEADER, 0
    while begin + 8 <= len(data):
        kind, size = struct.unpack_from(f"{order}II", data, begin)
        begin += 8
        if kind == MAT_PACKED:
            unpacker = zlib.decompressobj()
            packed = data[begin : begin + size]
            while packed and (piece := unpacker.decompress(packed, CHUNK)):
                unpacked += len(piece)
                bounds.check_unpacked(unpacked, len(data), path)
                packed = unpacker.unconsumed_tail
        begin += size
