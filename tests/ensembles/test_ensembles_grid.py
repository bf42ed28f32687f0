"""`subspace_grid` compared with ensembles trained one by one; its axes, plots and invalid settings."""

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import BernoulliNB
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier
from tests.reference.subspace_grid_twin import accuracy, documents

from textsieve import InputError
from textsieve.classifiers.svm import LinearSVM
from textsieve.ensembles.grid import SubspaceGrid, axis_values, default_n_estimators, default_n_terms, subspace_grid
from textsieve.ensembles.subspace import RandomSubspace
from textsieve.ensembles.trial import RandomSplit, Repetition, random_splits
from textsieve.selectors import Cascade, DocumentFrequency, InformationGain
from textsieve.text import TermWeighter

MEMBER = LinearSVM(C=0.5, tol=1e-4)


def measured(X: csr_matrix, y: NDArray[Any], **settings: Any) -> SubspaceGrid:
    """Return a grid of members that converge on a few documents."""
    return subspace_grid(X, y, estimator=MEMBER, **settings)


@pytest.mark.parametrize("combine", ["vote", "mean"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_each_cell_equals_a_separately_trained_ensemble(n_classes: int, combine: str) -> None:
    X, y = documents(n_classes)
    grid = measured(
        X, y, n_terms=[1, 7, 30], n_estimators=[1, 2, 5, 9], combine=combine, repeats=2, random_state=3, n_jobs=1
    )
    assert grid.accuracy.shape == (2, 3, 4)
    for number, split in enumerate(grid.splits):
        for row, n_terms in enumerate(grid.n_terms):
            for column, n_members in enumerate(grid.n_estimators):
                expected = accuracy(
                    *(MEMBER, X, y, split.train, split.test),
                    n_terms=n_terms,
                    n_members=n_members,
                    seed=split.seed,
                    combine=combine,
                )
                assert grid.accuracy[number, row, column] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("combine", ["vote", "mean"])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("member", [MEMBER, LogisticRegression()], ids=["ours", "another"])
def test_each_cell_equals_the_score_of_random_subspace(member: Any, n_classes: int, combine: str) -> None:
    X, y = documents(n_classes, seed=4)
    sizes: dict[str, Any] = {"n_terms": [2, 30], "n_estimators": [1, 6]}
    grid = subspace_grid(X, y, **sizes, estimator=member, combine=combine, repeats=2, n_jobs=1)
    for number, split in enumerate(grid.splits):
        for row, n_terms in enumerate(grid.n_terms):
            for column, n_members in enumerate(grid.n_estimators):
                settings: dict[str, Any] = {"n_terms": n_terms, "n_estimators": n_members, "combine": combine}
                ensemble = RandomSubspace(estimator=member, **settings, random_state=split.seed, n_jobs=1)
                ensemble.fit(X[split.train], y[split.train])
                right = ensemble.predict(X[split.test]) == y[split.test]
                assert grid.accuracy[number, row, column] == right.mean()


def test_members_with_all_terms_differ_if_a_step_of_their_classifier_is_random() -> None:
    X, y = documents(3, seed=4)
    split = random_splits(X.shape[0], test_share=0.2, repeats=1, random_state=0)[0]

    def n_different_members(estimator: Any) -> int:
        repetition = Repetition(estimator, X, y, split, None, n_jobs=1)
        return len({scores.tobytes() for scores, _ in repetition.member_outputs(repetition.n, 3)})

    tree: Any = DecisionTreeClassifier().set_params(splitter="random", max_depth=5)
    assert n_different_members(tree) == n_different_members(make_pipeline(tree)) == 3
    assert n_different_members(make_pipeline(BernoulliNB())) == 1


def test_results_do_not_depend_on_the_number_of_threads() -> None:
    X, y = documents()
    single, threaded = (measured(X, y, n_terms=[3, 10], n_estimators=[4, 8], repeats=2, n_jobs=n) for n in (1, 2))
    np.testing.assert_array_equal(single.accuracy, threaded.accuracy)


def test_the_seed_determines_the_results() -> None:
    X, y = documents()
    first, again, other = (
        measured(X, y, n_terms=[3, 9], n_estimators=[1, 6], random_state=seed, n_jobs=1) for seed in (5, 5, 6)
    )
    np.testing.assert_array_equal(first.accuracy, again.accuracy)
    assert (first.accuracy != other.accuracy).any()


def test_splits_are_random_shares_of_the_documents() -> None:
    splits = random_splits(50, test_share=0.2, repeats=3, random_state=0)
    for split in splits:
        assert len(split.test) == 10
        assert sorted([*split.train, *split.test]) == list(range(50))
    assert len({tuple(split.test) for split in splits}) == 3
    assert len({split.seed for split in splits}) == 3
    more = random_splits(50, test_share=0.2, repeats=4, random_state=0)
    assert all((split.test == other.test).all() for split, other in zip(splits, more, strict=False))
    assert len(random_splits(2, test_share=0.01, repeats=1, random_state=0)[0].test) == 1
    assert len(random_splits(2, test_share=0.99, repeats=1, random_state=0)[0].train) == 1


def test_prepare_is_fitted_to_training_documents_only() -> None:
    X, y = documents(n=80, n_terms=40)
    prepare = make_pipeline(Cascade([DocumentFrequency(min_df=0.05), InformationGain(k=12)]), TermWeighter())
    grid = measured(X, y, n_terms=[4, 12], n_estimators=[3], prepare=prepare, repeats=2, n_jobs=1)
    assert grid.n == 12
    for number, split in enumerate(grid.splits):
        selector = Cascade([DocumentFrequency(min_df=0.05), InformationGain(k=12)]).fit(X[split.train], y[split.train])
        weighter = TermWeighter().fit(selector.transform(X[split.train]))
        weights = csr_matrix(weighter.transform(selector.transform(X)))
        for row, n_terms in enumerate(grid.n_terms):
            settings: dict[str, Any] = {"n_terms": n_terms, "n_members": 3, "seed": split.seed, "combine": "vote"}
            expected = accuracy(MEMBER, weights, y, split.train, split.test, **settings)
            assert grid.accuracy[number, row, 0] == pytest.approx(expected, abs=1e-12)
    assert not hasattr(prepare[0], "stats_"), "what was given is not fitted"


def test_labels_of_test_documents_are_not_read_before_they_are_compared() -> None:
    X, y = documents(n=50, n_terms=40)
    classes_fitted: list[set[str]] = []

    class RecordingSelector(InformationGain):
        """A selector that records the classes that it is fitted on."""

        def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
            classes_fitted.append(set(y))
            return super().fit(X, y, sample_weight)

    first = measured(X, y, n_terms=[3], n_estimators=[5], prepare=RecordingSelector(k=10), repeats=1, n_jobs=1)
    assert first.accuracy.max() > 0.0
    classes_fitted.clear()
    wrong = y.copy().astype(object)
    wrong[first.splits[0].test] = "class never seen"
    none = measured(X, wrong, n_terms=[3], n_estimators=[5], prepare=RecordingSelector(k=10), repeats=1, n_jobs=1)
    assert classes_fitted == [set(y)]
    assert none.accuracy.max() == 0.0, "a class that nobody trained on is never right"


def test_a_class_with_one_document() -> None:
    X, y = documents()
    y[0] = "a class of its own"
    grid = measured(X, y, n_terms=[10], n_estimators=[5], repeats=4, n_jobs=1)
    is_tested = [0 in split.test for split in grid.splits]
    assert np.isfinite(grid.accuracy).all()
    assert (grid.accuracy[is_tested] < 1).all()


def test_default_axes_are_those_of_the_paper() -> None:
    assert default_n_terms(5000) == [1, *range(500, 5001, 500)]
    assert default_n_estimators(5000) == [1, *range(100, 1001, 100)]
    assert default_n_terms(4) == [1, 2, 3, 4]
    assert default_n_terms(1) == [1]
    assert default_n_estimators(1) == [1, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50]
    assert default_n_estimators(10**6)[-1] == 1000
    X, y = documents(n_terms=6)
    grid = measured(X, y, repeats=1, n_jobs=1)
    assert grid.n_terms == (1, 2, 3, 4, 5, 6)
    assert grid.n_estimators[-1] == 50


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([5, 1, 5], [1, 5]),
        ([0.5, 1.0, 1], [1, 10, 20]),
        ([0.001], [1]),
        (3, [3]),
        (np.array([4, 2]), [2, 4]),
        (range(1, 4), [1, 2, 3]),
    ],
)
def test_axis_values_from_numbers_and_fractions(given: Any, expected: list[int]) -> None:
    assert axis_values("n_terms", given, 20, most=20) == expected


X, Y = documents()
ONE_CLASS = np.array(["a"] * 59 + ["b"])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_terms": [31]}, "n_terms=31; there are 30 terms: use a whole number from 1 up to 30"),
        ({"n_terms": [0]}, "n_terms=0; there are 30 terms"),
        ({"n_terms": []}, "n_terms=[]; give at least one number"),
        ({"n_terms": "all"}, "n_terms='all'"),
        ({"n_terms": [1.5]}, "n_terms=1.5"),
        ({"n_terms": [True]}, "n_terms=True"),
        ({"n_estimators": [0]}, "n_estimators=0"),
        ({"n_estimators": [-3, 5]}, "n_estimators=-3"),
        ({"n_estimators": [float("nan")]}, "n_estimators=nan"),
        ({"combine": "product"}, "combine='product'; use one of 'vote', 'mean'"),
        ({"test_share": 0}, "test_share=0; use a share"),
        ({"test_share": 1.0}, "test_share=1.0; use a share"),
        ({"repeats": 0}, "repeats=0; use a number of repetitions from 1"),
        ({"random_state": -1}, "random_state=-1"),
        ({"y": ONE_CLASS, "repeats": 60}, "are of the class 'a'; give more documents of other classes"),
        ({"y": np.array(["a"] * 60)}, "All documents to train on in repetition 1 are of the class 'a'"),
    ],
)
def test_invalid_settings_raise(settings: dict[str, Any], message: str) -> None:
    usual: dict[str, Any] = {"y": Y, "n_terms": [3], "n_estimators": [2], "n_jobs": 1}
    with pytest.raises(InputError, match=re.escape(message)):
        measured(X, **usual | settings)


@pytest.mark.slow
def test_any_classifier_can_be_a_member() -> None:
    grid = subspace_grid(X, Y, n_terms=[5, 30], n_estimators=[1, 4], estimator=LogisticRegression(), repeats=2)
    assert grid.mean[-1, -1] > 1 / 3


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_default_member_is_an_svm() -> None:
    usual = subspace_grid(X, Y, n_terms=[20], n_estimators=[1, 3], repeats=1, n_jobs=1)
    named = subspace_grid(X, Y, n_terms=[20], n_estimators=[1, 3], repeats=1, n_jobs=1, estimator=LinearSVM(C=100))
    np.testing.assert_array_equal(usual.accuracy, named.accuracy)


def test_progress_is_reported_up_to_the_total() -> None:
    calls: list[tuple[str, int, int | None]] = []
    measured(X, Y, n_terms=[2, 30], n_estimators=[1, 4], repeats=2, progress=lambda *arguments: calls.append(arguments))
    assert calls[0][1] == 1
    assert calls[-1][1:] == (16, 16)
    assert [done for _, done, _ in calls] == sorted(done for _, done, _ in calls)


# -- the result --------------------------------------------------------------------------------------------------


def grid_of(accuracy: Any) -> SubspaceGrid:
    values = np.array(accuracy, float)
    splits = tuple(RandomSplit(np.arange(2), np.arange(1), 0) for _ in values)
    return SubspaceGrid((1, 500), (10, 100, 1000), values, 500, "vote", splits)


MEASURED = [[[0.1, 0.2, 0.2], [0.5, 0.6, 0.7]], [[0.1, 0.2, 0.4], [0.7, 0.8, 0.7]]]


def test_means_and_standard_errors_by_hand() -> None:
    grid = grid_of(MEASURED)
    np.testing.assert_allclose(grid.mean, [[0.1, 0.2, 0.3], [0.6, 0.7, 0.7]])
    np.testing.assert_allclose(grid.standard_error, [[0, 0, 0.1], [0.1, 0.1, 0]], atol=1e-12)
    assert grid.best[:2] == (500, 100), "the smaller of two that are equally good"
    assert grid.best.accuracy == pytest.approx(0.7)
    assert grid.best.standard_error == pytest.approx(0.1)
    assert np.isnan(grid_of(MEASURED[:1]).best.standard_error)


def test_str_is_a_table() -> None:
    assert str(grid_of(MEASURED)).splitlines() == [
        "M \\ L    10   100  1,000",
        "    1  10.0  20.0   30.0",
        "  500  60.0  70.0   70.0",
        "best: M = 500, L = 100: 70.0 % right (standard error 10.0)",
    ]
    assert "standard error" not in str(grid_of(MEASURED[:1]))


def texts_of(path: Path) -> list[str]:
    root = ElementTree.fromstring(path.read_text(encoding="utf-8"))
    return [element.text or "" for element in root.iter("{http://www.w3.org/2000/svg}text")]


def test_the_plot_shows_accuracy_or_error(tmp_path: Path) -> None:
    grid_of(MEASURED).plot(tmp_path / "accuracy.svg")
    texts = texts_of(tmp_path / "accuracy.svg")
    for expected in ("10.0%", "60.0%", "accuracy", "500", "1,000", "Random subspaces: accuracy over M and L"):
        assert expected in texts
    chart = grid_of(MEASURED).plot(tmp_path / "error.svg", measure="error")
    texts = texts_of(tmp_path / "error.svg")
    assert {"90.0%", "30.0%", "error"} <= set(texts)
    caption = " ".join(chart.to_dict()["title"]["subtitle"])
    assert caption.startswith("500 terms in all, 2 random splits, by vote. Framed: 30.0%, at terms of a member M = 500")
    with pytest.raises(InputError, match="measure='loss'; use one of 'accuracy', 'error'"):
        grid_of(MEASURED).plot(measure="loss")
    with pytest.raises(InputError, match=r"ends in '\.pdf'"):
        grid_of(MEASURED).plot(tmp_path / "x.pdf")


def test_averaging_cosines_raises() -> None:
    with pytest.raises(InputError, match="Rocchio compares by the cosine"):
        subspace_grid(X, Y, n_terms=[5], n_estimators=[2], estimator="rocchio", combine="mean", repeats=1)
