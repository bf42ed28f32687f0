"""Build the scorer of a trained ensemble.

Linear members become one scorer that counts their votes, or one linear function, their mean. Members that are not
linear stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

import numpy as np
from scipy.sparse import csr_matrix

from ..arrays import Counts, Floats, Ints
from ..classifiers.linear import LinearScorer
from ..classifiers.linear_form import CONSTANT_SCORE, Linear, add_empty_classes, linear_scorer
from ..errors import InputError
from .agreement import ABSTAINED
from .members import Member, TrainingTask, warn_of_unconverged
from .scorer import SubspaceScorer
from .vote_rules import one_column_per_class, tie_breakers


def build_scorer(
    members: Iterator[Member], task: TrainingTask, combine: str
) -> SubspaceScorer | LinearScorer | NonlinearMembers:
    """Return a scorer if the members are linear, and otherwise the members themselves, as `NonlinearMembers`.

    `combine` is "vote" or "mean". Warns if the training of linear members did not converge.
    """
    first = next(members)  # shows whether members are linear
    all_members = chain([first], members)
    if first.form is None:
        return NonlinearMembers(list(all_members), task.present, task.class_docs, combine)
    if combine == "mean":
        return mean_scorer(all_members, task)
    return vote_scorer(list(all_members), task)


def vote_scorer(members: list[Member], task: TrainingTask) -> SubspaceScorer:
    """Return a scorer that counts the votes of linear members.

    It stores their coefficients by term: for each term, one row for each member that has it, in the order of the
    members. Warns if their training did not converge.
    """
    n_outputs = len(_form(members[0]).intercepts)
    warn_of_unconverged(sum(member.n_unconverged for member in members), n_problems=len(members) * n_outputs)
    n_members_with = np.zeros(task.rows.shape[1], np.int64)  # for each term, the number of members that have it
    for member in members:
        n_members_with[member.terms] += 1
    term_indptr = np.concatenate([[0], np.cumsum(n_members_with)])
    member_numbers = np.empty(term_indptr[-1], np.int32)
    coefficients = np.empty((term_indptr[-1], n_outputs), np.float32)
    next_row = term_indptr[:-1].copy()  # for each term, the row to which the next member with this term is written
    for number, member in enumerate(members):
        rows = next_row[member.terms]
        member_numbers[rows], coefficients[rows] = number, _form(member).coefficients.T
        next_row[member.terms] += 1
    member_intercepts = np.array([_form(member).intercepts for member in members])
    intercepts = tie_breakers(task.class_docs)
    if task.is_multilabel:
        # A vote for a class counts 1/2. A class that all training documents had gets 1/2 in addition, so that it is
        # predicted even without votes. A class that none had loses more than all votes could give it.
        intercepts = 0.5 * task.contains_all - len(members) * (task.class_docs == 0)
    voted_classes = task.present.astype(np.int32)
    return SubspaceScorer(
        *(term_indptr, member_numbers, coefficients, member_intercepts),
        *(voted_classes, intercepts, task.is_multilabel),
    )


def mean_scorer(members: Iterable[Member], task: TrainingTask) -> LinearScorer:
    """Return the mean of linear members as one linear function of all terms.

    Each member is added to a sum when it is read, so the members are never in memory together. Warns if their training
    did not converge.
    """
    n_outputs, n_terms = 1 if task.has_one_output else len(task.present), task.rows.shape[1]
    total = Linear(np.zeros((n_outputs, n_terms)), np.zeros(n_outputs))
    n_members = n_unconverged = 0
    for member in members:
        form = _form(member)
        total.coefficients[:, member.terms] += form.coefficients
        total.intercepts[:] += form.intercepts
        n_members += 1
        n_unconverged += member.n_unconverged
    warn_of_unconverged(n_unconverged, n_problems=n_members * n_outputs)
    mean = Linear(total.coefficients / n_members, total.intercepts / n_members)
    n_classes = len(task.class_docs)
    if not task.is_multilabel:
        has_negative_weights = bool((task.rows.data < 0.0).any())
        return linear_scorer(add_empty_classes(mean, task.present, n_classes, signed=has_negative_weights))
    # Multilabel: a class without training documents gets a constant score, far below 0.
    all_classes = Linear(np.zeros((n_classes, n_terms)), np.full(n_classes, -CONSTANT_SCORE))
    all_classes.coefficients[task.present], all_classes.intercepts[task.present] = mean
    return linear_scorer(all_classes)


def _form(member: Member) -> Linear:
    """Return the linear form of a member; raise `InputError` if it has none, although the first member has one."""
    if member.form is None:
        name = type(member.classifier).__name__
        raise InputError(f"{name} is linear on some terms and not on others", hint="use another classifier")
    return member.form


@dataclass(frozen=True, eq=False)
class NonlinearMembers:
    """Members that are not linear, for single-label documents."""

    members: list[Member]
    present: Ints  # the numbers of the classes that have training documents
    class_docs: Counts  # the number of training documents of each class, also of classes without any
    combine: str

    def scores(self, rows: csr_matrix) -> Floats:
        """Return the votes or mean scores of all classes (documents x classes).

        The votes include `tie_breakers`. The mean score of a class without training documents is minus infinity.
        """
        if self.combine == "vote":
            choices = self.choices(rows)
            votes = np.stack([(choices == number).sum(axis=1) for number in range(len(self.class_docs))], axis=1)
            return votes + tie_breakers(self.class_docs)
        scores = np.full((rows.shape[0], len(self.class_docs)), -np.inf)  # classes without training documents can't win
        total = sum(one_column_per_class(member.scores(rows)) for member in self.members)
        scores[:, self.present] = total / len(self.members)
        return scores

    def choices(self, rows: csr_matrix) -> Ints:
        """Return the class that each member votes for (documents x members), or -1 if it abstains."""
        choices = np.empty((rows.shape[0], len(self.members)), np.int64)
        for column, member in zip(choices.T, self.members, strict=True):
            column[:] = self.present[one_column_per_class(member.scores(rows)).argmax(axis=1)]
            column[member.abstains(rows)] = ABSTAINED
        return choices
