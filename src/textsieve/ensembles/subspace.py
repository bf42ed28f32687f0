"""Random subspaces: an ensemble of classifiers, each on a random subset of the terms (Gangeh and others).

Text often has more terms than documents, and a classifier that sees all terms relies on the few that happen to fit the
training documents best. Here each of L classifiers, the *members*, gets only M of the n terms. With *vote* the class
that most members choose wins, as in the paper; together they can form decision boundaries that no single member can.
With *mean* their scores are averaged. The mean of linear functions is one linear function, so the result is a single
classifier, as fast as one linear classifier on all terms, with the scores of the ensemble.

`theory` computes how likely an ensemble of a given M and L has the wanted properties, and `sizing.suggest` proposes M
and L. `scorer` describes how votes become scores and how ties are broken.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from ..arrays import CSR, Floats, Ints
from ..classifiers.scorer import Scorer
from ..errors import InputError, NotAvailable, Setting
from ..estimators import available_if
from ..registry import list_linear_classifiers
from ..settings import n_threads
from ..stats.labels import is_indicator, missing_as_none, validate_label_pairs
from ..stats.weights import check_weights, drop_weightless
from .build_scorer import NonlinearMembers, build_scorer
from .members import (
    member_classifier,
    refuse_averages_of_cosines,
    seed_of,
    size_of,
    subset,
    train_members,
    training_task,
)
from .scorer import SubspaceScorer
from .vote_rules import require_combination

if TYPE_CHECKING:
    from sklearn.utils import Tags


class LinearMember(ClassifierMixin, BaseEstimator):
    """A trained member of an ensemble: a linear classifier on the columns in `RandomSubspace.estimators_features_`.

    Its coefficients have 32 bits, as stored by the ensemble. It can't be trained by itself.

    Attributes
    ----------
    coef_ : array, classes x terms; a single row for two classes
    intercept_ : array of one number per row of `coef_`
    classes_ : the classes that it chooses among, sorted
    multilabel_ : whether it decides for each class separately whether a document is in it
    """

    def __init__(self) -> None:  # declares the fitted attributes; there are no settings
        self.coef_: NDArray[np.float32]
        self.intercept_: Floats
        self.classes_: NDArray[Any]
        self.multilabel_: bool

    def decision_function(self, X: Any) -> Floats:
        """Return the score of each class; for two classes and single-label documents, only that of the second class."""
        scores: Floats = np.asarray(csr_matrix(X) @ self.coef_.T.astype(np.float64)) + self.intercept_
        return scores.ravel() if scores.shape[1] == 1 and not self.multilabel_ else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each document; if it is multilabel, a matrix of 0 and 1 (documents x classes)."""
        scores = self.decision_function(X)
        if self.multilabel_:
            return (scores > 0.0).astype(np.int64)
        return np.asarray(self.classes_[(scores > 0.0).astype(np.int64) if scores.ndim == 1 else scores.argmax(axis=1)])


def linear_members(scorer: SubspaceScorer, classes: NDArray[Any]) -> list[LinearMember]:
    """Return the members of a scorer as classifiers, in the order of their numbers; `classes` are all labels."""
    # The rows of `coefficients`, member by member; the sort is stable, so the terms of each member ascend.
    by_member = np.argsort(scorer.members, kind="stable")
    ends = np.cumsum(np.bincount(scorer.members, minlength=scorer.n_members))
    members = []
    for rows, intercepts in zip(np.split(by_member, ends[:-1]), scorer.member_intercepts, strict=True):
        member = LinearMember()
        member.coef_, member.intercept_ = scorer.coefficients[rows].T, intercepts
        member.classes_, member.multilabel_ = classes[scorer.classes], scorer.multilabel
        member.n_features_in_ = len(rows)
        members.append(member)
    return members


def _require_votes(ensemble: RandomSubspace) -> None:
    """Raise `NotAvailable` unless members vote: mean scores have no shares of votes."""
    if ensemble.combine != "vote":
        raise NotAvailable(
            ("predict_proba and predict_log_proba are missing: ", Setting("combine", ensemble.combine)),
            hint=("use ", Setting("combine", "vote")),
        )


class RandomSubspace(ClassifierMixin, BaseEstimator):
    """Classify with an ensemble of classifiers, each on a random subset of the terms.

    Labels may be single or multilabel. With multilabel documents, members decide for each class separately whether a
    document is in it, and must be linear. Unlabelled documents are ignored, but in an indicator matrix a row of zeros
    means that the document is in no class.

    Parameters
    ----------
    estimator : classifier, name or None
        The classifier of the members. None is a linear SVM with the C below; a name is one that `Categorizer` accepts.
    C : float
        The C of the linear SVM that is used if no estimator is given: 100, as in the paper. For many documents of
        length 1, C=1 is much faster.
    n_estimators : int or float
        L, the number of members; a float above 0.0 and up to 1.0 is a fraction of the number of all terms.
    n_terms : int or float
        M, the number of terms of each member, or a fraction of all terms.
    combine : "vote" or "mean"
        "vote" chooses the class with the most votes, "mean" the class with the largest mean score. The mean of linear
        members is stored as a single linear classifier.
    class_weight : dict, "balanced", "sqrt" or None
        Passed to the members.
    random_state : int, None or any value that scikit-learn accepts
        The seed of the random subsets. The same seed gives the same ensemble; None gives a new one each time.
    n_jobs : int or None
        How many members are trained at a time; -1 is one for each core. The result does not depend on it.

    Attributes
    ----------
    classes_ : the classes, sorted
    n_terms_ : the number of terms of each member
    n_estimators_ : the number of members
    subsets_ : array, members x terms: the columns of each member, ascending
    estimators_ : list of the trained members; missing for linear ones with combine="mean"
    estimators_features_ : list of the columns of each member
    multilabel_ : whether the ensemble is multilabel

    Examples
    --------
    >>> from textsieve import RandomSubspace
    >>> X = [[2, 0, 1, 0], [1, 1, 0, 0], [0, 2, 1, 1], [0, 1, 0, 2]]  # counts: documents x terms
    >>> y = ["sport", "sport", "politics", "politics"]
    >>> ensemble = RandomSubspace(n_estimators=5, n_terms=2).fit(X, y)
    >>> ensemble.predict([[1, 0, 0, 0], [0, 0, 0, 1]])
    array(['sport', 'politics'], dtype='<U8')
    >>> ensemble.subsets_
    array([[0, 2],
           [0, 3],
           [1, 2],
           [1, 2],
           [1, 2]])
    """

    def __init__(
        self,
        *,
        estimator: Any = None,
        C: float = 100.0,
        n_estimators: int | float = 100,
        n_terms: int | float = 0.4,
        combine: str = "vote",
        class_weight: dict[Any, float] | str | None = None,
        random_state: Any = 0,
        n_jobs: int | None = -1,
    ) -> None:
        self.estimator = estimator
        self.C = C
        self.n_estimators = n_estimators
        self.n_terms = n_terms
        self.combine = combine
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train the members on documents given as the rows of a (sparse) matrix, with their labels.

        `sample_weight` is passed to the members, which must support it. A document with weight 3 counts like three
        copies of it; one with weight 0 is ignored.
        """
        require_combination(self.combine)
        base = member_classifier(self.estimator, self.class_weight, self.C)
        jobs, seed = n_threads(self.n_jobs), seed_of(self.random_state)
        rows = sound_rows(validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32]))
        rows, y, weights = drop_weightless(rows, y, check_weights(sample_weight, rows.shape[0]))
        n = rows.shape[1]
        n_terms = size_of("RandomSubspace.n_terms", self.n_terms, n, most=n)
        n_members = size_of("RandomSubspace.n_estimators", self.n_estimators, n)
        pairs = validate_label_pairs(y, rows.shape[0], "RandomSubspace")
        task = training_task(rows, pairs, keeps_unlabelled=is_indicator_matrix(missing_as_none(y)), weights=weights)
        refuse_averages_of_cosines(base, self.combine, multilabel=task.is_multilabel)
        settings = {"n_terms": n_terms, "n_members": n_members, "seed": seed, "n_jobs": jobs}
        # Members that vote are stored with float32 coefficients; those of a mean are first added up in float64.
        is_vote = self.combine == "vote"
        members = train_members(base, task, **settings, then=lambda member: member.in_float32() if is_vote else member)
        self._scorer = build_scorer(members, task, self.combine)
        self.classes_, self.multilabel_ = np.array(pairs.classes), task.is_multilabel
        self.n_terms_, self.n_estimators_, self._seed = n_terms, n_members, seed
        return self

    @property
    def subsets_(self) -> Ints:
        """Return the columns of each member (members x terms)."""
        check_is_fitted(self, "_seed")
        n = self.n_features_in_
        return np.array(
            [subset(n, self.n_terms_, member=number, seed=self._seed) for number in range(self.n_estimators_)]
        )

    @property
    def estimators_features_(self) -> list[Ints]:
        """Return the columns of each member, under the name that `BaggingClassifier` uses."""
        return list(self.subsets_)

    @property
    def estimators_(self) -> list[Any]:
        """Return the trained members, each a classifier on its own columns; see `estimators_features_`.

        Linear ones are `LinearMember`s. With `combine="mean"` only the mean of linear members is stored, so they are
        missing.
        """
        check_is_fitted(self, "_seed")
        if isinstance(self._scorer, NonlinearMembers):
            return [member.classifier for member in self._scorer.members]
        if isinstance(self._scorer, SubspaceScorer):
            return linear_members(self._scorer, self.classes_)
        raise NotAvailable(
            (
                "estimators_ is missing: with ",
                Setting("combine", self.combine),
                " only the mean of linear members is kept",
            ),
            hint=("fit the ensemble with ", Setting("combine", "vote")),
        )

    def decision_function(self, X: Any) -> Floats:
        """Return the votes or mean scores of each class (documents x classes).

        For two classes and single-label documents, return the score of the second class minus that of the first.
        """
        scores = self._class_scores(X)
        if self.multilabel_ or scores.shape[1] > 2:
            return scores
        return scores[:, 0] if scores.shape[1] == 1 else scores[:, 1] - scores[:, 0]

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each document, or for a multilabel ensemble a (documents x classes) matrix of 0 and 1."""
        scores = self.decision_function(X)
        if self.multilabel_:
            return (scores > 0.0).astype(np.int64)
        numbers = (scores > 0.0).astype(np.int64) if scores.ndim == 1 else scores.argmax(axis=1)
        return np.asarray(self.classes_[numbers])

    @available_if(_require_votes)
    def predict_proba(self, X: Any) -> Floats:
        """Return each class's share of the votes (documents x classes); shares are not calibrated probabilities.

        Half a vote is added, divided among the classes in proportion to their training documents; it breaks ties as
        `predict` does.
        """
        votes = self._class_scores(X)
        if self.multilabel_:
            raise InputError(
                "Training documents had several labels, and the votes for each class are no shares of one total",
                hint="use decision_function",
            )
        return np.asarray(votes / votes.sum(axis=1, keepdims=True))

    @available_if(_require_votes)
    def predict_log_proba(self, X: Any) -> Floats:
        """Return the logarithms of `predict_proba`."""
        return np.asarray(np.log(self.predict_proba(X)))

    def member_choices(self, X: Any) -> Ints:
        """Return the number of the class that each member votes for (documents x members).

        It is -1 if the member abstains, because it has no term of the document.
        """
        rows = self._rows(X)
        if isinstance(self._scorer, NonlinearMembers):
            return self._scorer.choices(rows)
        if isinstance(self._scorer, SubspaceScorer) and not self.multilabel_:
            return self._scorer.choices(CSR.of(rows), self.n_jobs)
        raise InputError(
            ("member_choices needs single-label documents and, if members are linear, ", Setting("combine", "vote")),
            hint="fit the ensemble that way",
        )

    def to_scorer(self) -> Scorer:
        """Return the scorer of the trained ensemble: the members' coefficients, or their mean."""
        check_is_fitted(self)
        if isinstance(self._scorer, NonlinearMembers):
            raise InputError(
                "it is not linear, so the votes of members like it could be neither explained nor stored",
                setting="estimator",
                value=self.estimator,
                hint=f"use {list_linear_classifiers()}",
            )
        return self._scorer

    def _class_scores(self, X: Any) -> Floats:
        """Return the votes or mean scores of each class (documents x classes).

        There is only one column, positive for the second class, if linear members with `combine="mean"` were trained on
        single-label documents of two classes.
        """
        rows = self._rows(X)
        if isinstance(self._scorer, NonlinearMembers):
            return self._scorer.scores(rows)
        return self._scorer.scores(CSR.of(rows), self.n_jobs)

    def _rows(self, X: Any) -> csr_matrix:
        """Return validated documents as sparse rows without stored zeros; raise an error before `fit`."""
        check_is_fitted(self)
        rows = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False)
        return sound_rows(rows)

    def __sklearn_tags__(self) -> Tags:
        """Return the scikit-learn tags: sparse input, and no negative values if the members accept none.

        `poor_score` is set because a subset of the few columns in scikit-learn's checks is too small for a good score.
        """
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = get_tags(member_classifier(self.estimator)).input_tags.positive_only
        assert tags.classifier_tags is not None
        tags.classifier_tags.poor_score = True
        return tags


def sound_rows(X: Any) -> csr_matrix:
    """Return rows with ascending columns and without stored zeros, which would count as terms of the document.

    `X` is not modified.
    """
    rows = CSR.of(csr_matrix(X)).matrix()
    if rows.data.all():
        return rows
    rows = rows.copy()  # it may share its arrays with X
    rows.eliminate_zeros()
    return rows


def is_indicator_matrix(y: Any) -> bool:
    """Return whether labels are an indicator matrix, in which a row of zeros means that the document is in no class."""
    shape: tuple[int, ...] = getattr(y, "shape", ())
    # An array of one column has a label in each row, and is no indicator matrix.
    return (len(shape) == 2 and shape[1] != 1) or (isinstance(y, list | tuple) and is_indicator(y))
