"""Random subspaces the slow way: each member a classifier of its own on a slice of columns, every vote by itself."""

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.base import clone

from textsieve.ensembles.members import subset
from textsieve.ensembles.scorer import SubspaceScorer

Row = dict[int, float]
"""The values of a document by their columns, which ascend."""


def documents(
    n_classes: int = 3, n: int = 60, n_terms: int = 40, seed: int = 0, n_empty: int = 0
) -> tuple[csr_matrix, Any]:
    """Weights that tell classes of uneven size apart a little; the first documents have no term."""
    random = np.random.default_rng(seed)
    y = np.minimum(random.integers(0, n_classes + 1, n), n_classes - 1)
    y[n_empty : n_empty + n_classes] = np.arange(n_classes)
    lean = random.random((n_classes, n_terms)) * 0.3
    X = np.where(random.random((n, n_terms)) < lean[y], 0.2 + random.random((n, n_terms)), 0.0)
    X[:n_empty] = 0.0
    return csr_matrix(X), np.array([f"class {each}" for each in y])


class SlowMember(NamedTuple):
    """A classifier of some columns."""

    columns: Any
    classifier: Any

    def knows(self, X: csr_matrix, document: int) -> bool:
        """Whether a document has one of its terms."""
        return any(X[document, column] != 0.0 for column in self.columns)

    def scores(self, X: csr_matrix) -> Any:
        """Documents x classes; for two classes the second's, and minus that for the first."""
        found = self.classifier.decision_function(X[:, self.columns])
        return np.column_stack([-found, found]) if found.ndim == 1 else found


def slow_members(estimator: Any, X: csr_matrix, y: Any, *, n_terms: int, n_members: int, seed: int) -> list[SlowMember]:
    """Members, trained one after the other on columns cut out."""
    drawn = [subset(X.shape[1], n_terms, member=number, seed=seed) for number in range(n_members)]
    return [SlowMember(columns, clone(estimator).fit(X[:, columns], y)) for columns in drawn]


def slow_choices(members: list[SlowMember], X: csr_matrix, classes: list[Any]) -> list[list[int]]:
    """The number of the class that each member predicts for each document; -1 if it knows none of its terms."""
    predicted = [member.classifier.predict(X[:, member.columns]).tolist() for member in members]
    return [
        [
            classes.index(labels[document]) if member.knows(X, document) else -1
            for member, labels in zip(members, predicted, strict=True)
        ]
        for document in range(X.shape[0])
    ]


def slow_winner(choices: list[int], class_docs: list[int]) -> int:
    """The class with most votes; of equal ones, that with more training documents; of these the first."""
    return max(range(len(class_docs)), key=lambda number: (choices.count(number), class_docs[number], -number))


def slow_means(members: list[SlowMember], X: csr_matrix) -> Any:
    """The mean of the scores that members give, also to documents of which they know no term."""
    return np.mean([member.scores(X) for member in members], axis=0)


# -- a scorer's votes, from its arrays -------------------------------------------------------------------------------


def known_products(scorer: SubspaceScorer, row: Row, member: int) -> list[tuple[int, list[float]]]:
    """What each term of a document that a member knows adds to its outputs: the term's column, and the products."""
    return [
        (column, [value * float(each) for each in scorer.coefficients[place]])
        for column, value in row.items()
        for place in range(int(scorer.term_indptr[column]), int(scorer.term_indptr[column + 1]))
        if scorer.members[place] == member and value != 0.0
    ]


def voted_for(scorer: SubspaceScorer, row: Row, member: int) -> list[tuple[int, int, float, float]]:
    """The classes that a member is for, or against: number, output, its sign, and what the vote counts."""
    products = known_products(scorer, row, member)
    if not products:
        return []
    totals = []
    for output in range(scorer.coefficients.shape[1]):
        total = 0.0
        for _, each in products:
            total += each[output]
        totals.append(total + float(scorer.member_intercepts[member, output]))
    classes = scorer.classes.tolist()
    if scorer.multilabel:
        signs = [1.0 if total > 0.0 else -1.0 for total in totals]
        return [(number, output, signs[output], signs[output] / 2) for output, number in enumerate(classes)]
    if len(totals) == 1:
        return [(classes[1], 0, 1.0, 1.0) if totals[0] > 0.0 else (classes[0], 0, -1.0, 1.0)]
    best = totals.index(max(totals))
    return [(classes[best], best, 1.0, 1.0)]


def slow_scores(scorer: SubspaceScorer, row: Row) -> list[float]:
    """The number of votes of each class, and its intercept."""
    votes = [0.0] * scorer.n_outputs
    for member in range(scorer.n_members):
        for number, _, _, worth in voted_for(scorer, row, member):
            votes[number] += worth
    return [each + intercept for each, intercept in zip(votes, scorer.intercepts.tolist(), strict=True)]


def slow_contributions(scorer: SubspaceScorer, row: Row) -> dict[int, list[float]]:
    """What each term is due of the votes: in proportion to what it added for the class; evenly if none did."""
    parts = {column: [0.0] * scorer.n_outputs for column in row}
    for member in range(scorer.n_members):
        products = known_products(scorer, row, member)
        for number, output, sign, worth in voted_for(scorer, row, member):
            amounts = [max(sign * each[output], 0.0) for _, each in products]
            if not any(amounts):
                amounts = [1.0] * len(amounts)
            for (column, _), amount in zip(products, amounts, strict=True):
                parts[column][number] += worth * amount / sum(amounts)
    return parts
