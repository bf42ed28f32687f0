"""The four top codes of RCV1 in MULAN's subsets, whose topics have numbers and no names.

The numbers are places in the alphabetical list of RCV1's codes, less a shift. A subset is the file to learn from and,
below it, the file to test on, and the two have different shifts: a number is one topic in the first half of the stories
and another in the second. Taken as they are, the most frequent "topics" are the same code twice.

What no shift changes is how far codes are apart: ECAT comes 26 places after CCAT, GCAT 11 after ECAT, the codes under
MCAT from 60 places after CCAT on. The three are frequent, so CCAT is where, in a half, the topics at these distances
have the most stories together; nowhere else do they have two thirds as many. MCAT itself was left out of the subsets,
but whoever has a code under it has it.

That this is right can be seen in all ten halves: whoever has a topic in the alphabet between CCAT and ECAT has ECAT,
between ECAT and GCAT GCAT; and every story has at least one of the four, as in RCV1 all have.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ..training.targets import Targets

Ints = NDArray[np.int64]

AFTER_CCAT = {"CCAT": range(1), "ECAT": range(26, 27), "GCAT": range(37, 38), "MCAT": range(60, 69)}
"""How many places after CCAT the topics come that make a story one of a code's."""
CODES = tuple(AFTER_CCAT)


def several_codes(targets: Targets) -> Targets:
    """The top codes of each story, of which it may have several, given the numbered topics of a subset."""
    half = targets.n_documents // 2
    found = [_codes_of(_topics(targets, part)) for part in (range(half), range(half, targets.n_documents))]
    members = tuple(np.concatenate([part[code] for part in found]) for code in CODES)
    return Targets(CODES, members, targets.n_documents, "several")


def one_code(targets: Targets) -> Targets:
    """The first of them."""
    several = several_codes(targets)
    members = tuple(np.flatnonzero(several.first == number) for number in range(len(CODES)))
    return Targets(CODES, members, targets.n_documents, "one")


def place_of_ccat(topics: Mapping[int, Ints]) -> int:
    """The number of CCAT in a half."""
    single = [places[0] for places in AFTER_CCAT.values() if len(places) == 1]

    def n_stories(number: int) -> int:
        return sum(len(topics.get(number + distance, ())) for distance in single)

    return max(sorted(topics), key=n_stories)


def _topics(targets: Targets, part: range) -> dict[int, Ints]:
    """The stories of each numbered topic in a part."""
    return {
        int(name): members[(members >= part.start) & (members < part.stop)]
        for name, members in zip(targets.classes, targets.members, strict=True)
    }


def _codes_of(topics: Mapping[int, Ints]) -> dict[str, Ints]:
    first, none = place_of_ccat(topics), np.empty(0, np.int64)
    return {
        code: np.unique(np.concatenate([topics.get(first + distance, none) for distance in places]))
        for code, places in AFTER_CCAT.items()
    }
