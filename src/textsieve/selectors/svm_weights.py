"""Select terms by the weights that a linear SVM gives them (Brank et al. 2002, Mladenić et al. 2004).

Scores such as chi-square look at one term at a time. A linear SVM weighs all terms together, and its weights say which
of them it needs. For each class, the weights w and the intercept b minimise

    P(w) = ½|w|² + L(w),        L(w) = C Σ_i max(0, 1 - y_i (w·x_i + b))²,

where y_i is 1 for the documents x_i of the class and -1 for the others. What is lost if term t is dropped, that is, if
w_t is set to 0 and all else stays? P is the sum of ½|w|², which decreases by ½ w_t², and of L, which increases. At the
minimum, the gradient of L is -w, so to first order L increases by w_t². L is quadratic as long as the same documents
violate their margin, so to second order it increases by another ½ h_t w_t², with h_t = 2C Σ x_it² over these documents.
So P increases by

    ½ w_t² (1 + h_t).

The score of a term is the sum of w_t² over the classes. The terms with the best scores are selected, and a classifier
is trained on these alone. The factor 1 + h_t was left out because it made no difference. Two other scores did not help
either: w_t² times the root mean square of x_t, and w_t, learned from one half of the documents, times the gradient on
the other half. docs/research/forward-results.md has the figures.

Recursive feature elimination (Guyon et al. 2002) drops some terms, trains the SVM on the others, and so on until k are
left. With the classifier's C, it selected worse terms than one round, probably because each round fits the same
documents again, and keeps rare terms that explain the last few errors. With a smaller C, it was as good as one round,
at several times the cost. So there is one round. Then the ranking does not depend on k, and one SVM serves all numbers
of terms.

C is smaller than that of the classifier, because that gave better results with up to 500 selected terms. Rows are
scaled to length 1, as a model does with its documents, so C means the same for all weightings. The tolerance is ten
times larger than that of the classifier: the order of terms needs fewer digits than scores do.

Documents are read a second time, restricted to the candidates, which are the best terms of OCFS. The only purpose of
this restriction is to limit the memory, which is 8 bytes for each value of a row, and 4 for each class and candidate.
So the default number of candidates is large.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from ..arrays import Bools, Floats, Ints
from ..errors import InputError
from ..kernels.svm import squared_lengths
from ..settings import as_number, is_whole, n_threads
from ..stats import ClassStats
from ..stats.labels import LabelPairs, label_pairs
from ..stats.weights import check_weights
from ..svm_solvers import SVMProblem, take_terms
from .base import Limit, ReadAgain, ScoreForClass, TermSelector, rank_by_score, without_duplicates
from .trace import between_class_scatter

CANDIDATES = 50_000
"""The default number of candidates."""

_MAX_ROUNDS = 1000
"""The maximum number of rounds over the documents in which the SVM of a class is solved."""

_MAX_SOLVED = 1 << 23
"""The largest number of weights (classes x candidates) that are solved at a time; they take 64 MB."""


def read_unit_rows(batches: Iterable[csr_matrix], columns: Ints, n_terms: int, is_wanted: Bools) -> csr_matrix:
    """Return the documents marked in `is_wanted`, restricted to some columns (ascending) and scaled to length 1.

    `is_wanted` has an element for each document of all batches; another length raises `InputError`. Batches may have
    fewer than `n_terms` columns. Documents without any of the columns remain rows of zeros.
    """
    # The CSR arrays in parts, one for each batch. A first part is there even without batches, because `concatenate`
    # needs one; that of `indptr` is the 0 with which it starts.
    indptr_parts, indices_parts, data_parts = (
        [np.zeros(1, np.int64)],
        [np.empty(0, np.int32)],
        [np.empty(0, np.float32)],
    )
    n_documents = n_values = 0
    for batch in batches:
        summed = without_duplicates(batch)
        values = summed.data.astype(np.float64, copy=False)
        rows = csr_matrix((values, summed.indices, summed.indptr), shape=(summed.shape[0], n_terms))
        # If `is_wanted` is too short, documents are lost here, and the error is raised after the loop.
        wanted = np.flatnonzero(is_wanted[n_documents : n_documents + rows.shape[0]])
        n_documents += rows.shape[0]
        if len(wanted) < rows.shape[0]:
            rows = rows[wanted]
        indptr, indices, data = take_terms(rows, columns)
        lengths = np.sqrt(squared_lengths(indptr, data))
        lengths[lengths == 0.0] = 1.0  # rows of zeros stay as they are
        indptr_parts.append(n_values + indptr[1:])  # where each row ends in the arrays of all batches
        indices_parts.append(indices)
        data_parts.append((data / np.repeat(lengths, np.diff(indptr))).astype(np.float32))
        n_values += len(data)
    if n_documents != len(is_wanted):
        raise InputError(f"There are {n_documents:,} documents but {len(is_wanted):,} labels.")
    arrays = np.concatenate(data_parts), np.concatenate(indices_parts), np.concatenate(indptr_parts)
    return csr_matrix(arrays, shape=(len(arrays[2]) - 1, len(columns)))


def solve_weights(
    rows: csr_matrix, members: Sequence[Ints], costs: Floats, tolerance: float, n_jobs: int
) -> NDArray[np.float32]:
    """Return the weights of a linear SVM for each class against the other documents: classes x terms.

    `members` has the row numbers of each class, and `costs` the cost of each row, C times its sample weight. A class of
    no rows or of all rows can't be separated from anything, and has weights of 0.
    """
    n_rows, n_terms = rows.shape
    weights = np.zeros((len(members), n_terms), np.float32)
    problem = SVMProblem(rows)
    solvable = [number for number, documents in enumerate(members) if 0 < len(documents) < n_rows]
    n_at_a_time = max(1, _MAX_SOLVED // n_terms)  # classes; the weights of all at once could take too much memory
    for begin in range(0, len(solvable), n_at_a_time):
        numbers = solvable[begin : begin + n_at_a_time]
        # The solver numbers the problems of this call from 0, so problem i is about the class numbers[i].
        signs_and_costs = partial(_signs_and_costs, [members[number] for number in numbers], costs)
        solution = problem.solve(
            signs_and_costs, len(numbers), tolerance=tolerance, most_rounds=_MAX_ROUNDS, n_jobs=n_jobs
        )
        weights[numbers] = solution.coefficients
    return weights


def _signs_and_costs(members: Sequence[Ints], costs: Floats, number: int) -> tuple[Floats, Floats]:
    """Return 1 for the rows in `members[number]` and -1 for the others, and the cost of each row."""
    signs = np.full(len(costs), -1.0)
    signs[members[number]] = 1.0
    return signs, costs


class WeightSelection(TermSelector):
    """Select the terms to which a linear SVM gives the largest weights.

    It trains a linear SVM for each class against the rest, and scores a term by the sum of its squared weights. It uses
    term weights, so it works best after `TermWeighter`; each document is scaled to length 1. The selector needs the
    documents and their labels as well as the statistics: `fit_stats(stats, documents, labels=labels)` makes one more
    pass over the documents. Unlabelled documents have no influence.

    Parameters
    ----------
    k : int, float, "all" or None
        How many terms to select: a number, a fraction of all terms, or "all". None is 1,000, unless `min_score` is set.
    C : float
        Cost of an error; a smaller C gives smaller weights, which are spread over more terms.
    candidates : int
        The number of terms to train on, the best by the scores of `OCFS`. All other terms have the score 0 and come
        last in the ranking, in the order of `OCFS`.
    tol : float
        Tolerance of the SVM: the largest remaining difference between the gradients of the dual problem.
    min_score : float or None
        Select only terms with at least this score.
    n_jobs : int or None
        Number of threads, one class each; -1 uses all cores. The result does not depend on it.

    Attributes
    ----------
    coef_ : array, the weight of each candidate for each class (classes x candidates), 32-bit floats
    candidates_ : array of the columns of the candidates, ascending

    Examples
    --------
    >>> from textsieve import WeightSelection
    >>> X = [[2, 0, 1, 0], [1, 1, 0, 0], [0, 2, 1, 1], [0, 1, 0, 2]]  # counts: documents x terms
    >>> y = ["sport", "sport", "politics", "politics"]
    >>> selector = WeightSelection(k=2).fit(X, y)
    >>> selector.scores_.round(3)
    array([0.385, 0.037, 0.   , 0.242])
    >>> selector.ranking_
    array([0, 3, 1, 2])
    """

    coef_: NDArray[np.float32]
    candidates_: Ints

    def __init__(
        self,
        *,
        k: Limit = None,
        C: float = 0.2,
        candidates: int = CANDIDATES,
        tol: float = 0.1,
        min_score: float | None = None,
        n_jobs: int | None = -1,
    ) -> None:
        self.k = k
        self.C = C
        self.candidates = candidates
        self.tol = tol
        self.min_score = min_score
        self.n_jobs = n_jobs

    def check_settings(self) -> None:
        """Raise `InputError` for settings that are invalid for any documents."""
        for name in ("C", "tol"):
            if not 0.0 < as_number(getattr(self, name)) < np.inf:
                raise InputError(setting=name, value=getattr(self, name), hint="use a number above 0, for example 0.1")
        if not (is_whole(self.candidates) and self.candidates >= 1):
            raise InputError(setting="candidates", value=self.candidates, hint="use a number of terms from 1")
        n_threads(self.n_jobs)  # raises an error if it is invalid

    # -- the method ----------------------------------------------------------------------------------------------

    def _read_documents(self, documents: ReadAgain | None, sample_weight: Floats | None, labels: Any) -> None:
        """Train the SVM on the labelled documents, in a second pass; set `candidates_` and `coef_`."""
        self.check_settings()
        if documents is None or labels is None:
            raise InputError(
                f"{self!r} trains an SVM on the documents and their labels, and statistics have neither",
                hint="give fit_stats the documents and labels too, or call fit. OCFS needs statistics only",
            )
        stats = self.stats_
        # `len` raises an error for sparse label matrices, so their shape is used.
        pairs = (
            labels
            if isinstance(labels, LabelPairs)
            else label_pairs(labels, labels.shape[0] if hasattr(labels, "shape") else len(labels))
        )
        members = _members_of(stats, pairs)
        is_labelled = np.zeros(pairs.n_documents, np.bool_)
        is_labelled[np.concatenate(members)] = True
        row_of = np.cumsum(is_labelled) - 1  # the number of each labelled document among the labelled ones
        weights = check_weights(sample_weight, pairs.n_documents)
        costs = np.full(int(is_labelled.sum()), float(self.C)) if weights is None else self.C * weights[is_labelled]
        self.candidates_ = np.sort(rank_by_score(between_class_scatter(stats))[: self.candidates])
        rows = read_unit_rows(documents(), self.candidates_, stats.n_terms, is_labelled)
        row_members = [row_of[documents_of_class] for documents_of_class in members]
        self.coef_ = solve_weights(rows, row_members, costs, float(self.tol), n_threads(self.n_jobs))

    def score_terms(self, stats: ClassStats) -> Floats:
        """Return the sum over the classes of each term's squared weights, or 0 for terms that are no candidates."""
        scores = np.zeros(stats.n_terms)
        for class_weights in self.coef_:
            scores[self.candidates_] += class_weights.astype(np.float64) ** 2
        return scores

    def _score_and_rank(self, stats: ClassStats) -> tuple[Floats, Ints]:
        """Return the scores, and the candidates by score followed by the others in the order of OCFS."""
        scores = self.score_terms(stats)
        is_candidate = np.zeros(stats.n_terms, np.bool_)
        is_candidate[self.candidates_] = True
        by_scatter = rank_by_score(between_class_scatter(stats))
        best_first = self.candidates_[rank_by_score(scores[self.candidates_])]
        return scores, np.concatenate([best_first, by_scatter[~is_candidate[by_scatter]]])

    def class_scorer(self, stats: ClassStats) -> ScoreForClass:
        """Return a function that gives the SVM's weight of each term for a class, or 0 if the term is no candidate.

        The weight is above 0 if the term favours the class.
        """

        def scores_for(number: int) -> Floats:
            """Return the weight of each term for the class with this number."""
            scores = np.zeros(stats.n_terms)
            scores[self.candidates_] = self.coef_[number]
            return scores

        return scores_for

    # -- reading -------------------------------------------------------------------------------------------------

    @property
    def partial_fit(self) -> Any:
        """Raise `AttributeError`: an SVM is trained on all documents."""
        raise AttributeError(
            "WeightSelection has no partial_fit: its SVM is trained on all documents at once. Use OCFS, or call fit "
            "with all documents."
        )


def _members_of(stats: ClassStats, pairs: LabelPairs) -> list[Ints]:
    """Return the numbers of the documents of each class of the statistics, according to the labels.

    Raises `InputError` if a class has documents in the statistics but not in the labels, or the other way round. The
    numbers of documents are not compared, because with sample weights those of the statistics are sums of weights.
    """
    number_of = {label: number for number, label in enumerate(pairs.classes)}
    members = [
        pairs.of_class(number_of[label]) if label in number_of else np.empty(0, np.int64) for label in stats.classes
    ]
    for label, documents, n_documents in zip(stats.classes, members, stats.class_docs.tolist(), strict=True):
        if (len(documents) == 0) != (n_documents == 0):
            raise InputError(
                f"labels has {len(documents):,} documents of the class {label!r}, and stats has {n_documents:,}",
                hint="give the labels of the documents that the statistics were computed from",
            )
    return members
