"""All methods of `SVMProblem` find liblinear's minimum, on all terms and on subsets; products equal dense ones."""

import tracemalloc
import weakref
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix, random_array
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from tests.reference.classifiers_twin import svm_objective
from textsieve import svm_solvers
from textsieve.classifiers import LinearSVM
from textsieve.classifiers.svm import one_against_rest
from textsieve.kernels.csr import take_columns
from textsieve.kernels.svm import descend, solve_cholesky, squared_lengths
from textsieve.kernels.svm_together import LANES, squared_lengths_by_lane
from textsieve.svm_solvers import SOLVERS, Hyperplanes, SignsAndCosts, SVMProblem, csr_arrays

N_DOCUMENTS, N_TERMS = 30, 12

TIGHT: dict[str, Any] = {"tolerance": 1e-6, "most_rounds": 1_000_000, "n_jobs": 1}

SUBSETS: dict[str, Any] = {
    "all": None,
    "all, by number": np.arange(N_TERMS),
    "all but one": np.delete(np.arange(N_TERMS), 2),
    "more than half": np.array([0, 1, 3, 4, 6, 7, 8, 11]),
    "half": np.arange(0, N_TERMS, 2),
    "few": np.array([1, 5, 9]),
    "one": np.array([3]),
    "one that no document has": np.array([N_TERMS - 1]),
}


def documents(seed: int, n_classes: int = 2, n: int = N_DOCUMENTS, d: int = N_TERMS) -> tuple[csr_matrix, Any]:
    """Return sparse rows, and classes that depend on them; no document has the last term."""
    rng = np.random.default_rng(seed)
    X = csr_matrix(random_array((n, d), density=0.4, rng=rng)).toarray()
    X[:, -1] = 0.0
    y = np.argmax(X @ rng.normal(size=(d, n_classes)) + 0.3 * rng.normal(size=(n, n_classes)), axis=1)
    y[:n_classes] = np.arange(n_classes)
    return csr_matrix(X), y


def in_parts(X: csr_matrix, parts: int) -> csr_matrix:
    """Return the matrix with each cell stored as several that add up to it, and unsorted columns."""
    rows = [np.repeat(np.arange(begin, end)[::-1], parts) for begin, end in zip(X.indptr, X.indptr[1:], strict=False)]
    order = np.concatenate(rows)
    return csr_matrix((X.data[order] / parts, X.indices[order], X.indptr * parts), X.shape)


def with_zeros(X: csr_matrix) -> csr_matrix:
    """Return the matrix with zeros stored explicitly."""
    n, d = X.shape
    cells = X.toarray().ravel(), np.tile(np.arange(d), n), np.arange(0, n * d + 1, d)
    return csr_matrix(cells, shape=X.shape)


def scaled(X: csr_matrix, rows: Any = 1.0, columns: Any = 1.0) -> csr_matrix:
    return csr_matrix(X.toarray() * np.reshape(rows, (-1, 1)) * columns)


KINDS: dict[str, Any] = {
    "as they are": lambda X: X,
    "rows of any length": lambda X: scaled(X, rows=10.0 ** np.linspace(-3, 1, X.shape[0])),
    "a term larger than the others": lambda X: scaled(X, columns=np.where(np.arange(X.shape[1]) == 2, 10.0, 1.0)),
    "twice the same documents": lambda X: csr_matrix(X.toarray()[np.arange(X.shape[0]) // 2]),
    "empty rows": lambda X: scaled(X, rows=np.arange(X.shape[0]) % 3 > 0),
    "explicit zeros": with_zeros,
    "cells in parts": lambda X: in_parts(X, 7),
    "small floats": lambda X: X.astype(np.float32),
    "large numbers of columns": lambda X: _wide(X),
}


def _wide(X: csr_matrix) -> csr_matrix:
    X = X.copy()
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X


def objective(rows: Any, signs: Any, costs: Any, weights: Any, intercept: Any) -> float:
    return svm_objective(rows.tolist(), signs.tolist(), costs.tolist(), weights.tolist(), float(intercept))


def objectives(rows: Any, problem: SignsAndCosts, hyperplanes: Hyperplanes) -> list[float]:
    """Return the objective that was minimised, for each problem."""
    weights = zip(hyperplanes.coefficients, hyperplanes.intercepts, strict=True)
    return [objective(rows, *problem(number), coefficients, b) for number, (coefficients, b) in enumerate(weights)]


def least(rows: Any, problem: SignsAndCosts, n_problems: int) -> list[float]:
    """Return the minimum that liblinear finds for each problem, with a sample weight for each document."""
    minima = []
    for number in range(n_problems):
        signs, costs = problem(number)
        svm: Any = LinearSVC(C=1.0, tol=1e-10, max_iter=1_000_000, random_state=0)
        svm.set_params(dual="auto")
        svm.fit(rows, signs, sample_weight=costs)
        minima.append(objective(rows, signs, costs, svm.coef_[0], svm.intercept_[0]))
    return minima


def checked(X: csr_matrix, problems: tuple[SignsAndCosts, int], way: str | None, terms: Any) -> Hyperplanes:
    problem, n_problems = problems
    hyperplanes = SVMProblem(X, way).solve(problem, n_problems, terms=terms, **TIGHT)
    rows = X.toarray().astype(np.float64)
    rows = rows if terms is None else rows[:, terms]
    assert hyperplanes.n_unconverged == 0
    assert hyperplanes.coefficients.shape == (n_problems, rows.shape[1])
    assert hyperplanes.intercepts.shape == (n_problems,)
    ours = objectives(rows, problem, hyperplanes)
    assert ours == pytest.approx(least(rows, problem, n_problems), rel=1e-6, abs=1e-9)
    return hyperplanes


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("subset", SUBSETS)
@pytest.mark.parametrize("way", SOLVERS)
def test_every_method_finds_liblinears_minimum_on_any_documents(kind: str, subset: str, way: str) -> None:
    X, y = documents(seed=1)
    if kind == "twice the same documents":
        y = y[np.arange(len(y)) // 2]
    checked(KINDS[kind](X), one_against_rest(y, np.ones(2), 10.0), way, SUBSETS[subset])


@pytest.mark.parametrize("subset", ["all but one", "more than half", "few"])
@pytest.mark.parametrize("way", SOLVERS)
def test_omitting_a_dominant_term_keeps_precision(subset: str, way: str) -> None:
    X, y = documents(seed=1)
    wild = scaled(X, columns=np.where(np.arange(N_TERMS) == 2, 1e8, 1.0))
    checked(wild, one_against_rest(y, np.ones(2), 10.0), way, SUBSETS[subset])


@pytest.mark.parametrize("length", [0.05, 0.1, 0.2, 0.4])
def test_short_rows_with_a_large_cost_need_few_rounds(length: float) -> None:
    """With steps of single documents alone it took more than a thousand rounds at each length."""
    X, y = documents(seed=1, n_classes=3, n=300, d=60)
    rows = scaled(X, rows=length / np.linalg.norm(X.toarray(), axis=1))
    problem, n_problems = one_against_rest(y, np.ones(3), 100.0)
    found = SVMProblem(rows, "products").solve(problem, n_problems, tolerance=0.01, most_rounds=1_000, n_jobs=1)
    assert found.n_unconverged == 0
    assert found.n_rounds < 250
    exact = checked(rows, (problem, n_problems), "products", None)
    assert objectives(rows.toarray(), problem, found) == pytest.approx(
        objectives(rows.toarray(), problem, exact), rel=1e-3
    )


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0, 1000.0])
@pytest.mark.parametrize("subset", ["all", "more than half", "few"])
@pytest.mark.parametrize("way", SOLVERS)
def test_every_method_finds_liblinears_minimum_at_any_cost(C: float, subset: str, way: str) -> None:
    X, y = documents(seed=2)
    checked(X, one_against_rest(y, np.ones(2), C), way, SUBSETS[subset])


@pytest.mark.parametrize("n_classes", [3, 6])
@pytest.mark.parametrize("subset", ["all", "more than half", "few"])
@pytest.mark.parametrize("way", SOLVERS)
def test_every_method_supports_many_classes_and_class_weights(n_classes: int, subset: str, way: str) -> None:
    X, y = documents(seed=n_classes, n_classes=n_classes)
    factors = np.linspace(0.2, 5.0, n_classes)
    checked(X, one_against_rest(y, factors, 2.0), way, SUBSETS[subset])


@pytest.mark.parametrize("way", SOLVERS)
def test_every_method_supports_more_terms_than_documents(way: str) -> None:
    X, y = documents(seed=5, n_classes=3, n=20, d=60)
    for terms in (None, np.arange(5, 60), np.arange(25)):
        checked(X, one_against_rest(y, np.ones(3), 100.0), way, terms)


@given(st.integers(0, 10**6), st.integers(2, 14), st.integers(1, 8), st.sampled_from([0.01, 1.0, 30.0]), st.data())
def test_all_methods_find_the_same_hyperplane(seed: int, n: int, d: int, C: float, data: st.DataObject) -> None:
    X, y = documents(seed, n=n, d=d)
    terms = np.array(sorted(data.draw(st.sets(st.integers(0, d - 1), min_size=1))))
    first, *others = (checked(X, one_against_rest(y, np.ones(2), C), way, terms) for way in SOLVERS)
    for other in others:
        assert first.coefficients == pytest.approx(
            other.coefficients, abs=1e-3 * (1 + np.abs(other.coefficients).max())
        )
        assert first.intercepts == pytest.approx(other.intercepts, abs=1e-3 * (1 + np.abs(other.intercepts).max()))


def test_the_fastest_method_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Equations are used for few terms, products for few documents and many problems, and rows otherwise."""
    ways: list[str] = []

    def noted(name: str, way: Any, *given: Any) -> Any:
        ways.append(name)
        return way(*given)

    for name, way in SOLVERS.items():
        monkeypatch.setitem(svm_solvers.SOLVERS, name, partial(noted, name, way))
    X, y = documents(seed=3)
    problem, n_problems = one_against_rest(y, np.ones(2), 1.0)

    def way_taken(terms: Any = None) -> str:
        hyperplanes = SVMProblem(X).solve(problem, n_problems, terms=terms, **TIGHT)
        rows = X.toarray() if terms is None else X.toarray()[:, terms]
        ours = objectives(rows, problem, hyperplanes)
        assert ours == pytest.approx(least(rows, problem, 1), rel=1e-6)
        return ways.pop()

    assert way_taken() == "equations"
    monkeypatch.setattr(svm_solvers, "FEW_TERMS", N_TERMS - 2)
    assert way_taken(np.arange(N_TERMS - 2)) == "equations"
    monkeypatch.setattr(svm_solvers, "FEW_TERMS", 0)
    assert way_taken() == "rows"  # documents of five terms
    long = csr_matrix(np.tile(X.toarray(), (10, 40)))
    many, few = (SVMProblem(long)._fastest_method(long.shape[1], n_problems) for n_problems in (20, 1))
    assert (many, few) == ("products", "rows")
    monkeypatch.setattr(svm_solvers, "FEW_DOCUMENTS", N_DOCUMENTS - 1)
    assert SVMProblem(long)._fastest_method(long.shape[1], 20) == "rows"


def test_unconverged_problems_are_retried_by_equations(monkeypatch: pytest.MonkeyPatch) -> None:
    """With more documents than terms and a high cost, the dual has not converged after 50 rounds."""
    monkeypatch.setattr(svm_solvers, "FEW_TERMS", 0)
    X, y = documents(seed=5, n=200, n_classes=4)
    problems = one_against_rest(y, np.ones(4), 1000.0)
    settings: dict[str, Any] = {"tolerance": 1e-6, "most_rounds": 50, "n_jobs": 1}
    assert SVMProblem(X, "rows").solve(*problems, **settings).n_unconverged > 0
    hyperplanes = SVMProblem(X).solve(*problems, **settings)
    assert hyperplanes.n_unconverged == 0
    assert objectives(X.toarray(), problems[0], hyperplanes) == pytest.approx(least(X.toarray(), *problems), rel=1e-6)


@pytest.mark.parametrize("scale", [1e-3, 1e-5])
def test_documents_with_tiny_weights_are_separated(scale: float) -> None:
    """All gradients are within the tolerance at the start, but weights of 0 must not be the result."""
    X, y = documents(seed=11, n=200)
    y = np.arange(200) % 2
    rows = csr_matrix(X.toarray() + 2.0 * (y[:, np.newaxis] == np.arange(N_TERMS) % 2)) * scale
    hyperplanes = SVMProblem(csr_matrix(rows), "equations").solve(
        *one_against_rest(y, np.ones(2), 0.5), tolerance=0.01, most_rounds=100, n_jobs=1
    )
    scores = rows @ hyperplanes.coefficients[0]
    assert scores[y == 1].min() > scores[y == 0].max()


def test_equations_are_not_used_for_more_terms_than_documents() -> None:
    X, _ = documents(seed=3, n=5, d=6)
    assert [SVMProblem(X)._fastest_method(size, 2) == "equations" for size in (1, 5, 6)] == [True, True, False]


def test_documents_without_terms_get_an_intercept_only() -> None:
    """Only the intercept is left: ½b² + Σ C max(0, 1 - y b)² has its minimum at b = 2C(n1 - n0) / (1 + 2C n)."""
    problem, n_problems = one_against_rest(np.array([0, 1, 1]), np.ones(2), 1.0)
    for way in (*SOLVERS, None):
        hyperplanes = SVMProblem(csr_matrix((3, 4)), way).solve(problem, n_problems, **TIGHT)
        assert not hyperplanes.coefficients.any()
        assert hyperplanes.intercepts == pytest.approx([2 / 7], abs=1e-6)


@pytest.mark.parametrize("way", SOLVERS)
def test_any_number_of_threads_gives_the_same_bytes(way: str) -> None:
    X, y = documents(seed=4, n_classes=7, n=60, d=40)
    problem, n_problems = one_against_rest(y, np.ones(7), 5.0)
    for terms in (None, np.arange(0, 40, 3), np.arange(5, 40)):
        solutions = [
            SVMProblem(X, way).solve(problem, n_problems, terms=terms, tolerance=0.01, most_rounds=1000, n_jobs=n_jobs)
            for n_jobs in (1, 2, 5)
        ]
        assert len({solution.coefficients.tobytes() + solution.intercepts.tobytes() for solution in solutions}) == 1


@pytest.mark.parametrize("way", SOLVERS)
def test_solving_again_gives_the_same_bytes(way: str) -> None:
    X, y = documents(seed=6)
    problem, n_problems = one_against_rest(y, np.ones(2), 1.0)
    shared = SVMProblem(X, way)
    for subset in [*SUBSETS.values(), *SUBSETS.values()]:
        ours = shared.solve(problem, n_problems, terms=subset, **TIGHT)
        fresh = SVMProblem(X, way).solve(problem, n_problems, terms=subset, **TIGHT)
        assert ours.coefficients.tobytes() == fresh.coefficients.tobytes()
        assert ours.intercepts.tobytes() == fresh.intercepts.tobytes()


def test_the_given_rows_are_not_changed() -> None:
    X, y = documents(seed=6)
    parts = in_parts(X, 3)
    before = parts.data.copy(), parts.indices.copy(), parts.indptr.copy()
    for way in SOLVERS:
        SVMProblem(parts, way).solve(*one_against_rest(y, np.ones(2), 1.0), terms=np.arange(9), **TIGHT)
    assert all(np.array_equal(*pair) for pair in zip(before, (parts.data, parts.indices, parts.indptr), strict=True))


@pytest.mark.parametrize("way", SOLVERS)
def test_unconverged_problems_are_counted(way: str) -> None:
    X, y = documents(seed=7, n_classes=4)
    problem, n_problems = one_against_rest(y, np.ones(4), 100.0)
    for most_rounds in (1, 2):
        hyperplanes = SVMProblem(X, way).solve(problem, n_problems, tolerance=1e-9, most_rounds=most_rounds, n_jobs=1)
        assert (hyperplanes.n_unconverged, hyperplanes.n_rounds) == (4, most_rounds)
        assert np.isfinite(hyperplanes.coefficients).all()
    done = SVMProblem(X, way).solve(problem, n_problems, **TIGHT)
    assert done.n_unconverged == 0
    again = {"tolerance": TIGHT["tolerance"], "n_jobs": 1}
    exactly = SVMProblem(X, way).solve(problem, n_problems, most_rounds=done.n_rounds, **again)
    assert (exactly.n_unconverged, exactly.n_rounds) == (0, done.n_rounds)
    assert exactly.coefficients.tobytes() == done.coefficients.tobytes()
    short = SVMProblem(X, way).solve(problem, n_problems, most_rounds=done.n_rounds - 1, **again)
    assert short.n_unconverged >= 1


@pytest.mark.parametrize("way", SOLVERS)
def test_a_linear_svm_warns_of_unconverged_problems(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SVMProblem, "_fastest_method", lambda *_: way)
    X, y = documents(seed=7, n_classes=4)
    with pytest.warns(ConvergenceWarning, match="4 of 4 problems had not converged after max_iter=2 rounds"):
        LinearSVM(C=100, tol=1e-9, max_iter=2).fit(X, y)


@pytest.mark.parametrize("way", SOLVERS)
@pytest.mark.parametrize("size", [1e-9, 1e5, 1e9])
def test_numbers_of_any_size_give_finite_weights(way: str, size: float) -> None:
    X, y = documents(seed=11)
    wild = scaled(X, columns=np.where(np.arange(N_TERMS) % 2, 1.0, size))
    problem, n_problems = one_against_rest(y, np.ones(2), 1000.0)
    for terms in (None, np.arange(4), np.array([0, 2])):
        hyperplanes = SVMProblem(wild, way).solve(
            problem, n_problems, terms=terms, tolerance=0.01, most_rounds=300, n_jobs=1
        )
        assert np.isfinite(hyperplanes.coefficients).all()
        assert np.isfinite(hyperplanes.intercepts).all()


# -- problems that are solved together ---------------------------------------------------------------------------------


ROUGH: dict[str, Any] = {"tolerance": 0.01, "most_rounds": 1000}


@pytest.fixture
def _together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let problems be solved together on small rows, too."""
    monkeypatch.setattr(svm_solvers, "FEWEST_VALUES_TOGETHER", 0)


def texts(seed: int, n_classes: int, n: int = 120, d: int = 300) -> tuple[csr_matrix, Any]:
    """Return rows of length 1, with many terms that are in one document only, and classes that depend on them."""
    rng = np.random.default_rng(seed)
    shares = 1.0 / np.arange(1, d + 1)  # Zipf's law: most terms are rare
    X = np.where(rng.random((n, d)) < 3 * shares, rng.random((n, d)), 0.0)
    X /= np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1e-30)
    y = np.argmax(X @ rng.normal(size=(d, n_classes)), axis=1)
    y[:n_classes] = np.arange(n_classes)
    assert ((X > 0).sum(axis=0) == 1).sum() > 20
    return csr_matrix(X), y


def violation(rows: Any, signs: Any, costs: Any, weights: Any, intercept: float) -> float:
    """Return the largest difference between a weight and the one that the minimum would have with these margins.

    The gradient of the objective is 0 at the minimum: w = Σ α_i y_i x_i with α_i = 2 C_i max(0, 1 - y_i w·x_i).
    """
    signed_alpha = signs * 2 * costs * np.maximum(0.0, 1 - signs * (rows @ weights + intercept))
    return float(max(np.abs(weights - signed_alpha @ rows).max(), abs(intercept - signed_alpha.sum())))


@pytest.mark.usefixtures("_together")
@pytest.mark.parametrize("n_classes", [3, 5, 17, 20])
@pytest.mark.parametrize("C", [0.5, 5.0])
def test_problems_that_are_solved_together_reach_the_tolerance(n_classes: int, C: float) -> None:
    X, y = texts(seed=n_classes, n_classes=n_classes)
    problem, n_problems = one_against_rest(y, np.linspace(0.5, 2.0, n_classes), C)
    hyperplanes = SVMProblem(X, "rows").solve(problem, n_problems, **ROUGH, n_jobs=1)
    assert hyperplanes.n_unconverged == 0
    ours = objectives(X.toarray(), problem, hyperplanes)
    assert ours == pytest.approx(least(X.toarray(), problem, n_problems), rel=1e-3)
    for number, (weights, intercept) in enumerate(zip(hyperplanes.coefficients, hyperplanes.intercepts, strict=True)):
        start = violation(X.toarray(), *problem(number), 0 * weights, 0.0)
        assert violation(X.toarray(), *problem(number), weights, intercept) < 0.1 * start


@pytest.mark.usefixtures("_together")
def test_problems_are_solved_together_without_a_second_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the default tolerance, all classes converge together, and none is solved by itself."""
    X, y = texts(seed=1, n_classes=6)
    monkeypatch.setattr(svm_solvers, "descend", None)
    problem, n_problems = one_against_rest(y, np.ones(6), 0.5)
    hyperplanes = SVMProblem(X, "rows").solve(problem, n_problems, **ROUGH, n_jobs=1)
    assert 1 < hyperplanes.n_rounds < svm_solvers.ROUNDS_TOGETHER


@pytest.mark.usefixtures("_together")
@pytest.mark.parametrize("tolerance", [0.01, 1e-6])
@pytest.mark.parametrize("n_jobs", [1, 2, 5])
def test_each_problem_is_solved_on_its_own_terms(tolerance: float, n_jobs: int) -> None:
    n_classes = 20
    X, y = texts(seed=3, n_classes=n_classes)
    rng = np.random.default_rng(0)
    terms_of = [np.flatnonzero(rng.random(X.shape[1]) < share) for share in np.linspace(0.02, 1.0, n_classes)]
    problem, _ = one_against_rest(y, np.ones(n_classes), 1.0)
    alphas = rng.random((n_classes, X.shape[0])).astype(np.float32)  # the start changes nothing but the rounds
    limits: dict[str, Any] = {"tolerance": tolerance, "most_rounds": 100_000}
    solved, _ = SVMProblem(X, "rows").solve_each(problem, terms_of, alphas, **limits, n_jobs=n_jobs)
    from_nothing, _ = SVMProblem(X, "rows").solve_each(problem, terms_of, **limits, n_jobs=1)
    for number, (terms, hyperplanes, other) in enumerate(zip(terms_of, solved, from_nothing, strict=True)):
        rows = X.toarray()[:, terms]
        (minimum,) = least(rows, lambda _, number=number: problem(number), 1)  # type: ignore[misc]
        close = pytest.approx([minimum], rel=1e-3 if tolerance == 0.01 else 1e-6)
        assert hyperplanes.n_unconverged == other.n_unconverged == 0
        assert objectives(rows, lambda _, number=number: problem(number), hyperplanes) == close  # type: ignore[misc]
        assert objectives(rows, lambda _, number=number: problem(number), other) == close  # type: ignore[misc]


@pytest.mark.usefixtures("_together")
def test_problems_on_their_own_terms_give_the_same_bytes_for_any_number_of_threads() -> None:
    X, y = texts(seed=4, n_classes=20)
    terms_of = [np.arange(number, 300, 2) for number in range(20)]
    problem, _ = one_against_rest(y, np.ones(20), 1.0)
    results = set()
    for n_jobs in (1, 2, 5):
        solved, alphas = SVMProblem(X, "rows").solve_each(problem, terms_of, **ROUGH, n_jobs=n_jobs)
        assert alphas is not None
        results.add(b"".join(h.coefficients.tobytes() + h.intercepts.tobytes() for h in solved) + alphas.tobytes())
    assert len(results) == 1


@pytest.mark.usefixtures("_together")
@pytest.mark.parametrize("limit", ["MOST_VALUES_BY_COLUMN", "MOST_BYTES_TOGETHER"])
def test_problems_are_solved_together_without_much_memory(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Large rows are not copied, and with many documents, one group of problems is solved after the other."""
    X, y = texts(seed=8, n_classes=20)
    problem, n_problems = one_against_rest(y, np.ones(20), 1.0)
    terms_of = [np.arange(number, 300, 2) for number in range(20)]

    def solve_both(n_jobs: int) -> tuple[Hyperplanes, list[Hyperplanes]]:
        rows = SVMProblem(X, "rows")
        each, _ = rows.solve_each(problem, terms_of, **ROUGH, n_jobs=n_jobs)
        return rows.solve(problem, n_problems, **ROUGH, n_jobs=n_jobs), each

    usual, usual_each = solve_both(1)
    monkeypatch.setattr(svm_solvers, limit, 1)
    for n_jobs in (1, 2):
        ours, each = solve_both(n_jobs)
        assert ours.coefficients == pytest.approx(usual.coefficients, abs=0.02)
        for hyperplanes, other in zip(each, usual_each, strict=True):
            assert hyperplanes.coefficients == pytest.approx(other.coefficients, abs=0.02)
            assert hyperplanes.n_unconverged == 0


@pytest.mark.usefixtures("_together")
def test_a_better_start_takes_fewer_rounds() -> None:
    X, y = texts(seed=5, n_classes=6)
    problem, _ = one_against_rest(y, np.ones(6), 1.0)
    terms_of = [np.arange(300)] * 6
    first, alphas = SVMProblem(X, "rows").solve_each(problem, terms_of, **ROUGH, n_jobs=1)
    second, _ = SVMProblem(X, "rows").solve_each(problem, terms_of, alphas, **ROUGH, n_jobs=1)
    assert max(hyperplanes.n_rounds for hyperplanes in second) < min(hyperplanes.n_rounds for hyperplanes in first)


@pytest.mark.usefixtures("_together")
def test_unconverged_problems_on_their_own_terms_are_counted() -> None:
    X, y = texts(seed=6, n_classes=4)
    problem, _ = one_against_rest(y, np.ones(4), 100.0)
    limits: dict[str, Any] = {"tolerance": 1e-9, "most_rounds": 3, "n_jobs": 1}
    solved, _ = SVMProblem(X, "rows").solve_each(problem, [np.arange(300)] * 4, **limits)
    assert [(hyperplanes.n_unconverged, hyperplanes.n_rounds) for hyperplanes in solved] == [(1, 3)] * 4


@pytest.mark.usefixtures("_together")
@pytest.mark.parametrize("on_own_terms", [False, True])
def test_copies_of_dual_variables_are_freed_group_by_group(on_own_terms: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = texts(seed=9, n_classes=40)
    problem, n_problems = one_against_rest(y, np.ones(40), 0.1)
    copies: list[Any] = []
    n_alive: list[int] = []
    solve_group = svm_solvers._Together.solve

    def counted(*given: Any) -> Any:
        n_alive.append(sum(copy() is not None for copy in copies))
        starts = solve_group(*given)
        assert all(start.has_converged for start in starts)
        copies.extend(weakref.ref(start.alpha) for start in starts)
        return starts

    monkeypatch.setattr(svm_solvers._Together, "solve", counted)
    if on_own_terms:
        SVMProblem(X, "rows").solve_each(problem, [np.arange(300)] * 40, **ROUGH, n_jobs=1)
    else:
        SVMProblem(X, "rows").solve(problem, n_problems, **ROUGH, n_jobs=1)
    assert n_alive == [0, 0, 0]  # before each of three groups


@pytest.mark.usefixtures("_together")
@pytest.mark.parametrize(("n_texts", "d", "n"), [(1000, 3000, 1000), (300, 20_000, 300), (300, 3000, 10_000)])
def test_the_memory_of_a_group_is_estimated(n_texts: int, d: int, n: int) -> None:
    """Copied rows take most memory, or the weights of terms, or the dual variables of documents."""
    X, y = texts(seed=2, n_classes=16, n=n_texts, d=d)
    n_empty = n - n_texts
    X = csr_matrix((X.data, X.indices, np.pad(X.indptr, (0, n_empty), mode="edge")), (n, d))
    y = np.pad(y, (0, n_empty))
    problem, _ = one_against_rest(y, np.ones(16), 1.0)
    arrays = csr_arrays(X)
    squares, lanes_of_term = squared_lengths(arrays[0], arrays[2]), np.full(d, 2**16 - 1, np.uint16)
    limits = range(16), 0.01, 1000, np.zeros((16, n), np.float32)
    svm_solvers._Together(arrays, squares, lanes_of_term).solve(problem, *limits)  # compiles
    tracemalloc.start()
    together = svm_solvers._Together(arrays, squares, lanes_of_term)
    starts = together.solve(problem, *limits)
    n_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(starts) == 16
    assert n_bytes <= svm_solvers._bytes_per_group(n, d, X.nnz) <= 2 * n_bytes


@pytest.mark.usefixtures("_together")
@pytest.mark.parametrize("on_own_terms", [False, True])
def test_fewer_groups_are_solved_at_a_time_if_there_are_many_terms(
    on_own_terms: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = texts(seed=4, n_classes=40)
    wide = csr_matrix((X.data, X.indices, X.indptr), (X.shape[0], 100_000))
    problem, n_problems = one_against_rest(y, np.ones(40), 1.0)
    n_threads: list[int] = []
    usual = svm_solvers._n_threads_for_groups

    def noted(*given: int) -> int:
        n_threads.append(usual(*given))
        return n_threads[-1]

    monkeypatch.setattr(svm_solvers, "_n_threads_for_groups", noted)
    monkeypatch.setattr(svm_solvers, "MOST_BYTES_TOGETHER", 2 * 100_000 * 64)
    for rows in (X, wide):
        if on_own_terms:
            SVMProblem(rows, "rows").solve_each(problem, [np.arange(300)] * 40, **ROUGH, n_jobs=3)
        else:
            SVMProblem(rows, "rows").solve(problem, n_problems, **ROUGH, n_jobs=3)
    assert n_threads == [3, 1]


def noted_rounds(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list that gets the allowed rounds of each problem that is solved by itself."""
    rounds: list[int] = []

    def noted(*given: Any) -> Any:
        rounds.append(given[6])
        return descend(*given)

    monkeypatch.setattr(svm_solvers, "descend", noted)
    return rounds


@pytest.mark.usefixtures("_together")
def test_unconverged_problems_on_their_own_terms_do_not_start_again(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = texts(seed=6, n_classes=4)
    problem, _ = one_against_rest(y, np.ones(4), 100.0)
    terms_of = [np.arange(300)] * 4
    _, alphas = SVMProblem(X, "rows").solve_each(problem, terms_of, tolerance=1e-3, most_rounds=10_000, n_jobs=1)
    rounds = noted_rounds(monkeypatch)
    limits: dict[str, Any] = {"tolerance": 1e-12, "most_rounds": svm_solvers.ROUNDS_TOGETHER + 3, "n_jobs": 1}
    solved, _ = SVMProblem(X, "rows").solve_each(problem, terms_of, alphas, **limits)
    assert [(hyperplanes.n_unconverged, hyperplanes.n_rounds) for hyperplanes in solved] == [(1, 23)] * 4
    assert len(rounds) == 4
    assert max(rounds) < limits["most_rounds"]


@pytest.mark.usefixtures("_together")
def test_unconverged_problems_on_their_own_terms_are_retried_by_equations(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FEW_TERMS", "FEW_DOCUMENTS"):
        monkeypatch.setattr(svm_solvers, name, 0)
    X, y = documents(seed=5, n=200, n_classes=4)
    problem, _ = one_against_rest(y, np.ones(4), 1000.0)
    limits: dict[str, Any] = {"tolerance": 1e-6, "most_rounds": 50, "n_jobs": 1}
    terms_of = [np.arange(N_TERMS)] * 4
    by_rows, _ = SVMProblem(X, "rows").solve_each(problem, terms_of, **limits)
    assert [hyperplanes.n_unconverged for hyperplanes in by_rows] == [1] * 4
    rounds = noted_rounds(monkeypatch)
    retried, _ = SVMProblem(X).solve_each(problem, terms_of, **limits)
    assert len(rounds) == 4
    for number, (hyperplanes, minimum) in enumerate(zip(retried, least(X.toarray(), problem, 4), strict=True)):
        assert hyperplanes.n_unconverged == 0
        ours = objective(X.toarray(), *problem(number), hyperplanes.coefficients[0], hyperplanes.intercepts[0])
        assert ours == pytest.approx(minimum, rel=1e-6)


def test_problems_that_are_not_solved_together_return_no_dual_variables() -> None:
    X, y = texts(seed=6, n_classes=4)
    problem, _ = one_against_rest(y, np.ones(4), 1.0)
    hyperplanes, alphas = SVMProblem(X, "rows").solve_each(problem, [np.arange(300)] * 4, **ROUGH, n_jobs=1)
    assert len(hyperplanes) == 4
    assert alphas is None


@pytest.mark.usefixtures("_together")
@pytest.mark.parametrize("array", ["data", "indices"])
def test_arrays_that_are_not_contiguous_are_read_correctly(array: str, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = texts(seed=7, n_classes=5)
    problem, n_problems = one_against_rest(y, np.ones(5), 1.0)
    monkeypatch.setattr(svm_solvers, "MOST_VALUES_BY_COLUMN", 1)  # rows are used as they are
    usual = SVMProblem(X, "rows").solve(problem, n_problems, **ROUGH, n_jobs=1)
    strided = X.copy()
    pairs = np.ones((X.nnz, 2), getattr(X, array).dtype)
    pairs[:, 0] = getattr(X, array)
    setattr(strided, array, pairs[:, 0])
    assert not getattr(strided, array).flags.c_contiguous
    ours = SVMProblem(strided, "rows").solve(problem, n_problems, **ROUGH, n_jobs=1)
    assert ours.coefficients.tobytes() == usual.coefficients.tobytes()


@pytest.mark.usefixtures("_together")
@pytest.mark.parametrize("size", [1e-12, 1e12])
def test_costs_and_documents_too_large_for_small_floats_are_solved_one_by_one(size: float) -> None:
    X, y = texts(seed=7, n_classes=3)
    problem, n_problems = one_against_rest(y, np.ones(3), size)
    for rows in (X, scaled(X, rows=1 / size)):
        hyperplanes = SVMProblem(rows, "rows").solve(problem, n_problems, tolerance=0.01, most_rounds=50, n_jobs=1)
        assert np.isfinite(hyperplanes.coefficients).all()


@given(st.integers(0, 10**6), st.integers(1, 9), st.integers(1, 12), st.floats(0, 1))
def test_lengths_by_lane_equal_those_of_dense_matrices(seed: int, n: int, d: int, density: float) -> None:
    rng = np.random.default_rng(seed)
    dense = np.where(rng.random((n, d)) < density, rng.normal(size=(n, d)), 0.0).astype(np.float32)
    lanes_of_term = rng.integers(0, 2**LANES, d).astype(np.uint16)
    squares = np.empty((n, LANES), np.float32)
    indptr, indices, data = csr_arrays(csr_matrix(dense))
    squared_lengths_by_lane(indptr, indices, data, lanes_of_term, squares)
    for lane in range(LANES):
        in_lane = (lanes_of_term >> lane) & 1 == 1
        assert squares[:, lane] == pytest.approx((dense[:, in_lane].astype(float) ** 2).sum(axis=1), rel=1e-5)


# -- products ----------------------------------------------------------------------------------------------------------


@given(st.integers(0, 10**6), st.integers(1, 12), st.integers(1, 14), st.floats(0, 1), st.data())
def test_products_equal_those_of_dense_matrices(seed: int, n: int, d: int, density: float, data: st.DataObject) -> None:
    rng = np.random.default_rng(seed)
    dense = np.where(rng.random((n, d)) < density, rng.normal(size=(n, d)), 0.0)
    terms = np.array(sorted(data.draw(st.sets(st.integers(0, d - 1)))), np.int64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            svm_solvers, "DENSE_SHARE", data.draw(st.sampled_from([-1.0, 0.3, 1.0]))
        )  # all, some, none as dense rows
        subset_products = SVMProblem(csr_matrix(dense)).products(terms)
        all_products = SVMProblem(csr_matrix(dense)).products(None)
    assert subset_products == pytest.approx(dense[:, terms] @ dense[:, terms].T, abs=1e-12)
    assert all_products == pytest.approx(dense @ dense.T, abs=1e-12)
    assert np.array_equal(subset_products, subset_products.T)


def test_products_over_most_terms_add_up_the_omitted_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    X, _ = documents(seed=8)
    gone_through: list[int] = []
    added_up = SVMProblem._sum_products

    def noted(documents: SVMProblem, terms: Any) -> Any:
        gone_through.append(len(terms))
        return added_up(documents, terms)

    monkeypatch.setattr(SVMProblem, "_sum_products", noted)
    shared = SVMProblem(X)
    for size, expected in ((N_TERMS, [N_TERMS]), (N_TERMS - 2, [2]), (N_TERMS // 2, [6]), (2, [2])):
        terms = np.arange(size)
        assert shared.products(terms) == pytest.approx((X[:, terms] @ X[:, terms].T).toarray(), abs=1e-12)
        assert gone_through == expected
        gone_through.clear()


def test_products_keep_the_digits_of_small_weights_beside_large_ones() -> None:
    """A difference of products around 10^16 would lose all digits of products around 1."""
    X, _ = documents(seed=9)
    wild = scaled(X, columns=np.where(np.arange(N_TERMS) == 0, 1e8, 1.0))
    terms = np.arange(1, N_TERMS)
    assert SVMProblem(wild).products(terms) == pytest.approx((X[:, terms] @ X[:, terms].T).toarray(), abs=1e-12)


@given(st.integers(0, 10**6), st.integers(0, 6), st.integers(1, 7), st.data())
def test_take_columns_equals_scipy(seed: int, n: int, d: int, data: st.DataObject) -> None:
    rng = np.random.default_rng(seed)
    X = csr_matrix(np.where(rng.random((n, d)) < 0.5, rng.normal(size=(n, d)), 0.0))
    terms = np.array(sorted(data.draw(st.sets(st.integers(0, d - 1)))), np.int64)
    place = np.full(d, -1, np.int32)
    place[terms] = np.arange(len(terms))
    starts, columns, values = np.empty(n + 1, np.int64), np.empty(X.nnz + 1, np.int32), np.empty(X.nnz + 1)
    take_columns(X.indptr, X.indices, X.data, place, starts, columns, values)
    expected = X[:, terms]
    assert starts.tolist() == expected.indptr.tolist()
    assert columns[: starts[-1]].tolist() == expected.indices.tolist()
    assert values[: starts[-1]].tolist() == expected.data.tolist()


# -- equations ---------------------------------------------------------------------------------------------------------


@given(st.integers(0, 10**6), st.integers(1, 12), st.integers(0, 15), st.sampled_from([1e-3, 1.0, 100.0]))
def test_solve_cholesky_equals_numpy(seed: int, n: int, rank: int, size: float) -> None:
    random = np.random.default_rng(seed)
    squares = random.normal(size=(n, rank)) * size
    matrix, right = np.eye(n) + squares @ squares.T, random.normal(size=n)
    expected = np.linalg.solve(matrix, right)
    upper = np.where(np.arange(n)[:, None] <= np.arange(n), matrix, np.nan)  # it must not read the lower triangle
    solve_cholesky(upper, right)
    assert right == pytest.approx(expected, abs=1e-6 * (1 + np.abs(expected).max()))


@pytest.mark.parametrize("way", SOLVERS)
@pytest.mark.parametrize("size", [1e5, 1e7, 1e9, 1e12])
def test_proportional_terms_give_finite_weights(way: str, size: float) -> None:
    """If the terms are large, the 1 that is added to their squares is lost in rounding."""
    random = np.random.default_rng(0)
    column = random.random((30, 1)) * size
    X, y = csr_matrix(np.hstack([column, 2 * column, 3 * column, random.random((30, 3))])), random.integers(0, 2, 30)
    hyperplanes = SVMProblem(X, way).solve(
        *one_against_rest(y, np.ones(2), 100.0), tolerance=0.01, most_rounds=100, n_jobs=1
    )
    assert np.isfinite(hyperplanes.coefficients).all()
