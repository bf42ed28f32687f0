"""Random splits, repeated folds and splits by hand: which documents are tested, the header, and p."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import t
from tests.reference.categorizer_cases import small_texts
from tests.reference.comparison_twin import by_hand, split_at

from textsieve import InputError, compare
from textsieve.comparison.splits import FoldMasks, Splitting, describe_split
from textsieve.comparison.summary import p_of_mean_lead
from textsieve.training.targets import Targets

CASE = small_texts(60, 3)
WANTED: Any = {"selectors": "ocfs,ig", "n_terms": "6", "n_jobs": 1}
TARGETS = Targets.of([*CASE.labels, None, None], 62)


def positions_of(folds: FoldMasks) -> list[list[int]]:
    return [np.flatnonzero(is_test).tolist() for is_test in folds.test]


def test_a_share_of_each_class_is_tested_and_the_rest_is_for_training() -> None:
    folds = Splitting(test_share=0.34, repeats=20, seed=3).fold_masks(TARGETS)
    assert len(folds.test) == 20
    for is_test, is_train in zip(folds.test, folds.train, strict=True):
        assert (is_train == ~is_test).all()
        assert not is_test[60:].any()  # they have no label
        assert abs(int(is_test.sum()) - 0.34 * 60) <= 1
        for documents in TARGETS.members:
            assert abs(int(is_test[documents].sum()) - 0.34 * len(documents)) <= 1
    assert len({tuple(positions) for positions in positions_of(folds)}) == 20
    assert folds.about == {"by": "random", "folds": 20, "test_share": 0.34, "seed": 3, "overlapping": True}
    assert np.sum(folds.test, axis=0)[:60].min() > 0  # each labelled document is tested at least once


def test_draws_depend_on_the_seed_and_more_draws_begin_with_the_same() -> None:
    draws = [
        positions_of(Splitting(test_share=0.3, repeats=n, seed=seed).fold_masks(TARGETS))
        for n, seed in ((3, 0), (5, 0), (3, 1))
    ]
    assert draws[0] == draws[1][:3]
    assert draws[0] != draws[2]
    assert positions_of(Splitting(test_share=0.3, repeats=3).fold_masks(TARGETS)) == draws[0]


def test_folds_are_shuffled_only_on_request() -> None:
    plain = Splitting(folds=4).fold_masks(TARGETS)
    assert plain.about == {"by": "folds", "folds": 4}
    assert positions_of(Splitting().fold_masks(TARGETS)) == positions_of(Splitting(folds=5).fold_masks(TARGETS))
    shuffled = Splitting(folds=4, seed=0).fold_masks(TARGETS)
    assert positions_of(shuffled) != positions_of(plain)
    assert shuffled.about == {"by": "shuffled folds", "folds": 4, "repeats": 1, "seed": 0}
    twice = Splitting(folds=4, repeats=2).fold_masks(TARGETS)
    assert positions_of(twice)[:4] == positions_of(shuffled)
    assert positions_of(twice)[4:] != positions_of(shuffled)
    assert twice.about["overlapping"] is True
    assert np.sum(twice.test, axis=0).tolist() == [2] * 60 + [0] * 2


def test_rows_of_random_splits_are_those_of_a_categorizer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    comparison = compare(CASE.texts, CASE.labels, test_share=0.4, repeats=3, seed=7, **WANTED)
    places = positions_of(Splitting(test_share=0.4, repeats=3, seed=7).fold_masks(Targets.of(CASE.labels, 60)))
    assert len(comparison.rows) == 6
    for row in comparison.rows:
        train, test = split_at(CASE.texts, CASE.labels, places[row.fold])
        twin = by_hand(train, test, tmp_path / "m", selector=row.selector, n_terms=6, n_jobs=1)
        assert (row.micro_f1, row.macro_f1, row.model_bytes) == (twin.micro_f1, twin.macro_f1, twin.model_bytes)
        assert row.mistakes is not None
        assert row.mistakes.tolist() == twin.mistakes


def test_splits_by_hand_may_leave_documents_out(tmp_path: Path) -> None:
    train, test = list(range(0, 40, 2)), list(range(41, 60))
    comparison = compare(CASE.texts, CASE.labels, splits=[(train, test)], **WANTED)
    assert comparison.header["split"] == {"by": "splits", "folds": 1}
    assert {(row.trained_on, row.documents) for row in comparison.rows} == {(20, 19)}
    parts = [([CASE.texts[i] for i in some], [CASE.labels[i] for i in some]) for some in (train, test)]
    twin = by_hand(parts[0], parts[1], tmp_path / "m", selector="ig", n_terms=6, n_jobs=1)
    assert comparison.rows[1].micro_f1 == twin.micro_f1
    masks = [np.isin(np.arange(60), some) for some in (train, test)]
    again = compare(CASE.texts, CASE.labels, splits=[masks], **WANTED)
    assert {**again.header, "started": None} == {**comparison.header, "started": None}


def test_p_of_folds_that_share_documents_is_that_of_the_corrected_t_test() -> None:
    comparison = compare(CASE.texts, CASE.labels, test_share=0.3, repeats=6, selectors="ocfs,df", n_terms=3, n_jobs=1)
    by_name = {name: [row for row in comparison.rows if row.selector == name] for name in ("ocfs", "df")}
    ocfs, df = (np.array([row.micro_f1 for row in rows]) for rows in by_name.values())
    leads = ocfs - df
    ratio = float(np.mean([row.documents / row.trained_on for row in by_name["ocfs"]]))
    statistic = leads.mean() / np.sqrt(leads.var(ddof=1) * (1 / 6 + ratio))
    other = next(summary for summary in comparison.summary if not summary.is_best)
    assert other.p_in_size == pytest.approx(2 * t.sf(abs(statistic), 5), rel=1e-12)


def test_p_of_leads_that_vanish_or_never_vary() -> None:
    assert p_of_mean_lead([0.1, -0.1], 0.5) == 1.0
    assert p_of_mean_lead([-0.1, -0.2], 0.5) == 1.0
    assert p_of_mean_lead([0.5, 0.5], 0.5) == 0.0
    assert p_of_mean_lead([0.5], 0.5) == 1.0


def test_results_of_other_draws_raise(tmp_path: Path) -> None:
    wanted: Any = {**WANTED, "results": tmp_path / "r.jsonl", "test_share": 0.3}
    compare(CASE.texts, CASE.labels, seed=1, **wanted)
    with pytest.raises(InputError, match=r"another split of the documents \(seed: 1 there, 2 here\)"):
        compare(CASE.texts, CASE.labels, seed=2, **wanted)
    own: Any = {**WANTED, "results": tmp_path / "s.jsonl"}
    compare(CASE.texts, CASE.labels, splits=[(range(30), range(30, 60))], **own)
    with pytest.raises(InputError, match="another corpus, or documents that have changed"):
        compare(CASE.texts, CASE.labels, splits=[(range(30), range(31, 60))], **own)


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ({"test_share": 0}, "test_share=0; use a share of the documents above 0 and below 1"),
        ({"test_share": "half"}, "test_share='half'; use a share"),
        ({"test_share": 0.001}, "test_share=0.001: 60 labelled documents are too few to test some of them"),
        ({"repeats": 3}, "repeats=3: nothing is drawn at random; give test_share or folds"),
        ({"seed": 3}, "seed=3: nothing is drawn at random"),
        ({"folds": 2, "seed": -1}, "seed=-1; use a number from 0"),
        ({"folds": 2, "repeats": 0}, "repeats=0; use a number from 1"),
        ({"folds": 2, "test_share": 0.5}, "folds and test_share are different ways to split documents"),
        ({"splits": [], "seed": 1}, "seed=1: nothing is drawn at random"),
        ({"splits": []}, "splits: there are none"),
        ({"splits": 3}, "splits=3; use pairs of document positions"),
        ({"splits": [range(3)]}, r"splits=\[range\(0, 3\)\]; use pairs of document positions"),
        ({"splits": [(range(30), range(29, 40))]}, r"splits\[0\]: document 29 is in both parts"),
        ({"splits": [(range(30), [60])]}, r"splits\[0\]: there are 60 documents"),
        ({"splits": [(range(30), [-1])]}, r"splits\[0\]: there are 60 documents"),
        ({"splits": [(range(30), ["x"])]}, r"splits\[0\]: \['x'\]; use the positions of documents"),
        ({"splits": [(range(30), [])]}, r"splits\[0\]: \[\]; use the positions of documents"),
        ({"test_share": 0.5, "test": (["goal"], ["boat"])}, "test_share=0.5: test documents are given"),
    ],
    ids=str,
)
def test_invalid_splits_raise_an_error(wanted: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        compare(CASE.texts, CASE.labels, n_jobs=1, **wanted)


def test_the_error_for_a_split_of_one_class_names_the_split() -> None:
    first_class = [place for place, label in enumerate(CASE.labels) if label == CASE.labels[0]]
    others = [place for place in range(60) if place not in first_class]
    with pytest.raises(InputError, match="texts, split 1: fewer than two classes have training documents"):
        compare(CASE.texts, CASE.labels, splits=[(first_class, others)], **WANTED)


@pytest.mark.parametrize(
    ("split", "description"),
    [
        ({"by": "folds", "folds": 5}, "5 folds in turn"),
        ({"by": "shuffled folds", "folds": 50, "repeats": 10}, "5 folds in turn, shuffled 10 times"),
        ({"by": "shuffled folds", "folds": 5, "repeats": 1}, "5 folds in turn, shuffled once"),
        ({"by": "random", "folds": 3, "test_share": 0.25}, "a random share of 0.25, drawn 3 times"),
        ({"by": "random", "folds": 1, "test_share": 0.25}, "a random share of 0.25, drawn once"),
        ({"by": "own", "folds": 1}, "the corpus's own split"),
    ],
)
def test_a_split_is_described_in_words(split: dict[str, Any], description: str) -> None:
    assert describe_split(split) == description
