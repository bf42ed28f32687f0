"""Figures of rows besides F1, and figures of summaries: computed again by hand, with a predictable clock."""

from collections import Counter
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest, t
from tests.reference.categorizer_cases import plain_categorizer, small_texts
from tests.reference.comparison_twin import fold_places, split_at

from textsieve import compare
from textsieve.comparison import Comparison, Row, folds, running
from textsieve.comparison.measuring import measure
from textsieve.comparison.outcome import TermSet, measure_overlap
from textsieve.comparison.plan import Condition
from textsieve.comparison.summary import summarise
from textsieve.comparison.variants import Variant

CASE = small_texts(60, 3)
MULTILABEL = small_texts(60, 3, multilabel=True)
WANTED: Any = {"selectors": "ocfs,ig,chi", "n_terms": "3,7", "classifiers": "svm,nb", "folds": 3, "n_jobs": 1}


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    texts = [*CASE.texts[:-2], "unheardof", "of words"]  # two documents without a selected term
    return compare(texts, CASE.labels, **WANTED)


def true_and_predicted(row: Row, texts: list[str], labels: list[Any]) -> tuple[list[set[Any]], list[set[Any]]]:
    train, test = split_at(texts, labels, fold_places(labels, 3)[row.fold])
    own: Any = {"selector": row.selector, "n_terms": row.n_terms, "classifier": row.classifier, "n_jobs": 1}
    predicted = plain_categorizer(**own).fit(*train).predict(test[0])
    return [as_set(labels) for labels in test[1]], [as_set(labels) for labels in predicted]


def as_set(labels: Any) -> set[Any]:
    return {labels} if isinstance(labels, str) else set(labels)


@pytest.mark.filterwarnings("ignore:.*none of the selected terms")
def test_documents_by_class_and_confusion(comparison: Comparison) -> None:
    classes, texts = comparison.header["classes"], [*CASE.texts[:-2], "unheardof", "of words"]
    uneven = 0
    for row in comparison.rows:
        true, predicted = true_and_predicted(row, texts, CASE.labels)
        pairs = list(zip(true, predicted, strict=True))
        n_correct, n_predicted, n_true = (
            [sum(label in labels for labels in sets) for label in classes]
            for sets in ([a & b for a, b in pairs], predicted, true)
        )
        assert row.by_class == tuple(zip(n_correct, n_predicted, n_true, strict=True))
        number = {label: place for place, label in enumerate(classes)}
        counts = Counter((number[next(iter(a))], number[next(iter(b))]) for a, b in pairs)
        assert row.confusion == tuple((*pair, count) for pair, count in sorted(counts.items()))
        uneven += n_predicted != n_true
    assert uneven  # otherwise an exchange of the two would not be noticed


@pytest.mark.filterwarnings("ignore:.*none of the selected terms")
def test_multilabel_documents_by_class() -> None:
    result = compare(MULTILABEL.texts, MULTILABEL.label_sets, **{**WANTED, "selectors": "ig", "n_terms": "5"})
    for row in result.rows:
        true, predicted = true_and_predicted(row, MULTILABEL.texts, MULTILABEL.label_sets)
        assert row.confusion is None
        assert row.by_class == tuple(
            (
                sum(label in a and label in b for a, b in zip(true, predicted, strict=True)),
                sum(label in labels for labels in predicted),
                sum(label in labels for labels in true),
            )
            for label in result.header["classes"]
        )


def test_unknown_counts_documents_without_a_selected_term(comparison: Comparison) -> None:
    selected = {selection.key: set(selection.terms or ()) for selection in comparison.selections}
    texts = [*CASE.texts[:-2], "unheardof", "of words"]
    expected = [
        sum(
            not selected[row.key[:3]] & set(texts[place].lower().split())
            for place in fold_places(CASE.labels, 3)[row.fold]
        )
        for row in comparison.rows
    ]
    assert [row.unknown for row in comparison.rows] == expected
    assert any(expected)


def term_sets_of(comparison: Comparison) -> dict[Any, TermSet]:
    return {
        selection.key: TermSet(frozenset(selection.terms or ()), selection.n_seen)
        for selection in comparison.selections
    }


def test_overlap_is_the_mean_over_all_folds(comparison: Comparison) -> None:
    term_sets = term_sets_of(comparison)
    differ = 0
    for overlap in comparison.overlaps:
        by_fold = [
            measure_overlap(*(term_sets[fold, selector, overlap.n_terms] for selector in overlap.selectors))
            for fold in range(3)
        ]
        assert overlap.measures == pytest.approx(tuple(np.mean(by_fold, axis=0)))
        differ += by_fold[0] != by_fold[1]
    assert len(comparison.overlaps) == 2 * 3
    assert differ


def test_stability_is_the_mean_over_all_pairs_of_folds(comparison: Comparison) -> None:
    term_sets = term_sets_of(comparison)
    differ = 0
    for stability in comparison.stabilities:
        by_fold = [term_sets[fold, stability.selector, stability.n_terms] for fold in range(3)]
        pairs = [measure_overlap(*pair) for pair in combinations(by_fold, 2)]
        assert stability.measures == pytest.approx(tuple(np.mean(pairs, axis=0)))
        differ += pairs[0] != pairs[1]
    assert len(comparison.stabilities) == 2 * 3
    assert differ


def test_intervals_have_the_variance_of_folds_that_share_documents(comparison: Comparison) -> None:
    for line in comparison.summary:
        rows = [row for row in comparison.rows if row.key[1:] == (line.selector, line.n_terms, line.classifier)]
        for name in ("micro_f1", "macro_f1", "accuracy"):
            values = [getattr(row, name) for row in rows]
            ratio = np.mean([row.documents / row.trained_on for row in rows])
            half = t.ppf(0.975, 2) * np.sqrt(np.var(values, ddof=1) * (1 / 3 + ratio))
            assert getattr(line, name) == pytest.approx((np.mean(values), half))
            assert ratio == pytest.approx(0.5, abs=0.01)


def test_p_overall_is_against_the_best_of_all_and_corrected_for_all(comparison: Comparison) -> None:
    mistakes = {
        line: np.concatenate([row.mistakes for row in comparison.rows if row.key[1:] == line])
        for line in dict.fromkeys(row.key[1:] for row in comparison.rows)
    }
    (best,) = [line for line in comparison.summary if line.is_best]
    own = mistakes[best.selector, best.n_terms, best.classifier]
    raw = {}
    for line, other in mistakes.items():
        wins, losses = int((own < other).sum()), int((own > other).sum())
        raw[line] = binomtest(wins, wins + losses).pvalue if wins > losses else 1.0
    del raw[best.selector, best.n_terms, best.classifier]
    corrected, least = {}, 0.0
    for place, (line, p) in enumerate(sorted(raw.items(), key=lambda item: item[1])):
        least = corrected[line] = min(max(least, p * (len(raw) - place)), 1.0)
    for summary in comparison.summary:
        if summary is not best:
            key = (summary.selector, summary.n_terms, summary.classifier)
            assert summary.p_overall == pytest.approx(corrected[key])
    assert min(corrected.values()) < 0.2


# -- seconds -----------------------------------------------------------------------------------------------------


class Clock:
    """A clock whose steps double with each reading, so that a difference identifies its two readings."""

    def __init__(self) -> None:
        self.looks: list[float] = [0.0]

    def perf_counter(self) -> float:
        self.looks.append(self.looks[-1] + 2.0 ** len(self.looks))
        return self.looks[-1]

    @property
    def spans(self) -> list[float]:
        """Return the seconds between the first reading and the second, the third and the fourth, and so on."""
        return [later - before for before, later in list(pairwise(self.looks[1:]))[::2]]


def test_seconds_are_of_statistics_and_ranking_then_training_then_prediction(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr(folds, "time", clock)
    monkeypatch.setattr(running, "warm_up", lambda *_: None)
    result = compare(
        CASE.texts,
        CASE.labels,
        test=(CASE.texts, CASE.labels),
        selectors="ig",
        n_terms=4,
        classifiers="svm,nb",
        n_jobs=1,
    )
    selection, others = clock.spans[:-4], clock.spans[-4:]
    assert len(selection) >= 2  # statistics, and then ranking
    for row, (training, prediction) in zip(result.rows, (others[:2], others[2:]), strict=True):
        assert row.selection_seconds == sum(selection)  # also of the second row, which shares the selection
        assert (row.training_seconds, row.prediction_seconds) == (training, prediction)


def test_seconds_of_inner_folds_count_too(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr(folds, "time", clock)
    monkeypatch.setattr(running, "warm_up", lambda *_: None)
    given = MULTILABEL.texts, MULTILABEL.label_sets
    (row,) = compare(*given, test=given, selectors="ig", n_terms=4, n_jobs=1).rows
    assert len(clock.spans) >= 6 * 2 + 2  # statistics and ranking of all documents and of five folds
    assert row.selection_seconds == sum(clock.spans[:-2])
    assert (row.training_seconds, row.prediction_seconds) == tuple(clock.spans[-2:])


def a_row(fold: int, seconds: float, **other: Any) -> Row:
    stages = {f"{stage}_seconds": seconds for stage in ("selection", "training", "prediction")}
    figures = {"micro_f1": 0.5, "macro_f1": 0.5, "accuracy": 0.5, "n_selected": 3, "model_bytes": 9}
    given: Any = {
        "n_seen": 9,
        "trained_on": 8,
        "documents": 2,
        "mistakes": np.zeros(2, np.uint8),
        "threads": 1,
        "cores": 2,
    }
    return Row.about(fold, CONDITION, **(given | figures | stages | other))


CONDITION = Condition(Variant("ig", "ig"), 3, Variant("svm", "svm"))
OTHER = Condition(Variant("chi", "chi"), 3, Variant("svm", "svm"))


def test_seconds_are_summarised_by_their_median() -> None:
    (line,) = summarise([CONDITION], [a_row(0, 1.0), a_row(1, 2.0), a_row(2, 9.0)])
    assert (line.selection_seconds, line.training_seconds, line.prediction_seconds) == (2.0, 2.0, 2.0)
    assert (line.threads, line.cores) == (1, 2)


@pytest.mark.parametrize("other", [{"threads": 2}, {"cores": 8}], ids=str)
def test_there_is_no_median_of_different_threads_or_machines(other: dict[str, int]) -> None:
    (line,) = summarise([CONDITION], [a_row(0, 1.0), a_row(1, 2.0, **other)])
    assert (line.selection_seconds, line.training_seconds, line.prediction_seconds) == (None, None, None)
    assert None in (line.threads, line.cores)
    assert line.micro_f1 is not None


def test_of_equal_micro_f1_the_higher_macro_f1_is_best() -> None:
    other = [Row(**{**vars(a_row(fold, 1.0, macro_f1=0.6)), "selector": "chi"}) for fold in range(2)]
    lower, higher = summarise([CONDITION, OTHER], [a_row(0, 1.0), a_row(1, 1.0), *other])
    assert (lower.is_best, higher.is_best) == (False, True)


def test_the_warm_up_comes_before_the_first_row(monkeypatch: pytest.MonkeyPatch) -> None:
    noted: list[str] = []

    def measured(*given: Any) -> Any:
        noted.append("row")
        return measure(*given)

    monkeypatch.setattr(running, "warm_up", lambda *_: noted.append("warm-up"))
    monkeypatch.setattr(running, "measure", measured)
    compare(CASE.texts, CASE.labels, **{**WANTED, "selectors": "ig", "n_terms": 3, "classifiers": "nb"})
    assert noted == ["warm-up", "row", "row", "row"]


def test_a_selector_that_selects_nothing_is_fitted_once_per_fold(monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[Any] = []
    rank = folds.FoldCache._rank

    def ranked(*given: Any) -> Any:
        tries.append(given)
        return rank(*given)

    monkeypatch.setattr(running, "warm_up", lambda *_: None)
    monkeypatch.setattr(folds.FoldCache, "_rank", ranked)
    result = compare(CASE.texts, CASE.labels, **{**WANTED, "selectors": "ig(min_score=1e9)"})
    assert all(row.problem is not None for row in result.rows)
    assert all(str(row.problem).startswith("InformationGain(min_score=1000000000.0) keeps") for row in result.rows)
    assert len(tries) == 3  # once for each fold, for two sizes and two classifiers
