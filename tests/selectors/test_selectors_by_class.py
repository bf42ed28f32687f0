"""`best_by_class` of each method equals a slow computation of the best terms that favour a class."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from textsieve import (
    OCFS,
    Cascade,
    Categorizer,
    ChiSquare,
    ClassStats,
    DocumentFrequency,
    InformationGain,
    MutualInformation,
)
from textsieve.arrays import Floats
from textsieve.selectors import TermSelector

rng = np.random.default_rng(7)
X = rng.poisson(0.6, (60, 12)) * rng.integers(0, 2, (60, 12))
y = rng.choice(["a", "b", "c"], 60)
X[y == "b", 3] += 2  # a term that favours b
STATS = ClassStats.from_matrix(csr_matrix(X), y)


def favours_class(label: str) -> np.ndarray:
    return np.asarray((X[y == label] > 0).mean(axis=0) > (X > 0).mean(axis=0))


@pytest.mark.parametrize("selector", [ChiSquare(), InformationGain(pooling="max"), MutualInformation()], ids=repr)
def test_methods_that_score_classes(selector: ChiSquare) -> None:
    selector.set_params(k="all").fit_stats(STATS)
    for label, scores, (columns, best) in zip("abc", selector.class_scores_, selector.best_by_class(4), strict=True):
        expected = [column for column in np.argsort(-scores, kind="stable") if favours_class(label)[column]]
        assert columns.tolist() == [column for column in expected if scores[column] > 0][:4]
        assert best.tolist() == scores[columns].tolist()


def test_ocfs_ranks_by_what_a_class_adds_to_the_score() -> None:
    selector = OCFS(k="all").fit_stats(STATS)
    total = np.zeros(X.shape[1])
    for label, (columns, scores) in zip("abc", selector.best_by_class(12), strict=True):
        apart = X[y == label].mean(axis=0) - X.mean(axis=0)
        summand = (y == label).mean() * apart**2
        total += summand
        expected = [column for column in np.argsort(-summand, kind="stable") if apart[column] > 0]
        assert columns.tolist() == expected
        np.testing.assert_allclose(scores, summand[columns])
    np.testing.assert_allclose(selector.scores_, total)


def test_document_frequency_ranks_by_documents_of_the_class() -> None:
    selector = DocumentFrequency().fit_stats(STATS)
    for label, (columns, scores) in zip("abc", selector.best_by_class(12), strict=True):
        of_class = (X[y == label] > 0).sum(axis=0)
        assert set(columns.tolist()) == set(np.flatnonzero(favours_class(label)).tolist())
        assert scores.tolist() == of_class[columns].tolist() == sorted(scores.tolist(), reverse=True)


def test_a_cascade_ranks_by_its_last_selector() -> None:
    first = DocumentFrequency(k=6).fit_stats(STATS)
    chain = Cascade([DocumentFrequency(k=6), ChiSquare(k=3)]).fit_stats(STATS)
    alone = list(ChiSquare(k="all").fit_stats(STATS).best_by_class(12))
    for (columns, _), (all_columns, _) in zip(chain.best_by_class(12), alone, strict=True):
        assert columns.tolist() == [column for column in all_columns if first.get_support()[column]]


@pytest.mark.parametrize("selector", [OCFS(), ChiSquare(), DocumentFrequency()], ids=repr)
def test_the_planted_term_ranks_first_for_its_class(selector: TermSelector) -> None:
    best = [columns[:1].tolist() for columns, _ in selector.fit_stats(STATS).best_by_class(1)]
    assert best[1] == [3]


class Spread(TermSelector):
    """A method of a user: the standard deviation of the weights, without scores for classes."""

    def __init__(self, k: int | None = None, shift: float = 0.0) -> None:
        self.k = k
        self.shift = shift

    def score_terms(self, stats: ClassStats) -> Floats:
        """Return the standard deviation of the weights of each term."""
        mean = stats.sums / stats.n_documents
        return np.asarray(np.sqrt(np.maximum(stats.squares / stats.n_documents - mean**2, 0.0)) + self.shift)


def test_a_selector_needs_no_more_than_a_score_per_term() -> None:
    X = np.array([[3, 0, 1, 0], [1, 0, 1, 0], [0, 1, 1, 0], [0, 1, 1, 9]])
    y = ["a", "a", "b", "b"]
    selector = Spread(k=2).fit(X, y)
    assert selector.scores_ == pytest.approx(X.std(axis=0))
    assert selector.selected_columns().tolist() == [3, 0]
    of_a, of_b = ((columns.tolist(), scores) for columns, scores in selector.best_by_class(5))
    assert (of_a[0], of_b[0]) == ([0], [3, 1]), "the third term favours no class"
    assert of_b[1] == pytest.approx(X.std(axis=0)[[3, 1]])
    assert Cascade([DocumentFrequency(k=3), Spread(k=1)]).fit(X, y).selected_columns().tolist() == [0]
    negative = [columns.tolist() for columns, _ in Spread(k=2, shift=-100.0).fit(X, y).best_by_class(5)]
    assert negative == [[0], [3, 1]]


def test_a_selector_of_a_user_works_in_a_categorizer() -> None:
    texts = ["goal keeper", "goal striker", "vote law", "vote tax"] * 5
    model = Categorizer(selector=Spread(), n_terms=2, analyzer="word", probabilities=None).fit(
        texts, ["sport", "sport", "politics", "politics"] * 5
    )
    assert sorted(model.terms_) == ["goal", "vote"]
    assert model.predict(["a goal", "a vote"]).tolist() == ["sport", "politics"]
