"""Random subspaces: many classifiers, each on a few of the terms, drawn at random, decide together (Gangeh and others).

Text has more terms than documents, and a classifier that sees all of them leans on the few that happen to fit the
training documents best. Here each of L classifiers has M of the n terms and must make do with these. By *vote* the
class wins that most of them choose, as in the paper; together they can draw borders that none of them can. By *mean*
their scores are averaged. The mean of linear functions is one linear function, so what comes out is a single
classifier, as small and as quick as one of them, with the scores that the ensemble gives.

How M and L go together is worked out in `theory`, and `sizing.suggest` proposes a pair. How the votes become scores,
and what happens where they are equal, is said in `scorer`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from ..classifiers.scorer import Scorer
from ..errors import InputError, NotAvailable, shown
from ..parameters import available_if
from ..settings import n_threads
from ..stats.labels import is_indicator, without_missing
from ..stats.sample_weights import check_weights, drop_weightless
from ..stats.targets import pairs_of
from ..text.rows import Rows
from .base import member_classifier, refuse_averages_of_cosines
from .combined import OtherMembers, combined
from .combining import require_combination
from .draws import seed_of, size_of, subset
from .members import Member, task_of, train_members
from .scorer import SubspaceScorer

if TYPE_CHECKING:
    from sklearn.utils import Tags

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class LinearMember(ClassifierMixin, BaseEstimator):
    """A trained member of an ensemble: a linear classifier of the columns in `RandomSubspace.estimators_features_`.

    Its coefficients have 32 bits, as the ensemble keeps them. It can't be trained by itself.

    Attributes
    ----------
    coef_ : array, classes x terms; a single row for two classes
    intercept_ : array of one number per row of `coef_`
    classes_ : the classes that it chooses among, sorted
    multilabel_ : whether it decides for each class whether a document is in it
    """

    def __init__(self) -> None:  # what it has is learned
        self.coef_: NDArray[np.float32]
        self.intercept_: Floats
        self.classes_: NDArray[Any]
        self.multilabel_: bool

    def decision_function(self, X: Any) -> Floats:
        """Return the score of each class; for two classes and one label a document, the second's."""
        scores: Floats = np.asarray(csr_matrix(X) @ self.coef_.T.astype(np.float64)) + self.intercept_
        return scores.ravel() if scores.shape[1] == 1 and not self.multilabel_ else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each document; if it is multilabel, a matrix of 0 and 1 (documents x classes)."""
        scores = self.decision_function(X)
        if self.multilabel_:
            return (scores > 0.0).astype(np.int64)
        return np.asarray(self.classes_[(scores > 0.0).astype(np.int64) if scores.ndim == 1 else scores.argmax(axis=1)])


def linear_members(scorer: SubspaceScorer, classes: NDArray[Any]) -> list[LinearMember]:
    """Return the members that a scorer lets vote, in the order of their numbers."""
    by_member = np.argsort(scorer.members, kind="stable")  # their terms ascend
    ends = np.cumsum(np.bincount(scorer.members, minlength=scorer.n_members))
    members = []
    for own, intercepts in zip(np.split(by_member, ends[:-1]), scorer.member_intercepts, strict=True):
        member = LinearMember()
        member.coef_, member.intercept_ = scorer.coefficients[own].T, intercepts
        member.classes_, member.multilabel_ = classes[scorer.classes], scorer.several
        member.n_features_in_ = len(own)
        members.append(member)
    return members


def _require_votes(ensemble: RandomSubspace) -> None:
    """Raise `NotAvailable` unless members vote; a mean of scores is no share of anything."""
    if ensemble.combine != "vote":
        raise NotAvailable(
            f"predict_proba and predict_log_proba are missing: combine={shown(ensemble.combine)}; use combine='vote'."
        )


class RandomSubspace(ClassifierMixin, BaseEstimator):
    """Classify by an ensemble, each member of which knows some of the terms, drawn at random.

    Labels may be one or several a document. With several, members decide for each class whether a document is in it,
    and must be linear. Documents without a label are left out; in a matrix of 0 and 1 a row of zeros is in no class.

    Parameters
    ----------
    estimator : classifier, name or None
        What the members are: None is a linear SVM with the C below. A name is one of a `Categorizer`'s.
    C : float
        Of the linear SVM that members are unless an estimator is given: 100, as in the paper. Where documents have the
        length 1 and are many, 1 is quicker by far.
    n_estimators : int or float
        L, how many members there are; a share above 0.0 and up to 1.0 is one of the number of all terms.
    n_terms : int or float
        M, how many terms each of them has; or a share of all terms.
    combine : "vote" or "mean"
        Whether the class with most votes is chosen, or that with the best mean of scores. The mean of linear members is
        kept as a single linear classifier.
    class_weight : dict, "balanced" or None
        Given to the members.
    random_state : int, None or as scikit-learn takes it
        The seed of the draws. The same seed gives the same ensemble; None a new one each time.
    n_jobs : int or None
        Members that are trained at a time; -1 is one for each core. The result does not depend on it.

    Attributes
    ----------
    classes_ : the classes, sorted
    n_terms_ : how many terms each member has
    n_estimators_ : how many members there are
    subsets_ : array, members x terms: the columns that each member knows, ascending
    estimators_ : list of the trained members; missing for linear ones with combine="mean"
    estimators_features_ : list of the columns that each member knows
    several_ : whether documents may have several labels
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

        `sample_weight` is given to the members, so these must take it: then a document of weight 3 counts as three
        copies of it, and one of weight 0 as if it were left out.
        """
        require_combination(self.combine)
        base = member_classifier(self.estimator, self.class_weight, self.C)
        jobs, seed = n_threads(self.n_jobs), seed_of(self.random_state)
        rows = sound_rows(validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32]))
        rows, y, weights = drop_weightless(rows, y, check_weights(sample_weight, rows.shape[0]))
        n = rows.shape[1]
        n_terms = size_of("RandomSubspace.n_terms", self.n_terms, n, n)
        n_members = size_of("RandomSubspace.n_estimators", self.n_estimators, n)
        pairs = pairs_of(y, rows.shape[0], "RandomSubspace")
        task = task_of(rows, pairs, keeps_unlabelled=is_matrix(without_missing(y)), weights=weights)
        refuse_averages_of_cosines(base, self.combine, several=task.numbers is None)
        sizes = {"n_terms": n_terms, "n_members": n_members, "seed": seed, "n_jobs": jobs}
        members = train_members(base, task, **sizes, then=Member.lean if self.combine == "vote" else Member.whole)
        self._decides = combined(members, task, self.combine)
        self.classes_, self.several_ = np.array(pairs.classes), task.numbers is None
        self.n_terms_, self.n_estimators_, self._seed = n_terms, n_members, seed
        return self

    @property
    def subsets_(self) -> Ints:
        """The columns that each member knows (members x terms)."""
        check_is_fitted(self, "_seed")
        n = self.n_features_in_
        return np.array(
            [subset(n, self.n_terms_, member=number, seed=self._seed) for number in range(self.n_estimators_)]
        )

    @property
    def estimators_features_(self) -> list[Ints]:
        """The columns that each member knows, as `BaggingClassifier` names them."""
        return list(self.subsets_)

    @property
    def estimators_(self) -> list[Any]:
        """The trained members, each a classifier of its columns: see `estimators_features_`.

        Linear ones are `LinearMember`s. With `combine="mean"` only their mean is kept.
        """
        check_is_fitted(self, "_seed")
        if isinstance(self._decides, OtherMembers):
            return [member.classifier for member in self._decides.members]
        if isinstance(self._decides, SubspaceScorer):
            return linear_members(self._decides, self.classes_)
        raise NotAvailable(
            f"estimators_ is missing: with combine={self.combine!r} only the mean of linear members is kept; fit the "
            "ensemble with combine='vote'."
        )

    def decision_function(self, X: Any) -> Floats:
        """The votes or mean scores of each class; for two classes and one label a document, the second's lead."""
        scores = self._class_scores(X)
        if self.several_ or scores.shape[1] > 2:
            return scores
        return scores[:, 0] if scores.shape[1] == 1 else scores[:, 1] - scores[:, 0]

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each document; where documents may have several, a matrix of 0 and 1 (documents x classes)."""
        scores = self.decision_function(X)
        if self.several_:
            return (scores > 0.0).astype(np.int64)
        numbers = (scores > 0.0).astype(np.int64) if scores.ndim == 1 else scores.argmax(axis=1)
        return np.asarray(self.classes_[numbers])

    @available_if(_require_votes)
    def predict_proba(self, X: Any) -> Floats:
        """Return each class's share of the votes (documents x classes); shares are not calibrated probabilities.

        Classes share half a vote more, in proportion to their training documents, which breaks ties as `predict` does.
        """
        votes = self._class_scores(X)
        if self.several_:
            raise InputError(
                "Training documents had several labels, and votes for each of them are no shares of one; use "
                "decision_function."
            )
        return np.asarray(votes / votes.sum(axis=1, keepdims=True))

    @available_if(_require_votes)
    def predict_log_proba(self, X: Any) -> Floats:
        """Return the logarithms of `predict_proba`."""
        return np.asarray(np.log(self.predict_proba(X)))

    def member_choices(self, X: Any) -> Ints:
        """Which class each member votes for (its number; documents x members); -1 if it knows no term of a document."""
        rows = self._rows(X)
        if isinstance(self._decides, OtherMembers):
            return self._decides.choices(rows)
        if isinstance(self._decides, SubspaceScorer) and not self.several_:
            return self._decides.choices(Rows.of(rows), self.n_jobs)
        raise InputError(
            "Single members are known with one label a document and combine='vote' alone; fit the ensemble so."
        )

    def to_scorer(self) -> Scorer:
        """What is kept of it once it is trained: the members' coefficients, or their mean."""
        check_is_fitted(self)
        if isinstance(self._decides, OtherMembers):
            raise InputError(
                f"estimator={shown(self.estimator)} is not linear, so the votes of its like could be neither explained "
                "nor stored; use svm, logistic, nb, cnb or rocchio."
            )
        return self._decides

    def _class_scores(self, X: Any) -> Floats:
        """Return the score of each class (documents x classes)."""
        rows = self._rows(X)
        if isinstance(self._decides, OtherMembers):
            return self._decides.scores(rows)
        return self._decides.scores(Rows.of(rows), self.n_jobs)

    def _rows(self, X: Any) -> csr_matrix:
        check_is_fitted(self)
        found = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False)
        return sound_rows(found)

    def __sklearn_tags__(self) -> Tags:
        """What scikit-learn should know: sparse matrices in, without negative values if members take none.

        A part of the few columns of its checks is too few for a good score.
        """
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = get_tags(member_classifier(self.estimator)).input_tags.positive_only
        assert tags.classifier_tags is not None
        tags.classifier_tags.poor_score = True
        return tags


def sound_rows(X: Any) -> csr_matrix:
    """Rows whose columns ascend, without zeros: a document has a term if that has a weight."""
    rows = Rows.of(csr_matrix(X)).matrix()
    if rows.data.all():
        return rows
    rows = rows.copy()
    rows.eliminate_zeros()
    return rows


def is_matrix(y: Any) -> bool:
    """Whether labels are a matrix of 0 and 1, in which a row of zeros says that a document is in no class."""
    shape: tuple[int, ...] = getattr(y, "shape", ())
    return (len(shape) == 2 and shape[1] != 1) or (isinstance(y, list | tuple) and is_indicator(y))
