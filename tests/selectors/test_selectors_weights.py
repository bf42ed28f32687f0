"""Sample weights of selectors: a document of weight 3 counts as three copies, for every method."""

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from tests.depth import few_examples
from tests.reference.stats_cases import Case, cases
from tests.reference.weight_cases import BAD_WEIGHTS, repeated, whole_weights

from textsieve import (
    OCFS,
    TOFA,
    Cascade,
    ChiSquare,
    ClassStats,
    DocumentFrequency,
    ForwardSelection,
    InformationGain,
    InputError,
    MutualInformation,
    Rocchio,
    TypicalTestors,
    WeightSelection,
)
from textsieve.selectors import TermSelector

FROM_STATS: list[TermSelector] = [
    DocumentFrequency(),
    DocumentFrequency(min_df=0.4),
    InformationGain(k="all"),
    InformationGain(k="all", pooling="mean"),
    InformationGain(k="all", pooling="round-robin"),
    ChiSquare(k="all"),
    ChiSquare(k="all", pooling="max"),
    MutualInformation(k="all"),
    OCFS(k="all"),
    OCFS(k="all", class_weight="balanced"),
    TOFA(k="all"),
    TOFA(k="all", weight=0.5, class_weight="balanced"),
    Cascade([DocumentFrequency(min_df=1), InformationGain(k="all")]),
]
OTHERS: list[TermSelector] = [
    TypicalTestors(epsilon=1e-6, delta=1e-6, scale="none"),
    ForwardSelection(k=2),
    Cascade([DocumentFrequency(min_df=1), ForwardSelection(k=1)]),
    WeightSelection(k=2, tol=1e-9),
]
values = st.sampled_from([0.0, 0.0, 0.0, 0.25, 0.5, 1.0, 2.0])
fewer_terms = pytest.mark.filterwarnings("ignore:k=")


def tellable(case: Case, weights: Any) -> bool:
    """Return whether documents of at least two classes have a positive weight, and some of them have a term."""
    left = case.part(np.flatnonzero(weights).tolist())
    return len({label for labels in left.label_sets for label in labels}) > 1 and bool(left.rows.any())


@fewer_terms
@few_examples
@given(case=cases(values, n_labels=(0, 2)), data=st.data())
def test_integer_weights_select_as_repeated_documents_do(case: Case, data: st.DataObject) -> None:
    weights = whole_weights(data, len(case.rows))
    assume(tellable(case, weights))
    copies = repeated(case, weights)
    for selector in FROM_STATS:
        once = clone(selector).fit(case.matrix(), case.label_sets, sample_weight=weights)
        often = clone(selector).fit(copies.matrix(), copies.label_sets)
        assert once.stats_ == often.stats_, selector
        assert once.scores_.tobytes() == often.scores_.tobytes(), selector
        assert once.ranking_.tolist() == often.ranking_.tolist(), selector
        assert once.get_support().tolist() == often.get_support().tolist(), selector


def table(seed: int, n_documents: int = 60, n_terms: int = 30) -> tuple[Any, Any, Any]:
    """Return rows with some terms typical of a class, the classes, and weights from 0 to 3."""
    random = np.random.default_rng(seed)
    classes = random.integers(3, size=n_documents)
    chances = np.where(np.arange(n_terms) % 6 == classes[:, None], 0.5, 0.15)
    rows = (random.random((n_documents, n_terms)) < chances) * random.random((n_documents, n_terms))
    return rows, classes, random.integers(0, 4, n_documents)


@pytest.mark.parametrize("selector", OTHERS, ids=repr)
@pytest.mark.parametrize("seed", range(3))
def test_integer_weights_in_methods_that_read_documents_twice(selector: TermSelector, seed: int) -> None:
    rows, classes, weights = table(seed)
    copies = np.repeat(np.arange(len(rows)), weights)
    once = clone(selector).fit(rows, classes, sample_weight=weights)
    often = clone(selector).fit(rows[copies], classes[copies])
    without = clone(selector).fit(rows, classes)
    assert once.ranking_.tolist() == often.ranking_.tolist()
    assert once.get_support().tolist() == often.get_support().tolist()
    assert once.stats_.n_documents == weights.sum() != without.stats_.n_documents


def test_forward_gains_equal_those_of_repeated_documents() -> None:
    rows, classes, weights = table(7)
    copies = np.repeat(np.arange(len(rows)), weights)
    once = ForwardSelection(k=10, ridge=0.1).fit(rows, classes, sample_weight=weights)
    often = ForwardSelection(k=10, ridge=0.1).fit(rows[copies], classes[copies])
    unweighted = ForwardSelection(k=10, ridge=0.1).fit(rows, classes)
    np.testing.assert_allclose(once.gains_, often.gains_, rtol=1e-10)
    assert not np.allclose(once.gains_, unweighted.gains_, rtol=1e-3)


def test_fit_stats_is_given_the_weights_of_the_documents_it_reads_again() -> None:
    rows, classes, weights = table(3)
    whole = ForwardSelection(k=5).fit(rows, classes, sample_weight=weights)
    stats = ClassStats.from_matrix(rows, classes, sample_weight=weights)
    batches = [csr_matrix(rows[:20]), csr_matrix(rows[20:])]
    parts = ForwardSelection(k=5).fit_stats(stats, lambda: batches, weights.astype(np.float64))
    np.testing.assert_allclose(parts.gains_, whole.gains_, rtol=1e-12)
    with pytest.raises(InputError, match=r"sample_weight has the shape \(59,\).*60 documents"):
        ForwardSelection(k=5).fit_stats(stats, lambda: batches, weights[1:].astype(np.float64))


@pytest.mark.parametrize("selector", [InformationGain(), ChiSquare(), OCFS(), TOFA(), DocumentFrequency()], ids=repr)
def test_batches_with_weights_are_the_same_as_all_at_once(selector: Any) -> None:
    rows, classes, weights = table(1)
    selector = clone(selector).set_params(k="all")
    parts = clone(selector)
    for part in (slice(0, 20), slice(20, 60)):
        parts.partial_fit(rows[part], classes[part], sample_weight=weights[part])
    whole = selector.fit(rows, classes, sample_weight=weights)
    np.testing.assert_allclose(parts.scores_, whole.scores_, rtol=1e-12)


@fewer_terms
@few_examples
@given(case=cases(values, n_labels=(0, 2)), data=st.data())
def test_weights_of_any_size_give_finite_scores(case: Case, data: st.DataObject) -> None:
    n = len(case.rows)
    assume(tellable(case, np.ones(n)))
    weights = data.draw(st.lists(st.sampled_from([1e-9, 0.1, 0.3, 1 / 3, 1.0, 2.5, 1e7]), min_size=n, max_size=n))
    doc_weights = ((case.rows != 0).T @ np.array(weights)).max(initial=0)
    for selector in (*FROM_STATS, *OTHERS[1:]):
        if isinstance(selector, Cascade) and doc_weights < 1:
            continue  # min_df=1 keeps no term if its documents count a billionth
        fitted = clone(selector).fit(case.matrix(), case.label_sets, sample_weight=weights)
        assert np.isfinite(fitted.scores_[fitted.get_support()]).all(), selector


SHARES = [InformationGain(k="all"), MutualInformation(k="all"), OCFS(k="all"), TOFA(k="all", weight=0.5)]


@pytest.mark.parametrize("selector", SHARES, ids=repr)
@pytest.mark.parametrize("factor", [0.1, 1e-7, 12345.678])
def test_a_common_factor_of_weights_changes_no_score(selector: TermSelector, factor: float) -> None:
    rows, classes, weights = table(2)
    plain = clone(selector).fit(rows, classes, sample_weight=weights)
    scaled = clone(selector).fit(rows, classes, sample_weight=weights * factor)
    np.testing.assert_allclose(scaled.scores_, plain.scores_, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", BAD_WEIGHTS)
def test_invalid_weights_raise(name: str) -> None:
    weights, message = BAD_WEIGHTS[name]
    rows, labels = np.eye(3), ["a", "b", "a"]
    with pytest.raises(InputError, match=message):
        OCFS(k=1).fit(rows, labels, sample_weight=weights)
    fitted = OCFS(k=1).partial_fit(rows, labels)
    with pytest.raises(InputError, match=message):
        fitted.partial_fit(rows, labels, sample_weight=weights)
    assert fitted.stats_.n_documents == 3


def test_a_pipeline_passes_weights_to_its_steps() -> None:
    rows, classes, weights = table(4)
    copies = np.repeat(np.arange(len(rows)), weights)
    steps: dict[str, Any] = {"ocfs__sample_weight": weights, "rocchio__sample_weight": weights}
    once = make_pipeline(OCFS(k=9), Rocchio()).fit(rows, classes, **steps)
    often = make_pipeline(OCFS(k=9), Rocchio()).fit(rows[copies], classes[copies])
    np.testing.assert_allclose(once.decision_function(rows), often.decision_function(rows), rtol=1e-12)
