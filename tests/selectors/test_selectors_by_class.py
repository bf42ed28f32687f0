"""`best_by_class` of each method equals a slow computation of the best terms that favour a class."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from textsieve import OCFS, Cascade, ChiSquare, ClassStats, DocumentFrequency, InformationGain, MutualInformation
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
