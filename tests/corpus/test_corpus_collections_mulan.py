"""MULAN's subsets of RCV1: the codes of their topics are found, in small examples and in the real files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.io import loadmat, savemat

from textsieve import InputError
from textsieve.corpus import Corpus, read
from textsieve.corpus.collections.mulan import CODE_INDEX, CODES, TOP, by_code, code_above, parts_of, shift_of

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]

STORIES: list[tuple[str, ...]] = [
    *[("C42", "CCAT")] * 3,
    ("CCAT", "E21", "ECAT"),
    ("E21", "ECAT"),
    ("ECAT", "M11", "MCAT"),
    *[("GCAT", "GSPO")] * 2,
    ("G15", "G151", "GCAT"),
    ("M14", "MCAT"),
    ("M13", "M131", "M14", "M142", "MCAT"),
    ("CCAT", "GCAT"),
]
SHIFTS = {1: (0, 1), 2: (0, 12), 3: (0, 14), 4: (7, 31), 5: (12, 1)}
"""The shifts of the two halves of each real subset."""
SHARES = {"CCAT": 0.47, "ECAT": 0.15, "GCAT": 0.30, "MCAT": 0.25}
"""The share of RCV1's stories that have each of the top codes."""


def mulan_rows(stories: list[tuple[str, ...]], *shifts: int) -> Bools:
    """Return 101 rows of topics as in MULAN's files: the stories repeated with each shift, without MCAT."""
    rows = np.zeros((101, len(shifts) * len(stories)), np.bool_)
    for story, (shift, codes) in enumerate((shift, codes) for shift in shifts for codes in stories):
        places = [CODE_INDEX[code] - shift for code in codes if code != "MCAT"]
        rows[[place for place in places if place >= 0], story] = True
    return rows


def codes_of(topics: Bools) -> list[tuple[str, ...]]:
    return [tuple(CODES[place] for place in np.flatnonzero(story)) for story in topics.T]


def write(folder: Path, target: Bools) -> None:
    data = np.arange(target.shape[1] * 3).reshape(-1, 3) % 2
    savemat(folder / "rcv1subset1_top944.mat", {"data": data, "target": target.astype(np.uint8)})


def arrays_of(data_dir: Path, number: int) -> tuple[Floats, Bools]:
    """Return the matrices in a file: stories by terms, and topics by stories."""
    arrays = loadmat(data_dir / f"rcv1/rcv1subset{number}_top944.mat")
    return np.asarray(arrays["data"], np.float64), np.asarray(arrays["target"]) > 0


def test_the_codes_are_sorted_and_form_a_hierarchy() -> None:
    assert len(CODES) == len(set(CODES)) == 103
    assert list(CODES) == sorted(CODES)
    above = {code: code_above(code) for code in ("C1511", "C15", "E411", "G159", "GDIS", "M131", "CCAT")}
    assert list(above.values()) == ["C151", "CCAT", "E41", "G15", "GCAT", "M13", None]
    assert [code for code in CODES if code_above(code) == "MCAT"] == ["M11", "M12", "M13", "M14"]


@pytest.mark.parametrize("shifts", [(0, 1), (3, 20), (31, 0), (32, 32)])
def test_codes_are_found_whatever_the_shifts(shifts: tuple[int, int]) -> None:
    rows = mulan_rows(STORIES, *shifts)
    assert [shift_of(half) for half in np.hsplit(rows, 2)] == list(shifts)
    assert codes_of(by_code(rows)) == STORIES * 2


def test_a_code_missing_in_one_half_is_removed_from_both() -> None:
    stories = [*STORIES, ("C41", "C411", "CCAT")]
    codes = codes_of(by_code(mulan_rows(stories, 0, 31)))
    assert codes == [*STORIES, ("C411", "CCAT")] * 2


def test_the_training_half_is_the_one_with_all_topics() -> None:
    topics = by_code(np.hstack([mulan_rows(STORIES[:10] + STORIES[:2], 4), mulan_rows(STORIES, 2)]))
    assert parts_of(topics) == {"train": range(12, 24), "test": range(12)}
    assert parts_of(topics[:, ::-1]) == {"train": range(12), "test": range(12, 24)}


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        ((CODE_INDEX["E21"], 0), "a story has E21 and not ECAT"),
        ((CODE_INDEX["M142"], 0), "a story has M142 and not M14"),
        ((CODE_INDEX["GCAT"], 6), "a story has GSPO and not GCAT"),
        ((CODE_INDEX["M14"], 9), "a story has none of CCAT, ECAT, GCAT, MCAT"),
    ],
)
def test_topics_that_break_the_rules_of_rcv1_raise(spoil: tuple[int, int], message: str) -> None:
    rows = mulan_rows(STORIES, 0, 0)
    rows[spoil] ^= True
    with pytest.raises(ValueError, match=message):
        by_code(rows)


def test_topics_outside_the_list_of_codes_raise(own_data: Path) -> None:
    rows = np.vstack([np.zeros((5, 24), np.bool_), mulan_rows(STORIES, 0, 0)])
    assert codes_of(by_code(rows)) == STORIES * 2, "empty rows do no harm"
    rows[2, 3] = True
    write(own_data, rows)
    with pytest.raises(InputError, match=r"one of MULAN's subsets \(target has topics before or after those of RCV1\)"):
        list(read("rcv1:subset1").labels())


def test_a_small_subset_is_read(own_data: Path) -> None:
    write(own_data, mulan_rows(STORIES, 5, 2))
    whole = read("rcv1:subset1")
    assert list(whole.labels()) == STORIES * 2
    parts = whole.split()
    assert parts is not None
    assert [list(part.labels()) for part in parts] == [STORIES, STORIES]
    assert list(read("rcv1:subset1:top:test").labels()) == [tuple(c for c in codes if c in TOP) for codes in STORIES]
    vectors = [part.load()[0] for part in (whole, *parts)]
    assert not any(isinstance(matrix, list) for matrix in vectors)
    whole_rows, train, test = (matrix.toarray() for matrix in vectors if not isinstance(matrix, list))
    assert np.array_equal(whole_rows, np.vstack([train, test]))


@pytest.mark.parametrize("number", SHIFTS)
def test_real_subsets_have_the_vectors_and_topics_of_the_file(
    number: int, named: Callable[[str], Corpus], data_dir: Path
) -> None:
    """The expected labels are the rows of the file, shifted by the known shifts, and MCAT for its subtopics."""
    rows, labels = named(f"rcv1:subset{number}").load()
    data, target = arrays_of(data_dir, number)
    assert not isinstance(rows, list)
    assert data.shape == rows.shape == (6_000, 944)
    assert target.shape == (101, 6_000)
    assert abs(rows - data).max() == 0
    first_told = max(SHIFTS[number])
    for story, story_labels in enumerate(labels):
        places = np.flatnonzero(target[:, story]) + SHIFTS[number][story >= 3_000]
        codes = {CODES[place] for place in places if place >= first_told}
        assert set(story_labels or ()) == codes | ({"MCAT"} if any(code[0] == "M" for code in codes) else set())
    assert "M143" not in {code for codes in labels for code in codes or ()}


@pytest.mark.parametrize("number", SHIFTS)
def test_real_halves_obey_rcv1_and_are_alike(number: int, named: Callable[[str], Corpus], data_dir: Path) -> None:
    """A story with a code has the code above it and a top code, and codes are about as frequent as in RCV1."""
    named(f"rcv1:subset{number}")
    _, target = arrays_of(data_dir, number)
    assert tuple(map(shift_of, np.hsplit(target, 2))) == SHIFTS[number]
    topics = by_code(target)
    present_codes = [code for code in CODES if topics[CODE_INDEX[code]].any()]
    for code in present_codes:
        above = code_above(code)
        assert (
            above is None
            or above not in present_codes
            or not (topics[CODE_INDEX[code]] & ~topics[CODE_INDEX[above]]).any()
        )
    at_top = topics[[CODE_INDEX[code] for code in TOP]]
    assert at_top.any(axis=0).all()
    first, second = np.hsplit(topics, 2)
    for half in (first, second):
        shares = half[[CODE_INDEX[code] for code in TOP]].mean(axis=1)
        assert np.abs(shares - list(SHARES.values())).max() < 0.07
    sizes = [np.log1p(half[[CODE_INDEX[code] for code in present_codes]].sum(axis=1)) for half in (first, second)]
    assert np.corrcoef(*sizes)[0, 1] > 0.97
    assert np.corrcoef(sizes[0][1:], sizes[1][:-1])[0, 1] < 0.4, "a place further they are not alike"
    assert parts_of(topics)["train"].start == (3_000 if number == 5 else 0)


def test_stories_of_a_code_use_the_same_terms_in_both_halves(named: Callable[[str], Corpus], data_dir: Path) -> None:
    """Terms are not used to find codes, so they can confirm them.

    The profile of a code is how much more frequent each term is in its stories than in all.
    """
    named("rcv1:subset2")
    data, target = arrays_of(data_dir, 2)
    topics = by_code(target)
    same = _profile_cosines(data, topics)
    n_codes = len(same)
    assert n_codes > 40
    assert np.diag(same).mean() > 0.8
    assert same[~np.eye(n_codes, dtype=bool)].mean() < 0.1
    assert np.diag(same, 1).mean() < 0.4, "the neighbour in the alphabet, often of the same branch"
    assert (same.argmax(axis=1) == np.arange(n_codes)).mean() > 0.9
    as_numbered = _profile_cosines(data, target)
    assert np.diag(as_numbered).mean() < 0.2, "of the rows of the file this does not hold"


def _profile_cosines(data: Floats, topics: Bools) -> Floats:
    """Return the cosines of the profiles in both halves (topics x topics), for topics with 20 stories in each half."""
    halves = list(zip(np.vsplit(data, 2), np.hsplit(topics, 2), strict=True))
    frequent = np.logical_and(*(half.sum(axis=1) >= 20 for _, half in halves))
    first, second = (_profiles(rows, half[frequent]) for rows, half in halves)
    return first @ second.T


def _profiles(rows: Floats, topics: Bools) -> Floats:
    profiles = np.array([rows[stories].mean(axis=0) for stories in topics]) - rows.mean(axis=0)
    return np.asarray(profiles / np.linalg.norm(profiles, axis=1, keepdims=True), np.float64)
