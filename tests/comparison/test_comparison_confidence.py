"""How certain labels are: probabilities of test documents that are fitted to other test documents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from tests.reference.categorizer_cases import small_texts

from textsieve import InputError, compare
from textsieve.comparison import Comparison, cross_fitting, read_comparison, running
from textsieve.comparison.cross_fitting import FEWEST_TEST_DOCUMENTS, KeptScores, cross_fit
from textsieve.comparison.json_lines import decode_line, encode_line
from textsieve.evaluation.confidence import MINIMA
from textsieve.evaluation.scores import DocumentScores

CASE = small_texts(90, 3)
WANTED: dict[str, Any] = {"selectors": "ig,all", "n_terms": 20, "classifiers": "nb,knn", "folds": 2, "n_jobs": 1}
RNG = np.random.default_rng(7)
SCORES = RNG.normal(size=(60, 3))
TRUE = np.where(RNG.random(60) < 0.7, SCORES.argmax(axis=1), RNG.integers(3, size=60))


def compared(**other: Any) -> Comparison:
    return compare(CASE.texts, CASE.labels, **{**WANTED, **other})


def scored(scores: Any = SCORES, unknown: Any = ()) -> DocumentScores:
    """Return the scores of documents; `unknown` are the numbers of those without a selected term."""
    is_unknown = np.isin(np.arange(len(scores)), unknown)
    return DocumentScores(scores, is_unknown, fallback=0)


def probabilities(true: Any = TRUE, **documents: Any) -> Any:
    result = cross_fit(scored(**documents), np.asarray(true))
    assert result is not None
    return result


def test_bands_computed_by_hand() -> None:
    """All documents have the same scores, so a curve can only return the share of right labels in its half.

    The documents at even positions are one half, with 19 right labels of 20, and the others have 14 of 20. One document
    in 21 gets a random label of two.
    """
    true = np.zeros(40, np.int64)
    true[[4, *range(1, 13, 2)]] = 1
    scores = np.tile([1.0, -1.0], (40, 1))
    expected = [20 / 21 * right + 1 / 21 / 2 for right in (14 / 20, 19 / 20)]
    np.testing.assert_allclose(probabilities(true, scores=scores), expected * 20, atol=1e-6)
    kept = KeptScores(40, 2)
    list(kept.keep([(slice(0, 40), scored(scores))]))
    confidence = kept.confidence(true)
    assert confidence is not None
    bands = {band.min_probability: (band.documents, band.accuracy) for band in confidence.bands() if band.documents}
    assert bands == {0.6: (20, 19 / 20), 0.9: (20, 14 / 20)}
    shares = {row.min_probability: (row.share, row.accuracy) for row in confidence.rows() if row.share}
    assert shares == {0.5: (1, 33 / 40), 0.6: (1, 33 / 40), 0.7: (0.5, 0.7), 0.8: (0.5, 0.7), 0.9: (0.5, 0.7)}


def test_the_label_of_a_document_does_not_change_its_probability() -> None:
    before = probabilities()
    for document in range(0, 60, 7):
        true = TRUE.copy()
        true[document] = (true[document] + 1) % 3
        after = probabilities(true)
        is_changed = before != after
        assert not is_changed[document]
        assert is_changed.sum() == 30, "those of the other half"


def test_curves_are_fitted_to_few_documents_of_each_half(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cross_fitting, "ENOUGH_DOCUMENTS", 20)
    before, decisive = probabilities(), []
    for document in range(60):
        true = TRUE.copy()
        true[document] = (true[document] + 1) % 3
        after = probabilities(true)
        decisive.append(bool((before != after).any()))
        assert before[document] == after[document]
    assert sum(decisive) == 20, "one of three parts of each half"


def test_documents_without_a_selected_term_or_a_known_class_fit_no_curve() -> None:
    before = probabilities(unknown=[0, 1])
    assert before[:2].tolist() == [0, 0]
    changed_scores, changed_true = SCORES.copy(), TRUE.copy()
    changed_scores[:2], changed_true[:2] = 99.0, 0
    assert probabilities(changed_true, scores=changed_scores, unknown=[0, 1]).tolist() == before.tolist()
    # A document of a class that the model does not know can't be right, whatever its probability.
    kept = KeptScores(60, 3)
    list(kept.keep([(slice(0, 60), scored())]))
    confidence = kept.confidence(np.where(np.arange(60) < 20, -1, TRUE))
    assert confidence is not None
    assert confidence.documents == 60
    assert confidence.all_right == (SCORES.argmax(axis=1) == TRUE)[20:].sum()


def test_too_few_documents_have_no_probabilities() -> None:
    n_fewest = FEWEST_TEST_DOCUMENTS
    assert cross_fit(scored(SCORES[:n_fewest]), TRUE[:n_fewest]) is not None
    assert cross_fit(scored(SCORES[: n_fewest - 1]), TRUE[: n_fewest - 1]) is None
    assert cross_fit(scored(SCORES[:n_fewest], unknown=[3]), TRUE[:n_fewest]) is None


@pytest.mark.parametrize(("max_scores", "n_kept"), [(10**6, 60), (60 * 3 - 1, 30)])
def test_of_very_many_scores_those_of_every_nth_document_are_kept(
    max_scores: int, n_kept: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cross_fitting, "MAX_SCORES", max_scores)
    monkeypatch.setattr(cross_fitting, "FEWEST_TEST_DOCUMENTS", 20)
    kept, everything = KeptScores(60, 3), scored(unknown=[2])
    parts = [slice(0, 7), slice(7, 30), slice(30, 60)]
    blocks = [(part, DocumentScores(everything.scores[part], everything.is_unknown[part], 0)) for part in parts]
    assert list(kept.keep(blocks)) == blocks
    confidence = kept.confidence(TRUE)
    assert confidence is not None
    step = 60 // n_kept
    expected = cross_fit(DocumentScores(everything.scores[::step], everything.is_unknown[::step], 0), TRUE[::step])
    assert expected is not None
    assert confidence.documents == n_kept
    assert confidence.certain == tuple((expected >= minimum).sum() for minimum in MINIMA)


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    return compared()


def test_rows_count_every_test_document_and_summaries_add_folds(comparison: Comparison) -> None:
    for row in comparison.rows:
        assert row.confidence is not None
        assert row.accuracy is not None
        assert row.confidence.documents == row.documents == 45
        assert row.confidence.all_right == pytest.approx(row.accuracy * 45)
    for summary in comparison.summary:
        assert summary.confidence is not None
        pairs = [row.confidence.pairs() for row in comparison.rows_of(summary) if row.confidence is not None]
        assert np.sum(pairs, axis=0).tolist() == [list(pair) for pair in summary.confidence.pairs()]
    assert len({summary.confidence for summary in comparison.summary}) > 1


def test_threads_and_other_combinations_change_nothing(comparison: Comparison) -> None:
    others = compared(n_jobs=3, classifiers="knn,nb", selectors="all,ig").rows
    confidences = {row.key: row.confidence for row in comparison.rows}
    assert {row.key: row.confidence for row in others} == confidences


def test_results_are_resumed_with_and_without_probabilities(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, few = tmp_path / "whole.jsonl", tmp_path / "few.jsonl"
    first = compared(results=whole)
    without = compared(results=few, folds=3)  # 30 test documents each
    assert all(row.confidence is None for row in without.rows)
    monkeypatch.setattr(running, "measure", None)  # would fail if it was called
    for path, expected, folds in ((whole, first, 2), (few, without, 3)):
        assert compared(results=path, folds=folds).to_dict() == read_comparison(path).to_dict() == expected.to_dict()


def test_a_fold_with_few_test_documents_leaves_none_for_the_combination() -> None:
    splits = [(range(0, 90, 2), range(1, 90, 2)), (range(60), range(60, 90))]
    comparison = compared(folds=None, splits=splits, classifiers="nb")
    assert {row.fold for row in comparison.rows if row.confidence is None} == {1}
    assert all(summary.confidence is None for summary in comparison.summary)


def test_vectors_have_probabilities_and_multilabel_documents_do_not() -> None:
    vectors = csr_matrix(RNG.integers(3, size=(90, 5)))
    wanted = {**WANTED, "classifiers": "nb", "selectors": "ig"}
    assert all(row.confidence is not None for row in compare(vectors, CASE.labels, **wanted).rows)
    multilabel = compare(CASE.texts, [[label] for label in CASE.labels], **wanted)
    assert all(row.confidence is None for row in multilabel.rows)
    assert multilabel.view.confidence == ()
    assert multilabel.view.confidence_note == ""


WRONG: list[Any] = [
    [],
    [[45, 40]] * 7,
    [[46, 40], *[[0, 0]] * 7],
    [[0, 0]] * 8,
    [[45, 46], *[[0, 0]] * 7],
    [[45, 40], [40, 41], *[[0, 0]] * 6],
    [[45, 40], [20, 10], [21, 10], *[[0, 0]] * 5],
    [[45, 20], [20, 21], *[[0, 0]] * 6],
    [[45, 40], [20, 10], [20, 9], *[[0, 0]] * 5],
    [[45.5, 40], *[[0, 0]] * 7],
]


def test_impossible_counts_in_a_file_raise(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    compared(results=path, classifiers="nb", selectors="ig")
    lines = [decode_line(line) for line in path.read_bytes().splitlines()]
    *_, row = (line["row"] for line in lines if "row" in line)
    possible = row["confidence"]
    for wrong in WRONG:
        row["confidence"] = wrong
        path.write_bytes(b"".join(map(encode_line, lines)))
        with pytest.raises(InputError, match=r"damaged: .*confidence"):
            read_comparison(path)
    for right in (possible, None):
        row["confidence"] = right
        path.write_bytes(b"".join(map(encode_line, lines)))
        assert len(read_comparison(path).rows) == 2


def test_the_view_shows_the_best_first_or_says_why_there_are_none(comparison: Comparison) -> None:
    view = comparison.view
    assert view.confidence[0].combination == view.findings[0].combination
    assert comparison.best is not None
    assert view.confidence[0].confidence == comparison.best.confidence
    assert len(view.confidence) == len(comparison.summary)
    assert "fitted on the other half" in view.confidence_note
    few = compared(folds=3, classifiers="nb").view
    assert few.confidence == ()
    assert f"at least {FEWEST_TEST_DOCUMENTS} test documents" in few.confidence_note


def test_json_has_the_fields_of_an_evaluation(comparison: Comparison) -> None:
    for summary, values in zip(comparison.summary, comparison.to_dict()["summary"], strict=True):
        assert summary.confidence is not None
        assert values["confidence"] == summary.confidence.to_dict()
        assert values["bands"] == [band._asdict() for band in summary.confidence.bands()]
    assert compared(folds=3, classifiers="nb").to_dict()["summary"][0]["bands"] == []
