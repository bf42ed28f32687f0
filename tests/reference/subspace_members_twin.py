"""Slow twin of `RandomSubspace`: each member is a classifier on a slice of columns; votes are counted one by one."""

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.base import clone

from textsieve.ensembles.members import subset
from textsieve.ensembles.scorer import SubspaceScorer

Row = dict[int, float]
"""The values of a document by column, in ascending order of columns."""


def documents(
    n_classes: int = 3, n: int = 60, n_terms: int = 40, seed: int = 0, n_empty: int = 0
) -> tuple[csr_matrix, Any]:
    """Return weights that differ a little between classes of uneven size, and labels; the first documents are empty."""
    random = np.random.default_rng(seed)
    y = np.minimum(random.integers(0, n_classes + 1, n), n_classes - 1)
    y[n_empty : n_empty + n_classes] = np.arange(n_classes)
    lean = random.random((n_classes, n_terms)) * 0.3
    X = np.where(random.random((n, n_terms)) < lean[y], 0.2 + random.random((n, n_terms)), 0.0)
    X[:n_empty] = 0.0
    return csr_matrix(X), np.array([f"class {number}" for number in y])


class SlowMember(NamedTuple):
    """A classifier on some columns."""

    columns: Any
    classifier: Any

    def knows(self, X: csr_matrix, document: int) -> bool:
        """Return whether a document has one of the member's terms."""
        return any(X[document, column] != 0.0 for column in self.columns)

    def scores(self, X: csr_matrix) -> Any:
        """Return scores (documents x classes); for two classes, the score of the first is minus that of the second."""
        outputs = self.classifier.decision_function(X[:, self.columns])
        return np.column_stack([-outputs, outputs]) if outputs.ndim == 1 else outputs


def slow_members(estimator: Any, X: csr_matrix, y: Any, *, n_terms: int, n_members: int, seed: int) -> list[SlowMember]:
    """Return members that are trained one after the other on slices of columns."""
    drawn = [subset(X.shape[1], n_terms, member=number, seed=seed) for number in range(n_members)]
    return [SlowMember(columns, clone(estimator).fit(X[:, columns], y)) for columns in drawn]


def slow_choices(members: list[SlowMember], X: csr_matrix, classes: list[Any]) -> list[list[int]]:
    """Return the number of the class that each member predicts for each document; -1 if it has none of its terms."""
    predicted = [member.classifier.predict(X[:, member.columns]).tolist() for member in members]
    return [
        [
            classes.index(labels[document]) if member.knows(X, document) else -1
            for member, labels in zip(members, predicted, strict=True)
        ]
        for document in range(X.shape[0])
    ]


def slow_winner(choices: list[int], class_docs: list[int]) -> int:
    """Return the class with the most votes; of equal ones, that with more training documents, then the first."""
    return max(range(len(class_docs)), key=lambda number: (choices.count(number), class_docs[number], -number))


def slow_means(members: list[SlowMember], X: csr_matrix) -> Any:
    """Return the mean scores of all members, including those that have no term of a document."""
    return np.mean([member.scores(X) for member in members], axis=0)


# -- a scorer's votes, from its arrays -------------------------------------------------------------------------------


def known_products(scorer: SubspaceScorer, row: Row, member: int) -> list[tuple[int, list[float]]]:
    """Return the column of each term of a document that a member has, and what it adds to the member's outputs."""
    return [
        (column, [value * float(coefficient) for coefficient in scorer.coefficients[place]])
        for column, value in row.items()
        for place in range(int(scorer.term_indptr[column]), int(scorer.term_indptr[column + 1]))
        if scorer.members[place] == member and value != 0.0
    ]


def voted_for(scorer: SubspaceScorer, row: Row, member: int) -> list[tuple[int, int, float, float]]:
    """Return a member's votes for or against classes: class number, output, its sign, and what the vote counts."""
    products = known_products(scorer, row, member)
    if not products:
        return []
    totals = []
    for output in range(scorer.coefficients.shape[1]):
        total = 0.0
        for _, added in products:
            total += added[output]
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
    """Return the number of votes of each class plus its intercept."""
    votes = [0.0] * scorer.n_outputs
    for member in range(scorer.n_members):
        for number, _, _, worth in voted_for(scorer, row, member):
            votes[number] += worth
    return [vote + intercept for vote, intercept in zip(votes, scorer.intercepts.tolist(), strict=True)]


def slow_contributions(scorer: SubspaceScorer, row: Row) -> dict[int, list[float]]:
    """Return each term's part of the votes: in proportion to what it added for the class, or equal if none did."""
    parts = {column: [0.0] * scorer.n_outputs for column in row}
    for member in range(scorer.n_members):
        products = known_products(scorer, row, member)
        for number, output, sign, worth in voted_for(scorer, row, member):
            amounts = [max(sign * added[output], 0.0) for _, added in products]
            if not any(amounts):
                amounts = [1.0] * len(amounts)
            for (column, _), amount in zip(products, amounts, strict=True):
                parts[column][number] += worth * amount / sum(amounts)
    return parts
