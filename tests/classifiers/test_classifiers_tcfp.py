"""`TCFP` equals its slow twin; documents added in any batches give the same bytes; ties, context and invalid input."""

import math
import pickle
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import NotFittedError
from tests.reference import voting_twin as twin

from textsieve import TCFP, InputError, TermWeighter
from textsieve.arrays import CSR
from textsieve.classifiers.linear import LinearScorer
from textsieve.classifiers.tcfp_scorer import TCFPScorer

weights = st.sampled_from([0.0, 0.0, 0.0, 1.0, 1.0, 2.0, 3.0, 0.1, 0.2, 0.3, 1 / 3, 1e-9, 700.0])


class Case(NamedTuple):
    """Training documents, their labels (class numbers), and documents to predict."""

    rows: list[list[float]]
    labels: list[list[int]]
    queries: list[list[float]]
    n_classes: int

    @property
    def matrix(self) -> sparse.csr_matrix:
        return sparse.csr_matrix(np.array(self.rows))

    @property
    def y(self) -> Any:
        """Return one label for each document, or an indicator matrix."""
        if all(len(own) == 1 for own in self.labels):
            return [own[0] for own in self.labels]
        return [[int(number in own) for number in range(self.n_classes)] for own in self.labels]


@st.composite
def cases(draw: st.DrawFn, multilabel: bool = True) -> Case:
    n_terms, n_classes = draw(st.integers(1, 6)), draw(st.integers(2, 4))
    row = st.lists(weights, min_size=n_terms, max_size=n_terms)
    some = draw(st.lists(row, min_size=1, max_size=4))
    any_row = st.one_of(st.sampled_from(some), row)
    own = st.lists(
        st.integers(0, n_classes - 1), min_size=0 if multilabel else 1, max_size=3 if multilabel else 1, unique=True
    )
    labels = [sorted(numbers) for numbers in draw(st.lists(own, max_size=12))]
    labels += [[number] for number in range(n_classes)]  # every class occurs
    rows = draw(st.lists(any_row, min_size=len(labels), max_size=len(labels)))
    return Case(rows, labels, draw(st.lists(any_row, min_size=1, max_size=5)), n_classes)


@given(cases(), st.booleans())
def test_vote_shares_equal_the_twin(case: Case, balance: bool) -> None:
    classifier = TCFP(balance=balance).fit(case.matrix, case.y)
    right = np.array(twin.ratios(case.rows, case.labels, case.n_classes))
    if balance:
        right *= twin.balance(case.labels, case.n_classes)
    assert classifier.term_votes_.dtype == np.float32
    assert classifier.term_votes_ == pytest.approx(right, rel=1e-6, abs=1e-12)
    sums = right.sum(axis=1) if balance else np.ones(len(right))
    assert np.all(
        (classifier.term_votes_.sum(axis=1) == 0) | (np.abs(classifier.term_votes_.sum(axis=1) - sums) < 1e-4)
    )


@given(cases(), st.sampled_from([None, "best", "mean"]), st.integers(1, 3))
def test_votes_equal_the_twin(case: Case, context: str | None, min_co: int) -> None:
    classifier = TCFP(context=context, min_co=min_co).fit(case.matrix, case.y)
    of_term = twin.ratios(case.rows, case.labels, case.n_classes)
    of_pair = twin.factors(case.rows, case.labels, case.n_classes, min_co)
    right = [twin.votes(twin.in_context(query, of_pair, context), of_term) for query in case.queries]
    assert classifier.votes(np.array(case.queries)) == pytest.approx(np.array(right), rel=1e-6, abs=1e-12)


@given(cases(), st.data())
def test_partial_fit_in_any_parts_gives_the_same_bytes(case: Case, data: st.DataObject) -> None:
    whole = TCFP().fit(case.matrix, case.y)
    part = data.draw(st.lists(st.integers(0, 2), min_size=len(case.rows), max_size=len(case.rows)))
    orders = data.draw(st.permutations(range(3)))
    indicator = [[int(number in own) for number in range(case.n_classes)] for own in case.labels]
    grown = TCFP()
    for number in orders:
        own = [at for at, part_number in enumerate(part) if part_number == number]
        if own:
            grown.partial_fit(case.matrix[own], sparse.csr_matrix([indicator[at] for at in own]))
    assert grown.classes_.tolist() == whole.classes_.tolist()
    assert grown.class_docs_.tolist() == whole.class_docs_.tolist()
    assert grown.term_votes_.tobytes() == whole.term_votes_.tobytes()
    for name in ("starts", "weights", "classes", "counts"):
        grown_array, whole_array = (getattr(classifier.table_.entries, name) for classifier in (grown, whole))
        assert grown_array.tobytes() == whole_array.tobytes()


def documents(n: int, d: int, n_classes: int, seed: int) -> tuple[sparse.csr_matrix, Any]:
    """Return weighted rows of many lengths, and their labels."""
    random = np.random.default_rng(seed)
    counts = sparse.random(n, d, 0.1, "csr", random_state=random, data_rvs=lambda size: random.integers(1, 9, size))
    return TermWeighter(tf="log", idf="plain", norm="l2").fit_transform(counts), random.integers(0, n_classes, n)


def test_merge_equals_fitting_all_documents_in_any_order() -> None:
    X, y = documents(300, 60, 5, seed=1)
    whole = TCFP(balance=True).fit(X, y)
    parts = [TCFP(balance=True).fit(X[at::3], y[at::3]) for at in range(3)]
    for first, second, third in permutations(parts):
        for merged in (first.merge(second).merge(third), first.merge(second.merge(third))):
            assert merged.term_votes_.tobytes() == whole.term_votes_.tobytes()
            assert merged.predict(X).tolist() == whole.predict(X).tolist()
    assert parts[0].term_votes_.tobytes() == TCFP(balance=True).fit(X[::3], y[::3]).term_votes_.tobytes()


def test_partial_fit_after_fit_or_merge() -> None:
    X, y = documents(200, 40, 3, seed=2)
    whole = TCFP().fit(X, y)
    added = TCFP().fit(X[:90], y[:90]).partial_fit(X[90:150], y[90:150]).merge(TCFP().fit(X[150:], y[150:]))
    assert added.term_votes_.tobytes() == whole.term_votes_.tobytes()
    again = added.partial_fit(X[:1], y[:1])
    assert again.term_votes_.tobytes() == TCFP().fit(sparse.vstack([X, X[:1]]), [*y, y[0]]).term_votes_.tobytes()


def test_partial_fit_accepts_new_columns_and_classes() -> None:
    first, second = np.array([[1.0, 0.0]]), np.array([[2, 0, 3]])
    grown = TCFP().partial_fit(first, ["b"]).partial_fit(second, ["a"])
    whole = TCFP().fit([[1.0, 0.0, 0.0], [2.0, 0.0, 3.0]], ["b", "a"])
    assert grown.n_features_in_ == 3
    assert grown.classes_.tolist() == ["a", "b"]
    assert grown.term_votes_.tobytes() == whole.term_votes_.tobytes()
    narrow, wide = TCFP().partial_fit(first, ["b"]), TCFP().partial_fit(second, ["a"])
    assert narrow.merge(wide).term_votes_.tobytes() == whole.term_votes_.tobytes()
    assert wide.merge(narrow).n_features_in_ == 3


def test_the_table_of_counts_does_not_grow_with_the_documents() -> None:
    random = np.random.default_rng(3)
    classifier, sizes = TCFP(), []
    for _ in range(5):
        classifier.partial_fit(random.integers(0, 4, (200, 10)).astype(float), random.integers(0, 3, 200))
        sizes.append(len(classifier.table_.entries.weights))
    assert sizes == [10 * 3 * 3] * 5  # terms x classes x the counts 1, 2 and 3
    assert classifier.class_docs_.sum() == 1000


def test_a_batch_that_raises_changes_nothing() -> None:
    X, y = documents(50, 20, 3, seed=4)
    classifier = TCFP().fit(X, y)
    before = classifier.term_votes_.tobytes()
    with pytest.raises(InputError, match="Negative values"):
        classifier.partial_fit(-np.ones((1, 25)), [0])
    with pytest.raises(InputError, match="mixed kinds"):
        classifier.partial_fit(np.ones((1, 25)), ["text"])
    assert classifier.n_features_in_ == 20
    assert classifier.term_votes_.tobytes() == before


@pytest.mark.parametrize("context", [None, "best", "mean"])
def test_any_number_of_threads_gives_the_same_bytes(context: str | None) -> None:
    X, y = documents(300, 1200, 7, seed=5)
    single = TCFP(context=context, n_jobs=1).fit(X, y)
    for n_jobs in (None, 2, 5, -1):
        classifier = TCFP(context=context, n_jobs=n_jobs).fit(X, y)
        assert {name: array.tobytes() for name, array in classifier.to_scorer().stored_arrays().items()} == {
            name: array.tobytes() for name, array in single.to_scorer().stored_arrays().items()
        }
        assert classifier.votes(X).tobytes() == single.votes(X).tobytes()


@pytest.mark.parametrize("context", [None, "best", "mean"])
def test_any_form_of_the_matrix_gives_the_same_bytes(context: str | None) -> None:
    X, y = documents(60, 30, 3, seed=6)
    right = TCFP(context=context).fit(X, y).votes(X).tobytes()
    stored_zeros = sparse.csr_matrix(
        (np.append(X.data, np.zeros(2)), np.append(X.indices, [0, 3]), np.append(X.indptr, X.nnz + 2)),
        shape=(X.shape[0] + 1, X.shape[1]),
    )
    wide = X.copy()
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    for other in (X.toarray(), X.tocsc(), X.tocoo(), wide, sparse.csr_array(X)):
        assert TCFP(context=context).fit(other, y).votes(other).tobytes() == right
    for label in (None, 0):  # a document of stored zeros is empty: it only adds to the size of its class
        assert TCFP(context=context).fit(stored_zeros, [*y.tolist(), label]).votes(X).tobytes() == right


def test_the_scorer_is_linear_without_a_context_and_has_the_same_numbers() -> None:
    X, y = documents(80, 30, 4, seed=7)
    plain, best = TCFP().fit(X, y), TCFP(context="best").fit(X, y)
    linear, in_context = plain.to_scorer(), best.to_scorer()
    assert isinstance(linear, LinearScorer)
    assert isinstance(in_context, TCFPScorer)
    assert linear.coefficients is plain.term_votes_
    assert not linear.intercepts.any()
    assert linear.coefficients.tobytes() == in_context.coefficients.tobytes()
    for classifier, scorer in ((plain, linear), (best, in_context)):
        assert scorer.scores(CSR.of(X)).tobytes() == classifier.decision_function(X).tobytes()
        assert scorer.n_outputs == 4


def test_a_fitted_classifier_pickles() -> None:
    X, y = documents(80, 30, 4, seed=8)
    for context in (None, "best", "mean"):
        classifier = TCFP(context=context).fit(X, y)
        before = len(pickle.dumps(classifier))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("textsieve.classifiers.tcfp_scorer.FEW_PARTNERS", -1)
            right = classifier.votes(X).tobytes()
        assert len(pickle.dumps(classifier)) == before
        assert pickle.loads(pickle.dumps(classifier)).votes(X).tobytes() == right


# -- the second example of docs/explanation/tcfp.md ------------------------------------------------------------------

GOAL, TEAM, MARKET, WIN = range(4)
EXAMPLE = np.array([[3, 1, 0, 0], [1, 2, 1, 0], [2, 0, 3, 0], [0, 1, 2, 0], [0, 0, 0, 1]], float)
CLASSES = ["sport", "sport", "money", "money", "sport"]
QUERY = np.array([[2, 1, 2, 0]], float)


def test_vote_shares_of_the_worked_example() -> None:
    classifier = TCFP().fit(EXAMPLE, CLASSES)
    assert classifier.classes_.tolist() == ["money", "sport"]
    assert classifier.term_votes_ == pytest.approx(np.array([[0.4, 0.6], [0, 1], [1, 0], [0, 1]]))
    assert classifier.votes(QUERY)[0] == pytest.approx([2.8, 2.2])
    assert classifier.predict(QUERY).tolist() == ["money"]
    assert classifier.decision_function(QUERY) == pytest.approx([-0.6])


def test_votes_in_context_of_the_worked_example() -> None:
    best, mean = (TCFP(context=context).fit(EXAMPLE, CLASSES) for context in ("best", "mean"))
    low = 1 / (1 + math.log(2)) ** 2
    assert low == pytest.approx(0.3488, abs=5e-5)
    scorer = best.to_scorer()
    assert isinstance(scorer, TCFPScorer)
    row = CSR.of(sparse.csr_matrix(QUERY))
    assert scorer.in_context(row).data == pytest.approx([4, 2, 2 * (1 + low)])
    assert best.votes(QUERY)[0] == pytest.approx([4.2977, 4.4], abs=5e-5)
    assert best.predict(QUERY).tolist() == ["sport"]
    assert mean.votes(QUERY)[0] == pytest.approx([4.0372, 3.6837], abs=5e-5)
    assert mean.predict(QUERY).tolist() == ["money"]
    rare = TCFP(context="best", min_co=2).fit(EXAMPLE, CLASSES)
    assert rare.votes(QUERY)[0] == pytest.approx([4 * 0.4 + 2, 4 * 0.6 + 2])


def test_balanced_votes_of_the_worked_example() -> None:
    classifier = TCFP(balance=True).fit(EXAMPLE, CLASSES)
    assert classifier.term_votes_[GOAL] == pytest.approx([0.4 * 1.5, 0.6])
    assert classifier.votes(QUERY)[0] == pytest.approx([4.2, 2.2])


# -- ties and special cases ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("weight", [0.1, 0.3, 1 / 3, 1 / 49, 1e-300, 7.0, math.pi])
@pytest.mark.parametrize("n", [2, 3, 7, 49, 1000])
def test_equal_weights_all_reach_the_mean(weight: float, n: int) -> None:
    classes = ["a", "b"] * n
    classifier = TCFP().fit(np.full((2 * n, 1), weight), classes)
    assert classifier.term_votes_[0] == pytest.approx([0.5, 0.5])
    assert len(classifier.table_.entries.weights) == 2


def test_weights_that_differ_in_the_last_bit_are_compared_exactly() -> None:
    low = 0.1
    high = np.nextafter(low, 1)
    classifier = TCFP().fit([[low]] * 3 + [[high]], ["a", "a", "a", "b"])
    assert classifier.term_votes_[0].tolist() == [0.0, 1.0]


def test_a_term_in_one_document_votes_for_its_class() -> None:
    classifier = TCFP().fit([[1.0, 0.0], [0.0, 0.5]], ["a", "b"])
    assert classifier.term_votes_.tolist() == [[1, 0], [0, 1]]


def test_classes_with_one_document_or_empty_documents_get_finite_votes() -> None:
    classifier = TCFP(balance=True).fit([[1.0], [3.0], [0.0]], ["a", "b", "c"])
    assert classifier.term_votes_[0].tolist() == [0, 1, 0]
    assert classifier.class_docs_.tolist() == [1, 1, 1]
    assert np.isfinite(classifier.votes([[5.0]])).all()


def test_a_class_of_a_matrix_without_documents_gets_no_votes() -> None:
    classifier = TCFP(balance=True).fit([[1.0], [3.0]], np.array([[1, 0, 0], [0, 1, 0]]))
    assert classifier.classes_.tolist() == [0, 1, 2]
    assert classifier.votes([[2.0]]).tolist() == [[0, 2, 0]]
    assert classifier.predict([[2.0]]).tolist() == [1]


def test_duplicates_with_different_labels_share_the_vote() -> None:
    classifier = TCFP().fit([[1.0, 2.0]] * 2, ["a", "b"])
    assert classifier.term_votes_.tolist() == [[0.5, 0.5], [0.5, 0.5]]
    assert classifier.predict([[1.0, 1.0]]).tolist() == ["a"]


@pytest.mark.parametrize("context", [None, "best", "mean"])
def test_a_document_without_a_known_term_gets_the_most_frequent_class_with_a_warning(context: str | None) -> None:
    X = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 2.0, 0.0]]
    classifier = TCFP(context=context).fit(X, ["a", "b", "b"])
    queries = [[0.0, 0.0, 0.0], [0.0, 0.0, 3.0], [1.0, 0.0, 0.0]]
    with pytest.warns(UserWarning, match=r"2 of 3 documents share no term with any .* most frequent class, 'b'"):
        assert classifier.predict(queries).tolist() == ["b", "b", "a"]
    assert classifier.votes(queries)[:2].tolist() == [[0, 0], [0, 0]]


def test_predict_of_multilabel_raises() -> None:
    classifier = TCFP().fit([[1.0, 0.0], [0.0, 1.0], [2.0, 0.0]], [["a", "b"], ["b"], ["a"]])
    assert classifier.multilabel_
    # Only 2 reaches the mean of 1 and 2, so the first term votes for a. Counting a copy for each label, the mean
    # would be 4/3, with the same result.
    assert classifier.term_votes_.tolist() == [[1, 0], [0, 1]]
    assert classifier.decision_function([[1.0, 2.0]]).tolist() == [[1, 2]]
    with pytest.raises(InputError, match="several labels"):
        classifier.predict([[1.0, 2.0]])
    again = TCFP().partial_fit([[1.0]], [["a"]]).partial_fit([[1.0]], [["b"]])
    assert not again.multilabel_
    assert again.partial_fit([[1.0]], [["a", "b"]]).multilabel_


def test_the_mean_counts_a_multilabel_document_once() -> None:
    # The mean of 1, 2.5 and 4 is 2.5; with a copy for each label it would be (1 + 2.5 + 4 + 4 + 4) / 5 = 3.1.
    classifier = TCFP().fit([[1.0], [2.5], [4.0]], [["a"], ["b"], ["a", "b", "c"]])
    assert classifier.term_votes_[0] == pytest.approx([4 / 14.5, 6.5 / 14.5, 4 / 14.5])


def test_unlabelled_documents_are_ignored() -> None:
    with_label = TCFP(context="best").fit([[1.0, 1.0], [3.0, 0.0]], ["a", "b"])
    more = TCFP(context="best").fit([[1.0, 1.0], [90.0, 9.0], [3.0, 0.0]], ["a", None, "b"])
    assert {name: array.tobytes() for name, array in with_label.to_scorer().stored_arrays().items()} == {
        name: array.tobytes() for name, array in more.to_scorer().stored_arrays().items()
    }
    assert TCFP().partial_fit([[1.0]], [None]).partial_fit([[1.0]], ["a"]).predict([[2.0]]).tolist() == ["a"]


def test_documents_of_one_term_have_no_context() -> None:
    X = np.eye(3)
    plain, best, mean = (TCFP(context=context).fit(X, ["a", "b", "a"]) for context in (None, "best", "mean"))
    queries = np.ones((2, 3))
    assert best.votes(queries).tolist() == mean.votes(queries).tolist() == plain.votes(queries).tolist()


@pytest.mark.parametrize("context", ["best", "mean"])
def test_stored_zeros_give_no_context(context: str) -> None:
    classifier = TCFP(context=context).fit(EXAMPLE, CLASSES)
    stored = sparse.csr_matrix((np.array([2.0, 0.0, 2.0]), np.array([0, 1, 2]), np.array([0, 3])), shape=(1, 4))
    assert stored.nnz == 3
    assert classifier.votes(stored).tolist() == classifier.votes([[2.0, 0.0, 2.0, 0.0]]).tolist()


# -- invalid input -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"context": "worst"}, "context='worst'; use None or one of best, mean"),
        ({"context": True}, "context=True"),
        ({"balance": 1}, "balance=1; use True or False"),
        ({"balance": "yes"}, "balance='yes'"),
        ({"min_co": 0}, "min_co=0; use a number of documents from 1"),
        ({"min_co": 1.5}, "min_co=1.5"),
        ({"n_jobs": 0}, "n_jobs=0"),
    ],
)
def test_invalid_settings_raise(options: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        TCFP(**options).fit([[1.0], [2.0]], [0, 1])


@pytest.mark.parametrize("context", [None, "best"])
def test_invalid_weights_raise(context: str | None) -> None:
    for bad, words in ((-0.5, "Negative values in data passed to TCFP: -0.5"), (1e200, r"a weight of 1e\+200")):
        with pytest.raises(InputError, match=words):
            TCFP(context=context).fit([[1.0], [bad]], [0, 1])
    with pytest.raises(ValueError, match="NaN"):
        TCFP(context=context).fit([[1.0], [np.nan]], [0, 1])


def test_invalid_labels_raise() -> None:
    with pytest.raises(InputError, match="requires y to be passed"):
        TCFP().fit([[1.0]], None)
    with pytest.raises(InputError, match="Only one class, 'a'"):
        TCFP().fit([[1.0], [2.0]], ["a", "a"])
    with pytest.raises(InputError, match="No document has a label"):
        TCFP().fit([[1.0], [2.0]], [None, None])
    with pytest.raises(InputError, match="No document had a label so far"):
        TCFP().partial_fit([[1.0]], [None]).predict([[1.0]])


def test_partial_fit_and_merge_with_context_raise() -> None:
    classifier = TCFP(context="best").fit(EXAMPLE, CLASSES)
    assert not hasattr(classifier, "partial_fit")
    assert not hasattr(classifier, "merge")
    with pytest.raises(AttributeError, match="no attribute 'partial_fit'") as caught:
        classifier.partial_fit(EXAMPLE, CLASSES)
    assert "fit all documents at once" in str(caught.value.__cause__)
    with pytest.raises(InputError, match="fit all documents at once"):
        TCFP().fit(EXAMPLE, CLASSES).merge(classifier)


def test_merging_incompatible_estimators_raises() -> None:
    classifier = TCFP().fit(EXAMPLE, CLASSES)
    with pytest.raises(InputError, match="give a TCFP"):
        classifier.merge("something")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="balance is False here and True in the other"):
        classifier.merge(TCFP(balance=True).fit(EXAMPLE, CLASSES))
    with pytest.raises(InputError, match="mixed kinds"):
        classifier.merge(TCFP().fit(EXAMPLE, [0, 0, 1, 1, 0]))
    with pytest.raises(NotFittedError):
        classifier.merge(TCFP())
    columns = pd.DataFrame(EXAMPLE).add_prefix("term ")
    named, renamed = (TCFP().fit(frame, CLASSES) for frame in (columns, columns.rename(columns={"term 1": "other"})))
    with pytest.raises(InputError, match="Column 1 is 'term 1' here and 'other' in the other"):
        named.merge(renamed)
    assert named.merge(named).feature_names_in_.tolist() == columns.columns.tolist()


@pytest.mark.parametrize("name", ["classes_", "class_docs_", "multilabel_", "term_votes_"])
def test_attributes_of_an_unfitted_classifier_raise_not_fitted(name: str) -> None:
    with pytest.raises(NotFittedError):
        getattr(TCFP(), name)


def test_context_of_too_many_classes_and_documents_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("textsieve.classifiers.tcfp.MAX_CODES", 8)
    with pytest.raises(InputError, match="2 classes, the largest of 3 documents, are too many for context"):
        TCFP(context="best").fit(EXAMPLE, CLASSES)
