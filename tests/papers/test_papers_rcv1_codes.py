"""The four top codes, found in subsets that were numbered by hand, and in the real ones."""

from collections.abc import Callable

import numpy as np
import pytest

from textsieve.corpus import Corpus
from textsieve.papers.rcv1_codes import CODES, one_code, place_of_ccat, several_codes
from textsieve.training.targets import Targets

ALPHABET = {"CCAT": 33, "ECAT": 59, "GCAT": 70, "M11": 93, "M14": 98, "C15": 4, "E21": 44, "GSPO": 87}
"""Places of some codes in the list of all."""


def numbered(stories: list[tuple[str, ...]], shifts: tuple[int, int]) -> Targets:
    """Topics as MULAN numbers them: a shift for each half, and no MCAT."""
    half = len(stories) // 2
    sets = [
        tuple(str(ALPHABET[code] - shifts[place >= half]) for code in codes if code != "MCAT")
        for place, codes in enumerate(stories)
    ]
    return Targets.of(sets, len(sets), multilabel=True)


def test_codes_are_found_whatever_the_shifts() -> None:
    """Twelve stories to learn from, and the same as stories to test on, numbered otherwise."""
    stories: list[tuple[str, ...]] = [
        *[("CCAT",)] * 3,
        ("CCAT", "ECAT", "E21"),
        ("ECAT", "E21"),
        ("ECAT", "MCAT", "M11"),
        *[("GCAT", "GSPO")] * 2,
        ("GCAT",),
        ("MCAT", "M14"),
        ("MCAT", "M11", "M14"),
        ("CCAT", "GCAT"),
    ]
    for shifts in ((0, 1), (3, 20), (31, 0)):
        targets = numbered(stories * 2, shifts)
        several = several_codes(targets)
        assert several.classes == CODES == ("CCAT", "ECAT", "GCAT", "MCAT")
        wanted = [tuple(code for code in codes if code in CODES) for codes in stories * 2]
        assert several.label_sets() == wanted
        assert several.several
        one = one_code(targets)
        assert one.label_sets() == [codes[:1] for codes in wanted]
        assert not one.several


@pytest.mark.parametrize("number", range(1, 6))
def test_in_the_real_subsets_everything_fits(number: int, named: Callable[[str], Corpus]) -> None:
    """Every story has a code; who has a topic under ECAT or GCAT has these; and the halves are numbered otherwise."""
    labels = [labels for batch in named(f"rcv1:subset{number}").batches() for labels in batch.labels]
    targets = Targets.of(labels, len(labels), multilabel=True)
    several = several_codes(targets)
    assert several.usable.all()
    assert one_code(targets).class_docs.sum() == targets.n_documents == 6_000
    places = []
    for half in (range(3_000), range(3_000, 6_000)):
        topics = {
            int(name): each[(each >= half.start) & (each < half.stop)]
            for name, each in zip(targets.classes, targets.members, strict=True)
        }
        first = place_of_ccat(topics)
        places.append(first)
        for code, under in (("ECAT", range(first + 1, first + 26)), ("GCAT", range(first + 27, first + 37))):
            has_topic = np.concatenate([topics.get(each, np.empty(0, np.int64)) for each in under])
            assert len(has_topic)
            assert np.isin(has_topic, several.members[CODES.index(code)]).all()
    assert places[0] != places[1]
