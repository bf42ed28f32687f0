"""Read MULAN's subsets of RCV1, and find out which RCV1 topics their rows stand for.

A file has `data`, a binary matrix of 6,000 stories by 944 terms, and `target`, a binary matrix of 101 unnamed topics by
stories. One half of the stories is for training, the other for testing. RCV1 has 103 topics, each with a code such as
CCAT. The rows of `target` are in the alphabetical order of these codes, but do not begin with the first one: row r has
code r + shift, and the two halves of the stories have different shifts. So row 33 is one topic in the first half and
another in the second. A half has no information on the codes before its shift; neither half has any on the last two,
M143 and MCAT.

**Finding the shift.** The distances between codes do not depend on the shift: ECAT comes 26 places after CCAT, and GCAT
11 after ECAT. These three are frequent, so the row of CCAT in a half is the one that, together with the rows 26 and 37
places after it, has the most stories; in none of the ten halves does another row reach more than 67 % of that number.
In each half, the shift is checked by two rules of RCV1 that were not used to find it: a story with a code also has the
code above it in the hierarchy, and every story has one of the four top codes. The terms, which were not used either,
confirm the shifts: stories with a code use the same terms in both halves.

**Two corrections.** MCAT is restored: by the first rule, a story with a code under MCAT also has MCAT, and all codes
directly under MCAT are known. A code that only one half has is removed from both, since its absence would mean "not a
topic of this story" in one half and "not known" in the other: 12 codes of the second subset, C11 to C172, are known for
only half of its stories.

**The training half.** The files do not say which half is for training. But in one half no topic is missing, however
rare: even GMIL, which 5 of RCV1's 804,414 stories have, occurs in that half in all five subsets. So this is the half
for training, whose stories were drawn so that every topic occurs. It is the first half, except in the fifth subset,
where it is the second.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import InputError
from ..batch import BATCH_DOCUMENTS, Batch
from ..read_limits import ReadLimits
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
CODE_INDEX = {code: index for index, code in enumerate(CODES)}
"""The position of each code in `CODES`."""
TOP = ("CCAT", "ECAT", "GCAT", "MCAT")
FREQUENT = ("CCAT", "ECAT", "GCAT")
"""The codes by which the shift of a half is found."""
MAT_HEADER, MAT_PACKED = 128, 15
"""Bytes before the first array of a MATLAB file, and the type number of an array compressed with zlib."""


def batches(path: Path, part: str | None, allowed_codes: Collection[str] | None, limits: ReadLimits) -> Iterator[Batch]:
    """Yield the stories of a subset, or of its part "train" or "test", as vectors with their topics as labels.

    Only `allowed_codes` become labels; None allows all.
    """
    from scipy.sparse import csr_array

    vectors, topics = _read_arrays(path, limits)
    stories = parts_of(topics)[part] if part else range(vectors.shape[0])
    codes = [code for code in CODES if allowed_codes is None or code in allowed_codes]
    allowed_topics = topics[[CODE_INDEX[code] for code in codes]]  # codes by stories
    for begin in stories[::BATCH_DOCUMENTS]:  # the first story of each batch
        batch = slice(begin, min(begin + BATCH_DOCUMENTS, stories.stop))
        # The rows of the transposed matrix are stories, and the columns of their entries are places in `codes`.
        labels = [tuple(codes[place] for place in story.nonzero()[0]) for story in allowed_topics[:, batch].T]
        yield Batch(labels, vectors=csr_array(vectors[batch], dtype=float))


def code_above(code: str) -> str | None:
    """Return the code above this one in RCV1's hierarchy, such as C151 for C1511 or CCAT for C15; None at the top."""
    if code in TOP:
        return None
    prefixes = (code[:length] for length in range(len(code) - 1, 1, -1))
    return next((prefix for prefix in prefixes if prefix in CODE_INDEX), f"{code[0]}CAT")


def shift_of(rows: Bools) -> int:
    """Return the shift of a half, given its matrix of topics by stories: a code's index in `CODES` minus its row."""
    import numpy as np

    n_stories = rows.sum(axis=1)
    totals = np.zeros_like(n_stories)  # per row: the stories of the three frequent codes if this row were CCAT
    for code in FREQUENT:
        distance = CODE_INDEX[code] - CODE_INDEX["CCAT"]
        # After the last rows, no row is at this distance. `max`, because a damaged file may have fewer rows than that.
        totals[: max(len(rows) - distance, 0)] += n_stories[distance:]
    return CODE_INDEX["CCAT"] - int(totals.argmax())


def by_code(target: Bools) -> Bools:
    """Return the topics of a subset as a matrix of RCV1's 103 codes by stories.

    `target` is the matrix of unnamed topics by stories. A code that is not known for both halves has no story. Raises
    `ValueError` if the topics break the rules of RCV1.
    """
    import numpy as np

    middle = target.shape[1] // 2
    first_topics, first_is_known = _half_by_code(target[:, :middle])
    second_topics, second_is_known = _half_by_code(target[:, middle:])
    topics = np.hstack([first_topics, second_topics])
    topics[~(first_is_known & second_is_known)] = False  # the rows of codes that are not known for both halves
    return topics


def parts_of(topics: Bools) -> dict[str, range]:
    """Return the stories of the training half, which has more topics, and of the test half.

    `topics` is a matrix of codes by stories.
    """
    n_stories = topics.shape[1]
    halves = [range(n_stories // 2), range(n_stories // 2, n_stories)]
    n_topics = [int(topics[:, half].any(axis=1).sum()) for half in halves]
    train, test = halves if n_topics[0] >= n_topics[1] else reversed(halves)
    return {"train": train, "test": test}


def _half_by_code(rows: Bools) -> tuple[Bools, Bools]:
    """Return the matrix of codes by stories of a half, and a mask of the codes that it has information on.

    `rows` is the half's matrix of unnamed topics by stories.
    """
    import numpy as np

    code_of_row = np.arange(len(rows)) + shift_of(rows)  # the index in `CODES`
    is_code = (code_of_row >= 0) & (code_of_row < len(CODES))
    if rows[~is_code].any():
        raise ValueError("target has topics before or after those of RCV1")
    known_codes = code_of_row[is_code]
    topics, is_known = np.zeros((len(CODES), rows.shape[1]), np.bool_), np.zeros(len(CODES), np.bool_)
    topics[known_codes] = rows[is_code]
    is_known[known_codes] = True
    # MCAT itself is not in the file, but its stories are those of the codes below it.
    below_mcat = [CODE_INDEX[code] for code in CODES if code_above(code) == "MCAT"]
    topics[CODE_INDEX["MCAT"]] |= topics[below_mcat].any(axis=0)
    is_known[CODE_INDEX["MCAT"]] = True
    _check_rules(topics, is_known)
    return topics, is_known


def _check_rules(topics: Bools, is_known: Bools) -> None:
    """Raise `ValueError` if a story lacks the code above one of its codes, or has none of the four top codes.

    `topics` is a matrix of codes by stories, and `is_known` a mask of the codes; an unknown code above is not required.
    """
    for code, index in CODE_INDEX.items():
        above = code_above(code)
        if above and is_known[CODE_INDEX[above]] and (topics[index] & ~topics[CODE_INDEX[above]]).any():
            raise ValueError(f"the topics of target are not those of RCV1: a story has {code} and not {above}")
    if not topics[[CODE_INDEX[code] for code in TOP]].any(axis=0).all():
        raise ValueError(f"the topics of target are not those of RCV1: a story has none of {', '.join(TOP)}")


def _read_arrays(path: Path, limits: ReadLimits) -> tuple[Any, Bools]:
    """Return the matrix of stories by terms, and that of codes by stories."""
    from scipy.io import loadmat

    try:
        _check_unpacked(read_document(path, limits), path, limits)
        arrays = loadmat(path, variable_names=["data", "target"])
        vectors, target = arrays["data"], arrays["target"] > 0
        if vectors.ndim != 2 or target.ndim != 2 or vectors.shape[0] != target.shape[1]:
            raise ValueError(f"data is {vectors.shape} and target {target.shape}")
        return vectors, by_code(target)
    except InputError:
        raise
    except Exception as problem:  # loadmat may raise anything for a damaged file
        raise InputError(
            f"cannot be read as one of MULAN's subsets ({problem}). It is damaged or something else",
            place=str(path),
            hint="get it again",
        ) from problem


def _check_unpacked(data: bytes, path: Path, limits: ReadLimits) -> None:
    """Raise `InputError` if the packed arrays of a MATLAB file would unpack to too much.

    The file has a header of 128 bytes, the last two of which give the byte order. Then come the arrays. Each begins
    with the number of its type and its packed size, of four bytes each.
    """
    byte_order = ">" if data[126:128] == b"MI" else "<"
    position, unpacked_size = MAT_HEADER, 0
    while position + 8 <= len(data):
        array_type, packed_size = struct.unpack_from(f"{byte_order}II", data, position)
        position += 8
        if array_type == MAT_PACKED:
            unpacker = zlib.decompressobj()
            packed = data[position : position + packed_size]
            while packed and (chunk := unpacker.decompress(packed, CHUNK)):
                unpacked_size += len(chunk)
                limits.check_unpacked(unpacked_size, len(data), path)
                packed = unpacker.unconsumed_tail
        position += packed_size
