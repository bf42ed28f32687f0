"""DROP1 to DROP5 compared with their slow twins on documents with many ties, and edge cases."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from tests.reference import drop_twin, neighbours_twin
from textsieve import InputError, reducers
from textsieve.arrays import CSR
from textsieve.reducers import DROP, VARIANTS

ANY_WARNING = pytest.mark.filterwarnings("ignore")
values = st.sampled_from([0.0, 0.0, 1.0, 1.0, 2.0, 0.5, 1 / 3, -1.0])


@st.composite
def collections(draw: st.DrawFn) -> tuple[list[list[float]], list[int]]:
    """Draw a few different documents, repeat them, and give the copies labels that may disagree."""
    n_terms = draw(st.integers(1, 5))
    row = st.lists(values, min_size=n_terms, max_size=n_terms)
    some = draw(st.lists(row, min_size=1, max_size=6))
    rows = draw(st.lists(st.one_of(st.sampled_from(some), row), min_size=2, max_size=16))
    labels = draw(st.lists(st.integers(0, 2), min_size=len(rows), max_size=len(rows)))
    return rows, [0, 1, *labels[2:]]


def kept_documents(variant: int, rows: Any, labels: Any, k: int = 3, spare: int = 32) -> list[int]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reducers, "_SPARE", spare)
        documents = DROP(variant=variant, k=k, n_jobs=2).fit(np.array(rows), labels).sample_indices_
    assert documents.dtype == np.int64
    return list(documents)


@ANY_WARNING
@given(collections(), st.sampled_from(sorted(VARIANTS)), st.integers(1, 6), st.sampled_from([0, 1, 32]))
def test_drop_keeps_the_documents_of_the_slow_twin(case: Any, variant: int, k: int, spare: int) -> None:
    rows, labels = case
    assert kept_documents(variant, rows, labels, k, spare) == drop_twin.reduced(
        neighbours_twin.kept(rows), labels, variant, k
    )


def overlapping(n_documents: int, seed: int, n_classes: int = 4) -> tuple[sparse.csr_matrix, Any]:
    """Return documents of classes that overlap, some of them twice with another label."""
    random = np.random.default_rng(seed)
    labels = random.integers(0, n_classes, n_documents)
    present = random.random((n_documents, 24)) < 0.25
    heavier = 1 + 2 * (np.arange(24) % n_classes == labels[:, None])
    rows = present * random.integers(1, 4, (n_documents, 24)) * heavier
    rows[: n_documents // 10] = rows[-(n_documents // 10) :]
    return sparse.csr_matrix(rows.astype(float)), labels


@ANY_WARNING
@pytest.mark.parametrize(("variant", "seed"), list(product(sorted(VARIANTS), range(3))))
def test_drop_keeps_the_documents_of_the_slow_twin_on_more_documents(variant: int, seed: int) -> None:
    matrix, labels = overlapping(70, seed)
    right = drop_twin.reduced(neighbours_twin.kept(matrix.toarray().tolist()), labels.tolist(), variant, 3)
    for spare in (0, 5, 32):
        assert kept_documents(variant, matrix.toarray(), labels, 3, spare) == right


@ANY_WARNING
@given(collections(), st.integers(1, 4))
def test_noise_is_dropped_and_drop5_leaves_nothing_to_drop(case: Any, k: int) -> None:
    rows, labels = case
    twin = drop_twin.Twin(neighbours_twin.kept(rows), labels, k)
    noise = {document for document in twin.all if not twin.right(document, twin.kept)}
    assert not set(kept_documents(3, rows, labels, k)) & noise
    fewer = twin
    fewer.kept = set(kept_documents(5, rows, labels, k))
    assert not any(
        fewer.can_go(document, fewer.all) for document in fewer.farthest_first()
    )  # it repeats until none can


@pytest.mark.parametrize("variant", sorted(VARIANTS))
def test_the_number_of_threads_changes_nothing(variant: int) -> None:
    matrix, labels = overlapping(300, 9)
    single, threaded = (DROP(variant=variant, n_jobs=n_jobs).fit(matrix, labels).sample_indices_ for n_jobs in (1, 3))
    assert single.tolist() == threaded.tolist()
    assert 0 < len(single) < 300


def test_drop3_on_an_example_computed_by_hand() -> None:
    """The table of docs/explanation/knn.md: documents by their angles; the one at 16 degrees is noise."""
    angles = np.deg2rad([0, 8, 20, 30, 62, 70, 81, 90, 16])
    rows = np.column_stack([np.cos(angles), np.sin(angles)])
    labels = ["a", "a", "a", "a", "b", "b", "b", "b", "b"]
    assert kept_documents(3, rows, labels) == [1, 2, 3, 4, 5, 6]
    collection = reducers.Reduction(CSR.of(sparse.csr_matrix(rows)), np.repeat([0, 1], [4, 5]), 3, threads=1)
    assert collection.noise().tolist() == [8]
    assert collection.sweep(np.array([8]), VARIANTS[3], unconditional=True) == 1
    assert collection.visiting_order("as given").tolist() == [0, 1, 2, 3, 4, 5, 6, 7]
    assert collection.visiting_order("farthest enemy first").tolist() == [0, 7, 1, 6, 2, 5, 3, 4]
    assert collection.visiting_order("nearest enemy first").tolist() == [3, 4, 5, 2, 6, 1, 7, 0]


# -- edges ---------------------------------------------------------------------------------------------------------


def test_fit_resample_returns_the_types_it_was_given() -> None:
    matrix, labels = overlapping(60, 1)
    for form in (sparse.csr_matrix, sparse.csr_array, sparse.csc_matrix, sparse.coo_array, sparse.lil_matrix):
        rows, kept_labels = DROP().fit_resample(form(matrix), labels)
        assert sparse.issparse(rows)
        assert isinstance(rows, sparse.sparray) == issubclass(form, sparse.sparray)
        assert isinstance(kept_labels, np.ndarray)
    sampler = DROP()
    rows, kept_labels = sampler.fit_resample(matrix.toarray(), [str(label) for label in labels])
    assert isinstance(rows, np.ndarray)
    assert (rows == matrix.toarray()[sampler.sample_indices_]).all()
    assert kept_labels == [str(labels[document]) for document in sampler.sample_indices_]
    assert sampler.sample_indices_.tolist() == sorted(set(sampler.sample_indices_.tolist()))


def test_a_class_that_loses_all_documents_warns() -> None:
    rows = [[1.0, 0.1], [1, 0.2], [1, 0.3], [1, 0.15], [0.1, 1], [0.2, 1], [0.3, 1]]
    labels = ["a", "a", "a", "lonely", "b", "b", "b"]
    for learn in (DROP().fit, DROP().fit_resample):
        with pytest.warns(UserWarning, match=r"No document is kept of 1 of 3 classes: \['lonely'\]") as caught:
            learn(rows, labels)
        assert caught[0].filename == __file__


@ANY_WARNING
@pytest.mark.parametrize("variant", sorted(VARIANTS))
def test_documents_without_associates_are_dropped(variant: int) -> None:
    matrix, labels = overlapping(40, 2, n_classes=2)
    more = sparse.block_diag([matrix, [[1.0]], [[0.0]]]).toarray()
    with_them = kept_documents(variant, more, [*labels, 0, 1])
    assert with_them == kept_documents(variant, matrix.toarray(), labels)


@ANY_WARNING
def test_two_documents_that_misclassify_each_other_are_both_dropped() -> None:
    rows, labels = DROP(variant=1).fit_resample([[1.0, 0], [1, 0]], ["a", "b"])
    assert len(rows) == len(labels) == 0


def test_copies_with_the_same_label_need_not_all_stay() -> None:
    rows = [[1.0, 0]] * 6 + [[0, 1.0]] * 6
    documents = kept_documents(3, rows, ["a"] * 6 + ["b"] * 6)
    assert 0 < len([document for document in documents if document < 6]) < 6
    assert 0 < len([document for document in documents if document >= 6]) < 6


def test_unlabelled_documents_are_left_out() -> None:
    matrix, labels = overlapping(40, 3, n_classes=2)
    some: list[Any] = labels.tolist()
    some[5] = some[11] = None
    labelled = [document for document in range(40) if some[document] is not None]
    indices = DROP().fit(matrix, some).sample_indices_
    right = DROP().fit(matrix[labelled], labels[labelled]).sample_indices_
    assert indices.tolist() == [labelled[document] for document in right]


@ANY_WARNING
def test_k_larger_than_the_number_of_other_documents_uses_all_of_them() -> None:
    matrix, labels = overlapping(10, 4, n_classes=2)
    with pytest.warns(UserWarning, match="k=10, but a document has 9 others; all of them are neighbours") as caught:
        sampler = DROP(k=10).fit(matrix, labels)
    assert caught[0].filename == __file__
    assert sampler.sample_indices_.tolist() == DROP(k=9).fit(matrix, labels).sample_indices_.tolist()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"variant": 6}, "variant=6; use one of 1, 2, 3, 4, 5"),
        ({"variant": True}, "variant=True"),
        ({"variant": "3"}, "variant='3'"),
        ({"k": 0}, "k=0; use a number of neighbours from 1"),
        ({"k": 1.5}, r"k=1\.5"),
        ({"n_jobs": 0}, "n_jobs=0"),
    ],
)
def test_invalid_settings_raise(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        DROP(**options).fit_resample(np.eye(2), ["a", "b"])


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["spam", "spam"], "Only one class, 'spam'"),
        ([None, None], "No document has a label"),
        ([["a", "b"], ["a"]], "several labels, but DROP needs one label for each document"),
        (["a"], "2 documents but 1 labels"),
        (np.array([0.5, 0.25]), "continuous"),
        (None, "DROP requires y"),
    ],
)
def test_invalid_labels_raise(labels: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        DROP().fit(np.eye(2), labels)
