"""The weights equal the formulas for every combination; matrices stay sparse, and input is not changed."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import coo_matrix, csc_matrix, csr_array, csr_matrix, vstack
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfTransformer
from tests.depth import few_examples
from tests.reference.text_twins import weights_of

from textsieve import TermCounter, TermWeighter
from textsieve.errors import InputError
from textsieve.text.weights import INVERSE_FREQUENCIES, NORMS, TERM_FREQUENCIES

COMBINATIONS = list(product(["tf", "binary", "log", "loglog"], ["none", "plain", "smooth"], ["l2", "l1", "none"]))
every_combination = pytest.mark.parametrize(("tf", "idf", "norm"), COMBINATIONS)

COUNTS = np.array([[3, 0, 1, 0, 1], [0, 0, 1, 0, 2], [0, 0, 0, 0, 0], [1, 2, 1, 0, 0], [9, 0, 1, 0, 1]])
NEW = np.array([[1, 1, 1, 4, 1], [0, 0, 0, 0, 0], [0, 7, 0, 0, 0], [0, 0, 2, 0, 0]])


def fitted_weights(weighter: Any, counts: Any) -> csr_matrix:
    """Return the weights of the documents that are fitted."""
    weights = weighter.fit_transform(counts)
    assert isinstance(weights, csr_matrix)
    return weights


def test_all_combinations_are_tested() -> None:
    assert list(product(TERM_FREQUENCIES, INVERSE_FREQUENCIES, NORMS)) == COMBINATIONS


def matrices(n_columns: int) -> st.SearchStrategy[np.ndarray[Any, np.dtype[np.int64]]]:
    """Return a strategy for small tables of counts, mostly zeros."""
    values = st.sampled_from([0, 0, 0, 1, 1, 2, 3, 7, 1000])
    return st.integers(1, 7).flatmap(lambda n_rows: arrays(np.int64, (n_rows, n_columns), elements=values))


def expected_of(rows: Any, fitted: Any, **names: str) -> Any:
    """Return the weights of dense tables by the slow twin."""
    return np.array(weights_of(rows.tolist(), fitted.tolist(), **names))


@few_examples
@given(data=st.data())
def test_weights_are_the_formulas(data: st.DataObject) -> None:
    n_columns = data.draw(st.integers(1, 6))
    fitted, others = data.draw(matrices(n_columns)), data.draw(matrices(n_columns))
    for tf, idf, norm in COMBINATIONS:
        names = {"tf": tf, "idf": idf, "norm": norm}
        weighter = TermWeighter(**names).fit(csr_matrix(fitted))
        for rows in (fitted, others):
            weights = weighter.transform(csr_matrix(rows)).toarray()
            expected = expected_of(rows, fitted, **names)
            np.testing.assert_allclose(weights, expected, rtol=1e-12, atol=1e-15, err_msg=str(names))
        assert weighter.doc_freq_.tolist() == (fitted != 0).sum(axis=0).tolist()
        assert weighter.n_documents_ == len(fitted)
        assert weighter.n_features_in_ == n_columns


@few_examples
@given(data=st.data())
def test_partial_fit_is_fit_on_all_also_when_columns_come_later(data: st.DataObject) -> None:
    widths = sorted(data.draw(st.lists(st.integers(1, 6), min_size=1, max_size=4)))
    parts = [csr_matrix(data.draw(matrices(width))) for width in widths]
    together = csr_matrix(
        vstack([csr_matrix((p.data, p.indices, p.indptr), shape=(p.shape[0], widths[-1])) for p in parts])
    )
    for tf, idf, norm in COMBINATIONS:
        growing = TermWeighter(tf=tf, idf=idf, norm=norm)
        for part in parts:
            growing.partial_fit(part)
            assert growing.transform(part).shape == part.shape
        at_once = TermWeighter(tf=tf, idf=idf, norm=norm).fit(together)
        assert growing.idf_.tobytes() == at_once.idf_.tobytes()
        assert growing.doc_freq_.tolist() == at_once.doc_freq_.tolist()
        assert growing.n_documents_ == at_once.n_documents_
        assert growing.transform(together).data.tobytes() == at_once.transform(together).data.tobytes(), growing


@pytest.mark.parametrize("tf", ["tf", "log"])
@pytest.mark.parametrize("idf", ["none", "smooth"])
@pytest.mark.parametrize("norm", ["l2", "l1", "none"])
@few_examples
@given(counts=matrices(5))
def test_weights_are_sklearns(tf: str, idf: str, norm: str, counts: np.ndarray[Any, np.dtype[np.int64]]) -> None:
    theirs = TfidfTransformer(
        sublinear_tf=tf == "log", use_idf=idf == "smooth", smooth_idf=True, norm=None if norm == "none" else norm
    ).fit_transform(csr_matrix(counts))
    ours = fitted_weights(TermWeighter(tf=tf, idf=idf, norm=norm), csr_matrix(counts))
    assert ours.dtype == theirs.dtype
    np.testing.assert_allclose(ours.toarray(), theirs.toarray(), rtol=1e-12, atol=1e-15)


def test_weights_of_real_text_are_sklearns(newsgroups: tuple[list[str], list[str]]) -> None:
    counts = TermCounter().fit_transform(newsgroups[0][:1500])
    ours = fitted_weights(TermWeighter(), counts)
    theirs = TfidfTransformer(sublinear_tf=True).fit_transform(counts)
    assert np.array_equal(ours.indices, theirs.indices)
    np.testing.assert_allclose(ours.data, theirs.data, rtol=1e-12)


def test_the_default_is_log_smooth_l2() -> None:
    assert TermWeighter().get_params() == {"tf": "log", "idf": "smooth", "norm": "l2"}


@every_combination
@pytest.mark.parametrize("kind", [csr_matrix, csc_matrix, coo_matrix, csr_array, np.asarray, np.ndarray.tolist])
def test_any_kind_of_matrix(tf: str, idf: str, norm: str, kind: Any) -> None:
    weighter = TermWeighter(tf=tf, idf=idf, norm=norm).fit(kind(COUNTS))
    weights = weighter.transform(kind(NEW))
    assert isinstance(weights, csr_matrix)
    np.testing.assert_allclose(
        weights.toarray(), expected_of(NEW, COUNTS, tf=tf, idf=idf, norm=norm), rtol=1e-12, atol=1e-15
    )


def stored_zeros() -> csr_matrix:
    """Return COUNTS with three stored zeros."""
    rows, columns = np.array([0, 1, 2]), np.array([1, 3, 0])
    places = COUNTS.nonzero()
    values = np.concatenate([COUNTS[places], np.zeros(3, np.int64)])
    where = np.concatenate([places[0], rows]), np.concatenate([places[1], columns])
    matrix = csr_matrix(coo_matrix((values, where), shape=COUNTS.shape))
    assert matrix.nnz == np.count_nonzero(COUNTS) + 3
    return matrix


@every_combination
def test_a_stored_zero_does_not_count_as_an_occurrence(tf: str, idf: str, norm: str) -> None:
    weighter = TermWeighter(tf=tf, idf=idf, norm=norm).fit(stored_zeros())
    expected = expected_of(COUNTS, COUNTS, tf=tf, idf=idf, norm=norm)
    assert weighter.doc_freq_.tolist() == (COUNTS != 0).sum(axis=0).tolist()
    np.testing.assert_allclose(weighter.transform(stored_zeros()).toarray(), expected, rtol=1e-12, atol=1e-15)


@every_combination
def test_a_count_may_be_stored_in_parts_and_out_of_order(tf: str, idf: str, norm: str) -> None:
    in_parts = csr_matrix((np.array([1, 4, 2, 1, 1]), np.array([2, 0, 2, 1, 1]), np.array([0, 3, 5])), shape=(2, 3))
    dense = np.array([[4, 0, 3], [0, 2, 0]])
    weighter = TermWeighter(tf=tf, idf=idf, norm=norm).fit(in_parts)
    assert weighter.doc_freq_.tolist() == [1, 1, 1]
    np.testing.assert_allclose(
        weighter.transform(in_parts).toarray(), expected_of(dense, dense, tf=tf, idf=idf, norm=norm), rtol=1e-12
    )
    assert in_parts.indices.tolist() == [2, 0, 2, 1, 1]
    assert in_parts.data.tolist() == [1, 4, 2, 1, 1]


@every_combination
@pytest.mark.parametrize("kind", [np.int64, np.float64, np.float32, np.uint8])
def test_transform_does_not_change_its_input(tf: str, idf: str, norm: str, kind: type[np.number]) -> None:
    counts = csr_matrix(COUNTS.astype(kind))
    before = counts.copy()
    weighter = TermWeighter(tf=tf, idf=idf, norm=norm)
    weights = fitted_weights(weighter, counts)
    weights.data[:] = -1
    weights.indices[:] = 0
    weights.indptr[1:] = 0
    for part in ("data", "indices", "indptr"):
        assert np.array_equal(getattr(counts, part), getattr(before, part))
    assert weighter.transform(counts).dtype == (np.float32 if counts.dtype == np.float32 else np.float64)


def test_only_stored_values_are_touched() -> None:
    wide = csr_matrix((np.ones(50), (np.arange(50), np.arange(50) * 1000)), shape=(200_000, 50_000))
    assert fitted_weights(TermWeighter(), wide).nnz == 50  # dense, it would take 80 GB


@pytest.mark.parametrize("idf", ["none", "plain", "smooth"])
def test_empty_rows_and_columns_stay_empty(idf: str) -> None:
    empty = csr_matrix(np.zeros((3, 4), np.int64))
    weighter = TermWeighter(idf=idf).fit(empty)
    assert np.isfinite(weighter.idf_).all()
    assert weighter.transform(empty).nnz == 0
    assert np.isfinite(weighter.transform(csr_matrix(np.ones((1, 4)))).data).all()


@pytest.mark.parametrize("idf", ["none", "plain", "smooth"])
@pytest.mark.parametrize("norm", ["l2", "l1", "none"])
def test_log_refuses_negative_counts(idf: str, norm: str) -> None:
    bad = csr_matrix([[1, -2], [0, 1]])
    weighter = TermWeighter(tf="log", idf=idf, norm=norm)
    for method in ("fit", "partial_fit", "fit_transform"):
        with pytest.raises(InputError, match=r"Negative values.*-2.*tf='tf'"):
            getattr(weighter, method)(bad)
    with pytest.raises(InputError, match="Negative values"):
        weighter.fit(csr_matrix([[1, 2]])).transform(bad)
    weights = fitted_weights(TermWeighter(tf="tf", idf="none", norm=norm), bad)
    assert (weights.toarray() < 0).tolist() == [[False, True], [False, False]]


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_nan_and_infinity_raise_an_error(bad: float) -> None:
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        TermWeighter().fit(csr_matrix([[1.0, bad]]))


@pytest.mark.parametrize(("name", "allowed"), [("tf", TERM_FREQUENCIES), ("idf", INVERSE_FREQUENCIES), ("norm", NORMS)])
@pytest.mark.parametrize("bad", ["ltc", "", "L2", "TF"])
def test_a_wrong_name_lists_the_right_ones(name: str, allowed: Any, bad: str) -> None:
    for method in ("fit", "partial_fit", "fit_transform"):
        with pytest.raises(InputError, match=f"^{name}='{bad}'; use one of") as caught:
            getattr(TermWeighter(**{name: bad}), method)(csr_matrix(COUNTS))
        assert all(repr(value) in str(caught.value) for value in allowed)


def test_not_fitted_and_wrong_widths() -> None:
    with pytest.raises(NotFittedError):
        TermWeighter().transform(csr_matrix(COUNTS))
    weighter = TermWeighter().fit(csr_matrix(COUNTS))
    for wrong in (COUNTS[:, :4], np.hstack([COUNTS, COUNTS])):
        with pytest.raises(ValueError, match="features"):
            weighter.transform(csr_matrix(wrong))
    with pytest.raises(ValueError, match="features"):
        weighter.partial_fit(csr_matrix(COUNTS[:, :4]))


def test_a_batch_that_is_refused_leaves_the_weighter_as_it_was() -> None:
    weighter = TermWeighter().fit(csr_matrix(COUNTS))
    before = weighter.transform(csr_matrix(NEW)).toarray()
    with pytest.raises(InputError, match="Negative"):
        weighter.partial_fit(csr_matrix(-np.ones((2, 9))))
    with pytest.raises(ValueError, match="NaN"):
        weighter.partial_fit(csr_matrix(np.full((2, 9), np.nan)))
    assert np.array_equal(weighter.transform(csr_matrix(NEW)).toarray(), before)
    assert weighter.n_features_in_ == 5


def test_weights_follow_a_growing_counter() -> None:
    counter, weighter = TermCounter(), TermWeighter()
    batches = [["ab cd ab", "cd"], ["ef ab", "gh gh gh"], ["cd ij"]]
    for batch in batches:
        weighter.partial_fit(counter.partial_fit_transform(batch))
    documents = [text for batch in batches for text in batch]
    counts = counter.transform(documents)
    assert np.array_equal(weighter.transform(counts).data, fitted_weights(TermWeighter(), counts).data)
