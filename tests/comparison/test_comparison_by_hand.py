"""What a row says beside F1, and what is read off rows: worked out again by hand, with a clock that can be foretold."""

from collections import Counter
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest, t
from tests.reference.categorizer_cases import small_texts
from tests.reference.comparison_twin import fold_places, split_at

from textsieve import Categorizer, compare
from textsieve.comparison import Comparison, Row, folds, running
from textsieve.comparison.measuring import measure
from textsieve.comparison.outcome import Choice, likeness
from textsieve.comparison.plan import Condition
from textsieve.comparison.summary import summaries
from textsieve.comparison.variants import Variant

CASE = small_texts(60, 3)
SEVERAL = small_texts(60, 3, multilabel=True)
WANTED: Any = {"selectors": "ocfs,ig,chi", "n_terms": "3,7", "classifiers": "svm,nb", "folds": 3, "n_jobs": 1}


@pytest.fixture(scope="module")
def found() -> Comparison:
    texts = [*CASE.texts[:-2], "unheardof", "of words"]  # two documents that no chosen term is in
    return compare(texts, CASE.labels, **WANTED)


def true_and_predicted(row: Row, texts: list[str], labels: list[Any]) -> tuple[list[set[Any]], list[set[Any]]]:
    train, test = split_at(texts, labels, fold_places(labels, 3)[row.fold])
    own: Any = {"selector": row.selector, "n_terms": row.n_terms, "classifier": row.classifier, "n_jobs": 1}
    predicted = Categorizer(**own).fit(*train).predict(test[0])
    return [as_set(each) for each in test[1]], [as_set(each) for each in predicted]


def as_set(labels: Any) -> set[Any]:
    return {labels} if isinstance(labels, str) else set(labels)


@pytest.mark.filterwarnings("ignore:.*none of the selected terms")
def test_documents_by_class_and_confusion(found: Comparison) -> None:
    classes, texts = found.header["classes"], [*CASE.texts[:-2], "unheardof", "of words"]
    uneven = 0
    for row in found.rows:
        true, predicted = true_and_predicted(row, texts, CASE.labels)
        pairs = list(zip(true, predicted, strict=True))
        hits, put, owned = (
            [sum(label in each for each in sets) for label in classes]
            for sets in ([a & b for a, b in pairs], predicted, true)
        )
        assert row.by_class == tuple(zip(hits, put, owned, strict=True))
        number = {label: place for place, label in enumerate(classes)}
        counts = Counter((number[next(iter(a))], number[next(iter(b))]) for a, b in pairs)
        assert row.confusion == tuple((*pair, count) for pair, count in sorted(counts.items()))
        uneven += put != owned
    assert uneven  # or nothing would be seen of an exchange


@pytest.mark.filterwarnings("ignore:.*none of the selected terms")
def test_documents_by_class_with_several_labels() -> None:
    result = compare(SEVERAL.texts, SEVERAL.label_sets, **{**WANTED, "selectors": "ig", "n_terms": "5"})
    for row in result.rows:
        true, predicted = true_and_predicted(row, SEVERAL.texts, SEVERAL.label_sets)
        assert row.confusion is None
        assert row.by_class == tuple(
            (
                sum(label in a and label in b for a, b in zip(true, predicted, strict=True)),
                sum(label in each for each in predicted),
                sum(label in each for each in true),
            )
            for label in result.header["classes"]
        )


def test_documents_without_a_chosen_term(found: Comparison) -> None:
    chosen = {each.key: set(each.terms or ()) for each in found.selections}
    texts = [*CASE.texts[:-2], "unheardof", "of words"]
    expected = [
        sum(
            not chosen[row.key[:3]] & set(texts[place].lower().split())
            for place in fold_places(CASE.labels, 3)[row.fold]
        )
        for row in found.rows
    ]
    assert [row.unknown for row in found.rows] == expected
    assert any(expected)


def test_overlap_is_the_mean_over_all_folds(found: Comparison) -> None:
    choices = {each.key: Choice(frozenset(each.terms or ()), each.n_seen) for each in found.selections}
    differ = 0
    for each in found.overlaps:
        one, other = each.selectors
        by_fold = [likeness(choices[fold, one, each.n_terms], choices[fold, other, each.n_terms]) for fold in range(3)]
        assert each.likeness == pytest.approx(tuple(np.mean(by_fold, axis=0)))
        differ += by_fold[0] != by_fold[1]
    assert len(found.overlaps) == 2 * 3
    assert differ


def test_stability_is_the_mean_over_all_pairs_of_folds(found: Comparison) -> None:
    choices = {each.key: Choice(frozenset(each.terms or ()), each.n_seen) for each in found.selections}
    differ = 0
    for each in found.stabilities:
        own = [choices[fold, each.selector, each.n_terms] for fold in range(3)]
        pairs = [likeness(*pair) for pair in combinations(own, 2)]
        assert each.likeness == pytest.approx(tuple(np.mean(pairs, axis=0)))
        differ += pairs[0] != pairs[1]
    assert len(found.stabilities) == 2 * 3
    assert differ


def test_intervals_have_the_variance_of_folds_that_share_documents(found: Comparison) -> None:
    for line in found.summary:
        rows = [row for row in found.rows if row.key[1:] == (line.selector, line.n_terms, line.classifier)]
        for name in ("micro_f1", "macro_f1", "accuracy"):
            values = [getattr(row, name) for row in rows]
            ratio = np.mean([row.documents / row.trained_on for row in rows])
            half = t.ppf(0.975, 2) * np.sqrt(np.var(values, ddof=1) * (1 / 3 + ratio))
            assert getattr(line, name) == pytest.approx((np.mean(values), half))
            assert ratio == pytest.approx(0.5, abs=0.01)


def test_p_overall_is_against_the_best_of_all_and_corrected_for_all(found: Comparison) -> None:
    mistakes = {
        line: np.concatenate([row.mistakes for row in found.rows if row.key[1:] == line])
        for line in dict.fromkeys(row.key[1:] for row in found.rows)
    }
    (best,) = [line for line in found.summary if line.is_best]
    own = mistakes[best.selector, best.n_terms, best.classifier]
    raw = {}
    for line, other in mistakes.items():
        wins, losses = int((own < other).sum()), int((own > other).sum())
        raw[line] = binomtest(wins, wins + losses).pvalue if wins > losses else 1.0
    del raw[best.selector, best.n_terms, best.classifier]
    corrected, least = {}, 0.0
    for place, (line, p) in enumerate(sorted(raw.items(), key=lambda each: each[1])):
        least = corrected[line] = min(max(least, p * (len(raw) - place)), 1.0)
    for each in found.summary:
        if each is not best:
            assert each.p_overall == pytest.approx(corrected[each.selector, each.n_terms, each.classifier])
    assert min(corrected.values()) < 0.2


# -- seconds -----------------------------------------------------------------------------------------------------


class Clock:
    """Each look at it takes twice as long as the one before, so that a difference says which looks it is between."""

    def __init__(self) -> None:
        self.looks: list[float] = [0.0]

    def perf_counter(self) -> float:
        self.looks.append(self.looks[-1] + 2.0 ** len(self.looks))
        return self.looks[-1]

    @property
    def spans(self) -> list[float]:
        """Between the first look and the second, the third and the fourth, ..."""
        return [later - before for before, later in list(pairwise(self.looks[1:]))[::2]]


def test_seconds_are_of_statistics_and_ranking_then_training_then_prediction(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr(folds, "time", clock)
    monkeypatch.setattr(running, "rehearse", lambda *_: None)
    result = compare(
        CASE.texts,
        CASE.labels,
        test=(CASE.texts, CASE.labels),
        selectors="ig",
        n_terms=4,
        classifiers="svm,nb",
        n_jobs=1,
    )
    choosing, others = clock.spans[:-4], clock.spans[-4:]
    assert len(choosing) >= 2  # statistics, and then ranking
    for row, (training, prediction) in zip(result.rows, (others[:2], others[2:]), strict=True):
        assert row.selection_seconds == sum(choosing)  # the second row did not wait for it, but would have
        assert (row.training_seconds, row.prediction_seconds) == (training, prediction)


def test_seconds_of_inner_folds_count_too(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr(folds, "time", clock)
    monkeypatch.setattr(running, "rehearse", lambda *_: None)
    given = SEVERAL.texts, SEVERAL.label_sets
    (row,) = compare(*given, test=given, selectors="ig", n_terms=4, n_jobs=1).rows
    assert len(clock.spans) >= 6 * 2 + 2  # statistics and ranking of all documents and of five folds
    assert row.selection_seconds == sum(clock.spans[:-2])
    assert (row.training_seconds, row.prediction_seconds) == tuple(clock.spans[-2:])


def a_row(fold: int, seconds: float, **other: Any) -> Row:
    stages = {f"{stage}_seconds": seconds for stage in ("selection", "training", "prediction")}
    figures = {"micro_f1": 0.5, "macro_f1": 0.5, "accuracy": 0.5, "n_kept": 3, "model_bytes": 9}
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


def test_of_seconds_it_is_the_median() -> None:
    (line,) = summaries([CONDITION], [a_row(0, 1.0), a_row(1, 2.0), a_row(2, 9.0)])
    assert (line.selection_seconds, line.training_seconds, line.prediction_seconds) == (2.0, 2.0, 2.0)
    assert (line.threads, line.cores) == (1, 2)


@pytest.mark.parametrize("other", [{"threads": 2}, {"cores": 8}], ids=str)
def test_there_is_no_median_of_different_threads_or_machines(other: dict[str, int]) -> None:
    (line,) = summaries([CONDITION], [a_row(0, 1.0), a_row(1, 2.0, **other)])
    assert (line.selection_seconds, line.training_seconds, line.prediction_seconds) == (None, None, None)
    assert None in (line.threads, line.cores)
    assert line.micro_f1 is not None


def test_of_equal_micro_f1_the_higher_macro_f1_is_the_best() -> None:
    other = [Row(**{**vars(a_row(fold, 1.0, macro_f1=0.6)), "selector": "chi"}) for fold in range(2)]
    one, two = summaries([CONDITION, OTHER], [a_row(0, 1.0), a_row(1, 1.0), *other])
    assert (one.is_best, two.is_best) == (False, True)


def test_somebody_rehearses_before_the_first_row(monkeypatch: pytest.MonkeyPatch) -> None:
    noted: list[str] = []

    def measured(*given: Any) -> Any:
        noted.append("row")
        return measure(*given)

    monkeypatch.setattr(running, "rehearse", lambda *_: noted.append("rehearsal"))
    monkeypatch.setattr(running, "measure", measured)
    compare(CASE.texts, CASE.labels, **{**WANTED, "selectors": "ig", "n_terms": 3, "classifiers": "nb"})
    assert noted == ["rehearsal", "row", "row", "row"]


def test_that_nothing_is_found_is_found_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[Any] = []
    rank = folds.FoldCache._rank

    def ranked(*given: Any) -> Any:
        tries.append(given)
        return rank(*given)

    monkeypatch.setattr(running, "rehearse", lambda *_: None)
    monkeypatch.setattr(folds.FoldCache, "_rank", ranked)
    result = compare(CASE.texts, CASE.labels, **{**WANTED, "selectors": "ig(min_score=1e9)"})
    assert all(row.problem is not None for row in result.rows)
    assert all(str(row.problem).startswith("InformationGain(min_score=1000000000.0) keeps") for row in result.rows)
    assert len(tries) == 3  # once for each fold, for two sizes and two classifiers
