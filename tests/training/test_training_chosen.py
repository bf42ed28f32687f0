"""Terms chosen and weighted as one step: the same as its parts, and blind to documents that it was not fitted to."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from tests.reference.cli_cases import documents

from textsieve import InputError, TermCounter, TermWeighter
from textsieve.corpus import Corpus
from textsieve.selectors import OCFS, Cascade, DocumentFrequency, InformationGain
from textsieve.text.schemes import LTC
from textsieve.training.experiments import SelectedTermWeights, default_n_terms, labelled_counts

TEXTS, LABELS = zip(*documents(), strict=True)
COUNTS: csr_matrix = TermCounter().fit_transform(TEXTS)
Y = np.array(LABELS)


def test_the_paper_s_cascade_and_weights() -> None:
    chosen = SelectedTermWeights(selector=InformationGain(), n_terms=9, min_df=0.1)
    cascade = Cascade([DocumentFrequency(min_df=0.1), InformationGain(k=9)]).fit(COUNTS, Y)
    weights = TermWeighter().fit_transform(cascade.transform(COUNTS))
    found = chosen.fit(COUNTS, Y).transform(COUNTS)
    assert chosen.columns_.tolist() == np.flatnonzero(cascade.get_support()).tolist()
    np.testing.assert_allclose(found.toarray(), weights.toarray())
    np.testing.assert_allclose(chosen.scores_, cascade.scores_[chosen.columns_])


def test_a_selector_that_wants_weights_gets_them() -> None:
    chosen = SelectedTermWeights(selector=OCFS(), n_terms=9, min_df=1).fit(COUNTS, Y)
    weights = TermWeighter(**LTC._asdict()).fit_transform(COUNTS)
    expected = OCFS(k=9).fit(weights, Y)
    assert chosen.columns_.tolist() == np.flatnonzero(expected.get_support()).tolist()


def test_what_was_not_fitted_to_changes_nothing() -> None:
    train, test = np.arange(0, 40), np.arange(40, 60)
    chosen = SelectedTermWeights(selector=InformationGain(), n_terms=8)
    alone = clone(chosen).fit(COUNTS[train], Y[train])
    doubled = csr_matrix(COUNTS[test] * 7)
    one, many = alone.transform(COUNTS[test]), alone.transform(doubled)
    assert one.shape == many.shape == (20, 8)
    again = clone(chosen).fit(COUNTS[train], Y[train])
    np.testing.assert_array_equal(again.idf_, alone.idf_)
    np.testing.assert_array_equal(alone.transform(COUNTS[test[:3]]).toarray(), one[:3].toarray())


def test_frequent_terms_can_be_left_out() -> None:
    chosen = SelectedTermWeights(selector=InformationGain(), min_df=1, max_df=0.5).fit(COUNTS, Y)
    frequency = COUNTS.getnnz(axis=0)
    assert chosen.columns_.tolist() == np.flatnonzero(frequency <= 30).tolist()


def test_a_corpus_with_one_label_each() -> None:
    corpus = Corpus.from_texts([*TEXTS, "nobody knows"], [*LABELS, None])
    found = labelled_counts(corpus, progress=lambda *_: None, n_jobs=1, min_df=0.01)
    assert found.labels.tolist() == list(LABELS)
    assert (found.n_seen, found.n_unlabelled) == (61, 1)
    assert found.limits == {"min_df": 0.01, "max_df": 1.0}
    np.testing.assert_array_equal(found.counts.sum(axis=1), COUNTS.sum(axis=1))


def test_a_corpus_larger_than_memory_is_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("textsieve.training.counted_documents.MAX_VALUES", 100)
    corpus = Corpus.from_texts(list(TEXTS), list(LABELS))
    found = labelled_counts(corpus, progress=lambda *_: None, n_jobs=1)
    assert 2 <= len(found.labels) < 60
    assert found.n_seen == 60


def test_several_labels_are_refused() -> None:
    corpus = Corpus.from_texts(["aa", "bb"], [["x", "y"], ["x"]])
    with pytest.raises(InputError, match="1 document has several labels"):
        labelled_counts(corpus, progress=lambda *_: None)


@pytest.mark.parametrize(
    ("texts", "labels", "said"),
    [
        (["aa", "bb"], [None, None], "no document has a label"),
        (["", "?"], ["x", "y"], "no term in any document that has a label"),
        (["aa", "bb", "cc"], ["x", "x", None], "all documents are of the class 'x'"),
    ],
)
def test_a_corpus_that_teaches_nothing_is_refused(texts: list[str], labels: list[str | None], said: str) -> None:
    with pytest.raises(InputError, match=said):
        labelled_counts(Corpus.from_texts(texts, labels), progress=lambda *_: None, n_jobs=1)


def test_a_corpus_of_two_classes_is_enough() -> None:
    found = labelled_counts(Corpus.from_texts(["aa", "bb"], ["x", "y"]), progress=lambda *_: None, n_jobs=1)
    assert found.labels.tolist() == ["x", "y"]


@pytest.mark.parametrize(("n_seen", "expected"), [(0, 1000), (7999, 1000), (8000, 2000), (22_244, 5000)])
def test_the_usual_number_of_terms_is_a_quarter_in_thousands(n_seen: int, expected: int) -> None:
    assert default_n_terms(n_seen) == expected
