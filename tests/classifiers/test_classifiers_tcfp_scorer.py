"""`TCFPScorer`: numpy and kernels give the same bits; stored scorers score the same; invalid stored arrays raise."""

import subprocess
import sys
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from tests.reference import voting_twin as twin

from textsieve import TCFP, InputError
from textsieve.arrays import CSR
from textsieve.classifiers import tcfp as tcfp_module
from textsieve.classifiers import tcfp_scorer
from textsieve.classifiers.tcfp_scorer import CONTEXTS, TCFPScorer


def scorer_of(seed: int, context: str, n: int = 60, d: int = 25, min_co: int = 1) -> tuple[TCFPScorer, CSR, Any, Any]:
    """Return a trained scorer, rows to score, and the training documents and labels."""
    random = np.random.default_rng(seed)
    dense = random.random((n, d)) * (random.random((n, d)) < random.random(d) ** 2)
    labels = random.integers(0, 4, n)
    scorer = TCFP(context=context, min_co=min_co).fit(dense, labels).to_scorer()
    assert isinstance(scorer, TCFPScorer)
    queries = random.random((40, d)) * (random.random((40, d)) < 0.3)
    return scorer, CSR.of(sparse.csr_matrix(queries)), dense, labels


def fresh(scorer: TCFPScorer) -> TCFPScorer:
    return TCFPScorer(scorer.coefficients, scorer.partners, scorer.context)


def by_kernels(scorer: TCFPScorer, rows: CSR, n_jobs: int, rows_a_slice: int = 3, **changed: Any) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tcfp_scorer, "FEW_PARTNERS", -1)
        patch.setattr(tcfp_scorer, "_ROWS_PER_TASK", rows_a_slice)
        for name, value in changed.items():
            patch.setattr(tcfp_scorer, name, value)
        return fresh(scorer).scores(rows, n_jobs)


@given(st.integers(0, 10_000), st.sampled_from(CONTEXTS), st.integers(1, 3))
def test_numpy_and_kernels_give_the_same_bits(seed: int, context: str, min_co: int) -> None:
    scorer, rows, _, _ = scorer_of(seed, context, min_co=min_co)
    few = scorer.scores(rows)
    for n_jobs, share, most_ranks in ((1, 0.7, 65536), (2, 0.0, 65536), (1, 2.0, 65536), (2, 0.5, 0)):
        many = by_kernels(scorer, rows, n_jobs, TABLE_SHARE=share, MAX_RANKS=most_ranks)
        assert many.tobytes() == few.tobytes()


@given(st.integers(0, 10_000), st.sampled_from(CONTEXTS))
def test_contributions_add_up_to_the_score(seed: int, context: str) -> None:
    scorer, rows, _, _ = scorer_of(seed, context)
    scores = scorer.scores(rows)
    for (begin, end), score in zip(pairwise(rows.indptr.tolist()), scores, strict=True):
        total = np.zeros(scorer.n_outputs)
        for part in scorer.contributions(rows.indices[begin:end], rows.data[begin:end]):
            total = total + part
        assert (total + scorer.intercepts).tobytes() == score.tobytes()


@given(st.integers(0, 10_000), st.sampled_from(CONTEXTS), st.lists(st.integers(0, 40), max_size=3))
def test_scores_do_not_depend_on_batches(seed: int, context: str, cuts: list[int]) -> None:
    scorer, rows, _, _ = scorer_of(seed, context)
    whole = scorer.scores(rows)
    parts = [rows.matrix()[begin:end] for begin, end in pairwise([0, *sorted(cuts), 40])]
    assert np.vstack([scorer.scores(CSR.of(part)) for part in parts]).tobytes() == whole.tobytes()
    assert np.vstack([by_kernels(scorer, CSR.of(part), 1) for part in parts]).tobytes() == whole.tobytes()


@pytest.mark.parametrize("context", CONTEXTS)
def test_factors_equal_the_twin(context: str) -> None:
    scorer, rows, dense, labels = scorer_of(11, context)
    of_pair = twin.factors(dense.tolist(), [[label] for label in labels.tolist()], 4)
    right = [twin.in_context(row, of_pair, context) for row in rows.matrix().toarray().tolist()]
    weights = scorer.in_context(rows).matrix().toarray()
    assert weights == pytest.approx(np.array(right), rel=1e-6)
    assert ((weights != 0) == (rows.matrix().toarray() != 0)).all()


def test_partner_lists_are_sorted_and_complete() -> None:
    both, _, dense, labels = scorer_of(12, "best")
    once, _, _, _ = scorer_of(12, "mean")
    of_pair = twin.factors(dense.tolist(), [[label] for label in labels.tolist()], 4)
    pair_factors: dict[str, dict[tuple[int, int], float]] = {"best": {}, "mean": {}}
    doc_freq = (dense != 0).sum(axis=0)
    for scorer in (both, once):
        for term in range(scorer.n_terms):
            terms, ends, factors = scorer.partners.of(term)
            assert (np.diff(factors) <= 0).all()
            assert np.unique(terms).size == terms.size
            of_partner = np.repeat(factors, np.diff(ends, prepend=0))
            for other, factor in zip(terms.tolist(), of_partner.tolist(), strict=True):
                pair_factors[scorer.context][term, other] = factor
                if scorer is once:
                    assert (doc_freq[term], -term) < (doc_freq[other], -other)
            rank = [
                (-factor, -doc_freq[other], other) for factor, other in zip(of_partner, terms.tolist(), strict=True)
            ]
            assert rank == sorted(rank)
    assert pair_factors["best"] == pytest.approx(of_pair)
    assert {tuple(sorted(pair)) for pair in pair_factors["mean"]} == {tuple(sorted(pair)) for pair in of_pair}
    assert len(pair_factors["mean"]) * 2 == len(of_pair)


@pytest.mark.parametrize("context", CONTEXTS)
def test_partners_do_not_depend_on_the_order_of_documents(context: str) -> None:
    scorer, _, dense, labels = scorer_of(19, context)
    order = np.random.default_rng(0).permutation(len(labels))
    other = TCFP(context=context).fit(dense[order], labels[order]).to_scorer()
    for name, array in scorer.stored_arrays().items():
        assert array.tobytes() == other.stored_arrays()[name].tobytes()


@pytest.mark.parametrize("context", CONTEXTS)
def test_documents_with_many_terms(context: str) -> None:
    """The documents have more than 200 terms, for which the kernel scans lists instead of using the table."""
    scorer, _, _, _ = scorer_of(21, context, n=90, d=500)
    random = np.random.default_rng(21)
    queries = random.random((6, 500)) * (random.random((6, 500)) < [[0.01], [0.3], [0.39], [0.41], [0.6], [1.0]])
    rows = CSR.of(sparse.csr_matrix(queries))
    assert rows.sizes.min() < 20
    assert rows.sizes.max() == 500
    few = scorer.scores(rows)
    for share in (0.0, 0.3, 0.7):
        assert by_kernels(scorer, rows, 1, TABLE_SHARE=share).tobytes() == few.tobytes()


@pytest.mark.parametrize("context", CONTEXTS)
def test_unused_terms_change_nothing(context: str) -> None:
    """With thousands of terms, the short lists are sorted by another algorithm."""
    scorer, rows, dense, labels = scorer_of(20, context)
    columns = np.arange(25) * 100 + 7
    wide = np.zeros((len(dense), 2600))
    wide[:, columns] = dense
    widened = TCFP(context=context).fit(sparse.csr_matrix(wide), labels).to_scorer()
    assert isinstance(widened, TCFPScorer)
    for term in range(25):
        own, ends, factors = widened.partners.of(columns[term])
        right, right_ends, right_factors = scorer.partners.of(term)
        assert own.tolist() == columns[right].tolist()
        assert ends.tolist() == right_ends.tolist()
        assert factors.tolist() == right_factors.tolist()
    spread = rows._replace(indices=columns[rows.indices], n_columns=2600)
    assert widened.scores(spread).tobytes() == scorer.scores(rows).tobytes() == by_kernels(widened, spread, 1).tobytes()


@pytest.mark.slow
@pytest.mark.parametrize("context", CONTEXTS)
def test_partners_of_four_bytes_give_the_same_scores(context: str, monkeypatch: pytest.MonkeyPatch) -> None:
    narrow, rows, _, _ = scorer_of(13, context)
    for module in (tcfp_module, tcfp_scorer):
        monkeypatch.setattr(module, "partner_type", lambda n_terms: np.int32)
    wide, _, _, _ = scorer_of(13, context)
    assert narrow.partners.terms.dtype == np.uint16
    assert wide.partners.terms.dtype == np.int32
    assert wide.stored_arrays()["partners"].dtype == np.int32
    assert wide.scores(rows).tobytes() == narrow.scores(rows).tobytes() == by_kernels(wide, rows, 2).tobytes()
    again = TCFPScorer.restore(wide.stored_settings(), wide.stored_arrays(), 25, 4)
    assert again.scores(rows).tobytes() == wide.scores(rows).tobytes()


def test_the_type_of_partners_depends_on_the_number_of_terms() -> None:
    assert tcfp_scorer.partner_type(65_536) is np.uint16
    assert tcfp_scorer.partner_type(65_537) is np.int32


# -- storing and restoring -----------------------------------------------------------------------------------------

KINDS = {np.dtype(kind) for kind in (np.uint8, np.int32, np.int64, np.float32, np.float64)}


@pytest.mark.parametrize("context", CONTEXTS)
def test_a_restored_scorer_scores_the_same(context: str) -> None:
    scorer, rows, _, _ = scorer_of(14, context)
    arrays = scorer.stored_arrays()
    assert {array.dtype for array in arrays.values()} <= KINDS
    assert all(array.flags.c_contiguous for array in arrays.values())
    assert scorer.stored_settings() == {"context": context}
    frozen = {name: np.frombuffer(array.tobytes(), array.dtype).reshape(array.shape) for name, array in arrays.items()}
    again = TCFPScorer.restore(scorer.stored_settings(), frozen, 25, 4)
    assert again.scores(rows).tobytes() == scorer.scores(rows).tobytes()
    assert by_kernels(again, rows, 2).tobytes() == scorer.scores(rows).tobytes()
    odd = np.frombuffer(b"x" + arrays["partners"].tobytes(), np.uint8)[1:]  # two-byte numbers at an odd address
    assert TCFPScorer.restore(scorer.stored_settings(), frozen | {"partners": odd}, 25, 4).partners.terms.flags.aligned


def arrays_with(scorer: TCFPScorer, name: str, place: Any, value: Any) -> dict[str, Any]:
    arrays = {key: array.copy() for key, array in scorer.stored_arrays().items()}
    arrays[name][place] = value
    return arrays


@pytest.mark.parametrize(
    ("name", "place", "value", "words"),
    [
        ("coefficients", (0, 0), np.nan, "coefficients are not all finite"),
        ("coefficients", (3, 1), np.inf, "coefficients are not all finite"),
        ("partner_indptr", 0, 1, "partner_indptr does not go from 0"),
        ("partner_indptr", -1, 1 << 40, "partner_indptr does not go from 0"),
        ("partner_indptr", 3, 1 << 40, "partner_indptr does not go from 0"),
        ("partner_indptr", 3, -5, "partner_indptr does not go from 0"),
        ("partners", 1, 255, "partners has numbers that are not from 0 to 24"),
        ("partners", 0, 25, "partners has numbers that are not from 0 to 24"),
        ("run_indptr", 0, -1, "run_indptr does not go from 0"),
        ("run_indptr", 5, 1 << 50, "run_indptr does not go from 0"),
        ("run_ends", 0, 0, "run_ends do not ascend"),
        ("run_ends", 1, -(1 << 31), "run_ends do not ascend"),
        ("run_ends", -1, (1 << 31) - 1, "run_ends does not end where"),
        ("run_factors", 0, 1.5, "run_factors has factors that are not from"),
        ("run_factors", 0, 0.0, "run_factors has factors that are not from"),
        ("run_factors", 2, np.nan, "run_factors has factors that are not from"),
        ("run_factors", 2, -np.inf, "run_factors has factors that are not from"),
    ],
)
def test_invalid_values_of_stored_arrays_raise(name: str, place: Any, value: Any, words: str) -> None:
    scorer, _, _, _ = scorer_of(15, "best")
    with pytest.raises(InputError, match=words):
        TCFPScorer.restore(scorer.stored_settings(), arrays_with(scorer, name, place, value), 25, 4)


def test_invalid_stored_settings_types_and_shapes_raise() -> None:
    scorer, _, _, _ = scorer_of(16, "mean")
    arrays = scorer.stored_arrays()
    for header in ({}, {"context": "worst"}, {"context": None}, {"context": ["best"]}, {"context": "best", "more": 1}):
        with pytest.raises(InputError):
            TCFPScorer.restore(header, arrays, 25, 4)
    for name, array in arrays.items():
        for other in (None, array.astype(np.float16), array[:-1], array.reshape(1, *array.shape)):
            changed = {key: part for key, part in (arrays | {name: other}).items() if part is not None}
            with pytest.raises(InputError):
                TCFPScorer.restore(scorer.stored_settings(), changed, 25, 4)
    for n_terms, n_outputs in ((24, 4), (26, 4), (25, 3), (25, 1), (0, 0)):
        with pytest.raises(InputError):
            TCFPScorer.restore(scorer.stored_settings(), arrays, n_terms, n_outputs)
    many = np.zeros(60, np.uint8)  # 30 partners of one term, where there are 25 terms
    starts = np.r_[0, np.full(25, 30)]
    long = arrays | {"partner_indptr": starts, "partners": many, "run_indptr": np.r_[0, np.ones(25, np.int64)]}
    long |= {"run_ends": np.array([30], np.int32), "run_factors": np.ones(1, np.float32)}
    with pytest.raises(InputError, match="more partners than there are"):
        TCFPScorer.restore(scorer.stored_settings(), long, 25, 4)


def test_rows_of_another_width_raise() -> None:
    scorer, rows, _, _ = scorer_of(17, "best")
    with pytest.raises(InputError, match="The rows have 26 columns, but there are 25 terms"):
        scorer.scores(rows._replace(n_columns=26))


def test_no_rows_and_empty_rows() -> None:
    for context in CONTEXTS:
        scorer, rows, _, _ = scorer_of(18, context)
        none = CSR.of(rows.matrix()[:0])
        empty = CSR.of(sparse.csr_matrix((3, 25)))
        assert scorer.scores(none).shape == by_kernels(scorer, none, 2).shape == (0, 4)
        assert not scorer.scores(empty).any()
        assert not by_kernels(scorer, empty, 2).any()
        assert scorer.contributions(np.zeros(0, np.int32), np.zeros(0)).shape == (0, 4)
    assert scorer.term_strengths() is scorer.coefficients


LIGHT = """
import sys
import numpy as np
from textsieve.classifiers.tcfp_scorer import TCFPScorer
from textsieve.arrays import CSR
arrays = {"coefficients": np.eye(3, 2, dtype=np.float32), "partner_indptr": np.array([0, 1, 2, 2]),
    "partners": np.array([1, 0, 0, 0], np.uint8), "run_indptr": np.array([0, 1, 2, 2]),
    "run_ends": np.array([1, 1], np.int32), "run_factors": np.array([0.5, 0.5], np.float32)}
scorer = TCFPScorer.restore({"context": sys.argv[1]}, arrays, 3, 2)
scores = scorer.scores(CSR(np.array([2.0, 4.0]), np.array([0, 1]), np.array([0, 2]), 3))
assert scores.tolist() == [[3.0, 6.0]], scores
scorer.contributions(np.array([0, 1]), np.array([2.0, 4.0]))
print(" ".join(sorted({name.partition(".")[0] for name in sys.modules})))
"""


@pytest.mark.parametrize("context", CONTEXTS)
def test_scoring_a_document_imports_numpy_only(context: str) -> None:
    if context == "mean":
        code = LIGHT.replace("[0, 1, 2, 2]", "[0, 1, 1, 1]").replace("[1, 0, 0, 0]", "[1, 0]")
        code = code.replace("[1, 1], np.int32", "[1], np.int32").replace("[0.5, 0.5]", "[0.5]")
    else:
        code = LIGHT
    done = subprocess.run([sys.executable, "-W", "error", "-c", code, context], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert not set(done.stdout.split()) & {"sklearn", "numba", "llvmlite", "scipy"}
