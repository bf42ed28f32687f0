"""The nearest documents equal those of computing every cosine, although most cosines are not computed."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse
from tests.reference import neighbours_twin as twin

from textsieve import neighbours
from textsieve.arrays import CSR
from textsieve.kernels import neighbours as kernels
from textsieve.neighbours import cosines_of, index_of, matches, nearest, nearest_of, postings_of, rows_in, unit_rows

values = st.sampled_from([0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 2.0, 0.5, 1 / 3, -1.0, 1e-9, 700.0])
shares = st.sampled_from([1, 2, 5, 1000])  # from "no term is frequent" to "all are"


def rows_of(dense: Any) -> CSR:
    return CSR.of(sparse.csr_matrix(np.array(dense, np.float64)))


@st.composite
def tables(draw: st.DrawFn, max_rows: int = 12) -> tuple[Any, Any]:
    """Draw documents and queries, many of them equal or empty."""
    n_terms = draw(st.integers(1, 6))
    row = st.lists(values, min_size=n_terms, max_size=n_terms)
    some = draw(st.lists(row, min_size=1, max_size=4))
    any_row = st.one_of(st.sampled_from(some), row)
    return draw(st.lists(any_row, min_size=1, max_size=max_rows)), draw(st.lists(any_row, min_size=1, max_size=5))


def search(
    documents: CSR, queries: CSR, k: int, share: int, **options: Any
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Return the nearest documents and their cosines, with another limit for frequent terms and small slices."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernels, "SHARE", share)
        patch.setattr(neighbours, "_SLICE", 2)
        return nearest(index_of(postings_of(documents)), unit_rows(queries), k, threads=2, **options)


@given(tables(), st.integers(1, 15), shares, st.booleans())
def test_nearest_equals_computing_every_cosine(case: tuple[Any, Any], k: int, share: int, everyone: bool) -> None:
    dense, queries = case
    nearest_documents, cosines = search(rows_of(dense), rows_of(queries), k, share, everyone=everyone)
    for row, query in enumerate(queries):
        expected = twin.nearest(twin.unit(query), twin.kept(dense), k, everyone=everyone)
        assert nearest_documents[row].tolist() == [number for _, number in expected] + [-1] * (k - len(expected))
        assert cosines[row].tolist() == [cosine for cosine, _ in expected] + [0.0] * (k - len(expected))


@given(tables(), st.integers(1, 15))
def test_the_numpy_path_finds_the_same_documents(case: tuple[Any, Any], k: int) -> None:
    dense, queries = case
    postings, rows = postings_of(rows_of(dense)), unit_rows(rows_of(queries))
    for number, (begin, end) in enumerate(pairwise(rows.indptr.tolist())):
        cosines = cosines_of(postings, matches(postings, rows.indices[begin:end]), rows.data[begin:end])
        assert cosines.tolist() == [twin.cosine(twin.unit(queries[number]), document) for document in twin.kept(dense)]
        expected = twin.nearest(twin.unit(queries[number]), twin.kept(dense), k)
        assert nearest_of(cosines, k).tolist() == sorted(document for _, document in expected)


@given(tables(), st.integers(1, 5), shares, st.data())
def test_groups_determine_which_documents_take_part(
    case: tuple[Any, Any], k: int, share: int, data: st.DataObject
) -> None:
    dense, _ = case
    n = len(dense)
    groups = np.array(data.draw(st.lists(st.integers(-1, 2), min_size=n, max_size=n)), np.int32)
    own_groups = np.array(data.draw(st.lists(st.integers(-1, 2), min_size=n, max_size=n)), np.int32)
    nearest_documents, _ = search(rows_of(dense), rows_of(dense), k, share, groups=groups, own_groups=own_groups)
    for row in range(n):
        expected = twin.nearest(twin.unit(dense[row]), twin.kept(dense), n)
        allowed = [number for _, number in expected if groups[number] not in (-1, own_groups[row])][:k]
        assert nearest_documents[row].tolist() == allowed + [-1] * (k - len(allowed))


def text_like(n_documents: int, n_terms: int, seed: int) -> sparse.csr_matrix:
    """Return documents with few frequent and many rare terms; some are copies of others."""
    random = np.random.default_rng(seed)
    columns = random.zipf(1.3, (n_documents, 30)) % n_terms
    rows = np.repeat(np.arange(n_documents), 30)
    matrix = sparse.csr_matrix((random.random(columns.size), (rows, columns.ravel())), shape=(n_documents, n_terms))
    matrix.sum_duplicates()
    return sparse.csr_matrix(matrix[random.choice(n_documents, n_documents)])


@pytest.mark.parametrize(("k", "share"), [(1, 5), (3, 5), (30, 5), (30, 2), (30, 50), (100, 5), (700, 5)])
def test_nearest_among_many_documents(k: int, share: int) -> None:
    documents, others = rows_of(text_like(600, 400, 1).toarray()), rows_of(text_like(60, 400, 2).toarray())
    nearest_documents, nearest_cosines = search(documents, others, k, share)
    postings, queries = postings_of(documents), unit_rows(others)
    for row, (begin, end) in enumerate(pairwise(queries.indptr.tolist())):
        cosines = cosines_of(postings, matches(postings, queries.indices[begin:end]), queries.data[begin:end])
        expected = np.argsort(-cosines, kind="stable")[:k]
        expected = expected[cosines[expected] > 0.0]
        assert nearest_documents[row, : len(expected)].tolist() == expected.tolist()
        assert nearest_cosines[row, : len(expected)].tolist() == cosines[expected].tolist()
        assert (nearest_documents[row, len(expected) :] == -1).all()


@given(tables())
def test_cosines_are_symmetric(case: tuple[Any, Any]) -> None:
    documents = rows_of(case[0])
    n = documents.n_rows
    index = index_of(postings_of(documents))
    result = nearest(index, rows_in(index), n, threads=1)
    cosines = np.zeros((n, n))
    for row in range(n):
        is_neighbour = result.documents[row] >= 0
        cosines[row, result.documents[row, is_neighbour]] = result.cosines[row, is_neighbour]
    assert (cosines == cosines.T).all()


@pytest.mark.parametrize("factor", [1e-300, 1e-160, 1.0, 1e160, 1e300])
def test_the_size_of_weights_does_not_matter(factor: float) -> None:
    rows = unit_rows(rows_of(np.array([[3.0, 4.0, 0.0], [0, 0, 0], [0, 0, 2.0], [1e-8, 0, 1.0]]) * factor))
    assert rows.matrix().toarray() == pytest.approx(np.array([[0.6, 0.8, 0], [0, 0, 0], [0, 0, 1], [1e-8, 0, 1]]))


@given(st.lists(st.lists(values, min_size=4, max_size=4), min_size=1, max_size=6), st.data())
def test_rows_are_scaled_the_same_in_any_batch(dense: Any, data: st.DataObject) -> None:
    extreme = [[value * data.draw(st.sampled_from([1.0, 1.0, 1e-200, 1e200])) for value in row] for row in dense]
    together = unit_rows(rows_of(extreme)).data.tobytes()
    assert b"".join(unit_rows(rows_of([row])).data.tobytes() for row in extreme) == together


def test_empty_documents_and_queries() -> None:
    nothing = rows_of(np.zeros((3, 2)))
    index = index_of(postings_of(nothing))
    assert nearest(index, unit_rows(nothing), 2, threads=1).documents.tolist() == [[-1, -1]] * 3
    everyone = nearest(index, unit_rows(nothing), 2, threads=1, everyone=True)
    assert everyone.documents.tolist() == [[0, 1]] * 3
    assert not everyone.cosines.any()
    assert nearest(index, unit_rows(rows_of(np.zeros((0, 2)))), 2, threads=2).documents.shape == (0, 2)
