"""Vectors: each row equals the figures of estimators that are fitted directly; counts are weighted, weights are not."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.naive_bayes import MultinomialNB
from tests.reference.vectors_twin import AS_GIVEN, ByHand, Estimators, one_label, several_labels

from textsieve import OCFS, TOFA, Corpus, InformationGain, compare, read
from textsieve.classifiers.svm import LinearSVM
from textsieve.comparison import Comparison, Row
from textsieve.errors import InputError
from textsieve.evaluation import folds

LTC = ("log", "plain", "l2")
SVM = ("loglog", "smooth", "l2")
LABELS = ["1", "2", "3"]
Cases = dict[tuple[str, str], Estimators]

OF_COUNTS: Cases = {
    ("ig", "svm"): Estimators(lambda k: InformationGain(k=k), AS_GIVEN, LinearSVM, SVM),
    ("tofa", "nb"): Estimators(lambda k: TOFA(k=k), LTC, lambda: MultinomialNB(alpha=0.01), ("log", "smooth", "l2")),
    ("ocfs", "svm(norm=none,tf=tf)"): Estimators(lambda k: OCFS(k=k), LTC, LinearSVM, ("tf", "smooth", "none")),
}
OF_WEIGHTS: Cases = {
    ("ig", "svm"): Estimators(lambda k: InformationGain(k=k), AS_GIVEN, LinearSVM, AS_GIVEN),
    ("tofa", "nb"): Estimators(lambda k: TOFA(k=k), AS_GIVEN, lambda: MultinomialNB(alpha=0.01), AS_GIVEN),
    ("ocfs", "svm(norm=l2)"): Estimators(lambda k: OCFS(k=k), AS_GIVEN, LinearSVM, ("tf", "none", "l2")),
}


def matrix(n: int, seed: int = 0, *, whole: bool = True) -> tuple[csr_matrix, list[str]]:
    """Return vectors of three classes, each with columns of its own."""
    rng = np.random.default_rng(seed)
    numbers = rng.integers(0, 3, n)
    means = np.full((3, 12), 0.4)
    for number in range(3):
        means[number, 3 * number : 3 * number + 3] = 1.5
    counts = rng.poisson(means[numbers]).astype(float)
    return csr_matrix(counts if whole else counts * rng.random(counts.shape)), [LABELS[number] for number in numbers]


def write_svmlight(path: Path, rows: csr_matrix, labels: list[str], first: int = 1) -> Path:
    lines = [
        " ".join([label, *(f"{column + first}:{row[column]!r}" for column in np.flatnonzero(row).tolist())])
        for label, row in zip(labels, rows.toarray().tolist(), strict=True)
    ]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def assert_same(row: Row, comparison: Comparison, twin: ByHand) -> None:
    assert row.problem is None
    assert (row.micro_f1, row.macro_f1, row.accuracy) == pytest.approx(twin[:3], abs=1e-12)
    (selection,) = [selection for selection in comparison.selections if selection.key == row.key[:3]]
    assert selection.terms is not None
    assert list(selection.terms) == twin.terms


@pytest.mark.parametrize(("whole", "cases"), [(True, OF_COUNTS), (False, OF_WEIGHTS)], ids=["counts", "weights"])
def test_rows_of_a_file_equal_estimators_fitted_by_hand(whole: bool, cases: Cases, tmp_path: Path) -> None:
    rows, labels = matrix(90, whole=whole)
    path = write_svmlight(tmp_path / "x.svm", rows, labels)
    fold_of = folds(labels, 3)
    for (selector, classifier), own in cases.items():
        comparison = compare(path, selectors=selector, classifiers=classifier, n_terms=(3, 7), folds=3, n_jobs=1)
        assert comparison.header["form"] == ("counts" if whole else "weights")
        assert len(comparison.rows) == 6
        for row in comparison.rows:
            assert_same(row, comparison, one_label(rows, labels, fold_of == row.fold, int(row.n_terms), own))
            assert row.model_bytes is not None
            assert row.model_bytes > 100


def test_the_rows_of_a_matrix_in_memory_are_those_of_a_file(tmp_path: Path) -> None:
    rows, labels = matrix(60)
    wanted: Any = {"selectors": "ig,tofa", "n_terms": "4", "classifiers": "svm,rocchio", "folds": 2, "n_jobs": 1}
    of_file = compare(write_svmlight(tmp_path / "x.svm", rows, labels), **wanted)
    for given in (rows, rows.toarray(), rows.astype(np.int64)):
        of_matrix = compare(given, labels, **wanted)
        assert [row.micro_f1 for row in of_matrix.rows] == [row.micro_f1 for row in of_file.rows]
        assert of_matrix.header["fingerprint"] == of_file.header["fingerprint"]


@pytest.mark.parametrize("with_column_0", [(), (0,), (50,), (0, 50)], ids=str)
def test_columns_of_two_files_are_aligned(with_column_0: tuple[int, ...], tmp_path: Path) -> None:
    """If one of two files has a column 0, the columns of both are numbered from 0."""
    rows, labels = matrix(80)
    wide = np.hstack([np.zeros((80, 1)), rows.toarray()])
    wide[list(with_column_0), 0] = 1.0
    as_written = csr_matrix(wide)
    parts = [
        write_svmlight(tmp_path / name, as_written[place], labels[place], first=0)
        for name, place in (("train.svm", slice(50)), ("test.svm", slice(50, 80)))
    ]
    comparison = compare(parts[0], test=parts[1], selectors="ig", n_terms=5, n_jobs=1)
    own = OF_COUNTS["ig", "svm"]
    expected = one_label(as_written if with_column_0 else rows, labels, np.arange(80) >= 50, 5, own)
    assert_same(comparison.rows[0], comparison, expected)


@pytest.mark.filterwarnings("ignore:.*the class has no training document")
def test_multilabel_rows_of_rcv1_equal_estimators_fitted_by_hand(named: Callable[[str], Corpus]) -> None:
    loaded: Any = named("rcv1:subset1").load()
    whole, sets = csr_matrix(loaded[0])[:250], loaded[1][:250]
    own = OF_COUNTS["ig", "svm"]
    comparison = compare(whole, sets, selectors="ig", n_terms=40, folds=2, n_jobs=1)
    assert comparison.header["form"] == "counts"
    assert comparison.header["multilabel"] is True
    fold_of = folds([min(labels) for labels in sets], 2)
    for row in comparison.rows:
        assert_same(row, comparison, several_labels(whole, sets, fold_of == row.fold, int(row.n_terms), own))


@pytest.mark.filterwarnings("ignore:.*the class has no training document")
def test_a_corpus_of_vectors_can_be_compared_by_its_name(named: Callable[[str], Corpus]) -> None:
    comparison = compare(named("rcv1:subset4"), selectors="df", n_terms=10, classifiers="rocchio", folds=2, n_jobs=1)
    assert comparison.header["documents"] == 6000
    assert [row.n_selected for row in comparison.rows] == [10, 10]


def test_min_df_and_max_df_apply_to_columns() -> None:
    rows, labels = matrix(60)
    doc_freq = np.diff(rows.tocsc().indptr)
    comparison = compare(rows, labels, test=(rows, labels), selectors="all", min_df=15, max_df=0.5, n_jobs=1)
    within = int(((doc_freq >= 15) & (doc_freq <= 30)).sum())
    assert 0 < within < 12
    assert [row.n_seen for row in comparison.rows] == [within]


def test_weights_may_be_negative() -> None:
    rows, labels = matrix(60, whole=False)
    rows.data -= 0.3
    comparison = compare(
        rows, labels, selectors="ocfs,ig,chi,testors", n_terms=5, classifiers="svm,knn", folds=2, n_jobs=1
    )
    assert all(row.micro_f1 is not None for row in comparison.rows)


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ({"lowercase": False, "ngram_range": (1, 2)}, "leave out lowercase=False, ngram_range=(1, 2)."),
        ({"analyzer": "text", "char_ngram_range": (3, 4)}, "leave out analyzer='text', char_ngram_range=(3, 4)."),
        ({"stop_words": ["a"]}, "holds vectors, not texts, and their columns are fixed; leave out stop_words=['a']."),
        ({"classifiers": "svm,svm(tf=loglog)"}, "classifiers: svm(tf=loglog): loglog takes logarithms"),
        ({"selectors": "ig,ocfs(tf=log)"}, "selectors: ocfs(tf=log): log takes logarithms, and the least value"),
        ({"selectors": "ocfs(tf=loglog)"}, "selectors: ocfs(tf=loglog): loglog takes logarithms"),
        ({"tf": "log"}, "classifiers: svm: log takes logarithms, and the least value of the vectors is -1"),
        ({"test": (["a text"], ["boat"])}, "holds vectors and texts"),
    ],
    ids=str,
)
def test_settings_of_texts_raise_an_error_for_vectors(wanted: dict[str, Any], words: str) -> None:
    rows, labels = matrix(60, whole=False)
    rows.data[0] = -1.0
    with pytest.raises(InputError) as caught:
        compare(rows, labels, n_jobs=1, **wanted)
    assert words in str(caught.value)


def test_texts_with_test_vectors_raise_an_error() -> None:
    rows, labels = matrix(10)
    with pytest.raises(InputError, match="holds vectors, not texts"):
        compare(["goal keeper", "vote"], ["a", "b"], test=(rows, labels), n_jobs=1)


def test_unusable_vectors_raise_an_error() -> None:
    labels = ["a", "b"] * 5
    with pytest.raises(InputError, match="all vectors are empty"):
        compare(csr_matrix((10, 3)), labels, n_jobs=1)
    with pytest.raises(InputError, match="a value is not a finite number"):
        compare(np.full((10, 3), np.nan), labels, n_jobs=1)
    with pytest.raises(InputError, match="10 vectors but 9 labels"):
        compare(csr_matrix(np.ones((10, 3))), labels[:9], n_jobs=1)


def test_results_of_other_weights_raise(tmp_path: Path) -> None:
    rows, labels = matrix(40, whole=False)
    wanted: Any = {"selectors": "ig", "n_terms": 3, "folds": 2, "n_jobs": 1, "results": tmp_path / "r.jsonl"}
    compare(rows, labels, **wanted)
    rows.data[3] += 0.125
    with pytest.raises(InputError, match="another corpus, or documents that have changed"):
        compare(rows, labels, **wanted)


def test_a_corpus_of_vectors_has_batches() -> None:
    rows, labels = matrix(2500)
    corpus = Corpus.from_vectors(rows, labels)
    sizes = [len(batch) for batch in corpus.batches()]
    assert sizes == [1000, 1000, 500]
    loaded, own = corpus.load()
    assert np.array_equal(csr_matrix(loaded).toarray(), rows.toarray())
    assert own == labels


def test_columns_are_numbered_as_the_file_has_them(tmp_path: Path) -> None:
    path = tmp_path / "x.svm"
    path.write_text("1 2:1\n2 0:1\n", "utf-8")
    (batch,) = read(path).batches()
    assert batch.first_column == 0
    path.write_text("1 2:1\n2 1:1\n", "utf-8")
    (batch,) = read(path).batches()
    assert batch.first_column == 1


def test_lyrl2004s_vectors_on_their_own_split(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Vectors in the published format of RCV1: weights, several topics, files for training and for testing."""
    monkeypatch.setenv("TEXTSIEVE_DATA", str(tmp_path))
    rows, labels = matrix(120, whole=False)
    topics = {"1": ("CCAT",), "2": ("ECAT", "E11"), "3": ("GCAT",)}
    sets = [topics[label] for label in labels]
    (tmp_path / "rcv1").mkdir()
    qrels = "".join(f"{topic} {number} 1\n" for number, own in enumerate(sets) for topic in own)
    (tmp_path / "rcv1" / "rcv1-v2.topics.qrels").write_text(qrels, "utf-8")
    pieces = {"train": range(80), "test_pt0": range(80, 120), "test_pt1": (), "test_pt2": (), "test_pt3": ()}
    for piece, places in pieces.items():
        written = write_svmlight(tmp_path / "x", rows[list(places)], [f"{place} " for place in places])
        written.rename(tmp_path / "rcv1" / f"lyrl2004_vectors_{piece}.dat")
    comparison = compare("rcv1", selectors="ocfs", classifiers="svm(norm=l2)", n_terms=(4, 7), n_jobs=1)
    assert (comparison.header["form"], comparison.header["split"]) == ("weights", {"by": "own", "folds": 1})
    wide = csr_matrix((rows.data, rows.indices, rows.indptr), shape=(120, 47_236))
    own = OF_WEIGHTS["ocfs", "svm(norm=l2)"]
    for row in comparison.rows:
        assert_same(row, comparison, several_labels(wide, sets, np.arange(120) >= 80, int(row.n_terms), own))
