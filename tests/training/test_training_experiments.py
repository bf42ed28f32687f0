"""`SelectedTermWeights` equals separate selection and weighting, and uses only the documents it was fitted to."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from tests.reference.cli_cases import documents

from textsieve import InputError, TermCounter, TermWeighter
from textsieve.corpus import Corpus
from textsieve.selectors import OCFS, Cascade, DocumentFrequency, InformationGain
from textsieve.text.choices import LTC
from textsieve.training.experiments import SelectedTermWeights, default_n_terms, labelled_counts

TEXTS, LABELS = zip(*documents(), strict=True)
COUNTS: csr_matrix = TermCounter().fit_transform(TEXTS)
Y = np.array(LABELS)


def test_the_result_equals_the_cascade_and_weights_of_the_paper() -> None:
    transformer = SelectedTermWeights(selector=InformationGain(), n_terms=9, min_df=0.1)
    cascade = Cascade([DocumentFrequency(min_df=0.1), InformationGain(k=9)]).fit(COUNTS, Y)
    weights = TermWeighter().fit_transform(cascade.transform(COUNTS))
    transformed = transformer.fit(COUNTS, Y).transform(COUNTS)
    assert transformer.columns_.tolist() == np.flatnonzero(cascade.get_support()).tolist()
    np.testing.assert_allclose(transformed.toarray(), weights.toarray())
    np.testing.assert_allclose(transformer.scores_, cascade.scores_[transformer.columns_])


def test_a_selector_that_wants_weights_gets_them() -> None:
    transformer = SelectedTermWeights(selector=OCFS(), n_terms=9, min_df=1).fit(COUNTS, Y)
    weights = TermWeighter(**LTC._asdict()).fit_transform(COUNTS)
    expected = OCFS(k=9).fit(weights, Y)
    assert transformer.columns_.tolist() == np.flatnonzero(expected.get_support()).tolist()


def test_transform_does_not_depend_on_other_documents() -> None:
    train, test = np.arange(0, 40), np.arange(40, 60)
    transformer = SelectedTermWeights(selector=InformationGain(), n_terms=8)
    fitted = clone(transformer).fit(COUNTS[train], Y[train])
    idf = fitted.idf_.copy()
    rows = fitted.transform(COUNTS[test]).toarray()
    assert rows.shape == (20, 8)
    assert rows.any()
    for row, expected in enumerate(rows):
        alone = fitted.transform(COUNTS[test[row : row + 1]]).toarray()[0]
        np.testing.assert_array_equal(alone, expected)
    np.testing.assert_array_equal(fitted.idf_, idf)


def test_frequent_terms_can_be_left_out() -> None:
    transformer = SelectedTermWeights(selector=InformationGain(), min_df=1, max_df=0.5).fit(COUNTS, Y)
    frequency = COUNTS.getnnz(axis=0)
    assert transformer.columns_.tolist() == np.flatnonzero(frequency <= 30).tolist()


def test_labelled_counts_ignore_unlabelled_documents() -> None:
    corpus = Corpus.from_texts([*TEXTS, "nobody knows"], [*LABELS, None])
    counted = labelled_counts(corpus, progress=lambda *_: None, n_jobs=1, min_df=0.01)
    assert counted.labels.tolist() == list(LABELS)
    assert (counted.n_seen, counted.n_unlabelled) == (61, 1)
    assert counted.limits == {"min_df": 0.01, "max_df": 1.0}
    np.testing.assert_array_equal(counted.counts.sum(axis=1), COUNTS.sum(axis=1))


def test_a_corpus_larger_than_memory_is_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("textsieve.training.counted_documents.MAX_VALUES", 100)
    corpus = Corpus.from_texts(list(TEXTS), list(LABELS))
    counted = labelled_counts(corpus, progress=lambda *_: None, n_jobs=1)
    assert 2 <= len(counted.labels) < 60
    assert counted.n_seen == 60


def test_multilabel_documents_raise() -> None:
    corpus = Corpus.from_texts(["aa", "bb"], [["x", "y"], ["x"]])
    with pytest.raises(InputError, match="1 document has several labels"):
        labelled_counts(corpus, progress=lambda *_: None)


@pytest.mark.parametrize(
    ("texts", "labels", "words"),
    [
        (["aa", "bb"], [None, None], "no document has a label"),
        (["", "?"], ["x", "y"], "None of the 2 documents has a term"),
        (["", "?", "aa"], ["x", "y", None], "no term in any document that has a label"),
        (["aa", "bb", "cc"], ["x", "x", None], "all documents are of the class 'x'"),
    ],
)
def test_a_corpus_without_labels_terms_or_a_second_class_raises(
    texts: list[str], labels: list[str | None], words: str
) -> None:
    with pytest.raises(InputError, match=words):
        labelled_counts(Corpus.from_texts(texts, labels), progress=lambda *_: None, n_jobs=1)


def test_a_corpus_of_two_classes_is_enough() -> None:
    counted = labelled_counts(Corpus.from_texts(["aa", "bb"], ["x", "y"]), progress=lambda *_: None, n_jobs=1)
    assert counted.labels.tolist() == ["x", "y"]


@pytest.mark.parametrize(("n_seen", "expected"), [(0, 1000), (7999, 1000), (8000, 2000), (22_244, 5000)])
def test_the_default_number_of_terms_is_a_quarter_in_thousands(n_seen: int, expected: int) -> None:
    assert default_n_terms(n_seen) == expected
